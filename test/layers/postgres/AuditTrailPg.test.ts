import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { Accounts } from "../../../src/services/Accounts.js"
import { auditTrailSuite } from "../../services/AuditTrail.suite.js"
import { storagePg, storagePgByClock } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"

auditTrailSuite("Audit trail over Postgres", Layer.provide(storagePgByClock, sharedDatabase()))

it.effect("Postgres refuses to change, delete or truncate entries, whoever asks", () =>
  Effect.gen(function* () {
    const { query, sql } = yield* Database
    yield* (yield* Accounts).createWorkspace("acme", commandLine)
    const entries = query(sql`select * from audit_entries`)
    const before = yield* entries
    assert.strictEqual(before.length, 1)
    for (const statement of [
      sql`update audit_entries set action = 'nothing'`,
      sql`delete from audit_entries`,
      sql`truncate audit_entries`
    ])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(query(statement))))
    assert.deepStrictEqual(yield* entries, before)
  }).pipe(Effect.provide(Layer.provideMerge(storagePg, testDatabase())))
)
