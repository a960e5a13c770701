/**
 * Ends queued runs that have waited too long for a slot, instead of calling a provider late. Every node does it,
 * whatever its role, and needs no slot for it: the slots may be taken for minutes, and no node may take queued runs. A
 * node that takes the run at the same moment has it, because the end is fenced like the cancel of a queued run.
 */
import { Clock, Effect } from "effect"
import { CapacityExhausted, RuntimeStoreReplacedBeforeDispatch } from "../../../domain/RunFailures.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { LateRun, RunStore } from "../../../services/RunStore.js"
import type { Settlement, SettlementAnswer } from "../../../services/Settlement.js"
import { endUnstarted } from "../UnstartedRun.js"
import type { DispatcherOptions } from "./DispatcherSettings.js"

/** How many runs one look ends: they are read whole, and end in one commit. */
const portion = 64

/**
 * Ends a run that waited too long. A run that was admitted before the storage was restored may have been answered long
 * ago, so its failure says that instead. `leaseToken` is that of the node that has just taken the run, if one has.
 */
export const endWaitedTooLong = (
  settlement: Settlement["Type"],
  { restored, run }: LateRun,
  leaseToken: string | null
): Effect.Effect<SettlementAnswer, StorageError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    settlement.settle(
      endUnstarted({
        run,
        failure: restored ? new RuntimeStoreReplacedBeforeDispatch() : new CapacityExhausted(),
        leaseToken,
        now
      })
    )
  )

interface QueueParts {
  readonly options: DispatcherOptions
  readonly settlement: Settlement["Type"]
  readonly store: RunStore["Type"]
}

/**
 * Ends all of them, a portion at a time. One that cannot be ended is looked at again when a lease would have ended, and
 * ends this turn: the next one goes on with the others.
 */
export const endAllWaitedTooLong = ({ options, settlement, store }: QueueParts): Effect.Effect<void, StorageError> =>
  store.waitedLonger({ millis: options.queueMillisMax, limit: portion, asideMillis: options.leaseMillis }).pipe(
    Effect.flatMap((late) =>
      Effect.map(
        Effect.partition(late, (found) => Effect.sandbox(endWaitedTooLong(settlement, found, null)), {
          concurrency: "unbounded"
        }),
        ([broken]) => ({ broken, more: late.length === portion })
      )
    ),
    Effect.uninterruptible,
    Effect.repeat({ while: ({ broken, more }) => more && broken.length === 0 }),
    Effect.flatMap(({ broken: [first] }) => (first === undefined ? Effect.void : Effect.failCause(first)))
  )
