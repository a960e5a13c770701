// Providers that call back when a slow operation has news: the call only ends a pause, whoever makes it.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Redacted, Schema, TestClock } from "effect"
import { Operation } from "../../../src/domain/Manifest.js"
import { callbackProblems } from "../../../src/layers/providers/Callbacks.js"
import { CallbacksSigned } from "../../../src/layers/providers/CallbacksSigned.js"
import { callbackKey, readToken, writeToken } from "../../../src/layers/providers/CallbackTokens.js"
import { RunSignalsMemory } from "../../../src/layers/memory/RunSignalsMemory.js"
import { CursorKey } from "../../../src/services/CursorKey.js"
import { ProviderCallbacks } from "../../../src/services/ProviderCallbacks.js"
import { callOnce, endpointOf, json, platformKey, providerOrigin, type Seen, serve } from "./support.js"

const key = Buffer.alloc(32, 7)
const Callbacks = CallbacksSigned("https://gateway.test").pipe(
  Layer.provide([RunSignalsMemory, Layer.succeed(CursorKey, Redacted.make(key))])
)
const tokenOf = (url: string | null | undefined): string =>
  (url ?? "").replace("https://gateway.test/v1/callbacks/", "")

/** Only a callback ends the pauses of these polls in the time of a test. */
const slow = {
  input: { type: "object", properties: { hook: { type: "string" } }, additionalProperties: true },
  async: {
    ticket: "body.id",
    poll: { path: "/v1/things/{id}" },
    done: "body.state == 'done'",
    intervalMs: 5,
    maxIntervalMs: 600_000,
    totalMs: 600_000,
    callback: { in: "json", name: "hooks.done", with: [{ in: "json", name: "hooks.events", value: ["completed"] }] }
  },
  response: { success: "body.found" }
}
const toldIn = (seen: Seen): string => (JSON.parse(seen.body) as { hooks: { done: string } }).hooks.done

describe("an operation that is called back", () => {
  it.scopedLive(
    "ends its pause with the callback, however early it comes, and asks at the provider's own address",
    () =>
      Effect.gen(function* () {
        const callbacks = yield* ProviderCallbacks
        const provider = yield* serve((seen, response) => {
          if (seen.method === "GET") return json(response, 200, { state: "done", found: "it" })
          // Before the start is answered.
          Effect.runSync(callbacks.ring(tokenOf(toldIn(seen))))
          json(response, 202, { id: "7" })
        })
        const result = yield* callOnce(provider, { operation: slow, http: { callbacks } })
        assert.strictEqual(result._tag === "Answered" && result.outcome, "hit")
        assert.deepStrictEqual(
          provider.requests.map(({ method, url }) => `${method} ${url}`),
          ["POST /v1/things", "GET /v1/things/7"]
        )
        const body = JSON.parse(provider.requests[0]!.body) as { hooks: { events: unknown; done: string } }
        assert.deepStrictEqual(body.hooks.events, ["completed"])
        assert.match(body.hooks.done, /^https:\/\/gateway\.test\/v1\/callbacks\/[\w-]{51}$/)
        // The wait is over. The address is known until its time ends, and does nothing.
        assert.isTrue(yield* callbacks.ring(tokenOf(body.hooks.done)))
      }).pipe(Effect.provide(Callbacks))
  )

  it.scopedLive("has its address for the whole start, with the access tokens of that, and all polls", () =>
    Effect.gen(function* () {
      const lasted: Array<number> = []
      const callbacks = ProviderCallbacks.of({
        open: (lastsMillis) => Effect.sync(() => (lasted.push(lastsMillis), null)),
        ring: () => Effect.succeed(false)
      })
      const provider = yield* serve((_, response) => json(response, 200, { found: "it", access_token: "token-1" }))
      const start = { operation: { ...slow, async: { ...slow.async, totalMs: 60_000 } }, http: { callbacks } }
      yield* callOnce(provider, start)
      const auth = { type: "oauth2_client_credentials", tokenUrl: `${providerOrigin}/token` }
      yield* callOnce(provider, { ...start, provider: { auth }, credential: platformKey("client:secret-1") })
      assert.deepStrictEqual(lasted, [62_000, 68_000])
    })
  )

  it.scopedLive("asks again in growing pauses when the state comes after the callback", () =>
    Effect.gen(function* () {
      const callbacks = yield* ProviderCallbacks
      let polls = 0
      const provider = yield* serve((seen, response) => {
        if (seen.method === "GET")
          return json(response, 200, ++polls < 4 ? { state: "running" } : { state: "done", found: "it" })
        Effect.runSync(callbacks.ring(tokenOf(toldIn(seen))))
        json(response, 202, { id: "7" })
      })
      assert.strictEqual((yield* callOnce(provider, { operation: slow, http: { callbacks } }))._tag, "Answered")
      assert.strictEqual(polls, 4)
    }).pipe(Effect.provide(Callbacks))
  )

  it.scopedLive("is polled when no callback comes", () =>
    Effect.gen(function* () {
      const callbacks = yield* ProviderCallbacks
      const provider = yield* serve((seen, response) =>
        json(response, 200, seen.method === "GET" ? { state: "done", found: "it" } : { id: "7" })
      )
      const operation = { ...slow, async: { ...slow.async, maxIntervalMs: 50 } }
      assert.strictEqual((yield* callOnce(provider, { operation, http: { callbacks } }))._tag, "Answered")
    }).pipe(Effect.provide(Callbacks))
  )

  it.scopedLive("is polled before its time ends, although its longest pause is longer than that", () =>
    Effect.gen(function* () {
      const callbacks = yield* ProviderCallbacks
      let polls = 0
      const provider = yield* serve((seen, response) => {
        if (seen.method === "POST") return json(response, 200, { id: "7" })
        json(response, 200, (polls += 1) < 2 ? { state: "running" } : { state: "done", found: "it" })
      })
      const operation = { ...slow, async: { ...slow.async, totalMs: 2_000 } }
      assert.strictEqual((yield* callOnce(provider, { operation, http: { callbacks } }))._tag, "Answered")
      assert.strictEqual(polls, 2)
    }).pipe(Effect.provide(Callbacks))
  )

  it.scopedLive("causes no more polls by callbacks without end than without any", () =>
    Effect.gen(function* () {
      const callbacks = yield* ProviderCallbacks
      let told = ""
      const provider = yield* serve((seen, response) => {
        if (seen.method === "POST") told = tokenOf(toldIn(seen))
        for (let n = 0; n < 100; n += 1) Effect.runSync(callbacks.ring(told))
        json(response, 200, seen.method === "GET" ? { state: "running" } : { id: "7" })
      })
      const async = { ...slow.async, intervalMs: 400, maxIntervalMs: 400, totalMs: 1_000 }
      const result = yield* callOnce(provider, { operation: { ...slow, async }, http: { callbacks } })
      assert.strictEqual(result._tag !== "Answered" && result.failure.code, "timeout")
      assert.isAtMost(provider.requests.length, 3)
    }).pipe(Effect.provide(Callbacks))
  )

  for (const [what, callback, input] of [
    ["in a query", { in: "query", name: "fal_webhook" }, {}],
    ["in a header", { in: "header", name: "X-Callback" }, {}],
    ["nowhere, because the input names its own", { in: "json", name: "hook" }, { hook: "https://customer.test/" }]
  ] as const)
    it.scopedLive(`is told the address ${what}`, () =>
      Effect.gen(function* () {
        const callbacks = yield* ProviderCallbacks
        const provider = yield* serve((seen, response) => {
          const address = new URL(seen.url, "http://x").searchParams.get("fal_webhook") ?? seen.headers["x-callback"]
          if (typeof address === "string") Effect.runSync(callbacks.ring(tokenOf(address)))
          json(response, 200, seen.method === "GET" ? { state: "done", found: "it" } : { id: "7" })
        })
        const own = "hook" in input
        const async = { ...slow.async, callback, ...(own ? { maxIntervalMs: 5 } : {}) }
        const result = yield* callOnce(provider, { operation: { ...slow, async }, input, http: { callbacks } })
        assert.strictEqual(result._tag, "Answered")
        assert.strictEqual(provider.requests[0]!.body, own ? '{"hook":"https://customer.test/"}' : "{}")
      }).pipe(Effect.provide(Callbacks))
    )

  it.scopedLive("is told no address where the gateway has no public URL, and is polled as before", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        json(response, 200, seen.method === "GET" ? { state: "done", found: "it" } : { id: "7" })
      )
      assert.strictEqual((yield* callOnce(provider, { operation: slow }))._tag, "Answered")
      assert.strictEqual(provider.requests[0]!.body, "{}")
    })
  )
})

describe("the address of a callback", () => {
  const own = callbackKey(key)
  const { token, waitId } = writeToken(own, Buffer.alloc(16, 1), 1_800_000_000_000)

  it("is known to every node that has the secret, and in one spelling alone", () => {
    assert.deepStrictEqual(readToken(own, token), { waitId, endsAtMillis: 1_800_000_000_000 })
    assert.isNull(readToken(callbackKey(Buffer.alloc(32, 8)), token))
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === "A" ? "B" : "A"
      assert.isNull(readToken(own, `${token.slice(0, at)}${other}${token.slice(at + 1)}`))
    }
    for (const strange of ["", "a", `${token}=`, `${token}A`, token.slice(1), "a".repeat(10_000), "é".repeat(51)])
      assert.isNull(readToken(own, strange))
  })

  it.scoped("ends with the time of its operation", () =>
    Effect.gen(function* () {
      const callbacks = yield* ProviderCallbacks
      const opened = yield* callbacks.open(1_000)
      const told = tokenOf(opened?.url)
      assert.isFalse(yield* callbacks.ring("forged"))
      assert.isTrue(yield* callbacks.ring(told))
      yield* opened?.rung.await ?? Effect.void
      yield* TestClock.adjust("1001 millis")
      assert.isFalse(yield* callbacks.ring(told))
    }).pipe(Effect.provide(Callbacks))
  )
})

describe("the callback of a manifest", () => {
  const problemsOf = (operation: object) =>
    callbackProblems(endpointOf({ operation: { ...slow, ...operation } })).map(
      ({ message, path }) => `${path} ${message}`
    )
  const withCallback = (callback: object) => ({ async: { ...slow.async, callback } })

  it("goes to a place that the operation has", () => {
    assert.deepStrictEqual(problemsOf({}), [])
    assert.deepStrictEqual(
      [
        ...problemsOf({ method: "GET" }),
        ...problemsOf(withCallback({ in: "header", name: "not a name" })),
        ...problemsOf({
          ...withCallback({ in: "query", name: "hook" }),
          fixed: [{ in: "query", name: "hook", value: "x" }]
        }),
        ...problemsOf(withCallback({ in: "json", name: "a..b" })),
        ...problemsOf({ ...withCallback({ in: "json", name: "hook" }), fixed: [{ in: "form", name: "a", value: 1 }] })
      ],
      [
        "async.callback goes to a JSON body, and this operation sends none",
        "async.callback.with.0 goes to a JSON body, and this operation sends none",
        "async.callback cannot be sent as a header",
        "async.callback is sent already, by fixed hook",
        "async.callback has an empty step",
        "async.callback goes to a JSON body, and this operation sends none"
      ]
    )
  })

  it("has no place in a path", () => {
    const { operation } = endpointOf({ operation: slow })
    const read = Schema.decodeUnknownEither(Operation)
    assert.isTrue(Either.isRight(read({ ...operation })))
    assert.isTrue(Either.isLeft(read({ ...operation, ...withCallback({ in: "path", name: "hook" }) })))
  })
})
