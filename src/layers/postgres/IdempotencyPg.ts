/**
 * Idempotency keys on Postgres. Callers hold the locks of the wallets, so no other transaction can claim a key of the
 * same workspace at the same time, and a read here sees all keys. If a caller does not hold the locks, the primary key
 * refuses a duplicate.
 */
import { Effect, Layer, Schema } from "effect"
import { RunId, WorkspaceId } from "../../domain/Ids.js"
import { Idempotency, type KeyClaim, type KeyPlace, placeText } from "../../services/Idempotency.js"
import { Database } from "./Database.js"
import { rowsOf } from "./database/Rows.js"

const ownerRows = rowsOf(
  Schema.Struct({ workspaceId: WorkspaceId, key: Schema.String, runId: RunId, requestDigest: Schema.String })
)

export const IdempotencyPg: Layer.Layer<Idempotency, never, Database> = Layer.effect(
  Idempotency,
  Effect.map(Database, ({ query, send, sql }) =>
    Idempotency.of({
      owners: Effect.fnUntraced(function* (keys: ReadonlyArray<KeyPlace>) {
        const rows = yield* ownerRows(
          query(sql`
          select k.workspace_id as "workspaceId", k.key, k.run_id as "runId", k.request_digest as "requestDigest"
          from unnest(${keys.map(({ workspaceId }) => workspaceId)}::text[], ${keys.map(({ key }) => key)}::text[]) as w (workspace_id, key)
          join idempotency_keys k on k.workspace_id = w.workspace_id and k.key = w.key`)
        )
        if (rows.length === 0) return keys.map(() => null)
        const owners = new Map(rows.map((owner) => [placeText(owner), owner]))
        return keys.map((one) => owners.get(placeText(one)) ?? null)
      }),
      claim: (claims: ReadonlyArray<KeyClaim>) =>
        send(sql`
          insert into idempotency_keys (workspace_id, key, request_digest, run_id)
          select * from unnest(${claims.map(({ workspaceId }) => workspaceId)}::text[], ${claims.map(({ key }) => key)}::text[],
            ${claims.map(({ requestDigest }) => requestDigest)}::text[], ${claims.map(({ runId }) => runId)}::text[])`)
    })
  )
)
