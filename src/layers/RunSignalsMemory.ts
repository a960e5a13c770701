/** Signals inside one process: a registry of waiters per run and one broadcast of work. */
import { Deferred, Effect, Layer, PubSub, Stream } from "effect"
import type { RunId } from "../domain/Ids.js"
import { RunSignals, type RunSignal } from "../services/RunSignals.js"

/** Work signals are hints and the queue is polled besides: a slow reader may lose the oldest. */
const backlogMax = 1024

export const makeRunSignals = Effect.gen(function*() {
  const waiters = new Map<RunId, Set<Deferred.Deferred<void>>>()
  const work = yield* PubSub.sliding<RunSignal>(backlogMax)

  const tell = (runId: RunId) => Effect.forEach(waiters.get(runId) ?? [], (waiter) => Deferred.succeed(waiter, undefined), { discard: true })

  return RunSignals.of({
    subscribe: (runId) =>
      Effect.acquireRelease(
        Effect.map(Deferred.make<void>(), (waiter) => {
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
      ).pipe(Effect.map((waiter) => Deferred.await(waiter))),
    work: Stream.fromPubSub(work),
    publish: (signal) => {
      switch (signal._tag) {
        case "Settled":
          return tell(signal.runId)
        case "Rescan":
          return Effect.zipRight(Effect.forEach([...waiters.keys()], tell, { discard: true }), PubSub.publish(work, signal)).pipe(Effect.asVoid)
        default:
          return Effect.asVoid(PubSub.publish(work, signal))
      }
    }
  })
})

export const RunSignalsMemory: Layer.Layer<RunSignals> = Layer.effect(RunSignals, makeRunSignals)
