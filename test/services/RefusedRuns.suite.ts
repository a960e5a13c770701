/**
 * Runs that are refused before anything is sent are stored, replay, and take little room for a bounded time, whatever
 * they are stored in.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { refusedInputCharsMax, refusedRunsPerMinuteMax, refusedTextCharsMax } from "../../src/domain/limits/Runs.js"
import { Micros } from "../../src/domain/Micros.js"
import { InputRejected } from "../../src/domain/RunFailures.js"
import { fail, hit, ProvidersScripted, type ScriptedProviders } from "../../src/layers/providers/ProvidersScripted.js"
import { Accounts, type Principal } from "../../src/services/Accounts.js"
import { Runs, type RunRequest } from "../../src/services/Runs.js"
import { ProviderHealth } from "../../src/services/ProviderHealth.js"
import { RunStore } from "../../src/services/RunStore.js"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, funded, requestOf, type Storage } from "../support/engine.js"

const tool = "mock-email-find"

type Services = Layer.Layer.Success<ReturnType<typeof engine>> | Storage

export const refusedRunsSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = (title: string, work: (providers: ScriptedProviders) => Effect.Effect<void, unknown, Services>) =>
      it.live(title, () => {
        const providers = ProvidersScripted()
        return Effect.provide(work(providers), Layer.provideMerge(engine(providers.layer), storage))
      })
    const start = (principal: Principal, request: RunRequest) =>
      Effect.flatMap(Runs, (runs) => runs.create(principal, request, 20))
    const refusal = { input: {} }

    test("they count for the runs a minute of their workspace", () =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        yield* (yield* Accounts).setLimits(principal.workspaceId, { runsPerMinute: 3 }, commandLine)
        const first = requestOf(tool, refusal)
        yield* start(principal, first)
        yield* start(principal, requestOf("no.such.endpoint"))
        yield* start(principal, requestOf(tool))
        for (const request of [requestOf(tool), requestOf(tool, refusal)]) {
          assert.propertyVal(yield* Effect.flip(start(principal, request)), "_tag", "run_rate_limited")
        }
        assert.isTrue((yield* start(principal, first)).replayed)
      }))

    test("there are only so many a minute, and one too many is not stored, so that its key stays free", () =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const requests = Array.from({ length: refusedRunsPerMinuteMax + 20 }, () => requestOf(tool, refusal))
        const answers = yield* Effect.forEach(requests, (request) => Effect.either(start(principal, request)), {
          concurrency: 50
        })
        const refused = answers.flatMap((answer, index) =>
          Either.isLeft(answer) ? [{ error: answer.left, request: requests[index]! }] : []
        )
        assert.lengthOf(refused, 20)
        for (const { error } of refused) {
          assert.deepInclude(error, { _tag: "rate_limit_exceeded", limit: refusedRunsPerMinuteMax })
          assert.include(error.message, "runs of this workspace were refused")
        }
        const paid = yield* start(principal, {
          ...refused[0]!.request,
          ...requestOf(tool),
          idempotencyKey: refused[0]!.request.idempotencyKey
        })
        assert.deepStrictEqual([paid.replayed, paid.run.status], [false, "completed"])
        const kept = requests.find((request) => refused.every((other) => other.request !== request))!
        assert.isTrue((yield* start(principal, kept)).replayed)
      }))

    test("they keep the beginning of their input, and are the same request only with all of it", () =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const long = `${"x".repeat(refusedInputCharsMax)}😀`
        const request = requestOf(tool, { input: { note: `${long}a` } })
        const { run } = yield* start(principal, request)
        assert.strictEqual(run.status, "failed")
        assert.strictEqual(run.input, `{"note":"${"x".repeat(refusedInputCharsMax - 9)}`)
        const again = yield* start(principal, request)
        assert.deepStrictEqual([again.replayed, again.run], [true, run])
        const other = yield* Effect.flip(start(principal, { ...request, input: { note: `${long}b` } }))
        assert.propertyVal(other, "_tag", "idempotency_conflict")
        const small = yield* start(principal, requestOf(tool, { input: { note: "short" } }))
        assert.deepStrictEqual((yield* (yield* Runs).get(principal.workspaceId, small.run.runId)).run.input, {
          note: "short"
        })
        const many = requestOf(tool, {
          input: Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`email_${"y".repeat(100)}${index}`, 1]))
        })
        const { run: refusedForMany } = yield* start(principal, many)
        assert.isAtMost(refusedForMany.error!.message.length, refusedTextCharsMax)
        const { refusal } = yield* (yield* Runs).quote(principal, many)
        assert.isAtMost(refusal!.message.length, 2 * refusedTextCharsMax)
        assert.isTrue(refusal!.message.startsWith(refusedForMany.error!.message))
      }))

    test("one over the workspace's cap keeps no input for providers", () =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        yield* (yield* Accounts).setLimits(principal.workspaceId, { runCapMicros: Micros.make(1) }, commandLine)
        const { run } = yield* start(principal, requestOf(tool))
        assert.strictEqual(run.status, "blocked")
        assert.deepStrictEqual(
          run.plan?.candidates.map(({ endpointId, input }): unknown => ({ endpointId, input })),
          [{ endpointId: tool, input: {} }]
        )
      }))

    test("the old ones are forgotten with their keys, whosever fault they are, a portion at a time; runs that were sent stay", (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const { forgetRefused } = yield* RunStore
        const runs = yield* Runs
        providers.script(tool, hit(), fail(new InputRejected({})))
        const sent = [yield* start(principal, requestOf(tool)), yield* start(principal, requestOf(tool))]
        assert.strictEqual(sent[1]?.run.outcome, "rejected")
        const requests = Array.from({ length: 3 }, () => requestOf(tool, refusal))
        const refused = yield* Effect.forEach(requests, (request) => start(principal, request))
        yield* (yield* ProviderHealth).setState("mock", "disabled", commandLine)
        refused.push(yield* start(principal, requestOf(tool)))
        assert.strictEqual(refused.at(-1)?.run.error?.whoseError, "gateway")
        assert.strictEqual(yield* forgetRefused({ olderThanMillis: 3_600_000, limit: 10 }), 0)
        yield* Effect.sleep("5 millis")
        // Other tests of this storage leave refused runs behind too.
        const forget = Effect.repeat(forgetRefused({ olderThanMillis: 0, limit: 2 }), { while: (gone) => gone === 2 })
        assert.isBelow(yield* forget, 2)
        for (const { run } of refused) {
          assert.propertyVal(yield* Effect.flip(runs.get(principal.workspaceId, run.runId)), "_tag", "not_found")
        }
        const { items } = yield* runs.list(principal.workspaceId, {}, { limit: 10, after: null }, false)
        assert.deepStrictEqual(
          items.map(({ runId }) => runId),
          sent.map(({ run }) => run.runId).reverse()
        )
        const again = yield* start(principal, requests[0]!)
        assert.isFalse(again.replayed)
        assert.notStrictEqual(again.run.runId, refused[0]!.run.runId)
        assert.isNull((yield* (yield* Wallet).verify).difference)
      }))
  })
