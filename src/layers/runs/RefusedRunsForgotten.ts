/** Forgets refused runs once they are old enough: in small portions, every few minutes, by one node at a time. */
import { Duration, Effect, Layer } from "effect"
import { refusedRunDaysKept } from "../../domain/limits/Runs.js"
import { everySoOften } from "../node/Background.js"
import { RunStore } from "../../services/RunStore.js"

const portion = 500
const pause = "50 millis"
const olderThanMillis = Duration.toMillis(Duration.days(refusedRunDaysKept))

export const RefusedRunsForgotten: Layer.Layer<never, never, RunStore> = Layer.scopedDiscard(
  Effect.gen(function* () {
    const store = yield* RunStore
    const forget = Effect.delay(store.forgetRefused({ olderThanMillis, limit: portion }), pause)
    yield* everySoOften(
      { name: "forgetting refused runs", every: "10 minutes" },
      Effect.repeat(forget, { while: (gone) => gone === portion })
    )
  })
)
