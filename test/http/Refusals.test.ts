/** Why a run calls nobody, in words that help, and what makes two requests the same; over HTTP on a whole gateway. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { miss, type TestGatewayOptions } from "../../src/testing.js"
import { onGateway, type Stage } from "../support/scriptedGateway.js"

const live = (title: string, use: (stage: Stage) => Effect.Effect<void>, options: TestGatewayOptions = {}) =>
  it.live(title, () => onGateway(options, use))

const ada = { name: "Ada Example", domain: "example.com" }
const find = "job:people.email.find"

const jobOf = (id: string) => ({
  id,
  title: id,
  category: "tests",
  platform: "tests",
  description: `Does ${id}.`,
  exampleInput: { name: "Ada" }
})
/** A provider of the job that wants a key of the customer's own. */
const ownKeyed = (id: string, job: string): string =>
  JSON.stringify({
    id,
    name: id,
    baseUrl: "https://api.example.com",
    auth: { type: "bearer" },
    platformKey: false,
    operations: [
      {
        id: `${id}-op`,
        name: id,
        summary: id,
        job,
        method: "POST",
        path: "/x",
        price: { basis: "per_call", micros: 1000 },
        input: { type: "object", properties: { name: { type: "string" } } },
        samples: { hit: { input: {}, body: {}, outcome: "hit" } }
      }
    ]
  })

describe("an id that names nothing", () => {
  live("of a job says which jobs it may have been", ({ run }) =>
    Effect.gen(function* () {
      const made = yield* run({ endpointId: "job:people.email.fnd", input: ada })
      assert.deepStrictEqual(
        [made.status, made.error.code, made.error.whoseError, made.result.code],
        ["failed", "validation_error", "customer", "unknown_job"]
      )
      assert.include(made.error.message, "did you mean job:people.email.find")
      assert.strictEqual(made.error.message, made.result.message)
      assert.include(made.result.suggestions, find)
    })
  )

  live("of an endpoint that is a job's asks whether the job was meant, on runs and on contracts", ({ get, run }) =>
    Effect.gen(function* () {
      for (const endpointId of ["people.email.find", "people_email_find"]) {
        const { error } = yield* run({ endpointId, input: ada })
        assert.deepStrictEqual(
          [error.code, error.message],
          ["endpoint_not_found", `There is no endpoint with the id ${endpointId}; did you mean ${find}?`]
        )
        assert.include(error.retryHint, find)
        const { json, status } = yield* get(`/v1/operations/${endpointId}`)
        assert.deepStrictEqual(
          [status, json.error.message],
          [404, `No operation with the id ${endpointId}; did you mean ${find}?`]
        )
      }
      assert.strictEqual(
        (yield* run({ endpointId: "mock-emial-find", input: ada })).error.message,
        "There is no endpoint with the id mock-emial-find; did you mean mock-email-find?"
      )
      assert.strictEqual(
        (yield* run({ endpointId: "nothing-like-it", input: {} })).error.message,
        "There is no endpoint with the id nothing-like-it."
      )
    })
  )

  live("of a job still tells what was asked for", ({ run }) =>
    Effect.gen(function* () {
      const made = yield* run({ endpointId: "job:people.email.fnd", input: ada, fallback: { prefer: "cheapest" } })
      assert.deepStrictEqual(made.requestedJob, {
        job: "people.email.fnd",
        prefer: "cheapest",
        pickedEndpointId: null,
        reason: "There is no such job.",
        skipped: []
      })
    })
  )

  live("but for blanks is the id without them", ({ get, post, run }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        (yield* run({ endpointId: " job: people.email.find ", input: ada })).requestedJob.job,
        "people.email.find"
      )
      assert.strictEqual((yield* run({ endpointId: "mock-echo ", input: ada })).endpointId, "mock-echo")
      assert.strictEqual((yield* get("/v1/operations/%20mock-echo%20")).json.endpoint.id, "mock-echo")
      assert.strictEqual((yield* get("/v1/public-catalog/mock-echo%20")).json.catalogItemId, "mock-echo")
      const compared = (yield* post("/v1/public-catalog/compare", { catalogItemIds: ["mock-echo ", " mock-geocode"] }))
        .json
      assert.deepStrictEqual(compared.unknown, [])
    })
  )
})

describe("a job that nobody can do", () => {
  live("for want of fields names those, and what would do instead", ({ run }) =>
    Effect.gen(function* () {
      const made = yield* run({ endpointId: find, input: { name: "Ada Example" } })
      assert.deepStrictEqual(
        [made.error.code, made.error.whoseError, made.result.code],
        ["validation_error", "customer", "needs_input"]
      )
      assert.strictEqual(made.error.message, "This job needs more input: domain (or company).")
      for (const need of made.result.needs) assert.deepInclude(need, { fields: ["domain"], instead: [["company"]] })
      assert.deepStrictEqual(
        made.requestedJob.skipped.map(({ reason }: { reason: string }) => reason),
        ["needs domain (or company)", "needs domain (or company)"]
      )
      assert.match(made.error.retryHint, /^Give .*name and domain.*, or /)
      const linked = yield* run({ endpointId: find, input: { linkedinUrl: "https://www.linkedin.com/in/ada" } })
      assert.strictEqual(linked.result.code, "needs_input")
      assert.notInclude(linked.error.retryHint, "linkedin_url", "which is there already")
      const tool = yield* run({ endpointId: "mock-slow-email-find", input: { name: "Ada Example" } })
      assert.strictEqual(tool.error.message, "input.domain: is required, or company instead")
    })
  )

  live("for want of a field that was misspelt says which, and so does a tool", ({ run }) =>
    Effect.gen(function* () {
      const input = { name: "Ada Example", domian: "example.com" }
      const made = yield* run({ endpointId: find, input })
      assert.strictEqual(
        made.error.message,
        "This job needs more input: domain (or company); domian looks like a misspelt domain."
      )
      const tool = yield* run({ endpointId: "mock-slow-email-find", input })
      assert.strictEqual(
        tool.error.message,
        "input.domain: is required, or company instead; domian looks like a misspelt domain"
      )
    })
  )

  live("within a limit that was passed says so, not that fields are missing", ({ run }) =>
    Effect.gen(function* () {
      const { error, result } = yield* run({ endpointId: "job:web.search", input: { query: "a", limit: 5_000 } })
      assert.deepStrictEqual([error.code, error.whoseError, result.code], ["route_no_fit", "customer", "route_no_fit"])
      assert.include(error.message, "input.limit: must be at most 100 (mock-web-search)")
      assert.include(error.retryHint, "input.limit: must be at most 100")
      assert.notMatch(error.retryHint, /Give the fields|missing/)
    })
  )

  live("because all were excluded says that", ({ run }) =>
    Effect.gen(function* () {
      const { error } = yield* run({
        endpointId: find,
        input: ada,
        fallback: { exclude: ["mock", " mock-slow-email-find "] }
      })
      assert.deepStrictEqual(
        [error.code, error.message],
        ["route_no_fit", "The request excludes every provider of this job."]
      )
      assert.include(error.retryHint, "fallback.exclude")
    })
  )

  live(
    "because those that can run were excluded is the client's to change",
    ({ run }) =>
      Effect.gen(function* () {
        const { error, result } = yield* run({
          endpointId: "job:tests.own",
          input: { name: "Ada" },
          fallback: { exclude: ["first"] }
        })
        assert.deepStrictEqual([error.whoseError, result.code], ["customer", "no_runnable_provider"])
        assert.include(error.retryHint, "take an id out of fallback.exclude")
      }),
    { manifests: [jobOf("tests.own"), ownKeyed("first", "tests.own"), ownKeyed("second", "tests.own")] }
  )

  live("because a value is none of its kind says so in its result too", ({ run }) =>
    Effect.gen(function* () {
      const { error, result } = yield* run({ endpointId: find, input: { name: "Ada L", domain: "not a domain" } })
      assert.strictEqual(error.code, "validation_error")
      assert.deepStrictEqual(result, { code: "rejected_input", message: error.message })
    })
  )

  live(
    "for want of a key is the gateway's fault, and says whose key would help",
    ({ run }) =>
      Effect.gen(function* () {
        const { error, result } = yield* run({ endpointId: "job:tests.own", input: { name: "Ada" } })
        assert.deepStrictEqual(
          [error.code, error.whoseError, result.code],
          ["validation_error", "gateway", "no_runnable_provider"]
        )
        assert.strictEqual(error.retryHint, "A key would help: connect an account of your own at first or second.")
        assert.deepStrictEqual(
          result.missingKeys,
          ["first", "second"].map((provider) => ({ provider, ownKey: true, platformKey: false }))
        )
        const nobody = yield* run({ endpointId: "job:tests.nobody", input: { name: "Ada" } })
        assert.deepStrictEqual([nobody.error.whoseError, nobody.result.code], ["gateway", "no_supply_for_job"])
      }),
    {
      manifests: [
        jobOf("tests.own"),
        jobOf("tests.nobody"),
        ownKeyed("first", "tests.own"),
        ownKeyed("second", "tests.own")
      ]
    }
  )
})

describe("money in texts", () => {
  live(
    "is dollars; micros stand in fields",
    ({ get, post, run }) =>
      Effect.gen(function* () {
        const poor = yield* post("/v1/runs", { endpointId: "mock-company-enrich", input: { domain: "example.com" } })
        assert.deepStrictEqual(
          [poor.status, poor.json.balanceMicros, poor.json.estimatedCostMicros],
          [402, 7_000, 8_000]
        )
        assert.include(poor.json.error.message, "This run needs $0.008, and $0.007 is available;")
        const quoted = (yield* post("/v1/runs/quote", {
          endpointId: "mock-company-enrich",
          input: { domain: "example.com" }
        })).json
        assert.include(
          quoted.limits.map(({ message }: { message: string | null }) => message),
          "This run needs $0.008, and $0.007 is available"
        )
        const capped = yield* run({ endpointId: find, input: ada, fallback: { maxCostUsd: 0.001 } })
        assert.strictEqual(
          capped.error.message,
          "Every provider of this job costs more than the cap: the cheapest up to $0.005."
        )
        assert.strictEqual(capped.error.retryHint, "Raise fallback.maxCostUsd to $0.005 at least, or ask for less.")
        assert.deepStrictEqual(
          [capped.error.code, capped.requestedJob.skipped[0].reason],
          ["route_capped", "costs up to $0.005, and the cap is $0.001"]
        )
        assert.strictEqual(
          (yield* get("/v1/operations/mock-web-search")).json.endpoint.price.estimateFormula,
          "$0.0005 * results (at most limit, default 10, max 100)"
        )
        for (const { text } of [poor, yield* post("/v1/runs/quote", { endpointId: find, input: ada })])
          assert.notMatch(text, /\d micros/)
      }),
    { usd: 0.007 }
  )
})

describe("the same request again", () => {
  live("is a replay whatever it says about fallback, waiting and output; other input is not", ({ post }) =>
    Effect.gen(function* () {
      const first = (yield* post("/v1/runs?wait=10", { endpointId: find, input: ada }, "one")).json
      const others = [
        { fallback: true },
        { fallback: { maxCostUsd: 0.001, exclude: ["mock"] } },
        { output: { mode: "raw" } },
        { wait: 3 },
        { endpointId: ` ${find}` }
      ]
      for (const more of others) {
        const again = yield* post(
          "/v1/runs?wait=10",
          { endpointId: find, input: { domain: ada.domain, name: ada.name }, ...more },
          "one"
        )
        assert.deepStrictEqual(
          [again.status, again.json.runId, again.json.replayed, again.json.route],
          [201, first.runId, true, undefined],
          JSON.stringify(more)
        )
      }
      for (const body of [
        { endpointId: find, input: { ...ada, name: "Grace" } },
        { endpointId: "mock-echo", input: ada },
        { endpointId: find, input: ada, connectionId: "con_1" }
      ]) {
        const conflict = yield* post("/v1/runs", body, "one")
        assert.deepStrictEqual(
          [conflict.status, conflict.json.error.code],
          [409, "idempotency_conflict"],
          JSON.stringify(body)
        )
      }
    })
  )
})

describe("a route of misses", () => {
  live(
    "names nobody as having served, nor does a job's miss without fallback; a tool's miss is its answer",
    ({ get, run }) =>
      Effect.gen(function* () {
        for (const fallback of [true, false]) {
          const made = yield* run({ endpointId: find, input: ada, fallback })
          assert.deepStrictEqual([made.status, made.outcome], ["completed", "miss"])
          const shown = [made, (yield* get(`/v1/runs/${made.runId}`)).json]
          for (const each of shown)
            for (const name of ["servedEndpointId", "servedProviderId"]) assert.notProperty(each, name)
          if (fallback) {
            assert.notProperty(made.route, "servedBy")
            assert.deepStrictEqual(
              [made.route.outcome, made.route.attempts.length, made.route.summary],
              ["miss", 2, "2 providers tried, none found anything: miss."]
            )
          }
        }
        assert.strictEqual(
          (yield* run({ endpointId: "mock-email-find", input: ada })).servedEndpointId,
          "mock-email-find"
        )
      }),
    { providers: { "mock-email-find": miss(), "mock-slow-email-find": miss() } }
  )
})
