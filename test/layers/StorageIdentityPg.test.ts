import { assert, it } from "@effect/vitest"
import { Clock, Effect, Either, Layer } from "effect"
import { describe } from "vitest"
import { RunId } from "../../src/domain/Ids.js"
import { EndpointId, ProviderId } from "../../src/domain/Manifest.js"
import { Micros } from "../../src/domain/Micros.js"
import { AdmissionBatched } from "../../src/layers/AdmissionBatched.js"
import { Database } from "../../src/layers/Database.js"
import { newRun } from "../../src/layers/runs/NewRun.js"
import { SettlementBatched } from "../../src/layers/SettlementBatched.js"
import { StorageIdentityPg } from "../../src/layers/StorageIdentityPg.js"
import { Admission } from "../../src/services/Admission.js"
import { FaultPointsOff } from "../../src/services/FaultPoints.js"
import { Ids } from "../../src/services/Ids.js"
import { RunStore } from "../../src/services/RunStore.js"
import { Wallet } from "../../src/services/Wallet.js"
import { funded, requestOf, storagePg } from "../support/engine.js"
import { testDatabase } from "../support/postgres.js"

/** Everything but a dispatcher, which would take the queued run. */
const live = Layer.merge(AdmissionBatched, SettlementBatched).pipe(
  Layer.provide(FaultPointsOff),
  Layer.provideMerge(storagePg),
  Layer.provideMerge(testDatabase())
)

const queued = Effect.gen(function*() {
  const principal = yield* funded(1_000_000)
  const candidate = {
    endpointId: EndpointId.make("mock-email-find"), providerId: ProviderId.make("mock"), contractVersion: "1", effectful: false, repeatable: true, input: {}, maxMicros: Micros.make(5_000)
  }
  const planned = Either.right({ job: null, prefer: "balanced", reason: "", candidates: [candidate], skipped: [], fallback: null, connectionId: null, capped: false } as const)
  const run = newRun(principal, requestOf("mock-email-find"), planned, RunId.make(`run_${yield* (yield* Ids).suffix}`), yield* Clock.currentTimeMillis)
  return { principal, run }
})

describe("the identity of the storage", () => {
  it.live("fails what was queued when the database turns out to be another one, and gives the money back", () =>
    Effect.gen(function*() {
      const { query, sql } = yield* Database
      const { principal, run } = yield* queued
      yield* Effect.scoped(Layer.build(StorageIdentityPg))
      yield* query(sql`update storage_identity set identity = 'another server'`)
      yield* (yield* Admission).admit({ run, start: null })
      yield* Effect.scoped(Layer.build(StorageIdentityPg))
      const stored = yield* (yield* RunStore).get(run)
      assert.strictEqual(stored?.error?.code, "runtime_store_replaced_before_dispatch")
      assert.strictEqual(stored?.status, "failed")
      assert.deepStrictEqual(yield* (yield* Wallet).balance(principal.workspaceId), { availableMicros: Micros.make(1_000_000), reservedMicros: Micros.make(0) })
    }).pipe(Effect.provide(live)))

  it.live("leaves the queue alone when the database is the one it was", () =>
    Effect.gen(function*() {
      const { principal, run } = yield* queued
      yield* Effect.scoped(Layer.build(StorageIdentityPg))
      yield* (yield* Admission).admit({ run, start: null })
      yield* Effect.scoped(Layer.build(StorageIdentityPg))
      const stored = yield* (yield* RunStore).get(run)
      assert.strictEqual(stored?.status, "queued")
      assert.strictEqual((yield* (yield* Wallet).balance(principal.workspaceId)).reservedMicros, run.holdMicros)
    }).pipe(Effect.provide(live)))
})
