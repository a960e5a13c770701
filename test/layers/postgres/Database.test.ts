// What callers of the database are promised of transactions, statements, connections and notifications.
import { assert, describe, it } from "@effect/vitest"
import * as SqlError from "@effect/sql/SqlError"
import { Cause, Deferred, Effect, Exit, Option, Queue, Schema } from "effect"
import { Database, sqlState } from "../../../src/layers/postgres/Database.js"
import type { StorageError } from "../../../src/domain/StorageErrors.js"
import { rowsOf } from "../../../src/layers/postgres/database/Rows.js"
import { Refused, withDatabase, behindProxy, tag } from "./DatabaseStage.js"

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
