/**
 * What operators set for providers, as the storage says now. A node that calls providers asks `ProviderHealth`, which
 * answers from memory.
 */
import { Context, type Effect, Schema } from "effect"
import type { Actor } from "../domain/AuditEntry.js"
import type { StorageError } from "../domain/StorageErrors.js"

export const ProviderState = Schema.Literal("enabled", "draining", "disabled")
export type ProviderState = typeof ProviderState.Type

export class ProviderStates extends Context.Tag("gateway/services/ProviderStates")<
  ProviderStates,
  {
    /** By provider; one that is not in it is enabled. */
    readonly all: Effect.Effect<ReadonlyMap<string, ProviderState>, StorageError>
    readonly set: (providerId: string, state: ProviderState, by: Actor) => Effect.Effect<void, StorageError>
  }
>() {}
