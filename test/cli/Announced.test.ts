/**
 * Commands that take something away or move money: each says first what it will do, and does nothing with `--dry-run`.
 * The table holds all commands of the help, so that a new one has to say what kind it is.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Pg from "pg"
import { nothingChanged } from "../../src/cli/Announced.js"
import { firstRunIdAt } from "../../src/domain/Ids.js"
import { monthOf } from "../../src/domain/Run.js"
import { DatabasePg } from "../../src/layers/postgres/Database.js"
import { drop, ProvidersScripted } from "../../src/layers/providers/ProvidersScripted.js"
import { Runs } from "../../src/services/Runs.js"
import { engine, funded, requestOf, storagePg } from "../support/engine.js"
import { startGateway } from "../support/gateway.js"
import { cli, CommandLine, CommandLineTest, json, type Typed } from "./commandLine.js"

interface Scene {
  readonly line: ReadonlyArray<string>
  readonly typed?: Typed
}

interface Place {
  /** A folder of this test for what commands read and write. */
  readonly folder: string
  /** A folder for configuration with a login to a gateway, and that gateway. */
  readonly login: Readonly<Record<string, string>>
  /** Everything that is stored, of the database, of the gateway's and of the folder. */
  readonly stored: Effect.Effect<string, never, CommandLine>
}
class World extends Context.Tag("test/cli/AnnouncedWorld")<World, Place>() {}

/** Every row of every table. */
const rowsOf = (url: string) =>
  Effect.promise(async () => {
    const client = new Pg.Client(url)
    await client.connect()
    try {
      const { rows } = await client.query<{ name: string }>(
        "select format('%I', tablename) as name from pg_tables where schemaname = 'public' order by 1"
      )
      const found: Array<string> = []
      for (const { name } of rows) {
        const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t order by 1`)
        found.push(name, ...rows.map(({ row }) => row))
      }
      return found.join("\n")
    } finally {
      await client.end()
    }
  })

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => `${name} ${statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), "utf8") : ""}`)
    .join("\n")

const world = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-announced-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true }))
  )
  const gateway = yield* startGateway()
  const { token } = yield* gateway.funded(0)
  mkdirSync(join(folder, "provider-gateway"))
  writeFileSync(
    join(folder, "provider-gateway", "logins.json"),
    JSON.stringify({ current: gateway.url, tokens: { [gateway.url]: token } }),
    { mode: 0o600 }
  )
  const audit = Effect.map(gateway.call("GET", "/v1/audit?limit=100", { token }), ({ text }) => text)
  const it: Place = {
    folder,
    login: { XDG_CONFIG_HOME: folder },
    stored: Effect.gen(function* () {
      const { url } = yield* CommandLine
      return [yield* rowsOf(Redacted.value(url)), yield* audit, filesOf(folder)].join("\n\n")
    })
  }
  return it
})

let names = 0
const workspace = Effect.suspend(() =>
  Effect.map(json(`workspace create team-${names++}`), (made) => String(made["workspaceId"]))
)

const uncertainRun = Effect.gen(function* () {
  const { url } = yield* CommandLine
  const providers = ProvidersScripted({ "mock-send-message": drop() })
  const database = Layer.orDie(DatabasePg({ url, connectionsMax: 5 }))
  return yield* Effect.gen(function* () {
    const principal = yield* funded(1_000_000)
    const request = requestOf("mock-send-message", { input: { to: "ada@example.com", text: "hello" } })
    return (yield* (yield* Runs).create(principal, request, 20)).run.runId
  }).pipe(Effect.provide(Layer.provideMerge(engine(providers.layer), Layer.provide(storagePg, database))), Effect.orDie)
})

const statement = (url: string, text: string) =>
  Effect.promise(async () => {
    const client = new Pg.Client(url)
    await client.connect()
    await client.query(text).finally(() => client.end())
  })

const day = 24 * 3_600_000

const oldRun = (url: string, workspaceId: string, then: number) =>
  Effect.promise(async () => {
    const client = new Pg.Client(url)
    await client.connect()
    await client
      .query(
        `insert into runs (workspace_id, run_id, token_id, idempotency_key, request_digest, request_id, requested_endpoint_id, endpoint_id, input,
           status, outcome, hold_micros, charge_micros, spend_month, started_at, completed_at, created_at)
         values ($1, $2, 't', $2, '', '', 'e', 'e', '{}', 'completed', 'hit', 0, 0, $3, $4, $4, $4)`,
        [workspaceId, firstRunIdAt(then), monthOf(then), then]
      )
      .finally(() => client.end())
  })

const pets = (id: string) =>
  [
    "openapi: 3.0.3",
    "info: { title: Pets, version: '1' }",
    "servers: [{ url: https://api.pets.example }]",
    `paths: { /pets: { get: { operationId: ${id}, summary: Lists pets, responses: { '200': { description: ok } } } } }`
  ].join("\n")

const document = Effect.map(World, ({ folder }) => {
  const file = join(folder, `pets-${names++}.yaml`)
  writeFileSync(file, pets(`listPets${names}`))
  return file
})

const flatLine = (name: string) =>
  JSON.stringify({
    endpointId: "birds.list",
    providerId: "birds",
    providerName: "Birds",
    name,
    description: "Lists birds.",
    method: "GET",
    baseUrl: "https://api.birds.example",
    path: "/birds",
    parameters: [],
    category: "nature"
  })

const hunter = { input: "sk-canary" }
const overlap = (key: string) => `${key}:${Buffer.alloc(32, key).toString("base64")}`

const atLogin = (line: (tokenId: string) => string) =>
  Effect.gen(function* () {
    const { login } = yield* World
    const made = yield* json("token create --label app --scope runs:read", { settings: login })
    return { line: line(String(made["tokenId"])).split(" "), typed: { settings: login } }
  })

/** Each destroys something, overwrites it or moves money; what it needs is made first. */
const scenes: Readonly<Record<string, Effect.Effect<Scene, never, CommandLine | World>>> = {
  // The first, because it seals all that the scenes before it have stored.
  "secrets rotate": Effect.gen(function* () {
    yield* cli("key set hunter", { ...hunter, settings: { GATEWAY_SEALING_KEYS: overlap("k1") } })
    const settings = { GATEWAY_SEALING_KEYS: `${overlap("k2")},${overlap("k1")}` }
    // The first command with a new sealing key notes which key it is.
    yield* cli("key list", { settings })
    return { line: ["secrets", "rotate"], typed: { settings } }
  }),
  "key remove": Effect.as(cli("key set hunter", hunter), { line: ["key", "remove", "hunter"] }),
  "key set": Effect.as(cli("key set hunter", hunter), {
    line: ["key", "set", "hunter"],
    typed: { input: "sk-another" }
  }),
  logout: Effect.gen(function* () {
    // A login of its own, which the other scenes do not need.
    const { folder, login } = yield* World
    const mine = join(folder, "another")
    const { current } = JSON.parse(readFileSync(join(folder, "provider-gateway", "logins.json"), "utf8"))
    const made = yield* json("token create --label login --scope runs:read", { settings: login })
    mkdirSync(join(mine, "provider-gateway"), { recursive: true })
    writeFileSync(
      join(mine, "provider-gateway", "logins.json"),
      JSON.stringify({ current, tokens: { [current]: made["token"] } }),
      { mode: 0o600 }
    )
    return { line: ["logout"], typed: { settings: { XDG_CONFIG_HOME: mine } } }
  }),
  "token rotate": atLogin((tokenId) => `token rotate ${tokenId} --overlap-seconds 60`),
  "token revoke": atLogin((tokenId) => `token revoke ${tokenId}`),
  "workspace set": Effect.map(workspace, (id) => ({
    line: `workspace set ${id} --runs-per-minute 1 --deny effectful --search-learning on`.split(" ")
  })),
  credit: Effect.map(workspace, (id) => ({
    line: ["credit", "--workspace", id, "--usd", "25", "--reason", "invoice 7"]
  })),
  "member remove": Effect.gen(function* () {
    const id = yield* workspace
    yield* json(`member add Ada --workspace ${id} --role owner`)
    return { line: `member remove Ada --workspace ${id} --revoke-tokens`.split(" ") }
  }),
  "member role": Effect.gen(function* () {
    const id = yield* workspace
    yield* json(`member add Ada --workspace ${id}`)
    return { line: `member role Ada owner --workspace ${id}`.split(" ") }
  }),
  "runs resolve": Effect.map(uncertainRun, (runId) => ({
    line: ["runs", "resolve", runId, "--as", "released", "--reason", "not in their log"]
  })),
  "connection delete": Effect.gen(function* () {
    const id = yield* workspace
    const made = yield* json(`connection create --workspace ${id} --provider hunter --label theirs`, hunter)
    return { line: `connection delete ${made["connectionId"]} --workspace ${id}`.split(" ") }
  }),
  archive: Effect.gen(function* () {
    // As old as its id says; an older one, whose month leaves in the same command that moves it.
    const id = yield* workspace
    const { url } = yield* CommandLine
    const now = Date.now()
    for (const then of [now - 40 * day, now - 200 * day]) yield* oldRun(Redacted.value(url), id, then)
    const settings = { GATEWAY_RESULT_DAYS: "30", GATEWAY_RUN_DAYS: "100" }
    const dry = yield* cli("archive --dry-run", { settings })
    assert.deepStrictEqual(dry.out, [
      [
        "Moves 2 runs from the tables of new runs to the history",
        "Drops the payloads of 2 runs for good",
        `Drops the 1 run of ${monthOf(now - 200 * day)} from the database for good, without a file`,
        nothingChanged
      ].join("\n")
    ])
    return { line: ["archive"], typed: { settings } }
  }),
  "provider state": Effect.succeed({ line: ["provider", "state", "hunter", "disabled"] }),
  "catalog new": Effect.gen(function* () {
    const { folder } = yield* World
    const to = join(folder, "new")
    const line = ["catalog", "new", "--openapi", yield* document, "--operation", "GET /pets", "--to", to, "--overwrite"]
    mkdirSync(join(to, "providers"), { recursive: true })
    writeFileSync(join(to, "providers", "pets.example.yaml"), "edited: by a person\n")
    return { line }
  }),
  "catalog import-openapi": Effect.map(document, (file) => ({
    line: ["catalog", "import-openapi", file, "--publish", "replace"]
  })),
  "catalog import-jsonl": Effect.gen(function* () {
    const { folder } = yield* World
    const file = join(folder, "flat.jsonl")
    const line = ["catalog", "import-jsonl", file, "--to", join(folder, "flat"), "--overwrite", "--publish", "add"]
    writeFileSync(file, `${flatLine("Birds")}\n`)
    yield* cli(line)
    writeFileSync(file, `${flatLine("List birds")}\n`)
    return { line }
  }),
  "catalog publish": Effect.gen(function* () {
    const { folder } = yield* World
    const place = join(folder, "drafts")
    yield* json(["catalog", "import-openapi", yield* document, "--to", place])
    return { line: ["catalog", "publish", place, "--replace"] }
  }),
  "catalog withdraw": Effect.gen(function* () {
    yield* cli(["catalog", "import-openapi", yield* document, "--publish", "add"])
    return { line: ["catalog", "withdraw"] }
  })
}

/** They have a dry run of their own, with more to say than a sentence. */
const ownDryRun: ReadonlySet<string> = new Set(["migrate"])

/** All others, and why they need no announcement. */
const harmless: Readonly<Record<string, string>> = {
  serve: "runs until it is stopped",
  migrate: "says which migrations are missing and has a --dry-run of its own: Installation.test.ts",
  doctor: "only reads",
  "config print": "only reads",
  completions: "only prints",
  login: "a person approves it",
  whoami: "only reads",
  search: "only reads",
  inspect: "only reads",
  run: "shows the highest price, and asks above a sum",
  mcp: "acts when an agent's host asks it",
  audit: "only reads",
  "workspace create": "only adds",
  "workspace list": "only reads",
  "token list": "only reads",
  "token create": "only adds",
  console: "only adds",
  "member add": "only adds",
  "member list": "only reads",
  nodes: "only reads",
  "ledger verify": "only reads",
  "runs list": "only reads",
  "runs show": "only reads",
  "runs watch": "only reads",
  "runs download": "only adds",
  "runs uncertain": "only reads",
  "connection create": "only adds",
  "connection list": "only reads",
  "key list": "only reads",
  "catalog lint": "only reads",
  "catalog watch": "calls only what reads, under a budget",
  "catalog try": "asks before an operation that changes something",
  "catalog published": "only reads"
}

/** The line of each command in the help of all. */
const linesOf = (help: string): ReadonlyMap<string, string> => {
  const lines = [...(help.split(/^COMMANDS$/m)[1] ?? "").matchAll(/^ {2}- ([a-z-]+(?: [a-z][a-z-]*)*).*/gm)]
  const names = lines.map(([, name = ""]) => name)
  return new Map(
    lines.flatMap(([line], at): ReadonlyArray<[string, string]> => {
      const name = names[at] ?? ""
      return names.some((other) => other.startsWith(`${name} `)) ? [] : [[name, line]]
    })
  )
}

layer(Layer.provideMerge(Layer.scoped(World, world), CommandLineTest), {
  excludeTestServices: true,
  timeout: "60 seconds"
})("a command that takes something away or moves money", (it) => {
  it.effect("is known here, as every other command is, and alone has --dry-run", () =>
    Effect.gen(function* () {
      const help = (yield* cli("--help")).out.join("\n")
      const lines = linesOf(help)
      const commands = [...lines.keys()]
      assert.isAbove(commands.length, 40)
      assert.sameMembers([...commands], [...Object.keys(scenes), ...Object.keys(harmless)])
      for (const [name, line] of lines)
        assert.strictEqual(line.includes("[--dry-run]"), name in scenes || ownDryRun.has(name), name)
    })
  )

  for (const [name, scene] of Object.entries(scenes))
    it.effect(
      `${name} says what it will do, does nothing with --dry-run, and does it without`,
      () =>
        Effect.gen(function* () {
          const { stored } = yield* World
          const { line, typed = {} } = yield* scene
          const before = yield* stored

          const { dryRun, will } = yield* json([...line, "--dry-run"], typed)
          assert.isTrue(dryRun)
          assert.isAbove(will.length, 0)
          assert.strictEqual(yield* stored, before)

          const done = yield* cli(line, typed)
          assert.strictEqual(done.code, 0, done.err.join("\n"))
          assert.deepStrictEqual(done.err, will)
          assert.notStrictEqual(yield* stored, before)
        }),
      60_000
    )

  it.effect("says in lines for people that nothing was changed", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const { code, err, out } = yield* cli(`workspace set ${id} --runs-per-minute 1 --deny effectful --dry-run`)
      assert.deepStrictEqual([code, err], [0, []])
      assert.match(out.join("\n"), /^Changes the runs a minute of team-\d+ from no limit to 1\nChanges the policy of /)
      assert.strictEqual(out.join("\n").split("\n").at(-1), nothingChanged)
    })
  )

  it.effect("refuses with --dry-run what is not there, as without", () =>
    Effect.gen(function* () {
      const nobody = "0".repeat(26)
      const id = yield* workspace
      yield* json(`credit --workspace ${id} --usd 25 --reason x --key used`)
      for (const line of [
        `credit --workspace ${id} --usd 26 --reason x --key used`,
        `credit --workspace ${id} --usd 2001 --reason x --key used --yes`,
        `token revoke tok_${nobody} --database`,
        `credit --workspace ws_${nobody} --usd 1 --reason x`,
        `credit --workspace ${id} --usd -26 --reason x`,
        `workspace set ${id} --allow category:people --deny category:people`,
        `runs resolve run_${nobody} --as released --reason x`,
        `connection delete con_${nobody} --workspace ${id}`,
        "key remove apollo"
      ]) {
        const [dry, real] = [yield* cli(`${line} --dry-run`), yield* cli(line)]
        assert.deepStrictEqual([dry.code, dry.out], [1, []], line)
        assert.deepStrictEqual(dry, real, line)
      }
    })
  )

  it.effect(
    "refuses with --dry-run what settings, folders, files or another process are in the way of, as without",
    () =>
      Effect.gen(function* () {
        const { url } = yield* CommandLine
        const { folder, login } = yield* World
        const id = yield* workspace
        yield* json(`member add Grace --workspace ${id}`)
        yield* oldRun(Redacted.value(url), id, Date.now() - 200 * day)
        const edited = join(folder, "edited")
        mkdirSync(join(edited, "providers"), { recursive: true })
        writeFileSync(join(edited, "providers", "pets.example.yaml"), "edited: by a person\n")
        const draft = ["catalog", "new", "--openapi", yield* document, "--operation", "GET /pets", "--to", edited]
        const until = "(extract(epoch from now()) * 1000)::bigint + 60000"
        yield* statement(
          Redacted.value(url),
          `insert into history_turn (holder, until_millis) values ('other', ${until})`
        )
        const leaving = { GATEWAY_RUN_DAYS: "100" }
        const refused: ReadonlyArray<readonly [line: ReadonlyArray<string>, typed: Typed, says: RegExp]> = [
          [["archive"], { settings: leaving }, /Another process moves or archives runs now/],
          [["archive"], {}, /^Every run is kept: set /],
          [["key", "set", "nobody"], { input: "sk-canary" }, /nobody/],
          [["key", "set", "hunter"], { input: "" }, /./],
          [["provider", "state", "nobody", "disabled"], {}, /nobody/],
          [`member remove Nobody --workspace ${id}`.split(" "), {}, /Nobody/],
          [`member role Nobody owner --workspace ${id}`.split(" "), {}, /Nobody/],
          [["token", "revoke", "tok_1"], { settings: login }, /tok_1/],
          [["token", "rotate", `tok_${"0".repeat(26)}`], { settings: login }, /./],
          [draft, {}, /exists already with another content/],
          [["catalog", "publish", join(folder, "nowhere")], {}, /nowhere/],
          [["logout"], { settings: { XDG_CONFIG_HOME: edited } }, /./]
        ]
        const { stored } = yield* World
        const before = yield* stored
        for (const [line, typed, says] of refused) {
          const [dry, real] = [yield* cli([...line, "--dry-run"], typed), yield* cli(line, typed)]
          assert.deepStrictEqual(dry, real, line.join(" "))
          assert.isAbove(dry.code, 0, line.join(" "))
          assert.deepStrictEqual(dry.out, [], line.join(" "))
          assert.match(dry.err.join("\n"), says)
        }
        assert.strictEqual(yield* stored, before)
        yield* statement(Redacted.value(url), "delete from history_turn")
        const unwritable = { settings: { ...leaving, GATEWAY_ARCHIVE_DIR: "/dev/null/archive" } }
        const [dry, real] = [yield* cli("archive --dry-run", unwritable), yield* cli("archive", unwritable)]
        assert.deepStrictEqual(dry, real)
        assert.deepStrictEqual([dry.code, dry.out], [1, []])
        assert.include(dry.err.join(), "/dev/null/archive")
      })
  )

  it.effect("says what a key of a credit has done, and that a dry run is not asked about", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const credit = (usd: string) => ["credit", "--workspace", id, "--usd", usd, "--reason", "x", "--key", "k"]
      const first = yield* json([...credit("2000"), "--dry-run"])
      assert.match(first["needs"], /GATEWAY_CREDIT_ASK_USD.*--yes/)
      yield* json([...credit("2000"), "--yes"])
      const again = yield* json([...credit("2000"), "--dry-run"])
      assert.match(again["will"].join(), /^Changes nothing: the key has added \$2000\.00 to team-\d+ /)
      assert.isUndefined(again["needs"])
      // What has been done needs nobody's word.
      const repeated = yield* cli(credit("2000"))
      assert.deepStrictEqual([repeated.code, repeated.err], [0, again["will"]])
      assert.include(repeated.out.join(), "$2000.00 available")
    })
  )

  it.effect("asks before a credit above the amount of the setting, or needs --yes where nobody can be asked", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const balance = Effect.map(json(`credit --workspace ${id} --usd 0.000001 --reason look`), (found) =>
        Math.round(found["availableMicros"] / 1e6)
      )
      const credit = (usd: string, typed: Typed = {}, ...more: ReadonlyArray<string>) =>
        cli(["credit", "--workspace", id, `--usd=${usd}`, "--reason", "x", ...more], typed)
      assert.strictEqual((yield* credit("1000")).code, 0)
      const alone = yield* credit("1000.000001")
      assert.deepStrictEqual(
        [alone.code, alone.err.at(-1)],
        [1, "$1000.000001 is more than $1000.00 (GATEWAY_CREDIT_ASK_USD): add --yes to credit it"]
      )
      const declined = yield* credit("5000", { answers: false })
      assert.deepStrictEqual(
        [declined.code, declined.out, declined.err.slice(-2)],
        [1, [], ["$5000.00 is more than $1000.00 (GATEWAY_CREDIT_ASK_USD). Credit it?", "Nothing was credited"]]
      )
      assert.strictEqual(yield* balance, 1000)
      assert.strictEqual((yield* credit("5000", { answers: true })).code, 0)
      assert.strictEqual((yield* credit("5000", {}, "--yes", "--json")).code, 0)
      assert.strictEqual(yield* balance, 11_000)
      // Money that is taken back is asked about as well, and the setting says from which amount on.
      assert.strictEqual((yield* credit("-2000")).code, 1)
      const settings = { GATEWAY_CREDIT_ASK_USD: "5" }
      assert.include((yield* credit("-5.01", { settings })).err.join(), "more than $5.00")
      assert.strictEqual((yield* credit("-5", { settings })).code, 0)
      const wrong = yield* credit("1", { settings: { GATEWAY_CREDIT_ASK_USD: "much" } })
      assert.strictEqual(wrong.code, 1)
      assert.include(wrong.err.join(), "GATEWAY_CREDIT_ASK_USD")
    })
  )
})
