/** What a node in production does with the fixture provider, where an operator has left it on. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { startGateway } from "../support/gateway.js"

it.scopedLive("in production a job never picks a fixture, though it may be run by its own name; in development it does", () =>
  Effect.gen(function*() {
    const input = { name: "Ada Example", domain: "example.com" }
    for (const production of [true, false]) {
      const { call, funded } = yield* startGateway({ production })
      const { token } = yield* funded(1_000_000)
      const run = (endpointId: string) => call("POST", "/v1/runs?wait=true", { token, body: { endpointId, input, idempotencyKey: endpointId } })
      const job = yield* run("job:people.email.find")
      assert.strictEqual(job.status, 201)
      if (production) {
        assert.deepStrictEqual([job.json.status, job.json.result.code, job.json.actualCost], ["failed", "no_runnable_provider", 0])
        assert.notInclude(job.text, "mock-email-find")
      } else {
        assert.deepStrictEqual([job.json.status, job.json.servedEndpointId], ["completed", "mock-email-find"])
      }
      assert.strictEqual((yield* run("mock-email-find")).json.status, "completed")
    }
  }))
