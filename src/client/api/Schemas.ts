// Written by `npm run client:types` from the OpenAPI document; do not edit it by hand.

/** Any JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [field: string]: Json | undefined
}

export type Access = "runs_now" | "needs_your_account" | "coming_soon"

export type AttemptList = {
  readonly runId: string
  readonly attempts: ReadonlyArray<{
    readonly attemptId: string
    readonly n: number
    readonly providerId: string
    readonly endpointId: string
    readonly status: "running" | "completed" | "failed" | "reconciliation_pending"
    readonly outcome: RunOutcome | null
    readonly providerResponseStatus: number | null
    readonly latencyMs: number | null
    readonly costMicros: number | null
    readonly billed: boolean
    readonly reason?: string | undefined
    readonly errorCode?: string | undefined
    readonly receiptId: string | null
    readonly receipt: {
      readonly requestDigest: string | null
      readonly responseDigest: string | null
      readonly requestBytes: number
      readonly responseBytes: number
      readonly providerRequestId: string | null
      readonly costAnomaly?: string | undefined
      readonly sharedWithRunId?: string | undefined
    } | null
    /** ISO 8601, UTC. */
    readonly startedAt: string
    readonly completedAt: string | null
  }>
}

export type AuditActor = {
  /**
   * Who acted: somebody at the gateway's command line, a token, a member of the workspace, an operator of the
   * gateway, or the gateway by itself. Example: "token".
   */
  readonly kind: "command_line" | "token" | "member" | "operator" | "gateway"
  /** The token that acted. Example: "tok_01jz3w8m5q0000000000000000". */
  readonly tokenId?: string | undefined
  /** The member who acted. Example: "mem_01jz3w8m5q0000000000000000". */
  readonly memberId?: string | undefined
  /** The address of the client; null where there is none to tell. Example: "192.0.2.7". */
  readonly from: string | null
  /** The request by which they acted. Example: "req_01jz3w8m5q0000000000000000". */
  readonly requestId: string | null
}

export type AuditEntry = {
  /** Names the entry. Example: "aud_01jz3w8m5q0000000000000000". */
  readonly entryId: string
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly actor: AuditActor
  /**
   * What was done. Today: workspace.created, workspace.credited, workspace.limits_changed,
   * workspace.policy_changed, top_up.requested, top_up.mismatched, automatic_top_up.set,
   * automatic_top_up.removed, automatic_top_up.disabled, token.created, token.changed, token.rotated,
   * token.revoked, login.approved, login.denied, connection.created, connection.deleted, connection.resealed,
   * platform_key.set, platform_key.removed, platform_key.resealed, provider.state_changed, catalog.published,
   * run.resolved, run.resolution_proposed, run.resolution_rejected, run.resolution_closed, member.added,
   * member.renamed, member.role_changed, member.removed, member.identity_bound, member.link_made,
   * member.signed_in, member.signed_out. Example: "token.created".
   */
  readonly action: string
  readonly subject: {
    /** What kind of thing was changed. Example: "token". */
    readonly kind: string
    /** Which one. Example: "tok_01jz3w8m5q0000000000000000". */
    readonly id: string
  }
  /** What stood before, without secrets; null for something new. Example: {"label":"build server"}. */
  readonly before: JsonObject | null
  /** What stands since, without secrets; null for something that is gone. Example: {"label":"release server"}. */
  readonly after: JsonObject | null
}

export type AuditPage = {
  readonly entries: ReadonlyArray<AuditEntry>
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null
}

export type AutomaticTopUp = {
  /** active charges as soon as the balance is low; the others say what stands in the way. */
  readonly status: "active" | "no_payment_method" | "monthly_maximum_reached" | "disabled"
  /** Why the rule is disabled. */
  readonly reason?: "card_declined" | "authentication_required" | "charge_failed" | undefined
  readonly message: string
  readonly belowUsd: number
  readonly belowMicros: number
  readonly amountUsd: number
  readonly amountMicros: number
  readonly monthlyMaximumUsd: number
  readonly monthlyMaximumMicros: number
  /** What was charged in this calendar month (UTC). */
  readonly monthMicros: number
  /** The top-up under way. */
  readonly topUpId?: string | undefined
  /** ISO 8601, UTC. */
  readonly updatedAt: string
}

/** Example: {"belowUsd":10,"amountUsd":50,"monthlyMaximumUsd":200}. */
export type AutomaticTopUpRequest = {
  readonly belowUsd: number
  readonly amountUsd: number
  readonly monthlyMaximumUsd: number
}

export type Balance = {
  readonly available: number
  readonly reserved: number
  readonly availableMicros: number
  readonly reservedMicros: number
  readonly currency: "USD"
  readonly topUpUrl: string | null
  readonly topUpLink: TopUpHint
  readonly holds: ReadonlyArray<{
    readonly runId: string
    readonly amountMicros: number
    /** ISO 8601, UTC. */
    readonly createdAt: string
  }>
}

export type CapabilityRequest = {
  readonly capabilityRequestId: string
  readonly title: string
  readonly description: string
  readonly desiredInputs?: string | undefined
  readonly desiredOutputs?: string | undefined
  readonly status: "open"
  /** ISO 8601, UTC. */
  readonly createdAt: string
}

export type CapabilityRequestInput = {
  /** 1 to 200 characters. */
  readonly title: string
  /** 1 to 10000 characters. */
  readonly description: string
  readonly idempotencyKey?: IdempotencyKey | undefined
  /** 1 to 10000 characters. */
  readonly desiredInputs?: string | undefined
  /** 1 to 10000 characters. */
  readonly desiredOutputs?: string | undefined
}

export type CapabilityRequestPage = {
  readonly requests: ReadonlyArray<CapabilityRequest>
  readonly nextCursor: string | null
}

export type CatalogRow = {
  readonly endpointId: string
  readonly provider: string
  readonly name: string
  readonly capability?: string | undefined
  readonly category: string
  readonly estimatedPrice: number
  readonly priceBasis: "per_call" | "per_result" | "free"
  readonly access: Access
  readonly executionMode: "sync" | "async"
  readonly costPerSuccessUsd: number | null
  readonly async: boolean
  readonly works: Works
  readonly sourceCapability: string | null
  readonly credential: "none" | "platform" | "platform_own_key_optional" | "own_key_required"
  readonly platform: string
  readonly job?:
    | {
        readonly id: string
        readonly title: string
      }
    | undefined
  readonly summary: string
  readonly mock: boolean
  readonly verified: boolean
  readonly keyless: boolean
  readonly runnableNow: boolean
  readonly stats: Stats | null
  readonly matchedBy: "text" | "capability" | "tokens" | null
  readonly facts: { readonly [name: string]: string }
}

export type CompareRequest = {
  /** 2 to 10 items. */
  readonly catalogItemIds: ReadonlyArray<string>
  readonly input?: JsonObject | undefined
}

export type Compared = {
  readonly items: ReadonlyArray<ComparedItem>
  readonly differences: ReadonlyArray<{
    readonly field: string
    readonly values: { readonly [name: string]: Json }
  }>
  readonly cheapest: string | null
  readonly fastest: string | null
  readonly mostReliable: string | null
  readonly unknown: ReadonlyArray<string>
}

export type ComparedItem = {
  readonly catalogItemId: string
  readonly providerId: string
  readonly operationId: string
  readonly title: string
  readonly description: string
  readonly categories: ReadonlyArray<string>
  readonly capabilities: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly location: string
    readonly required: boolean
    readonly type: string
    readonly description: string
  }>
  readonly price: {
    readonly state: "priced" | "free" | "unknown"
    readonly amountMicros: number | null
    readonly currency: "USD"
    readonly unit: "call" | "result"
  } | null
  readonly mock: boolean
  readonly verified: boolean
  readonly keyless: boolean
  readonly works: Works
  readonly access: Access
  readonly acceptsInput?: boolean | undefined
  readonly inputProblems?:
    | ReadonlyArray<{
        readonly field: string
        readonly message: string
      }>
    | undefined
  readonly maxCostUsd?: number | null | undefined
}

export type Connection = {
  readonly connectionId: string
  readonly providerId: string
  readonly label: string
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly expiresAt: string | null
}

export type ConnectionPage = {
  readonly connections: ReadonlyArray<Connection>
  readonly nextCursor: string | null
}

export type ConnectionRequest = {
  /** A provider of the catalog. 1 to 63 characters. */
  readonly providerId: string
  /** 1 to 100 characters. */
  readonly label: string
  /**
   * The key at the provider; user and password, or client id and secret, as user:password. 1 to 8192
   * characters.
   */
  readonly secret: string
  /** When it is to be used no more; never without it. */
  readonly expiresAt?: string | null | undefined
}

export type Discovered = {
  readonly query: string
  readonly job?:
    | {
        readonly id: string
        readonly title: string
      }
    | undefined
  readonly operations: ReadonlyArray<DiscoveredOperation>
  readonly warnings?:
    | ReadonlyArray<{
        readonly code: "no_match"
        readonly message: string
      }>
    | undefined
}

export type DiscoveredOperation = {
  readonly endpointId: string
  readonly provider: string
  readonly name: string
  readonly capability?: string | undefined
  readonly category: string
  readonly estimatedPrice: number
  readonly priceBasis: "per_call" | "per_result" | "free"
  readonly access: Access
  readonly executionMode: "sync" | "async"
  readonly costPerSuccessUsd: number | null
  readonly async: boolean
  readonly works: Works
  readonly sourceCapability: string | null
  readonly credential: "none" | "platform" | "platform_own_key_optional" | "own_key_required"
  readonly score: number
  readonly scores: {
    readonly relevance: number
    readonly evidence: number
    readonly availability: number
    readonly price: number
  }
  readonly reason: string
  readonly missingInput: ReadonlyArray<string>
}

export type EndpointListing = {
  readonly endpoints: ReadonlyArray<CatalogRow>
  readonly nextCursor: string | null
  /** At least 0. */
  readonly total: number
  readonly revision: string
  readonly facets?:
    | {
        readonly category: ReadonlyArray<{
          readonly value: string
          /** At least 0. */
          readonly count: number
        }>
        readonly platform: ReadonlyArray<{
          readonly value: string
          /** At least 0. */
          readonly count: number
        }>
        readonly provider: ReadonlyArray<{
          readonly value: string
          /** At least 0. */
          readonly count: number
        }>
        readonly capability: ReadonlyArray<{
          readonly value: string
          /** At least 0. */
          readonly count: number
        }>
      }
    | undefined
}

export type Fallback = {
  /** Default true. */
  readonly enabled?: boolean | undefined
  /** Default 3. */
  readonly maxAttempts?: number | undefined
  readonly maxCostUsd?: number | undefined
  /** Default "balanced". */
  readonly prefer?: "balanced" | "cheapest" | "reliable" | "fastest" | undefined
  /** At most 50 items. Default []. */
  readonly exclude?: ReadonlyArray<string> | undefined
  /** Default false. */
  readonly stopAtFirstMiss?: boolean | undefined
}

/** 1 to 255 printable characters, spaces and colons included. 1 to 255 characters. */
export type IdempotencyKey = string

export type LedgerEntry = {
  readonly entryId: string
  readonly kind: LedgerKind
  /** Signed for the available balance. */
  readonly amountMicros: number
  readonly balanceAfterMicros: number
  readonly reservedAfterMicros: number
  readonly runId?: string | undefined
  readonly topUpId?: string | undefined
  readonly reason?: string | undefined
  /** ISO 8601, UTC. */
  readonly createdAt: string
}

export type LedgerKind = "top_up" | "hold" | "charge" | "release" | "adjustment"

export type LedgerPage = {
  readonly entries: ReadonlyArray<LedgerEntry>
  readonly nextCursor: string | null
}

export type Limits = {
  readonly balance: {
    readonly availableMicros: number
    readonly reservedMicros: number
  }
  /**
   * The calendar month (UTC) of the calling token: of its own limit and those that it shares, the one with the
   * least left; null without a limit.
   */
  readonly key: {
    readonly limitMicros: number | null
    readonly spentMicros: number
    readonly remainingMicros: number | null
    readonly resetsAt: string | null
  }
  readonly inflight: {
    readonly now: number
    readonly limit: number
  }
  readonly runsPerMinute: {
    readonly limit: number
    readonly remaining: number
    /** ISO 8601, UTC. */
    readonly resetsAt: string
  } | null
  /** The request rate of the workspace, as this node counts it and after this request. */
  readonly requests: {
    readonly burst: number
    readonly remaining: number
    readonly refillPerSecond: number
  }
  readonly budgets: ReadonlyArray<{
    readonly budgetId: string
    readonly name: string
    readonly limitMicros: number | null
    readonly spentMicros: number
    readonly remainingMicros: number | null
    readonly period: "day" | "month" | "total"
    readonly resetsAt: string | null
  }>
}

export type LoggedOut = {
  readonly revoked: true
}

export type LoginApproval = {
  readonly approvalId: string
  readonly status: "pending" | "approved" | "denied" | "expired"
  readonly label: string
  readonly scopes: ReadonlyArray<Scope>
  readonly tokenExpiresAt: string | null
  /** Until when the login can be approved. ISO 8601, UTC. */
  readonly expiresAt: string
  readonly pollIntervalSeconds: number
}

export type LoginApprovalCreated = {
  readonly approvalId: string
  /** To be shown beside the link, so that the person can compare it. */
  readonly userCode: string
  readonly approveUrl: string
  /** Until when the login can be approved. ISO 8601, UTC. */
  readonly expiresAt: string
  readonly pollIntervalSeconds: number
}

export type LoginApprovalRequest = {
  /**
   * SHA-256, in hex, of the text of a token that the client made itself: 43 to 80 random characters of A-Z a-z
   * 0-9 - _, such as 32 random bytes in base64url or hex, after pgw_ or nothing.
   */
  readonly digest: string
  /** What the person who approves sees, and what the token is called. 1 to 100 characters. */
  readonly label: string
  readonly scopes: ReadonlyArray<
    | "catalog:read"
    | "runs:read"
    | "runs:execute"
    | "usage:read"
    | "billing:write"
    | "capabilities:write"
    | "account:manage"
  >
  /** When the token is to expire; never without it. */
  readonly expiresAt?: string | null | undefined
}

/**
 * The answer under field names that do not change with the provider; absent, never null, unless the gateway
 * has it on and the answering endpoint has an output map.
 */
export type Normalized = {
  readonly job: string
  readonly endpointId: string
  /** The job's fields that were found, by their fixed names. */
  readonly fields: JsonObject
  /** Fields that the answer does not hold. */
  readonly missing: ReadonlyArray<string>
  /** Fields of which the answer holds several values. */
  readonly ambiguous: ReadonlyArray<string>
  /** Fields whose word is none of the vocabulary. */
  readonly unmapped: ReadonlyArray<string>
  /** The provider's own words, where they were translated. */
  readonly providerValues: JsonObject
  readonly verdict: "confirmed" | "guessed" | "empty"
  readonly verdictReason: string
  readonly mapVerified: boolean
}

export type OperationContract = {
  readonly endpoint: {
    readonly id: string
    readonly provider: string | null
    readonly name: string
    readonly summary: string
    readonly capability: string | null
    readonly sourceCapability: string | null
    readonly category: string
    readonly platform: string
    readonly credential: "none" | "platform" | "platform_own_key_optional" | "own_key_required"
    readonly access: Access
    readonly executionMode: "sync" | "async"
    readonly mock: boolean
    readonly price: {
      readonly basis: "per_call" | "per_result" | "free"
      readonly amountUsd: number
      readonly amountMicros: number
      readonly unit: "call" | "result"
      readonly estimateFormula: string
      readonly maxMicros: number
    }
    readonly facts: { readonly [name: string]: string }
  }
  readonly contractVersion: string
  readonly effectClassification: "effectful" | "read_only"
  /**
   * Dollars that a run of usageHints.exampleInput holds; the most that any input can cost is
   * endpoint.price.maxMicros.
   */
  readonly estimatedMaxCost: number
  readonly usageHints: {
    readonly requiredInputFields: ReadonlyArray<string>
    readonly optionalInputFields: ReadonlyArray<string>
    readonly inputAlternatives?: ReadonlyArray<ReadonlyArray<string>> | undefined
    readonly volumeField?: string | undefined
    readonly maxVolume?: number | undefined
    readonly exampleInput: JsonObject
    readonly curl: string
  }
  readonly inputSchema: JsonObject
  readonly requestBinding: {
    readonly [name: string]: {
      readonly in: "path" | "query" | "header" | "json" | "form" | "multipart"
      readonly name: string
    }
  }
  readonly outputFormat: {
    readonly schema: JsonObject | null
    readonly summary: string
    readonly provenance: {
      readonly verified: boolean
      readonly note: string
    }
  }
  readonly outputMap?:
    | {
        readonly job: string
        readonly fields: { readonly [name: string]: string }
        readonly verified: boolean
      }
    | undefined
  readonly providers?:
    | ReadonlyArray<{
        readonly endpointId: string
        readonly provider: string
        readonly name: string
        readonly access: Access
        readonly estimatedPrice: number
        readonly priceBasis: "per_call" | "per_result" | "free"
        readonly contractVersion: string
        readonly reason: string
      }>
    | undefined
}

export type OverviewCategory = {
  readonly id: string
  readonly title: string
  /** At least 0. */
  readonly providerCount: number
  /** At least 0. */
  readonly endpointCount: number
  /** At least 0. */
  readonly runnableCount: number
  readonly cheapestPerCall: number | null
  readonly cheapestPerResult: number | null
  /** At least 0. */
  readonly platformCount: number
  /** At least 0. */
  readonly jobCount: number
  readonly platforms?: ReadonlyArray<OverviewPlatform> | undefined
}

export type OverviewJob = {
  readonly id: string
  readonly title: string
  /** At least 0. */
  readonly providerCount: number
  /** At least 0. */
  readonly endpointCount: number
  /** At least 0. */
  readonly runnableCount: number
  readonly cheapestPerCall: number | null
  readonly cheapestPerResult: number | null
  readonly endpoints?: ReadonlyArray<TitleRow> | undefined
}

export type OverviewPlatform = {
  readonly id: string
  readonly title: string
  /** At least 0. */
  readonly providerCount: number
  /** At least 0. */
  readonly endpointCount: number
  /** At least 0. */
  readonly runnableCount: number
  readonly cheapestPerCall: number | null
  readonly cheapestPerResult: number | null
  /** At least 0. */
  readonly jobCount: number
  readonly jobs?: ReadonlyArray<OverviewJob> | undefined
}

export type OverviewTopic = {
  readonly revision: string
  readonly builtAt: string
  readonly topic: string
  readonly filter?:
    | {
        readonly category?: string | undefined
        readonly platform?: string | undefined
      }
    | undefined
  /** At least 0. */
  readonly matchCount: number
  readonly truncated: boolean
  readonly jobs: ReadonlyArray<{
    readonly id: string
    readonly title: string
    /** At least 0. */
    readonly providerCount: number
    /** At least 0. */
    readonly endpointCount: number
    /** At least 0. */
    readonly runnableCount: number
    readonly cheapestPerCall: number | null
    readonly cheapestPerResult: number | null
    readonly category: string
    readonly platform: string
  }>
}

export type OverviewTree = {
  readonly revision: string
  readonly builtAt: string
  readonly depth: "summary" | "platforms" | "jobs" | "full"
  readonly filter?:
    | {
        readonly category?: string | undefined
        readonly platform?: string | undefined
      }
    | undefined
  readonly totals?:
    | {
        /** At least 0. */
        readonly categories: number
        /** At least 0. */
        readonly platforms: number
        /** At least 0. */
        readonly jobs: number
        /** At least 0. */
        readonly providers: number
        /** At least 0. */
        readonly endpoints: number
        /** At least 0. */
        readonly runnableEndpoints: number
      }
    | undefined
  readonly categories: ReadonlyArray<OverviewCategory>
}

export type Prefer = "balanced" | "cheapest" | "reliable" | "fastest"

export type PublicItem = {
  readonly catalogItemId: string
  readonly providerId: string
  readonly operationId: string
  readonly title: string
  readonly description: string
  readonly categories: ReadonlyArray<string>
  readonly capabilities: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly location: string
    readonly required: boolean
    readonly type: string
    readonly description: string
  }>
  readonly price: {
    readonly state: "priced" | "free" | "unknown"
    readonly amountMicros: number | null
    readonly currency: "USD"
    readonly unit: "call" | "result"
  } | null
  readonly mock: boolean
  readonly verified: boolean
  readonly keyless: boolean
}

export type PublicPage = {
  readonly items: ReadonlyArray<PublicItem>
  readonly nextCursor: string | null
  readonly warnings?:
    | ReadonlyArray<{
        readonly code: "no_match"
        readonly message: string
      }>
    | undefined
}

export type Quote = {
  /** Whether the run would be dispatched now. */
  readonly admissible: boolean
  readonly holdMicros: number
  readonly estimatedCost: number
  readonly route?:
    | {
        readonly job: string | null
        readonly prefer: Prefer
        readonly reason: string
        readonly capped: boolean
        readonly candidates: ReadonlyArray<{
          readonly endpointId: string
          readonly provider: string
          readonly maxMicros: number
          readonly effectful: boolean
        }>
        readonly skipped: ReadonlyArray<{
          readonly endpointId: string
          readonly code: "over_cost_cap" | "needs_identity" | "excluded" | "not_runnable" | "rejected_input"
          readonly reason: string
        }>
      }
    | undefined
  readonly error?: RunError | undefined
  readonly result?: JsonObject | undefined
  readonly limits: ReadonlyArray<{
    readonly limit: "run_cap" | "runs_per_minute" | "inflight" | "key_month" | "balance"
    readonly admits: boolean
    readonly message: string | null
  }>
}

export type QuoteRequest = {
  /** job:<job_id> or a tool id. 1 to 255 characters. */
  readonly endpointId: string
  /** Fields of the job or tool; unknown keys pass through unchanged. */
  readonly input: JsonObject
  /** Jobs: try the next provider on a miss. */
  readonly fallback?: boolean | Fallback | undefined
  readonly output?:
    | {
        readonly mode?: "raw" | "canonical" | undefined
      }
    | undefined
  /** Run on this connection of yours. 1 to 255 characters. */
  readonly connectionId?: string | undefined
}

export type RequestedJob = {
  readonly job: string
  readonly prefer?: Prefer | undefined
  readonly pickedEndpointId: string | null
  readonly reason: string
  readonly skipped: ReadonlyArray<{
    readonly endpointId: string
    readonly code: "over_cost_cap" | "needs_identity" | "excluded" | "not_runnable" | "rejected_input"
    readonly reason: string
  }>
}

export type Route = {
  readonly servedBy?: string | undefined
  readonly outcome: RunOutcome | null
  /** US dollars. */
  readonly chargedUsd: number
  readonly capped: boolean
  readonly attempts: ReadonlyArray<{
    readonly n: number
    readonly endpointId: string
    readonly provider: string
    readonly outcome: RunOutcome | null
    readonly status: "running" | "completed" | "failed" | "reconciliation_pending"
    /** US dollars. */
    readonly chargedUsd: number
    readonly ms: number | null
    readonly reason?: string | undefined
    readonly billed: boolean
  }>
  readonly skipped: ReadonlyArray<{
    readonly endpointId: string
    readonly code: "over_cost_cap" | "needs_identity" | "excluded" | "not_runnable" | "rejected_input"
    readonly reason: string
  }>
  readonly summary: string
}

export type Run = {
  readonly runId: string
  readonly endpointId: string
  readonly providerId?: string | undefined
  readonly servedEndpointId?: string | undefined
  readonly servedProviderId?: string | undefined
  readonly status: RunStatus
  readonly outcome?: RunOutcome | undefined
  readonly providerResponseStatus: number | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly completedAt: string | null
  readonly actualCost: number | null
  readonly error?: RunError | undefined
  readonly resultBytes: number | null
  readonly requestedJob?: RequestedJob | undefined
  readonly outcomeReason?: string | undefined
  readonly result?: RunResult | undefined
  readonly normalized?: Normalized | undefined
  readonly pricing: {
    readonly maximumChargeMicros: number
    readonly finalChargeMicros?: number | undefined
  }
  /** US dollars. */
  readonly estimatedCost: number
  readonly route?: Route | undefined
  readonly contractVersion?: string | undefined
  readonly startedAt: string | null
  readonly connectionId?: string | undefined
  readonly replayed?: boolean | undefined
  readonly trimmed?: Trimmed | undefined
}

export type RunError = {
  readonly code:
    | "provider_error"
    | "provider_reported_error"
    | "timeout"
    | "rate_limited"
    | "auth_error"
    | "invalid_response"
    | "unsupported_response_type"
    | "response_too_large"
    | "redirect_blocked"
    | "output_mapping_error"
    | "endpoint_not_found"
    | "eligibility_blocked"
    | "activation_blocked"
    | "credential_denied"
    | "platform_key_missing"
    | "platform_auth_incompatible"
    | "credential_placement_unsupported"
    | "budget_exceeded"
    | "provider_disabled"
    | "provider_draining"
    | "connection_not_found"
    | "connection_invalid"
    | "provider_http_error"
    | "fetch_failed"
    | "connection_unusable"
    | "contract_invalid"
    | "route_denied"
    | "no_route_candidate"
    | "capacity_exhausted"
    | "cancelled_before_dispatch"
    | "cancellation_requested_after_dispatch"
    | "runtime_store_replaced_before_dispatch"
    | "validation_error"
    | "insufficient_balance"
    | "route_capped"
    | "route_no_fit"
  readonly message: string
  readonly requestId: string
  readonly whoseError: "provider" | "gateway" | "customer"
  readonly retryable: boolean
  readonly retryHint: string
  readonly providerStatus?: number | undefined
}

export type RunOutcome = "hit" | "weak" | "miss" | "error" | "rejected"

export type RunPage = {
  readonly runs: ReadonlyArray<RunSummary>
  readonly nextCursor: string | null
}

export type RunRequest = {
  /** job:<job_id> or a tool id. 1 to 255 characters. */
  readonly endpointId: string
  /** Fields of the job or tool; unknown keys pass through unchanged. */
  readonly input: JsonObject
  /** Jobs: try the next provider on a miss. */
  readonly fallback?: boolean | Fallback | undefined
  readonly output?:
    | {
        readonly mode?: "raw" | "canonical" | undefined
      }
    | undefined
  /** Run on this connection of yours. 1 to 255 characters. */
  readonly connectionId?: string | undefined
  readonly wait?: boolean | number | undefined
  readonly idempotencyKey?: IdempotencyKey | undefined
}

/**
 * The provider's answer: its JSON as the provider gave it, be that an object, a list, a text, a number or
 * null; else text and format, or media with a downloadPath.
 */
export type RunResult = Json

export type RunStatus = "queued" | "running" | "completed" | "failed" | "blocked" | "reconciliation_pending"

export type RunSummary = {
  readonly runId: string
  readonly endpointId: string
  readonly providerId?: string | undefined
  readonly servedEndpointId?: string | undefined
  readonly servedProviderId?: string | undefined
  readonly status: RunStatus
  readonly outcome?: RunOutcome | undefined
  readonly providerResponseStatus: number | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly completedAt: string | null
  readonly actualCost: number | null
  readonly error?: RunError | undefined
  readonly resultBytes: number | null
  readonly result?: RunResult | undefined
}

export type Scope =
  | "catalog:read"
  | "runs:read"
  | "runs:execute"
  | "usage:read"
  | "billing:write"
  | "capabilities:write"
  | "account:manage"

export type SearchAnswer = {
  readonly query: string
  /** At least 0. */
  readonly total: number
  readonly endpoints: ReadonlyArray<CatalogRow>
  readonly nextOffset: number | null
  readonly prefer: Prefer
  readonly expandedCapabilities: ReadonlyArray<string>
  readonly revision: string
  readonly warnings?:
    | ReadonlyArray<
        | {
            readonly code: "no_supply_for_job"
            readonly job: string
            readonly message: string
          }
        | {
            readonly code: "no_match"
            readonly message: string
          }
      >
    | undefined
  readonly priceHint?:
    | {
        readonly code: "price_above_max"
        readonly endpointId: string
        readonly provider: string
        readonly estimatedPrice: number
        readonly priceBasis: "per_call" | "per_result" | "free"
      }
    | undefined
}

export type SessionContext = {
  readonly mode: "token"
  readonly authenticationClass: "api_key"
  readonly organizationId: string
  readonly organizationName: string
  readonly scopes: ReadonlyArray<Scope>
  readonly deploymentMode: string
  readonly role: "operator" | "admin" | "member" | "viewer"
  readonly expiresAt: string | null
}

export type Stats = {
  /** At least 0. */
  readonly calls: number
  readonly successRate: number
  readonly p50Ms: number | null
  /** At least 0. */
  readonly sampleSize: number
}

export type TitleRow = {
  readonly endpointId: string
  readonly provider: string
  readonly name: string
  readonly capability?: string | undefined
  readonly category: string
  readonly estimatedPrice: number
  readonly priceBasis: "per_call" | "per_result" | "free"
  readonly access: Access
  readonly executionMode: "sync" | "async"
  readonly costPerSuccessUsd: number | null
  readonly async: boolean
  readonly works: Works
  readonly sourceCapability: string | null
  readonly credential: "none" | "platform" | "platform_own_key_optional" | "own_key_required"
}

export type Token = {
  /** Names the token; it stands in the secret too, after pgw_. Example: "tok_01jz3w8m5q0000000000000000". */
  readonly tokenId: string
  /** What people call it. Example: "build server". */
  readonly label: string
  /** What it may do. Example: ["catalog:read","runs:read","runs:execute"]. */
  readonly scopes: ReadonlyArray<Scope>
  /** ISO 8601, UTC. */
  readonly createdAt: string
  /** When it was used last, to the minute; null when it never was. */
  readonly lastUsedAt: string | null
  /** When it ends; null for never. */
  readonly expiresAt: string | null
  /** When it was revoked; null while it works. */
  readonly revokedAt: string | null
  /**
   * How much it may spend in a calendar month (UTC), in micros; null without a limit of its own. Example:
   * 5000000.
   */
  readonly monthlySpendLimitMicros: number | null
  /** Charges and open holds of this calendar month (UTC), in micros. Example: 120000. */
  readonly monthSpendMicros: number
}

export type TokenChange = {
  /** What people call it. 1 to 100 characters. */
  readonly label?: string | undefined
  /** How many dollars it may spend in a calendar month (UTC); null for no limit of its own. Example: 25. */
  readonly monthlyLimitUsd?: number | null | undefined
  /** When it ends; null for never. Example: "2027-01-01T00:00:00.000Z". */
  readonly expiresAt?: string | null | undefined
}

export type TokenPage = {
  readonly tokens: ReadonlyArray<Token>
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null
}

export type TokenRequest = {
  /** What people call it. 1 to 100 characters. */
  readonly label: string
  /**
   * What it may do: no more than the calling token. At least 1 items. Example:
   * ["catalog:read","runs:execute"].
   */
  readonly scopes: ReadonlyArray<
    | "catalog:read"
    | "runs:read"
    | "runs:execute"
    | "usage:read"
    | "billing:write"
    | "capabilities:write"
    | "account:manage"
  >
  /** How many dollars it may spend in a calendar month (UTC); null for no limit of its own. Example: 25. */
  readonly monthlyLimitUsd?: number | null | undefined
  /** When it ends; without it, when the calling token ends. Example: "2027-01-01T00:00:00.000Z". */
  readonly expiresAt?: string | null | undefined
}

export type TokenRotation = {
  readonly overlapSeconds?: number | undefined
}

export type TokenWithSecret = {
  /** Names the token; it stands in the secret too, after pgw_. Example: "tok_01jz3w8m5q0000000000000000". */
  readonly tokenId: string
  /** What people call it. Example: "build server". */
  readonly label: string
  /** What it may do. Example: ["catalog:read","runs:read","runs:execute"]. */
  readonly scopes: ReadonlyArray<Scope>
  /** ISO 8601, UTC. */
  readonly createdAt: string
  /** When it was used last, to the minute; null when it never was. */
  readonly lastUsedAt: string | null
  /** When it ends; null for never. */
  readonly expiresAt: string | null
  /** When it was revoked; null while it works. */
  readonly revokedAt: string | null
  /**
   * How much it may spend in a calendar month (UTC), in micros; null without a limit of its own. Example:
   * 5000000.
   */
  readonly monthlySpendLimitMicros: number | null
  /** Charges and open holds of this calendar month (UTC), in micros. Example: 120000. */
  readonly monthSpendMicros: number
  /**
   * The secret, for Authorization: Bearer. It is shown this once and stored nowhere. Example:
   * "pgw_01jz3w8m5q0000000000000000…".
   */
  readonly token: string
}

export type TopUp = {
  readonly topUpId: string
  readonly status: "pending" | "paid" | "expired" | "failed" | "refused"
  readonly amountUsd: number
  readonly amountMicros: number
  readonly checkoutUrl: string | null
  readonly dashboardUrl: string
  readonly message: string
  readonly reason?:
    | "billing_disabled"
    | "payment_processor_not_configured"
    | "operator_workspace"
    | "read_only_token"
    | "rate_limited"
    | "checkout_failed"
    | "processor_timeout"
    | "amount_out_of_range"
    | "balance_low"
    | "balance_sufficient"
    | undefined
  /** What refunds and disputes have taken back of it; absent where nothing. */
  readonly takenBackMicros?: number | undefined
  /** What they are still to take back: the next top-ups pay it first; absent where nothing is owed. */
  readonly owedMicros?: number | undefined
  /** ISO 8601, UTC. */
  readonly createdAt: string
}

export type TopUpHint = {
  readonly minimumUsd: number
  readonly suggestedUsd: number
  readonly checkoutUrl: string | null
  readonly dashboardUrl: string
  readonly message: string
  readonly reason?:
    | "billing_disabled"
    | "payment_processor_not_configured"
    | "operator_workspace"
    | "read_only_token"
    | "rate_limited"
    | "checkout_failed"
    | "processor_timeout"
    | "amount_out_of_range"
    | "balance_low"
    | "balance_sufficient"
    | undefined
}

export type TopUpPage = {
  readonly topUps: ReadonlyArray<TopUp>
  readonly nextCursor: string | null
}

export type TopUpRequest = {
  readonly amountUsd?: number | undefined
  /** Whether the card that pays is saved for automatic top-ups; the checkout asks its owner. */
  readonly savePaymentMethod?: boolean | undefined
  readonly idempotencyKey?: IdempotencyKey | undefined
}

export type Trimmed = {
  readonly truncated: boolean
  readonly fields?: ReadonlyArray<string> | undefined
  readonly max_items?: number | undefined
  readonly arrays: ReadonlyArray<{
    readonly path: string
    readonly kept: number
    readonly total: number
  }>
}

export type Whoami = {
  readonly tokenId: string
  readonly label: string
  readonly workspaceId: string
  readonly workspaceName: string
  readonly scopes: ReadonlyArray<Scope>
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly monthlySpendLimitMicros: number | null
  readonly monthSpendMicros: number
  readonly readOnly: boolean
}

export type Works = {
  readonly rate: number | null
  /** At least 0. */
  readonly runs: number
  readonly p50Ms: number | null
  readonly thin: boolean
}

/** The body of every refusal, by its code. */
export interface Refusals {
  /** No such route. */
  readonly route_not_found: {
    readonly error: {
      readonly code: "route_not_found"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
  }
  /** The route exists, but not for this method. */
  readonly method_not_allowed: {
    readonly error: {
      readonly code: "method_not_allowed"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
  }
  /** The request fails validation. */
  readonly validation_error: {
    readonly error: {
      readonly code: "validation_error"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
      readonly details: ReadonlyArray<{
        readonly field: string
        readonly message: string
      }>
    }
    readonly topUp?: TopUpHint | undefined
    readonly reason?:
      | "billing_disabled"
      | "payment_processor_not_configured"
      | "operator_workspace"
      | "read_only_token"
      | "rate_limited"
      | "checkout_failed"
      | "processor_timeout"
      | "amount_out_of_range"
      | "balance_low"
      | "balance_sufficient"
      | undefined
  }
  /** Internal error. */
  readonly internal_error: {
    readonly error: {
      readonly code: "internal_error"
      readonly message: string
      readonly requestId: string
      readonly retryable: true
      readonly retryHint: string
    }
  }
  /** Too many requests. */
  readonly rate_limit_exceeded: {
    readonly error: {
      readonly code: "rate_limit_exceeded"
      readonly message: string
      readonly requestId: string
      readonly retryable: true
      readonly retryHint: string
    }
    /** Seconds to wait before the next try. */
    readonly retryAfterSeconds: number
  }
  /** Token missing or invalid. */
  readonly unauthorized: {
    readonly error: {
      readonly code: "unauthorized"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
  }
  /** Token revoked. */
  readonly token_revoked: {
    readonly error: {
      readonly code: "token_revoked"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
  }
  /** Storage is overloaded. */
  readonly storage_busy: {
    readonly error: {
      readonly code: "storage_busy"
      readonly message: string
      readonly requestId: string
      readonly retryable: true
      readonly retryHint: string
    }
    /** Seconds to wait before the next try. */
    readonly retryAfterSeconds: number
  }
  /** The last write is unconfirmed. */
  readonly storage_uncertain: {
    readonly error: {
      readonly code: "storage_uncertain"
      readonly message: string
      readonly requestId: string
      readonly retryable: true
      readonly retryHint: string
    }
  }
  /** Storage took too long. */
  readonly runtime_bridge_timeout: {
    readonly error: {
      readonly code: "runtime_bridge_timeout"
      readonly message: string
      readonly requestId: string
      readonly retryable: true
      readonly retryHint: string
    }
    /** Seconds to wait before the next try. */
    readonly retryAfterSeconds: number
  }
  /** The catalog is not loaded yet. */
  readonly catalog_loading: {
    readonly error: {
      readonly code: "catalog_loading"
      readonly message: string
      readonly requestId: string
      readonly retryable: true
      readonly retryHint: string
    }
    /** Seconds to wait before the next try. */
    readonly retryAfterSeconds: number
  }
  /** Not found. */
  readonly not_found: {
    readonly error: {
      readonly code: "not_found"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
  }
  /** The request body is too large. */
  readonly payload_too_large: {
    readonly error: {
      readonly code: "payload_too_large"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
    readonly limitBytes: number
  }
  /** The request body is compressed. */
  readonly unsupported_media_type: {
    readonly error: {
      readonly code: "unsupported_media_type"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
  }
  /** Unknown category. */
  readonly unknown_category: {
    readonly error: {
      readonly code: "unknown_category"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
    readonly field: "category"
    readonly categories: ReadonlyArray<string>
  }
  /** Unknown platform. */
  readonly unknown_platform: {
    readonly error: {
      readonly code: "unknown_platform"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
    readonly field: "platform"
    readonly platforms: ReadonlyArray<string>
  }
  /** The token lacks the scope. */
  readonly forbidden: {
    readonly error: {
      readonly code: "forbidden"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
      readonly details?:
        | ReadonlyArray<{
            readonly field: string
            readonly message: string
          }>
        | undefined
    }
    readonly scope?: string | undefined
    readonly topUp?: TopUpHint | undefined
    readonly reason?:
      | "billing_disabled"
      | "payment_processor_not_configured"
      | "operator_workspace"
      | "read_only_token"
      | "rate_limited"
      | "checkout_failed"
      | "processor_timeout"
      | "amount_out_of_range"
      | "balance_low"
      | "balance_sufficient"
      | undefined
  }
  /** Too many runs in flight. */
  readonly too_many_inflight_runs: {
    readonly error: {
      readonly code: "too_many_inflight_runs"
      readonly message: string
      readonly requestId: string
      readonly retryable: true
      readonly retryHint: string
    }
    readonly inflight: number
    readonly limit: number
    /** Seconds to wait before the next try. */
    readonly retryAfterSeconds: number
  }
  /** Too many runs a minute. */
  readonly run_rate_limited: {
    readonly error: {
      readonly code: "run_rate_limited"
      readonly message: string
      readonly requestId: string
      readonly retryable: true
      readonly retryHint: string
    }
    readonly limit: number
    /** Seconds to wait before the next try. */
    readonly retryAfterSeconds: number
  }
  /** The reservation exceeds the available balance. */
  readonly insufficient_balance: {
    readonly error: {
      readonly code: "insufficient_balance"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
    readonly balanceMicros: number
    readonly estimatedCostMicros: number
    readonly topUpUrl: string | null
    readonly topUp: TopUpHint
  }
  /** The key's monthly limit is reached. */
  readonly key_spend_limit_reached: {
    readonly error: {
      readonly code: "key_spend_limit_reached"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
    readonly limitMicros: number
    readonly spentMicros: number
  }
  /** The key was used with a different request. */
  readonly idempotency_conflict: {
    readonly error: {
      readonly code: "idempotency_conflict"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
    readonly runId?: string | undefined
  }
  /** Unsupported output mode. */
  readonly rows_mode_unsupported: {
    readonly error: {
      readonly code: "rows_mode_unsupported"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
    readonly reason: string
  }
  /** Bad or stale cursor. */
  readonly runs_cursor_invalid: {
    readonly error: {
      readonly code: "runs_cursor_invalid"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
  }
  /** Billing is not enabled. */
  readonly billing_unavailable: {
    readonly error: {
      readonly code: "billing_unavailable"
      readonly message: string
      readonly requestId: string
      readonly retryable: false
      readonly retryHint: string
    }
  }
}
