/** Capability requests in Postgres. When two equal requests arrive at once, the unique key lets only one be stored. */
import { Effect, Layer, Schema } from "effect"
import { CapabilityRequestId, WorkspaceId } from "../../domain/Ids.js"
import { CapabilityRequests } from "../../services/CapabilityRequests.js"
import type { Ids } from "../../services/Ids.js"
import type { CapabilityRequestRows } from "../accounts/CapabilityRequestRows.js"
import { capabilityRequestsOver } from "../accounts/CapabilityRequestsOver.js"
import { Database } from "./Database.js"
import { rowOf, rowsOf } from "./database/Rows.js"

const RequestRow = Schema.Struct({
  capabilityRequestId: CapabilityRequestId,
  workspaceId: WorkspaceId,
  title: Schema.String,
  description: Schema.String,
  desiredInputs: Schema.NullOr(Schema.String),
  desiredOutputs: Schema.NullOr(Schema.String),
  status: Schema.Literal("open"),
  createdAt: Schema.Int
})
const requestRow = rowOf(RequestRow)
const requestRows = rowsOf(RequestRow)

const rows = Effect.map(Database, ({ query, sql, transact }): CapabilityRequestRows => {
  const columns = sql.literal(
    `capability_request_id as "capabilityRequestId", workspace_id as "workspaceId", title, description, desired_inputs as "desiredInputs",
     desired_outputs as "desiredOutputs", status, created_at as "createdAt"`
  )
  return {
    insert: (request, key) =>
      transact(
        Effect.gen(function* () {
          const inserted = yield* requestRow(sql`
            insert into capability_requests (workspace_id, capability_request_id, title, description, desired_inputs, desired_outputs, status, idempotency_key, created_at)
            values (${request.workspaceId}, ${request.capabilityRequestId}, ${request.title}, ${request.description}, ${request.desiredInputs},
              ${request.desiredOutputs}, ${request.status}, ${key}, ${request.createdAt})
            on conflict (workspace_id, idempotency_key) do nothing returning ${columns}`)
          if (inserted !== null) return inserted
          const before = yield* requestRow(sql`
            select ${columns} from capability_requests where workspace_id = ${request.workspaceId} and idempotency_key = ${key}`)
          return before ?? (yield* Effect.dieMessage("a capability request refused for its key is not there"))
        })
      ),
    newest: (workspaceId, { after, limit }) =>
      requestRows(
        query(sql`
          select ${columns} from capability_requests
          where workspace_id = ${workspaceId} ${after === null ? sql.literal("") : sql`and capability_request_id < ${after}`}
          order by capability_request_id desc limit ${limit + 1}`)
      )
  }
})

export const CapabilityRequestsPg: Layer.Layer<CapabilityRequests, never, Database | Ids> = Layer.effect(
  CapabilityRequests,
  Effect.flatMap(rows, capabilityRequestsOver)
)
