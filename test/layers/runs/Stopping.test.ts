/** What a node says of the runs that it leaves when it stops. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { run, silence, testGateway } from "../../../src/testing.js"
import { withLogLines } from "../../support/logLines.js"

it.live("a node that stops before its runs have ended names them in one warning", () =>
  withLogLines((lines) =>
    Effect.gen(function* () {
      const gateway = testGateway({ providers: { "mock-email-find": silence }, dispatcher: { drainMillis: 100 } })
      const node = yield* Scope.make()
      const services = yield* Layer.buildWithScope(gateway.services, node)
      const started = yield* Effect.provide(
        run({ endpointId: "mock-email-find", input: { name: "Ada Example", domain: "example.com" } }, 0),
        services
      )
      assert.strictEqual(started.run.status, "running")
      yield* Scope.close(node, Exit.void)
      const said = lines.filter(({ level }) => level === "WARN")
      assert.deepStrictEqual(
        said.map(({ annotations }) => annotations),
        [{ runs: 1, runIds: started.run.runId }]
      )
      assert.include(said[0]?.message, "stops with unfinished runs")
    })
  )
)
