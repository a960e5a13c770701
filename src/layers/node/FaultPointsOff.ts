/** Fault points at which nothing happens: the rule everywhere but in tests of what survives. */
import { Effect, Layer } from "effect"
import { FaultPoints } from "../../services/FaultPoints.js"

export const FaultPointsOff: Layer.Layer<FaultPoints> = Layer.succeed(FaultPoints, {
  at: () => Effect.void,
  during: (_, work) => work
})
