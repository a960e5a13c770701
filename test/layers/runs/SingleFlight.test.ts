import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted, Schema } from "effect"
import { describe } from "vitest"
import { RunId, WorkspaceId } from "../../../src/domain/Ids.js"
import { Operation, ProviderId } from "../../../src/domain/Manifest.js"
import { notSent, type ProviderAnswer, type ProviderCall } from "../../../src/domain/ProviderCall.js"
import type { Run } from "../../../src/domain/Run.js"
import { RouteDenied } from "../../../src/domain/RunFailures.js"
import { makeEndpoint } from "../../../src/layers/catalog/ManifestEndpoints.js"
import { makeSingleFlight, mayShare } from "../../../src/layers/runs/dispatch/SingleFlight.js"

const operation = Schema.decodeUnknownSync(Operation)({
  id: "look-up",
  name: "Look up",
  summary: "Looks something up.",
  method: "GET",
  path: "/look-up",
  input: { type: "object" },
  price: { basis: "per_call", micros: 10 }
})
const provider = {
  id: ProviderId.make("real"),
  name: "Real",
  baseUrl: "https://real.example",
  mock: false,
  auth: { type: "none" },
  ownKey: true,
  platformKey: true,
  fixed: [],
  facts: {}
} as const
const endpoint = makeEndpoint(provider, operation)

const call = (input: ProviderCall["input"] = { q: "a" }): ProviderCall => ({
  endpoint,
  input,
  credential: { _tag: "None" },
  attemptReference: "att"
})
const connected = (connectionId: string): ProviderCall => ({
  ...call(),
  credential: { _tag: "Connection", connectionId, secret: Redacted.make("secret") }
})
const run = (n: number, workspace = 0) =>
  ({
    runId: RunId.make(`run_${String(n).padStart(26, "0")}`),
    workspaceId: WorkspaceId.make(`ws_${String(workspace).padStart(26, "0")}`)
  }) as Run
const answer: ProviderAnswer = {
  outcome: "hit",
  outcomeReason: "",
  body: { _tag: "Json", value: {} },
  normalized: null,
  providerStatus: 200,
  resultCount: null,
  cost: { _tag: "None" },
  evidence: { requestDigest: "", responseDigest: null, requestBytes: 0, responseBytes: 0, providerRequestId: null }
}

/** A provider that counts its calls and answers when it is told to. */
const slow = Effect.map(Deferred.make<void>(), (go) => {
  let calls = 0
  return {
    go: Deferred.succeed(go, undefined),
    made: () => calls,
    call: Effect.suspend(() => (calls++, Effect.as(Deferred.await(go), answer)))
  }
})

describe("single flight", () => {
  it.effect("identical look-ups under way at once share one call, and the others learn whose it was", () =>
    Effect.gen(function* () {
      const { share } = makeSingleFlight()
      const provider = yield* slow
      const fibers = yield* Effect.forEach([1, 2, 3], (n) => Effect.fork(share(run(n), call(), provider.call)))
      yield* Effect.yieldNow()
      yield* provider.go
      const results = yield* Effect.forEach(fibers, Fiber.join)
      assert.strictEqual(provider.made(), 1)
      assert.deepStrictEqual(
        results.map(({ sharedWithRunId }) => sharedWithRunId),
        [null, run(1).runId, run(1).runId]
      )
      assert.isTrue(results.every((shared) => shared.answer === answer))
    })
  )

  it.effect(
    "look-ups that follow one another, or differ in anything that an answer depends on, are calls of their own",
    () =>
      Effect.gen(function* () {
        const { share } = makeSingleFlight()
        const provider = yield* slow
        const fibers = yield* Effect.forEach(
          [
            share(run(1), call(), provider.call),
            share(run(2), call({ q: "b" }), provider.call),
            share(run(3, 1), call(), provider.call),
            share(run(5), connected("con_a"), provider.call),
            share(run(6), connected("con_b"), provider.call),
            share(run(7), { ...call(), endpoint: { ...endpoint, contractVersion: "another" } }, provider.call)
          ],
          Effect.fork
        )
        yield* Effect.yieldNow()
        yield* provider.go
        yield* Effect.forEach(fibers, Fiber.join)
        assert.strictEqual(provider.made(), 6)
        yield* share(run(4), call(), provider.call)
        assert.strictEqual(provider.made(), 7)
      })
  )

  it.effect(
    "when the first is stopped before its answer, the others are told, and the next makes a call of its own",
    () =>
      Effect.gen(function* () {
        const { share } = makeSingleFlight()
        const provider = yield* slow
        const first = yield* Effect.fork(share(run(1), call(), provider.call))
        yield* Effect.yieldNow()
        const second = yield* Effect.fork(share(run(2), call(), provider.call))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(first)
        assert.strictEqual((yield* Effect.flip(Fiber.join(second)))._tag, "SharedCallStopped")
        // What it checked before it waited may not hold any more, so it is not the one that calls here.
        assert.strictEqual(provider.made(), 1)
        yield* provider.go
        assert.strictEqual((yield* share(run(2), call(), provider.call)).sharedWithRunId, null)
        assert.strictEqual(provider.made(), 2)
      })
  )

  it.effect("the failure of the first is the failure of all, and the others learn whose call it was", () =>
    Effect.gen(function* () {
      const { share } = makeSingleFlight()
      const provider = yield* slow
      const refused = notSent(new RouteDenied())
      const failing = Effect.zipRight(provider.call, refused)
      const fibers = yield* Effect.forEach([1, 2, 3], (n) => Effect.fork(share(run(n), call(), failing)))
      yield* Effect.yieldNow()
      yield* provider.go
      const failures = yield* Effect.forEach(fibers, (fiber) => Effect.flip(Fiber.join(fiber)))
      assert.strictEqual(provider.made(), 1)
      assert.deepStrictEqual(
        failures.map((failed) =>
          failed._tag === "SharedCallFailed" ? [failed.failed, failed.sharedWithRunId] : [failed, null]
        ),
        [
          [refused, null],
          [refused, run(1).runId],
          [refused, run(1).runId]
        ]
      )
    })
  )

  it("never shares an effectful call, nor a fixture's", () => {
    assert.isTrue(mayShare(call()))
    assert.isFalse(mayShare({ ...call(), endpoint: { ...endpoint, operation: { ...operation, effect: "effectful" } } }))
    assert.isFalse(mayShare({ ...call(), endpoint: { ...endpoint, provider: { ...provider, mock: true } } }))
  })
})
