/** The document is valid OpenAPI 3.1.0, says what the contract says, and every route answers as it describes. */
import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { ConfigProvider, Effect, Redacted } from "effect"
import { type AuditEntry, commandLine } from "../../src/domain/AuditEntry.js"
import { AuditEntryId, TokenId } from "../../src/domain/Ids.js"
import { isObject, type Json } from "../../src/domain/Json.js"
import type { Token } from "../../src/services/Tokens.js"
import { scopes } from "../../src/domain/Scope.js"
import { apiRoutes } from "../../src/http/ApiRoutes.js"
import { ruleProblem } from "../../src/domain/AutomaticTopUp.js"
import { Micros, microsPerUsd } from "../../src/domain/Micros.js"
import { topUpAmounts } from "../../src/domain/TopUp.js"
import { openApiDocument } from "../../src/http/OpenApi.js"
import { readConfig } from "../../src/layers/node/Config.js"
import { endpoint, job, newWorld, servedCatalog } from "../support/catalog.js"
import { startGateway, type Answer, type Loose } from "../support/httpGateway.js"
import * as sample from "../support/httpSamples.js"
import { validatorOf } from "../support/openApi.js"

const document: Loose = openApiDocument()
/** Answers closed as well: a field that the document does not name fails. */
const strict: Loose = openApiDocument({ strict: true })

const contractRoutes: ReadonlyArray<readonly [method: string, path: string, scope: string | null]> = [
  ["get", "/v1/public-catalog", null],
  ["get", "/v1/public-catalog/{catalogItemId}", null],
  ["post", "/v1/public-catalog/compare", null],
  ["get", "/v1/catalog/overview", null],
  ["get", "/v1/catalog/search", "catalog:read"],
  ["get", "/v1/discover", "catalog:read"],
  ["get", "/v1/catalog/endpoints", "catalog:read"],
  ["get", "/v1/operations/{endpointId}", "catalog:read"],
  ["get", "/v1/runs", "runs:read"],
  ["post", "/v1/runs", "runs:execute"],
  ["get", "/v1/runs/{runId}", "runs:read"],
  ["post", "/v1/runs/{runId}/cancel", "runs:execute"],
  ["get", "/v1/runs/{runId}/attempts", "runs:read"],
  ["get", "/v1/runs/{runId}/media/{mediaId}", "runs:read"],
  ["get", "/v1/balance", "usage:read"],
  ["get", "/v1/top-ups", "usage:read"],
  ["post", "/v1/top-ups", "billing:write"],
  ["get", "/v1/ledger", "usage:read"],
  ["get", "/v1/session-context", null],
  ["get", "/v1/whoami", null],
  ["get", "/v1/capability-requests", "catalog:read"],
  ["post", "/v1/capability-requests", "capabilities:write"],
  ["get", "/v1/tokens", "account:manage"],
  ["post", "/v1/tokens", "account:manage"],
  ["patch", "/v1/tokens/{tokenId}", "account:manage"],
  ["delete", "/v1/tokens/{tokenId}", "account:manage"],
  ["post", "/v1/tokens/{tokenId}/rotate", "account:manage"],
  ["get", "/v1/audit", "account:manage"],
  ["get", "/v1/connections", "account:manage"],
  ["post", "/v1/connections", "account:manage"],
  ["get", "/v1/connections/{connectionId}", "account:manage"],
  ["delete", "/v1/connections/{connectionId}", "account:manage"],
  ["post", "/v1/login-approvals", null],
  ["get", "/v1/login-approvals/{approvalId}", null],
  ["post", "/oauth/device_authorization", null],
  ["post", "/oauth/token", null],
  ["post", "/v1/logout", null],
  ["get", "/openapi.json", null],
  ["get", "/docs", null],
  ["get", "/livez", null],
  ["get", "/readyz", null],
  ["get", "/metrics", null],
  ["get", "/llms.txt", null],
  ["get", "/llms-full.txt", null]
]

describe("the document", () => {
  it("is valid OpenAPI 3.1.0", async () => {
    const { errors, valid } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
    assert.isTrue(valid, JSON.stringify(errors, null, 1))
    assert.deepStrictEqual([document.openapi, document.info.version], ["3.1.0", "0.1.0"])
  })

  it("has every route of the contract with its scope", () => {
    for (const [method, path, scope] of contractRoutes) {
      const operation = document.paths[path]?.[method]
      assert.isDefined(operation, `${method} ${path}`)
      assert.strictEqual(operation["x-required-scope"] ?? null, scope, `${method} ${path}`)
    }
    assert.deepStrictEqual(document.paths["/v1/catalog/overview"].get.security, [{}, { bearer: [] }])
  })

  it("says of every operation in a sentence what it is for", () => {
    for (const [path, item] of Object.entries<Loose>(document.paths)) {
      for (const [method, { summary }] of Object.entries<Loose>(item))
        assert.match(summary ?? "", /^[A-Z].*[^.]$/, `${method} ${path}`)
    }
  })

  it("says of every endpoint who may call it", () => {
    assert.deepStrictEqual(
      apiRoutes.filter(({ access }) => access === null),
      []
    )
    const named = new Set(apiRoutes.map(({ access }) => access))
    for (const scope of scopes) assert.isTrue(named.has(scope), scope)
  })

  it("names nothing that the library adds and the server never sends, and leaves no reference open", () => {
    const text = JSON.stringify(document)
    for (const name of ["HttpApiDecodeError", '"Issue"', 'schemas/Int"', "PropertyKey"]) assert.notInclude(text, name)
    for (const [, kind, name] of text.matchAll(/#\/components\/(\w+)\/([\w-]+)"/g))
      assert.property(document.components[kind!], name!)
  })

  it("closes request bodies and leaves answers open", () => {
    assert.strictEqual(document.components.schemas.RunRequest.additionalProperties, false)
    assert.notProperty(document.components.schemas.Run, "additionalProperties")
    assert.notProperty(document.components.schemas.Error_not_found, "additionalProperties")
  })

  it("says of objects without named members that they take any, since generators make empty types of them else", () => {
    const bare = (value: unknown, path: string): ReadonlyArray<string> => {
      if (!isObject(value as Json)) return []
      const { additionalProperties, properties, type } = value as Loose
      const isBare = [type].flat().includes("object") && properties === undefined && additionalProperties === undefined
      return [
        ...(isBare ? [path] : []),
        ...Object.entries(value as Loose).flatMap(([name, inner]) =>
          ["example", "examples"].includes(name) ? [] : [inner].flat().flatMap((each) => bare(each, `${path}/${name}`))
        )
      ]
    }
    assert.deepStrictEqual(bare(document, ""), [])
    assert.isTrue(document.components.schemas.RunRequest.properties.input.additionalProperties)
  })

  it("has no two requests for runs with one idempotency key, except those that show a conflict or a replay", () => {
    const examples = document.paths["/v1/runs"].post.requestBody.content["application/json"].examples
    const requests = new Map<string, string>()
    for (const [name, { value }] of Object.entries<Loose>(examples)) {
      if (!("idempotencyKey" in value) || /replay|conflict/.test(name)) continue
      assert.isUndefined(
        requests.get(value.idempotencyKey),
        `${name} has the key of ${requests.get(value.idempotencyKey)}`
      )
      requests.set(value.idempotencyKey, name)
    }
    assert.isAbove(requests.size, 5)
  })
})

const operations = Object.entries<Loose>(document.paths).flatMap(([path, item]) =>
  Object.entries<Loose>(item).map(([method, operation]) => ({ name: `${method} ${path}`, method, path, operation }))
)
const codesOf = (operation: Loose): ReadonlyArray<string> =>
  Object.values<Loose>(operation.responses).flatMap(({ content }) => {
    const schema = content?.["application/json"]?.schema ?? {}
    return (schema.anyOf ?? [schema]).flatMap(({ $ref = "" }: { $ref?: string }) =>
      $ref.includes("/Error_") ? [$ref.slice($ref.indexOf("Error_") + 6)] : []
    )
  })

describe("what the document says of an operation", () => {
  it("names no error that the route cannot answer, and each that its door, its body and its ids can", () => {
    for (const { method, name, operation, path } of operations) {
      const codes = codesOf(operation)
      const says = (code: string) => codes.includes(code)
      const takesToken = operation.security.length > 0
      const isProbe = ["/livez", "/readyz", "/metrics"].includes(path)
      const json = operation.requestBody?.content?.["application/json"] !== undefined
      const body = json || operation.requestBody?.content?.["application/x-www-form-urlencoded"] !== undefined
      assert.strictEqual(says("unauthorized"), takesToken, `${name} unauthorized`)
      assert.strictEqual(says("token_revoked"), takesToken, `${name} token_revoked`)
      assert.strictEqual(says("forbidden"), operation["x-required-scope"] !== undefined, `${name} forbidden`)
      assert.strictEqual(says("rate_limit_exceeded"), !isProbe, `${name} rate_limit_exceeded`)
      assert.isTrue(says("internal_error"), name)
      assert.isTrue(says("validation_error"), name)
      assert.strictEqual(says("payload_too_large"), body, `${name} payload_too_large`)
      assert.strictEqual(says("unsupported_media_type"), body, `${name} unsupported_media_type`)
      assert.strictEqual(
        says("idempotency_conflict"),
        operation.parameters?.some((each: Loose) => each.name === "idempotency-key") ?? false,
        `${name} idempotency_conflict`
      )
      const hasId = path.includes("{")
      assert.strictEqual(
        says("not_found"),
        hasId || name === "get /v1/top-ups/automatic" || name === "post /v1/public-catalog/compare",
        `${name} not_found`
      )
      const runs = name === "post /v1/runs"
      for (const code of [
        "insufficient_balance",
        "key_spend_limit_reached",
        "too_many_inflight_runs",
        "run_rate_limited"
      ])
        assert.strictEqual(says(code), runs, `${name} ${code}`)
      assert.strictEqual(
        says("rows_mode_unsupported"),
        name.startsWith("post /v1/runs") && json,
        `${name} rows_mode_unsupported`
      )
      assert.strictEqual(says("runs_cursor_invalid"), name === "get /v1/runs", `${name} runs_cursor_invalid`)
      for (const code of ["unknown_category", "unknown_platform"])
        assert.strictEqual(says(code), path === "/v1/catalog/overview", `${name} ${code}`)
      assert.strictEqual(
        says("billing_unavailable"),
        /^.v1.(top-ups|payments)/.test(path),
        `${name} billing_unavailable`
      )
      assert.strictEqual(
        says("catalog_loading"),
        /catalog|discover|operations|llms/.test(path) ||
          name.startsWith("post /v1/connections") ||
          (name.startsWith("post /v1/runs") && json),
        `${name} catalog_loading`
      )
      const stores = takesToken || path.includes("login") || path.includes("oauth") || path.includes("/payments/")
      for (const code of ["storage_busy", "storage_uncertain", "runtime_bridge_timeout"])
        assert.strictEqual(says(code), stores, `${name} ${code}`)
      for (const code of ["route_not_found", "method_not_allowed"]) assert.isFalse(says(code), `${name} ${code}`)
      assert.isTrue(method !== "get" || operation.requestBody === undefined)
    }
  })

  it("knows what a parameter is when it is left out", () => {
    const defaults = Object.fromEntries(
      operations.map(({ name, operation }) => [
        name,
        Object.fromEntries(
          (operation.parameters ?? [])
            .filter(({ schema }: Loose) => "default" in schema)
            .map((each: Loose) => [each.name, each.schema.default])
        )
      ])
    )
    assert.deepStrictEqual(defaults["get /v1/catalog/search"], {
      limit: 50,
      offset: 0,
      hidden: false,
      prefer: "balanced",
      hints: "on"
    })
    assert.deepStrictEqual(defaults["get /v1/catalog/endpoints"], { limit: 100, hidden: false, facets: false })
    assert.deepStrictEqual(defaults["get /v1/discover"], { limit: 5, prefer: "balanced", hints: "on" })
    assert.deepStrictEqual(defaults["get /v1/public-catalog"], { limit: 50, hints: "on" })
    assert.deepStrictEqual(defaults["get /v1/catalog/overview"], { depth: "summary" })
    assert.deepStrictEqual(defaults["get /v1/runs"], { limit: 20, includeResult: false })
    for (const name of ["get /v1/ledger", "get /v1/top-ups", "get /v1/capability-requests", "get /v1/connections"])
      assert.deepStrictEqual(defaults[name], { limit: 20 }, name)
    const fallback = document.components.schemas.Fallback.properties
    assert.deepStrictEqual(
      Object.fromEntries(
        Object.entries<Loose>(fallback).flatMap(([name, schema]) =>
          "default" in schema ? [[name, schema.default]] : []
        )
      ),
      {
        enabled: true,
        maxAttempts: 3,
        prefer: "balanced",
        exclude: [],
        stopAtFirstMiss: false
      }
    )
  })

  it("knows the ETag of the listing and of files, and the Allow of a 405", () => {
    const headers = (name: string, status: number) =>
      Object.keys(operations.find((each) => each.name === name)!.operation.responses[status].headers)
    for (const status of [200, 304]) assert.include(headers("get /v1/catalog/endpoints", status), "ETag")
    for (const status of [200, 206, 304, 416])
      assert.include(headers("get /v1/runs/{runId}/media/{mediaId}", status), "ETag")
    assert.property(document.components.responses.MethodNotAllowed.headers, "Allow")
    assert.notInclude(JSON.stringify(headers("get /v1/balance", 200)), "ETag")
  })

  it("knows what every route answers to requests that the server cannot take, each with its own hint", () => {
    const { ExpectationFailed, HeadersTooLarge, RequestTimeout } = document.components.responses
    const [json, problem] = ["application/json", "application/problem+json"]
    assert.deepStrictEqual(RequestTimeout.content[json].schema, { $ref: "#/components/schemas/Error_request_timeout" })
    for (const [response, status, hint] of [
      [ExpectationFailed, 417, /^Leave the Expect header out\.$/],
      [HeadersTooLarge, 431, /^Send fewer or shorter headers/]
    ]) {
      const { value } = response.content[json].examples.validation_error
      validatorOf(document, response.content[json].schema)(value)
      assert.match(value.error.retryHint, hint)
      const told = response.content[problem].examples.validation_error.value
      validatorOf(document, response.content[problem].schema)(told)
      assert.strictEqual(told.status, status)
      assert.include(response.description, String(status))
    }
  })

  it("knows between what the amounts of an automatic top-up are", () => {
    const { amountUsd, belowUsd, monthlyMaximumUsd } = document.components.schemas.AutomaticTopUpRequest.properties
    const micro = 1 / microsPerUsd
    const problem = (below: number, amount: number, month: number) =>
      ruleProblem(topUpAmounts, {
        belowMicros: Micros.make(Math.round(below * microsPerUsd)),
        amountMicros: Micros.make(Math.round(amount * microsPerUsd)),
        monthlyMaximumMicros: Micros.make(Math.round(month * microsPerUsd))
      })
    const smallest = [belowUsd.minimum, amountUsd.minimum, monthlyMaximumUsd.minimum] as const
    assert.isNull(problem(...smallest))
    assert.isNull(problem(belowUsd.maximum, amountUsd.maximum, monthlyMaximumUsd.maximum))
    for (const at of [0, 1, 2]) {
      const [below, amount, month] = smallest.map((bound, n) => (n === at ? bound - micro : bound))
      assert.isNotNull(problem(below!, amount!, month!), String(at))
    }
    assert.isNotNull(problem(belowUsd.maximum + micro, amountUsd.minimum, monthlyMaximumUsd.minimum))
    assert.include(monthlyMaximumUsd.description, "at least amountUsd")
  })

  it("knows that a result is any JSON, and what normalized holds", () => {
    const { Normalized } = document.components.schemas
    for (const result of [{ a: 1 }, [1, "b"], "text", 7, true, null])
      validatorOf(document, { $ref: "#/components/schemas/RunResult" })(result)
    assert.sameMembers(Normalized.required, [
      "job",
      "endpointId",
      "fields",
      "missing",
      "ambiguous",
      "unmapped",
      "providerValues",
      "verdict",
      "verdictReason",
      "mapVerified"
    ])
    assert.sameMembers(Object.keys(Normalized.properties), Normalized.required)
  })
})

const catalog = servedCatalog(
  {
    jobs: [job("people.email.find")],
    endpoints: [
      endpoint({ id: "find-a", job: "people.email.find" }),
      endpoint({ id: "find-b", job: "people.email.find", price: { basis: "per_call", micros: 20_000 } })
    ]
  } as Parameters<typeof servedCatalog>[0],
  newWorld()
)

const detail = { run: sample.completedRun, attempts: [sample.attempt] }
const ownToken: Token = {
  tokenId: TokenId.make(`tok_${"0".repeat(26)}`),
  label: "server",
  scopes: ["runs:read"],
  createdAt: 0,
  lastUsedAt: 0,
  expiresAt: null,
  revokedAt: null,
  monthlyLimitMicros: null,
  monthSpendMicros: Micros.make(0)
}
const auditEntry: AuditEntry = {
  entryId: AuditEntryId.make(`aud_${"0".repeat(26)}`),
  createdAt: 0,
  actor: commandLine,
  action: "token.created",
  subjectKind: "token",
  subjectId: ownToken.tokenId,
  workspaceId: null,
  before: null,
  after: { label: "server" }
}

const gateway = startGateway({
  catalogLayer: catalog,
  accounts: {
    monthSpend: () => Effect.succeed({ limitMicros: null, spentMicros: sample.attempt.costMicros! }),
    revokeToken: () => Effect.void
  },
  capabilityRequests: {
    create: () => Effect.succeed(sample.capabilityRequest),
    list: () => Effect.succeed({ items: [sample.capabilityRequest], next: null })
  },
  auditTrail: { list: () => Effect.succeed({ items: [auditEntry], next: "1.1" }) },
  tokens: {
    list: () => Effect.succeed({ items: [ownToken], next: ownToken.tokenId }),
    create: () => Effect.succeed({ token: ownToken, secret: Redacted.make("pgw_secret") }),
    change: () => Effect.succeed(ownToken),
    revoke: () => Effect.void,
    rotate: () => Effect.succeed({ token: ownToken, secret: Redacted.make("pgw_secret") })
  },
  connections: {
    create: () => Effect.succeed(sample.connection),
    list: () => Effect.succeed({ items: [sample.connection], next: sample.connection.connectionId }),
    get: () => Effect.succeed(sample.connection),
    delete: () => Effect.succeed("no_grant")
  },
  logins: {
    create: () => Effect.succeed(sample.login),
    createForDevice: () => Effect.succeed({ login: sample.login, deviceCode: Redacted.make("code") }),
    redeem: () => Effect.succeed({ token: Redacted.make("token"), scopes: ["runs:read"], expiresAt: null }),
    get: () => Effect.succeed(sample.login)
  },
  runs: {
    create: () => Effect.succeed({ ...detail, replayed: false, left: null }),
    quote: () =>
      Effect.succeed({
        plan: sample.plan,
        holdMicros: sample.queuedRun.holdMicros,
        refusal: null,
        refusalResult: null,
        problems: [],
        limits: [{ limit: "balance", admits: true, message: null }]
      }),
    get: () => Effect.succeed(detail),
    list: () => Effect.succeed({ items: [sample.completedRun, sample.queuedRun], next: sample.runId }),
    cancel: () => Effect.succeed(detail),
    media: () => Effect.succeed(sample.media)
  },
  authorizations: {
    begin: ({ label, provider, workspaceId }) =>
      Effect.succeed({
        connectionId: sample.connection.connectionId,
        workspaceId,
        providerId: provider.id,
        label,
        expiresAt: 1_767_225_600_000,
        link: Redacted.make("link-of-a-person")
      })
  },
  automaticTopUps: {
    get: () => Effect.succeed(sample.automaticTopUp),
    set: () => Effect.succeed(sample.automaticTopUp),
    remove: () => Effect.void
  },
  paymentEvents: { read: () => Effect.succeed({ _tag: "Ignored", why: "not_handled" }) },
  topUps: {
    request: () => Effect.succeed(sample.topUp),
    list: () => Effect.succeed({ items: [sample.topUp], next: null }),
    hint: () => Effect.succeed(sample.hint)
  },
  wallet: {
    read: () =>
      Effect.succeed({
        walletState: {
          balance: { availableMicros: Micros.make(1_000), reservedMicros: Micros.make(10) },
          inflight: 1,
          inflightLimit: 8,
          runCapMicros: null,
          runsPerMinute: 5,
          minuteStartedAt: 0,
          minuteCount: 0,
          minuteRefused: 0
        },
        spends: [{ limitMicros: Micros.make(100), month: "2026-01", spentMicros: Micros.make(40) }],
        now: 0
      }),
    overview: () =>
      Effect.succeed({
        balance: {
          availableMicros: sample.ledgerEntry.balanceAfterMicros,
          reservedMicros: sample.ledgerEntry.reservedAfterMicros
        },
        holds: [{ runId: sample.runId, amountMicros: sample.queuedRun.holdMicros, createdAt: 1 }]
      }),
    entries: () => Effect.succeed({ items: [sample.ledgerEntry], next: null })
  }
})

/** One real request for every operation of the document: path, body. */
const requests: Readonly<Record<string, readonly [path: string, body?: unknown]>> = {
  "get /v1/public-catalog": ["/v1/public-catalog?q=find"],
  "post /v1/public-catalog/compare": [
    "/v1/public-catalog/compare",
    { catalogItemIds: ["find-a", "find-b"], input: { name: "Ada" } }
  ],
  "get /v1/public-catalog/{catalogItemId}": ["/v1/public-catalog/find-a"],
  "get /v1/catalog/overview": ["/v1/catalog/overview?depth=full"],
  "get /llms.txt": ["/llms.txt"],
  "get /llms-full.txt": ["/llms-full.txt"],
  "get /v1/catalog/search": ["/v1/catalog/search?q=find"],
  "get /v1/discover": ["/v1/discover?q=find"],
  "get /v1/catalog/endpoints": ["/v1/catalog/endpoints?facets=true"],
  "get /v1/operations/{endpointId}": ["/v1/operations/job%3Apeople.email.find"],
  "get /v1/runs": ["/v1/runs?limit=2&includeResult=true"],
  "post /v1/runs": [
    "/v1/runs?wait",
    { endpointId: "job:people.email.find", input: { name: "Ada" }, idempotencyKey: "k" }
  ],
  "post /v1/runs/quote": ["/v1/runs/quote", { endpointId: "job:people.email.find", input: { name: "Ada" } }],
  "get /v1/runs/{runId}": [`/v1/runs/${sample.runId}?fields=email,sources.url&max_items=2`],
  "post /v1/runs/{runId}/cancel": [`/v1/runs/${sample.runId}/cancel`],
  "get /v1/runs/{runId}/attempts": [`/v1/runs/${sample.runId}/attempts`],
  "get /v1/runs/{runId}/media/{mediaId}": [`/v1/runs/${sample.runId}/media/${sample.mediaId}`],
  "get /v1/balance": ["/v1/balance"],
  "get /v1/limits": ["/v1/limits"],
  "get /v1/ledger": ["/v1/ledger?kind=hold&from=2023-01-01T00:00:00Z"],
  "get /v1/top-ups": ["/v1/top-ups"],
  "post /v1/top-ups": ["/v1/top-ups", { amountUsd: 20 }],
  "get /v1/top-ups/automatic": ["/v1/top-ups/automatic"],
  "put /v1/top-ups/automatic": ["/v1/top-ups/automatic", { belowUsd: 10, amountUsd: 50, monthlyMaximumUsd: 200 }],
  "delete /v1/top-ups/automatic": ["/v1/top-ups/automatic"],
  "get /v1/whoami": ["/v1/whoami"],
  "get /v1/session-context": ["/v1/session-context"],
  "get /v1/capability-requests": ["/v1/capability-requests"],
  "post /v1/capability-requests": [
    "/v1/capability-requests",
    { title: "Fax", description: "Send a fax.", idempotencyKey: "k" }
  ],
  "post /v1/logout": ["/v1/logout"],
  "get /v1/tokens": ["/v1/tokens?limit=1"],
  "post /v1/tokens": ["/v1/tokens", { label: "server", scopes: ["runs:read"] }],
  "patch /v1/tokens/{tokenId}": [`/v1/tokens/${ownToken.tokenId}`, { label: "server" }],
  "delete /v1/tokens/{tokenId}": [`/v1/tokens/${ownToken.tokenId}`],
  "post /v1/tokens/{tokenId}/rotate": [`/v1/tokens/${ownToken.tokenId}/rotate`, { overlapSeconds: 60 }],
  "get /v1/audit": ["/v1/audit?limit=1&action=token.created"],
  "get /v1/connections": ["/v1/connections?limit=1"],
  "post /v1/connections": [
    "/v1/connections",
    { providerId: "p-find-a", label: "mine", secret: "canary-s3cret", expiresAt: "2999-01-01T00:00:00Z" }
  ],
  "post /v1/connections/authorizations": [
    "/v1/connections/authorizations",
    { providerId: "p-find-a", label: "our own account" }
  ],
  "get /v1/connections/{connectionId}": [`/v1/connections/${sample.connection.connectionId}`],
  "delete /v1/connections/{connectionId}": [`/v1/connections/${sample.connection.connectionId}`],
  "post /v1/login-approvals": [
    "/v1/login-approvals",
    { digest: "ab".repeat(32), label: "laptop", scopes: ["catalog.read", "runs:execute"] }
  ],
  "get /v1/login-approvals/{approvalId}": [`/v1/login-approvals/${sample.login.approvalId}`],
  "post /oauth/device_authorization": [
    "/oauth/device_authorization",
    new URLSearchParams({ client_id: "screen", scope: "runs:read" })
  ],
  "post /oauth/token": [
    "/oauth/token",
    new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: "c" })
  ],
  "post /v1/payments/stripe/webhook": ["/v1/payments/stripe/webhook", { id: "evt_1", object: "event" }],
  "get /livez": ["/livez"],
  "get /readyz": ["/readyz"],
  "get /metrics": ["/metrics"],
  "get /openapi.json": ["/openapi.json"],
  "get /": ["/"],
  "get /docs": ["/docs"],
  "get /docs/reference": ["/docs/reference"],
  "get /docs/{guide}": ["/docs/errors"]
}

/** The answer is of a documented status, content type and shape, and has the documented headers. */
const holdsAgainst = (operation: Loose, name: string, answer: Answer) => {
  const response = operation.responses[answer.status]
  assert.isDefined(response, `${name} answered ${answer.status}: ${answer.text.slice(0, 500)}`)
  const always = Object.keys(response.headers).filter(
    (header) => document.components.headers[header].required !== false
  )
  for (const header of always) assert.isTrue(answer.headers.has(header), `${name} lacks ${header}`)
  const type = answer.headers.get("content-type")?.split(";")[0] ?? ""
  if (response.content === undefined) return assert.strictEqual(answer.text, "", name)
  const content = response.content[type] ?? response.content["*/*"]
  assert.isDefined(content, `${name} answered ${type}`)
  if (type === "application/json") validatorOf(strict, content.schema)(answer.json)
}

describe("every route", () => {
  it.scopedLive("answers what the document says, field by field", () =>
    Effect.gen(function* () {
      const { send } = yield* gateway
      for (const [path, item] of Object.entries<Loose>(strict.paths)) {
        for (const [method, operation] of Object.entries<Loose>(item)) {
          const name = `${method} ${path}`
          assert.property(requests, name, "every operation is asked once")
          const [target, body] = requests[name]!
          const answer = yield* body === undefined || body instanceof URLSearchParams
            ? send(method.toUpperCase(), target, body === undefined ? {} : { body })
            : send(method.toUpperCase(), target, {
                headers: { "content-type": "application/json" },
                body: JSON.stringify(body)
              })
          assert.isBelow(answer.status, 400, `${name}: ${answer.text.slice(0, 500)}`)
          holdsAgainst(operation, name, answer)
        }
      }
    })
  )

  it.scopedLive("that needs a token says so, and so do all that lack the scope", () =>
    Effect.gen(function* () {
      const { send } = yield* gateway
      for (const [path, item] of Object.entries<Loose>(strict.paths)) {
        for (const [method, operation] of Object.entries<Loose>(item)) {
          if (operation.security.length !== 1) continue
          const name = `${method} ${path}`
          const [target] = requests[name]!
          const missing = yield* send(method.toUpperCase(), target, { authorization: null })
          assert.strictEqual(missing.status, 401, name)
          holdsAgainst(operation, name, missing)
          const lacking = yield* send(method.toUpperCase(), target, { authorization: "Bearer only:" })
          assert.strictEqual(lacking.status === 403, operation["x-required-scope"] !== undefined, name)
          if (lacking.status === 403) holdsAgainst(operation, name, lacking)
        }
      }
    })
  )
})

describe("the server that the document names", () => {
  const servedWith = (environment: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      const { publicUrl, serverUrl } = yield* Effect.withConfigProvider(
        readConfig,
        ConfigProvider.fromMap(new Map(Object.entries(environment)))
      )
      const { get } = yield* startGateway({ settings: { publicUrl, serverUrl } })
      const { json } = yield* get("/openapi.json", { authorization: null })
      return json.servers.map(({ url }: Loose) => url)
    })

  it.scopedLive("is the public URL with its path prefix where one is set, else the address that was asked", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* servedWith({}), ["/"])
      assert.deepStrictEqual(yield* servedWith({ GATEWAY_PUBLIC_URL: "https://gateway.example" }), [
        "https://gateway.example"
      ])
      assert.deepStrictEqual(yield* servedWith({ GATEWAY_PUBLIC_URL: "https://example.com/pay/" }), [
        "https://example.com/pay"
      ])
    })
  )
})
