import { it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { ReconciliationStored } from "../../src/layers/ReconciliationStored.js"
import { engine, storagePg } from "../support/engine.js"
import { testDatabase } from "../support/postgres.js"
import { commands, settings, simulate, start } from "./Simulation.suite.js"
import { ProvidersByCase } from "./support/ProvidersByCase.js"
import { forAll } from "./support/seeds.js"

it.effect("random commands over several workspaces on Postgres: every answer and every balance is the model's", () => {
  const providers = ProvidersByCase()
  const storage = Layer.provide(storagePg, testDatabase({ connectionsMax: 10 }))
  const all = forAll(commands, 8, simulate(providers)).pipe(
    Effect.provide(Layer.provideMerge(ReconciliationStored, Layer.provideMerge(engine(providers.layer, settings), storage)))
  )
  return Effect.zipRight(TestClock.setTime(start), all)
}, 120_000)
