/** The form of an operation: what is shown and read back is the same input, digit for digit. */
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { isObject, type Json, type JsonObject } from "../../../src/domain/Json.js"
import { bodyValuesMax, inputValuesMax } from "../../../src/domain/limits/Requests.js"
import { readJson, writeJson } from "../../../src/domain/LosslessJson.js"
import { filledWith } from "../../../src/http/console/Forms.js"
import {
  inputFieldsOf,
  inputHtml,
  inputText,
  nameOf,
  typedInput
} from "../../../src/http/console/workspace/InputForm.js"

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
const page = { prefix: "", csrf: null }

const text = FastCheck.oneof(
  FastCheck.fullUnicodeString(),
  FastCheck.stringOf(FastCheck.constantFrom("a", " ", "\n", "\r", "[", "]", '"', ",", "null"))
)

/** What a browser makes of a text in its field: a line break of a text area is sent as two characters. */
const sentBy = (typed: ReadonlyMap<string, ReadonlyArray<string>>) =>
  new Map([...typed].map(([name, values]) => [name, values.map((value) => value.replaceAll(/\r\n?|\n/g, "\r\n"))]))
const inputs = FastCheck.record(
  {
    note: text,
    limit: FastCheck.integer(),
    ratio: FastCheck.double({ noNaN: true, noDefaultInfinity: true }).map((value) =>
      Object.is(value, -0) ? 0 : value
    ),
    deep: FastCheck.boolean(),
    kind: FastCheck.constantFrom<Json>("a", "b", 3),
    tags: FastCheck.array(text),
    filter: FastCheck.record({ from: text }),
    points: FastCheck.array(FastCheck.integer()),
    _mock: FastCheck.record({ outcome: text })
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
        const read = Either.getOrThrow(inputText(fields, sentBy(typedInput(fields, input))))
        assert.deepStrictEqual(JSON.parse(read), JSON.parse(JSON.stringify(input)))
      })
    )
  })

  it("gives back a list whose items are blank or have line breaks, and a text that a field cannot hold", () => {
    const inputs: ReadonlyArray<JsonObject> = [
      { limit: 1, tags: ["a\nb", "", "c"] },
      { limit: 1, tags: [] },
      { limit: 1, tags: ['["a"]'] },
      { limit: 1, tags: Array.from({ length: bodyValuesMax + 1 }, () => "") },
      { limit: 1, tags: [" a ", "[b"] },
      { limit: 1, note: "" },
      { limit: 1, note: "a\r\nb" },
      { limit: 1, note: null },
      { limit: 1, ratio: null, deep: null, tags: null, filter: null }
    ]
    for (const input of inputs) {
      const read = Either.getOrThrow(inputText(fields, sentBy(typedInput(fields, input))))
      assert.deepStrictEqual(JSON.parse(read), input, read)
    }
  })

  it("takes one item on each line, or the list as JSON", () => {
    const tagsOf = (typed: string) =>
      JSON.parse(
        Either.getOrThrow(
          inputText(
            fields,
            new Map([
              [nameOf("limit"), ["1"]],
              [nameOf("tags"), [typed]]
            ])
          )
        )
      ).tags
    assert.deepStrictEqual(tagsOf("a\r\n\r\nb"), ["a", "b"])
    assert.deepStrictEqual(tagsOf(' ["a\\nb", ""] '), ["a\nb", ""])
    assert.deepStrictEqual(tagsOf("[a]\r\n[b]"), ["[a]", "[b]"])
    const many = JSON.stringify(Array.from({ length: 2 * inputValuesMax }, () => "a"))
    const refused = inputText(
      fields,
      new Map([
        [nameOf("limit"), ["1"]],
        [nameOf("tags"), [many]]
      ])
    )
    assert.deepStrictEqual(
      Either.getOrThrow(Either.flip(refused)).map(({ field }) => field),
      ["input.tags"]
    )
  })

  it("shows a text with line breaks where a browser keeps them", () => {
    const shown = (note: string) => inputHtml(filledWith({ "input.note": note }), fields, schema).render(page)
    assert.match(shown("a\nb"), /<textarea[^>]*name="input.note"[^>]*>\na\nb<\/textarea>/)
    assert.match(shown("a b"), /<input[^>]*name="input.note"[^>]*value="a b"/)
  })

  it("asks for no required field whose value stands in the other fields, and shows these where there are any", () => {
    const closed: JsonObject = {
      properties: { note: { type: "string" } },
      required: ["note"],
      additionalProperties: false
    }
    const note = inputFieldsOf(closed)
    const typed = typedInput(note, { note: "" })
    assert.strictEqual(Either.getOrThrow(inputText(note, typed)), '{"note": ""}')
    const shown = inputHtml({ ...filledWith({}), typed }, note, closed).render(page)
    assert.notMatch(shown, /<input[^>]* required/)
    assert.match(shown, /<textarea[^>]*name="other"/)
    assert.notMatch(inputHtml(filledWith({}), note, closed).render(page), /name="other"/)
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
