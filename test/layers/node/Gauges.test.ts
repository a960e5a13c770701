/** What the gauges say, how often they look, and that a storage that is away stops neither them nor the gateway. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { StorageBusy } from "../../../src/domain/StorageErrors.js"
import { exposition } from "../../../src/http/system/Exposition.js"
import { Gauges } from "../../../src/layers/node/Gauges.js"
import { Dispatcher } from "../../../src/services/Dispatcher.js"
import { LedgerChecks } from "../../../src/services/LedgerChecks.js"
import { RunStore } from "../../../src/services/RunStore.js"
import { queuedRun } from "../../support/httpSamples.js"

const names = [
  "gateway_runs_active",
  "gateway_runs_queue_oldest_seconds",
  "gateway_runs_uncertain_oldest_seconds",
  "gateway_ledger_drift_micros",
  "gateway_ledger_adds_up"
] as const
/** As `/metrics` shows them. */
const gauges = Effect.map(exposition, (text) =>
  names.map((name) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]))
)

const world = () => ({
  away: false,
  looks: 0,
  checks: 0,
  drift: 0,
  difference: null as string | null,
  queuedSince: null as number | null,
  uncertainSince: null as number | null
})

/** The gauges over what a test says, for as long as its scope lives. */
const started = (now: ReturnType<typeof world>, ledgerCheckSeconds: number) => {
  const unlessAway = <A>(answer: () => A) =>
    Effect.suspend(() => (now.away ? Effect.fail(new StorageBusy({ retryAfterSeconds: 1 })) : Effect.sync(answer)))
  const services = Layer.mergeAll(
    Layer.succeed(Dispatcher, { active: Effect.sync(() => (now.looks++, 3)) } as Dispatcher["Type"]),
    Layer.succeed(RunStore, {
      queuedSince: unlessAway(() => now.queuedSince),
      uncertain: () =>
        unlessAway(() => ({
          items: now.uncertainSince === null ? [] : [{ ...queuedRun, createdAt: now.uncertainSince }],
          next: null
        }))
    } as unknown as RunStore["Type"]),
    Layer.succeed(LedgerChecks, {
      latest: () =>
        unlessAway(
          () => (
            now.checks++,
            { checkedAt: now.checks * 1_000, tookMillis: 1, driftMicros: now.drift, difference: now.difference }
          )
        )
    })
  )
  return Layer.build(Layer.provide(Gauges({ ledgerCheckSeconds }), services))
}

it.scoped("are looked up every 15 seconds, the ledger every minute, and never by whoever reads them", () =>
  Effect.gen(function* () {
    const now = world()
    yield* TestClock.setTime(1_000_000)
    yield* started(now, 60)
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(yield* gauges, [3, 0, 0, 0, 1])
    Object.assign(now, { queuedSince: 995_000, uncertainSince: 400_000, drift: 7, difference: "a hold" })
    yield* TestClock.adjust(14_999)
    assert.deepStrictEqual(yield* gauges, [3, 0, 0, 0, 1])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* gauges, [3, 20, 615, 0, 1])
    yield* TestClock.adjust(45_000)
    assert.deepStrictEqual(yield* gauges, [3, 65, 660, 7, 0])
    assert.deepStrictEqual([now.looks, now.checks], [5, 2])
  })
)

it.scoped("keep their last values while storage is away, and go on when it is back", () =>
  Effect.gen(function* () {
    const now = world()
    yield* TestClock.setTime(1_000_000)
    Object.assign(now, { queuedSince: 1_000_000, drift: 5, difference: "a balance" })
    yield* started(now, 60)
    yield* TestClock.adjust(15_000)
    now.away = true
    yield* TestClock.adjust(120_000)
    assert.deepStrictEqual(yield* gauges, [3, 15, 0, 5, 0])
    Object.assign(now, { away: false, drift: 0, difference: null })
    yield* TestClock.adjust(60_000)
    assert.deepStrictEqual(yield* gauges, [3, 195, 0, 0, 1])
  })
)

it.scoped("say of a ledger that does not add up so, also where it is off by nothing", () =>
  Effect.gen(function* () {
    yield* started({ ...world(), difference: "an entry between the wrong accounts" }, 60)
    yield* TestClock.adjust(0)
    assert.deepStrictEqual((yield* gauges).slice(-2), [0, 0])
  })
)

it.scoped("ask for no check of the ledger when that is off", () =>
  Effect.gen(function* () {
    const off = world()
    yield* started(off, 0)
    yield* TestClock.adjust("1 hours")
    assert.strictEqual(off.checks, 0)
    assert.isAbove(off.looks, 1)
  })
)
