/** How an operator's state of a provider changes, over either storage: together with its line of the audit trail. */
import { Effect } from "effect"
import type { StorageError } from "../../domain/StorageErrors.js"
import { type AuditTrail, changed, type Changing, unchanged } from "../../services/AuditTrail.js"
import type { ProviderState, ProviderStates } from "../../services/ProviderStates.js"

/** `put` answers the state that was set before, or null. */
export const changingState =
  (
    trail: AuditTrail["Type"],
    put: (providerId: string, state: ProviderState) => Effect.Effect<ProviderState | null, StorageError, Changing>
  ): ProviderStates["Type"]["set"] =>
  (providerId, state, by) =>
    trail.change(
      by,
      Effect.map(put(providerId, state), (before) => {
        const was = before ?? "enabled"
        return was === state
          ? unchanged(undefined)
          : changed(undefined, {
              action: "provider.state_changed",
              subjectId: providerId,
              workspaceId: null,
              before: { state: was },
              after: { state }
            })
      })
    )
