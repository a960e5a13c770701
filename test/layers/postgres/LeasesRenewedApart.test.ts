/**
 * A node whose main thread is blocked keeps its leases, as long as it is not blocked for too long and still works on
 * the runs.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Stream } from "effect"
import { Database } from "../../../src/layers/postgres/Database.js"
import { dispatcherDefaults, DispatcherSettings } from "../../../src/layers/runs/dispatch/DispatcherSettings.js"
import { AdmissionBatched } from "../../../src/layers/runs/AdmissionBatched.js"
import { MoneyCommitsInTurn } from "../../../src/layers/runs/MoneyCommits.js"
import { LeasesRenewedApart } from "../../../src/layers/postgres/leases/LeasesRenewedApart.js"
import { LeasesRenewedHere } from "../../../src/layers/runs/LeasesRenewedHere.js"
import { makeLeaseTable } from "../../../src/layers/postgres/leases/LeaseTable.js"
import { Admission } from "../../../src/services/Admission.js"
import { FaultPointsOff } from "../../../src/layers/node/FaultPointsOff.js"
import { LeaseKeeping } from "../../../src/services/LeaseKeeping.js"
import { RunStore } from "../../../src/services/RunStore.js"
import { Ids } from "../../../src/services/Ids.js"
import { RunId } from "../../../src/domain/Ids.js"
import { funded, storagePg } from "../../support/engine.js"
import { eventually } from "../../support/eventually.js"
import { attempt, queuedRun } from "../../support/httpSamples.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"

const settings = Layer.succeed(DispatcherSettings, {
  ...dispatcherDefaults,
  slots: 2,
  leaseMillis: 2_000,
  heartbeatMillis: 400
})
const database = sharedDatabase()
const live = AdmissionBatched.pipe(
  Layer.provide(MoneyCommitsInTurn),
  Layer.provide(FaultPointsOff),
  Layer.provideMerge(storagePg),
  Layer.provideMerge(database)
)
const by = (keeping: Layer.Layer<LeaseKeeping, never, Database | RunStore>) =>
  keeping.pipe(Layer.provide(settings), Layer.provideMerge(live))

/** A running run that this node has under a lease of two seconds. */
const leased = Effect.gen(function* () {
  const { suffix } = yield* Ids
  const { tokenId, workspaceId } = yield* funded(1_000_000)
  const runId = RunId.make(`run_${yield* suffix}`)
  const token = yield* suffix
  const run = { ...queuedRun, workspaceId, tokenId, runId, idempotencyKey: yield* suffix }
  yield* (yield* Admission).admit({
    run,
    start: { lease: { node: "n", token, millis: 2_000 }, attempt: { ...attempt, runId, workspaceId } },
    waitedFor: false
  })
  return { workspaceId, runId, token }
})

/**
 * Nothing else runs on this thread meanwhile, nor before it lets the lease go: a renewal that is due by then would
 * bring the lease back before anybody looks.
 */
const block = (millis: number, letGo: () => void) =>
  Effect.sync(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)
    letGo()
  })

/** Whether the lease has not ended, by the database's clock. */
const isHeld = ({ runId }: { readonly runId: RunId }) =>
  Effect.flatMap(Database, ({ query, sql }) =>
    Effect.map(
      query(
        sql`select lease_expires_at > extract(epoch from clock_timestamp()) * 1000 as held from runs where run_id = ${runId}`
      ),
      ([row]) => row?.["held"]
    )
  )

/** Threads take a moment to start; a node has that time before its first run. A first renewal shows that they have. */
const renewed = ({ runId }: { readonly runId: RunId }) =>
  Effect.gen(function* () {
    const { query, sql } = yield* Database
    const end = Effect.map(
      query(sql`select lease_expires_at as end from runs where run_id = ${runId}`),
      ([row]) => row?.["end"]
    )
    const first = yield* end
    yield* eventually(end, (now) => now !== first)
  })

describe("a node whose main thread is blocked", () => {
  it.live("keeps its leases when a thread of their own renews them, and loses them when it renews them itself", () =>
    Effect.gen(function* () {
      const blocked = (keeping: Layer.Layer<LeaseKeeping, never, Database | RunStore>) =>
        Effect.gen(function* () {
          const { register } = yield* LeaseKeeping
          const lease = yield* leased
          const letGo = register(lease)
          yield* renewed(lease)
          yield* block(3_500, letGo)
          return yield* isHeld(lease)
        }).pipe(Effect.provide(by(keeping)))
      assert.isTrue(yield* blocked(LeasesRenewedApart()))
      assert.isFalse(yield* blocked(LeasesRenewedHere))
    })
  )

  it.live("counts as dead when it is blocked for too long, and as alive when it goes on", () =>
    Effect.gen(function* () {
      const { register } = yield* LeaseKeeping
      const lease = yield* leased
      const letGo = register(lease)
      yield* renewed(lease)
      yield* block(4_000, letGo)
      assert.isFalse(yield* isHeld(lease))
      register(lease)
      yield* eventually(isHeld(lease), (held) => held === true)
    }).pipe(Effect.provide(by(LeasesRenewedApart({ silenceMillis: 1_000 }))))
  )

  it.live("no longer renews what it has let go, and renews more than its first table holds", () =>
    Effect.gen(function* () {
      const { register } = yield* LeaseKeeping
      for (let each = 0; each < 600; each++) register({ ...(yield* strangers), token: String(each) })
      const [kept, gone] = [yield* leased, yield* leased]
      register(kept)
      register(gone)()
      yield* Effect.sleep("3 seconds")
      assert.deepStrictEqual([yield* isHeld(kept), yield* isHeld(gone)], [true, false])
    }).pipe(Effect.provide(by(LeasesRenewedApart())))
  )

  it.live("is told what it has lost and what should be cancelled, also after its connection was killed", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const { register, news } = yield* LeaseKeeping
      const store = yield* RunStore
      const [lost, cancelled] = [yield* leased, yield* leased]
      register(lost)
      register(cancelled)
      const next = (what: string, { runId }: { readonly runId: RunId }) =>
        Effect.fork(
          Effect.map(
            Stream.runHead(Stream.filter(news, (one) => one.what === what && one.runId === runId)),
            Option.map(({ token }) => token)
          )
        )
      const first = yield* next("cancelled", cancelled)
      yield* Effect.yieldNow()
      yield* store.requestCancel(cancelled)
      assert.deepStrictEqual(yield* Fiber.join(first), Option.some(cancelled.token))
      yield* query(
        sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'provider-gateway (leases)' and datname = current_database()`
      )
      const second = yield* next("lost", lost)
      yield* query(sql`update runs set lease_token = 'another' where run_id = ${lost.runId}`)
      assert.deepStrictEqual(yield* Fiber.join(second), Option.some(lost.token))
    }).pipe(Effect.timeout("20 seconds"), Effect.provide(by(LeasesRenewedApart())))
  )
})

const strangers = Effect.map(
  Effect.flatMap(Ids, ({ suffix }) => suffix),
  (suffix) => ({ workspaceId: queuedRun.workspaceId, runId: RunId.make(`run_${suffix}`) })
)

describe("the table of leases", () => {
  it("is full at its size, and a slot that is free again is used again", () => {
    const table = makeLeaseTable(1)
    const lease = { workspaceId: queuedRun.workspaceId, runId: queuedRun.runId, token: "t" }
    const letGo = table.register(lease)
    assert.isNull(table.register(lease))
    letGo?.()
    letGo?.()
    assert.isNotNull(table.register(lease))
    assert.isNull(table.register(lease))
  })
})
