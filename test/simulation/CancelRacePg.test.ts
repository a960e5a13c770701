import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, storagePg } from "../support/engine.js"
import { testDatabase } from "../support/postgres.js"
import { race, run, slots } from "./CancelRace.suite.js"
import { ProvidersByCase } from "./support/ProvidersByCase.js"
import { forAll } from "./support/seeds.js"

it.live(
  "races of cancels with dispatch and settlement on Postgres: each run ends once, and no micro is lost or doubled",
  () => {
    const providers = ProvidersByCase()
    // About the time of a statement, so that everything falls between everything.
    const pause = (moment: number) => Effect.sleep(moment / 3)
    const one = run({ providers, pause, tick: Effect.sleep("10 millis") })
    return forAll(race, 40, one).pipe(
      Effect.zipRight(Effect.flatMap(Wallet, ({ verify }) => verify)),
      Effect.map((verified) => assert.deepInclude(verified, { ok: true, driftMicros: 0 })),
      Effect.provide(
        Layer.provideMerge(
          engine(providers.layer, { slots, heartbeatMillis: 200, pollMillis: 100 }),
          Layer.provide(storagePg, testDatabase({ connectionsMax: 10 }))
        )
      )
    )
  },
  300_000
)
