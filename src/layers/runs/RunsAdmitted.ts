/**
 * Runs over any storage: plan, admit, start, wait. What admits, starts and cancels cannot be interrupted, so a client
 * that hangs up loses no run; waiting can, ends early when this node stops, and costs neither a connection nor a query
 * until the run is said to have ended.
 */
import { Cause, Clock, Duration, Effect, Exit, FiberId, Layer, Option } from "effect"
import type { Refusal } from "../../domain/Admission.js"
import { refusals } from "../../domain/Admission.js"
import {
  IdempotencyConflict,
  InsufficientBalance,
  KeySpendLimitReached,
  NotFound,
  RateLimitExceeded,
  RowsModeUnsupported,
  RunRateLimited,
  TooManyInflightRuns
} from "../../domain/ApiErrors.js"
import { RunId } from "../../domain/Ids.js"
import { cancelWaitSeconds } from "../../domain/Limits.js"
import { dollars, zero } from "../../domain/Micros.js"
import { holdOf } from "../../domain/RoutePlan.js"
import { monthOf, type Run } from "../../domain/Run.js"
import { CancelledBeforeDispatch, toRunError } from "../../domain/RunFailures.js"
import { isSettledForWaiters } from "../../domain/RunMachine.js"
import { isReadOnly } from "../../domain/Scope.js"
import { spendsOf } from "../../domain/TokenLine.js"
import { type Principal } from "../../services/Accounts.js"
import { Admission, type AdmissionAnswer } from "../../services/Admission.js"
import { Catalog } from "../../services/Catalog.js"
import { Credentials } from "../../services/Credentials.js"
import { Dispatcher } from "../../services/Dispatcher.js"
import { Draining } from "../../services/Draining.js"
import { Ids } from "../../services/Ids.js"
import { firstOf, type Listen } from "../../services/Once.js"
import { ProviderHealth } from "../../services/ProviderHealth.js"
import { Providers } from "../../services/Providers.js"
import {
  type CreatedRun,
  type CreateError,
  type LimitVerdict,
  type RunDetail,
  type RunRequest,
  Runs
} from "../../services/Runs.js"
import { RunSignals } from "../../services/RunSignals.js"
import { type RunKey, RunStore } from "../../services/RunStore.js"
import { Settlement } from "../../services/Settlement.js"
import { TopUps } from "../../services/TopUps.js"
import { Transactions } from "../../services/Transactions.js"
import { Wallet } from "../../services/Wallet.js"
import { failed } from "./dispatch/AttemptEnding.js"
import { deniedRun, type Origin, queuedRun } from "./NewRun.js"
import { jobOf, runLists } from "./RunLists.js"
import type { Denial } from "./planning/Denials.js"
import { plan } from "./planning/Planning.js"

/** A signal can be lost: a waiter looks at the row this often anyway. */
const lookAgainSeconds = 5

export const RunsAdmitted: Layer.Layer<
  Runs,
  never,
  | Admission
  | Catalog
  | Credentials
  | Dispatcher
  | Draining
  | Ids
  | ProviderHealth
  | Providers
  | RunSignals
  | RunStore
  | Settlement
  | TopUps
  | Transactions
  | Wallet
> = Layer.effect(
  Runs,
  Effect.gen(function* () {
    const admission = yield* Admission
    const dispatcher = yield* Dispatcher
    const draining = yield* Draining
    const ids = yield* Ids
    const settlement = yield* Settlement
    const signals = yield* RunSignals
    const store = yield* RunStore
    const topUps = yield* TopUps
    const wallet = yield* Wallet
    const { transact } = yield* Transactions
    const catalog = yield* Catalog
    const jobFor = jobOf(catalog)
    const planFor = plan({
      catalog,
      credentials: yield* Credentials,
      health: yield* ProviderHealth,
      providers: yield* Providers
    })

    const detail = Effect.fnUntraced(function* (key: RunKey) {
      const run = yield* store.get(key)
      if (run === null) return yield* new NotFound({ what: "run", id: key.runId })
      return { run, attempts: yield* store.attempts(key) }
    })
    /** A run that must be there, because this process was just told so. */
    const known = (key: RunKey) => Effect.catchTag(detail(key), "not_found", (error) => Effect.die(error))

    /** Waits for `end` no longer than the time, nor beyond the moment when this node begins to stop. */
    const waitFor = <A>(end: Listen<A>, millis: number): Effect.Effect<Option.Option<A>> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Effect.forkDaemon(Effect.interruptible(Effect.sleep(millis))), (alarm) =>
          Effect.ensuring(
            restore(
              firstOf<Option.Option<A>>(
                (listener) => end((value) => listener(Option.some(value))),
                (listener) => draining.whenBegun(() => listener(Option.none())),
                (listener) => {
                  const over = () => listener(Option.none())
                  alarm.addObserver(over)
                  return () => alarm.removeObserver(over)
                }
              )
            ),
            Effect.sync(() => alarm.unsafeInterruptAsFork(FiberId.none))
          )
        )
      )

    /**
     * The run when it has ended or the time is over, else none for now. Registered before the look, so no signal is
     * missed.
     */
    const look = Effect.fnUntraced(function* (key: RunKey, until: number) {
      const ended = yield* signals.subscribe(key.runId)
      const now = yield* known(key)
      const left = until - (yield* Clock.currentTimeMillis)
      if (isSettledForWaiters(now.run.status) || left <= 0 || (yield* draining.begun)) return Option.some(now)
      yield* waitFor(ended, Math.min(left, lookAgainSeconds * 1000))
      return Option.none<RunDetail>()
    })

    /** The run when it has ended, or as it is when the time is over or this node stops. */
    const awaitEnd = (key: RunKey, seconds: number) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.flatMap(
          Effect.repeat(Effect.scoped(look(key, now + seconds * 1000)), { until: Option.isSome }),
          Effect.orDie
        )
      )

    const refuse = (
      principal: Principal,
      refusal: Extract<AdmissionAnswer, { readonly _tag: "Refused" }>["refusal"]
    ) => {
      switch (refusal._tag) {
        case "TooManyRefusedRuns":
          return new RateLimitExceeded({ limit: refusal.limit, retryAfterSeconds: refusal.retryAfterSeconds })
        case "RunRateLimited":
          return new RunRateLimited({ limit: refusal.limit, retryAfterSeconds: refusal.retryAfterSeconds })
        case "TooManyInflightRuns":
          return new TooManyInflightRuns({
            inflight: refusal.inflight,
            limit: refusal.limit,
            retryAfterSeconds: refusal.retryAfterSeconds
          })
        case "KeySpendLimitReached":
          return new KeySpendLimitReached({ limitMicros: refusal.limitMicros, spentMicros: refusal.spentMicros })
        case "InsufficientBalance":
          return Effect.flatMap(
            topUps.hint({
              operatorWorkspace: principal.operatorWorkspace,
              readOnly: isReadOnly(principal.scopes),
              availableMicros: refusal.balanceMicros,
              neededMicros: refusal.estimatedCostMicros
            }),
            (topUp) =>
              new InsufficientBalance({
                balanceMicros: refusal.balanceMicros,
                estimatedCostMicros: refusal.estimatedCostMicros,
                topUp
              })
          )
      }
    }

    const onlyRaw = (request: Pick<RunRequest, "outputMode">) =>
      request.outputMode === "canonical"
        ? new RowsModeUnsupported({ reason: "canonical rows are not stored by this gateway; use raw" })
        : Effect.void

    /** The run to be stored: queued with its plan, or refused with the reason why no provider can be called. */
    const plannedRun = Effect.fnUntraced(function* (principal: Principal, request: RunRequest) {
      const origin: Origin = {
        principal,
        request,
        job: yield* jobFor(request.endpointId),
        runId: RunId.make(`run_${yield* ids.suffix}`),
        now: yield* Clock.currentTimeMillis
      }
      const denied = (denial: Denial) => Effect.succeed(deniedRun(origin, denial))
      return yield* planFor(principal, request).pipe(
        Effect.map((route) => queuedRun(origin, route)),
        Effect.catchTags({ ToolDenied: denied, JobDenied: denied })
      )
    })

    /** Admits the run and starts it if there is room; `ended` tells its end on this node. */
    const admitAndStart = Effect.fnUntraced(function* (principal: Principal, request: RunRequest) {
      const run = yield* plannedRun(principal, request)
      const first = run.status === "queued" ? run.plan?.candidates[0] : undefined
      const slot = first === undefined ? null : yield* dispatcher.reserve
      const start =
        slot === null || first === undefined
          ? null
          : { lease: slot.lease, attempt: yield* dispatcher.openAttempt(run, first, 1) }
      const giveBack = slot?.release ?? Effect.void
      const answer = yield* Effect.onExit(admission.admit({ run, start }), (exit) => {
        if (Exit.isSuccess(exit))
          return exit.value._tag === "Admitted" && exit.value.stored.lease !== null ? Effect.void : giveBack
        const failure = Cause.failureOption(exit.cause)
        // The run may be there, with an attempt that was never sent; nobody but this node can know that it was not.
        return slot !== null && Option.isSome(failure) && failure.value._tag === "storage_uncertain"
          ? dispatcher.adopt(run, slot)
          : giveBack
      })
      switch (answer._tag) {
        case "Refused":
          return yield* refuse(principal, answer.refusal)
        case "Conflict":
          return yield* new IdempotencyConflict({ runId: answer.runId })
        case "Replay":
          return { replayed: true, key: { workspaceId: run.workspaceId, runId: answer.runId }, now: null, ended: null }
        case "Admitted": {
          const { attempt, lease, run: stored } = answer.stored
          const attempts = attempt === null ? [] : [attempt]
          const ended =
            slot === null || lease === null
              ? null
              : yield* dispatcher.start(
                  { run: stored, lease, attempts, takenOver: false, workersLost: 0, restored: false, waitedMillis: 0 },
                  slot
                )
          return { replayed: false, key: stored, now: { run: stored, attempts }, ended }
        }
      }
    })

    type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    const createWith: (
      restore: Restore,
      principal: Principal,
      request: RunRequest,
      waitSeconds: number
    ) => Effect.Effect<CreatedRun, CreateError> = Effect.fnUntraced(
      function* (restore, principal, request, waitSeconds) {
        yield* onlyRaw(request)
        const { ended, key, now, replayed } = yield* admitAndStart(principal, request)
        const answer = (found: RunDetail): CreatedRun => ({ ...found, replayed })
        if (replayed) {
          // A refused run may have been forgotten since its key was looked at: then the key is free.
          const found = yield* Effect.catchTag(detail(key), "not_found", () => Effect.succeed(null))
          if (found === null) return yield* createWith(restore, principal, request, waitSeconds)
          if (waitSeconds <= 0 || isSettledForWaiters(found.run.status)) return answer(found)
          return answer(yield* restore(awaitEnd(key, waitSeconds)))
        }
        if (now !== null && (waitSeconds <= 0 || isSettledForWaiters(now.run.status))) return answer(now)
        if (ended === null) return answer(yield* restore(awaitEnd(key, waitSeconds)))
        // The node that works on the run tells its end directly, with everything that a reader would have to look up.
        const [spent, here] = yield* restore(Effect.timed(waitFor(ended, waitSeconds * 1000)))
        const told = Option.flatten(here)
        return answer(
          Option.isSome(told) ? told.value : yield* restore(awaitEnd(key, waitSeconds - Duration.toSeconds(spent)))
        )
      }
    )
    const create: Runs["Type"]["create"] = (principal, request, waitSeconds) =>
      Effect.uninterruptibleMask((restore) => createWith(restore, principal, request, waitSeconds))

    const quote: Runs["Type"]["quote"] = Effect.fn("Runs.quote")(function* (principal, request) {
      yield* onlyRaw(request)
      const denied = ({ failure, plan: route, result }: Denial) =>
        Effect.succeed({
          plan: route,
          holdMicros: zero,
          refusal: toRunError(failure, request.requestId),
          refusalResult: result
        })
      const planned = yield* planFor(principal, request).pipe(
        Effect.map((route) => ({ plan: route, holdMicros: holdOf(route), refusal: null, refusalResult: null })),
        Effect.catchTags({ ToolDenied: denied, JobDenied: denied })
      )
      const locked = yield* transact(wallet.lock([principal]))
      const standing = locked.standings.get(principal.workspaceId)
      const spends = spendsOf(locked.lines.get(principal.tokenId), locked.spends)
      if (standing === undefined || spends === null)
        return yield* Effect.dieMessage("quote for a workspace or token that does not exist")
      const found = refusals(standing, spends, {
        runId: RunId.make(`run_${yield* ids.suffix}`),
        holdMicros: planned.holdMicros,
        now: locked.now,
        month: monthOf(locked.now)
      })
      return { ...planned, limits: verdicts(found) }
    })

    const cancel: Runs["Type"]["cancel"] = Effect.fn("Runs.cancel")(function* (workspaceId, runId) {
      const key = { workspaceId, runId }
      const cancelled = yield* Effect.uninterruptible(withdraw(key))
      if (cancelled.waitSeconds === null) return { run: cancelled.run, attempts: yield* store.attempts(key) }
      return yield* awaitEnd(key, cancelled.waitSeconds)
    })

    /** The run after the cancel, and how long its call may take to be aborted; null when nothing is under way. */
    const withdraw = Effect.fnUntraced(function* (key: RunKey) {
      const run = yield* store.requestCancel(key)
      if (run === null) return yield* new NotFound({ what: "run", id: key.runId })
      if (run.status === "queued") {
        const answer = yield* settlement.settle({
          run: {
            ...failed(run, new CancelledBeforeDispatch(), "error", null),
            completedAt: yield* Clock.currentTimeMillis
          },
          event: "Cancelled",
          costMicros: zero,
          reason: null,
          leaseToken: null,
          attempt: null,
          media: null
        })
        // A node took it in the meantime: then it is a running one, to be cancelled like those.
        return answer._tag === "Settled"
          ? { run: answer.run, waitSeconds: null }
          : yield* abort((yield* store.requestCancel(key)) ?? run)
      }
      return run.status === "running" ? yield* abort(run) : { run, waitSeconds: null }
    })

    const abort = (run: Run) => {
      const current = run.plan?.candidates.find(({ endpointId }) => endpointId === run.endpointId)
      return Effect.as(dispatcher.cancel(run.runId), {
        run,
        waitSeconds: current?.effectful === true ? 0 : cancelWaitSeconds
      })
    }

    return Runs.of({
      create,
      quote,
      cancel,
      get: (workspaceId, runId) => detail({ workspaceId, runId }),
      list: runLists(catalog, store),
      media: Effect.fn("Runs.media")(function* (workspaceId, runId, mediaId) {
        return (
          (yield* store.media({ workspaceId, runId }, mediaId)) ?? (yield* new NotFound({ what: "media", id: mediaId }))
        )
      })
    })
  })
)

const limits = {
  RunCapExceeded: "run_cap",
  RunRateLimited: "runs_per_minute",
  TooManyInflightRuns: "inflight",
  KeySpendLimitReached: "key_month",
  InsufficientBalance: "balance"
} as const

const verdicts = (found: ReadonlyArray<Refusal>): ReadonlyArray<LimitVerdict> => {
  const against = new Map(found.map((refusal) => [limits[refusal._tag], refusal]))
  return Object.values(limits).map((limit): LimitVerdict => {
    const refusal = against.get(limit)
    return { limit, admits: refusal === undefined, message: refusal === undefined ? null : explain(refusal) }
  })
}

const explain = (refusal: Refusal): string => {
  switch (refusal._tag) {
    case "RunCapExceeded":
      return `A run of this workspace may hold at most ${dollars(refusal.capMicros)}.`
    case "RunRateLimited":
      return `This workspace may start ${refusal.limit} runs a minute.`
    case "TooManyInflightRuns":
      return `${refusal.inflight} runs are in flight, and ${refusal.limit} may be.`
    case "KeySpendLimitReached":
      return `The key has spent or holds ${dollars(refusal.spentMicros)} of ${dollars(refusal.limitMicros)} this month.`
    case "InsufficientBalance":
      return `The run needs ${dollars(refusal.estimatedCostMicros)}, and ${dollars(refusal.balanceMicros)} is available.`
  }
}
