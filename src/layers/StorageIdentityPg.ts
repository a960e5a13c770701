/**
 * Notices that the storage was restored or replaced: the server's system identifier, its timeline (a restore to a point in time
 * or a promoted standby starts a new one) and the database's own number are kept in the database and compared at every start
 * and after every lost connection. Runs that were queued in what was restored may have been answered long ago, so
 * they fail with `runtime_store_replaced_before_dispatch` instead of being called. A copy of the files on the same server is not noticed.
 */
import { Clock, Effect, Layer, Queue } from "effect"
import { zero } from "../domain/Micros.js"
import { RuntimeStoreReplacedBeforeDispatch } from "../domain/RunFailures.js"
import type { StorageError } from "../domain/StorageErrors.js"
import { RunStore } from "../services/RunStore.js"
import { Settlement } from "../services/Settlement.js"
import { Database } from "./Database.js"
import { failed } from "./dispatcher/AttemptEnding.js"

const batch = 64
const leaseMillis = 30_000

const make = Effect.gen(function*() {
  const { listen, sql, transact } = yield* Database
  const store = yield* RunStore
  const settlement = yield* Settlement

  /** Writes down where the rows are now; true when they were somewhere else before. */
  const moved = transact(Effect.gen(function*() {
    const [now] = yield* sql<{ identity: string }>`
      select s.system_identifier || '/' || c.timeline_id || '/' || d.oid as identity
      from pg_control_system() s, pg_control_checkpoint() c, pg_database d where d.datname = current_database()`
    const identity = now?.identity ?? ""
    const [before] = yield* sql<{ identity: string }>`select identity from storage_identity for update`
    if (before?.identity === identity) return false
    yield* sql`insert into storage_identity (identity) values (${identity}) on conflict (only_row) do update set identity = excluded.identity`
    return before !== undefined
  }))

  const failQueued: Effect.Effect<void, StorageError> = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const taken = yield* store.claim({ node: "storage-identity", limit: batch, leaseMillis })
    yield* Effect.forEach(taken, ({ lease, run }) =>
      settlement.settle({
        run: { ...failed(run, new RuntimeStoreReplacedBeforeDispatch(), "error", null), completedAt: now },
        event: "Failed",
        costMicros: zero,
        reason: null,
        leaseToken: lease.token,
        attempt: null,
        media: null
      }), { concurrency: batch, discard: true })
    if (taken.length > 0) {
      yield* Effect.logWarning("The storage was restored or replaced: queued runs were failed").pipe(Effect.annotateLogs({ runs: taken.length }))
      yield* failQueued
    }
  })

  const check = Effect.whenEffect(failQueued, moved)
  yield* check
  // However often it reconnects while one check is under way, one more is enough.
  const connected = yield* Queue.sliding<void>(1)
  yield* Effect.forkScoped(listen("gateway_storage", (payload) => payload === undefined && connected.unsafeOffer()))
  yield* Queue.take(connected).pipe(
    Effect.zipRight(Effect.catchAll(check, (trouble) => Effect.logDebug("storage is away", trouble))),
    Effect.forever,
    Effect.forkScoped
  )
})

/** To be built before anything takes runs out of the queue. */
export const StorageIdentityPg: Layer.Layer<never, StorageError, Database | RunStore | Settlement> = Layer.scopedDiscard(make)
