/** How runs end when several want to end them, and when they never get their turn; whatever they are stored in. */
import { assert } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { describe } from "vitest"
import { MediaId } from "../../src/domain/Ids.js"
import type { Run } from "../../src/domain/Run.js"
import { AdmissionBatched } from "../../src/layers/runs/AdmissionBatched.js"
import { MoneyCommitsInTurn } from "../../src/layers/runs/MoneyCommits.js"
import { drop, hit, silence } from "../../src/layers/providers/ProvidersScripted.js"
import { Admission } from "../../src/services/Admission.js"
import { Dispatcher } from "../../src/services/Dispatcher.js"
import { FaultPoints } from "../../src/services/FaultPoints.js"
import { Ids } from "../../src/services/Ids.js"
import { Providers } from "../../src/services/Providers.js"
import { Runs } from "../../src/services/Runs.js"
import { type Fence, RunStore } from "../../src/services/RunStore.js"
import { Settlement } from "../../src/services/Settlement.js"
import { Transactions } from "../../src/services/Transactions.js"
import { engine, funded, type Storage } from "../support/engine.js"
import { eventually } from "../support/eventually.js"
import {
  balance,
  bystander,
  called,
  create,
  ending,
  funds,
  impatient,
  kinds,
  leftBehind,
  message,
  onlyGiven,
  prepared,
  price,
  staleCancel,
  takeAway,
  workedOn
} from "./RunEndingStage.js"
import { runTest } from "./RunStage.js"

export const runEndingsSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = runTest(storage)

    test(
      "when a cancel that came too late and the node's own ending share a commit, the node's ending stands",
      () =>
        Effect.gen(function* () {
          const principal = yield* funded(funds)
          // A second hold: without it, a hold that is released twice would be missed by the wallet.
          yield* leftBehind(principal, "mock-email-find")
          const run = yield* leftBehind(principal, "mock-email-find")
          const leased = yield* takeAway(run)
          const { settle } = yield* Settlement
          // The first ones keep the worker busy, so that all others wait for the same commit.
          const requests = [
            ...Array.from({ length: 10 }, () => staleCancel(leased)),
            ending(leased, {}),
            staleCancel(leased),
            ending(leased, {})
          ]
          const answers = yield* Effect.forEach(requests, settle, { concurrency: "unbounded" })
          assert.deepStrictEqual(
            answers.map(({ _tag }) => _tag),
            [...Array.from({ length: 10 }, () => "Superseded"), "Settled", "Superseded", "Superseded"]
          )
          assert.deepStrictEqual(yield* kinds(run), ["hold", "release", "charge"])
          assert.deepStrictEqual(yield* balance(principal), [funds - price - 1_200, price])
          const [attempt] = (yield* (yield* Runs).get(run.workspaceId, run.runId)).attempts
          assert.strictEqual(attempt?.status, "completed")
        }),
      bystander
    )

    test(
      "settling a run again, or with a lease that was taken over, writes nothing and charges nothing",
      () =>
        Effect.gen(function* () {
          const principal = yield* funded(funds)
          const run = yield* leftBehind(principal, "mock-email-find")
          const late = yield* takeAway(run)
          const leased = yield* takeAway(run)
          const { settle } = yield* Settlement
          assert.strictEqual((yield* settle(ending(late, {})))._tag, "Superseded")
          assert.deepStrictEqual(yield* balance(principal), [funds - price, price])
          assert.strictEqual((yield* settle(ending(leased, {})))._tag, "Settled")
          assert.strictEqual((yield* settle(ending(leased, {})))._tag, "Superseded")
          assert.strictEqual((yield* settle(ending(leased, { leaseToken: null })))._tag, "Superseded")
          assert.deepStrictEqual(yield* kinds(run), ["hold", "release", "charge"])
        }),
      bystander
    )

    test(
      "a cancel that was asked for while a run ended is still known of it afterwards",
      () =>
        Effect.gen(function* () {
          const run = yield* leftBehind(yield* funded(funds), "mock-email-find")
          const leased = yield* takeAway(run)
          yield* (yield* RunStore).requestCancel(run)
          assert.strictEqual((yield* (yield* Settlement).settle(ending(leased, {})))._tag, "Settled")
          const found = yield* (yield* Runs).get(run.workspaceId, run.runId)
          assert.deepStrictEqual([found.run.status, found.run.cancelRequested], ["completed", true])
        }),
      bystander
    )

    test(
      "a stored file is described without its bytes, which come in parts",
      () =>
        Effect.gen(function* () {
          const run = yield* leftBehind(yield* funded(funds), "mock-email-find")
          const { settle } = yield* Settlement
          const store = yield* RunStore
          const mediaId = MediaId.make(`med_${yield* (yield* Ids).suffix}`)
          const bytes = Uint8Array.from({ length: 100_000 }, (_, n) => n % 251)
          const about = {
            mediaId,
            runId: run.runId,
            workspaceId: run.workspaceId,
            contentType: "image/png",
            filename: "a.png",
            sha256: "s"
          }
          assert.strictEqual(
            (yield* settle(ending(yield* takeAway(run), { media: { ...about, bytes } })))._tag,
            "Settled"
          )
          const found = yield* store.media(run, mediaId)
          if (found === null) return assert.fail("the file is not there")
          const { part, ...described } = found
          assert.deepStrictEqual(described, { ...about, size: bytes.length })
          const read = (start: number, end: number) => Effect.map(part(start, end), (found) => Array.from(found))
          assert.deepStrictEqual(yield* read(0, bytes.length), Array.from(bytes))
          assert.deepStrictEqual(yield* read(99_990, 100_000), Array.from(bytes.subarray(99_990)))
          assert.deepStrictEqual(yield* read(7, 8), [7])
          assert.deepStrictEqual(yield* read(0, 0), [])
          assert.isNull(yield* store.media(run, MediaId.make(`med_${"0".repeat(26)}`)))
        }),
      bystander
    )

    test(
      "whoever wants to end a run waits for the one that has it under lock, and then sees what that one wrote",
      () =>
        Effect.gen(function* () {
          const run = yield* leftBehind(yield* funded(funds), "mock-email-find")
          const leased = yield* takeAway(run)
          const { transact } = yield* Transactions
          const store = yield* RunStore
          const locked = yield* Deferred.make<void>()
          const write = yield* Deferred.make<void>()
          const seen = (fences: ReadonlyMap<string, Fence>) => [
            fences.get(run.runId)?.status,
            fences.get(run.runId)?.leaseToken
          ]
          const first = yield* Effect.fork(
            transact(
              Effect.gen(function* () {
                const fences = yield* store.lock([run])
                yield* Deferred.succeed(locked, undefined)
                yield* Deferred.await(write)
                yield* store.conclude([{ run: { ...run, status: "queued" }, attempt: null, media: null }])
                return seen(fences)
              })
            )
          )
          yield* Deferred.await(locked)
          const second = yield* Effect.fork(Effect.map(transact(store.lock([run])), seen))
          // Long enough for one that does not wait to be through.
          assert.isTrue(Option.isNone(yield* Effect.timeoutOption(Fiber.await(second), "300 millis")))
          yield* Deferred.succeed(write, undefined)
          assert.deepStrictEqual(yield* Fiber.join(first), ["running", leased.lease.token])
          assert.deepStrictEqual(yield* Fiber.join(second), ["queued", null])
        }),
      bystander
    )

    test(
      "a run that another node took while its own stood still is not called any more",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-send-message", hit())
          // More than half of the lease, from before it was stored.
          const stoodStill = (run: Run) => Effect.zipRight(Effect.sleep("150 millis"), takeAway(run))
          assert.isTrue(Option.isNone(yield* workedOn(stoodStill, () => Effect.void)))
          assert.strictEqual(providers.calls().length, 0)
        }),
      onlyGiven
    )

    test(
      "a cancel that comes before the call keeps an effect from happening",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-send-message", hit())
          const { cancel } = yield* Dispatcher
          const { attempts, run } = yield* Effect.flatten(
            workedOn(
              () => Effect.void,
              ({ runId }) => cancel(runId)
            )
          )
          assert.deepStrictEqual(
            [run.status, run.error?.code, run.chargeMicros, attempts[0]?.status],
            ["failed", "cancellation_requested_after_dispatch", 0, "failed"]
          )
          assert.strictEqual(providers.calls().length, 0)
        }),
      onlyGiven
    )

    test(
      "a cancel that comes when the answer is already there leaves the run its answer, at its cost",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-email-find", hit(undefined, { costMicros: 700 }))
          const arrived = yield* Deferred.make<void>()
          const answer = yield* Deferred.make<void>()
          const arriving = Layer.map(providers.layer, (context) => {
            const { call, ...rest } = Context.get(context, Providers)
            return Context.make(Providers, {
              ...rest,
              call: (asked) =>
                Effect.zipLeft(
                  call(asked),
                  Effect.zipRight(Deferred.succeed(arrived, undefined), Deferred.await(answer))
                )
            })
          })
          const { run } = yield* create(yield* funded(funds), "mock-email-find", 0)
          const { get } = yield* Runs
          const found = yield* Effect.gen(function* () {
            yield* Deferred.await(arrived)
            const { cancel } = yield* Dispatcher
            // In one step of this fiber: the work on the run hears of the cancel when its call has ended.
            yield* Effect.zipRight(Deferred.succeed(answer, undefined), cancel(run.runId))
            return yield* eventually(get(run.workspaceId, run.runId), (seen) => seen.run.status !== "running")
          }).pipe(Effect.provide(engine(arriving, { pollMillis: 50 })))
          assert.deepStrictEqual([found.run.status, found.run.chargeMicros], ["completed", 700])
        }),
      bystander
    )

    /**
     * The admission of a run of this node whose commit is under way until it is `decided`, while the node has been told
     * that nobody knows its end, and has looked once.
     */
    const undecided = Effect.gen(function* () {
      const { adopt, reserve } = yield* Dispatcher
      const slot = yield* reserve(true)
      assert(slot !== null)
      const { copy, opened } = yield* prepared(yield* funded(funds), "mock-send-message", message)
      const written = yield* Deferred.make<void>()
      const decided = yield* Deferred.make<void>()
      const slow = Layer.provide(
        Layer.provide(AdmissionBatched, MoneyCommitsInTurn),
        Layer.succeed(FaultPoints, {
          at: (point) =>
            point === "admission.after_hold"
              ? Effect.zipRight(Deferred.succeed(written, undefined), Deferred.await(decided))
              : Effect.void,
          during: (_, work) => work
        })
      )
      yield* Effect.flatMap(Admission, ({ admit }) =>
        admit({ run: copy, start: { lease: slot.lease, attempt: opened }, waitedFor: false })
      ).pipe(Effect.provide(slow), Effect.fork)
      yield* Deferred.await(written)
      yield* adopt(copy, slot)
      // Longer than its lease.
      yield* Effect.sleep("300 millis")
      return { run: copy, decided }
    })

    test(
      "a run whose commit ends long after its answer was lost is started then, and its effect happens once",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-send-message", hit())
          const { decided, run } = yield* undecided
          yield* Deferred.succeed(decided, undefined)
          const { get } = yield* Runs
          const found = yield* eventually(
            Effect.catchTag(get(run.workspaceId, run.runId), "not_found", () => Effect.succeed(null)),
            (seen) => seen?.run.status === "completed"
          )
          assert.strictEqual(found?.run.status, "completed")
          assert.strictEqual(providers.calls().length, 1)
        }),
      onlyGiven
    )

    test(
      "a slot stays taken until the commit of its run is decided, and is free once that was rolled back",
      () =>
        Effect.gen(function* () {
          const { reserve } = yield* Dispatcher
          const { decided } = yield* undecided
          assert.isNull(yield* reserve(true))
          yield* Deferred.die(decided, "the storage drops the transaction")
          assert.isNotNull(yield* eventually(reserve(true), (slot) => slot !== null))
        }),
      { ...onlyGiven, slots: 1 }
    )

    test("a node that stops does not wait for a commit that nobody decides", (providers) =>
      Effect.gen(function* () {
        const node = yield* Scope.make()
        const services = yield* Layer.buildWithScope(engine(providers.layer, onlyGiven), node)
        const { decided } = yield* Effect.provide(undecided, services)
        assert.isTrue(Option.isSome(yield* Effect.timeoutOption(Scope.close(node, Exit.void), "3 seconds")))
        yield* Deferred.die(decided, "the test is over")
      }))

    test(
      "a lease that was taken over opens no attempt",
      () =>
        Effect.gen(function* () {
          const run = yield* leftBehind(yield* funded(funds), "mock-email-find")
          const late = yield* takeAway(run)
          yield* takeAway(run)
          const opened = yield* (yield* Dispatcher).openAttempt(run, run.plan!.candidates[0]!, 2)
          assert.isFalse(
            yield* (yield* RunStore).nextAttempt({ run, lease: late.lease, ended: null, opened, media: null })
          )
          assert.strictEqual((yield* (yield* Runs).get(run.workspaceId, run.runId)).attempts.length, 1)
        }),
      bystander
    )

    test("a run with an uncertain end keeps its money, and makes room for the next run", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-send-message", drop(), hit())
        const principal = yield* funded(funds, { inflightLimit: 1 })
        const { run } = yield* create(principal, "mock-send-message", 20, message)
        const { attempts } = yield* (yield* Runs).get(run.workspaceId, run.runId)
        assert.deepStrictEqual(
          [run.status, run.outcome, ...attempts.map(({ outcome, status }) => [status, outcome])],
          ["reconciliation_pending", null, ["reconciliation_pending", null]]
        )
        assert.strictEqual((yield* create(principal, "mock-send-message", 20, message)).run.status, "completed")
      }))

    const oneSlot = { ...impatient, slots: 1 }
    test(
      "a run that waits for a slot is queued with its money held, and a cancel gives all of it back without a call",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-email-find", silence)
          const principal = yield* funded(funds)
          yield* create(principal, "mock-email-find", 0)
          yield* called(providers)
          const { run } = yield* create(principal, "mock-email-find", 0)
          assert.strictEqual(run.status, "queued")
          assert.deepStrictEqual(yield* balance(principal), [funds - 2 * price, 2 * price])
          const cancelled = yield* (yield* Runs).cancel(principal.workspaceId, run.runId)
          assert.deepStrictEqual(
            [cancelled.run.status, cancelled.run.error?.code, cancelled.run.chargeMicros, cancelled.attempts.length],
            ["failed", "cancelled_before_dispatch", 0, 0]
          )
          assert.isNotNull(cancelled.run.completedAt)
          assert.strictEqual(providers.calls().length, 1)
          assert.deepStrictEqual(yield* balance(principal), [funds - price, price])
        }),
      oneSlot
    )

    test(
      "a run that waited too long for a slot fails without a call or a charge, and its slot is free again",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-email-find", hit(undefined, { after: "1200 millis" }), hit())
          const principal = yield* funded(funds)
          yield* create(principal, "mock-email-find", 0)
          yield* called(providers)
          const { run } = yield* create(principal, "mock-email-find", 0)
          const found = yield* eventually(
            (yield* Runs).get(run.workspaceId, run.runId),
            (seen) => seen.run.error !== null
          )
          assert.deepStrictEqual(
            [found.run.status, found.run.error?.code, found.run.chargeMicros],
            ["failed", "capacity_exhausted", 0]
          )
          assert.isNotNull(found.run.completedAt)
          assert.strictEqual(providers.calls().length, 1)
          assert.strictEqual((yield* create(principal, "mock-email-find", 20)).run.status, "completed")
        }),
      { ...oneSlot, queueMillisMax: 1_000 }
    )
  })
