/** How many slots a node reserves while it looks into the queue, and when it takes over the runs of others. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option, Ref, TestClock } from "effect"
import { dispatcherDefaults } from "../../../src/layers/runs/dispatch/DispatcherQueue.js"
import { StorageBusy } from "../../../src/domain/StorageErrors.js"
import { makeSlots } from "../../../src/layers/runs/dispatch/Slots.js"
import { claimQueued, type ClaimingParts, makeTakeOver } from "../../../src/layers/runs/dispatch/ClaimingRuns.js"
import type { LeasedRun } from "../../../src/services/RunStore.js"
import type { SettlementRequest } from "../../../src/services/Settlement.js"
import { queuedRun } from "../../support/httpSamples.js"

/** Looks into a queue of this many runs; the limits of its statements, and how many runs were started. */
const looked = (slotsMax: number, queued: number) =>
  Effect.gen(function* () {
    const limits: Array<number> = []
    let left = queued
    let started = 0
    const parts = {
      active: { start: () => Effect.sync(() => void (started += 1)) },
      node: "n",
      open: yield* Ref.make(true),
      options: { ...dispatcherDefaults, slots: slotsMax },
      slots: yield* makeSlots(slotsMax, Effect.void),
      store: {
        claim: ({ limit }: { readonly limit: number }) =>
          Effect.sync(() => {
            limits.push(limit)
            const taken = Math.min(limit, left)
            left -= taken
            return Array.from({ length: taken }, () => ({ attempts: [], waitedMillis: 0 }) as unknown as LeasedRun)
          })
      }
    } as unknown as ClaimingParts
    const backlog = yield* Ref.make(false)
    yield* claimQueued(parts, backlog)
    return { limits, started, more: yield* Ref.get(backlog) }
  })

it.effect("a look into the queue reserves a quarter of the slots, so that new runs can start meanwhile", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual((yield* looked(256, 0)).limits, [64])
    assert.deepStrictEqual((yield* looked(1_000, 0)).limits, [64])
    assert.deepStrictEqual((yield* looked(64, 0)).limits, [16])
    assert.deepStrictEqual((yield* looked(1, 0)).limits, [1])
  })
)

it.effect("a long queue fills all slots at once, and is known to have more", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* looked(10, 100), { limits: [3, 3, 3, 1], started: 10, more: true })
    assert.deepStrictEqual(yield* looked(10, 4), { limits: [3, 3], started: 4, more: false })
  })
)

it.effect("a run that waited too long until it was taken ends under its lease, and its slot is free again", () =>
  Effect.gen(function* () {
    const slots = yield* makeSlots(2, Effect.void)
    const asked: Array<SettlementRequest> = []
    const late = { attempts: [], waitedMillis: 300_001, run: queuedRun, lease: { token: "t" } }
    const queue = [late]
    const parts = {
      active: { start: () => Effect.sync(() => assert.fail("it was begun")) },
      node: "n",
      open: yield* Ref.make(true),
      options: dispatcherDefaults,
      settlement: {
        settle: (request: SettlementRequest) => Effect.sync(() => (asked.push(request), { _tag: "Superseded" }))
      },
      slots,
      store: { claim: () => Effect.sync(() => queue.splice(0)) }
    } as unknown as ClaimingParts
    yield* claimQueued(parts, yield* Ref.make(false))
    assert.deepStrictEqual(
      asked.map(({ leaseToken, run }) => [leaseToken, run.error?.code]),
      [["t", "capacity_exhausted"]]
    )
    assert.strictEqual(yield* slots.take(8), 2)
  })
)

it.effect("a node that stops while it looks into the queue leaves what it took, and begins nothing", () =>
  Effect.gen(function* () {
    const [asked, answer] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const open = yield* Ref.make(true)
    const left: Array<string> = []
    const claimed = { attempts: [], waitedMillis: 0, run: { runId: "run_taken" } } as unknown as LeasedRun
    const parts = {
      active: {
        start: () => Effect.sync(() => assert.fail("it was begun")),
        leave: (runs: ReadonlyArray<LeasedRun>) =>
          Effect.sync(() => void left.push(...runs.map(({ run }) => run.runId)))
      },
      node: "n",
      open,
      options: dispatcherDefaults,
      slots: yield* makeSlots(8, Effect.void),
      store: {
        claim: () =>
          Effect.succeed([claimed]).pipe(
            Effect.zipLeft(Deferred.await(answer)),
            Effect.zipLeft(Deferred.succeed(asked, undefined), { concurrent: true })
          )
      }
    } as unknown as ClaimingParts
    const looking = yield* Effect.fork(claimQueued(parts, yield* Ref.make(false)))
    yield* Deferred.await(asked)
    yield* Ref.set(open, false)
    const stopping = yield* Effect.fork(Fiber.interrupt(looking))
    yield* Deferred.succeed(answer, undefined)
    yield* Fiber.join(stopping)
    assert.deepStrictEqual(left, ["run_taken"])
  })
)

it.effect("a node that could not reach the storage first gives the others time to renew their leases", () =>
  Effect.gen(function* () {
    let asked = 0
    let away = true
    const takeOver = yield* makeTakeOver({
      active: { leaseTokens: () => [], start: () => Effect.void },
      node: "n",
      open: yield* Ref.make(true),
      options: { ...dispatcherDefaults, heartbeatMillis: 10_000 },
      slots: yield* makeSlots(8, Effect.void),
      store: {
        reclaim: () =>
          Effect.suspend(() => (asked++, away ? new StorageBusy({ retryAfterSeconds: 1 }) : Effect.succeed([])))
      }
    } as unknown as ClaimingParts)
    yield* takeOver
    away = false
    const waiting = yield* Effect.fork(takeOver)
    yield* TestClock.adjust("9 seconds")
    assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(waiting)
    assert.strictEqual(asked, 1)
    yield* takeOver
    assert.strictEqual(asked, 2)
  })
)
