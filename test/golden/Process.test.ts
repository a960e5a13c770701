/**
 * A gateway as it runs in production: a process of its own with its environment, a database and the fixture provider.
 * Its log lines from the start to the stop, what the answers of a real server become, and its metrics.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { CommandLine, CommandLineTest, json } from "../cli/commandLine.js"
import { program, root } from "../support/program.js"
import { recording } from "./exchanges.js"
import { golden, goldenJson, placeholders } from "./golden.js"

interface Started {
  readonly child: ChildProcess
  /** The lines of standard output and standard error so far. */
  readonly lines: ReadonlyArray<string>
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>
}

/** `npm start` with exactly this environment beside what a process needs. */
const start = (environment: Record<string, string>) =>
  Effect.acquireRelease(
    Effect.sync((): Started => {
      const { HOME, PATH } = process.env
      const child = spawn(process.execPath, [program("main")], {
        cwd: root,
        env: { HOME, PATH, ...environment }
      })
      const lines: Array<string> = []
      let rest = ""
      const read = (bytes: Buffer) => {
        const parts = `${rest}${bytes.toString()}`.split("\n")
        rest = parts.pop() ?? ""
        lines.push(...parts)
      }
      child.stdout.on("data", read)
      child.stderr.on("data", read)
      return {
        child,
        lines,
        ended: new Promise((resolve) => child.on("close", resolve))
      }
    }),
    ({ child, ended }) => Effect.promise(() => (child.kill("SIGKILL"), ended))
  )

/** Waits for a line that holds these words. */
const lineWith = ({ lines }: Started, words: string) =>
  Effect.sync(() => lines.find((line) => line.includes(words))).pipe(
    Effect.delay(20),
    Effect.repeat({ until: (found) => found !== undefined }),
    Effect.timeoutFail({
      duration: "60 seconds",
      onTimeout: () => new Error(`no line "${words}" in:\n${lines.join("\n")}`)
    }),
    Effect.orDie,
    Effect.map(String)
  )

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-golden-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const person = {
  first_name: "Ada",
  last_name: "Example",
  domain: "example.com"
}
const find = (script: object = {}) => ({
  endpointId: "mock-email-find",
  input: { ...person, ...script }
})
const scripted = (_mock: object) => find({ _mock })

/** A provider whose address the egress policy refuses, and a job that stands in for a built-in one. */
const manifests = {
  "providers/local.yaml": [
    "id: local",
    "name: Local",
    "baseUrl: http://127.0.0.1:9",
    "operations:",
    "  - id: local-say",
    "    name: Say",
    "    summary: Says something.",
    "    method: POST",
    "    path: /say",
    "    input: { type: object, properties: {} }",
    "    price: { basis: per_call, micros: 10 }"
  ],
  "jobs/books.search.yaml": [
    "id: books.search",
    "title: Search books",
    "category: books",
    "platform: books",
    "description: Searches books.",
    "exampleInput: { query: effect }"
  ]
}

const production = (environment: Record<string, string>) => ({
  NODE_ENV: "production",
  GATEWAY_SEALING_KEYS: `golden:${Buffer.alloc(32, 1).toString("base64")}`,
  ...environment
})

/** What a machine that is slow for a moment adds to the log. */
const slownessIsTold = (line: string) => line.includes("The connection that hears what other nodes announce")

/** Log lines without what differs from run to run, from catalog to catalog, and from machine to machine. */
const settled = (lines: ReadonlyArray<string>): string =>
  placeholders()(lines.filter((line) => !slownessIsTold(line)).join("\n"))
    .replace(/"fiberId":"[^"]*"/g, `"fiberId":"<fiber>"`)
    .replace(/"revision":"[^"]*"/g, `"revision":"<revision>"`)
    .replace(/"(jobs|endpoints)":\d+/g, `"$1":"<count>"`)

/** The gateway's metrics with their words, kinds and labels; not what they count, nor the buckets of histograms. */
const metricNames = (text: string): string =>
  text
    .split(/^(?=# HELP (?:gateway|http|process)_|# TYPE effect_)/m)
    .filter((metric) => metric.startsWith("# HELP"))
    .map((metric) => {
      const [help, type, ...samples] = metric.trim().split("\n")
      const names = samples
        .filter((line) => !line.includes("_bucket{"))
        .map((line) => line.replace(/ [^ ]+$/, "").replace(/\b(node|version|host|revision)="[^"]*"/g, '$1="…"'))
      return [help, type, ...new Set(names.sort())].join("\n")
    })
    .sort()
    .join("\n")

layer(CommandLineTest, { excludeTestServices: true })("a gateway in production", (it) => {
  it.effect(
    "logs, answers and measures the same",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* CommandLine
          const place = yield* folder
          for (const [file, lines] of Object.entries(manifests)) {
            mkdirSync(dirname(join(place, file)), { recursive: true })
            writeFileSync(join(place, file), lines.join("\n"))
          }
          const started = yield* start(
            production({
              DATABASE_URL: Redacted.value(url),
              PORT: "0",
              GATEWAY_DATA_DIR: place,
              GATEWAY_CATALOG: place,
              GATEWAY_FIXTURES: "true",
              GATEWAY_STOP_PAUSE_MILLIS: "0"
            })
          )
          const { workspaceId } = yield* json("workspace create golden")
          yield* json(["credit", "--workspace", workspaceId, "--usd", "1", "--reason", "golden"])
          const made = yield* json([
            "token",
            "create",
            "--workspace",
            workspaceId,
            "--label",
            "golden",
            "--scope",
            "runs:execute,runs:read"
          ])
          const at = /http:\/\/[^"]+/.exec(yield* lineWith(started, "Listening on"))?.[0] ?? ""
          const { exchanges, get, post, run } = recording(at, made["token"])

          const bodies = {
            "a hit": find(),
            "a weak answer": scripted({ outcome: "weak" }),
            "a miss": scripted({ outcome: "miss" }),
            "an error that the provider reports": scripted({
              outcome: "error"
            }),
            "a cost that the provider names": scripted({ costMicros: 1_200 }),
            "status 500": scripted({ status: 500 }),
            "status 429": scripted({ status: 429 }),
            "status 401": scripted({ status: 401 }),
            "status 402": scripted({ status: 402 }),
            "status 404": scripted({ status: 404 }),
            "a redirect": scripted({ redirect: "https://example.com/" }),
            "another content type": scripted({ contentType: "image/png" }),
            "no JSON": scripted({ body: "no json" }),
            "a connection that closes": scripted({ drop: true }),
            "an effect whose answer is lost": {
              endpointId: "mock-send-message",
              input: { to: "ada@example.com", _mock: { drop: true } }
            },
            "a text": {
              endpointId: "mock-document",
              input: { format: "csv", pages: 1 }
            },
            "a file": { endpointId: "mock-image", input: {} },
            "an address that the egress policy refuses": {
              endpointId: "local-say",
              input: {}
            },
            "the same again": { endpointId: "local-say", input: {} }
          }
          const scenes: Array<unknown> = []
          for (const [title, body] of Object.entries(bodies)) {
            const before = exchanges.length
            const { result } = yield* run(body, { key: title })
            if (result?.media !== undefined) yield* get(result.media.downloadPath)
            scenes.push({
              scene: title,
              exchanges: JSON.parse(placeholders()(JSON.stringify(exchanges.slice(before), null, 1)))
            })
          }
          yield* get("/v1/nowhere")
          yield* post("/livez")
          const before = exchanges.length
          yield* get("/livez")
          yield* get("/readyz")
          // The first check of the ledger runs beside the start and ends when it ends.
          const metrics = yield* Effect.promise(async () => (await fetch(`${at}/metrics`)).text()).pipe(
            Effect.delay(100),
            Effect.repeat({ until: (text) => text.includes("gateway_ledger_checked_timestamp_seconds ") }),
            Effect.timeout("60 seconds")
          )
          scenes.push({
            scene: "probes",
            exchanges: JSON.parse(placeholders()(JSON.stringify(exchanges.slice(before), null, 1)))
          })

          started.child.kill("SIGTERM")
          const code = yield* Effect.promise(() => started.ended)
          yield* Effect.promise(() => goldenJson("runs-over-the-wire", scenes))
          yield* Effect.promise(() => golden("metrics.txt", metricNames(metrics)))
          yield* Effect.promise(() =>
            golden("logs.txt", `${settled(started.lines).replaceAll(place, "/folder")}\nexit code: ${code}`)
          )
        })
      ),
    120_000
  )

  it.effect(
    "says why it does not start without a database in the same words",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { ended, lines } = yield* start(production({}))
          const code = yield* Effect.promise(() => ended)
          assert.notStrictEqual(code, 0)
          yield* Effect.promise(() => golden("logs-of-failed-start.txt", `${settled(lines)}\nexit code: ${code}`))
        })
      ),
    120_000
  )
})
