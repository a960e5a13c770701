/** Charges saved cards while their owners are away. Decides nothing and touches no balance. */
import { Context, Data, type Effect } from "effect"
import type { TopUpId, WorkspaceId } from "../domain/Ids.js"
import type { Micros } from "../domain/Micros.js"
import type { ChargeStop } from "../domain/PaymentReport.js"

/** The card was not charged, and trying again would not help. */
export class ChargeRefused extends Data.TaggedError("ChargeRefused")<{ readonly stop: ChargeStop }> {}
/** Nobody knows whether the card was charged. The same request tells later. */
export class ChargeUncertain extends Data.TaggedError("ChargeUncertain")<{}> {}

export interface Charged {
  /** `open`: the money is on its way. An event tells how it ends. */
  readonly state: "paid" | "open" | "failed"
  readonly reference: string
  /** Null where it is no amount of US dollars. */
  readonly amountMicros: Micros | null
}

export class OffSessionPayments extends Context.Tag("gateway/services/OffSessionPayments")<
  OffSessionPayments,
  {
    /** The same top-up is charged once, however often this is called within a day of the first call. */
    readonly charge: (request: {
      readonly topUpId: TopUpId
      readonly workspaceId: WorkspaceId
      readonly amountMicros: Micros
      /** The processor's name of the card. */
      readonly method: string
    }) => Effect.Effect<Charged, ChargeRefused | ChargeUncertain>
    /** The payment of a top-up, found by what was written on it; null where there is none, or none so far. */
    readonly find: (topUpId: TopUpId) => Effect.Effect<Charged | null, ChargeUncertain>
  }
>() {}
