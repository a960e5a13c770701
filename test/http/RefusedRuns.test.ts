/** What a run that calls nobody tells: whose fault it is, which operation it was for, and how large its result is. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Micros } from "../../src/domain/Micros.js"
import { Accounts, Caller, PlatformKeys, ProviderHealth, type Manifest } from "../../src/testing.js"
import type { Loose } from "../support/httpGateway.js"
import { onGateway, type Stage } from "../support/scriptedGateway.js"

const jobOf = (id: string): Manifest =>
  JSON.stringify({
    id,
    title: id,
    category: "tests",
    platform: "tests",
    description: `Does ${id}.`,
    exampleInput: { name: "Ada" }
  })
const provider = (id: string, job: string, more: object = {}): Manifest =>
  JSON.stringify({
    id,
    name: id,
    baseUrl: "https://api.example.com",
    auth: { type: "bearer" },
    operations: [
      {
        id: `${id}-op`,
        name: id,
        summary: id,
        job,
        method: "POST",
        path: "/x",
        price: { basis: "per_call", micros: 1000 },
        input: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
        samples: { hit: { input: {}, body: {}, outcome: "hit" } }
      }
    ],
    ...more
  })
const manifests = [
  jobOf("tests.first"),
  jobOf("tests.other"),
  provider("first", "tests.first"),
  provider("second", "tests.first"),
  provider("other", "tests.other")
]
const test = (title: string, use: (stage: Stage) => Effect.Effect<void>) =>
  it.live(title, () => onGateway({ manifests }, use))

const input = { name: "Ada" }
const tool = { endpointId: "first-op", input }
const job = { endpointId: "job:tests.first", input }

const setState = ({ services }: Stage, id: string, state: "disabled" | "draining") =>
  Effect.orDie(Context.get(services, ProviderHealth).setState(id, state, commandLine))
const removeKey = ({ services }: Stage, id: string) =>
  Effect.orDie(Context.get(services, PlatformKeys).remove(id, commandLine))
const capRuns = ({ services }: Stage, micros: number) =>
  Effect.orDie(
    Context.get(services, Accounts).setLimits(
      Context.get(services, Caller).principal.workspaceId,
      { runCapMicros: Micros.make(micros) },
      commandLine
    )
  )
const connect = ({ post }: Stage, providerId: string) =>
  Effect.map(post("/v1/connections", { providerId, label: "mine", secret: "sk-own" }), ({ json }): string => {
    assert.match(json.connectionId, /^con_/)
    return json.connectionId
  })

describe("a job run with a connection that nobody can use", () => {
  const noConnection = "con_00000000000000000000000000"

  test("fails with the code of a tool run, and says what helps", (stage) =>
    Effect.gen(function* () {
      const deleted = yield* connect(stage, "first")
      yield* stage.del(`/v1/connections/${deleted}`)
      for (const [connectionId, code, hint] of [
        [
          noConnection,
          "connection_not_found",
          "Use a connection to one of this job's providers, or leave connectionId out."
        ],
        [deleted, "connection_unusable", "Use another connection, or make a new one."]
      ]) {
        const ofTool = yield* stage.run({ ...tool, connectionId })
        const ofJob = yield* stage.run({ ...job, connectionId })
        assert.strictEqual(ofTool.error.code, code)
        assert.deepStrictEqual(
          [ofJob.status, ofJob.error.code, ofJob.error.whoseError, ofJob.error.message],
          [ofTool.status, code, "customer", ofTool.error.message]
        )
        assert.deepStrictEqual(ofJob.result, { code, message: ofTool.error.message })
        assert.lengthOf(ofJob.requestedJob.skipped, 2)
        const { json: quoted } = yield* stage.post("/v1/runs/quote", { ...job, connectionId })
        assert.strictEqual(quoted.error.code, code)
        assert.strictEqual(ofJob.error.retryHint, hint)
      }
      assert.strictEqual(stage.calls(), 0)
    }))

  test("does so whatever its input lacks, and where a provider is off or excluded too", (stage) =>
    Effect.gen(function* () {
      yield* setState(stage, "first", "disabled")
      const made = yield* stage.run({ endpointId: job.endpointId, input: {}, connectionId: noConnection })
      assert.strictEqual(made.error.code, "connection_not_found")
      const excluded = yield* stage.run({ ...job, connectionId: noConnection, fallback: { exclude: ["first"] } })
      assert.strictEqual(excluded.error.code, "connection_not_found")
    }))

  test("but one to a provider that does not do the job is told as no provider that can run", (stage) =>
    Effect.gen(function* () {
      const connectionId = yield* connect(stage, "other")
      const { error, result } = yield* stage.run({ ...job, connectionId })
      assert.deepStrictEqual(
        [error.code, error.whoseError, result.code],
        ["validation_error", "customer", "no_runnable_provider"]
      )
    }))
})

describe("a connection that a tool needs and does not have", () => {
  it.live("is asked for by the route that makes one", () =>
    onGateway(
      { manifests: [jobOf("tests.first"), provider("first", "tests.first", { platformKey: false })] },
      ({ run }) =>
        Effect.gen(function* () {
          const { error } = yield* run(tool)
          assert.deepStrictEqual(
            [error.code, error.message, error.retryHint],
            [
              "connection_not_found",
              "This provider needs a connection of your own, and there is none.",
              "Make a connection to this provider with POST /v1/connections."
            ]
          )
        })
    )
  )
})

/** What stands against runs of the tool, with who can mend it. Each goes on where the one before it ended. */
const against: ReadonlyArray<{
  readonly code: string
  readonly whose: "customer" | "gateway"
  readonly body?: object
  readonly before?: (stage: Stage) => Effect.Effect<void>
}> = [
  { code: "validation_error", whose: "customer", body: { input: {} } },
  { code: "connection_not_found", whose: "customer", body: { connectionId: "con_00000000000000000000000000" } },
  { code: "budget_exceeded", whose: "customer", before: (stage) => capRuns(stage, 1) },
  { code: "platform_key_missing", whose: "gateway", before: (stage) => removeKey(stage, "first") },
  { code: "provider_draining", whose: "gateway", before: (stage) => setState(stage, "first", "draining") },
  { code: "provider_disabled", whose: "gateway", before: (stage) => setState(stage, "first", "disabled") },
  { code: "eligibility_blocked", whose: "customer", before: ({ policy }) => policy({ deny: ["provider:first"] }) }
]

describe("a refused run of a tool", () => {
  test("names the provider and the contract, so that the list of the provider has it", (stage) =>
    Effect.gen(function* () {
      const { contractVersion } = (yield* stage.get("/v1/operations/first-op")).json
      const made: Array<string> = []
      for (const { before, body, code } of against) {
        if (before !== undefined) yield* before(stage)
        const run = yield* stage.run({ ...tool, ...body })
        assert.deepStrictEqual(
          [run.error.code, run.endpointId, run.providerId, run.contractVersion],
          [code, "first-op", "first", contractVersion]
        )
        assert.notProperty(run, "servedProviderId")
        made.unshift(run.runId)
      }
      const { runs } = (yield* stage.get("/v1/runs?providerId=first")).json
      assert.deepStrictEqual(
        runs.map(({ runId }: Loose) => runId),
        made
      )
      const unknown = yield* stage.run({ endpointId: "no-such-op", input })
      for (const name of ["providerId", "contractVersion"]) assert.notProperty(unknown, name)
    }))

  test("is rejected when its client can mend it, and an error when it is the gateway's fault", (stage) =>
    Effect.gen(function* () {
      for (const { before, body, code, whose } of against) {
        if (before !== undefined) yield* before(stage)
        const run = yield* stage.run({ ...tool, ...body })
        const outcome = whose === "customer" ? "rejected" : "error"
        const read = (yield* stage.get(`/v1/runs/${run.runId}`)).json
        const [listed] = (yield* stage.get("/v1/runs?limit=1")).json.runs
        for (const shown of [run, read, listed])
          assert.deepStrictEqual([shown.error.code, shown.error.whoseError, shown.outcome], [code, whose, outcome])
      }
    }))

  test("tells what its client cannot mend before what is wrong with the input", (stage) =>
    Effect.gen(function* () {
      const wrong = { ...tool, input: {} }
      yield* removeKey(stage, "first")
      assert.strictEqual((yield* stage.run(wrong)).error.code, "platform_key_missing")
      yield* setState(stage, "first", "disabled")
      assert.strictEqual((yield* stage.run(wrong)).error.code, "provider_disabled")
    }))
})

describe("a refused run of a job", () => {
  test("has the outcome error, in its route too, only when it is the gateway's fault", (stage) =>
    Effect.gen(function* () {
      const outcomeOf = (body: object) =>
        Effect.map(stage.run({ ...job, ...body }), ({ error, outcome, result, route }) => [
          result.code,
          error.whoseError,
          outcome,
          ...(route === undefined ? [] : [route.outcome])
        ])
      assert.deepStrictEqual(yield* outcomeOf({ input: {} }), ["needs_input", "customer", "rejected"])
      assert.deepStrictEqual(yield* outcomeOf({ endpointId: "job:tests.none" }), [
        "unknown_job",
        "customer",
        "rejected"
      ])
      yield* Effect.zipRight(removeKey(stage, "first"), removeKey(stage, "second"))
      assert.deepStrictEqual(yield* outcomeOf({}), ["no_runnable_provider", "gateway", "error"])
      assert.deepStrictEqual(yield* outcomeOf({ fallback: true }), [
        "no_runnable_provider",
        "gateway",
        "error",
        "error"
      ])
    }))

  test("says the size of its result, wherever it is shown", (stage) =>
    Effect.gen(function* () {
      for (const body of [
        { ...job, input: {} },
        { endpointId: "job:tests.größer", input }
      ]) {
        const run = yield* stage.run(body)
        const bytes = Buffer.byteLength(JSON.stringify(run.result))
        const read = (yield* stage.get(`/v1/runs/${run.runId}`)).json
        const [short] = (yield* stage.get("/v1/runs?limit=1")).json.runs
        const [whole] = (yield* stage.get("/v1/runs?limit=1&includeResult=true")).json.runs
        assert.deepStrictEqual(whole.result, run.result)
        for (const shown of [run, read, short, whole]) assert.strictEqual(shown.resultBytes, bytes)
      }
      assert.isNull((yield* stage.run({ ...tool, input: {} })).resultBytes)
    }))
})
