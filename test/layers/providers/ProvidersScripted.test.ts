// The scripted providers: what tests of everything above the engine stand on.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, TestClock } from "effect"
import { hash } from "node:crypto"
import type { ProviderCall } from "../../../src/domain/ProviderCall.js"
import { ProviderTimeout } from "../../../src/domain/RunFailures.js"
import {
  drop,
  fail,
  hit,
  miss,
  ProvidersScripted,
  silence,
  type Step,
  unreachable,
  weak
} from "../../../src/layers/providers/ProvidersScripted.js"
import { Providers } from "../../../src/services/Providers.js"
import { callEnd, callOf, certaintyOf } from "./support.js"

const call = callOf({
  operation: {
    job: "people.email.find",
    timeoutMs: 10_000,
    output: { fields: { email: "body.email" } },
    samples: { hit: { input: {}, body: { email: "documented@example.com" }, outcome: "hit" } }
  }
})
const calling = Effect.flatMap(Providers, (providers) => callEnd(providers.call(call)))

describe("scripted providers", () => {
  it.effect("take their steps in order, repeat the last, and keep the calls", () => {
    const scripted = ProvidersScripted({
      "test-operation": [miss(), weak({ email: "a@b.co" }), hit({ email: "c@b.co" }, { costMicros: 7 })]
    })
    return Effect.gen(function* () {
      const results = yield* Effect.all([calling, calling, calling, calling])
      assert.deepStrictEqual(
        results.map(
          (result) =>
            result._tag === "Answered" && [
              result.outcome,
              result.normalized?.verdict,
              result.normalized?.fields["email"]
            ]
        ),
        [
          ["miss", "empty", undefined],
          ["weak", "guessed", "a@b.co"],
          ["hit", "confirmed", "c@b.co"],
          ["hit", "confirmed", "c@b.co"]
        ]
      )
      assert.deepStrictEqual(results[2].cost, { _tag: "Reported", micros: 7 })
      assert.strictEqual(scripted.calls("test-operation").length, 4)
      assert.deepStrictEqual(scripted.calls("another"), [])
    }).pipe(Effect.provide(scripted.layer))
  })

  it.effect("answer the documented hit without a script", () =>
    Effect.gen(function* () {
      const result = yield* calling
      assert.deepStrictEqual(result._tag === "Answered" && result.body, {
        _tag: "Json",
        value: { email: "documented@example.com" }
      })
    }).pipe(Effect.provide(ProvidersScripted().layer))
  )

  it.effect("fail as certainly as they are told to", () => {
    const scripted = ProvidersScripted({
      "test-operation": [fail(new ProviderTimeout({}), { costMicros: -1 }), drop(), unreachable()]
    })
    return Effect.gen(function* () {
      const results = yield* Effect.all([calling, calling, calling])
      assert.deepStrictEqual(
        results.map(
          (result) => result._tag !== "Answered" && [result.failure.code, certaintyOf(result), result.cost._tag]
        ),
        [
          ["timeout", "answered", "Anomaly"],
          ["fetch_failed", "unanswered", "None"],
          ["fetch_failed", "not_sent", "None"]
        ]
      )
    }).pipe(Effect.provide(scripted.layer))
  })

  it.effect("take their time by the test's clock", () => {
    const scripted = ProvidersScripted({ "test-operation": [hit({}, { after: "3 seconds" })] })
    return Effect.gen(function* () {
      const slow = yield* Effect.fork(calling)
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(slow)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(slow))._tag, "Answered")
    }).pipe(Effect.provide(scripted.layer))
  })

  /** What a call has come to just before its limit, and at it. */
  const atLimit = (one: ProviderCall, step: Step, millis: number) =>
    Effect.gen(function* () {
      const providers = yield* Providers
      // As the call of an effectful operation, which is left to finish.
      const running = yield* Effect.fork(Effect.uninterruptible(callEnd(providers.call(one))))
      yield* TestClock.adjust(millis - 1)
      const before = yield* Fiber.poll(running)
      yield* TestClock.adjust(1)
      const end = yield* Fiber.join(running)
      return [before._tag, end._tag === "Answered" ? end.outcome : [end.failure._tag, certaintyOf(end)]]
    }).pipe(Effect.provide(ProvidersScripted({ "test-operation": step }).layer))

  it.effect("are ended at the time limit of the operation, as in production", () =>
    Effect.gen(function* () {
      const lost = ["None", ["timeout", "unanswered"]]
      const limit = call.endpoint.operation.timeoutMs
      assert.deepStrictEqual(yield* atLimit(call, silence, limit), lost)
      assert.deepStrictEqual(yield* atLimit(call, hit({}, { after: "1 hour" }), limit), lost)
      assert.deepStrictEqual(yield* atLimit(call, hit({}, { after: limit }), limit), lost)
      assert.deepStrictEqual(yield* atLimit(call, drop({ after: "1 hour" }), limit), lost)
      assert.deepStrictEqual(yield* atLimit(call, unreachable({ after: "1 hour" }), limit), [
        "None",
        ["timeout", "not_sent"]
      ])
      assert.deepStrictEqual(yield* atLimit(call, hit({}, { after: limit - 1 }), limit - 1), ["None", "hit"])
      const slow = callOf({
        operation: { async: { ticket: "body.id", poll: { path: "/jobs/{ticket}" }, done: "`true`", totalMs: 90_000 } }
      })
      assert.deepStrictEqual(yield* atLimit(slow, hit({}, { after: 89_999 }), 89_999), ["None", "hit"])
      assert.deepStrictEqual(yield* atLimit(slow, silence, 90_000), lost)
    })
  )

  it.effect("keep digests of what was sent and of what came back", () => {
    const scripted = ProvidersScripted({ "test-operation": [hit({ email: "c@b.co" }), drop(), unreachable()] })
    const sha256 = (text: string) => hash("sha256", text)
    return Effect.gen(function* () {
      const results = yield* Effect.all([calling, calling, calling])
      const sent = JSON.stringify(call.input)
      const told = JSON.stringify({ email: "c@b.co" })
      const request = {
        requestDigest: sha256(sent),
        responseDigest: null,
        requestBytes: sent.length,
        responseBytes: 0,
        providerRequestId: null
      }
      assert.deepStrictEqual(
        results.map(({ evidence }) => evidence),
        [{ ...request, responseDigest: sha256(told), responseBytes: told.length }, request, null]
      )
    }).pipe(Effect.provide(scripted.layer))
  })
})
