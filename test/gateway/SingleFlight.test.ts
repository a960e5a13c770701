/** Identical look-ups of one workspace that are under way at once share one provider call, which is charged once. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { createServer } from "node:http"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { eventually } from "../support/eventually.js"
import { catalogFolder } from "../support/folders.js"
import { startGateway } from "../support/gateway.js"

const price = 700

it.scopedLive(
  "five identical runs make one call; one is charged, four settle at 0 with a receipt that names it; another workspace's is its own",
  () =>
    Effect.gen(function* () {
      let calls = 0
      const answer = yield* Deferred.make<void>()
      const provider = createServer((_, response) => {
        calls += 1
        const answered = () => response.writeHead(200, { "content-type": "application/json" }).end('{"answer":42}')
        // Runs join a call a moment after their money is held.
        void Effect.runFork(Effect.zipRight(Deferred.await(answer), Effect.delay(Effect.sync(answered), "500 millis")))
      })
      const port = yield* listenLocally(provider)
      const folder = yield* catalogFolder({
        providers: {
          oracle: `
id: oracle
name: Oracle
baseUrl: http://127.0.0.1:${port}
operations:
  - id: oracle-ask
    name: Ask
    summary: Answers a question.
    method: GET
    path: /ask
    input: { type: object, properties: { q: { type: string } } }
    price: { basis: per_call, micros: ${price} }
`
        }
      })
      const { call, funded } = yield* startGateway({ catalogFolders: [folder], egressAllow: [`127.0.0.1:${port}`] })
      const one = yield* funded(1_000_000, { inflightLimit: 20 })
      const other = yield* funded(1_000_000)
      const ask = (token: string, key: string) =>
        call("POST", "/v1/runs?wait=20", {
          token,
          headers: { "idempotency-key": key },
          body: { endpointId: "oracle-ask", input: { q: "why" } }
        })
      const asking = yield* Effect.fork(
        Effect.all([...Array.from({ length: 5 }, (_, n) => ask(one.token, `same ${n}`)), ask(other.token, "same 0")], {
          concurrency: "unbounded"
        })
      )
      yield* eventually(
        Effect.forEach([one.token, other.token], (token) =>
          Effect.map(call("GET", "/v1/balance", { token }), ({ json }) => Number(json.reservedMicros))
        ),
        ([first, second]) => first === 5 * price && second === price
      )
      yield* Deferred.succeed(answer, undefined)
      const answers = yield* Fiber.join(asking)
      assert.strictEqual(calls, 2)
      assert.isTrue(answers.every(({ json }) => json.status === "completed" && json.result.answer === 42))
      const mine = answers.slice(0, 5)
      assert.deepStrictEqual(
        mine.map(({ json }) => json.pricing.finalChargeMicros).sort((a: number, b: number) => a - b),
        [0, 0, 0, 0, price]
      )
      assert.strictEqual(answers[5]?.json.pricing.finalChargeMicros, price)
      const payer = mine.find(({ json }) => json.pricing.finalChargeMicros === price)?.json.runId
      for (const { json } of mine.filter(({ json }) => json.runId !== payer)) {
        const {
          json: { attempts }
        } = yield* call("GET", `/v1/runs/${json.runId}/attempts`, { token: one.token })
        assert.strictEqual(attempts[0].receipt.sharedWithRunId, payer)
      }
      assert.strictEqual(
        (yield* call("GET", "/v1/balance", { token: one.token })).json.availableMicros,
        1_000_000 - price
      )
    }),
  120_000
)
