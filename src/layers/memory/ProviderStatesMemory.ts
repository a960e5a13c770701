/** Operator states in the memory of one process, for tests and trials. */
import { Effect, Layer } from "effect"
import { AuditTrail } from "../../services/AuditTrail.js"
import { type ProviderState, ProviderStates } from "../../services/ProviderStates.js"
import { changingState } from "../providers/ProviderStateChange.js"

export const ProviderStatesMemory: Layer.Layer<ProviderStates, never, AuditTrail> = Layer.effect(
  ProviderStates,
  Effect.map(AuditTrail, (trail) => {
    const states = new Map<string, ProviderState>()
    return ProviderStates.of({
      all: Effect.sync(() => new Map(states)),
      set: changingState(trail, (providerId, state) =>
        Effect.sync(() => {
          const before = states.get(providerId) ?? null
          states.set(providerId, state)
          return before
        })
      )
    })
  })
)
