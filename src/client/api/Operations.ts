// Written by `npm run client:types` from the OpenAPI document; do not edit it by hand.
import type {
  AttemptList,
  AuditPage,
  AutomaticTopUp,
  AutomaticTopUpRequest,
  Balance,
  CapabilityRequest,
  CapabilityRequestInput,
  CapabilityRequestPage,
  CompareRequest,
  Compared,
  Connection,
  ConnectionAuthorization,
  ConnectionAuthorizationRequest,
  ConnectionPage,
  ConnectionRequest,
  Discovered,
  EndpointListing,
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
  RunRequest,
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
} from "./Schemas.js"

/**
 * How each operation is sent: `keyed` takes an idempotency key; `answers` says whether the answer is JSON, a file or
 * nothing; `items` is the member of a page that holds them.
 */
export const routes = {
  "public-catalog.items": { method: "GET", path: "/v1/public-catalog", keyed: false, answers: "json", items: "items" },
  "public-catalog.compare": { method: "POST", path: "/v1/public-catalog/compare", keyed: false, answers: "json" },
  "public-catalog.item": { method: "GET", path: "/v1/public-catalog/{catalogItemId}", keyed: false, answers: "json" },
  "public-catalog.overview": { method: "GET", path: "/v1/catalog/overview", keyed: false, answers: "json" },
  "catalog.search": { method: "GET", path: "/v1/catalog/search", keyed: false, answers: "json" },
  "catalog.discover": { method: "GET", path: "/v1/discover", keyed: false, answers: "json" },
  "catalog.endpoints": {
    method: "GET",
    path: "/v1/catalog/endpoints",
    keyed: false,
    answers: "json",
    items: "endpoints"
  },
  "catalog.operation": { method: "GET", path: "/v1/operations/{endpointId}", keyed: false, answers: "json" },
  "runs.create": { method: "POST", path: "/v1/runs", keyed: true, answers: "json" },
  "runs.list": { method: "GET", path: "/v1/runs", keyed: false, answers: "json", items: "runs" },
  "runs.quote": { method: "POST", path: "/v1/runs/quote", keyed: false, answers: "json" },
  "runs.get": { method: "GET", path: "/v1/runs/{runId}", keyed: false, answers: "json" },
  "runs.cancel": { method: "POST", path: "/v1/runs/{runId}/cancel", keyed: false, answers: "json" },
  "runs.attempts": { method: "GET", path: "/v1/runs/{runId}/attempts", keyed: false, answers: "json" },
  "runs.media": { method: "GET", path: "/v1/runs/{runId}/media/{mediaId}", keyed: false, answers: "file" },
  "account.balance": { method: "GET", path: "/v1/balance", keyed: false, answers: "json" },
  "account.limits": { method: "GET", path: "/v1/limits", keyed: false, answers: "json" },
  "account.ledger": { method: "GET", path: "/v1/ledger", keyed: false, answers: "json", items: "entries" },
  "account.topUps": { method: "GET", path: "/v1/top-ups", keyed: false, answers: "json", items: "topUps" },
  "account.requestTopUp": { method: "POST", path: "/v1/top-ups", keyed: true, answers: "json" },
  "account.whoami": { method: "GET", path: "/v1/whoami", keyed: false, answers: "json" },
  "account.logout": { method: "POST", path: "/v1/logout", keyed: false, answers: "json" },
  "account.sessionContext": { method: "GET", path: "/v1/session-context", keyed: false, answers: "json" },
  "account.capabilityRequests": {
    method: "GET",
    path: "/v1/capability-requests",
    keyed: false,
    answers: "json",
    items: "requests"
  },
  "account.requestCapability": { method: "POST", path: "/v1/capability-requests", keyed: true, answers: "json" },
  "tokens.list": { method: "GET", path: "/v1/tokens", keyed: false, answers: "json", items: "tokens" },
  "tokens.create": { method: "POST", path: "/v1/tokens", keyed: false, answers: "json" },
  "tokens.change": { method: "PATCH", path: "/v1/tokens/{tokenId}", keyed: false, answers: "json" },
  "tokens.revoke": { method: "DELETE", path: "/v1/tokens/{tokenId}", keyed: false, answers: "nothing" },
  "tokens.rotate": { method: "POST", path: "/v1/tokens/{tokenId}/rotate", keyed: false, answers: "json" },
  "audit.list": { method: "GET", path: "/v1/audit", keyed: false, answers: "json", items: "entries" },
  "connections.create": { method: "POST", path: "/v1/connections", keyed: false, answers: "json" },
  "connections.list": { method: "GET", path: "/v1/connections", keyed: false, answers: "json", items: "connections" },
  "connections.authorize": { method: "POST", path: "/v1/connections/authorizations", keyed: false, answers: "json" },
  "connections.get": { method: "GET", path: "/v1/connections/{connectionId}", keyed: false, answers: "json" },
  "connections.delete": { method: "DELETE", path: "/v1/connections/{connectionId}", keyed: false, answers: "nothing" },
  "logins.create": { method: "POST", path: "/v1/login-approvals", keyed: false, answers: "json" },
  "logins.get": { method: "GET", path: "/v1/login-approvals/{approvalId}", keyed: false, answers: "json" },
  "automaticTopUps.automaticTopUp": { method: "GET", path: "/v1/top-ups/automatic", keyed: false, answers: "json" },
  "automaticTopUps.setAutomaticTopUp": { method: "PUT", path: "/v1/top-ups/automatic", keyed: false, answers: "json" },
  "automaticTopUps.removeAutomaticTopUp": {
    method: "DELETE",
    path: "/v1/top-ups/automatic",
    keyed: false,
    answers: "nothing"
  }
} as const

/** What each operation takes and answers. */
export interface Operations {
  /**
   * Search the public catalog. What anybody may see of the catalog, without an account. When the catalog
   * changes, the next page goes on behind the last item of the page before.
   */
  readonly "public-catalog.items": {
    readonly path: {}
    readonly query: {
      /** What to search for, in your own words. 1 to 512 characters. */
      readonly q?: string | undefined
      /** Only this job, by its id with dots or underscores. 1 to 200 characters. */
      readonly capability?: string | undefined
      /** Only this category, by its id. 1 to 200 characters. */
      readonly category?: string | undefined
      /** Only this provider, by its id. 1 to 200 characters. */
      readonly provider?: string | undefined
      /** Rows of a page. 1 to 100. Default 50. */
      readonly limit?: number | undefined
      /** Where the page begins: nextCursor of the page before, with the same filters. 1 to 512 characters. */
      readonly cursor?: string | undefined
      /**
       * off: the words are only searched for. Otherwise an address among them fills usageHints, and words such as
       * cheapest or under 2 cents act like parameters (appliedHints). Default "on".
       */
      readonly hints?: "on" | "off" | undefined
    }
    readonly body: undefined
    readonly answer: PublicPage
  }
  /**
   * Compare catalog items. Puts operations side by side: price, record, speed and where they differ. With an
   * input, each also says whether it takes it and what it would cost.
   */
  readonly "public-catalog.compare": {
    readonly path: {}
    readonly query: {}
    readonly body: CompareRequest
    readonly answer: Compared
  }
  /** Get a catalog item. What anybody may see of one operation. */
  readonly "public-catalog.item": {
    readonly path: {
      /** The id of an operation; jobs are no items of the public catalog. 1 to 4096 characters. */
      readonly catalogItemId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: PublicItem
  }
  /**
   * Count providers and endpoints by category, platform and job. A way in for somebody who does not know the
   * catalog. With a token, the counts of what can be run are those of its workspace.
   */
  readonly "public-catalog.overview": {
    readonly path: {}
    readonly query: {
      /**
       * How far down to go: categories only, platforms too, jobs too, or everything with the operations. Default
       * "summary".
       */
      readonly depth?: "summary" | "platforms" | "jobs" | "full" | undefined
      /** Only this category, by its id. 1 to 200 characters. */
      readonly category?: string | undefined
      /** Only this platform, by its id. 1 to 200 characters. */
      readonly platform?: string | undefined
      /** Answers the jobs of these words instead of a tree. 1 to 512 characters. */
      readonly topic?: string | undefined
    }
    readonly body: undefined
    readonly answer: OverviewTree | OverviewTopic
  }
  /**
   * Search the catalog, best first. Takes whole sentences. Words that mean a job find every provider that does
   * it. An answer that is not what was asked for says so in warnings or priceHint. Needs the scope
   * catalog:read.
   */
  readonly "catalog.search": {
    readonly path: {}
    readonly query: {
      /** What to search for, in your own words. 1 to 512 characters. */
      readonly q: string
      /** Rows of a page. 1 to 200. Default 50. */
      readonly limit?: number | undefined
      /** Where the page begins: nextOffset of the page before. At least 0. Default 0. */
      readonly offset?: number | undefined
      /** Only this category, by its id. 1 to 200 characters. */
      readonly category?: string | undefined
      /** Only this platform, by its id. 1 to 200 characters. */
      readonly platform?: string | undefined
      /** Only this provider, by its id. 1 to 200 characters. */
      readonly provider?: string | undefined
      /** Only this job, by its id with dots. 1 to 200 characters. */
      readonly capability?: string | undefined
      /** true: only providers that need no key; false: only the others. */
      readonly keyless?: boolean | undefined
      /** true: only operations whose documentation at the provider was read; false: only the others. */
      readonly verified?: boolean | undefined
      /** Also operations of providers that are switched off. Default false. */
      readonly hidden?: boolean | undefined
      /** Only what costs at most this, of one call or one result, in micros. At least 0. */
      readonly maxPriceMicros?: number | undefined
      /** true: only fixtures; false: only real operations. */
      readonly mock?: boolean | undefined
      /**
       * What decides between providers of the same job: balanced weighs price, record and speed. Default
       * "balanced".
       */
      readonly prefer?: "balanced" | "cheapest" | "reliable" | "fastest" | undefined
      /**
       * off: the words are only searched for. Otherwise an address among them fills usageHints, and words such as
       * cheapest or under 2 cents act like parameters (appliedHints). Default "on".
       */
      readonly hints?: "on" | "off" | undefined
    }
    readonly body: undefined
    readonly answer: SearchAnswer
  }
  /**
   * Discover operations that this workspace can run. A few operations for a task, each with a score, the
   * reason and the input that it needs. What the workspace cannot run is left out. Needs the scope
   * catalog:read.
   */
  readonly "catalog.discover": {
    readonly path: {}
    readonly query: {
      /** What to search for, in your own words; it or query is needed. 1 to 512 characters. */
      readonly q?: string | undefined
      /** Another name of q; q wins. 1 to 512 characters. */
      readonly query?: string | undefined
      /** Rows of a page. 1 to 20. Default 5. */
      readonly limit?: number | undefined
      /**
       * What decides between providers of the same job: balanced weighs price, record and speed. Default
       * "balanced".
       */
      readonly prefer?: "balanced" | "cheapest" | "reliable" | "fastest" | undefined
      /** Only what costs at most this, of one call or one result, in micros. At least 0. */
      readonly maxPriceMicros?: number | undefined
      /**
       * off: the words are only searched for. Otherwise an address among them fills usageHints, and words such as
       * cheapest or under 2 cents act like parameters (appliedHints). Default "on".
       */
      readonly hints?: "on" | "off" | undefined
    }
    readonly body: undefined
    readonly answer: Discovered
  }
  /**
   * List endpoints, page by page, with counts per facet if asked. The whole catalog in a fixed order, for
   * programs that keep a copy. Send the ETag in If-None-Match to learn whether anything changed. Needs the
   * scope catalog:read.
   */
  readonly "catalog.endpoints": {
    readonly path: {}
    readonly query: {
      /** Rows of a page. 1 to 5000. Default 100. */
      readonly limit?: number | undefined
      /** Where the page begins: nextCursor of the page before, with the same filters. 1 to 4096 characters. */
      readonly cursor?: string | undefined
      /** Only this category, by its id. 1 to 200 characters. */
      readonly category?: string | undefined
      /** Only this platform, by its id. 1 to 200 characters. */
      readonly platform?: string | undefined
      /** Only this provider, by its id. 1 to 200 characters. */
      readonly provider?: string | undefined
      /** Only this job, by its id with dots. 1 to 200 characters. */
      readonly capability?: string | undefined
      /** true: only providers that need no key; false: only the others. */
      readonly keyless?: boolean | undefined
      /** true: only operations whose documentation at the provider was read; false: only the others. */
      readonly verified?: boolean | undefined
      /** Also operations of providers that are switched off. Default false. */
      readonly hidden?: boolean | undefined
      /** Only what costs at most this, of one call or one result, in micros. At least 0. */
      readonly maxPriceMicros?: number | undefined
      /** Also count the operations by category, platform, provider and job. Default false. */
      readonly facets?: boolean | undefined
    }
    readonly body: undefined
    readonly answer: EndpointListing
  }
  /**
   * Inspect an operation or a job: its input, output, price and effect. Read it before the first run: what to
   * send, what it costs at most, and whether it changes something in the world. The id may hold a colon,
   * percent-encoded or not. Needs the scope catalog:read.
   */
  readonly "catalog.operation": {
    readonly path: {
      /** The id of an operation, or job: and the id of a job. 1 to 4096 characters. */
      readonly endpointId: string
    }
    readonly query: {
      /** An older version of the contract; without it, the one in force. 1 to 128 characters. */
      readonly contractVersion?: string | undefined
    }
    readonly body: undefined
    readonly answer: OperationContract
  }
  /**
   * Create a run. Reserves the maximum price, runs the job or tool, charges the actual cost and releases the
   * rest. A 201 can carry status failed: look at status and error. The same idempotency key and request answer
   * the same run; one that was refused before anything was sent is kept for 7 days. Needs the scope
   * runs:execute.
   */
  readonly "runs.create": {
    readonly path: {}
    readonly query: {
      /**
       * How long to wait for the end of the run: true, or the bare word, is 20 seconds, a number is seconds, of
       * which more than 60 count as 60. What has not ended by then is answered as it is.
       */
      readonly wait?: boolean | number | "" | undefined
    }
    readonly body: RunRequest
    readonly answer: Run
  }
  /**
   * List runs, newest first. Summaries; includeResult=true adds results, and then a page ends early rather
   * than carry more than 4194304 bytes of them: go on with nextCursor. A run whose result was dropped because
   * of its age says payloadDropped. Needs the scope runs:read.
   */
  readonly "runs.list": {
    readonly path: {}
    readonly query: {
      /** Only runs that stand there. */
      readonly status?: "queued" | "running" | "completed" | "failed" | "blocked" | "reconciliation_pending" | undefined
      /** The id of a job, with dots or underscores: runs of the job, and of tools that do it. 1 to 200 characters. */
      readonly capability?: string | undefined
      /**
       * Only runs of this operation: the one that answered, or until then the one that was picked. 1 to 200
       * characters.
       */
      readonly endpointId?: string | undefined
      /** Only runs of this provider: the one that answered, or until then the one that was picked. */
      readonly providerId?: string | undefined
      /** Only runs of this token. */
      readonly tokenId?: string | undefined
      /**
       * Only the run that was made with this key: one run, or none where no request with it has arrived. 1 to 255
       * characters.
       */
      readonly idempotencyKey?: string | undefined
      /** Only what was made at this time or later. ISO 8601, UTC. */
      readonly from?: string | undefined
      /** Only what was made before this time. ISO 8601, UTC. */
      readonly to?: string | undefined
      /** Whether each run carries its result. Default false. */
      readonly includeResult?: boolean | undefined
      /** Rows of a page. 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** Where the page begins: nextCursor of the page before, with the same filters. 1 to 512 characters. */
      readonly cursor?: string | undefined
    }
    readonly body: undefined
    readonly answer: RunPage
  }
  /**
   * What a run would hold, whom it would try, and what would refuse it. Takes the body of a run without wait
   * and idempotencyKey. Nothing is stored, held or charged, and no provider is called. Needs the scope
   * runs:execute.
   */
  readonly "runs.quote": {
    readonly path: {}
    readonly query: {}
    readonly body: QuoteRequest
    readonly answer: Quote
  }
  /**
   * Get a run, its result trimmed if asked. Ask until status is neither queued nor running. fields and
   * max_items shrink what is shown of the result; what is stored and charged stays. Needs the scope runs:read.
   */
  readonly "runs.get": {
    readonly path: {
      /** The run's id; it begins with run_. 1 to 4096 characters. */
      readonly runId: string
    }
    readonly query: {
      /**
       * Dotted paths of the result to keep, with commas between them: at most 100; arrays are walked by item. 1 to
       * 4096 characters.
       */
      readonly fields?: string | undefined
      /** How many items of every array of the result to keep. 1 to 10000. */
      readonly max_items?: number | undefined
    }
    readonly body: undefined
    readonly answer: Run
  }
  /**
   * Cancel a run; answers the run as it then is. A queued run is not started. A call under way that only reads
   * is aborted; one that changes something is left to end, and its own outcome stands. A run that has ended
   * stays as it is. Needs the scope runs:execute.
   */
  readonly "runs.cancel": {
    readonly path: {
      /** The run's id; it begins with run_. 1 to 4096 characters. */
      readonly runId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: Run
  }
  /**
   * List the durable attempts of a run, with receipts. Every provider that the run called, with digests and
   * sizes of what went over the wire. Never headers or bodies. Needs the scope runs:read.
   */
  readonly "runs.attempts": {
    readonly path: {
      /** The run's id; it begins with run_. 1 to 4096 characters. */
      readonly runId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: AttemptList
  }
  /**
   * Download a file or a large answer. The file that result.media.downloadPath names. Ranges and conditional
   * requests work as HTTP describes them. Needs the scope runs:read.
   */
  readonly "runs.media": {
    readonly path: {
      /** The run's id; it begins with run_. 1 to 4096 characters. */
      readonly runId: string
      /** The file's id; it begins with med_. 1 to 4096 characters. */
      readonly mediaId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: Response
  }
  /**
   * Get the balance, its open holds and the top-up link. What can be spent, what runs in flight hold of it,
   * and how to top up. Needs the scope usage:read.
   */
  readonly "account.balance": {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly answer: Balance
  }
  /**
   * Get what is left of the balance and of each limit. Read in one statement from the rows that decide whether
   * a run may start. A run can still be refused: others may start before it.
   */
  readonly "account.limits": {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly answer: Limits
  }
  /**
   * List ledger entries, newest first. Every movement of money of the workspace. Entries are never changed or
   * deleted, and their amounts add up to the available balance. Needs the scope usage:read.
   */
  readonly "account.ledger": {
    readonly path: {}
    readonly query: {
      /** Only entries of this kind. */
      readonly kind?: "top_up" | "hold" | "charge" | "release" | "adjustment" | undefined
      /** Only entries of this run. */
      readonly runId?: string | undefined
      /** Only what was made at this time or later. ISO 8601, UTC. */
      readonly from?: string | undefined
      /** Only what was made before this time. ISO 8601, UTC. */
      readonly to?: string | undefined
      /** Rows of a page. 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** Where the page begins: nextCursor of the page before, with the same filters. 1 to 512 characters. */
      readonly cursor?: string | undefined
    }
    readonly body: undefined
    readonly answer: LedgerPage
  }
  /**
   * List top-ups, newest first. The top-ups of the workspace, whatever became of them. Needs the scope
   * usage:read.
   */
  readonly "account.topUps": {
    readonly path: {}
    readonly query: {
      /** Rows of a page. 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** Where the page begins: nextCursor of the page before, with the same filters. 1 to 512 characters. */
      readonly cursor?: string | undefined
    }
    readonly body: undefined
    readonly answer: TopUpPage
  }
  /**
   * Request a top-up. Makes a checkout. A person opens checkoutUrl and pays; the balance grows when the
   * payment is reported. A 201 can carry status refused: look at reason and message. Needs the scope
   * billing:write.
   */
  readonly "account.requestTopUp": {
    readonly path: {}
    readonly query: {}
    readonly body: TopUpRequest
    readonly answer: TopUp
  }
  /** Who am I. The calling token: its workspace, its scopes and what it may spend. */
  readonly "account.whoami": {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly answer: Whoami
  }
  /**
   * Revoke the calling token, from the next request on. Tokens that come from the calling one are revoked with
   * it. Runs in flight go on.
   */
  readonly "account.logout": {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly answer: LoggedOut
  }
  /** The session's context. What a user interface shows of its caller: workspace, role and scopes. */
  readonly "account.sessionContext": {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly answer: SessionContext
  }
  /** List capability requests, newest first. What this workspace wished for. Needs the scope catalog:read. */
  readonly "account.capabilityRequests": {
    readonly path: {}
    readonly query: {
      /** Rows of a page. 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** Where the page begins: nextCursor of the page before, with the same filters. 1 to 512 characters. */
      readonly cursor?: string | undefined
    }
    readonly body: undefined
    readonly answer: CapabilityRequestPage
  }
  /**
   * Request a capability. Tells the operator what the catalog lacks. Nothing is charged. Needs the scope
   * capabilities:write.
   */
  readonly "account.requestCapability": {
    readonly path: {}
    readonly query: {}
    readonly body: CapabilityRequestInput
    readonly answer: CapabilityRequest
  }
  /**
   * List the workspace's tokens, newest first, revoked ones too. Everything about each token except its
   * secret. Needs the scope account:manage.
   */
  readonly "tokens.list": {
    readonly path: {}
    readonly query: {
      /** Rows of a page. 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** Where the page begins: nextCursor of the page before, with the same filters. 1 to 512 characters. */
      readonly cursor?: string | undefined
    }
    readonly body: undefined
    readonly answer: TokenPage
  }
  /**
   * Make a token; its secret is shown once. The new token is a child of the calling one: it has no more
   * scopes, ends no later, shares its limits and is revoked with it. Asking for more is answered 403, with
   * what is too much in error.details. There is no idempotency key: a secret cannot be shown twice, so a
   * repeated request makes another token. When an answer was lost, list the tokens, revoke the one that nobody
   * has the secret of, and make another. Needs the scope account:manage.
   */
  readonly "tokens.create": {
    readonly path: {}
    readonly query: {}
    readonly body: TokenRequest
    readonly answer: TokenWithSecret
  }
  /**
   * Change the label, monthly limit or expiry of a token. Fields that are left out stay. Holds from the next
   * request. Tokens that come from this one end no later than it does. Needs the scope account:manage.
   */
  readonly "tokens.change": {
    readonly path: {
      /** The token's id; it begins with tok_. 1 to 4096 characters. */
      readonly tokenId: string
    }
    readonly query: {}
    readonly body: TokenChange
    readonly answer: Token
  }
  /**
   * Revoke a token and all that come from it, from the next request on. Revoking one that was revoked before
   * answers the same. Runs in flight go on. Needs the scope account:manage.
   */
  readonly "tokens.revoke": {
    readonly path: {
      /** The token's id; it begins with tok_. 1 to 4096 characters. */
      readonly tokenId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: undefined
  }
  /**
   * Give a token a new secret; it is shown once. The secret until now works for overlapSeconds more, and every
   * secret before it no longer than that. The body may be left out. A repeated request gives yet another
   * secret. A token that may do more than the calling one is not rotated, and neither is one that would go on
   * working when a token above the calling one is revoked (403). Needs the scope account:manage.
   */
  readonly "tokens.rotate": {
    readonly path: {
      /** The token's id; it begins with tok_. 1 to 4096 characters. */
      readonly tokenId: string
    }
    readonly query: {}
    readonly body: TokenRotation
    readonly answer: TokenWithSecret
  }
  /**
   * List who changed what in the workspace, newest first. Everything that operators, owners, members and
   * tokens changed: money, limits, policy, tokens, connections, people, decisions about uncertain runs.
   * Entries are never changed or deleted. Needs the scope account:manage.
   */
  readonly "audit.list": {
    readonly path: {}
    readonly query: {
      /** Only changes of this kind. */
      readonly action?:
        | "workspace.created"
        | "workspace.credited"
        | "workspace.limits_changed"
        | "workspace.policy_changed"
        | "workspace.search_learning_changed"
        | "top_up.requested"
        | "top_up.mismatched"
        | "automatic_top_up.set"
        | "automatic_top_up.removed"
        | "automatic_top_up.disabled"
        | "token.created"
        | "token.changed"
        | "token.rotated"
        | "token.revoked"
        | "login.approved"
        | "login.denied"
        | "connection.authorization_begun"
        | "connection.created"
        | "connection.refused"
        | "connection.deleted"
        | "connection.resealed"
        | "platform_key.set"
        | "platform_key.removed"
        | "platform_key.resealed"
        | "provider.state_changed"
        | "catalog.published"
        | "run.resolved"
        | "run.resolution_proposed"
        | "run.resolution_rejected"
        | "run.resolution_closed"
        | "member.added"
        | "member.renamed"
        | "member.role_changed"
        | "member.removed"
        | "member.identity_bound"
        | "member.link_made"
        | "member.signed_in"
        | "member.signed_out"
        | undefined
      /** Only changes by this token or member, by its id, or by command_line or gateway. 1 to 100 characters. */
      readonly actor?: string | undefined
      /** Only changes of the thing with this id. 1 to 200 characters. */
      readonly subject?: string | undefined
      /** Only what was made at this time or later. ISO 8601, UTC. */
      readonly from?: string | undefined
      /** Only what was made before this time. ISO 8601, UTC. */
      readonly to?: string | undefined
      /** Rows of a page. 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** Where the page begins: nextCursor of the page before, with the same filters. 1 to 512 characters. */
      readonly cursor?: string | undefined
    }
    readonly body: undefined
    readonly answer: AuditPage
  }
  /**
   * Connect your own account at a provider. The secret is stored sealed and never shown again. Runs of this
   * workspace at the provider use the newest connection, or the one that they name as connectionId. Needs the
   * scope account:manage.
   */
  readonly "connections.create": {
    readonly path: {}
    readonly query: {}
    readonly body: ConnectionRequest
    readonly answer: Connection
  }
  /**
   * List connections, newest first. Everything about each connection except its secret. Needs the scope
   * account:manage.
   */
  readonly "connections.list": {
    readonly path: {}
    readonly query: {
      /** Rows of a page. 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** Where the page begins: nextCursor of the page before, with the same filters. 1 to 512 characters. */
      readonly cursor?: string | undefined
    }
    readonly body: undefined
    readonly answer: ConnectionPage
  }
  /**
   * Connect a user's account at a provider with OAuth 2. Answers with the page that the user opens in a
   * browser. The user agrees at the provider, and the connection is there. The gateway keeps the tokens
   * sealed, renews them, and never shows them. Needs the scope account:manage.
   */
  readonly "connections.authorize": {
    readonly path: {}
    readonly query: {}
    readonly body: ConnectionAuthorizationRequest
    readonly answer: ConnectionAuthorization
  }
  /** Get a connection. Everything about it except its secret. Needs the scope account:manage. */
  readonly "connections.get": {
    readonly path: {
      /** The connection's id; it begins with con_. 1 to 4096 characters. */
      readonly connectionId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: Connection
  }
  /**
   * Delete a connection and destroy its secret. Runs that use it and are still in flight may fail with
   * connection_unusable. The tokens of a user's account are revoked at the provider where it takes that. Needs
   * the scope account:manage.
   */
  readonly "connections.delete": {
    readonly path: {
      /** The connection's id; it begins with con_. 1 to 4096 characters. */
      readonly connectionId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: undefined
  }
  /**
   * Ask a person to let a token in. The client makes a token and sends its SHA-256 only. Once a person has
   * approved it under approveUrl, the token works; denied, it answers token_revoked.
   */
  readonly "logins.create": {
    readonly path: {}
    readonly query: {}
    readonly body: LoginApprovalRequest
    readonly answer: LoginApprovalCreated
  }
  /** What has become of a login. Ask again after pollIntervalSeconds while it is pending. */
  readonly "logins.get": {
    readonly path: {
      /** The login's id; it begins with apr_. 1 to 4096 characters. */
      readonly approvalId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: LoginApproval
  }
  /**
   * Get the rule of automatic top-ups. The rule, whether it is active, and what was charged this month. A
   * workspace without a rule answers 404. Needs the scope usage:read.
   */
  readonly "automaticTopUps.automaticTopUp": {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly answer: AutomaticTopUp
  }
  /**
   * Set the rule of automatic top-ups. While less than belowUsd is available, a saved card is charged with
   * amountUsd, with at most monthlyMaximumUsd in a calendar month (UTC). A card is saved by paying a top-up
   * that was requested with savePaymentMethod. A card that is declined disables the rule until it is set
   * again. Needs the scope billing:write.
   */
  readonly "automaticTopUps.setAutomaticTopUp": {
    readonly path: {}
    readonly query: {}
    readonly body: AutomaticTopUpRequest
    readonly answer: AutomaticTopUp
  }
  /**
   * Take the rule of automatic top-ups away. The saved card is charged no more. A top-up under way is not
   * called back. Needs the scope billing:write.
   */
  readonly "automaticTopUps.removeAutomaticTopUp": {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly answer: undefined
  }
}
