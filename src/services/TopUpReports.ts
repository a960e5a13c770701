/**
 * What a payment processor reports about a top-up, any number of times and in any order. Money is credited once, and a
 * paid top-up stays paid.
 */
import { Context, type Effect } from "effect"
import type { NotFound } from "../domain/ApiErrors.js"
import type { TopUpId } from "../domain/Ids.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { TopUp } from "./TopUps.js"

export class TopUpReports extends Context.Tag("gateway/services/TopUpReports")<
  TopUpReports,
  {
    /**
     * Credits the wallet together with the status. `reference` is the processor's name of the payment. Answers the
     * top-up as it then is.
     */
    readonly markPaid: (topUpId: TopUpId, reference: string) => Effect.Effect<TopUp, NotFound | StorageError>
    readonly markUnpaid: (
      topUpId: TopUpId,
      status: "expired" | "failed"
    ) => Effect.Effect<TopUp, NotFound | StorageError>
  }
>() {}
