// The money of calls that are read in pages: never above the hold, and each page counted once.
import { assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import type { InputPrice } from "../../src/domain/Manifest.js"
import { Micros } from "../../src/domain/Micros.js"
import { affordsPage, costOfPages, type PagedPrice, toldByPages } from "../../src/domain/PageCost.js"
import { maxPrice } from "../../src/domain/Pricing.js"
import type { CostEvidence, PageFacts } from "../../src/domain/ProviderCall.js"

const amount = fc.integer({ min: 0, max: 100_000 }).map((micros) => Micros.make(micros))
const price: fc.Arbitrary<InputPrice> = fc.record(
  {
    basis: fc.constantFrom("per_call" as const, "per_result" as const, "free" as const),
    micros: amount,
    perCallMicros: amount,
    maxMicros: amount
  },
  { requiredKeys: ["basis", "micros", "perCallMicros"] }
)
const billed = fc.constantFrom("page" as const, "call" as const)
const evidence: fc.Arbitrary<CostEvidence> = fc.oneof(
  fc.constant<CostEvidence>({ _tag: "None" }),
  fc.constant<CostEvidence>({ _tag: "Anomaly", reported: "NaN" }),
  fc.integer({ min: 0, max: 200_000 }).map((micros): CostEvidence => ({ _tag: "Reported", micros }))
)
const page: fc.Arbitrary<PageFacts> = fc.record({
  outcome: fc.constantFrom("hit", "weak", "miss", "error"),
  resultCount: fc.option(fc.integer({ min: 0, max: 200 })),
  cost: evidence,
  again: fc.boolean()
})
const paged: fc.Arbitrary<PagedPrice> = fc.record({
  price,
  billed,
  billsMiss: fc.boolean(),
  size: fc.integer({ min: 1, max: 100 }),
  maxMicros: amount
})
const read = fc.array(page, { maxLength: 8 })

const hit = (resultCount: number | null = null, cost: CostEvidence = { _tag: "None" }): PageFacts => ({
  outcome: "hit",
  resultCount,
  cost
})
const perCall = (micros: number, more: Partial<PagedPrice> = {}): PagedPrice => ({
  price: { basis: "per_call", micros: Micros.make(micros), perCallMicros: Micros.make(0) },
  billed: "page",
  billsMiss: false,
  size: 10,
  maxMicros: Micros.make(1_000_000),
  ...more
})

describe("the cost of pages", () => {
  it.prop(
    "is never above the hold, and never falls when a page is added",
    [paged, read, page],
    ([terms, pages, next]) => {
      const before = costOfPages(terms, pages).micros
      const after = costOfPages(terms, [...pages, next]).micros
      assert.isAtLeast(after, before)
      assert.isAtMost(after, terms.maxMicros)
    }
  )

  it.prop(
    "is the sum of what the pages told, where all of them did, and price and hold cover it",
    [read, paged],
    ([pages, terms]) => {
      const told = pages.flatMap(({ cost }) => (cost._tag === "Reported" ? [cost.micros] : []))
      fc.pre(told.length === pages.length)
      const sum = told.reduce((each, micros) => each + micros, 0)
      const maxMicros = Micros.make(10_000_000)
      const { micros } = costOfPages(
        { ...terms, billed: "page", price: { ...terms.price, maxMicros }, maxMicros },
        pages
      )
      assert.strictEqual(Number(micros), sum)
      if (pages.length > 0) assert.deepStrictEqual(toldByPages(pages), { _tag: "Reported", micros: sum })
    }
  )

  it.prop(
    "of a page that may be asked for fits under the hold at its listed price",
    [paged, read, fc.integer({ min: 1, max: 100 })],
    ([terms, pages, wanted]) => {
      // A page is asked for no more than it brings.
      const results = Math.min(wanted, terms.size)
      fc.pre(pages.length > 0 && affordsPage(terms, pages, results))
      const with_ = costOfPages(terms, [...pages, hit(results)])
      const without = costOfPages(terms, pages)
      assert.strictEqual(with_.anomaly, without.anomaly)
      assert.isAtMost(with_.micros, terms.maxMicros)
    }
  )

  it.prop(
    "of full pages at their listed price is what is held for the volume, or less",
    [price, billed, fc.integer({ min: 1, max: 100 }), fc.integer({ min: 5, max: 100 })],
    ([listed, each, wanted, size]) => {
      const rules = {
        items: "body",
        size,
        sendSize: true,
        next: { by: "link" as const },
        billed: each,
        max: 100,
        totalMs: 1000
      }
      const volume = { field: "limit", default: 1, max: 1000 }
      const held = maxPrice({ price: listed, volume, pages: rules }, { limit: wanted })
      const terms: PagedPrice = { price: listed, billed: each, billsMiss: false, size, maxMicros: held }
      const pages: Array<PageFacts> = []
      for (let left = wanted; left > 0; left -= size) {
        if (pages.length > 0) assert.isTrue(affordsPage(terms, pages, Math.min(size, left)))
        pages.push(hit(Math.min(size, left)))
      }
      assert.isNull(costOfPages(terms, pages).anomaly)
      assert.isAtMost(costOfPages(terms, pages).micros, held)
    }
  )

  it("of a short last page may be the most that a page costs, and is held: it is asked for", () => {
    const listed: InputPrice = {
      basis: "per_result",
      micros: Micros.make(1),
      perCallMicros: Micros.make(0),
      maxMicros: Micros.make(2)
    }
    const pages = { items: "body", size: 96, sendSize: true, next: { by: "link" }, max: 100, totalMs: 1000 } as const
    const volume = { field: "limit", default: 1, max: 1000 }
    const held = maxPrice({ price: listed, volume, pages: { ...pages, billed: "page" } }, { limit: 97 })
    assert.strictEqual(Number(held), 98)
    const terms: PagedPrice = { price: listed, billed: "page", billsMiss: false, size: 96, maxMicros: held }
    assert.isTrue(affordsPage(terms, [hit(96)], 1))
  })

  it("of one page is at most what a page may cost, whatever its answer tells: the hold is for all of them", () => {
    const terms = perCall(1000, { price: { ...perCall(1000).price, maxMicros: Micros.make(2000) } })
    const pages = [hit(10, { _tag: "Reported", micros: 1e15 }), hit(10, { _tag: "Reported", micros: 1500 })]
    assert.deepStrictEqual(costOfPages(terms, pages), { micros: Micros.make(3500), anomaly: String(1e15) })
    assert.deepStrictEqual(costOfPages(perCall(1000), [hit(10, { _tag: "Reported", micros: 5000 })]), {
      micros: Micros.make(1000),
      anomaly: "5000"
    })
  })

  it("of one page is at most that of the results that a page brings, however many its answer counts", () => {
    const price = { ...perCall(100).price, basis: "per_result" as const }
    assert.strictEqual(Number(costOfPages(perCall(100, { price }), [hit(500), hit(10)]).micros), 2000)
    assert.strictEqual(
      Number(costOfPages(perCall(100, { price }), [hit(500, { _tag: "Reported", micros: 50_000 })]).micros),
      1000
    )
  })

  it("counts each page, or the call once", () => {
    const pages = [hit(), hit(), hit()]
    assert.strictEqual(Number(costOfPages(perCall(1000), pages).micros), 3000)
    assert.strictEqual(Number(costOfPages(perCall(1000, { billed: "call" }), pages).micros), 1000)
  })

  it("of all tries of one page is at most what a page may cost, and that of the next page has its own room", () => {
    const terms = perCall(1000, { price: { ...perCall(1000).price, maxMicros: Micros.make(2000) } })
    const failed = (micros: number, again: boolean): PageFacts => ({
      outcome: "error",
      resultCount: null,
      cost: { _tag: "Reported", micros },
      ...(again ? { again } : {})
    })
    const costing = (...pages: ReadonlyArray<PageFacts>) => Number(costOfPages(terms, [hit(), ...pages]).micros)
    assert.strictEqual(costing(failed(700, false), failed(700, true)), 2400)
    assert.strictEqual(costing(failed(700, false), failed(700, true), failed(700, true), failed(700, true)), 3000)
    assert.strictEqual(costing(failed(700, false), { ...hit(), again: true }), 2700)
    assert.strictEqual(costing(failed(1700, false), { ...hit(), again: true }), 3000)
    assert.strictEqual(costing(failed(2000, false), failed(2000, true), hit(), failed(2000, false)), 6000)
  })

  it("leaves out pages that failed, and misses unless they are billed; what they told counts", () => {
    const miss: PageFacts = { ...hit(), outcome: "miss" }
    const failed: PageFacts = { ...hit(), outcome: "error" }
    const told: PageFacts = { ...failed, cost: { _tag: "Reported", micros: 7 } }
    assert.strictEqual(Number(costOfPages(perCall(1000), [hit(), failed, told, miss]).micros), 1007)
    assert.strictEqual(Number(costOfPages(perCall(1000, { billsMiss: true }), [hit(), miss]).micros), 2000)
  })
})
