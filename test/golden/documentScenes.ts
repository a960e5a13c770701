/**
 * The scenes that the examples of the OpenAPI document are recorded from: real requests to whole gateways. Each kept
 * exchange has a name and says in a sentence what it shows.
 */
import { Context, Effect } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Micros } from "../../src/domain/Micros.js"
import { Accounts, type Principal } from "../../src/services/Accounts.js"
import { Draining } from "../../src/services/Draining.js"
import { LoginApprovals } from "../../src/services/LoginApprovals.js"
import type { Loose } from "../support/httpGateway.js"
import type { Providing } from "./documentGateway.js"

export interface Asked {
  /** The path of the document with its ids filled in, and the query. Without it, the path of the document. */
  readonly at?: string
  readonly body?: unknown
  /** Of the answer, where it is not one of success. */
  readonly status?: number
}

export interface Stage {
  readonly context: Context.Context<Accounts | Draining | LoginApprovals>
  /** The owner of the token that asks. */
  readonly principal: Principal
  /** Asks without keeping the answer. */
  readonly ask: (method: string, path: string, asked?: Asked) => Effect.Effect<Loose>
  /** Asks, and keeps the exchange as an example of the operation. */
  readonly keep: (operation: string, name: string, summary: string, asked?: Asked) => Effect.Effect<Loose>
  /** Asks until the answer is as wanted. */
  readonly until: (path: string, wanted: (answer: Loose) => boolean) => Effect.Effect<Loose>
}

interface SceneOptions {
  readonly providing?: Providing
  readonly usd?: number
}

/** Played in a workspace of its own. */
export interface DocumentScene {
  readonly options: SceneOptions
  readonly play: (stage: Stage) => Effect.Effect<unknown>
}

const person = { first_name: "Ada", last_name: "Lovelace", domain: "example.com" }
const tool = { endpointId: "mock-email-find", input: person }
const job = { endpointId: "job:people.email.find", input: person }
const message = { endpointId: "mock-send-message", input: { to: "ada@example.com", text: "Hello" } }
const found = {
  status: 200,
  body: { found: true, email: "ada.lovelace@example.com", status: "deliverable", confidence: 97 }
}
const notFound = { status: 200, body: { found: false, email: null, status: null } }
const runs = "POST /v1/runs"
const waited = "/v1/runs?wait=10"
const runOf = "GET /v1/runs/{runId}"

const scene = (options: SceneOptions, play: DocumentScene["play"]): DocumentScene => ({ options, play })

const oneHit = scene({ providing: { "mock-email-find": found } }, ({ ask, keep }) =>
  Effect.gen(function* () {
    const body = { ...tool, idempotencyKey: "order-7311" }
    const { runId } = yield* keep(runs, "hit", "A tool that answers while the request waits", {
      at: waited,
      body
    })
    yield* keep(runs, "replayed", "The same key and request once more: the same run, and nothing is charged", {
      at: waited,
      body
    })
    yield* keep(runOf, "hit", "A run that ended with a hit", { at: `/v1/runs/${runId}` })
    const cancel = `/v1/runs/${runId}/cancel`
    yield* keep("POST /v1/runs/{runId}/cancel", "ended", "A run that had ended stays as it is", { at: cancel })
    yield* keep("GET /v1/runs/{runId}/attempts", "hit", "One call, and it was charged", {
      at: `/v1/runs/${runId}/attempts`
    })
    yield* keep("GET /v1/balance", "settled", "Nothing is held")
    yield* ask("POST", waited, { body: { ...tool, idempotencyKey: "order-7312" } })
    yield* ask("POST", waited, { body: { endpointId: "mock-email-verify", input: {}, idempotencyKey: "order-7313" } })
    yield* keep("GET /v1/ledger", "run", "What one run moved: its hold, its charge, and what was released", {
      at: `/v1/ledger?runId=${runId}`
    })
    yield* keep("GET /v1/runs", "summaries", "A run that was refused and one that was not", { at: "/v1/runs?limit=2" })
    yield* keep("GET /v1/runs", "results", "A completed run with its result; another page follows", {
      at: "/v1/runs?status=completed&includeResult=true&limit=1"
    })
  })
)

const tried = { "mock-email-find": notFound, "mock-slow-email-find": found }

const fallback = scene({ providing: tried }, ({ keep }) =>
  Effect.gen(function* () {
    const { runId } = yield* keep(runs, "fallback", "A job: the first provider finds nothing, the next one answers", {
      at: waited,
      body: { ...job, fallback: true, idempotencyKey: "order-7320" }
    })
    yield* keep(runOf, "fallback", "A run of a job with everybody whom it tried", { at: `/v1/runs/${runId}` })
    yield* keep("GET /v1/runs/{runId}/attempts", "fallback", "A call that found nothing, and one that did", {
      at: `/v1/runs/${runId}/attempts`
    })
  })
)

const oneMiss = scene({ providing: { "mock-email-find": notFound } }, ({ keep }) =>
  keep(runs, "miss", "A tool that finds nothing: the run completed, with the outcome miss", {
    at: waited,
    body: { ...tool, idempotencyKey: "order-7314" }
  })
)

const guess = { ...found, body: { ...found.body, status: "accept_all", confidence: 40 } }

const oneGuess = scene({ providing: { "mock-email-find": guess } }, ({ keep }) =>
  keep(runs, "weak", "A tool that answers without being sure", {
    at: waited,
    body: { ...tool, idempotencyKey: "order-7321" }
  })
)

const trimmed = scene(
  {
    providing: {
      "mock-web-search": {
        status: 200,
        body: {
          confidence: 95,
          results: [1, 2, 3].map((n) => ({
            title: `Gateway ${n}`,
            url: `https://example.com/${n}`,
            snippet: "About gateways."
          }))
        }
      }
    }
  },
  ({ ask, keep }) =>
    Effect.gen(function* () {
      const { runId } = yield* ask("POST", waited, {
        body: { endpointId: "mock-web-search", input: { query: "gateway", limit: 3 }, idempotencyKey: "order-7315" }
      })
      yield* keep(runOf, "trimmed", "Only one field of two results; the stored run is whole", {
        at: `/v1/runs/${runId}?fields=results.title&max_items=2`
      })
    })
)

const underWay = scene({ providing: { "mock-email-find": "silence" } }, ({ keep, until }) =>
  Effect.gen(function* () {
    const { runId } = yield* keep(runs, "running", "Not waited for: ask GET /v1/runs/{runId} until it has ended", {
      body: { ...tool, idempotencyKey: "order-7316" }
    })
    yield* until(`/v1/runs/${runId}`, ({ status }) => status === "running")
    yield* keep(runOf, "running", "A run under way: no outcome, cost or result yet", { at: `/v1/runs/${runId}` })
    yield* keep("GET /v1/balance", "held", "A run under way holds the most that it can cost")
    const cancel = (id: string) => ({ at: `/v1/runs/${id}/cancel` })
    const next = yield* keep(runs, "queued", "Every slot is taken: the run waits for one", {
      body: { ...message, idempotencyKey: "order-7317" }
    })
    yield* keep(
      "POST /v1/runs/{runId}/cancel",
      "before_dispatch",
      "A queued run is not started, and costs nothing",
      cancel(next.runId)
    )
    yield* keep("POST /v1/runs/{runId}/cancel", "after_dispatch", "A call that only reads is aborted", cancel(runId))
  })
)

const failed = scene(
  {
    providing: {
      "mock-email-find": { status: 503, body: { error: { message: "Overloaded." } } },
      "mock-send-message": "broken"
    }
  },
  ({ keep }) =>
    Effect.gen(function* () {
      yield* keep(runs, "provider_error", "The provider failed: 201 with the status failed, and nothing is charged", {
        at: waited,
        body: { ...tool, idempotencyKey: "order-7318" }
      })
      const { runId } = yield* keep(
        runs,
        "uncertain",
        "The answer of a call that changes something was lost: the hold stays until an operator knows what happened",
        { at: waited, body: { ...message, idempotencyKey: "order-7319" } }
      )
      yield* keep(runOf, "uncertain", "A run of which nobody knows yet whether it was done", {
        at: `/v1/runs/${runId}`
      })
    })
)

const refused = scene({}, ({ context, keep, principal }) =>
  Effect.gen(function* () {
    const refusal = (name: string, summary: string, body: object, idempotencyKey: string) =>
      keep(runs, name, summary, { body: { ...body, idempotencyKey } })
    yield* refusal(
      "refused_validation_error",
      "The input lacks a field: failed before anything was sent or charged",
      { endpointId: tool.endpointId, input: { first_name: "Ada" } },
      "order-7330"
    )
    yield* refusal(
      "refused_needs_input",
      "No provider of the job takes this input: result names the fields that each one lacks",
      { endpointId: job.endpointId, input: { first_name: "Ada" } },
      "order-7331"
    )
    yield* refusal(
      "refused_endpoint_not_found",
      "There is no such operation",
      { endpointId: "mock-email-finder", input: person },
      "order-7332"
    )
    yield* refusal(
      "refused_route_capped",
      "Every provider costs more than maxCostUsd",
      { ...job, fallback: { maxCostUsd: 0.001 } },
      "order-7333"
    )
    yield* refusal(
      "refused_platform_key_missing",
      "The operator has no key of this provider: connect your own, or take another",
      { endpointId: "acme-lookup", input: { name: "Example" } },
      "order-7334"
    )
    yield* Effect.orDie(
      Context.get(context, Accounts).setLimits(principal.workspaceId, { runCapMicros: Micros.make(1_000) }, commandLine)
    )
    yield* refusal(
      "blocked_budget_exceeded",
      "The run would hold more than a run of this workspace may",
      tool,
      "order-7335"
    )
  })
)

const quotes = scene({ usd: 0.006 }, ({ keep }) =>
  Effect.gen(function* () {
    const quote = "POST /v1/runs/quote"
    yield* keep(quote, "tool", "A tool that would be run now", { body: tool })
    yield* keep(quote, "balance_too_low", "A job with fallback that the balance does not cover", {
      body: { ...job, fallback: true }
    })
    yield* keep(quote, "refused", "A run that would be refused, with the fields that are missing", {
      body: { endpointId: job.endpointId, input: { first_name: "Ada" } }
    })
  })
)

const catalog = scene({}, ({ keep }) =>
  Effect.gen(function* () {
    const search = "GET /v1/catalog/search"
    yield* keep(search, "found", "Every provider of the job that the words mean", {
      at: "/v1/catalog/search?q=find+a+work+email&limit=2"
    })
    yield* keep(search, "nothing", "Nothing of the kind is in the catalog", { at: "/v1/catalog/search?q=zebra" })
    yield* keep("GET /v1/discover", "found", "The best operation for a task, with what it needs", {
      at: "/v1/discover?q=find+a+work+email&limit=1"
    })
    yield* keep("GET /v1/discover", "nothing", "Nothing that this workspace can run", { at: "/v1/discover?q=zebra" })
    const listing = "GET /v1/catalog/endpoints"
    yield* keep(listing, "page", "A page, with where the next one begins", { at: "/v1/catalog/endpoints?limit=1" })
    yield* keep(listing, "facets", "The operations of one category, counted by platform, provider and job", {
      at: "/v1/catalog/endpoints?category=geo&facets=true"
    })
    const operation = "GET /v1/operations/{endpointId}"
    yield* keep(operation, "tool", "An operation of one provider", { at: "/v1/operations/mock-email-find" })
    yield* keep(operation, "job", "A job, with the providers that do it", {
      at: "/v1/operations/job:people.email.find"
    })
    const overview = "GET /v1/catalog/overview"
    yield* keep(overview, "tree", "The categories of the catalog")
    yield* keep(overview, "topic", "The jobs that some words mean", { at: "/v1/catalog/overview?topic=email" })
    yield* keep("GET /v1/public-catalog", "found", "What anybody may see of the first match", {
      at: "/v1/public-catalog?q=work+email&limit=1"
    })
    yield* keep("GET /v1/public-catalog/{catalogItemId}", "item", "What anybody may see of one operation", {
      at: "/v1/public-catalog/mock-email-find"
    })
    const compare = "POST /v1/public-catalog/compare"
    const catalogItemIds = ["mock-email-find", "mock-slow-email-find"]
    yield* keep(compare, "side_by_side", "Two providers of one job", { body: { catalogItemIds } })
    yield* keep(compare, "with_input", "The same, with what an input would cost at each", {
      body: { catalogItemIds, input: person }
    })
  })
)

const account = scene({}, ({ keep }) =>
  Effect.gen(function* () {
    yield* keep("GET /v1/whoami", "token", "A token without a limit of its own")
    yield* keep("GET /v1/session-context", "token", "A token with every scope")
    yield* keep("GET /v1/limits", "untouched", "A workspace without a run in flight")
    yield* keep("POST /v1/top-ups", "checkout", "A person opens checkoutUrl and pays", {
      body: { amountUsd: 20 }
    })
    const rule = "/v1/top-ups/automatic"
    const body = { belowUsd: 10, amountUsd: 50, monthlyMaximumUsd: 200 }
    yield* keep(`PUT ${rule}`, "set", "A rule, before a card is saved for it", { body })
    yield* keep(`GET ${rule}`, "set", "A rule, before a card is saved for it")
    yield* keep("GET /v1/top-ups", "requested", "A top-up that was requested")
    yield* keep("POST /v1/capability-requests", "fax", "Something that the catalog lacks", {
      body: {
        title: "Send a fax",
        description: "Send a PDF to a fax number, and say whether it arrived.",
        idempotencyKey: "wish-1"
      }
    })
    yield* keep("GET /v1/capability-requests", "fax", "What the workspace wished for")
    const connection = {
      providerId: "acme",
      label: "our own account",
      secret: "key-of-your-account",
      expiresAt: "2027-01-01T00:00:00Z"
    }
    const { connectionId } = yield* keep("POST /v1/connections", "until_new_year", "A key with an end", {
      body: connection
    })
    yield* keep("GET /v1/connections", "one", "The key, without its secret")
    yield* keep("GET /v1/connections/{connectionId}", "until_new_year", "A key with an end", {
      at: `/v1/connections/${connectionId}`
    })
  })
)

const tokens = scene({}, ({ ask, keep }) =>
  Effect.gen(function* () {
    const { tokenId } = yield* keep("POST /v1/tokens", "limited", "A token for runs, with a monthly limit", {
      body: { label: "build server", scopes: ["catalog:read", "runs:read", "runs:execute"], monthlyLimitUsd: 25 }
    })
    const at = `/v1/tokens/${tokenId}`
    yield* keep("PATCH /v1/tokens/{tokenId}", "renamed", "Another label, and an end", {
      at,
      body: { label: "release server", expiresAt: "2027-01-01T00:00:00Z" }
    })
    yield* keep("POST /v1/tokens/{tokenId}/rotate", "overlap", "The secret until now works for another hour", {
      at: `${at}/rotate`,
      body: { overlapSeconds: 3_600 }
    })
    yield* ask("DELETE", at)
    yield* keep("GET /v1/tokens", "revoked", "A token that was revoked", { at: "/v1/tokens?limit=1" })
    yield* keep("GET /v1/audit", "token", "What became of a token, newest first", {
      at: `/v1/audit?subject=${tokenId}&limit=2`
    })
    yield* keep("POST /v1/logout", "revoked", "The calling token works no more")
  })
)

const logins = scene({}, ({ context, keep, principal }) =>
  Effect.gen(function* () {
    const approvals = Context.get(context, LoginApprovals)
    const approve = (id: string) => Effect.orDie(approvals.approve(id, principal, commandLine))
    const login = yield* keep("POST /v1/login-approvals", "laptop", "A login that a person is to approve", {
      body: {
        digest: "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5",
        label: "laptop",
        scopes: ["runs:read"]
      }
    })
    const at = { at: `/v1/login-approvals/${login.approvalId}` }
    yield* keep("GET /v1/login-approvals/{approvalId}", "pending", "Nobody has decided yet", at)
    yield* approve(login.approvalId)
    yield* keep("GET /v1/login-approvals/{approvalId}", "approved", "A person has approved: the token works", at)
    const form = { client_id: "build-screen", scope: "catalog:read runs:execute" }
    const device = yield* keep("POST /oauth/device_authorization", "screen", "The codes of a device", {
      body: new URLSearchParams(form)
    })
    yield* keep("POST /oauth/device_authorization", "invalid_scope", "A scope that there is not", {
      body: new URLSearchParams({ ...form, scope: "everything" }),
      status: 400
    })
    const { approvalId } = yield* Effect.orDie(approvals.byUserCode(device.user_code))
    const asked = new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: device.device_code,
      client_id: form.client_id
    })
    yield* keep("POST /oauth/token", "authorization_pending", "Nobody has decided yet: ask again after the interval", {
      body: asked,
      status: 400
    })
    yield* approve(approvalId)
    yield* keep("POST /oauth/token", "approved", "A person has approved: the token, once", { body: asked })
  })
)

const system = scene({}, ({ context, keep }) =>
  Effect.gen(function* () {
    yield* keep("GET /livez", "alive", "The process runs")
    yield* keep("GET /readyz", "ready", "The node takes requests")
    yield* Context.get(context, Draining).announce
    yield* keep("GET /readyz", "stopping", "The node stops: send it nothing new", { status: 503 })
  })
)

/** The scenes of each gateway, and how many runs it dispatches at a time. */
export const documentGateways: ReadonlyArray<{
  readonly slots: number | null
  readonly scenes: ReadonlyArray<DocumentScene>
}> = [
  { slots: null, scenes: [oneHit, oneMiss, oneGuess, trimmed, failed] },
  { slots: null, scenes: [fallback] },
  { slots: 1, scenes: [underWay] },
  // No provider is called, so nothing here depends on what came before. The last one stops the gateway.
  { slots: null, scenes: [account, refused, quotes, catalog, tokens, logins, system] }
]
