/** Capability requests in memory, for tests and trials. */
import { Effect, Layer, Ref } from "effect"
import { type CapabilityRequest, CapabilityRequests } from "../../services/CapabilityRequests.js"
import type { Ids } from "../../services/Ids.js"
import type { CapabilityRequestRows } from "../accounts/CapabilityRequestRows.js"
import { capabilityRequestsOver } from "../accounts/CapabilityRequestsOver.js"

interface Stored {
  readonly request: CapabilityRequest
  readonly idempotencyKey: string
}

/** The table is newest first. */
const rows = Effect.map(Ref.make<ReadonlyArray<Stored>>([]), (table): CapabilityRequestRows => ({
  insert: (request, idempotencyKey) =>
    Ref.modify(table, (all) => {
      const before = all.find(
        (row) => row.request.workspaceId === request.workspaceId && row.idempotencyKey === idempotencyKey
      )
      return before === undefined ? [request, [{ request, idempotencyKey }, ...all]] : [before.request, all]
    }),
  newest: (workspaceId, { after, limit }) =>
    Effect.map(Ref.get(table), (all) =>
      all
        .map(({ request }) => request)
        .filter(
          (request) => request.workspaceId === workspaceId && (after === null || request.capabilityRequestId < after)
        )
        .slice(0, limit + 1)
    )
}))

export const CapabilityRequestsMemory: Layer.Layer<CapabilityRequests, never, Ids> = Layer.effect(
  CapabilityRequests,
  Effect.flatMap(rows, capabilityRequestsOver)
)
