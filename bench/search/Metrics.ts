// Ranking measures with binary labels, averaged over queries and given in percent.
import type { BenchQuery } from "./Data.js"

export interface Quality {
  readonly ndcg1: number
  readonly ndcg5: number
  readonly ndcg10: number
  readonly recall10: number
}

const discount = (rank: number): number => 1 / Math.log2(rank + 2)

const ndcg = (ranked: ReadonlyArray<string>, relevant: ReadonlySet<string>, depth: number): number => {
  let gain = 0
  let ideal = 0
  for (let rank = 0; rank < depth; rank += 1) {
    if (relevant.has(ranked[rank] ?? "")) gain += discount(rank)
    if (rank < relevant.size) ideal += discount(rank)
  }
  return gain / ideal
}

/** Endpoint ids of the ten best for a query, best first. */
export type Ranker = (query: string) => ReadonlyArray<string>

export const measure = (queries: ReadonlyArray<BenchQuery>, rank: Ranker): Quality => {
  const sum = { ndcg1: 0, ndcg5: 0, ndcg10: 0, recall10: 0 }
  for (const query of queries) {
    const relevant = new Set(query.relevant)
    const ranked = rank(query.query).slice(0, 10)
    sum.ndcg1 += ndcg(ranked, relevant, 1)
    sum.ndcg5 += ndcg(ranked, relevant, 5)
    sum.ndcg10 += ndcg(ranked, relevant, 10)
    sum.recall10 += ranked.filter((id) => relevant.has(id)).length / relevant.size
  }
  const percent = (value: number): number => (100 * value) / queries.length
  return {
    ndcg1: percent(sum.ndcg1),
    ndcg5: percent(sum.ndcg5),
    ndcg10: percent(sum.ndcg10),
    recall10: percent(sum.recall10)
  }
}
