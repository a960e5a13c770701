// What callers of the database see when Postgres, the pool or the network fails: killed backends, a full pool,
// cancelled statements, and connections cut around COMMIT by a relay of the test's own.
import { assert, describe, it } from "@effect/vitest"
import * as SqlError from "@effect/sql/SqlError"
import { Cause, Data, Deferred, Effect, Exit, Fiber, Option, Queue, Redacted, Schema } from "effect"
import Pg from "pg"
import { Database, type DatabaseOptions, DatabasePg, sqlState } from "../../../src/layers/postgres/Database.js"
import type { StorageError } from "../../../src/domain/StorageErrors.js"
import { eventually } from "../../support/eventually.js"
import { withLogLines } from "../../support/logLines.js"
import { makeProxy } from "../../support/proxy.js"
import { acquireTestDatabase } from "../../support/postgres.js"
import { rowsOf } from "../../../src/layers/postgres/database/Rows.js"

class Refused extends Data.TaggedError("Refused")<{ readonly why: string }> {}

const withDatabase = <A, E>(use: Effect.Effect<A, E, Database>, options: Omit<DatabaseOptions, "url"> = {}) =>
  acquireTestDatabase().pipe(
    Effect.tap((url) => administer(url, "create table notes (id int primary key, n bigint)")),
    Effect.flatMap((url) => Effect.provide(use, DatabasePg({ connectionsMax: 4, ...options, url }))),
    Effect.scoped
  )

const administer = (url: Redacted.Redacted, statement: string) =>
  Effect.promise(async () => {
    const client = new Pg.Client(Redacted.value(url))
    await client.connect()
    return (await client.query(statement).finally(() => client.end())).rows
  })

/** A database behind the relay, and a count of its rows that does not go through it. */
const behindProxy = <A, E>(
  use: (
    proxy: Effect.Effect.Success<ReturnType<typeof makeProxy>>,
    count: Effect.Effect<number>
  ) => Effect.Effect<A, E, Database>,
  options: Omit<DatabaseOptions, "url"> = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const url = yield* acquireTestDatabase()
      yield* administer(url, "create table notes (id int primary key, n bigint)")
      const direct = new URL(Redacted.value(url))
      const proxy = yield* makeProxy({ host: decodeURIComponent(direct.hostname), port: Number(direct.port) || 5432 })
      const relayed = new URL(direct.href)
      relayed.host = `127.0.0.1:${proxy.port}`
      const count = Effect.map(administer(url, "select count(*)::int as n from notes"), (rows) => rows[0].n)
      return yield* Effect.provide(
        use(proxy, count),
        DatabasePg({ connectionsMax: 4, ...options, url: Redacted.make(relayed.href) })
      )
    })
  )

const tag = <E extends { readonly _tag: string }>(failed: E) => failed._tag

describe("transact", () => {
  it.live("commits what succeeds and rolls back what fails, with the caller's own error", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql, transact } = yield* Database
        yield* transact(sql`insert into notes values (1, 1)`)
        const failure = yield* Effect.flip(
          transact(Effect.zipRight(sql`insert into notes values (2, 2)`, new Refused({ why: "no" })))
        )
        assert.strictEqual(tag(failure), "Refused")
        assert.deepStrictEqual(yield* query(sql`select id from notes`), [{ id: 1 }])
      })
    )
  )

  it.live("is a savepoint inside another transaction", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql, transact } = yield* Database
        yield* transact(
          Effect.gen(function* () {
            yield* sql`insert into notes values (1, 1)`
            yield* Effect.flip(
              transact(Effect.zipRight(sql`insert into notes values (2, 2)`, new Refused({ why: "inner" })))
            )
            yield* transact(sql`insert into notes values (3, 3)`)
          })
        )
        assert.deepStrictEqual(yield* query(sql`select id from notes order by id`), [{ id: 1 }, { id: 3 }])
      })
    )
  )

  it.live("repeats the whole after a serialization failure, also one that a nested transaction meets", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql, transact } = yield* Database
        yield* query(sql`insert into notes values (1, 1), (2, 1)`)
        const bothRead = [yield* Deferred.make<undefined>(), yield* Deferred.make<undefined>()] as const
        let attempts = 0
        const skewed = (mine: 0 | 1) =>
          transact(
            Effect.gen(function* () {
              attempts++
              yield* sql`set transaction isolation level serializable`
              yield* sql`select sum(n) from notes`
              yield* Deferred.succeed(bothRead[mine], undefined)
              yield* Deferred.await(bothRead[mine === 0 ? 1 : 0])
              yield* transact(sql`update notes set n = n + 1 where id = ${mine + 1}`)
            })
          )
        yield* Effect.all([skewed(0), skewed(1)], { concurrency: 2 })
        assert.strictEqual(attempts, 3)
        assert.deepStrictEqual(yield* query(sql`select n from notes order by id`), [{ n: 2 }, { n: 2 }])
      })
    )
  )

  it.live("repeats five times at most, then says that storage is busy", () =>
    withDatabase(
      Effect.gen(function* () {
        const { sql, transact } = yield* Database
        let attempts = 0
        const failure = yield* Effect.flip(
          transact(
            Effect.suspend(() => {
              attempts++
              return sql`do $$ begin raise exception 'again' using errcode = 'serialization_failure'; end $$`
            })
          )
        )
        assert.deepStrictEqual([tag(failure), attempts], ["storage_busy", 6])
      })
    )
  )

  it.live("dies of a mistake in SQL, at the statement and at COMMIT", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql, transact } = yield* Database
        yield* query(sql`create table later (id int, constraint once unique (id) deferrable initially deferred)`)
        const state = (exit: Exit.Exit<unknown, unknown>) =>
          Exit.isFailure(exit)
            ? Option.match(Cause.dieOption(exit.cause), {
                onNone: () => "typed",
                onSome: (defect) => (defect instanceof SqlError.SqlError ? sqlState(defect) : "?")
              })
            : "ok"
        assert.strictEqual(state(yield* Effect.exit(transact(sql`selec 1`))), "42601")
        assert.strictEqual(state(yield* Effect.exit(query(sql`selec 1`))), "42601")
        assert.strictEqual(state(yield* Effect.exit(transact(sql`insert into later values (1), (1)`))), "23505")
      })
    )
  )

  it.live("lets a caller catch an expected violation inside a nested transaction", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql, transact } = yield* Database
        yield* transact(
          Effect.gen(function* () {
            yield* sql`insert into notes values (1, 1)`
            const taken = yield* sql.withTransaction(sql`insert into notes values (1, 1)`).pipe(
              Effect.as(false),
              Effect.catchIf(
                (error) => sqlState(error) === "23505",
                () => Effect.succeed(true)
              )
            )
            assert.isTrue(taken)
            yield* sql`insert into notes values (2, 2)`
          })
        )
        assert.strictEqual((yield* query(sql`select id from notes`)).length, 2)
      })
    )
  )

  it.live("dies rather than report success when Postgres answers COMMIT with a rollback", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql, transact } = yield* Database
        const exit = yield* Effect.exit(
          transact(
            Effect.gen(function* () {
              yield* sql`insert into notes values (1, 1)`
              yield* Effect.ignore(sql`insert into notes values (1, 1)`)
            })
          )
        )
        assert.isTrue(Exit.isFailure(exit) && Cause.isDie(exit.cause))
        assert.deepStrictEqual(yield* query(sql`select * from notes`), [])
      })
    )
  )
})

describe("send", () => {
  const ids = Effect.flatMap(Database, ({ query, sql }) =>
    Effect.map(rowsOf(Schema.Struct({ id: Schema.Int }))(query(sql`select id from notes order by id`)), (rows) =>
      rows.map(({ id }) => id)
    )
  )

  it.live("leaves its statements to the commit, which carries them out in order", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, send, sql, transact } = yield* Database
        yield* transact(
          Effect.gen(function* () {
            yield* send(sql`insert into notes values (1, ${1})`)
            yield* send(sql`update notes set n = ${2} where id = 1`)
            assert.deepStrictEqual(yield* query(sql`select n from notes where id = ${1}`), [{ n: 2 }])
            yield* send(sql`update notes set n = n + ${1} where id = 1`)
          })
        )
        assert.deepStrictEqual(yield* query(sql`select n from notes`), [{ n: 3 }])
        yield* send(sql`insert into notes values (2, 1)`)
        assert.deepStrictEqual(yield* ids, [1, 2])
      })
    )
  )

  it.live("fails the whole transaction where one of its statements does, with that one's failure", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, send, sql, transact } = yield* Database
        yield* send(sql`insert into notes values (1, 1)`)
        const stateOf = (exit: Exit.Exit<unknown, unknown>) =>
          Exit.isFailure(exit)
            ? Option.getOrUndefined(
                Option.map(Cause.dieOption(exit.cause), (defect) =>
                  defect instanceof SqlError.SqlError ? sqlState(defect) : String(defect)
                )
              )
            : "ok"
        const taken = send(sql`insert into notes values (1, ${2})`)
        const after = [
          Effect.void,
          send(sql`insert into notes values (3, 3)`),
          Effect.asVoid(query(sql`select 1`)),
          Effect.asVoid(sql`select 1`)
        ]
        for (const more of after) {
          assert.strictEqual(
            stateOf(
              yield* Effect.exit(transact(Effect.all([send(sql`insert into notes values (2, 2)`), taken, more])))
            ),
            "23505"
          )
        }
        assert.deepStrictEqual(yield* ids, [1])
      })
    )
  )

  it.live("repeats the transaction after a conflict that one of its statements met", () =>
    withDatabase(
      Effect.gen(function* () {
        const { send, sql, transact } = yield* Database
        let attempts = 0
        yield* transact(
          Effect.suspend(() => {
            attempts++
            const conflict = send(
              sql`do $$ begin raise exception 'again' using errcode = 'serialization_failure'; end $$`
            )
            return Effect.zipRight(send(sql`insert into notes values (1, 1)`), attempts < 3 ? conflict : Effect.void)
          })
        )
        assert.deepStrictEqual([attempts, yield* ids], [3, [1]])
      })
    )
  )

  it.live("commits nothing when a statement could not even be sent", () =>
    withDatabase(
      Effect.gen(function* () {
        const { send, sql, transact } = yield* Database
        const circle: { self?: unknown } = {}
        circle.self = circle
        const exit = yield* Effect.exit(
          transact(
            Effect.all([
              sql`select 1`,
              send(sql`insert into notes values (1, 1)`),
              send(sql`insert into notes values (2, 2)`),
              send(sql.unsafe("insert into notes values (3, $1)", [circle]))
            ])
          )
        )
        assert.isTrue(Exit.isFailure(exit) && Cause.isDie(exit.cause))
        assert.deepStrictEqual(yield* ids, [])
      })
    )
  )

  it.live("waits for the answer inside a nested transaction, where a failure can be caught", () =>
    withDatabase(
      Effect.gen(function* () {
        const { send, sql, transact } = yield* Database
        yield* transact(
          Effect.gen(function* () {
            yield* send(sql`insert into notes values (1, 1)`)
            const caught = yield* Effect.exit(sql.withTransaction(send(sql`insert into notes values (1, 1)`)))
            assert.isTrue(Exit.isFailure(caught))
            yield* send(sql`insert into notes values (2, 2)`)
          })
        )
        assert.deepStrictEqual(yield* ids, [1, 2])
      })
    )
  )

  it.live(
    "is uncertain when the connection is cut around the COMMIT that it shares, and busy when it is cut before",
    () =>
      behindProxy((proxy, count) =>
        Effect.gen(function* () {
          const { send, sql, transact } = yield* Database
          const noted = (id: number) =>
            Effect.flip(transact(Effect.zipRight(sql`select 1`, send(sql`insert into notes values (${id}, 1)`))))
          proxy.cutAt("COMMIT", "before")
          assert.strictEqual(tag(yield* noted(1)), "storage_uncertain")
          assert.strictEqual(yield* count, 0)
          proxy.cutAt("COMMIT", "after")
          assert.strictEqual(tag(yield* noted(2)), "storage_uncertain")
          assert.strictEqual(yield* count, 1)
          proxy.cutAt("BEGIN", "before")
          assert.strictEqual(tag(yield* noted(3)), "storage_busy")
          assert.strictEqual(yield* count, 1)
        })
      )
  )
})

describe("a BEGIN that Postgres refuses", () => {
  it.live("leaves nothing of its transaction, whatever came first in it, and the connection is not used again", () =>
    behindProxy(
      (proxy, count) =>
        Effect.gen(function* () {
          const { query, send, sql, transact } = yield* Database
          const write = send(sql`insert into notes values (1, ${1})`)
          const bodies: ReadonlyArray<Effect.Effect<unknown, StorageError | SqlError.SqlError>> = [
            write,
            Effect.zipRight(query(sql`select 1`), write),
            Effect.zipRight(
              query(sql`select id from notes for update`),
              query(sql`insert into notes values (1, 1) returning id`)
            ),
            query(sql`insert into notes values (1, 1) returning id`),
            sql`insert into notes values (1, 1)`
          ]
          for (const body of bodies) {
            proxy.spoil("BEGIN")
            assert.strictEqual(tag(yield* Effect.flip(transact(body))), "storage_busy")
            assert.strictEqual(yield* count, 0)
          }
          yield* transact(write)
          assert.strictEqual(yield* count, 1)
        }),
      { connectionsMax: 1 }
    )
  )
})

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

describe("a connection", () => {
  it.live("reads int8 as a number, and fails loudly where a number cannot hold it", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql } = yield* Database
        assert.deepStrictEqual(
          yield* query(
            sql`select 9007199254740991::int8 as large, count(*) as n, array[1, null, -2]::int8[] as list, null::int8 as none from notes`
          ),
          [{ large: 9007199254740991, n: 0, list: [1, null, -2], none: null }]
        )
        const exit = yield* Effect.exit(query(sql`select 9007199254740992::int8 as too_large`))
        assert.isTrue(Exit.isFailure(exit) && Cause.isDie(exit.cause))
        assert.strictEqual(yield* Effect.map(query(sql`select 1 as n`), ([row]) => row?.["n"]), 1)
      })
    )
  )

  it.live("prepares statements with parameters once, and survives a plan that went stale", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql } = yield* Database
        const read = query(sql`select * from notes where id = ${1}`)
        yield* read
        yield* read
        assert.deepStrictEqual(
          yield* query(
            sql`select count(*) as n from pg_prepared_statements where statement like 'select * from notes%'`
          ),
          [{ n: 1 }]
        )
        yield* query(sql`alter table notes add column more text`)
        assert.strictEqual(tag(yield* Effect.flip(read)), "storage_busy")
        assert.deepStrictEqual(yield* read, [])
      }),
      { connectionsMax: 1 }
    )
  )
})

describe("a plan", () => {
  it.live("is made once for a statement, not anew for each list of values", () =>
    withDatabase(
      Effect.gen(function* () {
        const { query, sql } = yield* Database
        const read = (ids: ReadonlyArray<number>) =>
          query(sql`select n.* from unnest(${ids}::int[]) as k (id) join notes n on n.id = k.id`)
        for (const ids of [[1], [1, 2], [3]]) yield* read(ids)
        assert.deepStrictEqual(
          yield* query(
            sql`select generic_plans as kept, custom_plans as anew from pg_prepared_statements where statement like '%join notes%'`
          ),
          [{ kept: 3, anew: 0 }]
        )
      }),
      { connectionsMax: 1 }
    )
  )
})

describe("listen", () => {
  it.live("gives notifications, and undefined after every connect, also when its connection was killed", () =>
    withDatabase(
      Effect.gen(function* () {
        const { listen, query, sql } = yield* Database
        const heard = yield* Queue.unbounded<string | undefined>()
        yield* Effect.fork(listen("Runs", (payload) => heard.unsafeOffer(payload)))
        assert.strictEqual(yield* Queue.take(heard), undefined)
        yield* query(sql`select pg_notify('Runs', 'one')`)
        yield* query(sql`select pg_notify('Runs', '')`)
        assert.deepStrictEqual(yield* Queue.takeN(heard, 2).pipe(Effect.map((all) => [...all])), ["one", ""])
        yield* query(
          sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like '%listens%' and datname = current_database()`
        )
        assert.strictEqual(yield* Queue.take(heard), undefined)
        yield* query(sql`select pg_notify('Runs', 'two')`)
        assert.strictEqual(yield* Queue.take(heard), "two")
      })
    )
  )
})
