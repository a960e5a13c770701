/**
 * Gauges of `/metrics` that no request updates: whether the ledger adds up, and how long the oldest runs have waited
 * for a worker or for a person. They are read in the background, so that `/metrics` asks no storage. While they cannot
 * be read they keep their last value.
 */
import { Clock, Duration, Effect, Layer, Metric } from "effect"
import { Dispatcher } from "../../services/Dispatcher.js"
import { LedgerChecks } from "../../services/LedgerChecks.js"
import { RunStore } from "../../services/RunStore.js"
import { everySoOften } from "./Background.js"

export interface GaugeOptions {
  /** Between two checks of the whole ledger; 0 turns them off. */
  readonly ledgerCheckSeconds: number
}

const lookSeconds = 15

const active = Metric.gauge("gateway_runs_active", { description: "Runs that this node works on" })
const queueOldest = Metric.gauge("gateway_runs_queue_oldest_seconds", {
  description: "How long the oldest queued run has waited; 0 when none waits"
})
const uncertainOldest = Metric.gauge("gateway_runs_uncertain_oldest_seconds", {
  description: "Age of the oldest run in reconciliation_pending; 0 without one"
})
const addsUp = Metric.gauge("gateway_ledger_adds_up", {
  description: "1 when the last check found nothing; 0 is an alarm, also where the sums are right"
})
const drift = Metric.gauge("gateway_ledger_drift_micros", {
  description: "What the ledger is off by; anything but 0 is an alarm"
})
const checkedAt = Metric.gauge("gateway_ledger_checked_timestamp_seconds", {
  description: "When the ledger was last checked"
})

export const Gauges = (options: GaugeOptions): Layer.Layer<never, never, Dispatcher | LedgerChecks | RunStore> =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const dispatcher = yield* Dispatcher
      const store = yield* RunStore
      const ledgerChecks = yield* LedgerChecks

      const look = Effect.gen(function* () {
        yield* Metric.set(active, yield* dispatcher.active)
        const queued = yield* store.queuedSince
        const [uncertain] = (yield* store.uncertain({ limit: 1, after: null })).items
        const now = yield* Clock.currentTimeMillis
        const age = (since: number | null | undefined) => Math.max(0, now - (since ?? now)) / 1000
        yield* Metric.set(queueOldest, age(queued))
        yield* Metric.set(uncertainOldest, age(uncertain?.createdAt))
      })
      yield* everySoOften(
        { name: "looking at the oldest runs", every: `${lookSeconds} seconds`, firstAtOnce: true },
        look
      )

      const between = Duration.seconds(options.ledgerCheckSeconds)
      let logged = 0
      const check = Effect.gen(function* () {
        const found = yield* ledgerChecks.latest(between)
        if (found === null) return
        // Several nodes see one check; each says once what it found.
        if (found.difference !== null && found.checkedAt !== logged)
          yield* Effect.logError(`the ledger does not add up: ${found.difference}`)
        logged = found.checkedAt
        yield* Metric.set(addsUp, found.difference === null ? 1 : 0)
        yield* Metric.set(drift, found.driftMicros)
        yield* Metric.set(checkedAt, found.checkedAt / 1000)
      })
      if (options.ledgerCheckSeconds > 0)
        yield* everySoOften({ name: "checking the ledger", every: between, firstAtOnce: true }, check)
    })
  )
