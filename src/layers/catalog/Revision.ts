// One revision of the catalog. It never changes, and it holds what every question needs, laid out for fast reading.
// Endpoints are numbered in the order of their ids. Every list and column below is indexed by that number, and so is
// the search index.
import { createHash, hash } from "node:crypto"
import { Clock, Effect } from "effect"
import { canonical, type Json } from "../../domain/Json.js"
import { type Endpoint, isKeyless, type JobManifest } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { listedMicros, placementOf } from "../../domain/ContractMaking.js"
import { jobValues } from "../../domain/JobValues.js"
import { inputFields } from "../../domain/OperationInput.js"
import type { CatalogContent } from "../../services/CatalogPublisher.js"
import type { SearchDocument } from "./search/SearchDocument.js"
import { SearchIndex } from "./search/SearchIndex.js"
import type { AskingFile, SearchVocabulary } from "./search/Vocabulary.js"
import { SharedMembers, leanEndpoint } from "./LeanEndpoint.js"
import { forEachInSlices, sortInSlices } from "../node/LongWork.js"

export type Provider = Endpoint["provider"]

/** The distinct values of one property, and the number of the value of each endpoint. */
export interface Column {
  readonly values: ReadonlyArray<string>
  readonly codes: Uint32Array
  readonly codeOf: ReadonlyMap<string, number>
}

export const flags = { keyless: 1, verified: 2, mock: 4, unavailable: 8 } as const

export interface Revision {
  readonly id: string
  /** ISO 8601. */
  readonly builtAt: string
  readonly jobs: ReadonlyMap<string, JobManifest>
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly numberOf: ReadonlyMap<string, number>
  readonly numbersOfJob: ReadonlyMap<string, ReadonlyArray<number>>
  readonly providers: ReadonlyArray<Provider>
  readonly category: Column
  readonly platform: Column
  readonly provider: Column
  /**
   * For each endpoint, the position of its provider in `providers`. An import may list one provider several times, with
   * different addresses or kinds of key.
   */
  readonly accountOf: Uint32Array
  /** The job of each endpoint; the empty text for an operation that does no job. */
  readonly capability: Column
  readonly flags: Uint8Array
  readonly hasMocks: boolean
  readonly priceMicros: Float64Array
  readonly index: SearchIndex
  /** A search index over the jobs, in the order of `jobs`. */
  readonly jobIndex: SearchIndex
  /** The version of each job by its id. It changes when the job or the contract of one of its providers changes. */
  readonly jobVersions: ReadonlyMap<string, string>
}

export const jobOf = (revision: Pick<Revision, "jobs">, { operation }: Endpoint): JobManifest | null =>
  operation.job === undefined ? null : (revision.jobs.get(operation.job) ?? null)

export const isFlagged = (revision: Revision, number: number, flag: number): boolean =>
  ((revision.flags[number] ?? 0) & flag) !== 0

class ColumnBuilder {
  private readonly numbers = new Map<string, number>()
  private readonly values: Array<string> = []
  private readonly codes: Uint32Array
  constructor(count: number) {
    this.codes = new Uint32Array(count)
  }
  set(at: number, value: string): void {
    const known = this.numbers.get(value)
    this.codes[at] = known ?? this.values.length
    if (known !== undefined) return
    this.numbers.set(value, this.values.length)
    this.values.push(value)
  }
  done(): Column {
    return { values: this.values, codes: this.codes, codeOf: this.numbers }
  }
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")

/** `asking`: how people ask for its job. */
export const documentOf = (endpoint: Endpoint, job: JobManifest | null, asking = ""): SearchDocument => {
  const { operation, provider } = endpoint
  const { category, platform } = placementOf(operation, job)
  return {
    endpointId: operation.id,
    provider: provider.id,
    providerName: provider.name,
    name: operation.name,
    description: operation.summary,
    capability: operation.job ?? null,
    ...(job === null ? {} : { capabilityTitle: job.title, asking }),
    category,
    platform: platform === "general" ? "" : platform,
    path: operation.path === "/" ? "" : operation.path,
    ...(operation.sourceCapability === undefined ? {} : { tags: [operation.sourceCapability] }),
    parameters: inputFields(operation).map(([name, schema]) => ({ name, description: textOf(schema["description"]) }))
  }
}

const jobDocument = (job: JobManifest, asking: string): SearchDocument => ({
  endpointId: job.id,
  provider: job.platform,
  providerName: job.platform,
  name: job.title,
  description: job.description,
  capability: job.id,
  category: job.category,
  platform: job.platform,
  parameters: [],
  asking
})

/** How people ask for the jobs of this catalog: what their own files say, and what the vocabulary says besides. */
const askingFor = ({ asking = {} }: SearchVocabulary, jobs: ReadonlyArray<JobManifest>): AskingFile =>
  Object.fromEntries(jobs.map(({ id, phrases, title }) => [id, [title, ...phrases, ...(member(asking, id) ?? [])]]))

/** The version of a job's contract, made from the job and the contract versions of the operations that do it. */
const jobVersionOf = (job: JobManifest, members: ReadonlyArray<Endpoint>): string =>
  hash("sha256", canonical([job, members.map(({ contractVersion, operation }) => [operation.id, contractVersion])]))

export const buildRevision = Effect.fn("Catalog.buildRevision")(function* (
  content: CatalogContent,
  vocabulary: SearchVocabulary
) {
  const given = yield* sortInSlices(content.endpoints, ({ operation }) => operation.id)
  const endpoints: Array<Endpoint> = []
  const common = new SharedMembers()
  const jobList = content.jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const jobs = new Map<string, JobManifest>(jobList.map((job) => [job.id, job]))
  const count = given.length
  const category = new ColumnBuilder(count)
  const platform = new ColumnBuilder(count)
  const provider = new ColumnBuilder(count)
  const capability = new ColumnBuilder(count)
  const marks = new Uint8Array(count)
  const priceMicros = new Float64Array(count)
  const providers: Array<Provider> = []
  const accountOf = new Uint32Array(count)
  const accounts = new Map<Provider, number>()
  const numberOf = new Map<string, number>()
  const numbersOfJob = new Map<string, Array<number>>()
  const digest = createHash("sha256").update(canonical(jobList))

  yield* forEachInSlices(count, (number) => {
    const endpoint = given[number]
    if (endpoint === undefined) return
    endpoints.push(leanEndpoint(endpoint, common))
    const { contractVersion, operation, provider: owner } = endpoint
    const job = jobOf({ jobs }, endpoint)
    const place = placementOf(operation, job)
    numberOf.set(operation.id, number)
    category.set(number, place.category)
    platform.set(number, place.platform)
    provider.set(number, owner.id)
    const account = accounts.get(owner)
    accountOf[number] = account ?? providers.length
    if (account === undefined) {
      accounts.set(owner, providers.length)
      providers.push(owner)
      // Contract versions leave out what changes no call, such as where its documentation is.
      digest.update(canonical(owner))
    }
    capability.set(number, operation.job ?? "")
    if (operation.job !== undefined) {
      const known = numbersOfJob.get(operation.job)
      if (known === undefined) numbersOfJob.set(operation.job, [number])
      else known.push(number)
    }
    marks[number] =
      (isKeyless(owner) ? flags.keyless : 0) |
      (operation.provenance?.verified === true ? flags.verified : 0) |
      (owner.mock ? flags.mock : 0) |
      (!operation.activated || owner.auth.type === "unsupported" ? flags.unavailable : 0)
    priceMicros[number] = listedMicros(operation.price)
    const { facts, name, provenance, samples, summary } = operation
    digest.update(JSON.stringify([operation.id, contractVersion, name, summary, facts, provenance, samples]))
  })

  const asking = askingFor(vocabulary, jobList)
  // One text for all operations of a job, so that the index reads it once.
  const askingTexts = new Map(Object.entries(asking).map(([id, ways]) => [id, ways.join(". ")]))
  const words = { ...vocabulary, asking, jobValues: new Map(jobList.map((job) => [job.id, jobValues(job)])) }
  /** Documents are made one by one: all of them together would take as much memory as the catalog. */
  const documentAt = (number: number): SearchDocument | undefined => {
    const endpoint = given[number]
    if (endpoint === undefined) return undefined
    const job = jobOf({ jobs }, endpoint)
    return documentOf(endpoint, job, askingTexts.get(job?.id ?? ""))
  }
  const index = yield* SearchIndex.buildSliced({ length: count, at: documentAt }, words)
  const jobDocuments = jobList.map((job) => jobDocument(job, askingTexts.get(job.id) ?? ""))
  const jobIndex = yield* SearchIndex.buildSliced(jobDocuments, words)
  const revision: Revision = {
    id: digest.digest("hex").slice(0, 32),
    builtAt: new Date(yield* Clock.currentTimeMillis).toISOString(),
    jobs,
    endpoints,
    numberOf,
    numbersOfJob,
    providers,
    category: category.done(),
    platform: platform.done(),
    provider: provider.done(),
    accountOf,
    capability: capability.done(),
    flags: marks,
    hasMocks: marks.some((mark) => (mark & flags.mock) !== 0),
    priceMicros,
    index,
    jobIndex,
    jobVersions: new Map(
      jobList.map((job) => [
        job.id,
        jobVersionOf(
          job,
          (numbersOfJob.get(job.id) ?? []).flatMap((number) => endpoints[number] ?? [])
        )
      ])
    )
  }
  return revision
})
