/** What every TopUps layer promises: one top-up for one key, one credit for one payment, whatever a processor does. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { describe } from "vitest"
import { Micros } from "../../src/domain/Micros.js"
import { TopUpId } from "../../src/domain/Ids.js"
import type { BillingPolicy } from "../../src/domain/TopUp.js"
import { PaymentsNone } from "../../src/layers/accounts/payments/PaymentsNone.js"
import type { Accounts } from "../../src/services/Accounts.js"
import { CheckoutUnavailable, Payments } from "../../src/services/Payments.js"
import { TopUpReports } from "../../src/services/TopUpReports.js"
import { TopUps } from "../../src/services/TopUps.js"
import { Wallet } from "../../src/services/Wallet.js"
import { newWorkspace } from "../support/sharedDatabase.js"

const usd = (amount: number) => Micros.make(amount * 1_000_000)
export const policy: BillingPolicy = {
  enabled: true,
  minimumMicros: usd(5),
  suggestedMicros: usd(20),
  maximumMicros: usd(1000),
  dashboardUrl: () => "http://gateway.test/billing"
}

const paying = Layer.succeed(
  Payments,
  Payments.of({
    configured: true,
    createCheckout: ({ topUpId }) => Effect.succeed({ checkoutUrl: `https://pay.test/${topUpId}` })
  })
)

type Services = TopUps | TopUpReports | Wallet | Accounts
type Make = (policy: BillingPolicy) => Layer.Layer<Services, never, Payments>

export const topUpsSuite = (name: string, make: Make) =>
  describe(name, () => {
    const workspace = Effect.map(newWorkspace, ({ workspaceId }) => workspaceId)
    const test = (
      title: string,
      work: Effect.Effect<void, unknown, Services>,
      options: { readonly payments?: Layer.Layer<Payments>; readonly policy?: Partial<BillingPolicy> } = {}
    ) =>
      it.effect(title, () =>
        Effect.provide(work, Layer.provide(make({ ...policy, ...options.policy }), options.payments ?? paying))
      )

    test(
      "without an amount the suggested one is asked for, and a checkout is opened",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const workspaceId = yield* workspace
        const topUp = yield* topUps.request({
          workspaceId,
          operatorWorkspace: false,
          amountMicros: null,
          idempotencyKey: null
        })
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
          topUps.request({
            workspaceId,
            operatorWorkspace: false,
            amountMicros: Micros.make(micros),
            idempotencyKey: null
          })
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
          topUps.request({ workspaceId, operatorWorkspace: false, amountMicros: usd(amount), idempotencyKey: "k 1" })
        const [first, second] = yield* Effect.all([ask(10), ask(10)], { concurrency: 2 })
        assert.deepStrictEqual(second, first)
        assert.strictEqual((yield* Effect.flip(ask(11)))._tag, "idempotency_conflict")
        assert.lengthOf((yield* topUps.list(workspaceId, { limit: 10, after: null })).items, 1)
      })
    )

    test(
      "a key belongs to its workspace",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const here = yield* workspace
        const there = yield* workspace
        const mine = yield* topUps.request({
          workspaceId: here,
          operatorWorkspace: false,
          amountMicros: null,
          idempotencyKey: "k"
        })
        const theirs = yield* topUps.request({
          workspaceId: there,
          operatorWorkspace: false,
          amountMicros: null,
          idempotencyKey: "k"
        })
        assert.notStrictEqual(mine.topUpId, theirs.topUpId)
      })
    )

    test(
      "without a processor the top-up is refused with the reason, and the key keeps the answer",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const workspaceId = yield* workspace
        const ask = topUps.request({ workspaceId, operatorWorkspace: false, amountMicros: usd(5), idempotencyKey: "k" })
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
      { payments: PaymentsNone }
    )

    test(
      "the operator's own workspace is refused a top-up with the reason, before a processor is asked, and the key keeps the answer",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const workspaceId = yield* workspace
        const ask = topUps.request({ workspaceId, operatorWorkspace: true, amountMicros: null, idempotencyKey: "k" })
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
            topUps.request({ workspaceId, operatorWorkspace: false, amountMicros: null, idempotencyKey: null })
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
          const ask = topUps.request({ workspaceId, operatorWorkspace: false, amountMicros: null, idempotencyKey: "k" })
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
        }).pipe(Effect.provide(Layer.provide(make(policy), slowAtFirst)))
      })
    )

    test(
      "a payment that is reported five times at once, and again later, credits once",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const reports = yield* TopUpReports
        const wallet = yield* Wallet
        const workspaceId = yield* workspace
        const { topUpId } = yield* topUps.request({
          workspaceId,
          operatorWorkspace: false,
          amountMicros: usd(7),
          idempotencyKey: null
        })
        const answers = yield* Effect.all(
          Array.from({ length: 5 }, () => reports.markPaid(topUpId, "pay_1")),
          { concurrency: 5 }
        )
        yield* reports.markPaid(topUpId, "pay_2")
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          ["paid", "paid", "paid", "paid", "paid"]
        )
        assert.strictEqual((yield* wallet.balance(workspaceId)).availableMicros, usd(7))
        const { items } = yield* wallet.entries(workspaceId, {}, { limit: 10, after: null })
        assert.deepStrictEqual(
          items.map(({ kind, topUpId }) => ({ kind, topUpId })),
          [{ kind: "top_up", topUpId }]
        )
      })
    )

    test(
      "reports out of order: money that came is credited, and paid never goes back",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const reports = yield* TopUpReports
        const workspaceId = yield* workspace
        const { topUpId } = yield* topUps.request({
          workspaceId,
          operatorWorkspace: false,
          amountMicros: null,
          idempotencyKey: null
        })
        assert.strictEqual((yield* reports.markUnpaid(topUpId, "expired")).status, "expired")
        assert.strictEqual((yield* reports.markUnpaid(topUpId, "failed")).status, "expired")
        assert.strictEqual((yield* reports.markPaid(topUpId, "pay_1")).status, "paid")
        assert.strictEqual((yield* reports.markUnpaid(topUpId, "failed")).status, "paid")
        assert.strictEqual((yield* (yield* Wallet).balance(workspaceId)).availableMicros, usd(20))
      })
    )

    test(
      "a report about an unknown top-up is not found",
      Effect.gen(function* () {
        const reports = yield* TopUpReports
        assert.strictEqual(
          (yield* Effect.flip(reports.markPaid(TopUpId.make(`top_${"0".repeat(26)}`), "pay_1")))._tag,
          "not_found"
        )
      })
    )

    test(
      "the list goes newest first over its pages",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const workspaceId = yield* workspace
        const made = yield* Effect.replicateEffect(
          topUps.request({ workspaceId, operatorWorkspace: false, amountMicros: null, idempotencyKey: null }),
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
