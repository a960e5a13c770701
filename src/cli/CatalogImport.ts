/**
 * `catalog import-openapi` and `import-jsonl`: make manifests of other documents, and write or publish them. What they
 * work with is loaded when it is asked for, so that the other commands need not wait for it.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, type Layer, Option } from "effect"
import { counted } from "../domain/Counted.js"
import type { Imported } from "../layers/catalog/import/ImportReport.js"
import type { Endpoint } from "../domain/Manifest.js"
import type { CatalogRevisions } from "../services/CatalogRevisions.js"
import { carriedOut, dryRun } from "./Announced.js"
import { type Answer, answer, NotUnderstood } from "./Answer.js"
import { idsOf, namesIn } from "./CatalogNames.js"
import { publicationText, publishAs, publishing, underneath } from "./CatalogPublishing.js"
import * as Drafts from "./Drafts.js"
import * as Inputs from "./Inputs.js"

const folder = Options.directory("to").pipe(
  Options.withPseudoName("FOLDER"),
  Options.withDescription(
    "Where to write the manifests, below providers/; only the report is made when it is left out"
  ),
  Options.optional
)

const drafting = { gateway: Drafts.gateway, overwrite: Drafts.overwrite, dryRun }

const nothingWritten =
  "Nothing was written or published: --to FOLDER writes the manifests, --publish add puts them in force"

const reported = ({ endpoints, report }: Imported, files: ReadonlyArray<string>, asked: Asked): Answer => {
  const { imported, notes, read } = report
  const content = { jobs: [], endpoints }
  return {
    ok: imported > 0,
    json: {
      read,
      imported,
      files: files.length,
      operationIds: idsOf(content).operationIds,
      notes: notes.map((note) => ({ ...note }))
    },
    text: [
      `${imported} of ${counted(read, "operation")} imported${files.length === 0 ? "" : ` into ${counted(files.length, "manifest")}`}`,
      ...namesIn(content),
      ...notes.map(
        ({ count, effect, examples, message }) =>
          `  ${effect}: ${message} (${count}: ${examples.join(", ")}${count > examples.length ? ", …" : ""})`
      ),
      ...(Option.isNone(asked.to) && Option.isNone(asked.publish) ? [nothingWritten] : [])
    ].join("\n")
  }
}

/** Progress goes to standard error, and only where a person looks at it. */
const tell = (words: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${words}`)
}

interface Asked {
  readonly to: Option.Option<string>
  readonly publish: Option.Option<"add" | "replace">
  readonly gateway: Option.Option<string>
  readonly overwrite: boolean
  readonly dryRun: boolean
}

/** The check asks of each operation where its documentation is; a flat line may not say so. */
const withProvenance = ({ operation, provider, ...rest }: Endpoint): Endpoint => ({
  ...rest,
  provider,
  operation: {
    ...operation,
    provenance: operation.provenance ?? {
      docs: provider.docs ?? provider.baseUrl,
      verified: false,
      note: "Imported; the documentation was not read."
    }
  }
})

/** One manifest a provider, for a person to go over. */
const planned = Effect.fnUntraced(function* (to: string, endpoints: ReadonlyArray<Endpoint>, asked: Asked) {
  const { inManifests, manifestTexts } = yield* Effect.promise(
    () => import("../layers/catalog/import/ManifestWriting.js")
  )
  const withLine = yield* Drafts.schemaLiner(asked.gateway)
  const drafts = manifestTexts(endpoints.map(withProvenance)).map(({ file, text }) => ({ file, text: withLine(text) }))
  return { ...(yield* Drafts.plannedDrafts(to, drafts, asked)), endpoints: inManifests(endpoints) }
})

const writtenOrPublished = <E, R>(imported: Imported, asked: Asked, revisions: Layer.Layer<CatalogRevisions, E, R>) =>
  Effect.gen(function* () {
    tell("")
    const { endpoints } = imported
    const content = { jobs: [], endpoints }
    const mode = endpoints.length > 0 ? Option.getOrNull(asked.publish) : null
    const drafts = Option.isNone(asked.to) ? null : yield* planned(asked.to.value, endpoints, asked)
    // A report changes nothing, with --dry-run or without.
    if (drafts === null && mode === null) return reported(imported, [], asked)
    const below = mode === null ? content : yield* underneath
    return yield* carriedOut(asked.dryRun, {
      found: reported(drafts === null ? imported : { ...imported, endpoints: drafts.endpoints }, [], asked),
      will: [
        ...(drafts?.will ?? []),
        ...(mode === null ? [] : yield* Effect.provide(publicationText(content, mode, below), revisions))
      ],
      work: Effect.gen(function* () {
        const report =
          drafts === null
            ? reported(imported, [], asked)
            : reported({ ...imported, endpoints: drafts.endpoints }, yield* drafts.write, asked)
        return mode === null ? report : yield* Effect.provide(publishAs(content, mode, report, below), revisions)
      })
    })
  })

const documents = Args.file({ name: "FILE", exists: "yes" }).pipe(
  Args.withDescription("An OpenAPI 3 or Swagger 2 document, JSON or YAML; the files that it refers to are read too"),
  Args.atLeast(1)
)
const lines = Args.file({ name: "FILE", exists: "yes" }).pipe(
  Args.withDescription("One operation a line, as JSON; may be packed as .gz")
)

export const importOpenApi = <E, R>(revisions: Layer.Layer<CatalogRevisions, E, R>) =>
  Command.make(
    "import-openapi",
    { files: documents, id: Inputs.newProvider, to: folder, publish: publishing, ...drafting, json: Inputs.json },
    ({ files, id, json, ...asked }) =>
      answer(
        json,
        Effect.gen(function* () {
          if (Option.isSome(id) && files.length > 1)
            return yield* new NotUnderstood({ message: "--id: names the provider of one document, not of several" })
          const imports = yield* Effect.promise(() => import("../layers/catalog/import/ImportOpenApi.js"))
          return yield* writtenOrPublished(
            yield* imports.importOpenApiFiles(
              files,
              (file, operations) => tell(`${file}: ${counted(operations, "operation")}`),
              Option.getOrUndefined(id)
            ),
            asked,
            revisions
          )
        })
      )
  ).pipe(Command.withDescription("Make manifests of OpenAPI 3 and Swagger 2 documents, JSON or YAML"))

export const importJsonl = <E, R>(revisions: Layer.Layer<CatalogRevisions, E, R>) =>
  Command.make(
    "import-jsonl",
    { file: lines, to: folder, publish: publishing, ...drafting, json: Inputs.json },
    ({ file, json, ...asked }) =>
      answer(
        json,
        Effect.gen(function* () {
          const imports = yield* Effect.promise(() => import("../layers/catalog/import/ImportJsonl.js"))
          return yield* writtenOrPublished(
            yield* imports.importJsonl(file, (read) => tell(`${read} read`)),
            asked,
            revisions
          )
        })
      )
  ).pipe(
    Command.withDescription("Make manifests of operations in a flat shape, one JSON object a line; .gz is read too")
  )
