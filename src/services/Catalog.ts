/**
 * The catalog that is being served: one immutable revision at a time, swapped whole. Answers questions about endpoints
 * and jobs; never calls a provider and never decides about money. Everything is answered from memory except contracts
 * of older revisions. `CatalogLoading` only before the first revision.
 */
import { Context, type Effect, type Redacted } from "effect"
import type { CatalogLoading, FieldProblem } from "../domain/ApiErrors.js"
import type { Overview, OverviewQuery } from "../domain/CatalogOverview.js"
import type { CatalogRow } from "../domain/CatalogRow.js"
import type {
  AppliedHint,
  CatalogQuery,
  DroppedHint,
  Listing,
  ListingQuery,
  NoMatchWarning,
  SearchAnswer
} from "../domain/CatalogSearch.js"
import type { DiscoverQuery, Discovered } from "../domain/Discovered.js"
import type { Compared, PublicItem, PublicQuery } from "../domain/PublicCatalog.js"
import type { NotFound, UnknownCategory, UnknownPlatform, ValidationError } from "../domain/ApiErrors.js"
import type { JsonObject } from "../domain/Json.js"
import type { Endpoint, JobManifest, VariableValues } from "../domain/Manifest.js"
import type { Prefer } from "../domain/RoutePlan.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { Placement } from "../domain/ContractMaking.js"
import type { OperationContract } from "../domain/OperationContract.js"
import type { Principal } from "./Accounts.js"

/**
 * The caller for whom rows and contracts say what can be run. The keys, the connections and the policy of this caller
 * decide it. Where the workspace learns from use, what it used comes earlier, and what it is shown is noted.
 */
export type Viewer = Pick<Principal, "learnsFromUse" | "policy" | "workspaceId">

export interface ListedProvider {
  readonly provider: Endpoint["provider"]
  readonly endpointIds: ReadonlyArray<string>
}

/** A job with its providers in the order in which a run would try them. */
export interface JobSupply {
  readonly job: JobManifest
  readonly endpoints: ReadonlyArray<RankedEndpoint>
}

export interface RankedEndpoint {
  readonly endpoint: Endpoint
  /** One short sentence that says why the provider has this place in the order. */
  readonly reason: string
}

export class Catalog extends Context.Tag("gateway/services/Catalog")<
  Catalog,
  {
    readonly endpoint: (endpointId: string) => Effect.Effect<Endpoint | null, CatalogLoading>
    /** Where the catalog shows an endpoint: its own category and platform, or else those of its job. */
    readonly placement: (endpoint: Endpoint) => Effect.Effect<Placement, CatalogLoading>
    /** The contract version that a run was promised, even when the catalog has moved on. */
    readonly endpointAt: (
      endpointId: string,
      contractVersion: string
    ) => Effect.Effect<Endpoint | null, CatalogLoading | StorageError>
    readonly supply: (jobId: string, prefer: Prefer) => Effect.Effect<JobSupply | null, CatalogLoading>
    /**
     * What was probably meant by an endpoint id that the catalog does not have: `job:<id>` where it is a job's id
     * without `job:`, underscores or dots, else the endpoint one typing error away; null where there is none.
     */
    readonly idMeant: (endpointId: string) => Effect.Effect<string | null, CatalogLoading>
    /** The id of the job that is written so, with dots or underscores; null when there is none. */
    readonly jobNamed: (capability: string) => Effect.Effect<string | null, CatalogLoading>
    /** Up to 3 job ids that look like this one. */
    readonly similarJobs: (jobId: string) => Effect.Effect<ReadonlyArray<string>, CatalogLoading>
    /**
     * Null when an operation of this provider is in the catalog, runnable or not; else what to say of the id, with
     * close names.
     */
    readonly providerProblem: (providerId: string) => Effect.Effect<string | null, CatalogLoading>
    /** The same for a new connection, whose variables and form of key must also be those of the provider. */
    readonly connectionProblem: (
      providerId: string,
      variables: VariableValues,
      secret: Redacted.Redacted<string>
    ) => Effect.Effect<FieldProblem | null, CatalogLoading>
    /** Every provider with an operation in the catalog, by id. */
    readonly providers: Effect.Effect<ReadonlyArray<ListedProvider>, CatalogLoading>
    readonly revision: Effect.Effect<string, CatalogLoading>

    readonly search: (query: CatalogQuery, viewer: Viewer) => Effect.Effect<SearchAnswer, CatalogLoading>
    readonly discover: (query: DiscoverQuery, viewer: Viewer) => Effect.Effect<Discovered, CatalogLoading>
    readonly list: (query: ListingQuery, viewer: Viewer) => Effect.Effect<Listing, CatalogLoading>
    readonly overview: (
      query: OverviewQuery
    ) => Effect.Effect<Overview, UnknownCategory | UnknownPlatform | CatalogLoading>
    readonly rows: (
      endpointIds: ReadonlyArray<string>,
      viewer: Viewer | null
    ) => Effect.Effect<ReadonlyArray<CatalogRow>, CatalogLoading>
    /** `job:<id>` too; a version other than the current one is looked up among the older ones. */
    readonly contract: (
      endpointId: string,
      contractVersion: string | null,
      viewer: Viewer
    ) => Effect.Effect<OperationContract, NotFound | CatalogLoading | StorageError>

    /**
     * `next` is the place to go on from, to be given back as `after`; a warning says that nothing matched the words of
     * `q`, or that a hint of them was dropped.
     */
    readonly publicItems: (query: PublicQuery) => Effect.Effect<
      {
        readonly items: ReadonlyArray<PublicItem>
        readonly next: string | null
        readonly warnings?: ReadonlyArray<NoMatchWarning | DroppedHint>
        readonly appliedHints?: ReadonlyArray<AppliedHint>
      },
      ValidationError | CatalogLoading
    >
    readonly publicItem: (catalogItemId: string) => Effect.Effect<PublicItem, NotFound | CatalogLoading>
    /** Ids that the catalog does not have are listed in the answer; `NotFound` when it has none of them. */
    readonly compare: (
      catalogItemIds: ReadonlyArray<string>,
      input: JsonObject | null
    ) => Effect.Effect<Compared, NotFound | ValidationError | CatalogLoading>
  }
>() {}
