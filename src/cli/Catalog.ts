/**
 * `catalog`: its subcommands, and the check of manifests. Only what publishes opens a database. What it works with is
 * loaded when it is asked for, so that the other commands need not wait for it.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { Clock, Effect, type Layer } from "effect"
import { join, resolve, sep } from "node:path"
import { counted } from "../domain/Counted.js"
import type { Endpoint } from "../domain/Manifest.js"
import { builtInCatalog } from "../layers/catalog/BuiltInCatalog.js"
import type { FolderContent, FolderSize } from "../layers/catalog/CatalogFiles.js"
import type { LintProblem } from "../layers/catalog/CatalogLint.js"
import type { CatalogProblem, ReadContent } from "../layers/catalog/ManifestReading.js"
import { type Overridden, overriddenWords } from "../layers/catalog/Merging.js"
import { readConfig } from "../layers/node/Config.js"
import type { CatalogRevisions } from "../services/CatalogRevisions.js"
import { type Answer, answer } from "./Answer.js"
import type { PlatformKeys } from "../services/PlatformKeys.js"
import { catalogNew } from "./CatalogNew.js"
import { catalogTry } from "./CatalogTry.js"
import { catalogWatch } from "./CatalogWatch.js"
import { publish, published, withdraw } from "./CatalogPublishing.js"
import * as Inputs from "./Inputs.js"
import { importJsonl, importOpenApi } from "./CatalogImport.js"

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

const sizesOf = ({ endpoints, jobs }: ReadContent, replayed: ReadonlyArray<Endpoint>): Sizes => ({
  endpoints: endpoints.length,
  jobs: jobs.length,
  samples: replayed.reduce((sum, { operation }) => sum + Object.keys(operation.samples).length, 0)
})

const isBuiltIn = (file: string): boolean => file.startsWith(join(builtInCatalog, sep))

/** The operations that are in a file of the built-in catalog, or in one of another folder. */
const operationsOf = ({ endpoints, sources }: ReadContent, where: "built-in" | "elsewhere"): ReadonlyArray<Endpoint> =>
  endpoints.filter(({ operation }) => {
    const file = sources.get(operation.id)?.file
    return (file !== undefined && isBuiltIn(file)) === (where === "built-in")
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
          ...inFiles(content, ageWarnings(content.endpoints, now)).filter(({ subject }) => !isBuiltIn(subject)),
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
        // The samples of the built-in operations come out the same whatever is beside them, and take five seconds.
        const replayedOf = (content: ReadContent) => operationsOf(content, all.size > 1 ? "elsewhere" : "built-in")
        return yield* readCatalog([...all], { thorough: true }).pipe(
          Effect.flatMap((content) =>
            Effect.map(lintCatalog(content, replayedOf(content)), (problems) =>
              linted(
                sizesOf(content, replayedOf(content)),
                namedFolders(content),
                inFiles(content, problems),
                warningsOf(content)
              )
            )
          ),
          // A file with a mistake does not keep the samples of the others from being replayed.
          Effect.catchTag("CatalogInvalid", ({ problems, rest: others }) =>
            Effect.map(lintCatalog(others, replayedOf(others)), (found) =>
              linted({ endpoints: 0, jobs: 0, samples: 0 }, [], [...problems.map(named), ...inFiles(others, found)], [])
            )
          )
        )
      })
    )
).pipe(
  Command.withDescription(
    "Check the built-in manifests and those of more folders, and replay the documented samples of the folders, or else of the built-in operations; ends with 1 when something is wrong"
  )
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
