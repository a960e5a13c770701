/**
 * How runs end when several want to end them, when nodes die under them and when they never get their turn; whatever
 * they are stored in.
 */
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Option, Ref, Scope } from "effect"
import { describe } from "vitest"
import { CatalogLoading } from "../../src/domain/ApiErrors.js"
import { MediaId, RunId } from "../../src/domain/Ids.js"
import { Micros, zero } from "../../src/domain/Micros.js"
import { ProviderHttpError } from "../../src/domain/RunFailures.js"
import type { Run } from "../../src/domain/Run.js"
import {
  dispatcherDefaults,
  type DispatcherOptions,
  DispatcherQueue,
  DispatcherSettings
} from "../../src/layers/runs/dispatch/DispatcherQueue.js"
import { AdmissionBatched } from "../../src/layers/runs/AdmissionBatched.js"
import { LeasesRenewedHere } from "../../src/layers/runs/LeasesRenewedHere.js"
import {
  drop,
  fail,
  hit,
  ProvidersScripted,
  type ScriptedProviders,
  silence,
  type Step
} from "../../src/layers/providers/ProvidersScripted.js"
import type { Principal } from "../../src/services/Accounts.js"
import { Admission } from "../../src/services/Admission.js"
import { Catalog } from "../../src/services/Catalog.js"
import { Dispatcher } from "../../src/services/Dispatcher.js"
import { FaultPoints } from "../../src/services/FaultPoints.js"
import { Ids } from "../../src/services/Ids.js"
import { Providers } from "../../src/services/Providers.js"
import { type EndedRun, type RunRequest, Runs } from "../../src/services/Runs.js"
import { type Fence, type Lease, type LeasedRun, RunStore } from "../../src/services/RunStore.js"
import { Settlement, type SettlementRequest } from "../../src/services/Settlement.js"
import { attemptList } from "../../src/http/runs/ShownRun.js"
import { Transactions } from "../../src/services/Transactions.js"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, funded, requestOf, type Storage } from "../support/engine.js"
import { eventually } from "../support/eventually.js"

type Services = Layer.Layer.Success<ReturnType<typeof engine>> | Storage

const funds = 1_000_000
const price = 5_000
const message = { input: { to: "ada@example.com", text: "hello" } }

export const runEndingsSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = (
      title: string,
      work: (providers: ScriptedProviders) => Effect.Effect<void, unknown, Services>,
      settings: Partial<DispatcherOptions> = {}
    ) =>
      it.live(title, () => {
        const providers = ProvidersScripted()
        return Effect.provide(
          Effect.zipRight(work(providers), noDrift),
          Layer.provideMerge(engine(providers.layer, settings), storage)
        )
      })

    const noDrift = Effect.flatMap(Wallet, ({ verify }) =>
      Effect.map(verify, ({ difference, driftMicros }) => assert.deepStrictEqual([driftMicros, difference], [0, null]))
    )
    const create = (principal: Principal, endpointId: string, wait: number, changes = {}) =>
      Effect.flatMap(Runs, (runs) => runs.create(principal, requestOf(endpointId, changes), wait))
    const balance = ({ workspaceId }: Principal) =>
      Effect.flatMap(Wallet, (wallet) =>
        Effect.map(
          wallet.balance(workspaceId),
          ({ availableMicros, reservedMicros }) => [availableMicros, reservedMicros] as ReadonlyArray<number>
        )
      )
    const kinds = ({ runId, workspaceId }: Run) =>
      Effect.flatMap(Wallet, (wallet) =>
        Effect.map(wallet.entries(workspaceId, { runId }, { limit: 20, after: null }), ({ items }) =>
          items.map(({ kind }) => kind).reverse()
        )
      )

    /** Settings of a node that works on nothing itself: no run is taken over but by the test. */
    const bystander = { slots: 0 }
    /** Takes over a run that was left behind, as another node would. */
    const takeAway = (run: Run, leaseMillis = 600_000): Effect.Effect<LeasedRun, unknown, RunStore | Transactions> =>
      Effect.gen(function* () {
        const store = yield* RunStore
        const { transact } = yield* Transactions
        const fences = yield* transact(store.lock([run]))
        yield* store.heartbeat([{ ...run, token: fences.get(run.runId)?.leaseToken ?? "" }], -1)
        const taken = yield* store.reclaim({ node: "another", limit: 10, leaseMillis, except: [] })
        return (
          taken.find((leased) => leased.run.runId === run.runId) ?? (yield* Effect.dieMessage("the run was not taken"))
        )
      })
    /**
     * A run that a node left when it died, with its first attempt under way. Made by a bystander.
     */
    const leftBehind = (principal: Principal, endpointId: string, changes: Partial<RunRequest> = {}, agoMillis = 0) =>
      Effect.gen(function* () {
        const { suffix } = yield* Ids
        const lease = { node: "another", token: yield* suffix, millis: -1 }
        return (yield* underWay(principal, endpointId, changes, lease, agoMillis)).run
      })
    /** A planned run that is not stored yet, with its first attempt. */
    const prepared = (principal: Principal, endpointId: string, changes: Partial<RunRequest>) =>
      Effect.gen(function* () {
        const { suffix } = yield* Ids
        const { run } = yield* create(principal, endpointId, 0, changes)
        yield* (yield* Runs).cancel(run.workspaceId, run.runId)
        const copy: Run = { ...run, runId: RunId.make(`run_${yield* suffix}`), idempotencyKey: yield* suffix }
        return { copy, opened: yield* (yield* Dispatcher).openAttempt(copy, copy.plan!.candidates[0]!, 1) }
      })
    /** A run whose first attempt is stored and whose call has not been made, under this lease. */
    const underWay = (
      principal: Principal,
      endpointId: string,
      changes: Partial<RunRequest>,
      lease: Lease,
      agoMillis = 0
    ) =>
      Effect.gen(function* () {
        const { copy, opened } = yield* prepared(principal, endpointId, changes)
        const attempt = { ...opened, startedAt: opened.startedAt - agoMillis }
        const admitted = yield* (yield* Admission).admit({ run: copy, start: { lease, attempt }, waitedFor: false })
        assert(admitted._tag === "Admitted")
        return { run: copy, started: admitted.stored.run, attempt }
      })
    /** Settings of a node that works on what the test gives it and on nothing else. */
    const onlyGiven = { takesQueued: false, startsUnwaited: false, leaseMillis: 200, heartbeatMillis: 60_000 }
    /** Works on a run of this node, once `meanwhile` is over; the run as it ended, if this node ended it. */
    const workedOn = <E, R>(
      meanwhile: (run: Run) => Effect.Effect<unknown, E, R>,
      told: (run: Run) => Effect.Effect<unknown, never, Dispatcher>
    ) =>
      Effect.gen(function* () {
        const dispatcher = yield* Dispatcher
        const slot = yield* dispatcher.reserve(true)
        assert(slot !== null)
        const { attempt, started: run } = yield* underWay(
          yield* funded(funds),
          "mock-send-message",
          message,
          slot.lease
        )
        yield* meanwhile(run)
        const leased = { run, lease: slot.lease, attempts: [attempt], takenOver: false, workersLost: 0 } as const
        const end = yield* dispatcher.start({ ...leased, restored: false, waitedMillis: 0 }, slot)
        yield* told(run)
        return yield* Effect.async<Option.Option<EndedRun>>((resume) => {
          end((found) => resume(Effect.succeed(found)))
        })
      })
    /** Looking into the queue takes slots for a moment, so that even the first run may have to wait for its turn. */
    const called = (providers: ScriptedProviders) =>
      eventually(Effect.sync(providers.calls), ({ length }) => length > 0)
    const ending = ({ attempts, lease, run }: LeasedRun, changes: Partial<SettlementRequest>): SettlementRequest => ({
      run: { ...run, outcome: "hit", completedAt: run.createdAt },
      event: "Completed",
      costMicros: Micros.make(1_200),
      reason: null,
      leaseToken: lease.token,
      attempt:
        attempts[0] === undefined
          ? null
          : { ...attempts[0], status: "completed", outcome: "hit", costMicros: Micros.make(1_200), billed: true },
      media: null,
      ...changes
    })
    /** What a client wants who read the run while it was queued. */
    const staleCancel = (leased: LeasedRun): SettlementRequest =>
      ending(
        { ...leased, run: { ...leased.run, status: "queued" } },
        { event: "Cancelled", costMicros: zero, leaseToken: null, attempt: null }
      )

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
        AdmissionBatched,
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

    const impatient = { heartbeatMillis: 50, pollMillis: 50 }
    /** The run once a node that starts now has worked on it. */
    const ended = (run: Run, providers: ScriptedProviders, settings: Partial<DispatcherOptions> = impatient) =>
      Effect.flatMap(Runs, (runs) =>
        eventually(runs.get(run.workspaceId, run.runId), (found) => found.run.status !== "running")
      ).pipe(Effect.provide(engine(providers.layer, settings)))
    /** One more node goes silent over it: its lease ends as soon as it has it. */
    const anotherDies = (run: Run) => takeAway(run, -1)

    test(
      "when its node dies, a call that only reads is made again, and the lost attempt stays on record",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-email-find", hit(undefined, { costMicros: 1_000 }))
          const found = yield* ended(yield* leftBehind(yield* funded(funds), "mock-email-find"), providers)
          assert.deepStrictEqual([found.run.status, found.run.chargeMicros], ["completed", 1_000])
          assert.deepStrictEqual(
            found.attempts.map(({ errorCode, n, status }) => [n, status, errorCode]),
            [
              [1, "failed", "node_lost"],
              [2, "completed", null]
            ]
          )
          assert.deepStrictEqual(
            attemptList(found).attempts.map((shown) => shown.errorCode),
            ["timeout", undefined]
          )
          assert.strictEqual(providers.calls().length, 1)
        }),
      bystander
    )

    test(
      "when its node dies, a call that has an effect is not made again: the hold stays, and a person decides",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-send-message", hit())
          const principal = yield* funded(funds)
          const left = yield* leftBehind(principal, "mock-send-message", message)
          const found = yield* ended(left, providers)
          assert.deepStrictEqual(
            [found.run.status, found.run.chargeMicros, found.run.completedAt],
            ["reconciliation_pending", null, null]
          )
          assert.strictEqual(found.attempts[0]?.status, "reconciliation_pending")
          assert.strictEqual(providers.calls().length, 0)
          assert.deepStrictEqual(yield* balance(principal), [funds - left.holdMicros, left.holdMicros])
        }),
      bystander
    )

    test(
      "a run that had begun does not wait too long for a slot: with an effect it stays uncertain, with its hold",
      (providers) =>
        Effect.gen(function* () {
          const principal = yield* funded(funds)
          const left = yield* leftBehind(principal, "mock-send-message", message)
          const found = yield* ended(left, providers, { ...impatient, queueMillisMax: 5 })
          assert.deepStrictEqual(
            [found.run.status, found.run.error?.code, found.attempts[0]?.status],
            ["reconciliation_pending", undefined, "reconciliation_pending"]
          )
          assert.deepStrictEqual(yield* balance(principal), [funds - left.holdMicros, left.holdMicros])
        }),
      bystander
    )

    test(
      "a run under which two nodes died is set apart and called no more: one that only reads fails for the operator, at no cost",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-email-find", hit())
          const principal = yield* funded(funds)
          const left = yield* leftBehind(principal, "mock-email-find")
          assert.strictEqual((yield* anotherDies(left)).workersLost, 1)
          const found = yield* ended(left, providers)
          assert.deepStrictEqual(
            [found.run.status, found.run.error?.code, found.run.error?.whoseError, found.run.chargeMicros],
            ["failed", "contract_invalid", "gateway", 0]
          )
          assert.deepStrictEqual(
            found.attempts.map(({ errorCode, status }) => [status, errorCode]),
            [["failed", "contract_invalid"]]
          )
          assert.strictEqual(providers.calls().length, 0)
          assert.deepStrictEqual(yield* balance(principal), [funds, 0])
        }),
      bystander
    )

    test(
      "a run with an effect under which two nodes died stays uncertain with its hold",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-send-message", hit())
          const left = yield* leftBehind(yield* funded(funds), "mock-send-message", message)
          yield* anotherDies(left)
          const found = yield* ended(left, providers)
          assert.deepStrictEqual(
            [found.run.status, found.run.chargeMicros, found.attempts[0]?.status],
            ["reconciliation_pending", null, "reconciliation_pending"]
          )
          assert.strictEqual(providers.calls().length, 0)
        }),
      bystander
    )

    /** Its own renewals would tell a node of a cancel too, but later. */
    const seldom = { pollMillis: 50, heartbeatMillis: 60_000 }
    const statusOf = ({ run }: Pick<EndedRun, "run">): ReadonlyArray<unknown> => [
      run.status,
      run.error?.code,
      run.chargeMicros
    ]
    const cancelled: ReadonlyArray<unknown> = ["failed", "cancellation_requested_after_dispatch", 0]

    test(
      "a cancel that was asked of a node that died before its first attempt keeps an effect from happening",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-send-message", hit())
          const store = yield* RunStore
          const { run } = yield* create(yield* funded(funds), "mock-send-message", 0, message)
          yield* store.claim({ node: "another", limit: 10, leaseMillis: -1 })
          assert.isTrue((yield* store.requestCancel(run))?.cancelRequested)
          const found = yield* ended(run, providers, seldom)
          assert.deepStrictEqual(statusOf(found), cancelled)
          assert.deepStrictEqual([providers.calls().length, found.attempts.length], [0, 0])
        }),
      bystander
    )

    test(
      "a cancel that was asked of a node that died under the call holds at the next node: nothing is called again",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-email-find", hit())
          const left = yield* leftBehind(yield* funded(funds), "mock-email-find")
          yield* (yield* RunStore).requestCancel(left)
          const found = yield* ended(left, providers, seldom)
          assert.deepStrictEqual(statusOf(found), cancelled)
          assert.deepStrictEqual([providers.calls().length, found.attempts.length], [0, 1])
        }),
      bystander
    )

    test(
      "a run that a node leaves when it stops is taken over at once, and its node does not count as lost",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-email-find", silence, silence, silence, hit())
          const { run } = yield* create(yield* funded(funds), "mock-email-find", 0)
          for (const before of [0, 1, 2]) {
            const node = yield* Scope.make()
            yield* Layer.buildWithScope(engine(providers.layer, { ...impatient, leaseMillis: 600_000 }), node)
            yield* eventually(Effect.sync(providers.calls), ({ length }) => length > before)
            yield* Scope.close(node, Exit.void)
          }
          const found = yield* ended(run, providers)
          assert.deepStrictEqual(
            [found.run.status, ...found.attempts.map(({ errorCode }) => errorCode)],
            ["completed", "node_left", "node_left", "node_left", null]
          )
        }),
      bystander
    )

    test(
      "a run that a node left is not its own any more: what it still writes is refused",
      () =>
        Effect.gen(function* () {
          const run = yield* leftBehind(yield* funded(funds), "mock-email-find")
          const late = yield* takeAway(run)
          yield* (yield* RunStore).leave([{ ...run, token: late.lease.token }])
          assert.strictEqual((yield* (yield* Settlement).settle(ending(late, {})))._tag, "Superseded")
        }),
      bystander
    )

    test(
      "a run set apart keeps the best answer that it has, and pays for it",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-email-find", hit())
          const left = yield* leftBehind(yield* funded(funds), "mock-email-find")
          const taken = yield* anotherDies(left)
          const answered = {
            ...taken.run,
            outcome: "weak" as const,
            result: { _tag: "Json" as const, value: { found: true } }
          }
          const opened = yield* (yield* Dispatcher).openAttempt(taken.run, taken.run.plan!.candidates[0]!, 2)
          const first = {
            ...taken.attempts[0]!,
            status: "completed" as const,
            outcome: "weak" as const,
            costMicros: Micros.make(700),
            billed: true
          }
          assert.isTrue(
            yield* (yield* RunStore).nextAttempt({
              run: answered,
              lease: taken.lease,
              ended: first,
              opened,
              media: null
            })
          )
          const found = yield* ended(left, providers)
          assert.deepStrictEqual(
            [found.run.status, found.run.outcome, found.run.chargeMicros],
            ["completed", "weak", 700]
          )
          assert.strictEqual(providers.calls().length, 0)
        }),
      bystander
    )

    test(
      "when its node dies under the second provider, the answer of the first stays, and is paid",
      (providers) =>
        Effect.gen(function* () {
          const fallback = {
            enabled: true,
            maxAttempts: 2,
            maxCostMicros: null,
            exclude: [],
            stopAtFirstMiss: false,
            prefer: "balanced" as const
          }
          const lease = { node: "another", token: yield* (yield* Ids).suffix, millis: 600_000 }
          const left = yield* underWay(yield* funded(funds), "job:people.email.find", { fallback }, lease)
          const [first, second] = left.run.plan!.candidates
          const store = yield* RunStore
          yield* store.nextAttempt({
            run: { ...left.started, outcome: "weak", result: { _tag: "Json", value: { found: true } } },
            lease,
            ended: {
              ...left.attempt,
              status: "completed",
              outcome: "weak",
              costMicros: Micros.make(700),
              billed: true
            },
            opened: yield* (yield* Dispatcher).openAttempt(left.run, second!, 2),
            media: null
          })
          yield* store.heartbeat([{ ...left.run, token: lease.token }], -1)
          providers.script(second!.endpointId, fail(new ProviderHttpError()))
          const found = yield* ended(left.run, providers)
          assert.deepStrictEqual(
            [found.run.status, found.run.outcome, found.run.chargeMicros, found.run.error],
            ["completed", "weak", 700, null]
          )
          assert.deepStrictEqual(
            found.attempts.map(({ endpointId, errorCode }) => [endpointId, errorCode]),
            [
              [first!.endpointId, null],
              [second!.endpointId, "node_lost"],
              [second!.endpointId, "provider_http_error"]
            ]
          )
        }),
      bystander
    )

    test(
      "when its node dies, it waits for the catalog of the next node, which has none yet when it starts",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-email-find", hit())
          const left = yield* leftBehind(yield* funded(funds), "mock-email-find")
          const loaded = yield* Ref.make(false)
          const once = <A, E>(answer: Effect.Effect<A, E>) =>
            Effect.flatMap(Ref.get(loaded), (there): Effect.Effect<A, E | CatalogLoading> =>
              there ? answer : new CatalogLoading({ retryAfterSeconds: 1 })
            )
          const later = Layer.effect(
            Catalog,
            Effect.map(Catalog, (catalog) =>
              Catalog.of({
                ...catalog,
                revision: once(catalog.revision),
                endpointAt: (...asked) => once(catalog.endpointAt(...asked))
              })
            )
          )
          const starting = DispatcherQueue.pipe(
            Layer.provide(LeasesRenewedHere),
            Layer.provide([later, Layer.succeed(DispatcherSettings, { ...dispatcherDefaults, ...impatient })])
          )
          const { get } = yield* Runs
          const found = yield* Effect.gen(function* () {
            yield* Effect.sleep("300 millis")
            assert.strictEqual((yield* get(left.workspaceId, left.runId)).run.status, "running")
            yield* Ref.set(loaded, true)
            return yield* eventually(get(left.workspaceId, left.runId), ({ run }) => run.status !== "running")
          }).pipe(Effect.provide(starting))
          assert.deepStrictEqual(
            [found.run.status, found.attempts.length, providers.calls().length],
            ["completed", 2, 1]
          )
        }),
      bystander
    )

    const answersLate = (step: Step, expected: ReadonlyArray<unknown>) => (providers: ScriptedProviders) =>
      Effect.gen(function* () {
        providers.script("mock-send-message", step)
        const principal = yield* funded(funds)
        const { run } = yield* create(principal, "mock-send-message", 0, message)
        // The provider has the call; the node stands still, and another takes the run over.
        yield* called(providers)
        // The node lives, and may renew its lease just then: then it is tried again. It may also take its own run over.
        yield* Effect.ignore(Effect.retry(Effect.sandbox(anotherDies(run)), { times: 20 }))
        const statusIs = (wanted: (status: Run["status"]) => boolean) =>
          Effect.flatMap(Runs, ({ get }) =>
            eventually(get(run.workspaceId, run.runId), (found) => wanted(found.run.status))
          )
        assert.strictEqual((yield* statusIs((status) => status !== "running")).run.status, "reconciliation_pending")
        const found = yield* statusIs((status) => status !== "reconciliation_pending")
        assert.deepStrictEqual(
          [found.run.status, found.run.chargeMicros, found.run.error?.code, found.attempts.map(({ status }) => status)],
          expected
        )
        assert.strictEqual(providers.calls().length, 1)
        assert.deepStrictEqual(yield* balance(principal), [funds - (found.run.chargeMicros ?? 0), 0])
      })

    test(
      "an answer with an effect that came after its run was taken over ends it after all, at its cost",
      answersLate(hit(undefined, { after: "1500 millis", costMicros: 700 }), [
        "completed",
        700,
        undefined,
        ["completed"]
      ]),
      impatient
    )

    test(
      "a refusal that came after its run was taken over ends it after all, at no cost",
      answersLate(fail(new ProviderHttpError(), { after: "1500 millis" }), [
        "failed",
        0,
        "provider_http_error",
        ["failed"]
      ]),
      impatient
    )

    test(
      "a run whose node died months ago ends like any other",
      (providers) =>
        Effect.gen(function* () {
          providers.script("mock-email-find", hit(undefined, { costMicros: 1_000 }))
          const found = yield* ended(
            yield* leftBehind(yield* funded(funds), "mock-email-find", {}, 100 * 86_400_000),
            providers
          )
          assert.deepStrictEqual([found.run.status, found.run.chargeMicros], ["completed", 1_000])
          assert.deepStrictEqual(
            found.attempts.map(({ errorCode }) => errorCode),
            ["node_lost", null]
          )
        }),
      bystander
    )

    test("a run with an uncertain end keeps its money, and makes room for the next run", (providers) =>
      Effect.gen(function* () {
        providers.script("mock-send-message", drop(), hit())
        const principal = yield* funded(funds, { inflightLimit: 1 })
        assert.strictEqual(
          (yield* create(principal, "mock-send-message", 20, message)).run.status,
          "reconciliation_pending"
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
