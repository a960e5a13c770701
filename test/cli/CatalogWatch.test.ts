/**
 * `catalog watch` against a local server that stands for providers which have changed since they were documented: what
 * it says, what it calls and what it leaves alone.
 */
import { layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll } from "vitest"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { cli, CommandLine, CommandLineTest } from "./commandLine.js"

const place = mkdtempSync(join(tmpdir(), "gateway-watch-"))
const asked: Array<string> = []
const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

/** The path of each operation decides how its provider has changed. */
const answers: Readonly<Record<string, (response: ServerResponse, request: IncomingMessage) => void>> = {
  "/same": (response) => json(response, 200, { name: "other", size: 3 }),
  "/lost": (response) => json(response, 200, { name: "other" }),
  "/retyped": (response) => json(response, 200, { name: "other", size: "3" }),
  "/nothing": (response) => json(response, 200, {}),
  "/page": (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>Moved"),
  "/away": (response) => void response.writeHead(301, { location: "https://elsewhere.example/" }).end(),
  "/gone": (response) => json(response, 410, {}),
  "/ended": (response) => json(response, 400, { error: "This version is deprecated, use v2" }),
  "/refused": (response) => json(response, 422, { error: "bad" }),
  "/needs-key": (response) => json(response, 401, {}),
  "/quota": (response) => json(response, 429, {}),
  "/broken": (response) => json(response, 503, {}),
  "/dear": (response) => json(response, 200, { name: "other", size: 3, cost: 0.5 }),
  "/keyed": (response, request) =>
    json(response, request.headers.authorization === "Bearer watch-key-1" ? 200 : 401, { name: "other", size: 3 })
}
const server = createServer((request, response) => {
  const path = request.url?.split("?")[0] ?? ""
  asked.push(`${request.method} ${path}`)
  const answer = answers[path]
  if (answer === undefined) return json(response, 500, {})
  answer(response, request)
})

const operation = (path: string, more = "", price = "{ basis: free, micros: 0 }", query = "rails") => `
  - id: watch-${path}
    name: ${path}
    summary: A test.
    method: GET
    path: /${path}
    input: { type: object, properties: { q: { type: string, description: What., examples: [x] } } }
    price: ${price}
    ${more}
    samples: { hit: { input: { q: ${query} }, body: { name: a, size: 1 }, outcome: hit } }`
const rules = `response: { success: body.name, errors: [{ when: "body.error", message: body.error }] }`
const costs = `response: { costMicros: "body.cost && body.cost * \`1000000\`" }`
const manifest = (id: string, operations: string, auth = "{ type: none }") =>
  `id: ${id}\nname: ${id}\nbaseUrl: "${origin()}"\nauth: ${auth}\noperations:${operations}\n`
const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  mkdirSync(join(place, "providers"), { recursive: true })
  const write = (id: string, text: string) => writeFileSync(join(place, "providers", `${id}.yaml`), text)
  const free = ["same", "lost", "retyped", "nothing", "page", "away", "gone", "ended", "refused", "needs-key", "quota"]
  // Each operation has a provider of its own, so that no pause is needed.
  for (const path of [...free, "broken"]) write(`w-${path}`, manifest(`w-${path}`, operation(path, rules)))
  write("w-writes", manifest("w-writes", operation("writes", "effect: effectful\n    repeatable: false")))
  write("w-closed", `${manifest("w-closed", operation("closed")).replace(origin(), "http://127.0.0.1:1")}`)
  write("w-dear", manifest("w-dear", operation("dear", costs, "{ basis: per_call, micros: 20000 }")))
  write("w-keyed", manifest("w-keyed", operation("keyed"), "{ type: bearer }"))
  write(
    "w-twice",
    manifest(
      "w-twice",
      `${operation("same").replaceAll("watch-same", "watch-one")}${operation("same").replaceAll("watch-same", "watch-two")}`
    )
  )
})
afterAll(() => {
  server.close()
  rmSync(place, { recursive: true, force: true })
})

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Told = { readonly [name: string]: any }
const watch = (...more: ReadonlyArray<string>) =>
  Effect.suspend(() => {
    asked.length = 0
    return Effect.map(
      cli(["catalog", "watch", place, ...more, "--json"], {
        settings: { GATEWAY_EGRESS_ALLOW: `127.0.0.1:${(server.address() as AddressInfo).port},127.0.0.1:1` }
      }),
      ({ code, err, out }) => {
        if (out.length !== 1) throw new Error(err.join("\n"))
        const told: Told = JSON.parse(out[0] ?? "")
        return { code, told }
      }
    )
  })
const only = (...names: ReadonlyArray<string>) => names.flatMap((name) => ["--only", name])
const states = (told: Told): Record<string, unknown> =>
  Object.fromEntries(
    told["operations"].map(({ endpointId, moved, state }: Told) => [
      String(endpointId).replace("watch-", ""),
      moved === undefined ? state : moved.map(({ path }: { path: string }) => path)
    ])
  )

layer(CommandLineTest, { excludeTestServices: true })("catalog watch", (it) => {
  it.effect("tells what is the same, what moved and where, what is gone, and what could not be told", () =>
    Effect.gen(function* () {
      const { code, told } = yield* watch(
        ...only("w-same", "w-lost", "w-retyped", "w-nothing", "w-page", "w-away", "w-gone", "w-ended"),
        ...only("w-refused", "w-needs-key", "w-quota", "w-broken", "w-closed", "w-keyed")
      )
      assert.deepStrictEqual(states(told), {
        same: "same",
        lost: ["body.size"],
        retyped: ["body.size"],
        nothing: ["status"],
        page: ["status"],
        away: "gone",
        gone: "gone",
        ended: "gone",
        refused: ["status"],
        "needs-key": ["auth"],
        quota: "could_not_tell",
        broken: "could_not_tell",
        closed: "could_not_tell",
        keyed: "could_not_tell"
      })
      assert.strictEqual(code, 1)
      assert.strictEqual(told["ok"], false)
      assert.strictEqual(told["costMicros"], 0)
    })
  )
  it.effect("ends with 0 where nothing moved", () =>
    Effect.gen(function* () {
      const { code, told } = yield* watch(...only("w-same", "w-quota"))
      assert.strictEqual(code, 0)
      assert.deepInclude(told, { ok: true, same: 1, couldNotTell: 1, moved: 0, gone: 0, calls: 2 })
    })
  )

  it.effect("never calls an effectful operation, and nothing that may cost more than is left of the budget", () =>
    Effect.gen(function* () {
      const names = only("w-writes", "w-dear")
      const free = yield* watch(...names)
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual(free.told["leftOut"], [
        { endpointId: "watch-writes", reason: "effectful" },
        { endpointId: "watch-dear", reason: "above the budget" }
      ])
      const little = yield* watch(...names, "--budget-usd", "0.019999")
      assert.deepStrictEqual(asked, [])
      assert.strictEqual(little.told["costMicros"], 0)
      const enough = yield* watch(...names, "--budget-usd", "0.02")
      assert.deepStrictEqual(asked, ["GET /dear"])
      assert.deepStrictEqual(states(enough.told), { dear: ["price"] })
      assert.strictEqual(enough.told["costMicros"], 20_000)
    })
  )

  it.effect("calls with the gateway's key where one is set, and says where none is", () =>
    Effect.gen(function* () {
      const without = yield* watch(...only("w-keyed"))
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual(states(without.told), { keyed: "could_not_tell" })
      const { services } = yield* CommandLine
      yield* Effect.provide(
        Effect.flatMap(PlatformKeys, (keys) => keys.set("w-keyed", Redacted.make("watch-key-1"), commandLine)),
        services
      )
      const { code, told } = yield* watch(...only("w-keyed"))
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(states(told), { keyed: "same" })
      const keyless = yield* watch(...only("w-keyed"), "--keyless")
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual(keyless.told["operations"], [])
      // Nothing is known then, which is no good news.
      assert.deepInclude(keyless, { code: 1 })
      assert.strictEqual(keyless.told["ok"], false)
    })
  )

  it.effect("calls at most so many, with a pause between two calls of one provider", () =>
    Effect.gen(function* () {
      const one = yield* watch(...only("w-twice"), "--max", "1")
      assert.strictEqual(one.told["calls"], 1)
      assert.deepStrictEqual(one.told["leftOut"], [{ endpointId: "watch-two", reason: "beyond the number of calls" }])
      const { told } = yield* watch(...only("w-twice"))
      const [first, second] = told["operations"].map(({ at }: Told) => Date.parse(at))
      assert.isAtLeast(second - first, 1000)
    })
  )

  it.effect("appends a line to the history for each operation, and refuses names that are in no catalog", () =>
    Effect.gen(function* () {
      const file = join(place, "history.jsonl")
      yield* watch(...only("w-same"), "--history", file)
      yield* watch(...only("w-lost"), "--history", file)
      const lines: ReadonlyArray<Told> = readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        lines.map(({ endpointId, moved, state }) => ({ endpointId, moved, state })),
        [
          { endpointId: "watch-same", moved: undefined, state: "same" },
          { endpointId: "watch-lost", moved: [{ path: "body.size", message: "is missing" }], state: "moved" }
        ]
      )
      const wrong = yield* cli(["catalog", "watch", "--only", "no-such-provider", "--keyless"])
      assert.strictEqual(wrong.code, 1)
      assert.match(wrong.err.join("\n"), /no operation and no provider of the catalog is called no-such-provider/)
    })
  )
})
