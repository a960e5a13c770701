/**
 * The dispatcher of one node over the run queue of the storage. Its loops: new work (woken by signals, with a slow look
 * as the safety net), taking over what silent nodes left, and cancels asked elsewhere. Its leases are renewed by
 * LeaseKeeping. When it stops it takes nothing new and lets what is under way end.
 */
import { Cause, Clock, Effect, Exit, FiberSet, Layer, Option, Queue, Ref, Schedule, Stream } from "effect"
import { makeSharedCalls } from "./SharedCalls.js"
import { openAttempt, workOn } from "./RunWork.js"
import { type Parts, patientlyWith, type Stop } from "./Work.js"
import type { RunId } from "../../../domain/Ids.js"
import { CapacityExhausted } from "../../../domain/RunFailures.js"
import { repeatInBackground } from "../../node/Background.js"
import { makeTrouble } from "../../node/Trouble.js"
import { endUnstarted } from "../UnstartedRun.js"
import { DispatcherSettings } from "./DispatcherSettings.js"
import { Catalog } from "../../../services/Catalog.js"
import { Credentials } from "../../../services/Credentials.js"
import { Dispatcher, type Slot } from "../../../services/Dispatcher.js"
import { EndpointStats } from "../../../services/EndpointStats.js"
import { FaultPoints } from "../../../services/FaultPoints.js"
import { Ids } from "../../../services/Ids.js"
import { type Listen, makeOnce, type Once } from "../../../services/Once.js"
import { ProviderHealth } from "../../../services/ProviderHealth.js"
import { LeaseKeeping } from "../../../services/LeaseKeeping.js"
import { Providers } from "../../../services/Providers.js"
import type { RunDetail } from "../../../services/Runs.js"
import { RunSignals } from "../../../services/RunSignals.js"
import { type Lease, type LeasedRun, type RunKey, RunStore } from "../../../services/RunStore.js"
import { Settlement } from "../../../services/Settlement.js"

export { dispatcherDefaults, type DispatcherOptions, DispatcherSettings } from "./DispatcherSettings.js"

interface Active {
  readonly leased: LeasedRun
  readonly stop: Once<Stop>
}

export const DispatcherQueue: Layer.Layer<
  Dispatcher,
  never,
  | Catalog
  | Credentials
  | EndpointStats
  | FaultPoints
  | Ids
  | LeaseKeeping
  | ProviderHealth
  | Providers
  | RunSignals
  | RunStore
  | Settlement
> = Layer.scoped(
  Dispatcher,
  Effect.gen(function* () {
    const options = yield* DispatcherSettings
    const leases = yield* LeaseKeeping
    const signals = yield* RunSignals
    const parts: Parts = {
      catalog: yield* Catalog,
      credentials: yield* Credentials,
      faults: yield* FaultPoints,
      health: yield* ProviderHealth,
      ids: yield* Ids,
      normalizedOn: options.normalizedOn,
      patiently: patientlyWith(yield* makeTrouble("runs")),
      providers: yield* Providers,
      settlement: yield* Settlement,
      shared: makeSharedCalls(),
      stats: yield* EndpointStats,
      store: yield* RunStore
    }
    const { ids, patiently, settlement, store } = parts
    const node = yield* ids.suffix
    const active = new Map<RunId, Active>()
    /** Lease tokens of runs that may be ours and are being looked for. */
    const adopting = new Set<string>()
    const taken = yield* Ref.make(0)
    const open = yield* Ref.make(true)
    const backlog = yield* Ref.make(false)
    const waitingForOthers = yield* Ref.make(false)
    const wakes = yield* Queue.sliding<void>(1)
    const wake = Effect.asVoid(Queue.offer(wakes, undefined))
    const fibers = yield* FiberSet.make()
    const run = workOn(parts)

    const newLease = Effect.map(ids.suffix, (token): Lease => ({ node, token, millis: options.leaseMillis }))

    // Only when runs are known to wait is a free slot a reason to look into the queue.
    const release = Effect.zipRight(
      Ref.update(taken, (n) => n - 1),
      Effect.flatMap(Ref.get(backlog), (waiting) => (waiting ? wake : Effect.void))
    )
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

    const reserve = Effect.gen(function* () {
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
        const letGo = leases.keep({ workspaceId, runId, token: leased.lease.token })
        const work = Effect.onExit(run(leased, entry.stop), (exit) =>
          Effect.suspend(() => {
            // Unless this node has taken the run again meanwhile, under another lease.
            if (active.get(runId) === entry) active.delete(runId)
            letGo()
            return Effect.zipRight(
              slot.release,
              Effect.sync(() => done.tell(Exit.getOrElse(exit, () => Option.none())))
            )
          })
        )
        // A defect leaves the run leased and its money held: it is taken over when the lease ends.
        const told = Effect.catchAllCause(work, (cause) =>
          Cause.isInterruptedOnly(cause)
            ? Effect.void
            : Effect.annotateLogs(Effect.logError("work on a run died", cause), { runId, workspaceId })
        )
        // The caller may be uninterruptible; the work must not be, or nothing could abort its call.
        return Effect.as(FiberSet.run(fibers, Effect.interruptible(told)), done.listen)
      }).pipe(Effect.uninterruptible)

    const adopt = (key: RunKey, slot: Slot) =>
      Effect.gen(function* () {
        const { held } = yield* patiently(store.heartbeat([{ ...key, token: slot.lease.token }], options.leaseMillis))
        const run = held.has(key.runId) ? yield* patiently(store.get(key)) : null
        if (run === null) return yield* slot.release
        yield* start(
          {
            run,
            lease: slot.lease,
            attempts: yield* patiently(store.attempts(key)),
            takenOver: false,
            workersLost: 0,
            restored: false,
            waitedMillis: 0
          },
          slot
        )
      }).pipe(
        Effect.onError(() => slot.release),
        Effect.ensuring(Effect.sync(() => adopting.delete(slot.lease.token))),
        Effect.interruptible,
        (work) =>
          Effect.suspend(() => {
            adopting.add(slot.lease.token)
            return Effect.asVoid(FiberSet.run(fibers, work))
          })
      )

    const cancelRun = (runId: RunId) => Effect.sync(() => active.get(runId)?.stop.tell("cancelled"))

    /** Runs that waited too long are told so instead of being called late. */
    const expire = (leased: LeasedRun) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        settlement.settle(
          endUnstarted({
            run: leased.run,
            failure: new CapacityExhausted(),
            leaseToken: leased.lease.token,
            now
          })
        )
      ).pipe(
        // What the storage does not take now is found again when the lease ends.
        Effect.ignore
      )

    const startAll = (found: ReadonlyArray<LeasedRun>) =>
      Effect.forEach(
        found,
        (leased) =>
          Effect.flatMap(slotFor(leased.lease), (slot) =>
            leased.attempts.length === 0 && leased.waitedMillis > options.queueMillisMax
              ? Effect.ensuring(expire(leased), slot.release)
              : Effect.asVoid(start(leased, slot))
          ),
        { discard: true }
      )

    /** Fills free slots from the storage; answers whether there may be more. */
    const fill = (take: (limit: number) => ReturnType<typeof store.claim>) =>
      Effect.gen(function* () {
        const room = (yield* Ref.get(open)) ? yield* takeSlots(claimMax) : 0
        if (room === 0) return true
        const found = yield* take(room).pipe(Effect.onError(() => Ref.update(taken, (n) => n - room)))
        yield* Ref.update(taken, (n) => n - (room - found.length))
        yield* startAll(found)
        return found.length === room
      }).pipe(Effect.orElseSucceed(() => true))

    // Unset first: what is queued while the storage is asked sets it again.
    const claimQueued = Effect.zipRight(
      Ref.set(backlog, false),
      Effect.flatMap(
        fill((limit) => store.claim({ node, limit, leaseMillis: options.leaseMillis })),
        (more) => (more ? Ref.set(backlog, true) : Effect.void)
      )
    )
    /**
     * Whoever could not reach the storage for a while knows nothing about the leases of others, which may just have
     * been as far away: they get the time to renew them first.
     */
    const takeOver = Effect.flatMap(Ref.get(waitingForOthers), (wait) =>
      wait ? Effect.zipRight(Ref.set(waitingForOthers, false), Effect.sleep(options.heartbeatMillis)) : takeOverNow
    )
    const takeOverNow = fill((limit) =>
      store
        .reclaim({
          node,
          limit,
          leaseMillis: options.leaseMillis,
          except: [...adopting, ...Array.from(active.values(), ({ leased }) => leased.lease.token)]
        })
        .pipe(Effect.tapError(() => Ref.set(waitingForOthers, true)))
    )

    // Until the catalog is there, nobody here can work on what others left; a node that has it may take it meanwhile.
    const onceLoaded = (step: Effect.Effect<unknown>) =>
      Effect.zipRight(Effect.orDie(Effect.retry(parts.catalog.revision, Schedule.spaced(catalogLookMillis))), step)
    yield* repeatInBackground(
      "starting queued runs",
      onceLoaded(Effect.zipRight(Effect.raceFirst(Queue.take(wakes), Effect.sleep(options.pollMillis)), claimQueued))
    )
    yield* repeatInBackground(
      "taking over runs",
      onceLoaded(Effect.zipRight(takeOver, Effect.sleep(options.pollMillis)))
    )
    yield* leases.news.pipe(
      Stream.runForEach(({ runId, token, what }) =>
        Effect.sync(() => {
          const entry = active.get(runId)
          if (entry?.leased.lease.token === token) entry.stop.tell(what === "lost" ? "lease_lost" : "cancelled")
        })
      ),
      Effect.forkScoped
    )
    yield* signals.work.pipe(
      Stream.runForEach((signal) =>
        signal._tag === "CancelRequested"
          ? cancelRun(signal.runId)
          : signal._tag === "Settled"
            ? Effect.void
            : Effect.zipRight(Ref.set(backlog, true), wake)
      ),
      Effect.forkScoped
    )

    // Registered last, so that it runs first: leases are kept until what is under way has ended.
    yield* Effect.addFinalizer(() =>
      Ref.set(open, false).pipe(
        Effect.zipRight(FiberSet.awaitEmpty(fibers)),
        Effect.interruptible,
        Effect.timeoutOption(options.drainMillis),
        Effect.asVoid
      )
    )

    return Dispatcher.of({
      reserve,
      start,
      adopt,
      openAttempt: openAttempt(ids),
      wake,
      cancel: (runId) => cancelRun(runId),
      active: Effect.sync(() => active.size)
    })
  })
)

const catalogLookMillis = 50
/**
 * Runs taken by one statement. Their slots are taken before it runs, so this is well below the slots: new runs start at
 * once meanwhile.
 */
const claimMax = 64
