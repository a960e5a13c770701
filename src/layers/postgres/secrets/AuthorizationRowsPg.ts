/** Authorizations of connections that are under way, as rows of Postgres. */
import { Effect, Schema } from "effect"
import { Actor } from "../../../domain/AuditEntry.js"
import { ConnectionId, WorkspaceId } from "../../../domain/Ids.js"
import { rowOf } from "../database/Rows.js"
import type { Database } from "../Database.js"
import type { AuthorizationRow, SecretRows } from "../../secrets/SecretRows.js"

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

export const authorizationRows = ({ query, sql }: Database["Type"]) => {
  const begun = sql.literal(
    `link_digest as "linkDigest", workspace_id as "workspaceId", connection_id as "connectionId", provider_id as "providerId", label, connection_expires_at as "connectionExpiresAt", begun_by::text as "begunBy", created_at as "createdAt", expires_at as "expiresAt"`
  )
  return {
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
      )
  } satisfies Partial<SecretRows["Type"]>
}
