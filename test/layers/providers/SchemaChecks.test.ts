// The check of values against schemas: it says what a library of code generation says (Ajv), and it ends.
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { fullFormats } from "ajv-formats/dist/formats.js"
import { Either, FastCheck as fc } from "effect"
import { canonical, type Json, type JsonObject } from "../../../src/domain/Json.js"
import { readJson } from "../../../src/domain/LosslessJson.js"
import { compileInputSchema } from "../../../src/layers/providers/InputSchema.js"
import type { OpenObject } from "../../../src/layers/providers/schemas/Checking.js"
import { answerCheckFor, checkFor } from "../../../src/layers/providers/schemas/Schema.js"
import { checkVocabulary } from "../../../src/layers/providers/SchemaVocabulary.js"
import { endpointOf } from "./support.js"

/** CPU time of this process in milliseconds. */
const costs = <A>(work: () => A): readonly [A, number] => {
  const before = process.cpuUsage().user
  const made = work()
  return [made, (process.cpuUsage().user - before) / 1000]
}
/** The promise is 50 ms, which `npm run bench:bounds` measures. Without bounds, these took half a minute and more. */
const bound = 20_000
const many = <A>(length: number, value: (at: number) => A): Array<A> => Array.from({ length }, (_, at) => value(at))
const nested = (levels: number, around: (inner: Json) => Json): Json =>
  many(levels, () => null).reduce<Json>(around, { type: "string" })

const compiled = (schema: JsonObject) =>
  Either.getOrThrow(
    compileInputSchema(endpointOf({ operation: { input: { type: "object", properties: schema } } }).operation)
  )

describe("a check says what Ajv says", () => {
  const ajv = new Ajv2020({
    strict: false,
    useDefaults: true,
    ownProperties: true,
    logger: false,
    formats: fullFormats
  })
  // Both are looked at after the keywords that apply other schemas.
  ajv.removeKeyword("enum").addKeyword({
    keyword: "enum",
    validate: (allowed: ReadonlyArray<Json>, value: Json) => allowed.map(canonical).includes(canonical(value))
  })
  ajv.removeKeyword("uniqueItems").addKeyword({
    keyword: "uniqueItems",
    type: "array",
    validate: (wanted: boolean, items: ReadonlyArray<Json>) =>
      !wanted || new Set(items.map(canonical)).size === items.length
  })

  const name = fc.constantFrom("a", "b", "c/d", "e~f")
  const text = fc.constantFrom("", "a", "ab", "abc", "💩", "2020-01-01", "x@y.zz")
  const number = fc.constantFrom(0, 1, 2, 3, -1, 1.5)
  const count = fc.nat(3)
  const byName = <A>(of: fc.Arbitrary<A>, names = name) =>
    fc.dictionary(names, of, { maxKeys: 3, noNullPrototype: true })
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      text,
      number,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 3 }),
      byName(tie("value"))
    )
  }))
  const types = fc.constantFrom("string", "number", "integer", "boolean", "null", "object", "array")
  const { schema } = fc.letrec<{ schema: Json }>((tie) => {
    const inner = tie("schema")
    const list = fc.array(inner, { minLength: 1, maxLength: 3 })
    const often: ReadonlyArray<readonly [string, fc.Arbitrary<Json>]> = [
      ["type", fc.oneof<Array<fc.Arbitrary<Json>>>(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 }))],
      ["properties", byName(inner)],
      ["items", inner],
      ["anyOf", list],
      ["oneOf", list],
      ["allOf", list],
      ["if", inner],
      ["then", inner],
      ["unevaluatedProperties", inner]
    ]
    const seldom: ReadonlyArray<readonly [string, fc.Arbitrary<Json>]> = [
      ["const", value],
      ["enum", fc.array(value, { maxLength: 3 })],
      ["default", value],
      ...["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"].map((keyword) => [keyword, number] as const),
      ["multipleOf", fc.constantFrom(1, 2, 0.5)],
      ...["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"].map(
        (keyword) => [keyword, count] as const
      ),
      ["pattern", fc.constantFrom("^a", "b$")],
      ["format", fc.constantFrom("date", "email", "int32", "nothing", "uri", "hostname")],
      ["uniqueItems", fc.boolean()],
      ["prefixItems", list],
      // Ajv takes an empty list for one that contains something, in places where the schema fits everything, and does
      // not count such items as evaluated, nor what an `if` without a consequence looks at. This seed meets none of it.
      ["contains", inner.filter((each) => each !== true)],
      ["minContains", count],
      ["maxContains", count],
      ["required", fc.uniqueArray(name, { maxLength: 2 })],
      ["patternProperties", byName(inner, fc.constantFrom("^a", "b", "/"))],
      ["dependentRequired", byName(fc.uniqueArray(name, { maxLength: 2 }))],
      ["dependentSchemas", byName(inner)],
      ...["unevaluatedItems", "propertyNames", "additionalProperties", "not", "else"].map(
        (keyword) => [keyword, inner] as const
      )
    ]
    const entry = ([keyword, of]: readonly [string, fc.Arbitrary<Json>]) => fc.tuple(fc.constant(keyword), of)
    return {
      schema: fc.oneof(
        { maxDepth: 3, depthSize: "small" },
        fc.constantFrom<Json>(true, false, {}),
        fc
          .array(fc.oneof(...[...often, ...often, ...often, ...seldom].map(entry)), { minLength: 1, maxLength: 5 })
          .map((entries): Json => Object.fromEntries(entries))
      )
    }
  })

  it("of any schema and value: whether it fits, where the first problem is, and what defaults make of it", () => {
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 6, maxLength: 6 }), (inner, values) => {
        const whole: JsonObject = { type: "object", properties: { v: inner } }
        assert.deepStrictEqual(checkVocabulary(whole, "values").problems, [])
        const theirs = ajv.compile(whole)
        const ours = checkFor(whole)
        for (const each of values) {
          const forThem = { v: structuredClone(each) }
          const forUs = { v: structuredClone(each) }
          const fits = theirs(forThem)
          const problem = ours(forUs)
          assert.strictEqual(problem === null, fits, JSON.stringify({ inner, each }))
          if (problem === null) assert.deepStrictEqual(forUs, forThem)
          else
            assert.strictEqual(
              problem.path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
              theirs.errors?.[0]?.instancePath,
              JSON.stringify({ inner, each })
            )
        }
        ajv.removeSchema(whole)
      }),
      { numRuns: 300, seed: 18 }
    )
  })
})

describe("a check ends, whatever schema and input are", () => {
  const spent = (field: string) => ({
    _tag: "Rejected",
    problems: [
      {
        _tag: "Invalid",
        field,
        message: "takes more work to check than one input may: send fewer items or shorter texts"
      }
    ]
  })
  const wide = (required: string): JsonObject => ({
    type: "object",
    required: [required],
    properties: { a: { type: "string", pattern: "^[a-z]+$" } }
  })
  const worst: ReadonlyArray<readonly [what: string, schema: JsonObject, a: () => Json]> = [
    [
      "choices in choices",
      {
        type: "array",
        items: { anyOf: many(40, (at) => ({ anyOf: many(99, (in_) => ({ const: `${at}-${in_}` })) })) }
      },
      () => many(11_000, () => "39-98")
    ],
    [
      "a choice that fits last",
      { type: "array", items: { anyOf: [...many(99, (at) => wide(`n${at}`)), {}] } },
      () => many(11_000, () => ({ a: "x" }))
    ],
    [
      "not, where no work left must not count as a mismatch",
      { type: "array", items: { not: { anyOf: many(100, (at) => ({ const: at })) } } },
      () => many(11_000, () => "x")
    ],
    [
      "conditions",
      { type: "array", items: { allOf: many(100, (at) => ({ if: { const: at }, then: false })) } },
      () => many(11_000, () => "x")
    ],
    [
      "many patterns for many names, where no work left must not count as a name of no pattern",
      { patternProperties: Object.fromEntries(many(50, (at) => [`^(a|b){1,9}${at}$`, { type: "number" }])) },
      () => Object.fromEntries(many(11_000, (at) => [`ababab-${at}`, "x"]))
    ],
    [
      "a long text that many choices look at",
      { anyOf: many(100, () => ({ maxLength: 600_000, minLength: 599_999, enum: ["a"] })) },
      () => "ä".repeat(700_000)
    ],
    [
      "many names that many choices count",
      { anyOf: many(40, () => ({ anyOf: many(99, (at) => ({ minProperties: 200_000 + at })) })) },
      () => Object.fromEntries(many(60_000, (at) => [`n${at}`, 1]))
    ],
    [
      "many names that many choices look at",
      { anyOf: many(40, () => ({ anyOf: many(60, () => ({ additionalProperties: { type: "string" } })) })) },
      () => Object.fromEntries(many(60_000, (at) => [`n${at}`, 1]))
    ],
    [
      "many items that no choice contains",
      { anyOf: many(40, () => ({ anyOf: many(99, () => ({ contains: false })) })) },
      () => many(60_000, () => 1)
    ],
    [
      "a large value that many choices compare",
      { anyOf: many(100, () => ({ enum: [{}] })) },
      () => many(11_000, () => "x".repeat(60))
    ]
  ]
  for (const [what, schema, a] of worst)
    it(`${what}: the input is refused, and the field is named`, () => {
      const { check } = compiled({ a: schema })
      const input = { a: a() }
      const [prepared, took] = costs(() => check(input))
      assert.deepStrictEqual<unknown>(prepared, spent("a"))
      assert.isBelow(took, bound)
    })

  it("lists of a thousand objects with choices, texts and patterns are everyday inputs", () => {
    const { check } = compiled({
      rows: {
        type: "array",
        maxItems: 1_000,
        items: {
          oneOf: many(20, (at) => ({
            type: "object",
            required: ["kind", "email"],
            properties: {
              kind: { const: `kind-${at}` },
              email: { type: "string", format: "email", maxLength: 200 },
              country: { type: "string", pattern: "^[A-Z]{2}$" },
              ...Object.fromEntries(many(20, (field) => [`field_${field}`, { type: ["string", "null"] }]))
            }
          }))
        }
      }
    })
    const rows = many(1_000, (at) => ({ kind: `kind-${at % 20}`, email: `ada${at}@example.com`, country: "GB" }))
    const [prepared, took] = costs(() => check({ rows }))
    assert.strictEqual(prepared._tag, "Accepted")
    assert.isBelow(took, bound)
  })
})

describe("a check is right at the edges of JSON", () => {
  const read = (text: string): Json => Either.getOrThrow(readJson(text))
  const says = (schema: JsonObject, value: Json): string | null => {
    const input = checkFor({ properties: { v: schema } })({ v: value })
    const answer = answerCheckFor({ properties: { v: schema } })({ v: value })
    assert.strictEqual(input === null, answer === null)
    return input === null ? null : `${[...input.path, input.message].join(" ")}`
  }

  it("multiples are those of people, not those of binary fractions", () => {
    for (const [value, step] of [
      [19.99, 0.01],
      [4.35, 0.01],
      [-1.1, 0.1],
      [0.0075, 0.0001],
      [1e308, 0.5],
      [1e21, 3e-7],
      [0, 0.3],
      [-0, 7]
    ] as const)
      // 1e21 is 3e-7 times a number that is not whole.
      assert.strictEqual(says({ multipleOf: step }, value) === null, step !== 3e-7, `${value} of ${step}`)
    for (const [value, step] of [
      [19.995, 0.01],
      [0.00751, 0.0001],
      [1, 0.3],
      [5e-324, 2e-323],
      [7, 2]
    ] as const)
      assert.strictEqual(says({ multipleOf: step }, value), `v must be multiple of ${step}`)
  })

  it("numbers of more digits than JavaScript has are told apart by their digits, and kept", () => {
    const ids = read("[1234567890123456789, 1234567890123456788]")
    assert.isNull(says({ uniqueItems: true, items: { type: "integer", minimum: 1 } }, ids))
    assert.strictEqual(
      says({ uniqueItems: true }, read("[1234567890123456789, 12345678901234567890e-1]")),
      "v must not have the same item twice"
    )
    assert.isNull(says({ type: ["integer", "number"], minimum: 1e300 }, read("1e400")))
    assert.strictEqual(says({ maximum: 10 }, read("1e400")), "v must be at most 10")
    assert.strictEqual(says({ type: "object" }, read("1e400")), "v must be an object")
    const { check } = compiled({ ids: { type: "array", uniqueItems: true }, b: { default: [1] } })
    const prepared = check({ ids })
    assert.deepStrictEqual<unknown>(prepared, { _tag: "Accepted", input: { ids, b: [1] } })
  })

  it("zero is zero, of either sign", () => {
    assert.isNull(says({ const: 0, enum: [-0], minimum: 0, type: "integer" }, -0))
    assert.strictEqual(says({ uniqueItems: true }, [0, -0]), "v must not have the same item twice")
  })

  it("characters are counted as code points, and halves of pairs as one", () => {
    const text = "\u{1f4a9}\ud83d\udca9\ud83d\udca9\udca9"
    assert.isNull(says({ minLength: 4, maxLength: 4 }, text))
    assert.isNotNull(says({ maxLength: 3 }, text))
    assert.isNotNull(says({ minLength: 5 }, text))
  })

  it("objects are equal whatever the order of their members", () => {
    assert.isNotNull(
      says({ uniqueItems: true }, [
        { a: 1, b: { c: 2, d: 3 } },
        { b: { d: 3, c: 2 }, a: 1 }
      ])
    )
    assert.isNull(says({ uniqueItems: true }, [{ a: 1 }, { a: "1" }, "{}", {}, [], "[]", null, "null", 0, false, ""]))
  })

  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"])
    it(`${name} is a name like any other`, () => {
      const own = (value: Json): JsonObject => Object.fromEntries([[name, value]])
      const one = own({ type: "integer" })
      const nothing: JsonObject = {}
      for (const schema of [
        { properties: one },
        { patternProperties: own({ type: "integer" }) },
        { properties: one, additionalProperties: false },
        { properties: one, unevaluatedProperties: false },
        { dependentSchemas: own({ required: [name], properties: one }) }
      ]) {
        assert.isNull(says(schema, nothing))
        assert.isNull(says(schema, own(1)))
        assert.strictEqual(says(schema, own("x")), `v ${name} must be a whole number`)
      }
      assert.strictEqual(says({ required: [name] }, nothing), `v ${name}`)
      assert.isNull(says({ required: [name] }, own(1)))
      assert.isNull(says({ dependentRequired: own(["b"]) }, nothing))
      assert.isNotNull(says({ dependentRequired: own(["b"]) }, own(1)))
      assert.isNull(says({ dependentRequired: { b: [name] } }, nothing))
      assert.isNotNull(says({ dependentRequired: { b: [name] } }, { b: 1 }))
      assert.strictEqual(says({ additionalProperties: false }, own(1)), `v must not have the field ${name}`)
      assert.isNull(says({ const: own(1) }, own(1)))
      assert.isNotNull(says({ const: own(1) }, nothing))
      assert.isNotNull(says({ uniqueItems: true }, [own(1), own(1)]))
      const input: OpenObject = {}
      assert.isNull(checkFor({ properties: own({ default: { a: 1 } }) })(input))
      assert.deepStrictEqual(Object.entries(input), [[name, { a: 1 }]])
      assert.deepStrictEqual(checkVocabulary(own(1), "values").problems, [
        { path: name, message: "is no keyword of JSON Schema 2020-12 that can be used here" }
      ])
    })

  it("white space and dots of patterns are JavaScript's", () => {
    const texts = [
      "\v",
      "\u00a0",
      "\u2003",
      "\u2028",
      "\ufeff",
      " ",
      "\n",
      "\r",
      "\u200b",
      "a",
      ".",
      "-",
      "]",
      "\u{1f4a9}"
    ]
    for (const pattern of [
      "^\\s$",
      "^\\S$",
      "^[\\s.]$",
      "^[^\\s.]$",
      "^[\\S\\n]$",
      "^.$",
      "^\\.$",
      "^[\\]\\s]$",
      "^[.]$",
      "^\\\\?.$"
    ])
      for (const text of texts)
        assert.strictEqual(
          says({ pattern }, text) === null,
          new RegExp(pattern, "u").test(text),
          `${pattern} ${JSON.stringify(text)}`
        )
  })
})

describe("a schema becomes a check in a time that grows with its size", () => {
  const largest: ReadonlyArray<readonly [what: string, schema: () => JsonObject]> = [
    [
      "thousands of properties",
      () => Object.fromEntries(many(4_900, (at) => [`n${at}`, { type: "string", maxLength: at }]))
    ],
    ["choices in choices", () => ({ a: { anyOf: many(40, () => ({ anyOf: many(99, (at) => ({ const: at })) })) } })],
    ["items in items", () => ({ a: nested(28, (items) => ({ items })) })],
    ["items after the first ones", () => ({ a: nested(28, (items) => ({ prefixItems: [true], items })) })],
    ["unevaluated items", () => ({ a: nested(28, (unevaluatedItems) => ({ unevaluatedItems })) })],
    [
      "members of a pattern, and others",
      () => ({ a: nested(28, (inner) => ({ patternProperties: { "^a": inner }, additionalProperties: false })) })
    ],
    ["conditions in conditions", () => ({ a: nested(28, (inner) => ({ if: inner, then: true, else: false })) })]
  ]
  for (const [what, schema] of largest)
    it(what, () => {
      const made = schema()
      const [{ check }, took] = costs(() => compiled(made))
      assert.isBelow(took, bound)
      const [, first] = costs(() => check({ n1: "x", a: [[["x"]]] }))
      assert.isBelow(first, bound)
    })
})

describe("a keyword with a value of the wrong kind is told with its place and what would be right", () => {
  const wrong: ReadonlyArray<readonly [schema: JsonObject, path: string, message: string]> = [
    [
      { type: "text" },
      "type",
      "must be one of string, number, integer, boolean, array, object, null, or a list of them"
    ],
    [{ properties: { a: { required: true } } }, "properties.a.required", "must be a list of different texts"],
    [{ properties: { a: "string" } }, "properties", "must be an object whose members are schemas"],
    [{ items: [{ type: "string" }] }, "items", "must be a schema: an object, true or false"],
    [{ anyOf: [] }, "anyOf", "must be a list of one schema or more"],
    [{ minLength: -1 }, "minLength", "must be a whole number of at least 0"],
    [{ maximum: "9" }, "maximum", "must be a number"],
    [{ exclusiveMinimum: true }, "exclusiveMinimum", "must be a number"],
    [{ multipleOf: 0 }, "multipleOf", "must be a number above 0"],
    [{ description: 1 }, "description", "must be text"]
  ]
  for (const [schema, path, message] of wrong)
    it(JSON.stringify(schema), () => {
      assert.deepStrictEqual(checkVocabulary(schema, "values").problems, [{ path, message }])
      const operation = { ...endpointOf({ operation: { input: { type: "object" } } }).operation, input: schema }
      assert.deepStrictEqual(compileInputSchema(operation), Either.left(`${path} ${message}`))
    })
})
