/** Sign-in links and sessions in Postgres: the rows of `accounts/members/SessionRows`. */
import { Effect, Layer, Schema } from "effect"
import { SessionId } from "../../domain/Ids.js"
import { Member } from "../../domain/Member.js"
import { AuditTrailPg } from "./AuditTrailPg.js"
import type { Ids } from "../../services/Ids.js"
import { Sessions } from "../../services/Sessions.js"
import type { SessionRows } from "../accounts/members/SessionRows.js"
import { sessionsOver } from "../accounts/members/SessionsOver.js"
import { actingPrincipal } from "./AccountsPg.js"
import { Database } from "./Database.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import { memberColumns, memberRow, memberRowsPg } from "./MembersPg.js"

const sessionFields = {
  sessionId: SessionId,
  digest: Schema.Uint8ArrayFromSelf,
  sessionCreatedAt: Schema.Int,
  expiresAt: Schema.Int,
  endsAt: Schema.Int
}
const [owners, operators] = Member.members
const sessionRow = rowOf(
  Schema.Union(
    Schema.Struct({ ...sessionFields, ...owners.fields }),
    Schema.Struct({ ...sessionFields, ...operators.fields })
  )
)
const endedRows = rowsOf(Schema.Struct({ sessionId: SessionId }))

const rowsPg = (database: Database["Type"]): SessionRows => {
  const { query, send, sql } = database
  const columns = sql.literal(memberColumns)
  return {
    insertLink: ({ createdAt, digest, expiresAt, memberId }) =>
      Effect.zipRight(
        send(sql`delete from sign_in_links where expires_at <= ${createdAt}`),
        send(sql`
          insert into sign_in_links (digest, member_id, created_at, expires_at)
          values (${digest}, ${memberId}, ${createdAt}, ${expiresAt})`)
      ),
    linkedMember: (digest, now) =>
      memberRow(
        query(sql`
          select ${columns} from sign_in_links l join members m using (member_id)
          where l.digest = ${digest} and l.expires_at > ${now} and m.removed_at is null`)
      ),
    takeLink: (digest, now) =>
      memberRow(
        query(sql`
          delete from sign_in_links l using members m
          where l.digest = ${digest} and l.expires_at > ${now} and m.member_id = l.member_id and m.removed_at is null
          returning ${columns}`)
      ),
    insert: ({ createdAt, digest, endsAt, expiresAt, memberId, sessionId }) =>
      Effect.zipRight(
        send(sql`delete from sessions where expires_at <= ${createdAt}`),
        send(sql`
          insert into sessions (session_id, digest, member_id, created_at, expires_at, ends_at)
          values (${sessionId}, ${digest}, ${memberId}, ${createdAt}, ${expiresAt}, ${endsAt})`)
      ),
    byDigest: (asked, now) =>
      Effect.map(
        sessionRow(
          query(sql`
            select s.session_id as "sessionId", s.digest, s.created_at as "sessionCreatedAt", s.expires_at as "expiresAt", s.ends_at as "endsAt", ${columns}
            from sessions s join members m using (member_id)
            where s.digest = ${asked} and s.expires_at > ${now} and m.removed_at is null`)
        ),
        (row) => {
          if (row === null) return null
          const { digest, endsAt, expiresAt, sessionCreatedAt, sessionId, ...member } = row
          return {
            member,
            session: { sessionId, digest, memberId: member.memberId, createdAt: sessionCreatedAt, expiresAt, endsAt }
          }
        }
      ),
    extend: (sessionId, expiresAt) =>
      send(sql`update sessions set expires_at = ${expiresAt} where session_id = ${sessionId}`),
    endByDigest: (digest) => send(sql`delete from sessions where digest = ${digest}`),
    end: (sessionId) =>
      Effect.map(
        endedRows(query(sql`delete from sessions where session_id = ${sessionId} returning session_id as "sessionId"`)),
        (ended) => ended.length > 0
      ),
    endAll: (memberId) =>
      Effect.zipRight(
        send(sql`delete from sign_in_links where member_id = ${memberId}`),
        Effect.map(
          endedRows(query(sql`delete from sessions where member_id = ${memberId} returning session_id as "sessionId"`)),
          (ended) => ended.length
        )
      ),
    acting: actingPrincipal(database)
  }
}

export const SessionsPg: Layer.Layer<Sessions, never, Database | Ids> = Layer.effect(
  Sessions,
  Effect.flatMap(Database, (database) => sessionsOver(rowsPg(database), memberRowsPg(database)))
).pipe(Layer.provide(AuditTrailPg))
