import { assert, it } from "@effect/vitest"
import { FastCheck, Option } from "effect"
import { describe } from "vitest"
import { fromUsd, toUsd } from "../../src/domain/Micros.js"

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

  it("dollars become the nearest micro", () => {
    assert.strictEqual(Number(Option.getOrThrow(fromUsd(0.1 + 0.2))), 300_000)
    assert.strictEqual(Number(Option.getOrThrow(fromUsd(1.0000004))), 1_000_000)
    assert.strictEqual(Number(Option.getOrThrow(fromUsd(0))), 0)
  })

  it.each([[-0.01], [Number.NaN], [Infinity], [1e300], [Number.MAX_SAFE_INTEGER]])(
    "%s dollars are no amount of money",
    (usd) => {
      assert.isTrue(Option.isNone(fromUsd(usd)))
    }
  )
})
