/**
 * What the two waits on the path of a run cost, in the form of the gateway and in the plain form of Effect: a call that
 * may be stopped from outside, and a client that waits for the end of its run. Microseconds of CPU per wait, medians of
 * alternating rounds.
 */
import { Deferred, Effect, type Exit, Fiber, Option } from "effect"
import { type Deadlines, makeDeadlines } from "../src/services/Deadlines.js"
import { waitFor } from "../src/layers/runs/Waiting.js"
import type { Draining } from "../src/services/Draining.js"
import { firstOf, makeOneTimeEvent, type OneTimeEvent } from "../src/services/OneTimeEvent.js"
import { optionsOf } from "./Options.js"
import { median } from "./Quantiles.js"

optionsOf({})
const waits = 20_000
const rounds = 7

/** Stands for a call: it ends at once, but not in the same turn. */
const call = Effect.promise(() => Promise.resolve(1))

const draining: Draining["Type"] = {
  announce: Effect.void,
  announced: Effect.succeed(false),
  endWaits: Effect.void,
  waitsEnded: Effect.succeed(false),
  whenWaitsEnd: () => () => undefined
}

/** As in `AttemptCall.ts`. */
const stoppable = (stop: OneTimeEvent<"cancelled">) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.fork(restore(call)), (calling) =>
      restore(
        firstOf<Exit.Exit<number> | "cancelled">((listener) => {
          calling.addObserver(listener)
          return () => calling.removeObserver(listener)
        }, stop.listen)
      ).pipe(
        Effect.onInterrupt(() => Fiber.interrupt(calling)),
        Effect.flatMap((ended) => (ended === "cancelled" ? Effect.as(Fiber.interrupt(calling), 0) : ended))
      )
    )
  )

const never = Effect.runSync(Deferred.make<void>())

const formsWith = (deadlines: Deadlines): { readonly [name: string]: Effect.Effect<unknown> } => ({
  "a call that may be stopped: listeners": Effect.suspend(() => stoppable(makeOneTimeEvent())),
  "a call that may be stopped: Effect.raceFirst": Effect.flatMap(Deferred.make<"cancelled">(), (stop) =>
    Effect.raceFirst(call, Deferred.await(stop))
  ),
  "a client that waits: listeners": Effect.suspend(() => {
    const ended = makeOneTimeEvent<number>()
    return Effect.zipRight(
      Effect.fork(Effect.tap(call, (value) => Effect.sync(() => ended.tell(value)))),
      waitFor({ deadlines, draining }, ended.listen, 20_000)
    )
  }),
  "a client that waits: raceFirst and timeoutOption": Effect.flatMap(Deferred.make<number>(), (ended) =>
    Effect.zipRight(
      Effect.fork(Effect.tap(call, (value) => Deferred.succeed(ended, value))),
      Effect.timeoutOption(
        Effect.raceFirst(
          Effect.map(Deferred.await(ended), Option.some),
          Effect.as(Deferred.await(never), Option.none())
        ),
        "20 seconds"
      )
    )
  )
})

const measured = (form: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const before = process.cpuUsage()
    yield* Effect.replicateEffect(form, waits, { discard: true })
    const { system, user } = process.cpuUsage(before)
    return (system + user) / waits
  })

const main = Effect.gen(function* () {
  const found = new Map<string, Array<number>>()
  const forms = formsWith(yield* makeDeadlines)
  for (let round = 0; round <= rounds; round++) {
    for (const [name, form] of Object.entries(forms)) {
      const micros = yield* measured(form)
      // The first round warms up.
      if (round > 0) found.set(name, [...(found.get(name) ?? []), micros])
    }
  }
  for (const [name, values] of found) console.log(`${median(values).toFixed(1).padStart(7)} µs  ${name}`)
})

await Effect.runPromise(Effect.scoped(main))
