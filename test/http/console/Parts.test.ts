/** Long values on pages are cut where they would make a page heavy, whatever shape they have. */
import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../../../src/domain/Json.js"
import { answerDepthMax } from "../../../src/domain/limits/Calls.js"
import { consoleTextCharsMax } from "../../../src/domain/limits/Lists.js"
import { jsonText, longJson } from "../../../src/http/console/Parts.js"

const deep = (depth: number, innermost: Json): Json => (depth === 0 ? innermost : [deep(depth - 1, innermost)])
const pageOf = (value: Json): string => longJson(value).render({ prefix: "", csrf: null })

describe("JSON on a page", () => {
  it("has its members under each other", () => {
    assert.strictEqual(jsonText({ a: [1, {}], b: "x" }), '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": "x"\n}')
  })

  it("is not mostly blanks where it is deep, and says the same", () => {
    const values = Array.from({ length: consoleTextCharsMax }, () => 1)
    assert.isBelow(pageOf(deep(answerDepthMax - 1, values)).length, 30 * consoleTextCharsMax)
    const value = deep(100, { a: [1, 2] })
    assert.deepStrictEqual(JSON.parse(jsonText(value)), value)
  })
})
