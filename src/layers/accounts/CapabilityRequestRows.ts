/** The rows under `CapabilityRequests`: what its storages must do, and nothing that decides. */
import type { Effect } from "effect"
import type { WorkspaceId } from "../../domain/Ids.js"
import type { PageRequest } from "../../domain/Page.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { CapabilityRequest } from "../../services/CapabilityRequests.js"

export interface CapabilityRequestRows {
  /** Answers the request that has the key in its workspace: this one, or the one that had it before. */
  readonly insert: (
    request: CapabilityRequest,
    idempotencyKey: string
  ) => Effect.Effect<CapabilityRequest, StorageError>
  /** Newest first; one more than the limit where there are more. */
  readonly newest: (
    workspaceId: WorkspaceId,
    page: PageRequest
  ) => Effect.Effect<ReadonlyArray<CapabilityRequest>, StorageError>
}
