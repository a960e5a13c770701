import { assert, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { describe } from "vitest"
import { ExactNumber } from "../../src/domain/ExactNumber.js"
import type { Json, JsonObject } from "../../src/domain/Json.js"
import type { Operation } from "../../src/domain/Manifest.js"
import { Micros } from "../../src/domain/Micros.js"
import {
  dearestPrice,
  maxPrice,
  type Priced,
  volumeExcess,
  volumeOf,
  volumeShortfall
} from "../../src/domain/Pricing.js"
import { price } from "./arbitraries.js"

const m = (amount: number) => Micros.make(amount)
const upTo = (max: number, field = "limit", preset = 10): Pick<Operation, "volume"> => ({
  volume: { field, default: preset, max }
})
const perResult = (volume: Pick<Operation, "volume">, micros = 100, perCall = 0): Priced => ({
  ...volume,
  price: { basis: "per_result", micros: m(micros), perCallMicros: m(perCall) }
})

const input: FastCheck.Arbitrary<JsonObject> = FastCheck.dictionary(
  FastCheck.constantFrom("limit", "page_size", "Per-Page", "emails", "query", "nested"),
  FastCheck.oneof(
    FastCheck.integer({ min: -5, max: 500 }),
    FastCheck.double(),
    FastCheck.constantFrom("7", "", "many", "1e3", null, true),
    FastCheck.array(FastCheck.string(), { maxLength: 20 }),
    FastCheck.constant({ limit: 4 })
  )
)

describe("Pricing", () => {
  it.each<readonly [string, JsonObject, number]>([
    ["the declared field", { limit: 25 }, 25],
    ["its default, when it is absent", {}, 10],
    ["its default, when it is no number", { limit: "many" }, 10],
    ["its default, when it is zero or less", { limit: -3 }, 10],
    ["a number written as text", { limit: "25" }, 25],
    ["a fraction, rounded up", { limit: 2.1 }, 3],
    ["a larger page size beside it", { limit: 5, page_size: 40 }, 40],
    ["a larger batch beside it", { limit: 2, domains: ["a", "b", "c"] }, 3],
    ["the default, when only smaller signals are there", { domains: ["a", "b", "c"] }, 10],
    ["at most the declared maximum", { limit: 5, per_page: 4_000 }, 100]
  ])("the volume is %s", (_, asked, volume) => {
    assert.strictEqual(volumeOf(upTo(100), asked), volume)
  })

  const signals =
    "limit size pageSize per_page max-results NumResults num COUNT resultsPerPage rows take maxItems first"
  it.each(signals.split(" "))("%s is a volume signal without being declared", (name) => {
    assert.strictEqual(volumeOf({}, { [name]: 12 }), 12)
  })

  it("nothing says a volume, so there is none", () => {
    assert.strictEqual(volumeOf({}, { query: "fifty", year: 1990 }), 0)
  })

  it("a declared field may lie deeper, and be an array", () => {
    assert.strictEqual(volumeOf(upTo(100, "page.size"), { page: { size: 30 } }), 30)
    assert.strictEqual(volumeOf(upTo(100, "page.size"), { page: [1, 2] }), 10)
    assert.strictEqual(volumeOf(upTo(100, "emails", 1), { emails: ["a", "b"] }), 2)
  })

  it.each<readonly [string, JsonObject, number]>([
    ["in an object", { limit: 3, options: { limit: 40 } }, 40],
    ["in a list of objects", { queries: [{ page_size: 20 }, { page_size: 60 }] }, 60],
    ["as a list in a list", { batches: [["a"], ["b", "c", "d"]], limit: 2 }, 3],
    ["many levels down", { limit: 1, a: { b: [{ c: { d: { maxResults: "70" } } }] } }, 70],
    ["beyond all numbers", { limit: "1e999" }, 100],
    [
      "of more digits than a number keeps",
      { limit: 1, page: { size: new ExactNumber("30.00000000000000000001") } },
      30
    ],
    ["under a name that objects inherit", { constructor: { limit: 12 }, limit: 1 }, 12]
  ])("the largest signal counts %s", (_, asked, volume) => {
    assert.strictEqual(volumeOf(upTo(100), asked), volume)
  })

  it("an input of a million signals is walked once", () => {
    const wide: JsonObject = {
      queries: Array.from({ length: 200_000 }, (_, n) => ({ limit: n, name: `${"-_".repeat(50)}limit` }))
    }
    assert.strictEqual(volumeOf({}, wide), 200_000)
  })

  it("a declared volume above its maximum is named, and only then", () => {
    assert.deepStrictEqual(volumeExcess(upTo(100), { limit: 101 }), { field: "limit", max: 100, isList: false })
    assert.deepStrictEqual(volumeExcess(upTo(1, "page.ids"), { page: { ids: [1, 2] } }), {
      field: "page.ids",
      max: 1,
      isList: true
    })
    assert.deepStrictEqual(volumeExcess(upTo(100), { limit: "Infinity" }), { field: "limit", max: 100, isList: false })
    assert.isNull(volumeExcess(upTo(100), { limit: 100 }))
    assert.isNull(volumeExcess(upTo(100), {}))
    assert.isNull(volumeExcess({}, { limit: 5_000 }))
  })

  it.each<readonly [Json]>([[0], [-1], [-0.5], ["0"], [" -20 "], [new ExactNumber("-0.00000000000000000001")]])(
    "a declared volume of %s is below the least, because the default would be held for it",
    (limit) => {
      const input: JsonObject = { properties: { limit: { type: "integer" } } }
      assert.deepStrictEqual(volumeShortfall({ ...upTo(100), input }, { limit }), { field: "limit", min: 1 })
    }
  )

  it("a declared volume is below the least only as a number, and 0 only where its schema does not allow it", () => {
    const input: JsonObject = { properties: { page: { properties: { size: { type: "integer", minimum: 0 } } } } }
    const operation = { ...upTo(100, "page.size"), input }
    for (const size of [0, 1, "all", "", null, [], true]) assert.isNull(volumeShortfall(operation, { page: { size } }))
    assert.isNull(volumeShortfall(operation, {}))
    assert.isNull(volumeShortfall({ input }, { page: { size: -1 } }))
    assert.deepStrictEqual(volumeShortfall(operation, { page: { size: -1 } }), { field: "page.size", min: 0 })
    const negative: JsonObject = { properties: { limit: { type: "integer", minimum: -1 } } }
    assert.deepStrictEqual(volumeShortfall({ ...upTo(100), input: negative }, { limit: -1 }), {
      field: "limit",
      min: 1
    })
  })

  it("the maximum price is the dearest that the basis allows", () => {
    assert.strictEqual(Number(maxPrice(perResult(upTo(100), 100, 7), { limit: 25 })), 2_507)
    assert.strictEqual(
      Number(maxPrice({ price: { basis: "per_call", micros: m(100), perCallMicros: m(0) } }, { limit: 25 })),
      100
    )
    assert.strictEqual(
      Number(maxPrice({ price: { basis: "free", micros: m(0), perCallMicros: m(0) } }, { limit: 25 })),
      0
    )
    assert.strictEqual(
      Number(maxPrice({ price: { basis: "per_call", micros: m(100), perCallMicros: m(0), maxMicros: m(900) } }, {})),
      900
    )
    assert.strictEqual(
      Number(maxPrice({ price: { basis: "per_result", micros: m(100), perCallMicros: m(0) } }, {})),
      100
    )
  })

  it.prop("no input costs more than the dearest price", [price, input], ([listed, given]) => {
    const operation = { ...upTo(100), price: listed }
    assert.isAtMost(maxPrice(operation, given), dearestPrice(operation))
  })

  it.prop(
    "is an exact amount for every input, and never less for a larger declared volume",
    [price, input, FastCheck.integer({ min: 1, max: 100 }), FastCheck.integer({ min: 1, max: 100 })],
    ([listed, given, one, other]) => {
      const operation = { ...upTo(100), price: listed }
      assert.isTrue(Number.isSafeInteger(maxPrice(operation, given)))
      const at = (limit: number) => maxPrice(operation, { ...given, limit })
      assert.isAtMost(at(Math.min(one, other)), at(Math.max(one, other)))
    },
    { fastCheck: { numRuns: 1_000 } }
  )

  it.prop("a volume that the provider itself would fill in is covered by the hold", [input], ([given]) => {
    const { limit: _, ...rest } = given
    assert.isAtLeast(volumeOf(upTo(100), rest), 10)
  })
})
