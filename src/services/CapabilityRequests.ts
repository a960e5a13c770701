/** Wishes for jobs or providers that the catalog does not have yet. */
import { Context, type Effect } from "effect"
import type { IdempotencyConflict } from "../domain/ApiErrors.js"
import type { CapabilityRequestId, WorkspaceId } from "../domain/Ids.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { Page, PageRequest } from "../domain/Page.js"

export interface CapabilityRequest {
  readonly capabilityRequestId: CapabilityRequestId
  readonly workspaceId: WorkspaceId
  readonly title: string
  readonly description: string
  readonly desiredInputs: string | null
  readonly desiredOutputs: string | null
  readonly status: "open"
  readonly createdAt: number
}

export class CapabilityRequests extends Context.Tag("gateway/services/CapabilityRequests")<
  CapabilityRequests,
  {
    /** The same key answers the same request; with other content it is an `IdempotencyConflict`. */
    readonly create: (input: {
      readonly workspaceId: WorkspaceId
      readonly title: string
      readonly description: string
      readonly desiredInputs: string | null
      readonly desiredOutputs: string | null
      readonly idempotencyKey: string
    }) => Effect.Effect<CapabilityRequest, IdempotencyConflict | StorageError>
    readonly list: (workspaceId: WorkspaceId, page: PageRequest) => Effect.Effect<Page<CapabilityRequest>, StorageError>
  }
>() {}
