/** The slots of one node, which limit how many runs it works on at once. Nothing here waits for a slot. */
import { Effect, Ref } from "effect"
import type { Slot } from "../../../services/Dispatcher.js"
import type { Lease } from "../../../services/RunStore.js"

export interface Slots {
  /** Takes the wanted number of slots, or as many as are free, and answers how many it took. */
  readonly take: (wanted: number) => Effect.Effect<number>
  /** Gives back slots that were taken and not used. */
  readonly giveBack: (count: number) => Effect.Effect<void>
  /** A taken slot for the run under this lease, which was stored after `sinceNanos`. */
  readonly slotFor: (lease: Lease, sinceNanos: bigint) => Effect.Effect<Slot>
}

/** `freed` runs after a slot was released. */
export const makeSlots = (slotsMax: number, freed: Effect.Effect<void>): Effect.Effect<Slots> =>
  Effect.map(Ref.make(0), (taken) => {
    const giveBack = (count: number) => Ref.update(taken, (n) => n - count)
    const release = Effect.zipRight(giveBack(1), freed)
    return {
      take: (wanted) =>
        Ref.modify(taken, (n) => {
          const got = Math.max(0, Math.min(wanted, slotsMax - n))
          return [got, n + got]
        }),
      giveBack,
      slotFor: (lease, sinceNanos) =>
        Effect.map(Ref.make(false), (released) => ({
          lease,
          sinceNanos,
          release: Effect.flatMap(Ref.getAndSet(released, true), (before) => (before ? Effect.void : release))
        }))
    }
  })
