/** What is shown of a large result is the most that has room; to find it costs what is shown, and not what there is. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { ExactNumber } from "../../../src/domain/ExactNumber.js"
import type { Json } from "../../../src/domain/Json.js"
import { writeJson } from "../../../src/domain/LosslessJson.js"
import { fits, shortened } from "../../../src/http/mcp/Fitting.js"
import { longestOuter, widest } from "../../../src/http/mcp/Lists.js"
import { allSteps } from "../../../src/services/Slices.js"
import { plainLongestOuter, plainShortened, plainWidest } from "./plainFitting.js"

const text = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.string({ unit: "binary", maxLength: 5 }),
  fc
    .tuple(fc.constantFrom("x", "ä", "\u{1f600}", "\n"), fc.integer({ min: 1, max: 1_000 }))
    .map(([one, times]) => one.repeat(times))
)
const name = fc.oneof(fc.constantFrom("a", "b", "c", "", "__proto__", "toJSON"), fc.string({ maxLength: 30 }))
const { value: anyValue } = fc.letrec<{ long: Json; small: Json; value: Json }>((tie) => ({
  small: fc.oneof(
    { maxDepth: 2 },
    text,
    fc.constantFrom<Json>(0, -0, 1.5, null, true, new ExactNumber("12345678901234567890.10"), [], {}),
    fc.array(tie("small"), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie("small")), { maxLength: 4 }).map((members): Json => Object.fromEntries<Json>(members))
  ),
  long: fc
    .tuple(tie("small"), tie("small"), fc.integer({ min: 2, max: 200 }))
    .map(([one, other, times]): Json => Array.from({ length: times }, (_, at) => (at % 7 === 3 ? other : one))),
  value: fc.oneof(
    tie("small"),
    tie("long"),
    fc.array(fc.oneof(tie("small"), tie("long")), { maxLength: 3 }),
    fc
      .array(fc.tuple(name, fc.oneof(tie("small"), tie("long"))), { maxLength: 4 })
      .map((members): Json => Object.fromEntries<Json>(members))
  )
}))
const part = fc.record({ maxItems: fc.option(fc.integer({ min: 1, max: 200 })), skipItems: fc.nat({ max: 5 }) })

describe("a result that is too large to show", () => {
  it("is shortened to what plain shortening of everything finds, to the letter", () => {
    fc.assert(
      fc.property(anyValue, part, fc.integer({ min: -10, max: 6_000 }), (value, asked, bytesMax) => {
        const short = allSteps(shortened(value, asked, bytesMax))
        const plain = plainShortened(value, asked, bytesMax)
        assert.strictEqual(short === null, plain === null)
        if (short === null || plain === null) return
        assert.strictEqual(writeJson(short.value), writeJson(plain.value))
        assert.deepStrictEqual({ ...short, value: null }, { ...plain, value: null })
      }),
      { numRuns: 300 }
    )
  })

  it("fits exactly when its JSON has as many bytes as an answer may have", () => {
    fc.assert(
      fc.property(anyValue, fc.integer({ min: -2, max: 2 }), (value, more) => {
        const around = (filling: string) => ({ value, none: undefined, filling })
        const left = 32_768 + more - Buffer.byteLength(writeJson(around("")))
        fc.pre(left >= 0)
        assert.strictEqual(fits(around("x".repeat(left))), more <= 0)
      })
    )
  })

  it("has the widest object and the longest list that plain looking finds", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        assert.deepStrictEqual(allSteps(widest(value)), plainWidest(value))
        assert.strictEqual(allSteps(longestOuter(value)), plainLongestOuter(value))
      })
    )
  })

  /** The object, and how often one of its members was read. */
  const watched = (members: number) => {
    const seen = { reads: 0 }
    const target = Object.fromEntries(Array.from({ length: members }, (_, at) => [`k${at}`, at]))
    const value: Json = new Proxy(target, { get: (of, key) => ((seen.reads += 1), Reflect.get(of, key)) })
    return { seen, value }
  }

  it("is not looked at beyond the bytes that there are: names that have no room are answered at once", () => {
    const { seen, value } = watched(50_000)
    assert.isNull(allSteps(shortened({ a: value }, { maxItems: null, skipItems: 0 }, 1_000)))
    assert.isBelow(seen.reads, 1_000)
    assert.isFalse(fits({ a: value }))
    assert.isBelow(seen.reads, 10_000)
  })

  it("costs little more for each try than what is shown", () => {
    const { seen, value } = watched(50_000)
    const items: ReadonlyArray<Json> = [...Array.from({ length: 40 }, (_, at) => at), value]
    assert.strictEqual(allSteps(shortened(items, { maxItems: null, skipItems: 0 }, 1_000))?.items, 40)
    // The walk over everything reads each once, for the longest list, and no try reads a fiftieth of it.
    assert.isBelow(seen.reads, 60_000)
  })

  it("is worked through in short steps", () => {
    const steps = shortened(
      Array.from({ length: 100_000 }, () => []),
      { maxItems: null, skipItems: 0 },
      1_000
    )
    let count = 0
    while (steps.next().done !== true) count += 1
    assert.isAbove(count, 100)
  })
})
