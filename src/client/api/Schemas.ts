// Written by `npm run client:types` from the OpenAPI document; do not edit it by hand.

/** Any JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [field: string]: Json | undefined
}

/**
 * Whether you can run it: runs_now (no key is needed, or the gateway has one), needs_your_account (connect a
 * key of your own first), coming_soon (nobody can run it yet). Example: "runs_now".
 */
export type Access = "runs_now" | "needs_your_account" | "coming_soon"

/** Words of the question that acted like a parameter and were not searched for. */
export type AppliedHint = {
  /** The words of the question. Example: "cheapest". */
  readonly words: string
  /** The parameter of the search that they equal. Example: "prefer". */
  readonly parameter: "prefer" | "maxPriceMicros" | "keyless" | "provider"
  /** The value of that parameter. Example: "cheapest". */
  readonly value: string | number | boolean
  /** The same in a sentence, with how to undo it. */
  readonly message: string
  /** Asked so, this hint is not read; hints=off reads none. Example: "the \"cheapest\" email finder". */
  readonly undoQuery: string
}

/** The attempts of a run, with receipts. */
export type AttemptList = {
  /** Names the run. Example: "run_01jz3w8m5q0000000000000000". */
  readonly runId: string
  /** Attempts, in order. */
  readonly attempts: ReadonlyArray<{
    /** Names the attempt. Example: "att_01jz3w8m5q0000000000000000". */
    readonly attemptId: string
    /** The attempt's number, from 1. Example: 1. */
    readonly n: number
    /** The provider that was called. Example: "mock". */
    readonly providerId: string
    /** The tool that was tried. Example: "mock-email-find". */
    readonly endpointId: string
    /** Where the attempt stands. Example: "completed". */
    readonly status: "running" | "completed" | "failed" | "reconciliation_pending"
    /** What came of it; null while it is under way, and while nobody knows. */
    readonly outcome: RunOutcome | null
    /** The HTTP status that the provider answered; null when there is no answer. Example: 200. */
    readonly providerResponseStatus: number | null
    /** How long it took, in milliseconds; null while it is under way. Example: 840. */
    readonly latencyMs: number | null
    /** What it cost, in micros; null until that is known. Example: 20000. */
    readonly costMicros: number | null
    /** Whether the attempt is charged. Example: true. */
    readonly billed: boolean
    /** Why it ended so, in a sentence. Example: "An e-mail address was found.". */
    readonly reason?: string | undefined
    /** What went wrong, as a word for programs; absent when nothing did. Example: "timeout". */
    readonly errorCode?: string | undefined
    /** Names the receipt; null without one. Example: "rcp_01jz3w8m5q0000000000000000". */
    readonly receiptId: string | null
    /**
     * Evidence of the call: digests and sizes; null while it is under way, and for a call whose node died
     * meanwhile: nobody saw its answer.
     */
    readonly receipt: {
      /**
       * SHA-256 of what was sent; null when nothing was. Example:
       * "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5".
       */
      readonly requestDigest: string | null
      /**
       * SHA-256 of the answer; null when there was none. Example:
       * "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5".
       */
      readonly responseDigest: string | null
      /** The size of what was sent. Example: 58. */
      readonly requestBytes: number
      /** The size of the answer. Example: 61. */
      readonly responseBytes: number
      /** What the provider calls the request; null when it does not say. Example: "7f2b9c". */
      readonly providerRequestId: string | null
      /**
       * The cost that the provider reported, when it could not be charged as it was. Example: "reported 30000
       * micros, above the hold".
       */
      readonly costAnomaly?: string | undefined
      readonly pages?: Pages | undefined
      /**
       * The run of yours whose call this one shared; absent when it made its own. Example:
       * "run_01jz3w8m5q0000000000000000".
       */
      readonly sharedWithRunId?: string | undefined
    } | null
    /** When it began. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
    readonly startedAt: string
    /** When it ended; null while it is under way. Example: "2026-06-15T12:00:00.840Z". */
    readonly completedAt: string | null
  }>
}

/** Who acted. */
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

/** A change, and who made it. */
export type AuditEntry = {
  /** Names the entry. Example: "aud_01jz3w8m5q0000000000000000". */
  readonly entryId: string
  /** When the change was made, by the database's clock. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly createdAt: string
  readonly actor: AuditActor
  /**
   * What was done. Today: workspace.created, workspace.credited, workspace.limits_changed,
   * workspace.policy_changed, workspace.search_learning_changed, top_up.requested, top_up.mismatched,
   * automatic_top_up.set, automatic_top_up.removed, automatic_top_up.disabled, token.created, token.changed,
   * token.rotated, token.revoked, login.approved, login.denied, connection.authorization_begun,
   * connection.created, connection.refused, connection.deleted, connection.resealed, platform_key.set,
   * platform_key.removed, platform_key.resealed, provider.state_changed, catalog.published, run.resolved,
   * run.resolution_proposed, run.resolution_rejected, run.resolution_closed, member.added, member.renamed,
   * member.role_changed, member.removed, member.identity_bound, member.link_made, member.signed_in,
   * member.signed_out. Example: "token.created".
   */
  readonly action: string
  /** What was changed. */
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

/** A page of the audit trail. */
export type AuditPage = {
  /** Entries, newest first. */
  readonly entries: ReadonlyArray<AuditEntry>
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null
}

/** The rule of automatic top-ups, and how it stands. */
export type AutomaticTopUp = {
  /** active charges as soon as the balance is low; the others say what stands in the way. Example: "active". */
  readonly status: "active" | "no_payment_method" | "monthly_maximum_reached" | "disabled" | "unavailable"
  /** Why the rule is disabled or unavailable. Example: "card_declined". */
  readonly reason?:
    | "card_declined"
    | "authentication_required"
    | "charge_failed"
    | "payment_taken_back"
    | "operator_workspace"
    | "payment_processor_not_configured"
    | undefined
  /** The same in a sentence. Example: "The saved card is charged when the balance falls below belowUsd.". */
  readonly message: string
  /** The card is charged while less than this is available, in US dollars. Example: 10. */
  readonly belowUsd: number
  /** The same, in micros. Example: 10000000. */
  readonly belowMicros: number
  /** How much is charged at a time, in US dollars. Example: 50. */
  readonly amountUsd: number
  /** The same, in micros. Example: 50000000. */
  readonly amountMicros: number
  /** How much is charged in a calendar month (UTC) at most, in US dollars. Example: 200. */
  readonly monthlyMaximumUsd: number
  /** The same, in micros. Example: 200000000. */
  readonly monthlyMaximumMicros: number
  /** What was charged in this calendar month (UTC), in micros. Example: 50000000. */
  readonly monthMicros: number
  /** The top-up under way; absent when there is none. Example: "top_01jz3w8m5q0000000000000000". */
  readonly topUpId?: string | undefined
  /** When the rule was set. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly updatedAt: string
}

/** A rule of automatic top-ups. */
export type AutomaticTopUpRequest = {
  /** The card is charged while less than this is available, in US dollars. 0.000001 to 10000. Example: 10. */
  readonly belowUsd: number
  /** How much is charged at a time, in US dollars and whole cents. 5 to 10000. Example: 50. */
  readonly amountUsd: number
  /**
   * How much is charged in a calendar month (UTC) at most, in US dollars; at least amountUsd. 5 to 1000000.
   * Example: 200.
   */
  readonly monthlyMaximumUsd: number
}

/** The workspace's balance. */
export type Balance = {
  /** What can be spent, in US dollars. Example: 12.5. */
  readonly available: number
  /** What runs in flight hold, in US dollars; it is no part of available. Example: 0.04. */
  readonly reserved: number
  /** What can be spent, in micros: millionths of a dollar. Example: 12500000. */
  readonly availableMicros: number
  /** What runs in flight hold, in micros. Example: 40000. */
  readonly reservedMicros: number
  /** The currency. Example: "USD". */
  readonly currency: "USD"
  /** The same as topUpLink.checkoutUrl. */
  readonly topUpUrl: string | null
  readonly topUpLink: TopUpHint
  /** What runs in flight hold: the newest 50. */
  readonly holds: ReadonlyArray<{
    /** The run that holds it. Example: "run_01jz3w8m5q0000000000000000". */
    readonly runId: string
    /** How much it holds, in micros. Example: 40000. */
    readonly amountMicros: number
    /** When the run was made. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
    readonly createdAt: string
  }>
}

/** A wish for something that the catalog lacks. */
export type CapabilityRequest = {
  /** Names the request. Example: "cap_01jz3w8m5q0000000000000000". */
  readonly capabilityRequestId: string
  /** What is wanted. Example: "Send a fax". */
  readonly title: string
  /** What it should do. Example: "Send a PDF as a fax to a number in Germany.". */
  readonly description: string
  /** What would be sent. Example: "A PDF and a phone number". */
  readonly desiredInputs?: string | undefined
  /** What should come back. Example: "Whether it arrived". */
  readonly desiredOutputs?: string | undefined
  /** Where it stands. Example: "open". */
  readonly status: "open"
  /** When it was made. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly createdAt: string
}

/** A wish for something that the catalog lacks. */
export type CapabilityRequestInput = {
  /** What is wanted, in a few words. 1 to 200 characters. Example: "Send a fax". */
  readonly title: string
  /** What it should do. 1 to 10000 characters. Example: "Send a PDF as a fax to a number in Germany.". */
  readonly description: string
  /** One key is mandatory: here, or in the header Idempotency-Key. Example: "order 4711: find the address". */
  readonly idempotencyKey?: IdempotencyKey | undefined
  /** What would be sent. 1 to 10000 characters. Example: "A PDF and a phone number". */
  readonly desiredInputs?: string | undefined
  /** What should come back. 1 to 10000 characters. Example: "Whether it arrived". */
  readonly desiredOutputs?: string | undefined
}

/** A page of capability requests. */
export type CapabilityRequestPage = {
  /** Requests, newest first. */
  readonly requests: ReadonlyArray<CapabilityRequest>
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null
}

/** An operation of the catalog. */
export type CatalogRow = {
  /** The id to run it by. Example: "mock-email-find". */
  readonly endpointId: string
  /** The provider's id. Example: "mock". */
  readonly provider: string
  /** What it is called. Example: "Find an e-mail address". */
  readonly name: string
  /** The job that it does; absent when it belongs to no job. Example: "people.email.find". */
  readonly capability?: string | undefined
  /** The category's id. Example: "people". */
  readonly category: string
  /** The price in US dollars, of one call or one result. Example: 0.02. */
  readonly estimatedPrice: number
  /** What the price is for: one call, one result, or nothing. Example: "per_call". */
  readonly priceBasis: "per_call" | "per_result" | "free"
  readonly access: Access
  /**
   * sync: the provider answers at once; async: it works for a while, and the gateway asks it until it is done.
   * Example: "sync".
   */
  readonly executionMode: "sync" | "async"
  /** US dollars for one answer that found something; null when unknown. Example: 0.0215. */
  readonly costPerSuccessUsd: number | null
  /** The same as executionMode async. Example: false. */
  readonly async: boolean
  readonly works: Works
  /**
   * What the source of an imported operation calls its task, such as the tags of an OpenAPI document; null
   * where it says nothing.
   */
  readonly sourceCapability: string | null
  /**
   * Whose key a run needs: none, the gateway's (platform), the gateway's or your own
   * (platform_own_key_optional), your own (own_key_required). Example: "platform".
   */
  readonly credential: "none" | "platform" | "platform_own_key_optional" | "own_key_required"
  /** The platform's id: the site or service that it is about, or general. Example: "general". */
  readonly platform: string
  /** The job that it does; absent when it belongs to no job. */
  readonly job?:
    | {
        /** The job's id; run it as job:<id>. Example: "people.email.find". */
        readonly id: string
        /** What it is called. Example: "Find a work e-mail address". */
        readonly title: string
      }
    | undefined
  /** What it does, in a sentence. Example: "Finds the work e-mail address of a person.". */
  readonly summary: string
  /** A fixture for tests: it answers made-up data and calls nobody. Example: false. */
  readonly mock: boolean
  /** The provider's documentation of this operation was read. Example: true. */
  readonly verified: boolean
  /** The provider needs no key. Example: false. */
  readonly keyless: boolean
  /** You can run it now. Example: true. */
  readonly runnableNow: boolean
  /** How its calls went; null without calls. */
  readonly stats: Stats | null
  /**
   * Why it is here: its text holds the words, its job was meant, or it holds some of the words; null in a
   * listing, which has no words. Example: "text".
   */
  readonly matchedBy: "text" | "capability" | "tokens" | null
  /**
   * Short documented facts, such as rate limits and the address of the documentation. Example:
   * {"docs":"https://provider.example/docs"}.
   */
  readonly facts: { readonly [name: string]: string }
  readonly usageHints?: GivenInput | undefined
  /**
   * Present where this workspace learns from use and used it after a search: the share of the best score that
   * was added for it. 0 to 0.1. Example: 0.05.
   */
  readonly raisedByUse?: number | undefined
}

/** Which items to compare. */
export type CompareRequest = {
  /** Ids of the items to compare. 2 to 10 items. Example: ["mock-email-find","mock-email-find-2"]. */
  readonly catalogItemIds: ReadonlyArray<string>
  /**
   * An input: each item then says whether it takes it, and what it would cost at most. Example:
   * {"full_name":"Ada Lovelace","domain":"example.com"}.
   */
  readonly input?: object | undefined
}

/** Items side by side. */
export type Compared = {
  /** The items that were found, in the order asked. */
  readonly items: ReadonlyArray<ComparedItem>
  /** Where the items differ. */
  readonly differences: ReadonlyArray<{
    /** The field in which they differ. Example: "price". */
    readonly field: string
    /** What each item has there, by the item's id. Example: {"mock-email-find":0.02,"mock-email-find-2":0.01}. */
    readonly values: { readonly [name: string]: Json }
  }>
  /** The id of the cheapest item; null when no price is known. Example: "mock-email-find". */
  readonly cheapest: string | null
  /** The id of the fastest item; null when nothing is known. Example: "mock-email-find". */
  readonly fastest: string | null
  /** The id of the item with the best record; null when nothing is known. Example: "mock-email-find". */
  readonly mostReliable: string | null
  /** Ids that the catalog does not have. Example: []. */
  readonly unknown: ReadonlyArray<string>
}

/** An item beside others. */
export type ComparedItem = {
  /** The item's id: the id to run it by. Example: "mock-email-find". */
  readonly catalogItemId: string
  /** The provider's id. Example: "mock". */
  readonly providerId: string
  /** The operation's id at the provider. Example: "mock-email-find". */
  readonly operationId: string
  /** What it is called. Example: "Find an e-mail address". */
  readonly title: string
  /** What it does. Example: "Finds the work e-mail address of a person.". */
  readonly description: string
  /** Ids of its categories. Example: ["people"]. */
  readonly categories: ReadonlyArray<string>
  /** Jobs that it does. Example: ["people.email.find"]. */
  readonly capabilities: ReadonlyArray<string>
  /** What to send as input. */
  readonly parameters: ReadonlyArray<{
    /** The field of the input. Example: "full_name". */
    readonly name: string
    /** Where the gateway puts it in the provider's request. Example: "json". */
    readonly location: string
    /** It must be given. Example: true. */
    readonly required: boolean
    /** What it holds. Example: "string". */
    readonly type: string
    /** What it means. Example: "First and last name.". */
    readonly description: string
  }>
  /** What it costs; null when nothing is known. */
  readonly price: {
    /** Whether it has a price. Example: "priced". */
    readonly state: "priced" | "free" | "unknown"
    /** The price of one unit in micros, millionths of a dollar; null when unknown. Example: 20000. */
    readonly amountMicros: number | null
    /** The currency. Example: "USD". */
    readonly currency: "USD"
    /** What the price is for. Example: "call". */
    readonly unit: "call" | "result"
  } | null
  /** A fixture for tests: it answers made-up data and calls nobody. Example: false. */
  readonly mock: boolean
  /** The provider's documentation of this operation was read. Example: true. */
  readonly verified: boolean
  /** The provider needs no key. Example: false. */
  readonly keyless: boolean
  readonly works: Works
  readonly access: Access
  /** It takes the input; only with an input. Example: true. */
  readonly acceptsInput?: boolean | undefined
  /** Why it does not take the input; only with an input. */
  readonly inputProblems?:
    | ReadonlyArray<{
        /** The field of the input. Example: "domain". */
        readonly field: string
        /** What is wrong with it. Example: "is required". */
        readonly message: string
      }>
    | undefined
  /** The most that a run with the input can cost, in US dollars; only with an input. Example: 0.02. */
  readonly maxCostUsd?: number | null | undefined
}

/** A key of your own at a provider; the key is never shown. */
export type Connection = {
  /** Names the connection. Example: "con_01jz3w8m5q0000000000000000". */
  readonly connectionId: string
  /** The provider whose key it is. Example: "mock". */
  readonly providerId: string
  /** What people call it. Example: "our own account". */
  readonly label: string
  /** When it was made. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly createdAt: string
  /** When it is used no more; null for never. */
  readonly expiresAt: string | null
  /** The parts of the provider's address that it gives; absent when it gives none. Example: {"shop":"acme"}. */
  readonly variables?: { readonly [name: string]: string } | undefined
  readonly oauth?: ConnectionOAuth | undefined
}

/** Where a user connects their account. */
export type ConnectionAuthorization = {
  /**
   * The id of the connection once the user has agreed; until then it is not found. Example:
   * "con_01jz3w8m5q0000000000000000".
   */
  readonly connectionId: string
  /**
   * The page that the user opens in a browser; it works once, and whoever has it can connect their account.
   * Example: "https://gateway.example/console/connect/3f9c".
   */
  readonly authorizationUrl: string
  /** Until then the user must have agreed. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly expiresAt: string
}

/** An account that a user is to connect. */
export type ConnectionAuthorizationRequest = {
  /**
   * A provider of the catalog at which users connect their account in a browser (OAuth 2). 1 to 63 characters.
   * Example: "google-drive".
   */
  readonly providerId: string
  /** What people call the connection. 1 to 100 characters. Example: "our own account". */
  readonly label: string
  /** When the connection is to be used no more; never without it. Example: "2027-01-01T00:00:00.000Z". */
  readonly expiresAt?: string | null | undefined
}

/** The account of a user; its tokens are never shown. */
export type ConnectionOAuth = {
  /** What the user has granted. Example: ["files.read"]. */
  readonly scopes: ReadonlyArray<string>
  /**
   * When the access token ends; the gateway renews it before where it can. Null where the provider does not
   * say. Example: "2026-06-15T12:00:00.000Z".
   */
  readonly accessUntil: string | null
  /** Whether the gateway can renew the access token. Example: true. */
  readonly renewable: boolean
  /** Why the connection cannot be used any more; null while it can. */
  readonly refused: {
    /** Since when. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
    readonly at: string
    /** Why the provider refused it, and what helps. */
    readonly reason: string
  } | null
}

/** A page of connections. */
export type ConnectionPage = {
  /** Connections, newest first. */
  readonly connections: ReadonlyArray<Connection>
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null
}

/** A key of your own at a provider. */
export type ConnectionRequest = {
  /** A provider of the catalog. 1 to 63 characters. Example: "mock". */
  readonly providerId: string
  /** What people call it. 1 to 100 characters. Example: "our own account". */
  readonly label: string
  /**
   * The key at the provider; user and password, or client id and secret, as user:password. 1 to 8192
   * characters. Example: "key-of-your-account".
   */
  readonly secret: string
  /** When it is to be used no more; never without it. Example: "2027-01-01T00:00:00.000Z". */
  readonly expiresAt?: string | null | undefined
  /**
   * The parts of the provider's address that are yours, where its operations name some
   * (usageHints.connectionVariables). Example: {"shop":"acme"}.
   */
  readonly variables?: { readonly [name: string]: string } | undefined
}

/** Operations that this workspace can run. */
export type Discovered = {
  /** The words that were searched for. Example: "find a work email". */
  readonly query: string
  /** The job that the words mean; absent when they mean none that can run. */
  readonly job?:
    | {
        /** The job's id; run it as job:<id>. Example: "people.email.find". */
        readonly id: string
        /** What it is called. Example: "Find a work e-mail address". */
        readonly title: string
      }
    | undefined
  /**
   * Operations. Those of the job stand first, then the others; in both, fixtures stand behind real ones, and
   * the best score first.
   */
  readonly operations: ReadonlyArray<DiscoveredOperation>
  /** Present when nothing that can run is what was asked for, or when a hint of the words left nothing. */
  readonly warnings?:
    | ReadonlyArray<
        | {
            /** What fits best is not listed. Example: "best_left_out". */
            readonly code: "best_left_out"
            /** The id to run it by. Example: "mock-email-find". */
            readonly endpointId: string
            /** The provider's id. Example: "mock". */
            readonly provider: string
            /** The job that it does. */
            readonly job?:
              | {
                  /** The job's id; run it as job:<id>. Example: "people.email.find". */
                  readonly id: string
                  /** What it is called. Example: "Find a work e-mail address". */
                  readonly title: string
                }
              | undefined
            readonly access: Access
            /** The same in a sentence, with what would help. */
            readonly message: string
          }
        | {
            /** Nothing holds the words. Example: "no_match". */
            readonly code: "no_match"
            /** The same in a sentence. Example: "Nothing in the catalog matches these words". */
            readonly message: string
          }
        | {
            /** A hint of the words left nothing. Example: "hint_dropped". */
            readonly code: "hint_dropped"
            /** The words of the question. Example: "cheapest". */
            readonly words: string
            /** The parameter of the search that they equal. Example: "prefer". */
            readonly parameter: "prefer" | "maxPriceMicros" | "keyless" | "provider"
            /**
             * The same in a sentence. Example: "Nothing is left with maxPriceMicros=0, so \"free\" was only searched
             * for".
             */
            readonly message: string
          }
      >
    | undefined
  /** What was read from the words besides their subject; absent when nothing was, and with hints=off. */
  readonly appliedHints?: ReadonlyArray<AppliedHint> | undefined
}

/** An operation that this workspace can run. */
export type DiscoveredOperation = {
  /** The id to run it by. Example: "mock-email-find". */
  readonly endpointId: string
  /** The provider's id. Example: "mock". */
  readonly provider: string
  /** What it is called. Example: "Find an e-mail address". */
  readonly name: string
  /** The job that it does; absent when it belongs to no job. Example: "people.email.find". */
  readonly capability?: string | undefined
  /** The category's id. Example: "people". */
  readonly category: string
  /** The price in US dollars, of one call or one result. Example: 0.02. */
  readonly estimatedPrice: number
  /** What the price is for: one call, one result, or nothing. Example: "per_call". */
  readonly priceBasis: "per_call" | "per_result" | "free"
  readonly access: Access
  /**
   * sync: the provider answers at once; async: it works for a while, and the gateway asks it until it is done.
   * Example: "sync".
   */
  readonly executionMode: "sync" | "async"
  /** US dollars for one answer that found something; null when unknown. Example: 0.0215. */
  readonly costPerSuccessUsd: number | null
  /** The same as executionMode async. Example: false. */
  readonly async: boolean
  readonly works: Works
  /**
   * What the source of an imported operation calls its task, such as the tags of an OpenAPI document; null
   * where it says nothing.
   */
  readonly sourceCapability: string | null
  /**
   * Whose key a run needs: none, the gateway's (platform), the gateway's or your own
   * (platform_own_key_optional), your own (own_key_required). Example: "platform".
   */
  readonly credential: "none" | "platform" | "platform_own_key_optional" | "own_key_required"
  /** How well it fits, from 0 to 1: the four scores, weighted. 0 to 1. Example: 0.87. */
  readonly score: number
  /** What the score is made of, each from 0 to 1. */
  readonly scores: {
    /** How well it fits the words. 0 to 1. Example: 0.95. */
    readonly relevance: number
    /** How well it did so far. 0 to 1. Example: 0.9. */
    readonly evidence: number
    /** How sure it is to answer. 0 to 1. Example: 1. */
    readonly availability: number
    /** How cheap it is beside the others. 0 to 1. Example: 0.6. */
    readonly price: number
  }
  /** Why it was picked, in a sentence. Example: "Best record of the last 30 days.". */
  readonly reason: string
  /** Input fields that must still be given: those that the words do not give. Example: ["full_name","domain"]. */
  readonly missingInput: ReadonlyArray<string>
  readonly usageHints?: GivenInput | undefined
  /**
   * Present where this workspace learns from use and used it after a search: the share of the best score that
   * was added for it. 0 to 0.1. Example: 0.05.
   */
  readonly raisedByUse?: number | undefined
}

/** A page of the listing. */
export type EndpointListing = {
  /** Operations, by their id. */
  readonly endpoints: ReadonlyArray<CatalogRow>
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null
  /** How many operations the filters leave. At least 0. Example: 412. */
  readonly total: number
  /** The revision of the catalog that answered. Example: "7c1f0a2b9d3e4f56". */
  readonly revision: string
  /** Counts over the filtered operations; present with facets=true. */
  readonly facets?:
    | {
        /** Operations by category. */
        readonly category: ReadonlyArray<{
          /** The category's id. Example: "people". */
          readonly value: string
          /** How many operations it has. At least 0. Example: 12. */
          readonly count: number
        }>
        /** Operations by platform. */
        readonly platform: ReadonlyArray<{
          /** The platform's id. Example: "general". */
          readonly value: string
          /** How many operations it has. At least 0. Example: 12. */
          readonly count: number
        }>
        /** Operations by provider. */
        readonly provider: ReadonlyArray<{
          /** The provider's id. Example: "mock". */
          readonly value: string
          /** How many operations it has. At least 0. Example: 12. */
          readonly count: number
        }>
        /** Operations by job. */
        readonly capability: ReadonlyArray<{
          /** The job's id. Example: "people.email.find". */
          readonly value: string
          /** How many operations it has. At least 0. Example: 12. */
          readonly count: number
        }>
      }
    | undefined
}

/** How other providers of the job are tried. */
export type Fallback = {
  /** Whether other providers are tried. Default true. Example: true. */
  readonly enabled?: boolean | undefined
  /** How many providers are tried at most. 1 to 10. Default 3. Example: 3. */
  readonly maxAttempts?: number | undefined
  /**
   * How many US dollars the whole run may cost; providers above it are skipped. Without it, what the dearest
   * set of attempts can cost. 0 to 1000000. Example: 0.05.
   */
  readonly maxCostUsd?: number | undefined
  /**
   * What decides which provider is tried first: balanced weighs price, record and speed. Default "balanced".
   * Example: "balanced".
   */
  readonly prefer?: "balanced" | "cheapest" | "reliable" | "fastest" | undefined
  /** Endpoints and providers that are not tried. At most 50 items. Default []. Example: ["mock-email-find-2"]. */
  readonly exclude?: ReadonlyArray<string> | undefined
  /** Whether a provider that finds nothing ends the run. Default false. Example: false. */
  readonly stopAtFirstMiss?: boolean | undefined
}

/**
 * An input to send. In a search it is present when the words gave values that this operation takes, such as
 * an address.
 */
export type GivenInput = {
  /**
   * The example of the operation, with the values that the question gave in place of its own. Example:
   * {"email":"bob@example.com"}.
   */
  readonly exampleInput: JsonObject
  /** The fields of it that the question gave; the others are examples. Example: ["email"]. */
  readonly givenInputFields: ReadonlyArray<string>
}

/** 1 to 255 printable characters, spaces and colons included. 1 to 255 characters. */
export type IdempotencyKey = string

/** One movement of money; it is never changed or deleted. */
export type LedgerEntry = {
  /** Names the entry. Example: "led_01jz3w8m5q0000000000000000". */
  readonly entryId: string
  readonly kind: LedgerKind
  /** What it added to the available balance, in micros; below 0 where it took something. Example: -20000. */
  readonly amountMicros: number
  /** The available balance after it, in micros. Example: 12480000. */
  readonly balanceAfterMicros: number
  /** All holds after it, in micros. Example: 0. */
  readonly reservedAfterMicros: number
  /** The run that it belongs to; absent where it belongs to none. Example: "run_01jz3w8m5q0000000000000000". */
  readonly runId?: string | undefined
  /** The top-up that it belongs to; absent where it belongs to none. Example: "top_01jz3w8m5q0000000000000000". */
  readonly topUpId?: string | undefined
  /** Why somebody made it; absent where the gateway made it. Example: "Refund of a duplicate order". */
  readonly reason?: string | undefined
  /** When it was made. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly createdAt: string
}

/**
 * What the entry is: top_up (money came in), hold (set aside for a run), release (a hold let go), charge
 * (what a run cost), adjustment (made by an operator, or a refund). Example: "charge".
 */
export type LedgerKind = "top_up" | "hold" | "charge" | "release" | "adjustment"

/** A page of the ledger. */
export type LedgerPage = {
  /** Entries, newest first. */
  readonly entries: ReadonlyArray<LedgerEntry>
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null
}

/** What is left of the balance and of each limit. */
export type Limits = {
  /** The workspace's balance. */
  readonly balance: {
    /** What can be spent, in micros. Example: 12500000. */
    readonly availableMicros: number
    /** What runs in flight hold, in micros. Example: 40000. */
    readonly reservedMicros: number
  }
  /**
   * The calendar month (UTC) of the calling token: of its own limit and those that it shares, the one with the
   * least left; null without a limit.
   */
  readonly key: {
    /** The limit, in micros; null without a limit. Example: 5000000. */
    readonly limitMicros: number | null
    /** What is spent or held, in micros. Example: 120000. */
    readonly spentMicros: number
    /** What is left, in micros; null without a limit. Example: 4880000. */
    readonly remainingMicros: number | null
    /** When it starts anew; null without a limit. Example: "2026-07-01T00:00:00.000Z". */
    readonly resetsAt: string | null
  }
  /** Runs in flight. */
  readonly inflight: {
    /** Runs of the workspace in flight. Example: 1. */
    readonly now: number
    /** How many may be. Example: 8. */
    readonly limit: number
  }
  /** Runs a minute; null without a limit. */
  readonly runsPerMinute: {
    /** Runs that the workspace may start in a minute. Example: 120. */
    readonly limit: number
    /** How many of them are left. Example: 118. */
    readonly remaining: number
    /** When all of them are left again. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
    readonly resetsAt: string
  } | null
  /** The request rate of the workspace, as this node counts it and after this request. */
  readonly requests: {
    /** Requests that may be sent at once. Example: 60. */
    readonly burst: number
    /** How many of them are left. Example: 59. */
    readonly remaining: number
    /** How many come back in a second. Example: 10. */
    readonly refillPerSecond: number
  }
  /** Budgets that a run of the calling token counts against; always empty, because this gateway has none. */
  readonly budgets: ReadonlyArray<{
    /** Names the budget. Example: "bud_01jz3w8m5q0000000000000000". */
    readonly budgetId: string
    /** What people call it. Example: "marketing". */
    readonly name: string
    /** The limit, in micros; null without a limit. Example: 5000000. */
    readonly limitMicros: number | null
    /** What is spent or held, in micros. Example: 120000. */
    readonly spentMicros: number
    /** What is left, in micros; null without a limit. Example: 4880000. */
    readonly remainingMicros: number | null
    /** How long it counts. Example: "month". */
    readonly period: "day" | "month" | "total"
    /** When it starts anew; null without a limit. Example: "2026-07-01T00:00:00.000Z". */
    readonly resetsAt: string | null
  }>
}

/** The calling token was revoked. */
export type LoggedOut = {
  /** The calling token works no more. Example: true. */
  readonly revoked: true
}

/** What has become of a login. */
export type LoginApproval = {
  /** Names the login. Example: "apr_01jz3w8m5q0000000000000000". */
  readonly approvalId: string
  /** What has become of it: once approved, the client's token works. Example: "approved". */
  readonly status: "pending" | "approved" | "denied" | "expired"
  /** What the token is called. Example: "Ada's laptop". */
  readonly label: string
  /** What the token may do. Example: ["catalog:read","runs:execute"]. */
  readonly scopes: ReadonlyArray<Scope>
  /** When the token ends; null for never. */
  readonly tokenExpiresAt: string | null
  /** Until when the login can be approved. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly expiresAt: string
  /** How long to wait between two questions. Example: 3. */
  readonly pollIntervalSeconds: number
}

/** A login that waits for a person. */
export type LoginApprovalCreated = {
  /** Names the login. Example: "apr_01jz3w8m5q0000000000000000". */
  readonly approvalId: string
  /** To be shown beside the link, so that the person can compare it. Example: "KTHW-PXNC". */
  readonly userCode: string
  /** Where the person decides. Example: "https://gateway.example.com/approve/apr_01jz3w8m5q0000000000000000". */
  readonly approveUrl: string
  /** Until when the login can be approved. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly expiresAt: string
  /** How long to wait between two questions. Example: 3. */
  readonly pollIntervalSeconds: number
}

/** A login that a person is to approve. */
export type LoginApprovalRequest = {
  /**
   * SHA-256, in hex, of the text of a token that the client made itself: 43 to 80 random characters of A-Z a-z
   * 0-9 - _, such as 32 random bytes in base64url or hex, after pgw_ or nothing. Example:
   * "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5".
   */
  readonly digest: string
  /**
   * What the person who approves sees, and what the token is called. 1 to 100 characters. Example: "Ada's
   * laptop".
   */
  readonly label: string
  /** What the token may do. At least 1 items. Example: ["catalog:read","runs:execute"]. */
  readonly scopes: ReadonlyArray<
    | "catalog:read"
    | "runs:read"
    | "runs:execute"
    | "usage:read"
    | "billing:write"
    | "capabilities:write"
    | "account:manage"
  >
  /** When the token is to expire; never without it. Example: "2027-01-01T00:00:00.000Z". */
  readonly expiresAt?: string | null | undefined
}

/**
 * The answer under field names that do not change with the provider; absent, never null, unless the gateway
 * has it on and the answering endpoint has an output map.
 */
export type Normalized = {
  /** The job whose field names these are. */
  readonly job: string
  /** The tool that answered. */
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
  /** How sure the answer is; guessed goes with the outcome weak. */
  readonly verdict: "confirmed" | "guessed" | "empty"
  /** Why, in a sentence. */
  readonly verdictReason: string
  /** Whether the map that makes it was compared with the provider's documentation. */
  readonly mapVerified: boolean
}

/** What to send to an operation or a job, what it costs at most, and what comes back. */
export type OperationContract = {
  /** The operation, or the job. */
  readonly endpoint: {
    /** The id to run it by. Example: "mock-email-find". */
    readonly id: string
    /** The provider's id; null for a job without a provider. Example: "mock". */
    readonly provider: string | null
    /** What it is called. Example: "Find an e-mail address". */
    readonly name: string
    /** What it does, in a sentence. Example: "Finds the work e-mail address of a person.". */
    readonly summary: string
    /** The job that it does; null when it belongs to no job. Example: "people.email.find". */
    readonly capability: string | null
    /**
     * What the source of an imported operation calls its task, such as the tags of an OpenAPI document; null
     * where it says nothing.
     */
    readonly sourceCapability: string | null
    /** The category's id. Example: "people". */
    readonly category: string
    /** The platform's id: the site or service that it is about, or general. Example: "general". */
    readonly platform: string
    /**
     * Whose key a run needs: none, the gateway's (platform), the gateway's or your own
     * (platform_own_key_optional), your own (own_key_required). Example: "platform".
     */
    readonly credential: "none" | "platform" | "platform_own_key_optional" | "own_key_required"
    readonly access: Access
    /**
     * sync: the provider answers at once; async: it works for a while, and the gateway asks it until it is done.
     * Example: "sync".
     */
    readonly executionMode: "sync" | "async"
    /** A fixture for tests: it answers made-up data and calls nobody. Example: false. */
    readonly mock: boolean
    /** What it costs. */
    readonly price: {
      /** What the price is for: one call, one result, or nothing. Example: "per_call". */
      readonly basis: "per_call" | "per_result" | "free"
      /** The price of one unit in US dollars. Example: 0.02. */
      readonly amountUsd: number
      /** The same in micros, millionths of a dollar. Example: 20000. */
      readonly amountMicros: number
      /** What the price is for. Example: "call". */
      readonly unit: "call" | "result"
      /** How the price of a run is worked out. Example: "$0.02 a call". */
      readonly estimateFormula: string
      /** The most that any accepted input can cost, in micros. Example: 20000. */
      readonly maxMicros: number
      /**
       * Where options or sizes change the price: the micros of one unit, as JMESPath over `{ input }`. Example:
       * "input.enrich_mobile && `390000` || `39000`".
       */
      readonly byInput?: string | undefined
    }
    /**
     * Short documented facts, such as rate limits and the address of the documentation. Example:
     * {"docs":"https://provider.example/docs"}.
     */
    readonly facts: { readonly [name: string]: string }
  }
  /**
   * A digest of this contract; a run records the one that it used, and contractVersion= fetches it again.
   * Example: "9f2c41d07ab35e68".
   */
  readonly contractVersion: string
  /**
   * Whether a run changes something in the world, such as sending an e-mail; such a run is attempted once
   * only. Example: "read_only".
   */
  readonly effectClassification: "effectful" | "read_only"
  /**
   * Dollars that a run of usageHints.exampleInput holds. Of a job: without fallback, at the provider that it
   * would get now, or the most of its first one while none can run. The most that any input can cost is
   * endpoint.price.maxMicros. Example: 0.02.
   */
  readonly estimatedMaxCost: number
  /** How to use it. */
  readonly usageHints: {
    /** Fields that must be given. Example: ["full_name","domain"]. */
    readonly requiredInputFields: ReadonlyArray<string>
    /** Fields that may be given. Example: ["company"]. */
    readonly optionalInputFields: ReadonlyArray<string>
    /**
     * Sets of fields, of which one must be given as a whole; absent for an operation that needs one and the same
     * always. Example: [["full_name","domain"],["linkedin_url"]].
     */
    readonly inputAlternatives?: ReadonlyArray<ReadonlyArray<string>> | undefined
    /** The field that says how many results are wanted; absent without one. Example: "limit". */
    readonly volumeField?: string | undefined
    /** The most that it may ask for. Example: 100. */
    readonly maxVolume?: number | undefined
    /** The parts of the provider's address that a connection gives as variables; absent when there are none. */
    readonly connectionVariables?:
      | ReadonlyArray<{
          /** Its name. Example: "shop". */
          readonly name: string
          /** What it means. Example: "The name of the shop". */
          readonly description: string
          /** The pattern that the whole value matches. Example: "[a-z0-9-]+". */
          readonly pattern: string
          /** Values that it may have. Example: ["acme"]. */
          readonly examples: ReadonlyArray<string>
          /** What a connection without it uses; without a default it must be given. Example: "eu". */
          readonly default?: string | undefined
        }>
      | undefined
    /** An input that works. Example: {"full_name":"Ada Lovelace","domain":"example.com"}. */
    readonly exampleInput: JsonObject
    /** A command that runs it. */
    readonly curl: string
  }
  /** What input it takes, as JSON Schema 2020-12. */
  readonly inputSchema: JsonObject
  /**
   * Where each field of the input goes in the provider's request. Example:
   * {"full_name":{"in":"json","name":"name"}}.
   */
  readonly requestBinding: {
    readonly [name: string]: {
      readonly in: "path" | "query" | "header" | "json" | "form" | "multipart" | "body"
      readonly name: string
    }
  }
  /** What comes back in result. */
  readonly outputFormat: {
    /** What the provider answers, as JSON Schema; null when nobody knows. */
    readonly schema: JsonObject | null
    /**
     * Whether the schema is the provider's own or was drawn from the samples of the manifest, which show some
     * answers and not all; absent without a schema. Example: "samples".
     */
    readonly schemaSource?: "documented" | "samples" | undefined
    /** The same in a sentence. Example: "The provider's raw answer (application/json)". */
    readonly summary: string
    /** How sure that is. */
    readonly provenance: {
      /**
       * The provider's documentation of this operation was read; of a job: one of its providers has a map that was
       * compared with it. Example: true.
       */
      readonly verified: boolean
      /** The day on which the provider's documentation was last read. Example: "2026-11-22". */
      readonly verifiedOn?: string | undefined
      /** Where that is known from. Example: "https://provider.example/docs". */
      readonly note: string
    }
  }
  /** How normalized is made; absent when it is not. */
  readonly outputMap?:
    | {
        /** The job whose fields they are. Example: "people.email.find". */
        readonly job: string
        /** The job's field names, and where each is found in the provider's answer. Example: {"email":"data.email"}. */
        readonly fields: { readonly [name: string]: string }
        /** The map was compared with the provider's documentation; false of a job. Example: true. */
        readonly verified: boolean
      }
    | undefined
  /** Only for a job: its providers, in the order in which a run would try them. */
  readonly providers?:
    | ReadonlyArray<{
        /** The id to run it by. Example: "mock-email-find". */
        readonly endpointId: string
        /** The provider's id. Example: "mock". */
        readonly provider: string
        /** What it is called. Example: "Find an e-mail address". */
        readonly name: string
        readonly access: Access
        /** The price in US dollars, of one call or one result. Example: 0.02. */
        readonly estimatedPrice: number
        /** What the price is for: one call, one result, or nothing. Example: "per_call". */
        readonly priceBasis: "per_call" | "per_result" | "free"
        /** The version of its own contract. Example: "9f2c41d07ab35e68". */
        readonly contractVersion: string
        /** Why it stands here in the order. Example: "Best record of the last 30 days.". */
        readonly reason: string
      }>
    | undefined
}

/** A category, with counts. */
export type OverviewCategory = {
  /** The id to filter by. Example: "people". */
  readonly id: string
  /** What it is called. Example: "People". */
  readonly title: string
  /** Providers in it. At least 0. Example: 9. */
  readonly providerCount: number
  /** Operations in it. At least 0. Example: 31. */
  readonly endpointCount: number
  /** Operations in it that can be run now. At least 0. Example: 12. */
  readonly runnableCount: number
  /** The lowest price of a call in US dollars; null where nothing is sold by the call. Example: 0.01. */
  readonly cheapestPerCall: number | null
  /** The lowest price of a result in US dollars; null where nothing is sold by the result. */
  readonly cheapestPerResult: number | null
  /** Platforms in it. At least 0. Example: 2. */
  readonly platformCount: number
  /** Jobs in it. At least 0. Example: 6. */
  readonly jobCount: number
  /** Its platforms; absent at depth summary. */
  readonly platforms?: ReadonlyArray<OverviewPlatform> | undefined
}

/** A job, with counts. */
export type OverviewJob = {
  /** The id to filter by. Example: "people". */
  readonly id: string
  /** What it is called. Example: "People". */
  readonly title: string
  /** Providers in it. At least 0. Example: 9. */
  readonly providerCount: number
  /** Operations in it. At least 0. Example: 31. */
  readonly endpointCount: number
  /** Operations in it that can be run now. At least 0. Example: 12. */
  readonly runnableCount: number
  /** The lowest price of a call in US dollars; null where nothing is sold by the call. Example: 0.01. */
  readonly cheapestPerCall: number | null
  /** The lowest price of a result in US dollars; null where nothing is sold by the result. */
  readonly cheapestPerResult: number | null
  /** Its operations; present at depth full. */
  readonly endpoints?: ReadonlyArray<TitleRow> | undefined
}

/** A platform, with counts. */
export type OverviewPlatform = {
  /** The id to filter by. Example: "people". */
  readonly id: string
  /** What it is called. Example: "People". */
  readonly title: string
  /** Providers in it. At least 0. Example: 9. */
  readonly providerCount: number
  /** Operations in it. At least 0. Example: 31. */
  readonly endpointCount: number
  /** Operations in it that can be run now. At least 0. Example: 12. */
  readonly runnableCount: number
  /** The lowest price of a call in US dollars; null where nothing is sold by the call. Example: 0.01. */
  readonly cheapestPerCall: number | null
  /** The lowest price of a result in US dollars; null where nothing is sold by the result. */
  readonly cheapestPerResult: number | null
  /** Jobs in it. At least 0. Example: 6. */
  readonly jobCount: number
  /** Its jobs; present at depth jobs and full. */
  readonly jobs?: ReadonlyArray<OverviewJob> | undefined
}

/** The jobs of a topic. */
export type OverviewTopic = {
  /** The revision of the catalog that answered. Example: "7c1f0a2b9d3e4f56". */
  readonly revision: string
  /** When the node that answers made that revision of what it loaded. Example: "2026-06-15T12:00:00.000Z". */
  readonly builtAt: string
  /** The words that were asked for. Example: "email". */
  readonly topic: string
  /** What the overview was narrowed to; absent when it was not. */
  readonly filter?:
    | {
        /** The category's id. Example: "people". */
        readonly category?: string | undefined
        /** The platform's id: the site or service that it is about, or general. Example: "general". */
        readonly platform?: string | undefined
      }
    | undefined
  /** How many jobs matched. At least 0. Example: 4. */
  readonly matchCount: number
  /** More jobs matched than stand here. Example: false. */
  readonly truncated: boolean
  /** Jobs that match, best first. */
  readonly jobs: ReadonlyArray<{
    /** The id to filter by. Example: "people". */
    readonly id: string
    /** What it is called. Example: "People". */
    readonly title: string
    /** Providers in it. At least 0. Example: 9. */
    readonly providerCount: number
    /** Operations in it. At least 0. Example: 31. */
    readonly endpointCount: number
    /** Operations in it that can be run now. At least 0. Example: 12. */
    readonly runnableCount: number
    /** The lowest price of a call in US dollars; null where nothing is sold by the call. Example: 0.01. */
    readonly cheapestPerCall: number | null
    /** The lowest price of a result in US dollars; null where nothing is sold by the result. */
    readonly cheapestPerResult: number | null
    /** The category's id. Example: "people". */
    readonly category: string
    /** The platform's id: the site or service that it is about, or general. Example: "general". */
    readonly platform: string
  }>
}

/** The catalog as a tree of categories, platforms and jobs. */
export type OverviewTree = {
  /** The revision of the catalog that answered. Example: "7c1f0a2b9d3e4f56". */
  readonly revision: string
  /** When the node that answers made that revision of what it loaded. Example: "2026-06-15T12:00:00.000Z". */
  readonly builtAt: string
  /** How far down the overview goes. Example: "summary". */
  readonly depth: "summary" | "platforms" | "jobs" | "full"
  /** What the overview was narrowed to; absent when it was not. */
  readonly filter?:
    | {
        /** The category's id. Example: "people". */
        readonly category?: string | undefined
        /** The platform's id: the site or service that it is about, or general. Example: "general". */
        readonly platform?: string | undefined
      }
    | undefined
  /** Counts of everything; absent when narrowed. */
  readonly totals?:
    | {
        /** Categories. At least 0. Example: 14. */
        readonly categories: number
        /** Platforms. At least 0. Example: 30. */
        readonly platforms: number
        /** Jobs of all platforms. At least 0. Example: 54. */
        readonly jobs: number
        /** Providers. At least 0. Example: 70. */
        readonly providers: number
        /** Operations. At least 0. Example: 412. */
        readonly endpoints: number
        /** Operations that can be run now. At least 0. Example: 120. */
        readonly runnableEndpoints: number
      }
    | undefined
  /** Categories, by their id. */
  readonly categories: ReadonlyArray<OverviewCategory>
}

/** Only of an answer that was read in pages: how many there were, and whether they are all. */
export type Pages = {
  /** How many pages of the provider the result is made of. Example: 3. */
  readonly read: number
  /** Whether that is all that was asked for, or all that the provider has. Example: true. */
  readonly complete: boolean
}

/**
 * What decides between providers of the same job: balanced weighs price, record and speed. Example:
 * "balanced".
 */
export type Prefer = "balanced" | "cheapest" | "reliable" | "fastest"

/** An operation of the public catalog. */
export type PublicItem = {
  /** The item's id: the id to run it by. Example: "mock-email-find". */
  readonly catalogItemId: string
  /** The provider's id. Example: "mock". */
  readonly providerId: string
  /** The operation's id at the provider. Example: "mock-email-find". */
  readonly operationId: string
  /** What it is called. Example: "Find an e-mail address". */
  readonly title: string
  /** What it does. Example: "Finds the work e-mail address of a person.". */
  readonly description: string
  /** Ids of its categories. Example: ["people"]. */
  readonly categories: ReadonlyArray<string>
  /** Jobs that it does. Example: ["people.email.find"]. */
  readonly capabilities: ReadonlyArray<string>
  /** What to send as input. */
  readonly parameters: ReadonlyArray<{
    /** The field of the input. Example: "full_name". */
    readonly name: string
    /** Where the gateway puts it in the provider's request. Example: "json". */
    readonly location: string
    /** It must be given. Example: true. */
    readonly required: boolean
    /** What it holds. Example: "string". */
    readonly type: string
    /** What it means. Example: "First and last name.". */
    readonly description: string
  }>
  /** What it costs; null when nothing is known. */
  readonly price: {
    /** Whether it has a price. Example: "priced". */
    readonly state: "priced" | "free" | "unknown"
    /** The price of one unit in micros, millionths of a dollar; null when unknown. Example: 20000. */
    readonly amountMicros: number | null
    /** The currency. Example: "USD". */
    readonly currency: "USD"
    /** What the price is for. Example: "call". */
    readonly unit: "call" | "result"
  } | null
  /** A fixture for tests: it answers made-up data and calls nobody. Example: false. */
  readonly mock: boolean
  /** The provider's documentation of this operation was read. Example: true. */
  readonly verified: boolean
  /** The provider needs no key. Example: false. */
  readonly keyless: boolean
}

/** A page of the public catalog. */
export type PublicPage = {
  /** Items, best first. */
  readonly items: ReadonlyArray<PublicItem>
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null
  /** Present when nothing matched the words, or when a hint of them left nothing. */
  readonly warnings?:
    | ReadonlyArray<
        | {
            /** Nothing holds the words. Example: "no_match". */
            readonly code: "no_match"
            /** The same in a sentence. Example: "Nothing in the catalog matches these words". */
            readonly message: string
          }
        | {
            /** A hint of the words left nothing. Example: "hint_dropped". */
            readonly code: "hint_dropped"
            /** The words of the question. Example: "cheapest". */
            readonly words: string
            /** The parameter of the search that they equal. Example: "prefer". */
            readonly parameter: "prefer" | "maxPriceMicros" | "keyless" | "provider"
            /**
             * The same in a sentence. Example: "Nothing is left with maxPriceMicros=0, so \"free\" was only searched
             * for".
             */
            readonly message: string
          }
      >
    | undefined
  /** What was read from the words besides their subject; absent when nothing was, and with hints=off. */
  readonly appliedHints?: ReadonlyArray<AppliedHint> | undefined
}

/** What a run would hold, and what would refuse it. */
export type Quote = {
  /** Whether the run would be dispatched now. Example: true. */
  readonly admissible: boolean
  /** What it would hold, in micros: the most that it can cost. Example: 20000. */
  readonly holdMicros: number
  /** The same in US dollars. Example: 0.02. */
  readonly estimatedCost: number
  /** Whom the run would try; absent when nothing could be planned. */
  readonly route?:
    | {
        /** The job; null for a tool. Example: "people.email.find". */
        readonly job: string | null
        readonly prefer: Prefer
        /** Why the first one is first. Example: "Best record of the last 30 days.". */
        readonly reason: string
        /** Whether maxCostUsd cuts the hold. Example: false. */
        readonly capped: boolean
        /** Providers that it would call, in order. */
        readonly candidates: ReadonlyArray<{
          /** The operation. Example: "mock-email-find". */
          readonly endpointId: string
          /** Its provider. Example: "mock". */
          readonly provider: string
          /** The most that one attempt can cost, in micros. Example: 20000. */
          readonly maxMicros: number
          /** Whether it changes something in the world. Example: false. */
          readonly effectful: boolean
        }>
        /** Providers that it would skip, each with the reason. */
        readonly skipped: ReadonlyArray<{
          /** The operation that is not tried. Example: "mock-email-find-2". */
          readonly endpointId: string
          /**
           * Why, as a word for programs; needs_identity: the input lacks a field that this provider needs, and reason
           * names it. Example: "over_cost_cap".
           */
          readonly code: "over_cost_cap" | "needs_identity" | "excluded" | "not_runnable" | "rejected_input"
          /** Why, in a sentence. Example: "It costs more than maxCostUsd". */
          readonly reason: string
        }>
      }
    | undefined
  readonly error?: RunError | undefined
  /** What the refused run would carry as result; absent when it would not be refused. */
  readonly result?: JsonObject | undefined
  /** What each limit says, as it stands now. */
  readonly limits: ReadonlyArray<{
    /**
     * Which limit: of one run, of runs a minute, of runs in flight, of the token's month, or the balance.
     * Example: "balance".
     */
    readonly limit: "run_cap" | "runs_per_minute" | "inflight" | "key_month" | "balance"
    /** Whether it lets the run through. Example: true. */
    readonly admits: boolean
    /** Why it does not; null when it does. */
    readonly message: string | null
  }>
}

/** The run to be priced. */
export type QuoteRequest = {
  /** job: and the id of a job, or the id of a tool. 1 to 255 characters. Example: "job:people.email.find". */
  readonly endpointId: string
  /**
   * Fields of the job or tool; unknown keys pass through unchanged. Example: {"full_name":"Ada
   * Lovelace","domain":"example.com"}.
   */
  readonly input: object
  /** Jobs: try the next provider on a miss. It has no effect on a tool. Example: true. */
  readonly fallback?: boolean | Fallback | undefined
  /** How the result is given. */
  readonly output?:
    | {
        /** How the result is given: raw, as the provider answered it; canonical is refused. Example: "raw". */
        readonly mode?: "raw" | "canonical" | undefined
      }
    | undefined
  /** Run on this connection of yours. 1 to 255 characters. Example: "con_01jz3w8m5q0000000000000000". */
  readonly connectionId?: string | undefined
}

/** Which provider of the job was picked, and why. */
export type RequestedJob = {
  /** The job that was asked for. Example: "people.email.find". */
  readonly job: string
  readonly prefer?: Prefer | undefined
  /** The tool that is tried first; null when none could be. Example: "mock-email-find". */
  readonly pickedEndpointId: string | null
  /** Why that one. Example: "Best record of the last 30 days.". */
  readonly reason: string
  /** Providers that are not tried, each with the reason. */
  readonly skipped: ReadonlyArray<{
    /** The operation that is not tried. Example: "mock-email-find-2". */
    readonly endpointId: string
    /**
     * Why, as a word for programs; needs_identity: the input lacks a field that this provider needs, and reason
     * names it. Example: "over_cost_cap".
     */
    readonly code: "over_cost_cap" | "needs_identity" | "excluded" | "not_runnable" | "rejected_input"
    /** Why, in a sentence. Example: "It costs more than maxCostUsd". */
    readonly reason: string
  }>
}

/** With fallback: whom the run tried, and who answered. */
export type Route = {
  /** The tool that answered; absent when none did. Example: "mock-email-find". */
  readonly servedBy?: string | undefined
  /** What came of it; null while it is under way, and while nobody knows. */
  readonly outcome: RunOutcome | null
  /** What the run was charged so far, in US dollars. Example: 0.02. */
  readonly chargedUsd: number
  /** Whether maxCostUsd cut the hold. Example: false. */
  readonly capped: boolean
  /** Providers that were tried, in order. */
  readonly attempts: ReadonlyArray<{
    /** The attempt's number, from 1. Example: 1. */
    readonly n: number
    /** The tool that was tried. Example: "mock-email-find". */
    readonly endpointId: string
    /** Its provider. Example: "mock". */
    readonly provider: string
    /** What came of it; null while it is under way, and while nobody knows. */
    readonly outcome: RunOutcome | null
    /** Where the attempt stands. Example: "completed". */
    readonly status: "running" | "completed" | "failed" | "reconciliation_pending"
    /** What the attempt was charged, in US dollars. Example: 0.02. */
    readonly chargedUsd: number
    /** How long it took, in milliseconds; null while it is under way. Example: 840. */
    readonly ms: number | null
    /** Why it ended so, in a sentence. Example: "An e-mail address was found.". */
    readonly reason?: string | undefined
    /** Whether the attempt is charged. Example: true. */
    readonly billed: boolean
  }>
  /** Providers that are not tried, each with the reason. */
  readonly skipped: ReadonlyArray<{
    /** The operation that is not tried. Example: "mock-email-find-2". */
    readonly endpointId: string
    /**
     * Why, as a word for programs; needs_identity: the input lacks a field that this provider needs, and reason
     * names it. Example: "over_cost_cap".
     */
    readonly code: "over_cost_cap" | "needs_identity" | "excluded" | "not_runnable" | "rejected_input"
    /** Why, in a sentence. Example: "It costs more than maxCostUsd". */
    readonly reason: string
  }>
  /** The same in a sentence. Example: "1 provider tried, mock-email-find answered: hit.". */
  readonly summary: string
}

/** A run of a job or a tool. */
export type Run = {
  /** Names the run. Example: "run_01jz3w8m5q0000000000000000". */
  readonly runId: string
  /** The tool that was picked; the id as you sent it when none was. Example: "mock-email-find". */
  readonly endpointId: string
  /** The provider that was picked, or whose tool was named; absent when there is none. Example: "mock". */
  readonly providerId?: string | undefined
  /** The tool that answered; absent when none did. Example: "mock-email-find". */
  readonly servedEndpointId?: string | undefined
  /** The provider that answered; absent when none did. Example: "mock". */
  readonly servedProviderId?: string | undefined
  readonly status: RunStatus
  readonly outcome?: RunOutcome | undefined
  /** The HTTP status that the provider answered; null when there is no answer. Example: 200. */
  readonly providerResponseStatus: number | null
  /** When the run was made. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly createdAt: string
  /** When it ended; null while it is under way. Example: "2026-06-15T12:00:00.840Z". */
  readonly completedAt: string | null
  /** What it cost, in US dollars; null until it is settled. Example: 0.02. */
  readonly actualCost: number | null
  readonly error?: RunError | undefined
  /** The size of the result in bytes; null when there is none. Example: 61. */
  readonly resultBytes: number | null
  readonly requestedJob?: RequestedJob | undefined
  /** Why the outcome is what it is, in a sentence. Example: "An e-mail address was found.". */
  readonly outcomeReason?: string | undefined
  readonly result?: RunResult | undefined
  readonly normalized?: Normalized | undefined
  /**
   * True on a run whose result and files this gateway has dropped because of its age; absent on all others.
   * Its outcome, cost and receipts stand. Example: true.
   */
  readonly payloadDropped?: boolean | undefined
  /** What it may cost, and what it cost. */
  readonly pricing: {
    /** What it holds while it is under way, in micros: the most that it can cost. Example: 20000. */
    readonly maximumChargeMicros: number
    /** What it was charged, in micros; absent until it is settled. Example: 20000. */
    readonly finalChargeMicros?: number | undefined
  }
  /** The most that it can cost, in US dollars. Example: 0.02. */
  readonly estimatedCost: number
  readonly pages?: Pages | undefined
  readonly route?: Route | undefined
  /**
   * The version of the operation's contract that it used, or would have used if it was refused. Example:
   * "9f2c41d07ab35e68".
   */
  readonly contractVersion?: string | undefined
  /** When it was dispatched; null before. Example: "2026-06-15T12:00:00.012Z". */
  readonly startedAt: string | null
  /**
   * The connection that its request named. A request that names none uses the newest one to the provider, if
   * there is one. Example: "con_01jz3w8m5q0000000000000000".
   */
  readonly connectionId?: string | undefined
  /**
   * Whether the run was there already, under the same idempotency key; only in the answer to POST /v1/runs.
   * Example: false.
   */
  readonly replayed?: boolean | undefined
  readonly trimmed?: Trimmed | undefined
}

/** Why a run failed or was refused. */
export type RunError = {
  /** What went wrong, as a word for programs. Example: "timeout". */
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
  /** What went wrong, in a sentence. Example: "The provider did not answer within 30 s". */
  readonly message: string
  /** The request that made the run; name it when you ask for help. Example: "req_01jz3w8m5q0000000000000000". */
  readonly requestId: string
  /** Who can do something about it: the provider, the gateway's operator, or you. Example: "provider". */
  readonly whoseError: "provider" | "gateway" | "customer"
  /** Whether the same input may work later, with a new idempotency key. Example: true. */
  readonly retryable: boolean
  /**
   * What to change or how long to wait, in a sentence. Example: "Send it again in a minute, with a new
   * idempotency key.".
   */
  readonly retryHint: string
  /** The HTTP status that the provider answered; absent when it did not answer. Example: 504. */
  readonly providerStatus?: number | undefined
}

/**
 * What came of it: hit (found), weak (a guess), miss (nothing found), error (the provider or the gateway
 * failed), rejected (bad input, or another refusal that is yours to mend). Example: "hit".
 */
export type RunOutcome = "hit" | "weak" | "miss" | "error" | "rejected"

/** A page of runs. */
export type RunPage = {
  /** Runs, newest first. */
  readonly runs: ReadonlyArray<RunSummary>
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null
}

/** What to run, with which input. */
export type RunRequest = {
  /** job: and the id of a job, or the id of a tool. 1 to 255 characters. Example: "job:people.email.find". */
  readonly endpointId: string
  /**
   * Fields of the job or tool; unknown keys pass through unchanged. Example: {"full_name":"Ada
   * Lovelace","domain":"example.com"}.
   */
  readonly input: object
  /** Jobs: try the next provider on a miss. It has no effect on a tool. Example: true. */
  readonly fallback?: boolean | Fallback | undefined
  /** How the result is given. */
  readonly output?:
    | {
        /** How the result is given: raw, as the provider answered it; canonical is refused. Example: "raw". */
        readonly mode?: "raw" | "canonical" | undefined
      }
    | undefined
  /** Run on this connection of yours. 1 to 255 characters. Example: "con_01jz3w8m5q0000000000000000". */
  readonly connectionId?: string | undefined
  /**
   * How long to wait for the end: true is 20 seconds, a number is seconds, of which more than 60 count as 60.
   * The query parameter wins. Example: true.
   */
  readonly wait?: boolean | number | undefined
  /** One key is mandatory: here, or in the header Idempotency-Key. Example: "order 4711: find the address". */
  readonly idempotencyKey?: IdempotencyKey | undefined
}

/**
 * The provider's answer: its JSON as the provider gave it, be that an object, a list, a text, a number or
 * null; else text and format, or media with a downloadPath. Example:
 * {"email":"ada@example.com","confidence":0.97}.
 */
export type RunResult = Json

/**
 * Where the run stands: queued, running, completed (the provider answered), failed, blocked (refused before
 * anything was sent), reconciliation_pending (the answer was lost, and an operator decides what is charged).
 * Example: "completed".
 */
export type RunStatus = "queued" | "running" | "completed" | "failed" | "blocked" | "reconciliation_pending"

/** A run, in short. */
export type RunSummary = {
  /** Names the run. Example: "run_01jz3w8m5q0000000000000000". */
  readonly runId: string
  /** The tool that was picked; the id as you sent it when none was. Example: "mock-email-find". */
  readonly endpointId: string
  /** The provider that was picked, or whose tool was named; absent when there is none. Example: "mock". */
  readonly providerId?: string | undefined
  /** The tool that answered; absent when none did. Example: "mock-email-find". */
  readonly servedEndpointId?: string | undefined
  /** The provider that answered; absent when none did. Example: "mock". */
  readonly servedProviderId?: string | undefined
  readonly status: RunStatus
  readonly outcome?: RunOutcome | undefined
  /** The HTTP status that the provider answered; null when there is no answer. Example: 200. */
  readonly providerResponseStatus: number | null
  /** When the run was made. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly createdAt: string
  /** When it ended; null while it is under way. Example: "2026-06-15T12:00:00.840Z". */
  readonly completedAt: string | null
  /** What it cost, in US dollars; null until it is settled. Example: 0.02. */
  readonly actualCost: number | null
  readonly error?: RunError | undefined
  /** The size of the result in bytes; null when there is none. Example: 61. */
  readonly resultBytes: number | null
  /**
   * The key that it was made with; only where the list was asked for by it. Example: "order 4711: find the
   * address".
   */
  readonly idempotencyKey?: string | undefined
  readonly result?: RunResult | undefined
  /**
   * True on a run whose result and files this gateway has dropped because of its age; absent on all others,
   * and where results were not asked for. Its outcome, cost and receipts stand. Example: true.
   */
  readonly payloadDropped?: boolean | undefined
}

/** What a token may do. Example: "runs:execute". */
export type Scope =
  | "catalog:read"
  | "runs:read"
  | "runs:execute"
  | "usage:read"
  | "billing:write"
  | "capabilities:write"
  | "account:manage"

/** A page of the search. */
export type SearchAnswer = {
  /** The words that were searched for. Example: "find a work email". */
  readonly query: string
  /** How many operations matched. At least 0. Example: 12. */
  readonly total: number
  /** Operations, best first. */
  readonly endpoints: ReadonlyArray<CatalogRow>
  /** The offset of the next page; null on the last page. Example: 50. */
  readonly nextOffset: number | null
  readonly prefer: Prefer
  /** Jobs that the words were taken to mean. Example: ["people.email.find"]. */
  readonly expandedCapabilities: ReadonlyArray<string>
  /** The revision of the catalog that answered. Example: "7c1f0a2b9d3e4f56". */
  readonly revision: string
  /** Present when the answer is not what was asked for, with the reason. */
  readonly warnings?:
    | ReadonlyArray<
        | {
            /** No provider does the job. Example: "no_supply_for_job". */
            readonly code: "no_supply_for_job"
            /** The job's id. Example: "people.phone.find". */
            readonly job: string
            /** The same in a sentence. Example: "No provider does people.phone.find yet". */
            readonly message: string
          }
        | {
            /** Nothing holds the words. Example: "no_match". */
            readonly code: "no_match"
            /** The same in a sentence. Example: "Nothing in the catalog matches these words". */
            readonly message: string
          }
        | {
            /** A hint of the words left nothing. Example: "hint_dropped". */
            readonly code: "hint_dropped"
            /** The words of the question. Example: "cheapest". */
            readonly words: string
            /** The parameter of the search that they equal. Example: "prefer". */
            readonly parameter: "prefer" | "maxPriceMicros" | "keyless" | "provider"
            /**
             * The same in a sentence. Example: "Nothing is left with maxPriceMicros=0, so \"free\" was only searched
             * for".
             */
            readonly message: string
          }
      >
    | undefined
  /** The cheapest operation of the job, when maxPriceMicros left none. */
  readonly priceHint?:
    | {
        /** maxPriceMicros left nothing of the job. Example: "price_above_max". */
        readonly code: "price_above_max"
        /** The id to run it by. Example: "mock-email-find". */
        readonly endpointId: string
        /** The provider's id. Example: "mock". */
        readonly provider: string
        /** The price in US dollars, of one call or one result. Example: 0.02. */
        readonly estimatedPrice: number
        /** What the price is for: one call, one result, or nothing. Example: "per_call". */
        readonly priceBasis: "per_call" | "per_result" | "free"
      }
    | undefined
  /** What was read from the words besides their subject; absent when nothing was, and with hints=off. */
  readonly appliedHints?: ReadonlyArray<AppliedHint> | undefined
}

/** Who is calling, for a user interface. */
export type SessionContext = {
  /** How the caller signed in: always with a token. Example: "token". */
  readonly mode: "token"
  /** What the caller showed. Example: "api_key". */
  readonly authenticationClass: "api_key"
  /** The workspace's id. Example: "ws_01jz3w8m5q0000000000000000". */
  readonly organizationId: string
  /** What the workspace is called. Example: "Example Ltd". */
  readonly organizationName: string
  /** What the calling token may do. Example: ["catalog:read","runs:execute"]. */
  readonly scopes: ReadonlyArray<Scope>
  /** How this gateway runs. Example: "production". */
  readonly deploymentMode: string
  /**
   * It follows from the token and is not a person's role in the console. operator: of the gateway; admin: has
   * account:manage; viewer: may only read; member: any other. Example: "member".
   */
  readonly role: "operator" | "admin" | "member" | "viewer"
  /** When the calling token ends; null for never. */
  readonly expiresAt: string | null
}

/** How its calls went in the last 30 days. */
export type Stats = {
  /** Calls of the last 30 days. At least 0. Example: 214. */
  readonly calls: number
  /**
   * The share of calls that the provider answered, from 0 to 1; an empty answer is an answer. 0 to 1. Example:
   * 0.98.
   */
  readonly successRate: number
  /** How long half of the calls took at most, in milliseconds. Example: 840. */
  readonly p50Ms: number | null
  /** How many calls these figures are made of. At least 0. Example: 214. */
  readonly sampleSize: number
}

/** An operation, in short. */
export type TitleRow = {
  /** The id to run it by. Example: "mock-email-find". */
  readonly endpointId: string
  /** The provider's id. Example: "mock". */
  readonly provider: string
  /** What it is called. Example: "Find an e-mail address". */
  readonly name: string
  /** The job that it does; absent when it belongs to no job. Example: "people.email.find". */
  readonly capability?: string | undefined
  /** The category's id. Example: "people". */
  readonly category: string
  /** The price in US dollars, of one call or one result. Example: 0.02. */
  readonly estimatedPrice: number
  /** What the price is for: one call, one result, or nothing. Example: "per_call". */
  readonly priceBasis: "per_call" | "per_result" | "free"
  readonly access: Access
  /**
   * sync: the provider answers at once; async: it works for a while, and the gateway asks it until it is done.
   * Example: "sync".
   */
  readonly executionMode: "sync" | "async"
  /** US dollars for one answer that found something; null when unknown. Example: 0.0215. */
  readonly costPerSuccessUsd: number | null
  /** The same as executionMode async. Example: false. */
  readonly async: boolean
  readonly works: Works
  /**
   * What the source of an imported operation calls its task, such as the tags of an OpenAPI document; null
   * where it says nothing.
   */
  readonly sourceCapability: string | null
  /**
   * Whose key a run needs: none, the gateway's (platform), the gateway's or your own
   * (platform_own_key_optional), your own (own_key_required). Example: "platform".
   */
  readonly credential: "none" | "platform" | "platform_own_key_optional" | "own_key_required"
}

/** A token, without its secret. */
export type Token = {
  /** Names the token; it stands in the secret too, after pgw_. Example: "tok_01jz3w8m5q0000000000000000". */
  readonly tokenId: string
  /** What people call it. Example: "build server". */
  readonly label: string
  /** What it may do. Example: ["catalog:read","runs:read","runs:execute"]. */
  readonly scopes: ReadonlyArray<Scope>
  /** When it was made. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly createdAt: string
  /** When it was used last, as known up to a minute later; null when it never was. */
  readonly lastUsedAt: string | null
  /** When it ends; null for never. */
  readonly expiresAt: string | null
  /** When it was revoked, or a token that it comes from; null for neither. */
  readonly revokedAt: string | null
  /**
   * How much it may spend in a calendar month (UTC), in micros; null without a limit of its own. Example:
   * 5000000.
   */
  readonly monthlySpendLimitMicros: number | null
  /**
   * Charges and open holds of this calendar month (UTC), in micros, with those of the tokens that come from
   * it. Example: 120000.
   */
  readonly monthSpendMicros: number
}

/** What is to change of a token; what is left out stays. */
export type TokenChange = {
  /** What people call it. 1 to 100 characters. Example: "release server". */
  readonly label?: string | undefined
  /**
   * How many dollars it may spend in a calendar month (UTC); null for no limit of its own, unless the calling
   * token has one. Example: 25.
   */
  readonly monthlyLimitUsd?: number | null | undefined
  /** When it ends; null for never. Example: "2027-01-01T00:00:00.000Z". */
  readonly expiresAt?: string | null | undefined
}

/** A page of tokens. */
export type TokenPage = {
  /** Tokens, newest first. */
  readonly tokens: ReadonlyArray<Token>
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null
}

/** A token to be made. */
export type TokenRequest = {
  /** What people call it. 1 to 100 characters. Example: "build server". */
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
  /**
   * How many dollars it may spend in a calendar month (UTC); without it, what the calling token may; null is
   * refused when that has a limit. Example: 25.
   */
  readonly monthlyLimitUsd?: number | null | undefined
  /**
   * When it ends; without it, when the calling token ends; null is never, and is refused when the calling
   * token ends. Example: "2027-01-01T00:00:00.000Z".
   */
  readonly expiresAt?: string | null | undefined
}

/** How a token gets a new secret. */
export type TokenRotation = {
  /** How long the secret until now goes on working; 0 without it. 0 to 604800. Example: 3600. */
  readonly overlapSeconds?: number | undefined
}

/** A token with its secret, which is shown this once. */
export type TokenWithSecret = {
  /** Names the token; it stands in the secret too, after pgw_. Example: "tok_01jz3w8m5q0000000000000000". */
  readonly tokenId: string
  /** What people call it. Example: "build server". */
  readonly label: string
  /** What it may do. Example: ["catalog:read","runs:read","runs:execute"]. */
  readonly scopes: ReadonlyArray<Scope>
  /** When it was made. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly createdAt: string
  /** When it was used last, as known up to a minute later; null when it never was. */
  readonly lastUsedAt: string | null
  /** When it ends; null for never. */
  readonly expiresAt: string | null
  /** When it was revoked, or a token that it comes from; null for neither. */
  readonly revokedAt: string | null
  /**
   * How much it may spend in a calendar month (UTC), in micros; null without a limit of its own. Example:
   * 5000000.
   */
  readonly monthlySpendLimitMicros: number | null
  /**
   * Charges and open holds of this calendar month (UTC), in micros, with those of the tokens that come from
   * it. Example: 120000.
   */
  readonly monthSpendMicros: number
  /**
   * The secret, for Authorization: Bearer. It is shown this once and stored nowhere. Example:
   * "pgw_01jz3w8m5q0000000000000000…".
   */
  readonly token: string
}

/** A top-up. */
export type TopUp = {
  /** Names the top-up. Example: "top_01jz3w8m5q0000000000000000". */
  readonly topUpId: string
  /**
   * Where it stands: pending until somebody pays; refused when nobody can, with the reason. Example:
   * "pending".
   */
  readonly status: "pending" | "paid" | "expired" | "failed" | "refused"
  /** How many US dollars. Example: 20. */
  readonly amountUsd: number
  /** The same in micros. Example: 20000000. */
  readonly amountMicros: number
  /**
   * Where a person pays it; null when it cannot be paid. Example:
   * "https://checkout.stripe.com/c/pay/cs_example".
   */
  readonly checkoutUrl: string | null
  /** Where a person sees it. Example: "https://gateway.example.com/console". */
  readonly dashboardUrl: string
  /** What to do next, in a sentence. Example: "Open checkoutUrl in a browser and pay.". */
  readonly message: string
  /** Why the balance cannot be topped up as asked, or whether it has to be. Example: "balance_low". */
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
  /** What refunds and disputes have taken back of it, in micros; absent where nothing. Example: 5000000. */
  readonly takenBackMicros?: number | undefined
  /**
   * What they are still to take back, in micros: the next top-ups pay it first; absent where nothing is owed.
   * Example: 1000000.
   */
  readonly owedMicros?: number | undefined
  /** When it was requested. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly createdAt: string
}

/** How to put money on the balance. */
export type TopUpHint = {
  /** The smallest top-up, in US dollars. Example: 5. */
  readonly minimumUsd: number
  /** A sensible top-up, in US dollars. Example: 20. */
  readonly suggestedUsd: number
  /** Where a person can pay now; null when a checkout has to be requested first, or cannot be. */
  readonly checkoutUrl: string | null
  /** Where a person sees the balance and its top-ups. Example: "https://gateway.example.com/console". */
  readonly dashboardUrl: string
  /**
   * How to top up, in a sentence. Example: "Request a top-up with POST /v1/top-ups and pay it at its
   * checkoutUrl.".
   */
  readonly message: string
  /** Why the balance cannot be topped up as asked, or whether it has to be. Example: "balance_low". */
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

/** A page of top-ups. */
export type TopUpPage = {
  /** Top-ups, newest first. */
  readonly topUps: ReadonlyArray<TopUp>
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null
}

/** A top-up to be paid by a person. */
export type TopUpRequest = {
  /**
   * How many US dollars, in whole cents; the suggested amount without it. topUpLink of GET /v1/balance says
   * the smallest. 5 to 10000. Example: 20.
   */
  readonly amountUsd?: number | undefined
  /** Whether the card that pays is saved for automatic top-ups; the checkout asks its owner. Example: false. */
  readonly savePaymentMethod?: boolean | undefined
  /**
   * The same key answers the same top-up; the header Idempotency-Key does as well. Example: "order 4711: find
   * the address".
   */
  readonly idempotencyKey?: IdempotencyKey | undefined
}

/** How result was shrunk; the stored run is whole. */
export type Trimmed = {
  /** Whether anything was left out of an array. Example: true. */
  readonly truncated: boolean
  /** The paths that were asked for. Example: ["email","sources.url"]. */
  readonly fields?: ReadonlyArray<string> | undefined
  /** The number of items that was asked for. Example: 2. */
  readonly max_items?: number | undefined
  /** The arrays that lost items; where the paths of all of them are too long to tell, some of them. */
  readonly arrays: ReadonlyArray<{
    /** Where the array is; $ is the result itself. Example: "sources". */
    readonly path: string
    /** How many items stand here. Example: 2. */
    readonly kept: number
    /** How many it has. Example: 14. */
    readonly total: number
  }>
}

/** The calling token. */
export type Whoami = {
  /** The calling token's id. Example: "tok_01jz3w8m5q0000000000000000". */
  readonly tokenId: string
  /** What people call it. Example: "build server". */
  readonly label: string
  /** The workspace that it belongs to. Example: "ws_01jz3w8m5q0000000000000000". */
  readonly workspaceId: string
  /** What the workspace is called. Example: "Example Ltd". */
  readonly workspaceName: string
  /** What the calling token may do. Example: ["catalog:read","runs:execute"]. */
  readonly scopes: ReadonlyArray<Scope>
  /** When it was made. ISO 8601, UTC. Example: "2026-06-15T12:00:00.000Z". */
  readonly createdAt: string
  /** When it ends; null for never. */
  readonly expiresAt: string | null
  /**
   * How much it may spend in a calendar month (UTC), in micros; null without a limit of its own. GET
   * /v1/limits shows the limit that counts, also that of a token that it comes from. Example: 5000000.
   */
  readonly monthlySpendLimitMicros: number | null
  /**
   * Charges and open holds of this calendar month (UTC), in micros, with those of the tokens that come from
   * it. Example: 120000.
   */
  readonly monthSpendMicros: number
  /** It can only read: it starts no run and pays nothing. Example: false. */
  readonly readOnly: boolean
}

/** How it did in the last 30 days. */
export type Works = {
  /** The share of runs that found something, from 0 to 1; null without runs. Example: 0.93. */
  readonly rate: number | null
  /** How many runs that is. At least 0. Example: 214. */
  readonly runs: number
  /** How long half of the runs took at most, in milliseconds. Example: 840. */
  readonly p50Ms: number | null
  /** Fewer than 5 runs: too few to rely on. Example: false. */
  readonly thin: boolean
}

/** The body of every refusal, by its code. */
export interface Refusals {
  /** No such route. */
  readonly route_not_found: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "route_not_found"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
  }
  /** The route exists, but not for this method. */
  readonly method_not_allowed: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "method_not_allowed"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
  }
  /** The request did not come in time. */
  readonly request_timeout: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "request_timeout"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: true
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
  }
  /** The request fails validation. */
  readonly validation_error: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "validation_error"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
      /** The fields that are wrong. */
      readonly details: ReadonlyArray<{
        /** The field, parameter or header; fields of fields have dots between them. Example: "limit". */
        readonly field: string
        /** What is wrong with it. Example: "must be a whole number from 1 to 100". */
        readonly message: string
      }>
    }
    readonly topUp?: TopUpHint | undefined
    /** Why the balance cannot be topped up as asked, or whether it has to be. Example: "balance_low". */
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
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "internal_error"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: true
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
  }
  /** Too many requests. */
  readonly rate_limit_exceeded: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "rate_limit_exceeded"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: true
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** Seconds to wait before the next try. */
    readonly retryAfterSeconds: number
  }
  /** Token missing or invalid. */
  readonly unauthorized: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "unauthorized"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
  }
  /** Token revoked. */
  readonly token_revoked: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "token_revoked"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
  }
  /** Storage is overloaded. */
  readonly storage_busy: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "storage_busy"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: true
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** Seconds to wait before the next try. */
    readonly retryAfterSeconds: number
  }
  /** The last write is unconfirmed. */
  readonly storage_uncertain: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "storage_uncertain"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: true
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
  }
  /** Storage took too long. */
  readonly runtime_bridge_timeout: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "runtime_bridge_timeout"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: true
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** Seconds to wait before the next try. */
    readonly retryAfterSeconds: number
  }
  /** The catalog is not loaded yet. */
  readonly catalog_loading: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "catalog_loading"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: true
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** Seconds to wait before the next try. */
    readonly retryAfterSeconds: number
  }
  /** Not found. */
  readonly not_found: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "not_found"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
  }
  /** The request body is too large. */
  readonly payload_too_large: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "payload_too_large"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** How many bytes it may have. */
    readonly limitBytes: number
  }
  /** The request body is compressed. */
  readonly unsupported_media_type: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "unsupported_media_type"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
  }
  /** Unknown category. */
  readonly unknown_category: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "unknown_category"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** The parameter that is wrong. */
    readonly field: "category"
    /** The categories that there are. */
    readonly categories: ReadonlyArray<string>
  }
  /** Unknown platform. */
  readonly unknown_platform: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "unknown_platform"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** The parameter that is wrong. */
    readonly field: "platform"
    /** The platforms that there are. */
    readonly platforms: ReadonlyArray<string>
  }
  /** The token lacks the scope. */
  readonly forbidden: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "forbidden"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
      /**
       * What of the request is more than the calling token may do itself. Example:
       * [{"field":"scopes","message":"this token itself lacks account:manage"}].
       */
      readonly details?:
        | ReadonlyArray<{
            /** The field, parameter or header; fields of fields have dots between them. Example: "limit". */
            readonly field: string
            /** What is wrong with it. Example: "must be a whole number from 1 to 100". */
            readonly message: string
          }>
        | undefined
    }
    /** The scope that the token lacks; absent when it lacks none. */
    readonly scope?: string | undefined
    readonly topUp?: TopUpHint | undefined
    /** Why the balance cannot be topped up as asked, or whether it has to be. Example: "balance_low". */
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
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "too_many_inflight_runs"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: true
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** How many runs of the workspace are in flight. */
    readonly inflight: number
    /** How many may be. */
    readonly limit: number
    /** Seconds to wait before the next try. */
    readonly retryAfterSeconds: number
  }
  /** Too many runs a minute. */
  readonly run_rate_limited: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "run_rate_limited"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: true
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** How many runs the workspace may start in a minute. */
    readonly limit: number
    /** Seconds to wait before the next try. */
    readonly retryAfterSeconds: number
  }
  /** The reservation exceeds the available balance. */
  readonly insufficient_balance: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "insufficient_balance"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** What is available, in micros. */
    readonly balanceMicros: number
    /** What the run would hold, in micros. */
    readonly estimatedCostMicros: number
    /** The same as topUp.checkoutUrl. */
    readonly topUpUrl: string | null
    readonly topUp: TopUpHint
  }
  /** The key's monthly limit is reached. */
  readonly key_spend_limit_reached: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "key_spend_limit_reached"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** What the key may spend in a calendar month (UTC), in micros. */
    readonly limitMicros: number
    /** What of it is spent or held, in micros. */
    readonly spentMicros: number
    /** What the run would hold, in micros. */
    readonly estimatedCostMicros: number
  }
  /** The key was used with a different request. */
  readonly idempotency_conflict: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "idempotency_conflict"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** The run of the first request; absent when it made none. */
    readonly runId?: string | undefined
  }
  /** Unsupported output mode. */
  readonly rows_mode_unsupported: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "rows_mode_unsupported"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** Why, in a sentence. */
    readonly reason: string
  }
  /** Bad or stale cursor. */
  readonly runs_cursor_invalid: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "runs_cursor_invalid"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
  }
  /** The file has no such range. */
  readonly range_not_satisfiable: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "range_not_satisfiable"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
    /** How many bytes the file has. */
    readonly sizeBytes: number
  }
  /** Billing is not enabled. */
  readonly billing_unavailable: {
    /** What went wrong. */
    readonly error: {
      /** What went wrong, as a word for programs. */
      readonly code: "billing_unavailable"
      /** What went wrong, in a sentence. */
      readonly message: string
      /** The request; name it when you ask for help. */
      readonly requestId: string
      /** Whether the same request may work later. */
      readonly retryable: false
      /** What to change or how long to wait, in a sentence. */
      readonly retryHint: string
    }
  }
}
