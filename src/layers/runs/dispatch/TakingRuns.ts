/**
 * How one node takes runs from the storage into its free slots: queued ones in their order, and running ones whose node
 * went silent.
 */
import { Clock, Effect, Ref } from "effect"
import { CapacityExhausted } from "../../../domain/RunFailures.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { LeasedRun, RunStore } from "../../../services/RunStore.js"
import type { Settlement } from "../../../services/Settlement.js"
import { endUnstarted } from "../UnstartedRun.js"
import type { ActiveRuns } from "./ActiveRuns.js"
import type { DispatcherOptions } from "./DispatcherSettings.js"
import type { Slots } from "./Slots.js"

/**
 * Runs taken by one statement. Their slots are taken before it runs, so this is well below the slots: new runs start at
 * once meanwhile.
 */
const claimMax = 64

export interface TakingParts {
  readonly active: ActiveRuns
  readonly node: string
  /** False when the node stops: then it takes nothing more. */
  readonly open: Ref.Ref<boolean>
  readonly options: DispatcherOptions
  readonly settlement: Settlement["Type"]
  readonly slots: Slots
  readonly store: RunStore["Type"]
}

/** Runs that waited too long are told so instead of being called late. */
const expire = ({ settlement }: TakingParts, { lease, run }: LeasedRun) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    settlement.settle(endUnstarted({ run, failure: new CapacityExhausted(), leaseToken: lease.token, now }))
  ).pipe(
    // What the storage does not take now is found again when the lease ends.
    Effect.ignore
  )

const startOrExpire = (parts: TakingParts, leased: LeasedRun) =>
  Effect.flatMap(parts.slots.slotFor(leased.lease), (slot) =>
    leased.attempts.length === 0 && leased.waitedMillis > parts.options.queueMillisMax
      ? Effect.ensuring(expire(parts, leased), slot.release)
      : Effect.asVoid(parts.active.start(leased, slot))
  )

type Take = (limit: number) => Effect.Effect<ReadonlyArray<LeasedRun>, StorageError>

/** Fills free slots from the storage; answers whether there may be more. */
const fill = (parts: TakingParts, take: Take): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const { open, slots } = parts
    const room = (yield* Ref.get(open)) ? yield* slots.take(claimMax) : 0
    if (room === 0) return true
    const found = yield* take(room).pipe(Effect.onError(() => slots.giveBack(room)))
    yield* slots.giveBack(room - found.length)
    yield* Effect.forEach(found, (leased) => startOrExpire(parts, leased), { discard: true })
    return found.length === room
  }).pipe(Effect.orElseSucceed(() => true))

/** Starts queued runs; `backlog` says afterwards whether more are waiting. */
export const claimQueued = (parts: TakingParts, backlog: Ref.Ref<boolean>): Effect.Effect<void> => {
  const { node, options, store } = parts
  // Unset first: what is queued while the storage is asked sets it again.
  return Effect.zipRight(
    Ref.set(backlog, false),
    Effect.flatMap(
      fill(parts, (limit) => store.claim({ node, limit, leaseMillis: options.leaseMillis })),
      (more) => (more ? Ref.set(backlog, true) : Effect.void)
    )
  )
}

/**
 * Takes over the runs of silent nodes, once each time it runs. A node that could not reach the storage for a while
 * knows nothing about the leases of others, which may have been as far away: it gives them the time to renew them
 * first.
 */
export const makeTakeOver = (parts: TakingParts): Effect.Effect<Effect.Effect<void>> =>
  Effect.map(Ref.make(false), (waitingForOthers) => {
    const { active, node, options, store } = parts
    const take: Take = (limit) =>
      store
        .reclaim({ node, limit, leaseMillis: options.leaseMillis, except: active.leaseTokens() })
        .pipe(Effect.tapError(() => Ref.set(waitingForOthers, true)))
    return Effect.flatMap(Ref.getAndSet(waitingForOthers, false), (wait) =>
      wait ? Effect.sleep(options.heartbeatMillis) : Effect.asVoid(fill(parts, take))
    )
  })
