import { it } from "@effect/vitest"
import { Effect, Layer, TestClock, TestContext } from "effect"
import { ReconciliationStored } from "../../src/layers/runs/ReconciliationStored.js"
import { engine, storageMemory } from "../support/engine.js"
import { commands, simulate } from "./Simulation.suite.js"
import { ProvidersByCase } from "./support/ProvidersByCase.js"
import { forAll } from "./support/seeds.js"
import { makeSetClock } from "../support/setClock.js"

it.effect(
  "random commands over several workspaces in memory: every answer and every balance is the model's",
  () => {
    const providers = ProvidersByCase()
    const services = Layer.provideMerge(
      ReconciliationStored({ twoPersonAboveMicros: null }),
      Layer.provideMerge(engine(providers.layer), storageMemory)
    )
    // Each with a storage and a clock of its own, so that a failing one is the same when it is alone.
    return forAll(commands, 40, (sequence) =>
      Effect.flatMap(makeSetClock(TestClock.adjust), (clock) =>
        Effect.withClock(Effect.provide(simulate(providers, clock)(sequence), services), clock)
      ).pipe(Effect.provide(TestContext.TestContext))
    )
  },
  300_000
)
