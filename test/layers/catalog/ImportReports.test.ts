/** What the report of an import names, so that nothing of a document goes missing in silence. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { importOpenApi } from "../../../src/layers/catalog/import/ImportOpenApi.js"
import type { Imported } from "../../../src/layers/catalog/import/ImportReport.js"
import { sentRequest as sent } from "../../support/sentRequest.js"
import { first, head, one, said } from "./ImportStage.js"

const examplesOf = ({ report }: Imported, message: string): ReadonlyArray<string> =>
  report.notes.find((note) => note.message === message)?.examples ?? []

describe("the report of an import", () => {
  it.effect("names method and path of an operation whose id another one has", () =>
    Effect.gen(function* () {
      const imported = yield* one(
        "  /a: { get: { operationId: a, responses: {} }, put: { operationId: a, responses: {} } }\n"
      )
      assert.lengthOf(imported.endpoints, 1)
      assert.deepStrictEqual(
        [...examplesOf(imported, "an id that was there already: give each operation an id of its own")],
        ["PUT /a as shop-example.a"]
      )
    })
  )

  it.effect("says that characters of a path were escaped, and the request can be sent", () =>
    Effect.gen(function* () {
      const imported = yield* one(
        '  "/b c/ü/{pet id}": { get: { operationId: a, parameters: [{ name: pet id, in: path, required: true, schema: { type: string } }], responses: {} } }\n'
      )
      assert.strictEqual(first(imported).operation.path, "/b%20c/%C3%BC/{pet id}")
      assert.strictEqual(sent(first(imported), { "pet id": "ü" }), "GET https://api.shop.example/v1/b c/ü/ü")
      assert.deepStrictEqual(
        [...said(imported, "changed")],
        ["wrote characters of the path that no address may have as percent escapes"]
      )
    })
  )

  it.effect("says what of an address is not left open, and which of several addresses is taken", () =>
    Effect.gen(function* () {
      const at = (servers: string) =>
        importOpenApi([
          {
            file: "open.yaml",
            text: `${head.replace(/servers: .*/, `servers: ${servers}`)}paths: { /a: { get: { operationId: a, responses: {} } } }\n`
          }
        ])
      const oneOfSeveral = "takes one of several addresses (https://a.example)"
      for (const [servers, sends, notes] of [
        // Values to choose among are kept as a variable.
        [
          '[{ url: "https://{region}.a.example", variables: { region: { default: eu, enum: [eu, us] } } }]',
          "https://eu.a.example/a",
          []
        ],
        [
          '[{ url: "https://a.example:{port}/{base}", variables: { port: { default: "8443", enum: ["8443", "443"] }, base: { default: api/v2 } } }]',
          "https://a.example:8443/api/v2/a",
          [
            "filled in 8443 for the part port of the address, which a connection cannot give",
            "filled in api/v2 for the part base of the address, which a connection cannot give"
          ]
        ],
        [
          '[{ url: "https://{region}.a.example", variables: { region: { enum: [eu] } } }]',
          "https://eu.a.example/a",
          []
        ],
        ['[{ url: "https://a.example" }, { url: "https://b.example" }]', "https://a.example/a", [oneOfSeveral]],
        [
          '[{ url: "http://a.example" }, { url: "https://b.example" }, { url: "https://a.example" }]',
          "https://a.example/a",
          [oneOfSeveral]
        ],
        ['[{ url: "http://a.example" }, { url: "https://a.example" }]', "https://a.example/a", []]
      ] as const) {
        const imported = yield* at(servers)
        assert.strictEqual(sent(first(imported), {}), `GET ${sends}`)
        assert.deepStrictEqual([...said(imported, "changed")].sort(), [...notes].sort(), servers)
      }
    })
  )

  it.effect("names what stands in place of a path, an operation or a parameter, and is none", () =>
    Effect.gen(function* () {
      const paths = `paths:
  /none: null
  /list: []
  /text: { get: text, post: null, put: { operationId: put, responses: {} } }
  /a: { get: { operationId: a, parameters: [null, text, { name: q, in: query, schema: { type: string }, type: string }], responses: {} } }
  /b: { get: { operationId: b, parameters: text, responses: {} } }
`
      const swagger = `swagger: "2.0"\ninfo: { title: Shop, version: "1" }\nhost: api.shop.example\nschemes: [https]\nsecurity: []\n`
      for (const [text, ofA, ofB] of [
        [`${head}${paths}`, "shop-example.a", "shop-example.b"],
        [`${swagger}${paths}`, "shop.yaml get /a", "shop.yaml get /b"]
      ] as const) {
        const imported = yield* importOpenApi([{ file: "shop.yaml", text }])
        assert.deepStrictEqual(
          imported.endpoints.map(({ operation }) => [
            String(operation.id),
            Object.keys(operation.input["properties"] ?? {})
          ]),
          [
            ["shop-example.put", []],
            ["shop-example.a", ["q"]],
            ["shop-example.b", []]
          ]
        )
        for (const [message, examples] of [
          ["a path that is no object", ["shop.yaml /none", "shop.yaml /list"]],
          ["an operation that is no object", ["shop.yaml get /text", "shop.yaml post /text"]],
          ["left out a parameter that is no object", [ofA, ofA]],
          ["left out parameters that are no list", [ofB]]
        ] as const)
          assert.deepStrictEqual([...examplesOf(imported, message)], [...examples], message)
      }
    })
  )
})
