import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe } from "vitest"
import * as EmbeddedPostgres from "../../src/layers/postgres/embedded/EmbeddedPostgres.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { acquireTestDatabase } from "../support/postgres.js"
import { program, root } from "../support/program.js"
import { findRunning } from "../support/runningPostgres.js"

const cli = program("cli")

/** The program itself, with its own standard input and output. */
const gateway = (dataDir: string, args: ReadonlyArray<string>, input = "", more: NodeJS.ProcessEnv = {}) =>
  Effect.async<{ readonly code: number | null; readonly out: string; readonly err: string }>((resume) => {
    const { DATABASE_URL: _, ...env } = process.env
    const child = spawn(process.execPath, [cli, ...args], {
      cwd: root,
      env: { ...env, GATEWAY_DATA_DIR: dataDir, NODE_ENV: "development", ...more }
    })
    let out = ""
    let err = ""
    child.stdout.on("data", (bytes) => (out += bytes))
    child.stderr.on("data", (bytes) => (err += bytes))
    child.on("close", (code) => resume(Effect.succeed({ code, out, err })))
    child.stdin.end(input)
  })

const dataDir = Effect.acquireRelease(
  Effect.sync(() => {
    const made = mkdtempSync(join(tmpdir(), "gateway-cli-process-"))
    // Root's Postgres runs as another user, who must pass.
    chmodSync(made, 0o711)
    return made
  }),
  (made) =>
    Effect.zipRight(
      Effect.ignore(EmbeddedPostgres.destroy(made)),
      Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
)

/** `gateway serve` until the scope closes. */
const serving = (env: NodeJS.ProcessEnv) =>
  Effect.gen(function* () {
    const { HOME, PATH } = process.env
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [cli, "serve", "--json"], {
          cwd: root,
          env: { HOME, PATH, PORT: "0", ...env },
          stdio: ["ignore", "pipe", "inherit"]
        })
      ),
      (started) => Effect.sync(() => void started.kill("SIGKILL"))
    )
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
    let out = ""
    const address = yield* Effect.async<string>((resume) => {
      child.stdout.on("data", (bytes) => {
        out += bytes
        const found = /Listening on (http:[^"]+)/.exec(out)?.[1]
        if (found !== undefined) resume(Effect.succeed(found))
      })
      child.on("close", () => resume(Effect.succeed("it ended")))
    })
    return { address, child, ended, said: () => out }
  })

describe("the gateway program", () => {
  it.live(
    "makes no database for a gateway that is not there, keeps what it did, shares it, and writes nothing but its answer",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* dataDir
          const { code, err, out } = yield* gateway(place, ["workspace", "list"])
          assert.deepStrictEqual([code, out], [1, ""])
          assert.match(err, new RegExp(`^There is no gateway in ${place}\\. .*set GATEWAY_DATA_DIR`))
          assert.deepStrictEqual(readdirSync(place), [])

          yield* Effect.scoped(EmbeddedPostgres.start({ dataDir: place }))
          const empty = yield* gateway(place, ["workspace", "create", "acme"])
          assert.deepStrictEqual([empty.code, empty.out], [1, ""])
          assert.include(empty.err, "gateway migrate")
          assert.strictEqual((yield* gateway(place, ["migrate"])).code, 0)
          const made = yield* gateway(place, ["workspace", "create", "acme", "--json"])
          assert.deepStrictEqual([made.code, made.err], [0, ""])
          assert.match(JSON.parse(made.out).workspaceId, /^ws_/)
          assert.isTrue((yield* findRunning(place))._tag === "None", "the last to leave stops the database")

          yield* EmbeddedPostgres.start({ dataDir: place })
          const [again, key, verified] = yield* Effect.all(
            [
              gateway(place, ["workspace", "create", "acme"]),
              gateway(place, ["key", "set", "hunter", "--json"], "sk-canary\n"),
              gateway(place, ["ledger", "verify", "--json"])
            ],
            { concurrency: 3 }
          )
          assert.deepStrictEqual(again, { code: 1, out: "", err: "NAME: is the name of another workspace\n" })
          assert.deepStrictEqual(key, {
            code: 0,
            out: `${JSON.stringify({ providerId: "hunter", set: true })}\n`,
            err: "Sets the gateway's own key of hunter, which has none\n"
          })
          assert.deepStrictEqual(verified, {
            code: 0,
            out: `${JSON.stringify({ ok: true, driftMicros: 0, entries: 0, workspaces: 1 })}\n`,
            err: ""
          })
          assert.isTrue((yield* findRunning(place))._tag === "Some", "a database that others use goes on")
        })
      ),
    120_000
  )

  it.live(
    "opens nothing for a question that it does not understand, and ends with 2",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* dataDir
          const wrong = yield* gateway(place, ["credit", "--workspace", "acme", "--usd", "one", "--reason", "x"])
          assert.deepStrictEqual([wrong.code, wrong.out], [2, ""])
          assert.match(wrong.err, /^--usd: must be dollars .*, not "one"\n$/)
          const level = yield* gateway(place, ["workspace", "list"], "", { GATEWAY_LOG_LEVEL: "verbose" })
          assert.deepStrictEqual([level.code, level.out], [1, ""])
          assert.match(level.err, /GATEWAY_LOG_LEVEL.*must be one of debug, info, warning, error/)
          assert.isTrue((yield* findRunning(place))._tag === "None")
        })
      ),
    120_000
  )

  it.live(
    "says which port is taken and what to do, without a stack",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* dataDir
          const url = Redacted.value(yield* acquireTestDatabase())
          const taken = createServer()
          const port = yield* listenLocally(taken)
          const { code, err, out } = yield* gateway(place, ["serve"], "", { DATABASE_URL: url, PORT: String(port) })
          assert.strictEqual(code, 1)
          assert.include(
            out,
            `Another program listens on 127.0.0.1:${port}: end it, or set PORT to a free port (0 takes any)`
          )
          assert.notMatch(out + err, /\n\s+at |\\n\s+at |ServeError/)
        })
      ),
    120_000
  )

  it("is not what main.js starts: that takes no arguments, and names the command line", () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [program("main"), "ledger", "verify"], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] }
    })
    assert.deepStrictEqual([status, stdout], [2, ""])
    assert.match(
      stderr,
      /^This program only starts the gateway and takes no arguments, such as ledger: .*gateway --help/
    )
  })

  it.live(
    "serves like npm start until it is told to stop, which is no failure",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* dataDir
          const url = Redacted.value(yield* acquireTestDatabase())
          const { address, child, ended, said } = yield* serving({ GATEWAY_DATA_DIR: place, DATABASE_URL: url })
          assert.match(address, /^http:/, said())
          assert.strictEqual((yield* Effect.promise(() => fetch(`${address}/livez`))).status, 200)
          child.kill("SIGTERM")
          assert.strictEqual(yield* Effect.promise(() => ended), 0)
          for (const line of said().trim().split("\n")) assert.doesNotThrow(() => JSON.parse(line), line)
        })
      ),
    120_000
  )

  it.live(
    "goes on, and stops as ever, when nobody reads its output any more",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* dataDir
          const url = Redacted.value(yield* acquireTestDatabase())
          const { address, child, ended } = yield* serving({ GATEWAY_DATA_DIR: place, DATABASE_URL: url })
          child.stdout.destroy()
          assert.strictEqual((yield* Effect.promise(() => fetch(`${address}/readyz`))).status, 200)
          // It writes that it stops.
          child.kill("SIGTERM")
          assert.strictEqual(yield* Effect.promise(() => ended), 0)
        })
      ),
    120_000
  )

  it.live(
    "makes a database where it is started first, and works on after that was killed",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const place = yield* dataDir
          const { address, child, ended, said } = yield* serving({ GATEWAY_DATA_DIR: place })
          assert.match(address, /^http:/, said())
          const token = readFileSync(join(place, "dev-token"), "utf8").trim()
          const runs = (body?: unknown) =>
            Effect.tryPromise(() =>
              fetch(`${address}/v1/runs${body === undefined ? "" : "?wait=true"}`, {
                method: body === undefined ? "GET" : "POST",
                headers: {
                  authorization: `Bearer ${token}`,
                  "content-type": "application/json",
                  "idempotency-key": "same"
                },
                ...(body === undefined ? {} : { body: JSON.stringify(body) })
              })
            )
          const body = { endpointId: "mock-email-find", input: { name: "Ada Example", domain: "example.com" } }
          assert.strictEqual((yield* runs(body)).status, 201)
          const { home } = JSON.parse(readFileSync(join(place, "postgres.json"), "utf8")) as { home: string }
          process.kill(
            Number(readFileSync(join(resolve(place, home), "cluster", "postmaster.pid"), "utf8").split("\n")[0]),
            "SIGKILL"
          )
          const again = yield* runs(body).pipe(
            Effect.delay("200 millis"),
            Effect.repeat({ until: ({ status }) => status === 200 || status === 201 }),
            Effect.timeout("60 seconds")
          )
          const { replayed } = (yield* Effect.promise(() => again.json())) as { replayed: boolean }
          assert.isTrue(replayed)
          assert.strictEqual(said().split("The embedded Postgres ended while it was used").length, 2)
          child.kill("SIGTERM")
          assert.strictEqual(yield* Effect.promise(() => ended), 0)
          assert.isTrue((yield* findRunning(place))._tag === "None")
        })
      ),
    120_000
  )
})
