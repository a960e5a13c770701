/**
 * Every error class of both tables, sent through the real HTTP envelope and held against the OpenAPI document: a new
 * class without a row in the table, a status that is not documented, or a body that breaks its schema fails here.
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, FastCheck, type Schema } from "effect"
import * as ApiErrors from "../../src/domain/ApiErrors.js"
import { NotFound, RateLimitExceeded, ValidationError } from "../../src/domain/ApiErrors.js"
import { toRunError } from "../../src/domain/FailedRun.js"
import { runFailures } from "../../src/domain/RunFailures.js"
import * as StorageErrors from "../../src/domain/StorageErrors.js"
import { wireErrors } from "../../src/http/Envelope.js"
import { openApiDocument } from "../../src/http/OpenApi.js"
import { startGateway } from "../support/httpGateway.js"
import { queuedRun, runId } from "../support/httpSamples.js"
import { validatorOf } from "../support/openApi.js"

type ErrorClass = Schema.Schema.AnyNoContext & { readonly _tag: string; readonly retryable: boolean }
const isErrorClass = (value: unknown): value is ErrorClass =>
  typeof value === "function" && "_tag" in value && "retryable" in value

const classes: ReadonlyArray<ErrorClass> = [...Object.values(ApiErrors), ...Object.values(StorageErrors)].flatMap(
  (value: unknown) => (isErrorClass(value) ? [value] : [])
)
const sampleOf = (cls: Schema.Schema.AnyNoContext): unknown =>
  FastCheck.sample(Arbitrary.make(cls), { numRuns: 1, seed: 7 })[0]

/**
 * The first table of the contract, the error that the completions add, and those for late requests, compressed bodies
 * and ranges.
 */
const contract: Readonly<Record<string, readonly [status: number, retryable: boolean]>> = {
  validation_error: [400, false],
  runs_cursor_invalid: [400, false],
  unauthorized: [401, false],
  token_revoked: [401, false],
  insufficient_balance: [402, false],
  key_spend_limit_reached: [402, false],
  forbidden: [403, false],
  not_found: [404, false],
  route_not_found: [404, false],
  unknown_category: [404, false],
  unknown_platform: [404, false],
  method_not_allowed: [405, false],
  request_timeout: [408, true],
  idempotency_conflict: [409, false],
  payload_too_large: [413, false],
  unsupported_media_type: [415, false],
  range_not_satisfiable: [416, false],
  rows_mode_unsupported: [422, false],
  too_many_inflight_runs: [429, true],
  run_rate_limited: [429, true],
  rate_limit_exceeded: [429, true],
  internal_error: [500, true],
  catalog_loading: [503, true],
  storage_busy: [503, true],
  storage_uncertain: [503, true],
  billing_unavailable: [503, false],
  runtime_bridge_timeout: [503, true]
}
const beside: Readonly<Record<string, ReadonlyArray<string>>> = {
  insufficient_balance: ["balanceMicros", "estimatedCostMicros", "topUpUrl", "topUp"],
  unknown_category: ["field", "categories"],
  unknown_platform: ["field"],
  range_not_satisfiable: ["sizeBytes"],
  rows_mode_unsupported: ["reason"],
  too_many_inflight_runs: ["inflight", "limit", "retryAfterSeconds"],
  run_rate_limited: ["limit", "retryAfterSeconds"],
  storage_busy: ["retryAfterSeconds"],
  runtime_bridge_timeout: ["retryAfterSeconds"]
}
const retryAfterCodes = [
  "too_many_inflight_runs",
  "run_rate_limited",
  "rate_limit_exceeded",
  "catalog_loading",
  "storage_busy",
  "storage_uncertain",
  "runtime_bridge_timeout"
]

const document = openApiDocument({ strict: true })

describe("the table of errors", () => {
  it("has exactly the codes, statuses and retryability of the contract", () => {
    const inTable: typeof contract = Object.fromEntries(
      [...wireErrors.values()].map(({ code, retryable, status }) => [code, [status, retryable] as const])
    )
    assert.deepStrictEqual(inTable, contract)
    assert.sameMembers(
      classes.map(({ _tag }) => _tag),
      Object.keys(contract)
    )
    for (const { _tag, retryable } of classes) assert.strictEqual(retryable, contract[_tag]?.[1], _tag)
  })

  it.scopedLive("answers each class in the envelope, as the document describes it", () =>
    Effect.gen(function* () {
      let failure: unknown
      const gateway = yield* startGateway({ runs: { get: () => Effect.fail(failure as NotFound) } })
      for (const cls of classes) {
        failure = sampleOf(cls)
        const [status, retryable] = contract[cls._tag]!
        const answer = yield* gateway.get(`/v1/runs/${runId}`, { headers: { "x-request-id": "mine:1" } })
        assert.strictEqual(answer.status, status, cls._tag)
        assert.strictEqual(answer.json.error.code, cls._tag)
        assert.strictEqual(answer.json.error.retryable, retryable, cls._tag)
        assert.strictEqual(answer.json.error.requestId, "mine:1")
        assert.strictEqual(answer.headers.get("x-request-id"), "mine:1")
        assert.strictEqual(answer.headers.get("content-type"), "application/json")
        assert.isNotEmpty(answer.json.error.message)
        assert.match(answer.json.error.retryHint, /^[A-Z].*[^.]\.$/, cls._tag)
        for (const field of beside[cls._tag] ?? []) assert.property(answer.json, field, cls._tag)
        assert.strictEqual(answer.headers.has("retry-after"), retryAfterCodes.includes(cls._tag), cls._tag)
        validatorOf(document, { $ref: `#/components/schemas/Error_${cls._tag}` })(answer.json)
      }
    })
  )

  it("says of each class what to change or how long to wait, and of one occurrence as exactly as it can", () => {
    for (const { code: _tag, retryHint } of wireErrors.values()) assert.match(retryHint, /^[A-Z].*[^.]\.$/, _tag)
    const hintOf = (error: { readonly _tag: string }) =>
      wireErrors.get(error._tag)?.body(error, "req_1")?.error.retryHint
    assert.strictEqual(
      hintOf(new ApiErrors.RunRateLimited({ limit: 60, retryAfterSeconds: 17 })),
      "Wait 17 s, then send it again, with the same idempotency key if it had one."
    )
    assert.strictEqual(
      hintOf(new NotFound({ what: "endpoint", id: "mock-fnd", meant: "mock-find" })),
      "Use the id mock-find, if you meant that."
    )
    assert.strictEqual(hintOf(new ApiErrors.BillingUnavailable()), ApiErrors.BillingUnavailable.retryHint)
  })

  it.scopedLive("answers each class as RFC 9457 too, with the same members", () =>
    Effect.gen(function* () {
      let failure: unknown
      const gateway = yield* startGateway({ runs: { get: () => Effect.fail(failure as NotFound) } })
      for (const cls of classes) {
        failure = sampleOf(cls)
        const plain = yield* gateway.get(`/v1/runs/${runId}`, { headers: { "x-request-id": "r" } })
        const problem = yield* gateway.get(`/v1/runs/${runId}`, {
          headers: { "x-request-id": "r", accept: "application/problem+json" }
        })
        const { detail, instance, status, title, type, ...members } = problem.json
        assert.strictEqual(problem.headers.get("content-type"), "application/problem+json")
        for (const accept of ["application/json, application/problem+json;q=0.5", "application/problem+json;q=0"]) {
          const plain = yield* gateway.get(`/v1/runs/${runId}`, { headers: { accept } })
          assert.strictEqual(plain.headers.get("content-type"), "application/json", accept)
        }
        assert.deepStrictEqual([status, detail, instance], [plain.status, plain.json.error.message, "r"])
        assert.match(type, /^\/docs#/)
        assert.isNotEmpty(title)
        assert.deepStrictEqual(members, plain.json)
        validatorOf(document, { $ref: "#/components/schemas/Problem" })(problem.json)
      }
    })
  )

  it.scopedLive("leads to the page of errors under the path prefix of the public URL", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ settings: { publicUrl: "https://gateway.test/pre/fix" } })
      const headers = { accept: "application/problem+json" }
      const typeOf = (path: string) =>
        Effect.map(gateway.get(path, { authorization: null, headers }), ({ json }) => json.type)
      assert.strictEqual(yield* typeOf("/v1/nowhere"), "/pre/fix/docs#route_not_found")
      assert.strictEqual(yield* typeOf("/v1/balance"), "/pre/fix/docs#unauthorized")
      assert.strictEqual((yield* gateway.get("/docs", { authorization: null })).status, 200)
    })
  )

  it.scopedLive("shows each failed-run code in the run's error, as the document describes it", () =>
    Effect.gen(function* () {
      let run = queuedRun
      const gateway = yield* startGateway({ runs: { get: () => Effect.succeed({ run, attempts: [] }) } })
      for (const cls of runFailures) {
        const failed = new cls({ providerStatus: 418 })
        run = { ...queuedRun, status: "failed", error: toRunError(failed, "req_1") }
        const { json } = yield* gateway.get(`/v1/runs/${runId}`)
        assert.deepStrictEqual(json.error, {
          code: cls.code,
          message: cls.facts.summary,
          requestId: "req_1",
          whoseError: cls.facts.whoseError,
          retryable: cls.facts.retryable,
          retryHint: cls.facts.retryHint,
          providerStatus: 418
        })
        validatorOf(document, { $ref: "#/components/schemas/Run" })(json)
      }
    })
  )
})

describe("defects", () => {
  it.scopedLive("are internal errors that say nothing of the inside, whatever they are made of", () =>
    Effect.gen(function* () {
      let defect: Effect.Effect<never> = Effect.void as never
      const gateway = yield* startGateway({ runs: { get: () => defect } })
      for (const cause of [
        Effect.die(new Error("password=hunter2")),
        Effect.die("hunter2"),
        Effect.die(new NotFound({ what: "row", id: "hunter2" })),
        Effect.fail(new Error("hunter2") as never)
      ]) {
        defect = cause
        const answer = yield* gateway.get(`/v1/runs/${runId}`)
        assert.deepStrictEqual(
          [answer.status, answer.json.error.code, answer.json.error.retryable],
          [500, "internal_error", true]
        )
        assert.match(answer.json.error.requestId, /^req_[0-9a-z]{26}$/)
        assert.notInclude(answer.text, "hunter2")
      }
    })
  )

  it.scopedLive("include answers that break their own schema", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        accounts: { monthSpend: () => Effect.succeed({ limitMicros: null, spentMicros: 1.5 as never }) }
      })
      const answer = yield* gateway.get("/v1/whoami")
      assert.deepStrictEqual([answer.status, answer.json.error.code], [500, "internal_error"])
    })
  )
})

describe("request ids", () => {
  it.scopedLive("are kept when harmless, and replaced otherwise", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({})
      for (const kept of ["a", "A-b_c.d:9", "x".repeat(128)]) {
        assert.strictEqual(
          (yield* gateway.get("/livez", { headers: { "x-request-id": kept } })).headers.get("x-request-id"),
          kept
        )
      }
      for (const replaced of ["x".repeat(129), "a b", "<script>", '"', ""]) {
        assert.match(
          (yield* gateway.get("/livez", { headers: { "x-request-id": replaced } })).headers.get("x-request-id") ?? "",
          /^req_[0-9a-z]{26}$/
        )
      }
    })
  )
})

describe("the request rate", () => {
  it.scopedLive("is told on every answer that counts, refusals included, and refuses with the contract's headers", () =>
    Effect.gen(function* () {
      let allowed = true
      const tenants: Array<string> = []
      const take = (bucket: string) => (tenant: string) =>
        Effect.sync(() => {
          tenants.push(`${bucket} ${tenant}`)
          return {
            allowed,
            limit: 60,
            remaining: allowed ? 59 : 0,
            refillPerSecond: 10,
            retryAfterSeconds: allowed ? 0 : 3,
            resetSeconds: 6
          }
        })
      const gateway = yield* startGateway({
        limiter: { take: take("tenant"), takePublic: take("public") },
        runs: { get: () => Effect.fail(new NotFound({ what: "run", id: "x" })) }
      })
      for (const path of [`/v1/runs/${runId}`, "/v1/session-context", "/nope", "/openapi.json"]) {
        const { headers } = yield* gateway.get(path)
        assert.deepStrictEqual(
          [headers.get("ratelimit-policy"), headers.get("ratelimit")],
          ['"requests";q=60', '"requests";r=59;t=6'],
          path
        )
      }
      assert.deepStrictEqual(
        tenants.map((tenant) => tenant.split("_")[0]),
        ["tenant ws", "tenant ws", "public 127.0.0.1", "public 127.0.0.1"]
      )
      allowed = false
      const answer = yield* gateway.get("/v1/session-context")
      assert.deepStrictEqual(
        [answer.status, answer.json.error.code, answer.json.retryAfterSeconds],
        [429, new RateLimitExceeded({ limit: 1, retryAfterSeconds: 1 })._tag, 3]
      )
      assert.deepStrictEqual(
        ["x-ratelimit-limit", "x-ratelimit-remaining", "retry-after"].map((name) => answer.headers.get(name)),
        ["60", "0", "3"]
      )
      assert.strictEqual((yield* gateway.get("/livez")).status, 200)
    })
  )

  it.scopedLive(
    "counts for the address that a trusted proxy says last, and never for what a client says of itself",
    () =>
      Effect.gen(function* () {
        const tenantsOf = (trustProxy: boolean, forwarded: string | null) =>
          Effect.gen(function* () {
            const tenants: Array<string> = []
            const takePublic = (address: string) =>
              Effect.sync(
                () => (
                  tenants.push(address),
                  {
                    allowed: true,
                    limit: 60,
                    remaining: 59,
                    refillPerSecond: 10,
                    retryAfterSeconds: 0,
                    resetSeconds: 6
                  }
                )
              )
            const gateway = yield* startGateway({ limiter: { takePublic }, settings: { trustProxy } })
            const options = { authorization: null, headers: forwarded === null ? {} : { "x-forwarded-for": forwarded } }
            // A page, a route that wants a token, and no route at all: three places that count.
            for (const path of ["/openapi.json", "/v1/whoami", "/nope"]) yield* gateway.get(path, options)
            assert.lengthOf(tenants, 3)
            return [...new Set(tenants)]
          })
        const own = yield* tenantsOf(false, null)
        assert.deepStrictEqual(own, ["127.0.0.1"])
        assert.deepStrictEqual(yield* tenantsOf(false, "203.0.113.9"), own)
        assert.deepStrictEqual(yield* tenantsOf(true, "203.0.113.9"), ["203.0.113.9"])
        assert.deepStrictEqual(yield* tenantsOf(true, "198.51.100.1, 10.0.0.1 ,2001:db8::7 "), ["2001:db8:0:0"])
        // Some proxies write the port of the client too, which is another one for each connection.
        assert.deepStrictEqual(yield* tenantsOf(true, "203.0.113.9:41230"), ["203.0.113.9"])
        for (const address of ["[2001:db8::7]:41230", "[2001:db8::7]"])
          assert.deepStrictEqual(yield* tenantsOf(true, address), ["2001:db8:0:0"])
        for (const nothing of [
          null,
          "",
          " ",
          "203.0.113.9,",
          "unknown",
          "_hidden-1",
          "203.0.113.9:x",
          "1.2.3.4.5:6",
          "203.0.113.09",
          "3405803785"
        ])
          assert.deepStrictEqual(yield* tenantsOf(true, nothing), own)
      })
  )

  it.scopedLive("limits by address whoever guesses tokens", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        limiter: {
          takePublic: () =>
            Effect.succeed({
              allowed: false,
              limit: 60,
              remaining: 0,
              refillPerSecond: 10,
              retryAfterSeconds: 1,
              resetSeconds: 6
            })
        }
      })
      for (const authorization of [null, "Bearer guess", "Basic dG9rZW4="])
        assert.strictEqual((yield* gateway.get("/v1/whoami", { authorization })).status, 429)
    })
  )
})

describe("tokens and scopes", () => {
  it.scopedLive("are asked for before anything of the request is read", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({})
      for (const authorization of [null, "", "Bearer", "Bearer wrong", "Basic token", "token"]) {
        const answer = yield* gateway.post("/v1/runs", "{nope", { authorization })
        assert.deepStrictEqual(
          [answer.status, answer.json.error.code, answer.headers.get("www-authenticate")],
          [401, "unauthorized", "Bearer"],
          String(authorization)
        )
      }
      const lacking = yield* gateway.post("/v1/runs", "{nope", { authorization: "Bearer only:runs:read" })
      assert.deepStrictEqual(
        [lacking.status, lacking.json.error.code, lacking.json.scope],
        [403, "forbidden", "runs:execute"]
      )
    })
  )

  it("validation errors name every field", () => {
    assert.strictEqual(
      new ValidationError({
        details: [
          { field: "a", message: "b" },
          { field: "c", message: "d" }
        ]
      }).message,
      "a: b; c: d"
    )
  })
})
