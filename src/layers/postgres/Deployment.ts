/**
 * Keeps a database that is used in production apart from development. The first node in production marks the database.
 * After that, a node that was started without `NODE_ENV=production` stops before it makes the demo workspace, which has
 * money and a token in a file. When a node in production starts, it revokes the tokens that development left in the
 * database.
 */
import { Clock, Data, Effect, Schema } from "effect"
import type { StorageError } from "../../domain/StorageErrors.js"
import { TokenId } from "../../domain/Ids.js"
import { Database } from "./Database.js"
import { rowsOf } from "./database/Rows.js"
import { demoCreditKey, demoTokenLabel, demoWorkspaceName } from "../accounts/DemoWorkspace.js"

export class DatabaseInProduction extends Data.TaggedError("DatabaseInProduction")<{}> {
  override get message() {
    return "NODE_ENV: this database is used in production, and this node was started for development. Set NODE_ENV=production, or DATABASE_URL to another database"
  }
}

const revokedRows = rowsOf(Schema.Struct({ tokenId: TokenId }))

const enterProduction = Effect.gen(function* () {
  const { sql, transact } = yield* Database
  const now = yield* Clock.currentTimeMillis
  const revoked = yield* transact(
    Effect.gen(function* () {
      yield* sql`insert into production (since) values (${now}) on conflict (only_row) do nothing`
      // A workspace may be called demo because an operator named it so. Only the workspace of development has the
      // credit that is looked for here.
      return yield* revokedRows(sql`
      update tokens t set revoked_at = ${now}
      from workspaces w
      where w.name = ${demoWorkspaceName} and t.workspace_id = w.workspace_id and t.label = ${demoTokenLabel} and t.revoked_at is null
        and exists (select from ledger_entries e where e.workspace_id = w.workspace_id and e.credit_key = ${demoCreditKey})
      returning t.token_id as "tokenId"`)
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

/** Run this after the migrations and before a node does anything else with its database. */
export const enterDeployment = (
  production: boolean
): Effect.Effect<void, DatabaseInProduction | StorageError, Database> =>
  production ? enterProduction : assertDevelopment
