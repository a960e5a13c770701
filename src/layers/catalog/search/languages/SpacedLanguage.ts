/**
 * A language that is written with blanks between words. A word is found as it stands, without its ending, or as a
 * compound of known words; phrases of several words come before single words. Accents do not matter.
 */
import { fold } from "../Analyzer.js"
import { type LanguageFile, speller, wordsIn } from "./LanguageFile.js"

const shortestStem = 4
const shortestCompound = 7
/** To take a word apart takes the square of its length, and one sign of a question can stand for 18 letters. */
const longestCompound = 60
const shortestPart = 3
const shortestHead = 5
const mostParts = 4

/** What a word says about the language: nothing, that it belongs to it, or that it has a meaning in it too. */
export interface WordFound {
  /** The English words; empty when the word has no subject. */
  readonly english: string
  /** The word is no English word, so that it shows the language. */
  readonly telling: boolean
  /** The vocabulary has the word itself, and not only one that ends otherwise. */
  readonly exact: boolean
}

/** A word or phrase of the vocabulary, written. */
interface Entry {
  readonly written: string
  readonly english: string
}

/** A run of words of a sentence and what they mean in English. */
export interface PhraseFound {
  readonly length: number
  readonly english: string
}

const lettersOf = (text: string): ReadonlyArray<string> => text.normalize("NFC").match(/\p{L}+/gu) ?? []

const sameStart = (a: string, b: string): number => {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return length
}

/** Of words with one stem, the one that a word begins like the longest: "libros" is "libro", and not "libre". */
const nearest = (entries: ReadonlyArray<Entry> | undefined, written: string): string | undefined =>
  entries?.reduce((best, entry) =>
    sameStart(entry.written, written) > sameStart(best.written, written) ? entry : best
  ).english

export class SpacedLanguage {
  readonly name: string
  private readonly spelled: (text: string) => string
  private readonly exact = new Map<string, string>()
  /** By the stems of their words. */
  private readonly phrases = new Map<string, ReadonlyArray<Entry>>()
  /** The stems of words that stand in phrases of several words. */
  private readonly phraseStems = new Set<string>()
  private readonly dropped: ReadonlySet<string>
  private readonly alsoEnglish: ReadonlySet<string>
  private readonly endings: ReadonlySet<string>
  private readonly longestEnding: number
  /** The first letters of all words: what begins otherwise is no compound of them. */
  private readonly starts = new Set<string>()
  private readonly links: ReadonlyArray<string>
  private longestPhrase = 1

  constructor(file: LanguageFile) {
    this.name = file.name
    this.spelled = speller(file)
    const read = (list: string): ReadonlyArray<string> => wordsIn(list).map((word) => this.written(word))
    this.dropped = new Set(read(file.drop))
    this.alsoEnglish = new Set(read(file.alsoEnglish))
    this.endings = new Set(read(file.endings))
    this.longestEnding = Math.max(0, ...Array.from(this.endings, (ending) => ending.length))
    this.links = wordsIn(file.compounds).map((link) => (link === "-" ? "" : this.written(link)))
    for (const [english, texts] of Object.entries(file.words)) for (const text of texts) this.enter(text, english)
  }

  private enter(text: string, english: string): void {
    const all = lettersOf(text).map((word) => this.written(word))
    const said = all.filter((word) => !this.dropped.has(word))
    const words = said.length > 0 ? said : all
    const [only] = words
    if (words.length === 1 && only !== undefined && !this.exact.has(only)) this.exact.set(only, english)
    const stems = words.map((word) => this.stemOf(word))
    const key = stems.join(" ")
    this.starts.add(key.slice(0, shortestPart))
    this.phrases.set(key, [...(this.phrases.get(key) ?? []), { written: words.join(" "), english }])
    if (stems.length > 1) for (const stem of stems) this.phraseStems.add(stem)
    this.longestPhrase = Math.max(this.longestPhrase, words.length)
  }

  /** A word of the language as this vocabulary writes it: small, without accents, spelled in one way. */
  written(word: string): string {
    return this.spelled(fold(word.normalize("NFC")).toLowerCase())
  }

  /** The meaning of one word as it was typed; null when the language does not have it. */
  wordOf(word: string): WordFound | null {
    return this.meaningOf(this.written(word))
  }

  /** Whether the vocabulary has the written word itself. */
  has(word: string): boolean {
    return this.exact.has(word) || this.dropped.has(word)
  }

  isDropped(word: string): boolean {
    return this.dropped.has(word) && !this.exact.has(word)
  }

  private meaningOf(word: string): WordFound | null {
    const english = this.exact.get(word)
    if (english === undefined && this.dropped.has(word)) {
      return { english: "", telling: !this.alsoEnglish.has(word), exact: true }
    }
    const found = english ?? this.byStem(word) ?? this.compound(word)
    if (found === undefined) return null
    return { english: found, telling: found !== word && !this.alsoEnglish.has(word), exact: english !== undefined }
  }

  /** The longest phrase at a place of written words that have a subject. */
  phraseAt(words: ReadonlyArray<string>, at: number): PhraseFound | undefined {
    for (let length = Math.min(this.longestPhrase, words.length - at); length > 1; length -= 1) {
      const run = words.slice(at, at + length)
      const english = nearest(this.phrases.get(run.map((word) => this.stemOf(word)).join(" ")), run.join(" "))
      if (english !== undefined) return { length, english }
    }
    const word = words[at]
    const english = word === undefined ? undefined : this.meaningOf(word)?.english
    return english === undefined || english === "" ? undefined : { length: 1, english }
  }

  /** Whether a word as it was typed is part of a phrase. */
  isInPhrase(word: string): boolean {
    return this.phraseStems.has(this.stemOf(this.written(word)))
  }

  private byStem(word: string): string | undefined {
    return nearest(this.phrases.get(this.stemOf(word)), word)
  }

  /** Where the phrases of several words stand among written words, as places of their words. */
  phrasesIn(words: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<number>> {
    const places = Array.from(words.keys()).filter((place) => !this.isDropped(words[place] ?? ""))
    const said = places.map((place) => words[place] ?? "")
    const found: Array<ReadonlyArray<number>> = []
    for (let at = 0; at < said.length;) {
      const length = this.phraseAt(said, at)?.length ?? 1
      if (length > 1) found.push(places.slice(at, at + length))
      at += length
    }
    return found
  }

  private stemOf(word: string): string {
    for (let length = Math.min(this.longestEnding, word.length - shortestStem); length > 0; length -= 1) {
      if (this.endings.has(word.slice(-length))) return word.slice(0, -length)
    }
    return word
  }

  private compound(word: string): string | undefined {
    if (this.links.length === 0 || word.length < shortestCompound || word.length > longestCompound) return undefined
    const parts = this.apart(word, mostParts)
    if (parts !== undefined) return parts.join(" ")
    // The last part of a compound says what it is; the first part may be anything.
    for (let at = 2; at <= word.length - shortestHead; at += 1) {
      const head = this.exact.get(word.slice(at))
      if (head !== undefined) return head
    }
    return undefined
  }

  private simple(word: string): string | undefined {
    return word.length < shortestPart ? undefined : (this.exact.get(word) ?? this.byStem(word))
  }

  private apart(word: string, most: number): ReadonlyArray<string> | undefined {
    if (!this.starts.has(word.slice(0, shortestPart))) return undefined
    const whole = this.simple(word)
    if (whole !== undefined) return [whole]
    if (most === 1) return undefined
    for (let at = word.length - shortestPart; at >= shortestPart; at -= 1) {
      const first = this.simple(word.slice(0, at))
      if (first === undefined) continue
      const rest = word.slice(at)
      for (const link of this.links) {
        const others = rest.startsWith(link) ? this.apart(rest.slice(link.length), most - 1) : undefined
        if (others !== undefined) return [first, ...others]
      }
    }
    return undefined
  }
}
