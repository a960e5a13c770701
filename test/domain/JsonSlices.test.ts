import { assert, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { describe } from "vitest"
import { ExactNumber } from "../../src/domain/ExactNumber.js"
import { largeJsonSteps } from "../../src/domain/JsonSlices.js"
import { answerContainersMax, answerMembersMax } from "../../src/domain/limits/Calls.js"
import { readJson } from "../../src/domain/LosslessJson.js"
import { allSteps } from "../../src/services/Slices.js"

const inPortions = (text: string, portion: number) => allSteps(largeJsonSteps(text, portion))

const depthOf = (value: unknown): number =>
  typeof value !== "object" || value === null || value instanceof ExactNumber
    ? 0
    : 1 + Math.max(0, ...Object.values(value).map(depthOf))

const container = FastCheck.oneof(
  FastCheck.array(FastCheck.jsonValue({ maxDepth: 5 })),
  FastCheck.dictionary(FastCheck.string({ maxLength: 4 }), FastCheck.jsonValue({ maxDepth: 5 }))
)
const spaces = FastCheck.constantFrom(undefined, 1, "\t")
const portions = FastCheck.integer({ min: 1, max: 60 })

describe("a large JSON text, read in portions", () => {
  it.prop("is read as it is at once", [container, spaces, portions], ([value, space, portion]) => {
    const text = JSON.stringify(value, null, space)
    assert.deepStrictEqual(
      inPortions(text, portion),
      Either.map(readJson(text), (whole) => ({ value: whole, depth: depthOf(whole) }))
    )
  })

  it.prop(
    "is refused where it would be refused at once",
    [
      container,
      portions,
      FastCheck.nat(),
      FastCheck.constantFrom("", ",", "[", "]", "{", "}", '"', ":", "1", " ", "x")
    ],
    ([value, portion, place, sign]) => {
      const text = JSON.stringify(value, null, 1)
      const at = place % (text.length + 1)
      const spoiled = `${text.slice(0, at)}${sign}${text.slice(sign === "" ? at + 1 : at)}`
      assert.deepStrictEqual<unknown>(
        Either.map(inPortions(spoiled, portion), (read) => read.value),
        Either.filterOrLeft(
          readJson(spoiled),
          (read) =>
            typeof read === "string" || (typeof read === "object" && read !== null && !(read instanceof ExactNumber)),
          () => "not JSON" as const
        )
      )
    }
  )

  const signs = [
    "a",
    "é",
    "\\n",
    "\\u0041",
    "\\ud83d\\ude00",
    "😀",
    '\\"',
    "\\\\",
    " ",
    '"',
    "\\",
    "\\u1",
    "\n",
    "\u00a0"
  ]
  it.prop(
    "is read, or refused, as it is at once when it is one string",
    [FastCheck.array(FastCheck.constantFrom(...signs)), portions, FastCheck.constantFrom("", " \n", "\u00a0", '"')],
    ([parts, portion, end]) => {
      const text = `"${parts.join("")}"${end}`
      assert.deepStrictEqual<unknown>(
        Either.map(inPortions(text, portion), ({ value }) => value),
        readJson(text)
      )
    },
    { fastCheck: { numRuns: 1000 } }
  )

  const same: ReadonlyArray<[title: string, text: string]> = [
    ["keeps exact numbers", '[[12345678901234567890,1],{"a":0.12345678901234567891,"b":[1e400,2,3]}]'],
    ["keeps the last of two members of one name", '{"a":[1,2,3],"b":1,"a":{"c":[4,5,6]},"b":[7,8]}'],
    ["takes __proto__ for a name", '{"a":1,"__proto__":{"b":[1,2,3]},"c":{"__proto__":[1,2]}}'],
    ["reads names with escapes", '{"\\u0061\\"":[1,2,3,{"\\\\":[4,5]}],"b":1}'],
    ["reads empty containers between others", "[[],{},[1,2,[],3],{},[[],[]],[]]"]
  ]
  for (const [title, text] of same)
    it(title, () => {
      for (const portion of [1, 2, 5, 9])
        assert.deepStrictEqual<unknown>(
          Either.map(inPortions(text, portion), ({ value }) => value),
          readJson(text)
        )
    })

  it("with too many lists, or members of one object, is refused, and so is one that is nested too deep", () => {
    const members = (count: number) => `[1,{${Array.from({ length: count }, (_, n) => `"${n}":0`).join(",")}}]`
    assert.isTrue(Either.isRight(inPortions(members(answerMembersMax), 65_536)))
    assert.deepStrictEqual<unknown>(inPortions(members(answerMembersMax + 1), 65_536), Either.left("too many values"))
    const many = `[${"[],".repeat(answerContainersMax)}[]]`
    assert.deepStrictEqual<unknown>(inPortions(many, 65_536), Either.left("too many values"))
    assert.deepStrictEqual<unknown>(inPortions("[".repeat(100_000), 65_536), Either.left("too deep"))
  })
})
