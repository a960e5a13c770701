/**
 * Renews leases on this thread, through the store of runs, for storages in memory and for tests. While this thread is
 * blocked, nothing is renewed; LeasesRenewedApart avoids that.
 */
import { Cause, Effect, Layer, PubSub, Stream } from "effect"
import { LeaseKeeping, type LeaseNews } from "../../services/LeaseKeeping.js"
import { type HeldLease, RunStore } from "../../services/RunStore.js"
import { makeTrouble } from "../node/Trouble.js"
import { DispatcherSettings } from "./dispatch/DispatcherSettings.js"

export const LeasesRenewedHere: Layer.Layer<LeaseKeeping, never, RunStore> = Layer.scoped(
  LeaseKeeping,
  Effect.gen(function* () {
    const { heartbeatMillis, leaseMillis } = yield* DispatcherSettings
    const store = yield* RunStore
    const registered = new Set<HeldLease>()
    const trouble = yield* makeTrouble("leases")
    const news = yield* PubSub.unbounded<LeaseNews>()

    const renew = Effect.gen(function* () {
      const before = [...registered]
      if (before.length === 0) return
      const { cancelled, held } = yield* store.heartbeat(before, leaseMillis)
      yield* Effect.forEach(
        before,
        ({ runId, token }) =>
          !held.has(runId)
            ? news.publish({ runId, token, what: "lost" })
            : cancelled.has(runId)
              ? news.publish({ runId, token, what: "cancelled" })
              : Effect.void,
        { discard: true }
      )
    })
    yield* Effect.sleep(heartbeatMillis).pipe(
      Effect.zipRight(renew),
      Effect.matchCause({
        onSuccess: trouble.worked,
        onFailure: (cause) => trouble.failed(Cause.pretty(cause))
      }),
      Effect.forever,
      Effect.withTracerEnabled(false),
      Effect.forkScoped
    )

    return LeaseKeeping.of({
      register: (lease) => {
        registered.add(lease)
        return () => void registered.delete(lease)
      },
      news: Stream.fromPubSub(news)
    })
  })
)
