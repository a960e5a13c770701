/**
 * The catalog from memory. One revision is served at a time; `publish` builds the next one beside it, in slices, keeps
 * its contracts and swaps it in one step, so that a request sees the old one or the new one and never a mixture. Each
 * question is answered by a function of its own over the served revision as the caller sees it (`ServedRevision.ts`).
 */
import { Context, Effect, Either, Layer, Ref } from "effect"
import { badCursor, CatalogLoading, NotFound } from "../../domain/ApiErrors.js"
import { unknownProvider } from "../../domain/KnownProviders.js"
import type { Endpoint } from "../../domain/Manifest.js"
import { type HoldOf, placementOf } from "../../domain/ContractMaking.js"
import { similar } from "../../domain/Similar.js"
import { Catalog, type Viewer } from "../../services/Catalog.js"
import { type CatalogContent, CatalogPublisher, CatalogRefused } from "../../services/CatalogPublisher.js"
import { ContractStore } from "../../services/ContractStore.js"
import type { Credentials } from "../../services/Credentials.js"
import { EndpointStats } from "../../services/EndpointStats.js"
import type { ProviderHealth } from "../../services/ProviderHealth.js"
import { type PreparedInput, Providers } from "../../services/Providers.js"
import { SearchUses } from "../../services/SearchUses.js"
import { holdFor } from "../providers/PriceByInput.js"
import { variablesProblem } from "../providers/Variables.js"
import { keyFormProblem } from "../secrets/KeyForms.js"
import { accessTables } from "./AccessTable.js"
import { compare, type Prepare, type PricedInput } from "./Comparing.js"
import { discover } from "./Discovering.js"
import { noUses, type ShownRow, usedIds } from "./learning/RaisedByUse.js"
import { jobNamed } from "./JobNames.js"
import { idMeant } from "./MeantIds.js"
import { suppliersOf, type SupplyOptions } from "./JobSupply.js"
import { list } from "./Listing.js"
import { overview } from "./Overviewing.js"
import { endpointAt, operationContract } from "./PinnedContracts.js"
import { publicItemOf, publicItems } from "./PublicItems.js"
import { buildRevision, jobOf } from "./Revision.js"
import { search } from "./SearchAnswers.js"
import { noMatch } from "./Searching.js"
import { endpointOf, providersOf, type Seen, serve, type ServedRevision } from "./ServedRevision.js"
import { catalogProblems } from "./Soundness.js"
import { storedEndpoint, storedJobs } from "./StoredContracts.js"
import type { SearchVocabulary } from "./search/Vocabulary.js"

export interface CatalogOptions extends SupplyOptions {
  readonly vocabulary: SearchVocabulary
}

const priced = (endpoint: Endpoint, prepared: PreparedInput): PricedInput =>
  prepared._tag === "Rejected"
    ? prepared
    : Either.match(holdFor(endpoint, prepared.input), {
        onLeft: (problem) => ({ _tag: "Rejected", problems: [problem] }),
        onRight: (maxMicros) => ({ _tag: "Accepted", maxMicros })
      })

/**
 * Prepares an input as a run of the tool would. If the tool does not accept the input, prepares it as a run of its job.
 */
const preparedBy =
  (providers: Providers["Type"]): Prepare =>
  (endpoint, input) => {
    const prepared = priced(endpoint, providers.prepare(endpoint, input))
    return prepared._tag === "Accepted" || endpoint.operation.job === undefined
      ? prepared
      : priced(endpoint, providers.prepareJob(endpoint, input))
  }

/** What a run of a job holds at one of its providers; null when that provider does not take the input. */
const heldForJob =
  (providers: Providers["Type"]): HoldOf =>
  (endpoint, input) => {
    const prepared = priced(endpoint, providers.prepareJob(endpoint, input))
    return prepared._tag === "Accepted" ? prepared.maxMicros : null
  }

/** The part that answers questions, and the part that puts a new revision in force. */
interface Serving {
  readonly current: Effect.Effect<ServedRevision, CatalogLoading>
  /** The served revision as this caller sees it; `viewer` is null for a caller who is not known. */
  readonly seenBy: (viewer: Viewer | null) => Effect.Effect<Seen, CatalogLoading>
  /** The same, with what its workspace used after its searches. */
  readonly seenBySearcher: (viewer: Viewer) => Effect.Effect<Seen, CatalogLoading>
  /** Notes what was shown, for a workspace that learns from use. Rows that match nothing are no results. */
  readonly noteShown: (
    viewer: Viewer,
    rows: ReadonlyArray<ShownRow>,
    warnings: ReadonlyArray<{ readonly code: string }> | undefined
  ) => Effect.Effect<void>
  readonly contracts: ContractStore["Type"]
  readonly prepare: Prepare
  readonly jobHoldOf: HoldOf
}

const makeCatalog = (
  { contracts, current, jobHoldOf, noteShown, prepare, seenBy, seenBySearcher }: Serving,
  options: CatalogOptions
): Catalog["Type"] => ({
  endpoint: (endpointId) => Effect.map(current, ({ revision }) => endpointOf(revision, endpointId)),
  placement: (endpoint) =>
    Effect.map(current, ({ revision }) => placementOf(endpoint.operation, jobOf(revision, endpoint))),
  endpointAt: (endpointId, contractVersion) =>
    Effect.flatMap(current, (served) => endpointAt(contracts, served, endpointId, contractVersion)),
  supply: (jobId, prefer) =>
    Effect.map(seenBy(null), (seen) => {
      const job = seen.served.revision.jobs.get(jobId)
      return job === undefined ? null : { job, endpoints: suppliersOf(seen, jobId, prefer, options) }
    }),
  idMeant: (endpointId) => Effect.map(current, ({ revision }) => idMeant(revision, endpointId)),
  jobNamed: (capability) => Effect.map(current, ({ revision }) => jobNamed(revision, capability)),
  similarJobs: (jobId) => Effect.map(current, ({ revision }) => similar(jobId, revision.jobs.keys())),
  providerProblem: (providerId) =>
    Effect.map(current, ({ revision }) => {
      const { codeOf } = revision.provider
      return codeOf.has(providerId) ? null : unknownProvider(providerId, codeOf.keys())
    }),
  connectionProblem: (providerId, variables, secret) =>
    Effect.map(current, ({ revision }) => {
      const { codeOf } = revision.provider
      const providers = revision.providers.filter(({ id }) => id === providerId)
      return codeOf.has(providerId)
        ? (variablesProblem(providers, variables) ?? keyFormProblem(providers, secret, "connection"))
        : { field: "providerId", message: unknownProvider(providerId, codeOf.keys()) }
    }),
  providers: Effect.map(current, ({ revision }) => providersOf(revision)),
  revision: Effect.map(current, ({ revision }) => revision.id),

  search: (query, viewer) =>
    Effect.map(seenBySearcher(viewer), (seen) => search(seen, query)).pipe(
      Effect.tap(({ endpoints, warnings }) => noteShown(viewer, endpoints, warnings))
    ),
  discover: (query, viewer) =>
    Effect.map(seenBySearcher(viewer), (seen) => discover(seen, query)).pipe(
      Effect.tap(({ operations, warnings }) => noteShown(viewer, operations, warnings))
    ),
  list: (query, viewer) => Effect.map(seenBy(viewer), (seen) => list(seen, query)),
  overview: (query) => Effect.flatMap(seenBy(null), (seen) => overview(seen, query)),
  rows: (endpointIds, viewer) =>
    Effect.map(seenBy(viewer), ({ served: { revision, rows }, view }) =>
      endpointIds.flatMap((id) => {
        const number = revision.numberOf.get(id)
        return number === undefined ? [] : (rows.row(number, view.table, view.statistics, null) ?? [])
      })
    ),
  contract: (endpointId, contractVersion, viewer) =>
    Effect.flatMap(seenBy(viewer), (seen) =>
      operationContract(contracts, seen, { ...options, jobHoldOf }, endpointId, contractVersion)
    ).pipe(Effect.withSpan("Catalog.contract")),

  publicItems: (query) =>
    Effect.flatMap(seenBy(null), (seen) => {
      const page = publicItems(seen, query)
      if (page === null) return badCursor()
      const { appliedHints, dropped, items, next, unknown, unmatched } = page
      const warnings = unmatched || unknown.length > 0 ? [noMatch(items.length, unknown)] : dropped
      return Effect.succeed({
        items,
        next,
        ...(warnings.length === 0 ? {} : { warnings }),
        ...(appliedHints.length === 0 ? {} : { appliedHints })
      })
    }),
  publicItem: (catalogItemId) =>
    Effect.flatMap(seenBy(null), ({ served: { revision }, view }) => {
      const number = revision.numberOf.get(catalogItemId)
      const endpoint = number === undefined || view.table.isHidden(number) ? undefined : revision.endpoints[number]
      return endpoint === undefined
        ? new NotFound({ what: "catalog item", id: catalogItemId })
        : Effect.succeed(publicItemOf(endpoint, jobOf(revision, endpoint)))
    }),
  compare: (catalogItemIds, input) =>
    Effect.flatMap(seenBy(null), (seen) => compare(seen, catalogItemIds, input, prepare))
})

const makePublisher = (
  contracts: ContractStore["Type"],
  inForce: Ref.Ref<ServedRevision | null>,
  { vocabulary }: CatalogOptions
): Effect.Effect<CatalogPublisher["Type"]> =>
  Effect.map(Effect.makeSemaphore(1), (oneAtATime) => ({
    publish: Effect.fn("CatalogPublisher.publish")(function* (content: CatalogContent) {
      // Each operation was checked when it was read. Merging two catalogs may still leave an operation whose job is
      // missing.
      const problems = yield* catalogProblems(content, "terms")
      if (problems.length > 0) return yield* new CatalogRefused({ problems })
      const revision = yield* buildRevision(content, vocabulary)
      yield* contracts.keep([...storedJobs(revision), ...revision.endpoints.map(storedEndpoint)])
      const before = yield* Ref.get(inForce)
      if (before?.revision.id !== revision.id) {
        yield* Ref.set(inForce, serve(revision))
        yield* Effect.logInfo("Catalog revision in force").pipe(
          Effect.annotateLogs({ revision: revision.id, endpoints: revision.endpoints.length, jobs: revision.jobs.size })
        )
      }
      return revision.id
    }, oneAtATime.withPermits(1))
  }))

const make = (options: CatalogOptions) =>
  Effect.gen(function* () {
    const stats = yield* EndpointStats
    const contracts = yield* ContractStore
    const providers = yield* Providers
    const [prepare, jobHoldOf] = [preparedBy(providers), heldForJob(providers)]
    const tableOf = yield* accessTables
    const uses = yield* SearchUses
    const inForce = yield* Ref.make<ServedRevision | null>(null)
    const current = Effect.flatMap(Ref.get(inForce), (served) =>
      served === null ? new CatalogLoading({ retryAfterSeconds: 1 }) : Effect.succeed(served)
    )
    const seenBy = Effect.fnUntraced(function* (viewer: Viewer | null) {
      const served = yield* current
      const table = yield* tableOf(served.revision, viewer)
      const statistics = yield* stats.snapshot
      // While no key is set at all, a search shows first, inside each job, the operations that run now. This helps a
      // new user.
      const runnableFirst = options.jobsMayPickFixtures && !table.hasKey
      return {
        served,
        view: { workspaceId: viewer?.workspaceId ?? null, table, statistics, runnableFirst, uses: noUses }
      }
    })
    const seenBySearcher = (viewer: Viewer) =>
      viewer.learnsFromUse
        ? Effect.zipWith(seenBy(viewer), uses.weights(viewer.workspaceId), ({ served, view }, weights) => ({
            served,
            view: { ...view, uses: weights }
          }))
        : seenBy(viewer)
    const noteShown: Serving["noteShown"] = ({ learnsFromUse, workspaceId }, rows, warnings = []) =>
      learnsFromUse && rows.length > 0 && !warnings.some(({ code }) => code === "no_match")
        ? uses.shown(workspaceId, rows.flatMap(usedIds))
        : Effect.void
    const serving = { contracts, current, jobHoldOf, noteShown, prepare, seenBy, seenBySearcher }
    return Context.make(Catalog, makeCatalog(serving, options)).pipe(
      Context.add(CatalogPublisher, yield* makePublisher(contracts, inForce, options))
    )
  })

export const CatalogServed = (
  options: CatalogOptions
): Layer.Layer<
  Catalog | CatalogPublisher,
  never,
  ContractStore | Credentials | EndpointStats | ProviderHealth | Providers | SearchUses
> => Layer.effectContext(make(options))
