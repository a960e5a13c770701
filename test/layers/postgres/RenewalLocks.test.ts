/**
 * Renewing leases and settling both lock the rows of many runs. A renewal skips what is locked: it would otherwise wait
 * for one run until the leases of all others have ended, or wait for a settlement that waits for it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { RunId } from "../../../src/domain/Ids.js"
import { FaultPointsOff } from "../../../src/layers/node/FaultPointsOff.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { AdmissionBatched } from "../../../src/layers/runs/AdmissionBatched.js"
import { MoneyCommitsInTurn } from "../../../src/layers/runs/MoneyCommits.js"
import { Admission } from "../../../src/services/Admission.js"
import { Ids } from "../../../src/services/Ids.js"
import { RunStore } from "../../../src/services/RunStore.js"
import { funded, storagePg } from "../../support/engine.js"
import { attempt, queuedRun } from "../../support/httpSamples.js"
import { testDatabase } from "../../support/postgres.js"

const live = AdmissionBatched.pipe(
  Layer.provide(MoneyCommitsInTurn),
  Layer.provide(FaultPointsOff),
  Layer.provideMerge(storagePg),
  Layer.provideMerge(testDatabase())
)

/** Two running runs of one workspace under leases, in the order of their ids. */
const twoLeased = Effect.gen(function* () {
  const { suffix } = yield* Ids
  const { tokenId, workspaceId } = yield* funded(1_000_000)
  const leased = Effect.gen(function* () {
    const runId = RunId.make(`run_${yield* suffix}`)
    const token = yield* suffix
    yield* (yield* Admission).admit({
      run: { ...queuedRun, workspaceId, tokenId, runId, idempotencyKey: yield* suffix },
      start: { lease: { node: "n", token, millis: 60_000 }, attempt: { ...attempt, runId, workspaceId } },
      waitedFor: false
    })
    return { workspaceId, runId, token }
  })
  return [yield* leased, yield* leased] as const
})

const leaseEnds = Effect.fnUntraced(function* (runId: RunId) {
  const { query, sql } = yield* Database
  const [row] = yield* query(sql`select lease_expires_at as ends from runs where run_id = ${runId}`)
  return Number(row?.["ends"])
})

describe("a renewal of leases", () => {
  it.live("waits for no locked run: it is renewed the next time, and the others now", () =>
    Effect.gen(function* () {
      const { transact } = yield* Database
      const store = yield* RunStore
      const [first, second] = yield* twoLeased
      const leases = [second, first]
      const held = new Set([first.runId, second.runId])
      const before = yield* Effect.all([leaseEnds(first.runId), leaseEnds(second.runId)])
      yield* transact(
        Effect.gen(function* () {
          yield* store.lock([first])
          const renewed = yield* store.heartbeat(leases, 120_000)
          assert.deepStrictEqual(renewed.held, held)
          assert.deepStrictEqual(renewed.renewed, new Set([second.runId]))
          assert.strictEqual(yield* leaseEnds(first.runId), before[0])
          assert.isAbove(yield* leaseEnds(second.runId), before[1] + 30_000)
        })
      )
      assert.deepStrictEqual((yield* store.heartbeat(leases, 120_000)).held, held)
      assert.isAbove(yield* leaseEnds(first.runId), before[0] + 30_000)
    }).pipe(Effect.timeout("20 seconds"), Effect.provide(live))
  )

  it.live("says of a run whose lease is another's, and of one that has none, that it is not held", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const store = yield* RunStore
      const [first, second] = yield* twoLeased
      yield* query(sql`update runs set lease_token = 'of another' where run_id = ${first.runId}`)
      const taken = yield* leaseEnds(first.runId)
      assert.deepStrictEqual(
        (yield* store.heartbeat([first, second, { ...second, runId: RunId.make(`run_${"0".repeat(26)}`) }], 120_000))
          .held,
        new Set([second.runId])
      )
      assert.strictEqual(yield* leaseEnds(first.runId), taken)
    }).pipe(Effect.timeout("20 seconds"), Effect.provide(live))
  )
})
