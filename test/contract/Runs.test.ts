/**
 * Statements of the contract about runs, over HTTP on a whole gateway with the fixture, each answer held against the
 * document.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { startGateway, type RunningGateway } from "../support/gateway.js"
import { checked } from "./checked.js"
import { eventually } from "../support/eventually.js"

class Gateway extends Context.Tag("test/contract/Runs")<Gateway, RunningGateway>() {}

const find = { endpointId: "job:people.email.find", input: { name: "Ada Example", domain: "example.com" } }
let keys = 0

/** A funded caller: every answer is held against the document. */
const caller = (micros = 1_000_000, options: { readonly inflightLimit?: number } = {}) =>
  Effect.gen(function* () {
    const gateway = yield* Gateway
    const call = checked(gateway)
    const { token, workspaceId } = yield* gateway.funded(micros, options)
    const get = (path: string) => call("GET", path, { token })
    const post = (path: string, body?: unknown, headers?: Record<string, string>) =>
      call("POST", path, {
        token,
        ...(body === undefined ? {} : { body }),
        ...(headers === undefined ? {} : { headers })
      })
    const run = (request: object, query = "?wait=true") =>
      post(`/v1/runs${query}`, { idempotencyKey: `key ${keys++}`, ...request })
    return { call, get, post, run, token, workspaceId }
  })

layer(Layer.scoped(Gateway, startGateway()), { excludeTestServices: true, timeout: 60_000 })("runs over HTTP", (it) => {
  it.effect(
    "hold their maximum price, charge the actual cost and release the rest, and the ledger adds up to the balance",
    () =>
      Effect.gen(function* () {
        const { get, run } = yield* caller()
        const { json, status } = yield* run({
          endpointId: "mock-email-find",
          input: { ...find.input, _mock: { costMicros: 1_200 } }
        })
        assert.deepStrictEqual(
          [status, json.status, json.outcome, json.pricing.finalChargeMicros, json.actualCost],
          [201, "completed", "hit", 1_200, 0.0012]
        )
        const { entries } = (yield* get(`/v1/ledger?runId=${json.runId}`)).json
        assert.deepStrictEqual(
          entries.map(({ amountMicros, kind }: Record<string, unknown>) => [kind, amountMicros]).toSorted(),
          [
            ["charge", -1_200],
            ["hold", -5_000],
            ["release", 5_000]
          ]
        )
        const balance = (yield* get("/v1/balance")).json
        assert.deepStrictEqual(
          [balance.available, balance.availableMicros, balance.reservedMicros, balance.currency, balance.holds],
          [0.9988, 998_800, 0, "USD", []]
        )
        const all = (yield* get("/v1/ledger")).json.entries
        assert.strictEqual(
          all.reduce((sum: number, { amountMicros }: { amountMicros: number }) => sum + amountMicros, 0),
          998_800
        )
      })
  )

  it.effect("cost nothing when the provider fails or finds nothing", () =>
    Effect.gen(function* () {
      const { get, run } = yield* caller()
      const failed = (yield* run({ endpointId: "mock-email-find", input: { ...find.input, _mock: { status: 500 } } }))
        .json
      assert.deepStrictEqual(
        [
          failed.status,
          failed.outcome,
          failed.error.code,
          failed.error.whoseError,
          failed.error.retryable,
          failed.actualCost
        ],
        ["failed", "error", "provider_error", "provider", true, 0]
      )
      assert.isString(failed.error.retryHint)
      assert.deepStrictEqual([failed.error.providerStatus, typeof failed.error.requestId], [500, "string"])
      const missed = (yield* run({
        endpointId: "mock-email-find",
        input: { ...find.input, _mock: { outcome: "miss" } }
      })).json
      assert.deepStrictEqual([missed.status, missed.outcome, missed.actualCost], ["completed", "miss", 0])
      assert.strictEqual((yield* get("/v1/balance")).json.availableMicros, 1_000_000)
    })
  )

  it.effect("without wait answer at once, and are asked for until they end", () =>
    Effect.gen(function* () {
      const { get, run } = yield* caller()
      const begun = yield* run({ endpointId: "mock-echo", input: { _mock: { delayMs: 200 } } }, "")
      assert.strictEqual(begun.status, 201)
      assert.include(["queued", "running"], begun.json.status)
      assert.deepStrictEqual([begun.json.actualCost, begun.json.completedAt], [null, null])
      const ended = yield* eventually(get(`/v1/runs/${begun.json.runId}`), ({ json }) => json.status === "completed")
      assert.deepStrictEqual([ended.json.outcome, ended.json.runId], ["hit", begun.json.runId])
    })
  )

  it.effect(
    "of equal keys and requests are one run with replayed, at whatever wait, output and fallback; another input is 409",
    () =>
      Effect.gen(function* () {
        const { get, post } = yield* caller()
        const body = { ...find, idempotencyKey: "one: key" }
        const first = yield* post("/v1/runs?wait=true", body)
        assert.strictEqual(first.json.replayed, false)
        const again = yield* post(
          "/v1/runs",
          { ...find, fallback: true, output: { mode: "raw" }, wait: 1 },
          { "idempotency-key": "one: key" }
        )
        assert.deepStrictEqual(
          [again.status, again.json.replayed, again.json.runId, again.json.status],
          [201, true, first.json.runId, "completed"]
        )
        const other = yield* post("/v1/runs", { ...body, input: { ...body.input, domain: "example.org" } })
        assert.deepStrictEqual(
          [other.status, other.json.error.code, other.json.error.retryable],
          [409, "idempotency_conflict", false]
        )
        assert.lengthOf((yield* get("/v1/runs")).json.runs, 1)
      })
  )

  it.effect("need one idempotency key, and two that differ are 400", () =>
    Effect.gen(function* () {
      const { post } = yield* caller()
      const none = yield* post("/v1/runs", find)
      const two = yield* post("/v1/runs", { ...find, idempotencyKey: "a" }, { "idempotency-key": "b" })
      for (const { json, status } of [none, two]) {
        assert.deepStrictEqual([status, json.error.code], [400, "validation_error"])
        assert.deepStrictEqual(
          json.error.details.map(({ field }: { field: string }) => field),
          ["idempotencyKey"]
        )
      }
      assert.strictEqual(
        (yield* post("/v1/runs", { ...find, idempotencyKey: "same" }, { "idempotency-key": "same" })).status,
        201
      )
    })
  )

  it.effect("that the balance does not cover are 402 with the top-up, hold nothing, and leave their key free", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway
      const { get, post, token } = yield* caller(4_999)
      const body = { ...find, endpointId: "mock-email-find", idempotencyKey: "poor" }
      const { json, status } = yield* post("/v1/runs?wait=true", body)
      assert.deepStrictEqual(
        [status, json.error.code, json.error.retryable, json.balanceMicros, json.estimatedCostMicros],
        [402, "insufficient_balance", false, 4_999, 5_000]
      )
      assert.containsAllKeys(json, ["topUpUrl", "topUp"])
      assert.containsAllKeys(json.topUp, ["minimumUsd", "suggestedUsd", "checkoutUrl", "dashboardUrl", "message"])
      assert.deepStrictEqual([json.topUp.minimumUsd, json.topUp.suggestedUsd], [5, 20])
      assert.deepStrictEqual(
        [(yield* get("/v1/runs")).json.runs, (yield* get("/v1/balance")).json.reservedMicros],
        [[], 0]
      )
      assert.strictEqual((yield* get("/v1/balance")).json.topUpLink.message.length > 0, true)
      assert.strictEqual((yield* checked(gateway)("GET", "/v1/ledger?kind=hold", { token })).json.entries.length, 0)
    })
  )

  it.effect("over the limit in flight are 429 with the figures and headers", () =>
    Effect.gen(function* () {
      const { run } = yield* caller(1_000_000, { inflightLimit: 1 })
      yield* run({ endpointId: "mock-echo", input: { _mock: { delayMs: 3_000 } } }, "")
      const { headers, json, status } = yield* run({ endpointId: "mock-echo", input: {} }, "")
      assert.deepStrictEqual(
        [status, json.error.code, json.error.retryable, json.inflight, json.limit],
        [429, "too_many_inflight_runs", true, 1, 1]
      )
      assert.deepStrictEqual(
        [headers.get("retry-after"), headers.get("x-ratelimit-limit")],
        [String(json.retryAfterSeconds), "1"]
      )
    })
  )

  it.effect("of an unknown endpoint, a bad input or an unknown job are 201, failed and free, with what helps", () =>
    Effect.gen(function* () {
      const { get, run } = yield* caller()
      const unknown = (yield* run({ endpointId: "no-such-tool", input: {} })).json
      assert.deepStrictEqual(
        [unknown.status, unknown.outcome, unknown.error.code, unknown.error.whoseError],
        ["failed", "rejected", "endpoint_not_found", "customer"]
      )
      const bad = (yield* run({ endpointId: "mock-email-verify", input: {} })).json
      assert.deepStrictEqual([bad.status, bad.outcome, bad.error.code], ["failed", "rejected", "validation_error"])
      const job = (yield* run({ endpointId: "job:people.email.fnd", input: {} })).json
      assert.deepStrictEqual(
        [job.status, job.error.code, job.result.code],
        ["failed", "validation_error", "unknown_job"]
      )
      assert.include(
        job.result.suggestions.map((id: string) => id.replace(/^job:/, "")),
        "people.email.find"
      )
      assert.isAtMost(job.result.suggestions.length, 3)
      const needs = (yield* run({ endpointId: "job:people.email.find", input: {} })).json
      assert.deepStrictEqual([needs.error.code, needs.result.code], ["validation_error", "needs_input"])
      for (const { endpointId, fields, provider } of needs.result.needs)
        assert.isTrue(typeof endpointId === "string" && typeof provider === "string" && fields.length > 0)
      const email = (yield* run({ endpointId: "job:people.email.verify", input: { email: "no address" } })).json
      assert.deepStrictEqual(
        [email.status, email.outcome, email.error.code, email.actualCost],
        ["failed", "rejected", "validation_error", 0]
      )
      for (const id of ["job:people.email.find", "mock-email-find"]) {
        const dear = (yield* run({ endpointId: id, input: find.input, fallback: { maxCostUsd: 0.000001 } })).json
        if (id.startsWith("job:")) assert.deepStrictEqual([dear.status, dear.error.code], ["failed", "route_capped"])
        else assert.strictEqual(dear.status, "completed")
      }
      assert.strictEqual((yield* get("/v1/balance")).json.availableMicros, 995_000)
    })
  )

  it.effect("say of a job who was picked and why, and with fallback who was tried, in order, and who answered", () =>
    Effect.gen(function* () {
      const { get, run } = yield* caller()
      const { json } = yield* run({ ...find, input: { ...find.input, _mock: { outcome: "miss" } }, fallback: true })
      assert.deepStrictEqual(Object.keys(json.requestedJob).toSorted(), [
        "job",
        "pickedEndpointId",
        "prefer",
        "reason",
        "skipped"
      ])
      assert.strictEqual(json.endpointId, json.requestedJob.pickedEndpointId)
      assert.containsAllKeys(json.route, ["outcome", "chargedUsd", "capped", "attempts", "skipped", "summary"])
      assert.deepStrictEqual(
        json.route.attempts.map(({ billed, endpointId, n, outcome }: Record<string, unknown>) => [
          n,
          endpointId,
          outcome,
          billed
        ]),
        [
          [1, "mock-email-find", "miss", false],
          [2, "mock-slow-email-find", "miss", false]
        ]
      )
      assert.notProperty(json, "servedEndpointId")
      const { attempts } = (yield* get(`/v1/runs/${json.runId}/attempts`)).json
      assert.lengthOf(attempts, 2)
      for (const attempt of attempts)
        assert.containsAllKeys(attempt, [
          "attemptId",
          "n",
          "providerId",
          "endpointId",
          "status",
          "outcome",
          "providerResponseStatus",
          "latencyMs",
          "costMicros",
          "billed",
          "receiptId",
          "receipt",
          "startedAt",
          "completedAt"
        ])
    })
  )

  it.effect("normalise to the job's fields, whoever answered, and leave the provider's answer as it is", () =>
    Effect.gen(function* () {
      const { run } = yield* caller()
      const { json } = yield* run(find)
      assert.deepStrictEqual(json.normalized.fields, { email: "ada.example@example.com", status: "valid" })
      assert.deepStrictEqual(
        [json.normalized.verdict, json.normalized.providerValues, json.result.status],
        ["confirmed", { status: "deliverable" }, "deliverable"]
      )
      const weak = (yield* run({ ...find, input: { ...find.input, _mock: { outcome: "weak" } } })).json
      assert.deepStrictEqual(
        [weak.outcome, weak.normalized.verdict, weak.normalized.fields.status],
        ["weak", "guessed", "catch_all"]
      )
      const tool = (yield* run({ endpointId: "mock-echo", input: { a: 1 } })).json
      assert.notProperty(tool, "normalized")
      assert.deepStrictEqual(tool.result.input, { a: 1 })
    })
  )

  it.effect("are cancelled with the run as it then is, and once settled stay as they are", () =>
    Effect.gen(function* () {
      const { post, run } = yield* caller()
      const begun = (yield* run({ endpointId: "mock-echo", input: { _mock: { delayMs: 20_000 } } }, "")).json
      const cancelled = yield* post(`/v1/runs/${begun.runId}/cancel`)
      assert.deepStrictEqual([cancelled.status, cancelled.json.status], [200, "failed"])
      assert.include(["cancelled_before_dispatch", "cancellation_requested_after_dispatch"], cancelled.json.error.code)
      assert.deepStrictEqual([cancelled.json.error.whoseError, cancelled.json.actualCost], ["customer", 0])
      const ended = (yield* run({ endpointId: "mock-echo", input: {} })).json
      const late = yield* post(`/v1/runs/${ended.runId}/cancel`)
      assert.deepStrictEqual([late.status, late.json.status, late.json.outcome], [200, "completed", "hit"])
    })
  )

  it.effect("with an effect whose answer is lost wait for a person with their hold", () =>
    Effect.gen(function* () {
      const { get, run } = yield* caller()
      const { json } = yield* run({
        endpointId: "mock-send-message",
        input: { to: "ada@example.com", _mock: { drop: true } }
      })
      assert.strictEqual(json.status, "reconciliation_pending")
      assert.strictEqual((yield* get("/v1/operations/mock-send-message")).json.effectClassification, "effectful")
      const balance = (yield* get("/v1/balance")).json
      assert.deepStrictEqual(
        [
          balance.reserved,
          balance.holds.map(({ amountMicros, runId }: Record<string, unknown>) => [runId, amountMicros])
        ],
        [0.01, [[json.runId, 10_000]]]
      )
    })
  )

  it.effect("are listed without results, newest first, and shown trimmed when asked", () =>
    Effect.gen(function* () {
      const { get, run } = yield* caller()
      const first = (yield* run({ endpointId: "mock-web-search", input: { query: "a", limit: 3 } })).json
      const second = (yield* run({ endpointId: "mock-echo", input: {} })).json
      const { nextCursor, runs } = (yield* get("/v1/runs")).json
      assert.deepStrictEqual(
        [runs.map(({ runId }: { runId: string }) => runId), nextCursor],
        [[second.runId, first.runId], null]
      )
      for (const summary of runs) assert.notProperty(summary, "result")
      assert.property((yield* get("/v1/runs?includeResult=true&limit=1")).json.runs[0], "result")
      const trimmed = (yield* get(`/v1/runs/${first.runId}?fields=results.title&max_items=1`)).json
      assert.deepStrictEqual(trimmed.result, { results: [{ title: first.result.results[0].title }] })
      assert.deepInclude(trimmed.trimmed, {
        truncated: true,
        fields: ["results.title"],
        max_items: 1,
        arrays: [{ path: "results", kept: 1, total: 3 }]
      })
      assert.deepStrictEqual(trimmed.pricing, first.pricing)
      assert.deepStrictEqual((yield* get(`/v1/runs/${first.runId}`)).json.result, first.result)
      for (const query of ["fields=nowhere", "max_items=0", "max_items=10001", "max_items=x"]) {
        const { json, status } = yield* get(`/v1/runs/${first.runId}?${query}`)
        assert.deepStrictEqual([status, json.error.code], [400, "validation_error"], query)
      }
      assert.strictEqual((yield* get("/v1/runs?cursor=stale")).json.error.code, "runs_cursor_invalid")
      assert.strictEqual((yield* get("/v1/runs/run_unknown")).json.error.code, "not_found")
    })
  )

  it.effect("give files as media that the token downloads, and small texts inline with their format", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway
      const { run, token } = yield* caller()
      const pdf = (yield* run({ endpointId: "mock-document", input: { format: "pdf" } })).json
      assert.containsAllKeys(pdf.result.media, ["downloadPath", "contentType", "bytes", "sha256"])
      const file = yield* checked(gateway)("GET", pdf.result.media.downloadPath, { token })
      assert.deepStrictEqual([file.status, file.headers.get("content-type")], [200, "application/pdf"])
      assert.strictEqual((yield* gateway.call("GET", pdf.result.media.downloadPath)).status, 401)
      for (const format of ["csv", "text", "html", "xml", "markdown"]) {
        const { result } = (yield* run({ endpointId: "mock-document", input: { format, pages: 1 } })).json
        assert.deepStrictEqual([result.format, typeof result.text], [format, "string"])
      }
    })
  )

  it.effect("with output.mode canonical are 422, other members of the body 400", () =>
    Effect.gen(function* () {
      const { run } = yield* caller()
      const rows = yield* run({ ...find, output: { mode: "canonical" } })
      assert.deepStrictEqual(
        [rows.status, rows.json.error.code, typeof rows.json.reason],
        [422, "rows_mode_unsupported", "string"]
      )
      const more = yield* run({ ...find, surprise: 1 })
      assert.deepStrictEqual([more.status, more.json.error.details[0].field], [400, "surprise"])
    })
  )

  it.effect("are not changed by the name of the calling agent, however long", () =>
    Effect.gen(function* () {
      const { post } = yield* caller()
      const answers = yield* Effect.forEach(["claude", "x".repeat(500)], (agent, at) =>
        post(
          "/v1/runs?wait=true",
          { endpointId: "mock-echo", input: { a: 1 }, idempotencyKey: `agent ${at}` },
          { "x-service-agent": agent }
        )
      )
      for (const { json, status } of answers) {
        assert.deepStrictEqual([status, json.status, json.actualCost], [201, "completed", 0.0001])
        assert.notProperty(json, "serviceAgent")
      }
    })
  )
})
