// Reads the benchmark data: operations as search documents, and queries with their labels.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import type { SearchDocument } from "../../src/layers/catalog/search/Document.js"

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

export interface BenchQuery {
  readonly queryId: string
  readonly group: string
  readonly query: string
  readonly relevant: ReadonlyArray<string>
}

export const readLines = (file: string): ReadonlyArray<string> => {
  const bytes = readFileSync(file)
  return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
}

export const documentOf = (row: OperationRow): SearchDocument => ({
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

export const readDocuments = (file: string): ReadonlyArray<SearchDocument> =>
  readLines(file).map((line) => documentOf(JSON.parse(line) as OperationRow))

export const readQueries = (file: string): ReadonlyArray<BenchQuery> =>
  readLines(file).map((line) => JSON.parse(line) as BenchQuery)

/** The data folder: `--data DIR`, the environment, or beside the repository. */
export const dataFolder = (args: ReadonlyArray<string>): string => {
  const at = args.indexOf("--data")
  const folder =
    (at >= 0 ? args[at + 1] : undefined) ?? process.env["GATEWAY_DATA"] ?? join(process.cwd(), "..", "shared", "data")
  if (!existsSync(folder)) throw new Error(`No data at ${folder}: pass --data DIR`)
  return folder
}
