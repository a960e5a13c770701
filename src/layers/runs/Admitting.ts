/**
 * Creates a run: plans it, admits it, starts it here if there is room, and waits for its end. What admits and starts
 * cannot be interrupted, so a client that hangs up loses no run; waiting can.
 */
import { Cause, type Clock, Effect, Exit, Option } from "effect"
import type { BalanceTooLow, MoneyLeft } from "../../domain/Admission.js"
import { InsufficientBalance } from "../../domain/ApiErrors.js"
import { RunId } from "../../domain/Ids.js"
import type { Run } from "../../domain/Run.js"
import { isSettledForWaiters } from "../../domain/RunMachine.js"
import { isReadOnly } from "../../domain/Scope.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { Principal } from "../../services/Accounts.js"
import type { Admission, AdmissionAnswer, AdmissionRefusal } from "../../services/Admission.js"
import type { Dispatcher, Slot } from "../../services/Dispatcher.js"
import type { Ids } from "../../services/Ids.js"
import type { CreatedRun, CreateError, RunRequest, Runs } from "../../services/Runs.js"
import type { RunDetail } from "../../services/RunStore.js"
import type { SearchUses } from "../../services/SearchUses.js"
import type { TopUps } from "../../services/TopUps.js"
import { deniedRun, type Origin, queuedRun } from "./NewRun.js"
import type { PlanningParts } from "./planning/Candidates.js"
import type { Denial } from "./planning/Denials.js"
import { plan } from "./planning/Planning.js"
import { jobOf } from "./RunLists.js"
import { awaitEnd, lookAt, waitFor, type WaitingParts } from "./Waiting.js"

export interface AdmittingParts extends PlanningParts, WaitingParts {
  readonly admission: Admission["Type"]
  readonly clock: Clock.Clock
  readonly dispatcher: Dispatcher["Type"]
  readonly ids: Ids["Type"]
  readonly topUps: TopUps["Type"]
  readonly uses: SearchUses["Type"]
}

const denied = (denial: Denial) => Effect.succeed((origin: Origin) => deniedRun(origin, denial))

/** The run to be stored: queued with its plan, or refused with the reason why no provider can be called. */
const plannedRun = Effect.fnUntraced(function* (parts: AdmittingParts, principal: Principal, request: RunRequest) {
  const runOf = yield* plan(parts, principal, request).pipe(
    Effect.map((route) => (origin: Origin) => queuedRun(origin, route)),
    Effect.catchTags({ ToolDenied: denied, JobDenied: denied })
  )
  return runOf({
    principal,
    request,
    now: parts.clock.unsafeCurrentTimeMillis(),
    job: yield* jobOf(parts.catalog, request.endpointId),
    runId: RunId.make(`run_${yield* parts.ids.suffix}`)
  })
})

/** The balance is too low: the error tells how this caller can top up. */
const withTopUp = ({ topUps }: AdmittingParts, principal: Principal, refusal: BalanceTooLow) => {
  const { balanceMicros, estimatedCostMicros } = refusal
  return Effect.flatMap(
    topUps.hint({
      workspaceId: principal.workspaceId,
      operatorWorkspace: principal.operatorWorkspace,
      readOnly: isReadOnly(principal.scopes),
      availableMicros: balanceMicros,
      neededMicros: estimatedCostMicros
    }),
    (topUp) => new InsufficientBalance({ balanceMicros, estimatedCostMicros, topUp })
  )
}

type AdmissionExit = Exit.Exit<AdmissionAnswer, AdmissionRefusal | StorageError>

const startsInSlot = (exit: AdmissionExit): boolean =>
  Exit.isSuccess(exit) && exit.value._tag === "Admitted" && exit.value.stored.lease !== null

const mayBeStored = (exit: AdmissionExit): boolean =>
  Exit.isFailure(exit) && Option.exists(Cause.failureOption(exit.cause), ({ _tag }) => _tag === "storage_uncertain")

/**
 * What becomes of the slot after the admission. A run that may be stored under the lease of the slot has an attempt
 * that was never sent. Only this node can know that, so it looks for the run and starts it.
 */
const keepOrRelease = (dispatcher: Dispatcher["Type"], run: Run, slot: Slot, exit: AdmissionExit) =>
  startsInSlot(exit) ? Effect.void : mayBeStored(exit) ? dispatcher.adopt(run, slot) : slot.release

/** Admits the run and starts it if there is room; `ended` tells the end of a run that was started on this node. */
const admitAndStart = Effect.fnUntraced(function* (
  parts: AdmittingParts,
  { principal, request, waitSeconds }: Pick<Creation, "principal" | "request" | "waitSeconds">
) {
  const { admission, dispatcher } = parts
  const run = yield* plannedRun(parts, principal, request)
  const first = run.status === "queued" ? run.plan?.candidates[0] : undefined
  const waitedFor = waitSeconds > 0
  const slot = first === undefined ? null : yield* dispatcher.reserve(waitedFor)
  const start =
    slot === null || first === undefined
      ? null
      : { lease: slot.lease, attempt: yield* dispatcher.openAttempt(run, first, 1) }
  const admitted = yield* admission.admit({ run, start, waitedFor }).pipe(
    Effect.onExit((exit) => (slot === null ? Effect.void : keepOrRelease(dispatcher, run, slot, exit))),
    Effect.catchTag("BalanceTooLow", (refusal) => withTopUp(parts, principal, refusal))
  )
  if (admitted._tag === "Replay") return { ...admitted, key: { workspaceId: run.workspaceId, runId: admitted.runId } }
  const { attempt, lease, run: stored } = admitted.stored
  const attempts = attempt === null ? [] : [attempt]
  const ended =
    slot === null || lease === null
      ? null
      : yield* dispatcher.start(
          { run: stored, lease, attempts, takenOver: false, workersLost: 0, restored: false, waitedMillis: 0 },
          slot
        )
  return { _tag: "Admitted", detail: { run: stored, attempts }, ended, left: admitted.left } as const
})

/**
 * The money that is left, as admission said it at `saidAt`; null where the run was settled after that, because the
 * amount has changed and nobody is asked for the new one. Within one millisecond nobody can say which came first. Then
 * the amount may be too low by what the settlement released, and is never too high.
 */
const leftOf = ({ run }: RunDetail, left: MoneyLeft, saidAt: number): MoneyLeft | null =>
  run.completedAt === null || run.completedAt <= saidAt ? left : null

interface Creation {
  readonly principal: Principal
  readonly request: RunRequest
  readonly waitSeconds: number
  /** How often it is tried, when the run that owns the key is forgotten meanwhile. */
  readonly tries: number
  /** Makes a wait interruptible again. */
  readonly restore: <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const createWith: (parts: AdmittingParts, creation: Creation) => Effect.Effect<CreatedRun, CreateError> =
  Effect.fnUntraced(function* (parts, creation) {
    const { principal, request, restore, waitSeconds } = creation
    const letIn = yield* admitAndStart(parts, creation)
    if (letIn._tag === "Replay") {
      const { key } = letIn
      // A refused run may have been forgotten since its key was looked at: then the key is free.
      const found = yield* lookAt(parts, key)
      if (found === null && creation.tries > 1)
        return yield* createWith(parts, { ...creation, tries: creation.tries - 1 })
      if (found === null) return yield* Effect.dieMessage(`the key of ${key.runId} has an owner that is not there`)
      const seen =
        waitSeconds <= 0 || isSettledForWaiters(found.run.status)
          ? found
          : yield* restore(awaitEnd(parts, found, waitSeconds))
      return { ...seen, left: leftOf(seen, letIn.left, letIn.at), replayed: true }
    }
    const { detail, ended, left } = letIn
    if (principal.learnsFromUse && detail.run.plan !== null)
      yield* parts.uses.ran(principal.workspaceId, request.endpointId)
    if (waitSeconds <= 0 || isSettledForWaiters(detail.run.status)) return { ...detail, left, replayed: false }
    const heldAt = detail.run.createdAt - 1
    if (ended === null) {
      const seen = yield* restore(awaitEnd(parts, detail, waitSeconds))
      return { ...seen, left: leftOf(seen, left, heldAt), replayed: false }
    }
    // The node that works on the run tells its end directly, with everything that a reader would have to look up.
    const sinceNanos = parts.clock.unsafeCurrentTimeNanos()
    const endedHere = Option.flatten(yield* restore(waitFor(parts, ended, waitSeconds * 1000)))
    if (Option.isSome(endedHere)) return { ...endedHere.value, replayed: false }
    const waitedSeconds = Number(parts.clock.unsafeCurrentTimeNanos() - sinceNanos) / 1e9
    const seen = yield* restore(awaitEnd(parts, detail, waitSeconds - waitedSeconds))
    return { ...seen, left: leftOf(seen, left, heldAt), replayed: false }
  })

export const create =
  (parts: AdmittingParts): Runs["Type"]["create"] =>
  (principal, request, waitSeconds) =>
    Effect.uninterruptibleMask((restore) => createWith(parts, { principal, request, waitSeconds, restore, tries: 3 }))
