// Checks of inputs are as long as the input, whatever it holds and whatever the schema asks of it.
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import type { Json, JsonObject } from "../../../src/domain/Json.js"
import { checkCommon, prepare, prepareJob } from "../../../src/layers/providers/InputPreparation.js"
import { compileInputSchema } from "../../../src/layers/providers/InputSchema.js"
import { checkVocabulary } from "../../../src/layers/providers/SchemaVocabulary.js"
import { endpointOf } from "./support.js"

/** CPU time of this process in milliseconds. */
const costs = <A>(work: () => A): readonly [A, number] => {
  const before = process.cpuUsage().user
  const made = work()
  return [made, (process.cpuUsage().user - before) / 1000]
}
/**
 * The promise is 50 ms, which `npm run bench:bounds` measures. Other files share this process and its CPU time, so the
 * bound is for what has none: work in the square of a mebibyte takes minutes, and backtracking does not end.
 */
const bound = 20_000
const mebibyte = 1_048_576
const many = (length: number, value: (at: number) => Json): ReadonlyArray<Json> =>
  Array.from({ length }, (_, at) => value(at))

const shapes: ReadonlyArray<[name: string, text: (length: number) => string]> = [
  ["dots", (length) => ".".repeat(length)],
  ["letters and dots", (length) => "a.".repeat(length / 2)],
  ["CJK", (length) => "漢".repeat(length)],
  ["CJK and dots", (length) => "漢.".repeat(length / 2)],
  ["at signs", (length) => "a@".repeat(length / 2)],
  ["colons", (length) => "a:".repeat(length / 2)],
  ["slashes", (length) => "/".repeat(length)],
  ["spaces in the middle", (length) => `a${" ".repeat(length - 2)}b`],
  ["digits", (length) => "1".repeat(length)],
  ["plus signs", (length) => "+1-".repeat(length / 3)],
  ["hyphens", (length) => `a${"-".repeat(length - 2)}b`],
  ["percent escapes", (length) => "%61".repeat(length / 3)],
  ["a long address", (length) => `https://example.com/${"a".repeat(length - 20)}`]
]

describe("the fields that every job knows", () => {
  for (const field of ["email", "url", "linkedin_url", "domain", "phone", "name", "company"]) {
    for (const [name, text] of shapes) {
      it(`${field} of ${name} is looked at in no time, at the limit, beyond it and at a mebibyte`, () => {
        for (const length of [255, 1_000, 8_000, 60_000, mebibyte]) {
          const input: JsonObject = { [field]: text(length) }
          const [, took] = costs(() => {
            checkCommon(input)
            prepareJob(
              endpointOf({
                operation: {
                  input: { type: "object", properties: { website: {}, first_name: {}, url: {}, [field]: {} } },
                  bindings: { website: { in: "json", name: "website", transform: ["hostname", "e164", "digits"] } }
                }
              }),
              input
            )
          })
          assert.isBelow(took, bound, `${length}`)
        }
      })
    }
  }

  it("that are too long are told how long they may be", () => {
    for (const [field, longest] of [
      ["email", 320],
      ["url", 8192],
      ["domain", 8192],
      ["phone", 100],
      ["name", 10_000]
    ] as const) {
      assert.deepStrictEqual(checkCommon({ [field]: "a".repeat(longest + 1) }), [
        { _tag: "Invalid", field, message: `must have at most ${longest} characters` }
      ])
    }
  })

  it("take hosts with ports, with and without a scheme", () => {
    for (const url of ["example.com:8080/a", "https://example.com:8080/a", "example.com/a:1", "http://example.com"])
      assert.deepStrictEqual(checkCommon({ url }), [], url)
    for (const url of ["mailto:ada@example.com", "javascript:1", "ftp://example.com"])
      assert.strictEqual(checkCommon({ url }).length, 1, url)
  })
})

describe("patterns of a schema", () => {
  const field = (schema: JsonObject) =>
    endpointOf({ operation: { input: { type: "object", properties: { a: schema } } } })
  const accepts = (schema: JsonObject, a: Json) => prepare(field(schema), { a })._tag === "Accepted"

  it("mean what they mean in JavaScript", () => {
    for (const [pattern, good, bad] of [
      ["^[a-z]+$", "abc", "abc1"],
      ["\\d{3}-\\d", "x123-4", "12-4"],
      ["^\\+[1-9]\\d{1,14}$", "+14155552671", "+0"],
      ["^(?:a|b)\\/c$", "b/c", "b-c"],
      ["^\\u0041$", "A", "B"],
      ["^[^\\s@]+@[^\\s@]+$", "a@b", "a b"]
    ] as const) {
      assert.isTrue(accepts({ pattern }, good), pattern)
      assert.isFalse(accepts({ pattern }, bad), pattern)
    }
    assert.isTrue(
      accepts({ patternProperties: { "^x-": { type: "string" } }, additionalProperties: false }, { "x-a": "b" })
    )
    assert.isFalse(
      accepts({ patternProperties: { "^x-": { type: "string" } }, additionalProperties: false }, { a: "b" })
    )
  })

  for (const pattern of [
    "^(a+)+$",
    "^(a|a)*$",
    "^(a|aa)+$",
    "(a*)*b",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(x+x+)+y",
    "^.*a.*a.*a.*$",
    "[ab]*a[ab]{14}$"
  ]) {
    it(`${pattern} is matched in a time that grows with the text`, () => {
      for (const text of [`${"a".repeat(mebibyte)}!`, `${"ab".repeat(mebibyte / 2)}!`, `${"x".repeat(60_000)}`]) {
        for (const schema of [{ pattern }, { patternProperties: { [pattern]: {} } }]) {
          const [, took] = costs(() => accepts(schema, "pattern" in schema ? text : { [text]: 1 }))
          assert.isBelow(took, bound)
        }
      }
    })
  }

  for (const format of [
    "uri",
    "email",
    "date-time",
    "hostname",
    "uri-template",
    "json-pointer",
    "regex",
    "iri",
    "uuid",
    "ipv6",
    "byte",
    "uri-reference",
    "duration",
    "time",
    "url"
  ]) {
    it(`the format ${format} is looked for in a time that grows with the text`, () => {
      for (const [, text] of shapes)
        for (const length of [2_048, mebibyte]) assert.isBelow(costs(() => accepts({ format }, text(length)))[1], bound)
    })
  }

  it("items that must differ are compared in a time that grows with the list", () => {
    const [accepted, took] = costs(() =>
      accepts(
        { uniqueItems: true },
        Array.from({ length: 100_000 }, (_, n) => ({ n }))
      )
    )
    assert.isTrue(accepted)
    assert.isBelow(took, bound)
    assert.isFalse(
      accepts({ uniqueItems: true }, [
        { a: 1, b: 2 },
        { b: 2, a: 1 }
      ])
    )
  })
})

describe("the values that a schema allows", () => {
  it.each<readonly [what: string, value: (at: number) => Json]>([
    ["texts", (at) => `v${at}`],
    ["objects", (at) => ({ b: at, a: [at] })]
  ])("are looked up and not compared one by one: %s", (_, value) => {
    let reads = 0
    const allowed = new Proxy(many(5_000, value), {
      get: (values, name): unknown => {
        reads += 1
        return Reflect.get(values, name)
      }
    })
    const schema = { type: "object", properties: { list: { type: "array", items: { enum: allowed } } } }
    const made = Either.getOrThrow(compileInputSchema(endpointOf({ operation: { input: schema } }).operation))
    const input: JsonObject = { list: many(5_000, () => value(4_999)) }
    const readsOf = () => {
      const before = reads
      assert.strictEqual(made.check(input)._tag, "Accepted")
      return reads - before
    }
    // The first check turns the list into sets.
    assert.isAbove(readsOf(), 5_000)
    assert.strictEqual(readsOf(), 0)
  })

  it("are the same whatever the order of members, and are all named when a value is none of them", () => {
    const schema = { type: "object", properties: { a: { enum: ["x", 1, null, { b: 2, a: 1 }, ["y"]] } } }
    const made = Either.getOrThrow(compileInputSchema(endpointOf({ operation: { input: schema } }).operation))
    for (const a of ["x", 1, null, { a: 1, b: 2 }, ["y"]])
      assert.strictEqual(made.check({ a })._tag, "Accepted", JSON.stringify(a))
    for (const a of ["y", "1", true, '"x', "null", { a: 1 }, []])
      assert.deepStrictEqual(made.check({ a }), {
        _tag: "Rejected",
        problems: [{ _tag: "Invalid", field: "a", message: 'must be one of: "x", 1, null, {"b":2,"a":1}, ["y"]' }]
      })
  })
})

describe("a schema is refused when it is loaded", () => {
  const refused: ReadonlyArray<[why: string, schema: JsonObject, path: string]> = [
    ["$async would make a check a promise", { $async: true }, "$async"],
    ["$async stands deep", { properties: { a: { anyOf: [{ $async: true }] } } }, "properties.a.anyOf.0.$async"],
    ["a reference may lead round in a circle", { properties: { a: { $ref: "#" } } }, "properties.a.$ref"],
    ["an id is shared by all schemas of the process", { $id: "https://example.com/a" }, "$id"],
    ["a keyword is unknown", { properties: { a: { maxlength: 3 } } }, "properties.a.maxlength"],
    [
      "a keyword is another dialect's",
      { properties: { a: { type: "string", nullable: true } } },
      "properties.a.nullable"
    ],
    ["a pattern looks ahead", { properties: { a: { pattern: "^(?!x)" } } }, "properties.a.pattern"],
    ["a pattern refers back", { properties: { a: { pattern: "(a)\\1" } } }, "properties.a.pattern"],
    ["a pattern is none", { properties: { a: { pattern: "[" } } }, "properties.a.pattern"],
    [
      "a pattern repeats too much",
      { properties: { a: { pattern: "(a{1,100}){1,9}(b{1,900})" } } },
      "properties.a.pattern"
    ],
    [
      "its patterns are too many to be read at once",
      { properties: Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`a${at}`, { pattern: "^a$" }])) },
      "properties.a500.pattern"
    ],
    [
      "the name of a field is matched by a pattern that looks ahead",
      { patternProperties: { "^(?=x)": {} } },
      "patternProperties.^(?=x)"
    ],
    [
      "a list holds so many schemas that to compile them would take seconds",
      { oneOf: Array.from({ length: 101 }, (_, at) => ({ const: at })) },
      "oneOf"
    ],
    [
      "it is nested too deep",
      Array.from({ length: 40 }).reduce<JsonObject>((inner) => ({ not: inner }), {}),
      Array.from({ length: 33 }, () => "not").join(".")
    ]
  ]
  for (const [why, schema, path] of refused) {
    it(`because ${why}`, () => {
      assert.deepStrictEqual(
        checkVocabulary(schema).problems.map((problem) => problem.path),
        [path]
      )
      assert.isTrue(
        Either.isLeft(compileInputSchema(endpointOf({ operation: { input: { type: "object", ...schema } } }).operation))
      )
    })
  }

  it("and its fields may have any name", () => {
    const schema: JsonObject = {
      type: "object",
      properties: { $async: { type: "string" }, pattern: { type: "string" }, ["__proto__"]: {} },
      required: ["pattern"],
      default: { $ref: 1 },
      examples: [{ $async: true }]
    }
    assert.deepStrictEqual(checkVocabulary(schema), { schema, problems: [] })
  })
})
