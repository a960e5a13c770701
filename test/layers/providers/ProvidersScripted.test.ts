// The scripted providers: what tests of everything above the engine stand on.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, TestClock } from "effect"
import { ProviderTimeout } from "../../../src/domain/RunFailures.js"
import {
  drop,
  fail,
  hit,
  miss,
  ProvidersScripted,
  silence,
  unreachable,
  weak
} from "../../../src/layers/providers/ProvidersScripted.js"
import { Providers } from "../../../src/services/Providers.js"
import { callEnd, callOf, certaintyOf } from "./support.js"

const call = callOf({
  operation: {
    job: "people.email.find",
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

  it.effect("take their time by the test's clock, or for ever", () => {
    const scripted = ProvidersScripted({ "test-operation": [hit({}, { after: "3 seconds" })] })
    return Effect.gen(function* () {
      const slow = yield* Effect.fork(calling)
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(slow)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(slow))._tag, "Answered")
      scripted.script("test-operation", silence)
      const never = yield* Effect.fork(calling)
      yield* TestClock.adjust("1 day")
      assert.isTrue(Option.isNone(yield* Fiber.poll(never)))
      yield* Fiber.interrupt(never)
    }).pipe(Effect.provide(scripted.layer))
  })
})
