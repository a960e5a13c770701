/** The gateway's own keys at providers, set by its operator. Secrets are stored sealed and only a call takes them. */
import { Context, type Effect, type Redacted } from "effect"
import type { Actor } from "../domain/AuditEntry.js"
import type { NotFound, ValidationError } from "../domain/ApiErrors.js"
import type { VariableValues } from "../domain/Manifest.js"
import type { StorageError } from "../domain/StorageErrors.js"

export interface PlatformKey {
  readonly providerId: string
  /** The sealing key that it is stored under. */
  readonly sealedWith: string
  readonly createdAt: number
  /** What it gives for the variables of the provider's address; absent when it gives nothing. */
  readonly variables?: VariableValues
}

/** For one call. */
export interface OpenedKey {
  readonly secret: Redacted.Redacted<string>
  readonly variables?: VariableValues
}

export class PlatformKeys extends Context.Tag("gateway/services/PlatformKeys")<
  PlatformKeys,
  {
    /** Replaces the key that was there. */
    readonly set: (
      providerId: string,
      secret: Redacted.Redacted<string>,
      by: Actor,
      variables?: VariableValues
    ) => Effect.Effect<void, ValidationError | StorageError>
    readonly remove: (providerId: string, by: Actor) => Effect.Effect<void, NotFound | StorageError>
    readonly list: Effect.Effect<ReadonlyArray<PlatformKey>, StorageError>
    /** Whether one is set, also one that cannot be opened. */
    readonly isSet: (providerId: string) => Effect.Effect<boolean, StorageError>
    /** Null when none is set, or when it cannot be opened. */
    readonly use: (providerId: string) => Effect.Effect<OpenedKey | null, StorageError>
  }
>() {}
