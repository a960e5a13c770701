/** Queued runs that waited too long end at their time, over both storages. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import type { DispatcherOptions } from "../../../src/layers/runs/dispatch/DispatcherQueue.js"
import { endWaitedTooLong } from "../../../src/layers/runs/dispatch/WaitedTooLong.js"
import { Runs } from "../../../src/services/Runs.js"
import { RunStore } from "../../../src/services/RunStore.js"
import { Settlement } from "../../../src/services/Settlement.js"
import { balance, create, funds, impatient, price } from "../../services/RunEndingStage.js"
import { runTest } from "../../services/RunStage.js"
import { funded, type Storage, storageMemory, storagePg } from "../../support/engine.js"
import { eventually } from "../../support/eventually.js"
import { testDatabase } from "../../support/postgres.js"

const soon: Partial<DispatcherOptions> = { ...impatient, queueMillisMax: 100 }
const never = 600_000_000

const suite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = runTest(storage)

    for (const [where, settings] of [
      ["while no slot is free", { slots: 0 }],
      ["where no node takes queued runs", { takesQueued: false, startsUnwaited: false }]
    ] as const)
      test(
        `end ${where}`,
        (providers) =>
          Effect.gen(function* () {
            const principal = yield* funded(funds)
            const runs = yield* Runs
            const { run } = yield* create(principal, "mock-email-find", 0)
            const found = yield* eventually(
              runs.get(run.workspaceId, run.runId),
              ({ run: { error } }) => error !== null
            )
            assert.deepStrictEqual(
              [found.run.status, found.run.error?.code, found.run.chargeMicros, found.attempts.length],
              ["failed", "capacity_exhausted", 0, 0]
            )
            assert.isNotNull(found.run.completedAt)
            assert.lengthOf(providers.calls(), 0)
            assert.deepStrictEqual(yield* balance(principal), [funds, 0])
          }),
        { ...soon, ...settings }
      )

    test(
      "are given to one node each, and those set aside hold up no others",
      () =>
        Effect.gen(function* () {
          const { waitedLonger } = yield* RunStore
          const principal = yield* funded(funds)
          yield* Effect.replicateEffect(create(principal, "mock-email-find", 0), 5)
          const look = waitedLonger({ limit: 2, millis: -1, asideMillis: never })
          const found = (yield* Effect.all([look, look, look, look], { concurrency: 4 })).flat()
          const rest = yield* waitedLonger({ limit: 10, millis: -1, asideMillis: never })
          assert.lengthOf(new Set([...found, ...rest].map(({ run: { runId } }) => runId)), 5)
          assert.lengthOf([...found, ...rest], 5)
        }),
      { slots: 0, queueMillisMax: never }
    )

    test(
      "are found oldest first, and go on with a node that took them at the same moment",
      () =>
        Effect.gen(function* () {
          const { claim, waitedLonger } = yield* RunStore
          const settlement = yield* Settlement
          const principal = yield* funded(funds)
          const mine = (limit: number, millis = -1) =>
            Effect.map(waitedLonger({ limit, millis, asideMillis: 0 }), (found) =>
              found.map(({ run: { runId } }) => runId)
            )
          const [first, second] = [
            (yield* create(principal, "mock-email-find", 0)).run,
            (yield* create(principal, "mock-email-find", 0)).run
          ]
          assert.deepStrictEqual(yield* mine(10), [first.runId, second.runId])
          assert.deepStrictEqual(yield* mine(1), [first.runId])
          assert.deepStrictEqual(yield* mine(10, never), [])

          const [late] = yield* waitedLonger({ limit: 1, millis: -1, asideMillis: 0 })
          assert.isDefined(late)
          const [taken] = yield* claim({ node: "another", limit: 1, leaseMillis: 600_000 })
          assert.isDefined(taken)
          assert.strictEqual(taken.run.runId, late.run.runId)
          assert.strictEqual((yield* endWaitedTooLong(settlement, late, null))._tag, "Superseded")
          assert.deepStrictEqual(yield* mine(10), [second.runId])
          assert.deepStrictEqual(yield* balance(principal), [funds - 2 * price, 2 * price])
          assert.strictEqual(
            (yield* endWaitedTooLong(settlement, { run: second, restored: false }, null))._tag,
            "Settled"
          )
          assert.strictEqual((yield* endWaitedTooLong(settlement, taken, taken.lease.token))._tag, "Settled")
          assert.deepStrictEqual(yield* balance(principal), [funds, 0])
        }),
      { slots: 0, queueMillisMax: never }
    )
  })

suite("RunStoreMemory", storageMemory)
// Each test has a database of its own, in which no run was ever claimed.
suite("RunStorePg", Layer.provide(storagePg, testDatabase()))
