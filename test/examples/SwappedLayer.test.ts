// One layer of the gateway is swapped for another one, inside of a checkout. docs/testing.md shows it.
import { it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, TestClock } from "effect"
import { assert } from "vitest"
import { ProvidersScripted } from "../../src/layers/providers/ProvidersScripted.js"
import { Providers } from "../../src/services/Providers.js"
import { Runs } from "../../src/services/Runs.js"
import { engine, funded, requestOf, storageMemory } from "../support/engine.js"

/** Every provider takes three seconds longer. */
const SlowProviders = Layer.effect(
  Providers,
  Effect.map(Providers, (providers) => ({
    ...providers,
    call: (call) => Effect.delay(providers.call(call), "3 seconds")
  }))
).pipe(Layer.provide(ProvidersScripted().layer))

const gateway = engine(SlowProviders).pipe(Layer.provideMerge(storageMemory))

it.effect("a run waits for slow providers", () =>
  Effect.gen(function* () {
    const principal = yield* funded(1_000_000)
    const runs = yield* Runs
    const running = yield* Effect.fork(runs.create(principal, requestOf("mock-email-find"), 20))
    yield* TestClock.adjust("2 seconds")
    assert.isTrue(Option.isNone(yield* Fiber.poll(running)))
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Fiber.join(running)).run.outcome, "hit")
  }).pipe(Effect.provide(gateway))
)
