/** Several processes of one gateway, as a person starts them and as a machine may end them. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted, Schema } from "effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { eventually } from "../../support/eventually.js"
import { temporaryFolder } from "../../support/folders.js"
import { acquireTestDatabase } from "../../support/postgres.js"
import { program, root } from "../../support/program.js"

const main = program("main")

const folder = temporaryFolder("gateway-processes-")

const Line = Schema.parseJson(
  Schema.Struct({ message: Schema.Unknown, annotations: Schema.Record({ key: Schema.String, value: Schema.Unknown }) })
)

/** The program with these settings; it is killed when the scope closes. */
const started = (env: NodeJS.ProcessEnv) =>
  Effect.gen(function* () {
    const { HOME, PATH } = process.env
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [main], {
          cwd: root,
          env: { HOME, PATH, PORT: "0", ...env },
          stdio: ["ignore", "pipe", "inherit"],
          // A group of its own, so that all of it can be signalled.
          detached: true
        })
      ),
      (each) => Effect.sync(() => void each.kill("SIGKILL"))
    )
    let out = ""
    const listeners = new Set<() => void>()
    child.stdout.on("data", (bytes: Buffer) => {
      out += bytes.toString()
      for (const listener of listeners) listener()
    })
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
    /** What `find` finds in all that the program has said, as soon as it does. */
    const says = (find: RegExp, times = 1) =>
      Effect.async<ReadonlyArray<string>>((resume) => {
        const look = () => {
          const found = [...out.matchAll(new RegExp(find, "g"))].map(([, part = ""]) => part)
          if (found.length < times) return
          listeners.delete(look)
          resume(Effect.succeed(found))
        }
        listeners.add(look)
        look()
      })
    return { child, ended, says, lines: () => out.trim().split("\n") }
  })

const runBody = JSON.stringify({
  endpointId: "mock-email-find",
  input: { first_name: "Ada", last_name: "Example", domain: "example.com" }
})
const slowBody = JSON.stringify({
  endpointId: "mock-email-find",
  input: { first_name: "Ada", last_name: "Example", domain: "example.com", _mock: { delayMs: 3_000 } }
})

const decodeRun = Schema.decodeUnknownSync(Schema.Struct({ runId: Schema.String, status: Schema.String }))

describe("several processes of one gateway", () => {
  it.scopedLive(
    "share a port and the work, tell their metrics together, replace one that is killed, and end as one",
    () =>
      Effect.gen(function* () {
        const place = yield* folder
        const url = Redacted.value(yield* acquireTestDatabase({ empty: true }))
        const gateway = yield* started({ GATEWAY_PROCESSES: "2", GATEWAY_DATA_DIR: place, DATABASE_URL: url })
        const [address = ""] = yield* gateway.says(/Address +(\S+)/)
        yield* gateway.says(/(Listening on)/)
        const token = readFileSync(join(place, "dev-token"), "utf8").trim()
        const get = (path: string) =>
          Effect.promise(() => fetch(`${address}${path}`, { headers: { connection: "close" } }).then((it) => it.text()))
        const run = (key: string, body = runBody) =>
          Effect.promise(() =>
            fetch(`${address}/v1/runs?wait=true`, {
              method: "POST",
              headers: {
                authorization: `Bearer ${token}`,
                "content-type": "application/json",
                "idempotency-key": key,
                connection: "close"
              },
              body
            }).then(async (answer) => {
              const { runId, status } = decodeRun(await answer.json())
              return `${answer.status} ${runId} ${status}`
            })
          )

        const runs = yield* Effect.forEach(["a", "b", "c", "d", "a", "b"], (key) => run(key))
        assert.deepStrictEqual(runs.slice(4), runs.slice(0, 2))
        assert.lengthOf([...new Set(runs)], 4)
        yield* Effect.forEach(Array(64).keys(), () => get("/docs"), { concurrency: "unbounded" })
        const answered = [
          ...(yield* get("/metrics")).matchAll(/^http_requests_total\{process="(\d+)",method="(\w+)".*\} (\d+)$/gm)
        ]
        assert.deepStrictEqual([...new Set(answered.map(([, process]) => process))].sort(), ["1", "2"])
        assert.strictEqual(
          answered.reduce((sum, [, , method, count]) => (method === "POST" ? sum + Number(count) : sum), 0),
          runs.length
        )

        const pids = readFileSync(`/proc/${gateway.child.pid}/task/${gateway.child.pid}/children`, "utf8").trim()
        const [killed] = pids.split(" ").map(Number)
        assert.isDefined(killed)
        // Connections that come in meanwhile are answered by the other, or broken off: none is left without either.
        const busy = yield* Deferred.make<void>()
        let count = 0
        const client = Effect.promise(() =>
          fetch(`${address}/readyz`, { headers: { connection: "close" }, signal: AbortSignal.timeout(10_000) }).then(
            (it) => `${it.status}`,
            (error: unknown) => (error instanceof DOMException ? error.name : "broken off")
          )
        ).pipe(
          Effect.zipLeft(
            Effect.suspend(() => Effect.when(Deferred.succeed(busy, undefined), () => (count += 1) === 100))
          ),
          Effect.replicateEffect(40)
        )
        const clients = yield* Effect.fork(Effect.forEach(Array(16).keys(), () => client, { concurrency: "unbounded" }))
        yield* Deferred.await(busy)
        process.kill(killed ?? 0, "SIGKILL")
        const ends = new Set((yield* Fiber.join(clients)).flat())
        ends.delete("broken off")
        assert.deepStrictEqual([...ends], ["200"])
        yield* gateway.says(/(A process of this gateway ended and is started again)/)
        assert.match(yield* run("e"), /^201 /)
        yield* gateway.says(/(Listening on)/, 2)
        assert.match(yield* get("/metrics"), /process="3"/)

        // As a terminal and most supervisors do it, with runs under way in both.
        const slow = yield* Effect.fork(
          Effect.forEach(Array(6).keys(), (at) => run(`slow${at}`, slowBody), { concurrency: "unbounded" })
        )
        yield* eventually(
          Effect.promise(() =>
            fetch(`${address}/v1/runs?status=running`, { headers: { authorization: `Bearer ${token}` } }).then((it) =>
              it.text()
            )
          ),
          (text) => text.split('"runId"').length === 7
        )
        process.kill(-(gateway.child.pid ?? 0), "SIGTERM")
        // The fixture ends with the process that has it, so calls of the other one may fail; each is answered.
        for (const answer of yield* Fiber.join(slow)) assert.match(answer, /^201 run_\w+ (completed|failed)$/)
        assert.strictEqual(yield* Effect.promise(() => gateway.ended), 0)
        const listening: Array<unknown> = []
        for (const line of gateway.lines().filter((each) => each.startsWith("{"))) {
          const { annotations, message } = Schema.decodeUnknownSync(Line)(line)
          if (String(message).startsWith("A process"))
            assert.deepInclude(annotations, { signal: "SIGKILL", pid: killed, process: 1 })
          if (String(message).startsWith("Listening on")) listening.push(annotations["process"])
        }
        // The first one welcomes in words for people.
        assert.deepStrictEqual(listening.sort(), [2, 3])
      })
  )

  it.scopedLive("do not start when the first cannot, which says why", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const gateway = yield* started({
        GATEWAY_PROCESSES: "2",
        GATEWAY_DATA_DIR: place,
        DATABASE_URL: "postgres://nobody@127.0.0.1:1/none"
      })
      assert.strictEqual(yield* Effect.promise(() => gateway.ended), 1)
      assert.lengthOf(
        gateway.lines().filter((line) => line.includes("The gateway could not start")),
        1
      )
      assert.notInclude(gateway.lines().join(), "started again")
    })
  )
})
