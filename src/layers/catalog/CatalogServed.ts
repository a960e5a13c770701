/**
 * The catalog from memory. One revision is served at a time; `publish` builds the next one beside it, in slices, keeps
 * its contracts and swaps it in one step, so that a request sees the old one or the new one and never a mixture.
 * Statistics, keys and the health of providers are of the view and never part of a revision.
 */
import { Context, Effect, Layer, Ref } from "effect"
import { CatalogLoading, NotFound, ValidationError } from "../../domain/ApiErrors.js"
import type { CatalogFilter } from "../../domain/CatalogView.js"
import { jobEndpointId } from "../../domain/EndpointIds.js"
import type { WorkspaceId } from "../../domain/Ids.js"
import { unknownProvider } from "../../domain/KnownProviders.js"
import { comparedMin } from "../../domain/Limits.js"
import type { Endpoint } from "../../domain/Manifest.js"
import { contractOf, jobContractOf, type OperationContract, placementOf } from "../../domain/OperationContract.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { RoutingCandidate } from "../../domain/Routing.js"
import { similar } from "../../domain/Similar.js"
import { Catalog } from "../../services/Catalog.js"
import { type CatalogContent, CatalogPublisher, CatalogRefused } from "../../services/CatalogPublisher.js"
import { ContractStore } from "../../services/ContractStore.js"
import type { Credentials } from "../../services/Credentials.js"
import { EndpointStats } from "../../services/EndpointStats.js"
import type { ProviderHealth } from "../../services/ProviderHealth.js"
import { Providers } from "../../services/Providers.js"
import { accessTables, type AccessTable } from "./AccessTable.js"
import { catalogProblems } from "./Soundness.js"
import { discover } from "./Discovering.js"
import { facetsOf, filterKey, numbersOf } from "./Filtering.js"
import { overview } from "./Overviewing.js"
import { compare, jobNamed, publicItemOf, publicItems } from "./PublicItems.js"
import { JobOrders, placeJob } from "./Ranking.js"
import { buildRevision, flags, isFlagged, jobOf, type Revision } from "./Revision.js"
import { CatalogRows } from "./CatalogRows.js"
import { decodeStoredEndpoint, decodeStoredJob, storedEndpoint, storedJobs } from "./StoredContracts.js"
import { noMatch, search, type ServedRevision } from "./Searching.js"
import type { VocabularyFile } from "./search/Vocabulary.js"

export interface CatalogOptions {
  /**
   * False in production: then no job is ever served by a fixture. Otherwise, as long as no key is set at all, a search
   * also shows what runs now first inside each job.
   */
  readonly jobsMayPickFixtures: boolean
  readonly vocabulary: VocabularyFile
}

/** Filtered endpoints are kept as long as the access table that they were filtered with. */
const filteredMax = 50
type Filtered = { readonly numbers: Uint32Array; facets: ReturnType<typeof facetsOf> | null }

const make = (options: CatalogOptions) =>
  Effect.gen(function* () {
    const stats = yield* EndpointStats
    const contracts = yield* ContractStore
    const providers = yield* Providers
    const tableOf = yield* accessTables
    const serving = yield* Ref.make<ServedRevision | null>(null)
    const publishing = yield* Effect.makeSemaphore(1)

    const current = Effect.flatMap(Ref.get(serving), (served) =>
      served === null ? new CatalogLoading({ retryAfterSeconds: 1 }) : Effect.succeed(served)
    )
    const viewFor = Effect.fnUntraced(function* (revision: Revision, workspaceId: WorkspaceId | null) {
      const table = yield* tableOf(revision, workspaceId)
      return { table, statistics: yield* stats.snapshot, runnableFirst: options.jobsMayPickFixtures && !table.hasKey }
    })
    const at = Effect.fnUntraced(function* (workspaceId: WorkspaceId | null) {
      const served = yield* current
      return { served, view: yield* viewFor(served.revision, workspaceId) }
    })

    const filtered = new WeakMap<AccessTable, Map<string, Filtered>>()
    const filteredBy = (revision: Revision, filter: CatalogFilter, table: AccessTable): Filtered => {
      const known = filtered.get(table) ?? new Map<string, Filtered>()
      const key = filterKey(filter)
      const found = known.get(key) ?? { numbers: numbersOf(revision, filter, table), facets: null }
      if (known.size >= filteredMax) known.clear()
      filtered.set(table, known.set(key, found))
      return found
    }

    const endpointOf = ({ revision }: ServedRevision, endpointId: string): Endpoint | null => {
      const number = revision.numberOf.get(endpointId)
      return number === undefined ? null : (revision.endpoints[number] ?? null)
    }

    const endpointAt = Effect.fnUntraced(function* (endpointId: string, contractVersion: string) {
      const endpoint = endpointOf(yield* current, endpointId)
      if (endpoint?.contractVersion === contractVersion) return endpoint
      const decoded = decodeStoredEndpoint(yield* contracts.find(endpointId, contractVersion))
      return decoded._tag === "None" ? null : { ...decoded.value, contractVersion }
    })

    /** As a run of the tool would take the input; where it would not, as a run of its job. */
    const accepting: Providers["Type"]["prepare"] = (endpoint, input) => {
      const prepared = providers.prepare(endpoint, input)
      return prepared._tag === "Accepted" || endpoint.operation.job === undefined
        ? prepared
        : providers.prepareJob(endpoint, input)
    }

    /** Without a workspace nobody can say whose account is there: what needs one counts as what does not. */
    const obstacles =
      (table: AccessTable, workspaceKnown: boolean) =>
      (number: number): RoutingCandidate["obstacle"] => {
        const { access, runnableNow } = table.of(number)
        return runnableNow ? 0 : access !== "needs_your_account" ? 2 : workspaceKnown ? 1 : 0
      }

    const jobContract = Effect.fnUntraced(function* (jobId: string, version: string | null, workspaceId: WorkspaceId) {
      const {
        view: { statistics, table },
        served: { revision }
      } = yield* at(workspaceId)
      const id = `job:${jobId}`
      const missing = new NotFound({ what: "operation", id })
      const job = revision.jobs.get(jobId)
      const now = revision.jobVersions.get(jobId)
      if (job !== undefined && now !== undefined && (version === null || version === now)) {
        const placed = placeJob(
          revision,
          supplyNumbers(revision, jobId),
          "balanced",
          statistics,
          obstacles(table, true)
        )
        const supply = placed.flatMap(({ number, reason }) => {
          const endpoint = revision.endpoints[number]
          return endpoint === undefined ? [] : [{ endpoint, reason, access: table.of(number).access }]
        })
        return jobContractOf(job, { supply, contractVersion: now })
      }
      if (version === null) return yield* missing
      const stored = decodeStoredJob(yield* contracts.find(id, version))
      if (stored._tag === "None") return yield* missing
      const members = yield* Effect.forEach(stored.value.members, (member) =>
        endpointAt(member.endpointId, member.contractVersion)
      )
      const supply = members.flatMap((endpoint) =>
        endpoint === null
          ? []
          : [{ endpoint, reason: "a provider of this version", access: accessNow(revision, table, endpoint) }]
      )
      return jobContractOf(stored.value.job, { supply, contractVersion: version })
    })

    const accessNow = (revision: Revision, table: AccessTable, endpoint: Endpoint) => {
      const number = revision.numberOf.get(endpoint.operation.id)
      return number === undefined ? ("coming_soon" as const) : table.of(number).access
    }

    const supplyNumbers = (revision: Revision, jobId: string): ReadonlyArray<number> =>
      (revision.numbersOfJob.get(jobId) ?? []).filter(
        (number) => options.jobsMayPickFixtures || !isFlagged(revision, number, flags.mock)
      )

    const publish = Effect.fn("CatalogPublisher.publish")(function* (content: CatalogContent) {
      // Each operation was checked where it came in; what is laid over what may still leave one without its job.
      const problems = yield* catalogProblems(content, "terms")
      if (problems.length > 0) return yield* new CatalogRefused({ problems })
      const revision = yield* buildRevision(content, options.vocabulary)
      yield* contracts.keep([...storedJobs(revision), ...revision.endpoints.map(storedEndpoint)])
      const served = yield* Ref.get(serving)
      if (served?.revision.id !== revision.id) {
        yield* Ref.set(serving, { revision, rows: new CatalogRows(revision), orders: new JobOrders(revision) })
        yield* Effect.logInfo("Catalog revision in force").pipe(
          Effect.annotateLogs({ revision: revision.id, endpoints: revision.endpoints.length, jobs: revision.jobs.size })
        )
      }
      return revision.id
    }, publishing.withPermits(1))

    const catalog = Catalog.of({
      endpoint: (endpointId) => Effect.map(current, (served) => endpointOf(served, endpointId)),
      placement: (endpoint) =>
        Effect.map(current, ({ revision }) => placementOf(endpoint.operation, jobOf(revision, endpoint))),
      endpointAt,
      supply: Effect.fnUntraced(function* (jobId, prefer) {
        const {
          view: { statistics, table },
          served: { revision }
        } = yield* at(null)
        const job = revision.jobs.get(jobId)
        if (job === undefined) return null
        const endpoints = placeJob(
          revision,
          supplyNumbers(revision, jobId),
          prefer,
          statistics,
          obstacles(table, false)
        ).flatMap(({ number, reason }) => {
          const endpoint = revision.endpoints[number]
          return endpoint === undefined ? [] : [{ endpoint, reason }]
        })
        return { job, endpoints }
      }),
      jobMeant: (endpointId) => Effect.map(current, ({ revision }) => jobMeant(revision, endpointId)),
      jobNamed: (capability) => Effect.map(current, ({ revision }) => jobNamed(revision, capability)),
      similarJobs: (jobId) => Effect.map(current, ({ revision }) => similar(jobId, revision.jobs.keys())),
      providerProblem: (providerId) =>
        Effect.map(
          current,
          ({
            revision: {
              provider: { codeOf }
            }
          }) => (codeOf.has(providerId) ? null : unknownProvider(providerId, codeOf.keys()))
        ),
      revision: Effect.map(current, ({ revision }) => revision.id),

      search: (query, workspaceId) => Effect.map(at(workspaceId), ({ view, served }) => search(served, query, view)),
      discover: (query, workspaceId) =>
        Effect.map(at(workspaceId), ({ view, served }) => discover(served, query, view)),
      list: (query, workspaceId) =>
        Effect.map(at(workspaceId), ({ view, served: { revision, rows } }) => {
          const found = filteredBy(revision, query, view.table)
          if (query.facets) found.facets ??= facetsOf(revision, found.numbers)
          const start = query.after === null ? 0 : startAfter(revision, found.numbers, query.after)
          const page = found.numbers.subarray(start, start + query.limit)
          const last = page[page.length - 1]
          return {
            endpoints: Array.from(page).flatMap((number) => rows.row(number, view.table, view.statistics, null) ?? []),
            next:
              last !== undefined && start + page.length < found.numbers.length
                ? (revision.endpoints[last]?.operation.id ?? null)
                : null,
            total: found.numbers.length,
            revision: revision.id,
            facets: query.facets ? found.facets : null
          }
        }),
      overview: (query) => Effect.flatMap(at(null), ({ view, served }) => overview(served, query, view)),
      rows: (endpointIds, workspaceId) =>
        Effect.map(at(workspaceId), ({ view, served: { revision, rows } }) =>
          endpointIds.flatMap((id) => {
            const number = revision.numberOf.get(id)
            return number === undefined ? [] : (rows.row(number, view.table, view.statistics, null) ?? [])
          })
        ),
      contract: Effect.fn("Catalog.contract")(function* (endpointId, contractVersion, workspaceId): Effect.fn.Return<
        OperationContract,
        NotFound | CatalogLoading | StorageError
      > {
        if (endpointId.startsWith("job:")) return yield* jobContract(endpointId.slice(4), contractVersion, workspaceId)
        const {
          view: { table },
          served
        } = yield* at(workspaceId)
        const endpoint =
          contractVersion === null ? endpointOf(served, endpointId) : yield* endpointAt(endpointId, contractVersion)
        if (endpoint === null) {
          const meant = jobMeant(served.revision, endpointId)
          return yield* new NotFound({ what: "operation", id: endpointId, ...(meant === null ? {} : { meant }) })
        }
        return contractOf(endpoint, {
          job: jobOf(served.revision, endpoint),
          access: accessNow(served.revision, table, endpoint)
        })
      }),

      publicItems: Effect.fnUntraced(function* (query) {
        const { view, served } = yield* at(null)
        const page = publicItems(served, query, view)
        if (page === null) return yield* ValidationError.of("cursor", "is not a cursor of this list")
        const { items, next, unmatched } = page
        return { items, next, ...(unmatched ? { warnings: [noMatch(items.length)] } : {}) }
      }),
      publicItem: Effect.fnUntraced(function* (catalogItemId) {
        const { view, served } = yield* at(null)
        const number = served.revision.numberOf.get(catalogItemId)
        const endpoint =
          number === undefined || view.table.isHidden(number) ? undefined : served.revision.endpoints[number]
        if (endpoint === undefined) return yield* new NotFound({ what: "catalog item", id: catalogItemId })
        return publicItemOf(endpoint, jobOf(served.revision, endpoint))
      }),
      compare: Effect.fnUntraced(function* (catalogItemIds, input) {
        const { view, served } = yield* at(null)
        const ids = Array.from(new Set(catalogItemIds))
        if (ids.length < comparedMin)
          return yield* ValidationError.of("catalogItemIds", `must name at least ${comparedMin} different items`)
        const known = ids.flatMap((id) => served.revision.numberOf.get(id) ?? [])
        const unknown = ids.filter((id) => !served.revision.numberOf.has(id))
        if (known.length === 0) return yield* new NotFound({ what: "catalog item", id: ids[0] ?? "" })
        return { ...compare(served, known, input, accepting, view), unknown }
      })
    })
    return { catalog, publisher: CatalogPublisher.of({ publish }) }
  })

const jobMeant = (revision: Revision, endpointId: string): string | null => {
  const found = jobNamed(revision, endpointId)
  return found === null ? null : jobEndpointId(found)
}

/** The place of the first endpoint after this id, which need not exist any more. */
const startAfter = (revision: Revision, numbers: Uint32Array, id: string): number => {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const endpoint = revision.endpoints[numbers[middle] ?? 0]
    if (endpoint !== undefined && endpoint.operation.id <= id) low = middle + 1
    else high = middle
  }
  return low
}

export const CatalogServed = (
  options: CatalogOptions
): Layer.Layer<
  Catalog | CatalogPublisher,
  never,
  ContractStore | Credentials | EndpointStats | ProviderHealth | Providers
> =>
  Layer.effectContext(
    Effect.map(make(options), ({ catalog, publisher }) =>
      Context.make(Catalog, catalog).pipe(Context.add(CatalogPublisher, publisher))
    )
  )
