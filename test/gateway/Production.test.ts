/** What a node in production does with the fixture provider, where an operator has left it on. */
import { assert, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Option, Redacted } from "effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Database } from "../../src/layers/postgres/Database.js"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import { temporaryFolder } from "../support/folders.js"
import { startGateway } from "../support/gateway.js"
import { acquireTestDatabase } from "../support/postgres.js"

it.scopedLive(
  "in production nothing is written to the data folder, and a token of development that lies there is neither used nor changed",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder("gateway-production-")
      const left = `pgw_${"a".repeat(43)}`
      writeFileSync(join(dataDir, "dev-token"), left)
      const { call } = yield* startGateway({ production: true, dataDir, fixtures: false })
      assert.strictEqual((yield* call("GET", "/v1/whoami", { token: left })).status, 401)
      assert.deepStrictEqual(readdirSync(dataDir), ["dev-token"])
      assert.strictEqual(readFileSync(join(dataDir, "dev-token"), "utf8"), left)
    })
)

it.scopedLive(
  "in production a job never picks a fixture, though it may be run by its own name; in development it does",
  () =>
    Effect.gen(function* () {
      const input = { name: "Ada Example", domain: "example.com" }
      for (const production of [true, false]) {
        const { call, funded } = yield* startGateway({ production })
        const { token } = yield* funded(1_000_000)
        const run = (endpointId: string) =>
          call("POST", "/v1/runs?wait=true", { token, body: { endpointId, input, idempotencyKey: endpointId } })
        const job = yield* run("job:people.email.find")
        assert.strictEqual(job.status, 201)
        if (production) {
          assert.deepStrictEqual(
            [job.json.status, job.json.result.code, job.json.actualCost],
            ["failed", "no_runnable_provider", 0]
          )
          assert.strictEqual(job.json.error.whoseError, "gateway")
          assert.match(
            job.json.error.retryHint,
            /^A key would help: connect an account of your own at .*, or ask the operator of this gateway to set a platform key for .+\.$/
          )
          assert.notInclude(job.text, "mock-email-find")
        } else {
          assert.deepStrictEqual([job.json.status, job.json.servedEndpointId], ["completed", "mock-email-find"])
        }
        assert.strictEqual((yield* run("mock-email-find")).json.status, "completed")
      }
    })
)

it.scopedLive("a node without the sealing key of a stored secret never listens, and its error names the key", () =>
  Effect.gen(function* () {
    const databaseUrl = Option.some(yield* acquireTestDatabase())
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { services } = yield* startGateway({ production: true, databaseUrl })
        yield* Context.get(services, PlatformKeys).set("hunter", Redacted.make("s3cret"), commandLine)
        const { sql, transact } = Context.get(services, Database)
        yield* transact(sql`update platform_keys set key_id = 'removed-too-early'`)
      })
    )
    const started = yield* Effect.exit(Effect.scoped(startGateway({ production: true, databaseUrl })))
    if (Exit.isSuccess(started)) return assert.fail("it started")
    assert.include(
      Cause.pretty(started.cause),
      "GATEWAY_SEALING_KEYS: 1 stored secret is sealed with the key removed-too-early"
    )
  })
)
