/**
 * Cancels racing dispatch and settlement: one run, its creator, others who wait for it, and one to three cancels, in an
 * order drawn from a seed. However they meet, the run ends once, its money adds up, and everybody is told the same
 * story.
 */
import { assert } from "@effect/vitest"
import { Effect, FastCheck, Fiber } from "effect"
import type { Run } from "../../src/domain/Run.js"
import { ProviderError } from "../../src/domain/RunFailures.js"
import { drop, fail, hit, miss, type Step } from "../../src/layers/providers/ProvidersScripted.js"
import { Dispatcher } from "../../src/services/Dispatcher.js"
import { Runs } from "../../src/services/Runs.js"
import { Wallet } from "../../src/services/Wallet.js"
import { funded, requestOf } from "../support/engine.js"
import type { ProvidersByCase } from "./support/ProvidersByCase.js"

export const slots = 2

/** How often it is looked whether something has ended: also on a machine that is busy with others. */
const looks = 400
const funds = 1_000_000
const readOnly = { id: "mock-email-find", hold: 5_000 } as const
const effectful = { id: "mock-send-message", hold: 10_000 } as const

const answers: {
  readonly [name: string]: readonly [
    step: Step,
    cost: number,
    status: "completed" | "failed" | "reconciliation_pending"
  ]
} = {
  hit: [hit(undefined, { costMicros: 1_200 }), 1_200, "completed"],
  "hit above the hold": [hit(undefined, { costMicros: 99_999_999 }), 99_999_999, "completed"],
  miss: [miss(), 0, "completed"],
  failure: [fail(new ProviderError({})), 0, "failed"],
  "failure that cost something": [fail(new ProviderError({}), { costMicros: 700 }), 700, "failed"],
  lost: [drop(), 0, "reconciliation_pending"]
}

const moment = FastCheck.nat(30)
export const race = FastCheck.record({
  /** Of the order in which fibers take turns. */
  seed: FastCheck.nat(),
  effectful: FastCheck.boolean(),
  /** Every slot is taken when the run arrives, so that it waits in the queue until `room`. */
  queued: FastCheck.boolean(),
  answer: FastCheck.constantFrom(...Object.keys(answers)),
  /** How long the provider takes, and when the others come into it. */
  provider: moment,
  room: moment,
  cancels: FastCheck.array(moment, { minLength: 1, maxLength: 3 }),
  waiters: FastCheck.array(moment, { maxLength: 2 })
})
export type Race = typeof race extends FastCheck.Arbitrary<infer A> ? A : never

export interface Surroundings {
  readonly providers: ProvidersByCase
  /** Lets the others do a little; more of it with a greater number. */
  readonly pause: (moment: number) => Effect.Effect<void>
  /** Lets time pass. */
  readonly tick: Effect.Effect<void>
}

/** Whether a cancel was asked for is the gateway's own note: it can come after the run's end was told. */
const seen = ({ cancelRequested: _, ...run }: Run): Omit<Run, "cancelRequested"> => run

let races = 0

export const run =
  ({ pause, providers, tick }: Surroundings) =>
  (drawn: Race) =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const wallet = yield* Wallet
      const dispatcher = yield* Dispatcher
      const name = `case-${races++}.example`
      const tool = drawn.effectful ? effectful : readOnly
      const [step, cost, ownStatus] = answers[drawn.answer]!
      providers.script(name, [step], pause(drawn.provider))
      const principal = yield* funded(funds)
      const request = requestOf(tool.id, {
        input: drawn.effectful ? { to: "ada@example.com", text: name } : { name: "Ada Example", domain: name }
      })
      const taken = drawn.queued ? yield* Effect.replicateEffect(dispatcher.reserve(true), slots) : []

      const admitted = Effect.repeat(
        Effect.zipRight(pause(2), runs.list(principal.workspaceId, {}, { limit: 1, after: null }, false)),
        { until: ({ items }) => items.length > 0 }
      ).pipe(Effect.map(({ items }) => items[0]!.runId))
      const created = yield* Effect.fork(runs.create(principal, request, 20))
      const waiters = yield* Effect.forEach(drawn.waiters, (when) =>
        Effect.fork(Effect.zipRight(pause(when), runs.create(principal, request, 20)))
      )
      const cancels = yield* Effect.forEach(drawn.cancels, (when) =>
        Effect.fork(
          Effect.flatMap(admitted, (runId) => Effect.zipRight(pause(when), runs.cancel(principal.workspaceId, runId)))
        )
      )
      const room = yield* Effect.fork(
        Effect.zipRight(
          pause(drawn.room),
          Effect.forEach(taken, (slot) => slot?.release ?? Effect.void)
        )
      )
      const everybody = [created, room, ...waiters, ...cancels]
      const waiting = Effect.map(
        Effect.forEach(everybody, (fiber) => fiber.status),
        (all) => all.filter(({ _tag }) => _tag !== "Done").length
      )
      const left = yield* Effect.repeat(Effect.zipRight(tick, waiting), { until: (count) => count === 0, times: looks })
      assert.strictEqual(left, 0, "somebody still waits")

      const {
        run: { runId }
      } = yield* Fiber.join(created)
      // An effectful call goes on after its cancel was answered.
      const final = yield* Effect.repeat(Effect.zipRight(tick, runs.get(principal.workspaceId, runId)), {
        until: ({ run }) => run.status !== "running" && run.status !== "queued",
        times: looks
      })
      const { chargeMicros, error, status } = final.run

      const calls = providers.calls(name)
      assert.isAtMost(calls, 1, "a call was repeated")
      const cancelled =
        error?.code === "cancelled_before_dispatch" || error?.code === "cancellation_requested_after_dispatch"
      if (cancelled) {
        assert.deepStrictEqual([status, chargeMicros], ["failed", 0])
        if (error.code === "cancelled_before_dispatch" || drawn.effectful)
          assert.strictEqual(calls, 0, "a run that was called did not keep its own end")
      } else {
        const lost = ownStatus === "reconciliation_pending"
        assert.strictEqual(calls, 1)
        assert.strictEqual(status, lost && !drawn.effectful ? "failed" : ownStatus)
        assert.strictEqual(chargeMicros, lost && drawn.effectful ? null : Math.min(cost, tool.hold))
      }

      for (const told of [created, ...waiters])
        assert.deepStrictEqual(seen((yield* Fiber.join(told)).run), seen(final.run))
      for (const told of cancels) {
        const { run } = yield* Fiber.join(told)
        if (run.status !== "running" || !drawn.effectful) assert.deepStrictEqual(seen(run), seen(final.run))
      }

      const held = status === "reconciliation_pending" ? tool.hold : 0
      assert.deepStrictEqual({ ...(yield* wallet.balance(principal.workspaceId)) } as object, {
        availableMicros: funds - held - (chargeMicros ?? 0),
        reservedMicros: held
      })
      const { items } = yield* wallet.entries(principal.workspaceId, { runId }, { limit: 10, after: null })
      assert.deepStrictEqual(
        items.map(({ kind }) => kind).reverse(),
        held > 0 ? ["hold"] : ["hold", "release", ...((chargeMicros ?? 0) > 0 ? ["charge" as const] : [])]
      )

      assert.strictEqual(yield* dispatcher.active, 0)
      // The dispatcher takes slots for a moment whenever it looks into the queue.
      const free = Effect.acquireUseRelease(
        Effect.replicateEffect(dispatcher.reserve(true), slots),
        (got) =>
          Effect.as(
            tick,
            got.every((slot) => slot !== null)
          ),
        (got) => Effect.forEach(got, (slot) => slot?.release ?? Effect.void)
      )
      assert.isTrue(yield* Effect.repeat(free, { until: (all) => all, times: looks }), "a slot was lost")
    })
