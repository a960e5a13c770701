/**
 * Idempotency keys of runs: the first request with a key that is let in owns it, for as long as its run is kept:
 * refused runs are forgotten after a while (`refusedRunDaysKept`), all others stay, or leave with their month
 * (`RunHistory.freeKeys`). A refused admission never owns one.
 */
import { Context, type Effect } from "effect"
import type { RunId, WorkspaceId } from "../domain/Ids.js"
import type { StorageError } from "../domain/StorageErrors.js"

/** A key inside its workspace. */
export interface KeyPlace {
  readonly workspaceId: WorkspaceId
  readonly key: string
}

/** Tells keys apart. A workspace's id holds no space. */
export const placeText = ({ key, workspaceId }: KeyPlace): string => `${workspaceId} ${key}`

/** Whose the key is: the same request when the digests are equal. */
export interface KeyOwner {
  readonly runId: RunId
  /** SHA-256 of the canonical request. */
  readonly requestDigest: string
}

export interface KeyClaim extends KeyPlace, KeyOwner {}

export class Idempotency extends Context.Tag("gateway/services/Idempotency")<
  Idempotency,
  {
    /**
     * The owner of each key in the order given, null where it is free. Only under the locks of its wallets is a free
     * key still free when it is claimed. Joins the surrounding transaction.
     */
    readonly owners: (keys: ReadonlyArray<KeyPlace>) => Effect.Effect<ReadonlyArray<KeyOwner | null>, StorageError>
    /**
     * Claims free keys, under the same locks as they were looked at; one that is not free is a defect. Joins the
     * surrounding transaction.
     */
    readonly claim: (claims: ReadonlyArray<KeyClaim>) => Effect.Effect<void, StorageError>
  }
>() {}
