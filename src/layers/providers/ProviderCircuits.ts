/**
 * The circuits of one node and the states that operators set. A node learns of a provider's trouble from its own calls.
 * The storage decides where the operators' states are kept.
 */
import { Clock, Effect } from "effect"
import { type Circuit, closed, openForSeconds, signalOf, signalToOwnKeys, step } from "../../domain/Circuit.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import { ProviderHealth } from "../../services/ProviderHealth.js"
import type { ProviderState, ProviderStates } from "../../services/ProviderStates.js"

/** The states that operators set, in the memory of this node; absent means enabled. */
interface OperatorStates extends Pick<ProviderStates["Type"], "set"> {
  readonly of: (providerId: string) => ProviderState | undefined
  /** Makes `of` answer what was set last. */
  readonly refresh: Effect.Effect<void, StorageError>
}

export const providerHealthOver = (states: OperatorStates): ProviderHealth["Type"] => {
  // As many entries as the catalog has providers.
  const ofPlatform = new Map<string, Circuit>()
  /** For calls with the keys of customers. */
  const ofOwnKeys = new Map<string, Circuit>()
  const stateOf = (providerId: string): ProviderState => states.of(providerId) ?? "enabled"
  return ProviderHealth.of({
    stateOf,
    health: (providerId, key) =>
      Effect.map(Clock.currentTimeMillis, (now) => ({
        state: stateOf(providerId),
        openForSeconds: openForSeconds((key === "Connection" ? ofOwnKeys : ofPlatform).get(providerId) ?? closed, now)
      })),
    record: (providerId, failed) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [circuits, signal] of [
          [ofPlatform, signalOf(failed)],
          [ofOwnKeys, signalToOwnKeys(failed)]
        ] as const)
          if (signal !== null) circuits.set(providerId, step(circuits.get(providerId) ?? closed, signal, now))
      }),
    setState: Effect.fn("ProviderHealth.setState")(function* (providerId, state, by) {
      yield* states.set(providerId, state, by)
      yield* states.refresh
    })
  })
}
