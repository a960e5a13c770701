/** Connections and platform keys as rows of Postgres. */
import { Effect, Layer, Schema } from "effect"
import { ConnectionId, WorkspaceId } from "../../domain/Ids.js"
import { Database } from "./Database.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import { type ConnectionRow, type PlatformKeyRow, SecretRows, type StoredSecret } from "../secrets/SecretRows.js"

const ConnectionColumns = Schema.Struct({
  connectionId: ConnectionId,
  workspaceId: WorkspaceId,
  providerId: Schema.String,
  label: Schema.String,
  createdAt: Schema.Int,
  expiresAt: Schema.NullOr(Schema.Int)
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
  createdAt: Schema.Int
})
const connectionOnly = rowOf(ConnectionColumns)
const connectionRows = rowsOf(ConnectionColumns)
const sealedConnectionRow = rowOf(SealedConnection)
const sealedPlatformKeyRow = rowOf(SealedPlatformKey)
const sealedPlatformKeyRows = rowsOf(SealedPlatformKey)
const providerRows = rowsOf(SealedPlatformKey.pick("providerId"))
const accessRows = rowsOf(ConnectionColumns.pick("workspaceId", "providerId", "expiresAt"))
const otherSealRows = rowsOf(
  Schema.Struct({
    workspaceId: WorkspaceId,
    connectionId: ConnectionId,
    sealed: Schema.Uint8ArrayFromSelf,
    keyId: Schema.String
  })
)

const connectionRow = ({ keyId, sealed, ...connection }: typeof SealedConnection.Type): ConnectionRow => ({
  connection,
  sealed: sealed === null || keyId === null ? null : { keyId, bytes: sealed }
})
const platformKeyRow = ({ createdAt, keyId, providerId, sealed }: typeof SealedPlatformKey.Type): PlatformKeyRow => ({
  providerId,
  sealed: { keyId, bytes: sealed },
  createdAt
})

const keyRow = <E>(answer: Effect.Effect<ReadonlyArray<unknown>, E>) =>
  Effect.map(sealedPlatformKeyRow(answer), (row) => (row === null ? null : platformKeyRow(row)))

const make = Effect.gen(function* () {
  const { query, sql } = yield* Database
  const plain = sql.literal(
    `connection_id as "connectionId", workspace_id as "workspaceId", provider_id as "providerId", label, created_at as "createdAt", expires_at as "expiresAt"`
  )
  const seal = sql.literal(`sealed, key_id as "keyId"`)
  const platform = sql.literal(`provider_id as "providerId", sealed, key_id as "keyId", created_at as "createdAt"`)

  return SecretRows.of({
    insertConnection: (c, { bytes, keyId }) =>
      Effect.asVoid(
        query(sql`
        insert into connections (workspace_id, connection_id, provider_id, label, sealed, key_id, created_at, expires_at)
        values (${c.workspaceId}, ${c.connectionId}, ${c.providerId}, ${c.label}, ${bytes}, ${keyId}, ${c.createdAt}, ${c.expiresAt})`)
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
    newestConnection: (workspaceId, providerId, now) =>
      Effect.map(
        sealedConnectionRow(
          query(sql`
          select ${plain}, ${seal} from connections
          where workspace_id = ${workspaceId} and provider_id = ${providerId} and revoked_at is null and (expires_at is null or expires_at > ${now})
          order by connection_id desc limit 1`)
        ),
        (row) => (row === null ? null : connectionRow(row))
      ),
    connections: (workspaceId, { after, limit }) =>
      connectionRows(
        query(sql`
        select ${plain} from connections
        where (workspace_id || case when revoked_at is null then ' kept' else ' deleted' end) = ${`${workspaceId} kept`} ${after === null ? sql.literal("") : sql`and connection_id < ${after}`}
        order by connection_id desc limit ${limit + 1}`)
      ),
    deleteConnection: (workspaceId, connectionId, now) =>
      connectionOnly(
        query(sql`
          update connections set sealed = null, key_id = null, revoked_at = ${now}
          where workspace_id = ${workspaceId} and connection_id = ${connectionId} and revoked_at is null returning ${plain}`)
      ),
    putPlatformKey: ({ createdAt, providerId, sealed }) =>
      Effect.zipLeft(
        keyRow(query(sql`select ${platform} from platform_keys where provider_id = ${providerId} for update`)),
        query(sql`
        insert into platform_keys (provider_id, sealed, key_id, created_at) values (${providerId}, ${sealed.bytes}, ${sealed.keyId}, ${createdAt})
        on conflict (provider_id) do update set sealed = excluded.sealed, key_id = excluded.key_id, created_at = excluded.created_at`)
      ),
    deletePlatformKey: (providerId) =>
      keyRow(query(sql`delete from platform_keys where provider_id = ${providerId} returning ${platform}`)),
    platformKey: (providerId) =>
      keyRow(query(sql`select ${platform} from platform_keys where provider_id = ${providerId}`)),
    platformKeys: Effect.map(
      sealedPlatformKeyRows(query(sql`select ${platform} from platform_keys order by provider_id`)),
      (rows) => rows.map(platformKeyRow)
    ),
    access: Effect.all({
      platformProviders: Effect.map(
        providerRows(query(sql`select provider_id as "providerId" from platform_keys`)),
        (rows) => rows.map(({ providerId }) => providerId)
      ),
      connections: accessRows(
        query(sql`
        select workspace_id as "workspaceId", provider_id as "providerId", expires_at as "expiresAt" from connections where revoked_at is null`)
      )
    }),
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
