/** Connections and platform keys as rows of Postgres. */
import { Effect, Layer, Schema } from "effect"
import { ConnectionId, WorkspaceId } from "../../domain/Ids.js"
import { VariableValues } from "../../domain/Manifest.js"
import type { Connection } from "../../services/Connections.js"
import { Database } from "./Database.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import {
  type ConnectionRow,
  givenVariables,
  type PlatformKeyRow,
  SecretRows,
  type StoredSecret
} from "../secrets/SecretRows.js"

const ConnectionColumns = Schema.Struct({
  connectionId: ConnectionId,
  workspaceId: WorkspaceId,
  providerId: Schema.String,
  label: Schema.String,
  createdAt: Schema.Int,
  expiresAt: Schema.NullOr(Schema.Int),
  variables: Schema.NullOr(Schema.String)
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
const plainRow = rowOf(ConnectionColumns)
const plainRows = rowsOf(ConnectionColumns)
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

/** Read as text, so that the rows of connections without any are checked without a Schema. */
const parseVariables = Schema.decodeSync(Schema.parseJson(VariableValues))
const readVariables = (text: string | null): VariableValues | null => (text === null ? null : parseVariables(text))

const connectionOf = ({ variables, ...connection }: typeof ConnectionColumns.Type): Connection => ({
  ...connection,
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
  const plain = sql.literal(
    `connection_id as "connectionId", workspace_id as "workspaceId", provider_id as "providerId", label, created_at as "createdAt", expires_at as "expiresAt", variables::text as variables`
  )
  const seal = sql.literal(`sealed, key_id as "keyId"`)
  const platform = sql.literal(
    `provider_id as "providerId", sealed, key_id as "keyId", created_at as "createdAt", variables::text as variables`
  )

  return SecretRows.of({
    insertConnection: (c, { bytes, keyId }) =>
      Effect.asVoid(
        query(sql`
        insert into connections (workspace_id, connection_id, provider_id, label, sealed, key_id, created_at, expires_at, variables)
        values (${c.workspaceId}, ${c.connectionId}, ${c.providerId}, ${c.label}, ${bytes}, ${keyId}, ${c.createdAt}, ${c.expiresAt}, ${variablesText(c.variables)}::jsonb)`)
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
      Effect.map(
        plainRows(
          query(sql`
        select ${plain} from connections
        where (workspace_id || case when revoked_at is null then ' kept' else ' deleted' end) = ${`${workspaceId} kept`} ${after === null ? sql.literal("") : sql`and connection_id < ${after}`}
        order by connection_id desc limit ${limit + 1}`)
        ),
        (rows) => rows.map(connectionOf)
      ),
    deleteConnection: (workspaceId, connectionId, now) =>
      Effect.map(
        plainRow(
          query(sql`
          with gone as (
            select * from connections where workspace_id = ${workspaceId} and connection_id = ${connectionId} and revoked_at is null for update)
          update connections c set sealed = null, key_id = null, variables = null, revoked_at = ${now}
          from gone where c.workspace_id = gone.workspace_id and c.connection_id = gone.connection_id
          returning gone.connection_id as "connectionId", gone.workspace_id as "workspaceId", gone.provider_id as "providerId", gone.label,
            gone.created_at as "createdAt", gone.expires_at as "expiresAt", gone.variables::text as variables`)
        ),
        (row) => (row === null ? null : connectionOf(row))
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
