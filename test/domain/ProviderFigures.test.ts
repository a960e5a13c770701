import { assert, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { describe } from "vitest"
import { Micros } from "../../src/domain/Micros.js"
import { declaredPrices, priceDrift, successRate, workedText } from "../../src/domain/ProviderFigures.js"

const usd = (amount: number) => Micros.make(amount * 1_000_000)
const zero = usd(0)

describe("how providers do", () => {
  it("says how often calls worked with their number and the days", () => {
    assert.strictEqual(workedText({ calls: 40, successes: 39 }), "97.5 % of 40 calls in 30 days worked")
    assert.strictEqual(workedText({ calls: 1, successes: 1 }), "100 % of 1 call in 30 days worked")
    assert.isNull(workedText({ calls: 0, successes: 0 }))
    assert.isNull(successRate({ calls: 0, successes: 0 }))
  })

  it("declares from one result of the cheapest operation to the most of the dearest, without free ones", () => {
    const perResult = {
      price: { basis: "per_result" as const, micros: usd(0.5), perCallMicros: usd(1) },
      volume: { field: "limit", default: 5, max: 10 }
    }
    const perCall = { price: { basis: "per_call" as const, micros: usd(2), perCallMicros: zero } }
    const free = { price: { basis: "free" as const, micros: zero, perCallMicros: zero } }
    assert.deepStrictEqual(declaredPrices([perResult, perCall, free]), { lowMicros: usd(1.5), highMicros: usd(6) })
    assert.isNull(declaredPrices([free]))
    const byInput = {
      price: { ...perCall.price, byInput: "input.pages", maxMicros: usd(9) }
    }
    assert.deepStrictEqual(declaredPrices([byInput, perCall]), { lowMicros: zero, highMicros: usd(9) })
  })

  it.prop(
    "charges drift exactly when their mean is below the least or above the most that is declared",
    [FastCheck.nat(20), FastCheck.nat(20), FastCheck.nat(400), FastCheck.integer({ min: 1, max: 20 })],
    ([low, more, sum, calls]) => {
      const declared = { lowMicros: Micros.make(low), highMicros: Micros.make(low + more) }
      const found = priceDrift(declared, { calls, chargeMicros: Micros.make(sum) })
      return (
        found?.drift === (sum > (low + more) * calls ? "above" : sum < low * calls ? "below" : "as_declared") &&
        priceDrift(declared, { calls: 0, chargeMicros: zero }) === null
      )
    }
  )

  it("charges of a provider that declares no price are above what is declared", () => {
    assert.strictEqual(priceDrift(null, { calls: 1, chargeMicros: usd(1) })?.drift, "above")
  })
})
