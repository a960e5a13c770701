/** What a publication says of the prices that it changes. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Operation } from "../../../src/domain/Manifest.js"
import { priceChanges, priceChangeWords } from "../../../src/layers/catalog/PriceChanges.js"

const pricedAt = (price: unknown) => ({
  operation: Schema.decodeUnknownSync(Operation)({
    id: "birds-find",
    name: "Find",
    summary: "Finds birds.",
    method: "GET",
    path: "/",
    input: {},
    price
  })
})
const said = (before: unknown, after: unknown) => priceChangeWords(priceChanges([pricedAt(before)], [pricedAt(after)]))

describe("the words about a changed price", () => {
  it("name the most that a call costs, wherever that is decided", () => {
    const told = { basis: "per_call", micros: 10_000 }
    assert.deepStrictEqual(
      [...said({ ...told, maxMicros: 1_000_000 }, { ...told, maxMicros: 100_000_000 })],
      ["Changes the price of birds-find: $0.01 a call, at most $1.00 → $0.01 a call, at most $100.00"]
    )
    assert.deepStrictEqual(
      [...said({ basis: "free", micros: 0 }, { basis: "free", micros: 0, maxMicros: 5_000_000 })],
      ["Changes the price of birds-find: free → free, at most $5.00"]
    )
    const byInput = { basis: "per_result", micros: 10_000, perCallMicros: 500, maxMicros: 1_000_000 }
    assert.deepStrictEqual(
      [...said({ ...byInput, byInput: "`1`" }, { ...byInput, byInput: "`2`" })],
      [
        "Changes how the price of birds-find depends on its input: $0.0005 a call + $0.01 a result, by input, at most $1.00"
      ]
    )
    assert.deepStrictEqual([...said(told, told)], [])
  })
})
