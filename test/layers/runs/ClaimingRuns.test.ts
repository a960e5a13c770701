/** How many slots a node reserves while it looks into the queue. */
import { assert, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { dispatcherDefaults } from "../../../src/layers/runs/dispatch/DispatcherQueue.js"
import { makeSlots } from "../../../src/layers/runs/dispatch/Slots.js"
import { claimQueued, type ClaimingParts } from "../../../src/layers/runs/dispatch/ClaimingRuns.js"
import type { LeasedRun } from "../../../src/services/RunStore.js"

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
