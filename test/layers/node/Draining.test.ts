/** A node that stops keeps nobody waiting for a run, and a client that hangs up interrupts no write. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, TestClock } from "effect"
import { ProvidersScripted, silence } from "../../../src/layers/providers/ProvidersScripted.js"
import type { TopUpRow, TopUpRows } from "../../../src/layers/accounts/topups/TopUpRows.js"
import { topUpsOver } from "../../../src/layers/accounts/topups/TopUpsOver.js"
import { DrainingMemory } from "../../../src/layers/node/DrainingMemory.js"
import { Draining } from "../../../src/services/Draining.js"
import { Runs } from "../../../src/services/Runs.js"
import { RunStore } from "../../../src/services/RunStore.js"
import { TopUps } from "../../../src/services/TopUps.js"
import { IdsCounting } from "../../support/idsCounting.js"
import { PaymentsNone } from "../../../src/layers/accounts/payments/PaymentsNone.js"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import type { AutomaticRows } from "../../../src/layers/accounts/topups/AutomaticRows.js"
import { AuditTrail } from "../../../src/services/AuditTrail.js"
import { Wallet } from "../../../src/services/Wallet.js"
import { billing as policy } from "../../support/billing.js"
import { engine, funded, requestOf, storageMemory } from "../../support/engine.js"
import { id, workspaceId } from "../../support/httpGateway.js"

const job = "job:people.email.find"
const silent = ProvidersScripted({ "mock-email-find": silence }).layer

describe("waiting for a run", () => {
  const gateway = Layer.merge(DrainingMemory, Layer.provideMerge(engine(silent, { slots: 1 }), storageMemory))

  it.effect("ends when a node that stops ends its waits, with the run as it is", () =>
    Effect.gen(function* () {
      const draining = yield* Draining
      const runs = yield* Runs
      const principal = yield* funded(1_000_000)
      const request = requestOf(job)
      const started = yield* runs.create(principal, request, 0)
      assert.strictEqual(started.run.status, "running")
      // One that this node works on, the same one replayed, and one that waits in the queue.
      const [here, replayed, queued] = [request, request, requestOf(job)].map((asked) =>
        runs.create(principal, asked, 60)
      )
      const waiting = yield* Effect.fork(Effect.all([here!, replayed!, queued!], { concurrency: 3 }))
      yield* TestClock.adjust("1 seconds")
      assert.isNull(yield* Fiber.poll(waiting).pipe(Effect.map((exit) => (exit._tag === "None" ? null : exit))))
      yield* draining.endWaits
      const answers = yield* Fiber.join(waiting)
      assert.deepStrictEqual(
        answers.map(({ run }) => run.status),
        ["running", "running", "queued"]
      )
      assert.strictEqual((yield* runs.create(principal, requestOf(job), 60)).run.status, "queued")
    }).pipe(Effect.provide(gateway))
  )

  it.effect("on the node that works on it ends in the same way", () =>
    Effect.gen(function* () {
      const draining = yield* Draining
      const runs = yield* Runs
      const principal = yield* funded(1_000_000)
      const waiting = yield* Effect.fork(runs.create(principal, requestOf(job), 60))
      yield* TestClock.adjust("1 seconds")
      yield* draining.endWaits
      assert.strictEqual((yield* Fiber.join(waiting)).run.status, "running")
    }).pipe(Effect.provide(gateway))
  )
})

/** `work` says when it has begun and goes on when told to; answers what happened to it. */
const paused = Effect.gen(function* () {
  const begun = yield* Deferred.make<undefined>()
  const goOn = yield* Deferred.make<undefined>()
  const hold = <A, E>(work: Effect.Effect<A, E>) =>
    Effect.zipRight(Deferred.succeed(begun, undefined), Effect.zipRight(Deferred.await(goOn), work))
  /** Hangs up once the work has begun, then lets it go on. */
  const hangUp = <A, E>(call: Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const caller = yield* Effect.fork(call)
      yield* Deferred.await(begun)
      const ending = yield* Effect.fork(Fiber.interrupt(caller))
      yield* Effect.yieldNow()
      yield* Deferred.succeed(goOn, undefined)
      return yield* Fiber.join(ending)
    })
  return { hangUp, hold }
})

describe("a client that hangs up", () => {
  it.effect("in the middle of a cancel has cancelled", () =>
    Effect.gen(function* () {
      const { hangUp, hold } = yield* paused
      const slowCancel = Layer.effect(
        RunStore,
        Effect.map(RunStore, (store) =>
          RunStore.of({ ...store, requestCancel: (key) => hold(store.requestCancel(key)) })
        )
      ).pipe(Layer.provideMerge(storageMemory))
      yield* Effect.gen(function* () {
        const runs = yield* Runs
        const principal = yield* funded(1_000_000)
        const { run } = yield* runs.create(principal, requestOf(job), 0)
        assert.strictEqual(run.status, "queued")
        yield* hangUp(runs.cancel(principal.workspaceId, run.runId))
        const after = yield* runs.get(principal.workspaceId, run.runId)
        assert.deepStrictEqual([after.run.status, after.run.error?.code], ["failed", "cancelled_before_dispatch"])
      }).pipe(Effect.provide(Layer.provideMerge(engine(silent, { slots: 0 }), slowCancel)))
    })
  )

  it.effect("in the middle of a top-up leaves what was being written written", () =>
    Effect.gen(function* () {
      const { hangUp, hold } = yield* paused
      const written: Array<TopUpRow> = []
      const rows = {
        ofKey: () => Effect.succeed(null),
        insert: (row: TopUpRow) => hold(Effect.sync(() => (written.push(row), row))),
        change: () => Effect.succeed(null),
        transact: (work: Effect.Effect<unknown>) => work,
        collectable: () => Effect.succeed([])
      } as unknown as TopUpRows
      const topUps = Layer.effectContext(
        topUpsOver(rows, { due: () => Effect.succeed([]) } as unknown as AutomaticRows, policy)
      ).pipe(
        Layer.provide([
          IdsCounting,
          PaymentsNone,
          Layer.succeed(Wallet, {} as Wallet["Type"]),
          Layer.succeed(AuditTrail, { write: () => Effect.void } as never)
        ])
      )
      yield* Effect.gen(function* () {
        const { request } = yield* TopUps
        yield* hangUp(
          request(
            {
              workspaceId,
              operatorWorkspace: false,
              amountMicros: null,
              idempotencyKey: id("key", 1),
              saveMethod: false
            },
            commandLine
          )
        )
        assert.lengthOf(written, 1)
      }).pipe(Effect.provide(topUps))
    })
  )
})
