/** Forgets refused runs once they are old enough: in small portions, every few minutes, by one node at a time. */
import { Duration, Effect, Layer, Schedule } from "effect"
import { refusedRunDaysKept } from "../../domain/Limits.js"
import { RunStore } from "../../services/RunStore.js"

const portion = 500
const pause = "50 millis"
const every = "10 minutes"
const olderThanMillis = Duration.toMillis(Duration.days(refusedRunDaysKept))

export const RefusedRunsForgotten: Layer.Layer<never, never, RunStore> = Layer.scopedDiscard(
  Effect.gen(function* () {
    const store = yield* RunStore
    const forget = Effect.delay(store.forgetRefused({ olderThanMillis, limit: portion }), pause)
    // What storage cannot do now is done the next time.
    const all = Effect.ignore(Effect.repeat(forget, { while: (gone) => gone === portion }))
    yield* Effect.forkScoped(Effect.withTracerEnabled(Effect.schedule(all, Schedule.spaced(every)), false))
  })
)
