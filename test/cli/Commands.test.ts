/**
 * The commands, in this process, on one database: those of each subject are in a suite beside this file, and what holds
 * for all is here.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import Pg from "pg"
import { Accounts } from "../../src/services/Accounts.js"
import { cli, CommandLine, CommandLineTest, json, type Typed } from "./commandLine.js"
import { catalogCommands } from "./CatalogCommands.suite.js"
import { nobody, statement } from "./CommandStage.js"
import { keyCommands } from "./KeyCommands.suite.js"
import { moneyCommands } from "./MoneyCommands.suite.js"
import { workspaceCommands } from "./WorkspaceCommands.suite.js"

layer(CommandLineTest, { excludeTestServices: true })("the command line", (it) => {
  it.effect("prints colours on a terminal only, and every command but mcp and the help of all takes --json", () =>
    Effect.gen(function* () {
      assert.include((yield* cli("--help", { colours: true })).out.join(), "\u001b[")
      const help = (yield* cli("--help")).out.join("\n")
      for (const line of ["--help", "workspace create --help", "--version", "frob", "workspace"])
        assert.notInclude(JSON.stringify(yield* cli(line)), "\\u001b", line)
      const lines = help.split(/^COMMANDS$/m)[1]?.match(/^ {2}- .*/gm) ?? []
      const names = lines.map((line) => /^ {2}- ([a-z-]+(?: [a-z][a-z-]*)*)/.exec(line)?.[1] ?? "")
      const commands = lines.filter((_, at) => !names.some((name) => name.startsWith(`${names[at]} `)))
      assert.isAbove(commands.length, 25)
      // What mcp prints is the protocol, whatever is asked.
      for (const line of commands.filter((line) => !line.startsWith("  - mcp "))) assert.include(line, "[--json]")
    })
  )

  it.effect("does nothing on the database that a node does in the background, and makes few connections", () =>
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
      const connections = Effect.promise(async () => {
        const { rows } = await client.query<{ readonly name: string }>(
          `select application_name as name from pg_stat_activity
           where datname = current_database() and application_name like 'provider-gateway%'`
        )
        return rows.map(({ name }) => name)
      })
      // A node deletes counts of days so long ago.
      yield* statement(
        "insert into endpoint_stats (day, endpoint_id, bucket, calls, successes) values (1, 'x', 1, 1, 1)"
      )
      let found: ReadonlyArray<string> = []
      const between: Typed["between"] = (services) => {
        const accounts = Context.get(services, Accounts)
        const workspaces = Effect.zipRight(
          Effect.map(connections, (now) => (found = now)),
          accounts.workspaces
        )
        return Context.add(services, Accounts, { ...accounts, workspaces })
      }
      yield* json("workspace list", { between })
      assert.isNotEmpty(found)
      assert.isAtMost(found.length, 2)
      assert.deepStrictEqual([...new Set(found)], ["provider-gateway"])
      const { rows } = yield* Effect.promise(() => client.query("select from endpoint_stats where day = 1"))
      assert.lengthOf(rows, 1)
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    [`workspace set ws_${nobody} --inflight-limit 0`, /^--inflight-limit: must be a whole number .* or none, not "0"$/],
    [
      `workspace set ws_${nobody} --deny acme`,
      /^--deny: must be provider:<id>, category:<id>, endpoint:<id> or effectful, not "acme"$/
    ],
    [`workspace set ws_${nobody} --allow endpoint:job:people.email.find`, /^--allow: must be provider:<id>/],
    [`credit --workspace ws_${nobody} --usd 1.0000001 --reason x`, /^--usd: must be dollars with at most six decimals/],
    [`credit --workspace ws_${nobody} --usd 1`, /--reason/],
    [`token create --workspace ws_${nobody} --label x`, /--scope/],
    [`token create --workspace ws_${nobody} --label x --scope runs.read --scope`, /^--scope: must be of .*not ""$/],
    [
      `token create --workspace ws_${nobody} --label x --scope runs.read,everything`,
      /^--scope: must be of catalog:read, .* \(everything is none of them\), not "runs.read,everything"$/
    ],
    [
      `token create --workspace ws_${nobody} --label x --scope runs.read --expires-at soon`,
      /^--expires-at: must be a time in ISO 8601/
    ],
    [
      `token create --workspace ws_${nobody} --label x --scope runs.read --expires-at 2026-02-30`,
      /^--expires-at: must be a time in ISO 8601/
    ],
    [
      `token create --workspace ws_${nobody} --label x --scope runs.read --monthly-limit-usd -1`,
      /^--monthly-limit-usd: must not be negative/
    ],
    [`runs resolve run_${nobody} --as lost --reason x`, /charged.*released.*partly_charged/],
    ["ledger verify --fast", /--fast/],
    ["ledger audit", /no such command/],
    ["frob", /no such command/]
  ] as ReadonlyArray<readonly [string, RegExp]>)(
    "refuses %s with exit code 2 and one line that says what would be right",
    ([line, words]) =>
      Effect.gen(function* () {
        const { code, err, out } = yield* cli(line)
        assert.deepStrictEqual([code, out, err.length], [2, [], 1])
        assert.match(err[0]!, words)
        assert.notMatch(err[0]!, /\n|\u001b/) // eslint-disable-line no-control-regex
      })
  )

  workspaceCommands(it)
  moneyCommands(it)
  // In this order: the first publication of all has the number 1.
  catalogCommands(it)
  keyCommands(it)
})
