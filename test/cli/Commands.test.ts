import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import Pg from "pg"
import { CatalogFollowing } from "../../src/layers/catalog/CatalogFollowing.js"
import { CatalogServed } from "../../src/layers/catalog/CatalogServed.js"
import { ContractStorePg } from "../../src/layers/postgres/ContractStorePg.js"
import { DatabasePg } from "../../src/layers/postgres/Database.js"
import { drop, ProvidersScripted } from "../../src/layers/providers/ProvidersScripted.js"
import { RunId } from "../../src/domain/Ids.js"
import { pageRowsMax } from "../../src/domain/Limits.js"
import { Accounts } from "../../src/services/Accounts.js"
import { AuditTrail } from "../../src/services/AuditTrail.js"
import { Catalog } from "../../src/services/Catalog.js"
import { CatalogRevisions } from "../../src/services/CatalogRevisions.js"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import { Reconciliation } from "../../src/services/Reconciliation.js"
import { Runs } from "../../src/services/Runs.js"
import { newWorld, noVocabulary, worldServices } from "../support/catalog.js"
import { engine, funded, requestOf, storagePg } from "../support/engine.js"
import { queuedRun } from "../support/httpSamples.js"
import { cli, CommandLine, CommandLineTest, json, type Typed } from "./commandLine.js"

const nobody = "0".repeat(26)
let names = 0
const workspace = Effect.suspend(() =>
  Effect.map(json(`workspace create team-${names++}`), ({ workspaceId }) => String(workspaceId))
)

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-cli-files-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true }))
)

const statement = (text: string) =>
  Effect.flatMap(CommandLine, ({ url }) =>
    Effect.promise(async () => {
      const client = new Pg.Client(Redacted.value(url))
      await client.connect()
      await client.query(text).finally(() => client.end())
    })
  )

const batManifest = [
  "id: bats",
  "name: Bats",
  "baseUrl: https://api.bats.example",
  "operations:",
  "  - id: bats-list",
  "    name: List bats",
  "    summary: Lists bats.",
  "    category: nature",
  "    method: GET",
  "    path: /bats",
  "    input: { type: object }",
  "    price: { basis: free, micros: 0 }",
  "    provenance: { docs: https://bats.example/docs, verified: false }"
].join("\n")

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

  it.effect("makes a workspace, sets its limits and clears them again", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      assert.match(id, /^ws_[0-9a-z]{26}$/)
      const unset = {
        workspaceId: id,
        inflightLimit: null,
        runsPerMinute: null,
        runCapMicros: null,
        policy: { allow: [], deny: [] },
        learnsFromUse: false
      }
      assert.deepStrictEqual(yield* json(`workspace set ${id}`), unset)
      assert.deepStrictEqual(yield* json(`workspace set ${id} --inflight-limit 3 --run-cap-usd 0.25`), {
        ...unset,
        inflightLimit: 3,
        runCapMicros: 250_000
      })
      assert.deepStrictEqual(yield* json(`workspace set ${id} --runs-per-minute 60`), {
        ...unset,
        inflightLimit: 3,
        runCapMicros: 250_000,
        runsPerMinute: 60
      })
      assert.deepStrictEqual(
        yield* json(`workspace set ${id} --inflight-limit none --runs-per-minute none --run-cap-usd none`),
        unset
      )
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

  it.effect("takes the id or the name of a workspace wherever it takes one", () =>
    Effect.gen(function* () {
      const name = `by-name-${names++}`
      const { workspaceId } = yield* json(`workspace create ${name}`)
      const lines = (workspace: string) => [
        `workspace set ${workspace}`,
        `credit --workspace ${workspace} --usd 1 --reason test`,
        `token create --workspace ${workspace} --label t --scope runs:read`,
        `member add Ada --workspace ${workspace}`,
        `member list --workspace ${workspace}`,
        `connection create --workspace ${workspace} --provider hunter --label ours`,
        `connection list --workspace ${workspace}`
      ]
      for (const line of lines(name)) assert.strictEqual((yield* cli(line, { input: "sk" })).code, 0, line)
      assert.deepInclude(yield* json(`credit --workspace ${name} --usd 1 --reason test`), { workspaceId })
      const [made] = (yield* json(`connection list --workspace ${workspaceId}`))["connections"]
      assert.strictEqual((yield* cli(`connection delete ${made.connectionId} --workspace ${name}`)).code, 0)
      for (const line of lines("nobody-has-this-name")) {
        const { code, err, out } = yield* cli(line, { input: "sk" })
        assert.deepStrictEqual([code, out], [1, []], line)
        assert.include(err.join(), "nobody-has-this-name")
      }
    })
  )

  it.effect("lists the tokens of a workspace of this machine without a login, page by page", () =>
    Effect.gen(function* () {
      const name = `with-tokens-${names++}`
      const { workspaceId } = yield* json(`workspace create ${name}`)
      assert.deepStrictEqual((yield* cli(`token list --workspace ${name}`)).out, [`${name} has no token`])
      const made: Array<string> = []
      for (const label of ["one", "two", "three"])
        made.unshift((yield* json(`token create --workspace ${name} --label ${label} --scope runs:read`))["tokenId"])
      yield* cli(`token revoke ${made[0]}`)
      const first = yield* json(`token list --workspace ${workspaceId} --limit 2`)
      const second = yield* json(`token list --workspace ${name} --limit 2 --cursor ${first["nextCursor"]}`)
      const listed = [...first["tokens"], ...second["tokens"]]
      assert.deepStrictEqual(
        listed.map(({ label, tokenId }) => [tokenId, label]),
        made.map((tokenId, at) => [tokenId, ["three", "two", "one"][at]])
      )
      assert.deepInclude(listed[1], { lastUsedAt: null, revokedAt: null, monthSpendMicros: 0, scopes: ["runs:read"] })
      assert.isNull(second["nextCursor"])
      const [lines = ""] = (yield* cli(`token list --workspace ${name} --limit 1`)).out
      assert.match(
        lines,
        new RegExp(
          `^${made[0]}  three  runs:read  \\$0.00 this month  never used  revoked .*\nmore: --cursor ${made[0]}$`
        )
      )
      for (const [line, words] of [
        [`token list --workspace ${name} --cursor x`, /^--cursor: is not a cursor of this list/],
        ["token list --workspace nobody-has-this-name", /No workspace has the id or the name "nobody-has-this-name"/],
        [`token list --workspace ws_${nobody}`, /not found|no workspace/i]
      ] as const) {
        const { code, err, out } = yield* cli(line)
        assert.deepStrictEqual([code, out], [1, []], line)
        assert.match(err.join("\n"), words, line)
      }
    })
  )

  it.effect("sets the policy of a workspace rule by rule, shows it, and drops it with --policy-reset", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const policyAfter = (options: string) => Effect.map(json(`workspace set ${id}${options}`), ({ policy }) => policy)
      assert.deepStrictEqual(
        yield* policyAfter(" --allow provider:hunter --allow category:people --deny effectful --inflight-limit 3"),
        { allow: ["provider:hunter", "category:people"], deny: ["effectful"] }
      )
      assert.deepStrictEqual(yield* policyAfter(" --allow provider:tomba --deny endpoint:tomba-email-finder"), {
        allow: ["provider:hunter", "provider:tomba", "category:people"],
        deny: ["endpoint:tomba-email-finder", "effectful"]
      })
      const shown = yield* cli(`workspace set ${id}`)
      assert.strictEqual(
        shown.out.join("\n"),
        `${id}: 3 runs in flight, no limit of runs a minute, no cap for one run\npolicy: only provider:hunter, provider:tomba, category:people allowed; endpoint:tomba-email-finder, effectful denied`
      )
      assert.deepStrictEqual(yield* policyAfter(" --allow effectful --policy-reset --deny provider:tomba"), {
        allow: [],
        deny: ["provider:tomba"]
      })
      const refused = yield* cli(`workspace set ${id} --allow provider:tomba --inflight-limit 5`)
      assert.deepStrictEqual(refused, {
        code: 1,
        out: [],
        err: ["--allow: must not name provider:tomba, which the policy denies; reset the policy to take a denial back"]
      })
      assert.deepInclude(yield* json(`workspace set ${id}`), { inflightLimit: 3 })
      for (const empty of [
        ["--allow", ""],
        ["--deny", ""],
        ["--deny", " "],
        ["--DENY", "provider:acme"],
        ["--allow"],
        ["--allow="]
      ]) {
        const ended = yield* cli(["workspace", "set", id, "--policy-reset", ...empty])
        assert.deepStrictEqual([ended.code, ended.out, ended.err.length], [2, [], 1], JSON.stringify(empty))
        assert.match(ended.err[0]!, /--(allow|deny)/i)
      }
      const between = yield* cli(["workspace", "set", id, "--deny", "", "--inflight-limit", "5"])
      assert.deepStrictEqual(between, {
        code: 2,
        out: [],
        err: ['--deny: must be provider:<id>, category:<id>, endpoint:<id> or effectful, not ""']
      })
      assert.deepInclude(yield* json(`workspace set ${id}`), {
        inflightLimit: 3,
        policy: { allow: [], deny: ["provider:tomba"] }
      })
      assert.deepStrictEqual(yield* policyAfter(" --policy-reset"), { allow: [], deny: [] })
    })
  )

  it.effect("switches on and off what the searches of a workspace learn", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const after = (option: string) =>
        Effect.map(json(`workspace set ${id}${option}`), (shown) => Object(shown).learnsFromUse)
      assert.strictEqual(yield* after(" --search-learning on"), true)
      assert.strictEqual(yield* after(""), true)
      assert.strictEqual(yield* after(" --search-learning off"), false)
    })
  )

  it.effect("takes a policy rule that the catalog does not know, with a warning and close names", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const deny = "--deny provider:huntr --deny category:poeple --deny endpoint:nowhere --deny provider:tomba"
      const { policy, warnings } = yield* json(`workspace set ${id} ${deny} --allow effectful`)
      assert.deepStrictEqual(policy.deny, ["endpoint:nowhere", "provider:huntr", "provider:tomba", "category:poeple"])
      assert.strictEqual(warnings.length, 3)
      assert.match(warnings[0], /^provider:huntr: huntr is no provider of the catalog; did you mean hunter.*\?$/)
      assert.match(warnings[1], /^category:poeple: poeple is no category of the catalog; did you mean people.*\?$/)
      assert.match(warnings[2], /^endpoint:nowhere: nowhere is no endpoint of the catalog/)
      const { err, out } = yield* cli(`workspace set ${id} --deny provider:huntr`)
      assert.deepStrictEqual(err, [])
      assert.match(out[0] ?? "", /\nwarning: provider:huntr: huntr is no provider of the catalog; did you mean hunter/)
    })
  )

  it.effect("lists workspaces, oldest first", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* workspace, yield* workspace]
      const { workspaces } = yield* json("workspace list")
      const ids = workspaces.map(({ workspaceId }: { workspaceId: string }) => workspaceId)
      assert.isTrue(ids.indexOf(first) >= 0 && ids.indexOf(first) < ids.indexOf(second))
      assert.include((yield* cli("workspace list")).out.join("\n"), second)
    })
  )

  it.effect("credits each time, once for one key, and takes back what is there", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const credit = (usd: string, ...more: ReadonlyArray<string>) =>
        json(["credit", "--workspace", id, "--usd", usd, "--reason", "as agreed", ...more])
      assert.deepStrictEqual(yield* credit("12.50"), {
        workspaceId: id,
        availableMicros: 12_500_000,
        reservedMicros: 0
      })
      assert.strictEqual((yield* credit("0.000001"))["availableMicros"], 12_500_001)
      assert.strictEqual((yield* credit("1", "--key", "invoice 7"))["availableMicros"], 13_500_001)
      assert.strictEqual((yield* credit("1", "--key", "invoice 7"))["availableMicros"], 13_500_001)
      assert.strictEqual((yield* credit("-3.5"))["availableMicros"], 10_000_001)
      const tooMuch = yield* cli(["credit", "--workspace", id, "--usd=-99", "--reason", "all"])
      assert.deepStrictEqual([tooMuch.code, tooMuch.out], [1, []])
      assert.match(tooMuch.err.join("\n"), /^--usd: must not take more than the \$10\.000001 that are available$/)
      yield* credit("999999999", "--yes")
      const dear = Array.from({ length: 9 }, () =>
        cli(["credit", "--workspace", id, "--usd=999999999", "--reason", "all", "--yes"])
      )
      const last = (yield* Effect.all(dear)).at(-1)
      assert.match(last?.err.join("\n") ?? "", /^--usd: must leave a balance below 9 billion dollars$/)
    })
  )

  it.effect("makes a token that works, and revokes it", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const made = yield* json([
        "token",
        "create",
        "--workspace",
        id,
        "--label",
        "the app",
        "--scope",
        "catalog.read,runs:read",
        "--scope",
        "runs:execute",
        "--scope",
        "runs.read",
        "--monthly-limit-usd",
        "20",
        "--expires-at",
        "2099-01-31T00:00:00Z"
      ])
      assert.sameMembers(Object.keys(made), ["tokenId", "token"])
      const { services } = yield* CommandLine
      const authenticate = Effect.flatMap(Accounts, (accounts) =>
        accounts.authenticate(Redacted.make(String(made["token"])))
      ).pipe(Effect.provide(services))
      const principal = yield* authenticate
      assert.deepStrictEqual(
        [principal.tokenId, principal.label, principal.workspaceId],
        [made["tokenId"], "the app", id]
      )
      const { limitMicros } = yield* Effect.flatMap(Accounts, (accounts) => accounts.monthSpend(principal)).pipe(
        Effect.provide(services)
      )
      assert.deepStrictEqual([Number(limitMicros), principal.expiresAt], [20_000_000, Date.UTC(2099, 0, 31)])
      assert.deepStrictEqual(principal.scopes, ["catalog:read", "runs:read", "runs:execute"])
      const operators = yield* json([
        "token",
        "create",
        "--workspace",
        id,
        "--label",
        "ours",
        "--scope",
        "catalog:read",
        "--operator"
      ])
      const ours = yield* Effect.flatMap(Accounts, (accounts) =>
        accounts.authenticate(Redacted.make(String(operators["token"])))
      ).pipe(Effect.provide(services))
      assert.deepStrictEqual([principal.operator, ours.operator, ours.operatorWorkspace], [false, true, true])
      assert.deepStrictEqual(yield* json(`token revoke ${made["tokenId"]}`), {
        tokenId: made["tokenId"],
        revoked: true
      })
      assert.strictEqual((yield* Effect.flip(authenticate))._tag, "token_revoked")
    })
  )

  it.effect("announces of a rotation only what it can do, and ends as a dry run as it ends without", () =>
    Effect.gen(function* () {
      const sealed = (id: string) => `${id}:${Buffer.alloc(32, id).toString("base64")}`
      const [k1, both] = [sealed("k1"), `${sealed("k2")},${sealed("k1")}`].map((keys) => ({
        settings: { GATEWAY_SEALING_KEYS: keys }
      }))
      assert.strictEqual((yield* cli("key set hunter", { input: "sk-canary-0123456789", ...both })).code, 0)
      const foreseen = yield* cli("secrets rotate --dry-run", k1)
      assert.deepStrictEqual(foreseen, {
        code: 1,
        out: [
          "Seals 0 secrets anew under the key k1\nLeaves 1 secret as it is: sealed under a key that is not in GATEWAY_SEALING_KEYS\nNothing was changed (--dry-run)"
        ],
        err: []
      })
      const done = yield* cli("secrets rotate", k1)
      assert.deepStrictEqual(
        [done.code, done.out],
        [1, ["0 secrets sealed anew; left 1 secret as it is: sealed under a key that is not in GATEWAY_SEALING_KEYS"]]
      )
      assert.strictEqual((yield* cli("key remove hunter", both)).code, 0)
    })
  )

  it.effect("sets, lists and removes keys without ever showing one", () =>
    Effect.gen(function* () {
      const secret = "sk-canary-0123456789"
      const set = yield* cli("key set hunter --json", { input: secret })
      const list = yield* cli("key list --json")
      const plain = yield* cli("key list")
      assert.deepStrictEqual(JSON.parse(set.out.join("")), { providerId: "hunter", set: true })
      const [key] = JSON.parse(list.out.join("")).keys
      assert.strictEqual(key.providerId, "hunter")
      assert.match(key.sealedWith, /^local-[0-9a-f]{8}$/)
      assert.notInclude(JSON.stringify([set, list, plain]), "canary")
      const { services } = yield* CommandLine
      const kept = yield* Effect.flatMap(PlatformKeys, (keys) => keys.use("hunter")).pipe(Effect.provide(services))
      assert.strictEqual(kept === null ? null : Redacted.value(kept.secret), secret)
      assert.deepStrictEqual(yield* json("secrets rotate"), { resealed: 0, unreadable: 0 })
      yield* json("key remove hunter")
      const again = yield* cli("key remove hunter")
      assert.deepStrictEqual(again, { code: 1, out: [], err: ["No platform key with the id hunter"] })
      const empty = yield* cli("key set hunter", { input: "" })
      assert.strictEqual(empty.code, 1)
      assert.lengthOf(empty.err, 1)
      assert.include(empty.err[0], "is read from standard input, which was empty")
      for (const [provider, form] of [
        ["twilio", "user:password"],
        ["snov", "client_id:client_secret"]
      ] as const) {
        const malformed = yield* cli(`key set ${provider}`, { input: secret })
        assert.deepStrictEqual(malformed, { code: 1, out: [], err: [`secret: must have the form ${form}`] })
      }
      assert.deepStrictEqual((yield* json("key list"))["keys"], [])
    })
  )

  it.effect("makes, lists and deletes connections of a workspace", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      const made = yield* json(
        ["connection", "create", "--workspace", id, "--provider", "hunter", "--label", "our account"],
        { input: "sk-canary-1" }
      )
      assert.deepInclude(made, { providerId: "hunter", label: "our account", expiresAt: null })
      assert.deepStrictEqual((yield* json(`connection list --workspace ${id}`))["connections"], [made])
      assert.deepStrictEqual(yield* json(`connection delete ${made["connectionId"]} --workspace ${id}`), {
        connectionId: made["connectionId"],
        deleted: true
      })
      assert.deepStrictEqual(yield* json(`connection list --workspace ${id}`), { connections: [] })
      const stranger = yield* cli(`connection create --workspace ws_${nobody} --provider hunter --label x`, {
        input: "sk-canary-2"
      })
      assert.deepStrictEqual(stranger, { code: 1, out: [], err: [`No workspace with the id ws_${nobody}`] })
    })
  )

  it.effect("sets the state of a provider", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* json("provider state hunter draining"), { providerId: "hunter", state: "draining" })
      const wrong = yield* cli("provider state hunter off")
      assert.strictEqual(wrong.code, 2)
      assert.match(wrong.err.join("\n"), /^[^\n]*enabled[^\n]*$/)
    })
  )

  it.effect("lists no uncertain run where there is none, and refuses to resolve one that is not there", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* json("runs uncertain"), { runs: [] })
      const unknown = yield* cli(["runs", "resolve", `run_${nobody}`, "--as", "released", "--reason", "never sent"])
      assert.deepStrictEqual(unknown, { code: 1, out: [], err: [`No run with the id run_${nobody}`] })
    })
  )

  it.effect("lists an uncertain run with its age and its hold, and settles it by a person's word", () =>
    Effect.gen(function* () {
      const { url } = yield* CommandLine
      const providers = ProvidersScripted()
      providers.script("mock-send-message", drop())
      const database = Layer.orDie(DatabasePg({ url, connectionsMax: 5 }))
      const run = yield* Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        return (yield* (yield* Runs).create(
          principal,
          requestOf("mock-send-message", { input: { to: "ada@example.com", text: "hello" } }),
          20
        )).run
      }).pipe(Effect.provide(Layer.provideMerge(engine(providers.layer), Layer.provide(storagePg, database))))

      const [listed] = (yield* json("runs uncertain"))["runs"]
      assert.deepInclude(listed, {
        runId: run.runId,
        workspaceId: run.workspaceId,
        endpointId: "mock-send-message",
        heldMicros: run.holdMicros
      })
      assert.isAtLeast(listed.ageSeconds, 0)
      const unsaid = yield* cli(["runs", "resolve", run.runId, "--as", "partly_charged", "--reason", "half of it"])
      assert.deepStrictEqual([unsaid.code, unsaid.err], [1, ["--charge-usd: must be given for partly_charged"]])
      assert.deepStrictEqual(
        yield* json([
          "runs",
          "resolve",
          run.runId,
          "--as",
          "partly_charged",
          "--charge-usd",
          "0.000001",
          "--reason",
          "half of it"
        ]),
        {
          runId: run.runId,
          workspaceId: run.workspaceId,
          status: "completed",
          outcome: "weak",
          chargedMicros: 1,
          releasedMicros: run.holdMicros - 1
        }
      )
      const twice = yield* cli(["runs", "resolve", run.runId, "--as", "released", "--reason", "all of it"])
      assert.deepStrictEqual(
        [twice.code, twice.err],
        [1, [`RUN_ID: ${run.runId} is completed; only a run in reconciliation_pending can be resolved`]]
      )
      assert.deepStrictEqual(yield* json("runs uncertain"), { runs: [] })
      assert.strictEqual((yield* json("ledger verify"))["ok"], true)
    })
  )

  it.effect("lists every uncertain run, however many pages there are", () =>
    Effect.gen(function* () {
      const run = (n: number) => ({
        ...queuedRun,
        runId: RunId.make(`run_${String(n).padStart(26, "0")}`)
      })
      const rows = Array.from({ length: 2 * pageRowsMax + 1 }, (_, n) => ({ run: run(n), proposals: [] }))
      const uncertain: Reconciliation["Type"]["uncertain"] = ({ after, limit }) => {
        const from = after === null ? 0 : Number(after)
        const next = from + Math.min(limit, pageRowsMax)
        return Effect.succeed({ items: rows.slice(from, next), next: next < rows.length ? String(next) : null })
      }
      const between: Typed["between"] = (services) =>
        Context.add(services, Reconciliation, { ...Context.get(services, Reconciliation), uncertain })
      const listed = (yield* json("runs uncertain", { between }))["runs"]
      assert.deepStrictEqual(
        listed.map(({ runId }: { readonly runId: string }) => runId),
        rows.map(({ run }) => run.runId)
      )
      const [lines = ""] = (yield* cli("runs uncertain", { between })).out
      assert.strictEqual(lines.split("\n").length, rows.length)
    })
  )

  it.effect("verifies the ledger, and ends with 1 and the first difference when it does not add up", () =>
    Effect.gen(function* () {
      const id = yield* workspace
      yield* json(["credit", "--workspace", id, "--usd", "5", "--reason", "test"])
      const sound = yield* json("ledger verify")
      assert.sameMembers(Object.keys(sound), ["ok", "driftMicros", "entries", "workspaces"])
      assert.deepInclude(sound, { ok: true, driftMicros: 0 })
      yield* statement(`update wallets set available_micros = available_micros + 7 where workspace_id = '${id}'`)
      const broken = yield* cli("ledger verify --json")
      yield* statement(`update wallets set available_micros = available_micros - 7 where workspace_id = '${id}'`)
      assert.deepStrictEqual([broken.code, broken.err], [1, []])
      const found = JSON.parse(broken.out.join("\n"))
      assert.isFalse(found.ok)
      assert.isAbove(found.driftMicros, 0)
      assert.include(found.difference, id)
      assert.strictEqual((yield* json("ledger verify"))["ok"], true)
    })
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

  it.effect("imports OpenAPI documents and flat operations into manifests that pass the lint's reading", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        const document = join(place, "pets.yaml")
        writeFileSync(
          document,
          [
            "openapi: 3.0.3",
            "info: { title: Pets, version: '1' }",
            "servers: [{ url: https://api.pets.example }]",
            "paths:",
            "  /pets:",
            "    get:",
            "      operationId: listPets",
            "      summary: Lists pets",
            "      parameters: [{ name: limit, in: query, schema: { type: integer } }]",
            "      responses: { '200': { description: ok } }"
          ].join("\n")
        )
        const flat = join(place, "flat.jsonl")
        writeFileSync(
          flat,
          `${JSON.stringify({ endpointId: "birds.list", providerId: "birds", providerName: "Birds", name: "List birds", description: "Lists birds.", method: "GET", baseUrl: "https://api.birds.example", path: "/birds", parameters: [], category: "nature" })}\nno json\n`
        )
        const openApi = yield* json(["catalog", "import-openapi", document, "--to", join(place, "drafts")])
        assert.deepInclude(openApi, { read: 1, imported: 1, files: 1 })
        const jsonl = yield* json(["catalog", "import-jsonl", flat, "--to", join(place, "drafts")])
        assert.deepInclude(jsonl, { imported: 1, files: 1 })
        assert.isNotEmpty(jsonl["notes"])
        assert.lengthOf(readdirSync(join(place, "drafts", "providers")), 2)
        for (const [command, file] of [
          ["import-openapi", document],
          ["import-jsonl", flat]
        ] as const) {
          assert.match(
            (yield* cli(["catalog", command, file])).out.join("\n"),
            /\nNothing was written or published: --to FOLDER/
          )
          assert.notMatch(
            (yield* cli(["catalog", command, file, "--to", join(place, "drafts")])).out.join("\n"),
            /Nothing was written/
          )
        }
        const edited = join(place, "drafts", "providers", "pets.example.yaml")
        const text = readFileSync(edited, "utf8")
        assert.match(text, /^# yaml-language-server: \$schema=http:\/\/127\.0\.0\.1:8080\/docs\/files\/provider/)
        writeFileSync(edited, `${text}# edited\n`)
        const again = ["catalog", "import-openapi", document, "--to", join(place, "drafts")]
        const kept = yield* cli(again)
        assert.strictEqual(kept.code, 1)
        assert.match(kept.err.join("\n"), /pets\.example\.yaml exists already with another content/)
        assert.strictEqual(readFileSync(edited, "utf8"), `${text}# edited\n`)
        yield* json([...again, "--overwrite"])
        assert.strictEqual(readFileSync(edited, "utf8"), text)
        const nothing = yield* cli(["catalog", "import-jsonl", document, "--json"])
        assert.strictEqual(nothing.code, 1)
        assert.strictEqual(JSON.parse(nothing.out.join("")).imported, 0)
      })
    )
  )

  it.effect(
    "publishes imports and folders, adds to them, replaces them and takes them back",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* temporary
          const flat = (name: string, job?: string) => {
            const file = join(place, `${name}.jsonl`)
            const operation = {
              endpointId: `${name}.list`,
              providerId: name,
              providerName: name,
              name: `List ${name}`,
              description: `Lists ${name}.`,
              method: "GET",
              baseUrl: `https://api.${name}.example`,
              path: `/${name}`,
              parameters: [],
              category: "nature"
            }
            writeFileSync(file, `${JSON.stringify({ ...operation, ...(job === undefined ? {} : { job }) })}\n`)
            return file
          }
          const inForce = Effect.map(
            Effect.provide(
              Effect.flatMap(CatalogRevisions, ({ latest }) => latest),
              (yield* CommandLine).services
            ),
            ({ content }) => content.endpoints.map(({ operation }) => operation.id).sort()
          )
          assert.deepInclude(yield* json(["catalog", "import-jsonl", flat("birds"), "--publish", "add"]), {
            imported: 1,
            published: true,
            sequence: 1,
            publishedOperations: 1
          })
          assert.deepInclude(
            yield* json(["catalog", "import-jsonl", flat("bees"), "--to", join(place, "drafts"), "--publish", "add"]),
            { files: 1, publishedOperations: 2 }
          )
          assert.deepStrictEqual(yield* inForce, ["bees.list", "birds.list"])

          const bad = join(place, "bad")
          mkdirSync(join(bad, "jobs"), { recursive: true })
          writeFileSync(join(bad, "jobs", "nobody.yaml"), "id: nobody.does.this\nname: Nobody\n")
          const refused = yield* cli(["catalog", "publish", bad])
          assert.strictEqual(refused.code, 1)
          assert.match([...refused.out, ...refused.err].join("\n"), /nobody/)
          assert.deepStrictEqual(yield* inForce, ["bees.list", "birds.list"])

          for (const wrong of [join(place, "drafts", "providers"), place]) {
            const { code, err } = yield* cli(["catalog", "publish", "--replace", wrong])
            assert.strictEqual(code, 1)
            assert.match(err.join("\n"), /holds neither providers\/ nor jobs\//)
            assert.include(err.join("\n"), wrong)
            assert.deepStrictEqual(yield* inForce, ["bees.list", "birds.list"])
          }

          assert.deepInclude(yield* json(["catalog", "publish", join(place, "drafts"), "--replace"]), {
            published: true,
            publishedOperations: 1
          })
          assert.deepStrictEqual(yield* inForce, ["bees.list"])
          assert.deepInclude(yield* json("catalog published"), { sequence: 3, operations: 1 })
          assert.deepInclude(yield* json("catalog withdraw"), { published: true, publishedOperations: 0 })
          assert.deepStrictEqual((yield* cli("catalog published")).out, [
            "Nothing is published beside the built-in catalog"
          ])
          assert.strictEqual((yield* cli(["catalog", "import-jsonl", flat("ants"), "--publish", "now"])).code, 2)
        })
      ),
    60_000
  )

  it.effect("publishes nothing that the check refuses, and names the file and the path", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        mkdirSync(join(place, "providers"))
        writeFileSync(join(place, "providers", "bats.yaml"), `${batManifest}\n    response: { success: body.bats }`)
        const { code, out } = yield* cli(["catalog", "publish", place])
        assert.strictEqual(code, 1)
        assert.include(
          out.join("\n"),
          "bats.yaml at operations.0.samples: a documented hit is missing\n1 problem; nothing was published"
        )
      })
    )
  )

  it.effect("names what a publication replaces, says which prices it changes, and keeps both in the audit trail", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        mkdirSync(join(place, "providers"))
        const example = readFileSync("examples/provider.yaml", "utf8")
        const publish = (micros: number) => {
          const price = `{ basis: per_call, micros: ${micros}, source: https://bats.example/prices }`
          writeFileSync(join(place, "providers", "own.yaml"), example.replace("{ basis: free, micros: 0 }", price))
          return (...more: ReadonlyArray<string>) => cli(["catalog", "publish", place, ...more])
        }
        assert.strictEqual((yield* publish(25_000)()).code, 0)
        const told = [
          "Publishes 1 operation and 0 jobs on every node",
          "Replaces 1 operation of the same id that was published before: catfacts-fact",
          "Changes the price of catfacts-fact: $0.025 a call → $0.03 a call"
        ]
        const dear = publish(30_000)
        assert.deepStrictEqual((yield* dear("--dry-run")).out, [
          [...told, "Nothing was changed (--dry-run)"].join("\n")
        ])
        assert.deepStrictEqual((yield* dear()).err, told)
        const { services } = yield* CommandLine
        const { items } = yield* Effect.flatMap(AuditTrail, (trail) =>
          trail.list({ action: "catalog.published" }, { limit: 1, after: null })
        ).pipe(Effect.provide(services))
        assert.deepInclude(items[0]?.before, { prices: ["catfacts-fact: $0.025 a call"] })
        assert.deepInclude(items[0]?.after, { published: ["catfacts-fact"], prices: ["catfacts-fact: $0.03 a call"] })
        assert.strictEqual((yield* cli("catalog withdraw")).code, 0)
      })
    )
  )

  it.effect("knows providers of GATEWAY_CATALOG, whose operations do jobs of the built-in catalog", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        mkdirSync(join(place, "providers"))
        const builtIn = readFileSync("catalog/providers/kickbox.yaml", "utf8")
        writeFileSync(join(place, "providers", "own.yaml"), builtIn.replaceAll("kickbox", "own"))
        const settings = { GATEWAY_CATALOG: place }
        const told = yield* cli("provider state own disabled", { settings })
        assert.deepStrictEqual([told.code, told.out.length], [0, 1], told.err.join())
      })
    )
  )

  it.effect("keeps in the audit trail which prices a withdrawal brings back", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        mkdirSync(join(place, "providers"))
        const builtIn = readFileSync("catalog/providers/kickbox.yaml", "utf8")
        writeFileSync(join(place, "providers", "kickbox.yaml"), builtIn.replace(/micros: 10000/g, "micros: 12000"))
        assert.strictEqual((yield* cli(["catalog", "publish", place])).code, 0)
        assert.strictEqual((yield* cli("catalog withdraw")).code, 0)
        const { services } = yield* CommandLine
        const { items } = yield* Effect.flatMap(AuditTrail, (trail) =>
          trail.list({ action: "catalog.published" }, { limit: 1, after: null })
        ).pipe(Effect.provide(services))
        assert.deepInclude(items[0]?.before, { prices: ["kickbox-verify: $0.012 a call"] })
        assert.deepInclude(items[0]?.after, { prices: ["kickbox-verify: $0.01 a call"] })
      })
    )
  )

  it.effect(
    "publishes and withdraws when every running node has it in force, and says when none runs",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* temporary
          mkdirSync(join(place, "providers"))
          writeFileSync(join(place, "providers", "bats.yaml"), batManifest)
          assert.deepInclude(yield* json(["catalog", "publish", place]), { nodes: 0, nodesInForce: 0 })
          assert.match(
            (yield* cli("catalog withdraw")).out.join("\n"),
            /no gateway runs on this database now; the next one that starts serves it/
          )

          const node = CatalogFollowing({ jobs: [], endpoints: [] }).pipe(
            Layer.provideMerge(CatalogServed({ jobsMayPickFixtures: false, vocabulary: noVocabulary })),
            Layer.provide(worldServices(newWorld()))
          )
          const { services } = yield* CommandLine
          const start = Layer.build(
            Layer.fresh(node.pipe(Layer.provide(ContractStorePg), Layer.provideMerge(services)))
          )
          const nodes = [yield* start, yield* start]
          const seen = Effect.forEach(nodes, (context) =>
            Effect.map(Context.get(context, Catalog).endpoint("bats-list"), (found) => found !== null)
          )
          // The connection that listens is made a moment after the first catalog is served.
          const reached = yield* Context.get(nodes[0]!, CatalogRevisions).watch
          yield* Effect.repeat(reached(0, 0), {
            until: ({ nodes: running }) => running === 2,
            schedule: Schedule.spaced("50 millis")
          }).pipe(Effect.timeout("20 seconds"))
          for (let round = 0; round < 2; round += 1) {
            assert.deepInclude(yield* json(["catalog", "publish", place]), {
              published: true,
              nodes: 2,
              nodesInForce: 2
            })
            assert.deepStrictEqual(yield* seen, [true, true])
            assert.match((yield* cli("catalog withdraw")).out.join("\n"), /in force on all 2 nodes/)
            assert.deepStrictEqual(yield* seen, [false, false])
          }
        })
      ),
    60_000
  )

  it.effect(
    "refuses a provider that nobody knows with close names, and keeps nothing under it",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const id = yield* workspace
          for (const [line, typed] of [
            ["key set huntr", "PROVIDER"],
            ["provider state huntr disabled", "PROVIDER"],
            ["provider state huntr enabled --json", "PROVIDER"],
            [`connection create --workspace ${id} --provider huntr --label x`, "--provider"]
          ] as const) {
            const { code, err, out } = yield* cli(line, { input: "sk-canary-3" })
            assert.deepStrictEqual([code, out], [1, []], line)
            assert.match(
              err.join("\n"),
              new RegExp(`^${typed}: huntr is no provider of the catalog; did you mean hunter[^\n]*\\?$`),
              line
            )
          }
          assert.deepStrictEqual(
            (yield* json("key list"))["keys"].filter(
              ({ providerId }: { providerId: string }) => providerId === "huntr"
            ),
            []
          )
          assert.deepStrictEqual(yield* json(`connection list --workspace ${id}`), { connections: [] })
        })
      ),
    60_000
  )

  it.effect(
    "refuses a key for a provider that takes none, and still takes back what was set for one that is gone",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* temporary
          mkdirSync(join(place, "providers"))
          const keyless = "is called without a key"
          const own = "takes no key of the gateway, because its manifest says platformKey: false: "
          const unsupported = "wants its key as a client certificate, which "
          const refusals = [
            ["keyless", "", keyless],
            ["own", "auth: { type: bearer }\nplatformKey: false", own],
            ["unsupported", "auth: { type: unsupported, placement: a client certificate }", unsupported]
          ] as const
          for (const [name, changes] of [["", "auth: { type: bearer }"], ...refusals] as const)
            writeFileSync(
              join(place, "providers", `bats${name}.yaml`),
              batManifest
                .replace("operations:", `${changes}\noperations:`)
                .replaceAll(/^(\s*(?:- )?id: \S+)/gm, `$1${name}`)
            )
          yield* json(["catalog", "publish", place])
          yield* json("provider state bats disabled")
          for (const [name, , why] of refusals) {
            const { code, err } = yield* cli(`key set bats${name}`, { input: "sk-canary-4" })
            assert.strictEqual(code, 1)
            assert.isTrue(err.join("\n").startsWith(`PROVIDER: ${why}`), err.join("\n"))
          }
          yield* json("key set bats", { input: "sk-canary-4" })
          yield* json("catalog withdraw")
          yield* json("key remove bats")
          yield* json("provider state bats enabled")
          assert.strictEqual((yield* cli("provider state bats disabled")).code, 1)
        })
      ),
    180_000
  )

  it.effect("lints the built-in catalog together with a folder, and names file and path of what is wrong", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* temporary
        mkdirSync(join(place, "providers"))
        writeFileSync(
          join(place, "providers", "broken.yaml"),
          "id: broken\nname: Broken\nbaseUrl: ftp://x\noperations: []\n"
        )
        const { code, out } = yield* cli(["catalog", "lint", place, "--json"])
        assert.strictEqual(code, 1)
        const found = JSON.parse(out.join(""))
        assert.isFalse(found.ok)
        assert.sameMembers(
          found.problems.map(({ path }: { path: string }) => path.split(".")[0]),
          ["baseUrl", "operations"]
        )
        assert.isTrue(found.problems.every(({ subject }: { subject: string }) => subject.endsWith("broken.yaml")))
        const whole = yield* json("catalog lint")
        assert.deepInclude(whole, { ok: true, folders: [], problems: [] })

        const wrong = yield* cli(["catalog", "lint", join(place, "providers")])
        assert.strictEqual(wrong.code, 1)
        assert.match(wrong.out.join("\n"), /providers: holds neither providers\/ nor jobs\//)
        writeFileSync(join(place, "providers", "broken.yaml"), `mock: true\n${batManifest}`)
        assert.deepInclude(yield* json(["catalog", "lint", place]), {
          endpoints: whole["endpoints"] + 1,
          folders: [{ folder: place, endpoints: 1, jobs: 0, overrides: { jobs: [], operations: [] } }]
        })
        assert.include((yield* cli(["catalog", "lint", place])).out.join("\n"), `from ${place}: 1 operation, 0 jobs`)

        writeFileSync(
          join(place, "providers", "broken.yaml"),
          batManifest.replace("verified: false", 'verified: true, verifiedOn: "2020-01-01"')
        )
        const aged = yield* cli(["catalog", "lint", place])
        assert.strictEqual(aged.code, 0)
        assert.match(
          aged.out.join("\n"),
          /Warning: .*broken\.yaml at operations\.0\.provenance\.verifiedOn: is \d+ days ago/
        )

        const builtIn = fileURLToPath(new URL("../../catalog/providers/rubygems.yaml", import.meta.url))
        rmSync(join(place, "providers", "broken.yaml"))
        writeFileSync(join(place, "providers", "rubygems.yaml"), readFileSync(builtIn))
        const words =
          "Replaces 2 operations of the same id that are built in or in GATEWAY_CATALOG: rubygems-gem, rubygems-search"
        const job = fileURLToPath(new URL("../../catalog/jobs/dns.lookup.yaml", import.meta.url))
        mkdirSync(join(place, "jobs"))
        writeFileSync(join(place, "jobs", "dns.yaml"), readFileSync(job))
        const same = yield* cli(["catalog", "lint", place])
        assert.strictEqual(same.code, 0)
        assert.include(same.out.join("\n"), words)
        assert.match(
          same.out.join("\n"),
          /Warning: .*\/jobs\/dns\.yaml at id: is dns\.lookup: the file of this job should be called dns\.lookup\.yaml/
        )
        assert.include((yield* cli(["catalog", "publish", place, "--dry-run"])).out.join("\n"), words)
      })
    )
  )
})
