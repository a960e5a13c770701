/**
 * Which keys of an input reach a provider under the platform's key, and under a customer's own: the whole gateway over
 * HTTP.
 */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { Connections } from "../../src/services/Connections.js"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import { temporaryFolder } from "../support/folders.js"
import { startGateway } from "../support/gateway.js"

const operation = (id: string, more = "", price = "{ basis: per_call, micros: 10 }") => `
  - id: paid-${id}
    name: Paid ${id}
    summary: Says what it was sent.
    method: POST
    path: /${id}
    input: { type: object, properties: { a: {}, deep: { type: string, default: basic }, extra: { type: boolean } }${id === "open" ? ", additionalProperties: true" : ""} }
    price: ${price}
    ${more}`

it.scopedLive(
  "unknown keys and dear options are refused under the platform's key where the price is fixed, and nowhere else",
  () =>
    Effect.gen(function* () {
      const sent: Array<string> = []
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk) => (body += chunk))
        request.on("end", () => {
          sent.push(body)
          response.writeHead(200, { "content-type": "application/json" }).end(`{"echo":${body},"cost":7}`)
        })
      })
      const port = yield* listenLocally(server, 0)
      const folder = yield* temporaryFolder("unknown-")
      mkdirSync(join(folder, "providers"))
      mkdirSync(join(folder, "jobs"))
      writeFileSync(
        join(folder, "jobs", "test.say.yaml"),
        "id: test.say\ntitle: Say\ncategory: test\nplatform: test\ndescription: Says.\nexampleInput: { a: 1 }\n"
      )
      writeFileSync(
        join(folder, "providers", "paid.yaml"),
        `
id: paid
name: Paid
baseUrl: http://127.0.0.1:${port}
auth: { type: bearer }
operations:${operation("fixed", "job: test.say\n    ownKeyOnly: [deep, extra]")}${operation("pass", "unknown: pass")}${operation("open")}${operation("extras", "extras: [more]")}${operation(
          "free",
          "",
          "{ basis: free, micros: 0 }"
        )}${operation("metered", "response: { costMicros: body.cost }", "{ basis: per_call, micros: 10, maxMicros: 20 }")}${operation(
          "strict",
          "unknown: refuse",
          "{ basis: free, micros: 0 }"
        )}
`
      )
      const { call, funded, services } = yield* startGateway({
        catalogFolders: [folder],
        egressAllow: [`127.0.0.1:${port}`]
      })
      yield* Context.get(services, PlatformKeys).set("paid", Redacted.make("platform-key-1"), commandLine)
      const platform = yield* funded(1_000)
      const own = yield* funded(1_000)
      yield* Context.get(services, Connections).create(
        {
          workspaceId: own.workspaceId,
          providerId: "paid",
          label: "own",
          secret: Redacted.make("own-key-12345"),
          expiresAt: null
        },
        commandLine
      )
      let n = 0
      const run = (endpointId: string, input: object, { token } = platform) =>
        Effect.map(
          call("POST", "/v1/runs?wait=10", {
            token,
            headers: { "idempotency-key": `k${n++}` },
            body: { endpointId, input }
          }),
          ({ json, status }) => ({ ...json, http: status })
        )
      const passes = (endpointId: string, input: object, caller = platform) =>
        Effect.map(run(endpointId, input, caller), (made) => {
          assert.deepStrictEqual(
            [made.http, made.status],
            [201, "completed"],
            `${endpointId} ${JSON.stringify(made.error)}`
          )
          assert.deepStrictEqual(JSON.parse(sent.at(-1) ?? ""), { deep: "basic", ...input }, endpointId)
        })
      const refuses = (endpointId: string, input: object, field: string) =>
        Effect.gen(function* () {
          const before = sent.length
          const made = yield* run(endpointId, input)
          assert.deepStrictEqual(
            [made.http, made.status, made.error?.code, made.outcome],
            [201, "failed", "validation_error", "rejected"],
            endpointId
          )
          assert.include(made.error.message, `input.${field}:`)
          assert.strictEqual(sent.length, before, "nothing was sent")
        })

      yield* passes("paid-fixed", { a: 1 })
      yield* refuses("paid-fixed", { a: 1, enrich_mobile: true }, "enrich_mobile")
      yield* refuses("paid-fixed", { constructor: 1 }, "constructor")
      yield* refuses("paid-fixed", { deep: "advanced" }, "deep")
      yield* refuses("paid-fixed", { extra: true }, "extra")
      yield* passes("paid-fixed", { deep: "basic", extra: false })
      yield* passes("paid-fixed", { a: 1, enrich_mobile: true, deep: "advanced", extra: true }, own)
      yield* passes("paid-pass", { more: 1 })
      yield* passes("paid-open", { more: 1 })
      yield* passes("paid-extras", { more: 1 })
      yield* refuses("paid-extras", { other: 1 }, "other")
      yield* passes("paid-free", { more: 1 })
      yield* passes("paid-metered", { more: 1 })
      yield* refuses("paid-strict", { more: 1 }, "more")
      // A job's input is for all its providers: what this one does not know is left out, a dear option is not done
      // without a word.
      const job = yield* run("job:test.say", { a: 1, more: 1 })
      assert.strictEqual(job.status, "completed")
      assert.deepStrictEqual(JSON.parse(sent.at(-1) ?? ""), { a: 1, deep: "basic" })
      assert.strictEqual((yield* run("job:test.say", { a: 1, extra: true })).status, "failed")
      assert.strictEqual((yield* call("GET", "/v1/balance", { token: platform.token })).json.reservedMicros, 0)
    }),
  60_000
)
