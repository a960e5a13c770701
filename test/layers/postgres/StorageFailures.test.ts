// What callers of the database see when Postgres, the pool or the network fails: killed backends, a full pool,
// cancelled statements, and connections cut around COMMIT by a relay of the test's own.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { Database, DatabasePg } from "../../../src/layers/postgres/Database.js"
import { eventually } from "../../support/eventually.js"
import { withLogLines } from "../../support/logLines.js"
import { Refused, withDatabase, behindProxy, tag } from "./DatabaseStage.js"

describe("a storage that fails", () => {
  it.live("is busy when its backend is killed in the middle of a transaction, and works again at once", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql, transact } = yield* Database
        const failure = yield* Effect.flip(
          transact(
            Effect.gen(function* () {
              yield* sql`insert into notes values (1, 1)`
              const [backend] = yield* sql`select pg_backend_pid() as pid`
              yield* sql`select pg_terminate_backend(${backend!["pid"]})`
              yield* sql`select 1`
            })
          )
        )
        assert.strictEqual(tag(failure), "storage_busy")
        assert.deepStrictEqual(yield* query(sql`select * from notes`), [])
      })
    )
  )

  it.live("is busy when the backend of a lone statement is killed, and works again at once", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql, urgent } = yield* Database
        for (const run of [query, urgent]) {
          assert.strictEqual(
            tag(yield* Effect.flip(run(sql`select pg_terminate_backend(pg_backend_pid())`))),
            "storage_busy"
          )
          assert.deepStrictEqual(yield* run(sql`select 1 as one`), [{ one: 1 }])
        }
      })
    )
  )

  it.live(
    "is uncertain when a statement that writes alone loses its connection, whether or not it was carried out",
    () =>
      behindProxy((proxy, count) =>
        Effect.gen(function* () {
          const { query, send, sql } = yield* Database
          proxy.cutAt("insert into notes values (1", "before")
          assert.strictEqual(tag(yield* Effect.flip(query(sql`insert into notes values (1, 1)`))), "storage_uncertain")
          assert.strictEqual(yield* count, 0)
          proxy.cutAt("insert into notes values (2", "after")
          assert.strictEqual(tag(yield* Effect.flip(send(sql`insert into notes values (2, 2)`))), "storage_uncertain")
          assert.strictEqual(yield* count, 1)
          proxy.cutAt("select 1", "before")
          assert.strictEqual(tag(yield* Effect.flip(query(sql`select 1`))), "storage_busy")
        })
      )
  )

  it.live("gives the connection of an interrupted statement back", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql } = yield* Database
        const slow = yield* Effect.fork(query(sql`select pg_sleep(0.3)`))
        yield* query(sql`select 1`).pipe(Effect.zipRight(Effect.yieldNow()))
        yield* Fiber.interrupt(slow)
        assert.deepStrictEqual(yield* query(sql`select 1 as one`), [{ one: 1 }])
      }),
      { connectionsMax: 2 }
    )
  )

  it.live("keeps the caller's own error when the connection dies before the rollback", () =>
    withDatabase(
      Effect.gen(function* () {
        const { sql, transact } = yield* Database
        const failure = yield* Effect.flip(
          transact(
            Effect.gen(function* () {
              yield* Effect.ignore(sql`select pg_terminate_backend(pg_backend_pid())`)
              return yield* new Refused({ why: "mine" })
            })
          )
        )
        assert.strictEqual(tag(failure), "Refused")
      })
    )
  )

  it.live("is busy when no connection is free in time, for transactions and for reads", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql, transact } = yield* Database
        const taken = yield* Deferred.make<undefined>()
        const release = yield* Deferred.make<undefined>()
        const holder = yield* Effect.fork(
          transact(Effect.zipRight(Deferred.succeed(taken, undefined), Deferred.await(release)))
        )
        yield* Deferred.await(taken)
        const refused = yield* Effect.all([Effect.flip(transact(sql`select 1`)), Effect.flip(query(sql`select 1`))], {
          concurrency: 2
        })
        assert.deepStrictEqual(refused.map(tag), ["storage_busy", "storage_busy"])
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        assert.strictEqual((yield* query(sql`select 1`)).length, 1)
      }),
      { connectionsMax: 1, acquireTimeoutMillis: 150 }
    )
  )

  it.live("is busy when the server refuses the connection", () =>
    behindProxy((proxy) =>
      Effect.gen(function* () {
        const { query, sql } = yield* Database
        yield* query(sql`select 1`)
        proxy.refuse()
        const failure = yield* Effect.flip(query(sql`select 1`))
        assert.strictEqual(tag(failure), "storage_busy")
      })
    )
  )

  it.live("times out when a statement takes too long, and nothing was done", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql, transact } = yield* Database
        const failures = yield* Effect.all([
          Effect.flip(transact(Effect.zipRight(sql`insert into notes values (1, 1)`, sql`select pg_sleep(5)`))),
          Effect.flip(query(sql`select pg_sleep(5)`))
        ])
        assert.deepStrictEqual(failures.map(tag), ["runtime_bridge_timeout", "runtime_bridge_timeout"])
        assert.deepStrictEqual(yield* query(sql`select * from notes`), [])
      }),
      { statementTimeoutMillis: 100 }
    )
  )

  it.live("times out when the network swallows everything, and the connection is not used again", () =>
    behindProxy(
      (proxy, count) =>
        Effect.gen(function* () {
          const { sql, transact } = yield* Database
          const failure = yield* Effect.flip(
            transact(
              Effect.gen(function* () {
                yield* sql`insert into notes values (1, 1)`
                proxy.swallow(true)
                yield* sql`insert into notes values (2, 2)`
              })
            )
          )
          assert.strictEqual(tag(failure), "runtime_bridge_timeout")
          proxy.swallow(false)
          yield* transact(sql`insert into notes values (3, 3)`)
          assert.strictEqual(yield* count, 1)
        }),
      { statementTimeoutMillis: 100 }
    )
  )

  it.live("is uncertain when the connection is cut around COMMIT, whether or not it was carried out", () =>
    behindProxy((proxy, count) =>
      Effect.gen(function* () {
        const { sql, transact } = yield* Database
        proxy.cutAt("COMMIT", "before")
        assert.strictEqual(tag(yield* Effect.flip(transact(sql`insert into notes values (1, 1)`))), "storage_uncertain")
        assert.strictEqual(yield* count, 0)
        proxy.cutAt("COMMIT", "after")
        assert.strictEqual(tag(yield* Effect.flip(transact(sql`insert into notes values (2, 2)`))), "storage_uncertain")
        assert.strictEqual(yield* count, 1)
        yield* transact(sql`insert into notes values (3, 3)`)
      })
    )
  )

  it.live("is busy, not uncertain, when the connection is cut before COMMIT was sent", () =>
    behindProxy((proxy, count) =>
      Effect.gen(function* () {
        const { sql, transact } = yield* Database
        proxy.cutAt("insert into notes", "after")
        assert.strictEqual(tag(yield* Effect.flip(transact(sql`insert into notes values (1, 1)`))), "storage_busy")
        proxy.cutAt("BEGIN", "before")
        assert.strictEqual(tag(yield* Effect.flip(transact(sql`insert into notes values (1, 1)`))), "storage_busy")
        assert.strictEqual(yield* count, 0)
      })
    )
  )

  it.live("is told to the operator at the start, without the password", () =>
    Effect.gen(function* () {
      const url = Redacted.make("postgresql://someone:hunter2@127.0.0.1:1/none")
      const failure = yield* Effect.flip(Effect.provide(Database, DatabasePg({ url })))
      assert.strictEqual(failure._tag, "DatabaseUnusable")
      assert.include(failure.message, "DATABASE_URL")
      assert.notInclude(failure.message, "hunter2")
    })
  )
})

describe("what may be lost", () => {
  it.live("is no trouble of the storage in the log when its statement or transaction takes too long", () =>
    withLogLines((lines) =>
      withDatabase(
        Effect.gen(function* () {
          const { optional, query, sql } = yield* Database
          const slow = sql`select pg_sleep(60)`
          for (const lost of [optional.query(slow), optional.transact(optional.query(slow))])
            assert.strictEqual(tag(yield* Effect.flip(lost)), "runtime_bridge_timeout")
          // The same outside of it is told, and is the first line.
          assert.strictEqual(
            tag(yield* Effect.flip(query(sql`select pg_terminate_backend(pg_backend_pid())`))),
            "storage_busy"
          )
          yield* eventually(
            Effect.sync(() => lines.length),
            (said) => said > 0
          )
          assert.match(lines[0]?.message ?? "", /^The storage fails/)
          assert.deepStrictEqual(lines[0]?.annotations, {
            why: "terminating connection due to administrator command"
          })
        }),
        { statementTimeoutMillis: 200 }
      )
    )
  )
})
