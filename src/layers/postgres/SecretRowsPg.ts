/** Connections and platform keys as rows of Postgres. */
import { Effect, Layer, Schema } from "effect"
import { Actor } from "../../domain/AuditEntry.js"
import { ConnectionId, WorkspaceId } from "../../domain/Ids.js"
import { nodeSilentMillis } from "../../domain/limits/Nodes.js"
import { VariableValues } from "../../domain/Manifest.js"
import type { Connection, OAuthFacts } from "../../services/Connections.js"
import { Database } from "./Database.js"
import { inWorkspace } from "./database/InWorkspace.js"
import { databaseNow } from "./database/Now.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import {
  type AuthorizationRow,
  type ConnectionRow,
  givenVariables,
  type PlatformKeyRow,
  SecretRows,
  type StoredSecret
} from "../secrets/SecretRows.js"

const Facts = Schema.parseJson(
  Schema.Struct({
    scopes: Schema.Array(Schema.String),
    accessUntil: Schema.NullOr(Schema.Int),
    renewable: Schema.Boolean,
    refused: Schema.NullOr(Schema.Struct({ at: Schema.Int, reason: Schema.String }))
  })
)
const parseFacts = Schema.decodeSync(Facts)
const factsText = (facts: OAuthFacts | null): string | null => (facts === null ? null : JSON.stringify(facts))

const ConnectionColumns = Schema.Struct({
  connectionId: ConnectionId,
  workspaceId: WorkspaceId,
  providerId: Schema.String,
  label: Schema.String,
  createdAt: Schema.Int,
  expiresAt: Schema.NullOr(Schema.Int),
  variables: Schema.NullOr(Schema.String),
  oauth: Schema.NullOr(Schema.String)
})
const SealedConnection = Schema.Struct({
  ...ConnectionColumns.fields,
  sealed: Schema.NullOr(Schema.Uint8ArrayFromSelf),
  keyId: Schema.NullOr(Schema.String)
})
const SealedPlatformKey = Schema.Struct({
  providerId: Schema.String,
  sealed: Schema.Uint8ArrayFromSelf,
  keyId: Schema.String,
  createdAt: Schema.Int,
  variables: Schema.NullOr(Schema.String)
})
const countRow = rowOf(Schema.Struct({ count: Schema.Int }))
const plainRows = rowsOf(ConnectionColumns)
const sealedConnectionRow = rowOf(SealedConnection)
const AuthorizationColumns = Schema.Struct({
  linkDigest: Schema.Uint8ArrayFromSelf,
  workspaceId: WorkspaceId,
  connectionId: ConnectionId,
  providerId: Schema.String,
  label: Schema.String,
  connectionExpiresAt: Schema.NullOr(Schema.Int),
  begunBy: Schema.String,
  createdAt: Schema.Int,
  expiresAt: Schema.Int
})
const authorizationRow = rowOf(AuthorizationColumns)
const takenRow = rowOf(Schema.Struct({ ...AuthorizationColumns.fields, settingsDigest: Schema.Uint8ArrayFromSelf }))
const ActorText = Schema.parseJson(Actor)
const parseActor = Schema.decodeSync(ActorText)
const actorText = Schema.encodeSync(ActorText)
const authorizationOf = ({ begunBy, ...row }: typeof AuthorizationColumns.Type): AuthorizationRow => ({
  ...row,
  begunBy: parseActor(begunBy)
})
const claimedRow = rowOf(
  Schema.Struct({ ...SealedConnection.fields, claimed: Schema.Boolean, interrupted: Schema.Boolean })
)
const sealedPlatformKeyRow = rowOf(SealedPlatformKey)
const sealedPlatformKeyRows = rowsOf(SealedPlatformKey)
const providerRows = rowsOf(SealedPlatformKey.pick("providerId"))
const expiryRows = rowsOf(ConnectionColumns.pick("workspaceId", "providerId", "expiresAt"))
const otherSealRows = rowsOf(
  Schema.Struct({
    workspaceId: WorkspaceId,
    connectionId: ConnectionId,
    sealed: Schema.Uint8ArrayFromSelf,
    keyId: Schema.String
  })
)

/** Read as text, so that the rows of connections without any are checked without a Schema. */
const parseVariables = Schema.decodeSync(Schema.parseJson(VariableValues))
const readVariables = (text: string | null): VariableValues | null => (text === null ? null : parseVariables(text))

const connectionOf = ({ oauth, variables, ...connection }: typeof ConnectionColumns.Type): Connection => ({
  ...connection,
  oauth: oauth === null ? null : parseFacts(oauth),
  ...givenVariables(readVariables(variables))
})
const connectionRow = ({ keyId, sealed, ...connection }: typeof SealedConnection.Type): ConnectionRow => ({
  connection: connectionOf(connection),
  sealed: sealed === null || keyId === null ? null : { keyId, bytes: sealed }
})
const platformKeyRow = ({
  createdAt,
  keyId,
  providerId,
  sealed,
  variables
}: typeof SealedPlatformKey.Type): PlatformKeyRow => ({
  providerId,
  sealed: { keyId, bytes: sealed },
  createdAt,
  ...givenVariables(readVariables(variables))
})
const variablesText = (variables: VariableValues | undefined): string | null =>
  variables === undefined ? null : JSON.stringify(variables)

const keyRow = <E>(answer: Effect.Effect<ReadonlyArray<unknown>, E>) =>
  Effect.map(sealedPlatformKeyRow(answer), (row) => (row === null ? null : platformKeyRow(row)))

const make = Effect.gen(function* () {
  const { query, sql } = yield* Database
  // A statement over two tables must say whose columns it means.
  const plainOf = (table: "connections" | "c" | "gone") =>
    sql.literal(
      `${table}.connection_id as "connectionId", ${table}.workspace_id as "workspaceId", ${table}.provider_id as "providerId", ${table}.label, ${table}.created_at as "createdAt", ${table}.expires_at as "expiresAt", ${table}.variables::text as variables, ${table}.oauth::text as oauth`
    )
  const plain = plainOf("connections")
  const now = sql.literal(yield* databaseNow)
  const isRefused = sql.literal(`((oauth #>> '{refused,at}') is not null)`)
  const seal = sql.literal(`sealed, key_id as "keyId"`)
  const begun = sql.literal(
    `link_digest as "linkDigest", workspace_id as "workspaceId", connection_id as "connectionId", provider_id as "providerId", label, connection_expires_at as "connectionExpiresAt", begun_by::text as "begunBy", created_at as "createdAt", expires_at as "expiresAt"`
  )
  const platform = sql.literal(
    `provider_id as "providerId", sealed, key_id as "keyId", created_at as "createdAt", variables::text as variables`
  )

  return SecretRows.of({
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
          order by ${isRefused}, connection_id desc limit 1`)
        ),
        (row) => (row === null ? null : connectionRow(row))
      ),
    // The row is locked before it is looked at, so that of two nodes at once one gets the renewal. One that is held is
    // only read: nodes that wait ask again and again, and each update would leave a dead row behind. What the update
    // returns is newer than what the statement can read: a renewal may have ended while it waited for the lock.
    claimRenewal: ({ connectionId, workspaceId }, holder, millis) => {
      const place = sql`workspace_id = ${workspaceId} and connection_id = ${connectionId} and revoked_at is null and oauth is not null`
      return Effect.map(
        claimedRow(
          query(sql`
          with found as materialized (
            select workspace_id, connection_id, renewed_by is not null as was_held
            from connections where ${place} and coalesce(renewed_until <= ${now}, true)
            for update
          ), taken as (
            update connections c set renewed_by = ${holder}, renewed_until = ${now} + ${millis}::bigint
            from found where c.workspace_id = found.workspace_id and c.connection_id = found.connection_id
            returning ${plainOf("c")}, ${seal}, true as claimed, was_held as interrupted
          )
          select * from taken
          union all
          select ${plain}, ${seal}, false, false from connections where ${place} and not exists (select from taken)`)
        ),
        (found) => {
          if (found === null) return null
          const { claimed, interrupted, ...row } = found
          return { row: connectionRow(row), claimed, interrupted }
        }
      )
    },
    insertAuthorization: (a) =>
      Effect.zipRight(
        query(sql`delete from connection_authorizations where expires_at <= ${a.createdAt}`),
        query(sql`
        insert into connection_authorizations
          (link_digest, workspace_id, connection_id, provider_id, label, connection_expires_at, begun_by, created_at, expires_at)
        values (${a.linkDigest}, ${a.workspaceId}, ${a.connectionId}, ${a.providerId}, ${a.label}, ${a.connectionExpiresAt},
          ${actorText(a.begunBy)}::json, ${a.createdAt}, ${a.expiresAt})`)
      ),
    authorization: (linkDigest, at) =>
      Effect.map(
        authorizationRow(
          query(
            sql`select ${begun} from connection_authorizations where link_digest = ${linkDigest} and expires_at > ${at}`
          )
        ),
        (row) => (row === null ? null : authorizationOf(row))
      ),
    leaveAuthorization: (linkDigest, { browserDigest, settingsDigest, stateDigest }, at) =>
      Effect.map(
        query(sql`
        update connection_authorizations set browser_digest = ${browserDigest}, state_digest = ${stateDigest}, settings_digest = ${settingsDigest}
        where link_digest = ${linkDigest} and expires_at > ${at} and coalesce(browser_digest, ${browserDigest}) = ${browserDigest} returning 1`),
        (rows) => rows.length > 0
      ),
    takeAuthorization: (stateDigest, browserDigest, at) =>
      Effect.map(
        takenRow(
          query(sql`
          delete from connection_authorizations
          where state_digest = ${stateDigest} and browser_digest = ${browserDigest} and expires_at > ${at}
          returning ${begun}, settings_digest as "settingsDigest"`)
        ),
        (found) => {
          if (found === null) return null
          const { settingsDigest, ...row } = found
          return { row: authorizationOf(row), settingsDigest }
        }
      ),
    storeRenewed: ({ connectionId, workspaceId }, holder, { bytes, keyId }, oauth) =>
      Effect.map(
        query(sql`
        update connections set sealed = ${bytes}, key_id = ${keyId}, oauth = ${factsText(oauth)}::json, renewed_by = null, renewed_until = null
        where workspace_id = ${workspaceId} and connection_id = ${connectionId} and renewed_by = ${holder} and revoked_at is null returning 1`),
        (rows) => rows.length > 0
      ),
    endRenewal: ({ connectionId, workspaceId }, holder) =>
      Effect.asVoid(
        query(sql`
        update connections set renewed_by = null, renewed_until = null
        where workspace_id = ${workspaceId} and connection_id = ${connectionId} and renewed_by = ${holder}`)
      ),
    refuseRenewal: ({ connectionId, workspaceId }, holder, oauth) =>
      Effect.map(
        query(sql`
        update connections set oauth = ${factsText(oauth)}::json, renewed_by = null, renewed_until = null
        where workspace_id = ${workspaceId} and connection_id = ${connectionId} and renewed_by = ${holder} and revoked_at is null returning 1`),
        (rows) => rows.length > 0
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
          returning ${plainOf("gone")}, gone.sealed, gone.key_id as "keyId"`)
        ),
        (row) => (row === null ? null : connectionRow(row))
      ),
    putPlatformKey: ({ createdAt, providerId, sealed, variables }) =>
      Effect.zipLeft(
        keyRow(query(sql`select ${platform} from platform_keys where provider_id = ${providerId} for update`)),
        query(sql`
        insert into platform_keys (provider_id, sealed, key_id, created_at, variables)
        values (${providerId}, ${sealed.bytes}, ${sealed.keyId}, ${createdAt}, ${variablesText(variables)}::jsonb)
        on conflict (provider_id) do update set sealed = excluded.sealed, key_id = excluded.key_id, created_at = excluded.created_at, variables = excluded.variables`)
      ),
    deletePlatformKey: (providerId) =>
      keyRow(query(sql`delete from platform_keys where provider_id = ${providerId} returning ${platform}`)),
    platformKey: (providerId) =>
      keyRow(query(sql`select ${platform} from platform_keys where provider_id = ${providerId}`)),
    platformKeys: Effect.map(
      sealedPlatformKeyRows(query(sql`select ${platform} from platform_keys order by provider_id`)),
      (rows) => rows.map(platformKeyRow)
    ),
    platformProviders: Effect.map(
      providerRows(query(sql`select provider_id as "providerId" from platform_keys`)),
      (rows) => rows.map(({ providerId }) => providerId)
    ),
    lastExpiries: (workspaceIds) =>
      expiryRows(
        query(sql`
        select workspace_id as "workspaceId", provider_id as "providerId",
          case when bool_or(expires_at is null) then null else max(expires_at) end as "expiresAt"
        from connections where workspace_id = any(${workspaceIds}::text[]) and revoked_at is null and not ${isRefused}
        group by workspace_id, provider_id`)
      ),
    notSealedWith: (keyId) =>
      Effect.gen(function* () {
        const connections = yield* otherSealRows(
          query(sql`
          select workspace_id as "workspaceId", connection_id as "connectionId", ${seal} from connections where revoked_at is null and key_id <> ${keyId}`)
        )
        const keys = yield* sealedPlatformKeyRows(
          query(sql`select ${platform} from platform_keys where key_id <> ${keyId}`)
        )
        return [
          ...connections.map(({ connectionId, keyId, sealed, workspaceId }): StoredSecret => ({
            place: { _tag: "Connection", workspaceId, connectionId },
            sealed: { keyId, bytes: sealed }
          })),
          ...keys.map(({ keyId, providerId, sealed }): StoredSecret => ({
            place: { _tag: "PlatformKey", providerId },
            sealed: { keyId, bytes: sealed }
          }))
        ]
      }),
    nodesWithout: (keyId) =>
      Effect.map(
        countRow(
          query(sql`
          select count(*)::int as count from nodes
          where last_seen_at >= ${now} - ${nodeSilentMillis}::bigint and not (${keyId} = any(sealing_keys))`)
        ),
        (row) => row?.count ?? 0
      ),
    replaceSeal: ({ place, sealed: before }, { bytes, keyId }) =>
      Effect.map(
        query(
          place._tag === "Connection"
            ? sql`
            update connections set sealed = ${bytes}, key_id = ${keyId}
            where workspace_id = ${place.workspaceId} and connection_id = ${place.connectionId} and sealed = ${before.bytes} returning 1`
            : sql`update platform_keys set sealed = ${bytes}, key_id = ${keyId} where provider_id = ${place.providerId} and sealed = ${before.bytes} returning 1`
        ),
        (rows) => rows.length > 0
      )
  })
})

export const SecretRowsPg: Layer.Layer<SecretRows, never, Database> = Layer.effect(SecretRows, make)
