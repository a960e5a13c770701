/**
 * What an imported operation sends: the request is planned by the real engine and compared with what the document says.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonObject } from "../../../src/domain/Json.js"
import { lintCatalog } from "../../../src/layers/catalog/CatalogLint.js"
import { decodeCatalog } from "../../../src/layers/catalog/ManifestReading.js"
import { importOpenApi } from "../../../src/layers/catalog/import/ImportOpenApi.js"
import { manifestTexts } from "../../../src/layers/catalog/import/ManifestWriting.js"
import { prepare } from "../../../src/layers/providers/InputPreparation.js"
import { sentRequest as sent } from "../../support/sentRequest.js"
import { one, said, first } from "./ImportStage.js"

describe("what an imported operation sends", () => {
  it.effect("holds no default that the provider assumes by itself, and those of required fields", () =>
    Effect.gen(function* () {
      const imported = yield* one(`
  /a:
    post:
      operationId: a
      parameters: [{ name: page, in: query, schema: { type: integer, default: 1 } }]
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [kind]
              properties: { kind: { type: string, default: x }, size: { type: integer, default: 9, description: Size. } }
      responses: {}
`)
      assert.strictEqual(
        sent(first(imported), {}),
        'POST https://api.shop.example/v1/a\napplication/json\n{"kind":"x"}'
      )
      assert.deepInclude(first(imported).operation.input["properties"], {
        size: { type: "integer", description: "Size. The provider's default is 9." }
      })
      assert.deepStrictEqual(
        [...said(imported, "changed")],
        ["left out a default, which the provider assumes by itself"]
      )
    })
  )

  it.effect(
    "spreads an object over the query, joins or repeats lists, and writes JSON where the document says so",
    () =>
      Effect.gen(function* () {
        const imported = yield* one(`
  /a/{ids}:
    get:
      operationId: a
      parameters:
        - { name: ids, in: path, required: true, schema: { type: array, items: { type: string } } }
        - { name: tags, in: query, schema: { type: array, items: { type: string } } }
        - { name: sort, in: query, explode: false, schema: { type: array, items: { type: string } } }
        - { name: range, in: query, schema: { type: object, properties: { from: { type: string }, to: { type: string } } } }
        - { name: filter, in: query, content: { application/json: { schema: { type: object } } } }
      responses: {}
`)
        assert.strictEqual(
          sent(first(imported), { ids: ["1", "2"], tags: ["a", "b"], sort: ["x", "y"], from: "f", filter: { k: 1 } }),
          'GET https://api.shop.example/v1/a/1,2?tags=a&tags=b&sort=x,y&from=f&filter={"k":1}'
        )
      })
  )

  it.effect("has the media type of the document, its fixed query, and a body of free names", () =>
    Effect.gen(function* () {
      const imported = yield* one(`
  /a?beta=true:
    patch:
      operationId: a
      requestBody:
        required: true
        content: { application/merge-patch+json: { schema: { type: object, additionalProperties: { type: string } } } }
      responses: {}
`)
      assert.strictEqual(
        sent(first(imported), { any: "name" }),
        'PATCH https://api.shop.example/v1/a?beta=true\napplication/merge-patch+json\n{"any":"name"}'
      )
      assert.strictEqual(prepare(first(imported), { any: 1 })._tag, "Rejected")
    })
  )

  it.effect("may have the fields of each shape that the document allows", () =>
    Effect.gen(function* () {
      const imported = yield* one(`
  /a:
    post:
      operationId: a
      requestBody:
        required: true
        content:
          application/json:
            schema:
              oneOf:
                - { type: object, required: [kind, url], properties: { kind: { const: web }, url: { type: string } } }
                - { type: object, required: [kind, text], properties: { kind: { const: raw }, text: { type: string } } }
      responses: {}
`)
      const { input } = first(imported).operation
      assert.deepStrictEqual(input["required"], ["kind"])
      assert.deepStrictEqual(input["anyOf"], [{ required: ["url"] }, { required: ["text"] }])
      assert.deepStrictEqual(
        [...said(imported, "changed")],
        ["took the fields of several alternatives of the body as one set, and left out what else tells these apart"]
      )
      assert.strictEqual(
        sent(first(imported), { kind: "raw", text: "t" }),
        'POST https://api.shop.example/v1/a\napplication/json\n{"kind":"raw","text":"t"}'
      )
    })
  )

  it.effect("needs the fields of one alternative, under the names that they have in the input", () =>
    Effect.gen(function* () {
      const body = (schema: string, required = true) =>
        one(
          `  /a/{a}:\n    post:\n      operationId: a\n      parameters: [{ name: a, in: path, required: true, schema: { type: string } }]\n      requestBody: { required: ${String(required)}, content: { application/json: { schema: { ${schema} } } } }\n      responses: {}\n`
        )
      const props =
        "type: object, properties: { a: { type: string }, b: { type: string }, c: { type: string }, id: { type: integer, readOnly: true } }"
      for (const [schema, choice] of [
        [
          "oneOf: [{ required: [a] }, { required: [b, c] }]",
          { oneOf: [{ required: ["json_a"] }, { required: ["b", "c"] }] }
        ],
        ["anyOf: [{ required: [a] }, { required: [b] }]", { anyOf: [{ required: ["json_a"] }, { required: ["b"] }] }],
        [
          "required: [c], anyOf: [{ required: [c, a] }, { required: [b] }]",
          { anyOf: [{ required: ["json_a"] }, { required: ["b"] }] }
        ],
        [
          "allOf: [{ anyOf: [{ required: [a] }, { required: [b] }] }]",
          { anyOf: [{ required: ["json_a"] }, { required: ["b"] }] }
        ],
        // Only answers have an id, so that the second one needs b alone, and the first one does not exclude it.
        [
          "oneOf: [{ required: [a] }, { required: [b, id] }]",
          { anyOf: [{ required: ["json_a"] }, { required: ["b"] }] }
        ]
      ] as const) {
        const imported = yield* body(`${props}, ${schema}`)
        const { input } = first(imported).operation
        assert.deepInclude(input, choice, schema)
        assert.deepStrictEqual([...said(imported, "changed")], [], schema)
        assert.strictEqual(prepare(first(imported), { a: "x", c: "z" })._tag, "Rejected", schema)
        assert.strictEqual(prepare(first(imported), { a: "x", b: "y", c: "z" })._tag, "Accepted", schema)
      }
      const ofGet = yield* one(
        `  /a: { get: { operationId: a, requestBody: { required: true, content: { application/json: { schema: { ${props}, anyOf: [{ required: [a] }, { required: [b] }] } } } }, responses: {} } }\n`
      )
      assert.deepStrictEqual(first(ofGet).operation.input, { type: "object", properties: {}, required: [] })
      const left = "left out which fields the body needs, because it may be left out as a whole"
      for (const [schema, required, note] of [
        ["anyOf: [{ required: [a] }, { required: [b] }]", false, left],
        ["minProperties: 1", true, "left out the keyword minProperties of the body"],
        [
          "oneOf: [{ required: [a] }, {}]",
          true,
          "took the fields of several alternatives of the body as one set, and left out what else tells these apart"
        ]
      ] as const) {
        const imported = yield* body(`${props}, ${schema}`, required)
        assert.deepStrictEqual([...said(imported, "changed")], [note], schema)
        assert.strictEqual(prepare(first(imported), { a: "x", c: "z" })._tag, "Accepted", schema)
      }
    })
  )

  it.effect("writes lists and objects of a query or form in the style that the document names", () =>
    Effect.gen(function* () {
      const imported = yield* one(`
  /a:
    post:
      operationId: a
      parameters:
        - { name: filter, in: query, style: deepObject, explode: true, schema: { type: object, properties: { from: { type: string } } } }
        - { name: ids, in: query, style: pipeDelimited, explode: false, schema: { type: array, items: { type: integer } } }
      requestBody:
        content:
          application/x-www-form-urlencoded:
            encoding: { expand: { style: deepObject, explode: true } }
            schema:
              type: object
              properties:
                expand: { type: array, items: { type: string } }
                tags: { type: array, items: { type: string } }
                meta: { type: object }
      responses: {}
`)
      assert.strictEqual(
        sent(first(imported), { filter: { from: "x" }, ids: [1, 2], expand: ["c"], tags: ["a", "b"], meta: { k: 1 } }),
        [
          "POST https://api.shop.example/v1/a?filter[from]=x&ids=1|2",
          "application/x-www-form-urlencoded",
          "expand%5B0%5D=c&tags=a&tags=b&meta=%7B%22k%22%3A1%7D"
        ].join("\n")
      )
    })
  )

  it.effect("may be a list, a text, bytes, files, or no body at all", () =>
    Effect.gen(function* () {
      const post = (path: string, body: string) =>
        `  /${path}: { post: { operationId: ${path}, ${body === "" ? "" : `requestBody: { required: true, content: { ${body} } }, `}responses: {} } }\n`
      const imported = yield* one(
        [
          post("list", "application/json: { schema: { type: array, items: { type: string } } }"),
          post("text", "text/plain: { schema: { type: string } }"),
          post("bytes", "image/png: { schema: { type: string, format: binary } }"),
          post(
            "files",
            "multipart/form-data: { schema: { type: object, properties: { f: { type: array, items: { type: string, format: binary } } } } }"
          ),
          post("nothing", "")
        ].join("")
      )
      const at = (id: string) => imported.endpoints.find(({ operation }) => operation.id === `shop-example.${id}`)!
      const bodyOf = (id: string, input: JsonObject) => sent(at(id), input).split("\n").slice(1).join("\n")
      assert.strictEqual(bodyOf("list", { body: ["a"] }), 'application/json\n["a"]')
      assert.strictEqual(bodyOf("text", { body: "hello" }), "text/plain\nhello")
      assert.strictEqual(bodyOf("bytes", { body: { base64: "aGk=" } }), "image/png\nhi")
      assert.include(bodyOf("files", { f: [{ base64: "aGk=", filename: "a.txt" }] }), 'filename="a.txt"')
      assert.strictEqual(bodyOf("nothing", {}), "")
    })
  )

  it.effect("is no body at all where the document lets it be left out and no field of it is given", () =>
    Effect.gen(function* () {
      const post = (path: string, kind: string) =>
        `  /${path}: { post: { operationId: ${path}, responses: {}, requestBody: { content: { ${kind}: { schema: { type: object, required: [a], properties: { a: { type: string } } } } } } } }\n`
      const imported = yield* one(
        [
          post("json", "application/json"),
          post("form", "application/x-www-form-urlencoded"),
          post("parts", "multipart/form-data")
        ].join("")
      )
      for (const endpoint of imported.endpoints) {
        assert.strictEqual(sent(endpoint, {}), `POST https://api.shop.example/v1${endpoint.operation.path}`)
        assert.include(sent(endpoint, { a: "x" }), "\n")
      }
      assert.lengthOf(imported.endpoints, 3)
    })
  )

  it.effect("is a form where it has files and JSON is offered too, also for a file or a list of files", () =>
    Effect.gen(function* () {
      const file = "{ type: string, format: binary }"
      const imported = yield* one(`
  /a:
    post:
      operationId: a
      requestBody:
        required: true
        content:
          application/json: { schema: { type: object, properties: { files: { type: string } } } }
          multipart/form-data:
            schema: { type: object, properties: { files: { oneOf: [{ type: array, items: ${file} }, ${file}, { type: object, properties: { id: { type: string } } }] } } }
      responses: {}
`)
      const hi = { base64: "aGk=", filename: "a.txt" }
      for (const files of [[hi], hi]) assert.include(sent(first(imported), { files }), 'name="files"; filename="a.txt"')
    })
  )

  it.effect("gives each part of a form the type that the document says", () =>
    Effect.gen(function* () {
      const file = "{ type: string, format: binary }"
      const imported = yield* one(`
  /a:
    post:
      operationId: a
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              properties:
                one: ${file}
                photo: ${file}
                any: ${file}
                meta: { type: object }
                rows: { type: array, items: { type: object } }
                csv: { type: string }
                plain: { type: string }
                xml: { type: object }
            encoding:
              one: { contentType: image/png, headers: { X-A: { schema: { type: string } } } }
              photo: { contentType: "image/png, image/jpeg" }
              any: { contentType: application/octet-stream }
              csv: { contentType: text/csv }
              xml: { contentType: application/xml }
      responses: {}
`)
      const endpoint = first(imported)
      const body = sent(endpoint, {
        one: { base64: "aGk=", filename: "a" },
        photo: { base64: "aGk=", contentType: "image/jpeg" },
        any: { base64: "aGk=" },
        meta: { k: 1 },
        rows: [{ k: 1 }, { k: 2 }],
        csv: "a,b",
        plain: "x"
      })
      const types = Array.from(
        body.matchAll(/name="(\w+)"[^\r]*\r\n(?:Content-Type: ([^\r]*))?/g),
        ([, name, type]) => `${name}: ${type ?? "none"}`
      )
      assert.deepStrictEqual(types, [
        "one: image/png",
        "photo: image/jpeg",
        "any: application/octet-stream",
        "meta: application/json",
        "rows: application/json",
        "rows: application/json",
        "csv: text/csv",
        "plain: none"
      ])
      const { files } = endpoint.operation
      assert.deepStrictEqual(
        Object.entries(files ?? {}).map(([name, { types }]) => [name, types]),
        [
          ["one", ["image/png"]],
          ["photo", ["image/png", "image/jpeg"]],
          ["any", undefined]
        ]
      )
      const stored = `/v1/runs/run_${"0".repeat(26)}/media/med_${"0".repeat(26)}`
      for (const [value, isRight] of [
        [{ one: { base64: "aGk=" } }, true],
        [{ one: { media: stored } }, true],
        [{ one: { filename: "a" } }, false],
        [{ photo: { base64: "aGk=" } }, false],
        [{ photo: { base64: "aGk=", contentType: "image/jpeg" } }, true],
        [{ photo: { base64: "aGk=", contentType: "text/plain" } }, false],
        [{ photo: { media: stored } }, true]
      ] as const)
        assert.strictEqual(prepare(endpoint, value)._tag !== "Rejected", isRight, JSON.stringify(value))
      assert.includeMembers(
        imported.report.notes.map(({ message }) => message),
        ["left out the headers of a part of the form", "left out a part of the kind application/xml"]
      )
    })
  )

  it.effect("takes a file of an earlier run wherever it takes one", () =>
    Effect.gen(function* () {
      const file = "{ type: string, format: binary }"
      const post = (path: string, body: string) =>
        `  /${path}: { post: { operationId: ${path}, requestBody: { required: true, content: { ${body} } }, responses: {} } }\n`
      const { endpoints } = yield* one(
        [
          post(
            "list",
            `multipart/form-data: { schema: { type: object, properties: { f: { type: array, items: ${file} } } } }`
          ),
          post("bytes", `image/png: { schema: ${file} }`),
          post("any", `application/octet-stream: { schema: ${file} }`)
        ].join("")
      )
      const media = `/v1/runs/run_${"0".repeat(26)}/media/med_${"0".repeat(26)}`
      const stored = new Map([[media, { contentType: "image/png", bytes: Buffer.from("hi"), filename: null }]])
      const bodies = endpoints.map((endpoint) => {
        const input = endpoint.operation.id.endsWith("list") ? { f: [{ media }] } : { body: { media } }
        return sent(endpoint, input, stored).split("\n").slice(1).join("\n")
      })
      assert.include(bodies[0], "Content-Type: image/png\r\n\r\nhi")
      assert.deepStrictEqual(bodies.slice(1), ["image/png\nhi", "image/png\nhi"])
      const content = yield* decodeCatalog({ jobs: [], providers: manifestTexts(endpoints) }, { thorough: true })
      assert.deepStrictEqual(yield* lintCatalog(content), [])
    })
  )

  it.effect("is JSON where any media type may be sent and the document describes an object", () =>
    Effect.gen(function* () {
      const imported = yield* one(
        `  /a: { post: { operationId: a, responses: {}, requestBody: { required: true, content: { "*/*": { schema: { type: object, properties: { a: { type: string } } } } } } } }`
      )
      assert.strictEqual(
        sent(first(imported), { a: "x" }),
        'POST https://api.shop.example/v1/a\napplication/json\n{"a":"x"}'
      )
    })
  )

  it.effect("is not refused because a part of its schema was cut and so fits everything", () =>
    Effect.gen(function* () {
      const imported = yield* one(
        `  /a: { post: { operationId: a, responses: {}, requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } } } }`,
        `components:
  schemas:
    Item: { type: object, properties: { inner: { oneOf: [{ type: string }, { $ref: "#/components/schemas/Item" }] } } }
`
      )
      assert.include(sent(first(imported), { inner: "x" }), '{"inner":"x"}')
    })
  )

  it.effect("has a summary of at most 2,000 characters that ends with no blank", () =>
    Effect.gen(function* () {
      const imported = yield* one(
        `  /a: { get: { operationId: a, description: "${"x".repeat(1999)} more", responses: {} } }`
      )
      assert.strictEqual(first(imported).operation.summary, "x".repeat(1999))
    })
  )

  it.effect("brings no second value of the key, where the document describes that as a field too", () =>
    Effect.gen(function* () {
      const imported = yield* importOpenApi([
        {
          file: "shop.yaml",
          text: `
openapi: 3.0.3
info: { title: Shop, version: "1" }
servers: [{ url: "https://api.shop.example" }]
security: [{ key: [] }]
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Api-Key } } }
paths:
  /a:
    get:
      operationId: a
      parameters:
        - { name: x-api-key, in: header, required: true, schema: { type: string } }
        - { name: q, in: query, schema: { type: string } }
      responses: {}
`
        }
      ])
      assert.strictEqual(sent(first(imported), { q: "tea" }), "GET https://api.shop.example/a?q=tea")
      assert.deepStrictEqual(
        [...said(imported, "changed")],
        ["left out the field x-api-key, which is where the key goes"]
      )
    })
  )

  it.effect("repeats a list also where the document says nothing of the value's type", () =>
    Effect.gen(function* () {
      const imported = yield* one(`
  /a:
    get:
      operationId: a
      parameters: [{ name: any, in: query, schema: {} }]
      responses: {}
`)
      const start = "GET https://api.shop.example/v1/a?"
      assert.strictEqual(sent(first(imported), { any: ["x", "y"] }), `${start}any=x&any=y`)
      assert.strictEqual(sent(first(imported), { any: "x" }), `${start}any=x`)
    })
  )

  it.effect("is a list of the document's media type, such as a JSON Patch", () =>
    Effect.gen(function* () {
      const imported = yield* one(`
  /a:
    patch:
      operationId: a
      requestBody:
        content:
          application/json-patch+json:
            schema: { type: array, items: { type: object, required: [op], properties: { op: { type: string } } } }
      responses: {}
`)
      assert.strictEqual(
        sent(first(imported), { body: [{ op: "remove" }] }),
        'PATCH https://api.shop.example/v1/a\napplication/json-patch+json\n[{"op":"remove"}]'
      )
      assert.strictEqual(prepare(first(imported), { body: [{}] })._tag, "Rejected")
      assert.deepStrictEqual([...said(imported, "changed")], [])
    })
  )

  it.effect("is a list or an object where the body may be either, and loses no alternative without a word", () =>
    Effect.gen(function* () {
      const body = (schema: string) => `
      requestBody: { required: true, content: { application/json: { schema: ${schema} } } }
      responses: {}
`
      const imported = yield* one(`
  /a:
    post:
      operationId: a${body("{ oneOf: [{ type: array, items: { type: string } }, { type: object, properties: { b: { type: string } } }] }")}
  /b:
    post:
      operationId: b${body("{ anyOf: [{ type: object, additionalProperties: true }, { type: object, properties: { b: { type: string } } }] }")}
`)
      const [either, any] = imported.endpoints
      const start = "POST https://api.shop.example/v1/a\napplication/json\n"
      assert.strictEqual(sent(either!, { body: ["x"] }), `${start}["x"]`)
      assert.strictEqual(sent(either!, { body: { b: "x" } }), `${start}{"b":"x"}`)
      assert.strictEqual(prepare(either!, { body: 7 })._tag, "Rejected")
      assert.strictEqual(sent(any!, { b: "x" }), 'POST https://api.shop.example/v1/b\napplication/json\n{"b":"x"}')
      assert.deepStrictEqual(
        [...said(imported, "changed")],
        ["takes fields of any name, and left out the alternatives of the body"]
      )
    })
  )

  it.effect("passes the check of the catalog", () =>
    Effect.gen(function* () {
      const { endpoints } = yield* one(`  /a/{id}: { post: { operationId: a, responses: {} } }`)
      const content = yield* decodeCatalog({ jobs: [], providers: manifestTexts(endpoints) }, { thorough: true })
      assert.deepStrictEqual(yield* lintCatalog(content), [])
    })
  )
})
