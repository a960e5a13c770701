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
 * nothing.
 */
export const routes = {
  "public-catalog.items": { method: "GET", path: "/v1/public-catalog", keyed: false, answers: "json" },
  "public-catalog.compare": { method: "POST", path: "/v1/public-catalog/compare", keyed: false, answers: "json" },
  "public-catalog.item": { method: "GET", path: "/v1/public-catalog/{catalogItemId}", keyed: false, answers: "json" },
  "public-catalog.overview": { method: "GET", path: "/v1/catalog/overview", keyed: false, answers: "json" },
  "catalog.search": { method: "GET", path: "/v1/catalog/search", keyed: false, answers: "json" },
  "catalog.discover": { method: "GET", path: "/v1/discover", keyed: false, answers: "json" },
  "catalog.endpoints": { method: "GET", path: "/v1/catalog/endpoints", keyed: false, answers: "json" },
  "catalog.operation": { method: "GET", path: "/v1/operations/{endpointId}", keyed: false, answers: "json" },
  "runs.create": { method: "POST", path: "/v1/runs", keyed: true, answers: "json" },
  "runs.list": { method: "GET", path: "/v1/runs", keyed: false, answers: "json" },
  "runs.quote": { method: "POST", path: "/v1/runs/quote", keyed: false, answers: "json" },
  "runs.get": { method: "GET", path: "/v1/runs/{runId}", keyed: false, answers: "json" },
  "runs.cancel": { method: "POST", path: "/v1/runs/{runId}/cancel", keyed: false, answers: "json" },
  "runs.attempts": { method: "GET", path: "/v1/runs/{runId}/attempts", keyed: false, answers: "json" },
  "runs.media": { method: "GET", path: "/v1/runs/{runId}/media/{mediaId}", keyed: false, answers: "file" },
  "account.balance": { method: "GET", path: "/v1/balance", keyed: false, answers: "json" },
  "account.limits": { method: "GET", path: "/v1/limits", keyed: false, answers: "json" },
  "account.ledger": { method: "GET", path: "/v1/ledger", keyed: false, answers: "json" },
  "account.topUps": { method: "GET", path: "/v1/top-ups", keyed: false, answers: "json" },
  "account.requestTopUp": { method: "POST", path: "/v1/top-ups", keyed: true, answers: "json" },
  "account.whoami": { method: "GET", path: "/v1/whoami", keyed: false, answers: "json" },
  "account.logout": { method: "POST", path: "/v1/logout", keyed: false, answers: "json" },
  "account.sessionContext": { method: "GET", path: "/v1/session-context", keyed: false, answers: "json" },
  "account.capabilityRequests": { method: "GET", path: "/v1/capability-requests", keyed: false, answers: "json" },
  "account.requestCapability": { method: "POST", path: "/v1/capability-requests", keyed: true, answers: "json" },
  "tokens.list": { method: "GET", path: "/v1/tokens", keyed: false, answers: "json" },
  "tokens.create": { method: "POST", path: "/v1/tokens", keyed: false, answers: "json" },
  "tokens.change": { method: "PATCH", path: "/v1/tokens/{tokenId}", keyed: false, answers: "json" },
  "tokens.revoke": { method: "DELETE", path: "/v1/tokens/{tokenId}", keyed: false, answers: "nothing" },
  "tokens.rotate": { method: "POST", path: "/v1/tokens/{tokenId}/rotate", keyed: false, answers: "json" },
  "audit.list": { method: "GET", path: "/v1/audit", keyed: false, answers: "json" },
  "connections.create": { method: "POST", path: "/v1/connections", keyed: false, answers: "json" },
  "connections.list": { method: "GET", path: "/v1/connections", keyed: false, answers: "json" },
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
  /** Search the public catalog. */
  readonly "public-catalog.items": {
    readonly path: {}
    readonly query: {
      /** 1 to 512 characters. */
      readonly q?: string | undefined
      /** 1 to 200 characters. */
      readonly capability?: string | undefined
      /** 1 to 200 characters. */
      readonly category?: string | undefined
      /** 1 to 200 characters. */
      readonly provider?: string | undefined
      /** 1 to 100. Default 50. */
      readonly limit?: number | undefined
      /** 1 to 512 characters. */
      readonly cursor?: string | undefined
    }
    readonly body: undefined
    readonly answer: PublicPage
  }
  /** Compare catalog items. */
  readonly "public-catalog.compare": {
    readonly path: {}
    readonly query: {}
    readonly body: CompareRequest
    readonly answer: Compared
  }
  /** Get a catalog item. */
  readonly "public-catalog.item": {
    readonly path: {
      readonly catalogItemId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: PublicItem
  }
  /** Count providers and endpoints by category, platform and job. */
  readonly "public-catalog.overview": {
    readonly path: {}
    readonly query: {
      /** Default "summary". */
      readonly depth?: "summary" | "platforms" | "jobs" | "full" | undefined
      /** 1 to 200 characters. */
      readonly category?: string | undefined
      /** 1 to 200 characters. */
      readonly platform?: string | undefined
      /** 1 to 512 characters. */
      readonly topic?: string | undefined
    }
    readonly body: undefined
    readonly answer: OverviewTree | OverviewTopic
  }
  /** Search the catalog, best first. Needs the scope catalog:read. */
  readonly "catalog.search": {
    readonly path: {}
    readonly query: {
      /** 1 to 512 characters. */
      readonly q: string
      /** 1 to 200. Default 50. */
      readonly limit?: number | undefined
      /** At least 0. Default 0. */
      readonly offset?: number | undefined
      /** 1 to 200 characters. */
      readonly category?: string | undefined
      /** 1 to 200 characters. */
      readonly platform?: string | undefined
      /** 1 to 200 characters. */
      readonly provider?: string | undefined
      /** 1 to 200 characters. */
      readonly capability?: string | undefined
      readonly keyless?: boolean | undefined
      readonly verified?: boolean | undefined
      /** Default false. */
      readonly hidden?: boolean | undefined
      /** At least 0. */
      readonly maxPriceMicros?: number | undefined
      readonly mock?: boolean | undefined
      /** Default "balanced". */
      readonly prefer?: "balanced" | "cheapest" | "reliable" | "fastest" | undefined
    }
    readonly body: undefined
    readonly answer: SearchAnswer
  }
  /** Discover operations that this workspace can run. Needs the scope catalog:read. */
  readonly "catalog.discover": {
    readonly path: {}
    readonly query: {
      /** 1 to 512 characters. */
      readonly q?: string | undefined
      /** 1 to 512 characters. */
      readonly query?: string | undefined
      /** 1 to 20. Default 5. */
      readonly limit?: number | undefined
      /** Default "balanced". */
      readonly prefer?: "balanced" | "cheapest" | "reliable" | "fastest" | undefined
      /** At least 0. */
      readonly maxPriceMicros?: number | undefined
    }
    readonly body: undefined
    readonly answer: Discovered
  }
  /** List endpoints, page by page, with counts per facet if asked. Needs the scope catalog:read. */
  readonly "catalog.endpoints": {
    readonly path: {}
    readonly query: {
      /** 1 to 5000. Default 100. */
      readonly limit?: number | undefined
      /** 1 to 4096 characters. */
      readonly cursor?: string | undefined
      /** 1 to 200 characters. */
      readonly category?: string | undefined
      /** 1 to 200 characters. */
      readonly platform?: string | undefined
      /** 1 to 200 characters. */
      readonly provider?: string | undefined
      /** 1 to 200 characters. */
      readonly capability?: string | undefined
      readonly keyless?: boolean | undefined
      readonly verified?: boolean | undefined
      /** Default false. */
      readonly hidden?: boolean | undefined
      /** At least 0. */
      readonly maxPriceMicros?: number | undefined
      /** Default false. */
      readonly facets?: boolean | undefined
    }
    readonly body: undefined
    readonly answer: EndpointListing
  }
  /** Inspect an operation or a job: its input, output, price and effect. Needs the scope catalog:read. */
  readonly "catalog.operation": {
    readonly path: {
      readonly endpointId: string
    }
    readonly query: {
      /** 1 to 128 characters. */
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
      readonly wait?: boolean | number | "" | undefined
    }
    readonly body: RunRequest
    readonly answer: Run
  }
  /**
   * List runs, newest first. Summaries; includeResult=true adds results, and then a page ends early rather
   * than carry more than 4194304 bytes of them: go on with nextCursor. Needs the scope runs:read.
   */
  readonly "runs.list": {
    readonly path: {}
    readonly query: {
      readonly status?: "queued" | "running" | "completed" | "failed" | "blocked" | "reconciliation_pending" | undefined
      /** The id of a job, with dots or underscores: runs of the job, and of tools that do it. 1 to 200 characters. */
      readonly capability?: string | undefined
      /** Default false. */
      readonly includeResult?: boolean | undefined
      /** 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** 1 to 512 characters. */
      readonly cursor?: string | undefined
    }
    readonly body: undefined
    readonly answer: RunPage
  }
  /** What a run would hold, whom it would try, and what would refuse it. Needs the scope runs:execute. */
  readonly "runs.quote": {
    readonly path: {}
    readonly query: {}
    readonly body: QuoteRequest
    readonly answer: Quote
  }
  /** Get a run, its result trimmed if asked. Needs the scope runs:read. */
  readonly "runs.get": {
    readonly path: {
      /** An id that begins with run_. */
      readonly runId: string
    }
    readonly query: {
      /** 1 to 4096 characters. */
      readonly fields?: string | undefined
      /** 1 to 10000. */
      readonly max_items?: number | undefined
    }
    readonly body: undefined
    readonly answer: Run
  }
  /** Cancel a run; answers the run as it then is. Needs the scope runs:execute. */
  readonly "runs.cancel": {
    readonly path: {
      /** An id that begins with run_. */
      readonly runId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: Run
  }
  /** List the durable attempts of a run, with receipts. Needs the scope runs:read. */
  readonly "runs.attempts": {
    readonly path: {
      /** An id that begins with run_. */
      readonly runId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: AttemptList
  }
  /** Download a file or a large answer. Needs the scope runs:read. */
  readonly "runs.media": {
    readonly path: {
      /** An id that begins with run_. */
      readonly runId: string
      readonly mediaId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: Response
  }
  /** Get the balance, its open holds and the top-up link. Needs the scope usage:read. */
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
  /** List ledger entries, newest first. Needs the scope usage:read. */
  readonly "account.ledger": {
    readonly path: {}
    readonly query: {
      readonly kind?: "top_up" | "hold" | "charge" | "release" | "adjustment" | undefined
      /** 1 to 100 characters. */
      readonly runId?: string | undefined
      /** ISO 8601, UTC. */
      readonly from?: string | undefined
      /** ISO 8601, UTC. */
      readonly to?: string | undefined
      /** 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** 1 to 512 characters. */
      readonly cursor?: string | undefined
    }
    readonly body: undefined
    readonly answer: LedgerPage
  }
  /** List top-ups, newest first. Needs the scope usage:read. */
  readonly "account.topUps": {
    readonly path: {}
    readonly query: {
      /** 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** 1 to 512 characters. */
      readonly cursor?: string | undefined
    }
    readonly body: undefined
    readonly answer: TopUpPage
  }
  /** Request a top-up. Needs the scope billing:write. */
  readonly "account.requestTopUp": {
    readonly path: {}
    readonly query: {}
    readonly body: TopUpRequest
    readonly answer: TopUp
  }
  /** Who am I. */
  readonly "account.whoami": {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly answer: Whoami
  }
  /** Revoke the calling token, from the next request on. */
  readonly "account.logout": {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly answer: LoggedOut
  }
  /** The session's context. */
  readonly "account.sessionContext": {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly answer: SessionContext
  }
  /** List capability requests, newest first. Needs the scope catalog:read. */
  readonly "account.capabilityRequests": {
    readonly path: {}
    readonly query: {
      /** 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** 1 to 512 characters. */
      readonly cursor?: string | undefined
    }
    readonly body: undefined
    readonly answer: CapabilityRequestPage
  }
  /** Request a capability. Needs the scope capabilities:write. */
  readonly "account.requestCapability": {
    readonly path: {}
    readonly query: {}
    readonly body: CapabilityRequestInput
    readonly answer: CapabilityRequest
  }
  /** List the workspace's tokens, newest first, revoked ones too. Needs the scope account:manage. */
  readonly "tokens.list": {
    readonly path: {}
    readonly query: {
      /** 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** 1 to 512 characters. */
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
      /** An id that begins with tok_. Example: "tok_01jz3w8m5q0000000000000000". */
      readonly tokenId: string
    }
    readonly query: {}
    readonly body: TokenChange
    readonly answer: Token
  }
  /** Revoke a token and all that come from it, from the next request on. Needs the scope account:manage. */
  readonly "tokens.revoke": {
    readonly path: {
      /** An id that begins with tok_. Example: "tok_01jz3w8m5q0000000000000000". */
      readonly tokenId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: undefined
  }
  /**
   * Give a token a new secret; it is shown once. The secret until now works for overlapSeconds more, and every
   * secret before it no longer than that. The body may be left out. A repeated request gives yet another
   * secret. A token that may do more than the calling one is not rotated (403). Needs the scope
   * account:manage.
   */
  readonly "tokens.rotate": {
    readonly path: {
      /** An id that begins with tok_. Example: "tok_01jz3w8m5q0000000000000000". */
      readonly tokenId: string
    }
    readonly query: {}
    readonly body: TokenRotation
    readonly answer: TokenWithSecret
  }
  /**
   * List who changed what in the workspace, newest first. Everything that operators, owners, members and
   * tokens changed: money, limits, policy, tokens, connections, people, decisions about uncertain runs.
   * Entries are never changed or deleted. `action` is one of the actions, `actor` the id of a token or member
   * or one of the kinds command_line and gateway, `subject` the id of the thing that was changed, `from` and
   * `to` bound the time (from is included). Needs the scope account:manage.
   */
  readonly "audit.list": {
    readonly path: {}
    readonly query: {
      readonly action?:
        | "workspace.created"
        | "workspace.credited"
        | "workspace.limits_changed"
        | "workspace.policy_changed"
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
        | "connection.created"
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
      /** 1 to 100 characters. */
      readonly actor?: string | undefined
      /** 1 to 200 characters. */
      readonly subject?: string | undefined
      /** ISO 8601, UTC. */
      readonly from?: string | undefined
      /** ISO 8601, UTC. */
      readonly to?: string | undefined
      /** 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** 1 to 512 characters. */
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
  /** List connections, newest first. Needs the scope account:manage. */
  readonly "connections.list": {
    readonly path: {}
    readonly query: {
      /** 1 to 100. Default 20. */
      readonly limit?: number | undefined
      /** 1 to 512 characters. */
      readonly cursor?: string | undefined
    }
    readonly body: undefined
    readonly answer: ConnectionPage
  }
  /** Get a connection. Needs the scope account:manage. */
  readonly "connections.get": {
    readonly path: {
      /** An id that begins with con_. */
      readonly connectionId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: Connection
  }
  /** Delete a connection and destroy its secret. Needs the scope account:manage. */
  readonly "connections.delete": {
    readonly path: {
      /** An id that begins with con_. */
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
  /** What has become of a login. */
  readonly "logins.get": {
    readonly path: {
      /** An id that begins with apr_. */
      readonly approvalId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly answer: LoginApproval
  }
  /** Get the rule of automatic top-ups. Needs the scope usage:read. */
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
  /** Take the rule of automatic top-ups away. Needs the scope billing:write. */
  readonly "automaticTopUps.removeAutomaticTopUp": {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly answer: undefined
  }
}
