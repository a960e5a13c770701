// Imports operations in a flat shape, one JSON object a line: {endpointId, providerId, providerName, name, description,
// method, baseUrl, path, parameters [{name, in, type, required, description}], category, tags?, auth?, deprecated?,
// parametersOmitted?}. A line that is not such an object is reported and left out. Members beyond this shape are
// ignored.
import { gunzipSync } from "node:zlib"
import * as FileSystem from "@effect/platform/FileSystem"
import type { PlatformError } from "@effect/platform/Error"
import { Effect, Either, Option, Schema } from "effect"
import type { Json, JsonObject } from "../../../domain/Json.js"
import type { Endpoint, Place } from "../../../domain/Manifest.js"
import { type ImportedAuth, type ImportedOperation, OperationImporter } from "./ImportedOperation.js"
import { type Imported, ReportBuilder } from "./ImportReport.js"
import { forEachInSlices } from "../../node/LongWork.js"

const text = Schema.optionalWith(Schema.String, { default: () => "" })
const Row = Schema.Struct({
  endpointId: Schema.NonEmptyString,
  providerId: Schema.NonEmptyString,
  providerName: text,
  name: text,
  description: text,
  method: Schema.optionalWith(Schema.String, { default: () => "GET" }),
  baseUrl: text,
  path: text,
  parameters: Schema.optionalWith(
    Schema.Array(
      Schema.Struct({
        name: Schema.String,
        in: text,
        type: text,
        required: Schema.optionalWith(Schema.Boolean, { default: () => false }),
        description: text
      })
    ),
    { default: () => [] }
  ),
  category: text,
  tags: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  auth: Schema.optionalWith(Schema.Array(Schema.Struct({ type: Schema.String, in: text, name: text, scheme: text })), {
    default: () => []
  }),
  deprecated: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  parametersOmitted: Schema.optionalWith(Schema.Unknown, { default: () => null })
})
type Row = typeof Row.Type
const decodeRow = Schema.decodeUnknownEither(Row)

const types: ReadonlySet<string> = new Set(["string", "integer", "number", "boolean", "array", "object"])
const places = new Map<string, typeof Place.Type>([
  ["path", "path"],
  ["query", "query"],
  ["header", "header"],
  ["body", "json"],
  ["formData", "form"]
])

const schemaOf = ({ description, type }: Row["parameters"][number]): JsonObject => ({
  ...(types.has(type) ? { type } : {}),
  ...(description === "" ? {} : { description })
})

/** Chooses, among several kinds of key, the one that asks least of the customer. */
const authOf = (ways: Row["auth"], id: string, report: ReportBuilder): ImportedAuth => {
  const found = ways
    .map((way): readonly [number, ImportedAuth] => {
      const scheme = way.scheme.toLowerCase()
      if (way.type === "apiKey" && way.in === "header" && way.name !== "")
        return [0, { type: "header", name: way.name }]
      if (way.type === "http" && scheme === "bearer") return [1, { type: "bearer" }]
      if (way.type === "apiKey" && way.in === "query" && way.name !== "") return [2, { type: "query", name: way.name }]
      if (way.type === "http" && scheme === "basic") return [3, { type: "basic" }]
      if (way.type === "oauth2" || way.type === "openIdConnect") return [4, { type: "bearer" }]
      return [
        5,
        {
          type: "unsupported",
          placement: [way.type, way.in || way.scheme].filter((part) => part !== "").join(" ") || "unknown"
        }
      ]
    })
    .sort(([a], [b]) => a - b)
  const [best] = found
  if (best === undefined) return { type: "none" }
  if (best[0] === 4) report.note("changed", id, "OAuth 2, for which a connection must hold an access token")
  return best[1]
}

const operationOf = (row: Row, report: ReportBuilder): ImportedOperation => {
  const { endpointId } = row
  if (row.parametersOmitted !== null) report.note("changed", endpointId, "parameters that its source left out")
  return {
    id: endpointId,
    providerId: row.providerId,
    providerName: row.providerName,
    name: row.name,
    description: row.description,
    method: row.method,
    baseUrl: row.baseUrl,
    path: row.path,
    fields: row.parameters.map((parameter) => ({
      name: parameter.name,
      place: places.get(parameter.in) ?? null,
      required: parameter.required,
      schema: schemaOf(parameter)
    })),
    category: row.category,
    tags: row.tags,
    auth: authOf(row.auth, endpointId, report),
    facts: row.deprecated ? { deprecated: "by its provider" } : {}
  }
}

const parse = (line: string): Option.Option<Json> => Either.getRight(Either.try((): Json => JSON.parse(line)))

/** Imports lines, in slices. After every thousand lines, `progress` is told how many were read. */
export const importLines = (
  lines: ReadonlyArray<string>,
  progress: (read: number) => void = () => undefined
): Effect.Effect<Imported> =>
  Effect.gen(function* () {
    const report = new ReportBuilder()
    const importer = new OperationImporter(report)
    const endpoints: Array<Endpoint> = []
    let read = 0
    yield* forEachInSlices(lines.length, (at) => {
      const line = lines[at] ?? ""
      if (line.trim() === "") return
      read += 1
      if (read % 1000 === 0) progress(read)
      const row = Option.map(parse(line), decodeRow)
      if (Option.isNone(row)) return report.note("skipped", `line ${at + 1}`, "a line that is not JSON")
      if (Either.isLeft(row.value))
        return report.note(
          "skipped",
          `line ${at + 1}`,
          "a line without endpointId and providerId, or with fields of other types"
        )
      const endpoint = importer.take(operationOf(row.value.right, report))
      if (endpoint !== null) endpoints.push(endpoint)
    })
    return { endpoints, report: report.done(read, endpoints.length) }
  })

/** Imports a file; a file whose name ends in `.gz` is decompressed. */
export const importJsonl = (
  file: string,
  progress?: (read: number) => void
): Effect.Effect<Imported, PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const bytes = yield* files.readFile(file)
    const content = file.endsWith(".gz") ? gunzipSync(bytes) : Buffer.from(bytes)
    return yield* importLines(content.toString("utf8").split("\n"), progress)
  })
