/** Signals of a gateway that is one process: there are no other nodes to hear from. */
import { Effect, Layer } from "effect"
import { RunSignals } from "../../services/RunSignals.js"
import { makeLocalRunSignals } from "../runs/LocalRunSignals.js"

export const RunSignalsMemory: Layer.Layer<RunSignals> = Layer.effect(
  RunSignals,
  Effect.map(makeLocalRunSignals, ({ signals }) => signals)
)
