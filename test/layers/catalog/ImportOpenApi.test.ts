/**
 * What an imported operation sends: the request is planned by the real engine and compared with what the document says.
 * Files that refer to each other, Swagger 2, keys, defaults, lists and objects.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { JsonObject } from "../../../src/domain/Json.js"
import type { Endpoint } from "../../../src/domain/Manifest.js"
import { exampleInput } from "../../../src/domain/OperationInput.js"
import { importOpenApi, type OpenApiDocument } from "../../../src/layers/catalog/import/ImportOpenApi.js"
import { lintCatalog } from "../../../src/layers/catalog/CatalogLint.js"
import { decodeCatalog } from "../../../src/layers/catalog/ManifestReading.js"
import { manifestTexts } from "../../../src/layers/catalog/import/ManifestWriting.js"
import type { Imported } from "../../../src/layers/catalog/import/ImportReport.js"
import { prepare } from "../../../src/layers/providers/InputPreparation.js"
import { sentRequest as sent } from "../../support/sentRequest.js"

const head = `
openapi: 3.0.3
info: { title: Shop, version: "1" }
servers: [{ url: "https://api.shop.example/v1" }]
security: []
`
const one = (paths: string, more = ""): Effect.Effect<Imported> =>
  importOpenApi([{ file: "shop.yaml", text: `${head}${more}paths:\n${paths}` }])
const said = ({ report }: Imported, effect: string): ReadonlyArray<string> =>
  report.notes.filter((note) => note.effect === effect).map(({ message }) => message)
const first = ({ endpoints, report }: Imported): Endpoint => {
  const [endpoint] = endpoints
  if (endpoint === undefined) throw new Error(`nothing was imported: ${JSON.stringify(report)}`)
  return endpoint
}

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
})

describe("the key of an imported operation", () => {
  const schemes = `components:
  securitySchemes:
    basic: { type: http, scheme: basic }
    bearer: { type: http, scheme: bearer }
    query: { type: apiKey, in: query, name: key }
    cookie: { type: apiKey, in: cookie, name: sid }
    id: { type: apiKey, in: header, name: X-Id }
    secret: { type: apiKey, in: header, name: X-Secret }
    account:
      type: oauth2
      flows:
        authorizationCode: { authorizationUrl: "https://id.example/authorize", tokenUrl: /token, scopes: { read: r } }
    machine: { type: oauth2, flows: { clientCredentials: { tokenUrl: "https://id.example/token", scopes: {} } } }
    described: { type: apiKey, in: header, name: Authorization, description: "Write Bearer before the key." }
`
  const cases: ReadonlyArray<readonly [security: string, expected: object, note: string | null]> = [
    [
      "[{ basic: [] }, { query: [] }, { bearer: [] }]",
      { type: "bearer" },
      "takes one of several ways to show a key (bearer)"
    ],
    ["[{ described: [] }]", { type: "bearer" }, null],
    [
      "[{ account: [read, write] }]",
      {
        type: "oauth2_authorization_code",
        authorizationUrl: "https://id.example/authorize",
        tokenUrl: "https://api.shop.example/token",
        scopes: ["read", "write"]
      },
      "OAuth 2, for which accounts are connected in a browser, with the client that gateway key set takes"
    ],
    [
      "[{ account: [read] }, { query: [] }]",
      { type: "query", name: "key" },
      "takes one of several ways to show a key (query)"
    ],
    [
      "[{ bearer: [], query: [] }]",
      {
        type: "pair",
        places: [
          { in: "header", name: "Authorization", prefix: "Bearer " },
          { in: "query", name: "key" }
        ]
      },
      null
    ],
    [
      "[{ basic: [], secret: [] }]",
      {
        type: "pair",
        places: [
          { in: "header", name: "Authorization", prefix: "Basic " },
          { in: "header", name: "X-Secret" }
        ]
      },
      "shows two keys at once; that of user and password is given as the base64 of user:password"
    ],
    ["[{ basic: [] }]", { type: "basic", passwordless: false }, null],
    ["[{ id: [], secret: [] }]", { type: "header_pair", names: ["X-Id", "X-Secret"] }, null],
    [
      "[{ machine: [] }]",
      { type: "oauth2_client_credentials", tokenUrl: "https://id.example/token", clientAuth: "basic" },
      null
    ],
    ["[{ cookie: [] }]", { type: "cookie", name: "sid" }, null],
    [
      "[{ id: [], query: [] }]",
      {
        type: "pair",
        places: [
          { in: "header", name: "X-Id" },
          { in: "query", name: "key" }
        ]
      },
      null
    ],
    ["[{}]", { type: "none" }, null],
    ["[]", { type: "none" }, null],
    ["[{}, { bearer: [] }]", { type: "none" }, "takes no key, because the document says that one may be left out"]
  ]
  it.effect("is the one that asks least of the customer, and none only where the document says so", () =>
    Effect.gen(function* () {
      for (const [security, expected, note] of cases) {
        const imported = yield* one(`  /a: { get: { operationId: a, security: ${security}, responses: {} } }`, schemes)
        assert.deepInclude(first(imported).provider.auth, expected, security)
        assert.deepStrictEqual([...said(imported, "changed")], note === null ? [] : [note], security)
      }
    })
  )

  it.effect(
    "is said to be missing when the document says nothing of keys, or names one that it does not describe",
    () =>
      Effect.gen(function* () {
        const silent = yield* importOpenApi([
          {
            file: "silent.yaml",
            text: `${head.replace("security: []", "")}paths: { /a: { get: { responses: {} } } }`
          }
        ])
        assert.deepStrictEqual(
          [...said(silent, "changed")],
          ["takes no key, because the document says nothing of keys"]
        )
        const unknown = yield* one(`  /a: { get: { security: [{ ghost: [] }], responses: {} } }`)
        assert.strictEqual(first(unknown).provider.auth.type, "unsupported")
      })
  )
})

describe("the address of an imported operation", () => {
  const at = (servers: string, more = "security: [{ key: [] }]\n", path = "/a") =>
    Effect.map(
      importOpenApi([
        {
          file: "open.yaml",
          text: `openapi: 3.0.3
info: { title: Open, version: "1" }
servers: ${servers}
${more}components: { securitySchemes: { key: { type: http, scheme: bearer } } }
paths: { "${path}": { get: { operationId: a, responses: {} } } }
`
        }
      ]),
      first
    )

  it.effect("has a variable for each part that the document leaves open", () =>
    Effect.gen(function* () {
      const { provider } = yield* at(
        `[{ url: "https://{shop-name}.shop.example/{version}", variables: { shop-name: { default: your-shop, description: The shop. }, version: { default: v2, enum: [v1, v2] } } }]`
      )
      assert.strictEqual(provider.baseUrl, "https://{shop_name}.shop.example/{version}")
      assert.deepStrictEqual<object | undefined>(provider.variables, {
        shop_name: { pattern: "[A-Za-z0-9][A-Za-z0-9_-]*", description: "The shop.", examples: ["your-shop"] },
        version: {
          pattern: "v1|v2",
          description: "The part version of the provider's address.",
          examples: ["v2"],
          default: "v2"
        }
      })
      assert.strictEqual(String(provider.id), "shop.example")
    })
  )

  it.effect("is filled in where no variable may stand, and a variable has another name than the parts of a path", () =>
    Effect.gen(function* () {
      const server = `[{ url: "{scheme}://{id}.shop.example:{port}/{base}", variables: { scheme: { default: https }, id: { default: eu }, port: { default: "8443" }, base: { default: api/v2 } } }]`
      const endpoint = yield* at(server, undefined, "/items/{id}")
      assert.strictEqual(sent(endpoint, { id: "7" }), "GET https://eu.shop.example:8443/api/v2/items/7")
      assert.deepStrictEqual(Object.keys(endpoint.provider.variables ?? {}), ["server_id"])
    })
  )

  it.effect("has a variable without a default where the default of the document only names it", () =>
    Effect.gen(function* () {
      const { provider } = yield* at(
        `[{ url: "https://{agent-url}", variables: { agent-url: { default: "{your-agent-url}" } } }]`
      )
      assert.strictEqual(provider.baseUrl, "https://{agent_url}")
      assert.deepStrictEqual(Object.keys(provider.variables?.["agent_url"] ?? {}), [
        "pattern",
        "description",
        "examples"
      ])
    })
  )

  it.effect("has a default for each variable where no connection could give one", () =>
    Effect.gen(function* () {
      const { operation, provider } = yield* at(`[{ url: "https://{region}.shop.example" }]`, "security: []\n")
      assert.strictEqual(provider.variables?.["region"]?.default, "example")
      assert.isTrue(operation.activated)
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

describe("the answers of an imported operation", () => {
  it.effect("say what a provider did not like, where the document describes a sentence", () =>
    Effect.gen(function* () {
      const error = (schema: string) => `content: { application/json: { schema: ${schema} } }`
      const text = "{ type: string }"
      const imported = yield* importOpenApi([
        {
          file: "shop.yaml",
          text: `${head}components:
  responses: { Refused: { ${error('{ $ref: "#/components/schemas/Problem" }')} } }
  schemas:
    Problem: { allOf: [{ $ref: "#/components/schemas/Coded" }, { properties: { detail: ${text} } }] }
    Coded: { type: object, properties: { code: ${text}, title: { type: [string, "null"] } } }
paths:
  /referred: { get: { operationId: referred, responses: { "404": { $ref: "#/components/responses/Refused" } } } }
  /nested: { get: { operationId: nested, responses: { default: { ${error(`{ properties: { error: { properties: { message: ${text} } } } }`)} } } } }
  /plain: { get: { operationId: plain, responses: { "400": { ${error(`{ properties: { error: ${text} } }`)} } } } }
  /listed: { get: { operationId: listed, responses: { "422": { ${error(`{ properties: { errors: { type: array, items: { properties: { message: ${text} } } } } }`)} } } } }
  /coded: { get: { operationId: coded, responses: { "400": { ${error(`{ properties: { code: ${text} } }`)} } } } }
  /circle: { get: { operationId: circle, responses: { "400": { ${error('{ $ref: "#/components/schemas/Circle" }')} } } } }
`.replace("paths:", '    Circle: { allOf: [{ $ref: "#/components/schemas/Circle" }] }\npaths:')
        }
      ])
      assert.deepStrictEqual(
        imported.endpoints.map(({ operation: { response } }) => response.errors.map(({ message }) => message)),
        [["body.detail || body.title"], ["body.error.message"], ["body.error"], ["body.errors[0].message"], [], []]
      )
      const content = yield* decodeCatalog(
        { jobs: [], providers: manifestTexts(imported.endpoints) },
        { thorough: true }
      )
      assert.deepStrictEqual(yield* lintCatalog(content), [])
    })
  )

  it.effect("are successes where the document says so, also without a body or as a redirect", () =>
    Effect.gen(function* () {
      const json = "content: { application/json: { schema: { type: object } } }"
      const imported = yield* one(`
  /starred: { get: { operationId: starred, responses: { "204": { description: yes }, "404": { description: no } } } }
  /link: { get: { operationId: link, responses: { "302": { description: there } } } }
  /moved: { get: { operationId: moved, responses: { "200": { ${json} }, "301": { description: moved } } } }
  /later: { get: { operationId: later, responses: { "200": { ${json} }, "202": { description: later } } } }
  /done: { post: { operationId: done, responses: { "202": { description: taken } } } }
  /xml: { get: { operationId: xml, responses: { "200": { content: { application/xml: { schema: { type: object, properties: { a: {} } } } } } } } }
  /put:
    post:
      operationId: put
      requestBody: { content: { text/xml: { schema: { type: object, properties: { a: { type: string } } } } } }
      responses: {}
`)
      assert.deepStrictEqual(
        imported.endpoints.map(({ operation: { response } }) => response.successStatuses),
        [[204], [302], undefined, [202], undefined, undefined, undefined]
      )
      assert.includeMembers(
        [...said(imported, "changed")],
        [
          "left out the schema of an answer that is no JSON (application/xml)",
          "takes a body of the kind text/xml as one text, and left out its schema"
        ]
      )
    })
  )

  it.effect("come from several manifests where addresses or keys differ, and the report says so", () =>
    Effect.gen(function* () {
      const imported = yield* one(`
  /a: { get: { operationId: a, responses: {} } }
  /b: { get: { operationId: b, servers: [{ url: "https://other.shop.example" }], responses: {} } }
`)
      assert.deepStrictEqual(
        [...said(imported, "changed")],
        ["is described by 2 manifests, because its operations have several addresses or keys"]
      )
      assert.lengthOf(manifestTexts(imported.endpoints), 2)
    })
  )
})

describe("the examples of an imported operation", () => {
  const properties = ({ operation }: Endpoint) => operation.input["properties"]

  it.effect("are those that the document gives beside its schemas, before those in them", () =>
    Effect.gen(function* () {
      const endpoint = first(
        yield* one(
          `  /items/{id}:
    parameters:
      - { name: id, in: path, required: true, example: it_7, schema: { type: string, example: x } }
      - { name: sort, in: query, examples: { newest: { $ref: "#/components/examples/Newest" } }, schema: { type: string } }
      - { name: limit, in: query, example: "ten", schema: { type: integer, example: 5 } }
      - { name: size, in: query, example: { width: 3 }, schema: { type: object, properties: { width: { type: integer } } } }
    put:
      requestBody:
        required: true
        content:
          application/json:
            example: { title: Lamp, price: 5, tags: [home] }
            schema:
              type: object
              required: [title]
              properties: { title: { type: string }, price: { type: number }, tags: { type: array, items: { type: string } }, note: { type: string } }
      responses: {}
`,
          "components: { examples: { Newest: { value: newest } } }\n"
        )
      )
      assert.deepStrictEqual(exampleInput(endpoint.operation), { id: "it_7", title: "Lamp" })
      const examples = Object.entries(properties(endpoint) ?? {}).map(([name, schema]) => [name, schema.examples])
      assert.deepStrictEqual(Object.fromEntries(examples), {
        id: ["it_7"],
        sort: ["newest"],
        // A text is no integer: the schema's own example stays.
        limit: [5],
        width: [3],
        title: ["Lamp"],
        price: [5],
        tags: [["home"]],
        note: undefined
      })
    })
  )
})

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
      assert.deepStrictEqual(first(imported).operation.input["required"], ["kind"])
      assert.strictEqual(
        sent(first(imported), { kind: "raw", text: "t" }),
        'POST https://api.shop.example/v1/a\napplication/json\n{"kind":"raw","text":"t"}'
      )
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

  it.effect("passes the check of the catalog", () =>
    Effect.gen(function* () {
      const { endpoints } = yield* one(`  /a/{id}: { post: { operationId: a, responses: {} } }`)
      const content = yield* decodeCatalog({ jobs: [], providers: manifestTexts(endpoints) }, { thorough: true })
      assert.deepStrictEqual(yield* lintCatalog(content), [])
    })
  )
})
