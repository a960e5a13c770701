/**
 * The dispatcher of one node over the run queue of the storage. Its loops: new work (woken by signals, with a slow look
 * as the safety net), taking over what silent nodes left, ending what waited too long, and cancels asked elsewhere. Its
 * leases are renewed by LeaseKeeping. When it stops it takes nothing new and lets what is under way end.
 */
import { Effect, Layer, Option, Queue, Ref, Schedule, Stream } from "effect"
import { Catalog } from "../../../services/Catalog.js"
import { Credentials } from "../../../services/Credentials.js"
import { Dispatcher } from "../../../services/Dispatcher.js"
import { EndpointStats } from "../../../services/EndpointStats.js"
import { FaultPoints } from "../../../services/FaultPoints.js"
import { Ids } from "../../../services/Ids.js"
import { LeaseKeeping } from "../../../services/LeaseKeeping.js"
import { ProviderHealth } from "../../../services/ProviderHealth.js"
import { Providers } from "../../../services/Providers.js"
import { RunSignals } from "../../../services/RunSignals.js"
import { RunStore } from "../../../services/RunStore.js"
import { Settlement } from "../../../services/Settlement.js"
import { Tracing } from "../../../services/Tracing.js"
import { Transactions } from "../../../services/Transactions.js"
import { Wallet } from "../../../services/Wallet.js"
import { everySoOften, repeatInBackground } from "../../node/Background.js"
import { makeTrouble } from "../../node/Trouble.js"
import { makeAnswerChecks } from "./AnswerChecks.js"
import { type ActiveRuns, makeActiveRuns } from "./ActiveRuns.js"
import { DispatcherSettings } from "./DispatcherSettings.js"
import { openAttempt } from "./RunWork.js"
import { makeSingleFlight } from "./SingleFlight.js"
import { makeSlots } from "./Slots.js"
import { claimQueued, makeTakeOver, type ClaimingParts } from "./ClaimingRuns.js"
import { beginCountingEnds } from "./RunCounters.js"
import { endAllWaitedTooLong } from "./WaitedTooLong.js"
import { type Parts, patientlyWith } from "./Work.js"

export { dispatcherDefaults, type DispatcherOptions, DispatcherSettings } from "./DispatcherSettings.js"

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
  | Transactions
  | Wallet
> = Layer.scoped(
  Dispatcher,
  Effect.gen(function* () {
    yield* beginCountingEnds
    const options = yield* DispatcherSettings
    const leases = yield* LeaseKeeping
    const signals = yield* RunSignals
    const stats = yield* EndpointStats
    const parts: Parts = {
      catalog: yield* Catalog,
      clock: yield* Effect.clock,
      credentials: yield* Credentials,
      faults: yield* FaultPoints,
      health: yield* ProviderHealth,
      ids: yield* Ids,
      lookAt: yield* makeAnswerChecks(stats),
      normalizedOn: options.normalizedOn,
      patiently: patientlyWith(yield* makeTrouble("runs")),
      providers: yield* Providers,
      settlement: yield* Settlement,
      shared: makeSingleFlight(),
      stats,
      store: yield* RunStore,
      tracer: yield* Tracing,
      transact: (yield* Transactions).transact,
      wallet: yield* Wallet
    }
    const { ids, settlement, store } = parts
    const node = options.node ?? (yield* ids.suffix)
    const open = yield* Ref.make(true)
    /** Whether runs are known to wait in the queue: only then is a free slot a reason to look into it. */
    const backlog = yield* Ref.make(false)
    const wakes = yield* Queue.sliding<void>(1)
    const wake = Effect.asVoid(Queue.offer(wakes, undefined))
    const slots = yield* makeSlots(
      options.slots,
      Effect.flatMap(Ref.get(backlog), (waiting) => (waiting ? wake : Effect.void))
    )
    const active = yield* makeActiveRuns(parts, leases)
    const taking: ClaimingParts = { active, node, open, options, settlement, slots, store }
    const takeOver = yield* makeTakeOver(taking)

    const reserve = Effect.fnUntraced(function* (waitedFor: boolean) {
      if (!(waitedFor || options.startsUnwaited) || !(yield* Ref.get(open))) return null
      if ((yield* slots.take(1)) === 0) return yield* Effect.as(Ref.set(backlog, true), null)
      const sinceNanos = parts.clock.unsafeCurrentTimeNanos()
      return yield* slots.slotFor({ node, token: yield* ids.suffix, millis: options.leaseMillis }, sinceNanos)
    })

    // Until the catalog is there, nobody here can work on what others left; a node that has it may take it meanwhile.
    const onceLoaded = (step: Effect.Effect<unknown>) =>
      Effect.zipRight(Effect.orDie(Effect.retry(parts.catalog.revision, Schedule.spaced(catalogLookMillis))), step)
    const taken = [
      repeatInBackground(
        "starting queued runs",
        onceLoaded(
          Effect.zipRight(
            Effect.raceFirst(Queue.take(wakes), Effect.sleep(options.pollMillis)),
            claimQueued(taking, backlog)
          )
        )
      ),
      repeatInBackground("taking over runs", onceLoaded(Effect.zipRight(takeOver, Effect.sleep(options.pollMillis))))
    ]
    if (options.takesQueued) yield* Effect.all(taken)
    yield* everySoOften(
      { name: "ending runs that waited too long", every: options.pollMillis },
      endAllWaitedTooLong({ options, settlement, store })
    )
    yield* leases.news.pipe(
      Stream.runForEach(({ runId, token, what }) =>
        active.stop(runId, what === "lost" ? "lease_lost" : "cancelled", token)
      ),
      Effect.forkScoped
    )
    yield* signals.work.pipe(
      Stream.runForEach((signal) =>
        signal._tag === "CancelRequested"
          ? active.stop(signal.runId, "cancelled")
          : signal._tag === "Settled" || signal._tag === "CalledBack"
            ? Effect.void
            : Effect.zipRight(Ref.set(backlog, true), wake)
      ),
      Effect.forkScoped
    )

    // Registered last, so that it runs first: leases are kept until what is under way has ended.
    yield* Effect.addFinalizer(() =>
      Ref.set(open, false).pipe(
        Effect.zipRight(active.ended),
        Effect.interruptible,
        Effect.timeoutOption(options.drainMillis),
        Effect.flatMap((ended) => (Option.isSome(ended) || options.drainMillis === 0 ? Effect.void : tellLeft(active)))
      )
    )

    return Dispatcher.of({
      reserve,
      start: active.start,
      adopt: active.adopt,
      openAttempt: openAttempt(parts),
      cancel: (runId) => active.stop(runId, "cancelled"),
      active: active.count
    })
  })
)

const catalogLookMillis = 50

const leftNamedMax = 50
/** Names the runs that this node leaves. The node may hold answers for them that it could not store; these are lost. */
const tellLeft = ({ runIds }: ActiveRuns) =>
  Effect.flatMap(runIds, (left) =>
    Effect.annotateLogs(
      Effect.logWarning(
        "This node stops with unfinished runs: other nodes take them over. Answers that are not stored yet are lost, and a run whose call may have had an effect waits for an operator"
      ),
      { runs: left.length, runIds: left.slice(0, leftNamedMax).join(" ") }
    )
  )
