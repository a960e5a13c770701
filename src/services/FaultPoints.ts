/**
 * Named places in the life of a run where a test may end the process, to prove that nothing is lost there. Off by
 * default; they decide nothing and change nothing.
 */
import { Context, type Effect } from "effect"

export const faultPoints = [
  "admission.after_key",
  "admission.after_hold",
  "dispatch.before_send",
  "dispatch.after_send",
  "settlement.before",
  "settlement.inside"
] as const
export type FaultPoint = (typeof faultPoints)[number]

export class FaultPoints extends Context.Tag("gateway/services/FaultPoints")<
  FaultPoints,
  {
    readonly at: (point: FaultPoint) => Effect.Effect<void>
    /** The point lies somewhere inside `work`, once it is under way. */
    readonly during: <A, E>(point: FaultPoint, work: Effect.Effect<A, E>) => Effect.Effect<A, E>
  }
>() {}
