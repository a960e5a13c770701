/**
 * Brings everything that is sealed under the current sealing key, so that older keys can be thrown away. May be
 * repeated, and runs beside normal work.
 */
import { Context, type Effect } from "effect"
import type { Actor } from "../domain/AuditEntry.js"
import type { StorageError } from "../domain/StorageErrors.js"

export class SecretRotation extends Context.Tag("gateway/services/SecretRotation")<
  SecretRotation,
  {
    /**
     * How many secrets are not sealed under the current key and can be brought there, which key that is, and how many
     * cannot be opened.
     */
    readonly waiting: Effect.Effect<
      { readonly currentKeyId: string; readonly secrets: number; readonly unreadable: number },
      StorageError
    >
    /** `unreadable` are sealed under a key that is not there: they stay as they are. */
    readonly reseal: (
      by: Actor
    ) => Effect.Effect<{ readonly resealed: number; readonly unreadable: number }, StorageError>
  }
>() {}
