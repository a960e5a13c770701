// Imports operations in a flat shape, one JSON object a line, as `docs/imports.md` describes it. A line that is no such
// object is reported and left out. Members beyond this shape are ignored.
import { gunzipSync } from "node:zlib"
import * as FileSystem from "@effect/platform/FileSystem"
import type { PlatformError } from "@effect/platform/Error"
import { Effect, Either, Option, ParseResult, Schema } from "effect"
import type { Json, JsonObject } from "../../../domain/Json.js"
import type { Endpoint, Place } from "../../../domain/Manifest.js"
import { type ImportedAuth, type ImportedOperation, OperationImporter } from "./ImportedOperation.js"
import { type Imported, ReportBuilder } from "./ImportReport.js"
import { forEachInSlices } from "../../node/LongWork.js"

const must = (be: string) => ({ message: () => `must be ${be}` })
const Text = Schema.String.annotations(must("text"))
const text = Schema.optionalWith(Text, { default: () => "" })
const Id = Text.pipe(Schema.minLength(1, must("text that is not empty")))
const flag = Schema.optionalWith(Schema.Boolean.annotations(must("true or false")), { default: () => false })
const listOf = <A, I>(item: Schema.Schema<A, I>, of: string) =>
  Schema.optionalWith(Schema.Array(item).annotations(must(`a list of ${of}`)), { default: () => [] })

export const Row = Schema.Struct({
  endpointId: Id,
  providerId: Id,
  providerName: text,
  name: text,
  description: text,
  method: Schema.optionalWith(Text, { default: () => "GET" }),
  baseUrl: text,
  path: text,
  parameters: listOf(Schema.Struct({ name: Text, in: text, type: text, required: flag, description: text }), "objects"),
  category: text,
  tags: listOf(Text, "texts"),
  auth: listOf(Schema.Struct({ type: Text, in: text, name: text, scheme: text }), "objects"),
  deprecated: flag,
  parametersOmitted: Schema.optionalWith(Schema.Unknown, { default: () => null })
})
type Row = typeof Row.Type
const decodeRow = Schema.decodeUnknownEither(Row)

/** What is wrong with a line that is JSON. Lines with the same mistake, at whatever place of a list, have one note. */
const rowProblem = (error: ParseResult.ParseError): string => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  const names = issue?.path.filter((step) => typeof step !== "number").map(String) ?? []
  if (issue === undefined || names.length === 0) return "a line that is no JSON object"
  // Only the objects of a list have no message of their own.
  const message = /^(?:must be|is missing)/.test(issue.message) ? issue.message : "must be a list of objects"
  return `a line whose field ${names.join(".")} ${message}`
}

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
      if (Either.isLeft(row.value)) return report.note("skipped", `line ${at + 1}`, rowProblem(row.value.left))
      const endpoint = importer.take(operationOf(row.value.right, report))
      if (endpoint !== null) endpoints.push(endpoint)
    })
    return { endpoints, report: report.done(read, endpoints.length) }
  })

const gzipMagic = Buffer.from([0x1f, 0x8b])

/** Left: why it cannot be unpacked. */
const unpacked = (bytes: Buffer): Either.Either<Buffer, string> =>
  bytes.subarray(0, gzipMagic.length).equals(gzipMagic)
    ? Either.try({
        try: () => gunzipSync(bytes),
        catch: () => "a gzip file that is cut off or damaged: pack it again"
      })
    : Either.left("a file that is not gzip although its name ends in .gz: pack it with gzip, or rename it")

/** Imports a file; a file whose name ends in `.gz` is decompressed. */
export const importJsonl = (
  file: string,
  progress?: (read: number) => void
): Effect.Effect<Imported, PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const bytes = Buffer.from(yield* files.readFile(file))
    const content = file.endsWith(".gz") ? unpacked(bytes) : Either.right(bytes)
    if (Either.isRight(content)) return yield* importLines(content.right.toString("utf8").split("\n"), progress)
    const report = new ReportBuilder()
    report.note("skipped", file, content.left)
    return { endpoints: [], report: report.done(0, 0) }
  })
