/**
 * From the texts of manifests (YAML) to the content of a catalog. Either everything is sound, or the failure lists
 * every problem of every text with its path inside the text. Pure: `CatalogFiles.ts` reads the files.
 */
import { basename } from "node:path"
import { Data, Either, Schema } from "effect"
import { Lexer, parseDocument, Parser } from "yaml"
import { manifestDepthMax } from "../../domain/limits/Manifests.js"
import { JobManifest, ProviderManifest } from "../../domain/Manifest.js"
import type { CatalogContent } from "../../services/CatalogPublisher.js"
import { endpointsOf } from "./ManifestEndpoints.js"
import { shapeMistakes, yamlMistake } from "./ManifestMistakes.js"
import { idCheck, operationProblems } from "./Soundness.js"

export interface CatalogProblem {
  readonly file: string
  /** Dotted path inside the file; empty for the file as a whole. */
  readonly path: string
  readonly message: string
}

/** Where an operation stands: its file, and its path in it, such as `operations.2`. */
export interface Source {
  readonly file: string
  readonly at: string
}
/** By the id of the operation. */
export type Sources = ReadonlyMap<string, Source>

/** What was read, with the place of each operation. */
export interface ReadContent extends CatalogContent {
  readonly sources: Sources
  /** The file of each job, by its id. */
  readonly jobFiles: ReadonlyMap<string, string>
}

/** These members stand at the provider, although the check finds them with an operation. */
const ofProvider: ReadonlySet<string> = new Set(["auth", "baseUrl", "platformKey", "variables"])
/** Before members that an operation has too. */
const atProvider = "provider."

/** The path in the file of a path in an operation. */
const pathInFile = (at: string, path: string): string =>
  path.startsWith(atProvider)
    ? path.slice(atProvider.length)
    : ofProvider.has(path.split(".", 1)[0] ?? "")
      ? path
      : path === ""
        ? at
        : `${at}.${path}`

/** A problem of an operation at its place in its file. An operation that was in no file is named by its id. */
export const inItsFile = (
  sources: Sources,
  { endpointId, message, path }: { readonly endpointId: string; readonly path: string; readonly message: string }
): CatalogProblem => {
  const source = sources.get(endpointId)
  return source === undefined
    ? { file: `operation ${endpointId}`, path, message }
    : { file: source.file, path: pathInFile(source.at, path), message }
}

/** The id that the manifest in a file should have. */
export const idOfFile = (file: string): string => basename(file).replace(/\.ya?ml$/, "")

export class CatalogInvalid extends Data.TaggedError("CatalogInvalid")<{
  readonly problems: ReadonlyArray<CatalogProblem>
  /** What the files without a problem hold. A check goes on with it; nothing puts it in force. */
  readonly rest: ReadContent
}> {
  override get message(): string {
    return this.problems
      .map(({ file, message, path }) => `${file}${path === "" ? "" : ` at ${path}`}: ${message}`)
      .join("\n")
  }
}

export interface ReadOptions {
  /**
   * Also compiles every input schema, and wants at least one manifest in each folder. A start does not wait for the
   * former, since runs of an operation with a bad schema fail as `contract_invalid`, and serves a folder that is filled
   * later.
   */
  readonly thorough?: boolean
  /** Jobs that exist already, such as the built-in ones. Operations may name them. */
  readonly otherJobs?: ReadonlyArray<{ readonly id: string }>
  /**
   * Whether a provider may stand in one file only, also when several folders are read. Otherwise a later folder
   * overrides an earlier one.
   */
  readonly providersOnce?: boolean
}

/** The text of one manifest, named by its file. */
export interface ManifestText {
  readonly file: string
  readonly text: string
  /** What the text holds, where that is known already. */
  readonly parsed?: unknown
}

export interface ManifestTexts {
  readonly jobs: ReadonlyArray<ManifestText>
  readonly providers: ReadonlyArray<ManifestText>
}

/** A manifest that was read. */
export interface ReadManifest<A> {
  readonly file: string
  readonly manifest: A
}
/** Left: everything that is wrong with the shape of one text. */
export type ReadResult<A> = Either.Either<ReadManifest<A>, ReadonlyArray<CatalogProblem>>

/** What may lead one level deeper or back: brackets, and what stands before the text of a line. */
const nesting = /[[{]|[\]}]|^[-? ]+/gm

/** At least as deep as the text is nested, but for brackets that close without having been opened. */
const roughDepth = (text: string): number => {
  let open = 0
  let deepest = 0
  let indented = 0
  for (const [found] of text.matchAll(nesting)) {
    if (found === "[" || found === "{") deepest = Math.max(deepest, (open += 1))
    else if (found === "]" || found === "}") open = Math.max(0, open - 1)
    else indented = Math.max(indented, found.length)
  }
  return deepest + indented
}

/** Whether a text is nested deeper than its reader, which calls itself for each level, can surely go. */
const isTooDeep = (text: string): boolean => {
  if (roughDepth(text) <= manifestDepthMax) return false
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    for (const _token of parser.next(lexeme)) continue
    if (parser.stack.length > manifestDepthMax) return true
  }
  return false
}

const parseYaml = ({ file, parsed, text }: ManifestText): Either.Either<unknown, ReadonlyArray<CatalogProblem>> => {
  if (parsed !== undefined) return Either.right(parsed)
  if (isTooDeep(text))
    return Either.left([{ file, path: "", message: `is nested deeper than ${manifestDepthMax} levels` }])
  const document = parseDocument(text)
  // What follows the first mistake is read wrongly because of it.
  const [error] = [...document.errors, ...document.warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED")]
  if (error !== undefined) return Either.left([{ file, path: "", message: yamlMistake(error, text) }])
  return Either.mapLeft(
    Either.try((): unknown => document.toJS()),
    () => [{ file, path: "", message: "uses aliases without end" }]
  )
}

const reader = <A, I>(schema: Schema.Schema<A, I>): ((text: ManifestText) => ReadResult<A>) => {
  const decode = Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })
  return (text) =>
    Either.flatMap(parseYaml(text), (value) =>
      Either.mapBoth(decode(value), {
        onLeft: (error) => shapeMistakes(error).map((mistake) => ({ file: text.file, ...mistake })),
        onRight: (manifest) => ({ file: text.file, manifest })
      })
    )
}

export const readJob = reader(JobManifest)
export const readProvider = reader(ProviderManifest)

/**
 * Jobs whose own file has a mistake, by the name of that file. The mistake is told there; the operations that name such
 * a job have none.
 */
export const brokenJobs = (jobTexts: ReadonlyArray<ReadResult<JobManifest>>): ReadonlyArray<{ readonly id: string }> =>
  jobTexts.flatMap((read) =>
    Either.isRight(read) ? [] : read.left.slice(0, 1).map(({ file }) => ({ id: idOfFile(file) }))
  )

/** The content of the manifests that were read, or all their problems. */
export const assemble = (
  jobTexts: ReadonlyArray<ReadResult<JobManifest>>,
  providerTexts: ReadonlyArray<ReadResult<ProviderManifest>>,
  options: ReadOptions
): Either.Either<ReadContent, CatalogInvalid> => {
  const problems: Array<CatalogProblem> = []
  const keysTold = new Set<string>()
  const sources = new Map<string, Source>()
  /** What every operation says of its provider is said once. */
  const tell = (problem: CatalogProblem): void => {
    const key = `${problem.file} ${problem.path} ${problem.message}`
    if (keysTold.has(key)) return
    keysTold.add(key)
    problems.push(problem)
  }
  const wellFormed = <A>(texts: ReadonlyArray<ReadResult<A>>): ReadonlyArray<ReadManifest<A>> =>
    texts.flatMap((read) => {
      if (Either.isRight(read)) return [read.right]
      problems.push(...read.left)
      return []
    })
  const twice = idCheck()
  const checkId = (kind: "job" | "provider" | "operation", id: string, file: string, path: string): void => {
    const message = twice(kind, id, file)
    if (message !== null) tell({ file, path, message })
  }

  const jobs = wellFormed(jobTexts)
  for (const { file, manifest } of jobs) checkId("job", manifest.id, file, "id")
  const jobIds = new Set<string>(
    [...jobs.map(({ manifest }) => manifest), ...brokenJobs(jobTexts), ...(options.otherJobs ?? [])].map(({ id }) => id)
  )
  const thoroughness = options.thorough === true ? "schemas" : "requests"
  const providers = wellFormed(providerTexts).map(({ file, manifest }) => {
    checkId("provider", manifest.id, file, "id")
    const endpoints = endpointsOf(manifest)
    for (const [index, endpoint] of endpoints.entries()) {
      const at = `operations.${index}`
      checkId("operation", endpoint.operation.id, file, `${at}.id`)
      sources.set(endpoint.operation.id, { file, at })
      for (const { message, path } of operationProblems(endpoint, jobIds, thoroughness))
        tell({ file, path: pathInFile(at, path), message })
    }
    return { file, endpoints }
  })
  const jobFiles = new Map(jobs.map(({ file, manifest }) => [manifest.id, file] as const))
  const content: ReadContent = {
    sources,
    jobFiles,
    jobs: jobs.map(({ manifest }) => manifest),
    endpoints: providers.flatMap(({ endpoints }) => endpoints)
  }
  if (problems.length === 0) return Either.right(content)
  const wrong = new Set(problems.map(({ file }) => file))
  const rest: ReadContent = {
    sources,
    jobFiles,
    jobs: jobs.filter(({ file }) => !wrong.has(file)).map(({ manifest }) => manifest),
    endpoints: providers.filter(({ file }) => !wrong.has(file)).flatMap(({ endpoints }) => endpoints)
  }
  return Either.left(new CatalogInvalid({ problems, rest }))
}

/** From texts to content, or to every problem. */
export const decodeCatalog = (
  texts: ManifestTexts,
  options: ReadOptions = {}
): Either.Either<ReadContent, CatalogInvalid> =>
  assemble(texts.jobs.map(readJob), texts.providers.map(readProvider), options)
