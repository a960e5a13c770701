/** The runs that this node works on now. Each has a fiber of its own and a lease that is kept alive. */
import { Cause, Effect, Exit, Fiber, Option, Runtime, type Scope } from "effect"
import type { RunId } from "../../../domain/Ids.js"
import type { Slot } from "../../../services/Dispatcher.js"
import type { LeaseKeeping } from "../../../services/LeaseKeeping.js"
import { type Listen, makeOneTimeEvent, type OneTimeEvent } from "../../../services/OneTimeEvent.js"
import type { SettledRun } from "../../../services/Runs.js"
import type { HeldLease, LeasedRun, RunKey } from "../../../services/RunStore.js"
import { makeUnderWay } from "../../../services/UnderWay.js"
import { withoutCallersServices } from "../WithoutCallersServices.js"
import { workOn } from "./RunWork.js"
import type { Parts, Stop } from "./Work.js"

interface Active {
  readonly leased: LeasedRun
  readonly stop: OneTimeEvent<Stop>
}

/** Each run whose admission is not decided yet waits with a connection of its own, and those are few. */
const undecidedAtOnceMax = 2

/** A node that stops waits no longer for a storage that does not answer: its leases then end by themselves. */
const leaveWithin = "2 seconds"

const leaseOf = ({ lease, run }: LeasedRun): HeldLease => ({
  workspaceId: run.workspaceId,
  runId: run.runId,
  token: lease.token
})

export interface ActiveRuns {
  /** See `Dispatcher.start`. */
  readonly start: (leased: LeasedRun, slot: Slot) => Effect.Effect<Listen<Option.Option<SettledRun>>>
  /** See `Dispatcher.adopt`. */
  readonly adopt: (key: RunKey, slot: Slot) => Effect.Effect<void>
  /**
   * Stops the work on a run, if this node works on it. When a token is given, only work under that lease is stopped.
   */
  readonly stop: (runId: RunId, why: Stop, token?: string) => Effect.Effect<void>
  /** Gives runs back to the other nodes at once, where the storage answers; on none of them may work go on here. */
  readonly leave: (left: ReadonlyArray<LeasedRun>) => Effect.Effect<void>
  /** The tokens of the leases that this node holds, or may hold. */
  readonly leaseTokens: () => ReadonlyArray<string>
  readonly count: Effect.Effect<number>
  readonly runIds: Effect.Effect<ReadonlyArray<RunId>>
  /** Waits until no run is being worked on. */
  readonly ended: Effect.Effect<void>
}

export const makeActiveRuns = (
  parts: Parts,
  leases: LeaseKeeping["Type"]
): Effect.Effect<ActiveRuns, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fibers = makeUnderWay<Fiber.RuntimeFiber<void>>()
    const runFork = Runtime.runFork(yield* withoutCallersServices(Effect.runtime<never>()))
    let closed = false
    const active = makeUnderWay<Active>()
    const leave: ActiveRuns["leave"] = (left) =>
      left.length === 0
        ? Effect.void
        : parts.store
            .leave(left.map(leaseOf))
            .pipe(Effect.interruptible, Effect.timeoutOption(leaveWithin), Effect.sandbox, Effect.ignore)
    // The work ends first: while it may still call a provider, no other node may have the run.
    yield* Effect.addFinalizer(() => {
      closed = true
      const left = Array.from(active, ({ leased }) => leased)
      return Effect.zipRight(Fiber.interruptAll(fibers), leave(left))
    })
    const fork = (work: Effect.Effect<void>): void => {
      if (closed) return
      const fiber = runFork(work, { immediate: false })
      fiber.addObserver(fibers.add(fiber))
    }
    const ended: Effect.Effect<void> = Effect.suspend(() => {
      const [fiber] = fibers
      return fiber === undefined ? Effect.void : Effect.zipRight(Fiber.await(fiber), ended)
    })
    /** Lease tokens of runs that may belong to this node and are being looked up. */
    const adopting = new Set<string>()
    const run = workOn(parts)

    const start: ActiveRuns["start"] = (leased, slot) =>
      Effect.suspend(() => {
        const { runId, workspaceId } = leased.run
        const entry: Active = { leased, stop: makeOneTimeEvent() }
        // The node that had the run was asked for it, or this one before it could begin.
        if (leased.run.cancelRequested) entry.stop.tell("cancelled")
        const done = makeOneTimeEvent<Option.Option<SettledRun>>()
        const remove = active.add(entry)
        const unregister = leases.register(leaseOf(leased))
        const work = Effect.onExit(run(leased, slot.sinceNanos, entry.stop), (exit) =>
          Effect.suspend(() => {
            remove()
            unregister()
            return Effect.zipRight(
              slot.release,
              Effect.sync(() => done.tell(Exit.getOrElse(exit, () => Option.none())))
            )
          })
        )
        // After a defect, the run keeps its lease and its hold. It is taken over when the lease ends.
        const logged = Effect.catchAllCause(work, (cause) =>
          Cause.isInterruptedOnly(cause)
            ? Effect.void
            : Effect.annotateLogs(Effect.logError("work on a run died", cause), { runId, workspaceId })
        )
        // The caller may be uninterruptible. The work must be interruptible, because otherwise nothing could abort its
        // call.
        fork(Effect.interruptible(logged))
        return Effect.succeed(done.listen)
      }).pipe(Effect.uninterruptible)

    const { patiently, store, transact, wallet } = parts
    const look = Effect.fnUntraced(function* (key: RunKey, { lease }: Slot) {
      const { held } = yield* patiently(store.heartbeat([{ ...key, token: lease.token }], lease.millis))
      return held.has(key.runId) ? yield* patiently(store.detail(key)) : null
    })

    const undecided = yield* Effect.makeSemaphore(undecidedAtOnceMax)
    /**
     * Waits until the transaction that admits a run has ended, which holds the wallet until then. The storage may work
     * on a commit long after its answer was lost. A node that stops does not wait for the lock.
     */
    const decided = ({ workspaceId }: RunKey) =>
      patiently(transact(wallet.lockBalance(workspaceId))).pipe(
        Effect.catchTag("not_found", () => Effect.void),
        Effect.disconnect,
        undecided.withPermits(1)
      )

    const lookFor = Effect.fnUntraced(function* (key: RunKey, slot: Slot) {
      const { lease } = slot
      const found = (yield* look(key, slot)) ?? (yield* Effect.zipRight(decided(key), look(key, slot)))
      if (found === null) return yield* slot.release
      yield* start({ ...found, lease, takenOver: false, workersLost: 0, restored: false, waitedMillis: 0 }, slot)
    })

    return {
      start,
      adopt: (key, slot) =>
        Effect.suspend(() => {
          adopting.add(slot.lease.token)
          const work = lookFor(key, slot).pipe(
            Effect.onError(() => slot.release),
            Effect.ensuring(Effect.sync(() => adopting.delete(slot.lease.token))),
            Effect.interruptible
          )
          fork(work)
          return Effect.void
        }),
      stop: (runId, why, token) =>
        Effect.sync(() => {
          for (const { leased, stop } of active)
            if (leased.run.runId === runId && (token === undefined || leased.lease.token === token)) stop.tell(why)
        }),
      leave,
      leaseTokens: () => [...adopting, ...Array.from(active, ({ leased }) => leased.lease.token)],
      count: Effect.sync(active.size),
      runIds: Effect.sync(() => [...new Set(Array.from(active, ({ leased }) => leased.run.runId))]),
      ended
    } satisfies ActiveRuns
  })
