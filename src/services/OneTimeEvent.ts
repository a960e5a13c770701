/**
 * An event that happens once and calls its listeners by a plain call. A listener only resumes a fiber that waits. A run
 * has two waits: its call may be stopped, and its client waits for its end. Made of these events, the two cost about
 * 70 µs of CPU less than in the plain form (`Deferred`, `raceFirst`, `timeoutOption`), of the about 1 ms that a run
 * takes: `npm run bench:waits`.
 */
import { Effect, Option } from "effect"

/** Calls the listener when the event happens, or at once if it has. Returns the function that removes the listener. */
export type Listen<A> = (listener: (value: A) => void) => () => void

export interface OneTimeEvent<A> {
  readonly listen: Listen<A>
  /** The value of the event; none until it happens. */
  readonly known: () => Option.Option<A>
  /** The first call counts; later calls change nothing. */
  readonly tell: (value: A) => void
}

export const makeOneTimeEvent = <A>(): OneTimeEvent<A> => {
  const listeners = new Set<(value: A) => void>()
  let happened = Option.none<A>()
  return {
    known: () => happened,
    listen: (listener) => {
      if (Option.isSome(happened)) {
        listener(happened.value)
        return () => undefined
      }
      // One function that listens twice is two listeners.
      const own = (value: A) => listener(value)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    tell: (value) => {
      if (Option.isSome(happened)) return
      happened = Option.some(value)
      const toTell = [...listeners]
      listeners.clear()
      for (const listener of toTell) listener(value)
    }
  }
}

/**
 * Ends with the event that happens first. After that, and when it is interrupted, it listens to none of the events any
 * more.
 */
export const firstOf = <A>(...sources: ReadonlyArray<Listen<A>>): Effect.Effect<A> =>
  Effect.async<A>((resume) => {
    const leaves: Array<() => void> = []
    const leave = () => leaves.forEach((each) => each())
    let hasHappened = false
    for (const listen of sources) {
      leaves.push(
        listen((value) => {
          hasHappened = true
          leave()
          resume(Effect.succeed(value))
        })
      )
      // One event has happened already. It must not listen to the rest, because nothing would remove those listeners.
      if (hasHappened) break
    }
    return Effect.sync(leave)
  })
