import { assert, it } from "@effect/vitest"
import { Either } from "effect"
import { describe } from "vitest"
import { admit } from "../../src/domain/Admission.js"
import { currentLimits } from "../../src/domain/CurrentLimits.js"
import { Micros } from "../../src/domain/Micros.js"
import { monthOf } from "../../src/domain/Run.js"
import { request, spends, walletState } from "./arbitraries.js"

const january = Date.UTC(2026, 0, 1)

describe("Current limits", () => {
  it.prop(
    "say that a run fits exactly when it is admitted, and then how much less is left",
    [walletState, spends, request],
    ([state, spent, asked]) => {
      const now = january + asked.now
      const uncapped = { ...state, runCapMicros: null, minuteStartedAt: january + state.minuteStartedAt }
      const { balance, inflight, key, runsPerMinute } = currentLimits(uncapped, spent, now)
      const fits =
        balance.availableMicros >= asked.holdMicros &&
        (key.remainingMicros === null || key.remainingMicros >= asked.holdMicros) &&
        inflight.now < inflight.limit &&
        (runsPerMinute === null || runsPerMinute.remaining > 0)
      const answer = admit(uncapped, spent, { ...asked, now, month: monthOf(now) })
      assert.strictEqual(Either.isRight(answer), fits)
      if (Either.isLeft(answer)) return
      const after = currentLimits(answer.right.walletState, answer.right.spends, now)
      assert.deepStrictEqual(
        [after.balance.availableMicros, after.inflight.now, after.runsPerMinute?.remaining ?? null],
        [
          balance.availableMicros - asked.holdMicros,
          inflight.now + 1,
          runsPerMinute === null ? null : runsPerMinute.remaining - 1
        ]
      )
      if (key.remainingMicros !== null)
        assert.strictEqual(after.key.remainingMicros, key.remainingMicros - asked.holdMicros)
    },
    { fastCheck: { numRuns: 2_000 } }
  )

  it("name when the month and the minute are over", () => {
    const state = {
      balance: { availableMicros: Micros.make(0), reservedMicros: Micros.make(0) },
      inflight: 0,
      inflightLimit: 8,
      runCapMicros: null,
      runsPerMinute: 2,
      minuteStartedAt: january,
      minuteCount: 2,
      minuteRefused: 0
    }
    const spend = { limitMicros: Micros.make(10), month: "2025-12", spentMicros: Micros.make(10) }
    const said = (now: number) => {
      const { key, runsPerMinute } = currentLimits(state, [spend], now)
      return [key.spentMicros, key.resetsAt, runsPerMinute?.remaining, runsPerMinute?.resetsAt]
    }
    assert.deepStrictEqual(said(january - 1), [10, january, 0, january + 60_000])
    assert.deepStrictEqual(said(january + 1), [0, Date.UTC(2026, 1, 1), 0, january + 60_000])
    assert.deepStrictEqual(said(january + 60_000), [0, Date.UTC(2026, 1, 1), 2, january + 120_000])
  })
})
