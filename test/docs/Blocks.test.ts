// Every block of the README and of docs/ is run, or shows what a run printed, or is the file of an example. The few
// that cannot run here stand in a table with the reason. Client.test.ts runs the blocks of docs/client.md, and
// Agents.test.ts the settings of docs/agents.md.
import * as NodeContext from "@effect/platform-node/NodeContext"
import { ConfigProvider, Effect, Either, Layer, Logger, Redacted } from "effect"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parse, stringify } from "yaml"
import { run as commandLineRun } from "../../src/cli/Gateway.js"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { ProviderManifest } from "../../src/domain/Manifest.js"
import { decodeCatalog } from "../../src/layers/catalog/ManifestReading.js"
import { OperatorServices } from "../../src/layers/compose/StorageOnPostgres.js"
import { readConfig } from "../../src/layers/node/Config.js"
import { Accounts } from "../../src/services/Accounts.js"
import { LoginApprovals } from "../../src/services/LoginApprovals.js"
import { ended } from "../cli/commandLine.js"
import { acquireTestDatabase } from "../support/postgres.js"
import { difference, documentsOf, missingLine } from "./answers.js"
import { root } from "../support/program.js"
import { type Block, blocksOf, pages } from "./pages.js"
import { type Answering, openTerminal, type Ran, savedAs, type Terminal } from "./terminal.js"

const readers = pages.filter((page) => page === "README.md" || page.startsWith("docs/"))
const blocks = readers.flatMap(blocksOf)
const nameOf = ({ line, page }: Block) => `${page}:${line}`

/** Lines that are not typed into the terminal of this test, and why. */
const lines: Readonly<Record<string, string>> = {
  "npm ci && npm start":
    "npm ci made the node_modules of this test, and the terminal's gateway was started by npm start",
  "npm ci && npm test": "it runs this test",
  "npm ci && npm run build": "the terminal builds, and Installed.test.ts packs",
  "npm ci && npm run build && npm pack": "Installed.test.ts packs",
  "npm install --save-dev ../provider-gateway/provider-gateway-0.1.0.tgz": "Installed.test.ts installs the package",
  "npm ci --include=dev && npm run build && npm prune --omit=dev":
    "it would take the packages away that this test runs with"
}
/** Blocks that cannot run here, by how they begin. A shell can read them all the same. */
const cannotRun: ReadonlyArray<{ readonly page: string; readonly begins: string; readonly why: string }> = [
  ...["pg_dump", 'psql "$ADMIN_DATABASE_URL"', 'psql "$OLD_DATABASE_URL"', "pg_basebackup", "cp -a /backup/base"].map(
    (begins) => ({
      page: "docs/backup.md",
      begins,
      why: "it needs the programs of a whole Postgres, which are not in the embedded one; npm run drill does it"
    })
  ),
  ...["psql -c", "pg_basebackup", "pg_ctl promote"].map((begins) => ({
    page: "docs/scaling.md",
    begins,
    why: "it needs the programs of a whole Postgres, and two machines"
  })),
  ...["sudo useradd", "sudo -u gateway"].map((begins) => ({
    page: "docs/deploying.md",
    begins,
    why: "it makes a user and a service of the machine; test/deploy/Deploy.test.ts looks at both"
  })),
  {
    page: "docs/operating.md",
    begins: "create role gateway",
    why: "a role is one of the whole server, which this test shares with others"
  },
  {
    page: "docs/observability.md",
    begins: "OTEL_EXPORTER_OTLP_ENDPOINT",
    why: "it starts a second gateway at the port of the terminal's; test/gateway/Telemetry.test.ts has a collector"
  },
  {
    page: "docs/scaling.md",
    begins: "select create_reference_table",
    why: "it needs Citus; TablesByWorkspace.test.ts compares it with the tables"
  },
  {
    page: "docs/search.md",
    begins: "language: it",
    why: "it is a file of the built-in catalog; VocabularyFiles.test.ts reads it"
  },
  {
    page: "docs/contributing.md",
    begins: "sql`select run_id from runs",
    why: "it is two lines out of a layer; TablesByWorkspace.test.ts judges both statements"
  },
  {
    page: "docs/operating.md",
    begins: "gateway catalog watch",
    why: "it calls the real providers"
  }
]
/** What starts a gateway of its own. */
const isServer = ({ language, text }: Block): boolean => language === "bash" && text.includes(" dist/main.js")
/** Lines that several pages begin with; they are run once. */
const once = new Set(["gateway doctor", "node --test examples/whole-gateway.test.mjs"])
/** Commands that end with 1 where a machine lacks something that the gateway needs for its work, but no test has. */
const mayEndWithOne: Readonly<Record<string, string>> = {
  "gateway doctor": "it looks up the names of all providers, and a machine for tests may have no name servers"
}

const reasonOf = (block: Block): string | undefined =>
  cannotRun.find(({ begins, page }) => page === block.page && block.text.startsWith(begins))?.why
const isRun = (block: Block): boolean => block.language === "bash" && reasonOf(block) === undefined && !isServer(block)
/** A block without a command or a file name of its own shows what the shell block before it printed. */
const isAnswer = (block: Block): boolean =>
  ["json", "text"].includes(block.language) && savedAs(block) === undefined && !isSetting(block)
/** What goes into a file of another program. */
const isSetting = (block: Block): boolean => block.language === "json" && block.page === "docs/agents.md"
/** A part of a manifest, which says nothing without the rest. */
const isPart = (block: Block): boolean =>
  block.page === "docs/providers.md" && block.language === "yaml" && !block.text.startsWith("id:")

/** An overlay, which `test/deploy/Deploy.test.ts` compares with the base that it changes. */
const isOverlay = (block: Block): boolean => block.page === "docs/deploying.md" && block.language === "yaml"

/** Files that are run by tests: the examples of the package, and those of a checkout, which import the sources. */
const exampleFiles = ["examples", join("test", "examples")].flatMap((folder) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(root, folder, name))
)

const exampleOf = (block: Block): string | undefined =>
  exampleFiles.find(
    (file) =>
      block.text ===
      readFileSync(file, "utf8")
        .replace(/^(?:\/\/.*\n)+/, "")
        .replaceAll("../src/client/index.js", "provider-gateway/client")
        .replaceAll("../src/testing.js", "provider-gateway/testing")
  )

describe("every block", () => {
  it("is run, shows what was run, or says why it is not", () => {
    const unexplained = blocks.filter(
      (block) =>
        !isRun(block) &&
        !isServer(block) &&
        !isAnswer(block) &&
        !isSetting(block) &&
        !isPart(block) &&
        !isOverlay(block) &&
        (savedAs(block) === undefined || block.language === "") &&
        reasonOf(block) === undefined &&
        exampleOf(block) === undefined &&
        !(block.page === "docs/client.md" && block.language === "ts")
    )
    assert.deepStrictEqual(unexplained.map(nameOf), [])
    assert.isAbove(blocks.filter(isRun).length, 25)
  })

  it("that is left out, or a line of it, is still there", () => {
    const whole = blocks.map(({ text }) => text).join("\n")
    assert.deepStrictEqual(
      [...Object.keys(lines), ...Object.keys(mayEndWithOne)].filter((line) => !whole.includes(line)),
      []
    )
    assert.deepStrictEqual(
      cannotRun.filter(
        ({ begins, page }) => !blocks.some((each) => each.page === page && each.text.startsWith(begins))
      ),
      []
    )
  })

  it("of shell is shell that a shell can read", () => {
    const shell = blocks.filter(({ language }) => language === "bash").map(({ text }) => `{ :\n${text}\n}\n`)
    assert.strictEqual(spawnSync("bash", ["-n"], { input: shell.join(""), encoding: "utf8" }).stderr, "")
  })
})

/** The command line in this process, with a person who approves each login. */
const answering: Answering = (args, input, env) => {
  const services = Layer.unwrapEffect(Effect.map(readConfig, OperatorServices))
  const hears = (words: string) => {
    const approvalId = /\/approve\/(apr_\w+)/.exec(words)?.[1]
    if (approvalId === undefined) return
    const approving = Effect.gen(function* () {
      const accounts = yield* Accounts
      const approver = yield* accounts.authenticate(Redacted.make(terminal.token))
      yield* (yield* LoginApprovals).approve(approvalId, approver, commandLine)
    })
    void Effect.runPromise(configured(Effect.provide(approving, services)))
  }
  const configured = <A, E>(work: Effect.Effect<A, E, NodeContext.NodeContext>) =>
    work.pipe(
      Effect.provide([NodeContext.layer, Logger.remove(Logger.defaultLogger)]),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env))))
    )
  return Effect.runPromise(
    configured(ended(commandLineRun(args, services), { input: input.replace(/\n$/, ""), hears }))
  )
}

let terminal: Terminal
const before = process.cwd()
const hasCurl = spawnSync("curl", ["--version"]).status === 0

describe.runIf(hasCurl)("what the pages print", () => {
  beforeAll(async () => {
    terminal = await openTerminal(answering, { never: new Set(Object.keys(lines)), once })
    process.chdir(terminal.place)
  }, 300_000)
  afterAll(async () => {
    process.chdir(before)
    await terminal.close()
  }, 60_000)

  /** Compares what a page shows below a block with what the block printed. */
  const compare = (block: Block, { err, out }: Ran, answer: Block): void => {
    if (answer.language === "text")
      return assert.isUndefined(
        missingLine(answer.text, `${out}\n${err}`),
        `${nameOf(answer)}: not among\n${out}${err}`
      )
    const [shown, real] = [documentsOf(answer.text.replaceAll("http://127.0.0.1:8080", terminal.url)), documentsOf(out)]
    assert.isAbove(shown.length, 0, nameOf(answer))
    shown.forEach((document, at) => {
      assert.isNull(difference(document, real[at]), `${nameOf(answer)}, which block ${nameOf(block)} printed`)
    })
  }
  const showsRefusal = (answers: ReadonlyArray<Block>): boolean =>
    answers.some(({ language, text }) => language === "json" && /^\{ ?"error":/.test(text))

  for (const page of readers.filter((each) => blocksOf(each).some(isRun)))
    it(`of ${page} works, and comes out as shown`, async () => {
      const all = blocksOf(page)
      const results = await terminal.run(all.filter((block) => isRun(block) || savedAs(block) !== undefined))
      for (const [block, ran] of results) {
        const behind = all.slice(all.indexOf(block) + 1)
        const next = behind.findIndex((other) => !isAnswer(other))
        const answers = behind.slice(0, next < 0 ? behind.length : next)
        for (const answer of answers) compare(block, ran, answer)
        const failed = ran.failed.filter((command) => !Object.keys(mayEndWithOne).includes(command))
        if (!showsRefusal(answers)) assert.deepStrictEqual(failed, [], `${nameOf(block)}\n${ran.out}\n${ran.err}`)
      }
    })

  it.each(blocks.filter(isServer).map((block) => [nameOf(block), block] as const))(
    "starts the gateway of %s in production",
    (_, block) =>
      Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(acquireTestDatabase(), (databaseUrl) =>
            Effect.promise(() =>
              terminal.serve(block, Redacted.value(databaseUrl), async (url) => {
                assert.strictEqual((await fetch(`${url}/livez`)).status, 200)
                // There is no demo workspace in production, and so nobody who may ask.
                assert.strictEqual(
                  (await fetch(`${url}/v1/balance`, { headers: { authorization: `Bearer ${terminal.token}` } })).status,
                  401
                )
              })
            )
          )
        )
      )
  )

  it("takes each part of a manifest that docs/providers.md shows", () => {
    const [complete] = blocksOf("docs/providers.md").filter(({ text }) => text.startsWith("id: crandb"))
    const parts = blocksOf("docs/providers.md").filter(isPart)
    assert.isAbove(parts.length, 0)
    for (const part of parts) {
      const whole = parse(complete?.text ?? "")
      const shown = Object.entries(parse(part.text))
      const ofProvider = shown.filter(([name]) => Object.hasOwn(ProviderManifest.fields, name))
      const ofOperation = shown.filter(([name]) => !Object.hasOwn(ProviderManifest.fields, name))
      // The job, the fields and the samples of the example are of another answer, and parts may need a key.
      const { job: _job, output: _output, ...operation } = whole.operations[0]
      const provider = {
        ...whole,
        auth: { type: "bearer" },
        ...Object.fromEntries(ofProvider),
        operations: [{ ...operation, ...Object.fromEntries(ofOperation), samples: {} }]
      }
      const jobs = [{ file: "job", text: readFileSync(join(root, "catalog/jobs/package.info.yaml"), "utf8") }]
      const providers = [{ file: nameOf(part), text: stringify(provider) }]
      const content = decodeCatalog({ jobs, providers }, { thorough: true })
      assert.deepStrictEqual(Either.isLeft(content) ? content.left : null, null, nameOf(part))
    }
  })
})
