/** Members in Postgres: the rows of `accounts/members/MemberRows`. All decisions are made in `MembersOver`. */
import { Effect, Layer, Schema } from "effect"
import { TokenId } from "../../domain/Ids.js"
import { Member, roleScopes } from "../../domain/Member.js"
import { AccountsPg } from "./AccountsPg.js"
import { AuditTrailPg } from "./AuditTrailPg.js"
import type { Ids } from "../../services/Ids.js"
import { Members } from "../../services/Members.js"
import type { MemberRows } from "../accounts/members/MemberRows.js"
import { membersOver } from "../accounts/members/MembersOver.js"
import { Database } from "./Database.js"
import { operatorsLock } from "./database/AdvisoryLocks.js"
import { rowOf, rowsOf } from "./database/Rows.js"

export const memberColumns = `m.member_id as "memberId", m.workspace_id as "workspaceId", m.role, m.name, m.email, m.identity, m.created_at as "createdAt"`
export const memberRow = rowOf(Member)
const memberRows = rowsOf(Member)
const tokenRows = rowsOf(Schema.Struct({ tokenId: TokenId }))

export const memberStaysPg =
  ({ query, sql }: Database["Type"]): MemberRows["stays"] =>
  (memberId) =>
    Effect.map(
      query(sql`select from members where member_id = ${memberId} and removed_at is null for share`),
      (rows) => rows.length > 0
    )

export const memberRowsPg = (database: Database["Type"]): MemberRows => {
  const { query, send, sql } = database
  const columns = sql.literal(memberColumns)
  const list: MemberRows["list"] = (workspaceId) =>
    memberRows(
      query(sql`
        select ${columns} from members m
        where ${workspaceId === null ? sql`m.workspace_id is null` : sql`m.workspace_id = ${workspaceId}`} and m.removed_at is null
        order by m.created_at, m.member_id`)
    )
  return {
    // The weaker lock: rows that refer to the workspace can be written meanwhile.
    lock: Effect.fnUntraced(function* (workspaceId) {
      const locked = yield* query(
        workspaceId === null
          ? sql`select pg_advisory_xact_lock(${operatorsLock})`
          : sql`select 1 from workspaces where workspace_id = ${workspaceId} for no key update`
      )
      return locked.length === 0 ? null : yield* list(workspaceId)
    }),
    insert: ({ createdAt, email, identity, memberId, name, role, workspaceId }) =>
      send(sql`
        insert into members (member_id, workspace_id, role, name, email, identity, created_at)
        values (${memberId}, ${workspaceId}, ${role}, ${name}, ${email}, ${identity}, ${createdAt})`),
    update: ({ identity, memberId, name, role }) =>
      Effect.zipRight(
        send(
          sql`update members set name = ${name}, role = ${role}, identity = ${identity} where member_id = ${memberId}`
        ),
        send(sql`update tokens set label = ${name}, scopes = ${roleScopes[role]}::text[] where member_id = ${memberId}`)
      ),
    remove: (memberId, now) =>
      Effect.all(
        [
          send(sql`update members set removed_at = ${now} where member_id = ${memberId}`),
          send(sql`update tokens set revoked_at = ${now} where member_id = ${memberId} and revoked_at is null`),
          send(sql`delete from sessions where member_id = ${memberId}`),
          send(sql`delete from sign_in_links where member_id = ${memberId}`)
        ],
        { discard: true }
      ),
    stays: memberStaysPg(database),
    tokensMade: (memberId) =>
      Effect.map(
        tokenRows(
          query(
            sql`select token_id as "tokenId" from tokens where made_by = ${memberId} and revoked_at is null order by token_id`
          )
        ),
        (rows) => rows.map(({ tokenId }) => tokenId)
      ),
    list,
    get: (memberId) =>
      memberRow(query(sql`select ${columns} from members m where m.member_id = ${memberId} and m.removed_at is null`)),
    ofIdentity: (identity, email) =>
      memberRows(
        query(sql`
          select ${columns} from members m where m.identity = ${identity} and m.removed_at is null
          union all
          select ${columns} from members m where m.email = ${email} and m.identity is null and m.removed_at is null
          order by "createdAt", "memberId"`)
      )
  }
}

export const MembersPg: Layer.Layer<Members, never, Database | Ids> = Layer.effect(
  Members,
  Effect.flatMap(Database, (database) => membersOver(memberRowsPg(database)))
).pipe(Layer.provide([AccountsPg, AuditTrailPg]))
