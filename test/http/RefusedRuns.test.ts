/** What a run that calls nobody tells. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { ProviderHealth, type Manifest } from "../../src/testing.js"
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

const setState = ({ services }: Stage, id: string, state: "disabled") =>
  Effect.orDie(Context.get(services, ProviderHealth).setState(id, state, commandLine))
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
