/**
 * What runs and their money promise, whatever they are stored in. Providers are scripted; prices are those of the
 * fixture manifests.
 */
import { assert } from "@effect/vitest"
import { Effect, Fiber, type Layer, Option } from "effect"
import { describe } from "vitest"
import { RunId } from "../../src/domain/Ids.js"
import { Micros } from "../../src/domain/Micros.js"
import { ProviderError, ProviderReportedError } from "../../src/domain/RunFailures.js"
import { drop, fail, hit, miss, silence, weak } from "../../src/layers/providers/ProvidersScripted.js"
import { Runs } from "../../src/services/Runs.js"
import { Wallet } from "../../src/services/Wallet.js"
import { funded, principalOf, requestOf, type Storage } from "../support/engine.js"
import { eventually } from "../support/eventually.js"
import { job, price, runTest, balanceOf, entriesOf, start } from "./RunStage.js"

export const runsSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = runTest(storage)

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
        const expected = [small, null, large, others, null, null, small].map(
          (created) => created && { run: created.run, attempts: created.attempts }
        )
        const together = yield* Effect.forEach(asked, ([{ workspaceId }, runId]) => runs.getSmall(workspaceId, runId), {
          concurrency: "unbounded"
        })
        // A storage says itself what is too large to be read together.
        assert.deepStrictEqual(together.toSpliced(2, 1, null), expected.toSpliced(2, 1, null))
        assert.deepInclude([null, expected[2]], together[2])
        const read = yield* Effect.forEach(
          asked,
          ([{ workspaceId }, runId]) => Effect.option(runs.get(workspaceId, runId)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(read.map(Option.getOrNull), expected)
      }))

    test("balances that are asked for at the same moment are each shown with the holds of their own workspace", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-email-find", silence, silence, silence)
        const [two, none, one] = yield* Effect.all([funded(1_000_000), funded(0), funded(1_000_000)])
        const first = yield* start(two, requestOf(job), 0)
        const others = yield* start(one, requestOf(job), 0)
        const second = yield* start(two, requestOf(job), 0)
        const asked = [two, none, one, two]
        const overviews = yield* Effect.flatMap(Wallet, (wallet) =>
          Effect.forEach(asked, ({ workspaceId }) => wallet.overview(workspaceId), { concurrency: "unbounded" })
        )
        const held = (...runs: ReadonlyArray<typeof first>) =>
          runs.map(({ run: { createdAt, runId } }) => ({ runId, amountMicros: Micros.make(price), createdAt }))
        const ofTwo = held(second, first)
        assert.deepStrictEqual(
          overviews.map(({ holds }) => [...holds]),
          [ofTwo, [], held(others), ofTwo]
        )
        assert.deepStrictEqual(
          overviews.map(({ balance }) => balance),
          yield* Effect.forEach(asked, balanceOf)
        )
        for (const [principal, { run }] of [
          [two, first],
          [two, second],
          [one, others]
        ] as const)
          yield* (yield* Runs).cancel(principal.workspaceId, run.runId)
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
