import { it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { ReconciliationStored } from "../../src/layers/ReconciliationStored.js"
import { engine, storageMemory } from "../support/engine.js"
import { commands, settings, simulate, start } from "./Simulation.suite.js"
import { ProvidersByCase } from "./support/ProvidersByCase.js"
import { forAll } from "./support/seeds.js"

it.effect("random commands over several workspaces in memory: every answer and every balance is the model's", () => {
  const providers = ProvidersByCase()
  const services = Layer.provideMerge(ReconciliationStored, Layer.provideMerge(engine(providers.layer, settings), storageMemory))
  // Each with a storage of its own, so that a failing one is the same when it is alone.
  return forAll(commands, 60, (sequence) => Effect.zipRight(TestClock.setTime(start), Effect.provide(simulate(providers)(sequence), services)))
}, 120_000)
