/** Connections of workspaces as rows of Postgres. */
import { Effect, Schema } from "effect"
import { inWorkspace } from "../database/InWorkspace.js"
import { rowOf, rowsOf } from "../database/Rows.js"
import type { Database } from "../Database.js"
import type { SecretRows } from "../../secrets/SecretRows.js"
import {
  ConnectionColumns,
  columnsOf,
  connectionOf,
  connectionRow,
  factsText,
  isRefused,
  sealColumns,
  SealedConnection,
  variablesText
} from "./SecretColumns.js"

const countRow = rowOf(Schema.Struct({ count: Schema.Int }))
const plainRows = rowsOf(ConnectionColumns)
const sealedConnectionRow = rowOf(SealedConnection)
const expiryRows = rowsOf(ConnectionColumns.pick("workspaceId", "providerId", "expiresAt"))

export const connectionRows = ({ query, sql }: Database["Type"]) => {
  const plain = columnsOf(sql, "connections")
  const seal = sql.literal(sealColumns)
  const refused = sql.literal(isRefused)
  return {
    insertConnection: (c, { bytes, keyId }) =>
      Effect.map(
        query(sql`
        insert into connections (workspace_id, connection_id, provider_id, label, sealed, key_id, created_at, expires_at, variables, oauth)
        values (${c.workspaceId}, ${c.connectionId}, ${c.providerId}, ${c.label}, ${bytes}, ${keyId}, ${c.createdAt}, ${c.expiresAt}, ${variablesText(c.variables)}::jsonb, ${factsText(c.oauth)}::json)
        on conflict (workspace_id, connection_id) do nothing returning 1`),
        (rows) => rows.length > 0
      ),
    connection: (workspaceId, connectionId) =>
      Effect.map(
        sealedConnectionRow(
          query(
            sql`select ${plain}, ${seal} from connections where workspace_id = ${workspaceId} and connection_id = ${connectionId}`
          )
        ),
        (row) => (row === null ? null : connectionRow(row))
      ),
    // A statement sees what was there when it began, so the lock has one of its own. It is the weaker lock: runs of the
    // workspace can be written meanwhile.
    countConnections: (workspaceId) =>
      Effect.zipRight(
        query(sql`select 1 from workspaces where workspace_id = ${workspaceId} for no key update`),
        Effect.map(
          countRow(
            query(
              sql`select count(*)::int as count from connections where workspace_id = ${workspaceId} and revoked_at is null`
            )
          ),
          (row) => row?.count ?? 0
        )
      ),
    newestConnection: (workspaceId, providerId, now) =>
      Effect.map(
        sealedConnectionRow(
          query(sql`
          select ${plain}, ${seal} from connections
          where workspace_id = ${workspaceId} and provider_id = ${providerId} and revoked_at is null and (expires_at is null or expires_at > ${now})
          order by ${refused}, connection_id desc limit 1`)
        ),
        (row) => (row === null ? null : connectionRow(row))
      ),
    connections: (workspaceId, { after, limit }) =>
      Effect.map(
        plainRows(
          query(sql`
        select ${plain} from connections
        where ${inWorkspace(sql, "workspace_id", workspaceId)}
          and (workspace_id || case when revoked_at is null then ' kept' else ' deleted' end) = ${`${workspaceId} kept`} ${after === null ? sql.literal("") : sql`and connection_id < ${after}`}
        order by connection_id desc limit ${limit + 1}`)
        ),
        (rows) => rows.map(connectionOf)
      ),
    deleteConnection: (workspaceId, connectionId, now) =>
      Effect.map(
        sealedConnectionRow(
          query(sql`
          with gone as (
            select * from connections where workspace_id = ${workspaceId} and connection_id = ${connectionId} and revoked_at is null for update)
          update connections c set sealed = null, key_id = null, variables = null, revoked_at = ${now}
          from gone where c.workspace_id = gone.workspace_id and c.connection_id = gone.connection_id
          returning ${columnsOf(sql, "gone")}, gone.sealed, gone.key_id as "keyId"`)
        ),
        (row) => (row === null ? null : connectionRow(row))
      ),
    lastExpiries: (workspaceIds) =>
      expiryRows(
        query(sql`
        select workspace_id as "workspaceId", provider_id as "providerId",
          case when bool_or(expires_at is null) then null else max(expires_at) end as "expiresAt"
        from connections where workspace_id = any(${workspaceIds}::text[]) and revoked_at is null and not ${refused}
        group by workspace_id, provider_id`)
      )
  } satisfies Partial<SecretRows["Type"]>
}
