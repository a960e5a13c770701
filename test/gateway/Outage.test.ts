/** What the log of a whole gateway says when its Postgres goes away and comes back. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted } from "effect"
import { eventually } from "../support/eventually.js"
import { startGateway } from "../support/gateway.js"
import { type LogLine, withLogLines } from "../support/logLines.js"
import { acquireTestDatabase } from "../support/postgres.js"
import { makeProxy } from "../support/proxy.js"

const begins = [
  "The storage fails",
  "The storage cannot take what became of a run",
  "This node cannot renew the leases of its runs",
  "The connection that hears what other nodes announce is lost",
  "The connection that hears what other nodes announce is lost"
]
const ends = [
  "The storage answers again",
  "The storage has taken what became of the runs that waited",
  "This node renews the leases of its runs again",
  "The connection that hears what other nodes announce is back",
  "The connection that hears what other nodes announce is back"
]

it.scopedLive(
  "a storage that is away is told once for each thing that it stops, and so is its end; no admitted run is answered as undone",
  () =>
    withLogLines((lines) =>
      Effect.gen(function* () {
        const direct = new URL(Redacted.value(yield* acquireTestDatabase()))
        const proxy = yield* makeProxy({ host: decodeURIComponent(direct.hostname), port: Number(direct.port) || 5432 })
        const relayed = new URL(direct.href)
        relayed.host = `127.0.0.1:${proxy.port}`
        const gateway = yield* startGateway({ databaseUrl: Option.some(Redacted.make(relayed.href)) })
        const { token } = yield* gateway.funded(1_000_000)
        const warnings = (): ReadonlyArray<LogLine> =>
          lines.filter(({ level }) => level === "WARN" || level === "ERROR")
        const said = (texts: ReadonlyArray<string>) => {
          const found = warnings().map(({ message }) => message)
          // A text that stands twice must be said twice.
          return texts.every(
            (text) =>
              found.filter((message) => message.startsWith(text)).length >=
              texts.filter((other) => other === text).length
          )
        }
        const until = (wanted: () => boolean) => eventually(Effect.sync(wanted), (is) => is)

        const start = (key: string, waitSeconds: number) =>
          gateway.call("POST", `/v1/runs?wait=${waitSeconds}`, {
            token,
            headers: { "idempotency-key": key },
            body: {
              endpointId: "mock-email-find",
              input: { name: "Ada Example", domain: "example.com", _mock: { delayMs: 3_000 } }
            }
          })
        const run = yield* Effect.fork(start("held", 60))
        const short = yield* Effect.fork(start("short", 4))
        yield* eventually(gateway.call("GET", "/v1/balance", { token }), ({ json }) => json.reservedMicros > 5_000)
        assert.deepStrictEqual(warnings(), [])
        proxy.refuse()
        const answers = yield* Effect.forEach(
          Array.from({ length: 200 }),
          () => gateway.call("GET", "/v1/balance", { token }),
          { concurrency: 20 }
        )
        // Callers that arrive together share a statement, so that fewer of those fail than requests.
        assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [503])
        yield* until(() => said(begins))
        // Its time ends while the storage is away: it was admitted, so it is answered as it was last seen.
        const unfinished = yield* Fiber.join(short)
        assert.strictEqual(unfinished.status, 201)
        assert.strictEqual(unfinished.json.status, "running")
        yield* proxy.accept
        const { json } = yield* Fiber.join(run)
        assert.strictEqual(json.status, "completed")
        const again = yield* start("short", 60)
        assert.deepInclude(again.json, { runId: unfinished.json.runId, status: "completed", replayed: true })
        yield* until(() => said(ends))
        assert.deepStrictEqual(
          warnings()
            .map(({ message }) => message.split(":")[0])
            .sort(),
          [...begins, ...ends].sort()
        )
        const ended = warnings().find(({ message }) => message === "The storage answers again")
        assert.isAbove(Number(ended?.annotations["failures"]), 5)
      })
    ),
  60_000
)
