/** How the schemas of an OpenAPI document become those of an input: what it needs, allows and sends by itself. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonObject } from "../../../src/domain/Json.js"
import { importOpenApi } from "../../../src/layers/catalog/import/ImportOpenApi.js"
import { prepare } from "../../../src/layers/providers/InputPreparation.js"
import { sentRequest as sent } from "../../support/sentRequest.js"
import { first, said } from "./ImportStage.js"

const schemas = `
components:
  schemas:
    Bird:
      type: object
      required: [name]
      properties: { name: { type: string, description: Its name. }, size: { type: string } }
    Egg:
      type: object
      required: [id, weight]
      properties: { id: { type: string, readOnly: true }, weight: { type: integer } }
    Nest:
      allOf:
        - { $ref: "#/components/schemas/Egg" }
        - { type: object, required: [id, place], properties: { place: { type: string } } }
`
const importedAs = (version: string, body: string, more = "") =>
  importOpenApi([
    {
      file: "birds.yaml",
      text: `
openapi: ${version}
info: { title: Birds, version: "1" }
servers: [{ url: "https://birds.example" }]
security: []
${schemas}
paths:
  /birds:
    post:
      operationId: add
      ${more}
      requestBody: ${body}
      responses: {}
`
    }
  ])
const json = (schema: string): string => `{ required: true, content: { application/json: { schema: ${schema} } } }`
const bird = '{ $ref: "#/components/schemas/Bird" }'
const start = "POST https://birds.example/birds\napplication/json\n"

describe("the schema of an imported body", () => {
  it.effect("has the fields of a schema that may also be null", () =>
    Effect.gen(function* () {
      for (const body of [
        `{ anyOf: [${bird}, { type: "null" }] }`,
        `{ oneOf: [{ type: "null" }, ${bird}] }`,
        `{ nullable: true, allOf: [${bird}] }`
      ]) {
        const imported = yield* importedAs("3.1.0", json(body))
        assert.deepStrictEqual(Object.keys(first(imported).operation.input["properties"] ?? {}), ["name", "size"], body)
        assert.strictEqual(prepare(first(imported), {})._tag, "Rejected", body)
        assert.deepStrictEqual([...said(imported, "changed")], [], body)
      }
    })
  )

  it.effect("keeps what OpenAPI 3.1 lets stand beside a reference, and OpenAPI 3.0 does not", () =>
    Effect.gen(function* () {
      const body = json(`
        { $ref: "#/components/schemas/Bird", required: [colour], properties: {
          colour: { type: string },
          mate: { $ref: "#/components/schemas/Bird", description: The other one. } } }`)
      const inputAs = (version: string) => Effect.map(importedAs(version, body), (each) => first(each).operation.input)
      const input = yield* inputAs("3.1.0")
      assert.deepStrictEqual(input["required"], ["name", "colour"])
      assert.deepStrictEqual(Object.keys(input["properties"] ?? {}), ["name", "size", "colour", "mate"])
      assert.include(JSON.stringify(input), "The other one.")
      assert.deepStrictEqual((yield* inputAs("3.0"))["required"], ["name"])
    })
  )

  it.effect("needs no field that only answers hold, however deep it is", () =>
    Effect.gen(function* () {
      const imported = yield* importedAs(
        "3.0.3",
        json(`{ type: object, properties: {
          eggs: { type: array, items: { $ref: "#/components/schemas/Egg" } },
          nest: { $ref: "#/components/schemas/Nest" } } }`)
      )
      const endpoint = first(imported)
      assert.strictEqual(
        sent(endpoint, { eggs: [{ weight: 3 }], nest: { weight: 9, place: "roof" } }),
        `${start}{"eggs":[{"weight":3}],"nest":{"weight":9,"place":"roof"}}`
      )
      assert.strictEqual(prepare(endpoint, { eggs: [{}] })._tag, "Rejected")
      assert.strictEqual(prepare(endpoint, { nest: { weight: 9 } })._tag, "Rejected")
    })
  )

  it.effect("holds a field to each schema that describes it", () =>
    Effect.gen(function* () {
      const narrowed = `{ allOf: [${bird}], properties: { size: { type: string, enum: [small, large] } } }`
      const shorter = `{ allOf: [${bird}, { properties: { name: { type: string, maxLength: 3 }, size: { type: integer } } }] }`
      const small = first(yield* importedAs("3.0.3", json(narrowed)))
      assert.strictEqual(prepare(small, { name: "Tit", size: "small" })._tag, "Accepted")
      assert.strictEqual(prepare(small, { name: "Tit", size: "huge" })._tag, "Rejected")
      const short = first(yield* importedAs("3.0.3", json(shorter)))
      assert.strictEqual(prepare(short, { name: "Tit" })._tag, "Accepted")
      assert.strictEqual(prepare(short, { name: "Robin" })._tag, "Rejected")
      assert.strictEqual(prepare(short, { name: "Tit", size: "small" })._tag, "Rejected")
    })
  )

  it.effect("allows null where the document says nullable beside a list of values or other schemas", () =>
    Effect.gen(function* () {
      const endpoint = first(
        yield* importedAs(
          "3.0.3",
          json(`{ type: object, properties: {
            mate: { nullable: true, allOf: [${bird}] }, colour: { nullable: true, enum: [red, blue] } } }`)
        )
      )
      const input: JsonObject = { mate: null, colour: null }
      assert.strictEqual(sent(endpoint, input), `${start}{"mate":null,"colour":null}`)
      assert.strictEqual(prepare(endpoint, { colour: "green" })._tag, "Rejected")
      assert.strictEqual(prepare(endpoint, { mate: {} })._tag, "Rejected")
    })
  )

  it.effect("has no default of a field that is needed only when the body, or an object of the query, is sent", () =>
    Effect.gen(function* () {
      const kind = "{ type: object, required: [kind], properties: { kind: { type: string, default: x } } }"
      const imported = yield* importedAs(
        "3.0.3",
        `{ content: { application/json: { schema: ${kind} } } }`,
        `parameters: [{ name: filter, in: query, schema: ${kind.replaceAll("kind", "mode")} }]`
      )
      assert.strictEqual(sent(first(imported), {}), "POST https://birds.example/birds")
    })
  )
})

describe("an object of the query that may be null or is combined of others", () => {
  it.effect("is spread over its properties", () =>
    Effect.gen(function* () {
      const imported = yield* importedAs(
        "3.0.3",
        "{ content: {} }",
        `parameters:
        - { name: one, in: query, schema: { type: object, nullable: true, properties: { a: { type: string } } } }
        - { name: two, in: query, schema: { allOf: [${bird}] } }`
      )
      assert.strictEqual(
        sent(first(imported), { a: "x", name: "Tit" }),
        "POST https://birds.example/birds?a=x&name=Tit"
      )
    })
  )
})
