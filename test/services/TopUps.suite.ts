/** What every TopUps layer promises: one top-up for one key, one credit for one payment, whatever a processor does. */
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Ref, TestClock } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Micros } from "../../src/domain/Micros.js"
import { TopUpId, type WorkspaceId } from "../../src/domain/Ids.js"
import type { PaidReport, ReversalReport } from "../../src/domain/PaymentReport.js"
import type { BillingPolicy } from "../../src/domain/TopUp.js"
import { PaymentsNone } from "../../src/layers/accounts/payments/PaymentsNone.js"
import type { Accounts } from "../../src/services/Accounts.js"
import { AutomaticTopUps } from "../../src/services/AutomaticTopUps.js"
import {
  type Charged,
  ChargeRefused,
  ChargeUncertain,
  OffSessionPayments
} from "../../src/services/OffSessionPayments.js"
import { CheckoutUnavailable, Payments } from "../../src/services/Payments.js"
import { TopUpReports } from "../../src/services/TopUpReports.js"
import { TopUps } from "../../src/services/TopUps.js"
import { Wallet } from "../../src/services/Wallet.js"
import { billing as policy } from "../support/billing.js"
import { eventually } from "../support/eventually.js"
import { newWorkspace } from "../support/sharedDatabase.js"

const usd = (amount: number) => Micros.make(Math.round(amount * 1_000_000))

const paying = Layer.succeed(
  Payments,
  Payments.of({
    configured: true,
    createCheckout: ({ topUpId }) => Effect.succeed({ checkoutUrl: `https://pay.test/${topUpId}` })
  })
)

/** No test that uses this charges a card. */
const nobodyCharges = Layer.succeed(
  OffSessionPayments,
  OffSessionPayments.of({ charge: () => Effect.dieMessage("charged"), find: () => Effect.dieMessage("looked for") })
)

type Services = AutomaticTopUps | TopUps | TopUpReports | Wallet | Accounts
type Make = (policy: BillingPolicy) => Layer.Layer<Services, never, OffSessionPayments | Payments>

export const topUpsSuite = (name: string, make: Make) =>
  describe(name, () => {
    const workspace = Effect.map(newWorkspace, ({ workspaceId }) => workspaceId)
    const test = (
      title: string,
      work: Effect.Effect<void, unknown, Services>,
      options: {
        readonly payments?: Layer.Layer<Payments>
        readonly cards?: Layer.Layer<OffSessionPayments>
        readonly policy?: Partial<BillingPolicy>
      } = {}
    ) =>
      it.effect(title, () =>
        Effect.provide(
          work,
          Layer.provide(make({ ...policy, ...options.policy }), [
            options.cards ?? nobodyCharges,
            options.payments ?? paying
          ])
        )
      )

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

    /** A top-up of so many dollars, and what is needed to report about it. */
    const pending = (amount: number, workspaceId?: WorkspaceId) =>
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const wallet = yield* Wallet
        const owner = workspaceId ?? (yield* workspace)
        const { topUpId } = yield* topUps.request(
          {
            workspaceId: owner,
            operatorWorkspace: false,
            amountMicros: usd(amount),
            idempotencyKey: null,
            saveMethod: false
          },
          commandLine
        )
        const { report } = yield* TopUpReports
        const reference = `pi_${topUpId}`
        const paid = (more: Partial<PaidReport> = {}) =>
          report({ _tag: "Paid", topUpId, reference, amountMicros: usd(amount), savedMethod: null, ...more })
        const unpaid = (status: "expired" | "failed") => report({ _tag: "Unpaid", topUpId, status, declined: null })
        /** The processor's names are its own for each refund and dispute: the top-up's id makes them so here. */
        const taken = (
          name: string,
          dollars: number,
          state: ReversalReport["state"] = "taken",
          kind: ReversalReport["kind"] = "refund",
          on = reference
        ) =>
          report({
            _tag: "TakenBack",
            kind,
            objectId: `${name}_${topUpId}`,
            reference: on,
            state,
            amountMicros: usd(dollars)
          })
        const available = Effect.map(wallet.balance(owner), ({ availableMicros }) => availableMicros / 1_000_000)
        /** What the ledger says, oldest first. */
        const entries = Effect.map(wallet.entries(owner, {}, { limit: 100, after: null }), ({ items }) =>
          items
            .map(({ amountMicros, kind, reason }) => [
              kind,
              amountMicros / 1_000_000,
              reason?.replaceAll(/_top_\w+/g, "") ?? null
            ])
            .reverse()
        )
        /** The entries of this top-up alone, oldest first. */
        const own = Effect.map(wallet.entries(owner, { topUpId }, { limit: 100, after: null }), ({ items }) =>
          items.map((entry) => entry.amountMicros / 1_000_000).reverse()
        )
        const status = Effect.map(topUps.list(owner, { limit: 100, after: null }), ({ items }) =>
          items.find((one) => one.topUpId === topUpId)
        )
        return { workspaceId: owner, topUpId, reference, paid, unpaid, taken, available, entries, own, status }
      })

    /** Takes so many dollars off the balance, as runs would. */
    const spend = (workspaceId: WorkspaceId, dollars: number) =>
      Effect.flatMap(Wallet, (wallet) =>
        wallet.credit(
          {
            workspaceId,
            kind: "adjustment",
            micros: Math.round(-dollars * 1_000_000),
            reason: "spent",
            topUpId: null,
            key: `spent ${dollars}`
          },
          commandLine
        )
      )

    test(
      "a payment that is reported five times at once, and again later, credits once",
      Effect.gen(function* () {
        const { available, entries, paid } = yield* pending(7)
        const outcomes = yield* Effect.all(
          Array.from({ length: 5 }, () => paid()),
          { concurrency: 5 }
        )
        assert.sameMembers(outcomes, ["credited", "unchanged", "unchanged", "unchanged", "unchanged"])
        assert.strictEqual(yield* paid(), "unchanged")
        assert.strictEqual(yield* available, 7)
        assert.deepStrictEqual(yield* entries, [["top_up", 7, null]])
      })
    )

    test(
      "a payment of another amount, or a second payment of the same top-up, is not credited",
      Effect.gen(function* () {
        const { available, paid, status } = yield* pending(7)
        for (const amountMicros of [usd(6.99), usd(7.01), null])
          assert.strictEqual(yield* paid({ amountMicros }), "mismatched")
        assert.strictEqual((yield* status)?.status, "pending")
        assert.strictEqual(yield* paid(), "credited")
        assert.strictEqual(yield* paid({ reference: "pi_another" }), "mismatched")
        assert.strictEqual(yield* available, 7)
      })
    )

    test(
      "a payment that has paid one top-up pays no other one of the same amount",
      Effect.gen(function* () {
        const first = yield* pending(10)
        const second = yield* pending(10, first.workspaceId)
        assert.strictEqual(yield* first.paid(), "credited")
        assert.strictEqual(yield* second.paid({ reference: first.reference }), "mismatched")
        assert.strictEqual(yield* first.available, 10)
        assert.strictEqual((yield* second.status)?.status, "pending")
      })
    )

    test(
      "reports out of order: money that came is credited, and paid never goes back",
      Effect.gen(function* () {
        const { available, paid, status, unpaid } = yield* pending(20)
        const now = Effect.map(status, (topUp) => topUp?.status)
        assert.strictEqual(yield* unpaid("expired"), "changed")
        assert.strictEqual(yield* unpaid("failed"), "unchanged")
        assert.strictEqual(yield* now, "expired")
        assert.strictEqual(yield* paid(), "credited")
        assert.strictEqual(yield* unpaid("failed"), "unchanged")
        assert.strictEqual(yield* now, "paid")
        assert.strictEqual(yield* available, 20)
      })
    )

    test(
      "a report about an unknown top-up changes nothing",
      Effect.gen(function* () {
        const { report } = yield* TopUpReports
        const topUpId = TopUpId.make(`top_${"0".repeat(26)}`)
        assert.strictEqual(
          yield* report({ _tag: "Paid", topUpId, reference: "pi_0", amountMicros: usd(5), savedMethod: null }),
          "unknown_top_up"
        )
        assert.strictEqual(
          yield* report({ _tag: "Unpaid", topUpId, status: "failed", declined: null }),
          "unknown_top_up"
        )
      })
    )

    test(
      "a refund is taken back once, however often and in whatever order it is reported, and returned when it fails",
      Effect.gen(function* () {
        const { available, entries, paid, taken } = yield* pending(10)
        yield* paid()
        const outcomes = yield* Effect.all([taken("re_1", 4), taken("re_1", 4), taken("re_1", 4)], { concurrency: 3 })
        assert.sameMembers(outcomes, ["changed", "unchanged", "unchanged"])
        assert.strictEqual(yield* taken("re_2", 1), "changed")
        assert.strictEqual(yield* available, 5)
        assert.strictEqual(yield* taken("re_1", 4, "returned"), "changed")
        assert.strictEqual(yield* taken("re_1", 4), "unchanged")
        assert.strictEqual(yield* available, 9)
        assert.deepStrictEqual(yield* entries, [
          ["top_up", 10, null],
          ["adjustment", -4, "Refund re_1"],
          ["adjustment", -1, "Refund re_2"],
          ["adjustment", 4, "Refund re_1 failed"]
        ])
      })
    )

    test(
      "a refund that is reported before its payment is taken back with the payment",
      Effect.gen(function* () {
        const { available, paid, taken } = yield* pending(10)
        assert.strictEqual(yield* taken("re_3", 4), "kept")
        assert.strictEqual(yield* taken("re_4", 2, "returned"), "kept")
        assert.strictEqual(yield* taken("re_4", 2), "unchanged")
        assert.strictEqual(yield* paid(), "credited")
        assert.strictEqual(yield* available, 6)
      })
    )

    test(
      "a refund that is reported for another payment, or with another amount, is told and changes nothing",
      Effect.gen(function* () {
        const { available, own, paid, taken, workspaceId } = yield* pending(10)
        const other = yield* pending(20, workspaceId)
        yield* paid()
        yield* other.paid()
        assert.strictEqual(yield* taken("re_1", 4), "changed")
        // Grown, shrunk, failed with another amount, and as a dispute.
        assert.strictEqual(yield* taken("re_1", 5), "mismatched")
        assert.strictEqual(yield* taken("re_1", 3), "mismatched")
        assert.strictEqual(yield* taken("re_1", 5, "returned"), "mismatched")
        assert.strictEqual(yield* taken("re_1", 4, "taken", "dispute"), "mismatched")
        // Of a known payment, and of one that no top-up is known to be paid by.
        for (const on of [other.reference, `${other.reference}_unknown`])
          assert.strictEqual(yield* taken("re_1", 4, "taken", "refund", on), "mismatched")
        assert.strictEqual(yield* available, 26)
        assert.deepStrictEqual([yield* own, yield* other.own], [[10, -4], [20]])
        // What is true still counts.
        assert.strictEqual(yield* taken("re_1", 4, "returned"), "changed")
        assert.strictEqual(yield* available, 30)
      })
    )

    test(
      "a refund that is reported for two payments at once counts for one of them",
      Effect.gen(function* () {
        const { available, paid, taken, workspaceId } = yield* pending(10)
        const other = yield* pending(10, workspaceId)
        yield* Effect.all([paid(), other.paid()])
        const outcomes = yield* Effect.all([taken("re_1", 4), taken("re_1", 4, "taken", "refund", other.reference)], {
          concurrency: 2
        })
        assert.sameMembers(outcomes, ["changed", "mismatched"])
        assert.strictEqual(yield* available, 16)
      })
    )

    test(
      "an inquiry takes nothing, a dispute takes what is disputed, and one that is won gives it back",
      Effect.gen(function* () {
        const { available, paid, taken } = yield* pending(10)
        yield* paid()
        yield* taken("dp_1", 7, "open", "dispute")
        assert.strictEqual(yield* available, 10)
        yield* taken("dp_1", 10, "taken", "dispute")
        assert.strictEqual(yield* available, 0)
        yield* taken("dp_1", 10, "returned", "dispute")
        assert.strictEqual(yield* available, 10)
      })
    )

    test(
      "what a balance cannot pay back is owed: it stays at zero, and the next top-up pays first",
      Effect.gen(function* () {
        const { available, entries, paid, status, taken, topUpId, workspaceId } = yield* pending(10)
        const topUps = yield* TopUps
        yield* paid()
        yield* spend(workspaceId, 7)
        assert.strictEqual(yield* taken("re_1", 10), "changed")
        assert.strictEqual(yield* available, 0)
        assert.deepInclude(yield* status, { takenBackMicros: usd(3), owedMicros: usd(7) })
        assert.strictEqual(yield* topUps.owed(workspaceId), usd(7))
        const shown = yield* topUps.get(workspaceId, topUpId)
        assert.deepStrictEqual(shown, yield* status)
        assert.deepStrictEqual(shown.reversals, [
          { objectId: `re_1_${topUpId}`, kind: "refund", state: "taken", amountMicros: usd(10) }
        ])
        assert.strictEqual((yield* Effect.flip(topUps.get(yield* workspace, topUpId)))._tag, "not_found")
        const next = yield* pending(20, workspaceId)
        assert.strictEqual(yield* next.paid(), "credited")
        assert.strictEqual(yield* available, 13)
        assert.deepInclude(yield* status, { takenBackMicros: usd(10), owedMicros: usd(0) })
        assert.strictEqual(yield* topUps.owed(workspaceId), 0)
        assert.deepStrictEqual((yield* entries).slice(2), [
          ["adjustment", -3, "Refund re_1"],
          ["top_up", 20, null],
          ["adjustment", -7, "Owed for a refund or dispute of this top-up"]
        ])
      })
    )

    test(
      "a request that is sent again answers what is shown of its top-up: paid, taken back and owed",
      Effect.gen(function* () {
        const topUps = yield* TopUps
        const { report } = yield* TopUpReports
        const workspaceId = yield* workspace
        const ask = topUps.request(
          { workspaceId, operatorWorkspace: false, amountMicros: usd(10), idempotencyKey: "k", saveMethod: false },
          commandLine
        )
        const { topUpId } = yield* ask
        const reference = `pi_${topUpId}`
        yield* report({ _tag: "Paid", topUpId, reference, amountMicros: usd(10), savedMethod: null })
        yield* spend(workspaceId, 7)
        yield* report({
          _tag: "TakenBack",
          kind: "refund",
          objectId: `re_${topUpId}`,
          reference,
          state: "taken",
          amountMicros: usd(10)
        })
        const again = yield* ask
        assert.deepInclude(again, { topUpId, status: "paid", takenBackMicros: usd(3), owedMicros: usd(7) })
        assert.deepStrictEqual(again, yield* topUps.get(workspaceId, topUpId))
      })
    )

    test(
      "what is owed is collected from money that comes in another way, and not again",
      Effect.gen(function* () {
        const { available, paid, taken, workspaceId } = yield* pending(10)
        const { collectOwed } = yield* TopUpReports
        yield* paid()
        yield* spend(workspaceId, 10)
        yield* taken("re_1", 10)
        yield* spend(workspaceId, -4)
        yield* collectOwed
        assert.strictEqual(yield* available, 0)
        yield* spend(workspaceId, -8)
        yield* Effect.all([collectOwed, collectOwed, collectOwed], { concurrency: 3 })
        assert.strictEqual(yield* available, 2)
      })
    )

    test(
      "refunds and disputes together never take more than was paid",
      Effect.gen(function* () {
        const { available, paid, taken, workspaceId } = yield* pending(10)
        yield* paid()
        yield* spend(workspaceId, -5)
        yield* taken("re_1", 6)
        yield* taken("dp_1", 10, "taken", "dispute")
        assert.strictEqual(yield* available, 5)
        yield* taken("dp_1", 10, "returned", "dispute")
        assert.strictEqual(yield* available, 9)
      })
    )

    test(
      "fifty reports at once, in any order, end as one payment less its refund",
      Effect.gen(function* () {
        const { available, paid, taken, unpaid, workspaceId } = yield* pending(10)
        const all = Array.from({ length: 50 }, (_, index) =>
          index % 5 === 0
            ? unpaid("expired")
            : index % 5 === 1
              ? taken("re_1", 3)
              : index % 5 === 2
                ? taken("dp_1", 2, index % 2 === 0 ? "returned" : "taken", "dispute")
                : paid()
        )
        yield* Effect.all(all, { concurrency: "unbounded" })
        assert.strictEqual(yield* available, 7)
        const { ok } = yield* (yield* Wallet).verify
        assert.isTrue(ok)
        assert.isString(workspaceId)
      })
    )

    /** Cards that answer one step after the other, and the top-ups that they were asked to pay. */
    const cards = (...steps: ReadonlyArray<"paid" | "declined" | "uncertain" | "found">) => {
      const charges: Array<TopUpId> = []
      const lookups: Array<TopUpId> = []
      const next = [...steps]
      const paidOf = (topUpId: TopUpId): Charged => ({
        state: "paid",
        reference: `pi_${topUpId}`,
        amountMicros: usd(10)
      })
      const layer = Layer.succeed(
        OffSessionPayments,
        OffSessionPayments.of({
          charge: ({ topUpId }) =>
            Effect.suspend((): Effect.Effect<Charged, ChargeRefused | ChargeUncertain> => {
              charges.push(topUpId)
              const step = next.shift()
              if (step === "declined") return Effect.fail(new ChargeRefused({ stop: "card_declined" }))
              return step === "paid" ? Effect.succeed(paidOf(topUpId)) : Effect.fail(new ChargeUncertain())
            }),
          find: (topUpId) =>
            Effect.sync(() => {
              lookups.push(topUpId)
              if (next[0] !== "found") return null
              next.shift()
              return paidOf(topUpId)
            })
        })
      )
      return { charges, lookups, layer }
    }
    const rule = { belowMicros: usd(15), amountMicros: usd(10), monthlyMaximumMicros: usd(25) }

    /** A workspace with ten dollars and a saved card. */
    const withCard = Effect.gen(function* () {
      const automatic = yield* AutomaticTopUps
      const first = yield* pending(10)
      yield* first.paid({ savedMethod: { method: "cus_1/pm_1", paidAt: 0 } })
      const state = Effect.map(automatic.get(first.workspaceId), (shown) => [
        shown.state,
        shown.monthMicros / 1_000_000
      ])
      return {
        ...first,
        automatic,
        set: automatic.set(first.workspaceId, rule, commandLine),
        state,
        turn: automatic.turn
      }
    })

    const twice = cards("paid", "paid")
    test(
      "a low balance charges the saved card once, whoever looks, and no more in a month than the rule allows",
      Effect.gen(function* () {
        const { available, entries, set, state, turn, workspaceId } = yield* withCard
        assert.strictEqual((yield* set).state, "active")
        yield* Effect.all([turn, turn, turn, turn], { concurrency: 4 })
        assert.strictEqual(yield* available, 20)
        yield* turn
        assert.lengthOf(twice.charges, 1)
        yield* spend(workspaceId, 6)
        yield* turn
        assert.strictEqual(yield* available, 24)
        assert.deepStrictEqual(yield* state, ["monthly_maximum_reached", 20])
        yield* spend(workspaceId, 20)
        yield* turn
        assert.lengthOf(twice.charges, 2)
        assert.deepStrictEqual(
          (yield* entries).filter(([kind]) => kind === "top_up").map(([, amount]) => amount),
          [10, 10, 10]
        )
        yield* TestClock.adjust("32 days")
        assert.deepStrictEqual(yield* state, ["active", 0])
      }),
      { cards: twice.layer }
    )

    const declining = cards("declined", "paid")
    test(
      "a declined card disables the rule with the reason until it is set again, and does not count in the month",
      Effect.gen(function* () {
        const { automatic, available, set, state, turn, workspaceId } = yield* withCard
        yield* set
        yield* turn
        yield* turn
        assert.lengthOf(declining.charges, 1)
        const disabled = yield* automatic.get(workspaceId)
        assert.deepInclude(disabled, { state: "disabled", reason: "card_declined", topUpId: null })
        assert.strictEqual(disabled.monthMicros, 0)
        yield* set
        yield* turn
        assert.strictEqual(yield* available, 20)
        assert.deepStrictEqual(yield* state, ["active", 10])
      }),
      { cards: declining.layer }
    )

    const silent = cards("uncertain", "uncertain", "paid")
    test(
      "a charge without an answer is asked for again with the same top-up, and not at once",
      Effect.gen(function* () {
        const { available, automatic, set, turn, workspaceId } = yield* withCard
        yield* set
        yield* turn
        yield* turn
        assert.lengthOf(silent.charges, 1)
        assert.strictEqual((yield* automatic.get(workspaceId)).topUpId, silent.charges[0])
        yield* TestClock.adjust("61 seconds")
        yield* turn
        assert.strictEqual(yield* available, 10)
        yield* TestClock.adjust("2 minutes")
        yield* turn
        assert.strictEqual(yield* available, 20)
        assert.deepStrictEqual(silent.charges, Array(3).fill(silent.charges[0]))
        assert.deepStrictEqual(silent.lookups, [silent.charges[0]])
      }),
      { cards: silent.layer }
    )

    const found = cards("uncertain", "found")
    test(
      "a payment that was made before a crash is found, and not made again",
      Effect.gen(function* () {
        const { available, set, state, turn } = yield* withCard
        yield* set
        yield* turn
        yield* TestClock.adjust("3 minutes")
        yield* turn
        assert.strictEqual(yield* available, 20)
        assert.lengthOf(found.charges, 1)
        assert.deepStrictEqual(yield* state, ["active", 10])
      }),
      { cards: found.layer }
    )

    const lost = cards("uncertain", "paid")
    test(
      "a charge that is not found after a day is given up and never repeated blindly",
      Effect.gen(function* () {
        const { available, set, turn } = yield* withCard
        yield* set
        yield* turn
        yield* TestClock.adjust("25 hours")
        yield* turn
        assert.lengthOf(lost.charges, 1)
        assert.strictEqual(yield* available, 10)
        yield* turn
        assert.strictEqual(yield* available, 20)
        assert.notStrictEqual(lost.charges[1], lost.charges[0])
      }),
      { cards: lost.layer }
    )

    const leaving = cards("uncertain", "found")
    test(
      "a rule that is taken away charges no more, its top-up under way still ends, and the month goes on counting",
      Effect.gen(function* () {
        const { automatic, available, set, turn, workspaceId } = yield* withCard
        yield* set
        yield* turn
        yield* automatic.remove(workspaceId, commandLine)
        yield* automatic.remove(workspaceId, commandLine)
        assert.strictEqual((yield* Effect.flip(automatic.get(workspaceId)))._tag, "not_found")
        yield* TestClock.adjust("3 minutes")
        yield* turn
        assert.strictEqual(yield* available, 20)
        yield* turn
        assert.lengthOf(leaving.charges, 1)
        assert.strictEqual((yield* set).monthMicros, usd(10))
      }),
      { cards: leaving.layer }
    )

    const declinedLate = cards("uncertain", "declined")
    test(
      "a rule that was taken away stays away when the card of its last top-up is declined",
      Effect.gen(function* () {
        const { automatic, set, turn, workspaceId } = yield* withCard
        yield* set
        yield* turn
        yield* automatic.remove(workspaceId, commandLine)
        yield* TestClock.adjust("61 seconds")
        yield* turn
        assert.lengthOf(declinedLate.charges, 2)
        assert.strictEqual((yield* Effect.flip(automatic.get(workspaceId)))._tag, "not_found")
        assert.deepInclude(yield* set, { state: "active", reason: null, monthMicros: usd(0), topUpId: null })
        yield* automatic.remove(workspaceId, commandLine)
      }),
      { cards: declinedLate.layer }
    )

    const overtaken = cards("uncertain", "paid")
    const whileLookedFor: { report: Effect.Effect<unknown> } = { report: Effect.void }
    test(
      "a charge that is reported paid while its payment is looked for is not made again",
      Effect.gen(function* () {
        const { available, set, state, turn } = yield* withCard
        const { report } = yield* TopUpReports
        yield* set
        yield* turn
        const [topUpId] = overtaken.charges
        assert.isDefined(topUpId)
        whileLookedFor.report = Effect.orDie(
          report({ _tag: "Paid", topUpId, reference: `pi_${topUpId}`, amountMicros: usd(10), savedMethod: null })
        )
        yield* TestClock.adjust("3 minutes")
        yield* turn
        assert.lengthOf(overtaken.lookups, 1)
        assert.deepStrictEqual(overtaken.charges, [topUpId])
        assert.strictEqual(yield* available, 20)
        assert.deepStrictEqual(yield* state, ["active", 10])
      }),
      {
        cards: Layer.map(overtaken.layer, (context) => {
          const { charge, find } = Context.get(context, OffSessionPayments)
          return Context.make(OffSessionPayments, {
            charge,
            find: (topUpId) =>
              Effect.zipLeft(
                find(topUpId),
                Effect.suspend(() => whileLookedFor.report)
              )
          })
        })
      }
    )

    test(
      "a payment that does not fit its top-up saves no card",
      Effect.gen(function* () {
        const automatic = yield* AutomaticTopUps
        const { paid, workspaceId } = yield* pending(10)
        const savedMethod = { method: "cus_1/pm_1", paidAt: 0 }
        assert.strictEqual(yield* paid({ amountMicros: usd(11), savedMethod }), "mismatched")
        assert.strictEqual((yield* automatic.set(workspaceId, rule, commandLine)).state, "no_payment_method")
      })
    )

    /** Cards that are always paid, from when the gate is open on, and what was charged where. */
    const willing = () => {
      const charges: Array<{ readonly workspaceId: WorkspaceId; readonly method: string }> = []
      const gate = Effect.unsafeMakeLatch(true)
      const layer = Layer.succeed(
        OffSessionPayments,
        OffSessionPayments.of({
          charge: ({ amountMicros, method, topUpId, workspaceId }) =>
            Effect.suspend(() => {
              charges.push({ workspaceId, method })
              return Effect.as(gate.await, { state: "paid" as const, reference: `pi_${topUpId}`, amountMicros })
            }),
          find: () => Effect.succeed(null)
        })
      )
      const chargedIn = (...places: ReadonlyArray<WorkspaceId>) =>
        charges.filter(({ workspaceId }) => places.includes(workspaceId))
      return { chargedIn, gate, layer }
    }

    const replaced = willing()
    test(
      "the card of the newest payment is charged, whatever is reported late or again",
      Effect.gen(function* () {
        const automatic = yield* AutomaticTopUps
        const older = { method: "cus_1/pm_older", paidAt: 1_000 }
        const newer = { method: "cus_2/pm_newer", paidAt: 2_000 }
        type Pair = { readonly [Name in "first" | "second"]: Effect.Effect.Success<ReturnType<typeof pending>> }
        const ways: ReadonlyArray<(pair: Pair) => Effect.Effect<ReadonlyArray<string>, unknown>> = [
          // The event of the older payment is delivered again.
          ({ first, second }) =>
            Effect.all([
              first.paid({ savedMethod: older }),
              second.paid({ savedMethod: newer }),
              first.paid({ savedMethod: older })
            ]),
          // It comes only after that of the newer one.
          ({ first, second }) =>
            Effect.all([second.paid({ savedMethod: newer }), first.paid({ savedMethod: older }), first.paid()]),
          // The top-up that was requested first is paid last.
          ({ first, second }) =>
            Effect.all([second.paid({ savedMethod: older }), first.paid({ savedMethod: newer }), second.paid()]),
          // Another event has told of the payment already, without its card.
          ({ first, second }) =>
            Effect.all([first.paid({ savedMethod: older }), second.paid(), second.paid({ savedMethod: newer })])
        ]
        for (const way of ways) {
          const first = yield* pending(10)
          const { workspaceId } = first
          const second = yield* pending(10, workspaceId)
          assert.sameMembers([...(yield* way({ first, second }))], ["credited", "credited", "unchanged"])
          assert.strictEqual(yield* first.available, 20)
          yield* automatic.set(workspaceId, { ...rule, belowMicros: usd(25) }, commandLine)
          yield* automatic.turn
          assert.deepStrictEqual(replaced.chargedIn(workspaceId), [{ workspaceId, method: newer.method }])
        }
      }),
      { cards: replaced.layer }
    )

    const slow = willing()
    test(
      "a node takes no more top-ups than it works on at once, and goes on until none is due",
      Effect.gen(function* () {
        const automatic = yield* AutomaticTopUps
        const due = yield* Effect.replicateEffect(withCard, 6)
        yield* Effect.forEach(due, ({ set }) => set)
        const places = due.map(({ workspaceId }) => workspaceId)
        yield* slow.gate.close
        const turning = yield* Effect.fork(automatic.turn)
        yield* eventually(
          Effect.sync(() => slow.chargedIn(...places).length),
          (charged) => charged >= 4
        )
        const shown = yield* Effect.forEach(places, (workspaceId) => automatic.get(workspaceId))
        yield* slow.gate.open
        yield* Fiber.join(turning)
        assert.lengthOf(
          shown.filter(({ topUpId }) => topUpId !== null),
          4
        )
        assert.sameMembers(
          slow.chargedIn(...places).map(({ workspaceId }) => workspaceId),
          places
        )
        assert.deepStrictEqual(yield* Effect.forEach(due, ({ available }) => available), Array(6).fill(20))
      }),
      { cards: slow.layer }
    )

    const laterMonth = willing()
    test(
      "a clock that goes back over the end of a month charges no more, and holds up no other workspace",
      Effect.gen(function* () {
        const full = yield* Effect.replicateEffect(withCard, 4)
        yield* TestClock.setTime(Date.UTC(2026, 1, 1))
        for (const { set, turn, workspaceId } of full) {
          yield* set
          yield* turn
          yield* spend(workspaceId, 10)
          yield* turn
          yield* spend(workspaceId, 20)
        }
        const places = full.map(({ workspaceId }) => workspaceId)
        assert.lengthOf(laterMonth.chargedIn(...places), 8)
        yield* TestClock.setTime(Date.UTC(2026, 0, 31, 23))
        // Its id is the newest, so it is looked at last.
        const other = yield* withCard
        yield* other.set
        yield* other.turn
        assert.lengthOf(laterMonth.chargedIn(...places), 8)
        for (const { state } of full) assert.deepStrictEqual(yield* state, ["monthly_maximum_reached", 20])
        assert.strictEqual(yield* other.available, 20)
        assert.deepStrictEqual(yield* other.state, ["active", 10])
      }),
      { cards: laterMonth.layer }
    )

    test(
      "a rule without a saved card waits for one, and one that cannot work is refused by its field",
      Effect.gen(function* () {
        const automatic = yield* AutomaticTopUps
        const workspaceId = yield* workspace
        assert.strictEqual((yield* automatic.set(workspaceId, rule, commandLine)).state, "no_payment_method")
        yield* automatic.turn
        for (const [wrong, field] of [
          [{ amountMicros: usd(4.99) }, "amountUsd"],
          [{ amountMicros: usd(1001) }, "amountUsd"],
          [{ belowMicros: usd(0) }, "belowUsd"],
          [{ belowMicros: usd(1000.000001) }, "belowUsd"],
          [{ monthlyMaximumMicros: usd(9.99) }, "monthlyMaximumUsd"]
        ] as const) {
          const refused = yield* Effect.flip(automatic.set(workspaceId, { ...rule, ...wrong }, commandLine))
          assert.strictEqual(refused._tag === "validation_error" ? refused.details[0].field : refused._tag, field)
        }
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
