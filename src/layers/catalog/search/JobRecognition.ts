/**
 * Finds the jobs that a query asks for. A job has phrases: its id, its title and those of the vocabulary. The query
 * asks for a job when it says at least three quarters of one of them, by weight. Jobs that the vocabulary does not know
 * have only their id and title.
 */
import { type Analyzer, stemOf } from "./Analyzer.js"
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

export interface JobFinder {
  /** `stems` with the trust in each: 1 for what is said, less for what is only related. */
  readonly find: (stems: ReadonlyMap<string, number>) => ReadonlyArray<JobMatch>
}

/** `own` gives the jobs of the catalog with their titles. */
export const jobFinder = (vocabulary: Vocabulary, own: ReadonlyMap<string, string>, analyzer: Analyzer): JobFinder => {
  const listed: Array<{ readonly job: string; readonly stems: ReadonlyArray<string> }> = []
  const list = (job: string, stems: ReadonlyArray<string>): void => {
    listed.push({ job, stems: Array.from(new Set(stems)).filter((stem) => !askingStems.has(stem)) })
  }
  for (const job of vocabulary.jobs) for (const stems of job.phrases) list(job.id, stems)
  for (const [job, title] of own) for (const text of [job, title]) list(job, stemsOf(text, analyzer))
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
    find: (stems) => {
      let saidStems = 0
      for (const trust of stems.values()) if (trust === 1) saidStems += 1
      const said = new Map<number, number>()
      for (const [stem, trust] of stems) {
        const found = phrasesWith.get(stem)
        if (found !== undefined)
          for (const number of found.numbers) said.set(number, (said.get(number) ?? 0) + trust * found.weight)
      }
      const best = new Map<string, number>()
      for (const [number, mass] of said) {
        const phrase = phrases[number]
        if (phrase === undefined) continue
        const share = mass / phrase.mass
        if (share < enough - rounding || (phrase.single && saidStems > fewStems)) continue
        const match = phrase.single ? share * singleTrust : share
        if (match > (best.get(phrase.job) ?? 0)) best.set(phrase.job, match)
      }
      return Array.from(best, ([id, match]) => ({ id, match }))
        .sort((a, b) => b.match - a.match || (a.id < b.id ? -1 : 1))
        .slice(0, most)
    }
  }
}
