/** What an import makes of the keys, addresses, answers and examples of a document. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { providerIdCharsMax } from "../../../src/domain/limits/Manifests.js"
import { type Endpoint, ProviderId } from "../../../src/domain/Manifest.js"
import { exampleInput } from "../../../src/domain/OperationInput.js"
import { importOpenApi } from "../../../src/layers/catalog/import/ImportOpenApi.js"
import { lintCatalog } from "../../../src/layers/catalog/CatalogLint.js"
import { decodeCatalog } from "../../../src/layers/catalog/ManifestReading.js"
import { inManifests, manifestTexts } from "../../../src/layers/catalog/import/ManifestWriting.js"
import { readAnswer } from "../../../src/layers/providers/AnswerReading.js"
import { sentRequest as sent } from "../../support/sentRequest.js"
import { head, one, said, first } from "./ImportStage.js"

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
    [
      "[{ machine: [write, read] }]",
      {
        type: "oauth2_client_credentials",
        tokenUrl: "https://id.example/token",
        scope: "read write",
        clientAuth: "basic"
      },
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

  it.effect("may be speech, music and films", () =>
    Effect.gen(function* () {
      const imported = yield* one(`
  /speech:
    post:
      operationId: speech
      responses: { "200": { description: ok, content: { audio/mpeg: { schema: { type: string, format: binary } } } } }
`)
      const { contentTypes } = first(imported).operation
      for (const type of ["audio/mpeg", "video/mp4", "image/png", "application/pdf", "text/csv"])
        assert.isTrue(
          Either.isRight(
            readAnswer(
              { status: 200, headers: { "content-type": type }, bytes: Buffer.from("x") },
              { allowed: contentTypes, parse: undefined, inlineBytes: 1000 }
            )
          ),
          type
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
      const [first] = imported.endpoints
      assert.isDefined(first)
      const ofId = (id: string) =>
        inManifests(
          imported.endpoints.map((endpoint) => ({
            ...endpoint,
            provider: { ...endpoint.provider, id: ProviderId.make(id) }
          }))
        ).map(({ operation, provider }) => [operation.id.split(".").at(-1), provider.id])
      assert.deepStrictEqual(ofId("shop"), [
        ["a", "shop"],
        ["b", "shop-2"]
      ])
      const longest = "s".repeat(providerIdCharsMax)
      assert.deepStrictEqual(ofId(longest), [
        ["a", longest],
        ["b", `${longest.slice(0, -2)}-2`]
      ])
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
