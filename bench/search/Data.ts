// Reads the benchmark data: operations as search documents, and queries with their labels.
import { existsSync, readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import type { SearchDocument } from "../../src/layers/catalog/search/SearchDocument.js"

interface OperationRow {
  readonly endpointId: string
  readonly providerId: string
  readonly providerName: string
  readonly name: string
  readonly description: string | null
  readonly path?: string
  readonly category?: string
  readonly tags?: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly description?: string | null }>
}

interface QueryRow {
  readonly queryId: string
  readonly group: string
  readonly query: string
  readonly relevant: ReadonlyArray<string>
}

export interface BenchQuery {
  readonly query: string
  /** The operations that answer it, with their grade: higher is better, 1 where all are alike. */
  readonly relevant: ReadonlyMap<string, number>
}

export const readLines = (file: string): ReadonlyArray<string> => {
  const bytes = readFileSync(file)
  return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
}

const documentOf = (row: OperationRow): SearchDocument => ({
  endpointId: row.endpointId,
  provider: row.providerId,
  providerName: row.providerName,
  name: row.name,
  description: row.description ?? "",
  capability: null,
  category: row.category ?? "",
  path: row.path ?? "",
  tags: row.tags ?? [],
  parameters: row.parameters.map((parameter) => ({ name: parameter.name, description: parameter.description ?? "" }))
})

export const documentOfLine = (line: string): SearchDocument => documentOf(JSON.parse(line) as OperationRow)

/** Questions whose labels say only yes or no; of one group, when it is given. */
export const readQueries = (file: string, group?: string): ReadonlyArray<BenchQuery> =>
  readLines(file)
    .map((line) => JSON.parse(line) as QueryRow)
    .filter((row) => group === undefined || row.group === group)
    .map(({ query, relevant }) => ({ query, relevant: new Map(relevant.map((id) => [id, 1])) }))

/** The folder with real operations and labelled queries: as given, or `GATEWAY_DATA`; without it there is none. */
export const dataFolder = (given: string | undefined): string | undefined => {
  const folder = given ?? process.env["GATEWAY_DATA"]
  if (folder !== undefined && !existsSync(folder)) throw new Error(`--data: there is no folder ${folder}`)
  return folder
}
