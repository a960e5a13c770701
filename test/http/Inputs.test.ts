/** What inputs cost and what a job makes of them, over HTTP on a whole gateway whose providers are scripted. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startAccounts } from "../support/accountsGateway.js"
import { onGateway } from "../support/scriptedGateway.js"

describe("the maximum price of an input", () => {
  it.live("is the same in a run, its quote and a comparison, and counts the largest volume at any depth", () =>
    onGateway({}, ({ post, run }) =>
      Effect.gen(function* () {
        const inputs: ReadonlyArray<readonly [input: object, micros: number]> = [
          [{ query: "a" }, 5_000],
          [{ query: "a", limit: 3 }, 1_500],
          [{ query: "a", limit: 3, options: { limit: 40 } }, 20_000],
          [{ query: "a", limit: 3, batches: [{ domains: Array.from({ length: 50 }, () => "b.co") }] }, 25_000],
          [{ query: "a", limit: 3, options: [[{ pageSize: "70" }]] }, 35_000]
        ]
        for (const [input, micros] of inputs) {
          const shown = JSON.stringify(input)
          const made = yield* run({ endpointId: "mock-web-search", input })
          assert.deepStrictEqual(
            [made.status, made.pricing.maximumChargeMicros, made.estimatedCost],
            ["completed", micros, micros / 1e6],
            shown
          )
          const quoted = (yield* post("/v1/runs/quote", { endpointId: "mock-web-search", input })).json
          assert.deepStrictEqual([quoted.holdMicros, quoted.estimatedCost], [micros, micros / 1e6], shown)
          const compared = (yield* post("/v1/public-catalog/compare", {
            catalogItemIds: ["mock-web-search", "mock-echo"],
            input
          })).json
          assert.strictEqual(compared.items[0].maxCostUsd, micros / 1e6, shown)
        }
      })
    )
  )

  it.live("in a contract is what a run of its example holds", () =>
    onGateway({}, ({ get, run }) =>
      Effect.gen(function* () {
        for (const endpointId of ["mock-web-search", "job:web.search", "mock-email-find"]) {
          const contract = (yield* get(`/v1/operations/${encodeURIComponent(endpointId)}`)).json
          const made = yield* run({ endpointId, input: contract.usageHints.exampleInput })
          assert.deepStrictEqual(
            [made.status, made.estimatedCost],
            ["completed", contract.estimatedMaxCost],
            endpointId
          )
        }
      })
    )
  )
})

describe("an amount of dollars below a micro", () => {
  it.scopedLive("is refused wherever one is asked for, and never taken for nothing", () =>
    Effect.gen(function* () {
      const { person, send } = yield* startAccounts()
      const { authorization } = yield* person()
      const tiny = 0.000_000_1
      const quoted = { endpointId: "job:web.search", input: { query: "a" }, fallback: { maxCostUsd: tiny } }
      const automatic = { belowUsd: tiny, amountUsd: 20, monthlyMaximumUsd: 100 }
      const limited = { label: "a", scopes: ["runs:read"], monthlyLimitUsd: tiny }
      const dollars = "must be 0, or at least 0.000001 dollars"
      const between = "must be between 5 and 10000 US dollars"
      const asked: ReadonlyArray<readonly [method: string, path: string, body: object, field: string, text: string]> = [
        ["POST", "/v1/tokens", limited, "monthlyLimitUsd", dollars],
        ["POST", "/v1/top-ups", { amountUsd: tiny, idempotencyKey: "a" }, "amountUsd", between],
        ["PUT", "/v1/top-ups/automatic", automatic, "belowUsd", "must be more than 0 and at most 10000 US dollars"],
        ["PUT", "/v1/top-ups/automatic", { ...automatic, belowUsd: 10, amountUsd: tiny }, "amountUsd", between],
        ["POST", "/v1/runs/quote", quoted, "fallback.maxCostUsd", dollars]
      ]
      for (const [method, path, body, field, text] of asked) {
        const refused = yield* send(method, path, {
          body: JSON.stringify(body),
          headers: { authorization, "content-type": "application/json" }
        })
        assert.strictEqual(refused.status, 400, path)
        assert.include(refused.text, field, path)
        assert.include(refused.text, text, path)
      }
    })
  )
})

describe("the input of a job", () => {
  it.live("comes under the names that clients use, whoever does the job", () =>
    onGateway({}, ({ given, run }) =>
      Effect.gen(function* () {
        const ada = { name: "Ada Example", domain: "example.com" }
        for (const input of [
          ada,
          { fullName: "Ada Example", companyDomain: "example.com" },
          { full_name: "Ada Example", company_domain: "example.com" },
          { name: "Ada Example", domain: "https://www.example.com/about" },
          { firstName: "Ada", lastName: "Example", website: "example.com" }
        ]) {
          const made = yield* run({
            endpointId: "job:people.email.find",
            input,
            fallback: { prefer: "fastest", exclude: ["mock-email-find"] }
          })
          assert.deepStrictEqual(
            [made.status, made.endpointId],
            ["completed", "mock-slow-email-find"],
            JSON.stringify(made.error)
          )
          assert.deepStrictEqual(given(), ada, JSON.stringify(input))
        }
        const refused = yield* run({
          endpointId: "job:people.email.find",
          input: { fullName: "Ada Example", companyDomain: "nowhere" }
        })
        assert.deepStrictEqual(
          [refused.status, refused.outcome, refused.error.message],
          ["failed", "rejected", "input.companyDomain: must be a domain such as example.com"]
        )
      })
    )
  )

  it.live("is mapped on runs of the job only; a tool takes its own fields and passes the rest on", () =>
    onGateway({}, ({ given, run }) =>
      Effect.gen(function* () {
        const input = {
          name: "Ada Example",
          domain: "https://example.com",
          company: "Acme",
          email: "not checked",
          phone: 7,
          constructor: "c",
          toString: "t",
          "a.b": 1
        }
        assert.strictEqual((yield* run({ endpointId: "mock-slow-email-find", input })).status, "completed")
        assert.deepStrictEqual(given(), input)
        const own = yield* run({
          endpointId: "mock-slow-email-find",
          input: { fullName: "Ada Example", domain: "example.com" }
        })
        assert.deepStrictEqual([own.status, own.error.code], ["failed", "validation_error"])
      })
    )
  )
})
