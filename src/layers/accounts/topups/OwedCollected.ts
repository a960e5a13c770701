/**
 * Takes what workspaces owe for refunds and disputes as soon as there is money on their balance again: every minute, a
 * portion at a time. Several nodes may do it at once, because each workspace is settled under the lock of its wallet.
 */
import { Effect, Layer } from "effect"
import { TopUpReports } from "../../../services/TopUpReports.js"
import { everySoOften } from "../../node/Background.js"

export const OwedCollected: Layer.Layer<never, never, TopUpReports> = Layer.scopedDiscard(
  Effect.flatMap(TopUpReports, ({ collectOwed }) =>
    everySoOften({ name: "collecting what is owed", every: "1 minute" }, collectOwed)
  )
)
