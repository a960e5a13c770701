/**
 * A fact that becomes known once and is told to whoever listens by a plain call. Races between fibers say the same, but
 * each costs a run as much as a query, and a run waits in several places: those waits are made of this. A listener only
 * resumes what waits.
 */
import { Effect, Option } from "effect"

/** Calls the listener when the fact is known, at once if it is already; the answer takes the listener away again. */
export type Listen<A> = (listener: (value: A) => void) => () => void

export interface Once<A> {
  readonly listen: Listen<A>
  /** None until it is told. */
  readonly known: () => Option.Option<A>
  /** The first word counts: later ones change nothing. */
  readonly tell: (value: A) => void
}

export const makeOnce = <A>(): Once<A> => {
  const listeners = new Set<(value: A) => void>()
  let fact = Option.none<A>()
  return {
    known: () => fact,
    listen: (listener) => {
      if (Option.isSome(fact)) {
        listener(fact.value)
        return () => undefined
      }
      // One function that listens twice is two listeners.
      const own = (value: A) => listener(value)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    tell: (value) => {
      if (Option.isSome(fact)) return
      fact = Option.some(value)
      const told = [...listeners]
      listeners.clear()
      for (const listener of told) listener(value)
    }
  }
}

/** Ends with whatever is known first; then, and when it is interrupted, it listens to none of them any more. */
export const firstOf = <A>(...sources: ReadonlyArray<Listen<A>>): Effect.Effect<A> =>
  Effect.async<A>((resume) => {
    const leaves: Array<() => void> = []
    const leave = () => leaves.forEach((each) => each())
    let told = false
    for (const listen of sources) {
      leaves.push(
        listen((value) => {
          told = true
          leave()
          resume(Effect.succeed(value))
        })
      )
      // Known already: the rest is not listened to at all, because nobody would leave it.
      if (told) break
    }
    return Effect.sync(leave)
  })
