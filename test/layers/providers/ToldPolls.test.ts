// Polls that a provider directs: it says when to ask again, or where.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Either, Fiber, Redacted, TestClock } from "effect"
import { runToEnd } from "../../../src/layers/providers/AsyncCalls.js"
import { callPlanFor } from "../../../src/layers/providers/CallPlan.js"
import type { JsonObject } from "../../../src/domain/Json.js"
import type { Callback } from "../../../src/services/ProviderCallbacks.js"
import {
  callEnd,
  callOnce,
  certaintyOf,
  endpointOf,
  json,
  platformKey,
  providerOrigin,
  serve,
  type TestProvider
} from "./support.js"
import { operation, trail } from "./AsyncStage.js"

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
      variables: {},
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

  it.scopedLive("is asked at no other origin with the token of a user's account, whatever the manifest names", () =>
    Effect.gen(function* () {
      const files = yield* serve((_, response) => json(response, 200, { found: "it" }))
      const provider = yield* serve((seen, response) =>
        seen.method === "POST"
          ? json(response, 202, {}, { location: "/status/7" })
          : json(response, 200, { state: "done", result_url: "https://files.test/out.json" })
      )
      const token = Redacted.make("token-of-the-user")
      const ended = yield* callOnce(provider, {
        provider: {
          platformKey: false,
          auth: {
            type: "oauth2_authorization_code",
            authorizationUrl: `${providerOrigin}/auth`,
            tokenUrl: `${providerOrigin}/token`
          }
        },
        operation: { ...told, async: { ...told.async, origins: ["https://files.test"] } },
        credential: {
          _tag: "Connection",
          connectionId: "con_1",
          secret: token,
          accessTokens: { take: () => Effect.succeed(token) }
        },
        http: { origins: { "https://files.test": files.origin } }
      })
      assert.strictEqual(ended._tag, "Answered")
      assert.deepStrictEqual(
        [...provider.requests, ...files.requests].map(({ headers }) => headers["authorization"]),
        ["Bearer token-of-the-user", "Bearer token-of-the-user", undefined]
      )
    })
  )

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
