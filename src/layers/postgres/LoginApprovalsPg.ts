/**
 * Login approvals in Postgres: the rows of `logins/LoginRows`. All decisions are made above, in
 * `logins/LoginApprovalsOver`.
 */
import { Effect, Layer } from "effect"
import type { Ids } from "../../services/Ids.js"
import { LoginApprovals } from "../../services/LoginApprovals.js"
import { Database } from "./Database.js"
import { loginApprovalsOver } from "../accounts/logins/LoginApprovalsOver.js"
import type { LoginRow, LoginRows } from "../accounts/logins/LoginRows.js"

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
      Effect.map(
        query(sql<LoginRow>`select ${columns} from login_approvals where approval_id = ${approvalId}`),
        ([row]) => row ?? null
      ),
    decide: (approvalId, decide) =>
      transact(
        Effect.gen(function* () {
          const [row] =
            yield* sql<LoginRow>`select ${columns} from login_approvals where approval_id = ${approvalId} for update`
          if (row === undefined) return null
          const decided = yield* decide(row)
          if (decided === null) return row
          const { decision, token } = decided
          yield* sql`update login_approvals set status = ${decision}, token_expires_at = ${token.expiresAt} where approval_id = ${approvalId}`
          yield* sql`
          insert into tokens (token_id, workspace_id, label, scopes, digest, monthly_limit_micros, ancestors, created_at, expires_at, revoked_at)
          values (${token.tokenId}, ${token.workspaceId}, ${token.label}, ${token.scopes}::text[], decode(${token.digest}, 'hex'), ${token.monthlyLimitMicros},
            ${token.ancestors}::text[], ${token.createdAt}, ${token.expiresAt}, ${token.revokedAt})`
          return { ...row, status: decision, tokenExpiresAt: token.expiresAt }
        })
      )
  }
})

export const LoginApprovalsPg: Layer.Layer<LoginApprovals, never, Database | Ids> = Layer.effect(
  LoginApprovals,
  Effect.flatMap(rows, loginApprovalsOver)
)
