/**
 * Sends records to a collector in the background, in batches. Whoever pushes a record never waits. Memory is bounded:
 * when `queueMax` records wait, because the collector is away or slow, new ones are dropped and counted. A batch that
 * the collector could take later is tried again a few times, then dropped and counted too. What waits at the end is
 * sent once more, for `flushMillis` at most.
 */
import { Data, Duration, Effect, Metric, MetricKey, Queue, Schedule, type Scope } from "effect"
import { makeTrouble } from "../Trouble.js"

export type Signal = "traces" | "metrics" | "logs"

/** The collector did not take it. `passing`: it may take the same later. */
export class NotTaken extends Data.TaggedError("NotTaken")<{ readonly why: string; readonly passing: boolean }> {}

/** Sends one body to the address of the signal. */
export type Post = (signal: Signal, body: string) => Effect.Effect<void, NotTaken>

const dropped = MetricKey.counter("gateway_telemetry_dropped_total", {
  description: "Spans and log records that were not sent because the collector was away, slow or refused them",
  incremental: true
})
/** Counters of what is dropped stand at 0 before anything is, so that an increase can be seen. */
const droppedOf = (signal: Signal): ((records: number) => void) => {
  const counter = Metric.fromMetricKey(dropped.pipe(MetricKey.tagged("signal", signal)))
  counter.unsafeUpdate(0, [])
  return (records) => counter.unsafeUpdate(records, [])
}

export const exportLimits = {
  /** Some 1.5 kB each. */
  queueMax: 8_192,
  batchMax: 512,
  everyMillis: 5_000,
  tries: 5,
  flushMillis: 1_000
}

export interface Exporter<Record> {
  readonly push: (record: Record) => void
}

/** The exporter of one signal, for as long as the scope. Batches of one signal go one after the other. */
export const makeExporter = <Record>(
  signal: Exclude<Signal, "metrics">,
  post: Post,
  encode: (records: ReadonlyArray<Record>) => string
): Effect.Effect<Exporter<Record>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { batchMax, everyMillis, flushMillis, queueMax, tries } = exportLimits
    const trouble = yield* makeTrouble("telemetry", { signal })
    const drop = droppedOf(signal)
    const wakes = yield* Queue.sliding<void>(1)
    const waiting: Array<Record> = []
    /** The batch that is being sent. */
    let sending: ReadonlyArray<Record> = []

    const again = Schedule.exponential("1 second").pipe(
      Schedule.jittered,
      Schedule.intersect(Schedule.recurs(tries - 1))
    )
    const reportingTrouble = (work: Effect.Effect<void, NotTaken>) =>
      Effect.tapBoth(work, {
        onFailure: ({ why }) => Effect.sync(() => trouble.failed(why)),
        onSuccess: () => Effect.sync(trouble.worked)
      })
    const send = (records: ReadonlyArray<Record>) =>
      reportingTrouble(Effect.suspend(() => post(signal, encode(records))))
    const sendOrDrop = (patiently: boolean) =>
      Effect.suspend(() => {
        sending = sending.length > 0 ? sending : waiting.splice(0, batchMax)
        const batch = sending
        const sent = patiently
          ? Effect.retry(send(batch), { schedule: again, while: ({ passing }) => passing })
          : send(batch)
        return Effect.zipRight(
          Effect.catchAll(sent, () => Effect.sync(() => drop(batch.length))),
          Effect.sync(() => {
            sending = []
          })
        )
      })
    const untilEmpty = (patiently: boolean): Effect.Effect<void> =>
      Effect.suspend(() =>
        waiting.length + sending.length === 0
          ? Effect.void
          : Effect.zipRight(sendOrDrop(patiently), untilEmpty(patiently))
      )

    // Registered before the fiber, so that it runs after the fiber has ended.
    yield* Effect.addFinalizer(() =>
      untilEmpty(false).pipe(
        Effect.interruptible,
        Effect.timeoutOption(Duration.millis(flushMillis)),
        Effect.zipRight(Effect.sync(() => drop(waiting.length + sending.length)))
      )
    )
    yield* Effect.raceFirst(Queue.take(wakes), Effect.sleep(everyMillis)).pipe(
      Effect.zipRight(untilEmpty(true)),
      Effect.forever,
      Effect.forkScoped
    )

    return {
      push: (record) => {
        if (waiting.length >= queueMax) return drop(1)
        waiting.push(record)
        if (waiting.length % batchMax === 0) wakes.unsafeOffer(undefined)
      }
    }
  })
