/**
 * Idempotency keys of runs: the first request with a key owns it, for as long as the workspace exists. A refused admission
 * gives its key back.
 */
import { Context, type Effect } from "effect"
import type { RunId, WorkspaceId } from "../domain/Ids.js"
import type { StorageError } from "../domain/StorageErrors.js"

export interface KeyClaim {
  readonly workspaceId: WorkspaceId
  readonly key: string
  /** SHA-256 of the canonical request. */
  readonly requestDigest: string
  readonly runId: RunId
}

/** `Owned` is somebody else's claim, made earlier: the same request when the digests are equal. */
export type KeyState =
  | { readonly _tag: "Claimed" }
  | { readonly _tag: "Owned"; readonly runId: RunId; readonly requestDigest: string }

export class Idempotency extends Context.Tag("gateway/services/Idempotency")<Idempotency, {
  /**
   * Claims each key, answering in the order of the claims; of two equal keys in one call the first wins. To be called under
   * the wallets' lock. Joins the surrounding transaction.
   */
  readonly claim: (claims: ReadonlyArray<KeyClaim>) => Effect.Effect<ReadonlyArray<KeyState>, StorageError>
  /** Gives back the keys of refused admissions. Joins the surrounding transaction. */
  readonly release: (claims: ReadonlyArray<KeyClaim>) => Effect.Effect<void, StorageError>
}>() {}
