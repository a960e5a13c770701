/** Which runs are admitted, by their key, the money and the limits of their workspace, whatever they are stored in. */
import { assert } from "@effect/vitest"
import { Effect, Either, type Layer } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { passedOver } from "../../src/domain/Fallback.js"
import { Micros } from "../../src/domain/Micros.js"
import { hit, miss, silence } from "../../src/layers/providers/ProvidersScripted.js"
import { Accounts } from "../../src/services/Accounts.js"
import { Runs } from "../../src/services/Runs.js"
import { Wallet } from "../../src/services/Wallet.js"
import { funded, principalOf, requestOf, type Storage } from "../support/engine.js"
import { job, price, runTest, balanceOf, entriesOf, start, together } from "./RunStage.js"

export const runAdmissionSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = runTest(storage)

    test("of 64 simultaneous requests with one key one makes a run and 63 replay it, with one hold and one call", (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const request = requestOf(job)
        const answers = yield* together(64, () => start(principal, request))
        const made = answers.flatMap((answer) => (Either.isRight(answer) ? [answer.right] : []))
        assert.strictEqual(made.length, 64)
        assert.strictEqual(made.filter(({ replayed }) => replayed).length, 63)
        assert.strictEqual(new Set(made.map(({ run }) => run.runId)).size, 1)
        assert.isTrue(made.every(({ run }) => run.status === "completed"))
        assert.strictEqual(providers.calls().length, 1)
        assert.strictEqual((yield* balanceOf(principal)).availableMicros, 1_000_000 - price)
      }))

    test("funds for 10 and 20 simultaneous runs give exactly 10 runs and 10 refusals, whose keys are free again", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", silence)
        const principal = yield* funded(10 * price + price - 1)
        const requests = Array.from({ length: 20 }, () => requestOf(job))
        const answers = yield* together(20, (index) => start(principal, requests[index]!, 0))
        const refused = answers.flatMap((answer, index) =>
          Either.isLeft(answer) ? [{ error: answer.left, request: requests[index]! }] : []
        )
        assert.strictEqual(refused.length, 10)
        for (const { error } of refused) assert.propertyVal(error, "_tag", "insufficient_balance")
        assert.deepStrictEqual(yield* balanceOf(principal), {
          availableMicros: Micros.make(price - 1),
          reservedMicros: Micros.make(10 * price)
        })
        yield* (yield* Wallet).credit(
          {
            workspaceId: principal.workspaceId,
            kind: "adjustment",
            micros: price,
            reason: null,
            topUpId: null,
            key: "more"
          },
          commandLine
        )
        const retried = yield* start(principal, refused[0]!.request, 0)
        assert.isFalse(retried.replayed)
      }))

    test("of equal keys that share a commit one makes a run, and the others replay it or are in conflict with it", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", silence)
        const principal = yield* funded(1_000_000)
        const request = requestOf(job)
        const other = { ...request, input: { ...request.input, domain: "example.org" } }
        // The first ones keep the worker busy, so that the last four wait for the same commit.
        const requests = [...Array.from({ length: 10 }, () => requestOf(job)), request, request, other, request]
        const answers = (yield* together(requests.length, (index) => start(principal, requests[index]!, 0))).slice(-4)
        const made = answers.flatMap((answer) => (Either.isRight(answer) ? [answer.right] : []))
        assert.strictEqual(made.filter(({ replayed }) => !replayed).length, 1)
        assert.strictEqual(new Set(made.map(({ run }) => run.runId)).size, 1)
        for (const refused of answers.filter(Either.isLeft))
          assert.propertyVal(refused.left, "_tag", "idempotency_conflict")
        assert.isAbove(answers.filter(Either.isLeft).length, 0)
        assert.strictEqual((yield* balanceOf(principal)).reservedMicros, 11 * price)
      }))

    test("equal keys that share a commit and cannot be paid are all refused, and the key is free afterwards", () =>
      Effect.gen(function* () {
        const principal = yield* funded(price - 1)
        const request = requestOf(job)
        const requests = [...Array.from({ length: 10 }, () => requestOf(job)), request, request, request]
        const answers = yield* together(requests.length, (index) => start(principal, requests[index]!, 0))
        for (const answer of answers)
          assert.propertyVal(Either.isLeft(answer) ? answer.left : answer.right, "_tag", "insufficient_balance")
        yield* (yield* Wallet).credit(
          {
            workspaceId: principal.workspaceId,
            kind: "adjustment",
            micros: price,
            reason: null,
            topUpId: null,
            key: "more"
          },
          commandLine
        )
        assert.isFalse((yield* start(principal, request, 20)).replayed)
      }))

    test("of two requests with one key that share a commit, the second is decided by itself when the first was refused", () =>
      Effect.gen(function* () {
        const principal = yield* funded(price - 1)
        const dear = requestOf(job)
        const free = {
          ...requestOf("mock-geocode"),
          input: { address: "Main Street 1" },
          idempotencyKey: dear.idempotencyKey
        }
        // The first ones keep the worker busy, so that the last two wait for the same commit.
        const requests = [...Array.from({ length: 10 }, () => requestOf(job)), dear, free]
        const [first, second] = (yield* together(requests.length, (index) =>
          start(principal, requests[index]!, 0)
        )).slice(-2)
        assert.propertyVal(Either.isLeft(first!) ? first.left : first, "_tag", "insufficient_balance")
        assert.isTrue(
          Either.isRight(second!) && !second.right.replayed && second.right.run.endpointId === "mock-geocode"
        )
        assert.propertyVal(yield* Effect.flip(start(principal, dear, 0)), "_tag", "idempotency_conflict")
      }))

    test("the same key with another request is a conflict, in any state of the first run", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", silence)
        const principal = yield* funded(1_000_000)
        const request = requestOf(job)
        const first = yield* start(principal, request, 0)
        const other = yield* Effect.flip(
          start(principal, { ...request, input: { ...request.input, domain: "example.org" } }, 0)
        )
        assert.propertyVal(other, "_tag", "idempotency_conflict")
        const reordered = yield* start(
          principal,
          { ...request, input: Object.fromEntries(Object.entries(request.input).reverse()) },
          0
        )
        assert.isTrue(reordered.replayed)
        assert.strictEqual(reordered.run.runId, first.run.runId)
      }))

    test("a run that is refused before any call is stored, replays, and is not billed", () =>
      Effect.gen(function* () {
        const principal = yield* funded(0)
        const request = requestOf("no-such-endpoint")
        const first = yield* start(principal, request)
        assert.deepStrictEqual(
          [first.run.status, first.run.outcome, first.run.error?.code, first.run.holdMicros, first.run.chargeMicros],
          ["failed", "rejected", "endpoint_not_found", 0, 0]
        )
        const second = yield* start(principal, request)
        assert.isTrue(second.replayed)
        assert.deepStrictEqual(second.run, first.run)
        assert.deepStrictEqual(yield* entriesOf(principal, first.run), [])
      }))

    test("the in-flight limit counts running runs and lets the next in when one has ended", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", silence)
        const principal = yield* funded(1_000_000, { inflightLimit: 3 })
        const answers = yield* together(5, () => start(principal, requestOf(job), 0))
        const refused = answers.flatMap((answer) => (Either.isLeft(answer) ? [answer.left] : []))
        const running = answers.flatMap((answer) => (Either.isRight(answer) ? [answer.right.run] : []))
        assert.strictEqual(refused.length, 2)
        for (const error of refused) {
          assert.propertyVal(error, "_tag", "too_many_inflight_runs")
          assert.propertyVal(error, "inflight", 3)
          assert.propertyVal(error, "limit", 3)
        }
        yield* (yield* Runs).cancel(principal.workspaceId, running[0]!.runId)
        providers.script("mock-email-find", hit())
        assert.strictEqual((yield* start(principal, requestOf(job))).run.status, "completed")
      }))

    test("a key's month limit holds for simultaneous runs, and a release makes room again", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", silence)
        const principal = yield* funded(1_000_000, { monthlyLimitMicros: Micros.make(3 * price) })
        const answers = yield* together(5, () => start(principal, requestOf(job), 0))
        const refused = answers.flatMap((answer) => (Either.isLeft(answer) ? [answer.left] : []))
        const running = answers.flatMap((answer) => (Either.isRight(answer) ? [answer.right.run] : []))
        assert.strictEqual(refused.length, 2)
        for (const error of refused) assert.propertyVal(error, "_tag", "key_spend_limit_reached")
        const accounts = yield* Accounts
        const spent = Effect.map(accounts.monthSpend(principal), ({ spentMicros }) => spentMicros)
        assert.strictEqual(yield* spent, 3 * price)
        yield* (yield* Runs).cancel(principal.workspaceId, running[0]!.runId)
        assert.strictEqual(yield* spent, 2 * price)
        const other = yield* principalOf(principal.workspaceId)
        assert.isFalse((yield* start(other, requestOf(job), 0)).replayed)
      }))

    test("a workspace's run cap blocks a dearer run, which is stored and not billed", () =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        yield* (yield* Accounts).setLimits(principal.workspaceId, { runCapMicros: Micros.make(price - 1) }, commandLine)
        const fallback = {
          enabled: true,
          prefer: "balanced" as const,
          exclude: [],
          maxAttempts: 3,
          maxCostMicros: null,
          stopAtFirstMiss: false
        }
        for (const request of [requestOf(job), requestOf(job, { fallback })]) {
          const { attempts, run } = yield* start(principal, request)
          assert.deepStrictEqual(
            [run.status, run.error?.code, run.holdMicros, run.chargeMicros],
            ["blocked", "budget_exceeded", 0, 0]
          )
          // No cap of the client left anybody out.
          assert(run.plan !== null)
          assert.deepStrictEqual(passedOver(run.plan, run.holdMicros, attempts), [])
        }
      }))

    test("the policy of a workspace blocks a run, which holds nothing and replays under any later policy", (providers) =>
      Effect.gen(function* () {
        const { workspaceId } = yield* funded(1_000_000)
        const accounts = yield* Accounts
        yield* accounts.setPolicy(
          workspaceId,
          { reset: true, allow: [], deny: [{ kind: "provider", id: "mock" }] },
          commandLine
        )
        const denied = yield* principalOf(workspaceId)
        const [tool, both] = [requestOf("mock-email-find"), requestOf(job)]
        const blocked = yield* start(denied, tool)
        assert.deepStrictEqual(
          [blocked.run.status, blocked.run.error?.code, blocked.run.holdMicros, blocked.run.chargeMicros],
          ["blocked", "eligibility_blocked", 0, 0]
        )
        const other = yield* start(denied, both)
        assert.deepStrictEqual([other.run.status, other.run.endpointId], ["completed", "mock-slow-email-find"])
        assert.strictEqual(providers.calls().length, 1)
        assert.deepStrictEqual(yield* entriesOf(denied, blocked.run), [])

        yield* accounts.setPolicy(workspaceId, { reset: true, allow: [], deny: [] }, commandLine)
        const allowed = yield* principalOf(workspaceId)
        const again = yield* start(allowed, tool)
        assert.deepStrictEqual([again.replayed, again.run], [true, blocked.run])
        assert.strictEqual((yield* start(allowed, requestOf("mock-email-find"))).run.status, "completed")
      }))

    test("a run that was admitted goes along its whole route, though the policy denies a provider of it by then", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", miss(undefined, { after: "500 millis" }))
        const principal = yield* funded(1_000_000)
        const fallback = {
          enabled: true,
          maxAttempts: 2,
          maxCostMicros: null,
          prefer: "balanced",
          exclude: [],
          stopAtFirstMiss: false
        } as const
        const request = requestOf(job, { fallback })
        yield* start(principal, request, 0)
        const deny = [{ kind: "provider", id: "mock-slow" } as const, { kind: "category", id: "people" } as const]
        yield* (yield* Accounts).setPolicy(principal.workspaceId, { reset: true, allow: [], deny }, commandLine)
        const { attempts, replayed, run } = yield* start(yield* principalOf(principal.workspaceId), request)
        assert.deepStrictEqual(
          [replayed, run.status, run.servedEndpointId],
          [true, "completed", "mock-slow-email-find"]
        )
        assert.lengthOf(attempts, 2)
      }))

    test("runs per minute are a budget of the workspace", () =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        yield* (yield* Accounts).setLimits(principal.workspaceId, { runsPerMinute: 2 }, commandLine)
        yield* start(principal, requestOf(job))
        yield* start(principal, requestOf(job))
        const error = yield* Effect.flip(start(principal, requestOf(job)))
        assert.propertyVal(error, "_tag", "run_rate_limited")
        assert.propertyVal(error, "limit", 2)
      }))

    test("a quote says the hold and each limit's verdict, and writes nothing", () =>
      Effect.gen(function* () {
        const principal = yield* funded(price - 1)
        const quote = yield* (yield* Runs).quote(principal, requestOf(job))
        assert.strictEqual(quote.holdMicros, price)
        assert.deepStrictEqual(
          quote.limits.filter(({ admits }) => !admits).map(({ limit }) => limit),
          ["balance"]
        )
        assert.isNull(quote.refusal)
        const { items } = yield* (yield* Runs).list(principal.workspaceId, {}, { limit: 10, after: null }, false)
        assert.deepStrictEqual(items, [])
        assert.strictEqual((yield* balanceOf(principal)).reservedMicros, 0)
      }))
  })
