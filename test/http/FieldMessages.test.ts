// What is said of a wrong field is said in plain words, on every route: no name or type of our code.
import * as HttpApi from "@effect/platform/HttpApi"
import { assert, describe, it } from "@effect/vitest"
import { Either, Option, ParseResult, Schema, type SchemaAST } from "effect"
import type { Json } from "../../src/domain/Json.js"
import { Api } from "../../src/http/Api.js"
import { bodyValue } from "../../src/http/Body.js"
import { fromIssues } from "../../src/http/FieldProblems.js"

/** The steps to every field that a value of this schema may have. */
const pathsIn = (ast: SchemaAST.AST, depth = 0): ReadonlyArray<ReadonlyArray<string>> => {
  if (depth > 6) return []
  const below = (name: string, inner: SchemaAST.AST) => [
    [name],
    ...pathsIn(inner, depth + 1).map((path) => [name, ...path])
  ]
  switch (ast._tag) {
    case "TypeLiteral":
      return [
        ...ast.propertySignatures.flatMap(({ name, type }) => below(String(name), type)),
        ...ast.indexSignatures.flatMap(({ type }) => below("some", type))
      ]
    case "TupleType":
      return [...ast.elements, ...ast.rest].flatMap(({ type }) => below("0", type))
    case "Union":
      return ast.types.flatMap((type) => pathsIn(type, depth))
    case "Suspend":
      return pathsIn(ast.f(), depth + 1)
    case "Refinement":
    case "Transformation":
      return pathsIn(ast.from, depth)
    default:
      return []
  }
}

const wrongAt = (path: ReadonlyArray<string>, wrong: Json): Json => {
  const [step, ...rest] = path
  return step === undefined ? wrong : step === "0" ? [wrongAt(rest, wrong)] : { [step]: wrongAt(rest, wrong) }
}

const wrongValues: ReadonlyArray<Json> = [
  null,
  true,
  0,
  -1.5,
  1e300,
  "",
  "\u0000",
  "x".repeat(20_000),
  [],
  [{}],
  {},
  { some: [] }
]
const wrongTexts: ReadonlyArray<Json> = ["", " ", "\u0000", "nothing like it", "-1", "1e9", "x".repeat(20_000)]

/** Names and types of our code, and what a library says by itself. */
const unplain =
  /expected|readonly|undefined|\bis not valid\b|[<>{}&|]|[a-z][A-Z]\w*\(|Schema|\b(?:Int|String|Number|Struct|Record)\b/

interface Subject {
  readonly name: string
  readonly ast: SchemaAST.AST
  readonly wrong: ReadonlyArray<Json>
  readonly read: (
    value: Json
  ) => Either.Either<unknown, { readonly details: ReadonlyArray<{ readonly field: string; readonly message: string }> }>
}

const subjects: Array<Subject> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint }) => {
    const route = `${endpoint.method} ${endpoint.path}`
    const text = (what: string, schema: Schema.Schema.All) => {
      const decode = Schema.decodeUnknownEither(Schema.make<unknown>(schema.ast), {
        errors: "all",
        onExcessProperty: "error"
      })
      subjects.push({
        name: `${what} of ${route}`,
        ast: schema.ast,
        wrong: wrongTexts,
        read: (value) =>
          Either.mapLeft(decode(value), (error) =>
            fromIssues(ParseResult.ArrayFormatter.formatErrorSync(error), "request")
          )
      })
    }
    Option.map(endpoint.payloadSchema, (schema) =>
      subjects.push({
        name: `body of ${route}`,
        ast: schema.ast,
        wrong: wrongValues,
        read: bodyValue(Schema.make<unknown>(schema.ast))
      })
    )
    Option.map(endpoint.urlParamsSchema, (schema) => text("query", schema))
    Option.map(endpoint.pathSchema, (schema) => text("path", schema))
  }
})

describe("what is said of wrong fields", () => {
  it("names all that a field may be", () => {
    const either = Schema.Union(
      Schema.Boolean,
      Schema.Struct({ a: Schema.String, b: Schema.optionalWith(Schema.Boolean, { default: () => true }) })
    )
    const read = bodyValue(Schema.Struct({ either }))
    const said = (body: Json) =>
      Either.match(read(body), { onLeft: ({ details }) => details, onRight: () => assert.fail("it is right") })
    assert.deepStrictEqual(said({ either: "yes" }), [
      { field: "either", message: "must be true or false or an object" }
    ])
    assert.deepStrictEqual(said({ either: { a: 1 } }), [{ field: "either.a", message: "must be text" }])
  })

  it("is looked at on many routes", () => assert.isAbove(subjects.length, 40))

  for (const { ast, name, read, wrong } of subjects)
    it(`is plain: ${name}`, () => {
      const said = new Set<string>()
      for (const path of wrong === wrongTexts ? pathsIn(ast) : [[], ...pathsIn(ast)])
        for (const value of wrong)
          Either.mapLeft(read(wrongAt(path, value)), ({ details }) => {
            for (const { field, message } of details) if (unplain.test(message)) said.add(`${field}: ${message}`)
          })
      assert.deepStrictEqual([...said].sort(), [])
    })
})
