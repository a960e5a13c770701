/**
 * Work that a node does in the background for as long as it lives, and values that it reads now and again. No failure
 * ends either. That the storage is away is told by the storage itself (`Trouble.ts`); any other failure is told here,
 * once when it begins and once when it is over.
 */
import { Cause, type Duration, Effect, Schedule, type Scope } from "effect"
import type { StorageError } from "../../domain/StorageErrors.js"
import { makeTrouble } from "./Trouble.js"

const defectPause = "1 second"
const firstReadAgain = "500 millis"

/** Does the work and tells the log how it ends; never fails. */
const makeReporting = (name: string) =>
  Effect.map(
    makeTrouble("background", { work: name }),
    (trouble) =>
      <R>(work: Effect.Effect<unknown, StorageError, R>, afterDefect: Effect.Effect<void>) =>
        Effect.matchCauseEffect(work, {
          onSuccess: () => Effect.sync(trouble.worked),
          onFailure: (cause) =>
            Cause.isDie(cause)
              ? Effect.zipRight(
                  Effect.sync(() => trouble.failed(Cause.pretty(cause))),
                  afterDefect
                )
              : Effect.void
        })
  )

/**
 * Does `step` again and again. The step itself waits between its turns; one that dies may not have come to that, and is
 * done again a second later.
 */
export const repeatInBackground = <R>(
  name: string,
  step: Effect.Effect<unknown, never, R>
): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const reporting = yield* makeReporting(name)
    yield* reporting(step, Effect.sleep(defectPause)).pipe(
      Effect.forever,
      Effect.withTracerEnabled(false),
      Effect.forkScoped
    )
  })

export interface BackgroundSchedule {
  /** What the log calls it. */
  readonly name: string
  /** Between the end of one turn and the beginning of the next. */
  readonly every: Duration.DurationInput
  /** Where that is not said, the first turn comes after `every`. */
  readonly firstAtOnce?: true
}

/** Does the work every so often. */
export const everySoOften = <R>(
  { every, firstAtOnce, name }: BackgroundSchedule,
  work: Effect.Effect<unknown, StorageError, R>
): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const reporting = yield* makeReporting(name)
    const turn = reporting(work, Effect.void)
    yield* (firstAtOnce === true ? turn : Effect.void).pipe(
      Effect.zipRight(Effect.forever(Effect.delay(turn, every))),
      Effect.withTracerEnabled(false),
      Effect.forkScoped
    )
  })

/** A value of the storage that is kept in memory and read anew every so often. */
export interface Reading<A> {
  /** What was read last; while reading fails, that stands. */
  readonly last: () => A
  /** Reads it now. */
  readonly refresh: Effect.Effect<void, StorageError>
  /** Does the work while nothing is being read. */
  readonly betweenReadings: <B, E, R>(work: Effect.Effect<B, E, R>) => Effect.Effect<B, E, R>
}

/**
 * Reads the value before it answers, and waits for the storage where it is away: no node takes what it has not read for
 * nothing that is there. After that it reads every so often.
 */
export const makeReading = <A, R>(
  schedule: BackgroundSchedule,
  read: Effect.Effect<A, StorageError, R>
): Effect.Effect<Reading<A>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    let last = yield* Effect.orDie(Effect.retry(read, Schedule.spaced(firstReadAgain)))
    // One at a time, so that an older reading never replaces a newer one.
    const one = yield* Effect.makeSemaphore(1)
    const refresh = one.withPermits(1)(
      Effect.map(Effect.provide(read, context), (value) => {
        last = value
      })
    )
    yield* everySoOften(schedule, refresh)
    return { last: () => last, refresh, betweenReadings: one.withPermits(1) }
  })
