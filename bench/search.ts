// Quality and speed of the catalog search on two public benchmarks, through the index the catalog route searches, beside
// plain BM25 on the same operations. Usage: npm run bench:search -- [--data DIR]
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { parse } from "yaml"
import type { SearchDocument } from "../src/layers/search/Document.js"
import { SearchIndex } from "../src/layers/search/SearchIndex.js"
import { VocabularyFile } from "../src/layers/search/Vocabulary.js"
import { type BenchQuery, dataFolder, readDocuments, readQueries } from "./search/Data.js"
import { measure, type Quality, type Ranker } from "./search/Metrics.js"
import { plainBm25 } from "./search/PlainBm25.js"

const data = dataFolder(process.argv)
const bench = join(data, "search-bench")
const vocabulary = Schema.decodeUnknownSync(VocabularyFile)(parse(readFileSync("catalog/vocabulary.yaml", "utf8")))
const gc = globalThis.gc

const percentile = (sorted: ReadonlyArray<number>, share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
const quality = (label: string, { ndcg1, ndcg10, ndcg5, recall10 }: Quality): void =>
  console.log(`  ${label.padEnd(14)} NDCG@1 ${ndcg1.toFixed(1)}  @5 ${ndcg5.toFixed(1)}  @10 ${ndcg10.toFixed(1)}  Recall@10 ${recall10.toFixed(1)}`)

const timed = (rank: Ranker, queries: ReadonlyArray<string>): string => {
  for (const query of queries.slice(0, 200)) rank(query)
  const before = process.cpuUsage()
  const times = queries.map((query) => {
    const start = performance.now()
    rank(query)
    return performance.now() - start
  }).sort((a, b) => a - b)
  const used = process.cpuUsage(before)
  const cpu = (used.user + used.system) / 1000 / times.length
  const total = times.reduce((sum, time) => sum + time, 0)
  return `p50 ${percentile(times, 0.5).toFixed(2)} ms, p95 ${percentile(times, 0.95).toFixed(2)}, p99 ${percentile(times, 0.99).toFixed(2)}, ${Math.round((1000 * times.length) / total)}/s, CPU ${cpu.toFixed(2)} ms each`
}

const memory = (): number => {
  for (let round = 0; round < 3; round += 1) gc?.()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
}

const build = async (documents: ReadonlyArray<SearchDocument>): Promise<SearchIndex> => {
  const before = memory()
  let longest = 0
  let last = performance.now()
  const watch = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 1)
  const start = performance.now()
  const index = await Effect.runPromise(SearchIndex.buildSliced(documents, vocabulary))
  const seconds = (performance.now() - start) / 1000
  clearInterval(watch)
  console.log(`  build ${seconds.toFixed(1)} s in slices, longest wait ${longest.toFixed(0)} ms${gc === undefined ? "" : `, index ${(memory() - before).toFixed(0)} MB`}`)
  return index
}

const ranker = (index: SearchIndex, documents: ReadonlyArray<SearchDocument>): Ranker => (query) =>
  index.search(query, { limit: 10 }).hits.map((hit) => documents[hit.doc]!.endpointId)

const compare = async (title: string, documents: ReadonlyArray<SearchDocument>, queries: ReadonlyArray<BenchQuery>): Promise<void> => {
  console.log(`${title}: ${documents.length} operations, ${queries.length} queries`)
  const rank = ranker(await build(documents), documents)
  quality("this search", measure(queries, rank))
  quality("plain BM25", measure(queries, plainBm25(documents)))
  console.log(`  queries as asked: ${timed(rank, queries.map((query) => query.query))}`)
}

/** Short queries as people type them: two or three words of the names of random operations. */
const shortQueries = (documents: ReadonlyArray<SearchDocument>): ReadonlyArray<string> =>
  Array.from({ length: 2_000 }, (_, at) => {
    const name = documents[(at * 7_919) % documents.length]!.name.split(/\s+/)
    return name.slice(0, 2 + (at % 2)).join(" ")
  })

const stable = { documents: readDocuments(join(bench, "stabletoolbench-operations.jsonl.gz")), queries: readQueries(join(bench, "stabletoolbench-queries.jsonl")) }
await compare("StableToolBench", stable.documents, stable.queries)
const toolE = { documents: readDocuments(join(bench, "toole-operations.jsonl.gz")), queries: readQueries(join(bench, "toole-queries.jsonl")).filter((query) => query.group === "single") }
await compare("ToolE, single tool", toolE.documents, toolE.queries)

const forty = readDocuments(join(data, "operations-40k.jsonl.gz"))
console.log(`Speed at ${forty.length} operations`)
const fortyRank = ranker(await build(forty), forty)
console.log(`  short queries: ${timed(fortyRank, shortQueries(forty))}`)
console.log(`  long queries:  ${timed(fortyRank, stable.queries.map((query) => query.query))}`)

const large = stable.documents.concat(readDocuments(join(data, "operations-93k.jsonl.gz")))
await compare("StableToolBench among distractors", large, stable.queries)
