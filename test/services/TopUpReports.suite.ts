/** What every TopUpReports layer promises: one credit for one payment, and nothing kept that was taken back. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { TopUpId } from "../../src/domain/Ids.js"
import { TopUpReports } from "../../src/services/TopUpReports.js"
import { TopUps } from "../../src/services/TopUps.js"
import { Wallet } from "../../src/services/Wallet.js"
import { type MakeTopUps, pending, spend, topUpTest, usd, workspace } from "./TopUpStage.js"

export const topUpReportsSuite = (name: string, make: MakeTopUps) =>
  describe(name, () => {
    const test = topUpTest(make)

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
  })
