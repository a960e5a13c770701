/** The rows under `SearchUses`: what its storages must do. */
import type { Effect } from "effect"
import type { WorkspaceId } from "../../../domain/Ids.js"
import type { SearchUse } from "../../../domain/SearchUse.js"
import type { StorageError } from "../../../domain/StorageErrors.js"

export interface SearchUseRows {
  /** The latest uses of a workspace, and the storage's time. */
  readonly uses: (
    workspaceId: WorkspaceId
  ) => Effect.Effect<
    { readonly uses: ReadonlyArray<SearchUse & { readonly itemId: string }>; readonly now: number },
    StorageError
  >
  /** Notes when these were shown last. Does nothing unless the workspace learns. */
  readonly shown: (workspaceId: WorkspaceId, itemIds: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
  /** If the item was shown shortly before: forgets that it was, and changes its uses, in one step. */
  readonly ran: (
    workspaceId: WorkspaceId,
    itemId: string,
    change: (before: SearchUse | null, now: number) => SearchUse
  ) => Effect.Effect<void, StorageError>
}
