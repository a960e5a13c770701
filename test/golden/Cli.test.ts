/**
 * The command line: the help of every command, and sessions with each family of commands against a database, wrong use
 * included.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, LogLevel } from "effect"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabasePg } from "../../src/layers/postgres/Database.js"
import { drop, ProvidersScripted } from "../../src/layers/providers/ProvidersScripted.js"
import { Runs } from "../../src/services/Runs.js"
import { cli, CommandLine, CommandLineTest } from "../cli/commandLine.js"
import { engine, principalOf, requestOf, storagePg } from "../support/engine.js"
import { golden, placeholders } from "./golden.js"

/** Without the blanks that align columns or end lines. */
const plain = (text: string): string => text.replace(/(\S) {2,}/g, "$1  ").replace(/ +$/gm, "")

/** The commands that a help text lists, such as `workspace create`. */
const listed = (help: string): ReadonlyArray<string> => {
  const commands = help.split(/^COMMANDS$/m)[1] ?? ""
  return [...commands.matchAll(/^ {2}- ([a-z][a-z-]*(?: [a-z][a-z-]*)*)/gm)].map(([, words]) => words ?? "")
}

interface Session {
  /** Types a line and keeps it with what was printed. Splits at blanks; a list is taken as it is. */
  readonly type: (line: string | ReadonlyArray<string>, input?: string) => Effect.Effect<string, never, CommandLine>
  /** The same with `--json`, as it is and as data. */
  readonly typeJson: (
    line: string | ReadonlyArray<string>,
    input?: string
  ) => Effect.Effect<Record<string, unknown>, never, CommandLine>
  readonly text: () => string
}

const session = (replace: (text: string) => string): Session => {
  const lines: Array<string> = []
  const shown = (word: string) => (/^[\w./:=,-]+$/.test(word) ? word : `'${word}'`)
  const type: Session["type"] = (line, input) =>
    Effect.gen(function* () {
      const words = typeof line === "string" ? line.split(" ") : line
      const { code, err, out } = yield* cli(words, input === undefined ? {} : { input })
      lines.push(
        `$ ${input === undefined ? "" : `printf %s ${shown(input)} | `}gateway ${words.map(shown).join(" ")}`,
        ...out,
        ...err.map((text) => `standard error: ${text}`),
        ...(code === 0 ? [] : [`exit code: ${code}`]),
        ""
      )
      return out.join("\n")
    })
  return {
    type,
    typeJson: (line, input) =>
      Effect.map(
        type([...(typeof line === "string" ? line.split(" ") : line), "--json"], input),
        (text): Record<string, unknown> => JSON.parse(text)
      ),
    text: () => plain(replace(lines.join("\n")))
  }
}

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-golden-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true }))
)

/** What this machine and this moment have to say. */
const replacing = (folder: string | null = null) => {
  const common = placeholders()
  return (text: string): string =>
    common(folder === null ? text : text.replaceAll(folder, "/folder"))
      .replace(/\blocal-[0-9a-f]{8}\b/g, "<sealingKeyId>")
      .replace(/("ageSeconds": ?)\d+/g, '$1"<seconds>"')
      .replace(/\bfor \d+ (s|seconds)\b/g, "for <seconds> $1")
}

const nobody = "0".repeat(26)

layer(CommandLineTest, { excludeTestServices: true })("the command line", (it) => {
  it.effect("helps with every command in the same words", () =>
    Effect.gen(function* () {
      const help = (words: ReadonlyArray<string>) =>
        Effect.map(cli([...words, "--help"]), ({ out }) =>
          plain(out.join("\n")).replace(/^(gateway) \d+\.\d+\.\d+$/m, "$1 <version>")
        )
      const all = yield* help([])
      const commands = listed(all)
      assert.isAbove(commands.length, 25)
      const texts = yield* Effect.forEach(commands, (command) =>
        Effect.map(help(command.split(" ")), (text) => `$ gateway ${command} --help\n${text}`)
      )
      yield* Effect.promise(() => golden("cli-help.txt", [`$ gateway --help\n${all}`, ...texts].join("\n")))
    })
  )

  it.effect("answers a session about workspaces, tokens and money the same", () =>
    Effect.gen(function* () {
      const { text, type, typeJson } = session(replacing())
      yield* type("workspace list")
      const id = String((yield* typeJson("workspace create acme"))["workspaceId"])
      yield* type("workspace create beta")
      yield* type("workspace create acme")
      yield* type(["workspace", "create", " "])
      yield* type("workspace list")
      yield* typeJson("workspace list")
      yield* type(`workspace set ${id} --inflight-limit 3 --runs-per-minute 60 --run-cap-usd 0.25`)
      yield* typeJson(`workspace set ${id}`)
      yield* type(`workspace set ${id} --inflight-limit none --runs-per-minute none --run-cap-usd none`)
      yield* type(`workspace set ${id} --allow provider:hunter --deny category:people --deny effectful`)
      yield* type(`workspace set ${id} --deny provider:huntr`)
      yield* type(`workspace set ${id} --allow category:people`)
      yield* typeJson(`workspace set ${id}`)
      yield* type(`workspace set ${id} --policy-reset`)
      yield* type(`workspace set ws_${nobody}`)

      const credit = (usd: string, ...more: ReadonlyArray<string>) =>
        type(["credit", "--workspace", id, `--usd=${usd}`, "--reason", "as agreed", ...more])
      yield* credit("12.50")
      yield* credit("1", "--key", "invoice 7")
      yield* credit("1", "--key", "invoice 7", "--json")
      yield* credit("2", "--key", "invoice 7")
      yield* credit("-3.5")
      yield* credit("-99")
      yield* type(["credit", "--workspace", `ws_${nobody}`, "--usd", "1", "--reason", "x"])

      const made = yield* typeJson([
        "token",
        "create",
        "--workspace",
        id,
        "--label",
        "the app",
        "--scope",
        "catalog.read,runs:read",
        "--monthly-limit-usd",
        "20",
        "--expires-at",
        "2099-01-31T00:00:00Z"
      ])
      yield* type(["token", "create", "--workspace", id, "--label", "ours", "--scope", "catalog:read", "--operator"])
      yield* type([
        "token",
        "create",
        "--workspace",
        id,
        "--label",
        "late",
        "--scope",
        "catalog:read",
        "--expires-at",
        "2020-01-01"
      ])
      yield* type(`token revoke ${String(made["tokenId"])}`)
      yield* typeJson(`token revoke ${String(made["tokenId"])}`)
      yield* type(`token revoke tok_${nobody}`)
      yield* type("ledger verify")
      yield* typeJson("ledger verify")
      yield* Effect.promise(() => golden("cli-accounts.txt", text()))
    })
  )

  it.effect("answers a session about runs whose money a person decides about the same", () =>
    Effect.gen(function* () {
      const { text, type, typeJson } = session(replacing())
      const { url } = yield* CommandLine
      const id = String((yield* typeJson("workspace create gamma"))["workspaceId"])
      yield* type(["credit", "--workspace", id, "--usd", "1", "--reason", "test"])
      yield* type("runs uncertain")
      yield* typeJson("runs uncertain")
      const providers = ProvidersScripted({ "mock-send-message": drop() })
      const runIds = yield* Effect.gen(function* () {
        const runs = yield* Runs
        const principal = yield* principalOf(id as Parameters<typeof principalOf>[0])
        return yield* Effect.forEach(["ada", "bob", "cy"], (name) => {
          const request = requestOf("mock-send-message", {
            input: { to: `${name}@example.com` },
            idempotencyKey: name
          })
          return Effect.map(runs.create(principal, request, 20), ({ run }) => run.runId)
        })
      }).pipe(
        Effect.provide(
          Layer.provideMerge(
            engine(providers.layer),
            Layer.provide(storagePg, Layer.orDie(DatabasePg({ url, connectionsMax: 5 })))
          )
        ),
        Logger.withMinimumLogLevel(LogLevel.Warning)
      )
      const [first = "", second = "", third = ""] = runIds
      yield* type("runs uncertain")
      yield* typeJson("runs uncertain")
      const resolve = (runId: string, as: string, ...more: ReadonlyArray<string>) =>
        type(["runs", "resolve", runId, "--as", as, "--reason", "as the invoice says", ...more])
      yield* resolve(first, "partly_charged")
      yield* resolve(first, "partly_charged", "--charge-usd", "9")
      yield* resolve(first, "charged", "--charge-usd", "0.001")
      yield* resolve(first, "partly_charged", "--charge-usd", "0.004")
      yield* resolve(first, "released")
      yield* resolve(second, "charged")
      yield* resolve(third, "released", "--json")
      yield* resolve(`run_${nobody}`, "released")
      yield* type("runs uncertain")
      yield* Effect.promise(() => golden("cli-runs.txt", text()))
    })
  )

  it.effect("answers a session about keys, connections and provider states the same", () =>
    Effect.gen(function* () {
      const { text, type, typeJson } = session(replacing())
      const id = String((yield* typeJson("workspace create delta"))["workspaceId"])
      yield* type("key list")
      yield* type("key set hunter", "sk-canary")
      yield* typeJson("key set apollo", "sk-canary")
      yield* type("key set hunter", "")
      yield* type("key set huntr", "sk-canary")
      yield* type("key list")
      yield* typeJson("key list")
      yield* type("secrets rotate")
      yield* typeJson("secrets rotate")
      yield* type("key remove apollo")
      yield* type("key remove apollo")
      yield* type(`connection list --workspace ${id}`)
      const made = yield* typeJson(
        ["connection", "create", "--workspace", id, "--provider", "hunter", "--label", "our account"],
        "sk-canary"
      )
      yield* type(
        [
          "connection",
          "create",
          "--workspace",
          id,
          "--provider",
          "hunter",
          "--label",
          "second",
          "--expires-at",
          "2099-01-31"
        ],
        "sk-canary"
      )
      yield* type(["connection", "create", "--workspace", id, "--provider", "huntr", "--label", "x"], "sk-canary")
      yield* type(
        ["connection", "create", "--workspace", `ws_${nobody}`, "--provider", "hunter", "--label", "x"],
        "sk-canary"
      )
      yield* type(`connection list --workspace ${id}`)
      yield* typeJson(`connection list --workspace ${id}`)
      yield* type(`connection delete ${String(made["connectionId"])} --workspace ${id}`)
      yield* type(`connection delete ${String(made["connectionId"])} --workspace ${id}`)
      yield* type("provider state hunter draining")
      yield* typeJson("provider state hunter enabled")
      yield* type("provider state huntr disabled")
      yield* Effect.promise(() => golden("cli-secrets.txt", text()))
    })
  )

  it.effect(
    "answers a session about the catalog the same, and writes the same manifests",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* temporary
          const { text, type, typeJson } = session(replacing(place))
          const document = join(place, "pets.yaml")
          writeFileSync(
            document,
            [
              "openapi: 3.0.3",
              "info: { title: Pets, version: '1' }",
              "servers: [{ url: https://api.pets.example }]",
              "paths:",
              "  /pets/{id}:",
              "    get:",
              "      operationId: getPet",
              "      summary: Gets a pet",
              "      parameters:",
              "        - { name: id, in: path, required: true, schema: { type: string } }",
              "        - { name: limit, in: query, schema: { type: integer } }",
              "      responses: { '200': { description: ok } }",
              "  /pets:",
              "    post:",
              "      summary: Makes a pet",
              "      requestBody: { content: { application/json: { schema: { type: object, properties: { name: { type: string } } } } } }",
              "      responses: { '201': { description: made } }"
            ].join("\n")
          )
          const flat = join(place, "flat.jsonl")
          writeFileSync(
            flat,
            `${JSON.stringify({
              endpointId: "birds.list",
              providerId: "birds",
              providerName: "Birds",
              name: "List birds",
              description: "Lists birds.",
              method: "GET",
              baseUrl: "https://api.birds.example",
              path: "/birds",
              parameters: [],
              category: "nature"
            })}\nno json\n`
          )
          const drafts = join(place, "drafts")
          yield* type(["catalog", "import-openapi", document])
          yield* type(["catalog", "import-openapi", document, "--to", drafts])
          yield* typeJson(["catalog", "import-jsonl", flat, "--to", drafts])
          yield* type(["catalog", "import-jsonl", document])
          const files = readdirSync(join(drafts, "providers")).sort()
          const written = files.map(
            (file) => `--- providers/${file}\n${readFileSync(join(drafts, "providers", file), "utf8")}`
          )

          const bad = join(place, "bad")
          mkdirSync(join(bad, "providers"), { recursive: true })
          writeFileSync(
            join(bad, "providers", "broken.yaml"),
            "id: broken\nname: Broken\nbaseUrl: ftp://x\noperations: []\n"
          )
          yield* type("catalog published")
          yield* type(["catalog", "publish", bad])
          yield* type(["catalog", "publish", bad, "--json"])
          yield* type(["catalog", "publish", join(drafts, "providers")])
          yield* type(["catalog", "publish", drafts])
          yield* type("catalog published")
          yield* typeJson("catalog published")
          yield* type(["catalog", "import-jsonl", flat, "--publish", "replace"])
          yield* type("catalog withdraw")
          yield* type("catalog published")
          yield* Effect.promise(() => golden("cli-catalog.txt", [text(), ...written].join("\n")))
        })
      ),
    60_000
  )

  it.effect(
    "lints the built-in catalog and a folder in the same words",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* temporary
          const { text, type } = session((said) =>
            replacing(place)(said).replace(/\b\d+( operations| jobs| samples| problems| providers)/g, "<count>$1")
          )
          mkdirSync(join(place, "providers"))
          writeFileSync(
            join(place, "providers", "bats.yaml"),
            [
              "id: bats",
              "name: Bats",
              "baseUrl: https://api.bats.example",
              "operations:",
              "  - id: bats-list",
              "    name: List bats",
              "    summary: Lists bats.",
              "    method: GET",
              "    path: /bats",
              "    input: { type: object }",
              "    price: { basis: free, micros: 0 }",
              "    output: { fields: { bats: 'body.[' } }"
            ].join("\n")
          )
          writeFileSync(
            join(place, "providers", "broken.yaml"),
            "id: broken\nname: Broken\nbaseUrl: ftp://x\noperations: []\n"
          )
          yield* type(["catalog", "lint", place])
          yield* type(["catalog", "lint", join(place, "nowhere")])
          yield* type(["catalog", "lint", join(place, "providers")])
          yield* type("catalog lint")
          yield* Effect.promise(() => golden("cli-lint.txt", text()))
        })
      ),
    60_000
  )

  it.effect("refuses wrong use in the same words", () =>
    Effect.gen(function* () {
      const { text, type } = session(replacing())
      yield* Effect.forEach(
        [
          "frob",
          "ledger audit",
          "ledger verify --fast",
          "workspace create",
          "workspace set ws_1",
          `workspace set ws_${nobody} --inflight-limit 0`,
          `workspace set ws_${nobody} --deny acme`,
          `credit --workspace ws_${nobody} --usd 1.0000001 --reason x`,
          `credit --workspace ws_${nobody} --usd 1`,
          "credit --workspace nobody --usd 1 --reason x",
          `token create --workspace ws_${nobody} --label x`,
          `token create --workspace ws_${nobody} --label x --scope runs.read,everything`,
          `token create --workspace ws_${nobody} --label x --scope runs.read --expires-at soon`,
          `token create --workspace ws_${nobody} --label x --scope runs.read --monthly-limit-usd -1`,
          `runs resolve run_${nobody} --as lost --reason x`,
          "runs resolve run_1 --as released --reason x",
          "provider state hunter off",
          "key set Hunter!",
          "catalog publish",
          "catalog import-jsonl /nowhere.jsonl",
          "catalog import-openapi /nowhere.yaml --publish now"
        ],
        (line) => type(line),
        { discard: true }
      )
      yield* Effect.promise(() => golden("cli-wrong-use.txt", text()))
    })
  )
})
