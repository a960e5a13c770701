import { assert, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { describe } from "vitest"
import {
  admit,
  keepRefused,
  type Refusal,
  refusals,
  type Request,
  spendInMonth,
  type Spends,
  type WalletState,
  tightest,
  type TokenSpend
} from "../../src/domain/Admission.js"
import { currentLimits } from "../../src/domain/CurrentLimits.js"
import { refusedRunsPerMinuteMax } from "../../src/domain/limits/Runs.js"
import { Micros } from "../../src/domain/Micros.js"
import { month, request, runId, spend, spends, walletState } from "./arbitraries.js"

const m = (amount: number) => Micros.make(amount)
const often = { fastCheck: { numRuns: 2_000 } }

/** One that nothing forbids; each test takes away what it is about. */
const free: WalletState = {
  balance: { availableMicros: m(1_000), reservedMicros: m(0) },
  inflight: 0,
  inflightLimit: 8,
  runCapMicros: null,
  runsPerMinute: null,
  minuteStartedAt: 0,
  minuteCount: 0,
  minuteRefused: 0
}
const unlimited: TokenSpend = { limitMicros: null, month: "2026-01", spentMicros: m(0) }
const asking = (holdMicros: number, now = 0, at = "2026-01"): Request => ({
  runId: runId(1),
  holdMicros: m(holdMicros),
  now,
  month: at
})

describe("Admission", () => {
  it.prop(
    "admits exactly when no limit refuses, and refuses with the first of them",
    [walletState, spends, request],
    ([state, spent, asked]) => {
      const found = refusals(state, spent, asked)
      const answer = admit(state, spent, asked)
      if (Either.isLeft(answer)) assert.deepStrictEqual({ ...answer.left }, { ...found[0] })
      else assert.deepStrictEqual(found, [])
    },
    often
  )

  it.prop(
    "what it leaves is within every limit, and the hold moved once",
    [walletState, spends, request],
    ([state, spent, asked]) => {
      const answer = admit(state, spent, asked)
      if (Either.isLeft(answer)) return
      const { month: counted, posting, spends: after, walletState: left } = answer.right
      assert.strictEqual(left.balance.availableMicros, state.balance.availableMicros - asked.holdMicros)
      assert.strictEqual(left.balance.reservedMicros, state.balance.reservedMicros + asked.holdMicros)
      assert.strictEqual(left.inflight, state.inflight + 1)
      assert.isAtMost(left.inflight, left.inflightLimit)
      assert.strictEqual(after.length, spent.length)
      after.forEach((each, at) => {
        if (asked.holdMicros > 0) assert.isAtMost(each.spentMicros, each.limitMicros ?? Number.MAX_SAFE_INTEGER)
        const before = spendInMonth(spent[at]!, counted)
        assert.deepStrictEqual({ ...each }, { ...before, spentMicros: before.spentMicros + asked.holdMicros })
      })
      assert.isAtMost(left.minuteCount, left.runsPerMinute ?? Number.MAX_SAFE_INTEGER)
      assert.isAtMost(asked.holdMicros, left.runCapMicros ?? Number.MAX_SAFE_INTEGER)
      assert.deepInclude(posting, {
        kind: "hold",
        runId: asked.runId,
        balanceAfterMicros: left.balance.availableMicros
      })
    },
    often
  )

  it.prop(
    "a limit is only ever named when it is met",
    [walletState, spends, request],
    ([state, spent, asked]) => {
      const latest = [asked.month, ...spent.map((each) => each.month)].sort().at(-1)
      const over = spent.some(
        ({ limitMicros, month: of, spentMicros }) =>
          limitMicros !== null &&
          asked.holdMicros > 0 &&
          (of === latest ? spentMicros : 0) + asked.holdMicros > limitMicros
      )
      const age = asked.now - state.minuteStartedAt
      const inMinute = age >= 60_000 || age < -10_000 ? 0 : state.minuteCount
      const expected: Array<Refusal["_tag"]> = []
      if (state.runCapMicros !== null && asked.holdMicros > state.runCapMicros) expected.push("RunCapExceeded")
      if (state.runsPerMinute !== null && inMinute >= state.runsPerMinute) expected.push("run_rate_limited")
      if (state.inflight >= state.inflightLimit) expected.push("too_many_inflight_runs")
      if (over) expected.push("key_spend_limit_reached")
      if (state.balance.availableMicros < asked.holdMicros) expected.push("BalanceTooLow")
      assert.deepStrictEqual(
        refusals(state, spent, asked).map(({ _tag }) => _tag),
        expected
      )
    },
    often
  )

  it("checks in the promised order: run cap, runs a minute, in flight, the key's month, the balance", () => {
    const everything: WalletState = {
      ...free,
      runCapMicros: m(1),
      runsPerMinute: 1,
      minuteCount: 1,
      inflightLimit: 1,
      inflight: 1,
      balance: { availableMicros: m(0), reservedMicros: m(0) }
    }
    const found = refusals(everything, [{ ...unlimited, limitMicros: m(1) }], asking(2))
    assert.deepStrictEqual(
      found.map(({ _tag }) => _tag),
      ["RunCapExceeded", "run_rate_limited", "too_many_inflight_runs", "key_spend_limit_reached", "BalanceTooLow"]
    )
  })

  it("admits at each limit itself, and refuses one past it", () => {
    assert.isTrue(Either.isRight(admit({ ...free, runCapMicros: m(10) }, [unlimited], asking(10))))
    assert.isTrue(Either.isLeft(admit({ ...free, runCapMicros: m(10) }, [unlimited], asking(11))))
    assert.isTrue(Either.isRight(admit(free, [{ ...unlimited, limitMicros: m(10), spentMicros: m(4) }], asking(6))))
    assert.isTrue(Either.isLeft(admit(free, [{ ...unlimited, limitMicros: m(10), spentMicros: m(4) }], asking(7))))
    const lowered = { ...unlimited, limitMicros: m(10), spentMicros: m(14) }
    assert.isTrue(Either.isRight(admit(free, [lowered], asking(0))), "a run that costs nothing fits any limit")
    assert.isTrue(Either.isLeft(admit(free, [lowered], asking(1))))
    assert.isTrue(Either.isRight(admit(free, [unlimited], asking(1_000))))
    assert.isTrue(Either.isLeft(admit(free, [unlimited], asking(1_001))))
    assert.isTrue(Either.isRight(admit({ ...free, inflight: 7 }, [unlimited], asking(1))))
    assert.isTrue(Either.isLeft(admit({ ...free, inflight: 8 }, [unlimited], asking(1))))
  })

  it("says in how many seconds the minute is over, at least one", () => {
    const full: WalletState = { ...free, runsPerMinute: 2, minuteStartedAt: 10_000, minuteCount: 2 }
    const retryAfter = (now: number) =>
      Either.match(admit(full, [unlimited], asking(1, now)), {
        onLeft: (refusal) => (refusal._tag === "run_rate_limited" ? refusal.retryAfterSeconds : null),
        onRight: () => 0
      })
    assert.strictEqual(retryAfter(10_000), 60)
    assert.strictEqual(retryAfter(69_999), 1)
    assert.strictEqual(retryAfter(70_000), 0)
  })

  it("a clock that is set back far opens a new minute, so that nobody waits for as long as it lags", () => {
    const now = 3_600_000
    const full: WalletState = {
      ...free,
      runsPerMinute: 1,
      minuteStartedAt: 2 * now,
      minuteCount: 1,
      minuteRefused: refusedRunsPerMinuteMax
    }
    const minuteOf = ({ minuteCount, minuteRefused, minuteStartedAt }: WalletState) => [
      minuteStartedAt,
      minuteCount,
      minuteRefused
    ]
    assert.deepStrictEqual(minuteOf(Either.getOrThrow(admit(full, [unlimited], asking(1, now))).walletState), [
      now,
      1,
      0
    ])
    assert.deepStrictEqual(minuteOf(Either.getOrThrow(keepRefused(full, now))), [now, 1, 1])
    assert.deepStrictEqual(currentLimits(full, [unlimited], now).runsPerMinute, {
      limit: 1,
      remaining: 1,
      resetsAt: now + 60_000
    })
  })

  it("a clock that seems a little late, because it was read before the wallet was locked, opens no new minute", () => {
    const full: WalletState = { ...free, runsPerMinute: 1, minuteStartedAt: 100_000, minuteCount: 1 }
    const refused = Either.getOrThrow(Either.flip(admit(full, [unlimited], asking(1, 90_000))))
    assert(refused._tag === "run_rate_limited")
    assert.strictEqual(refused.retryAfterSeconds, 70)
    assert.isTrue(Either.isRight(admit(full, [unlimited], asking(1, 89_999))))
  })

  it("a clock that is set back opens no old month", () => {
    const spent: TokenSpend = { limitMicros: m(10), month: "2026-02", spentMicros: m(10) }
    const old = admit(free, [spent], asking(1, 0, "2026-01"))
    assert.strictEqual(Either.isLeft(old) ? old.left._tag : "admitted", "key_spend_limit_reached")
  })

  it("a new month starts at nothing, also over the end of a year", () => {
    const spent: TokenSpend = { limitMicros: m(10), month: "2025-12", spentMicros: m(10) }
    const admitted = Either.getOrThrow(admit(free, [spent], asking(3, 0, "2026-01")))
    assert.deepStrictEqual(admitted.spends, [{ limitMicros: m(10), month: "2026-01", spentMicros: m(3) }])
  })

  it("a run counts against its token and every one that this comes from, and the nearest limit that it would pass refuses it", () => {
    const line = (own: number, parent: number): Spends => [
      unlimited,
      { ...unlimited, limitMicros: m(own), spentMicros: m(5) },
      { ...unlimited, limitMicros: m(parent), spentMicros: m(9) }
    ]
    const admitted = Either.getOrThrow(admit(free, line(8, 12), asking(3)))
    assert.deepStrictEqual(
      admitted.spends.map(({ spentMicros }) => Number(spentMicros)),
      [3, 8, 12]
    )
    const refusal = (spends: Spends) => {
      const refused = Either.getOrThrow(Either.flip(admit(free, spends, asking(4))))
      assert(refused._tag === "key_spend_limit_reached")
      return { limitMicros: refused.limitMicros, spentMicros: refused.spentMicros }
    }
    assert.deepStrictEqual(refusal(line(8, 100)), { limitMicros: m(8), spentMicros: m(5) })
    assert.deepStrictEqual(refusal(line(100, 12)), { limitMicros: m(12), spentMicros: m(9) })
    assert.deepStrictEqual(refusal(line(8, 12)), { limitMicros: m(8), spentMicros: m(5) })
  })

  it("a run counts in one month for all of its tokens: the latest that one of them has seen", () => {
    const admitted = Either.getOrThrow(
      admit(free, [unlimited, { limitMicros: m(10), month: "2026-02", spentMicros: m(4) }], asking(3, 0, "2026-01"))
    )
    assert.strictEqual(admitted.month, "2026-02")
    assert.deepStrictEqual(
      admitted.spends.map(({ month: of, spentMicros }) => [of, Number(spentMicros)]),
      [
        ["2026-02", 3],
        ["2026-02", 7]
      ]
    )
  })

  it("of several limits the one with the least left is told, and without any the token's own spend", () => {
    const spent = (limit: number | null, micros: number) => ({
      limitMicros: limit === null ? null : m(limit),
      month: "2026-01",
      spentMicros: m(micros)
    })
    assert.deepInclude(tightest([spent(null, 1), spent(20, 3), spent(9, 5)], "2026-01"), {
      limitMicros: m(9),
      spentMicros: m(5)
    })
    assert.deepInclude(tightest([spent(null, 1), spent(null, 3)], "2026-01"), { limitMicros: null, spentMicros: m(1) })
    assert.deepInclude(tightest([spent(9, 5)], "2026-02"), { limitMicros: m(9), spentMicros: m(0) })
  })

  it.prop(
    "months never go back, and the spend counts against the later one",
    [spend, FastCheck.array(month, { maxLength: 12 })],
    ([start, sequence]) => {
      let current = start
      for (const each of sequence) {
        const after = spendInMonth(current, each)
        assert.isAtLeast(after.month.localeCompare(current.month), 0)
        if (after.month === current.month) assert.strictEqual(after.spentMicros, current.spentMicros)
        else assert.strictEqual(Number(after.spentMicros), 0)
        current = after
      }
    }
  )
})
