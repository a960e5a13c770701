/**
 * Questions in other languages than English. A question that looks foreign as a whole is put into the English words of
 * the trades, and what no vocabulary knows (names, values) stays as it is. An English question is left alone: a foreign
 * word counts only when the question has more words that only this language has than it has English words. The words of
 * a phrase of the language are its own as a whole, if one of them is not English ("capture d'écran").
 */
import { cutText } from "../../../../domain/Characters.js"
import type { LanguageFile } from "./LanguageFile.js"
import { remembering } from "../Remembering.js"
import { SpacedLanguage, type WordFound } from "./SpacedLanguage.js"
import { UnspacedLanguage } from "./UnspacedLanguage.js"

/** What the catalog says of the words of a question. */
export interface CatalogWords {
  /** Words of English. */
  readonly english: ReadonlySet<string>
  /** Whether many operations say the word: it is English then, whatever it means elsewhere. */
  readonly isCommon: (word: string) => boolean
  /** Whether the name of a provider has the word: it stays beside its translation. */
  readonly isProvider: (word: string) => boolean
}

export interface Translation {
  /** The question with English words. */
  readonly text: string
  /** The words that the vocabulary put there, in small letters. */
  readonly words: ReadonlySet<string>
}

const longestRead = 4_000
/** What stands between two blanks and has a letter of a script without blanks. */
const unspacedRun =
  /\S*[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\S*/gu
/** An address, a link, a domain or anything with a digit is a value in every language. */
const value = /@|:\/\/|\p{N}|[a-z0-9-]\.[a-z]{2,}/iu
const token = /\p{L}+|[.!?;]+(?=\s|$)/gu
const plainText = /^[\x00-\x7f]*$/ // eslint-disable-line no-control-regex
const plainWord = /[a-z]+/g
const anyWord = /\p{L}+/gu
const isWord = (text: string): boolean => /\p{L}/u.test(text)

/** A short function word is easily a word of another language. */
const shortWord = 2
const shortTrust = 0.5

const signOf = (found: WordFound | null, word: string, isCommon: (word: string) => boolean): number => {
  if (found?.telling !== true || (found.english !== "" && isCommon(word))) return 0
  return found.english === "" && word.length <= shortWord ? shortTrust : 1
}

/** A question of which less than one word in so many is not English is English. */
const mostEnglish = 3

const inNone: ReadonlyMap<SpacedLanguage, WordFound> = new Map()

interface Guess {
  readonly language: SpacedLanguage
  readonly signs: number
  /** How many words the language knows, those of other languages too. */
  readonly known: number
  /** How many of them stand in its vocabulary as they were typed. */
  readonly exact: number
}

const isBetter = (guess: Guess, best: Guess): boolean =>
  (guess.known - best.known || guess.exact - best.exact || guess.signs - best.signs) > 0

export class Languages {
  private readonly spaced: ReadonlyArray<SpacedLanguage>
  private readonly unspaced: ReadonlyArray<UnspacedLanguage>
  /** Of each language with blanks that has the word, what the word means in it. */
  private readonly foundOf: (word: string) => ReadonlyMap<SpacedLanguage, WordFound>
  /** Whether a word may show a language, by itself or in a phrase. */
  private readonly mayTell: (word: string) => boolean

  constructor(files: ReadonlyArray<LanguageFile>) {
    this.spaced = files.filter((file) => !file.unspaced).map((file) => new SpacedLanguage(file))
    this.unspaced = files.filter((file) => file.unspaced).map((file) => new UnspacedLanguage(file))
    this.foundOf = remembering((word) => {
      const found = this.spaced.flatMap((language) => {
        const meaning = language.wordOf(word)
        return meaning === null ? [] : [[language, meaning] as const]
      })
      return found.length === 0 ? inNone : new Map(found)
    })
    this.mayTell = remembering(
      (word) =>
        Array.from(this.foundOf(word).values()).some(({ telling }) => telling) ||
        this.spaced.some((language) => language.isInPhrase(word))
    )
  }

  /** Null for an English question. */
  translate(query: string, catalog: CatalogWords): Translation | null {
    const text = cutText(query.normalize("NFC"), longestRead)
    const isPlain = plainText.test(text)
    const { english } = catalog
    const isEnglish = (word: string): boolean =>
      english.has(word) || (word.endsWith("s") && english.has(word.slice(0, -1)))
    const translated = isPlain ? null : this.unspacedText(text)
    if (translated !== null || this.spaced.length === 0) return translated
    const words = text.toLowerCase().match(isPlain ? plainWord : anyWord) ?? []
    // Most words of a long English question are English: nothing can outweigh them, and no language is asked.
    const others = words.filter((word) => !isEnglish(word))
    if (others.length * mostEnglish < words.length) return null
    // Nor when no language has a word that English does not have.
    if (isPlain && !others.some(this.mayTell)) return null
    return this.spacedText(text, isEnglish, catalog)
  }

  private unspacedText(query: string): Translation | null {
    if (this.unspaced.length === 0 || query.search(unspacedRun) < 0) return null
    const texts = this.unspaced.map((language) => {
      let understood = 0
      const words = new Set<string>()
      const text = language.written(query).replace(unspacedRun, (run) => {
        const read = language.read(run)
        understood += read.understood
        for (const part of read.parts) if (part.translated) for (const word of part.text.split(" ")) words.add(word)
        return ` ${read.parts.map((part) => part.text).join(" ")} `
      })
      return { text, words, understood }
    })
    const best = texts.reduce((a, b) => (b.understood > a.understood ? b : a))
    return best.understood > 0 ? { text: best.text, words: best.words } : null
  }

  private spacedText(
    query: string,
    isEnglish: (word: string) => boolean,
    { isCommon, isProvider }: CatalogWords
  ): Translation | null {
    const pieces = (query.match(/\S+/g) ?? []).flatMap((piece) =>
      value.test(piece)
        ? [{ text: piece, isValue: true }]
        : (piece.match(token) ?? []).map((text) => ({ text, isValue: false }))
    )
    const language = this.languageOf(
      pieces.filter(({ isValue, text }) => !isValue && isWord(text)).map(({ text }) => text.toLowerCase()),
      isEnglish,
      isCommon
    )
    if (language === null) return null
    const words = new Set<string>()
    const said = pieces
      .map(({ isValue, text }) => ({ text, written: isValue || !isWord(text) ? "" : language.written(text) }))
      .filter(({ written }) => written === "" || !language.isDropped(written))
    const writtenWords = said.map(({ written }) => written)
    const out: Array<string> = []
    for (let at = 0; at < said.length;) {
      const piece = said[at]?.text ?? ""
      const phrase = writtenWords[at] === "" ? undefined : language.phraseAt(writtenWords, at)
      if (phrase === undefined) out.push(piece)
      else {
        if (phrase.length === 1 && isProvider(piece)) out.push(piece)
        if (phrase.english !== piece.toLowerCase()) for (const word of phrase.english.split(" ")) words.add(word)
        out.push(phrase.english)
      }
      at += phrase?.length ?? 1
    }
    return { text: out.join(" ").replace(/ ([.!?;])/g, "$1"), words }
  }

  /** Of the languages that have more words of their own than English has, the one that knows the most words. */
  private languageOf(
    words: ReadonlyArray<string>,
    isEnglish: (word: string) => boolean,
    isCommon: (word: string) => boolean
  ): SpacedLanguage | null {
    const isOurs = words.map(isEnglish)
    let best: Guess | null = null
    for (const language of this.spaced) {
      const written = words.map((word) => language.written(word))
      const phrases = language.phrasesIn(written)
      const inPhrase = new Set(phrases.flat())
      const isSign = (at: number): boolean => isOurs[at] !== true && !isCommon(words[at] ?? "")
      let signs = phrases.filter((places) => places.some(isSign)).flat().length
      let against = 0
      let known = 0
      let exact = 0
      for (const [at, word] of words.entries()) {
        const found = this.foundOf(word).get(language) ?? null
        if (found !== null || inPhrase.has(at)) known += 1
        if (found?.exact === true || inPhrase.has(at)) exact += 1
        if (inPhrase.has(at)) continue
        if (isOurs[at] === true) against += language.has(written[at] ?? "") ? 0 : 1
        else signs += signOf(found, word, isCommon)
      }
      const guess = { language, signs, known, exact }
      if (signs >= 1 && signs > against && (best === null || isBetter(guess, best))) best = guess
    }
    return best?.language ?? null
  }
}

/** Knows no other language. */
export const englishOnly: Languages = new Languages([])
