/** Keeps balances above the rules of their workspaces, every few seconds, on every node. */
import { Effect, Layer } from "effect"
import { automaticTopUpSeconds } from "../../../domain/limits/Workspaces.js"
import { AutomaticTopUps } from "../../../services/AutomaticTopUps.js"
import { everySoOften } from "../../node/Background.js"

export const AutomaticTopUpsKept: Layer.Layer<never, never, AutomaticTopUps> = Layer.scopedDiscard(
  Effect.flatMap(AutomaticTopUps, ({ turn }) =>
    everySoOften({ name: "automatic top-ups", every: `${automaticTopUpSeconds} seconds` }, turn)
  )
)
