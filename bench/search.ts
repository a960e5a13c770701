// Speed of the catalog search at 40,000 operations, through `Catalog.search` as the route calls it (import, revision,
// order of business, rows), beside plain BM25 on the same operations. Quality needs questions that people have
// labelled: with --data, three public benchmarks. Usage: npm run bench:search -- [--data DIR]
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { Effect, Logger, LogLevel, Schema } from "effect"
import { parse } from "yaml"
import { noFilter } from "../src/domain/CatalogView.js"
import { importLines } from "../src/layers/catalog/import/ImportJsonl.js"
import { readCatalog } from "../src/layers/catalog/CatalogFiles.js"
import type { SearchDocument } from "../src/layers/catalog/search/SearchDocument.js"
import { VocabularyFile } from "../src/layers/catalog/search/Vocabulary.js"
import { generatedLines } from "./catalog/Generated.js"
import { type BenchQuery, dataFolder, documentOfLine, readLines, readQueries } from "./search/Data.js"
import { measure, type Quality, type Ranker } from "./search/Metrics.js"
import { plainBm25 } from "./search/PlainBm25.js"
import { servedCatalog, viewer } from "./search/Served.js"

const data = dataFolder(process.argv)
const vocabulary = Schema.decodeUnknownSync(VocabularyFile)(parse(readFileSync("catalog/vocabulary.yaml", "utf8")))
const { jobs } = await Effect.runPromise(Effect.provide(readCatalog(["catalog"]), NodeContext.layer))
const gc = globalThis.gc

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
const quality = (label: string, { ndcg1, ndcg10, ndcg5, recall10 }: Quality): void =>
  console.log(
    `  ${label.padEnd(14)} NDCG@1 ${ndcg1.toFixed(1)}  @5 ${ndcg5.toFixed(1)}  @10 ${ndcg10.toFixed(1)}  Recall@10 ${recall10.toFixed(1)}`
  )

const timed = (rank: Ranker, queries: ReadonlyArray<string>): string => {
  // The last ones, which are forgotten again when it is their turn: what is timed is searching, not remembering.
  for (const query of queries.slice(-200)) rank(query)
  const before = process.cpuUsage()
  const times = queries
    .map((query) => {
      const start = performance.now()
      rank(query)
      return performance.now() - start
    })
    .sort((a, b) => a - b)
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

/** Publishes the operations, beside the jobs that every catalog has, and gives the search that the route would do. */
const serve = async (lines: ReadonlyArray<string>): Promise<Ranker> => {
  const before = memory()
  const { endpoints } = await Effect.runPromise(importLines(lines))
  const start = performance.now()
  const catalog = await Effect.runPromise(
    servedCatalog({ jobs, endpoints }, vocabulary).pipe(Logger.withMinimumLogLevel(LogLevel.Warning))
  )
  console.log(
    `  ${endpoints.length} operations published in ${((performance.now() - start) / 1000).toFixed(1)} s${gc === undefined ? "" : `, ${(memory() - before).toFixed(0)} MB with their contracts`}`
  )
  return (query) =>
    Effect.runSync(
      catalog.search({ ...noFilter, q: query, limit: 10, offset: 0, prefer: "balanced" }, viewer)
    ).endpoints.map(({ endpointId }) => endpointId)
}

const compare = async (
  title: string,
  lines: ReadonlyArray<string>,
  queries: ReadonlyArray<BenchQuery>
): Promise<void> => {
  const documents = lines.map(documentOfLine)
  console.log(`${title}: ${documents.length} operations, ${queries.length} queries`)
  const rank = await serve(lines)
  quality("this search", measure(queries, rank))
  quality("plain BM25", measure(queries, plainBm25(documents)))
  console.log(
    `  queries as asked: ${timed(
      rank,
      queries.map((query) => query.query)
    )}`
  )
}

/** Short queries as people type them: two or three words of the names of random operations. */
const shortQueries = (documents: ReadonlyArray<SearchDocument>): ReadonlyArray<string> =>
  Array.from({ length: 2_000 }, (_, at) => {
    const name = documents[(at * 7_919) % documents.length]!.name.split(/\s+/)
    return name.slice(0, 2 + (at % 2)).join(" ")
  })

const speed = async (title: string, lines: ReadonlyArray<string>, long: ReadonlyArray<string>): Promise<void> => {
  console.log(title)
  const rank = await serve(lines)
  const documents = lines.map(documentOfLine)
  const short = shortQueries(documents)
  console.log(`  short queries: ${timed(rank, short)}`)
  console.log(`  plain BM25:    ${timed(plainBm25(documents), short)}`)
  if (long.length > 0) console.log(`  long queries:  ${timed(rank, long)}`)
}

if (data === undefined) {
  await speed("Speed at 40,000 generated operations", generatedLines(40_000), [])
  console.log("Quality is measured with --data DIR (bench/README.md)")
} else {
  const bench = join(data, "search-bench")
  const operations = (set: string) => readLines(join(bench, `${set}-operations.jsonl.gz`))
  const stable = {
    title: "StableToolBench",
    lines: operations("stabletoolbench"),
    queries: readQueries(join(bench, "stabletoolbench-queries.jsonl"))
  }
  const sets = [
    stable,
    {
      title: "ToolE, single tool",
      lines: operations("toole"),
      queries: readQueries(join(bench, "toole-queries.jsonl")).filter((query) => query.group === "single")
    },
    {
      title: "ToolLens",
      lines: operations("toollens"),
      queries: readQueries(join(bench, "toollens-train-queries.jsonl"))
    }
  ]
  for (const { lines, queries, title } of sets) await compare(title, lines, queries)
  await speed(
    "Speed at 40,000 operations",
    readLines(join(data, "operations-40k.jsonl.gz")),
    stable.queries.map((query) => query.query)
  )
  const others = readLines(join(data, "operations-93k.jsonl.gz"))
  for (const { lines, queries, title } of sets)
    await compare(`${title} among distractors`, [...lines, ...others], queries)
}
