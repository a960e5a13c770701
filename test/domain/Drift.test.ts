/** Which differences between a documented and a live answer are drift. Whole calls: `test/cli/CatalogWatch.test.ts`. */
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import fc from "fast-check"
import { driftOf, shapeMoved } from "../../src/domain/Drift.js"
import type { Json } from "../../src/domain/Json.js"
import { Micros } from "../../src/domain/Micros.js"
import type { ProviderAnswer } from "../../src/domain/ProviderCall.js"
import { endpoint } from "../support/catalog.js"

const cases: ReadonlyArray<readonly [name: string, sample: Json, answer: Json, paths: ReadonlyArray<string>]> = [
  ["a missing member", { a: 1, b: "x" }, { a: 2 }, ["body.b"]],
  ["another type", { a: 1 }, { a: "1" }, ["body.a"]],
  ["a new member", { a: 1 }, { a: 1, b: 2 }, []],
  ["another value", { a: 1, b: ["x"] }, { a: 9.5, b: ["y", "z"] }, []],
  ["null now", { a: { b: 1 } }, { a: null }, []],
  ["null in the sample", { a: null }, { a: { b: 1 } }, []],
  ["an empty list now", { items: [{ id: 1 }] }, { items: [] }, []],
  [
    "a member missing in all items",
    { items: [{ id: 1, n: "a" }] },
    { items: [{ id: 2 }, { id: 3 }] },
    ["body.items[].n"]
  ],
  ["a member missing in some items", { items: [{ id: 1, n: "a" }] }, { items: [{ id: 2 }, { id: 3, n: "b" }] }, []],
  ["a member that some documented items lack", { items: [{ id: 1, n: "a" }, { id: 2 }] }, { items: [{ id: 3 }] }, []],
  ["other days as names", { rates: { "2026-11-20": { usd: 1 } } }, { rates: { "2026-11-23": { usd: 2 } } }, []],
  ["other currencies as names", { rates: { USD: 1, CHF: 2 } }, { rates: { JPY: "3" } }, ["body.rates.*"]],
  ["a list in place of an object", { data: { id: 1 } }, { data: [{ id: 1 }] }, ["body.data"]],
  ["rows of different types", [["a", 1]], [["b", 2]], []]
]

describe("the shape of a live answer", () => {
  for (const [name, sample, answer, paths] of cases) {
    it(`${paths.length === 0 ? "is the documented one with" : "is another one with"} ${name}`, () =>
      assert.deepStrictEqual(
        shapeMoved(sample, answer).map(({ path }) => path),
        paths
      ))
  }

  it("is never another one than its own", () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const json: Json = JSON.parse(JSON.stringify(value))
        assert.deepStrictEqual(shapeMoved(json, json), [])
      })
    ))
})

describe("the price that a live answer tells", () => {
  it("is the documented one when it is that of a call with its fixed part", () => {
    const sample = { status: 200, headers: {}, input: {}, body: {}, outcome: "hit" } as const
    const price = { basis: "per_call", micros: Micros.make(100), perCallMicros: Micros.make(50) } as const
    const sold = endpoint({ id: "sold", price })
    const driftAt = (micros: number) => {
      const answer: ProviderAnswer = {
        outcome: "hit",
        outcomeReason: "",
        body: { _tag: "Json", value: {} },
        normalized: null,
        providerStatus: 200,
        resultCount: null,
        cost: { _tag: "Reported", micros: Micros.make(micros) },
        evidence: {
          requestDigest: "",
          responseDigest: null,
          requestBytes: 0,
          responseBytes: 0,
          providerRequestId: null
        }
      }
      const priced = { price, maxMicros: Micros.make(1_000) }
      return driftOf(sold, sample, priced, Either.right(answer))
    }
    assert.deepStrictEqual(driftAt(150), { state: "same" })
    assert.deepStrictEqual(driftAt(100), {
      state: "moved",
      moved: [{ path: "price", message: "is $0.0001, and the manifest says $0.00015" }]
    })
  })
})
