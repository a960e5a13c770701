/**
 * Imports: what becomes of an OpenAPI document and of flat rows, and that nothing they cannot express goes missing in
 * silence.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { decodeCatalog } from "../../../src/layers/catalog/ManifestReading.js"
import { importLines, Row } from "../../../src/layers/catalog/import/ImportJsonl.js"
import { importOpenApi } from "../../../src/layers/catalog/import/ImportOpenApi.js"
import { manifestTexts } from "../../../src/layers/catalog/import/ManifestWriting.js"
import type { Imported } from "../../../src/layers/catalog/import/ImportReport.js"

const document = `
openapi: 3.0.3
info: { title: Pet Store, version: "1" }
servers: [{ url: "https://{region}.pets.example/v2", variables: { region: { default: eu } } }]
security: [{ key: [] }]
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    jar: { type: http, scheme: digest }
  parameters:
    Limit: { name: limit, in: query, schema: { type: integer, minimum: 0, exclusiveMinimum: true, nullable: true } }
  schemas:
    Pet: { type: object, required: [name], properties: { name: { type: string, example: Rex }, parent: { $ref: "#/components/schemas/Pet" }, id: { type: integer, readOnly: true } } }
paths:
  /pets:
    parameters: [{ $ref: "#/components/parameters/Limit" }]
    get:
      operationId: listPets
      summary: List pets
      tags: [pets]
      parameters:
        - { name: tags, in: query, schema: { type: array, items: { type: string } } }
        - { name: trace, in: cookie, schema: { type: string } }
      responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Pet" } } } } } }
    post:
      operationId: addPet
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } }
      callbacks: { done: {} }
    head: { operationId: peek }
  /pets/{petId}/photo:
    put: { operationId: photo, security: [{ jar: [] }], requestBody: { required: true, content: { image/png: {} } } }
    get: { operationId: getPhoto, security: [{ jar: [] }] }
    delete: { operationId: removePhoto, security: [] }
`
const said = ({ report }: Imported, effect: string): ReadonlyArray<string> =>
  report.notes.filter((note) => note.effect === effect).map(({ message }) => message)
const byId = ({ endpoints }: Imported, id: string) => endpoints.find(({ operation }) => operation.id === id)

describe("an OpenAPI document", () => {
  it.effect("becomes endpoints with address, key, fields and schemas", () =>
    Effect.gen(function* () {
      const progress: Array<string> = []
      const imported = yield* importOpenApi([{ file: "pets.yaml", text: document }], (file, count) =>
        progress.push(`${file} ${count}`)
      )
      assert.deepStrictEqual(progress, ["pets.yaml 5"])
      assert.deepStrictEqual(
        imported.endpoints.map(({ operation }) => String(operation.id)),
        [
          "eu-pets-example.listpets",
          "eu-pets-example.addpet",
          "eu-pets-example.getphoto",
          "eu-pets-example.photo",
          "eu-pets-example.removephoto"
        ]
      )
      const list = byId(imported, "eu-pets-example.listpets")!
      assert.deepInclude<object>(list.provider, {
        id: "eu.pets.example",
        name: "Pet Store",
        baseUrl: "https://{region}.pets.example/v2",
        auth: { type: "header", name: "X-Key" },
        platformKey: false,
        ownKey: true
      })
      assert.deepStrictEqual(list.operation.input["properties"], {
        limit: { type: ["integer", "null"], exclusiveMinimum: 0 },
        tags: { type: "array", items: { type: "string" } }
      })
      assert.strictEqual(list.operation.bindings["tags"]?.style, "repeat")
      assert.strictEqual(list.operation.sourceCapability, "pets")
      const add = byId(imported, "eu-pets-example.addpet")!
      assert.deepInclude(add.operation, { method: "POST", effect: "effectful", repeatable: false })
      assert.deepStrictEqual(add.operation.input["required"], ["name"])
      assert.deepStrictEqual(add.operation.input["properties"], {
        limit: { type: ["integer", "null"], exclusiveMinimum: 0 },
        name: { type: "string", examples: ["Rex"] },
        parent: {}
      })
      assert.strictEqual(byId(imported, "eu-pets-example.removephoto")?.provider.auth.type, "none")
    })
  )

  it.effect("loses nothing in silence", () =>
    Effect.gen(function* () {
      const imported = yield* importOpenApi([
        { file: "pets.yaml", text: document },
        { file: "empty.json", text: '{"swagger": "2.0"}' },
        { file: "old.json", text: '{"swaggerVersion": "1.2"}' },
        { file: "bad.yaml", text: "- a" }
      ])
      assert.deepInclude(imported.report, { read: 6, imported: 5 })
      assert.includeMembers(
        [...said(imported, "skipped")],
        [
          "the method HEAD is not supported; use GET, POST, PUT, PATCH, DELETE",
          "a document without operations",
          "a document that is neither OpenAPI 3 nor Swagger 2",
          "a file that holds no document"
        ]
      )
      assert.includeMembers(
        [...said(imported, "changed")],
        [
          "left out a parameter in cookie",
          "left out callbacks",
          "cut a schema that contains itself",
          "took a path field from the path, which was described nowhere (petId)"
        ]
      )
      assert.deepStrictEqual(
        [...said(imported, "inactive")],
        ["a key placement that the gateway cannot do (http digest)"]
      )
    })
  )

  it.effect(
    "leaves out what its schemas may not say, and says what: patterns that backtrack, keywords of other vocabularies",
    () =>
      Effect.gen(function* () {
        const imported = yield* importOpenApi([
          {
            file: "a.yaml",
            text: `
openapi: 3.0.3
info: { title: Odd, version: "1" }
servers: [{ url: "https://odd.example" }]
paths:
  /a:
    get:
      operationId: a
      parameters:
        - { name: p, in: query, schema: { type: string, pattern: "^(?!x)a", maxLength: 9, $async: true, collectionFormat: csv } }
        - { name: q, in: query, schema: { type: string, pattern: "^a+$" } }
      responses: {}
`
          }
        ])
        assert.deepStrictEqual(imported.endpoints[0]?.operation.input["properties"], {
          p: { type: "string", maxLength: 9 },
          q: { type: "string", pattern: "^a+$" }
        })
        for (const keyword of ["pattern", "$async", "collectionFormat"])
          assert.isTrue(
            said(imported, "changed").some((message) => message.startsWith(`left out the keyword ${keyword} `)),
            keyword
          )
      })
  )

  it.effect("can be written out as manifests that the gateway reads back as the same contracts", () =>
    Effect.gen(function* () {
      const { endpoints } = yield* importOpenApi([{ file: "pets.yaml", text: document }])
      const read = yield* decodeCatalog({ jobs: [], providers: manifestTexts(endpoints) })
      const first = (all: typeof endpoints) =>
        all.find(({ operation }) => operation.id === "eu-pets-example.listpets")?.contractVersion
      assert.strictEqual(first(read.endpoints), first(endpoints))
      assert.strictEqual(read.endpoints.length, endpoints.length)
    })
  )
})

describe("flat rows", () => {
  const row = {
    endpointId: "a.b",
    providerId: "a.com",
    providerName: "A",
    name: "B",
    description: "",
    method: "GET",
    baseUrl: "https://a.com",
    path: "/b/{id}",
    parameters: [],
    category: "c"
  }
  it.effect("become endpoints, browsable even without an address, and what is wrong is counted", () =>
    Effect.gen(function* () {
      const lines = [
        row,
        { ...row, endpointId: "no-address", baseUrl: "", path: "" },
        row,
        { ...row, endpointId: "opts", method: "OPTIONS" },
        { nothing: true },
        { ...row, endpointId: "keyed", auth: [{ type: "oauth2" }, { type: "apiKey", in: "query", name: "k" }] },
        {
          ...row,
          endpointId: "twice",
          path: "/x",
          method: "POST",
          parameters: [
            { name: "id", in: "query" },
            { name: "id", in: "body", required: true }
          ]
        }
      ].map((each) => JSON.stringify(each))
      const imported = yield* importLines([...lines, "not json", ""])
      assert.deepInclude(imported.report, { read: 8, imported: 4 })
      assert.sameMembers(
        [...said(imported, "skipped")],
        [
          "an id that was there already: give each operation an id of its own",
          "the method OPTIONS is not supported; use GET, POST, PUT, PATCH, DELETE",
          "a line whose field endpointId is missing",
          "a line that is not JSON"
        ]
      )
      assert.deepStrictEqual(byId(imported, "a.b")?.operation.input["required"], ["id"])
      assert.strictEqual(byId(imported, "no-address")?.operation.activated, false)
      assert.deepStrictEqual(byId(imported, "keyed")?.provider.auth, { type: "query", name: "k" })
      const twice = byId(imported, "twice")!.operation
      assert.deepStrictEqual(
        Object.fromEntries(
          Object.entries(twice.bindings).map(([field, bound]) => [field, `${bound.in} ${bound.name}`])
        ),
        { id: "query id", json_id: "json id" }
      )
    })
  )

  it.effect("are told by the field that is missing or of another type", () =>
    Effect.gen(function* () {
      const parameter = { name: "q", in: "query" }
      for (const [line, words] of [
        [{ ...row, providerId: undefined }, "field providerId is missing"],
        [{ ...row, endpointId: "" }, "field endpointId must be text that is not empty"],
        [{ ...row, endpointId: 5 }, "field endpointId must be text"],
        [{ ...row, method: null }, "field method must be text"],
        [{ ...row, tags: "a" }, "field tags must be a list of texts"],
        [{ ...row, deprecated: "yes" }, "field deprecated must be true or false"],
        [{ ...row, parameters: {} }, "field parameters must be a list of objects"],
        [{ ...row, parameters: [parameter, 5] }, "field parameters must be a list of objects"],
        [
          { ...row, parameters: [parameter, { ...parameter, required: 1 }] },
          "field parameters.required must be true or false"
        ],
        [{ ...row, auth: [{}] }, "field auth.type is missing"]
      ] as const) {
        const imported = yield* importLines([JSON.stringify(line)])
        assert.deepStrictEqual([...said(imported, "skipped")], [`a line whose ${words}`])
      }
      assert.deepStrictEqual([...said(yield* importLines(["[]", "5"]), "skipped")], ["a line that is no JSON object"])
    })
  )

  it.effect("are documented: every field, and an example that is imported as it stands", () =>
    Effect.gen(function* () {
      const text = readFileSync(new URL("../../../docs/imports.md", import.meta.url), "utf8")
      const [, section = ""] = text.split("## The lines of import-jsonl")
      assert.deepStrictEqual(
        Array.from(section.matchAll(/^\| `(\w+)` \|/gm), ([, name]) => name),
        Object.keys(Row.fields)
      )
      const [, line = ""] = /```json\n(.*)\n```/.exec(section) ?? []
      const imported = yield* importLines([line])
      assert.deepInclude(imported.report, { read: 1, imported: 1, notes: [] })
      const [endpoint] = imported.endpoints
      assert.deepStrictEqual(endpoint?.provider.auth, { type: "header", name: "X-Api-Key" })
      assert.deepInclude(endpoint?.operation.input, { required: ["id"] })
    })
  )
})
