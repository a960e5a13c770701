/**
 * Finds the jobs that a query asks for. A job has phrases: its id, its title and those of the vocabulary. The query
 * asks for a job when it says at least three quarters of one of them, by weight. Jobs that the vocabulary does not know
 * have only their id and title. At least one word of the phrase must be said: a value alone, such as a domain, is asked
 * about by many jobs, and says none of them.
 */
import { type JobValues, valueFit, type ValueKind } from "../../../domain/JobValues.js"
import { type Analyzer, stemOf } from "./Analyzer.js"
import { jobSentences } from "./JobSentences.js"
import type { QueryValues } from "./ValueWords.js"
import { stemsOf, type Vocabulary } from "./Vocabulary.js"
import { askingVerbs, requestWords } from "./WordClasses.js"

export interface JobMatch {
  readonly id: string
  /** How much of its best phrase the query says, 0 to 1. */
  readonly match: number
}

/** A single word says a job only in a query of few. */
const fewStems = 4
const singleTrust = 0.6

interface Phrase {
  readonly job: string
  readonly single: boolean
  /** What all its stems together weigh. */
  readonly mass: number
}

const enough = 0.75
const most = 5
/** Sums in another order differ by less than this. */
const rounding = 1e-9

const askingStems: ReadonlySet<string> = new Set([...requestWords, ...askingVerbs].map(stemOf))

/** What a question says, for recognising jobs. */
export interface Said {
  /** Stems with the trust in each: 1 for what is said, less for what is only related. */
  readonly stems: ReadonlyMap<string, number>
  /** Those that are only the kind of a value. */
  readonly ofValues: ReadonlySet<string>
  /** The values of the question. */
  readonly values: Pick<QueryValues, "kinds" | "slotted">
}

export interface JobFinder {
  readonly find: (said: Said) => ReadonlyArray<JobMatch>
}

/**
 * Of the jobs that a question with values may mean, those that take its values come before those that take some, and
 * those asked with words.
 */
const wordsTrust = 0.8

/** What is known of the jobs: how people ask for them, and what they are about. */
interface KnownJobs {
  readonly vocabulary: Vocabulary
  readonly values: ReadonlyMap<string, JobValues>
}

/** `own` gives the jobs of the catalog with their titles. */
export const jobFinder = (
  { values, vocabulary }: KnownJobs,
  own: ReadonlyMap<string, string>,
  analyzer: Analyzer
): JobFinder => {
  const listed: Array<{ readonly job: string; readonly stems: ReadonlyArray<string> }> = []
  const list = (job: string, stems: ReadonlyArray<string>): void => {
    listed.push({ job, stems: Array.from(new Set(stems)).filter((stem) => !askingStems.has(stem)) })
  }
  for (const job of vocabulary.jobs) for (const stems of job.phrases) list(job.id, stems)
  for (const [job, title] of own) for (const text of [job, title]) list(job, stemsOf(text, analyzer))
  const sentences = jobSentences(
    vocabulary.jobs.flatMap(({ id, written }) => written.map((phrase) => [id, phrase] as const))
  )
  const fitOf = (id: string, kinds: ReadonlySet<ValueKind>): number => {
    const known = kinds.size === 0 ? undefined : values.get(id)
    if (known === undefined) return 1
    const fit = valueFit(known, kinds)
    return fit === "takes" ? 1 : fit === "refuses" ? 0 : wordsTrust
  }
  const jobsWith = new Map<string, Set<string>>()
  for (const { job, stems } of listed)
    for (const stem of stems) jobsWith.set(stem, (jobsWith.get(stem) ?? new Set()).add(job))
  const jobCount = new Set(listed.map(({ job }) => job)).size
  const rarity = (stem: string): number => Math.log(1 + jobCount / (jobsWith.get(stem)?.size ?? 1))
  const spoken = listed.filter(({ stems }) => stems.length > 0)
  const phrases = spoken.map(({ job, stems }): Phrase => ({
    job,
    single: stems.length === 1,
    mass: stems.reduce((sum, stem) => sum + rarity(stem), 0)
  }))
  /** Of each stem, the phrases that say it. */
  const phrasesWith = new Map<string, { readonly weight: number; readonly numbers: Array<number> }>()
  for (const [number, { stems }] of spoken.entries()) {
    for (const stem of stems) {
      const known = phrasesWith.get(stem)
      if (known === undefined) phrasesWith.set(stem, { weight: rarity(stem), numbers: [number] })
      else known.numbers.push(number)
    }
  }
  return {
    find: ({ ofValues, stems, values: given }) => {
      const said = new Map<number, { mass: number; own: boolean }>()
      let saidStems = 0
      let isValueOnly = true
      for (const [stem, trust] of stems) {
        const own = !ofValues.has(stem)
        if (trust === 1) saidStems += 1
        if (own && !askingStems.has(stem)) isValueOnly = false
        const found = phrasesWith.get(stem)
        if (found === undefined) continue
        for (const number of found.numbers) {
          const known = said.get(number)
          if (known === undefined) said.set(number, { mass: trust * found.weight, own })
          else {
            known.mass += trust * found.weight
            known.own ||= own
          }
        }
      }
      const best = new Map<string, number>()
      for (const id of sentences.find(given.slotted)) best.set(id, 1)
      for (const [number, { mass, own }] of said) {
        const phrase = phrases[number]
        if (phrase === undefined || !(own || isValueOnly)) continue
        const share = mass / phrase.mass
        if (share < enough - rounding || (phrase.single && saidStems > fewStems)) continue
        const match = phrase.single ? share * singleTrust : share
        if (match > (best.get(phrase.job) ?? 0)) best.set(phrase.job, match)
      }
      return Array.from(best, ([id, match]) => ({ id, match: match * fitOf(id, given.kinds) }))
        .filter(({ match }) => match > 0)
        .sort((a, b) => b.match - a.match || (a.id < b.id ? -1 : 1))
        .slice(0, most)
    }
  }
}
