/**
 * Whether a provider should be called now: what the operator set (`enabled`, `draining`, `disabled`) and what its last
 * answers say (a circuit that opens on failures, rate limits and exhausted credit, and cools down by itself). From
 * memory.
 */
import { Context, type Effect } from "effect"
import type { Actor } from "../domain/AuditEntry.js"
import type { CallFailure, Credential } from "../domain/ProviderCall.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { ProviderState } from "./ProviderStates.js"

export interface Health {
  readonly state: ProviderState
  /** Seconds until a call may be tried again; 0 when the circuit is closed. */
  readonly openForSeconds: number
}

export class ProviderHealth extends Context.Tag("gateway/services/ProviderHealth")<
  ProviderHealth,
  {
    /**
     * For a call with such a key; with the platform's when nothing is said. A customer's own connection has no part in
     * the trouble of the platform's key, such as used-up credit.
     */
    readonly health: (providerId: string, key?: Credential["_tag"]) => Effect.Effect<Health>
    /** What the operator set, alone. A plain call, because every attempt of a run asks it. */
    readonly stateOf: (providerId: string) => ProviderState
    /** Takes note of one call with the platform's key or none: of its failure, or of an answer (null). */
    readonly record: (providerId: string, failed: CallFailure | null) => Effect.Effect<void>
    readonly setState: (providerId: string, state: ProviderState, by: Actor) => Effect.Effect<void, StorageError>
  }
>() {}
