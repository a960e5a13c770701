/**
 * One gateway in several processes on one machine, because Node works on one core at a time. The first process starts
 * the others and starts one again that ends; it takes no requests, and loads nothing of the gateway. Each of the others
 * is a node like any other, with the same settings. They share one port: a connection goes to whichever takes it first.
 *
 * When this process is told to stop, it tells the others and waits until they have ended. When it is killed, they end
 * at once, as if they were killed too.
 */
import { Clock, Data, Deferred, Effect, FiberSet } from "effect"
import cluster, { type Worker } from "node:cluster"
import { passMetricsOn } from "./ProcessMetrics.js"

/** The pause before a process is started again, which doubles up to the longest. */
const pauseMillisMin = 500
const pauseMillisMax = 30_000
/** A process that ran this long and then ended is started again after the first pause. */
const steadyMillis = 60_000

/** The first process ended before it listened, and has said why. */
class FirstProcessEnded extends Data.TaggedError("FirstProcessEnded")<{ readonly code: number | null }> {}

interface Ended {
  /** Its number in `/metrics`. */
  readonly process: number
  readonly pid: number | null
  readonly code: number | null
  readonly signal: string | null
}

/** Whether this process is one of several that were started by another. */
export const isOneOfSeveral = cluster.isWorker

/** Log lines of one of several processes have its number. */
export const numberedInLogs = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  cluster.worker === undefined ? work : Effect.annotateLogs(work, { process: cluster.worker.id })

// Who signals the whole group, such as a terminal or a supervisor, reaches this process, and so does the process that
// started it. The first signal begins its end; without a listener, the second would break that off.
if (isOneOfSeveral) for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined)

const listens = "listens"

/** Tells the process that started this one that it takes requests. */
export const tellListening: Effect.Effect<void> = Effect.sync(() => void (isOneOfSeveral && process.send?.(listens)))

/** Of several processes, only one welcomes: the first, and not when it was started again. */
export const isFirst = (): boolean => cluster.worker === undefined || cluster.worker.id === 1

// Otherwise this process would take all connections and hand them on in turn, and one that is on its way to a process
// that is killed would stay open without an answer.
cluster.schedulingPolicy = cluster.SCHED_NONE

const started = Effect.sync(() => {
  const worker = cluster.fork()
  const which = { process: worker.id, pid: worker.process.pid ?? null }
  const ended = new Promise<Ended>((resolve) => {
    worker.once("exit", (code, signal) => resolve({ ...which, code: signal === null ? code : null, signal }))
    // Also a word to a process that was killed just now. Without this listener, it would end this process.
    worker.on("error", () => {
      if (which.pid === null) resolve({ ...which, code: null, signal: null })
    })
  })
  return { worker, ended }
})

/** One process, until it ends. When nobody waits for it any more, it is told to stop, and ends. */
const oneProcess = (onStart: (worker: Worker) => void = () => undefined): Effect.Effect<Ended> =>
  Effect.acquireUseRelease(
    Effect.tap(started, ({ worker }) => Effect.sync(() => onStart(worker))),
    ({ ended }) => Effect.promise(() => ended),
    ({ ended, worker }) =>
      Effect.promise(() => {
        if (!worker.isDead()) worker.process.kill("SIGTERM")
        return ended
      })
  )

/** Another process whenever one ends. */
const startedAgain = (first: Effect.Effect<Ended>): Effect.Effect<never> =>
  Effect.gen(function* () {
    let pause = pauseMillisMin
    let next = first
    while (true) {
      const since = yield* Clock.currentTimeMillis
      const ended = yield* next
      next = oneProcess()
      if ((yield* Clock.currentTimeMillis) - since > steadyMillis) pause = pauseMillisMin
      yield* Effect.logWarning(
        `A process of this gateway ended and is started again in ${pause} ms. Another one takes its runs over`
      ).pipe(Effect.annotateLogs({ ...ended }))
      yield* Effect.sleep(pause)
      pause = Math.min(2 * pause, pauseMillisMax)
    }
  })

/**
 * Runs so many processes until it is interrupted. The first one makes what all need, such as the embedded Postgres and
 * its tables; the others follow when it listens.
 */
export const severalProcesses = (count: number): Effect.Effect<never, FirstProcessEnded> =>
  Effect.scoped(
    Effect.gen(function* () {
      const fork = yield* FiberSet.makeRuntime<never>()
      const begun = yield* Deferred.make<void, FirstProcessEnded>()
      yield* passMetricsOn
      const first = oneProcess((worker) =>
        worker.on("message", (said) => said === listens && Deferred.unsafeDone(begun, Effect.void))
      )
      // One that ends before it listens is not started again: what it has said is what is wrong.
      fork(
        startedAgain(
          Effect.tap(first, ({ code }) =>
            Effect.whenEffect(Effect.never, Deferred.fail(begun, new FirstProcessEnded({ code })))
          )
        )
      )
      yield* Deferred.await(begun)
      for (let index = 1; index < count; index += 1) fork(startedAgain(oneProcess()))
      return yield* Effect.never
    })
  )
