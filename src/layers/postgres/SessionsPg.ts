/** Sign-in links and sessions in Postgres: the rows of `accounts/members/SessionRows`. */
import { Effect, Layer, Schema } from "effect"
import { SessionId } from "../../domain/Ids.js"
import { tokenReadsSharedMax } from "../../domain/limits/Requests.js"
import { Member } from "../../domain/Member.js"
import { AuditTrailPg } from "./AuditTrailPg.js"
import type { Ids } from "../../services/Ids.js"
import { Sessions } from "../../services/Sessions.js"
import type { SessionRow, SessionRows } from "../accounts/members/SessionRows.js"
import { sessionsOver } from "../accounts/members/SessionsOver.js"
import { actingPrincipal } from "./AccountsPg.js"
import { Database } from "./Database.js"
import { makeBatchedReads } from "./database/BatchedReads.js"
import { rowsOf } from "./database/Rows.js"
import { memberColumns, memberRow, memberRowsPg } from "./MembersPg.js"

const sessionFields = {
  sessionId: SessionId,
  digest: Schema.Uint8ArrayFromSelf,
  sessionCreatedAt: Schema.Int,
  expiresAt: Schema.Int,
  endsAt: Schema.Int
}
const [owners, operators] = Member.members
const sessionRows = rowsOf(
  Schema.Union(
    Schema.Struct({ ...sessionFields, ...owners.fields }),
    Schema.Struct({ ...sessionFields, ...operators.fields })
  )
)
const endedRows = rowsOf(Schema.Struct({ sessionId: SessionId }))

const hexOf = (digest: Uint8Array): string => Buffer.from(digest).toString("hex")

/** Sessions by their digests, also those that are over. */
const byDigests =
  ({ query, sql }: Database["Type"]) =>
  (digests: ReadonlyMap<string, Uint8Array>) =>
    Effect.map(
      sessionRows(
        query(sql`
          select s.session_id as "sessionId", s.digest, s.created_at as "sessionCreatedAt", s.expires_at as "expiresAt", s.ends_at as "endsAt", ${sql.literal(memberColumns)}
          from unnest(${[...digests.values()]}::bytea[]) as k (digest) join sessions s using (digest) join members m using (member_id)
          where m.removed_at is null`)
      ),
      (rows) =>
        new Map(
          rows.map(({ digest, endsAt, expiresAt, sessionCreatedAt, sessionId, ...member }) => {
            const { memberId } = member
            const session: SessionRow = { sessionId, digest, memberId, createdAt: sessionCreatedAt, expiresAt, endsAt }
            return [hexOf(digest), { session, member }] as const
          })
        )
    )

const rowsPg = Effect.fnUntraced(function* (database: Database["Type"]) {
  const { query, send, sql } = database
  const columns = sql.literal(memberColumns)
  // A request is counted by its session or, where there is none, by its address: it is looked up before that. So nobody
  // may take a connection for each cookie that they make up.
  const find = yield* makeBatchedReads({
    readersMax: tokenReadsSharedMax,
    keyOf: hexOf,
    read: byDigests(database)
  })
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
    byDigest: (digest, now) =>
      Effect.map(find(digest), (found) => (found !== null && found.session.expiresAt > now ? found : null)),
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
  } satisfies SessionRows
})

export const SessionsPg: Layer.Layer<Sessions, never, Database | Ids> = Layer.scoped(
  Sessions,
  Effect.gen(function* () {
    const database = yield* Database
    return yield* sessionsOver(yield* rowsPg(database), memberRowsPg(database))
  })
).pipe(Layer.provide(AuditTrailPg))
