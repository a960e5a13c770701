// Ranking measures over graded labels, per question and in percent. What an answer is worth is kept as its gains: the
// label of each of the ten operations it shows, in order; every measure is computed from those.
import type { BenchQuery } from "./Data.js"

/** Endpoint ids of the ten best for a query, best first. */
export type Ranker = (query: string) => ReadonlyArray<string>

export const depth = 10

/** Labels of the operations shown, best first, at most ten; 0 for one that has no label. */
export type Gains = ReadonlyArray<number>

export const metricNames = ["NDCG@1", "NDCG@5", "NDCG@10", "Recall@10"] as const
export type MetricName = (typeof metricNames)[number]

/** Of each measure, one value from 0 to 100 for each question. */
export type PerQuestion = Readonly<Record<MetricName, Float64Array>>

const discount = (rank: number): number => 1 / Math.log2(rank + 2)

const ndcg = (gains: Gains, ideal: Gains, to: number): number => {
  let got = 0
  let best = 0
  for (let rank = 0; rank < to; rank += 1) {
    got += (gains[rank] ?? 0) * discount(rank)
    best += (ideal[rank] ?? 0) * discount(rank)
  }
  return (100 * got) / best
}

export const gainsOf = (queries: ReadonlyArray<BenchQuery>, rank: Ranker): ReadonlyArray<Gains> =>
  queries.map(({ query, relevant }) =>
    rank(query)
      .slice(0, depth)
      .map((id) => relevant.get(id) ?? 0)
  )

export const measure = (queries: ReadonlyArray<BenchQuery>, gains: ReadonlyArray<Gains>): PerQuestion => {
  const ideals = queries.map(({ relevant }) => Array.from(relevant.values()).sort((a, b) => b - a))
  const each = (value: (gains: Gains, ideal: Gains) => number): Float64Array =>
    Float64Array.from(gains, (got, at) => value(got, ideals[at]!))
  return {
    "NDCG@1": each((got, ideal) => ndcg(got, ideal, 1)),
    "NDCG@5": each((got, ideal) => ndcg(got, ideal, 5)),
    "NDCG@10": each((got, ideal) => ndcg(got, ideal, 10)),
    "Recall@10": each((got, ideal) => (100 * got.filter((gain) => gain > 0).length) / ideal.length)
  }
}

export const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length
