/** Keeps what reports are made of up to date: every few seconds, by one node at a time. */
import { Effect, Layer } from "effect"
import { everySoOften } from "../node/Background.js"
import { Reports } from "../../services/Reports.js"

export const ReportsKept: Layer.Layer<never, never, Reports> = Layer.scopedDiscard(
  Effect.flatMap(Reports, ({ keep }) => everySoOften({ name: "keeping reports", every: "10 seconds" }, keep))
)
