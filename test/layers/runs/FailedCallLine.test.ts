/** The line of the log that says how a call failed: for the operator who is asked about a run. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, LogLevel } from "effect"
import { ProviderFailure } from "../../../src/domain/ProviderCall.js"
import { ProviderHttpError } from "../../../src/domain/RunFailures.js"
import { ProvidersScripted } from "../../../src/layers/providers/ProvidersScripted.js"
import { Providers } from "../../../src/services/Providers.js"
import { Runs } from "../../../src/services/Runs.js"
import { engine, funded, requestOf, storageMemory } from "../../support/engine.js"
import { withLogLines } from "../../support/logLines.js"
import { callOnce, connectionKey, serve } from "../providers/support.js"

const answer = "No such domain."
let asked = 0

/** Every call is refused with the same words, which are counted when somebody reads them. */
const refusing = Layer.effect(
  Providers,
  Effect.map(Providers, (providers) => ({
    ...providers,
    call: () =>
      new ProviderFailure({
        failure: new ProviderHttpError({ providerStatus: 422 }),
        sent: true,
        cost: { _tag: "None" },
        evidence: null,
        said: () => (asked++, answer)
      })
  }))
).pipe(Layer.provide(ProvidersScripted().layer))

const failedRun = Effect.gen(function* () {
  const { run } = yield* (yield* Runs).create(yield* funded(1_000_000), requestOf("mock-email-find"), 20)
  assert.strictEqual(run.status, "failed")
  return run
})

describe("the line about a failed call", () => {
  it.scopedLive("names run, request, attempt and operation, and says code, status and the provider's answer", () =>
    Effect.gen(function* () {
      const told = yield* withLogLines(
        (lines) =>
          Effect.map(Effect.provide(failedRun, Layer.provideMerge(engine(refusing), storageMemory)), (run) => ({
            run,
            found: lines.filter(({ message }) => message === "A call failed")
          })),
        LogLevel.Debug
      )
      assert.lengthOf(told.found, 1)
      const { attemptId, ...rest } = told.found[0]!.annotations
      assert.match(String(attemptId), /^att_/)
      assert.deepStrictEqual(rest, {
        runId: told.run.runId,
        requestId: told.run.requestId,
        endpointId: "mock-email-find",
        code: "provider_http_error",
        providerStatus: 422,
        answer
      })
    })
  )

  it.scopedLive("is not made where nobody reads it", () =>
    Effect.gen(function* () {
      asked = 0
      const lines = yield* withLogLines((lines) =>
        Effect.as(Effect.provide(failedRun, Layer.provideMerge(engine(refusing), storageMemory)), lines)
      )
      assert.deepStrictEqual([lines.filter(({ message }) => message === "A call failed"), asked], [[], 0])
    })
  )

  it.scopedLive("has the beginning of the answer in one line, without the key that the provider repeats", () =>
    Effect.gen(function* () {
      const key = "sk-canary-4711-secret"
      const provider = yield* serve((seen, response) =>
        response
          .writeHead(503, { "content-type": "text/html" })
          .end(`<h1>Down</h1>\r\n${String(seen.headers.authorization)} ${"é".repeat(2_000)}`)
      )
      const ended = yield* callOnce(provider, {
        provider: { auth: { type: "bearer" } },
        credential: connectionKey(key)
      })
      const said = ended._tag === "Answered" ? "" : (ended.said?.() ?? "")
      assert.match(said, /^<h1>Down<\/h1> Bearer \S+ é+$/)
      assert.notInclude(said, key)
      assert.lengthOf(said, 500)
    })
  )
})
