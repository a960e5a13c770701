/** Waiting for what a test cannot be told of: it looks again and again, for a bounded time. */
import { inspect } from "node:util"
import { Clock, Effect } from "effect"

/** Pauses are of the machine's time: a test that moves a clock of its own does not move what it waits for here. */
const machine = Clock.make()
const pause = Effect.withClock(Effect.sleep("10 millis"), machine)
const patienceMillis = 30_000

/** Looks until what is found is `wanted`, and fails with the last thing found where that does not come. */
export const eventually = <A, E, R>(look: Effect.Effect<A, E, R>, wanted: (found: A) => boolean) =>
  Effect.gen(function* () {
    const end = machine.unsafeCurrentTimeMillis() + patienceMillis
    let found = yield* look
    while (!wanted(found)) {
      if (machine.unsafeCurrentTimeMillis() > end)
        return yield* Effect.dieMessage(`still not what was waited for: ${inspect(found, { depth: 6 })}`)
      yield* pause
      found = yield* look
    }
    return found
  })
