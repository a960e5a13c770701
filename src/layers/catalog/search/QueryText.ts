// Takes a query apart: sentences and clauses, and in each the words that name the subject. What people wrap a request
// in is dropped unless nothing else is left. It knows no index; terms are looked up where this is used.
import { cutText } from "../../../domain/Characters.js"
import { type Analyzer, chunksOf, fold, type Reading, wordCountOf } from "./Analyzer.js"
import type { Spelling } from "./Spelling.js"
import { functionWords, requestWords, weakWords } from "./WordClasses.js"

/** Another way to read a word that is probably misspelled. */
export interface Respelling {
  readonly reading: Reading
  /** 0 to 1. */
  readonly trust: number
}

export interface QueryWord {
  /** As it was probably meant, like `reading`. */
  readonly text: string
  readonly reading: Reading
  /** The likely meanings of a misspelled word, the first being `reading`; none when it is read as it was typed. */
  readonly respellings: ReadonlyArray<Respelling>
  /** Verbs of asking and words every operation has. */
  readonly weak: boolean
  readonly numeric: boolean
  /** The question says it in another language. */
  readonly translated: boolean
  /** Follows the word before it in the list directly, with nothing dropped between. */
  readonly adjacent: boolean
}

export interface QueryClause {
  readonly words: ReadonlyArray<QueryWord>
  /** Stems of the words that only wrap the request. They find nothing, and tell apart what the others found. */
  readonly wrapping: ReadonlyArray<string>
}

const longestQuery = 4_000
/** One sign can stand for eighteen letters, and be four words. */
const longestFolded = 2_000
/** Each clause costs a pass over the catalog; what follows is read as one. */
const mostClauses = 12
const sentenceEnd = /[.!?]+(?=\s|$)|[;\n\r]+|\s[-–—]\s/
const isRequest = (lower: string): boolean => functionWords.has(lower) || requestWords.has(lower)

interface Reader {
  readonly analyzer: Analyzer
  readonly translated: ReadonlySet<string>
  readonly correct: Corrector
}

/** What gives the words that were probably meant by a lower-case one. */
export type Corrector = Spelling["correct"]

const asTyped: Corrector = () => []

interface Spelled {
  readonly chunk: string
  readonly respellings: ReadonlyArray<Respelling>
}

const isCorrected = /^[A-Z]?[a-z]{3,}$|^[A-Z]{4,}$/

/**
 * A chunk as it was probably meant. Words written with capitals inside are names, and three letters with a capital an
 * abbreviation or a name: they are left as they are.
 */
const spelled = (chunk: string, analyzer: Analyzer, correct: Corrector): Spelled => {
  if (isCorrected.test(chunk)) {
    const corrections = correct(chunk)
    const respellings = corrections.map(({ trust, word }) => ({ reading: analyzer.read(word), trust }))
    return { chunk: corrections[0]?.word ?? chunk, respellings }
  }
  // Of a compound each word is corrected by itself.
  let trust = 1
  const meant = chunk.replace(/[a-z]{4,}/g, (word) => {
    const [best] = correct(word)
    trust = Math.min(trust, best?.trust ?? 1)
    return best?.word ?? word
  })
  return { chunk: meant, respellings: meant === chunk ? [] : [{ reading: analyzer.read(meant), trust }] }
}

/** A text with each misspelled word as it was probably meant. */
export const correctedText = (text: string, correct: Corrector): string =>
  text.replace(/[\p{L}\p{N}'’_&-]+/gu, (chunk) =>
    isCorrected.test(chunk) ? (correct(chunk)[0]?.word ?? chunk) : chunk
  )

const clauseOf = (sentence: string, { analyzer, correct, translated }: Reader, keepRequests: boolean): QueryClause => {
  const words: Array<QueryWord> = []
  const wrapping: Array<string> = []
  let gap = true
  for (const typed of chunksOf(sentence)) {
    const { chunk, respellings } = spelled(typed, analyzer, correct)
    const lower = chunk.toLowerCase().replace(/'/g, "")
    const weak = weakWords.has(lower) || (keepRequests && requestWords.has(lower))
    if (functionWords.has(lower) || (!weak && isRequest(lower))) {
      gap = true
      if (!functionWords.has(lower)) wrapping.push(...analyzer.read(chunk).parts)
      continue
    }
    const reading = analyzer.read(chunk)
    if (reading.parts.length === 0 && reading.whole === null) continue
    words.push({
      text: lower,
      reading,
      respellings,
      weak,
      numeric: /^\d+$/.test(lower),
      translated: translated.has(lower),
      adjacent: !gap
    })
    gap = false
  }
  return { words, wrapping }
}

const take = (text: string, reader: Reader, keepRequests: boolean): ReadonlyArray<QueryClause> => {
  const clauses: Array<QueryClause> = []
  for (const sentence of text.split(sentenceEnd)) {
    const clause = clauseOf(sentence, reader, keepRequests)
    const last = clauses[mostClauses - 1]
    if (last !== undefined)
      clauses[mostClauses - 1] = {
        words: [...last.words, ...clause.words],
        wrapping: [...last.wrapping, ...clause.wrapping]
      }
    else if (clause.words.length > 0) clauses.push(clause)
  }
  return clauses
}

/** From this many words on, of whatever kind, a query counts as natural language and is never answered with nothing. */
const naturalWords = 3
export const isNatural = (query: string): boolean => wordCountOf(cutText(query, longestQuery)) >= naturalWords

const none: ReadonlySet<string> = new Set()

/**
 * The clauses of a query, in order; empty when the text has nothing but signs and words that say nothing. `translated`
 * are the words that stand for words of another language; `correct` tells what a misspelled word means.
 */
export const clausesOf = (
  query: string,
  analyzer: Analyzer,
  translated: ReadonlySet<string> = none,
  correct: Corrector = asTyped
): ReadonlyArray<QueryClause> => {
  const text = cutText(fold(cutText(query, longestQuery)), longestFolded)
  const reader = { analyzer, translated, correct }
  for (const keepRequests of [false, true]) {
    const clauses = take(text, reader, keepRequests)
    if (clauses.length > 0) return clauses
  }
  return []
}
