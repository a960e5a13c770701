/**
 * Signals over all nodes. The notifications that `RunStorePg` sends in its transactions arrive here, on one connection
 * for each node, however many waiters there are. After a lost connection, all waiters are told to look at the rows
 * again.
 */
import { Effect, Layer, Queue, Schema } from "effect"
import { RunId } from "../../domain/Ids.js"
import { RunSignals, type RunSignal } from "../../services/RunSignals.js"
import { Database } from "./Database.js"
import { makeLocalRunSignals } from "../runs/LocalRunSignals.js"

export const channel = "gateway_runs"

const isRunId = Schema.is(RunId)

/** `queued`, `callback:<wait>`, `cancel:<run>` or `settled:<run>,<run>…`. */
const signalsOf = (payload: string | undefined): ReadonlyArray<RunSignal> => {
  if (payload === undefined) return [{ _tag: "Rescan" }]
  if (payload === "queued") return [{ _tag: "Queued" }]
  const [kind, list = ""] = payload.split(":")
  if (kind === "callback") return [{ _tag: "CalledBack", waitId: list }]
  const runs = list.split(",").filter((id) => isRunId(id))
  return runs.map((runId): RunSignal =>
    kind === "cancel" ? { _tag: "CancelRequested", runId } : { _tag: "Settled", runId }
  )
}

export const RunSignalsPg: Layer.Layer<RunSignals, never, Database> = Layer.scoped(
  RunSignals,
  Effect.gen(function* () {
    const database = yield* Database
    const { signals, tellSettled } = yield* makeLocalRunSignals
    const others = yield* Queue.unbounded<RunSignal>()
    yield* Effect.forkScoped(
      database.listen(channel, (payload) => {
        for (const signal of signalsOf(payload)) {
          // The end of every run of every node arrives here, so it is handled without an effect.
          if (signal._tag === "Settled") tellSettled(signal.runId)
          else others.unsafeOffer(signal)
        }
      })
    )
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(others), signals.publish)))
    const { query, sql } = database
    return RunSignals.of({
      ...signals,
      publish: (signal) =>
        signal._tag === "CalledBack"
          ? // Polls go on when the other nodes are not told.
            Effect.ignore(query(sql`select pg_notify(${channel}, ${`callback:${signal.waitId}`})`))
          : signals.publish(signal)
    })
  })
)
