/**
 * Keeps a database that is used in production apart from development. The first node in production marks the database,
 * or `gateway migrate` before it. After that, a node that was started without `NODE_ENV=production` stops before it
 * makes the demo workspace, which has money and a token in a file. Who marks it also revokes the tokens of the demo
 * workspace and ends all sessions and sign-in links: whoever worked with the database in development signs in again.
 */
import { Clock, Data, Effect, Schema } from "effect"
import type { StorageError } from "../../domain/StorageErrors.js"
import { type AuditRecord, gatewayItself } from "../../domain/AuditEntry.js"
import { TokenId, WorkspaceId } from "../../domain/Ids.js"
import { AuditTrail, unchanged } from "../../services/AuditTrail.js"
import { Database } from "./Database.js"
import { rowsOf } from "./database/Rows.js"
import { demoCreditKey, demoWorkspaceName } from "../accounts/DemoWorkspace.js"

export class DatabaseInProduction extends Data.TaggedError("DatabaseInProduction")<{}> {
  override get message() {
    return "NODE_ENV: this database is used in production, and this node was started for development. Set NODE_ENV=production, or DATABASE_URL to another database"
  }
}

const RevokedToken = Schema.Struct({ tokenId: TokenId, workspaceId: WorkspaceId, label: Schema.String })
const revokedRows = rowsOf(RevokedToken)

/**
 * A workspace may be called demo because an operator named it so. Only the workspace of development has the credit that
 * is looked for here.
 */
const leftByDevelopment = ({ query, sql }: Database["Type"], now: number) =>
  revokedRows(
    query(sql`
      update tokens t set revoked_at = ${now}
      from workspaces w
      where w.name = ${demoWorkspaceName} and t.workspace_id = w.workspace_id and t.revoked_at is null
        and exists (select from ledger_entries e where e.workspace_id = w.workspace_id and e.credit_key = ${demoCreditKey})
      returning t.token_id as "tokenId", t.workspace_id as "workspaceId", t.label`)
  )

const revocation =
  (now: number) =>
  ({ label, tokenId, workspaceId }: typeof RevokedToken.Type): AuditRecord => ({
    action: "token.revoked",
    subjectId: tokenId,
    workspaceId,
    before: { label, revokedAt: null },
    after: { label, revokedAt: now }
  })

const enterProduction = Effect.gen(function* () {
  const database = yield* Database
  const { query, send, sql } = database
  const now = yield* Clock.currentTimeMillis
  const revoked = yield* (yield* AuditTrail).change(
    gatewayItself,
    Effect.gen(function* () {
      const marked = yield* query(
        sql`insert into production (since) values (${now}) on conflict (only_row) do nothing returning 1`
      )
      if (marked.length === 0) return unchanged([])
      yield* send(sql`delete from sessions`)
      yield* send(sql`delete from sign_in_links`)
      const tokens = yield* leftByDevelopment(database, now)
      return { value: tokens, records: tokens.map(revocation(now)) }
    })
  )
  if (revoked.length > 0) {
    yield* Effect.logWarning("Tokens of development were found in this database, and revoked").pipe(
      Effect.annotateLogs({ tokens: revoked.map(({ tokenId }) => tokenId).join(", ") })
    )
  }
})

const assertDevelopment = Effect.gen(function* () {
  const { query, sql } = yield* Database
  const marked = yield* query(sql`select from production`)
  if (marked.length > 0) return yield* new DatabaseInProduction()
})

/** Run this after the migrations, and before a node does anything else with its database. */
export const enterDeployment = (
  production: boolean
): Effect.Effect<void, DatabaseInProduction | StorageError, AuditTrail | Database> =>
  production ? enterProduction : assertDevelopment
