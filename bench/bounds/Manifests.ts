/** What operators and authors can give: manifests, publications, OpenAPI documents. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Either, Schema } from "effect"
import type { JsonObject } from "../../src/domain/Json.js"
import { ProviderManifest } from "../../src/domain/Manifest.js"
import { importOpenApi } from "../../src/layers/catalog/import/ImportOpenApi.js"
import { endpointsOf } from "../../src/layers/catalog/ManifestEndpoints.js"
import { readProvider } from "../../src/layers/catalog/ManifestReading.js"
import { buildRevision } from "../../src/layers/catalog/Revision.js"
import { catalogProblems } from "../../src/layers/catalog/Soundness.js"
import { readVocabulary } from "../../src/layers/catalog/VocabularyFiles.js"
import { compile } from "../../src/layers/providers/Expressions.js"
import { linearPattern } from "../../src/layers/providers/LinearPatterns.js"
import { checkVocabulary } from "../../src/layers/providers/SchemaVocabulary.js"
import type { Case, Run } from "./Case.js"

const times = <A>(count: number, each: (at: number) => A): Array<A> =>
  Array.from({ length: count }, (_, at) => each(at))

const fields = (at: number): JsonObject => ({
  type: "object",
  required: ["q"],
  properties: Object.fromEntries(
    times(12, (field) => [
      `${field === 0 ? "q" : `field_${field}_${at}`}`,
      { type: "string", description: "A field of it", maxLength: 100 }
    ])
  )
})
const operation = (at: number): object => ({
  id: `bounds-operation-${at}`,
  name: `Operation ${at}`,
  summary: `Finds the things of kind ${at} that somebody asks for`,
  method: "POST",
  path: `/v1/things/${at}`,
  input: fields(at),
  price: { basis: "per_call", micros: 1000 },
  response: { success: "body.data", miss: "!(body.data.items)" }
})
const provider = (operations: ReadonlyArray<object>, rest: object = {}): object => ({
  id: "bounds",
  name: "Bounds",
  baseUrl: "https://api.provider.test",
  ...rest,
  operations
})
const decoded = (manifest: object) => endpointsOf(Schema.decodeUnknownSync(ProviderManifest)(manifest))

const reading = (what: string, text: () => string): Case => ({
  name: `manifest: ${what}`,
  alone: true,
  prepare: (): Run => {
    const file = { file: "bounds.yaml", text: text() }
    return () =>
      Either.match(readProvider(file), {
        onLeft: ([problem]) => (problem?.message ?? "refused").slice(0, 60),
        onRight: ({ manifest }) => `${manifest.operations.length} operations`
      })
  }
})

const laughs = [
  "a0: &a0 [x, x, x, x, x, x, x, x, x, x]",
  ...times(9, (at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)} *a${at}]`)
]

const documents = (what: string, document: () => object): Case => ({
  name: `import: ${what}`,
  alone: true,
  prepare: (): Run => {
    const text = JSON.stringify(document())
    return () =>
      Effect.runPromise(
        Effect.map(importOpenApi([{ file: "bounds.json", text }]), ({ endpoints }) => `${endpoints.length} operations`)
      )
  }
})

const openApi = (paths: object, schemas: object): object => ({
  openapi: "3.0.0",
  info: { title: "Bounds", version: "1" },
  servers: [{ url: "https://api.provider.test" }],
  paths,
  components: { schemas }
})
const body = (schema: object, id = "x"): object => ({
  post: {
    operationId: id,
    requestBody: { content: { "application/json": { schema } } },
    responses: { 200: { description: "ok" } }
  }
})

export const manifests: ReadonlyArray<Case> = [
  reading("aliases that grow tenfold nine times", () => `${laughs.join("\n")}\n`),
  reading("a list 20,000 levels deep", () => `id: ${"[".repeat(20_000)}${"]".repeat(20_000)}`),
  reading("1 MB of one text", () => `id: "${"x".repeat(1_000_000)}"`),
  reading("1,000 operations", () => JSON.stringify(provider(times(1_000, operation)))),
  {
    name: "manifest: 10,000 operations become a revision",
    prepare: async (): Promise<Run> => {
      const endpoints = decoded(provider(times(10_000, operation)))
      const vocabulary = await Effect.runPromise(readVocabulary("catalog").pipe(Effect.provide(NodeContext.layer)))
      return () =>
        Effect.runPromise(
          Effect.map(
            buildRevision({ endpoints, jobs: [] }, vocabulary),
            (revision) => `${revision.endpoints.length} operations`
          )
        )
    }
  },
  ...(["requests", "schemas"] as const).map((thoroughness): Case => ({
    name: `manifest: 10,000 operations are checked (${thoroughness})`,
    prepare: (): Run => {
      const endpoints = decoded(provider(times(thoroughness === "schemas" ? 1_000 : 10_000, operation)))
      return () =>
        Effect.runPromise(
          Effect.map(
            catalogProblems({ endpoints, jobs: [] }, thoroughness),
            (problems) => `${problems.length} problems`
          )
        )
    }
  })),
  {
    name: "manifest: the largest schema is checked",
    alone: true,
    prepare: (): Run => {
      const [endpoint] = decoded(
        provider([
          {
            ...operation(0),
            input: {
              type: "object",
              properties: Object.fromEntries(
                times(4_900, (at) => [`n${at}`, { type: "string", pattern: `^[a-z]{1,20}${at}$` }])
              )
            }
          }
        ])
      )
      return () =>
        Effect.runPromise(
          Effect.map(
            catalogProblems({ endpoints: endpoint === undefined ? [] : [endpoint], jobs: [] }, "schemas"),
            (problems) => `${problems.length} problems`
          )
        )
    }
  },
  {
    name: "manifest: a schema of 10,000 levels",
    prepare: (): Run => {
      let schema: JsonObject = { type: "string" }
      for (let level = 0; level < 2_000; level += 1) schema = { type: "object", properties: { a: schema } }
      return () => `${checkVocabulary(schema).problems.length} problems`
    }
  },
  ...[
    ["10,000 characters of parentheses", "(".repeat(4_900) + "a" + ")".repeat(4_900)],
    ["10,000 characters of alternatives", `a${"||a".repeat(3_300)}`],
    ["10,000 characters of brackets", "[".repeat(9_900)],
    ["10,000 characters of a literal", `\`${"[".repeat(4_000)}${"]".repeat(4_000)}\``],
    ["a path of 5,000 steps", `a${".a".repeat(4_900)}`]
  ].map(([what = "", source = ""]): Case => ({
    name: `expression: ${what}`,
    prepare: (): Run => () =>
      Either.match(compile(source), { onLeft: (message) => message.slice(0, 60), onRight: () => "compiled" })
  })),
  ...[
    "(((a{1,9}){1,9}){1,9}){1,9}",
    "[^a]".repeat(249),
    "(a|b|c|d)*".repeat(99),
    "\\p{L}".repeat(190),
    "(?i)".concat("ſ".repeat(900))
  ].map((pattern): Case => ({
    name: `pattern: ${pattern.slice(0, 30)}`,
    prepare: (): Run => () =>
      Either.match(linearPattern(pattern), { onLeft: (message) => message.slice(0, 60), onRight: () => "compiled" })
  })),
  documents("1,000 operations", () =>
    openApi(Object.fromEntries(times(1_000, (at) => [`/p${at}`, body(fields(at), `x${at}`)])), {})
  ),
  documents("a schema that refers to itself twice", () =>
    openApi(
      { "/a": body({ $ref: "#/components/schemas/A" }) },
      {
        A: {
          type: "object",
          properties: { a: { $ref: "#/components/schemas/A" }, b: { $ref: "#/components/schemas/A" } }
        }
      }
    )
  ),
  documents("references that double thirty times", () =>
    openApi(
      { "/a": body({ $ref: "#/components/schemas/S30" }) },
      Object.fromEntries(
        times(31, (at) => [
          `S${at}`,
          at === 0
            ? { type: "string" }
            : {
                type: "object",
                properties: {
                  a: { $ref: `#/components/schemas/S${at - 1}` },
                  b: { $ref: `#/components/schemas/S${at - 1}` }
                }
              }
        ])
      )
    )
  ),
  documents("allOf of 2,000", () => openApi({ "/a": body({ allOf: times(2_000, fields) }) }, {})),
  documents("100 operations that share a schema of 2,000 fields", () =>
    openApi(Object.fromEntries(times(100, (at) => [`/p${at}`, body({ $ref: "#/components/schemas/A" }, `x${at}`)])), {
      A: { type: "object", properties: Object.fromEntries(times(2_000, (at) => [`n${at}`, { type: "string" }])) }
    })
  )
]
