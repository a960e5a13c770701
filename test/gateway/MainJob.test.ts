/** The main job over HTTP on the whole gateway, every micro of it (issue of the first day: "What must be shown"). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Answer, type RunningGateway, startGateway } from "../support/gateway.js"

class Gateway extends Context.Tag("test/gateway/MainJob")<Gateway, RunningGateway>() {}

const price = 5_000
const body = { endpointId: "job:people.email.find", input: { name: "Ada Example", domain: "example.com" } }
const keyed = (key: string) => ({ "idempotency-key": key })

layer(Layer.scoped(Gateway, startGateway()), { excludeTestServices: true, timeout: "60 seconds" })(
  "the main job",
  (it) => {
    it.effect(
      "is authenticated, held, dispatched over HTTP, mapped, settled and answered inline, and every route shows the same money",
      () =>
        Effect.gen(function* () {
          const { call, funded } = yield* Gateway
          const { token } = yield* funded(1_000_000)
          const get = (path: string) => Effect.map(call("GET", path, { token }), ({ json }) => json)

          const before = yield* get("/v1/balance")
          assert.deepStrictEqual(
            [before.available, before.availableMicros, before.reservedMicros, before.holds],
            [1, 1_000_000, 0, []]
          )

          const slow = yield* call("POST", "/v1/runs", {
            token,
            headers: keyed("held"),
            body: { ...body, input: { ...body.input, _mock: { delayMs: 400 } } }
          })
          assert.strictEqual(slow.status, 201)
          assert.strictEqual(slow.json.status, "running")
          const held = yield* get("/v1/balance")
          assert.deepStrictEqual([held.availableMicros, held.reservedMicros], [1_000_000 - price, price])
          assert.deepStrictEqual(
            held.holds.map(({ amountMicros, runId }: { amountMicros: number; runId: string }) => [runId, amountMicros]),
            [[slow.json.runId, price]]
          )

          const made = yield* call("POST", "/v1/runs?wait=true", {
            token,
            headers: keyed("held"),
            body: { ...body, input: { ...body.input, _mock: { delayMs: 400 } } }
          })
          assert.deepStrictEqual(
            [made.status, made.json.replayed, made.json.runId, made.json.status, made.json.outcome],
            [201, true, slow.json.runId, "completed", "hit"]
          )
          assert.deepStrictEqual(made.json.normalized.fields, { email: "ada.example@example.com", status: "valid" })
          assert.deepStrictEqual(
            [made.json.pricing.finalChargeMicros, made.json.actualCost, made.json.estimatedCost],
            [price, 0.005, 0.005]
          )
          assert.strictEqual(made.json.requestedJob.pickedEndpointId, "mock-email-find")

          const cheaper = yield* call("POST", "/v1/runs?wait=true", {
            token,
            headers: keyed("cheaper"),
            body: { ...body, input: { ...body.input, _mock: { costMicros: 1_234 } } }
          })
          assert.strictEqual(cheaper.json.pricing.finalChargeMicros, 1_234)

          const after = yield* get("/v1/balance")
          assert.deepStrictEqual(
            [after.availableMicros, after.reservedMicros, after.holds],
            [1_000_000 - price - 1_234, 0, []]
          )

          const { entries } = yield* get(`/v1/ledger?runId=${cheaper.json.runId}`)
          assert.deepStrictEqual(
            entries.map((entry: Record<string, unknown>) => [
              entry["kind"],
              entry["amountMicros"],
              entry["balanceAfterMicros"],
              entry["reservedAfterMicros"]
            ]),
            [
              ["charge", -1_234, 993_766, 0],
              ["release", price, 995_000, 0],
              ["hold", -price, 990_000, price]
            ]
          )
          const all = yield* get("/v1/ledger?limit=100")
          assert.strictEqual(
            all.entries.reduce((sum: number, entry: { amountMicros: number }) => sum + entry.amountMicros, 0),
            after.availableMicros
          )

          const run = yield* get(`/v1/runs/${cheaper.json.runId}`)
          assert.deepStrictEqual({ ...run, replayed: false }, { ...cheaper.json, replayed: false })
          const { attempts } = yield* get(`/v1/runs/${cheaper.json.runId}/attempts`)
          assert.strictEqual(attempts.length, 1)
          assert.deepStrictEqual(
            [
              attempts[0].n,
              attempts[0].endpointId,
              attempts[0].status,
              attempts[0].outcome,
              attempts[0].costMicros,
              attempts[0].billed,
              attempts[0].providerResponseStatus
            ],
            [1, "mock-email-find", "completed", "hit", 1_234, true, 200]
          )
          assert.match(attempts[0].receiptId, /^rcp_/)
          assert.strictEqual((yield* get("/v1/whoami")).monthSpendMicros, price + 1_234)
        })
    )

    it.effect(
      "64 simultaneous posts of one key give one run, 63 replays and one hold; funds for 10 and 20 posts give 10 runs and 10 times 402",
      () =>
        Effect.gen(function* () {
          const { call, funded } = yield* Gateway
          const one = yield* funded(1_000_000)
          const together = (count: number, make: (n: number) => Effect.Effect<Answer>) =>
            Effect.forEach(
              Array.from({ length: count }, (_, n) => n),
              make,
              { concurrency: "unbounded" }
            )
          const same = yield* together(64, () =>
            call("POST", "/v1/runs?wait=true", { token: one.token, headers: keyed("one"), body })
          )
          assert.deepStrictEqual(
            new Set(same.map(({ json, status }) => `${status} ${json.runId} ${json.status}`)).size,
            1
          )
          assert.strictEqual(same.filter(({ json }) => json.replayed === true).length, 63)
          const ledger = yield* call("GET", "/v1/ledger?kind=hold", { token: one.token })
          assert.strictEqual(ledger.json.entries.length, 1)

          const ten = yield* funded(10 * price, { inflightLimit: 100 })
          const many = yield* together(20, (n) =>
            call("POST", "/v1/runs?wait=true", { token: ten.token, headers: keyed(`n-${n}`), body })
          )
          assert.deepStrictEqual(
            [201, 402].map((status) => many.filter((answer) => answer.status === status).length),
            [10, 10]
          )
          const refused = many.find(({ status }) => status === 402)
          assert.strictEqual(refused?.json.error.code, "insufficient_balance")
          assert.strictEqual(refused?.json.estimatedCostMicros, price)
          assert.strictEqual((yield* call("GET", "/v1/balance", { token: ten.token })).json.availableMicros, 0)
        })
    )
  }
)
