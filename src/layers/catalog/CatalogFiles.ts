/**
 * Reads catalog folders: the manifests in `providers/*.yaml` and `jobs/*.yaml`. When several folders hold the same id,
 * the later folder wins. Inside one folder an id may stand only once. The result is a sound catalog, or a failure that
 * lists every problem of every file. This module does not put the catalog in force.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Effect, Either } from "effect"
import { nextEventLoopTurn } from "../../services/Slices.js"
import {
  assemble,
  brokenJobs,
  CatalogInvalid,
  type CatalogProblem,
  type ManifestTexts,
  type ReadContent,
  type ReadOptions,
  readJob,
  readProvider
} from "./ManifestReading.js"
import { idCheck } from "./Soundness.js"
import { mergeCatalogs, type Overridden, overriddenBy } from "./Merging.js"
import { type ParsedAhead, parsedAhead } from "./ParsedAhead.js"

/** The ids of one folder that replaced ids of the folders before it. */
export interface FolderOverride extends Overridden {
  readonly folder: string
}

/** How much one folder holds. */
export interface FolderSize {
  readonly folder: string
  readonly endpoints: number
  readonly jobs: number
}

/** The content of several folders, and how much each of them holds. */
export interface FolderContent extends ReadContent {
  readonly folders: ReadonlyArray<FolderSize>
  readonly overridden: ReadonlyArray<FolderOverride>
}

const noManifest = "holds no manifest: manifests stand in providers/*.yaml and jobs/*.yaml"
const emptyFolder =
  "holds neither providers/ nor jobs/: name the folder that holds them; manifests stand in providers/*.yaml and jobs/*.yaml"

const nothing: ReadContent = { jobs: [], endpoints: [], sources: new Map(), jobFiles: new Map() }

const hasManifest = (texts: ManifestTexts | undefined): boolean =>
  texts !== undefined && texts.jobs.length + texts.providers.length > 0

/** A later folder's operation or job stands in the later file. */
const merged = (below: ReadContent, above: ReadContent): ReadContent => ({
  ...mergeCatalogs(below, above),
  sources: new Map([...below.sources, ...above.sources]),
  jobFiles: new Map([...below.jobFiles, ...above.jobFiles])
})

/**
 * Reads catalog folders; a later folder overrides an earlier one. A folder may hold only `jobs` or only `providers`. A
 * folder with neither is a problem: its path is probably wrong. A thorough reading also takes one without any manifest
 * for a problem. Fails with every problem found.
 */
export const readCatalog = Effect.fn("CatalogFiles.readCatalog")(function* (
  folders: ReadonlyArray<string>,
  options: ReadOptions = {}
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const unreadable = (file: string) =>
    new CatalogInvalid({ problems: [{ file, path: "", message: "cannot be read" }], rest: nothing })

  const textsUnder = Effect.fnUntraced(function* (folder: string, kind: "jobs" | "providers", ahead: ParsedAhead) {
    const place = path.join(folder, kind)
    if (!(yield* files.exists(place).pipe(Effect.mapError(() => unreadable(place))))) return []
    const names = yield* files.readDirectory(place).pipe(Effect.mapError(() => unreadable(place)))
    return yield* Effect.forEach(
      names.filter((name) => /\.ya?ml$/.test(name)).sort(),
      (name) => {
        const file = path.join(place, name)
        return files.readFileString(file).pipe(
          Effect.mapBoth({
            onFailure: () => unreadable(file),
            onSuccess: (text) => ({ file, text, parsed: ahead(text) })
          })
        )
      },
      { concurrency: 16 }
    )
  })

  for (const folder of folders) {
    if (!(yield* files.exists(folder).pipe(Effect.orElseSucceed(() => false)))) return yield* unreadable(folder)
  }
  const holds = (folder: string) =>
    Effect.exists(["jobs", "providers"], (kind) =>
      files.exists(path.join(folder, kind)).pipe(Effect.mapError(() => unreadable(folder)))
    )
  const wrong = yield* Effect.filter(folders, holds, { negate: true })
  if (wrong.length > 0)
    return yield* new CatalogInvalid({
      problems: wrong.map((file) => ({ file, path: "", message: emptyFolder })),
      rest: nothing
    })
  const texts = yield* Effect.forEach(folders, (folder) =>
    Effect.flatMap(parsedAhead(folder), (ahead) =>
      Effect.all({ jobs: textsUnder(folder, "jobs", ahead), providers: textsUnder(folder, "providers", ahead) })
    )
  )
  const bare = options.thorough === true ? folders.filter((_, at) => !hasManifest(texts[at])) : []
  if (bare.length > 0)
    return yield* new CatalogInvalid({
      problems: bare.map((file) => ({ file, path: "", message: noManifest })),
      rest: nothing
    })
  // Files are read one in each turn of the event loop. Checking all of them takes most of a second, and the connection
  // to the database, which starts at the same time, must not wait that long.
  const inTurns = <A, B>(items: ReadonlyArray<A>, read: (item: A) => B) =>
    Effect.forEach(items, (item) => Effect.map(nextEventLoopTurn, () => read(item)))
  const read = yield* Effect.forEach(folders, (folder, at) =>
    Effect.all({
      folder: Effect.succeed(folder),
      jobs: inTurns(texts[at]?.jobs ?? [], readJob),
      providers: inTurns(texts[at]?.providers ?? [], readProvider)
    })
  )
  const every = read.flatMap((folder) => [
    ...folder.jobs.flatMap((each) => (Either.isRight(each) ? [each.right.manifest] : [])),
    ...brokenJobs(folder.jobs)
  ])
  const otherJobs = [...(options.otherJobs ?? []), ...every]
  const parts = read.map(({ folder, ...files }) => ({
    folder,
    part: assemble(files.jobs, files.providers, { ...options, otherJobs })
  }))
  const twice = idCheck()
  const inSeveral =
    options.providersOnce !== true
      ? []
      : read.flatMap((folder) => {
          // Inside of one folder it has been told already.
          const own = new Map(
            folder.providers.flatMap((each) =>
              Either.isRight(each) ? [[each.right.manifest.id, each.right.file] as const] : []
            )
          )
          return Array.from(own).flatMap(([id, file]): ReadonlyArray<CatalogProblem> => {
            const message = twice("provider", id, file)
            return message === null
              ? []
              : [
                  {
                    file,
                    path: "id",
                    message: `${message}; publish them one after the other, or put them into one file`
                  }
                ]
          })
        })
  const problems = [...parts.flatMap(({ part }) => (Either.isLeft(part) ? part.left.problems : [])), ...inSeveral]
  if (problems.length > 0) {
    const sound = parts.map(({ part }) => (Either.isLeft(part) ? part.left.rest : part.right))
    return yield* new CatalogInvalid({ problems, rest: sound.reduce(merged, nothing) })
  }
  return parts.reduce<FolderContent>(
    (below, { folder, part }) => {
      if (Either.isLeft(part)) return below
      const found = overriddenBy(below, part.right)
      const isNew = found.jobs.length + found.operations.length === 0
      return {
        ...merged(below, part.right),
        folders: [...below.folders, { folder, endpoints: part.right.endpoints.length, jobs: part.right.jobs.length }],
        overridden: isNew ? below.overridden : [...below.overridden, { folder, ...found }]
      }
    },
    { ...nothing, folders: [], overridden: [] }
  )
})
