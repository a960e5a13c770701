/**
 * Telling all nodes of the end of a run wakes each of them, and commits that tell take turns over the whole database.
 * So it is done only where somebody waits on a node that may not be the one that ends the run.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Queue } from "effect"
import { RunId } from "../../../src/domain/Ids.js"
import { zero } from "../../../src/domain/Micros.js"
import type { Run } from "../../../src/domain/Run.js"
import { FaultPointsOff } from "../../../src/layers/node/FaultPointsOff.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { channel } from "../../../src/layers/postgres/RunSignalsPg.js"
import { DrainingMemory } from "../../../src/layers/node/DrainingMemory.js"
import { makeDeadlines } from "../../../src/services/Deadlines.js"
import { AdmissionBatched } from "../../../src/layers/runs/AdmissionBatched.js"
import { MoneyCommitsInTurn } from "../../../src/layers/runs/MoneyCommits.js"
import { SettlementBatched } from "../../../src/layers/runs/SettlementBatched.js"
import { awaitEnd } from "../../../src/layers/runs/Waiting.js"
import { ProvidersScripted, silence } from "../../../src/layers/providers/ProvidersScripted.js"
import { Admission, type AdmissionRequest } from "../../../src/services/Admission.js"
import { Draining } from "../../../src/services/Draining.js"
import { Ids } from "../../../src/services/Ids.js"
import { Runs } from "../../../src/services/Runs.js"
import { RunSignals } from "../../../src/services/RunSignals.js"
import { RunStore } from "../../../src/services/RunStore.js"
import { Settlement } from "../../../src/services/Settlement.js"
import { engine, funded, requestOf, storagePg } from "../../support/engine.js"
import { eventually } from "../../support/eventually.js"
import { attempt, queuedRun } from "../../support/httpSamples.js"
import { testDatabase } from "../../support/postgres.js"

const live = Layer.merge(AdmissionBatched, SettlementBatched).pipe(
  Layer.provide(MoneyCommitsInTurn),
  Layer.provide(FaultPointsOff),
  Layer.provideMerge(storagePg),
  Layer.provideMerge(testDatabase())
)

/** A run that was let in: started on some node, or queued. */
const admitted = (which: { readonly started: boolean; readonly waitedFor: boolean }) =>
  Effect.gen(function* () {
    const { suffix } = yield* Ids
    const { tokenId, workspaceId } = yield* funded(1_000_000)
    const runId = RunId.make(`run_${yield* suffix}`)
    const run: Run = { ...queuedRun, workspaceId, tokenId, runId, idempotencyKey: yield* suffix }
    const start: AdmissionRequest["start"] = {
      lease: { node: "n", token: runId, millis: 60_000 },
      attempt: { ...attempt, runId, workspaceId }
    }
    yield* (yield* Admission).admit({ run, start: which.started ? start : null, waitedFor: which.waitedFor })
    return { ...run, status: which.started ? "running" : "queued" } satisfies Run
  })

const end = (run: Run) =>
  Effect.flatMap(Settlement, ({ settle }) =>
    settle({
      run,
      leaseToken: run.status === "running" ? run.runId : null,
      event: run.status === "running" ? "Failed" : "Cancelled",
      costMicros: zero,
      reason: null,
      attempt: null,
      media: null
    })
  )

/** Everything that nodes are told while this is done. */
const toldDuring = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { listen, query, sql } = yield* Database
    const told = yield* Queue.unbounded<string>()
    const listening = yield* Deferred.make<void>()
    yield* Effect.forkScoped(
      listen(channel, (payload) => {
        if (payload === undefined) Deferred.unsafeDone(listening, Effect.void)
        else told.unsafeOffer(payload)
      })
    )
    yield* Deferred.await(listening)
    yield* work
    yield* query(sql`select pg_notify(${channel}, 'that was all')`)
    const found: Array<string> = []
    for (let next = yield* Queue.take(told); next !== "that was all"; next = yield* Queue.take(told)) found.push(next)
    return found
  }).pipe(Effect.scoped)

const test = <A, E>(title: string, work: Effect.Effect<A, E, Layer.Layer.Success<typeof live>>) =>
  it.live(title, () => work.pipe(Effect.timeout("20 seconds"), Effect.provide(live)))

describe("the end of a run", () => {
  test(
    "is told to nobody where the client waits at the node that works on it, or does not wait",
    Effect.gen(function* () {
      const runs = [
        yield* admitted({ started: true, waitedFor: true }),
        yield* admitted({ started: true, waitedFor: false }),
        yield* admitted({ started: false, waitedFor: false })
      ]
      assert.deepStrictEqual(yield* toldDuring(Effect.forEach(runs, end, { concurrency: "unbounded" })), [])
    })
  )

  test(
    "is told where a client waits for a run that any node may take, and of no other run that ends with it",
    Effect.gen(function* () {
      const run = yield* admitted({ started: false, waitedFor: true })
      const other = yield* admitted({ started: true, waitedFor: true })
      const told = yield* toldDuring(Effect.forEach([run, other], end, { concurrency: "unbounded" }))
      assert.deepStrictEqual(told, [`settled:${run.runId}`])
    })
  )

  test(
    "is told where somebody asked for it meanwhile, also twice",
    Effect.gen(function* () {
      const { tellEnd } = yield* RunStore
      const run = yield* admitted({ started: true, waitedFor: false })
      const told = yield* toldDuring(Effect.all([tellEnd(run), tellEnd(run), end(run)]))
      assert.deepStrictEqual(told, [`settled:${run.runId}`])
    })
  )

  test(
    "cannot be asked for while somebody has locked the run, which is said at once",
    Effect.gen(function* () {
      const { lock, tellEnd } = yield* RunStore
      const { transact } = yield* Database
      const run = yield* admitted({ started: true, waitedFor: false })
      const locked = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const holding = yield* Effect.fork(
        transact(Effect.all([lock([run]), Deferred.succeed(locked, undefined), Deferred.await(goOn)]))
      )
      yield* Deferred.await(locked)
      assert.isFalse(yield* tellEnd(run))
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(holding)
      assert.isTrue(yield* tellEnd(run))
      // Once it is noted, no lock is needed to see that.
      const seen = yield* transact(Effect.zipRight(lock([run]), tellEnd(run)))
      assert.isTrue(seen)
    })
  )

  it.live("reaches a client that waits on another node", () => {
    const providers = ProvidersScripted()
    providers.script("mock-email-find", silence)
    const node = Layer.build(Layer.provideMerge(engine(providers.layer), Layer.fresh(storagePg)))
    const request = requestOf("mock-email-find")
    return Effect.gen(function* () {
      const { query, sql } = yield* Database
      const first = yield* node
      const principal = yield* Effect.provide(funded(1_000_000), first)
      const { cancel, create } = Context.get(first, Runs)
      const { run } = yield* create(principal, request, 0)
      const waiting = yield* Effect.fork(Context.get(yield* node, Runs).create(principal, request, 60))
      yield* eventually(
        query(sql`select tell_end from runs where run_id = ${run.runId}`),
        ([row]) => row?.["tell_end"] === true
      )
      yield* cancel(principal.workspaceId, run.runId)
      // Without the signal, it would look again five seconds after its first look.
      const seen = yield* Effect.timeout(Fiber.join(waiting), "4 seconds")
      assert.deepStrictEqual([seen.run.runId, seen.run.status, seen.replayed], [run.runId, "failed", true])
    }).pipe(Effect.scoped, Effect.provide(testDatabase({ connectionsMax: 10 })))
  })

  it.live("is soon seen by a client that could not ask for it, because it was being written", () => {
    const providers = ProvidersScripted()
    providers.script("mock-email-find", silence)
    const request = requestOf("mock-email-find")
    const node = Layer.build(Layer.provideMerge(engine(providers.layer), Layer.fresh(storagePg)))
    return Effect.gen(function* () {
      const { query, sql, transact } = yield* Database
      const [first, other] = [yield* node, yield* node]
      const principal = yield* Effect.provide(funded(1_000_000), first)
      const { run } = yield* Context.get(first, Runs).create(principal, request, 0)
      const store = Context.get(other, RunStore)
      const [locked, asked] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const asking = RunStore.of({
        ...store,
        tellEnd: (key) => Effect.tap(store.tellEnd(key), () => Deferred.succeed(asked, undefined))
      })
      const ending = yield* Effect.fork(
        transact(
          Effect.gen(function* () {
            yield* query(sql`select from runs where run_id = ${run.runId} for no key update`)
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(asked)
            yield* query(sql`
              update runs set status = 'failed', charge_micros = 0, lease_token = null, lease_node = null, lease_expires_at = null
              where run_id = ${run.runId}`)
          })
        )
      )
      yield* Deferred.await(locked)
      const parts = {
        deadlines: yield* makeDeadlines,
        draining: yield* Draining,
        signals: Context.get(other, RunSignals),
        store: asking
      }
      // Without a second look soon, it would look again five seconds after its first look.
      const seen = yield* Effect.timeout(awaitEnd(parts, { run, attempts: [] }, 60), "4 seconds")
      yield* Fiber.join(ending)
      assert.strictEqual(seen.run.status, "failed")
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(testDatabase({ connectionsMax: 10 }), DrainingMemory)))
  })
})
