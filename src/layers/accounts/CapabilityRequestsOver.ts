/** Capability requests over the rows of any storage: the first request with a key stands. */
import { Clock, Effect } from "effect"
import { IdempotencyConflict } from "../../domain/ApiErrors.js"
import { CapabilityRequestId } from "../../domain/Ids.js"
import { pageOf } from "../../domain/Pages.js"
import { type CapabilityRequest, CapabilityRequests } from "../../services/CapabilityRequests.js"
import { Ids } from "../../services/Ids.js"
import type { CapabilityRequestRows } from "./CapabilityRequestRows.js"

type Asked = Pick<CapabilityRequest, "title" | "description" | "desiredInputs" | "desiredOutputs">

const isSame = (a: Asked, b: Asked): boolean =>
  a.title === b.title &&
  a.description === b.description &&
  a.desiredInputs === b.desiredInputs &&
  a.desiredOutputs === b.desiredOutputs

export const capabilityRequestsOver = (
  rows: CapabilityRequestRows
): Effect.Effect<CapabilityRequests["Type"], never, Ids> =>
  Effect.map(Ids, (ids) =>
    CapabilityRequests.of({
      create: Effect.fn("CapabilityRequests.create")(function* ({ idempotencyKey, ...asked }) {
        const request: CapabilityRequest = {
          ...asked,
          capabilityRequestId: CapabilityRequestId.make(`cap_${yield* ids.suffix}`),
          status: "open",
          createdAt: yield* Clock.currentTimeMillis
        }
        const stored = yield* rows.insert(request, idempotencyKey)
        return isSame(stored, asked) ? stored : yield* new IdempotencyConflict({})
      }),
      list: Effect.fn("CapabilityRequests.list")((workspaceId, page) =>
        Effect.map(rows.newest(workspaceId, page), (found) =>
          pageOf(found, page.limit, ({ capabilityRequestId }) => capabilityRequestId)
        )
      )
    })
  )
