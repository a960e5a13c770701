/**
 * From the texts of manifests (YAML) to the content of a catalog. Either everything is sound, or the failure lists
 * every problem of every text with its path inside the text. Pure: `CatalogFiles.ts` reads the files.
 */
import { Data, Either, ParseResult, Schema } from "effect"
import { parseDocument } from "yaml"
import { JobManifest, ProviderManifest } from "../../domain/Manifest.js"
import type { CatalogContent } from "../../services/CatalogPublisher.js"
import { endpointsOf } from "./ManifestEndpoints.js"
import { idCheck, operationProblems } from "./Soundness.js"

export interface CatalogProblem {
  readonly file: string
  /** Dotted path inside the file; empty for the file as a whole. */
  readonly path: string
  readonly message: string
}

export class CatalogInvalid extends Data.TaggedError("CatalogInvalid")<{
  readonly problems: ReadonlyArray<CatalogProblem>
  /** What the files without a problem hold. A check goes on with it; nothing puts it in force. */
  readonly rest: CatalogContent
}> {
  override get message(): string {
    return this.problems
      .map(({ file, message, path }) => `${file}${path === "" ? "" : ` at ${path}`}: ${message}`)
      .join("\n")
  }
}

export interface ReadOptions {
  /**
   * Also compiles every input schema. A start does not wait for that: runs of an operation with a bad schema fail as
   * `contract_invalid`.
   */
  readonly thorough?: boolean
  /** Jobs that exist already, such as the built-in ones. Operations may name them. */
  readonly otherJobs?: ReadonlyArray<JobManifest>
}

/** The text of one manifest, named by its file. */
export interface ManifestText {
  readonly file: string
  readonly text: string
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

const parseYaml = ({ file, text }: ManifestText): Either.Either<unknown, ReadonlyArray<CatalogProblem>> => {
  const document = parseDocument(text)
  // What follows the first mistake is read wrongly because of it.
  const [error] = document.errors
  if (error !== undefined)
    return Either.left([{ file, path: "", message: error.message.split("\n", 1)[0] ?? "is not YAML" }])
  return Either.mapLeft(
    Either.try((): unknown => document.toJS()),
    () => [{ file, path: "", message: "uses aliases without end" }]
  )
}

const shapeProblems = (file: string, error: ParseResult.ParseError): ReadonlyArray<CatalogProblem> =>
  ParseResult.ArrayFormatter.formatErrorSync(error).map((issue) => ({
    file,
    path: issue.path.map(String).join("."),
    message: issue.message
  }))

const reader = <A, I>(schema: Schema.Schema<A, I>): ((text: ManifestText) => ReadResult<A>) => {
  const decode = Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })
  return (text) =>
    Either.flatMap(parseYaml(text), (value) =>
      Either.mapBoth(decode(value), {
        onLeft: (error) => shapeProblems(text.file, error),
        onRight: (manifest) => ({ file: text.file, manifest })
      })
    )
}

export const readJob = reader(JobManifest)
export const readProvider = reader(ProviderManifest)

/** The content of the manifests that were read, or all their problems. */
export const assemble = (
  jobTexts: ReadonlyArray<ReadResult<JobManifest>>,
  providerTexts: ReadonlyArray<ReadResult<ProviderManifest>>,
  options: ReadOptions
): Either.Either<CatalogContent, CatalogInvalid> => {
  const problems: Array<CatalogProblem> = []
  const wellFormed = <A>(texts: ReadonlyArray<ReadResult<A>>): ReadonlyArray<ReadManifest<A>> =>
    texts.flatMap((read) => {
      if (Either.isRight(read)) return [read.right]
      problems.push(...read.left)
      return []
    })
  const twice = idCheck()
  const checkId = (kind: "job" | "provider" | "operation", id: string, file: string, path: string): void => {
    const message = twice(kind, id, file)
    if (message !== null) problems.push({ file, path, message })
  }

  const jobs = wellFormed(jobTexts)
  for (const { file, manifest } of jobs) checkId("job", manifest.id, file, "id")
  const jobIds = new Set<string>([
    ...jobs.map(({ manifest }) => manifest.id),
    ...(options.otherJobs ?? []).map(({ id }) => id)
  ])
  const thoroughness = options.thorough === true ? "schemas" : "requests"
  const providers = wellFormed(providerTexts).map(({ file, manifest }) => {
    checkId("provider", manifest.id, file, "id")
    const endpoints = endpointsOf(manifest)
    for (const [index, endpoint] of endpoints.entries()) {
      const at = `operations.${index}`
      checkId("operation", endpoint.operation.id, file, `${at}.id`)
      for (const { message, path } of operationProblems(endpoint, jobIds, thoroughness))
        problems.push({ file, path: `${at}.${path}`, message })
    }
    return { file, endpoints }
  })
  const content = {
    jobs: jobs.map(({ manifest }) => manifest),
    endpoints: providers.flatMap(({ endpoints }) => endpoints)
  }
  if (problems.length === 0) return Either.right(content)
  const wrong = new Set(problems.map(({ file }) => file))
  const rest = {
    jobs: jobs.filter(({ file }) => !wrong.has(file)).map(({ manifest }) => manifest),
    endpoints: providers.filter(({ file }) => !wrong.has(file)).flatMap(({ endpoints }) => endpoints)
  }
  return Either.left(new CatalogInvalid({ problems, rest }))
}

/** From texts to content, or to every problem. */
export const decodeCatalog = (
  texts: ManifestTexts,
  options: ReadOptions = {}
): Either.Either<CatalogContent, CatalogInvalid> =>
  assemble(texts.jobs.map(readJob), texts.providers.map(readProvider), options)
