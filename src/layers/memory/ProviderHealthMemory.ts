/** Operator states in the memory of one node, for tests and trials. */
import { Effect, Layer } from "effect"
import { AuditTrail } from "../../services/AuditTrail.js"
import { ProviderHealth, type ProviderState } from "../../services/ProviderHealth.js"
import { providerHealthOver } from "../providers/ProviderCircuits.js"

export const ProviderHealthMemory: Layer.Layer<ProviderHealth, never, AuditTrail> = Layer.effect(
  ProviderHealth,
  Effect.map(AuditTrail, (trail) => {
    const states = new Map<string, ProviderState>()
    return providerHealthOver(
      {
        of: (providerId) => states.get(providerId),
        set: (providerId, state) =>
          Effect.sync(() => {
            const before = states.get(providerId) ?? null
            states.set(providerId, state)
            return before
          }),
        refresh: Effect.void
      },
      trail
    )
  })
)
