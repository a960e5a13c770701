/** What the suites of run endings stand on: runs that nodes left behind, and nodes that die. */
import { assert } from "@effect/vitest"
import { Effect, type Option } from "effect"
import { RunId } from "../../src/domain/Ids.js"
import { Micros, zero } from "../../src/domain/Micros.js"
import type { Run } from "../../src/domain/Run.js"
import type { DispatcherOptions } from "../../src/layers/runs/dispatch/DispatcherQueue.js"
import type { ScriptedProviders } from "../../src/layers/providers/ProvidersScripted.js"
import type { Principal } from "../../src/services/Accounts.js"
import { Admission } from "../../src/services/Admission.js"
import { Dispatcher } from "../../src/services/Dispatcher.js"
import { Ids } from "../../src/services/Ids.js"
import { type SettledRun, type RunRequest, Runs } from "../../src/services/Runs.js"
import { type Lease, type LeasedRun, RunStore } from "../../src/services/RunStore.js"
import type { SettlementRequest } from "../../src/services/Settlement.js"
import { Transactions } from "../../src/services/Transactions.js"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, funded, requestOf } from "../support/engine.js"
import { eventually } from "../support/eventually.js"

export const funds = 1_000_000
export const price = 5_000
export const message = { input: { to: "ada@example.com", text: "hello" } }

export const create = (principal: Principal, endpointId: string, wait: number, changes = {}) =>
  Effect.flatMap(Runs, (runs) => runs.create(principal, requestOf(endpointId, changes), wait))
export const balance = ({ workspaceId }: Principal) =>
  Effect.flatMap(Wallet, (wallet) =>
    Effect.map(
      wallet.balance(workspaceId),
      ({ availableMicros, reservedMicros }) => [availableMicros, reservedMicros] as ReadonlyArray<number>
    )
  )
export const kinds = ({ runId, workspaceId }: Run) =>
  Effect.flatMap(Wallet, (wallet) =>
    Effect.map(wallet.entries(workspaceId, { runId }, { limit: 20, after: null }), ({ items }) =>
      items.map(({ kind }) => kind).reverse()
    )
  )

/** Settings of a node that works on nothing itself: no run is taken over but by the test. */
export const bystander = { slots: 0 }
/** Takes over a run that was left behind, as another node would. */
export const takeAway = (run: Run, leaseMillis = 600_000): Effect.Effect<LeasedRun, unknown, RunStore | Transactions> =>
  Effect.gen(function* () {
    const store = yield* RunStore
    const { transact } = yield* Transactions
    const fences = yield* transact(store.lock([run]))
    yield* store.heartbeat([{ ...run, token: fences.get(run.runId)?.leaseToken ?? "" }], -1)
    const taken = yield* store.reclaim({ node: "another", limit: 10, leaseMillis, except: [] })
    return taken.find((leased) => leased.run.runId === run.runId) ?? (yield* Effect.dieMessage("the run was not taken"))
  })
/**
 * A run that a node left when it died, with its first attempt under way. Made by a bystander.
 */
export const leftBehind = (principal: Principal, endpointId: string, changes: Partial<RunRequest> = {}) =>
  Effect.gen(function* () {
    const { suffix } = yield* Ids
    const lease = { node: "another", token: yield* suffix, millis: -1 }
    return (yield* underWay(principal, endpointId, changes, lease)).run
  })
/** A planned run that is not stored yet, with its first attempt. */
export const prepared = (principal: Principal, endpointId: string, changes: Partial<RunRequest>) =>
  Effect.gen(function* () {
    const { suffix } = yield* Ids
    const { run } = yield* create(principal, endpointId, 0, changes)
    yield* (yield* Runs).cancel(run.workspaceId, run.runId)
    const copy: Run = { ...run, runId: RunId.make(`run_${yield* suffix}`), idempotencyKey: yield* suffix }
    return { copy, opened: yield* (yield* Dispatcher).openAttempt(copy, copy.plan!.candidates[0]!, 1) }
  })
/** A run whose first attempt is stored and whose call has not been made, under this lease. */
export const underWay = (principal: Principal, endpointId: string, changes: Partial<RunRequest>, lease: Lease) =>
  Effect.gen(function* () {
    const { copy, opened: attempt } = yield* prepared(principal, endpointId, changes)
    const admitted = yield* (yield* Admission).admit({ run: copy, start: { lease, attempt }, waitedFor: false })
    assert(admitted._tag === "Admitted")
    return { run: copy, started: admitted.stored.run, attempt }
  })
/** Settings of a node that works on what the test gives it and on nothing else. */
export const onlyGiven = { takesQueued: false, startsUnwaited: false, leaseMillis: 200, heartbeatMillis: 60_000 }
/** Works on a run of this node, once `meanwhile` is over; the run as it ended, if this node ended it. */
export const workedOn = <E, R>(
  meanwhile: (run: Run) => Effect.Effect<unknown, E, R>,
  told: (run: Run) => Effect.Effect<unknown, never, Dispatcher>
) =>
  Effect.gen(function* () {
    const dispatcher = yield* Dispatcher
    const slot = yield* dispatcher.reserve(true)
    assert(slot !== null)
    const { attempt, started: run } = yield* underWay(yield* funded(funds), "mock-send-message", message, slot.lease)
    yield* meanwhile(run)
    const leased = { run, lease: slot.lease, attempts: [attempt], takenOver: false, workersLost: 0 } as const
    const end = yield* dispatcher.start({ ...leased, restored: false, waitedMillis: 0 }, slot)
    yield* told(run)
    return yield* Effect.async<Option.Option<SettledRun>>((resume) => {
      end((found) => resume(Effect.succeed(found)))
    })
  })
/** Looking into the queue takes slots for a moment, so that even the first run may have to wait for its turn. */
export const called = (providers: ScriptedProviders) =>
  eventually(Effect.sync(providers.calls), ({ length }) => length > 0)
export const ending = (
  { attempts, lease, run }: LeasedRun,
  changes: Partial<SettlementRequest>
): SettlementRequest => ({
  run: { ...run, outcome: "hit", completedAt: run.createdAt },
  event: "Completed",
  costMicros: Micros.make(1_200),
  reason: null,
  leaseToken: lease.token,
  attempt:
    attempts[0] === undefined
      ? null
      : { ...attempts[0], status: "completed", outcome: "hit", costMicros: Micros.make(1_200), billed: true },
  media: null,
  ...changes
})
/** What a client wants who read the run while it was queued. */
export const staleCancel = (leased: LeasedRun): SettlementRequest =>
  ending(
    { ...leased, run: { ...leased.run, status: "queued" } },
    { event: "Cancelled", costMicros: zero, leaseToken: null, attempt: null }
  )

export const impatient = { heartbeatMillis: 50, pollMillis: 50 }
/** The run once a node that starts now has worked on it. */
export const ended = (run: Run, providers: ScriptedProviders, settings: Partial<DispatcherOptions> = impatient) =>
  Effect.flatMap(Runs, (runs) =>
    eventually(runs.get(run.workspaceId, run.runId), (found) => found.run.status !== "running")
  ).pipe(Effect.provide(engine(providers.layer, settings)))
/** One more node goes silent over it: its lease ends as soon as it has it. */
export const anotherDies = (run: Run) => takeAway(run, -1)
