/** What every TopUps layer promises about requests: one top-up for one key, whatever becomes of its checkout. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Ref } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Micros } from "../../src/domain/Micros.js"
import type { TopUpId } from "../../src/domain/Ids.js"
import type { BillingPolicy } from "../../src/domain/TopUp.js"
import { PaymentsNone } from "../../src/layers/accounts/payments/PaymentsNone.js"
import { CheckoutUnavailable, Payments } from "../../src/services/Payments.js"
import { TopUpReports } from "../../src/services/TopUpReports.js"
import { TopUps } from "../../src/services/TopUps.js"
import { billing as policy } from "../support/billing.js"
import { type MakeTopUps, nobodyCharges, paying, topUpTest, usd, workspace } from "./TopUpStage.js"

export const topUpsSuite = (name: string, make: MakeTopUps) =>
  describe(name, () => {
    const test = topUpTest(make)

    test(
      "without an amount the suggested one is asked for, and a checkout is opened",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const workspaceId = yield* workspace
        const topUp = yield* topUps.request(
          {
            workspaceId,
            operatorWorkspace: false,
            amountMicros: null,
            idempotencyKey: null,
            saveMethod: false
          },
          commandLine
        )
        assert.strictEqual(topUp.status, "pending")
        assert.strictEqual(topUp.amountMicros, usd(20))
        assert.strictEqual(topUp.checkoutUrl, `https://pay.test/${topUp.topUpId}`)
        assert.strictEqual(topUp.dashboardUrl, policy.dashboardUrl(workspaceId))
        assert.deepStrictEqual((yield* topUps.list(workspaceId, { limit: 10, after: null })).items, [topUp])
      })
    )

    test(
      "amounts below the minimum and above the maximum are refused, those at the edges are not",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const workspaceId = yield* workspace
        const ask = (micros: number) =>
          topUps.request(
            {
              workspaceId,
              operatorWorkspace: false,
              amountMicros: Micros.make(micros),
              idempotencyKey: null,
              saveMethod: false
            },
            commandLine
          )
        for (const wrong of [0, usd(5) - 1, usd(1000) + 1])
          assert.strictEqual((yield* Effect.flip(ask(wrong)))._tag, "validation_error")
        for (const right of [usd(5), usd(1000)]) assert.strictEqual((yield* ask(right)).status, "pending")
      })
    )

    test(
      "the same key answers the same top-up, and is a conflict with another amount",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const workspaceId = yield* workspace
        const ask = (amount: number) =>
          topUps.request(
            {
              workspaceId,
              operatorWorkspace: false,
              amountMicros: usd(amount),
              idempotencyKey: "k 1",
              saveMethod: false
            },
            commandLine
          )
        const [first, second] = yield* Effect.all([ask(10), ask(10)], { concurrency: 2 })
        assert.deepStrictEqual(second, first)
        assert.strictEqual((yield* Effect.flip(ask(11)))._tag, "idempotency_conflict")
        assert.lengthOf((yield* topUps.list(workspaceId, { limit: 10, after: null })).items, 1)
      })
    )

    test(
      "the same key is a conflict where the card is to be saved now, and was not",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const workspaceId = yield* workspace
        const ask = (saveMethod: boolean) =>
          topUps.request(
            { workspaceId, operatorWorkspace: false, amountMicros: usd(10), idempotencyKey: "k", saveMethod },
            commandLine
          )
        yield* ask(false)
        assert.strictEqual((yield* Effect.flip(ask(true)))._tag, "idempotency_conflict")
      })
    )

    it.effect("the same key answers the same top-up after the operator has changed the amounts", () => {
      const bounds = { minimumMicros: usd(5), suggestedMicros: usd(20) }
      const changing: BillingPolicy = {
        ...policy,
        get minimumMicros() {
          return bounds.minimumMicros
        },
        get suggestedMicros() {
          return bounds.suggestedMicros
        }
      }
      return Effect.gen(function* () {
        const topUps = yield* TopUps
        const workspaceId = yield* workspace
        const ask = (idempotencyKey: string, amountMicros: Micros | null) =>
          topUps.request(
            { workspaceId, operatorWorkspace: false, amountMicros, idempotencyKey, saveMethod: false },
            commandLine
          )
        const [small, suggested] = [yield* ask("small", usd(5)), yield* ask("suggested", null)]
        Object.assign(bounds, { minimumMicros: usd(30), suggestedMicros: usd(40) })
        assert.deepStrictEqual(yield* ask("small", usd(5)), small)
        assert.deepStrictEqual(yield* ask("suggested", null), suggested)
        assert.strictEqual((yield* Effect.flip(ask("new", usd(5))))._tag, "validation_error")
      }).pipe(Effect.provide(Layer.provide(make(changing), [nobodyCharges, paying])))
    })

    test(
      "a key belongs to its workspace",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const here = yield* workspace
        const there = yield* workspace
        const mine = yield* topUps.request(
          {
            workspaceId: here,
            operatorWorkspace: false,
            amountMicros: null,
            idempotencyKey: "k",
            saveMethod: false
          },
          commandLine
        )
        const theirs = yield* topUps.request(
          {
            workspaceId: there,
            operatorWorkspace: false,
            amountMicros: null,
            idempotencyKey: "k",
            saveMethod: false
          },
          commandLine
        )
        assert.notStrictEqual(mine.topUpId, theirs.topUpId)
      })
    )

    test(
      "without a processor the top-up is refused with the reason, and the key keeps the answer",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const workspaceId = yield* workspace
        const ask = topUps.request(
          {
            workspaceId,
            operatorWorkspace: false,
            amountMicros: usd(5),
            idempotencyKey: "k",
            saveMethod: false
          },
          commandLine
        )
        const refused = yield* ask
        assert.strictEqual(refused.status, "refused")
        assert.strictEqual(refused.reason, "payment_processor_not_configured")
        assert.isNull(refused.checkoutUrl)
        assert.deepStrictEqual(yield* ask, refused)
        const hint = yield* topUps.hint({
          workspaceId,
          operatorWorkspace: false,
          readOnly: false,
          availableMicros: usd(0),
          neededMicros: null
        })
        assert.strictEqual(hint.reason, "payment_processor_not_configured")
      }),
      { payments: Layer.orDie(PaymentsNone) }
    )

    test(
      "the operator's own workspace is refused a top-up with the reason, before a processor is asked, and the key keeps the answer",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const workspaceId = yield* workspace
        const ask = topUps.request(
          {
            workspaceId,
            operatorWorkspace: true,
            amountMicros: null,
            idempotencyKey: "k",
            saveMethod: false
          },
          commandLine
        )
        const refused = yield* ask
        assert.deepInclude(refused, { status: "refused", reason: "operator_workspace", checkoutUrl: null })
        assert.deepStrictEqual(yield* ask, refused)
        const hint = yield* topUps.hint({
          workspaceId,
          operatorWorkspace: true,
          readOnly: true,
          availableMicros: usd(0),
          neededMicros: null
        })
        assert.strictEqual(hint.reason, "operator_workspace")
      })
    )

    test(
      "with billing switched off both routes say so",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const workspaceId = yield* workspace
        assert.strictEqual(
          (yield* Effect.flip(
            topUps.request(
              {
                workspaceId,
                operatorWorkspace: false,
                amountMicros: null,
                idempotencyKey: null,
                saveMethod: false
              },
              commandLine
            )
          ))._tag,
          "billing_unavailable"
        )
        assert.strictEqual(
          (yield* Effect.flip(topUps.list(workspaceId, { limit: 10, after: null })))._tag,
          "billing_unavailable"
        )
        const hint = yield* topUps.hint({
          workspaceId,
          operatorWorkspace: false,
          readOnly: false,
          availableMicros: usd(0),
          neededMicros: null
        })
        assert.strictEqual(hint.reason, "billing_disabled")
      }),
      { policy: { enabled: false } }
    )

    it.effect("a checkout that timed out is asked for again with the same key", () =>
      Effect.gen(function* () {
        const calls = yield* Ref.make(0)
        const slowAtFirst = Layer.succeed(
          Payments,
          Payments.of({
            configured: true,
            createCheckout: ({ topUpId }) =>
              Effect.flatMap(
                Ref.getAndUpdate(calls, (n) => n + 1),
                (n) =>
                  n === 0
                    ? Effect.fail(new CheckoutUnavailable({ reason: "processor_timeout" }))
                    : Effect.succeed({ checkoutUrl: `https://pay.test/${topUpId}` })
              )
          })
        )
        yield* Effect.gen(function* () {
          const topUps = yield* TopUps
          const workspaceId = yield* workspace
          const ask = topUps.request(
            {
              workspaceId,
              operatorWorkspace: false,
              amountMicros: null,
              idempotencyKey: "k",
              saveMethod: false
            },
            commandLine
          )
          const first = yield* ask
          assert.deepStrictEqual(
            [first.status, first.reason, first.checkoutUrl],
            ["pending", "processor_timeout", null]
          )
          const second = yield* ask
          assert.deepStrictEqual(
            [second.topUpId, second.reason, second.checkoutUrl],
            [first.topUpId, null, `https://pay.test/${first.topUpId}`]
          )
        }).pipe(Effect.provide(Layer.provide(make(policy), [nobodyCharges, slowAtFirst])))
      })
    )

    for (const refused of ["checkout_failed", "processor_timeout"] as const)
      it.effect(`a top-up that was paid while its checkout ended with ${refused} stays paid`, () =>
        Effect.gen(function* () {
          const asked = yield* Deferred.make<TopUpId>()
          const answer = yield* Deferred.make<never, CheckoutUnavailable>()
          const slow = Layer.succeed(
            Payments,
            Payments.of({
              configured: true,
              createCheckout: ({ topUpId }) => Effect.zipRight(Deferred.succeed(asked, topUpId), Deferred.await(answer))
            })
          )
          yield* Effect.gen(function* () {
            const topUps = yield* TopUps
            const { report } = yield* TopUpReports
            const workspaceId = yield* workspace
            const asking = yield* Effect.fork(
              topUps.request(
                {
                  workspaceId,
                  operatorWorkspace: false,
                  amountMicros: usd(10),
                  idempotencyKey: null,
                  saveMethod: false
                },
                commandLine
              )
            )
            const topUpId = yield* Deferred.await(asked)
            const paid = { topUpId, reference: `pi_${topUpId}`, amountMicros: usd(10), savedMethod: null }
            assert.strictEqual(yield* report({ _tag: "Paid", ...paid }), "credited")
            yield* Deferred.fail(answer, new CheckoutUnavailable({ reason: refused }))
            assert.deepInclude(yield* Fiber.join(asking), { topUpId, status: "paid", reason: null })
            assert.strictEqual((yield* topUps.get(workspaceId, topUpId)).status, "paid")
          }).pipe(Effect.provide(Layer.provide(make(policy), [nobodyCharges, slow])))
        })
      )

    test(
      "the list goes newest first over its pages",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const workspaceId = yield* workspace
        const made = yield* Effect.replicateEffect(
          topUps.request(
            {
              workspaceId,
              operatorWorkspace: false,
              amountMicros: null,
              idempotencyKey: null,
              saveMethod: false
            },
            commandLine
          ),
          5
        )
        const first = yield* topUps.list(workspaceId, { limit: 3, after: null })
        const second = yield* topUps.list(workspaceId, { limit: 3, after: first.next })
        assert.deepStrictEqual(
          [...first.items, ...second.items].map(({ topUpId }) => topUpId),
          made.map(({ topUpId }) => topUpId).reverse()
        )
        assert.isNull(second.next)
      })
    )
  })
