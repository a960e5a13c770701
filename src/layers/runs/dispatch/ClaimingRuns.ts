/**
 * How one node takes runs from the storage into its free slots: queued runs in their order, and running ones whose node
 * stopped renewing their leases.
 */
import { Array as Arr, Clock, Effect, Ref } from "effect"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { LeasedRun, RunStore } from "../../../services/RunStore.js"
import type { Settlement } from "../../../services/Settlement.js"
import type { ActiveRuns } from "./ActiveRuns.js"
import type { DispatcherOptions } from "./DispatcherSettings.js"
import type { Slots } from "./Slots.js"
import { endWaitedTooLong } from "./WaitedTooLong.js"

/**
 * How many runs one statement takes. Their slots are reserved before the statement runs. The number is well below the
 * number of slots, so that new runs can start at once meanwhile.
 */
const claimMax = 64
const claimedAtOnce = ({ slots }: DispatcherOptions): number => Math.min(claimMax, Math.ceil(slots / 4))

export interface ClaimingParts {
  readonly active: ActiveRuns
  readonly node: string
  /** False when the node stops: it then takes no more runs. */
  readonly open: Ref.Ref<boolean>
  readonly options: DispatcherOptions
  readonly settlement: Settlement["Type"]
  readonly slots: Slots
  readonly store: RunStore["Type"]
}

/** If the storage cannot write this end now, some node takes the run over when its lease ends, and ends it. */
const expire = ({ settlement }: ClaimingParts, leased: LeasedRun) =>
  Effect.ignore(endWaitedTooLong(settlement, leased, leased.lease.token))

/** `WaitedTooLong.ts` ends such runs in the queue. This one was taken first, as after a time without storage. */
const waitedTooLong = ({ options }: ClaimingParts, { attempts, waitedMillis }: LeasedRun): boolean =>
  attempts.length === 0 && waitedMillis > options.queueMillisMax

type Take = (limit: number) => Effect.Effect<ReadonlyArray<LeasedRun>, StorageError>

type Filled = "all" | "again" | "no_room"

/**
 * Takes runs into free slots once. A claim must not be interrupted: once its statement is sent, the runs are taken,
 * even if this node stops meanwhile. Then the runs are given back: otherwise the node would count as one that died
 * while it worked on them.
 */
const fillOnce = (parts: ClaimingParts, take: Take): Effect.Effect<Filled, StorageError> =>
  Effect.gen(function* () {
    const { active, open, options, slots } = parts
    const room = (yield* Ref.get(open)) ? yield* slots.take(claimedAtOnce(options)) : 0
    if (room === 0) return "no_room"
    const sinceNanos = yield* Clock.currentTimeNanos
    const found = yield* take(room).pipe(Effect.onError(() => slots.giveBack(room)))
    if (!(yield* Ref.get(open))) {
      yield* slots.giveBack(room)
      yield* active.leave(found)
      return "no_room"
    }
    yield* slots.giveBack(room - found.length)
    const taken = yield* Effect.forEach(found, (leased) =>
      Effect.map(slots.slotFor(leased.lease, sinceNanos), (slot) => ({ leased, slot }))
    )
    const [live, late] = Arr.partition(taken, ({ leased }) => waitedTooLong(parts, leased))
    yield* Effect.forEach(live, ({ leased, slot }) => active.start(leased, slot), { discard: true })
    // Nobody renews the leases of these, so they end together, in one commit.
    yield* Effect.forEach(late, ({ leased, slot }) => Effect.ensuring(expire(parts, leased), slot.release), {
      concurrency: "unbounded",
      discard: true
    })
    return found.length === room ? "again" : "all"
  }).pipe(Effect.uninterruptible)

/** Fills free slots from the storage, one statement after the other; answers whether there may be more. */
const fill = (parts: ClaimingParts, take: Take): Effect.Effect<boolean> =>
  fillOnce(parts, take).pipe(
    Effect.orElseSucceed((): Filled => "no_room"),
    Effect.flatMap((filled) => (filled === "again" ? fill(parts, take) : Effect.succeed(filled === "no_room")))
  )

/** Starts queued runs; `backlog` says afterwards whether more are waiting. */
export const claimQueued = (parts: ClaimingParts, backlog: Ref.Ref<boolean>): Effect.Effect<void> => {
  const { node, options, store } = parts
  // The flag is cleared first: a run that is queued while the storage is read sets it again.
  return Effect.zipRight(
    Ref.set(backlog, false),
    Effect.flatMap(
      fill(parts, (limit) => store.claim({ node, limit, leaseMillis: options.leaseMillis })),
      (more) => (more ? Ref.set(backlog, true) : Effect.void)
    )
  )
}

/**
 * Takes over the runs of silent nodes, once each time it runs. When this node could not reach the storage for a while,
 * the other nodes may have been cut off too. It then first gives them time to renew their leases.
 */
export const makeTakeOver = (parts: ClaimingParts): Effect.Effect<Effect.Effect<void>> =>
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
