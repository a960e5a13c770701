// What somebody meant who typed a word that the catalog does not know: words of the catalog, of the vocabulary and of
// everyday requests that become equal to it when at most one letter of each is left out, weighed by how often they are
// used and how likely the slip is. A word that the catalog knows is never corrected, however rare it is. The words are
// bytes and the buckets are typed arrays; both are built in steps.
import { type Analyzer, stemOf } from "./Analyzer.js"
import type { IndexData } from "./IndexData.js"
import { u32, u8 } from "../../node/IntegerArrays.js"
import { documentFrequency } from "./Postings.js"
import { remembering } from "./Remembering.js"
import { typoLikelihood } from "./Typos.js"
import { functionWords, irregularForms, requestWords, weakWords } from "./WordClasses.js"

const shortest = 4
/** A letter of the shortest word may be left out. */
const shortestTyped = shortest - 1
const longest = 16
/** Shorter words that nobody writes are mostly names and abbreviations. */
const shortestOther = 5
const most = 3

/** A word that was probably meant. */
export interface Correction {
  readonly word: string
  /** 0 to 1. */
  readonly trust: number
}

export interface Spelling {
  /** The words that were probably meant, the likeliest first, at most three; none when it is read as it stands. */
  readonly correct: (word: string) => ReadonlyArray<Correction>
  /** Whether a word is written like this somewhere. Of less than 4 and more than 16 letters it is not known: true. */
  readonly isWritten: (word: string) => boolean
}

const none: ReadonlyArray<Correction> = []
const lettersOnly = (word: string, from: number): boolean =>
  word.length >= from && word.length <= longest && /^[a-z]+$/.test(word)
const eligible = (word: string): boolean => lettersOnly(word, shortest)
const slice = 2_000

/** Words around a request are more frequent in questions than any subject. */
const requestUses = (size: number): number => 20 + size / 4

/** The words of a catalog as it writes them, of the vocabulary, and of everyday requests. */
export function* spellingWords(
  analyzer: Analyzer,
  data: IndexData,
  dictionary: ReadonlySet<string>
): Generator<void, ReadonlyMap<string, number>> {
  const uses = new Map<string, number>()
  const usesOf = (stem: string | undefined): number => {
    const term = stem === undefined ? undefined : data.terms.get(stem)
    return term === undefined ? 0 : documentFrequency(data.operations, term)
  }
  for (const words of [functionWords, requestWords, weakWords])
    for (const word of words) if (eligible(word)) uses.set(word, requestUses(data.size))
  const written = new Set<string>()
  let count = 0
  for (const [chunk, { parts, whole }] of analyzer.remembered()) {
    count += 1
    if (count % slice === 0) yield
    const word = chunk.toLowerCase()
    const stem = parts.length === 1 ? parts[0] : (whole ?? undefined)
    if (stem === undefined || !eligible(word) || uses.has(word)) continue
    written.add(stem)
    uses.set(word, usesOf(stem))
  }
  // Words that stand in compounds only are known by their stems.
  for (const [term, stem] of data.termTexts.entries()) {
    if (term % slice === 0) yield
    if (eligible(stem) && !written.has(stem) && !uses.has(stem)) uses.set(stem, usesOf(stem))
  }
  for (const word of [...dictionary, ...irregularForms.keys()])
    if (eligible(word) && !uses.has(word)) uses.set(word, usesOf(stemOf(word)))
  return uses
}

/** Hash of a word with the letter at `without` left out (-1 leaves none out). */
const hashOf = (letters: ArrayLike<number>, from: number, to: number, without: number): number => {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at += 1) {
    if (at - from !== without) hash = Math.imul(hash ^ (letters[at] ?? 0), 0x01000193)
  }
  return hash >>> 0
}

/** From this share of the likeliest on, another word is considered too. */
const leastShare = 0.1
/** What a doubled, swapped, forgotten or neighbouring letter has at least. */
const commonSlip = 0.5
/** How far a correction is trusted, by letters: nearly every short word has another beside it. */
const trustOfLength = (length: number): number => (length <= 3 ? 0.5 : length === 4 ? 0.8 : length === 5 ? 0.95 : 1)

/** A word in a form that nobody writes, with a typing error: two guesses. */
const trustOfStem = 0.6

interface Near {
  readonly word: string
  readonly likelihood: number
}
const likeliestFirst = (a: Near, b: Near): number => b.likelihood - a.likelihood || (a.word < b.word ? -1 : 1)

export interface SpellingWords {
  /** Of each word, in how many operations it stands. */
  readonly uses: ReadonlyMap<string, number>
  /** Stems of other English words, which stand in none. */
  readonly others: ReadonlyArray<string>
  /** What is right is never corrected. */
  readonly isRight: (word: string) => boolean
}

export function* buildSpelling({ isRight, others, uses }: SpellingWords): Generator<void, Spelling> {
  const written = uses.size
  const words = [...uses, ...others.flatMap((word) => (eligible(word) && !uses.has(word) ? [[word, 0] as const] : []))]
  const count = words.length
  const starts = new Uint32Array(count + 1)
  const frequencies = new Uint32Array(count)
  let total = 0
  for (const [word] of words) total += word.length
  yield
  const letters = new Uint8Array(total)
  let number = 0
  let end = 0
  for (const [word, frequency] of words) {
    for (let at = 0; at < word.length; at += 1) letters[end + at] = word.charCodeAt(at)
    end += word.length
    frequencies[number] = frequency
    number += 1
    starts[number] = end
    if (number % slice === 0) yield
  }
  const bits = Math.max(10, Math.min(20, Math.ceil(Math.log2(count * 4 + 1))))
  const mask = (1 << bits) - 1
  const begin = new Uint32Array(mask + 3)
  const eachHash = function* (visit: (word: number, bucket: number) => void): Generator<void> {
    for (let word = 0; word < count; word += 1) {
      const from = u32(starts, word)
      const to = u32(starts, word + 1)
      for (let without = -1; without < to - from; without += 1) visit(word, hashOf(letters, from, to, without) & mask)
      if (word % slice === slice - 1) yield
    }
  }
  yield* eachHash((_, bucket) => {
    begin[bucket + 2] = u32(begin, bucket + 2) + 1
  })
  for (let bucket = 2; bucket < begin.length; bucket += 1) begin[bucket] = u32(begin, bucket) + u32(begin, bucket - 1)
  yield
  const items = new Uint32Array(u32(begin, mask + 2))
  yield* eachHash((word, bucket) => {
    const position = u32(begin, bucket + 1)
    items[position] = word
    begin[bucket + 1] = position + 1
  })
  const textOf = (word: number): string => {
    let text = ""
    for (let at = u32(starts, word); at < u32(starts, word + 1); at += 1) text += String.fromCharCode(u8(letters, at))
    return text
  }
  /** The words near to one. Those that are only known, and not written, are asked for by the commonest slips alone. */
  const near = (typed: string, mayBeOther: boolean): ReadonlyArray<Near> => {
    const codes = Array.from(typed, (letter) => letter.charCodeAt(0))
    const seen = new Set<number>()
    const found: Array<Near> = []
    for (let without = -1; without < codes.length; without += 1) {
      const bucket = hashOf(codes, 0, codes.length, without) & mask
      for (let at = u32(begin, bucket); at < u32(begin, bucket + 1); at += 1) {
        const candidate = u32(items, at)
        if (seen.has(candidate)) continue
        seen.add(candidate)
        const word = textOf(candidate)
        const likelihood = word === typed ? 0 : typoLikelihood(typed, word)
        const least = candidate < written ? 0 : mayBeOther ? commonSlip : Infinity
        if (likelihood > 0 && likelihood >= least)
          found.push({ word, likelihood: likelihood * (u32(frequencies, candidate) + 1) })
      }
    }
    return found.sort(likeliestFirst)
  }
  /** Forms of one word find the same: together they are as likely as all of them. */
  const oneOfEachStem = (words: ReadonlyArray<Near>): ReadonlyArray<Near> => {
    const byStem = new Map<string, Near>()
    for (const { likelihood, word } of words) {
      const stem = stemOf(word)
      const known = byStem.get(stem)
      byStem.set(stem, { word: known?.word ?? word, likelihood: (known?.likelihood ?? 0) + likelihood })
    }
    return Array.from(byStem.values()).sort(likeliestFirst)
  }
  const correct = (asTyped: string): ReadonlyArray<Correction> => {
    const typed = asTyped.toLowerCase()
    if (!lettersOnly(typed, shortestTyped) || isRight(typed)) return none
    // With a capital it may be a name, and no word at all.
    const mayBeOther = typed === asTyped && typed.length >= shortestOther
    const stem = stemOf(typed)
    const nearWords = near(typed, mayBeOther)
    const isByStem = nearWords.length === 0 && stem !== typed && stem.length >= shortest
    const found = oneOfEachStem(isByStem ? near(stem, mayBeOther) : nearWords)
    const best = found[0]?.likelihood ?? 0
    const kept = found.filter(({ likelihood }) => likelihood >= leastShare * best).slice(0, most)
    const all = kept.reduce((sum, { likelihood }) => sum + likelihood, 0)
    const trust = trustOfLength(typed.length) * (isByStem ? trustOfStem : 1)
    return kept.map(({ likelihood, word }) => ({ word, trust: trust * Math.sqrt(likelihood / all) }))
  }
  const isWritten = (word: string): boolean => {
    if (!eligible(word)) return true
    const codes = Array.from(word, (letter) => letter.charCodeAt(0))
    const bucket = hashOf(codes, 0, codes.length, -1) & mask
    for (let at = u32(begin, bucket); at < u32(begin, bucket + 1); at += 1)
      if (u32(items, at) < written && textOf(u32(items, at)) === word) return true
    return false
  }
  return { correct: remembering(correct), isWritten }
}
