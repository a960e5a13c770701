/**
 * Imports OpenAPI 3 and Swagger 2 documents (JSON or YAML): every operation becomes an endpoint, or the report says why
 * not. The result can be published as it is, or written out as manifests to be edited (`ManifestWriting.ts`).
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import { Effect, Either, Option } from "effect"
import { join } from "node:path"
import type { JsonObject } from "../../../domain/Json.js"
import type { Endpoint } from "../../../domain/Manifest.js"
import { member } from "../../../domain/Members.js"
import { runInSlices } from "../../../services/Slices.js"
import { OperationImporter } from "./ImportedOperation.js"
import { type Imported, ReportBuilder } from "./ImportReport.js"
import { bundle, fileReader, type ReadFile } from "./OpenApiFiles.js"
import { importedId, operationOf } from "./OpenApiOperations.js"
import { entriesOf, operationMethods, textOf, unreadable, versionOf } from "./OpenApiParts.js"
import { type Reading, readingOf } from "./OpenApiReading.js"
import { resolved } from "./OpenApiSchemas.js"
import { scopesIn } from "./OpenApiSecurity.js"
import { upgradedFromSwagger } from "./SwaggerTwo.js"

export interface OpenApiDocument {
  readonly file: string
  readonly text: string
}

/** The document as OpenAPI 3. */
const asVersion3 = (document: JsonObject, file: string, report: ReportBuilder): Either.Either<JsonObject, string> => {
  if (/^2(?:\.|$)/.test(versionOf(document["swagger"])))
    return upgradedFromSwagger(document, (effect, subject, message) =>
      report.note(effect, `${file} ${subject}`, message)
    )
  return /^3(?:\.|$)/.test(versionOf(document["openapi"]))
    ? Either.right(document)
    : Either.left("a document that is neither OpenAPI 3 nor Swagger 2")
}

/** An operation of a document, with what its path says for all of its operations. */
interface Found {
  readonly path: string
  readonly item: JsonObject
  readonly method: string
  readonly operation: JsonObject
}

const operationsIn = ({ document, file, report }: Reading): ReadonlyArray<Found> =>
  entriesOf(document["paths"]).flatMap(([path, value]) => {
    if (path.startsWith("x-")) return []
    const item = resolved(document, value)
    if (item === null) {
      report.note("skipped", `${file} ${path}`, unreadable("a path", value))
      return []
    }
    return operationMethods.flatMap((method): ReadonlyArray<Found> => {
      const written = member(item, method)
      if (written === undefined) return []
      const operation = resolved(document, written)
      if (operation !== null) return [{ path, item, method, operation }]
      report.note("skipped", `${file} ${method} ${path}`, unreadable("an operation", written))
      return []
    })
  })

/** Of which operations endpoints are made, and the id of their provider when it is not that of the document. */
interface Wanted {
  /** `ofHost`: the id that the document itself gives to the provider. */
  readonly choose: (found: ReadonlyArray<Found>, ofHost: string) => ReadonlyArray<Found>
  readonly providerId?: string
}

const everything: Wanted = { choose: (found) => found }

// At the top level: V8 keeps a generator function that is made inside another one.
function* takeEach(
  wanted: ReadonlyArray<Found>,
  reading: Reading,
  importer: OperationImporter,
  into: Array<Endpoint>
): Generator<void> {
  for (const { item, method, operation, path } of wanted) {
    const described = operationOf(reading, path, item, method, operation)
    const endpoint = described === null ? null : importer.take(described)
    if (endpoint !== null) into.push(endpoint)
    yield
  }
}

type Progress = (file: string, operations: number) => void

const importFrom = (
  files: ReadonlyArray<string>,
  readFile: ReadFile,
  progress: Progress,
  { choose, providerId }: Wanted = everything
): Effect.Effect<Imported> =>
  Effect.gen(function* () {
    const report = new ReportBuilder()
    const importer = new OperationImporter(report)
    const endpoints: Array<Endpoint> = []
    let found = 0
    for (const file of files) {
      const before = endpoints.length
      const bundled = yield* bundle(file, readFile)
      if (Either.isRight(bundled))
        for (const problem of bundled.right.problems) report.note("changed", file, `could not follow ${problem}`)
      const document = Either.flatMap(bundled, (each) => asVersion3(each.document, file, report))
      if (Either.isLeft(document)) {
        report.note("skipped", file, document.left)
        continue
      }
      const read = readingOf(document.right, report, file)
      if (document.right["webhooks"] !== undefined) report.note("changed", file, "left out webhooks")
      const operations = operationsIn(read)
      if (operations.length === 0) report.note("skipped", file, "a document without operations")
      const wanted = choose(operations, read.providerId)
      const reading: Reading = {
        ...read,
        providerId: providerId ?? read.providerId,
        scopes: scopesIn(
          document.right,
          wanted.map(({ operation }) => operation)
        )
      }
      found += wanted.length
      yield* runInSlices(() => takeEach(wanted, reading, importer, endpoints))
      const manifests = new Set(endpoints.slice(before).map(({ provider }) => provider)).size
      if (manifests > 1)
        report.note(
          "changed",
          file,
          `is described by ${manifests} manifests, because its operations have several addresses or keys`
        )
      progress(file, endpoints.length - before)
    }
    return { endpoints, report: report.done(found, endpoints.length) }
  })

/**
 * Imports documents one by one; `progress` is told of each. They may refer to each other by their file names.
 * Operations that cannot be expressed are left out and reported.
 */
export const importOpenApi = (
  documents: ReadonlyArray<OpenApiDocument>,
  progress: Progress = () => undefined
): Effect.Effect<Imported> => {
  const texts = new Map(documents.map(({ file, text }) => [join(file), text]))
  return importFrom(
    documents.map(({ file }) => file),
    (file) => Effect.succeed(Option.fromNullable(texts.get(file))),
    progress
  )
}

/**
 * Reads the files and those that they refer to, and imports them. A file that cannot be read is reported. `providerId`
 * stands for the id that a document gives to its provider.
 */
export const importOpenApiFiles = (
  files: ReadonlyArray<string>,
  progress: Progress = () => undefined,
  providerId?: string
): Effect.Effect<Imported, never, FileSystem.FileSystem> =>
  Effect.flatMap(fileReader, (read) =>
    importFrom(files, read, progress, providerId === undefined ? everything : { ...everything, providerId })
  )

/** Some operations of a document, and the names of all that it has. */
export interface ImportedNamed extends Imported {
  readonly names: ReadonlyArray<string>
}

/** The operations of a name: those that are spelled so, else the one that is but for its case. */
const named = <A extends { readonly names: ReadonlyArray<string> }>(all: ReadonlyArray<A>, name: string) => {
  const exact = all.filter(({ names }) => names.includes(name))
  if (exact.length > 0) return exact
  const lower = name.toLowerCase()
  const alike = all.filter(({ names }) => names.some((each) => each.toLowerCase() === lower))
  // Names of a document may differ in their case alone. Which of them is meant is not guessed.
  return alike.length === 1 ? alike : []
}

/**
 * Imports the operations of a file that are named by their operationId, by method and path, such as `GET /pets`, or by
 * the id that an import gives them.
 */
export const importNamedOperations = (
  file: string,
  wanted: ReadonlyArray<string>,
  providerId?: string
): Effect.Effect<ImportedNamed, never, FileSystem.FileSystem> => {
  return Effect.flatMap(fileReader, (read) => {
    const names: Array<string> = []
    const imported = importFrom([file], read, () => undefined, {
      choose: (found, ofHost) => {
        const all = found.map((each) => {
          const { method, operation, path } = each
          const byPath = `${method.toUpperCase()} ${path}`
          const said = textOf(operation["operationId"])
          names.push(said || byPath)
          const ids = [ofHost, providerId ?? ofHost].map((id) => importedId(id, method, path, operation))
          // Without a name of its own, an operation must not be taken by an empty one.
          return { each, names: [...(said === "" ? [] : [said]), byPath, `${method} ${path}`, ...ids] }
        })
        const chosen = new Set(wanted.flatMap((name) => named(all, name)))
        return all.flatMap((one) => (chosen.has(one) ? [one.each] : []))
      },
      ...(providerId === undefined ? {} : { providerId })
    })
    return Effect.map(imported, (found): ImportedNamed => ({ ...found, names }))
  })
}
