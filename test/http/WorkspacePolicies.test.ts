/** What the policy of a workspace keeps its runs from, and what they say then; over HTTP on a whole gateway. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { TestGatewayOptions } from "../../src/testing.js"
import { onGateway, type Stage } from "../support/scriptedGateway.js"

const test = (title: string, use: (stage: Stage) => Effect.Effect<void>, options: TestGatewayOptions = {}) =>
  it.live(title, () => onGateway(options, use))

const ada = { name: "Ada Example", domain: "example.com" }
const text = { text: "hello" }

interface Shape {
  readonly effect?: "effectful"
  readonly category?: string
  readonly ownKey?: true
  readonly needs?: string
  readonly micros?: number
}
/** A provider with one operation, `<id>-op`, of the job `tests.echo`. */
const provider = (id: string, { category, effect, micros = 1_000, needs, ownKey }: Shape = {}): string =>
  JSON.stringify({
    id,
    name: id,
    baseUrl: "https://api.example.com",
    ...(ownKey === true ? { auth: { type: "bearer" }, platformKey: false } : {}),
    operations: [
      {
        id: `${id}-op`,
        name: id,
        summary: id,
        job: "tests.echo",
        ...(category === undefined ? {} : { category }),
        ...(effect === undefined ? {} : { effect, repeatable: false }),
        method: "POST",
        path: "/x",
        price: { basis: "per_call", micros },
        input: {
          type: "object",
          properties: { text: { type: "string" }, domain: { type: "string" } },
          required: needs === undefined ? [] : [needs]
        },
        samples: { hit: { input: {}, body: {}, outcome: "hit" } }
      }
    ]
  })
const job = JSON.stringify({
  id: "tests.echo",
  title: "Echo",
  category: "tests",
  platform: "tests",
  description: "Echoes.",
  exampleInput: text
})
const echo = { endpointId: "job:tests.echo", input: text }
/** Skipped endpoints with what stood against each. */
const skippedOf = ({ requestedJob }: { readonly requestedJob: { readonly skipped: ReadonlyArray<SkippedBody> } }) =>
  Object.fromEntries(requestedJob.skipped.map(({ code, endpointId, reason }) => [endpointId, [code, reason]]))
interface SkippedBody {
  readonly endpointId: string
  readonly code: string
  readonly reason: string
}

describe("a tool that the policy denies", () => {
  test("is a blocked run that says what denies it, costs nothing, calls nobody and replays", (stage) =>
    Effect.gen(function* () {
      const { calls, get, policy, post, run } = stage
      yield* policy({ deny: ["provider:mock"] })
      const made = yield* run({ endpointId: "mock-email-find", input: ada }, "the key")
      assert.deepStrictEqual([made.status, made.outcome, made.actualCost], ["blocked", "rejected", 0])
      assert.deepInclude(made.error, {
        code: "eligibility_blocked",
        message: "The policy of this workspace denies the provider mock.",
        whoseError: "customer",
        retryable: false,
        retryHint: "Ask the operator of this gateway; the same input will not work until then."
      })
      assert.deepStrictEqual((yield* get("/v1/balance")).json.holds, [])
      assert.deepStrictEqual((yield* get("/v1/ledger?kind=hold")).json.entries, [])
      assert.strictEqual(calls(), 0)

      // The key keeps its answer, also after the operator has allowed the provider.
      yield* policy({})
      const again = yield* post("/v1/runs?wait=10", { endpointId: "mock-email-find", input: ada }, "the key")
      assert.deepStrictEqual(again.json, { ...made, replayed: true })
      assert.strictEqual((yield* run({ endpointId: "mock-email-find", input: ada })).status, "completed")
    }))

  test("is denied before its input is looked at", ({ policy, run }) =>
    Effect.gen(function* () {
      yield* policy({ deny: ["endpoint:mock-email-find"] })
      const made = yield* run({ endpointId: "mock-email-find", input: {} })
      assert.deepStrictEqual(
        [made.status, made.error.code, made.error.message],
        ["blocked", "eligibility_blocked", "The policy of this workspace denies the endpoint mock-email-find."]
      )
    }))

  test("of a denied category, its own or that of its job", ({ policy, run }) =>
    Effect.gen(function* () {
      yield* policy({ deny: ["category:people"] })
      const { error } = yield* run({ endpointId: "mock-email-find", input: ada })
      assert.strictEqual(error.message, "The policy of this workspace denies the category people.")
      yield* policy({ allow: ["category:people"] })
      assert.strictEqual((yield* run({ endpointId: "mock-email-find", input: ada })).status, "completed")
      const other = yield* run({ endpointId: "mock-geocode", input: { address: "Berlin" } })
      assert.match(
        other.error.message,
        /^The policy of this workspace allows only certain categories, and .* is not one/
      )
    }))

  test("because it is effectful leaves those that only read alone", ({ policy, run }) =>
    Effect.gen(function* () {
      yield* policy({ deny: ["effectful"] })
      const send = { endpointId: "mock-send-message", input: { to: "ada@example.com", text: "hello" } }
      const { error, status } = yield* run(send)
      assert.deepStrictEqual(
        [status, error.code, error.message],
        ["blocked", "eligibility_blocked", "The policy of this workspace denies effectful operations."]
      )
      assert.strictEqual((yield* run({ endpointId: "mock-email-find", input: ada })).status, "completed")
    }))

  test("is denied by its quote in the same words, and nothing would be held", ({ policy, post }) =>
    Effect.gen(function* () {
      yield* policy({ allow: ["provider:acme"] })
      const { json, status } = yield* post("/v1/runs/quote", { endpointId: "mock-email-find", input: ada })
      assert.deepStrictEqual(
        [status, json.admissible, json.holdMicros, json.error.code, json.error.message],
        [
          200,
          false,
          0,
          "eligibility_blocked",
          "The policy of this workspace allows only certain providers, and mock is not one of them."
        ]
      )
    }))
})

describe("a job", () => {
  const manifests = [job, provider("acme", { micros: 1_000 }), provider("bolt", { micros: 2_000 })]

  test(
    "passes a denied provider over and says so, and takes the next one",
    ({ policy, post, run }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* run(echo)).endpointId, "acme-op")
        yield* policy({ deny: ["provider:acme"] })
        const made = yield* run({ ...echo, fallback: true })
        assert.deepStrictEqual([made.status, made.endpointId], ["completed", "bolt-op"])
        assert.deepStrictEqual(skippedOf(made), {
          "acme-op": ["not_runnable", "The policy of this workspace denies the provider acme."]
        })
        assert.strictEqual(made.actualCost, 0.002)
        const quote = (yield* post("/v1/runs/quote", echo)).json
        assert.deepStrictEqual(
          [quote.admissible, quote.holdMicros, quote.route.candidates[0].endpointId],
          [true, 2_000, "bolt-op"]
        )
        assert.deepStrictEqual(quote.route.skipped, made.requestedJob.skipped)
      }),
    { manifests }
  )

  test(
    "of which every provider is denied is blocked, says by what, and replays",
    ({ calls, get, policy, post, run }) =>
      Effect.gen(function* () {
        yield* policy({ deny: ["provider:acme", "endpoint:bolt-op"] })
        const made = yield* run(echo, "the key")
        const message =
          "The policy of this workspace denies the provider acme; it denies the endpoint bolt-op; no other provider can run this job now."
        assert.deepStrictEqual(
          [made.status, made.outcome, made.actualCost, made.error.code, made.error.message],
          ["blocked", "rejected", 0, "eligibility_blocked", message]
        )
        assert.deepStrictEqual(made.result, { code: "eligibility_blocked", message })
        assert.deepStrictEqual([made.error.whoseError, made.error.retryable], ["customer", false])
        assert.strictEqual(
          made.error.retryHint,
          "Ask the operator of this gateway to allow one of them; requestedJob.skipped says what stands against each provider."
        )
        assert.deepStrictEqual(Object.keys(skippedOf(made)), ["acme-op", "bolt-op"])
        assert.deepStrictEqual((yield* get("/v1/ledger?kind=hold")).json.entries, [])
        assert.strictEqual(calls(), 0)
        const quote = (yield* post("/v1/runs/quote", echo)).json
        assert.deepStrictEqual(
          [quote.admissible, quote.holdMicros, quote.error.message, quote.result],
          [false, 0, message, made.result]
        )
        const again = yield* post("/v1/runs?wait=10", echo, "the key")
        assert.deepStrictEqual(again.json, { ...made, replayed: true })
      }),
    { manifests }
  )

  test(
    "is blocked when those that are allowed have no key, because only the policy stands against the others",
    ({ policy, run }) =>
      Effect.gen(function* () {
        yield* policy({ deny: ["provider:acme"] })
        const made = yield* run(echo)
        assert.deepStrictEqual([made.status, made.error.code], ["blocked", "eligibility_blocked"])
        assert.strictEqual(
          made.error.message,
          "The policy of this workspace denies the provider acme; no other provider can run this job now."
        )
      }),
    { manifests: [job, provider("acme"), provider("bolt", { ownKey: true })] }
  )

  test(
    "says no more of the policy than is true where the request excludes the other providers",
    ({ policy, run }) =>
      Effect.gen(function* () {
        yield* policy({ deny: ["provider:acme"] })
        const { error } = yield* run({ ...echo, fallback: { exclude: ["bolt"] } })
        assert.deepStrictEqual(
          [error.code, error.message],
          [
            "eligibility_blocked",
            "The policy of this workspace denies the provider acme; no other provider can run this job now."
          ]
        )
      }),
    { manifests }
  )

  test(
    "counts what denies it where that is a lot",
    ({ policy, run }) =>
      Effect.gen(function* () {
        yield* policy({ deny: ["a", "b", "c", "d", "e"].map((id) => `provider:${id}`) })
        const { error } = yield* run(echo)
        assert.match(
          error.message,
          /^The policy of this workspace denies the provider .; it denies the provider .; it denies the provider .; it has 2 more reasons like these; no other/
        )
      }),
    { manifests: [job, ...["a", "b", "c", "d", "e"].map((id) => provider(id))] }
  )

  test(
    "names the denied providers beside the missing keys when something else stands against those as well",
    ({ policy, run }) =>
      Effect.gen(function* () {
        yield* policy({ deny: ["provider:acme", "provider:cove"] })
        const capped = yield* run({ ...echo, fallback: { maxCostUsd: 0.0001 } })
        assert.strictEqual(capped.result.code, "no_runnable_provider")
        assert.strictEqual(
          capped.error.retryHint,
          "A key would help: connect an account of your own at bolt; or ask the operator of this gateway to allow acme, which the policy of this workspace denies, and change what else stands against it: costs up to $0.001, and the cap is $0.0001 (acme-op)."
        )
        const { error } = yield* run({ ...echo, input: {} })
        assert.match(
          error.retryHint,
          /; or ask the operator .* to allow acme, .* against it: needs text \(acme-op\)\.$/
        )
      }),
    {
      manifests: [
        job,
        provider("acme", { needs: "text" }),
        provider("bolt", { ownKey: true }),
        provider("cove", { ownKey: true })
      ]
    }
  )

  test(
    "asks for a key of an allowed provider when the denied ones could not run either",
    ({ policy, run }) =>
      Effect.gen(function* () {
        yield* policy({ deny: ["provider:acme"] })
        const { error, result } = yield* run(echo)
        assert.deepStrictEqual([error.code, result.code], ["validation_error", "no_runnable_provider"])
        assert.strictEqual(error.retryHint, "A key would help: connect an account of your own at bolt.")
        yield* policy({ deny: ["provider:acme", "provider:bolt"] })
        assert.strictEqual((yield* run(echo)).error.code, "eligibility_blocked")
      }),
    { manifests: [job, provider("acme", { ownKey: true }), provider("bolt", { ownKey: true })] }
  )

  test(
    "asks for the fields of providers that are allowed, and never for those of denied ones",
    ({ policy, run }) =>
      Effect.gen(function* () {
        yield* policy({ deny: ["provider:acme", "provider:cove"] })
        const { error, result } = yield* run(echo)
        assert.deepStrictEqual([error.code, result.code], ["validation_error", "needs_input"])
        assert.deepStrictEqual(
          result.needs.map((need: { endpointId: string }) => need.endpointId),
          ["bolt-op"]
        )
        assert.strictEqual((yield* run({ ...echo, input: { ...text, domain: "example.com" } })).endpointId, "bolt-op")
      }),
    { manifests: [job, provider("acme"), provider("bolt", { needs: "domain" }), provider("cove", { needs: "domain" })] }
  )

  test(
    "takes an operation that only reads where effectful ones are denied",
    ({ policy, run }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* run(echo)).endpointId, "acme-op")
        yield* policy({ deny: ["effectful"] })
        const made = yield* run(echo)
        assert.strictEqual(made.endpointId, "bolt-op")
        assert.deepStrictEqual(skippedOf(made), {
          "acme-op": ["not_runnable", "The policy of this workspace denies effectful operations."]
        })
      }),
    { manifests: [job, provider("acme", { effect: "effectful" }), provider("bolt", { micros: 2_000 })] }
  )

  test(
    "takes an operation's own category before that of the job",
    ({ policy, run }) =>
      Effect.gen(function* () {
        yield* policy({ deny: ["category:tests"] })
        const made = yield* run(echo)
        assert.strictEqual(made.endpointId, "bolt-op")
        assert.deepStrictEqual(Object.keys(skippedOf(made)), ["acme-op"])
      }),
    { manifests: [job, provider("acme"), provider("bolt", { category: "special", micros: 2_000 })] }
  )
})

describe("the catalog", () => {
  /** What it says of an endpoint that was found by its provider. */
  const said = ({ get }: Stage, path: string, id: string) =>
    Effect.map(get(path), ({ json }) => {
      const row = json.endpoints.find(({ endpointId }: { endpointId: string }) => endpointId === id)
      return [row.access, row.runnableNow]
    })

  test(
    "says from the next request what the policy of the workspace denies, in rows and contracts, and discovers nothing of it",
    (stage) =>
      Effect.gen(function* () {
        const { get, policy } = stage
        const views = Effect.gen(function* () {
          const { operations } = (yield* get("/v1/discover?q=echo&limit=20")).json
          const ids = operations.map(({ endpointId }: { endpointId: string }) => endpointId)
          const contract = (yield* get("/v1/operations/acme-op")).json
          return {
            search: yield* said(stage, "/v1/catalog/search?q=echo&provider=acme", "acme-op"),
            list: yield* said(stage, "/v1/catalog/endpoints?provider=acme", "acme-op"),
            contract: contract.endpoint.access,
            discovered: ["acme-op", "bolt-op"].filter((id) => ids.includes(id))
          }
        })
        const open = {
          search: ["runs_now", true],
          list: ["runs_now", true],
          contract: "runs_now",
          discovered: ["acme-op", "bolt-op"]
        }
        const closed = {
          search: ["coming_soon", false],
          list: ["coming_soon", false],
          contract: "coming_soon",
          discovered: ["bolt-op"]
        }
        assert.deepStrictEqual(yield* views, open)
        for (const deny of ["provider:acme", "endpoint:acme-op", "category:special", "effectful"]) {
          yield* policy({ deny: [deny] })
          assert.deepStrictEqual(yield* views, closed, deny)
          yield* policy({})
          assert.deepStrictEqual(yield* views, open)
        }
        yield* policy({ allow: ["provider:bolt"] })
        assert.deepStrictEqual(yield* views, closed)
      }),
    // With all built-in providers the catalog keeps what it has found out of a workspace for a while.
    {
      catalog: "all",
      manifests: [job, provider("acme", { effect: "effectful", category: "special" }), provider("bolt")]
    }
  )

  test(
    "puts what the policy denies last in the contract of a job, and gives its listing another ETag",
    ({ get, policy }) =>
      Effect.gen(function* () {
        const order = Effect.map(get("/v1/operations/job:tests.echo"), ({ json }) => JSON.stringify(json))
        const before = yield* order
        assert.isBelow(before.indexOf("acme-op"), before.indexOf("bolt-op"))
        const etag = (yield* get("/v1/catalog/endpoints")).headers.get("etag")
        yield* policy({ deny: ["provider:acme"] })
        const after = yield* order
        assert.isBelow(after.indexOf("bolt-op"), after.indexOf("acme-op"))
        assert.notStrictEqual((yield* get("/v1/catalog/endpoints")).headers.get("etag"), etag)
      }),
    { manifests: [job, provider("acme", { micros: 1_000 }), provider("bolt", { micros: 2_000 })] }
  )
})
