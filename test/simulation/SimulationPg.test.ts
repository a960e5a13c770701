import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ReconciliationStored } from "../../src/layers/runs/ReconciliationStored.js"
import { engine, storagePgByClock } from "../support/engine.js"
import { testDatabase } from "../support/postgres.js"
import { commands, simulate } from "./Simulation.suite.js"
import { ProvidersByCase } from "./support/ProvidersByCase.js"
import { forAll } from "./support/seeds.js"
import { makeSetClock } from "../support/setClock.js"

it.live(
  "random commands over several workspaces on Postgres: every answer and every balance is the model's",
  () => {
    const providers = ProvidersByCase()
    const storage = Layer.provide(storagePgByClock, testDatabase({ connectionsMax: 10 }))
    const services = Layer.provideMerge(
      ReconciliationStored({ twoPersonAboveMicros: null }),
      Layer.provideMerge(engine(providers.layer), storage)
    )
    // What sleeps there sleeps by the real clock: Postgres cannot be told to wait.
    return Effect.flatMap(
      makeSetClock(() => Effect.void),
      (clock) => forAll(commands, 8, simulate(providers, clock)).pipe(Effect.provide(services), Effect.withClock(clock))
    )
  },
  300_000
)
