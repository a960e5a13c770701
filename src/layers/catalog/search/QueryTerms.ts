/**
 * From the words of a query to weighted terms of one index. Each word becomes a list of alternatives: the word itself,
 * its synonyms, its likely spelling. Only the best alternative counts, so that a document that says one thing in two
 * ways is not scored twice for it.
 */
import { stemOf } from "./Analyzer.js"
import type { IndexData } from "./IndexData.js"
import { f32 } from "../../node/IntegerArrays.js"
import type { QueryClause, QueryWord } from "./QueryText.js"
import type { Tuning } from "./Tuning.js"
import type { Vocabulary } from "./Vocabulary.js"

export interface Alternative {
  readonly term: number
  /** Importance of the word times the trust in this alternative. */
  readonly weight: number
}

export interface SearchWord {
  /** The first `said` are the word itself, or what it probably means when it is misspelled; the vocabulary's follow. */
  readonly alternatives: ReadonlyArray<Alternative>
  readonly said: number
  /** The first is the word as it was typed. */
  readonly own: boolean
  /** The question says it in another language. */
  readonly translated?: boolean
}

export interface SearchClause {
  readonly words: ReadonlyArray<SearchWord>
}

export interface Resolver {
  readonly data: IndexData
  readonly vocabulary: Vocabulary
  readonly tuning: Tuning
}

/** A word said more often than this adds nothing but work. */
const mostRepeats = 3

const rarity = (data: IndexData, term: number): number => f32(data.rarity, term)

const none: ReadonlyArray<Alternative> = []

/**
 * Alternatives from the vocabulary for one word or a phrase; `limit` keeps a rare synonym from outweighing its word.
 */
const expansions = (resolver: Resolver, key: string, factor: number, limit: number): ReadonlyArray<Alternative> => {
  const { data, tuning, vocabulary } = resolver
  const known = vocabulary.expansions.get(key)
  if (known === undefined) return none
  const found: Array<Alternative> = []
  const seen = new Set<number>()
  for (const { same, stems } of known) {
    const trust = (factor * (same ? tuning.synonym : tuning.related)) / stems.length
    for (const stem of stems) {
      const term = data.terms.get(stem)
      if (term === undefined || seen.has(term)) continue
      seen.add(term)
      found.push({ term, weight: trust * Math.min(rarity(data, term), limit) })
    }
  }
  return found
}

/** What a stem of the query stands for in this index; `trust` tells how likely a misspelled word means it. */
const single = (resolver: Resolver, stem: string, factor: number, trust: number | null): SearchWord | null => {
  const { data, tuning } = resolver
  const term = data.terms.get(stem)
  const weight = factor * (trust ?? 1)
  if (term !== undefined) {
    const worth = rarity(data, term)
    const others = expansions(resolver, stem, weight * tuning.knownWord, worth).filter((other) => other.term !== term)
    return { alternatives: [{ term, weight: weight * worth }, ...others], said: 1, own: trust === null }
  }
  const others = expansions(resolver, stem, weight, Infinity)
  return others.length === 0 ? null : { alternatives: others, said: 0, own: false }
}

/** One word that means all of what a misspelled one may mean. */
const joinedWord = (words: ReadonlyArray<SearchWord>): SearchWord | null => {
  const said = words.flatMap((word) => word.alternatives.slice(0, word.said))
  const added = words.flatMap((word) => word.alternatives.slice(word.said))
  return words.length === 0 ? null : { alternatives: [...said, ...added], said: said.length, own: false }
}

/** A misspelled word that may mean several: each of them by its single stem, or by its whole. */
const misspelled = (resolver: Resolver, { respellings }: QueryWord, factor: number): SearchWord | null =>
  joinedWord(
    respellings.flatMap(({ reading: { parts, whole }, trust }) => {
      const stem = parts.length === 1 ? parts[0] : (whole ?? undefined)
      return (stem === undefined ? null : single(resolver, stem, factor, trust)) ?? []
    })
  )

const factorOf = (word: QueryWord, tuning: Tuning): number =>
  (word.weak ? tuning.weakWord : 1) * (word.numeric ? tuning.number : 1)

/** Phrases of two or three neighbours that the vocabulary knows. */
const phrasesAt = (resolver: Resolver, words: ReadonlyArray<QueryWord>, at: number): ReadonlyArray<SearchWord> => {
  const found: Array<SearchWord> = []
  for (const length of [2, 3]) {
    const span = words.slice(at, at + length)
    if (span.length < length || !span.slice(1).every((word) => word.adjacent)) continue
    const alternatives = expansions(resolver, span.flatMap((word) => word.reading.parts).join(" "), 1, Infinity)
    if (alternatives.length > 0) found.push({ alternatives, said: 0, own: false })
  }
  return found
}

/** What the vocabulary adds is toned down: in long queries, when several words bring it, and when it is said anyway. */
const temper = (clauses: ReadonlyArray<SearchClause>, tuning: Tuning): ReadonlyArray<SearchClause> => {
  const said = new Set<number>()
  let ownWords = 0
  for (const { words } of clauses) {
    for (const word of words) {
      if (word.said === 0) continue
      ownWords += 1
      said.add(word.alternatives[0]?.term ?? -1)
    }
  }
  const byLength = Math.min(1, tuning.shortQuery / Math.max(1, ownWords)) ** 2
  const uses = new Map<number, number>()
  const toned = ({ term, weight }: Alternative): Alternative => {
    if (said.has(term)) return { term, weight: weight * byLength * tuning.saidExpansion }
    const before = uses.get(term) ?? 0
    uses.set(term, before + 1)
    return { term, weight: weight * byLength * tuning.repeatedExpansion ** before }
  }
  return clauses.map(({ words }) => ({
    words: words.map((word) => ({
      ...word,
      alternatives: word.alternatives.map((alternative, at) => (at < word.said ? alternative : toned(alternative)))
    }))
  }))
}

/** The clauses as weighted terms. Words the index knows nothing of are left out, and clauses of only such words. */
export const resolve = (resolver: Resolver, clauses: ReadonlyArray<QueryClause>): ReadonlyArray<SearchClause> => {
  const { data, tuning, vocabulary } = resolver
  const said = new Map<string, number>()
  const out: Array<SearchClause> = []
  for (const clause of clauses) {
    const words: Array<SearchWord> = []
    const push = (
      stem: string,
      factor: number,
      translated: boolean,
      find: (factor: number) => SearchWord | null
    ): void => {
      const times = said.get(stem) ?? 0
      said.set(stem, times + 1)
      if (times > mostRepeats) return
      const word = find(times === 0 ? factor : factor * tuning.repeat)
      if (word !== null) words.push(translated ? { ...word, translated } : word)
    }
    for (const [at, word] of clause.words.entries()) {
      const factor = factorOf(word, tuning)
      const { translated } = word
      const { parts, whole } = word.reading
      const [best] = word.respellings
      const trust = best?.trust ?? null
      const pushStem = (stem: string, weight: number): void =>
        push(stem, weight, translated, (weighed) => single(resolver, stem, weighed, trust))
      if (word.respellings.length > 1)
        push(word.text, factor, translated, (weighed) => misspelled(resolver, word, weighed))
      else {
        const wholeKnown = whole !== null && (data.terms.has(whole) || vocabulary.expansions.has(whole))
        if (wholeKnown) pushStem(whole, factor)
        for (const part of parts) pushStem(part, wholeKnown ? factor * tuning.compoundPart : factor)
      }
      const next = clause.words[at + 1]
      if (next?.adjacent !== true || word.numeric || next.numeric) continue
      const joined = stemOf(word.text + next.text)
      if (joined.length >= 5 && data.terms.has(joined))
        pushStem(joined, tuning.joined * Math.max(factor, factorOf(next, tuning)))
      for (const phrase of phrasesAt(resolver, clause.words, at)) words.push(phrase)
    }
    if (words.length > 0) out.push({ words })
  }
  return temper(out, tuning)
}
