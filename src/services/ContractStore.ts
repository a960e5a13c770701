/**
 * Contracts by endpoint and version, kept for ever, so that a run and a reader find the version that they were
 * promised.
 */
import { Context, type Effect } from "effect"
import type { Json } from "../domain/Json.js"
import type { StorageError } from "../domain/StorageErrors.js"

export interface StoredContract {
  /** `job:<id>` too. */
  readonly endpointId: string
  readonly contractVersion: string
  /** JSON text, made when it has to be written: of a large catalog most contracts are kept already. */
  readonly contract: () => string
}

export class ContractStore extends Context.Tag("gateway/services/ContractStore")<
  ContractStore,
  {
    /**
     * Keeps those that are not kept yet. What a run depends on never changes within a version; with `refresh`, names
     * and descriptions do.
     */
    readonly keep: (
      contracts: ReadonlyArray<StoredContract>,
      options?: { readonly refresh: boolean }
    ) => Effect.Effect<void, StorageError>
    readonly find: (endpointId: string, contractVersion: string) => Effect.Effect<Json | null, StorageError>
  }
>() {}
