/**
 * Statements of the contract about accounts, money and the front door, over HTTP on a whole gateway, each answer held
 * against the document.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { startGateway, type RunningGateway } from "../support/gateway.js"
import { signInTo } from "../support/signIn.js"
import { checked } from "./checked.js"

class Gateway extends Context.Tag("test/contract/Account")<Gateway, RunningGateway>() {}

const caller = Effect.gen(function* () {
  const gateway = yield* Gateway
  const call = checked(gateway)
  const { token, workspaceId } = yield* gateway.funded(1_000_000)
  return {
    call,
    token,
    workspaceId,
    get: (path: string, headers: Record<string, string> = {}) => call("GET", path, { token, headers }),
    post: (path: string, body?: unknown) => call("POST", path, { token, ...(body === undefined ? {} : { body }) })
  }
})
const fields = (names: string): ReadonlyArray<string> => names.split(" ")

layer(Layer.scoped(Gateway, startGateway()), { excludeTestServices: true, timeout: 60_000 })(
  "accounts over HTTP",
  (it) => {
    it.effect("have balance, whoami, session context and ledger in the fixed shapes and units", () =>
      Effect.gen(function* () {
        const { get, workspaceId } = yield* caller
        const balance = (yield* get("/v1/balance")).json
        assert.containsAllKeys(
          balance,
          fields("available reserved availableMicros reservedMicros currency topUpUrl topUpLink holds")
        )
        assert.deepStrictEqual(
          [balance.available, balance.availableMicros, typeof balance.reserved],
          [1, 1_000_000, "number"]
        )
        const whoami = (yield* get("/v1/whoami")).json
        assert.containsAllKeys(
          whoami,
          fields(
            "tokenId label workspaceId workspaceName scopes createdAt expiresAt monthlySpendLimitMicros monthSpendMicros readOnly"
          )
        )
        assert.deepStrictEqual([whoami.workspaceId, whoami.readOnly], [workspaceId, false])
        assert.containsAllKeys(
          (yield* get("/v1/session-context")).json,
          fields("mode authenticationClass organizationId organizationName scopes deploymentMode role expiresAt")
        )
        const { entries, nextCursor } = (yield* get("/v1/ledger")).json
        assert.strictEqual(nextCursor, null)
        assert.containsAllKeys(
          entries[0],
          fields("entryId kind amountMicros balanceAfterMicros reservedAfterMicros createdAt")
        )
        assert.deepStrictEqual([entries.length, entries[0].kind, entries[0].amountMicros], [1, "adjustment", 1_000_000])
        for (const [id, prefix] of [
          [entries[0].entryId, "led_"],
          [whoami.tokenId, "tok_"],
          [workspaceId, "ws_"]
        ])
          assert.match(id, new RegExp(`^${prefix}[0-9a-z]{26}$`))
      })
    )

    it.effect("filter the ledger by kind, run and time, and refuse what these cannot be", () =>
      Effect.gen(function* () {
        const { get } = yield* caller
        const kinds = Effect.fnUntraced(function* (query: string) {
          return (yield* get(`/v1/ledger?${query}`)).json.entries.map(({ kind }: { kind: string }) => kind)
        })
        assert.deepStrictEqual(yield* kinds("kind=adjustment"), ["adjustment"])
        assert.deepStrictEqual(yield* kinds("kind=charge"), [])
        assert.deepStrictEqual(yield* kinds("from=2999-01-01T00:00:00Z"), [])
        assert.deepStrictEqual(yield* kinds("to=2000-01-01"), [])
        for (const query of ["kind=gift", "from=yesterday", "limit=0", "limit=101", "cursor=zzz"]) {
          const { json, status } = yield* get(`/v1/ledger?${query}`)
          assert.deepStrictEqual([status, json.error.code], [400, "validation_error"], query)
        }
      })
    )

    it.effect("take top-ups with their reasons, and list them", () =>
      Effect.gen(function* () {
        const { get, post } = yield* caller
        const made = yield* post("/v1/top-ups", { amountUsd: 20, idempotencyKey: "top" })
        assert.strictEqual(made.status, 201)
        assert.containsAllKeys(
          made.json,
          fields("topUpId status amountUsd amountMicros checkoutUrl dashboardUrl message createdAt")
        )
        assert.deepStrictEqual(
          [made.json.status, made.json.reason, made.json.amountMicros],
          ["refused", "payment_processor_not_configured", 20_000_000]
        )
        assert.strictEqual(
          (yield* post("/v1/top-ups", { amountUsd: 20, idempotencyKey: "top" })).json.topUpId,
          made.json.topUpId
        )
        assert.strictEqual(
          (yield* post("/v1/top-ups", { amountUsd: 30, idempotencyKey: "top" })).json.error.code,
          "idempotency_conflict"
        )
        assert.strictEqual((yield* get("/v1/top-ups")).json.topUps.length, 1)
      })
    )

    it.effect("take requests for capabilities, once for each key", () =>
      Effect.gen(function* () {
        const { get, post } = yield* caller
        const wish = { title: "Fax", description: "Send a fax.", idempotencyKey: "fax" }
        const made = yield* post("/v1/capability-requests", wish)
        assert.deepStrictEqual([made.status, made.json.status], [201, "open"])
        assert.match(made.json.capabilityRequestId, /^cap_/)
        assert.strictEqual(
          (yield* post("/v1/capability-requests", wish)).json.capabilityRequestId,
          made.json.capabilityRequestId
        )
        assert.strictEqual(
          (yield* post("/v1/capability-requests", { ...wish, title: "Telex" })).json.error.code,
          "idempotency_conflict"
        )
        assert.lengthOf((yield* get("/v1/capability-requests")).json.requests, 1)
        assert.strictEqual(
          (yield* post("/v1/capability-requests", { title: "Fax" })).json.error.code,
          "validation_error"
        )
      })
    )

    it.effect("let a token in that only its client knows, after a person approved it, until it logs out", () =>
      Effect.gen(function* () {
        const { call, workspaceId } = yield* caller
        const own = `pgw_${createHash("sha256").update(String(Math.random())).digest("base64url")}`
        const digest = createHash("sha256").update(own).digest("hex")
        const asked = yield* call("POST", "/v1/login-approvals", {
          body: { digest, label: "laptop", scopes: ["catalog.read"] }
        })
        assert.strictEqual(asked.status, 201)
        assert.containsAllKeys(asked.json, fields("approvalId userCode approveUrl expiresAt pollIntervalSeconds"))
        const state = Effect.map(call("GET", `/v1/login-approvals/${asked.json.approvalId}`), ({ json }) => json.status)
        assert.strictEqual(yield* state, "pending")
        assert.deepStrictEqual((yield* call("GET", "/v1/whoami", { token: own })).json.error.code, "unauthorized")
        const gateway = yield* Gateway
        const { cookie, csrf } = yield* Effect.provide(signInTo(workspaceId, "owner"), gateway.services)
        const decided = yield* Effect.promise(() =>
          fetch(`${gateway.url}/approve/${asked.json.approvalId}`, {
            method: "POST",
            redirect: "manual",
            headers: { cookie, "sec-fetch-site": "same-origin" },
            body: new URLSearchParams({ csrf, decision: "approve" })
          })
        )
        assert.strictEqual(decided.status, 303)
        assert.strictEqual(yield* state, "approved")
        assert.deepStrictEqual((yield* call("GET", "/v1/whoami", { token: own })).json.scopes, ["catalog:read"])
        assert.strictEqual((yield* call("GET", "/v1/balance", { token: own })).json.error.code, "forbidden")
        assert.strictEqual((yield* call("POST", "/v1/logout", { token: own })).status, 200)
        const revoked = yield* call("GET", "/v1/whoami", { token: own })
        assert.deepStrictEqual([revoked.status, revoked.json.error.code], [401, "token_revoked"])
      })
    )

    it.effect("answer every refusal in one envelope, as RFC 9457 too, with the request's id", () =>
      Effect.gen(function* () {
        const { call, get } = yield* caller
        const cases: ReadonlyArray<readonly [path: string, status: number, code: string]> = [
          ["/v1/nothing", 404, "route_not_found"],
          ["/v1/runs/run_x", 404, "not_found"],
          ["/v1/catalog/search", 400, "validation_error"],
          ["/v1/catalog/overview?category=x", 404, "unknown_category"]
        ]
        for (const [path, status, code] of cases) {
          const { headers, json } = yield* get(path, { "x-request-id": "mine-1" })
          assert.deepStrictEqual(
            [json.error.code, json.error.requestId, headers.get("x-request-id"), json.error.retryable],
            [code, "mine-1", "mine-1", false],
            path
          )
          const problem = yield* get(path, { accept: "application/problem+json" })
          assert.deepStrictEqual(
            [problem.status, problem.headers.get("content-type"), problem.json.error.code],
            [status, "application/problem+json", code],
            path
          )
        }
        const wrong = yield* call("DELETE", "/v1/balance")
        assert.deepStrictEqual([wrong.status, wrong.json.error.code], [405, "method_not_allowed"])
        assert.include(wrong.headers.get("allow") ?? "", "GET")
        const none = yield* call("GET", "/v1/balance")
        assert.deepStrictEqual([none.status, none.json.error.code], [401, "unauthorized"])
      })
    )

    it.effect("are public where the contract says so, and nowhere else", () =>
      Effect.gen(function* () {
        const { call } = yield* caller
        for (const path of [
          "/v1/public-catalog?limit=1",
          "/v1/public-catalog/mock-echo",
          "/v1/catalog/overview",
          "/openapi.json",
          "/docs",
          "/livez",
          "/readyz",
          "/metrics",
          "/llms.txt",
          "/llms-full.txt"
        ]) {
          assert.strictEqual((yield* call("GET", path)).status, 200, path)
        }
        for (const path of [
          "/v1/catalog/search?q=a",
          "/v1/catalog/endpoints",
          "/v1/discover?q=a",
          "/v1/operations/mock-echo",
          "/v1/runs",
          "/v1/balance",
          "/v1/ledger",
          "/v1/top-ups",
          "/v1/whoami",
          "/v1/session-context",
          "/v1/capability-requests",
          "/v1/connections"
        ]) {
          assert.strictEqual((yield* call("GET", path)).status, 401, path)
        }
      })
    )

    it.effect("inspect a job by its encoded id, and find every operation of the catalog by its own", () =>
      Effect.gen(function* () {
        const { get } = yield* caller
        const job = (yield* get("/v1/operations/job%3Apeople.email.find")).json
        assert.strictEqual(job.endpoint.id, "job:people.email.find")
        assert.containsAllKeys(
          job,
          fields("endpoint contractVersion effectClassification estimatedMaxCost usageHints inputSchema outputFormat")
        )
        const tool = (yield* get("/v1/operations/mock-web-search")).json
        assert.containsAllKeys(
          tool.usageHints,
          fields("requiredInputFields optionalInputFields volumeField maxVolume exampleInput curl")
        )
        assert.deepStrictEqual(
          [tool.usageHints.volumeField, tool.usageHints.maxVolume, tool.effectClassification],
          ["limit", 100, "read_only"]
        )
        const { endpoints } = (yield* get("/v1/catalog/endpoints?limit=5000")).json
        for (const { endpointId } of endpoints.slice(0, 20))
          assert.strictEqual(
            (yield* get(`/v1/operations/${encodeURIComponent(endpointId)}`)).json.endpoint.id,
            endpointId
          )
        const discovered = (yield* get("/v1/discover?q=find+a+work+email")).json
        assert.isNotEmpty(discovered.operations)
        assert.isTrue(discovered.operations.every(({ access }: { access: string }) => access === "runs_now"))
      })
    )
  }
)
