/** Capability requests in Postgres. The unique key decides which of two equal requests is the one. */
import { Clock, Effect, Layer } from "effect"
import { IdempotencyConflict } from "../../domain/ApiErrors.js"
import { CapabilityRequestId } from "../../domain/Ids.js"
import { type CapabilityRequest, CapabilityRequests } from "../../services/CapabilityRequests.js"
import { Ids } from "../../services/Ids.js"
import { Database } from "./Database.js"
import { pageOf } from "../../domain/Pages.js"

const make = Effect.gen(function* () {
  const { query, sql, transact } = yield* Database
  const ids = yield* Ids
  const columns = sql.literal(
    `capability_request_id as "capabilityRequestId", workspace_id as "workspaceId", title, description, desired_inputs as "desiredInputs",
     desired_outputs as "desiredOutputs", status, created_at as "createdAt"`
  )

  return CapabilityRequests.of({
    create: Effect.fn("CapabilityRequests.create")(function* (input) {
      const capabilityRequestId = CapabilityRequestId.make(`cap_${yield* ids.suffix}`)
      const now = yield* Clock.currentTimeMillis
      const { description, desiredInputs, desiredOutputs, idempotencyKey, title, workspaceId } = input
      const stored = yield* transact(
        Effect.gen(function* () {
          const [inserted] = yield* sql<CapabilityRequest>`
          insert into capability_requests (workspace_id, capability_request_id, title, description, desired_inputs, desired_outputs, status, idempotency_key, created_at)
          values (${workspaceId}, ${capabilityRequestId}, ${title}, ${description}, ${desiredInputs}, ${desiredOutputs}, 'open', ${idempotencyKey}, ${now})
          on conflict (workspace_id, idempotency_key) do nothing returning ${columns}`
          if (inserted !== undefined) return inserted
          const [before] = yield* sql<CapabilityRequest>`
          select ${columns} from capability_requests where workspace_id = ${workspaceId} and idempotency_key = ${idempotencyKey}`
          return before ?? (yield* Effect.dieMessage("a capability request refused for its key is not there"))
        })
      )
      const same =
        stored.title === title &&
        stored.description === description &&
        stored.desiredInputs === desiredInputs &&
        stored.desiredOutputs === desiredOutputs
      return same ? stored : yield* new IdempotencyConflict({})
    }),

    list: Effect.fn("CapabilityRequests.list")(function* (workspaceId, { after, limit }) {
      const rows = yield* query(sql<CapabilityRequest>`
        select ${columns} from capability_requests
        where workspace_id = ${workspaceId} ${after === null ? sql.literal("") : sql`and capability_request_id < ${after}`}
        order by capability_request_id desc limit ${limit + 1}`)
      return pageOf(rows, limit, ({ capabilityRequestId }) => capabilityRequestId)
    })
  })
})

export const CapabilityRequestsPg: Layer.Layer<CapabilityRequests, never, Database | Ids> = Layer.effect(
  CapabilityRequests,
  make
)
