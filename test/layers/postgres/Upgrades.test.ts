// Upgrades from every schema that there was, with data in it, and what the programs of before may still do after one.
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Redacted, Schema } from "effect"
import { Database, DatabasePg } from "../../../src/layers/postgres/Database.js"
import { rowsOf } from "../../../src/layers/postgres/database/Rows.js"
import { verifyLedger } from "../../../src/layers/postgres/LedgerVerificationPg.js"
import { migrate, type Migration, missingMigrations } from "../../../src/layers/postgres/Migrations.js"
import { migrations } from "../../../src/layers/postgres/migrations/index.js"
import { runRows, runTable } from "../../../src/layers/postgres/RunTables.js"
import { acquireTestDatabase } from "../../support/postgres.js"
import { changedOnPurpose, sampleRows, sampleRunIds } from "./sampleRows.js"
import { schemaBreaks, shape } from "./schemaBreaks.js"

/** From here on, a migration only adds. */
const firstThatOnlyAdds = 29

/**
 * Migrations that take something away that no running program uses any more, each with what that is and since which
 * migration none does. They raise `schema_needs` to that one.
 */
const takeAway: Readonly<Record<string, string>> = {}

/**
 * What a migration changes although it looks like a break, and no statement of the version before notices: none leans
 * on these keys.
 */
const unnoticed: Readonly<Record<string, ReadonlyArray<string>>> = {
  "0034_keys_by_workspace": [
    "constraint of replaced_token_secrets: PRIMARY KEY (digest) is gone",
    "constraint of tokens: PRIMARY KEY (token_id) is gone",
    "constraint of tokens: UNIQUE (digest) is gone",
    "unique index of top_ups: btree (top_up_id) is gone",
    "constraint of tokens: PRIMARY KEY (workspace_id, token_id) is new",
    "unique index of tokens: btree (workspace_id, digest) is new"
  ]
}

const names = Object.keys(migrations).sort()
const firstOf = (count: number, all: Readonly<Record<string, Migration>> = migrations): Record<string, Migration> =>
  Object.fromEntries(
    Object.keys(all)
      .sort()
      .slice(0, count)
      .map((name) => [name, all[name]!])
  )

const on = <A, E>(url: Redacted.Redacted, use: Effect.Effect<A, E, Database>) =>
  Effect.provide(use, DatabasePg({ url, connectionsMax: 2 }))

const emptyDatabase = <A, E>(use: Effect.Effect<A, E, Database>) =>
  Effect.scoped(Effect.flatMap(acquireTestDatabase({ empty: true }), (url) => on(url, use)))

/**
 * Tries something on a database of each of these schemas, which ascend. One database takes all migrations in turn, and
 * each schema gets a copy of it: to come so far anew would be twice the work.
 */
const onEach = <A, E>(schemas: ReadonlyArray<number>, use: (schema: number) => Effect.Effect<A, E, Database>) =>
  Effect.gen(function* () {
    const source = yield* acquireTestDatabase({ empty: true })
    const turns = yield* Effect.makeSemaphore(1)
    const copyAt = (schema: number) =>
      turns.withPermits(1)(
        Effect.zipRight(on(source, migrate(firstOf(schema))), acquireTestDatabase({ copyOf: source }))
      )
    yield* Effect.forEach(
      schemas,
      (schema) => Effect.scoped(Effect.flatMap(copyAt(schema), (url) => on(url, use(schema)))),
      { concurrency: 4, discard: true }
    )
  }).pipe(Effect.scoped)

const run = (statement: string) => Effect.flatMap(Database, ({ query, sql }) => query(sql.unsafe(statement)))

const write = (schema: number, tag: string) =>
  Effect.forEach(
    sampleRows(tag).filter(({ since }) => since <= schema),
    ({ statement }) => run(statement),
    { discard: true }
  )

const textRows = rowsOf(Schema.Struct({ row: Schema.Record({ key: Schema.String, value: Schema.Unknown }) }))

/** All rows of all tables, but of the one that names the migrations. */
const contents = Effect.gen(function* () {
  const { tables } = yield* shape
  const found = yield* Effect.forEach(
    tables.filter((table) => table !== "gateway_migrations"),
    (table) =>
      Effect.map(
        textRows(run(`select to_jsonb(t) as row from ${table} t`)),
        (rows) => [table, rows.map(({ row }) => row)] as const
      )
  )
  return new Map(found)
})

type Rows = ReadonlyArray<{ readonly [column: string]: unknown }>

/** The rows with the columns that were there before, in an order of their own. */
const comparable = (rows: Rows, columns: ReadonlyArray<string>): ReadonlyArray<string> =>
  rows.map((row) => JSON.stringify(columns.map((column) => row[column]))).sort()

/** What a migration did to rows that it should have left alone; none when all are there as they were. */
const lostRows = (before: ReadonlyMap<string, Rows>, after: ReadonlyMap<string, Rows>, schema: number) =>
  [...before].flatMap(([table, rows]) => {
    const [one] = rows
    if (one === undefined) return []
    const columns = Object.keys(one).filter(
      (column) =>
        !changedOnPurpose.some(
          (change) => change.migration > schema && change.table === table && change.column === column
        )
    )
    const now = new Set(comparable(after.get(table) ?? [], columns))
    return comparable(rows, columns)
      .filter((row) => !now.has(row))
      .map((row) => `${table}: ${row}`)
  })

const runsOf = (tag: string) =>
  Effect.gen(function* () {
    const { query, sql } = yield* Database
    return yield* runRows(
      query(sql`
        select ${sql.literal(runTable.selected("r"))} from runs r where r.workspace_id = ${sampleRunIds(tag).workspaceId} order by r.run_id`)
    )
  })

describe("an upgrade", () => {
  it.effect("keeps every row of every schema that there was, and its money adds up", () =>
    onEach(
      names.map((_, at) => at + 1),
      (schema) =>
        Effect.gen(function* () {
          yield* write(schema, "aa")
          const before = yield* contents
          assert.deepStrictEqual(yield* migrate(migrations), names.slice(schema))
          assert.deepStrictEqual(lostRows(before, yield* contents, schema), [], `from ${names[schema - 1]}`)
          const { difference } = yield* Effect.flatMap(Database, verifyLedger)
          assert.isNull(difference, `from ${names[schema - 1]}`)
          // The program reads what an older one wrote, and where it was left off.
          const runs = yield* runsOf("aa")
          assert.deepStrictEqual(
            runs.map(({ chargeMicros, job, status }) => ({
              chargeMicros: chargeMicros?.valueOf() ?? null,
              job,
              status
            })),
            [
              {
                chargeMicros: 5_000,
                job: schema > 2 && schema < 13 ? "people.email.find" : null,
                status: "completed"
              },
              { chargeMicros: null, job: null, status: "reconciliation_pending" }
            ]
          )
        })
    )
  )

  it.effect("has data for every table, so that a new table needs a sample", () =>
    emptyDatabase(
      Effect.gen(function* () {
        yield* migrate(migrations)
        yield* write(names.length, "aa")
        const empty = [...(yield* contents)].flatMap(([table, rows]) => (rows.length === 0 ? [table] : []))
        assert.deepStrictEqual(empty, [])
      })
    )
  )
})

describe("programs of the version before", () => {
  const schemasBefore = names.map((_, at) => at).filter((schema) => schema + 1 >= firstThatOnlyAdds)

  it.effect("work on after each migration, because it only adds", () =>
    onEach(schemasBefore, (schema) =>
      Effect.gen(function* () {
        const name = names[schema]!
        yield* write(schema, "aa")
        const before = yield* shape
        assert.deepStrictEqual(yield* migrate(firstOf(schema + 1)), [name])
        if (takeAway[name] !== undefined) return
        assert.sameMembers([...schemaBreaks(before, yield* shape)], [...(unnoticed[name] ?? [])], name)
        // Their statements, on the tables as they are now.
        yield* write(schema, "bb")
        // This program's own check needs its own schema.
        yield* migrate(migrations)
        assert.isNull((yield* Effect.flatMap(Database, verifyLedger)).difference)
        assert.strictEqual((yield* runsOf("bb")).length, 2)
      })
    )
  )

  it.effect("start on a database that a newer one has migrated, and change nothing in it", () =>
    emptyDatabase(
      Effect.gen(function* () {
        yield* migrate({ ...migrations, "9998_adds": "create table of_a_later_version (id int)" })
        assert.deepStrictEqual(yield* missingMigrations(migrations), [])
        assert.deepStrictEqual(yield* migrate(migrations), [])
      })
    )
  )

  it.effect("are refused where a migration took something away that they use", () =>
    emptyDatabase(
      Effect.gen(function* () {
        yield* migrate({
          ...migrations,
          "9998_adds": "create table of_a_later_version (id int)",
          "9999_takes_away": "drop table write_probe; update schema_needs set needed = '9998_adds'"
        })
        const failure = yield* Effect.flip(migrate(migrations))
        assert(failure._tag === "MigrationFailed")
        assert.strictEqual(failure.name, "9998_adds")
      })
    )
  )

  it("know that a migration which takes something away says so", () => {
    for (const name of Object.keys(takeAway)) {
      const migration = migrations[name]
      assert.match(typeof migration === "object" ? migration.join(";") : String(migration), /update schema_needs/, name)
    }
  })
})

describe("what may stop a program of the version before", () => {
  const base = `
    create table things (id text primary key, name text not null default 'x', note text, size int, unique (name));
    create table others (id text primary key, other_id text)`
  const after = (change: string) =>
    emptyDatabase(
      Effect.gen(function* () {
        yield* migrate({ "0001_base": base })
        const before = yield* shape
        yield* migrate({ "0001_base": base, "0002_change": change })
        return schemaBreaks(before, yield* shape)
      })
    )
  const stops: ReadonlyArray<readonly [change: string, found: RegExp]> = [
    ["drop table others", /table others is gone/],
    ["alter table things drop column note", /column things\.note is gone/],
    ["alter table things rename column note to remark", /column things\.note is gone/],
    ["alter table things alter column size type bigint", /column things\.size is bigint and was integer/],
    ["alter table things alter column note set not null", /column things\.note must have a value/],
    ["alter table things alter column name drop default", /column things\.name has no default any more/],
    [
      "alter table things add column other_id text",
      /new column things\.other_id has the name by which other tables are joined/
    ],
    ["alter table things add column made int not null", /new column things\.made must have a value/],
    ["alter table things add check (size > 0)", /constraint of things: CHECK .* is new/],
    ["alter table things add foreign key (note) references others", /FOREIGN KEY .* is new/],
    ["create unique index things_once on things (note)", /unique index of things: .* is new/],
    ["alter table things drop constraint things_name_key", /UNIQUE \(name\) is gone/],
    [
      "create function f() returns trigger language plpgsql as $$ begin return new; end $$; create trigger t before insert on things for each row execute function f()",
      /trigger of things: .* is new/
    ]
  ]
  it.effect("is found, whatever a migration takes away or asks for", () =>
    Effect.forEach(
      stops,
      ([change, found]) => Effect.map(after(change), (breaks) => assert.match(breaks.join("; "), found, change)),
      { concurrency: 4, discard: true }
    )
  )
  it.effect("is not what only adds", () =>
    Effect.map(
      after(`
        alter table things add column made int, add column seen int not null default 0, add check ((made is null) = (made is null));
        create index things_by_note on things (note);
        create table more (id text primary key references things);
        alter table things alter column name drop not null`),
      (breaks) => assert.deepStrictEqual(breaks, [])
    )
  )
})
