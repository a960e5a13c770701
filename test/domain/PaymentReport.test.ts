import { assert, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { describe } from "vitest"
import { TopUpId, WorkspaceId } from "../../src/domain/Ids.js"
import { Micros } from "../../src/domain/Micros.js"
import {
  bookingsOf,
  newPayment,
  paidOutcome,
  type Payment,
  paymentOf,
  type Reversal,
  reversalStates,
  withReversal
} from "../../src/domain/PaymentReport.js"

const workspaceId = WorkspaceId.make(`ws_${"0".repeat(26)}`)
const topUpIdOf = (n: number) => TopUpId.make(`top_${String(n).padStart(26, "0")}`)
const micros = (max: number) => FastCheck.nat(max).map((amount) => Micros.make(amount))

const reversal: FastCheck.Arbitrary<Reversal> = FastCheck.record({
  objectId: FastCheck.constantFrom("re_1", "re_2", "dp_1"),
  state: FastCheck.constantFrom(...reversalStates)
}).map((one) => ({
  ...one,
  // An object is of one kind and has one amount.
  kind: one.objectId === "dp_1" ? "dispute" : "refund",
  amountMicros: Micros.make(one.objectId === "re_1" ? 300 : one.objectId === "re_2" ? 500 : 1_000)
}))

type Step =
  | { readonly _tag: "Paid"; readonly n: number }
  | { readonly _tag: "Reversal"; readonly n: number; readonly reversal: Reversal }
  | { readonly _tag: "Spent"; readonly micros: number }
  | { readonly _tag: "Earned"; readonly micros: number }
  | { readonly _tag: "Collected" }

const step: FastCheck.Arbitrary<Step> = FastCheck.oneof(
  FastCheck.record({ _tag: FastCheck.constant("Paid" as const), n: FastCheck.nat(2) }),
  FastCheck.record({ _tag: FastCheck.constant("Reversal" as const), n: FastCheck.nat(2), reversal }),
  FastCheck.record({ _tag: FastCheck.constant("Spent" as const), micros: FastCheck.nat(1_500) }),
  FastCheck.record({ _tag: FastCheck.constant("Earned" as const), micros: FastCheck.nat(300) }),
  FastCheck.constant({ _tag: "Collected" as const })
)

/** A workspace with up to three top-ups of 1,000 micros, as the reports over rows keep it. */
const play = (steps: ReadonlyArray<Step>) => {
  let available = 0
  /** What came in and went out by other ways than payments. */
  let others = 0
  let payments: ReadonlyArray<Payment> = [0, 1, 2].map((n) => newPayment(`pi_${n}`))
  const put = (payment: Payment) => {
    payments = payments.map((one) => (one.reference === payment.reference ? payment : one))
  }
  const settle = () => {
    const unsettled = payments.filter(({ takenMicros, toTakeMicros }) => takenMicros !== toTakeMicros)
    for (const { micros, payment } of bookingsOf(Micros.make(available), unsettled)) {
      available += micros
      assert.isAtLeast(available, 0)
      put(payment)
    }
  }
  for (const one of steps) {
    switch (one._tag) {
      case "Paid": {
        const payment = payments[one.n]!
        if (payment.topUp !== null) break
        put(paymentOf(payment, { workspaceId, topUpId: topUpIdOf(one.n), amountMicros: Micros.make(1_000) }))
        available += 1_000
        settle()
        break
      }
      case "Reversal": {
        const after = withReversal(payments[one.n]!, one.reversal)
        if (typeof after === "string") break
        put(after)
        if (after.topUp !== null) settle()
        break
      }
      case "Spent": {
        const spent = Math.min(available, one.micros)
        available -= spent
        others -= spent
        break
      }
      case "Earned":
        available += one.micros
        others += one.micros
        break
      case "Collected":
        settle()
    }
  }
  return { available, others, payments, settle }
}

describe("reports of payments", () => {
  it.prop(
    "whatever is reported in whatever order: no balance below zero, no micro lost, never more taken than was paid",
    [FastCheck.array(step, { maxLength: 40 })],
    ([steps]) => {
      const { available, others, payments } = play(steps)
      const paid = payments.filter(({ topUp }) => topUp !== null)
      const taken = paid.reduce((sum, { takenMicros }) => sum + takenMicros, 0)
      assert.strictEqual(available, paid.length * 1_000 - taken + others)
      for (const { takenMicros, toTakeMicros, topUp } of payments) {
        assert.isAtMost(takenMicros, topUp?.amountMicros ?? 0)
        assert.isAtMost(toTakeMicros, topUp?.amountMicros ?? 0)
      }
    }
  )

  it.prop(
    "the last report of a top-up leaves a debt only on an empty balance",
    [FastCheck.array(step, { maxLength: 40 })],
    ([steps]) => {
      const stage = play([...steps, { _tag: "Collected" }])
      const owed = stage.payments.some(({ takenMicros, toTakeMicros }) => takenMicros < toTakeMicros)
      const tooMuch = stage.payments.some(({ takenMicros, toTakeMicros }) => takenMicros > toTakeMicros)
      assert.isFalse(tooMuch)
      if (owed) assert.strictEqual(stage.available, 0)
    }
  )

  it.prop(
    "the order in which refunds and disputes are reported does not matter",
    [
      FastCheck.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8], { minLength: 9 }),
      FastCheck.array(reversal, { minLength: 9, maxLength: 9 })
    ],
    ([order, reversals]) => {
      const start = paymentOf(newPayment("pi_1"), {
        workspaceId,
        topUpId: topUpIdOf(1),
        amountMicros: Micros.make(1_000)
      })
      const after = (reports: ReadonlyArray<Reversal>) =>
        reports.reduce<Payment>((payment, report) => {
          const next = withReversal(payment, report)
          return typeof next === "string" ? payment : next
        }, start).toTakeMicros
      return after(reversals) === after(order.map((at) => reversals[at]!))
    }
  )

  it.prop(
    "a refund or dispute that comes again with another amount is told and changes nothing, unless it is an inquiry",
    [reversal, FastCheck.constantFrom(...reversalStates), micros(2_000)],
    ([first, state, amountMicros]) => {
      const before = withReversal(newPayment("pi_1"), first)
      if (typeof before === "string") return false
      const contradicts = first.state !== "open" && state !== "open" && amountMicros !== first.amountMicros
      const later = reversalStates.indexOf(state) > reversalStates.indexOf(first.state)
      const after = withReversal(before, { ...first, state, amountMicros })
      const other = withReversal(before, { ...first, kind: first.kind === "refund" ? "dispute" : "refund" })
      return (
        other === "mismatched" &&
        (contradicts ? after === "mismatched" : later ? after !== "mismatched" : after === "unchanged")
      )
    }
  )

  it.prop(
    "a payment is credited only for exactly the amount of its top-up",
    [micros(20), micros(20)],
    ([asked, paid]) => {
      const topUp = { topUpId: topUpIdOf(1), status: "pending" as const, amountMicros: asked, paymentReference: null }
      const report = {
        _tag: "Paid" as const,
        topUpId: topUpIdOf(1),
        reference: "pi_1",
        amountMicros: paid,
        savedMethod: null
      }
      return paidOutcome(topUp, newPayment("pi_1"), report) === (asked === paid ? "credited" : "mismatched")
    }
  )

  it("a balance first gets back what was taken too much, which then pays what is owed, in turn", () => {
    const payment = (reference: string, toTake: number, taken: number): Payment => ({
      ...newPayment(reference),
      toTakeMicros: Micros.make(toTake),
      takenMicros: Micros.make(taken)
    })
    const booked = (available: number, ...payments: ReadonlyArray<Payment>) =>
      bookingsOf(Micros.make(available), payments).map(({ micros, payment: { reference, takenMicros } }) => [
        reference,
        micros,
        Number(takenMicros)
      ])
    const [owing, owingMore, overTaken] = [payment("a", 7, 0), payment("b", 9, 4), payment("c", 0, 5)]
    assert.deepStrictEqual(booked(0, owing, overTaken), [
      ["c", 5, 0],
      ["a", -5, 5]
    ])
    assert.deepStrictEqual(booked(5, owing, owingMore, overTaken), [
      ["c", 5, 0],
      ["a", -7, 7],
      ["b", -3, 7]
    ])
    assert.deepStrictEqual(booked(100, payment("d", 5, 5)), [])
    assert.deepStrictEqual(booked(0, owing), [])
  })
})
