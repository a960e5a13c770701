/**
 * Login approvals in Postgres: the rows of `logins/LoginRows`. All decisions are made in `logins/LoginApprovalsOver`.
 */
import type * as Statement from "@effect/sql/Statement"
import { Effect, Layer, Schema } from "effect"
import { ApprovalId } from "../../domain/Ids.js"
import { Scope } from "../../domain/Scope.js"
import type { Ids } from "../../services/Ids.js"
import { LoginApprovals } from "../../services/LoginApprovals.js"
import { AuditTrailPg } from "./AuditTrailPg.js"
import { Database, type Sql } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { rowOf } from "./database/Rows.js"
import { memberStaysPg } from "./MembersPg.js"
import { loginApprovalsOver } from "../accounts/logins/LoginApprovalsOver.js"
import type { LoginRow, LoginRows } from "../accounts/logins/LoginRows.js"

const Stored = Schema.Struct({
  approvalId: ApprovalId,
  digest: Schema.String,
  userCode: Schema.String,
  label: Schema.String,
  scopes: Schema.Array(Scope),
  tokenExpiresAt: Schema.NullOr(Schema.Int),
  status: Schema.Literal("pending", "approved", "denied"),
  createdAt: Schema.Int,
  expiresAt: Schema.Int,
  deviceDigest: Schema.NullOr(Schema.String),
  salt: Schema.NullOr(Schema.String),
  intervalSeconds: Schema.NullOr(Schema.Int),
  polledAt: Schema.NullOr(Schema.Int),
  handedOutAt: Schema.NullOr(Schema.Int),
  now: Schema.Int
})
type Stored = typeof Stored.Type
const storedRow = rowOf(Stored)

const loginOf = ({
  deviceDigest,
  handedOutAt,
  intervalSeconds,
  now: _now,
  polledAt,
  salt,
  ...login
}: Stored): LoginRow => ({
  ...login,
  device:
    deviceDigest === null || salt === null || intervalSeconds === null
      ? null
      : { digest: deviceDigest, salt, intervalSeconds, polledAt, handedOutAt }
})

const loginOrNull = (stored: Stored | null): LoginRow | null => (stored === null ? null : loginOf(stored))

const rows = Effect.gen(function* () {
  const database = yield* Database
  const { query, sql, transact } = database
  const databaseNow = yield* DatabaseNow
  const columns = Effect.map(databaseNow, (now) =>
    sql.literal(
      `approval_id as "approvalId", encode(digest, 'hex') as digest, user_code as "userCode", label, scopes, token_expires_at as "tokenExpiresAt",
     status, created_at as "createdAt", expires_at as "expiresAt", encode(device_digest, 'hex') as "deviceDigest", encode(device_salt, 'hex') as salt,
     device_interval_seconds as "intervalSeconds", device_polled_at as "polledAt", device_handed_out_at as "handedOutAt", ${now} as now`
    )
  )
  /** The row that this condition finds. */
  const found = (condition: (sql: Sql) => Statement.Fragment) =>
    Effect.flatMap(columns, (shown) =>
      storedRow(query(sql`select ${shown} from login_approvals where ${condition(sql)}`))
    )
  const rows: LoginRows = {
    insert: (row, droppedBefore) =>
      transact(
        Effect.gen(function* () {
          yield* sql`delete from login_approvals where expires_at < ${droppedBefore}`
          const inserted = yield* sql`
          insert into login_approvals (approval_id, digest, user_code, label, scopes, token_expires_at, status, created_at, expires_at,
            device_digest, device_salt, device_interval_seconds)
          select ${row.approvalId}, decode(${row.digest}, 'hex'), ${row.userCode}, ${row.label}, ${row.scopes}::text[], ${row.tokenExpiresAt}::bigint, ${row.status},
            ${row.createdAt}::bigint, ${row.expiresAt}::bigint, decode(${row.device?.digest ?? null}, 'hex'), decode(${row.device?.salt ?? null}, 'hex'),
            ${row.device?.intervalSeconds ?? null}::integer
          where not exists (select from tokens where digest = decode(${row.digest}, 'hex'))
          on conflict do nothing returning 1`
          return inserted.length > 0
        })
      ),
    get: (approvalId) =>
      Effect.map(
        found((sql) => sql`approval_id = ${approvalId}`),
        loginOrNull
      ),
    byUserCode: (userCode) =>
      Effect.map(
        found((sql) => sql`user_code = ${userCode} and device_digest is not null`),
        loginOrNull
      ),
    poll: (deviceDigest, decide) =>
      transact(
        Effect.gen(function* () {
          const stored = yield* found((sql) => sql`device_digest = decode(${deviceDigest}, 'hex') for update`)
          const row = loginOrNull(stored)
          if (stored === null || row === null || row.device === null) return null
          const { answer, polling } = decide(row, row.device, stored.now)
          const { handedOutAt, intervalSeconds, polledAt } = polling
          yield* query(
            sql`update login_approvals set device_interval_seconds = ${intervalSeconds}, device_polled_at = ${polledAt}, device_handed_out_at = ${handedOutAt}
              where approval_id = ${row.approvalId}`
          )
          return answer
        })
      ),
    memberStays: memberStaysPg(database),
    decide: (approvalId, decide) =>
      Effect.gen(function* () {
        const row = loginOrNull(yield* found((sql) => sql`approval_id = ${approvalId} for update`))
        if (row === null) return null
        const decided = yield* decide(row)
        if (decided === null) return { row, token: null }
        const { decision, token } = decided
        yield* query(
          sql`update login_approvals set status = ${decision}, token_expires_at = ${token.expiresAt} where approval_id = ${approvalId}`
        )
        yield* query(sql`
          insert into tokens (token_id, workspace_id, label, scopes, digest, monthly_limit_micros, ancestors, created_at, expires_at, revoked_at, made_by)
          values (${token.tokenId}, ${token.workspaceId}, ${token.label}, ${token.scopes}::text[], decode(${token.digest}, 'hex'), ${token.monthlyLimitMicros},
            ${token.ancestors}::text[], ${token.createdAt}, ${token.expiresAt}, ${token.revokedAt}, ${token.madeBy})`)
        return { row: { ...row, status: decision, tokenExpiresAt: token.expiresAt }, token }
      })
  }
  return rows
})

export const LoginApprovalsPg: Layer.Layer<LoginApprovals, never, Database | Ids> = Layer.effect(
  LoginApprovals,
  Effect.flatMap(rows, loginApprovalsOver)
).pipe(Layer.provide(AuditTrailPg))
