/** Two hundred races of the seed; `npm run races` runs two thousand others. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, storageMemory } from "../support/engine.js"
import { race, run, slots } from "./CancelRace.suite.js"
import { ProvidersByCase } from "./support/ProvidersByCase.js"
import { SeededScheduler } from "./support/SeededScheduler.js"
import { forAll } from "./support/seeds.js"

it.effect(
  "seeded races of cancels with dispatch and settlement: each run ends once, and no micro is lost or doubled",
  () => {
    const scheduler = new SeededScheduler()
    const providers = ProvidersByCase()
    const pause = (moment: number) => Effect.repeatN(Effect.yieldNow(), moment)
    const one = run({ providers, pause, tick: TestClock.adjust("250 millis") })
    return forAll(race, 200, (drawn) =>
      Effect.zipRight(
        Effect.sync(() => scheduler.reseed(drawn.seed)),
        one(drawn)
      )
    ).pipe(
      Effect.zipRight(Effect.flatMap(Wallet, ({ verify }) => verify)),
      Effect.map((verified) => assert.deepInclude(verified, { ok: true, driftMicros: 0 })),
      Effect.provide(Layer.provideMerge(engine(providers.layer, { slots }), storageMemory)),
      Effect.withScheduler(scheduler)
    )
  }
)
