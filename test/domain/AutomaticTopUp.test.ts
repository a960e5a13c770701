import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { type AutomaticTopUp, ruleProblem, spentInMonth, started } from "../../src/domain/AutomaticTopUp.js"
import { TopUpId, WorkspaceId } from "../../src/domain/Ids.js"
import { Micros } from "../../src/domain/Micros.js"
import { amountRefusal } from "../../src/domain/TopUp.js"
import { policy } from "../services/TopUps.suite.js"

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
  started(before, { availableMicros: usd(0), method: "cus_1/pm_1", now }, topUpId)

describe("AutomaticTopUp", () => {
  it("a month never goes back: after the clock was set back, the later month goes on counting", () => {
    assert.strictEqual(spentInMonth(rule("2026-02", 10), january), usd(10))
    assert.deepInclude(startedAt(rule("2026-02", 10), january), { month: "2026-02", monthMicros: usd(20) })
    assert.isNull(startedAt(rule("2026-02", 20), january))
    assert.deepInclude(startedAt(rule("2026-01", 20), february), { month: "2026-02", monthMicros: usd(10) })
    assert.deepInclude(startedAt(rule("", 0), january), { month: "2026-01", monthMicros: usd(10) })
  })

  it("takes exactly the amounts of a top-up, and refuses others in the same words", () => {
    for (const amount of [4.999999, 5, 1000, 1000.000001]) {
      const amountMicros = usd(amount)
      const asked = { belowMicros: usd(15), amountMicros, monthlyMaximumMicros: usd(2000) }
      const refused = amountRefusal(policy, workspaceId, amountMicros)
      assert.deepStrictEqual(ruleProblem(policy, asked)?.details, refused?.details)
      assert.strictEqual(refused === null, amount === 5 || amount === 1000)
    }
  })
})
