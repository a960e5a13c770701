/**
 * A run from its first request to its end. It has one idempotency key from before the first attempt on, so that nothing
 * that happens on the way can make a second run. The caller's signal cancels the run at the gateway.
 */
import type { Run, RunRequest } from "./api/Schemas.js"
import { Aborted, type FailedRun, Refused, RunFailed, RunUncertain, UnexpectedAnswer } from "./Failures.js"
import { newKey, type Transport } from "./Transport.js"
import { pause } from "./Waiting.js"

/** What is asked for; the client itself says how long to wait, and with which key. */
export type RunInput = Omit<RunRequest, "wait" | "idempotencyKey">

/** A run that has an answer: `hit`, `weak` (a guess) or `miss` (nothing was found). */
export type CompletedRun = Run & { readonly status: "completed"; readonly outcome: "hit" | "weak" | "miss" }

export interface KeyedOptions {
  readonly signal?: AbortSignal | undefined
  /** Your own name for this call. Sent again with it, even from another process, the call is still the same one. */
  readonly idempotencyKey?: string | undefined
}

/** For how long the gateway keeps the first request open; most runs have ended by then. */
const firstWaitSeconds = ({ requestTimeoutMillis }: Transport) =>
  Math.max(0, Math.min(20, Math.floor(requestTimeoutMillis / 1000) - 5))
/** For how long an aborted call tries each request that finds its run and cancels it. */
const cancelForMillis = 10_000
/** So often does it look for its run, and after so long again: the gateway may still be making it. */
const looksForRun = 2
const lookAgainMillis = 1_000

const isCompleted = (run: Run): run is CompletedRun => run.status === "completed"
const isFailed = (run: Run): run is FailedRun =>
  (run.status === "failed" || run.status === "blocked") && run.error !== undefined
/** Of an answer that is no run, nothing can be read later. */
const isNamed = (run: object) => "runId" in run && typeof run.runId === "string"
const isForbidden = (failure: unknown) => failure instanceof Refused && failure.code === "forbidden"
const isUnderWay = (run: Run) => run.status === "queued" || run.status === "running"

/** What `run` has made: the key of its call, and the run where an answer has named it. */
interface Made {
  readonly idempotencyKey: string
  readonly run: Run | null
}

/** The run that completed; rejects with what any other end is. */
export const answerOf = ({ baseUrl }: Transport, run: Run, made: Made | null): CompletedRun => {
  const idempotencyKey = made?.idempotencyKey ?? null
  if (isCompleted(run)) return run
  if (isFailed(run)) throw new RunFailed(run, idempotencyKey)
  if (run.status === "reconciliation_pending") throw new RunUncertain(run, idempotencyKey)
  const about = { what: "something that is no run", retryable: false, requestId: null, idempotencyKey }
  const ofRun = { run: made?.run ?? null, mayStillRun: made !== null }
  throw new UnexpectedAnswer(baseUrl, 200, JSON.stringify(run).slice(0, 1000), about, ofRun)
}

/**
 * Reads a run again and again until it has ended. The signal ends the waiting only; the run goes on. A read that fails
 * says with which run to go on, and with which key where the caller made it, so that nobody makes a second run.
 */
export const waitForEnd = async (
  transport: Transport,
  run: Run,
  { idempotencyKey, signal }: KeyedOptions
): Promise<Run> => {
  let latest = run
  for (let reads = 0; isUnderWay(latest); reads++) {
    await pause(Math.min(5_000, 250 * 2 ** reads), signal)
    const madeBefore = { run: latest, idempotencyKey: idempotencyKey ?? null }
    latest = await transport.send("runs.get", { path: { runId: run.runId }, signal, madeBefore })
  }
  return latest
}

export const runToEnd = async (
  transport: Transport,
  input: RunInput,
  options: KeyedOptions = {}
): Promise<CompletedRun> => {
  const { idempotencyKey = newKey(), signal } = options
  let created: Run | null = null

  /**
   * The run that the gateway has made for this call, if it has. The same request would tell it too, but would make the
   * run where none is: a caller who aborts must not start with it what cannot be stopped.
   */
  const found = async (): Promise<{ readonly runId: string } | null> => {
    const query = { idempotencyKey, limit: 1 }
    for (let looks = 1; ; looks++) {
      const { runs } = await transport.send("runs.list", { query, retryForMillis: cancelForMillis })
      // A gateway that does not know the filter lists other runs, and none of its runs says the key.
      const run = runs.find((each) => each.idempotencyKey === idempotencyKey)
      if (run !== undefined) return run
      if (looks === looksForRun) return null
      await pause(lookAgainMillis, undefined)
    }
  }

  /** The run of this call as the cancellation leaves it; null where none is known. */
  const cancel = async (): Promise<Run | null> => {
    const run = created ?? (await found())
    if (run === null) return null
    return transport.send("runs.cancel", { path: { runId: run.runId }, retryForMillis: cancelForMillis })
  }

  try {
    const first = await transport.send("runs.create", {
      query: { wait: firstWaitSeconds(transport) },
      body: input,
      idempotencyKey,
      signal
    })
    if (isNamed(first)) created = first
    const ended = await waitForEnd(transport, first, { idempotencyKey, signal })
    // Only the first answer says whether an earlier call made the run.
    const { replayed } = first
    const run = replayed === undefined ? ended : { ...ended, replayed }
    return answerOf(transport, run, { idempotencyKey, run: created })
  } catch (failure) {
    if (!(failure instanceof Aborted)) throw failure
    const about = { reason: signal?.reason, idempotencyKey }
    if (created === null && !failure.mayStillRun) throw new Aborted({ ...about, run: null, mayStillRun: false })
    const { mayLook, run } = await cancel().then(
      (left) => ({ mayLook: true, run: left }),
      (why: unknown) => ({ mayLook: !isForbidden(why), run: null })
    )
    throw new Aborted({ ...about, run: run ?? created, mayStillRun: run === null || isUnderWay(run), mayLook })
  }
}
