/**
 * A language that is written without blanks. Its words are found from left to right, the longest known word first.
 * Letters that belong to no known word are kept, as names are.
 */
import { type LanguageFile, speller, wordsIn } from "./LanguageFile.js"

export interface RunRead {
  readonly parts: ReadonlyArray<{ readonly text: string; readonly translated: boolean }>
  /** How many letters belong to words with a meaning. */
  readonly understood: number
}

/** Between letters of such a script and a name or number beside them. */
const border = /(?<=[\p{Script=Latin}\p{N}])(?=\p{Lo})|(?<=\p{Lo})(?=[\p{Script=Latin}\p{N}])/gu

/** Whether a place is inside a word of Latin letters or a number. */
const splitsWord = (text: string, at: number): boolean => /^[a-z0-9]{2}$/.test(text.slice(Math.max(0, at - 1), at + 1))

export class UnspacedLanguage {
  readonly name: string
  private readonly spelled: (text: string) => string
  /** A word without a subject means the empty text. */
  private readonly words = new Map<string, string>()
  private readonly longest: number

  constructor(file: LanguageFile) {
    this.name = file.name
    this.spelled = speller(file)
    for (const [english, texts] of Object.entries(file.words)) {
      for (const text of texts) {
        const word = this.written(text).toLowerCase()
        if (!this.words.has(word)) this.words.set(word, english)
      }
    }
    for (const text of wordsIn(file.drop)) {
      const word = this.written(text).toLowerCase()
      if (!this.words.has(word)) this.words.set(word, "")
    }
    this.longest = Math.max(0, ...Array.from(this.words.keys(), (word) => word.length))
  }

  /** Letters in one width, and spelled in one way. */
  written(text: string): string {
    return this.spelled(text.normalize("NFKC"))
  }

  /** Takes a run of written letters apart. */
  read(run: string): RunRead {
    const parts: Array<{ readonly text: string; readonly translated: boolean }> = []
    let understood = 0
    let kept = ""
    const close = (): void => {
      if (kept !== "") parts.push({ text: kept.replace(border, " "), translated: false })
      kept = ""
    }
    const small = run.toLowerCase()
    let at = 0
    while (at < run.length) {
      const length = this.lengthAt(small, at)
      const english = this.words.get(small.slice(at, at + length))
      if (english === undefined) kept += run[at] ?? ""
      else {
        close()
        if (english !== "") {
          parts.push({ text: english, translated: true })
          understood += length
        }
      }
      at += english === undefined ? 1 : length
    }
    close()
    return { parts, understood }
  }

  private lengthAt(small: string, at: number): number {
    let length = Math.min(this.longest, small.length - at)
    while (length > 0 && !this.words.has(small.slice(at, at + length))) length -= 1
    const splits = splitsWord(small, at) || splitsWord(small, at + length)
    return splits ? 0 : length
  }
}
