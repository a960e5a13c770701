/**
 * Renewing leases and settling lock the rows of many runs. Both take them in one order: otherwise each could wait for
 * the other, and Postgres would end one of them only after a second (`deadlock_timeout`).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { RunId } from "../../../src/domain/Ids.js"
import { FaultPointsOff } from "../../../src/layers/node/FaultPointsOff.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { AdmissionBatched } from "../../../src/layers/runs/AdmissionBatched.js"
import { Admission } from "../../../src/services/Admission.js"
import { Ids } from "../../../src/services/Ids.js"
import { RunStore } from "../../../src/services/RunStore.js"
import { funded, storagePg } from "../../support/engine.js"
import { attempt, queuedRun } from "../../support/httpSamples.js"
import { testDatabase } from "../../support/postgres.js"

const live = AdmissionBatched.pipe(
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
      start: { lease: { node: "n", token, millis: 60_000 }, attempt: { ...attempt, runId, workspaceId } }
    })
    return { workspaceId, runId, token }
  })
  return [yield* leased, yield* leased] as const
})

// Asked outside of the transaction, which would see the activity of its first look for ever.
const someoneWaits = Effect.flatMap(Database, ({ sql, survey }) =>
  survey(sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).pipe(
    Effect.repeat({ until: (waiting) => waiting.length > 0 })
  )
)

describe("the order in which runs are locked", () => {
  it.live("is that of their ids for a renewal too, in whatever order it is given them", () =>
    Effect.gen(function* () {
      const { query, sql, transact } = yield* Database
      const store = yield* RunStore
      const [first, second] = yield* twoLeased
      const renewed = yield* transact(
        Effect.gen(function* () {
          yield* store.lock([first])
          const renewal = yield* Effect.fork(store.heartbeat([second, first], 60_000))
          yield* someoneWaits
          // Free, since the renewal stands at the first run. If it were not, each would wait for the other here.
          yield* query(sql`select from runs where run_id = ${second.runId} for no key update nowait`)
          return renewal
        })
      )
      assert.deepStrictEqual((yield* Fiber.join(renewed)).held, new Set([first.runId, second.runId]))
    }).pipe(Effect.timeout("20 seconds"), Effect.provide(live))
  )
})
