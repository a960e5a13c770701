/** The form of an operation: what is shown and read back is the same input, digit for digit. */
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { isObject, type Json, type JsonObject } from "../../../src/domain/Json.js"
import { readJson, writeJson } from "../../../src/domain/LosslessJson.js"
import { inputFieldsOf, inputText, nameOf, typedInput } from "../../../src/http/console/workspace/InputForm.js"

const schema: JsonObject = {
  type: "object",
  properties: {
    note: { type: "string" },
    limit: { type: "integer", minimum: 1 },
    ratio: { type: ["number", "null"] },
    deep: { type: "boolean" },
    kind: { enum: ["a", "b", 3] },
    tags: { type: "array", items: { type: "string" } },
    filter: { type: "object", properties: { from: { type: "string" } } },
    points: { type: "array", items: { type: "number" } }
  },
  required: ["limit"]
}
const fields = inputFieldsOf(schema)

const text = FastCheck.fullUnicodeString({ minLength: 1 }).filter((value) => value.trim() !== "" && !/\r/.test(value))
const line = text.filter((value) => !value.includes("\n"))
const inputs = FastCheck.record(
  {
    note: text,
    limit: FastCheck.integer(),
    ratio: FastCheck.double({ noNaN: true, noDefaultInfinity: true }).map((value) =>
      Object.is(value, -0) ? 0 : value
    ),
    deep: FastCheck.boolean(),
    kind: FastCheck.constantFrom<Json>("a", "b", 3),
    tags: FastCheck.array(line, { minLength: 1 }),
    filter: FastCheck.record({ from: text }),
    points: FastCheck.array(FastCheck.integer(), { minLength: 1 }),
    _mock: FastCheck.record({ outcome: line })
  },
  { requiredKeys: ["limit"] }
)

describe("the form of an operation", () => {
  it("has the required fields first", () => {
    assert.deepStrictEqual(
      fields.map(({ kind, name, required }) => [name, kind, required]),
      [
        ["limit", "integer", true],
        ["note", "text", false],
        ["ratio", "number", false],
        ["deep", "boolean", false],
        ["kind", "choice", false],
        ["tags", "lines", false],
        ["filter", "json", false],
        ["points", "json", false]
      ]
    )
  })

  it("gives back the input that it was filled with", () => {
    FastCheck.assert(
      FastCheck.property(inputs, (input) => {
        const read = Either.getOrThrow(inputText(fields, typedInput(fields, input)))
        assert.deepStrictEqual(JSON.parse(read), JSON.parse(JSON.stringify(input)))
      })
    )
  })

  it("keeps every digit of a number", () => {
    const input = Either.getOrThrow(readJson('{"limit":12345678901234567890,"ratio":0.10000000000000000000001}'))
    const read = Either.getOrThrow(inputText(fields, typedInput(fields, isObject(input) ? input : {})))
    assert.strictEqual(writeJson(Either.getOrThrow(readJson(read))), writeJson(input))
  })

  it("tells beside each field what it cannot be, all at once", () => {
    const typed = new Map([
      [nameOf("ratio"), ["1,5"]],
      [nameOf("deep"), ["maybe"]],
      [nameOf("kind"), ["c"]],
      [nameOf("filter"), ["{from: 1}"]],
      [nameOf("points"), ['[1,{"a":1,"a":2}]']],
      ["other", ['{"note":"twice?"}']],
      [nameOf("note"), ["x"]]
    ])
    assert.deepStrictEqual(Either.getOrThrow(Either.flip(inputText(fields, typed))), [
      { field: "input.limit", message: "is required" },
      { field: "input.ratio", message: "must be a number, such as 12.5" },
      { field: "input.deep", message: "must be yes or no" },
      { field: "input.kind", message: "must be one of the choices" },
      { field: "input.filter", message: "is not valid JSON" },
      { field: "input.points", message: "has the member a twice" },
      { field: "other", message: "has note, which has a field of its own" }
    ])
  })
})
