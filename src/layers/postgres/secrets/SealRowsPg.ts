/** The seals of all secrets on Postgres, to be replaced by seals of another key. */
import { Effect, Schema } from "effect"
import { ConnectionId, WorkspaceId } from "../../../domain/Ids.js"
import { nodeSilentMillis } from "../../../domain/limits/Nodes.js"
import { rowOf, rowsOf } from "../database/Rows.js"
import type { Database } from "../Database.js"
import type { SecretRows, StoredSecret } from "../../secrets/SecretRows.js"
import { sealColumns } from "./SecretColumns.js"

const countRow = rowOf(Schema.Struct({ count: Schema.Int }))
const connectionSealRows = rowsOf(
  Schema.Struct({
    workspaceId: WorkspaceId,
    connectionId: ConnectionId,
    sealed: Schema.Uint8ArrayFromSelf,
    keyId: Schema.String
  })
)

const keySealRows = rowsOf(
  Schema.Struct({ providerId: Schema.String, sealed: Schema.Uint8ArrayFromSelf, keyId: Schema.String })
)

export const sealRows = ({ query, sql }: Database["Type"], databaseNow: Effect.Effect<string>) => {
  const seal = sql.literal(sealColumns)
  return {
    notSealedWith: (keyId) =>
      Effect.gen(function* () {
        const connections = yield* connectionSealRows(
          query(sql`
          select workspace_id as "workspaceId", connection_id as "connectionId", ${seal} from connections where revoked_at is null and key_id <> ${keyId}`)
        )
        const keys = yield* keySealRows(
          query(sql`select provider_id as "providerId", ${seal} from platform_keys where key_id <> ${keyId}`)
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
    nodesWithout: Effect.fnUntraced(function* (keyId) {
      const row = yield* countRow(
        query(sql`
          select count(*)::int as count from nodes
          where last_seen_at >= ${sql.literal(yield* databaseNow)} - ${nodeSilentMillis}::bigint and not (${keyId} = any(sealing_keys))`)
      )
      return row?.count ?? 0
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
  } satisfies Partial<SecretRows["Type"]>
}
