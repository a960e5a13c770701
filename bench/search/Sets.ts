// What the search is measured on: operations and questions with labels. One set belongs to the repository: the built-in
// catalog and questions written for it. Public benchmarks are read from a data folder, those of them that it has.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { importLines } from "../../src/layers/catalog/import/ImportJsonl.js"
import { documentOf } from "../../src/layers/catalog/Revision.js"
import type { SearchDocument } from "../../src/layers/catalog/search/SearchDocument.js"
import type { CatalogContent } from "../../src/services/CatalogPublisher.js"
import { type BenchQuery, documentOfLine, readLines, readQueries } from "./Data.js"

export interface BenchSet {
  readonly id: string
  readonly title: string
  readonly queries: ReadonlyArray<BenchQuery>
  /** Operations in the form of an import; the built-in ones are not among them. */
  readonly lines: ReadonlyArray<string>
  readonly builtIn: CatalogContent["endpoints"]
}

const published = [
  { id: "stabletoolbench", title: "StableToolBench", questions: "stabletoolbench-queries.jsonl" },
  { id: "toole", title: "ToolE, single tool", questions: "toole-queries.jsonl", group: "single" },
  { id: "toollens", title: "ToolLens", questions: "toollens-train-queries.jsonl" }
]

/** The public benchmarks of a data folder. */
export const publishedSets = (data: string): ReadonlyArray<BenchSet> =>
  published.flatMap(({ group, id, questions, title }) => {
    const operations = join(data, "search-bench", `${id}-operations.jsonl.gz`)
    const labelled = join(data, "search-bench", questions)
    return existsSync(operations) && existsSync(labelled)
      ? [{ id, title, lines: readLines(operations), queries: readQueries(labelled, group), builtIn: [] }]
      : []
  })

/** What is published for a set, and the same as plain BM25 reads it. */
export interface Loaded {
  readonly content: CatalogContent
  readonly documents: ReadonlyArray<SearchDocument>
}

/** The operations of a set and others beside them; the jobs of the built-in catalog are always there. */
export const load = async (
  jobs: CatalogContent["jobs"],
  { builtIn, lines }: Pick<BenchSet, "builtIn" | "lines">,
  others: ReadonlyArray<string>
): Promise<Loaded> => {
  const all = [...lines, ...others]
  const { endpoints } = await Effect.runPromise(importLines(all))
  const jobsById = new Map<string, (typeof jobs)[number]>(jobs.map((job) => [job.id, job]))
  const own = builtIn.map((endpoint) => documentOf(endpoint, jobsById.get(endpoint.operation.job ?? "") ?? null))
  return { content: { jobs, endpoints: [...builtIn, ...endpoints] }, documents: [...own, ...all.map(documentOfLine)] }
}
