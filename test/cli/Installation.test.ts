/** The commands about a gateway on this machine, and the help that all commands share. */
import { assert, layer } from "@effect/vitest"
import { Effect, Either, Layer, Option, Redacted } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { examples } from "../../src/cli/Examples.js"
import {
  archiveFolderFinding,
  diskFinding,
  egressFinding,
  publicUrlFinding
} from "../../src/layers/compose/MachineFindings.js"
import { IdsCrypto } from "../../src/layers/node/IdsCrypto.js"
import { AuditTrailPg } from "../../src/layers/postgres/AuditTrailPg.js"
import { Database, DatabasePg } from "../../src/layers/postgres/Database.js"
import { enterDeployment } from "../../src/layers/postgres/Deployment.js"
import type { Resolve } from "../../src/layers/providers/Egress.js"
import { settingsListed } from "../docs/tables.js"
import { acquireTestDatabase } from "../support/postgres.js"
import { cli, CommandLine, CommandLineTest } from "./commandLine.js"

interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly found: string
  readonly advice: string | null
}
const doctor = (settings: Readonly<Record<string, string>> = {}) =>
  Effect.map(cli("doctor --json", { settings }), ({ code, out }) => {
    const { findings, ok } = JSON.parse(out[0]!) as { readonly ok: boolean; readonly findings: ReadonlyArray<Finding> }
    assert.strictEqual(code, ok ? 0 : 1)
    assert.isTrue(findings.every((finding) => finding.ok || finding.advice !== null))
    return new Map(findings.map((finding) => [finding.check, finding]))
  })

layer(CommandLineTest, { excludeTestServices: true })("a gateway on this machine", (it) => {
  it.effect(
    "prints every setting of docs/configuration.md with its value and where that comes from, and no secret",
    () =>
      Effect.gen(function* () {
        const { url } = yield* CommandLine
        const folder = (yield* cli("config print --json")).out[0]!
        const dataDir = String(
          (JSON.parse(folder) as { settings: ReadonlyArray<{ name: string; value: string }> }).settings.find(
            ({ name }) => name === "GATEWAY_DATA_DIR"
          )?.value
        )
        const file = join(dataDir, "sealing")
        writeFileSync(file, `canary:${Buffer.alloc(32, 7).toString("base64")}\n`)
        const settings = {
          PORT: "9999",
          GATEWAY_RESOLVE_TWO_PERSON_USD: "12.50",
          GATEWAY_BILLING: "false",
          GATEWAY_SEALING_KEYS_FILE: file,
          GATEWAY_STRIPE_SECRET_KEY: "sk_test_canary",
          GATEWAY_STRIPE_WEBHOOK_SECRET: "whsec_canary"
        }
        const { code, out } = yield* cli("config print --json", { settings })
        assert.strictEqual(code, 0)
        for (const hidden of ["canary", Redacted.value(url)]) assert.notInclude(out.join(), hidden)
        const printed = (JSON.parse(out[0]!) as { settings: ReadonlyArray<Record<string, unknown>> }).settings
        assert.sameMembers(
          printed.map(({ name }) => name),
          [...settingsListed()]
        )
        const of = (name: string) => {
          const { from, value } = printed.find((each) => each["name"] === name) ?? {}
          return [value, from]
        }
        assert.deepStrictEqual(of("PORT"), ["9999", "environment"])
        assert.deepStrictEqual(of("HOST"), ["127.0.0.1", "default"])
        assert.deepStrictEqual(of("GATEWAY_RESOLVE_TWO_PERSON_USD"), ["12.5", "environment"])
        assert.deepStrictEqual(of("GATEWAY_BILLING"), ["off", "environment"])
        assert.deepStrictEqual(of("DATABASE_URL"), ["(set, not shown)", "environment"])
        assert.deepStrictEqual(of("GATEWAY_SEALING_KEYS"), ["(set, not shown)", "file"])
        assert.deepStrictEqual(of("GATEWAY_OIDC_CLIENT_SECRET"), [null, "default"])
        const lines = (yield* cli("config print", { settings })).out.join("\n")
        assert.include(lines, `GATEWAY_SEALING_KEYS=(set, not shown)  (file ${file})`)
        const wrong = yield* cli("config print", { settings: { PORT: "door" } })
        assert.deepStrictEqual([wrong.code, wrong.out], [1, []])
        assert.include(wrong.err.join(), "PORT")
      })
  )

  it.scoped("migrates an empty database, and says before what it will do", () =>
    Effect.gen(function* () {
      const settings = { DATABASE_URL: Redacted.value(yield* acquireTestDatabase({ empty: true })) }
      const read = (line: string) =>
        Effect.map(cli(line, { settings }), ({ code, err, out }) => {
          assert.strictEqual(code, 0, err.join())
          return JSON.parse(out[0]!) as { missing: ReadonlyArray<string>; ran: ReadonlyArray<string> }
        })
      const behind = (yield* doctor(settings)).get("schema")
      assert.deepInclude(behind, { ok: false })
      assert.include(behind?.advice, "gateway migrate")
      const before = yield* read("migrate --dry-run --json")
      assert.isAbove(before.missing.length, 10)
      assert.deepStrictEqual(yield* read("migrate --dry-run --json"), before)
      const text = yield* cli("migrate", { settings })
      assert.deepStrictEqual(text.err, [
        [`${before.missing.length} migrations are missing:`, ...before.missing.map((name) => `  ${name}`)].join("\n")
      ])
      assert.deepStrictEqual(text.out, [`${before.missing.length} migrations ran; the database is up to date`])
      assert.deepStrictEqual(yield* read("migrate --json"), { missing: [], ran: [] })
      assert.isTrue((yield* doctor(settings)).get("schema")?.ok)
    })
  )

  it.scoped(
    "migrates in production, and then development is refused on that database, which a dry run leaves alone",
    () =>
      Effect.gen(function* () {
        const url = yield* acquireTestDatabase({ empty: true })
        const settings = { DATABASE_URL: Redacted.value(url), NODE_ENV: "production" }
        const developed = Effect.either(enterDeployment(false)).pipe(
          Effect.provide(
            Layer.provideMerge(Layer.provide(AuditTrailPg, IdsCrypto), DatabasePg({ url, connectionsMax: 2 }))
          )
        )
        assert.strictEqual((yield* cli("migrate", { settings: { DATABASE_URL: settings.DATABASE_URL } })).code, 0)
        assert.isTrue(Either.isRight(yield* developed))
        assert.strictEqual((yield* cli("migrate --dry-run", { settings })).code, 0)
        assert.isTrue(Either.isRight(yield* developed))
        // Also one whose schema was there before.
        assert.strictEqual((yield* cli("migrate", { settings })).code, 0)
        assert.strictEqual(Option.getOrNull(Either.getLeft(yield* developed))?._tag, "DatabaseInProduction")

        const fresh = yield* acquireTestDatabase({ empty: true })
        const migrated = yield* cli("migrate", { settings: { ...settings, DATABASE_URL: Redacted.value(fresh) } })
        assert.strictEqual(migrated.code, 0)
        const marks = Effect.flatMap(Database, ({ query, sql }) => query(sql`select from production`))
        assert.lengthOf(yield* Effect.provide(marks, DatabasePg({ url: fresh, connectionsMax: 2 })), 1)
      })
  )

  it.effect("is examined: what is right, what is wrong, and what to do about it", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* cli("key set hunter", { input: "sk-canary" })).code, 0)
      const found = yield* doctor()
      for (const check of [
        "settings",
        "database",
        "clock",
        "schema",
        "nodes",
        "sealing keys",
        "catalog",
        "disk",
        "public address"
      ])
        assert.isTrue(found.get(check)?.ok, JSON.stringify(found.get(check)))
      assert.match(found.get("database")?.found ?? "", /^Postgres \d+/)
      assert.match(found.get("sealing keys")?.found ?? "", /; 1 stored secret opens$/)
      assert.isDefined(found.get("egress"))
      assert.match(found.get("catalog")?.found ?? "", /^\d+ operations, built in$/)
      const more = yield* doctor({ GATEWAY_CATALOG: "examples" })
      assert.match(more.get("catalog")?.found ?? "", /^\d+ operations, built in and of \/.*\/examples$/)
      assert.match(found.get("disk")?.found ?? "", /the disk of the database is looked at on its own machine$/)

      const otherKey = yield* doctor({ GATEWAY_SEALING_KEYS: `x:${Buffer.alloc(32, 9).toString("base64")}` })
      assert.deepInclude(otherKey.get("sealing keys"), { ok: false })
      assert.include(otherKey.get("sealing keys")?.found, "which this node does not have")
      const nowhere = yield* doctor({ DATABASE_URL: "postgres://user:canary@127.0.0.1:1/none" })
      assert.deepInclude(nowhere.get("database"), { ok: false })
      assert.notInclude(JSON.stringify([...nowhere.values()]), "canary")
      assert.isTrue(nowhere.get("disk")?.ok)
      const kept = { GATEWAY_RUN_DAYS: "400", GATEWAY_ARCHIVE_DIR: "/dev/null/archive" }
      assert.deepInclude((yield* doctor(kept)).get("archive folder"), { ok: false })
      const fine = yield* doctor({ ...kept, GATEWAY_ARCHIVE_DIR: join(tmpdir(), "no", "archive") })
      assert.isTrue(fine.get("archive folder")?.ok)
      const setting = yield* doctor({ PORT: "door" })
      assert.deepStrictEqual([...setting.keys()], ["settings"])
      assert.include(setting.get("settings")?.found, "PORT")

      const lines = yield* cli("doctor", { settings: { PORT: "door" } })
      assert.strictEqual(lines.code, 1)
      assert.match(lines.out.join("\n"), /^WRONG {2}settings .*\n {7}what to do: /)
      const several = { PORT: "door", GATEWAY_STRIPE_SECRET_KEY: "canary", GATEWAY_DRAIN_MILLIS: "5s" }
      const all = (yield* cli("doctor", { settings: several })).out.join("\n")
      for (const line of ["PORT must be", "GATEWAY_DRAIN_MILLIS must be", "GATEWAY_STRIPE_SECRET_KEY must be"])
        assert.include(all, `WRONG  settings        ${line}`)
      assert.notInclude(all, "canary")
      const printed = yield* cli("config print", { settings: several })
      assert.deepStrictEqual(
        printed.err
          .join("\n")
          .split("\n")
          .map((line) => line.split(" ")[0]),
        ["PORT", "GATEWAY_STRIPE_SECRET_KEY", "GATEWAY_STRIPE_WEBHOOK_SECRET", "GATEWAY_DRAIN_MILLIS"]
      )
    })
  )

  it.scoped("is told that its database refuses writes, and the try leaves nothing in it", () =>
    Effect.gen(function* () {
      const url = yield* acquireTestDatabase()
      const settings = { DATABASE_URL: Redacted.value(url) }
      yield* Effect.gen(function* () {
        const { query, sql } = yield* Database
        const probes = query(sql`select slot from write_probe`)
        const before = yield* probes
        const fine = (yield* doctor(settings)).get("database")
        assert.isTrue(fine?.ok)
        assert.match(fine?.found ?? "", / answers and takes writes$/)
        assert.deepStrictEqual(yield* probes, before)
        // What a full disk answers.
        yield* query(
          sql`create function full_disk() returns trigger language plpgsql as $$ begin raise exception 'No space left on device' using errcode = 'disk_full'; end $$`
        )
        yield* query(
          sql`create trigger full_disk before insert or update on write_probe for each row execute function full_disk()`
        )
        const full = (yield* doctor(settings)).get("database")
        assert.isFalse(full?.ok)
        assert.match(full?.found ?? "", / answers, but refuses writes \(No space left on device\)$/)
        assert.include(full?.advice, "disk of Postgres")
      }).pipe(Effect.provide(DatabasePg({ url, connectionsMax: 2 })))
    })
  )

  it.scoped(
    "is told of sealing keys that cannot be used with the settings, before there is a schema, and how to mend them",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-cli-keys-"))),
          (made) => Effect.sync(() => rmSync(made, { recursive: true }))
        )
        const file = join(folder, "keys")
        writeFileSync(file, `k1:${Buffer.alloc(32, 9).toString("base64")}\n`)
        const empty = Redacted.value(yield* acquireTestDatabase({ empty: true }))
        const inProduction = { NODE_ENV: "production", DATABASE_URL: empty }
        const key = `k1:${Buffer.alloc(32, 9).toString("base64")}`
        for (const [settings, says] of [
          [
            { ...inProduction, GATEWAY_SEALING_KEYS_FILE: join(folder, "nofile") },
            "must name a file that this process can read"
          ],
          [{ ...inProduction, GATEWAY_SEALING_KEYS_FILE: folder }, "must name a file that this process can read"],
          [{ ...inProduction, GATEWAY_SEALING_KEYS: "k1:abcd" }, "is not the base64 of 32 bytes"],
          [{ ...inProduction, GATEWAY_SEALING_KEYS: key, GATEWAY_SEALING_KEYS_FILE: file }, "are both set"],
          [inProduction, "is needed with NODE_ENV=production"],
          [{ GATEWAY_SEALING_KEYS: "k1:abcd" }, "is not the base64 of 32 bytes"]
        ] as const) {
          const found = yield* doctor(settings)
          assert.deepStrictEqual([...found.keys()], ["settings"])
          const line = found.get("settings")
          assert.isFalse(line?.ok)
          assert.include(line?.found, "GATEWAY_SEALING_KEYS")
          assert.include(line?.found, says)
          assert.include(line?.advice, "openssl rand -base64 32")
          assert.notInclude(JSON.stringify(line), Buffer.alloc(32, 9).toString("base64"))
        }
        // The file of development is no setting; it is looked at without a schema too.
        writeFileSync(join(folder, "sealing-keys"), "k1:abcd\n")
        const broken = yield* doctor({ DATABASE_URL: empty, GATEWAY_DATA_DIR: folder })
        assert.deepInclude(broken.get("schema"), { ok: false })
        assert.deepInclude(broken.get("sealing keys"), { ok: false })
        assert.include(broken.get("sealing keys")?.found, "is not the base64 of 32 bytes")
        assert.include(broken.get("sealing keys")?.advice, "read the file")
      })
  )

  it.effect("is warned of a name in the environment that is no setting, and nothing is wrong for it", () =>
    Effect.gen(function* () {
      const { code, out } = yield* cli("doctor", { settings: { GATEWAY_RESULT_DAY: "90" } })
      assert.match(
        out.join("\n"),
        /^look {3}settings {8}GATEWAY_RESULT_DAY is no setting of this gateway, .* mean GATEWAY_RESULT_DAYS\?\n {7}what to do: /m
      )
      assert.strictEqual(code, (yield* cli("doctor")).code)
    })
  )

  it.scoped("is not made by looking for it: the folder that was looked in is named, and what to set", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-cli-nowhere-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true }))
      )
      const settings = { DATABASE_URL: "", GATEWAY_DATA_DIR: folder }
      const found = (yield* doctor(settings)).get("database")
      assert.deepInclude(found, { ok: false, found: `There is no gateway in ${folder}` })
      const dry = yield* cli("migrate --dry-run", { settings })
      assert.deepStrictEqual([dry.code, dry.out], [1, []])
      for (const words of [found?.advice, dry.err.join()]) assert.include(words, "set GATEWAY_DATA_DIR")
      assert.deepStrictEqual(readdirSync(folder), [])
    })
  )

  it.effect("needs names that resolve to public addresses, disk, and an address that clients reach", () =>
    Effect.gen(function* () {
      const resolve: Resolve = (host, answer) =>
        host.startsWith("good")
          ? answer(null, ["93.184.216.34"])
          : host.startsWith("inside")
            ? answer(null, ["10.0.0.1"])
            : answer(new Error("ENOTFOUND"), [])
      const egress = (...hosts: ReadonlyArray<string>) =>
        egressFinding(
          { origins: hosts.map((host) => new URL(`https://${host}`)), unkeyed: new Set() },
          ["inside-open.example:443"],
          resolve
        )
      assert.isTrue((yield* egress("good.example", "inside-open.example")).ok)
      assert.deepInclude(yield* egress("good.example", "gone.example"), {
        ok: false,
        found: "gone.example does not resolve"
      })
      const inside = yield* egress("inside.example")
      assert.include(inside.found, "private")
      assert.include(inside.advice, "GATEWAY_EGRESS_ALLOW")
      // Of providers without a key it is only remarked on, unless one with a key has the same trouble.
      const partly = (...unkeyed: ReadonlyArray<string>) =>
        egressFinding(
          {
            origins: ["gone.example", "inside.example"].map((host) => new URL(`https://${host}`)),
            unkeyed: new Set(unkeyed)
          },
          [],
          resolve
        )
      const remarked = yield* partly("gone.example", "inside.example")
      assert.deepInclude(remarked, {
        ok: true,
        found:
          "none of 2 names can be used: gone.example does not resolve; inside.example has an address of the range private"
      })
      assert.include(remarked.advice, "nothing is wrong if nobody here runs them")
      assert.isFalse((yield* partly("gone.example")).ok)
      // Only the first five are asked, and the rest is not passed over in silence.
      const many = ["1", "2", "3", "4", "5", "6", "7"].map((each) => `gone-${each}.example`)
      const none = yield* egress(...many)
      assert.match(
        none.found,
        /^none of 5 names can be used: gone-1.example does not resolve; .*; 2 more were not asked$/
      )
      assert.notInclude(none.found, "gone-6")
      const six = yield* egress("good.example", ...many.map(() => "good.example"))
      assert.include(six.found, "; 3 more were not asked)")
      assert.isTrue(diskFinding("/data", 2 ** 30).ok)
      assert.isFalse(diskFinding("/data", 2 ** 30 - 1).ok)
      assert.isTrue(archiveFolderFinding("/archive", 2 ** 30).ok)
      assert.isFalse(archiveFolderFinding("/archive", 2 ** 30 - 1).ok)
      const address = (publicUrl: string, production = true) => publicUrlFinding({ production, publicUrl }).ok
      assert.isTrue(address("https://gateway.example.com"))
      for (const here of ["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"])
        assert.isTrue(address(here, false), here)
      for (const wrong of ["http://127.0.0.1:8080", "http://gateway.example.com", "https://0.0.0.0", "gateway"])
        assert.isFalse(address(wrong), wrong)
      assert.include(
        publicUrlFinding({ production: false, publicUrl: "http://192.168.1.7:8080" }).found,
        "which is not https"
      )
    })
  )

  it.effect("makes no gateway in a database that has none, but for migrate, and says what to do", () =>
    Effect.gen(function* () {
      const url = yield* acquireTestDatabase({ empty: true })
      const settings = { DATABASE_URL: Redacted.value(url) }
      for (const line of [
        "workspace list",
        "key list",
        "credit --workspace demo --usd 1 --reason x",
        "ledger verify"
      ]) {
        const { code, err } = yield* cli(line, { settings })
        assert.strictEqual(code, 1, line)
        assert.include(err.join(), "This database has no gateway yet.", line)
        assert.include(err.join(), "gateway migrate", line)
      }
      assert.match((yield* cli("migrate --dry-run", { settings })).out.join(), /migrations are missing/)
      assert.strictEqual((yield* cli("migrate", { settings })).code, 0)
      assert.deepStrictEqual((yield* cli("workspace list", { settings })).out, ["There is no workspace yet"])
    }).pipe(Effect.scoped)
  )

  it.effect("prints completions that the shell reads, with every group of commands", () =>
    Effect.gen(function* () {
      for (const shell of ["bash", "zsh", "fish"]) {
        const { code, out } = yield* cli(`completions ${shell}`)
        assert.strictEqual(code, 0)
        for (const word of ["workspace", "doctor", "completions"]) assert.include(out.join("\n"), word, shell)
      }
      const bash = (yield* cli("completions bash")).out.join("\n")
      assert.strictEqual(spawnSync("bash", ["-n"], { input: bash, encoding: "utf8" }).stderr, "")
      assert.strictEqual((yield* cli("completions powershell")).code, 2)
    })
  )

  it.effect("describes every option and argument in words of its own, and names what takes one of several words", () =>
    Effect.gen(function* () {
      const lists = new Set<string>()
      for (const name of Object.keys(examples)) {
        for (const colours of [false, true]) {
          const words = (yield* cli(`${name} --help`, { colours })).out.join("\n")
          assert.notMatch(words, /user-defined|true or false/, name)
        }
        const help = (yield* cli(`${name} --help`)).out.join("\n")
        const described = /^(?:ARGUMENTS|OPTIONS)$([^]*?)(?=^EXAMPLE$)/m.exec(help)?.[1] ?? ""
        const items = described.split(/^(?=\S)/m).filter((item) => /^[<(-]/.test(item))
        for (const item of items) {
          const [title = "", ...lines] = item.split(/\n+/)
          const list = lines.find((line) => line.startsWith("  One of the following: "))
          if (list !== undefined) lists.add(list.slice(24))
          const own = lines.filter(
            (line) =>
              line.trim() !== "" &&
              !/^ {2}(One of the following: |An? (existing )?(file|directory)|This (setting|option|argument) )/.test(
                line
              )
          )
          assert.isNotEmpty(own, `${name}: ${title} has no description`)
        }
      }
      assert.isAbove(lists.size, 5)
      const wrong = [
        ["runs list --status lost", "--status"],
        ["member add Ada --role=boss", "--role"],
        ["member role Ada boss", "ROLE"],
        ["provider state hunter off", "STATE"],
        ["workspace set Ada --search-learning maybe", "--search-learning"],
        ["completions tcsh", "SHELL"],
        ["catalog import-jsonl package.json --publish now", "--publish"],
        [`runs resolve run_${"0".repeat(26)} --as lost --reason x`, "--as"]
      ] as const
      const told = yield* Effect.forEach(wrong, ([line, name]) =>
        Effect.map(cli(line), ({ code, err }) => {
          assert.strictEqual(code, 2, line)
          assert.isTrue(err[0]?.startsWith(`${name}: must be one of `), err[0])
          return err[0]?.slice(`${name}: must be one of `.length)
        })
      )
      for (const list of lists) assert.include(told, list)
    })
  )

  it.effect("helps with an example for every command, which uses only options that it has", () =>
    Effect.gen(function* () {
      const help = (yield* cli("--help")).out.join("\n")
      const lines = help.split(/^COMMANDS$/m)[1]?.match(/^ {2}- .*/gm) ?? []
      const usages = lines.map((line) => /^ {2}- ([a-z-]+(?: [a-z][a-z-]*)*)(.*?)(?: {2,}|$)/.exec(line) ?? [])
      const names = usages.map(([, name = ""]) => name)
      const commands = usages.filter((_, at) => !names.some((name) => name.startsWith(`${names[at]} `)))
      const named = commands.map(([, name = ""]) => name)
      assert.sameMembers(named, Object.keys(examples))
      for (const [, name = "", usage = ""] of commands) {
        const example = examples[name]!
        assert.include(example, `gateway ${name}`)
        for (const [option] of example.matchAll(/--[a-z-]+/g)) assert.include(usage, option, name)
        assert.include((yield* cli(`${name} --help`)).out.join("\n"), example)
      }
      const group = (yield* cli("workspace --help")).out.join("\n")
      for (const name of ["workspace create", "workspace list", "workspace set"]) assert.include(group, examples[name]!)
    })
  )
})
