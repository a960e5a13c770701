/** Trimming a result keeps what was asked for, loses nothing else, and counts what it cut. */
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { isObject, type Json } from "../../src/domain/Json.js"
import { trim, type Trimmed, type TrimRequest } from "../../src/domain/Trim.js"

const trimmed = (value: Json, request: Partial<TrimRequest>): Trimmed => Either.getOrThrow(trim(value, { fields: null, maxItems: null, ...request }))
const anyJson = fc.jsonValue({ maxDepth: 4 }).map((value): Json => JSON.parse(JSON.stringify(value)))

const arraysOf = (value: Json): ReadonlyArray<ReadonlyArray<Json>> =>
  Array.isArray(value) ? [value, ...value.flatMap(arraysOf)] : isObject(value) ? Object.values(value).flatMap(arraysOf) : []

/** Every dotted path of a value, arrays walked per element, without names that hold a dot or nothing. */
const pathsOf = (value: Json): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(pathsOf)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === "" || name.includes(".") ? [] : [name, ...pathsOf(inner).map((path) => `${name}.${path}`)]))
}

describe("trim", () => {
  it("without a request changes nothing", () => {
    fc.assert(fc.property(anyJson, (value) => assert.deepStrictEqual(trimmed(value, {}), { value, truncated: false, arrays: [] })))
  })

  it("leaves no array longer than max_items, and says so exactly when one was", () => {
    fc.assert(fc.property(anyJson, fc.integer({ min: 1, max: 3 }), (value, maxItems) => {
      const result = trimmed(value, { maxItems })
      assert.isTrue(arraysOf(result.value).every((array) => array.length <= maxItems))
      assert.strictEqual(result.truncated, arraysOf(value).some((array) => array.length > maxItems) && result.arrays.length > 0)
      for (const { kept, total } of result.arrays) assert.isBelow(kept, total)
      assert.deepStrictEqual(trimmed(result.value, { maxItems }), { value: result.value, truncated: false, arrays: [] })
    }))
  })

  it("keeps any path that is in the result, and trimming again changes nothing", () => {
    fc.assert(fc.property(anyJson, fc.nat(), (value, seed) => {
      const paths = pathsOf(value)
      fc.pre(paths.length > 0)
      const field = paths[seed % paths.length]!
      const { value: once } = trimmed(value, { fields: [field] })
      assert.deepStrictEqual(pathsOf(once).filter((path) => !path.startsWith(`${field}.`) && !field.startsWith(path)), [])
      assert.include(pathsOf(once), field)
      assert.deepStrictEqual(trimmed(once, { fields: [field] }).value, once)
    }))
  })

  it("walks arrays per element, joins paths, and lets a longer one add nothing to a shorter", () => {
    const value = { people: [{ name: "a", mails: [{ at: 1, to: "x" }] }, { mails: [{ to: "y" }] }, 7], total: 3 }
    assert.deepStrictEqual(trimmed(value, { fields: ["people.mails.to"] }).value, { people: [{ mails: [{ to: "x" }] }, { mails: [{ to: "y" }] }, 7] })
    assert.deepStrictEqual(trimmed(value, { fields: ["total", "people.name"] }).value, { total: 3, people: [{ name: "a" }, {}, 7] })
    assert.deepStrictEqual(trimmed(value, { fields: ["people", "people.name"] }).value, { people: value.people })
  })

  it("names a path that is nowhere, an inherited one too", () => {
    for (const path of ["x", "people.x", "total.x", "constructor", "__proto__", "people.length", "people.0"]) {
      const result = trim({ people: [{ name: "a" }], total: 3 }, { fields: ["total", path], maxItems: null })
      assert.deepStrictEqual(result, Either.left({ _tag: "NoSuchPath", path }))
    }
  })

  it("sums the arrays of one path, and calls the result itself $", () => {
    assert.deepStrictEqual(trimmed([[1, 2, 3], [1]], { maxItems: 1 }), { value: [[1]], truncated: true, arrays: [{ path: "$", kept: 2, total: 5 }] })
    assert.deepStrictEqual(trimmed({ a: [{ b: [1, 2] }, { b: [3, 4, 5] }] }, { maxItems: 2 }).arrays, [{ path: "a.b", kept: 4, total: 5 }])
  })
})
