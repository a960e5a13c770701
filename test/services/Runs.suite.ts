/**
 * What runs and their money promise, whatever they are stored in. Providers are scripted; prices are those of the
 * fixture manifests.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Either, Fiber, Layer, Option } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { RunId } from "../../src/domain/Ids.js"
import { passedOver } from "../../src/domain/Fallback.js"
import { Micros } from "../../src/domain/Micros.js"
import type { Run } from "../../src/domain/Run.js"
import { ProviderError, ProviderReportedError } from "../../src/domain/RunFailures.js"
import {
  drop,
  fail,
  hit,
  miss,
  ProvidersScripted,
  type ScriptedProviders,
  silence,
  weak
} from "../../src/layers/providers/ProvidersScripted.js"
import { Accounts, type Principal } from "../../src/services/Accounts.js"
import { Runs, type RunRequest } from "../../src/services/Runs.js"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, funded, principalOf, requestOf, type Storage } from "../support/engine.js"
import { eventually } from "../support/eventually.js"

const job = "job:people.email.find"
const price = Micros.make(5_000)

type Services = Layer.Layer.Success<ReturnType<typeof engine>> | Storage

export const runsSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = (title: string, work: (providers: ScriptedProviders) => Effect.Effect<void, unknown, Services>) =>
      it.live(title, () => {
        const providers = ProvidersScripted()
        return Effect.provide(
          Effect.zipRight(work(providers), noDrift),
          Layer.provideMerge(engine(providers.layer), storage)
        )
      })

    const noDrift = Effect.gen(function* () {
      const verified = yield* (yield* Wallet).verify
      assert.strictEqual(verified.difference, null)
      assert.strictEqual(verified.driftMicros, 0)
    })
    const balanceOf = ({ workspaceId }: Principal) =>
      Effect.flatMap(Wallet, (wallet) => Effect.orDie(wallet.balance(workspaceId)))
    const entriesOf = ({ workspaceId }: Principal, run: Pick<Run, "runId">) =>
      Effect.flatMap(Wallet, (wallet) =>
        Effect.map(wallet.entries(workspaceId, { runId: run.runId }, { limit: 100, after: null }), ({ items }) =>
          items.map(({ amountMicros, kind }) => ({ kind, amountMicros })).reverse()
        )
      )
    const start = (principal: Principal, request: RunRequest, wait = 20) =>
      Effect.flatMap(Runs, (runs) => runs.create(principal, request, wait))
    const together = (
      count: number,
      work: (index: number) => Effect.Effect<Effect.Effect.Success<ReturnType<typeof start>>, unknown, Runs>
    ) =>
      Effect.forEach(
        Array.from({ length: count }, (_, index) => index),
        (index) => Effect.either(work(index)),
        { concurrency: "unbounded" }
      )

    test("a job run holds its maximum price, is settled at its real cost and releases the rest", (providers) =>
      Effect.gen(function* () {
        providers.script(
          "mock-email-find",
          hit({ found: true, email: "ada@example.com", status: "deliverable" }, { costMicros: 1_200 })
        )
        const principal = yield* funded(1_000_000)
        const { attempts, replayed, run } = yield* start(principal, requestOf(job))
        assert.isFalse(replayed)
        assert.strictEqual(run.status, "completed")
        assert.strictEqual(run.outcome, "hit")
        assert.strictEqual(run.holdMicros, price)
        assert.strictEqual(run.chargeMicros, 1_200)
        assert.deepStrictEqual(
          attempts.map(({ billed, costMicros, n, status }) => ({ n, status, costMicros, billed })),
          [{ n: 1, status: "completed", costMicros: Micros.make(1_200), billed: true }]
        )
        assert.deepStrictEqual(yield* entriesOf(principal, run), [
          { kind: "hold", amountMicros: -price },
          { kind: "release", amountMicros: price },
          { kind: "charge", amountMicros: -1_200 }
        ])
        assert.deepStrictEqual(yield* balanceOf(principal), {
          availableMicros: Micros.make(998_800),
          reservedMicros: Micros.make(0)
        })
        assert.isAtLeast(attempts[0]?.startedAt ?? 0, run.createdAt)
        const stored = yield* (yield* Runs).get(principal.workspaceId, run.runId)
        assert.deepStrictEqual(stored.run, run)
        assert.deepStrictEqual(stored.attempts, attempts)
      }))

    test("runs that are read at the same moment are each answered whole, and only to their own workspace", (providers) =>
      Effect.gen(function* () {
        const [one, other] = yield* Effect.all([funded(1_000_000), funded(1_000_000)])
        const found = { found: true, email: "ada@example.com", status: "deliverable" }
        providers.script("mock-email-find", hit(found), hit({ ...found, text: "x".repeat(100_000) }), hit(found))
        const small = yield* start(one, requestOf(job))
        const large = yield* start(one, requestOf(job))
        const others = yield* start(other, requestOf(job))
        const unknown = RunId.make(`run_${"0".repeat(26)}`)
        const runs = yield* Runs
        const asked = [
          [one, small.run.runId],
          [other, small.run.runId],
          [one, large.run.runId],
          [other, others.run.runId],
          [one, others.run.runId],
          [one, unknown],
          [one, small.run.runId]
        ] as const
        const read = yield* Effect.forEach(
          asked,
          ([{ workspaceId }, runId]) => Effect.option(runs.get(workspaceId, runId)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          read.map(Option.getOrNull),
          [small, null, large, others, null, null, small].map(
            (created) => created && { run: created.run, attempts: created.attempts }
          )
        )
      }))

    test("while the provider works the money is reserved and the run is running", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", silence)
        const principal = yield* funded(1_000_000)
        const { run } = yield* start(principal, requestOf(job), 0)
        assert.strictEqual(run.status, "running")
        assert.deepStrictEqual(yield* balanceOf(principal), {
          availableMicros: Micros.make(1_000_000 - price),
          reservedMicros: Micros.make(price)
        })
        const { holds } = yield* (yield* Wallet).overview(principal.workspaceId)
        assert.deepStrictEqual(
          [...holds],
          [{ runId: run.runId, amountMicros: Micros.make(price), createdAt: run.createdAt }]
        )
        const cancelled = yield* (yield* Runs).cancel(principal.workspaceId, run.runId)
        assert.strictEqual(cancelled.run.status, "failed")
        assert.strictEqual(cancelled.run.error?.code, "cancellation_requested_after_dispatch")
        assert.deepStrictEqual(yield* balanceOf(principal), {
          availableMicros: Micros.make(1_000_000),
          reservedMicros: Micros.make(0)
        })
        const again = yield* (yield* Runs).cancel(principal.workspaceId, run.runId)
        assert.deepStrictEqual(again, cancelled)
      }))

    test("an answer says what is left after the hold, and nothing once somebody else has settled the run", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", silence)
        const workspace = yield* funded(1_000_000)
        const principal = yield* principalOf(workspace.workspaceId, Micros.make(20_000))
        const request = requestOf(job)
        const held = { balanceMicros: Micros.make(1_000_000 - price), keyMicros: Micros.make(20_000 - price) }
        const first = yield* start(principal, request, 0)
        assert.deepStrictEqual(first.left, held)
        assert.deepStrictEqual((yield* start(principal, request, 0)).left, held)
        const waiting = yield* Effect.fork(start(principal, request))
        yield* (yield* Runs).cancel(principal.workspaceId, first.run.runId)
        const waited = yield* Fiber.join(waiting)
        assert.deepStrictEqual([waited.replayed, waited.run.status], [true, "failed"])
        const released = { balanceMicros: Micros.make(1_000_000), keyMicros: Micros.make(20_000) }
        assert.deepStrictEqual((yield* start(principal, request)).left, released)
        // A repeated request that is read in the very millisecond of the end may say too little, and never too much.
        assert.deepInclude([null, held, released], waited.left)
      }))

    test("a failed call costs nothing, and neither does a miss", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", fail(new ProviderError({})), miss())
        const principal = yield* funded(1_000_000)
        const failed = yield* start(principal, requestOf("mock-email-find"))
        assert.deepStrictEqual(
          [failed.run.status, failed.run.outcome, failed.run.error?.code, failed.run.chargeMicros],
          ["failed", "error", "provider_error", 0]
        )
        const missed = yield* start(principal, requestOf("mock-email-find"))
        assert.deepStrictEqual(
          [missed.run.status, missed.run.outcome, missed.run.error, missed.run.chargeMicros],
          ["completed", "miss", null, 0]
        )
        assert.strictEqual((yield* balanceOf(principal)).availableMicros, 1_000_000)
      }))

    test("a cost above the hold, below zero or that is no number is noted and never passed on", (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        for (const [reported, charged] of [
          [9_999_999, price],
          [-5, Micros.make(0)],
          ["NaN", Micros.make(0)]
        ] as const) {
          providers.script("mock-email-find", hit(undefined, { costMicros: reported }))
          const { attempts, run } = yield* start(principal, requestOf(job))
          assert.strictEqual(run.chargeMicros, charged)
          assert.isNotNull(attempts[0]?.receipt?.costAnomaly)
        }
      }))

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

    test("fallback moves on after a miss and an error, charges what cost something, and says who answered", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", miss(undefined, { costMicros: 100 }))
        providers.script("mock-slow-email-find", hit(undefined, { costMicros: 700 }))
        const principal = yield* funded(1_000_000)
        const fallback = {
          enabled: true,
          maxAttempts: 3,
          maxCostMicros: null,
          prefer: "balanced",
          exclude: [],
          stopAtFirstMiss: false
        } as const
        const { attempts, run } = yield* start(principal, requestOf(job, { fallback }))
        const order = run.plan?.candidates.map(({ endpointId }) => endpointId) ?? []
        assert.sameMembers(order, ["mock-email-find", "mock-slow-email-find"])
        assert.strictEqual(run.outcome, "hit")
        assert.strictEqual(run.servedEndpointId, "mock-slow-email-find")
        const expected = order[0] === "mock-email-find" ? 800 : 700
        assert.strictEqual(run.chargeMicros, expected)
        assert.strictEqual(
          attempts.reduce((sum, { costMicros }) => sum + (costMicros ?? 0), 0),
          expected
        )
      }))

    test("a weak answer is kept when nobody after it does better", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", weak())
        providers.script("mock-slow-email-find", fail(new ProviderReportedError({})))
        const principal = yield* funded(1_000_000)
        const fallback = {
          enabled: true,
          maxAttempts: 3,
          maxCostMicros: null,
          prefer: "balanced",
          exclude: [],
          stopAtFirstMiss: false
        } as const
        const { attempts, run } = yield* start(principal, requestOf(job, { fallback }))
        assert.deepStrictEqual(
          [run.status, run.outcome, run.servedEndpointId, run.error, attempts.length],
          ["completed", "weak", "mock-email-find", null, 2]
        )
        assert.isNotNull(run.result)
      }))

    test("an effectful call whose answer is lost keeps its hold and waits for a person", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-send-message", drop())
        const principal = yield* funded(1_000_000)
        const { attempts, run } = yield* start(
          principal,
          requestOf("mock-send-message", { input: { to: "ada@example.com", text: "hello" } })
        )
        assert.deepStrictEqual([run.status, run.chargeMicros], ["reconciliation_pending", null])
        assert.strictEqual(attempts[0]?.status, "reconciliation_pending")
        assert.strictEqual(providers.calls("mock-send-message").length, 1)
        assert.strictEqual((yield* balanceOf(principal)).reservedMicros, run.holdMicros)
      }))

    test("an effectful call is left to end when its run is cancelled", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-send-message", hit(undefined, { after: "300 millis" }))
        const principal = yield* funded(1_000_000)
        const waiting = yield* Effect.fork(
          start(principal, requestOf("mock-send-message", { input: { to: "ada@example.com", text: "hello" } }))
        )
        const runs = yield* Runs
        const list = runs.list(principal.workspaceId, {}, { limit: 1, after: null }, false)
        const {
          items: [run]
        } = yield* eventually(list, ({ items }) => items.length === 1)
        yield* eventually(Effect.sync(providers.calls), ({ length }) => length === 1)
        const asked = yield* runs.cancel(principal.workspaceId, run!.runId)
        assert.strictEqual(asked.run.status, "running")
        assert.strictEqual((yield* Fiber.join(waiting)).run.status, "completed")
      }))

    test("a wait that is over before the run answers it as it is, and the run goes on", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", hit(undefined, { after: "400 millis" }))
        const principal = yield* funded(1_000_000)
        const request = requestOf(job)
        const early = yield* start(principal, request, 0.05)
        assert.strictEqual(early.run.status, "running")
        const later = yield* start(principal, request, 20)
        assert.isTrue(later.replayed)
        assert.strictEqual(later.run.status, "completed")
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

    test("lists runs newest first, in pages that new runs do not disturb", () =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const made = yield* Effect.forEach(Array.from({ length: 5 }), () =>
          Effect.zipRight(Effect.sleep("2 millis"), start(principal, requestOf(job)))
        )
        const runs = yield* Runs
        const first = yield* runs.list(principal.workspaceId, {}, { limit: 2, after: null }, false)
        yield* start(principal, requestOf(job))
        const second = yield* runs.list(principal.workspaceId, {}, { limit: 10, after: first.next }, false)
        assert.deepStrictEqual(
          [...first.items, ...second.items].map(({ runId }) => runId),
          made.map(({ run }) => run.runId).reverse()
        )
        assert.isNull(second.next)
      }))
  })
