import { assert, it } from "@effect/vitest"
import { Either, FastCheck, Option } from "effect"
import { describe } from "vitest"
import { dollars, fromUsd, paidFromUsd, toUsd, typedAmount, typedUsd } from "../../src/domain/Micros.js"

describe("Micros", () => {
  it.prop(
    "an amount shown in dollars and typed again is the same amount",
    [FastCheck.nat(2 ** 31 - 1), FastCheck.nat(1_000)],
    ([micros, thousands]) => {
      const amount = micros + thousands * 1_000_000_000
      assert.strictEqual(Number(Option.getOrThrow(fromUsd(toUsd(amount)))), amount)
    },
    { fastCheck: { numRuns: 1_000 } }
  )

  it.prop(
    "dollars that are typed as they are shown are the same amount, to the micro",
    [FastCheck.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 })],
    ([micros]) => {
      assert.deepStrictEqual(typedUsd(dollars(micros)), Either.right(micros))
      assert.deepStrictEqual(typedUsd(` ${dollars(micros).replace("$", "")} `), Either.right(micros))
    }
  )

  it("shows and reads every micro, also of the largest amounts, and takes zeros before an amount", () => {
    assert.strictEqual(dollars(Number.MAX_SAFE_INTEGER), "$9007199254.740991")
    assert.strictEqual(dollars(-8_999_999_999_999_999), "-$8999999999.999999")
    assert.strictEqual(dollars(-500), "-$0.0005")
    assert.deepStrictEqual(typedUsd("0000000012.50"), Either.right(12_500_000))
  })

  it.each([
    ["12.5x", "must be dollars with at most six decimals, such as 12.50"],
    ["", "must be dollars with at most six decimals, such as 12.50"],
    ["1.0000001", "must be dollars with at most six decimals, such as 12.50"],
    ["1,5", "must be dollars with at most six decimals, such as 12.50"],
    ["9999999999", "must be below 1000000000 dollars"],
    ["1e3", "must be dollars with at most six decimals, such as 12.50"],
    ["-1", "must not be negative"],
    ["1000000.000001", "must be at most 1000000 dollars"]
  ])("an amount typed as %j %s", (text, problem) => {
    assert.deepStrictEqual(typedAmount(text), Either.left(problem))
  })

  it.each([
    [0.1 + 0.2, 300_000],
    [0.3 - 0.1, 200_000],
    [0.57, 570_000],
    [0.0069999, 6_999],
    [0.0069999999, 6_999],
    [0.00049999999, 499],
    [10_000.000_000_9, 10_000_000_000],
    [Array.from({ length: 100 }, () => 0.1).reduce((sum, each) => sum + each), 10_000_000],
    [1.0000009, 1_000_000],
    [999_999.999_999, 999_999_999_999],
    [0.0000009, 0],
    [0, 0]
  ])("%d dollars are %d micros: a cap is never put above what was said", (usd, micros) => {
    assert.strictEqual(Number(Option.getOrThrow(fromUsd(usd))), micros)
  })

  it.each([
    [5.0000001, false],
    [5.0099999999, false],
    [5.005, false],
    [10_000.000_000_1, false],
    [5, true],
    [8.2 - 0.1, true],
    [9_999.99, true]
  ])("%d dollars to be paid are whole cents: %s", (usd, whole) => {
    assert.strictEqual(Option.getOrThrow(paidFromUsd(usd)) % 10_000 === 0, whole)
  })

  it.prop(
    "every number of cents may be paid, and none with a part of a micro added",
    [FastCheck.integer({ min: 1, max: 1_000_000 }), FastCheck.double({ min: 0.01, max: 0.99, noNaN: true })],
    ([cents, part]) => {
      assert.strictEqual(Number(Option.getOrThrow(paidFromUsd(cents / 100))), cents * 10_000)
      for (const more of [part, -part])
        assert.notStrictEqual(Option.getOrThrow(paidFromUsd((cents * 10_000 + more) / 1_000_000)) % 10_000, 0)
    }
  )

  it.prop(
    "no amount becomes more than it is, and none less by a whole micro",
    [FastCheck.double({ min: 0, max: 1_000_000, noNaN: true })],
    ([usd]) => {
      const micros = Number(Option.getOrThrow(fromUsd(usd)))
      assert.isAtMost(micros - usd * 1_000_000, usd * 1e-6)
      assert.isBelow(usd * 1_000_000 - micros, 1)
    }
  )

  it.each([[-0.01], [Number.NaN], [Infinity], [1e300], [Number.MAX_SAFE_INTEGER]])(
    "%s dollars are no amount of money",
    (usd) => {
      assert.isTrue(Option.isNone(fromUsd(usd)))
    }
  )
})
