/** Capability requests in memory, for tests and trials. */
import { Clock, Effect, Layer, Ref } from "effect"
import { IdempotencyConflict } from "../../domain/ApiErrors.js"
import { CapabilityRequestId } from "../../domain/Ids.js"
import { type CapabilityRequest, CapabilityRequests } from "../../services/CapabilityRequests.js"
import { Ids } from "../../services/Ids.js"
import { pageOf } from "../../domain/Pages.js"

interface Stored {
  readonly request: CapabilityRequest
  readonly idempotencyKey: string
}

const make = Effect.gen(function* () {
  const ids = yield* Ids
  /** Newest first. */
  const table = yield* Ref.make<ReadonlyArray<Stored>>([])

  return CapabilityRequests.of({
    create: Effect.fnUntraced(function* ({ idempotencyKey, ...asked }) {
      const request: CapabilityRequest = {
        ...asked,
        capabilityRequestId: CapabilityRequestId.make(`cap_${yield* ids.suffix}`),
        status: "open",
        createdAt: yield* Clock.currentTimeMillis
      }
      const stored = yield* Ref.modify(table, (rows) => {
        const before = rows.find(
          (row) => row.request.workspaceId === asked.workspaceId && row.idempotencyKey === idempotencyKey
        )
        return before === undefined ? [request, [{ request, idempotencyKey }, ...rows]] : [before.request, rows]
      })
      const same =
        stored.title === asked.title &&
        stored.description === asked.description &&
        stored.desiredInputs === asked.desiredInputs &&
        stored.desiredOutputs === asked.desiredOutputs
      return same ? stored : yield* new IdempotencyConflict({})
    }),

    list: (workspaceId, { after, limit }) =>
      Effect.map(Ref.get(table), (rows) => {
        const requests = rows
          .map(({ request }) => request)
          .filter(
            (request) => request.workspaceId === workspaceId && (after === null || request.capabilityRequestId < after)
          )
        return pageOf(requests, limit, ({ capabilityRequestId }) => capabilityRequestId)
      })
  })
})

export const CapabilityRequestsMemory: Layer.Layer<CapabilityRequests, never, Ids> = Layer.effect(
  CapabilityRequests,
  make
)
