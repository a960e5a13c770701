/**
 * Imports OpenAPI 3 documents (JSON or YAML): every operation becomes an endpoint, or the report says why not. The
 * result can be published as it is, or written out as manifests to be edited (`ManifestWriting.ts`).
 */
import { FileSystem } from "@effect/platform"
import { Effect, Either, Schema } from "effect"
import { parseDocument } from "yaml"
import { isObject, Json, type JsonObject } from "../../../domain/Json.js"
import type { Endpoint } from "../../../domain/Manifest.js"
import { member } from "../../../domain/Members.js"
import { nextEventLoopTurn } from "../../node/LongWork.js"
import { OperationImporter } from "./ImportedOperation.js"
import { type Imported, ReportBuilder } from "./ImportReport.js"
import { entriesOf, methods, operationOf, readingOf, textOf } from "./OpenApiOperations.js"
import { resolved } from "./OpenApiSchemas.js"

const isJson = Schema.is(Json)
const parse = (text: string): Either.Either<JsonObject, string> =>
  Either.try({
    try: (): unknown =>
      text.trimStart().startsWith("{")
        ? JSON.parse(text)
        : parseDocument(text, { uniqueKeys: false }).toJS({ maxAliasCount: 1000 }),
    catch: () => "a file that is neither JSON nor YAML"
  }).pipe(
    Either.flatMap((value) =>
      isJson(value) && isObject(value) ? Either.right(value) : Either.left("a file that holds no document")
    )
  )

export interface OpenApiDocument {
  readonly file: string
  readonly text: string
}

/**
 * Imports documents one by one; `progress` is told of each. Operations that cannot be expressed are left out and
 * reported.
 */
export const importOpenApi = (
  documents: ReadonlyArray<OpenApiDocument>,
  progress: (file: string, operations: number) => void = () => undefined
): Effect.Effect<Imported> =>
  Effect.gen(function* () {
    const report = new ReportBuilder()
    const importer = new OperationImporter(report)
    const endpoints: Array<Endpoint> = []
    let read = 0
    for (const { file, text } of documents) {
      yield* nextEventLoopTurn
      const before = endpoints.length
      const parsed = parse(text)
      if (Either.isLeft(parsed)) {
        report.note("skipped", file, parsed.left)
        continue
      }
      const version = textOf(parsed.right["openapi"])
      if (!version.startsWith("3.")) {
        report.note("skipped", file, "a document that is not OpenAPI 3")
        continue
      }
      const reading = readingOf(parsed.right, report, file)
      if (parsed.right["webhooks"] !== undefined) report.note("changed", file, "left out webhooks")
      for (const [path, value] of entriesOf(parsed.right["paths"])) {
        const item = resolved(parsed.right, value)
        if (item === null) {
          report.note("skipped", `${file} ${path}`, "a path whose reference leads nowhere")
          continue
        }
        for (const method of methods) {
          const operation = member(item, method)
          if (!isObject(operation)) continue
          read += 1
          const described = operationOf(reading, path, item, method, operation)
          const endpoint = described === null ? null : importer.take(described)
          if (endpoint !== null) endpoints.push(endpoint)
        }
      }
      progress(file, endpoints.length - before)
    }
    return { endpoints, report: report.done(read, endpoints.length) }
  })

/** Reads the files, then imports them. A file that cannot be read is reported. */
export const importOpenApiFiles = (
  files: ReadonlyArray<string>,
  progress?: (file: string, operations: number) => void
): Effect.Effect<Imported, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const system = yield* FileSystem.FileSystem
    // A file that cannot be read becomes an empty document, and the report says that it could not be read.
    const documents = yield* Effect.forEach(
      files,
      (file) =>
        Effect.map(
          Effect.orElseSucceed(system.readFileString(file), () => ""),
          (text) => ({ file, text })
        ),
      { concurrency: 8 }
    )
    return yield* importOpenApi(documents, progress)
  })
