/** Commands where somebody else holds a lock on tables of the database, or where the database cannot be had at all. */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import Pg from "pg"
import { withLogLines } from "../support/logLines.js"
import { cli, CommandLine, CommandLineTest, json } from "./commandLine.js"

/** Holds every table of the gateway but these, until the scope closes. */
const lockingAllBut = (free: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { url } = yield* CommandLine
    const client = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const connected = new Pg.Client(Redacted.value(url))
        await connected.connect()
        return connected
      }),
      (connected) => Effect.promise(() => connected.end())
    )
    yield* Effect.promise(async () => {
      const { rows } = await client.query<{ readonly name: string }>(
        "select quote_ident(relname) as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and relname <> all($1)",
        [free]
      )
      await client.query("begin")
      await client.query(`lock table ${rows.map(({ name }) => name).join(", ")} in access exclusive mode`)
    })
  })

/** What every command looks at: whose database it is, and whether its sealing keys are the ones of the database. */
const ofEveryCommand = ["gateway_migrations", "sealing_keys"]

layer(CommandLineTest, { excludeTestServices: true })("a command beside a locked table", (it) => {
  it.scoped("waits for no table that it does not need", () =>
    Effect.gen(function* () {
      yield* lockingAllBut([...ofEveryCommand, "workspaces"])
      assert.deepStrictEqual(yield* json("workspace list"), { workspaces: [] })
    })
  )

  it.scoped("ends when it has waited as long as a statement may, says so, and speaks of no requests", () =>
    withLogLines((lines) =>
      Effect.gen(function* () {
        const { url } = yield* CommandLine
        const database = new URL(Redacted.value(url))
        // What a statement may take is 10 seconds, which is long for a test; a lock that is not had ends the same way.
        const settings = { DATABASE_URL: Object.assign(database, { search: "?options=-c%20lock_timeout%3D200" }).href }
        yield* lockingAllBut(ofEveryCommand)
        for (const line of ["workspace list", "key list", "provider state hunter disabled"]) {
          const { code, err, out } = yield* cli(line, { settings })
          assert.deepStrictEqual([code, out], [1, []], line)
          assert.match(err.join("\n"), /^The database is there, but did not do it in time.* holds a lock/, line)
          assert.notInclude(err.join("\n"), "DATABASE_URL")
        }
        assert.isNotEmpty(lines)
        assert.deepStrictEqual(
          [...new Set(lines.map(({ message }) => message))],
          ["The database fails what this command asks of it"]
        )
        assert.match(String(lines[0]?.annotations["why"]), /lock timeout/)
      })
    )
  )

  it.scoped("says of a database that it cannot have what is known of it", () =>
    Effect.gen(function* () {
      const { url } = yield* CommandLine
      const at = (change: (url: URL) => void) =>
        Effect.suspend(() => {
          const changed = new URL(Redacted.value(url))
          change(changed)
          return Effect.map(cli("workspace list", { settings: { DATABASE_URL: changed.href } }), ({ err }) =>
            err.join("\n")
          )
        })
      assert.match(
        yield* at((changed) => (changed.pathname = "/nowhere")),
        /^The database refuses the connection \(database "nowhere" does not exist\)\. Check DATABASE_URL$/
      )
      assert.match(
        yield* at((changed) => (changed.port = "1")),
        /^The database cannot be reached \(connect E[^)]*\)\. Check that Postgres runs, DATABASE_URL/
      )
    })
  )
})
