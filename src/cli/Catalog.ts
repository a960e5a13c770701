/**
 * `catalog`: checks manifests, makes them of other documents, and puts them in force. Only what publishes opens a
 * database. What it works with is loaded when it is asked for, so that the other commands need not wait for it.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Clock, Effect, type Layer, Option } from "effect"
import { resolve } from "node:path"
import { counted } from "../domain/Counted.js"
import { builtInCatalog } from "../layers/catalog/BuiltInCatalog.js"
import type { FolderContent, FolderSize } from "../layers/catalog/CatalogFiles.js"
import type { LintProblem } from "../layers/catalog/CatalogLint.js"
import type { Imported } from "../layers/catalog/import/ImportReport.js"
import type { CatalogProblem, ReadContent } from "../layers/catalog/ManifestReading.js"
import { type Overridden, overriddenWords } from "../layers/catalog/Merging.js"
import { readConfig } from "../layers/node/Config.js"
import type { Endpoint } from "../domain/Manifest.js"
import type { CatalogRevisions } from "../services/CatalogRevisions.js"
import { carriedOut, dryRun } from "./Announced.js"
import { type Answer, answer, NotUnderstood } from "./Answer.js"
import type { PlatformKeys } from "../services/PlatformKeys.js"
import { idsOf, namesIn } from "./CatalogNames.js"
import { catalogNew } from "./CatalogNew.js"
import { catalogTry } from "./CatalogTry.js"
import { catalogWatch } from "./CatalogWatch.js"
import {
  publicationText,
  publish,
  publishAs,
  published,
  publishing,
  underneath,
  withdraw
} from "./CatalogPublishing.js"
import * as Drafts from "./Drafts.js"
import * as Inputs from "./Inputs.js"

interface Problem {
  /** The file. */
  readonly subject: string
  readonly path: string
  readonly message: string
}

interface Sizes {
  readonly endpoints: number
  readonly jobs: number
  /** How many samples were replayed. */
  readonly samples: number
}

const sizesOf = ({ endpoints, jobs }: ReadContent): Sizes => ({
  endpoints: endpoints.length,
  jobs: jobs.length,
  samples: endpoints.reduce((sum, { operation }) => sum + Object.keys(operation.samples).length, 0)
})

interface NamedFolder extends FolderSize {
  readonly overrides: Overridden
}

/** The folders but the built-in one, and what each of them overrides. */
const namedFolders = ({ folders, overridden }: FolderContent): ReadonlyArray<NamedFolder> =>
  folders
    .filter(({ folder }) => folder !== builtInCatalog)
    .map((size) => {
      const { jobs = [], operations = [] } = overridden.find(({ folder }) => folder === size.folder) ?? {}
      return { ...size, overrides: { jobs, operations } }
    })

/** `named`: how much each folder holds that the command line named. */
const linted = (
  sizes: Sizes,
  named: ReadonlyArray<NamedFolder>,
  problems: ReadonlyArray<Problem>,
  warnings: ReadonlyArray<Problem>
): Answer => ({
  ok: problems.length === 0,
  json: {
    ok: problems.length === 0,
    ...sizes,
    folders: named.map(({ overrides: { jobs, operations }, ...size }) => ({
      ...size,
      overrides: { jobs: [...jobs], operations: [...operations] }
    })),
    problems: problems.map((problem) => ({ ...problem })),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map((warning) => ({ ...warning })) })
  },
  text:
    problems.length === 0
      ? [
          ...warnings.map(({ message, path, subject }) => `Warning: ${subject} at ${path}: ${message}`),
          `All is well: ${counted(sizes.endpoints, "operation")}, ${counted(sizes.jobs, "job")}${named.length === 0 ? "" : ", the built-in ones among them"}; ${counted(sizes.samples, "sample")} replayed`,
          ...named.flatMap(({ endpoints, folder, jobs, overrides }) => [
            `  from ${folder}: ${counted(endpoints, "operation")}, ${counted(jobs, "job")}`,
            ...overriddenWords(overrides).map((words) => `    ${words}`)
          ])
        ].join("\n")
      : [
          ...problems.map(({ message, path, subject }) => `${subject}${path === "" ? "" : ` at ${path}`}: ${message}`),
          counted(problems.length, "problem")
        ].join("\n")
})

const lint = Command.make(
  "lint",
  { folders: Inputs.folder.pipe(Args.repeated), json: Inputs.json },
  ({ folders, json }) =>
    answer(
      json,
      Effect.gen(function* () {
        const { lintCatalog } = yield* Effect.promise(() => import("../layers/catalog/CatalogLint.js"))
        const { readCatalog } = yield* Effect.promise(() => import("../layers/catalog/CatalogFiles.js"))
        const { inItsFile } = yield* Effect.promise(() => import("../layers/catalog/ManifestReading.js"))
        const named = ({ file, ...rest }: CatalogProblem): Problem => ({ subject: file, ...rest })
        const inFiles = ({ sources }: ReadContent, found: ReadonlyArray<LintProblem>) =>
          found.map((each) => named(inItsFile(sources, each)))
        const { ageWarnings } = yield* Effect.promise(() => import("../layers/catalog/VerifiedAges.js"))
        const now = yield* Clock.currentTimeMillis
        const likely = yield* Effect.promise(() => import("../layers/catalog/LikelyMistakes.js"))
        const { likelyUnreached } = yield* Effect.promise(() => import("../layers/catalog/JobReach.js"))
        // Nobody but the maintainers of the built-in catalog can read its documentation again.
        const warningsOf = (content: ReadContent) => [
          ...inFiles(content, ageWarnings(content.endpoints, now)).filter(
            ({ subject }) => !subject.startsWith(builtInCatalog)
          ),
          ...inFiles(content, likely.likelyMistakes(content.endpoints, content.jobs)),
          ...inFiles(content, likelyUnreached(content.endpoints, content.jobs)),
          ...likely.likelyJobMistakes(content.jobs),
          ...[
            ...likely.likelyMisnamed("job", content.jobFiles),
            ...likely.likelyMisnamed("provider", likely.providerFiles(content)),
            ...likely.likelyUnshown(content)
          ].map(named)
        ]
        const more = folders.length > 0 ? folders : (yield* readConfig).catalogFolders
        const all = new Set([builtInCatalog, ...more.map((folder) => resolve(folder))])
        return yield* readCatalog([...all], { thorough: true }).pipe(
          Effect.flatMap((content) =>
            Effect.map(lintCatalog(content), (problems) =>
              linted(sizesOf(content), namedFolders(content), inFiles(content, problems), warningsOf(content))
            )
          ),
          // A file with a mistake does not keep the samples of the others from being replayed.
          Effect.catchTag("CatalogInvalid", ({ problems, rest: others }) =>
            Effect.map(lintCatalog(others), (found) =>
              linted({ endpoints: 0, jobs: 0, samples: 0 }, [], [...problems.map(named), ...inFiles(others, found)], [])
            )
          )
        )
      })
    )
).pipe(
  Command.withDescription(
    "Check the built-in manifests and those of more folders, and replay their documented samples; ends with 1 when something is wrong"
  )
)

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

const kept = <E, R>(imported: Imported, asked: Asked, revisions: Layer.Layer<CatalogRevisions, E, R>) =>
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

const importOpenApi = <E, R>(revisions: Layer.Layer<CatalogRevisions, E, R>) =>
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
          return yield* kept(
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

const importJsonl = <E, R>(revisions: Layer.Layer<CatalogRevisions, E, R>) =>
  Command.make(
    "import-jsonl",
    { file: lines, to: folder, publish: publishing, ...drafting, json: Inputs.json },
    ({ file, json, ...asked }) =>
      answer(
        json,
        Effect.gen(function* () {
          const imports = yield* Effect.promise(() => import("../layers/catalog/import/ImportJsonl.js"))
          return yield* kept(yield* imports.importJsonl(file, (read) => tell(`${read} read`)), asked, revisions)
        })
      )
  ).pipe(
    Command.withDescription("Make manifests of operations in a flat shape, one JSON object a line; .gz is read too")
  )

export const catalog = <E, R>(revisions: Layer.Layer<CatalogRevisions | PlatformKeys, E, R>) =>
  Command.make("catalog").pipe(
    Command.withDescription("Manifests: check them, make them of other documents, put them in force"),
    Command.withSubcommands([
      lint,
      catalogWatch(revisions),
      catalogNew,
      catalogTry,
      importOpenApi(revisions),
      importJsonl(revisions),
      Command.provide(publish, revisions),
      Command.provide(published, revisions),
      Command.provide(withdraw, revisions)
    ])
  )
