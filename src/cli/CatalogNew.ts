/**
 * `catalog new`: writes a first manifest from a curl command or from one operation of an OpenAPI document, and checks
 * it. The command is read from standard input, never from an argument: it holds a key, which every process of the
 * machine could read there. On a terminal it asks for what the options do not say. It overwrites no file and writes no
 * secret.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Prompt from "@effect/cli/Prompt"
import { Effect, Either, Option, Redacted } from "effect"
import { basename } from "node:path"
import type { Endpoint } from "../domain/Manifest.js"
import { similar } from "../domain/Similar.js"
import type { ImportReport } from "../layers/catalog/import/ImportReport.js"
import { announced, dryRun } from "./Announced.js"
import { type Answer, NotUnderstood } from "./Answer.js"
import * as Drafts from "./Drafts.js"
import { NotMade } from "./Drafts.js"
import * as Inputs from "./Inputs.js"
import { shippedCatalog } from "./KnownProviders.js"
import { Screen } from "./Screen.js"
import { SecretInput } from "./SecretInput.js"

const to = Options.directory("to").pipe(
  Options.withPseudoName("FOLDER"),
  Options.withDescription("The catalog folder; the manifest is written below its providers/; my-catalog without it"),
  Options.withDefault("my-catalog")
)
const openapi = Options.file("openapi").pipe(
  Options.withPseudoName("FILE"),
  Options.withDescription("Make it from an operation of this document instead of a curl command"),
  Options.optional
)
const operation = Options.text("operation").pipe(
  Options.withPseudoName("NAME"),
  Options.withDescription(
    "Which operation of the document: its operationId, the id of its import, or method and path such as 'GET /pets'"
  ),
  Options.optional
)

interface Made {
  readonly endpoint: Endpoint
  readonly leftOut: ReadonlyArray<string>
  readonly secrets: ReadonlyArray<string>
}

const notesOf = ({ notes }: ImportReport): ReadonlyArray<string> =>
  notes.map(({ effect, examples, message }) =>
    // What was skipped is not the operation that the manifest has.
    effect === "skipped" ? `${message} (${examples.join(", ")})` : message
  )

/** Why no operation was made: what was left out of a document, such as its webhooks, is no reason. */
const reasonOf = ({ notes }: ImportReport): string =>
  notes.flatMap(({ effect, message }) => (effect === "skipped" ? [message] : [])).join("; ")

const isTerminal = Effect.map(Screen, ({ interactive }) => interactive)

/** On a terminal a line that ends with a backslash goes on; elsewhere the whole of standard input is the command. */
const askedCommand = Effect.gen(function* () {
  if (!(yield* isTerminal)) return Redacted.value(yield* Effect.flatMap(SecretInput, ({ read }) => read))
  const lines: Array<string> = []
  do lines.push(yield* Prompt.text({ message: lines.length === 0 ? "Paste a curl command" : "…" }))
  while (lines.at(-1)?.trimEnd().endsWith("\\") === true)
  return lines.join("\n")
})

const fromCurl = Effect.fnUntraced(function* (id: Option.Option<string>) {
  const { curlOperation } = yield* Effect.promise(() => import("../layers/catalog/import/CurlOperation.js"))
  const { OperationImporter } = yield* Effect.promise(() => import("../layers/catalog/import/ImportedOperation.js"))
  const { ReportBuilder } = yield* Effect.promise(() => import("../layers/catalog/import/ImportReport.js"))
  const found = curlOperation(yield* askedCommand, Option.getOrUndefined(id))
  if (Either.isLeft(found)) return yield* new NotMade({ reason: found.left })
  const report = new ReportBuilder()
  const endpoint = new OperationImporter(report).take(found.right.operation)
  const done = report.done(1, endpoint === null ? 0 : 1)
  if (endpoint === null) return yield* new NotMade({ reason: reasonOf(done) })
  const made: Made = { endpoint, leftOut: [...found.right.leftOut, ...notesOf(done)], secrets: found.right.secrets }
  return made
})

const namesShown = 20

/** Those that are spelled alike go first. */
const noOperation = (file: string, asked: string, names: ReadonlyArray<string>): string => {
  const sorted = [...new Set([...similar(asked, names), ...names])]
  const more = sorted.length > namesShown ? ` and ${sorted.length - namesShown} more` : ""
  const has = `it has ${sorted.slice(0, namesShown).join(", ")}${more}`
  return asked === ""
    ? `--operation must name one operation of ${file}; ${has}`
    : `${file} has no operation ${asked}; ${has}`
}

const fromDocument = Effect.fnUntraced(function* (
  file: string,
  operation: Option.Option<string>,
  id: Option.Option<string>
) {
  const { importNamedOperations } = yield* Effect.promise(() => import("../layers/catalog/import/ImportOpenApi.js"))
  const asked =
    Option.isNone(operation) && (yield* isTerminal)
      ? yield* Prompt.text({ message: "Which operation: its operationId, or method and path" })
      : Option.getOrElse(operation, () => "")
  const { endpoints, names, report } = yield* importNamedOperations(file, [asked], Option.getOrUndefined(id))
  const [endpoint] = endpoints
  if (endpoint === undefined)
    return yield* new NotMade({
      reason: report.read === 0 && names.length > 0 ? noOperation(basename(file), asked, names) : reasonOf(report)
    })
  const made: Made = { endpoint, leftOut: notesOf(report), secrets: [] }
  return made
})

/** Whether a secret stands in the text, in whatever way it is written. */
const holdsAny = Effect.fnUntraced(function* (text: string, secrets: ReadonlyArray<string>) {
  const { blotFor } = yield* Effect.promise(() => import("../layers/providers/Blotting.js"))
  const bytes = Buffer.from(text)
  return blotFor(secrets)?.(Buffer.from(bytes)).equals(bytes) === false
})

/** What the check says of the new manifest, beside the built-in catalog. */
const problemsOf = Effect.fnUntraced(function* (file: string, text: string) {
  const { decodeCatalog } = yield* Effect.promise(() => import("../layers/catalog/ManifestReading.js"))
  const { lintCatalog } = yield* Effect.promise(() => import("../layers/catalog/CatalogLint.js"))
  const { jobs } = yield* shippedCatalog
  const content = decodeCatalog({ jobs: [], providers: [{ file, text }] }, { thorough: true, otherJobs: jobs })
  if (Either.isLeft(content)) return content.left.problems.map(({ message, path }) => `${path}: ${message}`)
  return (yield* lintCatalog(content.right)).map(({ message, path }) => `${path}: ${message}`)
})

export const catalogNew = Command.make(
  "new",
  {
    to,
    openapi,
    operation,
    id: Inputs.newProvider,
    gateway: Drafts.gateway,
    overwrite: Drafts.overwrite,
    dryRun,
    json: Inputs.json
  },
  ({ dryRun, gateway, id, json, openapi, operation, overwrite, to }) =>
    announced(
      { dryRun, json },
      Effect.gen(function* () {
        const { endpoint, leftOut, secrets } = yield* Option.match(openapi, {
          onNone: () =>
            Option.isSome(operation)
              ? new NotUnderstood({ message: "--operation: needs --openapi FILE, the document that has the operation" })
              : fromCurl(id),
          onSome: (file) => fromDocument(file, operation, id)
        })
        const { manifestTexts } = yield* Effect.promise(() => import("../layers/catalog/import/ManifestWriting.js"))
        const [written] = manifestTexts([endpoint])
        if (written === undefined) return yield* new NotMade({ reason: "there is no operation" })
        const text = (yield* Drafts.schemaLiner(gateway))(written.text)
        if (yield* holdsAny(text, secrets))
          return yield* new NotMade({ reason: "the key stands in another part of the command too; take it out there" })
        const problems = yield* problemsOf(written.file, text)
        const { will, write } = yield* Drafts.plannedDrafts(to, [{ file: written.file, text }], {
          overwrite,
          orElse:
            "to add an operation to a manifest, write it with --to another folder and copy what stands under operations"
        })
        const { id: operationId, method, path } = endpoint.operation
        const found = {
          ok: problems.length === 0,
          json: {
            operation: operationId,
            auth: endpoint.provider.auth.type,
            leftOut: [...leftOut],
            problems: [...problems]
          },
          text: [
            `${method} ${path} as ${operationId}`,
            ...leftOut.map((what) => `  left out or changed: ${what}`),
            ...problems.map((problem) => `  to be done: ${problem}`)
          ].join("\n")
        }
        const made = (file: string): Answer => ({
          ...found,
          json: { file, ...found.json },
          text: `${file}: ${found.text}${found.ok ? `\nNext: gateway catalog lint ${to}` : ""}`
        })
        return { found, will, work: Effect.map(write, ([file = written.file]) => made(file)) }
      })
    )
).pipe(
  Command.withDescription(
    "Write a first manifest from a curl command on standard input, or from an operation of an OpenAPI document; writes no key, and no file is lost"
  )
)
