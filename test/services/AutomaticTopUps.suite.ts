/** What every AutomaticTopUps layer promises: a saved card is charged once, and no more than its rule allows. */
import { assert } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, TestClock } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import type { TopUpId } from "../../src/domain/Ids.js"
import { type WorkspaceId } from "../../src/domain/Ids.js"
import { PaymentsNone } from "../../src/layers/accounts/payments/PaymentsNone.js"
import { Accounts } from "../../src/services/Accounts.js"
import { AutomaticTopUps } from "../../src/services/AutomaticTopUps.js"
import {
  type Charged,
  ChargeRefused,
  ChargeUncertain,
  OffSessionPayments
} from "../../src/services/OffSessionPayments.js"
import { TopUpReports } from "../../src/services/TopUpReports.js"
import { TopUps } from "../../src/services/TopUps.js"
import { eventually } from "../support/eventually.js"
import { type MakeTopUps, operatorTokenOf, pending, spend, topUpTest, usd, workspace } from "./TopUpStage.js"

export const automaticTopUpsSuite = (name: string, make: MakeTopUps) =>
  describe(name, () => {
    const test = topUpTest(make)

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

    type WithCard = Effect.Effect.Success<typeof withCard>

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

    const operated = cards("paid", "paid")
    test(
      "the card of a workspace that is the operator's own is charged no more, its rule says why, and goes on afterwards",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { automatic, available, set, state, turn, workspaceId } = yield* withCard
        yield* set
        const { tokenId } = yield* accounts.createToken(operatorTokenOf(workspaceId), commandLine)
        const why = {
          state: "unavailable" as const,
          reason: "operator_workspace" as const,
          message: "This workspace belongs to the operator, who adds money to its balance directly."
        }
        assert.deepInclude(yield* automatic.get(workspaceId), why)
        assert.deepInclude(yield* set, why)
        yield* turn
        assert.deepStrictEqual(operated.charges, [])
        assert.strictEqual(yield* available, 10)
        assert.deepStrictEqual(yield* state, ["unavailable", 0])
        // As many as a node takes at once, and all found before the next workspace, were they due.
        for (const more of yield* Effect.replicateEffect(withCard, 3)) {
          yield* more.set
          yield* accounts.createToken(operatorTokenOf(more.workspaceId), commandLine)
        }
        const other = yield* withCard
        yield* other.set
        yield* turn
        assert.strictEqual(yield* other.available, 20)
        yield* accounts.revokeToken(tokenId, commandLine)
        assert.deepInclude(yield* automatic.get(workspaceId), { state: "active", reason: null })
        yield* turn
        assert.strictEqual(yield* available, 20)
      }),
      { cards: operated.layer }
    )

    const begun = cards("uncertain", "found")
    test(
      "a top-up that was begun before its workspace became the operator's ends with the payment that was made",
      Effect.gen(function* () {
        const { available, set, state, turn, workspaceId } = yield* withCard
        yield* set
        yield* turn
        yield* (yield* Accounts).createToken(operatorTokenOf(workspaceId), commandLine)
        yield* TestClock.adjust("61 seconds")
        yield* turn
        assert.strictEqual(yield* available, 10)
        yield* TestClock.adjust("2 minutes")
        yield* turn
        assert.lengthOf(begun.charges, 1)
        assert.strictEqual(yield* available, 20)
        assert.deepStrictEqual(yield* state, ["unavailable", 10])
      }),
      { cards: begun.layer }
    )

    for (const [how, stop] of Object.entries({
      "was taken away": ({ automatic, workspaceId }: WithCard) => automatic.remove(workspaceId, commandLine),
      "a dispute disabled": ({ taken }: WithCard) => taken("du", 10, "taken", "dispute"),
      "became unavailable": ({ workspaceId }: WithCard) =>
        Effect.flatMap(Accounts, (accounts) => accounts.createToken(operatorTokenOf(workspaceId), commandLine))
    })) {
      const stopped = cards("uncertain", "paid")
      test(
        `a rule that ${how} while the first try to charge reached nobody is never charged, and its month is given back`,
        Effect.gen(function* () {
          const card = yield* withCard
          yield* card.set
          yield* card.turn
          assert.lengthOf(stopped.charges, 1)
          yield* stop(card)
          const before = yield* card.available
          for (const pause of ["61 seconds", "61 seconds", "2 minutes", "3 minutes"] as const) {
            yield* TestClock.adjust(pause)
            yield* card.turn
          }
          // A payment may be found late, so the top-up is not given up yet.
          const [topUpId] = stopped.charges
          const topUp = Effect.map((yield* TopUps).list(card.workspaceId, { limit: 10, after: null }), ({ items }) =>
            items.find((each) => each.topUpId === topUpId)
          )
          const waiting = yield* topUp
          assert.deepStrictEqual([waiting?.status, waiting?.checkoutUrl], ["pending", null])
          assert.strictEqual(
            waiting?.message,
            "The saved card is charged without anybody; the balance grows once that is confirmed.",
            "there is no checkout that a person could open"
          )
          yield* TestClock.adjust("4 minutes")
          yield* card.turn
          assert.strictEqual((yield* topUp)?.status, "failed")
          yield* TestClock.adjust("10 hours")
          yield* card.turn
          assert.lengthOf(stopped.charges, 1)
          assert.strictEqual(yield* card.available, before)
          const { monthMicros, topUpId: underWay } = yield* card.set
          assert.deepStrictEqual([monthMicros, underWay], [usd(0), null])
          // Otherwise the next test would find it due.
          yield* card.automatic.remove(card.workspaceId, commandLine)
        }),
        { cards: stopped.layer }
      )
    }

    for (const [how, change] of Object.entries({
      "was taken away and set again": ({ automatic, set, workspaceId }: WithCard) =>
        Effect.zipRight(automatic.remove(workspaceId, commandLine), set),
      "a dispute disabled and that was set again": ({ set, taken }: WithCard) =>
        Effect.zipRight(taken("du", 10, "taken", "dispute"), set),
      "was set to less": ({ automatic, workspaceId }: WithCard) =>
        automatic.set(workspaceId, { ...rule, amountMicros: usd(5) }, commandLine),
      "got another card": ({ workspaceId }: WithCard) =>
        Effect.flatMap(pending(5, workspaceId), ({ paid }) =>
          paid({ savedMethod: { method: "cus_1/pm_2", paidAt: 1 } })
        )
    })) {
      const changed = cards("uncertain", "paid")
      test(
        `a rule that ${how} while the first try to charge reached nobody begins anew: the old top-up is not charged`,
        Effect.gen(function* () {
          const card = yield* withCard
          yield* card.set
          yield* card.turn
          yield* change(card)
          for (const pause of ["61 seconds", "2 minutes"] as const) {
            yield* TestClock.adjust(pause)
            yield* card.turn
          }
          assert.lengthOf(changed.charges, 1)
          yield* TestClock.adjust("10 minutes")
          yield* card.turn
          yield* card.turn
          const [first, second, third] = changed.charges
          assert.isUndefined(third)
          assert.notStrictEqual(first, second)
          // Otherwise the next test would find it due.
          yield* card.automatic.remove(card.workspaceId, commandLine)
        }),
        { cards: changed.layer }
      )
    }

    const raised = cards("uncertain", "paid")
    test(
      "a rule that is set to more while the first try to charge reached nobody goes on with its top-up",
      Effect.gen(function* () {
        const { automatic, available, set, state, turn, workspaceId } = yield* withCard
        yield* set
        yield* turn
        yield* automatic.set(workspaceId, { ...rule, amountMicros: usd(12) }, commandLine)
        yield* TestClock.adjust("61 seconds")
        yield* turn
        assert.deepStrictEqual(raised.charges, Array(2).fill(raised.charges[0]))
        assert.strictEqual(yield* available, 20)
        assert.deepStrictEqual(yield* state, ["active", 10])
        yield* automatic.remove(workspaceId, commandLine)
      }),
      { cards: raised.layer }
    )

    test(
      "a gateway without a processor begins no top-up, counts none in the month, and its rules say so",
      Effect.gen(function* () {
        const why = {
          state: "unavailable" as const,
          reason: "payment_processor_not_configured" as const,
          message: "This gateway takes no payments yet; ask its operator to add money to the balance."
        }
        const automatic = yield* AutomaticTopUps
        assert.deepInclude(yield* automatic.set(yield* workspace, rule, commandLine), why)
        // Its card was saved before.
        const { available, set, turn, workspaceId } = yield* withCard
        assert.deepInclude(yield* set, why)
        yield* turn
        assert.deepInclude(yield* automatic.get(workspaceId), { ...why, topUpId: null, monthMicros: usd(0) })
        assert.strictEqual(yield* available, 10)
        assert.lengthOf((yield* (yield* TopUps).list(workspaceId, { limit: 10, after: null })).items, 1)
        yield* automatic.remove(workspaceId, commandLine)
      }),
      { payments: PaymentsNone }
    )

    const refusing = cards("declined")
    test(
      "a rule that a declined card disabled is told so again once its workspace takes top-ups again",
      Effect.gen(function* () {
        const { automatic, set, turn, workspaceId } = yield* withCard
        yield* set
        yield* turn
        const reason = Effect.map(automatic.get(workspaceId), (shown) => [shown.state, shown.reason])
        assert.deepStrictEqual(yield* reason, ["disabled", "card_declined"])
        const accounts = yield* Accounts
        const { tokenId } = yield* accounts.createToken(operatorTokenOf(workspaceId), commandLine)
        assert.deepStrictEqual(yield* reason, ["unavailable", "operator_workspace"])
        yield* accounts.revokeToken(tokenId, commandLine)
        assert.deepStrictEqual(yield* reason, ["disabled", "card_declined"])
      }),
      { cards: refusing.layer }
    )

    const late = cards("declined", "paid", "paid")
    test(
      "a payment that comes after its charge was declined is credited, and counts in the month",
      Effect.gen(function* () {
        const { available, set, state, turn, workspaceId } = yield* withCard
        const { report } = yield* TopUpReports
        yield* set
        yield* turn
        assert.deepStrictEqual(yield* state, ["disabled", 0])
        const [topUpId] = late.charges
        assert.isDefined(topUpId)
        const paid = {
          _tag: "Paid" as const,
          topUpId,
          reference: `pi_${topUpId}`,
          amountMicros: usd(10),
          savedMethod: null
        }
        assert.deepStrictEqual([yield* report(paid), yield* report(paid)], ["credited", "unchanged"])
        assert.strictEqual(yield* available, 20)
        assert.deepStrictEqual(yield* state, ["disabled", 10])
        yield* set
        for (const dollars of [6, 15]) {
          yield* spend(workspaceId, dollars)
          yield* turn
        }
        assert.deepStrictEqual(yield* state, ["monthly_maximum_reached", 20])
        assert.lengthOf(late.charges, 2)
      }),
      { cards: late.layer }
    )

    const disputing = cards("paid", "paid")
    test(
      "a dispute, and a refund of an automatic top-up, disable the rule: the same money would be charged again",
      Effect.gen(function* () {
        const { automatic, available, set, state, taken, turn, workspaceId } = yield* withCard
        const { report } = yield* TopUpReports
        yield* set
        // The operator gives back what the owner had paid themselves: the rule still keeps the balance up.
        yield* taken("re", 10)
        yield* turn
        assert.strictEqual(yield* available, 10)
        assert.deepStrictEqual(yield* state, ["active", 10])
        const [topUpId] = disputing.charges
        yield* report({
          _tag: "TakenBack",
          kind: "refund",
          objectId: `re_${topUpId}`,
          reference: `pi_${topUpId}`,
          state: "taken",
          amountMicros: usd(10)
        })
        yield* turn
        assert.deepInclude(yield* automatic.get(workspaceId), { state: "disabled", reason: "payment_taken_back" })
        assert.strictEqual(yield* available, 0)
        yield* set
        yield* turn
        assert.lengthOf(disputing.charges, 2)
        assert.strictEqual(yield* available, 10)
        const other = yield* pending(50, workspaceId)
        yield* other.paid()
        yield* other.taken("du", 50, "open", "dispute")
        assert.strictEqual((yield* automatic.get(workspaceId)).state, "monthly_maximum_reached")
        yield* other.taken("du", 50, "taken", "dispute")
        assert.deepInclude(yield* automatic.get(workspaceId), { state: "disabled", reason: "payment_taken_back" })
        yield* turn
        assert.lengthOf(disputing.charges, 2)
      }),
      { cards: disputing.layer }
    )

    const refunded = cards("declined")
    test(
      "a payment that was refunded before it was known disables the rule as well",
      Effect.gen(function* () {
        const { automatic, set, turn, workspaceId } = yield* withCard
        const { report } = yield* TopUpReports
        yield* set
        yield* turn
        const [topUpId] = refunded.charges
        assert.isDefined(topUpId)
        yield* set
        const reference = `pi_${topUpId}`
        const refund = { _tag: "TakenBack" as const, kind: "refund" as const, objectId: `re_${topUpId}`, reference }
        assert.strictEqual(yield* report({ ...refund, state: "taken", amountMicros: usd(10) }), "kept")
        yield* report({ _tag: "Paid", topUpId, reference, amountMicros: usd(10), savedMethod: null })
        assert.deepInclude(yield* automatic.get(workspaceId), { state: "disabled", reason: "payment_taken_back" })
      }),
      { cards: refunded.layer }
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

    const declinedLate = cards("uncertain")
    test(
      "a rule that was taken away stays away when its last charge is reported as declined",
      Effect.gen(function* () {
        const { automatic, set, turn, workspaceId } = yield* withCard
        yield* set
        yield* turn
        yield* automatic.remove(workspaceId, commandLine)
        const [topUpId] = declinedLate.charges
        assert.isDefined(topUpId)
        const { report } = yield* TopUpReports
        yield* report({ _tag: "Unpaid", topUpId, status: "failed", declined: "card_declined" })
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

    const overMonth: Array<{ readonly workspaceId: WorkspaceId; readonly topUpId: TopUpId }> = []
    test(
      "a top-up whose first try to charge reached nobody is not charged in the next month, in which it does not count",
      Effect.gen(function* () {
        const { automatic, available, state, turn, workspaceId } = yield* withCard
        const charged = () => overMonth.filter((each) => each.workspaceId === workspaceId)
        yield* TestClock.setTime(Date.UTC(2026, 0, 31, 23, 59, 30))
        yield* automatic.set(workspaceId, { ...rule, monthlyMaximumMicros: usd(10) }, commandLine)
        yield* turn
        yield* TestClock.adjust("61 seconds")
        yield* turn
        assert.lengthOf(charged(), 1)
        assert.strictEqual(yield* available, 10)
        // It is given up, and February gets one of its own.
        yield* TestClock.adjust("10 minutes")
        yield* turn
        yield* turn
        assert.strictEqual(yield* available, 20)
        yield* spend(workspaceId, 10)
        yield* turn
        const [first, second, third] = charged()
        assert.notStrictEqual(first?.topUpId, second?.topUpId)
        assert.isUndefined(third)
        assert.deepStrictEqual(yield* state, ["monthly_maximum_reached", 10])
      }),
      {
        cards: Layer.succeed(
          OffSessionPayments,
          OffSessionPayments.of({
            charge: ({ amountMicros, topUpId, workspaceId }) =>
              Effect.suspend(() => {
                const isFirst = overMonth.every((each) => each.workspaceId !== workspaceId)
                overMonth.push({ workspaceId, topUpId })
                return isFirst
                  ? Effect.fail(new ChargeUncertain())
                  : Effect.succeed({ state: "paid" as const, reference: `pi_${topUpId}`, amountMicros })
              }),
            find: () => Effect.succeed(null)
          })
        )
      }
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
  })
