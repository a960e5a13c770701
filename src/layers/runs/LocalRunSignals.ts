/**
 * Signals inside one process: a registry of the waiters of each run, and one broadcast of work. Every storage uses it.
 * A storage that serves several nodes also passes on the signals of the other nodes.
 */
import { Effect, PubSub, Stream } from "effect"
import type { RunId } from "../../domain/Ids.js"
import { makeOneTimeEvent, type OneTimeEvent } from "../../services/OneTimeEvent.js"
import { RunSignals, type RunSignal } from "../../services/RunSignals.js"

/** Work signals are only hints, and the queue is also polled. A slow reader may therefore lose the oldest signals. */
const backlogMax = 1024

export const makeLocalRunSignals = Effect.gen(function* () {
  const waiters = new Map<RunId, Set<OneTimeEvent<void>>>()
  const work = yield* PubSub.sliding<RunSignal>(backlogMax)

  const tellSettled = (runId: RunId): void => waiters.get(runId)?.forEach((waiter) => waiter.tell())

  const signals = RunSignals.of({
    subscribe: (runId) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const waiter = makeOneTimeEvent<void>()
          const known = waiters.get(runId) ?? new Set()
          waiters.set(runId, known.add(waiter))
          return waiter
        }),
        (waiter) =>
          Effect.sync(() => {
            const known = waiters.get(runId)
            known?.delete(waiter)
            if (known?.size === 0) waiters.delete(runId)
          })
      ).pipe(Effect.map(({ listen }) => listen)),
    work: Stream.fromPubSub(work),
    publish: (signal) => {
      switch (signal._tag) {
        case "Settled":
          return Effect.sync(() => tellSettled(signal.runId))
        case "Rescan":
          return Effect.zipRight(
            Effect.sync(() => [...waiters.keys()].forEach(tellSettled)),
            Effect.asVoid(PubSub.publish(work, signal))
          )
        default:
          return Effect.asVoid(PubSub.publish(work, signal))
      }
    }
  })
  return { signals, tellSettled }
})
