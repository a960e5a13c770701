/** What every class of SQLSTATE means to whoever asked: appendix A of the Postgres documentation, class by class. */
import * as SqlError from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option } from "effect"
import Pg from "pg"
import { DataRefused } from "../../../src/domain/StorageErrors.js"
import { failureOf } from "../../../src/layers/postgres/database/Failure.js"
import { Database, sqlState } from "../../../src/layers/postgres/Database.js"
import { testDatabase } from "../../support/postgres.js"

const busy = "storage_busy"
const late = "runtime_bridge_timeout"
const unsure = "storage_uncertain"
const ours = "defect"

/** A code of each class, and every code that means something else than its class. */
const table: ReadonlyArray<readonly [code: string, name: string, meaning: string]> = [
  ["00000", "successful completion", ours],
  ["01000", "warning", ours],
  ["02000", "no data", ours],
  ["03000", "statement not yet complete", ours],
  ["08000", "connection exception", busy],
  ["08003", "connection does not exist", busy],
  ["08006", "connection failure", busy],
  ["08001", "unable to establish connection", busy],
  ["08004", "connection rejected", busy],
  ["08007", "transaction resolution unknown", unsure],
  ["08P01", "protocol violation", busy],
  ["09000", "triggered action exception", ours],
  ["0A000", "feature not supported", ours],
  ["0B000", "invalid transaction initiation", ours],
  ["0F000", "locator exception", ours],
  ["0L000", "invalid grantor", ours],
  ["0P000", "invalid role specification", ours],
  ["0Z000", "diagnostics exception", ours],
  ["10608", "invalid argument for XQuery", ours],
  ["20000", "case not found", ours],
  ["21000", "cardinality violation", ours],
  ["22000", "data exception", ours],
  ["22003", "numeric value out of range", ours],
  ["22021", "character not in repertoire", ours],
  ["22P02", "invalid text representation", ours],
  ["22P05", "untranslatable character", ours],
  ["23000", "integrity constraint violation", ours],
  ["23505", "unique violation", ours],
  ["23514", "check violation", ours],
  ["24000", "invalid cursor state", ours],
  ["25000", "invalid transaction state", ours],
  ["25001", "active SQL transaction", ours],
  ["25006", "read only SQL transaction", busy],
  ["25P02", "in failed SQL transaction", ours],
  ["25P03", "idle in transaction session timeout", late],
  ["25P04", "transaction timeout", late],
  ["26000", "invalid SQL statement name", busy],
  ["27000", "triggered data change violation", ours],
  ["28000", "invalid authorization specification", busy],
  ["28P01", "invalid password", busy],
  ["2B000", "dependent privilege descriptors still exist", ours],
  ["2D000", "invalid transaction termination", ours],
  ["2F000", "SQL routine exception", ours],
  ["34000", "invalid cursor name", ours],
  ["38000", "external routine exception", ours],
  ["39000", "external routine invocation exception", ours],
  ["3B000", "savepoint exception", ours],
  ["3D000", "invalid catalog name", busy],
  ["3F000", "invalid schema name", ours],
  ["40000", "transaction rollback", busy],
  ["40001", "serialization failure", busy],
  ["40002", "transaction integrity constraint violation", ours],
  ["40003", "statement completion unknown", unsure],
  ["40P01", "deadlock detected", busy],
  ["42000", "syntax error or access rule violation", ours],
  ["42501", "insufficient privilege", ours],
  ["42P01", "undefined table", ours],
  ["42P05", "duplicate prepared statement", busy],
  ["44000", "WITH CHECK OPTION violation", ours],
  ["53000", "insufficient resources", busy],
  ["53100", "disk full", busy],
  ["53200", "out of memory", busy],
  ["53300", "too many connections", busy],
  ["54000", "program limit exceeded", ours],
  ["54001", "statement too complex", ours],
  ["55000", "object not in prerequisite state", ours],
  ["55006", "object in use", busy],
  ["55P03", "lock not available", late],
  ["57000", "operator intervention", busy],
  ["57014", "query canceled", late],
  ["57P01", "admin shutdown", busy],
  ["57P02", "crash shutdown", busy],
  ["57P03", "cannot connect now", busy],
  ["57P04", "database dropped", busy],
  ["57P05", "idle session timeout", busy],
  ["58000", "system error", busy],
  ["58030", "io error", busy],
  ["72000", "snapshot too old", busy],
  ["F0000", "config file error", busy],
  ["HV000", "foreign data wrapper error", ours],
  ["P0000", "PL/pgSQL error", ours],
  ["XX000", "internal error", ours],
  ["XX001", "data corrupted", ours]
]

const refusedWith = (code: string, severity: "ERROR" | "FATAL") => {
  const cause = Object.assign(new Pg.DatabaseError("refused", 7, "error"), { code, severity })
  return new SqlError.SqlError({ cause, message: "Failed to execute statement" })
}
/** Conflicts are repeated, and what stays one after that is a busy storage. */
const told = (failure: ReturnType<typeof failureOf>) =>
  failure === undefined ? ours : failure === "conflict" ? busy : failure._tag

describe("a statement that Postgres refuses", () => {
  it.each(table)("%s %s", (code, _name, meaning) => {
    assert.strictEqual(told(failureOf(refusedWith(code, "ERROR"), false)), meaning)
    assert.strictEqual(told(failureOf(refusedWith(code, "FATAL"), false)), meaning)
    // A plain error proves that a COMMIT, or a write alone, was not carried out; the end of the connection proves
    // nothing.
    assert.strictEqual(told(failureOf(refusedWith(code, "ERROR"), true)), meaning)
    assert.strictEqual(told(failureOf(refusedWith(code, "FATAL"), true)), unsure)
  })

  it.live("means the same when it comes from Postgres itself, alone and in a transaction", () =>
    Effect.gen(function* () {
      const { query, sql, transact } = yield* Database
      // Postgres takes 00000 for no error at all.
      for (const [code, name, meaning] of table.filter(([each]) => each !== "00000" && !each.startsWith("40"))) {
        const raise = sql.unsafe(`do $$ begin raise exception 'refused' using errcode = '${code}'; end $$`)
        for (const refused of [query(raise), transact(raise)]) {
          const exit = yield* Effect.exit(refused)
          const cause = Exit.isFailure(exit) ? exit.cause : Cause.empty
          const failure = Option.getOrNull(Cause.failureOption(cause))
          const defect = Option.getOrNull(Cause.dieOption(cause))
          assert.strictEqual(failure?._tag ?? ours, meaning, `${code} ${name}`)
          const refusal = defect instanceof DataRefused ? defect.cause : defect
          if (meaning === ours)
            assert.strictEqual(refusal instanceof SqlError.SqlError ? sqlState(refusal) : refusal, code)
          assert.strictEqual(defect instanceof DataRefused, /^(22|54)/.test(code), `${code} ${name}`)
        }
      }
    }).pipe(Effect.provide(testDatabase({ connectionsMax: 2 })))
  )
})

describe("a failure that is no answer of Postgres", () => {
  const failing = (cause: unknown, mayHaveHappened: boolean) =>
    told(failureOf(new SqlError.SqlError({ cause, message: "Failed to execute statement" }), mayHaveHappened))
  const coded = (code: string) => Object.assign(new Error(code), { code })

  it("is a lost connection: nothing happened, or perhaps something where it may have", () => {
    for (const cause of [
      new Error("Connection terminated unexpectedly"),
      coded("ECONNRESET"),
      coded("EPIPE"),
      coded("ERR_STREAM_DESTROYED"),
      coded("ERR_SSL_WRONG_VERSION_NUMBER")
    ]) {
      assert.deepStrictEqual([failing(cause, false), failing(cause, true)], [busy, unsure], String(cause))
    }
  })

  it("is our mistake where the data cannot be encoded, sent or read", () => {
    for (const cause of [
      new TypeError("circular"),
      new RangeError("too large"),
      new SyntaxError("not JSON"),
      coded("ERR_STRING_TOO_LONG"),
      coded("ERR_OUT_OF_RANGE")
    ]) {
      assert.deepStrictEqual([failing(cause, false), failing(cause, true)], [ours, ours], String(cause))
    }
  })
})
