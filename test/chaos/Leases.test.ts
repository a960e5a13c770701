/** A node that is alive keeps its leases, however many callers wait for a connection. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { RunId, WorkspaceId } from "../../src/domain/Ids.js"
import { AdmissionBatched } from "../../src/layers/runs/AdmissionBatched.js"
import { MoneyCommitsInTurn } from "../../src/layers/runs/MoneyCommits.js"
import { Database } from "../../src/layers/postgres/Database.js"
import { IdsCrypto } from "../../src/layers/node/IdsCrypto.js"
import { RunStorePg } from "../../src/layers/postgres/RunStorePg.js"
import { Admission } from "../../src/services/Admission.js"
import { FaultPointsOff } from "../../src/layers/node/FaultPointsOff.js"
import { RunStore } from "../../src/services/RunStore.js"
import { funded, storageMemory } from "../support/engine.js"
import { attempt, queuedRun } from "../support/httpSamples.js"
import { testDatabase } from "../support/postgres.js"

const store = RunStorePg.pipe(
  Layer.provide(IdsCrypto),
  Layer.provideMerge(testDatabase({ connectionsMax: 2, acquireTimeoutMillis: 1_000 }))
)
const lease = {
  workspaceId: WorkspaceId.make("ws_01arz3ndektsv4rrffq69g5fav"),
  runId: RunId.make("run_01arz3ndektsv4rrffq69g5fav"),
  token: "t"
}

describe("renewing leases", () => {
  it.live("does not wait behind the statements of others", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const { heartbeat } = yield* RunStore
      // Both connections are busy for longer than anybody would wait for one.
      const busy = yield* Effect.fork(
        Effect.all([query(sql`select pg_sleep(3)`), query(sql`select pg_sleep(3)`)], { concurrency: 2 })
      )
      yield* Effect.sleep("100 millis")
      assert.strictEqual(yield* Effect.flip(query(sql`select 1`)).pipe(Effect.map(({ _tag }) => _tag)), "storage_busy")
      const { held } = yield* heartbeat([lease], 1)
      assert.strictEqual(held.size, 0)
      yield* Fiber.interrupt(busy)
    }).pipe(Effect.provide(store))
  )
})

describe("a lease", () => {
  it.effect("lasts from the admission that stores it, however long that waited", () =>
    Effect.gen(function* () {
      const { tokenId, workspaceId } = yield* funded(1_000_000)
      const run = { ...queuedRun, workspaceId, tokenId, createdAt: 0 }
      yield* TestClock.adjust("5 seconds")
      const { admit } = yield* Admission
      const answer = yield* admit({
        run,
        start: { lease: { node: "n", token: "t", millis: 6_000 }, attempt: { ...attempt, workspaceId } },
        waitedFor: false
      })
      assert.strictEqual(answer._tag, "Admitted")
      const others = { node: "other", limit: 10, leaseMillis: 99_000, except: [] }
      const { reclaim } = yield* RunStore
      yield* TestClock.adjust("5999 millis")
      assert.lengthOf(yield* reclaim(others), 0)
      yield* TestClock.adjust("1 millis")
      assert.lengthOf(yield* reclaim(others), 1)
    }).pipe(
      Effect.provide(
        AdmissionBatched.pipe(
          Layer.provide(MoneyCommitsInTurn),
          Layer.provideMerge(storageMemory),
          Layer.provide(FaultPointsOff)
        )
      )
    )
  )
})
