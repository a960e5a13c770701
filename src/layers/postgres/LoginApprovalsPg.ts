/**
 * Login approvals in Postgres: the rows of `logins/LoginRows`. All decisions are made in `logins/LoginApprovalsOver`.
 */
import { Effect, Layer, Schema } from "effect"
import { ApprovalId } from "../../domain/Ids.js"
import { Scope } from "../../domain/Scope.js"
import type { Ids } from "../../services/Ids.js"
import { LoginApprovals } from "../../services/LoginApprovals.js"
import { AuditTrailPg } from "./AuditTrailPg.js"
import { Database } from "./Database.js"
import { rowOf } from "./database/Rows.js"
import { loginApprovalsOver } from "../accounts/logins/LoginApprovalsOver.js"
import type { LoginRows } from "../accounts/logins/LoginRows.js"

const approvalRow = rowOf(
  Schema.Struct({
    approvalId: ApprovalId,
    digest: Schema.String,
    userCode: Schema.String,
    label: Schema.String,
    scopes: Schema.Array(Scope),
    tokenExpiresAt: Schema.NullOr(Schema.Int),
    status: Schema.Literal("pending", "approved", "denied"),
    createdAt: Schema.Int,
    expiresAt: Schema.Int
  })
)

const rows = Effect.map(Database, ({ query, sql, transact }): LoginRows => {
  const columns = sql.literal(
    `approval_id as "approvalId", encode(digest, 'hex') as digest, user_code as "userCode", label, scopes, token_expires_at as "tokenExpiresAt",
     status, created_at as "createdAt", expires_at as "expiresAt"`
  )
  return {
    insert: (row, droppedBefore) =>
      transact(
        Effect.gen(function* () {
          yield* sql`delete from login_approvals where expires_at < ${droppedBefore}`
          const inserted = yield* sql`
          insert into login_approvals (approval_id, digest, user_code, label, scopes, token_expires_at, status, created_at, expires_at)
          select ${row.approvalId}, decode(${row.digest}, 'hex'), ${row.userCode}, ${row.label}, ${row.scopes}::text[], ${row.tokenExpiresAt}::bigint, ${row.status},
            ${row.createdAt}::bigint, ${row.expiresAt}::bigint
          where not exists (select from tokens where digest = decode(${row.digest}, 'hex'))
          on conflict (digest) do nothing returning 1`
          return inserted.length > 0
        })
      ),
    get: (approvalId) =>
      approvalRow(query(sql`select ${columns} from login_approvals where approval_id = ${approvalId}`)),
    decide: (approvalId, decide) =>
      Effect.gen(function* () {
        const row = yield* approvalRow(
          query(sql`select ${columns} from login_approvals where approval_id = ${approvalId} for update`)
        )
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
})

export const LoginApprovalsPg: Layer.Layer<LoginApprovals, never, Database | Ids> = Layer.effect(
  LoginApprovals,
  Effect.flatMap(rows, loginApprovalsOver)
).pipe(Layer.provide(AuditTrailPg))
