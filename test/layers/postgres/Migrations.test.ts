// Migrations on a real server: order, two starters at once, a failure in the middle, a database from the future.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Logger, TestClock } from "effect"
import { Database, type DatabaseOptions, DatabasePg, type Sql } from "../../../src/layers/postgres/Database.js"
import { migrate, type Migration } from "../../../src/layers/postgres/Migrations.js"
import { migrations } from "../../../src/layers/postgres/migrations/index.js"
import { StorageBusy } from "../../../src/domain/StorageErrors.js"
import { withLogLines } from "../../support/logLines.js"
import { acquireTestDatabase } from "../../support/postgres.js"

const emptyDatabase = <A, E>(
  use: Effect.Effect<A, E, Database>,
  options: Pick<DatabaseOptions, "statementTimeoutMillis"> = {}
) =>
  acquireTestDatabase({ empty: true }).pipe(
    Effect.flatMap((url) => Effect.provide(use, DatabasePg({ url, connectionsMax: 4, ...options }))),
    Effect.scoped
  )

const two: Record<string, Migration> = {
  "0001_wallets": ["create table wallets (id int primary key)", "insert into wallets values (1)"],
  "0002_more": (sql) => Effect.asVoid(sql`insert into wallets values (2)`)
}

const wallets = Effect.flatMap(Database, ({ query, sql }) => query(sql`select id from wallets order by id`))

describe("the migrations of this program", () => {
  it("are numbered from 1 without a gap, so that none is skipped", () => {
    const numbers = Object.keys(migrations)
      .sort()
      .map((name) => Number(/^(\d{4})_[a-z0-9_]+$/.exec(name)?.[1]))
    assert.deepStrictEqual(
      numbers,
      numbers.map((_, at) => at + 1)
    )
    assert.isAbove(numbers.length, 0)
  })

  it.effect("run on an empty database", () =>
    emptyDatabase(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* migrate(migrations), Object.keys(migrations).sort())
      })
    )
  )
})

describe("migrate", () => {
  it.effect("runs what is missing in order, once", () =>
    emptyDatabase(
      Effect.gen(function* () {
        const { "0001_wallets": first } = two
        assert.deepStrictEqual(yield* migrate({ "0001_wallets": first! }), ["0001_wallets"])
        assert.deepStrictEqual(yield* migrate(two), ["0002_more"])
        assert.deepStrictEqual(yield* migrate(two), [])
        assert.deepStrictEqual(yield* wallets, [{ id: 1 }, { id: 2 }])
      })
    )
  )

  it.effect("runs one after the other on one connection, because each would take longer to make than a migration", () =>
    emptyDatabase(
      Effect.gen(function* () {
        const notes = (sql: Sql) =>
          Effect.asVoid(sql`insert into wallets values (pg_backend_pid()) on conflict do nothing`)
        const { "0001_wallets": first } = two
        yield* migrate({ "0001_wallets": first!, "0002_more": notes, "0003_more": notes, "0004_more": notes })
        assert.lengthOf(yield* wallets, 2)
      })
    )
  )

  it.effect("lets many starters at once run every migration exactly once", () =>
    emptyDatabase(
      Effect.gen(function* () {
        const ran = yield* Effect.all(
          Array.from({ length: 4 }, () => migrate(two)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(ran.flat().sort(), ["0001_wallets", "0002_more"])
        assert.deepStrictEqual(yield* wallets, [{ id: 1 }, { id: 2 }])
      })
    )
  )

  it.live("lets a migration take longer than any other statement may", () =>
    emptyDatabase(
      Effect.gen(function* () {
        // Other statements are cancelled after 100 ms, and given up by this side two seconds later.
        assert.deepStrictEqual(yield* migrate({ ...two, "0003_slow": "select pg_sleep(2.5)" }), [
          "0001_wallets",
          "0002_more",
          "0003_slow"
        ])
      }),
      { statementTimeoutMillis: 100 }
    )
  )

  it.effect("does not wait long for a table that somebody uses, so that nobody waits behind it, and tries again", () =>
    emptyDatabase(
      Effect.gen(function* () {
        yield* migrate(two)
        const { sql, transact } = yield* Database
        const [reads, ends, warned] = yield* Effect.all([
          Deferred.make<void>(),
          Deferred.make<void>(),
          Deferred.make<unknown>()
        ])
        const reader = yield* Effect.fork(
          transact(
            Effect.gen(function* () {
              yield* sql`select from wallets`
              yield* Deferred.succeed(reads, undefined)
              yield* Deferred.await(ends)
            })
          )
        )
        yield* Deferred.await(reads)
        const migrating = yield* migrate({
          ...two,
          "0003_named": "alter table wallets add column name text"
        }).pipe(
          Effect.provide(
            Logger.replace(
              Logger.defaultLogger,
              Logger.make(({ message }) => Deferred.unsafeDone(warned, Exit.succeed(message)))
            )
          ),
          Effect.fork
        )
        assert.include(String(yield* Deferred.await(warned)), "0003_named waits for a table")
        // Nobody waits: neither does a new reader, nor would the migration hold what it has.
        assert.lengthOf(yield* wallets, 2)
        yield* Deferred.succeed(ends, undefined)
        yield* Fiber.join(reader)
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* Fiber.join(migrating), ["0003_named"])
      })
    )
  )

  it.live("goes on where it was when its connection is lost, and does nothing twice", () =>
    emptyDatabase(
      Effect.gen(function* () {
        let losses = 0
        const lost = (sql: Sql) =>
          Effect.gen(function* () {
            yield* sql`insert into wallets values (3)`
            if (losses++ === 0) yield* sql`select pg_terminate_backend(pg_backend_pid())`
          })
        const logged: Array<string> = []
        const log = Logger.make<unknown, void>(({ message }) => void logged.push(String(message)))
        const ran = yield* migrate({ ...two, "0003_lost": lost }).pipe(
          Effect.provide(Logger.replace(Logger.defaultLogger, log))
        )
        assert.deepStrictEqual(ran, ["0001_wallets", "0002_more", "0003_lost"])
        assert.deepStrictEqual(yield* wallets, [{ id: 1 }, { id: 2 }, { id: 3 }])
        assert.include(logged.join("\n"), "The database was lost during the migration 0003_lost, which begins again")
        assert.notInclude(logged.join("\n"), "waits for a table")
      })
    )
  )

  it.effect("says that a migration begins again only where it does, and ends after the last try", () =>
    withLogLines((lines) =>
      emptyDatabase(
        Effect.gen(function* () {
          const real = yield* Database
          const losing: typeof real = { ...real, transactUnlimited: () => new StorageBusy({ retryAfterSeconds: 1 }) }
          const migrating = yield* Effect.fork(Effect.provideService(Effect.flip(migrate(two)), Database, losing))
          yield* Effect.repeatN(TestClock.adjust("1 second"), 9)
          const { message } = yield* Fiber.join(migrating)
          assert.include(message, "lost during the migration 0001_wallets, in 6 tries")
          assert.lengthOf(
            lines.filter((line) => line.message.includes("begins again")),
            5
          )
        })
      )
    )
  )

  it.effect("rolls a failing migration back, names it, and keeps those before it", () =>
    emptyDatabase(
      Effect.gen(function* () {
        const broken = { ...two, "0003_broken": "insert into wallets values (3); insert into no_such_table values (1)" }
        const failure = yield* Effect.flip(migrate(broken))
        assert(failure._tag === "MigrationFailed")
        assert.strictEqual(failure.name, "0003_broken")
        assert.include(failure.message, "no_such_table")
        assert.deepStrictEqual(yield* wallets, [{ id: 1 }, { id: 2 }])
        assert.deepStrictEqual(yield* migrate(two), [])
      })
    )
  )

  it.effect("refuses a database that a newer version migrated", () =>
    emptyDatabase(
      Effect.gen(function* () {
        yield* migrate(two)
        const { "0001_wallets": first } = two
        const failure = yield* Effect.flip(migrate({ "0001_wallets": first! }))
        assert(failure._tag === "MigrationFailed")
        assert.strictEqual(failure.name, "0002_more")
      })
    )
  )
})
