/** A provider that an operator switches off is called no more, also by runs that were admitted before. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { ProviderId } from "../../../src/domain/Manifest.js"
import {
  Caller,
  hit,
  type Manifest,
  miss,
  PlatformKeys,
  ProviderHealth,
  run,
  Runs,
  testGateway,
  Wallet
} from "../../../src/testing.js"

const input = { name: "Ada Example", domain: "example.com" }
const email = { found: true, email: "ada@example.com", status: "deliverable" }

/** Runs begin; the second of two providers is put into this state; then the first one answers. */
const runsWhile = (
  state: "draining" | "disabled",
  requests: ReadonlyArray<{ readonly endpointId: string; readonly fallback?: boolean }>,
  slots: number
) =>
  Effect.suspend(() => {
    const gateway = testGateway({
      providers: { "mock-email-find": miss(undefined, { after: "3 seconds" }), "mock-slow-email-find": hit(email) },
      dispatcher: { slots }
    })
    return Effect.gen(function* () {
      const { principal } = yield* Caller
      const running = yield* Effect.forEach(requests, (request) => Effect.fork(run({ input, ...request })))
      yield* TestClock.adjust("2 seconds")
      const health = yield* ProviderHealth
      yield* health.setState("mock-slow", state, commandLine)
      yield* TestClock.adjust("2 seconds")
      const ended = yield* Effect.forEach(running, Fiber.join)
      const runs = yield* Runs
      const shown = yield* Effect.forEach(ended, ({ run: { error, outcome, runId } }) =>
        Effect.map(runs.get(principal.workspaceId, runId), ({ attempts }) => ({
          outcome,
          error: error?.code ?? null,
          attempts: attempts.map(({ costMicros, endpointId, errorCode }) => `${endpointId} ${errorCode} ${costMicros}`)
        }))
      )
      const { availableMicros } = yield* (yield* Wallet).balance(principal.workspaceId)
      return {
        runs: shown,
        called: gateway.calls().map(({ endpoint }): string => endpoint.operation.id),
        spentMicros: 100_000_000 - availableMicros
      }
    }).pipe(Effect.provide(gateway.services))
  })

const job = { endpointId: "job:people.email.find", fallback: true }
const missed = "mock-email-find null 0"
const switchedOff = "mock-slow-email-find provider_disabled 0"

it.effect("a job that comes to a provider which was switched off meanwhile passes it by at no cost", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* runsWhile("disabled", [job], 16), {
      runs: [{ outcome: "miss", error: null, attempts: [missed, switchedOff] }],
      called: ["mock-email-find"],
      spentMicros: 0
    })
  })
)

it.effect("a run that waited for a slot while its provider was switched off fails at no cost", () =>
  Effect.gen(function* () {
    const tools = [{ endpointId: "mock-email-find" }, { endpointId: "mock-slow-email-find" }]
    assert.deepStrictEqual(yield* runsWhile("disabled", tools, 1), {
      runs: [
        { outcome: "miss", error: null, attempts: [missed] },
        { outcome: "error", error: "provider_disabled", attempts: [switchedOff] }
      ],
      called: ["mock-email-find"],
      spentMicros: 0
    })
  })
)

it.effect("a provider that is being emptied gets the runs that were admitted before", () =>
  Effect.gen(function* () {
    const { called, runs } = yield* runsWhile("draining", [job], 16)
    assert.deepStrictEqual([called, runs[0]?.outcome], [["mock-email-find", "mock-slow-email-find"], "hit"])
  })
)

/** Calls of fixtures are never shared, so this one is none. */
const oracle: Manifest = {
  id: "oracle",
  name: "Oracle",
  baseUrl: "https://oracle.example",
  auth: { type: "header", name: "x-api-key" },
  operations: [
    {
      id: "oracle-ask",
      name: "Ask",
      summary: "Answers a question.",
      method: "GET",
      path: "/ask",
      input: { type: "object", properties: { q: { type: "string" } } },
      price: { basis: "per_call", micros: 700 }
    }
  ]
}

/** Two runs share a call; meanwhile `change` is made, and then the run that made the call is cancelled. */
const secondOfTwoAfter = <E>(change: Effect.Effect<unknown, E, PlatformKeys | ProviderHealth>) =>
  Effect.suspend(() => {
    const gateway = testGateway({
      manifests: [oracle],
      providers: { "oracle-ask": hit({ answer: 42 }, { after: "10 seconds" }) }
    })
    return Effect.gen(function* () {
      const { principal } = yield* Caller
      const runs = yield* Runs
      const ask = run({ endpointId: "oracle-ask", input: { q: "why" } }, 0)
      const [first, second] = [yield* ask, yield* ask]
      yield* TestClock.adjust("2 seconds")
      const shared = gateway.calls().length
      yield* change
      const cancelling = yield* Effect.fork(runs.cancel(principal.workspaceId, first.run.runId))
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(cancelling)
      const { run: ended } = yield* runs.get(principal.workspaceId, second.run.runId)
      return {
        shared,
        calls: gateway.calls().length,
        second: [ended.outcome, ended.error?.code ?? null, Number(ended.chargeMicros)]
      }
    }).pipe(Effect.provide(gateway.services))
  })

it.effect("a run whose shared call was stopped makes a call of its own", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* secondOfTwoAfter(Effect.void), { shared: 1, calls: 2, second: ["hit", null, 700] })
  })
)

it.effect("a run whose shared call was stopped does not call a provider that was switched off meanwhile", () =>
  Effect.gen(function* () {
    const switchOff = Effect.flatMap(ProviderHealth, (health) =>
      health.setState(ProviderId.make("oracle"), "disabled", commandLine)
    )
    assert.deepStrictEqual(yield* secondOfTwoAfter(switchOff), {
      shared: 1,
      calls: 1,
      second: ["error", "provider_disabled", 0]
    })
  })
)

it.effect("a run whose shared call was stopped does not use a key that was taken back meanwhile", () =>
  Effect.gen(function* () {
    const takeBack = Effect.flatMap(PlatformKeys, (keys) => keys.remove(ProviderId.make("oracle"), commandLine))
    assert.deepStrictEqual(yield* secondOfTwoAfter(takeBack), {
      shared: 1,
      calls: 1,
      second: ["error", "platform_key_missing", 0]
    })
  })
)
