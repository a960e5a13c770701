/**
 * Brings everything that is sealed under the current sealing key, so that older keys can be thrown away. May be
 * repeated, and runs beside normal work.
 */
import { Context, Data, type Effect } from "effect"
import type { Actor } from "../domain/AuditEntry.js"
import { counted } from "../domain/Counted.js"
import type { StorageError } from "../domain/StorageErrors.js"

/** Nodes that run could not open what is sealed under this key. */
export class SealingKeyNotEverywhere extends Data.TaggedError("SealingKeyNotEverywhere")<{
  readonly keyId: string
  readonly nodes: number
}> {
  override get message() {
    const lack = this.nodes === 1 ? "that runs lacks" : "that run lack"
    return `${counted(this.nodes, "node")} ${lack} the sealing key ${this.keyId} and could not open a secret any more. Set it in GATEWAY_SEALING_KEYS on every node and start each again, then rotate`
  }
}

export class SecretRotation extends Context.Tag("gateway/services/SecretRotation")<
  SecretRotation,
  {
    /**
     * How many secrets are not sealed under the current key and can be brought there, which key that is, and how many
     * cannot be opened. `refused` says why `reseal` would do nothing.
     */
    readonly waiting: Effect.Effect<
      {
        readonly currentKeyId: string
        readonly secrets: number
        readonly unreadable: number
        readonly refused: SealingKeyNotEverywhere | null
      },
      StorageError
    >
    /**
     * `unreadable` are sealed under a key that is not there: they stay as they are. Does nothing while a node that runs
     * lacks the current key.
     */
    readonly reseal: (
      by: Actor
    ) => Effect.Effect<
      { readonly resealed: number; readonly unreadable: number },
      SealingKeyNotEverywhere | StorageError
    >
  }
>() {}
