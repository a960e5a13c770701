/**
 * Tells listeners when a time is over. All deadlines of a node share one sleeping fiber, because most of them never
 * come: a run ends long before its client stops to wait, and a fiber for each wait would be made for nothing. A
 * listener that goes away costs nothing later. Deadlines are met to the millisecond of the clock's sleep, and never
 * early.
 */
import { Effect, type Fiber, FiberId, FiberSet, type Scope } from "effect"
import type { Listen } from "./OneTimeEvent.js"
import { makeUnderWay } from "./UnderWay.js"

export interface Deadlines {
  /** An event that happens so many milliseconds from the moment when it is listened to. */
  readonly after: (millis: number) => Listen<void>
}

interface Wait {
  readonly at: number
  readonly tell: () => void
  leave: () => void
}

export const makeDeadlines: Effect.Effect<Deadlines, never, Scope.Scope> = Effect.gen(function* () {
  const clock = yield* Effect.clock
  /** Of the clock that nobody can set. */
  const nowMillis = (): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6
  const run = yield* FiberSet.makeRuntime<never>()
  const waits = makeUnderWay<Wait>()
  /** The one sleeper, and when it wakes up. */
  let sleeper: { readonly fiber: Fiber.RuntimeFiber<void>; readonly wakesAt: number } | null = null

  const sleepUntil = (wakesAt: number): void => {
    const before = sleeper
    const woken = Effect.sync(() => {
      sleeper = null
      tellAllThatAreOver()
    })
    sleeper = { fiber: run(Effect.zipRight(Effect.sleep(Math.ceil(wakesAt - nowMillis())), woken)), wakesAt }
    before?.fiber.unsafeInterruptAsFork(FiberId.none)
  }

  const tellAllThatAreOver = (): void => {
    const now = nowMillis()
    const over = [...waits].filter(({ at }) => at <= now)
    for (const wait of over) wait.leave()
    let earliest = Number.POSITIVE_INFINITY
    for (const { at } of waits) earliest = Math.min(earliest, at)
    if (waits.size() > 0) sleepUntil(earliest)
    for (const wait of over) wait.tell()
  }

  return {
    after: (millis) => (listener) => {
      const wait: Wait = { at: nowMillis() + millis, tell: () => listener(), leave: () => {} }
      wait.leave = waits.add(wait)
      if (sleeper === null || wait.at < sleeper.wakesAt) sleepUntil(wait.at)
      return wait.leave
    }
  }
})
