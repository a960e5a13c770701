/** Which documents an import takes: of several files, of Swagger 2, and none that it cannot read. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { importOpenApi, type OpenApiDocument } from "../../../src/layers/catalog/import/ImportOpenApi.js"
import { decodeCatalog } from "../../../src/layers/catalog/ManifestReading.js"
import { manifestTexts } from "../../../src/layers/catalog/import/ManifestWriting.js"
import { prepare } from "../../../src/layers/providers/InputPreparation.js"
import { sentRequest as sent } from "../../support/sentRequest.js"
import { head, one, said } from "./ImportStage.js"

describe("a document of several files", () => {
  const files: ReadonlyArray<OpenApiDocument> = [
    {
      file: "api/root.yaml",
      text: `${head}paths:
  /whole: { get: { $ref: "operations/list.yml" } }
  /item/{id}: { $ref: "operations/item.yml#/byId" }
  /gone: { get: { $ref: "operations/nowhere.yml" } }
  /out: { get: { $ref: "../secrets.yml" } }
`
    },
    {
      file: "api/operations/list.yml",
      text: `
operationId: list
parameters: [{ $ref: "../shared.yml#/Limit" }]
responses: {}
`
    },
    {
      file: "api/operations/item.yml",
      text: `
byId:
  parameters: [{ name: id, in: path, required: true, schema: { $ref: "#/Id" } }]
  put:
    operationId: change
    requestBody: { required: true, content: { application/json: { schema: { $ref: "../shared.yml#/Item" } } } }
    responses: {}
Id: { type: string, minLength: 3 }
`
    },
    {
      file: "api/shared.yml",
      text: `
Limit: { name: limit, in: query, schema: { type: integer } }
Item: { type: object, required: [name], properties: { name: { $ref: "#/Name" } } }
Name: { type: string, maxLength: 9 }
`
    },
    { file: "secrets.yml", text: "operationId: secret\nresponses: {}\n" }
  ]

  it.effect("is imported whole: operations, paths, parameters and schemas stand where the references lead", () =>
    Effect.gen(function* () {
      const imported = yield* importOpenApi(files)
      const byId = (id: string) => imported.endpoints.find(({ operation }) => operation.id === id)!
      assert.deepStrictEqual(
        imported.endpoints.map(({ operation }) => String(operation.id)),
        ["shop-example.list", "shop-example.change"]
      )
      assert.strictEqual(sent(byId("shop-example.list"), { limit: 2 }), "GET https://api.shop.example/v1/whole?limit=2")
      assert.deepStrictEqual(byId("shop-example.change").operation.input, {
        type: "object",
        properties: { id: { type: "string", minLength: 3 }, name: { type: "string", maxLength: 9 } },
        required: ["id", "name"]
      })
    })
  )

  it.effect("leads to no file outside of its folder, and the report says what could not be followed", () =>
    Effect.gen(function* () {
      const imported = yield* importOpenApi(files)
      assert.isFalse(imported.endpoints.some(({ operation }) => operation.id.includes("secret")))
      assert.includeMembers(
        [...said(imported, "changed")],
        [
          "could not follow a reference to a file that cannot be read (operations/nowhere.yml)",
          "could not follow a reference to a file outside of the folder of the document"
        ]
      )
      assert.include([...said(imported, "skipped")], "an operation whose reference leads nowhere")
    })
  )
})

describe("a document with merge keys of YAML", () => {
  it.effect(
    "is read with what they stand for; what is written beside one comes first, and in quotes it is a name",
    () =>
      Effect.gen(function* () {
        const imported = yield* importOpenApi([
          {
            file: "merged.yaml",
            text: `${head}x-base: &base { type: object, properties: &props { a: { type: string }, b: { type: string } } }
x-ok: &ok { responses: {} }
paths:
  /a:
    post:
      <<: *ok
      operationId: a
      requestBody:
        content:
          application/json:
            schema: { <<: *base, properties: { <<: *props, b: { type: integer }, "<<": { type: boolean } } }
  /b: { get: { <<: [*ok, { operationId: b, responses: { "204": {} } }] } }
`
          }
        ])
        const [a, b] = imported.endpoints
        assert.deepStrictEqual(a?.operation.input["properties"], {
          a: { type: "string" },
          b: { type: "integer" },
          "<<": { type: "boolean" }
        })
        assert.strictEqual(String(b?.operation.id), "shop-example.b")
        assert.deepStrictEqual([...said(imported, "changed"), ...said(imported, "skipped")], [])
      })
  )
})

describe("an example in a schema", () => {
  it.effect("is taken where its type is allowed, so that `example: null` beside every schema is none", () =>
    Effect.gen(function* () {
      const imported = yield* importOpenApi([
        {
          file: "a.yaml",
          text: `${head}paths:
  /a:
    get:
      operationId: a
      parameters:
        - { name: q, in: query, schema: { type: string, example: null } }
        - { name: n, in: query, schema: { type: integer, example: 5 } }
        - { name: m, in: query, schema: { type: string, nullable: true, example: null } }
      responses: { "200": { description: ok } }
`
        }
      ])
      const [a] = imported.endpoints
      assert.deepStrictEqual(a?.operation.input["properties"], {
        q: { type: "string" },
        n: { type: "integer", examples: [5] },
        m: { type: ["string", "null"], examples: [null] }
      })
    })
  )
})

describe("a document that cannot be read", () => {
  it.effect("is reported with its first mistake and where that stands", () =>
    Effect.gen(function* () {
      for (const [text, words] of [
        [`${head}paths:\n  /a: [1, 2\n  /b: x\n`, /^a file that is no YAML: .+ at line \d+, column \d+$/],
        ["openapi: 3.0.3\n\tpaths: {}\n", /^a file that is no YAML: .+ at line \d+, column \d+$/],
        ['{ "openapi": "3.0.3", }', /^a file that is no JSON: .*(?:position|line) \d+/],
        ["swagger: 1\n", /neither OpenAPI 3 nor Swagger 2/]
      ] as const) {
        const [message = ""] = said(yield* importOpenApi([{ file: "a.yaml", text }]), "skipped")
        assert.match(message, words, text)
        assert.notInclude(message, "\n")
      }
    })
  )
})

describe("a Swagger 2 document", () => {
  const swagger = `
swagger: "2.0"
info: { title: Old, version: "1" }
host: old.example
basePath: /api
schemes: [http, https]
securityDefinitions: { key: { type: apiKey, in: header, name: X-Key } }
security: [{ key: [] }]
parameters:
  Body: { name: b, in: body, required: true, schema: { $ref: "#/definitions/Pet" } }
definitions:
  Pet: { type: object, required: [name], properties: { name: { type: string } } }
paths:
  /pets:
    get:
      operationId: find
      parameters:
        - { name: tags, in: query, type: array, items: { type: string } }
        - { name: ids, in: query, type: array, items: { type: integer }, collectionFormat: multi }
      responses: {}
    post:
      operationId: add
      consumes: [application/json]
      parameters: [{ $ref: "#/parameters/Body" }]
      responses: {}
  /form:
    post:
      operationId: form
      consumes: [application/x-www-form-urlencoded]
      parameters:
        - { name: kind, in: formData, type: string, required: true, enum: [a, b] }
        - { name: list, in: formData, type: array, items: { type: string } }
        - { name: more, in: formData, type: array, items: { type: string }, collectionFormat: multi }
      responses: {}
`
  it.effect("becomes operations that send lists, bodies and forms as it says", () =>
    Effect.gen(function* () {
      const imported = yield* importOpenApi([{ file: "old.yaml", text: swagger }])
      const [find, add, form] = imported.endpoints
      assert.deepStrictEqual(find?.provider.auth, { type: "header", name: "X-Key" })
      assert.strictEqual(
        sent(find!, { tags: ["a", "b"], ids: [1, 2] }),
        "GET https://old.example/api/pets?tags=a,b&ids=1&ids=2"
      )
      assert.strictEqual(
        sent(add!, { name: "Rex" }),
        'POST https://old.example/api/pets\napplication/json\n{"name":"Rex"}'
      )
      assert.strictEqual(
        sent(form!, { kind: "a", list: ["x", "y"], more: ["1", "2"] }),
        "POST https://old.example/api/form\napplication/x-www-form-urlencoded\nkind=a&list=x%2Cy&more=1&more=2"
      )
      assert.strictEqual(prepare(form!, { kind: "c" })._tag, "Rejected")
    })
  )

  it.effect("sends no list in another way than it says, and loses no more than a parameter without a place", () =>
    Effect.gen(function* () {
      const list = "type: array, items: { type: string }"
      const imported = yield* importOpenApi([
        {
          file: "old.yaml",
          // Without quotes, YAML makes a number of the version.
          text: `
swagger: 2.0
info: { title: Old, version: "1" }
host: old.example
schemes: [https]
security: []
paths:
  /lists:
    post:
      operationId: lists
      consumes: [application/x-www-form-urlencoded]
      parameters:
        - { name: spaces, in: query, ${list}, collectionFormat: ssv }
        - { name: tabs, in: query, ${list}, collectionFormat: tsv }
        - { name: X-Pipes, in: header, ${list}, collectionFormat: pipes }
        - { name: nowhere, type: string }
        - { name: bars, in: formData, ${list}, collectionFormat: pipes }
        - { name: tabbed, in: formData, ${list}, collectionFormat: tsv }
      responses: {}
`
        }
      ])
      const given = ["a", "b"]
      assert.strictEqual(
        sent(imported.endpoints[0]!, { spaces: given, bars: given }),
        "POST https://old.example/lists?spaces=a b\napplication/x-www-form-urlencoded\nbars=a%7Cb"
      )
      assert.deepStrictEqual(
        imported.report.notes.map(({ message }) => message),
        [
          "left out a list in the style tsv without explode in a form",
          "left out a list in the style tsv without explode in the query",
          "left out a parameter in no place",
          "left out a value in the style pipes in the header"
        ]
      )
    })
  )
})

describe("the manifests of an import", () => {
  it.effect("can be read however often a schema is used", () =>
    Effect.gen(function* () {
      const thing = "{ type: object, properties: { a: { type: array, items: { type: string } } } }"
      const shared = Array.from(
        { length: 120 },
        (_, at) => `      p${at}: { $ref: "#/components/schemas/Thing" }\n`
      ).join("")
      const imported = yield* one(
        `  /a:\n    post:\n      operationId: a\n      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/All" } } } }\n      responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/All" } } } } }\n`,
        `components:\n  schemas:\n    Thing: ${thing}\n    All:\n     type: object\n     properties:\n${shared}`
      )
      const read = decodeCatalog({ jobs: [], providers: manifestTexts(imported.endpoints) }, { thorough: true })
      assert.isTrue(Either.isRight(read), JSON.stringify(read))
    })
  )
})
