// An address with several servers: which one the work goes to, and that it follows the writes. The servers are relays
// to databases of one Postgres. One that is told to be read-only stands for a standby, which refuses writes alike.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Either, Redacted } from "effect"
import Pg from "pg"
import { standbyFinding } from "../../../src/layers/compose/Doctor.js"
import { Database, DatabasePg } from "../../../src/layers/postgres/Database.js"
import { lookAt } from "../../../src/layers/postgres/database/Pools.js"
import { makeServers, serversTold } from "../../../src/layers/postgres/database/Servers.js"
import { eventually } from "../../support/eventually.js"
import { withLogLines } from "../../support/logLines.js"
import { acquireTestDatabase } from "../../support/postgres.js"
import { makeProxy } from "../../support/proxy.js"

const serversOf = (url: string) => makeServers(Redacted.make(url))
const namesOf = (url: string) =>
  Either.map(serversOf(url), ({ all }) => all.map(({ name, url: one }) => [name, Redacted.value(one)]))

describe("an address", () => {
  it("with several hosts names a server for each, with the same user, database and parameters", () => {
    assert.deepStrictEqual(
      namesOf("postgres://u:p%40,q@one:5433,[::1]:5434,two/db?sslmode=require&target_session_attrs=read-write"),
      Either.right([
        ["one:5433", "postgres://u:p%40,q@one:5433/db?sslmode=require"],
        ["[::1]:5434", "postgres://u:p%40,q@[::1]:5434/db?sslmode=require"],
        ["two:5432", "postgres://u:p%40,q@two/db?sslmode=require"]
      ])
    )
  })

  it("with one host is left to the driver as it is, and the server is asked nothing unless the address says so", () => {
    const url = "postgresql://u:secret@db.example.com/gateway?options=-c%20geqo%3Doff"
    assert.deepStrictEqual(namesOf(url), Either.right([["db.example.com:5432", url]]))
    const chosen = (text: string) => Either.map(serversOf(text), (servers) => servers.chosen)
    assert.deepStrictEqual(chosen(url), Either.right(false))
    for (const taken of [
      "postgres://u:a@b@one/db",
      "postgres://u:a%2Fb@one/db?options=a@b",
      "postgres:///db?host=/run/a@b",
      "postgres://one:5432/db?user=a@b"
    ])
      assert.deepStrictEqual(chosen(taken), Either.right(false), taken)
    assert.deepStrictEqual(chosen("postgres://one/db?target_session_attrs=primary"), Either.right(true))
  })

  it.each([
    ["postgres://u:secret@one:5432,two:port/db", "host:port,host:port"],
    ["postgres://u:secret@one,,two/db", "host:port,host:port"],
    ["postgres://u:secret@one,two/db?target_session_attrs=prefer-standby", "set read-write"],
    [
      "postgres://u:secret@one/db?sslmode=foo",
      'sslmode is "foo": it must be one of disable, prefer, require, verify-ca, verify-full, no-verify'
    ],
    [
      "postgres://u:secret@one/db?sslmode=verify-full&sslrootcert=/nofile",
      "sslrootcert names a file that this process"
    ],
    ["postgres://u:secret@c/ret#1@127.0.0.1:5432/db", "Write @ as %40"],
    ["postgres://u:secret/x@one/db", "Write @ as %40"],
    ["postgres://u:secret#x@one/db", "# as %23"],
    ["postgres://u:secret?x@one/db", "? as %3F"],
    ["postgres://u:secret@one/db?sslkey=%2Fno%2Ffile", "sslkey names a file that this process cannot read (ENOENT"]
  ])("that cannot be used says what would be right, without its password (%s)", (url, words) => {
    const problem = Either.getOrElse(Either.flip(serversOf(url)), () => "")
    assert.include(problem, words)
    assert.notInclude(problem, "secret")
  })
})

const administer = (url: Redacted.Redacted, statement: string) =>
  Effect.promise(async () => {
    const client = new Pg.Client(Redacted.value(url))
    await client.connect()
    await client.query(statement).finally(() => client.end())
  })

const nameOf = (url: Redacted.Redacted) => new URL(Redacted.value(url)).pathname.slice(1)
const standby = (url: Redacted.Redacted, is: boolean) =>
  administer(
    url,
    `begin read write; alter database ${nameOf(url)} ${is ? "set default_transaction_read_only = on" : "reset default_transaction_read_only"}; commit`
  )

/** A primary and a standby, the standby first in the address. */
const pair = Effect.gen(function* () {
  const urls = [yield* acquireTestDatabase({ empty: true }), yield* acquireTestDatabase({ empty: true })] as const
  const [first, second] = urls
  const direct = new URL(Redacted.value(first))
  const target = { host: decodeURIComponent(direct.hostname), port: Number(direct.port) || 5432 }
  const relays = [
    yield* makeProxy(target),
    yield* makeProxy({ ...target, instead: { of: nameOf(first), take: nameOf(second) } })
  ] as const
  yield* Effect.forEach(urls, (url, at) => administer(url, `create table server as select ${at} as number`))
  yield* standby(first, true)
  const together = `127.0.0.1:${relays[0].port},127.0.0.1:${relays[1].port}`
  const url = Redacted.make(Redacted.value(first).replace(/@[^/]*/, `@${together}`))
  return { url, urls, relays }
})

const used = Effect.flatMap(Database, ({ query, sql }) =>
  Effect.map(query(sql`select number from server`), ([row]) => row?.["number"])
)

describe("a primary and a standby", () => {
  it.scopedLive("have their work at the primary: what reads, what writes, surveys, and what listens", () =>
    Effect.gen(function* () {
      const { url } = yield* pair
      yield* Effect.gen(function* () {
        const { listen, query, servers, sql, survey, transact, urgent } = yield* Database
        const heard = yield* Deferred.make<string>()
        const listening = yield* Deferred.make<undefined>()
        yield* Effect.forkScoped(
          listen("news", (payload) =>
            payload === undefined
              ? Deferred.unsafeDone(listening, Effect.succeed(undefined))
              : Deferred.unsafeDone(heard, Effect.succeed(payload))
          )
        )
        assert.strictEqual(yield* used, 1)
        yield* transact(sql`update server set number = 2`)
        assert.deepStrictEqual(yield* survey(sql`select number from server`), [{ number: 2 }])
        assert.deepStrictEqual(yield* urgent(sql`update server set number = 1 returning number`), [{ number: 1 }])
        yield* Deferred.await(listening)
        yield* query(sql`select pg_notify('news', 'come')`)
        assert.strictEqual(yield* Deferred.await(heard), "come")
        assert.match(serversTold(servers), /^127\.0\.0\.1:\d+: it is a standby and takes no writes; \S+: in use$/)
        const looks = yield* lookAt(servers)
        assert.deepStrictEqual(
          looks.map(({ is }) => is),
          ["standby", "primary"]
        )
        assert.isTrue(standbyFinding(looks).ok)
      }).pipe(Effect.provide(DatabasePg({ url, connectionsMax: 4 })))
    })
  )

  it.scopedLive("change places: the work follows, the listener too, and the log says so once", () =>
    withLogLines((lines) =>
      Effect.gen(function* () {
        const { relays, url, urls } = yield* pair
        yield* Effect.gen(function* () {
          const { listen } = yield* Database
          const connects = { count: 0 }
          const again = yield* Deferred.make<undefined>()
          const once = yield* Deferred.make<undefined>()
          yield* Effect.forkScoped(
            listen("news", () => {
              connects.count++
              Deferred.unsafeDone(connects.count === 1 ? once : again, Effect.succeed(undefined))
            })
          )
          assert.deepStrictEqual(yield* Effect.all([used, used, used], { concurrency: 3 }), [1, 1, 1])
          yield* Deferred.await(once)
          relays[1].refuse()
          const failure = yield* Effect.flip(Effect.repeat(used, { times: 20 }))
          assert.strictEqual(failure._tag, "storage_busy")
          yield* standby(urls[0], false)
          assert.strictEqual(yield* Effect.retry(used, { times: 3 }), 0)
          yield* Deferred.await(again)
          assert.deepStrictEqual(yield* Effect.all([used, used, used], { concurrency: 3 }), [0, 0, 0])
          // The one that was left comes back: nobody goes there, although it would take writes.
          yield* relays[1].accept
          assert.strictEqual(yield* used, 0)
          const moved = yield* eventually(
            Effect.sync(() => lines.filter(({ message }) => message.startsWith("Another server"))),
            ({ length }) => length > 0
          )
          assert.deepStrictEqual(
            moved.map(({ annotations }) => annotations),
            [{ from: `127.0.0.1:${relays[1].port}`, to: `127.0.0.1:${relays[0].port}` }]
          )
        }).pipe(Effect.provide(DatabasePg({ url, connectionsMax: 4 })))
      }).pipe(Effect.scoped)
    )
  )

  it.scopedLive("are left by a connection whose server has turned into a standby", () =>
    Effect.gen(function* () {
      const { url, urls } = yield* pair
      yield* Effect.gen(function* () {
        const { query, sql } = yield* Database
        assert.strictEqual(yield* used, 1)
        // A connection that is open keeps its setting, as one to a server that is demoted under it would not.
        yield* query(sql`set default_transaction_read_only = on`)
        yield* standby(urls[1], true)
        yield* standby(urls[0], false)
        const refused = yield* Effect.flip(query(sql`update server set number = 7`))
        assert.strictEqual(refused._tag, "storage_busy")
        assert.deepStrictEqual(yield* query(sql`update server set number = 7 returning number`), [{ number: 7 }])
      }).pipe(Effect.provide(DatabasePg({ url, connectionsMax: 1 })))
    })
  )

  it.scopedLive("are both named with what is wrong when neither takes writes at the start", () =>
    Effect.gen(function* () {
      const { relays, url } = yield* pair
      relays[1].refuse()
      const failure = yield* Effect.flip(Effect.provide(Database, DatabasePg({ url })))
      assert.strictEqual(failure._tag, "DatabaseUnusable")
      assert.match(failure.message, /it is a standby and takes no writes; 127\.0\.0\.1:\d+: .*ECONNREFUSED/)
    })
  )

  it("are wrong when both take writes, when none does, and when one is away", () => {
    const finding = (...roles: ReadonlyArray<"primary" | "standby" | "away">) =>
      standbyFinding(roles.map((is, at) => ({ name: `server${at}:5432`, is, why: is === "away" ? "no answer" : null })))
    assert.include(finding("primary", "primary").advice, "drift apart")
    assert.include(finding("standby", "standby").advice, "Promote")
    assert.deepInclude(finding("primary", "away"), {
      ok: false,
      found: "server0:5432 is a primary; server1:5432 is away (no answer)"
    })
    assert.deepInclude(finding("standby", "primary"), { ok: true, advice: null })
  })
})

describe("a pooler that lends connections by the transaction", () => {
  const settings =
    "enable_seqscan = off; enable_bitmapscan = off; enable_hashjoin = off; enable_mergejoin = off; jit = off; statement_timeout = 10000; idle_in_transaction_session_timeout = 15000"

  it.scopedLive("is refused while it does not set what a session needs, with the line for its configuration", () =>
    Effect.gen(function* () {
      const url = yield* acquireTestDatabase({ empty: true })
      const failure = yield* Effect.flip(Effect.provide(Database, DatabasePg({ url, directUrl: url })))
      assert.strictEqual(failure._tag, "DatabaseUnusable")
      const line = settings.split("; ").map((setting) => `set ${setting}`)
      assert.include(failure.message, `connect_query='${line.join("; ")}'`)
    })
  )

  it.scopedLive("gets statements without names and sets nothing, while surveys are free of its settings", () =>
    Effect.gen(function* () {
      const url = yield* acquireTestDatabase({ empty: true })
      for (const setting of settings.split("; ")) yield* administer(url, `alter database ${nameOf(url)} set ${setting}`)
      const named = Effect.flatMap(Database, ({ query, sql }) =>
        Effect.zipRight(
          query(sql`select ${1}::int as one`),
          query(sql`select count(*)::int as named from pg_prepared_statements`)
        )
      )
      const through = { url, directUrl: url, connectionsMax: 1 }
      assert.deepStrictEqual(yield* Effect.provide(named, DatabasePg(through)), [{ named: 0 }])
      assert.deepStrictEqual(yield* Effect.provide(named, DatabasePg({ ...through, poolerPrepares: true })), [
        { named: 1 }
      ])
      const found = yield* Effect.provide(
        Effect.flatMap(Database, ({ sql, survey }) =>
          survey(
            sql`select current_setting('enable_seqscan') as scans, current_setting('statement_timeout') as "limit"`
          )
        ),
        DatabasePg(through)
      )
      assert.deepStrictEqual(found, [{ scans: "on", limit: "0" }])
    })
  )
})
