/**
 * A client of the gateway: every route that a program uses, under the names of the API. Each method sends one call, as
 * `Transport.ts` says, and rejects with a `GatewayFailure`.
 */
import type {
  AttemptList,
  AuditEntry,
  AuditPage,
  AutomaticTopUp,
  AutomaticTopUpRequest,
  Balance,
  CapabilityRequest,
  CapabilityRequestInput,
  CapabilityRequestPage,
  CatalogRow,
  CompareRequest,
  Compared,
  Connection,
  ConnectionPage,
  ConnectionAuthorization,
  ConnectionAuthorizationRequest,
  ConnectionRequest,
  Discovered,
  EndpointListing,
  JsonObject,
  LedgerEntry,
  LedgerPage,
  Limits,
  LoggedOut,
  LoginApproval,
  LoginApprovalCreated,
  LoginApprovalRequest,
  OperationContract,
  OverviewTopic,
  OverviewTree,
  PublicItem,
  PublicPage,
  Quote,
  QuoteRequest,
  Run,
  RunPage,
  RunSummary,
  SearchAnswer,
  SessionContext,
  Token,
  TokenChange,
  TokenPage,
  TokenRequest,
  TokenRotation,
  TokenWithSecret,
  TopUp,
  TopUpPage,
  TopUpRequest,
  Whoami
} from "./api/Schemas.js"
import type { Fields, WithInput } from "./Given.js"
import { type Pages, pagesOf } from "./Pages.js"
import { answerOf, type CompletedRun, type KeyedOptions, type RunInput, runToEnd, waitForEnd } from "./RunToEnd.js"
import { type ClientOptions, settingsOf } from "./Settings.js"
import { makeTransport, type Query } from "./Transport.js"

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface GatewayClient {
  /** Operations that fit the words, best first. */
  readonly search: (
    q: string,
    query?: Omit<Query<"catalog.search">, "q">,
    options?: CallOptions
  ) => Promise<SearchAnswer>
  /** The few operations that suit the words, each with a reason; only such as can be run now. */
  readonly discover: (
    q: string,
    query?: Omit<Query<"catalog.discover">, "q" | "query">,
    options?: CallOptions
  ) => Promise<Discovered>
  /** The contract of an operation: its input, price, effect and output. */
  readonly inspect: (
    endpointId: string,
    query?: Query<"catalog.operation">,
    options?: CallOptions
  ) => Promise<OperationContract>
  /** Providers and operations by category, platform and job. */
  readonly overview: (
    query?: Query<"public-catalog.overview">,
    options?: CallOptions
  ) => Promise<OverviewTree | OverviewTopic>
  /** Every operation that the filters leave. */
  readonly endpoints: (query?: Query<"catalog.endpoints">, options?: CallOptions) => Pages<CatalogRow, EndpointListing>
  /** What anybody may see, without a token. */
  readonly publicCatalog: {
    readonly list: (query?: Query<"public-catalog.items">, options?: CallOptions) => Pages<PublicItem, PublicPage>
    readonly get: (catalogItemId: string, options?: CallOptions) => Promise<PublicItem>
    readonly compare: <Input extends object = {}>(
      request: CompareRequest & { readonly input?: JsonObject | Fields<Input> | undefined },
      options?: CallOptions
    ) => Promise<Compared>
  }

  /** What a run would hold and whether it would start now; nothing is run or held. */
  readonly quote: <Input extends object>(
    request: WithInput<QuoteRequest, Input>,
    options?: CallOptions
  ) => Promise<Quote>
  /**
   * Runs an operation and waits for its end. Resolves when it completed, a miss included; rejects with `RunFailed`,
   * `RunUncertain`, `Refused` and so on. However often it has to be sent, it runs and charges once. An aborted `signal`
   * cancels the run, and the rejection (`Aborted`) says what became of it. After any rejection with `mayStillRun`, call
   * it again with the `idempotencyKey` of the rejection; another key would make, and charge, a second run.
   */
  readonly run: <Input extends object>(
    request: WithInput<RunInput, Input>,
    options?: KeyedOptions
  ) => Promise<CompletedRun>
  readonly runs: {
    /** Starts a run and does not wait: `wait` for it later, even from another process. */
    readonly create: <Input extends object>(request: WithInput<RunInput, Input>, options?: KeyedOptions) => Promise<Run>
    /** Waits for the end of a run that was made before, as `run` does. The signal ends the waiting, not the run. */
    readonly wait: (runId: string, options?: CallOptions) => Promise<CompletedRun>
    readonly get: (runId: string, query?: Query<"runs.get">, options?: CallOptions) => Promise<Run>
    readonly list: (query?: Query<"runs.list">, options?: CallOptions) => Pages<RunSummary, RunPage>
    /** The run as it then is. One that has ended stays as it is, and so does one that changes something elsewhere. */
    readonly cancel: (runId: string, options?: CallOptions) => Promise<Run>
    readonly attempts: (runId: string, options?: CallOptions) => Promise<AttemptList>
    /** A file of a result, by its `result.media.downloadPath`. The body is not read yet. */
    readonly media: (downloadPath: string, options?: CallOptions) => Promise<Response>
  }

  readonly balance: (options?: CallOptions) => Promise<Balance>
  /** What is left of the balance and of each limit. */
  readonly limits: (options?: CallOptions) => Promise<Limits>
  readonly ledger: (query?: Query<"account.ledger">, options?: CallOptions) => Pages<LedgerEntry, LedgerPage>
  readonly topUps: {
    readonly list: (query?: Query<"account.topUps">, options?: CallOptions) => Pages<TopUp, TopUpPage>
    readonly request: (request: Omit<TopUpRequest, "idempotencyKey">, options?: KeyedOptions) => Promise<TopUp>
    readonly automatic: {
      readonly get: (options?: CallOptions) => Promise<AutomaticTopUp>
      readonly set: (request: AutomaticTopUpRequest, options?: CallOptions) => Promise<AutomaticTopUp>
      readonly remove: (options?: CallOptions) => Promise<void>
    }
  }

  /** Whose token this is. */
  readonly whoami: (options?: CallOptions) => Promise<Whoami>
  readonly sessionContext: (options?: CallOptions) => Promise<SessionContext>
  /** Revokes the token of this client. Sent once. */
  readonly logout: (options?: CallOptions) => Promise<LoggedOut>
  readonly tokens: {
    readonly list: (query?: Query<"tokens.list">, options?: CallOptions) => Pages<Token, TokenPage>
    /** The secret is shown this once. Sent once: a repeated request would make another token. */
    readonly create: (request: TokenRequest, options?: CallOptions) => Promise<TokenWithSecret>
    /** Sent once. */
    readonly change: (tokenId: string, change: TokenChange, options?: CallOptions) => Promise<Token>
    readonly revoke: (tokenId: string, options?: CallOptions) => Promise<void>
    /** A new secret, shown this once. Sent once. */
    readonly rotate: (tokenId: string, request?: TokenRotation, options?: CallOptions) => Promise<TokenWithSecret>
  }
  /** Your own accounts at providers. */
  readonly connections: {
    readonly list: (query?: Query<"connections.list">, options?: CallOptions) => Pages<Connection, ConnectionPage>
    /** Sent once. */
    readonly create: (request: ConnectionRequest, options?: CallOptions) => Promise<Connection>
    /** Begins to connect a user's account with OAuth 2; the user opens its `authorizationUrl`. Sent once. */
    readonly authorize: (
      request: ConnectionAuthorizationRequest,
      options?: CallOptions
    ) => Promise<ConnectionAuthorization>
    readonly get: (connectionId: string, options?: CallOptions) => Promise<Connection>
    readonly delete: (connectionId: string, options?: CallOptions) => Promise<void>
  }
  /** Who changed what in the workspace, newest first. */
  readonly audit: (query?: Query<"audit.list">, options?: CallOptions) => Pages<AuditEntry, AuditPage>
  readonly capabilityRequests: {
    readonly list: (
      query?: Query<"account.capabilityRequests">,
      options?: CallOptions
    ) => Pages<CapabilityRequest, CapabilityRequestPage>
    readonly create: (
      request: Omit<CapabilityRequestInput, "idempotencyKey">,
      options?: KeyedOptions
    ) => Promise<CapabilityRequest>
  }
  /** A person approves a token that this program made for itself. */
  readonly logins: {
    /** Sent once. */
    readonly create: (request: LoginApprovalRequest, options?: CallOptions) => Promise<LoginApprovalCreated>
    readonly get: (approvalId: string, options?: CallOptions) => Promise<LoginApproval>
  }
}

/** The ids in `/v1/runs/{runId}/media/{mediaId}`. */
const mediaOf = (downloadPath: string) => {
  // Ids are of letters, digits and one underscore, which no path has to encode.
  const [, runId, mediaId] = /^\/v1\/runs\/(\w+)\/media\/(\w+)$/.exec(downloadPath) ?? []
  if (runId === undefined || mediaId === undefined)
    throw new TypeError(`${JSON.stringify(downloadPath)} is not the downloadPath of a result`)
  return { runId, mediaId }
}

export const createClient = (options: ClientOptions): GatewayClient => {
  const transport = makeTransport(settingsOf(options))
  const { send } = transport
  return {
    search: (q, query, { signal } = {}) => send("catalog.search", { query: { ...query, q }, signal }),
    discover: (q, query, { signal } = {}) => send("catalog.discover", { query: { ...query, q }, signal }),
    inspect: (endpointId, query, { signal } = {}) => send("catalog.operation", { path: { endpointId }, query, signal }),
    overview: (query, { signal } = {}) => send("public-catalog.overview", { query, signal }),
    endpoints: (query, { signal } = {}) =>
      pagesOf(
        (cursor = query?.cursor) => send("catalog.endpoints", { query: { ...query, cursor }, signal }),
        ({ endpoints }) => endpoints
      ),
    publicCatalog: {
      list: (query, { signal } = {}) =>
        pagesOf(
          (cursor = query?.cursor) => send("public-catalog.items", { query: { ...query, cursor }, signal }),
          ({ items }) => items
        ),
      get: (catalogItemId, { signal } = {}) => send("public-catalog.item", { path: { catalogItemId }, signal }),
      compare: (body, { signal } = {}) => send("public-catalog.compare", { body, signal })
    },

    quote: (body, { signal } = {}) => send("runs.quote", { body, signal }),
    run: (request, keyed) => runToEnd(transport, request, keyed),
    runs: {
      create: (body, keyed) => send("runs.create", { body, ...keyed }),
      wait: async (runId, { signal } = {}) => {
        const run = await send("runs.get", { path: { runId }, signal })
        return answerOf(transport, await waitForEnd(transport, run, { signal }), null)
      },
      get: (runId, query, { signal } = {}) => send("runs.get", { path: { runId }, query, signal }),
      list: (query, { signal } = {}) =>
        pagesOf(
          (cursor = query?.cursor) => send("runs.list", { query: { ...query, cursor }, signal }),
          ({ runs }) => runs
        ),
      cancel: (runId, { signal } = {}) => send("runs.cancel", { path: { runId }, signal }),
      attempts: (runId, { signal } = {}) => send("runs.attempts", { path: { runId }, signal }),
      media: async (downloadPath, { signal } = {}) => send("runs.media", { path: mediaOf(downloadPath), signal })
    },

    balance: ({ signal } = {}) => send("account.balance", { signal }),
    limits: ({ signal } = {}) => send("account.limits", { signal }),
    ledger: (query, { signal } = {}) =>
      pagesOf(
        (cursor = query?.cursor) => send("account.ledger", { query: { ...query, cursor }, signal }),
        ({ entries }) => entries
      ),
    topUps: {
      list: (query, { signal } = {}) =>
        pagesOf(
          (cursor = query?.cursor) => send("account.topUps", { query: { ...query, cursor }, signal }),
          ({ topUps }) => topUps
        ),
      request: (body, keyed) => send("account.requestTopUp", { body, ...keyed }),
      automatic: {
        get: ({ signal } = {}) => send("automaticTopUps.automaticTopUp", { signal }),
        set: (body, { signal } = {}) => send("automaticTopUps.setAutomaticTopUp", { body, signal }),
        remove: ({ signal } = {}) => send("automaticTopUps.removeAutomaticTopUp", { signal })
      }
    },

    whoami: ({ signal } = {}) => send("account.whoami", { signal }),
    sessionContext: ({ signal } = {}) => send("account.sessionContext", { signal }),
    logout: ({ signal } = {}) => send("account.logout", { signal }),
    tokens: {
      list: (query, { signal } = {}) =>
        pagesOf(
          (cursor = query?.cursor) => send("tokens.list", { query: { ...query, cursor }, signal }),
          ({ tokens }) => tokens
        ),
      create: (body, { signal } = {}) => send("tokens.create", { body, signal }),
      change: (tokenId, body, { signal } = {}) => send("tokens.change", { path: { tokenId }, body, signal }),
      revoke: (tokenId, { signal } = {}) => send("tokens.revoke", { path: { tokenId }, signal }),
      rotate: (tokenId, body = {}, { signal } = {}) => send("tokens.rotate", { path: { tokenId }, body, signal })
    },
    connections: {
      list: (query, { signal } = {}) =>
        pagesOf(
          (cursor = query?.cursor) => send("connections.list", { query: { ...query, cursor }, signal }),
          ({ connections }) => connections
        ),
      create: (body, { signal } = {}) => send("connections.create", { body, signal }),
      authorize: (body, { signal } = {}) => send("connections.authorize", { body, signal }),
      get: (connectionId, { signal } = {}) => send("connections.get", { path: { connectionId }, signal }),
      delete: (connectionId, { signal } = {}) => send("connections.delete", { path: { connectionId }, signal })
    },
    audit: (query, { signal } = {}) =>
      pagesOf(
        (cursor = query?.cursor) => send("audit.list", { query: { ...query, cursor }, signal }),
        ({ entries }) => entries
      ),
    capabilityRequests: {
      list: (query, { signal } = {}) =>
        pagesOf(
          (cursor = query?.cursor) => send("account.capabilityRequests", { query: { ...query, cursor }, signal }),
          ({ requests }) => requests
        ),
      create: (body, keyed) => send("account.requestCapability", { body, ...keyed })
    },
    logins: {
      create: (body, { signal } = {}) => send("logins.create", { body, signal }),
      get: (approvalId, { signal } = {}) => send("logins.get", { path: { approvalId }, signal })
    }
  }
}
