/** Which differences between a documented and a live answer are drift. Whole calls: `test/cli/CatalogWatch.test.ts`. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { shapeMoved } from "../../src/domain/Drift.js"
import type { Json } from "../../src/domain/Json.js"

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
