// Tables are kept by workspace, to be distributed by it: their keys begin with it, and statements name it.
// Statements are judged wherever tests make them (test/support/judging.ts); here is what says so of the schema, of the
// judge and of docs/scaling.md.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, type Scope } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import Pg from "pg"
import { inject } from "vitest"
import { acquireTestDatabase } from "../../support/postgres.js"
import { crossings } from "../../support/crossing.js"
import { Judge } from "../../support/judging.js"
import { wholeReads } from "../../support/wholeReads.js"
import {
  besideEveryWorkspace,
  notByWorkspace,
  type RunSql,
  tablesByWorkspace
} from "../../support/tablesByWorkspace.js"

const onDatabase = <A>(url: string, use: (run: RunSql) => Promise<A>) =>
  Effect.promise(async () => {
    const client = new Pg.Client(url)
    await client.connect()
    return use(async (text) => (await client.query<Record<string, unknown>>(text)).rows).finally(() => client.end())
  })

const partitioned = () => inject("partitionedUrl") ?? assert.fail("this file is one of those that share a process")

/** As gateways have it, and as tests hash-partition it. */
const databases: ReadonlyArray<readonly [string, Effect.Effect<string, never, Scope.Scope>]> = [
  ["of a gateway", Effect.map(acquireTestDatabase(), Redacted.value)],
  ["that is hash-partitioned", Effect.sync(partitioned)]
]

const scaling = readFileSync("docs/scaling.md", "utf8")

describe("tables that are kept by workspace", () => {
  for (const [which, database] of databases)
    it.live(`begin each primary key and unique index with it, in the database ${which}`, () =>
      Effect.gen(function* () {
        yield* onDatabase(yield* database, async (run) => {
          const tables = await tablesByWorkspace(run)
          assert.includeMembers(
            [...tables],
            ["attempts", "idempotency_keys", "ledger_entries", "media", "runs", "tokens", "top_ups", "wallets"]
          )
          const keys = await run(`
            select c.relname as table, pg_get_indexdef(i.indexrelid) as index, i.indisprimary as primary, a.attname as first, a.attnotnull as filled
            from pg_index i join pg_class c on c.oid = i.indrelid
            left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
            where i.indisunique and c.relnamespace = 'public'::regnamespace and not c.relispartition`)
          for (const table of tables) {
            const own = keys.filter((key) => key["table"] === table)
            assert.isTrue(
              own.some((key) => key["primary"] === true),
              `${table} has no primary key`
            )
            for (const key of own) {
              assert.strictEqual(key["first"], "workspace_id", String(key["index"]))
              assert.isTrue(key["filled"], `${table}.workspace_id may be null`)
            }
          }
        })
      }).pipe(Effect.scoped)
    )

  it.live("refer to each other only with the workspace, and nothing else refers to them", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* acquireTestDatabase())
      yield* onDatabase(url, async (run) => {
        const tables = new Set(await tablesByWorkspace(run))
        const references = await run(`
          select k.conrelid::regclass::text as from, k.confrelid::regclass::text as to, pg_get_constraintdef(k.oid) as text
          from pg_constraint k join pg_class c on c.oid = k.conrelid where k.contype = 'f' and not c.relispartition`)
        assert.isNotEmpty(references)
        for (const { from, text, to } of references) {
          const story = `${String(from)}: ${String(text)}`
          if (tables.has(String(to))) {
            assert.isTrue(tables.has(String(from)), story)
            assert.match(String(text), /^FOREIGN KEY \(workspace_id, .* REFERENCES \w+\(workspace_id, /, story)
          } else if (tables.has(String(from))) assert.include([...besideEveryWorkspace], String(to), story)
        }
      })
    }).pipe(Effect.scoped)
  )

  it.live("and all others stand in the statements of docs/scaling.md", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* acquireTestDatabase())
      yield* onDatabase(url, async (run) => {
        const tables = await tablesByWorkspace(run)
        const all = await run(`
          select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`)
        const named = (call: RegExp) => [...scaling.matchAll(call)].map(([, name]) => name ?? "").sort()
        assert.deepStrictEqual(named(/create_distributed_table\('(\w+)', 'workspace_id'/g), [...tables].sort())
        assert.deepStrictEqual(
          [
            ...named(/create_reference_table\('(\w+)'\)/g),
            ...named(/citus_add_local_table_to_metadata\('(\w+)'\)/g),
            ...tables
          ].sort(),
          all
            .map(({ name }) => String(name))
            .filter((name) => name !== "gateway_migrations")
            .sort()
        )
        assert.includeMembers(named(/create_reference_table\('(\w+)'\)/g), [...besideEveryWorkspace])
        for (const name of Object.keys(notByWorkspace)) assert.include(scaling, `\`${name}\``)
      })
    }).pipe(Effect.scoped)
  )
})

describe("statements", () => {
  const judged = (text: string, values: ReadonlyArray<unknown> = []) =>
    Effect.acquireUseRelease(
      Effect.sync(() => new Judge(partitioned())),
      (judge) => Effect.promise(() => judge.look(text, values)),
      (judge) => Effect.promise(() => judge.close())
    )

  it.effect("that do not name the workspace are found, with the table", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [text: string, tables: ReadonlyArray<string>]> = [
        ["select * from runs where run_id = $1", ["runs"]],
        ["update tokens set label = '' where token_id = $1", ["tokens"]],
        ["delete from idempotency_keys where key = $1", ["idempotency_keys"]],
        ["select 1 from runs r join attempts a on a.run_id = r.run_id where r.workspace_id = $1", ["attempts"]],
        [
          "with t as (select run_id from ledger_entries where run_id = $1) select from t join media m using (run_id)",
          ["ledger_entries", "media"]
        ]
      ]
      for (const [text, tables] of cases)
        assert.sameMembers([...((yield* judged(text, ["x"]))?.crossed ?? [])], [...tables], text)
    })
  )

  it.effect("that name it pass, by a value or by a join; a fragment is no statement", () =>
    Effect.gen(function* () {
      for (const text of [
        "select * from runs where workspace_id = $1",
        "select 1 from runs r join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.run_id where r.workspace_id = $1",
        "select 1 from unnest(array[$1::text, 'y']) k (w) join wallets on workspace_id = k.w",
        "update wallets set inflight = 0 where workspace_id = $1",
        "insert into idempotency_keys (workspace_id, key, request_digest, run_id) values ($1, '', '', '') on conflict do nothing"
      ])
        assert.deepStrictEqual(yield* judged(text, ["x"]), { crossed: [], whole: [] }, text)
      assert.isNull(yield* judged("select from runs r where r.workspace_id = elsewhere.workspace_id"))
      // Values of every kind reach the plan: bytes in a list, JSON, numbers, nothing.
      const values = [[Buffer.from([0, 92, 255])], { a: "it's" }, 7, null, ['a,"b\\c', null]]
      const text =
        "select from tokens where workspace_id = 'w' and digest = any($1::bytea[]) and $2::json is not null and $3::bigint > 0 and $4::text is null and $5::text[] is not null"
      assert.deepStrictEqual(yield* judged(text, values), { crossed: [], whole: [] })
    })
  )

  it.effect("that read a table or an index as a whole are found, also where only another value would", () =>
    Effect.gen(function* () {
      for (const text of [
        "select count(*) from runs where workspace_id > '' or $1 = 'x'",
        "select run_id from runs where status = $1 order by created_at limit 5 for update skip locked",
        "update attempts set reason = $1 where outcome = 'hit'"
      ])
        assert.lengthOf((yield* judged(text, ["queued"]))?.whole ?? [], 1, text)
      for (const text of [
        "select run_id from runs where status = 'queued' and $1 = 'queued' order by created_at limit 5 for update skip locked",
        "select run_id from runs where workspace_id = $1 order by run_id desc limit 5"
      ])
        assert.deepStrictEqual((yield* judged(text, ["queued"]))?.whole, [], text)
    })
  )

  it("that may cross workspaces, or read a table as a whole, are the gateway's, and docs/scaling.md says which cross", () => {
    const folder = "src/layers/postgres"
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(`${folder}/${name}`, "utf8"))
      .join("\n")
    for (const { text, what } of crossings) {
      assert.include(scaling, `| ${what} |`)
      assert.include(sources, text)
    }
    for (const { text } of wholeReads) assert.include(sources, text)
  })
})
