// How good and how fast the catalog search is, through `Catalog.search` as the route calls it (import, revision, order
// of business, rows). Quality: on questions with labels, beside plain BM25 and beside the version before; the command
// fails when a set falls (bench/README.md). Speed: at 40,000 operations, beside plain BM25 on the same.
// Usage: npm run bench:search -- [--data DIR] [--fast] [--sets a,b] [--release] [--record]
import { join } from "node:path"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Logger, LogLevel } from "effect"
import { noFilter, type SearchAnswer } from "../src/domain/CatalogSearch.js"
import { readCatalog } from "../src/layers/catalog/CatalogFiles.js"
import type { SearchDocument } from "../src/layers/catalog/search/SearchDocument.js"
import { readVocabulary } from "../src/layers/catalog/VocabularyFiles.js"
import { generatedLines } from "./catalog/Generated.js"
import { optionsOf } from "./Options.js"
import { quantile } from "./Quantiles.js"
import { fingerprintOf, readBaseline, record, recordedGains, recordOf } from "./search/Baseline.js"
import { type BenchQuery, dataFolder, readLines } from "./search/Data.js"
import { type Difference, differences } from "./search/Differences.js"
import { printLanguages } from "./search/Languages.js"
import {
  gainsOf,
  mean,
  measure,
  type MetricName,
  metricNames,
  type PerQuestion,
  type Ranker
} from "./search/Metrics.js"
import { misspelled } from "./search/Misspelled.js"
import { gradedOwnQuestions, questionFiles } from "./search/OwnQuestions.js"
import { plainBm25 } from "./search/PlainBm25.js"
import { servedCatalog, viewer } from "./search/Served.js"
import { type BenchSet, load, type Loaded, publishedSets } from "./search/Sets.js"

const given = optionsOf({ values: ["data", "sets"], flags: ["fast", "release", "record"] })
const options = {
  /** Without distractors and without times. */
  fast: given.has("fast"),
  sets: given.text("sets"),
  /** With the questions that are kept apart. */
  release: given.has("release"),
  record: given.has("record")
}
const data = dataFolder(given.text("data"))
const vocabulary = await Effect.runPromise(Effect.provide(readVocabulary("catalog"), NodeContext.layer))
const builtIn = await Effect.runPromise(Effect.provide(readCatalog(["catalog"]), NodeContext.layer))
const { jobs } = builtIn
const baseline = readBaseline()
const fresh: Record<string, ReturnType<typeof recordOf>> = {}
const failures: Array<string> = []

/** The measures that the verdict is about; the others are printed. */
const judged: ReadonlyArray<MetricName> = ["NDCG@1", "NDCG@5"]
/** Points that a set may lose to the version before, and by typos. */
const mayFall = 1
const mayLoseByTypos = 3
/** Sums in another order differ by less than this. */
const rounding = 1e-9

const row = (label: string, cell: (name: MetricName) => string): void =>
  console.log(
    `  ${label.padEnd(22)}${metricNames
      .map((name) => cell(name).padEnd(22))
      .join("")
      .trimEnd()}`
  )
const figures = (label: string, quality: PerQuestion): void => row(label, (name) => mean(quality[name]).toFixed(1))
const signed = (value: number): string => value.toFixed(1).replace(/^(?!-)/, "+")
const interval = ({ high, low, points }: Difference): string => `${signed(points)} [${signed(low)}, ${signed(high)}]`

/** Notes a failure for each judged measure that falls by more than `allowed` points. */
const judge = (
  title: string,
  than: string,
  found: Readonly<Record<MetricName, Difference>>,
  allowed: number,
  names = judged
): void => {
  row(`beside ${than}`, (name) => interval(found[name]))
  for (const name of names) {
    if (found[name].points >= -allowed - rounding) continue
    const chance = found[name].high >= -allowed ? " (its interval reaches what is allowed)" : ""
    failures.push(
      `${title}: ${name} ${interval(found[name])} beside ${than}, at least ${signed(-allowed)} is allowed${chance}`
    )
  }
}

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
  return `p50 ${quantile(times, 0.5).toFixed(2)} ms, p95 ${quantile(times, 0.95).toFixed(2)}, p99 ${quantile(times, 0.99).toFixed(2)}, ${Math.round((1000 * times.length) / total)}/s, CPU ${cpu.toFixed(2)} ms each`
}

const gc = globalThis.gc
const memory = (): number => {
  for (let round = 0; round < 3; round += 1) gc?.()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
}

/** The first rows for a query. */
type Rows = (query: string) => SearchAnswer["endpoints"]

/** Publishes the operations and gives the search that the route would do. */
const rowsOf = async ({ content }: Pick<Loaded, "content">): Promise<Rows> => {
  const before = memory()
  const start = performance.now()
  const catalog = await Effect.runPromise(
    servedCatalog(content, vocabulary).pipe(Logger.withMinimumLogLevel(LogLevel.Warning))
  )
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  const grown = memory() - before
  // A small catalog takes less than what else changes meanwhile.
  const kept = gc === undefined || grown < 1 ? "" : `, ${grown.toFixed(0)} MB with their contracts`
  console.log(`  ${content.endpoints.length} operations published in ${seconds} s${kept}`)
  return (query) =>
    Effect.runSync(catalog.search({ ...noFilter, q: query, limit: 10, offset: 0, prefer: "balanced" }, viewer))
      .endpoints
}

const serve = async (loaded: Loaded): Promise<Ranker> => {
  const rows = await rowsOf(loaded)
  return (query) => rows(query).map(({ endpointId }) => endpointId)
}

/** Questions in other languages, over the operations that the repository brings. */
const languages = async (): Promise<void> => {
  console.log("\n== Questions in other languages over the built-in catalog, without the fixtures")
  const endpoints = builtIn.endpoints.filter(({ provider }) => !provider.mock)
  const rows = await rowsOf({ content: { jobs, endpoints } })
  const jobsOf = (question: string) => rows(question).map(({ capability }) => capability ?? null)
  failures.push(...printLanguages(jobsOf, options.release))
}

/** Prints one way of asking, judges it and gives its figures. */
const compare = (
  id: string,
  title: string,
  fingerprint: string,
  queries: ReadonlyArray<BenchQuery>,
  rank: Ranker,
  plain: Ranker
): PerQuestion => {
  console.log(title)
  row("", (name) => name)
  const gains = gainsOf(queries, rank)
  const now = measure(queries, gains)
  const bm25 = measure(queries, gainsOf(queries, plain))
  const recorded = recordedGains(baseline, id, fingerprint)
  fresh[id] = recordOf(fingerprint, gains)
  figures("this search", now)
  figures("plain BM25", bm25)
  if (recorded !== undefined) figures("version before", measure(queries, recorded))
  judge(title, "plain BM25", differences(now, bm25), 0)
  if (recorded !== undefined) judge(title, "version before", differences(now, measure(queries, recorded)), mayFall)
  else if (!options.record) failures.push(`${title}: no figures of the version before; they are recorded with --record`)
  return now
}

const quality = async (set: BenchSet, others: ReadonlyArray<string>): Promise<void> => {
  const among = others.length > 0
  const title = `${set.title}${among ? ` among ${others.length} others` : ""}`
  const loaded = await load(jobs, set, others)
  console.log(`\n== ${title}: ${set.queries.length} questions`)
  const rank = await serve(loaded)
  const plain = plainBm25(loaded.documents)
  const id = `${set.id}${among ? "+others" : ""}`
  const fingerprint = fingerprintOf(
    [...set.lines, ...others, ...set.builtIn.map(({ operation }) => operation.id)],
    set.queries
  )
  const spelled = compare(id, title, fingerprint, set.queries, rank, plain)
  const typed = compare(`${id}~typos`, `${title}, misspelled`, fingerprint, set.queries.map(misspelled), rank, plain)
  judge(`${title}, misspelled`, "spelled right", differences(typed, spelled), mayLoseByTypos, ["NDCG@5"])
  if (!options.fast)
    console.log(
      `  as asked: ${timed(
        rank,
        set.queries.slice(0, 500).map(({ query }) => query)
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
  console.log(`\n== ${title}`)
  const loaded = await load(jobs, { lines, builtIn: [] }, [])
  const rank = await serve(loaded)
  const short = shortQueries(loaded.documents)
  console.log(`  short queries: ${timed(rank, short)}`)
  console.log(`  plain BM25:    ${timed(plainBm25(loaded.documents), short)}`)
  if (long.length > 0) console.log(`  long queries:  ${timed(rank, long)}`)
}

const own = (id: string, title: string, file: string): BenchSet => ({
  id,
  title,
  queries: gradedOwnQuestions(file, builtIn),
  lines: [],
  builtIn: builtIn.endpoints
})
const known = [
  own("own", "Built-in catalog", questionFiles.shown),
  ...(options.release ? [own("own-held-out", "Built-in catalog, held out", questionFiles.heldOut)] : []),
  ...(data === undefined ? [] : publishedSets(data))
]
const wanted = options.sets?.split(",")
const names = [...known.map(({ id }) => id), "languages"]
const unknown = wanted?.filter((id) => !names.includes(id)) ?? []
if (unknown.length > 0) throw new Error(`--sets: there is no set ${unknown.join(", ")}; there are ${names.join(", ")}`)
const sets = known.filter(({ id }) => wanted?.includes(id) ?? true)
if (data === undefined) console.log("The public benchmarks are measured with --data DIR (bench/README.md)")
if (wanted?.includes("languages") ?? true) await languages()
for (const set of sets) await quality(set, [])
if (!options.fast) {
  if (data === undefined) await speed("Speed at 40,000 generated operations", generatedLines(40_000), [])
  else {
    const long = sets.find(({ id }) => id === "stabletoolbench")?.queries ?? []
    await speed(
      "Speed at 40,000 operations",
      readLines(join(data, "operations-40k.jsonl.gz")),
      long.map(({ query }) => query)
    )
    const others = readLines(join(data, "operations-93k.jsonl.gz"))
    for (const set of sets) await quality(set, others)
  }
}

if (options.record) record(fresh)
console.log("")
for (const failure of failures) console.log(`FALLS: ${failure}`)
if (failures.length === 0) console.log("No set falls below plain BM25 or behind the version before.")
process.exitCode = failures.length === 0 ? 0 : 1
