// Operations that answer with a ticket: started once, polled, and cancelled at the provider when nobody waits any more.
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Either, Fiber, TestClock } from "effect"
import { runToEnd } from "../../../src/layers/providers/AsyncCalls.js"
import { callPlanFor } from "../../../src/layers/providers/CallPlan.js"
import { followUpProblems } from "../../../src/layers/providers/FollowUps.js"
import type { JsonObject } from "../../../src/domain/Json.js"
import type { CallRunFailure } from "../../../src/domain/ProviderCall.js"
import type { Callback } from "../../../src/services/ProviderCallbacks.js"
import { Providers } from "../../../src/services/Providers.js"
import {
  type Certainty,
  callEnd,
  callOf,
  callOnce,
  certaintyOf,
  endpointOf,
  engine,
  json,
  platformKey,
  providerOrigin,
  type Seen,
  serve,
  type TestProvider
} from "./support.js"

const operation = {
  effect: "effectful",
  repeatable: false,
  async: {
    ticket: "body.id",
    poll: { path: "/v1/things/{id}" },
    done: "body.state == 'done'",
    intervalMs: 1,
    maxIntervalMs: 2,
    cancel: { method: "DELETE", path: "/v1/things/{id}" }
  },
  response: {
    errors: [{ when: "body.state == 'failed'", message: "body.why" }],
    miss: "body.state == 'done' && !(body.found)",
    success: "body.found"
  }
}

const trail = (requests: ReadonlyArray<Seen>): ReadonlyArray<string> =>
  requests.map((request) => `${request.method} ${request.url}`)

describe("an asynchronous operation", () => {
  it.scopedLive("is started once, polled until it is done, and its final answer is judged", () =>
    Effect.gen(function* () {
      let polls = 0
      const provider = yield* serve((seen, response) =>
        seen.method === "POST"
          ? json(response, 202, { id: "a/b" })
          : json(response, 200, ++polls < 3 ? { state: "running" } : { state: "done", found: "it" })
      )
      const result = yield* callOnce(provider, { operation })
      assert.strictEqual(result._tag === "Answered" && result.outcome, "hit")
      assert.deepStrictEqual(result._tag === "Answered" && result.body, {
        _tag: "Json",
        value: { state: "done", found: "it" }
      })
      assert.deepStrictEqual(trail(provider.requests), [
        "POST /v1/things",
        ...Array.from({ length: 3 }, () => "GET /v1/things/a%2Fb")
      ])
    })
  )

  it.scopedLive("may be polled by POST with the ticket in the body, and keep its result elsewhere", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        json(
          response,
          200,
          seen.url === "/v1/things" ? { id: 7 } : seen.url === "/v1/read" ? { state: "done" } : { found: "it" }
        )
      )
      const { cancel: _cancel, ...rules } = operation.async
      const result = yield* callOnce(provider, {
        operation: {
          ...operation,
          async: {
            ...rules,
            poll: { method: "POST", path: "/v1/read", body: { ids: ["{id}"] } },
            result: { path: "/v1/results/{id}" }
          }
        }
      })
      assert.strictEqual(result._tag, "Answered")
      assert.deepStrictEqual(trail(provider.requests), ["POST /v1/things", "POST /v1/read", "GET /v1/results/7"])
      assert.strictEqual(provider.requests[1]!.body, '{"ids":["7"]}')
    })
  )

  it.scopedLive("bears a few lost polls in a row and no more", () =>
    Effect.gen(function* () {
      let polls = 0
      const provider = yield* serve((seen, response, request) => {
        if (seen.method === "POST") return json(response, 202, { id: "1" })
        polls += 1
        if (polls === 1) return void request.socket.destroy()
        if (polls === 2) return json(response, 503, {})
        json(response, 200, { state: "done", found: "it" })
      })
      assert.strictEqual((yield* callOnce(provider, { operation }))._tag, "Answered")
      const broken = yield* serve((seen, response) =>
        seen.method === "POST" ? json(response, 202, { id: "1" }) : json(response, 503, {})
      )
      const result = yield* callOnce(broken, { operation })
      assert.strictEqual(result._tag !== "Answered" && result.failure.code, "provider_error")
      assert.strictEqual(broken.requests.length, 5)
    })
  )

  it.scopedLive("costs what a poll told, where the answer that ends it is a file and tells no cost", () =>
    Effect.gen(function* () {
      const priced = {
        ...operation,
        contentTypes: ["application/json", "image/png"],
        async: { ...operation.async, result: { path: "/v1/files/{id}" } }
      }
      const costs = Effect.fnUntraced(function* (polled: object, end: "file" | object, costMicros = "body.cost") {
        const provider = yield* serve((seen, response) => {
          if (seen.method === "POST") return json(response, 202, { id: "1", cost: 5 })
          if (seen.url !== "/v1/files/1") return json(response, 200, { state: "done", ...polled })
          if (end !== "file") return json(response, 200, end)
          response.writeHead(200, { "content-type": "image/png" }).end("the picture")
        })
        const result = yield* callOnce(provider, { operation: { ...priced, response: { costMicros } } })
        return [result._tag, result.cost]
      })
      const told = (micros: number) => ["Answered", { _tag: "Reported", micros }]
      assert.deepStrictEqual<unknown>(yield* costs({ cost: 40 }, "file"), told(40))
      assert.deepStrictEqual<unknown>(yield* costs({}, "file"), told(5), "the newest answer that told one")
      assert.deepStrictEqual<unknown>(yield* costs({ cost: 40 }, { cost: 41 }), told(41), "the last answer goes before")
      const odd = yield* costs({ cost: "soon" }, "file")
      const noted = ["Answered", { _tag: "Reported", micros: 5, anomaly: '"soon"' }]
      assert.deepStrictEqual<unknown>(odd, noted, "what is no amount is noted, and the amount before it stands")
      const unworkable = yield* costs({ cost: "40" }, "file", "body.cost * `2`")
      const kept = { _tag: "Reported", micros: 10, anomaly: "not calculable: not-a-number" }
      assert.deepStrictEqual<unknown>(unworkable, ["Answered", kept], "and so is what cannot be worked out")
    })
  )

  it.scopedLive("asks again for a result whose fetch fails in passing, as it does for its state", () =>
    Effect.gen(function* () {
      const async = { ...operation.async, result: { path: "/v1/results/{id}" } }
      const failing = (failures: ReadonlyArray<number | "broken">) =>
        serve((seen, response, request) => {
          if (seen.method !== "GET") return json(response, 202, { id: "1" })
          if (!seen.url.startsWith("/v1/results")) return json(response, 200, { state: "done" })
          const failure = left.shift()
          if (failure === undefined) return json(response, 200, { state: "done", found: "it" })
          if (failure === "broken") return void request.socket.destroy()
          json(response, failure, {})
        }).pipe(Effect.tap(() => void (left = [...failures])))
      let left: Array<number | "broken"> = []

      const passing = yield* failing([503, 429, "broken"])
      const result = yield* callOnce(passing, { operation: { ...operation, async } })
      assert.strictEqual(result._tag === "Answered" && result.outcome, "hit")
      assert.deepStrictEqual(trail(passing.requests), [
        "POST /v1/things",
        "GET /v1/things/1",
        ...Array.from({ length: 4 }, () => "GET /v1/results/1")
      ])

      // It was done, so an effectful operation is lost and not failed.
      const lasting = yield* failing([503, 503, 503, 503])
      const lost = yield* callOnce(lasting, { operation: { ...operation, async } })
      assert.deepStrictEqual(lost._tag !== "Answered" && [lost.failure.code, certaintyOf(lost)], [
        "provider_error",
        "unanswered"
      ])
      assert.strictEqual(lasting.requests.length, 6)

      // An error that does not pass is the provider's answer about the result.
      const refused = yield* failing([422])
      const answered = yield* callOnce(refused, { operation: { ...operation, async } })
      assert.deepStrictEqual(answered._tag !== "Answered" && [answered.failure.code, certaintyOf(answered)], [
        "provider_http_error",
        "answered"
      ])
      assert.strictEqual(refused.requests.length, 3)
    })
  )

  const fetches: ReadonlyArray<
    readonly [status: number, rules: object, code: CallRunFailure["code"], certainty: Certainty]
  > = [
    [302, {}, "redirect_blocked", "unanswered"],
    [401, {}, "auth_error", "unanswered"],
    [403, {}, "auth_error", "unanswered"],
    [404, {}, "provider_http_error", "unanswered"],
    [410, {}, "provider_http_error", "unanswered"],
    [400, {}, "provider_http_error", "unanswered"],
    [422, {}, "provider_http_error", "answered"],
    [410, { errors: [{ when: "body.why" }] }, "provider_http_error", "answered"],
    // A rule that speaks of the key says nothing of what was done.
    [401, { errors: [{ when: "body.why" }] }, "auth_error", "unanswered"]
  ]
  for (const [status, rules, code, certainty] of fetches)
    it.scopedLive(
      `that was done and whose result answers ${status}${"errors" in rules ? " by a rule" : ""}: ${certainty}`,
      () =>
        Effect.gen(function* () {
          const provider = yield* serve((seen, response) =>
            seen.method !== "GET"
              ? json(response, 202, { id: "1" })
              : seen.url.startsWith("/v1/results")
                ? json(response, status, { why: "no", cost: 7 }, status === 302 ? { location: "/elsewhere" } : {})
                : json(response, 200, { state: "done" })
          )
          const async = { ...operation.async, result: { path: "/v1/results/{id}" } }
          const response = { costMicros: "body.cost", ...rules }
          const end = yield* callOnce(provider, { operation: { ...operation, async, response } })
          assert.deepStrictEqual(end._tag !== "Answered" && [end.failure.code, certaintyOf(end)], [code, certainty])
          assert.deepStrictEqual(end.cost, { _tag: "Reported", micros: 7 })
          assert.lengthOf(provider.requests, 3)
        })
    )

  it.scopedLive("that was done has its answer where the status of its result means a miss", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        seen.method !== "GET"
          ? json(response, 202, { id: "1" })
          : json(response, seen.url.startsWith("/v1/results") ? 404 : 200, { state: "done" })
      )
      const async = { ...operation.async, result: { path: "/v1/results/{id}" } }
      const end = yield* callOnce(provider, { operation: { ...operation, async, response: { missStatuses: [404] } } })
      assert.strictEqual(end._tag === "Answered" && end.outcome, "miss")
    })
  )

  it.scopedLive("that reports a failure has answered", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        seen.method === "POST"
          ? json(response, 202, { id: "1" })
          : json(response, 200, { state: "failed", why: "no credit" })
      )
      const result = yield* callOnce(provider, { operation })
      assert.deepStrictEqual(
        result._tag !== "Answered" && [result.failure.code, result.failure.message, certaintyOf(result)],
        ["provider_reported_error", "no credit", "answered"]
      )
    })
  )

  it.scopedLive("that is started and then out of reach may have had its effect", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response, request) =>
        seen.method === "POST" ? json(response, 202, { id: "1" }) : void request.socket.destroy()
      )
      const result = yield* callOnce(provider, { operation })
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "fetch_failed",
        "unanswered"
      ])
    })
  )

  it.scopedLive("whose polls are refused may go on at the provider", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        seen.method === "POST" ? json(response, 202, { id: "1" }) : json(response, 401, {})
      )
      const result = yield* callOnce(provider, { operation })
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "auth_error",
        "unanswered"
      ])
    })
  )

  it.scopedLive("whose poll is redirected is not asked again, and may have had its effect", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        seen.method === "POST"
          ? json(response, 202, { id: "t" })
          : void response.writeHead(302, { location: "https://elsewhere.example/" }).end()
      )
      const result = yield* callOnce(provider, { operation })
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "redirect_blocked",
        "unanswered"
      ])
      assert.deepStrictEqual(trail(provider.requests).slice(0, 2), ["POST /v1/things", "GET /v1/things/t"])
      assert.notInclude(trail(provider.requests).slice(2), "GET /v1/things/t")
    })
  )

  it.scopedLive("without a ticket cannot be followed, and may have had its effect", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 202, {}))
      const result = yield* callOnce(provider, { operation })
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "invalid_response",
        "unanswered"
      ])
    })
  )

  it.scopedLive("that takes longer than its total time is a timeout and is cancelled at the provider", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        json(response, 200, seen.method === "POST" ? { id: "1" } : { state: "running" })
      )
      const result = yield* Effect.uninterruptible(
        callOnce(provider, { operation: { ...operation, async: { ...operation.async, totalMs: 100 } } })
      )
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "timeout",
        "unanswered"
      ])
      assert.deepStrictEqual(
        trail(provider.requests).filter((line) => line.startsWith("DELETE")),
        ["DELETE /v1/things/1"]
      )
    })
  )

  it.scopedLive("that is interrupted is cancelled at the provider", () =>
    Effect.gen(function* () {
      const polled = yield* Effect.makeLatch()
      const provider = yield* serve((seen, response) => {
        json(response, 200, seen.method === "POST" ? { id: "1" } : { state: "running" })
        if (seen.method === "GET") polled.unsafeOpen()
      })
      yield* Effect.gen(function* () {
        const providers = yield* Providers
        const calling = yield* Effect.fork(providers.call(callOf({ operation })))
        yield* polled.await
        yield* Fiber.interrupt(calling)
        assert.strictEqual(trail(provider.requests).at(-1), "DELETE /v1/things/1")
      }).pipe(Effect.provide(engine(provider)))
    })
  )
})

describe("a poll or fetch of a provider that says when to ask again", () => {
  /** When each request of a call came, in milliseconds after its start, and how it ended. */
  const asked = Effect.fnUntraced(function* (
    answers: ReadonlyArray<readonly [status: number, body: JsonObject, retryAfter?: string]>,
    async: object = {},
    callback: Callback | null = null
  ) {
    const rules = { ...operation.async, intervalMs: 500, maxIntervalMs: 500, totalMs: 20_000, ...async }
    const endpoint = endpointOf({ operation: { ...operation, async: rules } })
    const plan = yield* callPlanFor(endpoint)
    const times: Array<number> = []
    const evidence = {
      requestDigest: "",
      responseDigest: null,
      requestBytes: 0,
      responseBytes: 0,
      providerRequestId: null
    }
    const call = runToEnd({
      rules: endpoint.operation.async!,
      plan,
      seen: { endpoint, rules: plan.rules, input: {}, credential: "None", nowMillis: 0, inlineBytes: 1000, evidence },
      exchange: () =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const [status, body, retryAfter] = answers[Math.min(times.length, answers.length - 1)]!
          times.push(now)
          const waiting = retryAfter === undefined ? {} : { "retry-after": retryAfter }
          const headers = { "content-type": "application/json", ...waiting }
          return { status, headers, bytes: Buffer.from(JSON.stringify(body)) }
        }),
      start: Either.getOrThrow(plan.request.build({})),
      origin: providerOrigin,
      callback
    })
    const fiber = yield* Effect.fork(callEnd(call))
    yield* TestClock.adjust("30 seconds")
    return { times, end: yield* Fiber.join(fiber) }
  })
  const started = [202, { id: "1" }] as const
  const found = [200, { state: "done", found: "it" }] as const

  it.effect("is asked then, and not three times before", () =>
    Effect.gen(function* () {
      const { end, times } = yield* asked([started, [429, {}, "2"], [503, {}, "3"], found])
      assert.strictEqual(end._tag, "Answered")
      assert.deepStrictEqual(times, [0, 500, 2500, 5500])
    })
  )

  it.effect("is asked at the hour that it names, counted from its answer", () =>
    Effect.gen(function* () {
      const running = [200, { state: "running" }] as const
      const at = new Date(4000).toUTCString()
      const { end, times } = yield* asked([started, running, running, running, [429, {}, at], found])
      assert.deepStrictEqual([end._tag, times], ["Answered", [0, 500, 1000, 1500, 2000, 4000]])
    })
  )

  it.effect("is fetched from then", () =>
    Effect.gen(function* () {
      const result = { result: { path: "/v1/results/{id}" } }
      const { end, times } = yield* asked([started, [200, { state: "done" }], [429, {}, "4"], found], result)
      assert.deepStrictEqual([end._tag, times], ["Answered", [0, 500, 500, 4500]])
    })
  )

  it.effect("is asked no sooner than usual where it asks for less, and no more where it asks for too much", () =>
    Effect.gen(function* () {
      const { times } = yield* asked([started, [429, {}, "0"], found])
      assert.deepStrictEqual(times, [0, 500, 1000])
      const patient = yield* asked([started, [429, {}, "21"], found])
      assert.lengthOf(patient.times, 2)
      assert.strictEqual(patient.end._tag === "CallLost" && patient.end.failure.code, "rate_limited")
    })
  )

  it.effect("is not asked sooner because it calls back", () =>
    Effect.gen(function* () {
      const callback = { url: "https://gateway.test", rung: yield* Effect.makeLatch(true) }
      const { end, times } = yield* asked([started, [429, {}, "5"], found], { maxIntervalMs: 10_000 }, callback)
      assert.deepStrictEqual([end._tag, times], ["Answered", [0, 500, 5500]])
    })
  )
})

describe("an asynchronous operation whose provider says where to ask", () => {
  const auth = { auth: { type: "header", name: "X-Key" }, fixed: [{ in: "header", name: "X-Version", value: "7" }] }
  const told = {
    effect: "effectful",
    repeatable: false,
    async: {
      poll: { url: 'headers.location || body."status_url"' },
      done: "body.state == 'done'",
      result: { url: "body.result_url" },
      intervalMs: 1,
      maxIntervalMs: 2
    },
    response: { success: "body.found" }
  }
  const called = (provider: TestProvider, operation: object, others: { readonly [origin: string]: string } = {}) =>
    callOnce(provider, {
      provider: auth,
      operation,
      credential: platformKey("secret-key"),
      http: { origins: others }
    })

  it.scopedLive("is asked there, with the key at its own origin and at those that the manifest names alone", () =>
    Effect.gen(function* () {
      const files = yield* serve((_, response) => json(response, 200, { found: "it" }))
      const provider = yield* serve((seen, response) =>
        seen.method === "POST"
          ? json(response, 202, {}, { location: "../status/7?a=%7Bb%7D&c={d}" })
          : json(response, 200, { state: "done", result_url: "https://files.test/out.json?signature=x" })
      )
      const origins = { "https://files.test": files.origin }
      assert.strictEqual((yield* called(provider, told, origins))._tag, "Answered")
      assert.deepStrictEqual(trail(provider.requests), ["POST /v1/things", "GET /status/7?a=%7Bb%7D&c=%7Bd%7D"])
      assert.deepStrictEqual(
        provider.requests.map(({ headers }) => [headers["x-key"], headers["x-version"]]),
        [
          ["secret-key", "7"],
          ["secret-key", "7"]
        ]
      )
      assert.deepStrictEqual(trail(files.requests), ["GET /out.json?signature=x"])
      assert.deepStrictEqual(
        [files.requests[0]!.headers["x-key"], files.requests[0]!.headers["x-version"]],
        [undefined, undefined]
      )
      const named = { ...told, async: { ...told.async, origins: ["https://files.test"] } }
      assert.strictEqual((yield* called(provider, named, origins))._tag, "Answered")
      assert.deepStrictEqual(
        [files.requests[1]!.headers["x-key"], files.requests[1]!.headers["x-version"]],
        ["secret-key", "7"]
      )
    })
  )

  const inside = [
    ["the metadata of a cloud", "https://169.254.169.254/latest/meta-data"],
    ["this machine", "https://localhost/"],
    ["a private network", "https://10.0.0.1/"],
    ["the same in hexadecimal", "https://0x7f000001/"]
  ] as const
  for (const [what, address] of inside)
    for (const place of ["poll", "result"] as const)
      it.scopedLive(`is not asked for its ${place} at ${what}, and does not ask to be sent again`, () =>
        Effect.gen(function* () {
          const provider = yield* serve((_, response) =>
            json(
              response,
              200,
              place === "poll" ? { status_url: address } : { status_url: "/s", state: "done", result_url: address }
            )
          )
          const result = yield* called(provider, told)
          if (result._tag !== "CallLost") return assert.fail(result._tag)
          const { code, message, retryable, retryHint, whoseError } = result.failure
          assert.deepStrictEqual([code, retryable, whoseError], ["route_denied", false, "provider"])
          assert.match(message, /^The provider named an address that the egress policy refuses/)
          assert.notMatch(retryHint, /GATEWAY_EGRESS_ALLOW|[Oo]perator/)
        })
      )

  it.scopedLive("looks once at a name that stands for a private network, and ends", () =>
    Effect.gen(function* () {
      const lookups: Array<string> = []
      const provider = yield* serve((_, response) => json(response, 202, { status_url: "https://inside.test/s" }))
      const result = yield* callOnce(provider, {
        operation: told,
        http: {
          resolve: (name, answer) => {
            lookups.push(name)
            answer(null, ["10.0.0.1"])
          }
        }
      })
      assert.strictEqual(result._tag === "CallLost" && result.failure.code, "route_denied")
      assert.deepStrictEqual(lookups, ["inside.test"])
    })
  )

  it.scopedLive("is asked and cancelled with one key, where its addresses repeat the key of the query", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) => {
        const key = new URL(seen.url, "http://provider.test").searchParams.get("api_key")
        const next = (path: string) => `${path}?a=b?c&api_key=${key}`
        if (seen.method === "POST") return json(response, 202, { status_url: next("/s"), stop: next("/stop") })
        json(response, 200, { state: isDone ? "done" : "running", result_url: next("/r"), found: "it" })
      })
      let isDone = true
      const operation = {
        ...told,
        async: { ...told.async, cancel: { method: "DELETE", url: "body.stop" }, totalMs: 100 }
      }
      const call = {
        provider: { auth: { type: "query", name: "api_key" } },
        operation,
        credential: platformKey("secret")
      }
      assert.strictEqual((yield* callOnce(provider, call))._tag, "Answered")
      isDone = false
      assert.strictEqual((yield* callOnce(provider, call))._tag, "CallLost")
      const asked = [...new Set(trail(provider.requests))]
      const once = "?a=b?c&api_key=secret"
      assert.deepStrictEqual(asked, [
        "POST /v1/things?api_key=secret",
        `GET /s${once}`,
        `GET /r${once}`,
        `DELETE /stop${once}`
      ])
    })
  )

  it.scopedLive("leads to what the operator opened only where the manifest names its origin", () =>
    Effect.gen(function* () {
      const inside = yield* serve((_, response) => json(response, 200, { found: "it" }))
      const address = `http://inside.test:${inside.port}`
      const provider = yield* serve((_, response) =>
        json(response, 200, { status_url: "/s", state: "done", result_url: `${address}/secret` })
      )
      const plain = "http://api.provider.test"
      const ended = (origins: object) =>
        callOnce(provider, {
          provider: { baseUrl: plain },
          operation: { ...told, async: { ...told.async, ...origins } },
          http: {
            origins: { [plain]: provider.origin },
            egressAllow: [`inside.test:${inside.port}`],
            resolve: (_, answer) => answer(null, ["127.0.0.1"])
          }
        })
      const refused = yield* ended({})
      assert.strictEqual(refused._tag === "CallLost" && refused.failure.code, "route_denied")
      assert.lengthOf(inside.requests, 0)
      assert.strictEqual((yield* ended({ origins: [address] }))._tag, "Answered")
      assert.lengthOf(inside.requests, 1)
    })
  )

  it.scopedLive("is asked without the fragment of its address", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        json(
          response,
          200,
          seen.method === "POST"
            ? { status_url: "/s/1?a=b#top" }
            : { state: "done", result_url: "/r/1#/etc?x", found: "it" }
        )
      )
      assert.strictEqual((yield* called(provider, told))._tag, "Answered")
      assert.deepStrictEqual(trail(provider.requests), ["POST /v1/things", "GET /s/1?a=b", "GET /r/1"])
    })
  )

  const hostile = [
    ["an address without encryption", "http://api.provider.test/v1/status"],
    ["a file", "file:///etc/passwd"],
    ["an address with a password", "https://user:password@api.provider.test/"],
    ["an endless address", `https://api.provider.test/${"a".repeat(9_000)}`],
    ["no address", "https://"],
    ["nothing", ""]
  ] as const
  for (const [what, address] of hostile)
    it.scopedLive(`is not followed to ${what}, and may have had its effect`, () =>
      Effect.gen(function* () {
        const provider = yield* serve((_, response) => json(response, 202, { status_url: address }))
        const result = yield* called(provider, told)
        assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
          "invalid_response",
          "unanswered"
        ])
        assert.deepStrictEqual(trail(provider.requests), ["POST /v1/things"])
      })
    )

  it.scopedLive("is asked at the one origin that stands for every other, as when samples are replayed", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        json(response, 200, seen.method === "POST" ? { status_url: "https://files.test/s" } : { state: "done" })
      )
      const { result: _result, ...async } = told.async
      const operation = { ...told, async, response: {} }
      const result = yield* callOnce(provider, { operation, http: { elsewhere: provider.origin } })
      assert.strictEqual(result._tag, "Answered")
      assert.deepStrictEqual(trail(provider.requests), ["POST /v1/things", "GET /s"])
    })
  )

  it.scopedLive("is cancelled where it said", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        json(response, 200, seen.method === "POST" ? { status_url: "/s/1", stop: "/stop/1" } : { state: "running" })
      )
      const result = yield* called(provider, {
        ...told,
        async: { ...told.async, cancel: { method: "DELETE", url: "body.stop" }, totalMs: 100 }
      })
      assert.strictEqual(result._tag !== "Answered" && result.failure.code, "timeout")
      assert.deepStrictEqual(
        trail(provider.requests).filter((line) => line.startsWith("DELETE")),
        ["DELETE /stop/1"]
      )
    })
  )
})

describe("the paths of an asynchronous operation", () => {
  const operation = {
    input: { type: "object", properties: { region: { type: "string" } }, additionalProperties: true },
    async: {
      ticket: "body.id",
      poll: { path: "/v1/{input.region}/jobs/{id}?wait=20" },
      done: "body.state == 'done'",
      result: { path: "/v1/sets/{id}", id: "body.set" },
      intervalMs: 1
    }
  }
  const answers = (set: unknown) => (seen: Seen, response: ServerResponse) =>
    json(
      response,
      200,
      seen.method === "POST" ? { id: "a" } : seen.url.includes("/jobs/") ? { state: "done", set } : {}
    )

  it.scopedLive("take fields of the input, a query, and the id of the result", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        seen.method === "GET" && seen.url.includes("/jobs/")
          ? void response
              .writeHead(200, { "content-type": "application/json" })
              .end('{"state":"done","set":12345678901234567891}')
          : json(response, 200, { id: "a/b" })
      )
      const result = yield* callOnce(provider, { operation, input: { region: "eu west/1" } })
      assert.strictEqual(result._tag, "Answered")
      assert.deepStrictEqual(trail(provider.requests), [
        "POST /v1/things",
        "GET /v1/eu%20west%2F1/jobs/a%2Fb?wait=20",
        "GET /v1/sets/12345678901234567891"
      ])
    })
  )

  for (const region of ["..", ".", "", null])
    it.scopedLive(`refuse ${JSON.stringify(region)} before anything is started`, () =>
      Effect.gen(function* () {
        const provider = yield* serve(answers("1"))
        const result = yield* callOnce(provider, { operation, input: { region } })
        assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
          "validation_error",
          "not_sent"
        ])
        assert.strictEqual(provider.requests.length, 0)
      })
    )

  it.scopedLive("need the id of the result in the last poll", () =>
    Effect.gen(function* () {
      const provider = yield* serve(answers(null))
      const result = yield* callOnce(provider, { operation, input: { region: "eu" } })
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "invalid_response",
        "unanswered"
      ])
    })
  )

  const problemsOf = (async: object, { ticket, ...rest }: Partial<typeof operation.async> = operation.async) =>
    followUpProblems(
      endpointOf({ operation: { ...operation, async: { ...rest, ...(ticket && { ticket }), ...async } } })
    )
  const { ticket: _ticket, ...unticketed } = operation.async
  it("name what nobody fills in", () => {
    assert.deepStrictEqual(problemsOf({}), [])
    assert.deepStrictEqual(
      [
        ...problemsOf({ poll: { path: "/v1/{input.zone}/{job}" } }),
        ...problemsOf({}, unticketed),
        ...problemsOf({ poll: { url: "body.url" }, result: { path: "/v1/{id}" } }, unticketed),
        ...problemsOf({ origins: ["https://files.test/", "files.test"] })
      ].map(({ message, path }) => `${path} ${message}`),
      [
        "async.poll.path uses {input.zone}, which is no property of input",
        "async.poll.path uses {job}; it may use {id}, {input.field} and the variables of the provider",
        "async.ticket is needed: poll.path asks by it",
        "async.result.path uses {id}, and nothing says what that is: async.ticket does",
        "async.origins.0 is no origin, such as https://files.example.com",
        "async.origins.1 is no origin, such as https://files.example.com"
      ]
    )
  })
})
