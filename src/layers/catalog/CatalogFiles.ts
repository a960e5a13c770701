/**
 * Reads the manifests of catalog folders (`providers/*.yaml`, `jobs/*.yaml`) and makes endpoints of them. Either
 * everything is sound, or the failure lists every problem of every file with its path inside the file. Of several
 * folders the later overrides the earlier by id; inside one folder an id stands once. Publishing is someone else's
 * part.
 */
import { hash } from "node:crypto"
import { FileSystem, Path } from "@effect/platform"
import { Data, Effect, Either, ParseResult, Schema } from "effect"
import { parseDocument } from "yaml"
import { canonical, type Json } from "../../domain/Json.js"
import { type Endpoint, JobManifest, type Operation, ProviderManifest } from "../../domain/Manifest.js"
import type { CatalogContent } from "../../services/CatalogPublisher.js"
import { mergeCatalogs, type Overridden, overriddenBy } from "./Merging.js"
import { nextTurn } from "../node/TimeSlices.js"
import { compileRules } from "../providers/CompiledRules.js"
import { compileInputSchema } from "../providers/InputSchema.js"
import { planRequest } from "../providers/RequestPlan.js"
import { checkVocabulary } from "../providers/SchemaVocabulary.js"

export interface CatalogProblem {
  readonly file: string
  /** Dotted path inside the file; empty for the file as a whole. */
  readonly path: string
  readonly message: string
}

export class CatalogInvalid extends Data.TaggedError("CatalogInvalid")<{
  readonly problems: ReadonlyArray<CatalogProblem>
}> {
  override get message(): string {
    return this.problems
      .map(({ file, message, path }) => `${file}${path === "" ? "" : ` at ${path}`}: ${message}`)
      .join("\n")
  }
}

export type { CatalogContent } from "../../services/CatalogPublisher.js"

/** What one folder put in the place of what folders before it hold. */
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
export interface FolderContent extends CatalogContent {
  readonly folders: ReadonlyArray<FolderSize>
  readonly overridden: ReadonlyArray<FolderOverride>
}

export interface ReadOptions {
  /**
   * Also compiles every input schema. A start need not wait for that: a bad one fails its own runs as
   * `contract_invalid`.
   */
  readonly thorough?: boolean
  /** Jobs that are there already, such as the built-in ones, and that operations may name. */
  readonly otherJobs?: ReadonlyArray<JobManifest>
}

type Provider = Endpoint["provider"]

const decodeProvider = Schema.decodeUnknownEither(ProviderManifest, { errors: "all", onExcessProperty: "error" })
const decodeJob = Schema.decodeUnknownEither(JobManifest, { errors: "all", onExcessProperty: "error" })

/** What a run depends on: everything but descriptions, examples and provenance. */
export const contractVersionOf = (provider: Provider, operation: Operation): string => {
  const {
    facts: _facts,
    name: _name,
    provenance: _provenance,
    samples: _samples,
    summary: _summary,
    ...contract
  } = operation
  const { auth, baseUrl, fixed, id } = provider
  const text: Json = { provider: { id, baseUrl, auth, fixed }, operation: contract }
  return hash("sha256", canonical(text))
}

export const makeEndpoint = (provider: Provider, operation: Operation): Endpoint => ({
  provider,
  operation,
  contractVersion: contractVersionOf(provider, operation)
})

/** The endpoints of one decoded manifest. */
export const endpointsOf = ({ operations, ...provider }: ProviderManifest): ReadonlyArray<Endpoint> =>
  operations.map((operation) => makeEndpoint(provider, operation))

/** Problems of an endpoint that its Schema cannot see; paths start under the operation. */
const problemsOf = (endpoint: Endpoint, thorough: boolean): ReadonlyArray<Omit<CatalogProblem, "file">> => {
  const problems: Array<Omit<CatalogProblem, "file">> = []
  const { operation } = endpoint
  Either.mapLeft(compileRules(operation), (found) => problems.push(...found))
  Either.mapLeft(planRequest(endpoint), (found) => problems.push(...found))
  for (const { message, path } of checkVocabulary(operation.input).problems)
    problems.push({ path: path === "" ? "input" : `input.${path}`, message })
  if (thorough && problems.length === 0)
    Either.mapLeft(compileInputSchema(operation), (message) =>
      problems.push({ path: "input", message: `is not a usable JSON Schema: ${message}` })
    )
  if (operation.price.basis === "free" && operation.price.micros !== 0)
    problems.push({ path: "price.micros", message: "must be 0 when the price is free" })
  if (operation.price.basis === "per_result" && operation.volume === undefined)
    problems.push({ path: "volume", message: "is needed for a price per result: it bounds what a call can cost" })
  if (operation.effect === "effectful" && operation.repeatable && operation.idempotencyHeader === undefined) {
    problems.push({
      path: "repeatable",
      message: "must be false for an effectful operation without idempotencyHeader: a repeated call would act twice"
    })
  }
  return problems
}

interface Parsed {
  readonly file: string
  readonly value: unknown
}

const parseYaml = (file: string, text: string): Either.Either<Parsed, ReadonlyArray<CatalogProblem>> => {
  const document = parseDocument(text)
  if (document.errors.length > 0) {
    return Either.left(
      document.errors.map((error) => ({ file, path: "", message: error.message.split("\n", 1)[0] ?? "is not YAML" }))
    )
  }
  return Either.mapBoth(
    Either.try(() => document.toJS()),
    {
      onLeft: () => [{ file, path: "", message: "uses aliases without end" }],
      onRight: (value: unknown) => ({ file, value })
    }
  )
}

const located = (file: string, error: ParseResult.ParseError): ReadonlyArray<CatalogProblem> =>
  ParseResult.ArrayFormatter.formatErrorSync(error).map((issue) => ({
    file,
    path: issue.path.map(String).join("."),
    message: issue.message
  }))

/** Manifests that were read from somewhere, each named by its file. */
export interface ManifestTexts {
  readonly jobs: ReadonlyArray<{ readonly file: string; readonly text: string }>
  readonly providers: ReadonlyArray<{ readonly file: string; readonly text: string }>
}

interface Read<A> {
  readonly file: string
  readonly manifest: A
}
type ReadEither<A> = Either.Either<Read<A>, ReadonlyArray<CatalogProblem>>

const reader =
  <A>(decode: (value: unknown) => Either.Either<A, ParseResult.ParseError>) =>
  ({ file, text }: ManifestTexts["jobs"][number]): ReadEither<A> =>
    Either.flatMap(parseYaml(file, text), ({ value }) =>
      Either.mapBoth(decode(value), {
        onLeft: (error) => located(file, error),
        onRight: (manifest) => ({ file, manifest })
      })
    )
const readJob = reader(decodeJob)
const readProvider = reader(decodeProvider)

/** Pure part of reading: from texts to content, or to every problem. */
export const decodeCatalog = (
  texts: ManifestTexts,
  options: ReadOptions = {}
): Either.Either<CatalogContent, CatalogInvalid> =>
  assemble(texts.jobs.map(readJob), texts.providers.map(readProvider), options)

const assemble = (
  jobFiles: ReadonlyArray<ReadEither<JobManifest>>,
  providerFiles: ReadonlyArray<ReadEither<ProviderManifest>>,
  options: ReadOptions
): Either.Either<CatalogContent, CatalogInvalid> => {
  const problems: Array<CatalogProblem> = []
  const sound = <A>(files: ReadonlyArray<ReadEither<A>>): ReadonlyArray<Read<A>> =>
    files.flatMap((read) => {
      if (Either.isRight(read)) return [read.right]
      problems.push(...read.left)
      return []
    })

  const seen = new Map<string, string>()
  const once = (kind: string, id: string, file: string, path: string): void => {
    const first = seen.get(`${kind} ${id}`)
    if (first === undefined) seen.set(`${kind} ${id}`, file)
    else problems.push({ file, path, message: `${kind} ${id} exists already in ${first}` })
  }

  const jobs = sound(jobFiles)
  for (const { file, manifest } of jobs) once("job", manifest.id, file, "id")
  const jobIds = new Set<string>([
    ...jobs.map(({ manifest }) => manifest.id),
    ...(options.otherJobs ?? []).map(({ id }) => id)
  ])
  const endpoints = sound(providerFiles).flatMap(({ file, manifest }) => {
    once("provider", manifest.id, file, "id")
    return endpointsOf(manifest).map((endpoint, index) => {
      const at = `operations.${index}`
      const { operation } = endpoint
      once("operation", operation.id, file, `${at}.id`)
      if (operation.job !== undefined && !jobIds.has(operation.job))
        problems.push({ file, path: `${at}.job`, message: `there is no job ${operation.job}` })
      for (const problem of problemsOf(endpoint, options.thorough === true))
        problems.push({ file, path: `${at}.${problem.path}`, message: problem.message })
      return endpoint
    })
  })
  return problems.length === 0
    ? Either.right({ jobs: jobs.map(({ manifest }) => manifest), endpoints })
    : Either.left(new CatalogInvalid({ problems }))
}

const emptyFolder =
  "holds neither providers/ nor jobs/: name the folder that holds them; manifests stand in providers/*.yaml and jobs/*.yaml"

/**
 * Reads catalog folders, the later over the earlier. A folder may hold only `jobs` or only `providers`; one with
 * neither is not a catalog but a wrong path, and a problem. Fails with every problem found.
 */
export const readCatalog = Effect.fn("CatalogFiles.readCatalog")(function* (
  folders: ReadonlyArray<string>,
  options: ReadOptions = {}
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const unreadable = (file: string) => new CatalogInvalid({ problems: [{ file, path: "", message: "cannot be read" }] })

  const textsUnder = Effect.fnUntraced(function* (folder: string, kind: "jobs" | "providers") {
    const place = path.join(folder, kind)
    if (!(yield* files.exists(place).pipe(Effect.mapError(() => unreadable(place))))) return []
    const names = yield* files.readDirectory(place).pipe(Effect.mapError(() => unreadable(place)))
    return yield* Effect.forEach(
      names.filter((name) => /\.ya?ml$/.test(name)).sort(),
      (name) => {
        const file = path.join(place, name)
        return files
          .readFileString(file)
          .pipe(Effect.mapBoth({ onFailure: () => unreadable(file), onSuccess: (text) => ({ file, text }) }))
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
    return yield* new CatalogInvalid({ problems: wrong.map((file) => ({ file, path: "", message: emptyFolder })) })
  const jobs = yield* Effect.forEach(folders, (folder) => textsUnder(folder, "jobs"))
  const providers = yield* Effect.forEach(folders, (folder) => textsUnder(folder, "providers"))
  // A file a turn: parsing all of them takes a second, in which a database is waiting to be spoken to.
  const inTurns = <A, B>(items: ReadonlyArray<A>, read: (item: A) => B) =>
    Effect.forEach(items, (item) => Effect.map(nextTurn, () => read(item)))
  const read = yield* Effect.forEach(folders, (folder, at) =>
    Effect.all({
      folder: Effect.succeed(folder),
      jobs: inTurns(jobs[at] ?? [], readJob),
      providers: inTurns(providers[at] ?? [], readProvider)
    })
  )
  const every = read.flatMap((folder) =>
    folder.jobs.flatMap((each) => (Either.isRight(each) ? [each.right.manifest] : []))
  )
  const otherJobs = [...(options.otherJobs ?? []), ...every]
  const parts = read.map(({ folder, ...files }) => ({
    folder,
    part: assemble(files.jobs, files.providers, { ...options, otherJobs })
  }))
  const problems = parts.flatMap(({ part }) => (Either.isLeft(part) ? part.left.problems : []))
  if (problems.length > 0) return yield* new CatalogInvalid({ problems })
  return parts.reduce<FolderContent>(
    (below, { folder, part }) => {
      if (Either.isLeft(part)) return below
      const found = overriddenBy(below, part.right)
      const nothing = found.jobs.length + found.operations.length === 0
      return {
        ...mergeCatalogs(below, part.right),
        folders: [...below.folders, { folder, endpoints: part.right.endpoints.length, jobs: part.right.jobs.length }],
        overridden: nothing ? below.overridden : [...below.overridden, { folder, ...found }]
      }
    },
    { jobs: [], endpoints: [], folders: [], overridden: [] }
  )
})
