import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import {
  type AutomaticTopUp,
  topUpEnded,
  topUpResumed,
  ruleProblem,
  spentInMonth,
  topUpStarted,
  paymentTakenBack
} from "../../src/domain/AutomaticTopUp.js"
import { TopUpId, WorkspaceId } from "../../src/domain/Ids.js"
import { Micros } from "../../src/domain/Micros.js"
import { amountRefusal } from "../../src/domain/TopUp.js"
import { billing as policy } from "../support/billing.js"

const workspaceId = WorkspaceId.make(`ws_${"0".repeat(26)}`)
const topUpId = TopUpId.make(`top_${"0".repeat(26)}`)
const usd = (amount: number) => Micros.make(Math.round(amount * 1_000_000))
const rule = (month: string, monthUsd: number): AutomaticTopUp => ({
  workspaceId,
  status: "on",
  disabledReason: null,
  belowMicros: usd(15),
  amountMicros: usd(10),
  monthlyMaximumMicros: usd(25),
  month,
  monthMicros: usd(monthUsd),
  underWay: null,
  retryAt: 0,
  updatedAt: 0
})
const january = Date.UTC(2026, 0, 31, 23)
const february = Date.UTC(2026, 1, 1)
const startedAt = (before: AutomaticTopUp, now: number) =>
  topUpStarted(before, { availableMicros: usd(0), method: "cus_1/pm_1", noTopUps: null, now }, topUpId)

describe("AutomaticTopUp", () => {
  it("a month never goes back: after the clock was set back, the later month goes on counting", () => {
    assert.strictEqual(spentInMonth(rule("2026-02", 10), january), usd(10))
    assert.deepInclude(startedAt(rule("2026-02", 10), january), { month: "2026-02", monthMicros: usd(20) })
    assert.isNull(startedAt(rule("2026-02", 20), january))
    assert.deepInclude(startedAt(rule("2026-01", 20), february), { month: "2026-02", monthMicros: usd(10) })
    assert.deepInclude(startedAt(rule("", 0), january), { month: "2026-01", monthMicros: usd(10) })
  })

  it("takes exactly the amounts of a top-up, and refuses others in the same words", () => {
    for (const amount of [4.999999, 5, 5.001, 999.995, 1000, 1000.000001]) {
      const amountMicros = usd(amount)
      const asked = { belowMicros: usd(15), amountMicros, monthlyMaximumMicros: usd(2000) }
      const refused = amountRefusal(policy, workspaceId, amountMicros)
      assert.deepStrictEqual(ruleProblem(policy, asked)?.details, refused?.details)
      assert.strictEqual(refused === null, amount === 5 || amount === 1000)
    }
  })

  it("is looked at below a balance above zero and at most the largest top-up", () => {
    const problemAt = (below: number) =>
      ruleProblem(policy, { belowMicros: usd(below), amountMicros: usd(10), monthlyMaximumMicros: usd(10) })
    for (const below of [0, 1000.000001]) assert.strictEqual(problemAt(below)?.details[0].field, "belowUsd")
    for (const below of [0.000001, 1000]) assert.isNull(problemAt(below))
  })

  const underWay = { topUpId, startedAt: february, method: "cus_1/pm_1", stopped: false }
  const charging: AutomaticTopUp = { ...rule("2026-02", 20), underWay, retryAt: february + 60_000 }

  it("ends with its own top-up alone: an unpaid one is taken off the month, and a declined card disables the rule", () => {
    const own = { topUpId, amountMicros: usd(10), paid: true }
    const other = { ...own, topUpId: TopUpId.make(`top_${"1".repeat(26)}`) }
    assert.deepStrictEqual(topUpEnded(charging, { ...other, paid: false }, "card_declined", february), charging)
    const over = { ...charging, underWay: null, retryAt: 0 }
    assert.deepStrictEqual(topUpEnded(charging, own, null, february), over)
    const unpaid = { ...over, monthMicros: usd(10) }
    assert.deepStrictEqual(topUpEnded(charging, { ...own, paid: false }, null, february), unpaid)
    assert.deepStrictEqual(topUpEnded(charging, { ...own, paid: false }, "card_declined", february), {
      ...unpaid,
      status: "disabled",
      disabledReason: "card_declined"
    })
    assert.deepStrictEqual(
      topUpEnded({ ...charging, status: "off" }, { ...own, paid: false }, "card_declined", february),
      {
        ...unpaid,
        status: "off"
      }
    )
  })

  it("counts a payment that came after its top-up had ended unpaid, in the month in which it came", () => {
    const late = { topUpId: TopUpId.make(`top_${"1".repeat(26)}`), amountMicros: usd(10), paid: true }
    assert.deepStrictEqual(topUpEnded(charging, late, null, february), { ...charging, monthMicros: usd(30) })
    const january20 = rule("2026-01", 20)
    assert.deepStrictEqual(topUpEnded(january20, late, null, february), { ...rule("2026-02", 10) })
  })

  it("takes an unpaid top-up off its own month alone, where a late payment has begun another one meanwhile", () => {
    const charging = startedAt(rule("2026-01", 0), january)
    assert.isNotNull(charging)
    const late = { topUpId: TopUpId.make(`top_${"1".repeat(26)}`), amountMicros: usd(10), paid: true }
    const february10 = topUpEnded(charging, late, null, february)
    assert.deepInclude(february10, { month: "2026-02", monthMicros: usd(10) })
    const unpaid = topUpEnded(february10, { topUpId, amountMicros: usd(10), paid: false }, null, february)
    assert.deepStrictEqual(unpaid, rule("2026-02", 10))
  })

  it("is disabled by a payment that was taken back, where it is on, and its top-up under way goes on", () => {
    const disabled = { status: "disabled", disabledReason: "payment_taken_back" } as const
    assert.deepStrictEqual(paymentTakenBack(charging), { ...charging, ...disabled })
    for (const other of [
      { ...charging, status: "off" as const },
      { ...charging, status: "disabled" as const, disabledReason: "card_declined" as const }
    ])
      assert.strictEqual(paymentTakenBack(other), other)
  })

  it("is looked after again after a minute at first, then after half of its age, and at least every hour", () => {
    const pauseAt = (age: number) => topUpResumed(charging, underWay, february + age).retryAt - (february + age)
    assert.deepStrictEqual(
      [0, 60_000, 120_000, 600_000, 7_200_000, 86_400_000].map(pauseAt),
      [60_000, 60_000, 60_000, 300_000, 3_600_000, 3_600_000]
    )
  })
})
