// Turns text into index terms: chunks of letters and digits, compounds split at case, separators and digits, each part
// folded to plain lower-case letters and stemmed. The same rules serve documents and queries, so that they meet.
// It knows no weights: which of several readings counts how much is decided where it is used.
import { stemmer } from "stemmer"
import { remembering } from "./Remembering.js"
import { functionWords, irregularForms } from "./WordClasses.js"

/** One chunk of text, read: `parts` are its words as stems in order; `whole` is the compound written as one word. */
export interface Reading {
  readonly parts: ReadonlyArray<string>
  readonly whole: string | null
}

const nothing: Reading = { parts: [], whole: null }
const asciiOnly = /^[\x00-\x7f]*$/ // eslint-disable-line no-control-regex
const asciiChunk = /[A-Za-z0-9]+(?:['_&-][A-Za-z0-9]+)*/g
const anyChunk = /[\p{L}\p{N}]+(?:['’_&-][\p{L}\p{N}]+)*/gu
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u
const wordOfCompound = /[A-Z]{2,}s(?![a-z])|[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]|\d+/g
const longestTerm = 40
const mostRemembered = 200_000

/** Plain letters: compatibility forms unified, marks removed. */
export const fold = (text: string): string =>
  asciiOnly.test(text)
    ? text
    : text
        .normalize("NFKD")
        .replace(/\p{M}+/gu, "")
        .replace(/ß/g, "ss")
        .replace(/’/g, "'")

/** The chunks of a text, in order, still cased. */
export const chunksOf = (folded: string): ReadonlyArray<string> =>
  folded.match(asciiOnly.test(folded) ? asciiChunk : anyChunk) ?? []

/** How many words a text has, stop words too. Where a script writes no blanks, two letters count as a word. */
export const wordCountOf = (text: string): number =>
  chunksOf(fold(text)).reduce(
    (sum, chunk) => sum + (unspaced.test(chunk) ? Math.ceil(Array.from(chunk).length / 2) : 1),
    0
  )

/** The stem of one lower-case word. Short words and words with digits are kept whole. */
export const stemOf = (word: string): string => {
  const irregular = irregularForms.get(word)
  if (irregular !== undefined) return irregular
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) {
    return word.length > longestTerm ? word.slice(0, longestTerm) : word
  }
  return stemmer(word.length >= 7 ? word.replace(/is(e|ed|es|er|ers|ing|ation|ations)$/, "iz$1") : word).slice(
    0,
    longestTerm
  )
}

const bigrams = (chunk: string): ReadonlyArray<string> => {
  const letters = Array.from(chunk)
  return letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at] ?? ""}${letter}`)
}

const lowerWords = (piece: string): ReadonlyArray<string> => {
  const found = piece.match(wordOfCompound)
  if (found === null) return [piece.toLowerCase()]
  const out: Array<string> = []
  for (const word of found) out.push(word.toLowerCase())
  return out
}

/**
 * Letters and digits run together ("mp3", "base64") name one thing: the whole, and its letters when they are a word.
 */
const mixed = (lower: string): ReadonlyArray<string> => {
  const letters = lower.match(/[a-z]{3,}/g) ?? []
  return lower.length <= 12 ? [lower, ...letters] : (lower.match(/[a-z]+|\d+/g) ?? [lower])
}

const shortestCompound = 8

/** Splits a word written without case or separators when all of it is made of two or three known words. */
const apart = (lower: string, dictionary: ReadonlySet<string>, most: number): ReadonlyArray<string> | null => {
  if (dictionary.has(lower)) return [lower]
  if (most === 1) return null
  for (let at = lower.length - 3; at >= 3; at -= 1) {
    const head = lower.slice(0, at)
    const tail = dictionary.has(head) ? apart(lower.slice(at), dictionary, most - 1) : null
    if (tail !== null) return [head, ...tail]
  }
  return null
}

const readPiece = (piece: string, parts: Array<string>, dictionary: ReadonlySet<string>): void => {
  const lower = piece.toLowerCase()
  if (piece !== lower && piece !== piece.toUpperCase()) {
    for (const word of lowerWords(piece)) parts.push(word)
  } else if (/\d/.test(lower) && /[a-z]/.test(lower)) {
    for (const word of mixed(lower)) parts.push(word)
  } else {
    for (const word of (lower.length >= shortestCompound ? apart(lower, dictionary, 3) : null) ?? [lower])
      parts.push(word)
  }
}

const readChunk = (chunk: string, dictionary: ReadonlySet<string>): Reading => {
  if (unspaced.test(chunk)) return { parts: bigrams(chunk), whole: null }
  const plain = chunk.replace(/'(s|S|t|m|re|ve|ll|d)$/, "").replace(/'/g, "")
  const raw: Array<string> = []
  for (const piece of plain.split(/[_&-]/)) if (piece !== "") readPiece(piece, raw, dictionary)
  const joined = plain.replace(/[_&-]/g, "").toLowerCase()
  const parts: Array<string> = []
  for (const word of raw) {
    if (!functionWords.has(word) && (word.length > 1 || raw.length === 1)) parts.push(stemOf(word))
  }
  const compound = raw.length > 1 && raw.length <= 3 && joined.length <= 24 && joined !== raw[0]
  const whole = compound ? stemOf(joined) : null
  return parts.length === 0 && whole === null ? nothing : { parts, whole }
}

/** Reads chunks. While a catalog is read it remembers all that it has seen, later those of the last questions. */
export class Analyzer {
  private seen: Map<string, Reading> | null = new Map<string, Reading>()
  private readonly readAsked: (chunk: string) => Reading
  constructor(private readonly dictionary: ReadonlySet<string> = new Set()) {
    this.readAsked = remembering((chunk) => readChunk(chunk, dictionary))
  }

  read(chunk: string): Reading {
    const { seen } = this
    if (seen === null) return this.readAsked(chunk)
    const known = seen.get(chunk)
    if (known !== undefined) return known
    const reading = readChunk(chunk, this.dictionary)
    if (seen.size < mostRemembered) seen.set(chunk, reading)
    return reading
  }

  /** Every chunk read so far, as it was written. */
  remembered(): Iterable<readonly [string, Reading]> {
    return this.seen ?? []
  }

  /** The catalog is read: what queries say has no bound, and is remembered within one. */
  forget(): void {
    this.seen = null
  }
}
