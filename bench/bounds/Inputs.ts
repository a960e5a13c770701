/** What a client can send: bodies, inputs against schemas, searches. */
import { readFileSync } from "node:fs"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Either, Schema } from "effect"
import type { Json, JsonObject } from "../../src/domain/Json.js"
import { type Endpoint, ProviderManifest } from "../../src/domain/Manifest.js"
import { consoleFormBytesMax, formFieldsMax } from "../../src/domain/limits/Requests.js"
import { noFilter } from "../../src/domain/CatalogSearch.js"
import { callerBudget } from "../../src/http/BodyBudget.js"
import { bodyText } from "../../src/http/Body.js"
import { fieldProblems, urlEncoded } from "../../src/http/UrlEncoded.js"
import { endpointsOf } from "../../src/layers/catalog/ManifestEndpoints.js"
import { readVocabulary } from "../../src/layers/catalog/VocabularyFiles.js"
import { readCatalog } from "../../src/layers/catalog/CatalogFiles.js"
import { callPlanFor } from "../../src/layers/providers/CallPlan.js"
import { prepare, prepareJob } from "../../src/layers/providers/InputPreparation.js"
import { holdFor } from "../../src/layers/providers/PriceByInput.js"
import { write } from "../../src/layers/providers/RequestWriting.js"
import { digestOf } from "../../src/layers/runs/NewRun.js"
import { servedCatalog, viewer } from "../search/Served.js"
import type { Case, Run } from "./Case.js"

const megabyte = 1_048_576
/** Below the largest body. */
const largest = megabyte - 2_000

const RunBody = Schema.Struct({ endpointId: Schema.String, input: Schema.Unknown })
const readBody = bodyText(RunBody, callerBudget)
const named = (input: string): string => `{"endpointId":"a","input":${input}}`

const bodies: ReadonlyArray<readonly [what: string, text: () => string]> = [
  ["12,000 values", () => named(`[${"1,".repeat(11_990)}1]`)],
  ["a text of 1 MB", () => named(`"${"x".repeat(largest)}"`)],
  ["a text of 1 MB of escapes", () => named(`"${"\\n".repeat(largest / 2)}"`)],
  ["a text of 1 MB of backslashes", () => named(`"${"\\\\".repeat(largest / 2)}"`)],
  ["1 MB of blanks", () => named(" ".repeat(largest) + "1")],
  ["1 MB of lists", () => named("[],".repeat(largest / 3))],
  [
    "64 levels and many names",
    () => named(`[${Array.from({ length: 3_000 }, (_, at) => `{"${"n".repeat(200)}${at}":{"a":1}}`).join(",")}]`)
  ],
  ["1,000 digits, again and again", () => named(`[${`${"1".repeat(1_000)},`.repeat(1_000)}1]`)],
  ["numbers with exponents", () => named(`[${"1e999,".repeat(11_000)}1]`)],
  [
    "12,000 fields of no schema",
    () => `{${Array.from({ length: 480 }, (_, at) => `"${"f".repeat(900)}${at}":1`).join(",")}}`
  ]
]

const forms: ReadonlyArray<readonly [what: string, form: () => string]> = [
  ["as many fields as it may have", () => times(formFieldsMax, (at) => `n${at}=${"x".repeat(80)}`).join("&")],
  ["fields that are all encoded", () => times(formFieldsMax, (at) => `n${at}=${"%C3%A4".repeat(13)}`).join("&")],
  ["one name, again and again", () => Array(formFieldsMax).fill("a=%").join("&")],
  ["a text of 512 KB", () => `a=${"%C3%A4".repeat(consoleFormBytesMax / 6 - 1)}`]
]

const endpointOf = (operation: object): Endpoint => {
  const [endpoint] = endpointsOf(
    Schema.decodeUnknownSync(ProviderManifest)({
      id: "bounds",
      name: "Bounds",
      baseUrl: "https://api.provider.test",
      operations: [
        {
          id: "bounds-operation",
          name: "Bounds",
          summary: "What the case needs",
          method: "POST",
          path: "/v1",
          price: { basis: "per_call", micros: 1000 },
          ...operation
        }
      ]
    })
  )
  if (endpoint === undefined) throw new Error("there is no operation")
  return endpoint
}

const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: "object", properties, ...rest })
const times = <A>(count: number, each: (at: number) => A): Array<A> =>
  Array.from({ length: count }, (_, at) => each(at))
const nested = (levels: number, around: (inner: Json) => Json, innermost: Json): Json => {
  let value = innermost
  for (let level = 0; level < levels; level += 1) value = around(value)
  return value
}
const wide = (required: string): JsonObject => ({
  type: "object",
  required: [required],
  properties: { a: { type: "string", pattern: "^[a-z]+$" } }
})

const schemas: ReadonlyArray<readonly [what: string, schema: JsonObject, input: JsonObject]> = [
  [
    "anyOf that matches its last choice, 12,000 items",
    object({ a: { type: "array", items: { anyOf: [...times(99, (at) => wide(`n${at}`)), {}] } } }),
    { a: times(11_000, () => ({ a: "x" })) }
  ],
  [
    "oneOf of 100, 12,000 items",
    object({ a: { type: "array", items: { oneOf: times(100, (at) => ({ const: at })) } } }),
    { a: times(11_000, () => 99) }
  ],
  [
    "anyOf in anyOf",
    object({
      a: {
        type: "array",
        items: { anyOf: times(40, (at) => ({ anyOf: times(99, (inner) => ({ const: `${at}-${inner}` })) })) }
      }
    }),
    { a: times(11_000, () => "39-98") }
  ],
  [
    "uniqueItems of 11,000",
    object({ a: { type: "array", uniqueItems: true } }),
    { a: times(3_000, (at) => ({ a: at, b: "x".repeat(200), c: at })) }
  ],
  [
    "enum of 10,000",
    object({ a: { type: "array", items: { enum: times(10_000, String) } } }),
    { a: times(11_000, () => "9999") }
  ],
  ["pattern on 1 MB", object({ a: { type: "string", pattern: "^(a+)+$" } }), { a: "a".repeat(megabyte - 200) }],
  [
    "pattern of 1,000 steps on 4 kB",
    object({ a: { type: "array", items: { type: "string", pattern: "(x|y){0,150}z$" } } }),
    { a: times(500, () => "x".repeat(2_000)) }
  ],
  [
    "patternProperties",
    object({}, { patternProperties: Object.fromEntries(times(50, (at) => [`^(a|b){1,9}${at}$`, { type: "number" }])) }),
    Object.fromEntries(times(11_000, (at) => [`ababab${at}`, 1]))
  ],
  [
    "formats of long texts",
    object({ a: { type: "array", items: { type: "string", format: "uri" } } }),
    { a: times(500, () => `http://${"a.".repeat(1_000)}a`) }
  ],
  [
    "format email",
    object({ a: { type: "array", items: { type: "string", format: "email" } } }),
    { a: times(500, () => `${"a.".repeat(1_000)}@b`) }
  ],
  [
    "30 levels",
    nested(28, (inner) => object({ a: inner }, { required: ["a"] }), {
      type: "array",
      items: { type: "integer" }
    }) as JsonObject,
    nested(
      28,
      (inner) => ({ a: inner }),
      times(11_000, () => 1)
    ) as JsonObject
  ],
  [
    "unevaluatedProperties under anyOf",
    {
      anyOf: times(100, (at) => ({ properties: { [`n${at}`]: { type: "string" } } })),
      unevaluatedProperties: true,
      type: "object"
    },
    Object.fromEntries(times(11_000, (at) => [`n${at}`, "x"]))
  ],
  [
    "contains and minContains",
    object({ a: { type: "array", items: { type: "array", contains: { const: 7 }, minContains: 50 } } }),
    { a: times(100, () => times(100, () => 7)) }
  ],
  [
    "2,500 properties",
    object(Object.fromEntries(times(2_400, (at) => [`n${at}`, { type: "string", minLength: 1, maxLength: 5 }]))),
    Object.fromEntries(times(2_400, (at) => [`n${at}`, "x"]))
  ],
  [
    "multipleOf of huge numbers",
    object({ a: { type: "array", items: { type: "number", multipleOf: 0.01 } } }),
    { a: times(11_000, () => 1e300) }
  ]
]

const checking = ([what, schema, input]: (typeof schemas)[number]): Case => ({
  name: `input: ${what}`,
  prepare: (): Run => {
    const endpoint = endpointOf({ input: schema })
    // The first use compiles the schema; that is a case of its own.
    prepare(endpoint, {})
    return () => prepare(endpoint, input)._tag
  }
})

const compiling = ([what, schema]: (typeof schemas)[number]): Case => ({
  name: `schema: compiling ${what}`,
  prepare: (): Run => {
    let version = 0
    return () => prepare({ ...endpointOf({ input: schema }), contractVersion: `v${(version += 1)}` }, {})._tag
  }
})

const file = {
  base64: Buffer.alloc(700_000, 1).toString("base64"),
  name: "a.bin",
  contentType: "application/octet-stream"
}
const requests: ReadonlyArray<readonly [what: string, operation: object, input: JsonObject]> = [
  [
    "multipart with a file of 700 kB",
    { input: object({ a: {} }), bindings: { a: { in: "multipart", name: "a" } } },
    { a: file }
  ],
  [
    "a form of 11,000 fields",
    { input: object({ a: {} }), bindings: { a: { in: "form", name: "a", style: "repeat" } } },
    { a: times(11_000, String) }
  ],
  [
    "deepObject of 11,000 members",
    { input: object({ a: {} }), bindings: { a: { in: "query", name: "a", style: "deepObject" } } },
    { a: Object.fromEntries(times(11_000, (at) => [`n${at}`, at])) }
  ],
  ["JSON of 1 MB", { input: object({ a: {} }) }, { a: times(11_000, (at) => `${"x".repeat(80)}${at}`) }],
  [
    "a path of 1 MB",
    { path: "/v1/{a}", input: object({ a: {} }, { required: ["a"] }) },
    { a: "ä/".repeat(megabyte / 4) }
  ],
  [
    "a header of 1 MB",
    { input: object({ a: {} }), bindings: { a: { in: "header", name: "a" } } },
    { a: "x".repeat(megabyte) }
  ]
]

const writing = ([what, operation, input]: (typeof requests)[number]): Case => ({
  name: `request: ${what}`,
  prepare: (): Run => {
    const endpoint = endpointOf(operation)
    return () => {
      prepareJob(endpoint, input)
      const parts = Either.flatMap(callPlanFor(endpoint), ({ request }) => request.build(input))
      if (Either.isLeft(parts)) return "refused"
      const { body, path } = write(parts.right, "b")
      return `${path.length + String(body ?? "").length} characters`
    }
  }
})

const digests: ReadonlyArray<readonly [what: string, input: () => JsonObject]> = [
  [
    "11,000 names out of order",
    () => Object.fromEntries(times(11_000, (at) => [`n${(at * 7_919) % 11_000}${"x".repeat(80)}`, at]))
  ],
  ["a text of 1 MB", () => ({ a: "ä".repeat(megabyte / 2) })],
  ["64 levels", () => nested(60, (inner) => ({ a: inner, b: times(180, String) }), 1) as JsonObject]
]

const priced: Case = {
  name: "price: an expression over a batch of 11,000",
  prepare: (): Run => {
    const endpoint = endpointOf({
      input: object({ items: { type: "array", maxItems: 12_000 } }),
      price: {
        basis: "per_call",
        micros: 1,
        byInput: "length(join('', input.items[].to_string(@)))",
        maxMicros: 100_000_000
      }
    })
    const input = { items: times(11_000, (at) => `${"x".repeat(80)}${at}`) }
    return () => Either.match(holdFor(endpoint, input), { onLeft: () => "refused", onRight: String })
  }
}

const words = readFileSync(new URL("../../../catalog/words.en.NOTICE.txt", import.meta.url), "utf8").split(/\W+/)
const questions: ReadonlyArray<readonly [what: string, query: string]> = [
  ["512 letters", "x".repeat(512)],
  ["256 words of one letter", "a ".repeat(256)],
  [
    "misspelled words",
    words
      .slice(0, 70)
      .map((word) => word.replace(/[aeiou]/, "q"))
      .join(" ")
      .slice(0, 512)
  ],
  ["words of other languages", "изображение 画像 Übersetzung سعر ".repeat(20).slice(0, 512)],
  ["common words", "find get search list person email company data api web ".repeat(10).slice(0, 512)],
  ["signs that stand for many letters", "ﷺ".repeat(512)],
  ["signs", "!\"'()*+,-./:;<=>?@[]^_`{|}~".repeat(20).slice(0, 512)],
  ["addresses and numbers", "http://a.b/c?d=1 +491234567 a@b.c 12.34 ".repeat(20).slice(0, 512)]
]

const searching = ([what, query]: (typeof questions)[number]): Case => ({
  name: `search: ${what}`,
  prepare: async (): Promise<Run> => {
    const catalog = await Effect.runPromise(
      Effect.flatMap(Effect.all([readCatalog(["catalog"]), readVocabulary("catalog")]), ([content, vocabulary]) =>
        servedCatalog(content, vocabulary)
      ).pipe(Effect.provide(NodeContext.layer))
    )
    return () =>
      Effect.runPromise(
        Effect.map(
          catalog.search({ ...noFilter, q: query, limit: 50, offset: 0, prefer: "balanced" }, viewer),
          ({ total }) => `${total} operations matched`
        )
      )
  }
})

export const inputs: ReadonlyArray<Case> = [
  ...bodies.map(([what, text]): Case => ({
    name: `body: ${what}`,
    prepare: (): Run => {
      const body = text()
      return () => Either.match(readBody(body), { onLeft: ({ details }) => details[0].message, onRight: () => "read" })
    }
  })),
  ...forms.map(([what, form]): Case => ({
    name: `body: a form of ${what}`,
    prepare: (): Run => {
      const text = form()
      return () => {
        const read = urlEncoded(text)
        return `${read.fields.size} fields, ${fieldProblems(read).length} problems`
      }
    }
  })),
  ...schemas.map(checking),
  ...schemas.map(compiling),
  ...requests.map(writing),
  ...digests.map(([what, input]): Case => ({
    name: `digest: ${what}`,
    prepare: (): Run => {
      const request = { endpointId: "a", input: input(), connectionId: null }
      return () => digestOf(request as never)
    }
  })),
  priced,
  ...questions.map(searching)
]
