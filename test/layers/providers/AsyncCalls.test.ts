// Operations that answer with a ticket: started once, polled, and cancelled at the provider when nobody waits any more.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Providers } from "../../../src/services/Providers.js"
import { callOf, callOnce, certaintyOf, engine, json, type Seen, serve } from "./support.js"

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
