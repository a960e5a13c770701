// The general vocabulary: words that mean the same, everyday words and what catalogs call their subject, and jobs with
// the ways people ask for them. Compiled to stems once; it holds language, never a query or an operation.
import { Schema } from "effect"
import type { JobValues } from "../../../domain/JobValues.js"
import { type Analyzer, chunksOf, fold } from "./Analyzer.js"
import type { Languages } from "./languages/Languages.js"
import type { WordTable } from "./WordTable.js"

const Words = Schema.Array(Schema.String)

/** catalog/vocabulary.yaml. */
export const VocabularyFile = Schema.Struct({
  /** Each a group of words or short phrases that mean the same. */
  same: Schema.Array(Words),
  /** Each: when the query has one of `when`, also look for `use`. */
  related: Schema.Array(Schema.Struct({ when: Words, use: Words }))
})
export type VocabularyFile = typeof VocabularyFile.Type

/** catalog/asking.yaml: jobs by dotted id, with phrases people ask for them with. */
export const AskingFile = Schema.Record({ key: Schema.String, value: Words })
export type AskingFile = typeof AskingFile.Type

/** All that the search knows of words: those of English, how other languages say them, and what words mean. */
export interface SearchVocabulary extends VocabularyFile {
  readonly asking?: AskingFile
  readonly languages?: Languages
  /** Of jobs, the values that they are about. A job that is not here may be about any. */
  readonly jobValues?: ReadonlyMap<string, JobValues>
  /** Without it meanings are not compared. */
  readonly wordTable?: WordTable | null
}

export interface Expansion {
  readonly stems: ReadonlyArray<string>
  readonly same: boolean
}

export interface VocabularyJob {
  readonly id: string
  /** How people ask for it, as it is written. */
  readonly written: ReadonlyArray<string>
  /** The stems of each. */
  readonly phrases: ReadonlyArray<ReadonlyArray<string>>
}

export interface Vocabulary {
  /** Keyed by the stems of a word or of up to three neighbours, joined by blanks. */
  readonly expansions: ReadonlyMap<string, ReadonlyArray<Expansion>>
  readonly jobs: ReadonlyArray<VocabularyJob>
}

/** The single words of the vocabulary, for telling apart words that are written together. */
export const dictionaryOf = (file: VocabularyFile): ReadonlySet<string> => {
  const texts = [...file.same.flat(), ...file.related.flatMap(({ use, when }) => [...when, ...use])]
  return new Set(texts.flatMap((text) => text.toLowerCase().split(/[^a-z]+/)).filter((word) => word.length >= 3))
}

export const stemsOf = (text: string, analyzer: Analyzer): ReadonlyArray<string> =>
  chunksOf(fold(text)).flatMap((chunk) => {
    const { parts, whole } = analyzer.read(chunk)
    return parts.length > 0 ? parts : whole === null ? [] : [whole]
  })

const slice = 32

/** Compiles it, yielding after at most a few milliseconds of work. */
export function* compileSteps(
  { asking = {}, related, same }: SearchVocabulary,
  analyzer: Analyzer
): Generator<void, Vocabulary> {
  const expansions = new Map<string, Map<string, Expansion>>()
  const add = (from: ReadonlyArray<string>, to: ReadonlyArray<string>, same: boolean): void => {
    const key = from.join(" ")
    const target = to.join(" ")
    if (key === target || key === "" || target === "") return
    const known = expansions.get(key) ?? new Map<string, Expansion>()
    if (same || !known.has(target)) known.set(target, { stems: to, same })
    expansions.set(key, known)
  }
  for (const [at, group] of same.entries()) {
    if (at % slice === slice - 1) yield
    const stems = group.map((word) => stemsOf(word, analyzer))
    for (const from of stems) for (const to of stems) add(from, to, true)
  }
  for (const [at, { use, when }] of related.entries()) {
    if (at % slice === slice - 1) yield
    const targets = use.map((word) => stemsOf(word, analyzer))
    for (const word of when) for (const to of targets) add(stemsOf(word, analyzer), to, false)
  }
  yield
  const jobs: Array<VocabularyJob> = []
  for (const [id, written] of Object.entries(asking)) {
    yield
    jobs.push({
      id,
      written,
      phrases: written.map((phrase) => stemsOf(phrase, analyzer)).filter((phrase) => phrase.length > 0)
    })
  }
  yield
  return { expansions: new Map(Array.from(expansions, ([key, found]) => [key, Array.from(found.values())])), jobs }
}
