/** Trimming a result keeps what was asked for, loses nothing else, and counts what it cut. */
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { isObject, type Json } from "../../src/domain/Json.js"
import { trim, type Trimmed, type TrimRequest } from "../../src/domain/Trim.js"
import { allSteps } from "../../src/services/Slices.js"
import { plainTrim } from "./plainTrim.js"

const trimmed = (value: Json, request: Partial<TrimRequest>): Trimmed =>
  Either.getOrThrow(allSteps(trim(value, { fields: null, maxItems: null, ...request })))
const anyJson = fc.jsonValue({ maxDepth: 4 }).map((value): Json => JSON.parse(JSON.stringify(value)))

const arraysOf = (value: Json): ReadonlyArray<ReadonlyArray<Json>> =>
  Array.isArray(value)
    ? [value, ...value.flatMap(arraysOf)]
    : isObject(value)
      ? Object.values(value).flatMap(arraysOf)
      : []

/** Every dotted path of a value, arrays walked per element, without names that hold a dot or nothing. */
const pathsOf = (value: Json): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(pathsOf)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "" || name.includes(".") ? [] : [name, ...pathsOf(inner).map((path) => `${name}.${path}`)]
  )
}

describe("trim", () => {
  it("without a request changes nothing", () => {
    fc.assert(
      fc.property(anyJson, (value) =>
        assert.deepStrictEqual(trimmed(value, {}), { value, truncated: false, arrays: [] })
      )
    )
  })

  it("leaves no array longer than max_items, and says so exactly when one was", () => {
    fc.assert(
      fc.property(anyJson, fc.integer({ min: 1, max: 3 }), (value, maxItems) => {
        const result = trimmed(value, { maxItems })
        assert.isTrue(arraysOf(result.value).every((array) => array.length <= maxItems))
        assert.strictEqual(
          result.truncated,
          arraysOf(value).some((array) => array.length > maxItems) && result.arrays.length > 0
        )
        for (const { kept, total } of result.arrays) assert.isBelow(kept, total)
        assert.deepStrictEqual(trimmed(result.value, { maxItems }), {
          value: result.value,
          truncated: false,
          arrays: []
        })
      })
    )
  })

  it("tells of no more arrays than their paths have room for, however long a name is that stands in all of them", () => {
    const lists = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`list${n}`, [1, 2]]))
    const long = "n".repeat(200_000)
    const { arrays, truncated, value } = trimmed({ [long]: lists(2_000), short: [1, 2, 3] }, { maxItems: 1 })
    assert.isTrue(truncated)
    assert.isAtMost(
      arrays.reduce((chars, { path }) => chars + path.length, 0),
      1_048_576
    )
    assert.deepStrictEqual(arrays[0], { path: `${long}.list0`, kept: 1, total: 2 })
    assert.deepStrictEqual(arrays.at(-1), { path: "short", kept: 1, total: 3 })
    assert.isTrue(arraysOf(value).every((array) => array.length === 1))
    assert.lengthOf(trimmed(lists(10_000), { maxItems: 1 }).arrays, 10_000)
    const untold = trimmed({ ["n".repeat(1_100_000)]: [1, 2] }, { maxItems: 1 })
    assert.deepStrictEqual([untold.truncated, untold.arrays], [true, []])
  })

  it("keeps any path that is in the result, and trimming again changes nothing", () => {
    fc.assert(
      fc.property(anyJson, fc.nat(), (value, seed) => {
        const paths = pathsOf(value)
        fc.pre(paths.length > 0)
        const field = paths[seed % paths.length]!
        const { value: once } = trimmed(value, { fields: [field] })
        assert.deepStrictEqual(
          pathsOf(once).filter((path) => !path.startsWith(`${field}.`) && !field.startsWith(path)),
          []
        )
        assert.include(pathsOf(once), field)
        assert.deepStrictEqual(trimmed(once, { fields: [field] }).value, once)
      })
    )
  })

  it("walks arrays per element, joins paths, and lets a longer one add nothing to a shorter", () => {
    const value = { people: [{ name: "a", mails: [{ at: 1, to: "x" }] }, { mails: [{ to: "y" }] }, 7], total: 3 }
    assert.deepStrictEqual(trimmed(value, { fields: ["people.mails.to"] }).value, {
      people: [{ mails: [{ to: "x" }] }, { mails: [{ to: "y" }] }]
    })
    assert.deepStrictEqual(trimmed(value, { fields: ["total", "people.name"] }).value, {
      people: [{ name: "a" }, {}],
      total: 3
    })
    assert.deepStrictEqual(trimmed(value, { fields: ["people", "people.name"] }).value, { people: value.people })
  })

  it("names a path that is nowhere, an inherited one too", () => {
    for (const path of ["x", "people.x", "total.x", "constructor", "__proto__", "people.length", "people.0"]) {
      const result = allSteps(trim({ people: [{ name: "a" }], total: 3 }, { fields: ["total", path], maxItems: null }))
      assert.deepStrictEqual(result, Either.left({ _tag: "NoSuchPath", path }))
    }
  })

  it("keeps only what a path names: items of an array that have no members are not what a longer path names", () => {
    assert.deepStrictEqual(trimmed({ a: [{ b: 1, c: 2 }, "x", null, [{ b: 3 }, 4], [5]] }, { fields: ["a.b"] }).value, {
      a: [{ b: 1 }, [{ b: 3 }], []]
    })
    assert.deepStrictEqual(trimmed({ a: { b: 1 }, c: [] }, { fields: ["a.b"] }).value, { a: { b: 1 } })
  })

  it("keeps a member with a name that objects inherit, as a member", () => {
    const value: Json = JSON.parse(`{"a": {"__proto__": {"x": 1}, "y": 2}}`)
    const { value: kept } = trimmed(value, { fields: ["a.__proto__"], maxItems: 1 })
    assert.strictEqual(JSON.stringify(kept), `{"a":{"__proto__":{"x":1}}}`)
  })

  it("looks at each value once, however many paths there are", () => {
    let looks = 0
    const watched = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(watched)
      if (!isObject(value)) return value
      return new Proxy(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, watched(member)])), {
        ownKeys: (target) => (looks++, Reflect.ownKeys(target))
      })
    }
    const names = Array.from({ length: 100 }, (_, index) => `field${index}`)
    const row = Object.fromEntries(names.map((name) => [name, { value: name }]))
    const rows = Array.from({ length: 20 }, () => row)
    const { value } = trimmed(
      { rows: watched(rows) },
      { fields: names.flatMap((name) => [`rows.${name}.value`, `rows.${name}`]) }
    )
    // Each row, and each of its members for the longer path.
    assert.strictEqual(looks, 20 + 20 * 100)
    assert.deepStrictEqual(value, { rows })
  })

  it("sums the arrays of one path, and calls the result itself $", () => {
    assert.deepStrictEqual(trimmed([1, 2, 3], { maxItems: 1 }), {
      value: [1],
      truncated: true,
      arrays: [{ path: "$", kept: 1, total: 3 }]
    })
    assert.deepStrictEqual(trimmed({ a: [{ b: [1, 2] }, { b: [3, 4, 5] }] }, { maxItems: 2 }).arrays, [
      { path: "a.b", kept: 4, total: 5 }
    ])
  })

  it("counts the levels of nested lists apart", () => {
    assert.deepStrictEqual(trimmed([[1, 2, 3], [1], [4]], { maxItems: 2 }), {
      value: [[1, 2], [1]],
      truncated: true,
      arrays: [
        { path: "$", kept: 2, total: 3 },
        { path: "$[]", kept: 3, total: 4 }
      ]
    })
    assert.deepStrictEqual(trimmed({ rows: [[{ cells: [1, 2] }], [{ cells: [3] }]] }, { maxItems: 1 }).arrays, [
      { path: "rows", kept: 1, total: 2 },
      { path: "rows[].cells", kept: 1, total: 2 }
    ])
  })

  it("answers what plain trimming of everything does, to the letter", () => {
    const name = fc.constantFrom("a", "b", "c", "", "0", "a.b", "__proto__")
    const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5, depthSize: "large", withCrossShrink: true },
        fc.constantFrom<Json>(1, null, "x", [], {}),
        fc.array(tie("value"), { maxLength: 5 }),
        fc
          .array(fc.tuple(name, tie("value")), { maxLength: 4 })
          .map((members): Json => Object.fromEntries<Json>(members))
      )
    }))
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("."))
    fc.assert(
      fc.property(
        anyValue,
        fc.option(fc.array(path, { minLength: 1, maxLength: 3 })),
        fc.option(fc.integer({ min: 1, max: 3 })),
        fc.nat({ max: 2 }),
        (value, fields, maxItems, skipItems) => {
          const request = { fields, maxItems, skipItems }
          assert.strictEqual(JSON.stringify(allSteps(trim(value, request))), JSON.stringify(plainTrim(value, request)))
        }
      ),
      { numRuns: 2_000 }
    )
  })

  it("copies nothing that loses nothing, and works in short steps", () => {
    const whole = { names: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`n${at}`, at])), rows: [[1]] }
    const wide = Array.from({ length: 5_000 }, (_, at) => [`k${at}`, [at, at]] as const)
    const value: Json = { whole, wide: Object.fromEntries(wide) }
    const steps = trim(value, { fields: null, maxItems: 1 })
    let count = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) count += 1
    assert.isAbove(count, 100)
    const kept = Either.getOrThrow(step.value)
    assert.strictEqual(kept.arrays.length, 5_000)
    assert.isTrue(isObject(kept.value) && kept.value["whole"] === whole)
    assert.strictEqual(trimmed(value, { maxItems: 2 }).value, value)
  })
})
