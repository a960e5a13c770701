/** How runs end when nodes die under them, whatever they are stored in. */
import { assert } from "@effect/vitest"
import { Effect, Exit, Layer, Ref, Scope } from "effect"
import { describe } from "vitest"
import { CatalogLoading } from "../../src/domain/ApiErrors.js"
import { Micros } from "../../src/domain/Micros.js"
import { ProviderHttpError } from "../../src/domain/RunFailures.js"
import type { Run } from "../../src/domain/Run.js"
import {
  dispatcherDefaults,
  DispatcherQueue,
  DispatcherSettings
} from "../../src/layers/runs/dispatch/DispatcherQueue.js"
import { LeasesRenewedHere } from "../../src/layers/runs/LeasesRenewedHere.js"
import { fail, hit, type ScriptedProviders, silence, type Step } from "../../src/layers/providers/ProvidersScripted.js"
import { Catalog } from "../../src/services/Catalog.js"
import { Dispatcher } from "../../src/services/Dispatcher.js"
import { Ids } from "../../src/services/Ids.js"
import { type SettledRun, Runs } from "../../src/services/Runs.js"
import { RunStore } from "../../src/services/RunStore.js"
import { Settlement } from "../../src/services/Settlement.js"
import { attemptList } from "../../src/http/runs/ShownRun.js"
import { engine, funded, type Storage } from "../support/engine.js"
import { eventually } from "../support/eventually.js"
import { skewed } from "../support/skewedClock.js"
import {
  anotherDies,
  balance,
  bystander,
  called,
  create,
  ended,
  ending,
  funds,
  impatient,
  leftBehind,
  message,
  takeAway,
  underWay
} from "./RunEndingStage.js"
import { runTest } from "./RunStage.js"

export const runTakeoversSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = runTest(storage)

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
    const statusOf = ({ run }: Pick<SettledRun, "run">): ReadonlyArray<unknown> => [
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
          const run = yield* leftBehind(yield* funded(funds), "mock-email-find")
          // Longer than the milliseconds that an attempt can have.
          const found = yield* Effect.withClock(ended(run, providers), skewed(100 * 86_400_000))
          assert.deepStrictEqual([found.run.status, found.run.chargeMicros], ["completed", 1_000])
          assert.deepStrictEqual(
            found.attempts.map(({ errorCode }) => errorCode),
            ["node_lost", null]
          )
        }),
      bystander
    )
  })
