/** What the routes of runs make of a request, and what they make of a run. */
import { createHash } from "node:crypto"
import { request as httpRequest } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { Principal } from "../../src/services/Accounts.js"
import type { Page, PageRequest } from "../../src/domain/Page.js"
import type { RunRequest } from "../../src/services/Runs.js"
import type { RunFilter } from "../../src/services/RunStore.js"
import type { ListedRun, Run } from "../../src/domain/Run.js"
import { toRunError } from "../../src/domain/FailedRun.js"
import { EndpointId } from "../../src/domain/Manifest.js"
import { Micros } from "../../src/domain/Micros.js"
import { pageText } from "../../src/http/runs/Answers.js"
import { runSummary } from "../../src/http/runs/ShownRun.js"
import { ProviderTimeout } from "../../src/domain/RunFailures.js"
import { id, startGateway, workspaceId, type Loose } from "../support/httpGateway.js"
import { attempt, completedRun, media, mediaId, plan, queuedRun, runId } from "../support/httpSamples.js"

const run = { endpointId: "job:people.email.find", input: { name: "Ada" } }
const key = { "idempotency-key": "k1" }

/** A gateway that notes what `Runs.create` was called with. */
const recording = Effect.gen(function* () {
  const calls: Array<{ readonly principal: Principal; readonly request: RunRequest; readonly waitSeconds: number }> = []
  const gateway = yield* startGateway({
    runs: {
      create: (principal, request, waitSeconds) =>
        Effect.sync(() => {
          calls.push({ principal, request, waitSeconds })
          return { run: completedRun, attempts: [attempt], replayed: calls.length > 1, left: null }
        })
    }
  })
  return { calls, gateway }
})

describe("POST /v1/runs", () => {
  it.scopedLive("hands the request on with every default filled in", () =>
    Effect.gen(function* () {
      const { calls, gateway } = yield* recording
      const first = yield* gateway.post("/v1/runs", run, {
        headers: { ...key, "x-service-agent": "a".repeat(80), "x-request-id": "mine" }
      })
      assert.deepStrictEqual([first.status, first.json.replayed], [201, false])
      const again = yield* gateway.post(
        "/v1/runs",
        { ...run, fallback: true, connectionId: "con_1", output: { mode: "raw" } },
        { headers: key }
      )
      assert.deepStrictEqual([again.status, again.json.replayed], [201, true])
      yield* gateway.post("/v1/runs", { ...run, fallback: { maxCostUsd: 0.25, exclude: ["mock"] } }, { headers: key })
      yield* gateway.post("/v1/runs", { ...run, fallback: false }, { headers: key })
      assert.deepStrictEqual(calls[0]?.request, {
        endpointId: run.endpointId,
        input: run.input,
        fallback: null,
        outputMode: null,
        connectionId: null,
        idempotencyKey: "k1",
        requestId: "mine"
      })
      assert.strictEqual(calls[0]?.principal.workspaceId, workspaceId)
      const defaults = { enabled: true, maxAttempts: 3, prefer: "balanced", stopAtFirstMiss: false }
      assert.deepStrictEqual(calls[1]?.request.fallback as unknown, { ...defaults, maxCostMicros: null, exclude: [] })
      assert.deepStrictEqual([calls[1]?.request.connectionId, calls[1]?.request.outputMode], ["con_1", "raw"])
      assert.deepStrictEqual(calls[2]?.request.fallback as unknown, {
        ...defaults,
        maxCostMicros: 250_000,
        exclude: ["mock"]
      })
      assert.isNull(calls[3]?.request.fallback)
    })
  )

  it.scopedLive(
    "waits 20 seconds for a bare or true wait, clamps numbers to 0..60, and lets the query win over the body",
    () =>
      Effect.gen(function* () {
        const { calls, gateway } = yield* recording
        const forms: ReadonlyArray<readonly [query: string, body: object, seconds: number]> = [
          ["", {}, 0],
          ["?wait", {}, 20],
          ["?wait=", {}, 20],
          ["?wait=true", {}, 20],
          ["?wait=false", {}, 0],
          ["?wait=True", {}, 20],
          ["?wait=False", {}, 0],
          ["?wait=0", {}, 0],
          ["?wait=12.5", {}, 12.5],
          ["?wait=61", {}, 60],
          ["?wait=9007199254740993", {}, 60],
          ["?wait=1e1", {}, 10],
          ["?wait=1e400", {}, 60],
          ["?wait=5.", {}, 5],
          ["?wait=-3", {}, 0],
          ["", { wait: true }, 20],
          ["", { wait: 7 }, 7],
          ["", { wait: 1e9 }, 60],
          ["?wait=5", { wait: 50 }, 5],
          ["?wait=false", { wait: true }, 0]
        ]
        for (const [query, body] of forms)
          assert.strictEqual(
            (yield* gateway.post(`/v1/runs${query}`, { ...run, ...body }, { headers: key })).status,
            201,
            query
          )
        assert.deepStrictEqual(
          calls.map(({ waitSeconds }) => waitSeconds),
          forms.map(([, , seconds]) => seconds)
        )
      })
  )

  it.scopedLive("takes the idempotency key from the header or the body, as the same text", () =>
    Effect.gen(function* () {
      const { calls, gateway } = yield* recording
      const text = "order 7: späť"
      yield* gateway.post("/v1/runs", { ...run, idempotencyKey: text })
      yield* gateway.post("/v1/runs", run, {
        headers: { "idempotency-key": Buffer.from(text, "utf8").toString("latin1") }
      })
      yield* gateway.post(
        "/v1/runs",
        { ...run, idempotencyKey: text },
        { headers: { "idempotency-key": Buffer.from(text, "utf8").toString("latin1") } }
      )
      assert.deepStrictEqual(
        calls.map(({ request }) => request.idempotencyKey),
        [text, text, text]
      )
    })
  )

  it.scopedLive("lets a client that hangs up end the waiting, and nothing of the admission", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<undefined>()
      const proceed = yield* Deferred.make<undefined>()
      const admitted = yield* Deferred.make<undefined>()
      const waitingEnded = yield* Deferred.make<undefined>()
      const admission = Deferred.succeed(begun, undefined).pipe(
        Effect.zipRight(Deferred.await(proceed)),
        Effect.zipRight(Deferred.succeed(admitted, undefined))
      )
      const gateway = yield* startGateway({
        runs: {
          create: () =>
            Effect.uninterruptibleMask((restore) =>
              Effect.zipRight(
                admission,
                Effect.onExit(restore(Effect.never), () => Deferred.succeed(waitingEnded, undefined))
              )
            )
        }
      })
      const body = JSON.stringify({ ...run, idempotencyKey: "k" })
      const request = httpRequest({
        port: gateway.port,
        method: "POST",
        path: "/v1/runs?wait",
        headers: {
          authorization: "Bearer token",
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body)
        }
      })
      request.on("error", () => undefined)
      request.end(body)
      yield* Deferred.await(begun)
      request.destroy()
      yield* gateway.get("/livez")
      yield* Deferred.succeed(proceed, undefined)
      yield* Deferred.await(admitted)
      yield* Deferred.await(waitingEnded)
    })
  )

  it.scopedLive("answers at the end of a wait that is over before the run is", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        runs: {
          create: (_, __, waitSeconds) =>
            Effect.uninterruptibleMask((restore) =>
              Effect.as(restore(Effect.timeoutOption(Effect.never, waitSeconds * 1000)), {
                run: queuedRun,
                attempts: [],
                replayed: false,
                left: null
              })
            )
        }
      })
      const answer = yield* gateway.post("/v1/runs?wait=0.05", run, { headers: key })
      assert.deepStrictEqual([answer.status, answer.json.status], [201, "queued"])
    })
  )
})

const showing = (shown: Run, attempts: ReadonlyArray<typeof attempt> = []) =>
  startGateway({
    runs: {
      get: () => Effect.succeed({ run: shown, attempts }),
      cancel: () => Effect.succeed({ run: shown, attempts })
    }
  })

describe("a run", () => {
  it.scopedLive("of a job with fallback tells the job, the route and the money", () =>
    Effect.gen(function* () {
      const missed = {
        ...attempt,
        n: 1,
        outcome: "miss" as const,
        billed: false,
        costMicros: null,
        reason: "Nothing found."
      }
      const gateway = yield* showing(completedRun, [missed, { ...attempt, n: 2, endpointId: "mock-slow-email-find" }])
      const { json } = yield* gateway.get(`/v1/runs/${runId}`)
      assert.deepStrictEqual(json.requestedJob, {
        job: "people.email.find",
        prefer: "balanced",
        pickedEndpointId: "mock-email-find",
        reason: plan.reason,
        skipped: plan.skipped
      })
      assert.deepStrictEqual(
        json.route.attempts.map((tried: Loose) => [
          tried.n,
          tried.endpointId,
          tried.outcome,
          tried.chargedUsd,
          tried.billed
        ]),
        [
          [1, "mock-email-find", "miss", 0, false],
          [2, "mock-slow-email-find", "hit", 0.02, true]
        ]
      )
      assert.deepStrictEqual(
        [json.route.servedBy, json.route.chargedUsd, json.route.capped],
        ["mock-email-find", 0.02, false]
      )
      assert.deepStrictEqual(
        [json.estimatedCost, json.actualCost, json.pricing.finalChargeMicros],
        [0.04, 0.02, 20_000]
      )
      assert.notProperty(json, "replayed")
      assert.notProperty(json, "trimmed")
      for (const inside of ["workspaceId", "tokenId", "idempotencyKey", "requestDigest", "input", "plan"])
        assert.notProperty(json, inside)
    })
  )

  it.scopedLive("names a provider whose turn came when too little of the cap was left for it", () =>
    Effect.gen(function* () {
      const [first] = plan.candidates
      assert(first !== undefined)
      const dear = { ...first, endpointId: EndpointId.make("dear-email-find"), maxMicros: Micros.make(7_000) }
      const fallback = { enabled: true, maxAttempts: 3, maxCostMicros: Micros.make(11_900), stopAtFirstMiss: false }
      const route = { ...plan, candidates: [first, dear], fallback, capped: true }
      const missed = { ...attempt, outcome: "miss" as const, costMicros: Micros.make(5_000) }
      const run = { ...completedRun, outcome: "miss" as const, holdMicros: Micros.make(11_900), plan: route }
      const skippedOf = (shown: typeof completedRun) =>
        Effect.map(
          Effect.flatMap(showing(shown, [missed]), ({ get }) => get(`/v1/runs/${runId}`)),
          ({ json }) => json.route.skipped
        )
      assert.deepStrictEqual(yield* skippedOf(run), [
        ...plan.skipped,
        {
          endpointId: "dear-email-find",
          code: "over_cost_cap",
          reason: "costs up to $0.007, and $0.0069 of the cap was left"
        }
      ])
      assert.deepStrictEqual(yield* skippedOf({ ...run, status: "running", completedAt: null }), plan.skipped)
    })
  )

  it.scopedLive("that has not ended says null where a value will come, and leaves out what does not apply", () =>
    Effect.gen(function* () {
      const gateway = yield* showing(queuedRun)
      const { json } = yield* gateway.get(`/v1/runs/${runId}`)
      for (const name of ["actualCost", "completedAt", "startedAt", "providerResponseStatus", "resultBytes"])
        assert.isNull(json[name], name)
      for (const name of [
        "outcome",
        "result",
        "normalized",
        "error",
        "servedEndpointId",
        "servedProviderId",
        "connectionId"
      ])
        assert.notProperty(json, name)
      assert.notProperty(json.pricing, "finalChargeMicros")
    })
  )

  it.scopedLive("that is under way shows nothing of what it has found so far, which the next attempt may change", () =>
    Effect.gen(function* () {
      const failure = toRunError(new ProviderTimeout({}), "req_1")
      const interim: Run = {
        ...completedRun,
        status: "running",
        chargeMicros: null,
        completedAt: null,
        outcome: "error",
        outcomeReason: failure.message,
        error: failure
      }
      const gateway = yield* showing(interim, [attempt])
      const { json } = yield* gateway.get(`/v1/runs/${runId}`)
      assert.deepStrictEqual([json.status, json.route.attempts.length], ["running", 1])
      for (const name of [
        "outcome",
        "outcomeReason",
        "result",
        "normalized",
        "error",
        "servedEndpointId",
        "servedProviderId"
      ])
        assert.notProperty(json, name)
      assert.isNull(json.providerResponseStatus)
    })
  )

  it.scopedLive("of a tool has no job and no route, whatever it was sent with", () =>
    Effect.gen(function* () {
      const gateway = yield* showing(
        { ...completedRun, requestedEndpointId: "mock-email-find", plan: { ...plan, job: null } },
        [attempt]
      )
      const { json } = yield* gateway.get(`/v1/runs/${runId}`)
      assert.notProperty(json, "requestedJob")
      assert.notProperty(json, "route")
    })
  )

  it.scopedLive("shows text, media and refusals in the contract's shapes", () =>
    Effect.gen(function* () {
      const text = yield* showing({ ...completedRun, result: { _tag: "Text", text: "a,b", format: "csv" } })
      assert.deepStrictEqual((yield* text.get(`/v1/runs/${runId}`)).json.result, { text: "a,b", format: "csv" })
      const reference = { mediaId, contentType: "image/png", bytes: 3, sha256: "s", filename: null }
      const file = yield* showing({ ...completedRun, result: { _tag: "Media", media: reference } })
      assert.deepStrictEqual((yield* file.get(`/v1/runs/${runId}`)).json.result, {
        media: { downloadPath: `/v1/runs/${runId}/media/${mediaId}`, contentType: "image/png", bytes: 3, sha256: "s" }
      })
      const refused = yield* showing({
        ...queuedRun,
        status: "failed",
        plan: null,
        result: { _tag: "Refusal", value: { code: "unknown_job", suggestions: ["people.email.find"] } }
      })
      assert.deepStrictEqual((yield* refused.get(`/v1/runs/${runId}`)).json.result, {
        code: "unknown_job",
        suggestions: ["people.email.find"]
      })
    })
  )

  it.scopedLive("is cancelled by a POST without body and content type", () =>
    Effect.gen(function* () {
      const gateway = yield* showing(queuedRun)
      const answer = yield* gateway.send("POST", `/v1/runs/${runId}/cancel`)
      assert.deepStrictEqual([answer.status, answer.json.runId], [200, runId])
    })
  )
})

describe("trimming", () => {
  it.scopedLive("keeps only the fields and items asked for, and says what it cut", () =>
    Effect.gen(function* () {
      const gateway = yield* showing(completedRun)
      const { json } = yield* gateway.get(`/v1/runs/${runId}?fields=sources.url&max_items=2`)
      assert.deepStrictEqual(json.result, { sources: [{ url: "https://a.example" }, { url: "https://b.example" }] })
      assert.deepStrictEqual(json.trimmed, {
        truncated: true,
        fields: ["sources.url"],
        max_items: 2,
        arrays: [{ path: "sources", kept: 2, total: 3 }]
      })
      assert.strictEqual(json.pricing.finalChargeMicros, 20_000)
    })
  )

  it.scopedLive("refuses a path that is nowhere in the result, as every path is while there is no result", () =>
    Effect.gen(function* () {
      const done = yield* showing(completedRun)
      for (const fields of ["phone", "sources.phone", "email,phone", ",", "a..b", "email."]) {
        const answer = yield* done.get(`/v1/runs/${runId}?fields=${fields}`)
        assert.deepStrictEqual([answer.status, answer.json.error.details[0].field], [400, "fields"], fields)
      }
      const waiting = yield* showing(queuedRun)
      const early = yield* waiting.get(`/v1/runs/${runId}?fields=email&max_items=3`)
      assert.deepStrictEqual(
        [early.status, early.json.error.code, early.json.error.details[0].field],
        [400, "validation_error", "fields"]
      )
      assert.include(early.json.error.message, "no result")
    })
  )

  it.scopedLive("takes max_items alone at any time: without a result there is nothing to cut", () =>
    Effect.gen(function* () {
      const waiting = yield* showing(queuedRun)
      assert.deepStrictEqual((yield* waiting.get(`/v1/runs/${runId}?max_items=3`)).json.trimmed, {
        truncated: false,
        max_items: 3,
        arrays: []
      })
    })
  )
})

describe("GET /v1/runs", () => {
  const pages = Effect.gen(function* () {
    const asked: Array<PageRequest> = []
    const page: Page<ListedRun> = { items: [completedRun], next: runId }
    const gateway = yield* startGateway({
      runs: {
        list: (_, __, request, withResults) =>
          Effect.sync(() => {
            asked.push(request)
            return withResults ? page : { ...page, items: [{ ...completedRun, result: null }] }
          })
      }
    })
    return { asked, gateway }
  })

  it.scopedLive("keeps to every filter that the query has, and binds its cursors to them", () =>
    Effect.gen(function* () {
      const asked: Array<RunFilter> = []
      const gateway = yield* startGateway({
        runs: {
          list: (_, filter) =>
            Effect.sync(() => {
              asked.push(filter)
              return { items: [], next: runId }
            })
        }
      })
      const filters =
        "status=completed&capability=people.email.find&endpointId=hunter-email-finder&providerId=hunter&" +
        `tokenId=${id("tok", 1)}&from=2026-06-01T02:00:00+02:00&to=2026-07-01T00:00:00Z`
      const { nextCursor } = (yield* gateway.get(`/v1/runs?${filters}`)).json
      assert.deepStrictEqual(asked, [
        {
          status: "completed",
          capability: "people.email.find",
          endpointId: "hunter-email-finder",
          providerId: "hunter",
          tokenId: id("tok", 1),
          fromMillis: Date.UTC(2026, 5, 1),
          toMillis: Date.UTC(2026, 6, 1)
        }
      ])
      const again = (query: string) =>
        Effect.map(gateway.get(`/v1/runs?${query}&cursor=${nextCursor}`), (each) => each.status)
      assert.deepStrictEqual([yield* again(filters), yield* again(filters.replace("hunter&", "tomba&"))], [200, 400])
    })
  )

  it.scopedLive("gives bounded summaries, and results only on request", () =>
    Effect.gen(function* () {
      const { gateway } = yield* pages
      const [summary] = (yield* gateway.get("/v1/runs")).json.runs
      for (const heavy of ["result", "normalized", "route", "requestedJob"]) assert.notProperty(summary, heavy)
      for (const name of [
        "runId",
        "endpointId",
        "providerId",
        "status",
        "providerResponseStatus",
        "createdAt",
        "completedAt",
        "actualCost",
        "resultBytes",
        "servedEndpointId",
        "servedProviderId"
      ])
        assert.property(summary, name)
      assert.strictEqual(
        (yield* gateway.get("/v1/runs?includeResult=true")).json.runs[0].result.email,
        "ada@example.com"
      )
    })
  )

  it.scopedLive("say the key that they were asked for by, so that no other run is taken for the one with it", () =>
    Effect.gen(function* () {
      const { gateway } = yield* pages
      const keysOf = (query: string) =>
        Effect.map(gateway.get(`/v1/runs${query}`), ({ json }) => [json.runs.length, json.runs[0].idempotencyKey])
      assert.deepStrictEqual(yield* keysOf("?idempotencyKey=order+17"), [1, "order 17"])
      assert.deepStrictEqual(yield* keysOf(""), [1, undefined])
    })
  )

  it.scopedLive("says of a run whose result was dropped that it was, where results were asked for", () =>
    Effect.gen(function* () {
      const items: ReadonlyArray<ListedRun> = [{ ...completedRun, result: null, payloadDropped: true }, completedRun]
      const gateway = yield* startGateway({ runs: { list: () => Effect.succeed({ items, next: null }) } })
      const [dropped, kept] = (yield* gateway.get("/v1/runs?includeResult=true")).json.runs
      assert.deepStrictEqual([dropped.payloadDropped, dropped.result], [true, undefined])
      assert.notProperty(kept, "payloadDropped")
    })
  )

  it.scopedLive(
    "goes on where the cursor says, and takes no cursor of other filters, another list or another hand",
    () =>
      Effect.gen(function* () {
        const { asked, gateway } = yield* pages
        const cursor: string = (yield* gateway.get("/v1/runs?status=completed")).json.nextCursor
        assert.strictEqual((yield* gateway.get(`/v1/runs?status=completed&limit=5&cursor=${cursor}`)).status, 200)
        assert.deepStrictEqual(asked, [
          { limit: 20, after: null },
          { limit: 5, after: runId }
        ])
        const other = `${Buffer.from(id("run", 2)).toString("base64url")}.${cursor.split(".")[1]}`
        for (const bad of [
          `cursor=${cursor}`,
          `status=failed&cursor=${cursor}`,
          `status=completed&cursor=${other}`,
          "cursor=x",
          "cursor=.",
          `status=completed&cursor=${cursor}.x`
        ]) {
          const answer = yield* gateway.get(`/v1/runs?${bad}`)
          assert.deepStrictEqual([answer.status, answer.json.error.code], [400, "runs_cursor_invalid"], bad)
        }
        const ledger = yield* gateway.get(`/v1/ledger?cursor=${cursor}`)
        assert.deepStrictEqual([ledger.status, ledger.json.error.details[0].field], [400, "cursor"])
        assert.lengthOf(asked, 2)
      })
  )
})

describe("a file of a run", () => {
  const path = `/v1/runs/${runId}/media/${mediaId}`
  const files = startGateway({ runs: { media: () => Effect.succeed(media) } })
  const etag = `"${createHash("sha256").update("0123456789abcdefghij").digest("hex")}"`

  it.scopedLive("is downloaded whole, as an attachment that no browser runs", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* (yield* files).get(path)
      assert.deepStrictEqual(
        [status, text, headers.get("content-type"), headers.get("content-length"), headers.get("etag")],
        [200, "0123456789abcdefghij", "application/pdf", "20", etag]
      )
      assert.strictEqual(
        headers.get("content-disposition"),
        "attachment; filename=\"Bericht _M_rz_.pdf\"; filename*=UTF-8''Bericht%20%22M%C3%A4rz%22.pdf"
      )
      assert.deepStrictEqual(
        [headers.get("x-content-type-options"), headers.get("content-security-policy")],
        ["nosniff", "default-src 'none'; sandbox"]
      )
    })
  )

  it.scopedLive("is given in one range, and only of the copy that the client has", () =>
    Effect.gen(function* () {
      const gateway = yield* files
      const ranges: ReadonlyArray<readonly [range: string, status: number, text: string, contentRange: string | null]> =
        [
          ["bytes=0-3", 206, "0123", "bytes 0-3/20"],
          ["bytes=15-", 206, "fghij", "bytes 15-19/20"],
          ["bytes=-5", 206, "fghij", "bytes 15-19/20"],
          ["bytes=18-99", 206, "ij", "bytes 18-19/20"],
          ["bytes=-99", 206, "0123456789abcdefghij", "bytes 0-19/20"],
          ["bytes=20-", 416, "range_not_satisfiable", "bytes */20"],
          ["bytes=-0", 416, "range_not_satisfiable", "bytes */20"],
          ["bytes=5-2", 200, "0123456789abcdefghij", null],
          ["bytes=0-1,3-4", 200, "0123456789abcdefghij", null],
          ["lines=1-2", 200, "0123456789abcdefghij", null]
        ]
      for (const [range, status, text, contentRange] of ranges) {
        const answer = yield* gateway.get(path, { headers: { range } })
        assert.deepStrictEqual(
          [answer.status, status === 416 ? answer.json.error.code : answer.text, answer.headers.get("content-range")],
          [status, text, contentRange],
          range
        )
        assert.strictEqual(answer.headers.get("etag"), etag)
        assert.strictEqual(answer.headers.has("cache-control"), status !== 416, "a refused range is not to be kept")
      }
      assert.strictEqual((yield* gateway.get(path, { headers: { range: "bytes=0-3", "if-range": etag } })).status, 206)
      assert.strictEqual(
        (yield* gateway.get(path, { headers: { range: "bytes=0-3", "if-range": '"old"' } })).status,
        200
      )
      for (const range of ["bytes=0-3", "bytes=20-"]) {
        const head = yield* gateway.send("HEAD", path, { headers: { range } })
        assert.deepStrictEqual(
          [head.status, head.headers.get("content-length")],
          [200, "20"],
          "a range is for GET alone"
        )
      }
    })
  )

  it.scopedLive("is not sent again to who has it", () =>
    Effect.gen(function* () {
      const gateway = yield* files
      for (const header of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
        const answer = yield* gateway.get(path, { headers: { "if-none-match": header } })
        assert.deepStrictEqual([answer.status, answer.text, answer.headers.get("etag")], [304, "", etag], header)
      }
      assert.strictEqual((yield* gateway.get(path, { headers: { "if-none-match": '"x"' } })).status, 200)
    })
  )
})

describe("the text of a page", () => {
  it("is that of its JSON, and made a run at a time, because each may have a megabyte", () => {
    const listed = runSummary(completedRun)
    for (const page of [
      { runs: [], nextCursor: null },
      { runs: [listed, runSummary(queuedRun), listed], nextCursor: "next" }
    ]) {
      const steps = pageText(page)
      let [count, step] = [0, steps.next()]
      for (; step.done !== true; step = steps.next()) count += 1
      assert.deepStrictEqual([count, step.value], [page.runs.length, JSON.stringify(page)])
    }
  })
})
