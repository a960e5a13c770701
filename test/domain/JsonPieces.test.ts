import { assert, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { describe } from "vitest"
import { isObject } from "../../src/domain/Json.js"
import { jsonPieces } from "../../src/domain/JsonPieces.js"
import { readJson, writeJson } from "../../src/domain/LosslessJson.js"

const portions = FastCheck.integer({ min: 1, max: 60 })

describe("a JSON value, written in pieces", () => {
  it.prop("is the text that it is at once", [FastCheck.jsonValue({ maxDepth: 5 }), portions], ([value, portion]) => {
    const json = Either.getOrThrow(readJson(JSON.stringify(value)))
    assert.strictEqual([...jsonPieces(json, portion)].join(""), writeJson(json))
  })

  it("keeps every digit, every name and every character, wherever a piece ends", () => {
    const text = `{"__proto__":[12345678901234567891,{"constructor":[]},{}],"a":"${"🙂\\ud800é\\n".repeat(9)}","":[[],null,1e400]}`
    const json = Either.getOrThrow(readJson(text))
    for (let portion = 1; portion < 80; portion += 1)
      assert.strictEqual([...jsonPieces(json, portion)].join(""), writeJson(json))
  })

  it("has no piece that is much longer than it may be", () => {
    const list = Array.from({ length: 30_000 }, (_, at) => ({ id: at, name: "Ada Example", more: [at, null] }))
    const value = { list, long: "x".repeat(500_000), list2: [list, "y".repeat(90_000)] }
    const pieces = [...jsonPieces(value)]
    assert.strictEqual(pieces.join(""), JSON.stringify(value))
    assert.isAtMost(Math.max(...pieces.map(({ length }) => length)), 140_000)
    assert.isAtMost(pieces.length, 200)
    assert.isTrue(isObject(JSON.parse(pieces.join(""))))
  })
})
