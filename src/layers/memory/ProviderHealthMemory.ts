/** The health of providers where their states are in memory, for tests and trials. */
import { Effect, Layer } from "effect"
import type { AuditTrail } from "../../services/AuditTrail.js"
import { ProviderHealth } from "../../services/ProviderHealth.js"
import { type ProviderState, ProviderStates } from "../../services/ProviderStates.js"
import { providerHealthOver } from "../providers/ProviderCircuits.js"
import { ProviderStatesMemory } from "./ProviderStatesMemory.js"

export const ProviderHealthMemory: Layer.Layer<ProviderHealth, never, AuditTrail> = Layer.effect(
  ProviderHealth,
  Effect.map(ProviderStates, ({ all, set }) => {
    let states: ReadonlyMap<string, ProviderState> = new Map()
    return providerHealthOver({
      of: (providerId) => states.get(providerId),
      set,
      refresh: Effect.map(all, (found) => void (states = found))
    })
  })
).pipe(Layer.provide(ProviderStatesMemory))
