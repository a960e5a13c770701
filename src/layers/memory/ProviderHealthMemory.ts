/** Operator states in the memory of one node, for tests and trials. */
import { Effect, Layer } from "effect"
import { ProviderHealth, type ProviderState } from "../../services/ProviderHealth.js"
import { providerHealthOver } from "../providers/ProviderCircuits.js"

export const ProviderHealthMemory: Layer.Layer<ProviderHealth> = Layer.sync(ProviderHealth, () => {
  const states = new Map<string, ProviderState>()
  return providerHealthOver({
    of: (providerId) => states.get(providerId),
    set: (providerId, state) => Effect.sync(() => void states.set(providerId, state))
  })
})
