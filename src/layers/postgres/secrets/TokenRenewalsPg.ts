/** The renewal of a connection's tokens on Postgres: one node at a time has it. */
import { Effect, Schema } from "effect"
import { rowOf } from "../database/Rows.js"
import type { Database } from "../Database.js"
import type { SecretRows } from "../../secrets/SecretRows.js"
import { columnsOf, connectionRow, factsText, sealColumns, SealedConnection } from "./SecretColumns.js"

const claimedRow = rowOf(
  Schema.Struct({ ...SealedConnection.fields, claimed: Schema.Boolean, interrupted: Schema.Boolean })
)

export const tokenRenewals = ({ query, sql }: Database["Type"], databaseNow: Effect.Effect<string>) => {
  const plain = columnsOf(sql, "connections")
  const seal = sql.literal(sealColumns)
  return {
    // The row is locked before it is looked at, so that of two nodes at once one gets the renewal. One that is held is
    // only read: nodes that wait ask again and again, and each update would leave a dead row behind. What the update
    // returns is newer than what the statement can read: a renewal may have ended while it waited for the lock.
    claimRenewal: Effect.fnUntraced(function* ({ connectionId, workspaceId }, holder, millis) {
      const now = sql.literal(yield* databaseNow)
      const place = sql`workspace_id = ${workspaceId} and connection_id = ${connectionId} and revoked_at is null and oauth is not null`
      const found = yield* claimedRow(
        query(sql`
          with found as materialized (
            select workspace_id, connection_id, renewed_by is not null as was_held
            from connections where ${place} and coalesce(renewed_until <= ${now}, true)
            for update
          ), taken as (
            update connections c set renewed_by = ${holder}, renewed_until = ${now} + ${millis}::bigint
            from found where c.workspace_id = found.workspace_id and c.connection_id = found.connection_id
            returning ${columnsOf(sql, "c")}, ${seal}, true as claimed, was_held as interrupted
          )
          select * from taken
          union all
          select ${plain}, ${seal}, false, false from connections where ${place} and not exists (select from taken)`)
      )
      if (found === null) return null
      const { claimed, interrupted, ...row } = found
      return { row: connectionRow(row), claimed, interrupted }
    }),
    storeRenewed: ({ connectionId, workspaceId }, { before, holder }, { bytes, keyId }, oauth) =>
      Effect.map(
        query(sql`
        update connections set sealed = ${bytes}, key_id = ${keyId}, oauth = ${factsText(oauth)}::json, renewed_by = nullif(renewed_by, ${holder}),
          renewed_until = case when renewed_by = ${holder} then null else renewed_until end
        where workspace_id = ${workspaceId} and connection_id = ${connectionId} and revoked_at is null
          and (renewed_by = ${holder} or sealed = ${before.bytes}) returning 1`),
        (rows) => rows.length > 0
      ),
    endRenewal: ({ connectionId, workspaceId }, holder) =>
      Effect.asVoid(
        query(sql`
        update connections set renewed_by = null, renewed_until = null
        where workspace_id = ${workspaceId} and connection_id = ${connectionId} and renewed_by = ${holder}`)
      ),
    refuseRenewal: ({ connectionId, workspaceId }, { before, holder }, oauth) =>
      Effect.map(
        query(sql`
        update connections set oauth = ${factsText(oauth)}::json, renewed_by = null, renewed_until = null
        where workspace_id = ${workspaceId} and connection_id = ${connectionId} and renewed_by = ${holder} and sealed = ${before.bytes} returning 1`),
        (rows) => rows.length > 0
      )
  } satisfies Partial<SecretRows["Type"]>
}
