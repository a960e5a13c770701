/**
 * The dispatcher of one node over the run queue of the storage. Four loops: new work (woken by signals, with a slow look as
 * the safety net), heartbeats of what is under way, taking over what silent nodes left, and cancels asked elsewhere.
 * When it stops it takes nothing new and lets what is under way end.
 */
import { Cause, Clock, Context, Effect, Exit, FiberSet, Layer, Option, Queue, Ref, Schedule, Stream } from "effect"
import { failed } from "./dispatcher/AttemptEnding.js"
import { makeSharedCalls } from "./dispatcher/SharedCalls.js"
import { openAttempt, type Parts, patiently, type Stop, workOn } from "./dispatcher/RunWork.js"
import type { RunId } from "../domain/Ids.js"
import { zero } from "../domain/Micros.js"
import { CapacityExhausted } from "../domain/RunFailures.js"
import { Catalog } from "../services/Catalog.js"
import { Credentials } from "../services/Credentials.js"
import { Dispatcher, type Slot } from "../services/Dispatcher.js"
import { EndpointStats } from "../services/EndpointStats.js"
import { FaultPoints } from "../services/FaultPoints.js"
import { Ids } from "../services/Ids.js"
import { type Listen, makeOnce, type Once } from "../services/Once.js"
import { ProviderHealth } from "../services/ProviderHealth.js"
import { Providers } from "../services/Providers.js"
import type { RunDetail } from "../services/Runs.js"
import { RunSignals } from "../services/RunSignals.js"
import { type Lease, type LeasedRun, type RunKey, RunStore } from "../services/RunStore.js"
import { Settlement } from "../services/Settlement.js"

export interface DispatcherOptions {
  /** Runs that one node works on at once. */
  readonly slots: number
  /** How long a lease lasts without a heartbeat: a dead node's runs are taken over after this. */
  readonly leaseMillis: number
  readonly heartbeatMillis: number
  /** How often the queue is looked at when no signal came. */
  readonly pollMillis: number
  /** How long a run may wait for a slot before it fails with `capacity_exhausted`. */
  readonly queueMillisMax: number
  /** How long runs under way may take to end when the node stops. */
  readonly drainMillis: number
  readonly normalizedOn: boolean
}

export const dispatcherDefaults: DispatcherOptions = {
  slots: 256,
  leaseMillis: 6_000,
  heartbeatMillis: 2_000,
  pollMillis: 1_000,
  queueMillisMax: 300_000,
  drainMillis: 10_000,
  normalizedOn: true
}

export class DispatcherSettings extends Context.Reference<DispatcherSettings>()("gateway/layers/DispatcherSettings", {
  defaultValue: (): DispatcherOptions => dispatcherDefaults
}) {}

interface Active {
  readonly leased: LeasedRun
  readonly stop: Once<Stop>
}

export const DispatcherQueue: Layer.Layer<
  Dispatcher,
  never,
  Catalog | Credentials | EndpointStats | FaultPoints | Ids | ProviderHealth | Providers | RunSignals | RunStore | Settlement
> = Layer.scoped(
  Dispatcher,
  Effect.gen(function*() {
    const options = yield* DispatcherSettings
    const signals = yield* RunSignals
    const parts: Parts = {
      catalog: yield* Catalog,
      credentials: yield* Credentials,
      faults: yield* FaultPoints,
      health: yield* ProviderHealth,
      ids: yield* Ids,
      normalizedOn: options.normalizedOn,
      providers: yield* Providers,
      settlement: yield* Settlement,
      shared: makeSharedCalls(),
      stats: yield* EndpointStats,
      store: yield* RunStore
    }
    const { ids, settlement, store } = parts
    const node = yield* ids.suffix
    const active = new Map<RunId, Active>()
    /** Lease tokens of runs that may be ours and are being looked for. */
    const adopting = new Set<string>()
    const taken = yield* Ref.make(0)
    const open = yield* Ref.make(true)
    const backlog = yield* Ref.make(false)
    const wakes = yield* Queue.sliding<void>(1)
    const wake = Effect.asVoid(Queue.offer(wakes, undefined))
    const fibers = yield* FiberSet.make()
    const run = workOn(parts)

    const newLease = Effect.map(ids.suffix, (token): Lease => ({ node, token, millis: options.leaseMillis }))

    // Only when runs are known to wait is a free slot a reason to look into the queue.
    const release = Effect.zipRight(Ref.update(taken, (n) => n - 1), Effect.flatMap(Ref.get(backlog), (waiting) => (waiting ? wake : Effect.void)))
    const slotFor = (lease: Lease): Effect.Effect<Slot> =>
      Effect.map(Ref.make(false), (released) => ({
        lease,
        release: Effect.flatMap(Ref.getAndSet(released, true), (before) => (before ? Effect.void : release))
      }))
    const takeSlots = (wanted: number): Effect.Effect<number> =>
      Ref.modify(taken, (n) => {
        const got = Math.max(0, Math.min(wanted, options.slots - n))
        return [got, n + got]
      })

    const reserve = Effect.gen(function*() {
      if (!(yield* Ref.get(open))) return null
      if ((yield* takeSlots(1)) === 0) return yield* Effect.as(Ref.set(backlog, true), null)
      return yield* slotFor(yield* newLease)
    })

    const start = (leased: LeasedRun, slot: Slot): Effect.Effect<Listen<Option.Option<RunDetail>>> =>
      Effect.suspend(() => {
        const { runId, workspaceId } = leased.run
        const entry: Active = { leased, stop: makeOnce() }
        const done = makeOnce<Option.Option<RunDetail>>()
        active.set(runId, entry)
        const work = Effect.onExit(run(leased, entry.stop), (exit) =>
          Effect.suspend(() => {
            // Unless this node has taken the run again meanwhile, under another lease.
            if (active.get(runId) === entry) active.delete(runId)
            return Effect.zipRight(slot.release, Effect.sync(() => done.tell(Exit.getOrElse(exit, () => Option.none()))))
          }))
        // A defect leaves the run leased and its money held: it is taken over when the lease ends.
        const told = Effect.catchAllCause(work, (cause) =>
          Cause.isInterruptedOnly(cause) ? Effect.void : Effect.annotateLogs(Effect.logError("work on a run died", cause), { runId, workspaceId }))
        // The caller may be uninterruptible; the work must not be, or nothing could abort its call.
        return Effect.as(FiberSet.run(fibers, Effect.interruptible(told)), done.listen)
      }).pipe(Effect.uninterruptible)

    const adopt = (key: RunKey, slot: Slot) =>
      Effect.gen(function*() {
        const { held } = yield* patiently(store.heartbeat([{ ...key, token: slot.lease.token }], options.leaseMillis))
        const run = held.has(key.runId) ? yield* patiently(store.get(key)) : null
        if (run === null) return yield* slot.release
        yield* start({ run, lease: slot.lease, attempts: yield* patiently(store.attempts(key)), takenOver: false, workersLost: 0, waitedMillis: 0 }, slot)
      }).pipe(
        Effect.onError(() => slot.release),
        Effect.ensuring(Effect.sync(() => adopting.delete(slot.lease.token))),
        Effect.interruptible,
        (work) => Effect.suspend(() => {
          adopting.add(slot.lease.token)
          return Effect.asVoid(FiberSet.run(fibers, work))
        })
      )

    const stopRun = (runId: RunId, why: Stop) => Effect.sync(() => active.get(runId)?.stop.tell(why))

    /** Runs that waited too long are told so instead of being called late. */
    const expire = (leased: LeasedRun) =>
      Effect.flatMap(Clock.currentTimeMillis, (completedAt) => settlement.settle({
        run: { ...failed(leased.run, new CapacityExhausted(), "error", null), completedAt },
        event: "Failed",
        costMicros: zero,
        reason: null,
        leaseToken: leased.lease.token,
        attempt: null,
        media: null
      })).pipe(Effect.asVoid, Effect.catchAll((trouble) => Effect.logDebug("storage is away", trouble)))

    const startAll = (found: ReadonlyArray<LeasedRun>) =>
      Effect.forEach(found, (leased) =>
        Effect.flatMap(slotFor(leased.lease), (slot) =>
          leased.attempts.length === 0 && leased.waitedMillis > options.queueMillisMax
            ? Effect.ensuring(expire(leased), slot.release)
            : Effect.asVoid(start(leased, slot))), { discard: true })

    /** Fills free slots from the storage; answers whether there may be more. */
    const fill = (take: (limit: number) => ReturnType<typeof store.claim>) =>
      Effect.gen(function*() {
        const room = (yield* Ref.get(open)) ? yield* takeSlots(claimMax) : 0
        if (room === 0) return true
        const found = yield* take(room).pipe(Effect.onError(() => Ref.update(taken, (n) => n - room)))
        yield* Ref.update(taken, (n) => n - (room - found.length))
        yield* startAll(found)
        return found.length === room
      }).pipe(Effect.catchAll((trouble) => Effect.as(Effect.logDebug("storage is away", trouble), true)))

    // Unset first: what is queued while the storage is asked sets it again.
    const claimQueued = Effect.zipRight(
      Ref.set(backlog, false),
      Effect.flatMap(
        fill((limit) => store.claim({ node, limit, leaseMillis: options.leaseMillis })),
        (more) => (more ? Ref.set(backlog, true) : Effect.void)
      )
    )
    const takeOver = fill((limit) =>
      store.reclaim({
        node,
        limit,
        leaseMillis: options.leaseMillis,
        except: [...adopting, ...Array.from(active.values(), ({ leased }) => leased.lease.token)]
      }))

    const heartbeat = Effect.gen(function*() {
      const before = [...active.values()].map(({ leased }) => ({ ...leased.run, token: leased.lease.token }))
      if (before.length === 0) return
      const { cancelled, held } = yield* store.heartbeat(before, options.leaseMillis)
      yield* Effect.forEach(cancelled, (runId) => stopRun(runId, "cancelled"), { discard: true })
      yield* Effect.forEach(before.filter(({ runId }) => !held.has(runId)), ({ runId }) => stopRun(runId, "lease_lost"), { discard: true })
    }).pipe(Effect.catchAll((trouble) => Effect.logDebug("storage is away", trouble)))

    const loops = [
      Effect.zipRight(Effect.raceFirst(Queue.take(wakes), Effect.sleep(options.pollMillis)), claimQueued),
      Effect.zipRight(Effect.sleep(options.heartbeatMillis), heartbeat),
      Effect.zipRight(takeOver, Effect.sleep(options.pollMillis))
    ]
    // Until the catalog is there, nobody here can work on what others left; a node that has it may take it meanwhile.
    const catalogLoaded = Effect.retry(parts.catalog.revision, Schedule.spaced(catalogLookMillis))
    yield* Effect.forEach(loops, (loop) =>
      loop.pipe(
        Effect.catchAllDefect((defect) => Effect.logError("dispatcher loop", defect)),
        Effect.forever,
        (forever) => Effect.zipRight(catalogLoaded, forever),
        Effect.withTracerEnabled(false),
        Effect.forkScoped
      ), { discard: true })
    yield* signals.work.pipe(
      Stream.runForEach((signal) =>
        signal._tag === "CancelRequested" ? stopRun(signal.runId, "cancelled") : signal._tag === "Settled" ? Effect.void : Effect.zipRight(Ref.set(backlog, true), wake)),
      Effect.forkScoped
    )

    // Registered last, so that it runs first: the loops keep the leases alive until what is under way has ended.
    yield* Effect.addFinalizer(() =>
      Ref.set(open, false).pipe(
        Effect.zipRight(FiberSet.awaitEmpty(fibers)),
        Effect.interruptible,
        Effect.timeoutOption(options.drainMillis),
        Effect.asVoid
      ))

    return Dispatcher.of({
      reserve,
      start,
      adopt,
      openAttempt: openAttempt(ids),
      wake,
      cancel: (runId) => stopRun(runId, "cancelled"),
      active: Effect.sync(() => active.size)
    })
  })
)

const catalogLookMillis = 50
/** Runs taken by one statement. Their slots are taken before it runs, so this is well below the slots: new runs start at once meanwhile. */
const claimMax = 64
