/** A megabyte of the worst shapes as requests to a route: what stands in them, and where. */
import { isObject, type Json, type JsonObject } from "../../src/domain/Json.js"
import { bodyBytesMax, bodyNameCharsMax, bodyNumberCharsMax, inputValuesMax } from "../../src/domain/limits/Requests.js"
import type { Route } from "../../src/http/Access.js"
import { apiRoutes } from "../../src/http/ApiRoutes.js"
import { consolePages } from "../../src/http/console/Pages.js"
import { consoleRoutes } from "../../src/http/console/Serving.js"
import { authorizationServerRoutes } from "../../src/http/logins/AuthorizationServer.js"
import { mcpRoutes } from "../../src/http/mcp/Serving.js"
import { openApiDocument } from "../../src/http/OpenApi.js"
import { providerCallbackRoutes } from "../../src/http/ProviderCallbacks.js"

/** Everything that a gateway answers, as its boundary knows it. */
export const allRoutes: ReadonlyArray<Route> = [
  ...apiRoutes,
  ...consoleRoutes(consolePages),
  ...mcpRoutes,
  ...providerCallbackRoutes,
  ...authorizationServerRoutes("http://gateway.invalid")
]

const times = (count: number, item: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => item(n)).join(",")
/** As often as it fits beside the rest of a body. */
const filled = (text: string, max = bodyBytesMax - 1_000): string => text.repeat(Math.floor(max / text.length))

/** Beside what the operation needs. */
const valuesMax = inputValuesMax - 10

/** JSON values of up to a megabyte, by what is bad about them. */
const shapes: { readonly [name: string]: string } = {
  "deep lists": "[".repeat(500_000) + "]".repeat(500_000),
  "deep objects": '{"a":'.repeat(150_000) + "1" + "}".repeat(150_000),
  "many members": `{${times(75_000, (n) => `"k${n}":1`)}}`,
  "many items": `[${filled("1,")}1]`,
  "many empty objects": `[${filled("{},")}1]`,
  "as many members as may be": `{${times(valuesMax, (n) => `"${String(n).padStart(40, "k")}":1`)}}`,
  "as many dotted names as may be": `{${times(valuesMax, (n) => `"x.${n}.${n * 10_000}":1`)}}`,
  "as many objects as may be": `[${times(valuesMax / 2, (n) => `{"key":"${n}"}`)}]`,
  "as many texts as may be": `[${times(500, () => `"${"t".repeat(2_000)}"`)}]`,
  "a long name": `{"${"k".repeat(bodyBytesMax - 1_000)}":1}`,
  "names as long as may be": `{${times(900, (n) => `"${String(n).padStart(bodyNameCharsMax, "k")}":1`)}}`,
  "a long number": "9".repeat(bodyBytesMax - 1_000),
  "numbers as long as may be": `[${times(900, () => "9".repeat(bodyNumberCharsMax))}]`,
  fractions: `[${times(valuesMax, (n) => `1.2345678901234567${n}e-300`)}]`,
  exponents: `[${times(valuesMax, (n) => `1${n}e999999999`)}]`,
  escapes: `"${filled("\\u0041")}"`,
  quotes: `"${filled('\\"')}"`,
  backslashes: `"${filled("\\\\")}"`,
  "surrogate pairs": `"${filled("\\ud83d\\ude00")}"`,
  "half surrogates": `"${filled("\\ud83d")}"`,
  emoji: `"${filled("😀", 250_000)}"`,
  dots: `"${filled("a.")}"`,
  "a link of dots": `"http://${filled("a.")}"`,
  "an address of signs": `"${filled("a@")}"`,
  digits: `"+${filled("1")}"`,
  blanks: `"a${filled(" ")}b"`,
  "half of a JSON text": `{"a":[${filled("1,")}`,
  "no JSON": filled('{"')
}

const forms: { readonly [name: string]: string } = {
  "many form fields": filled("a&"),
  "one form field many times": filled("a=1&"),
  "percent signs": `token=${filled("%41")}`,
  "broken percent signs": `token=${filled("%")}`
}

/** As much of each as the head of a request may have. */
const texts = [
  "a".repeat(3_500),
  "a.".repeat(1_700),
  ",".repeat(3_500),
  "%F0%9F%98%80".repeat(280),
  "%00".repeat(1_100),
  "%".repeat(3_500),
  "1".repeat(3_500),
  "-".repeat(3_500)
]
const queries = [
  times(3_500, () => "a=1").replaceAll(",", "&"),
  "&".repeat(12_000),
  "=".repeat(12_000),
  "%41&".repeat(3_000),
  times(1_500, (n) => `p${n}=1`).replaceAll(",", "&")
]
const heads: ReadonlyArray<Record<string, string>> = [
  { "if-none-match": times(3_000, () => '"a"') },
  { accept: times(2_000, () => "a/b;q=1") },
  { range: `bytes=${times(3_000, () => "0-")}` },
  { authorization: `Bearer ${"a".repeat(12_000)}` },
  { authorization: `Bearer pgw_${"0".repeat(12_000)}` },
  { "idempotency-key": "k,".repeat(6_000) },
  { "x-request-id": "a".repeat(12_000) },
  { "x-service-agent": "a".repeat(12_000) },
  { "content-type": `application/json;${" ".repeat(12_000)}` }
]

export interface Sent {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: string
}

const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** What a field needs so that the body comes as far as it can; others are text. */
const samples: { readonly [field: string]: string } = {
  endpointId: '"mock-email-find"',
  input: '{"name":"Ada Example","domain":"example.com"}',
  catalogItemIds: '["mock-email-find","mock-email-verify"]',
  providerId: '"mock"',
  scopes: '["runs:read"]',
  digest: `"${"0".repeat(64)}"`
}

const document = openApiDocument()
const template = (path: string): string => path.replace(/:([A-Za-z]+)/g, "{$1}")

/** The fields of a route's JSON body, required ones first; none when it has no such body. */
const fieldsOf = ({
  method,
  path
}: Route): { readonly all: ReadonlyArray<string>; readonly required: ReadonlyArray<string> } => {
  const operation = object(object(object(document["paths"])[template(path)])[method.toLowerCase()])
  const schema = object(object(object(object(operation["requestBody"])["content"])["application/json"])["schema"])
  const name = typeof schema["$ref"] === "string" ? (schema["$ref"].split("/").at(-1) ?? "") : ""
  const resolved = name === "" ? schema : object(object(object(document["components"])["schemas"])[name])
  const required = Array.isArray(resolved["required"]) ? resolved["required"].map(String) : []
  return { all: Object.keys(object(resolved["properties"])), required }
}

const withField = (
  required: ReadonlyArray<string>,
  field: string,
  value: string,
  others: { readonly [field: string]: string } = {}
): string =>
  `{${[...required.filter((name) => name !== field).map((name) => `"${name}":${others[name] ?? samples[name] ?? '"a"'}`), `"${field}":${value}`].join(",")}}`

let keys = 0

/** Messages of the Model Context Protocol that come as far as a tool, or as its arguments. */
const messagesOf = (name: string, value: string): ReadonlyArray<readonly [what: string, body: string]> => {
  const calling = (args: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_operation","arguments":${args}}}`
  const run = `{"idempotencyKey":"worst ${++keys}","endpointId":"mock-email-find","input":{"name":"Ada Example","domain":"example.com","x":${value}}}`
  return [
    [`${name} as arguments of a tool`, calling(value)],
    [`${name} in the input that a tool is given`, calling(run)]
  ]
}

const bodiesOf = (route: Route): ReadonlyArray<readonly [what: string, body: string]> => {
  if (route.path === "/mcp")
    return Object.entries(shapes).flatMap(([name, value]) => [[name, value] as const, ...messagesOf(name, value)])
  const { all, required } = fieldsOf(route)
  const wholes = Object.entries(shapes)
  const inside = all.flatMap((field) =>
    wholes.map(([name, value]) => [`${name} as ${field}`, withField(required, field, value)] as const)
  )
  if (!all.includes("endpointId") || !all.includes("input")) return [...wholes, ...inside]
  // Inputs that are taken: beside what the operation needs, and where a job looks for something.
  const taken = (input: string, endpointId: string) =>
    withField(required, "input", `{"name":"Ada Example","domain":"example.com",${input}}`, {
      endpointId: `"${endpointId}"`
    })
  const inRuns = wholes.flatMap(([name, value]) => [
    [`${name} in the input of a tool`, taken(`"x":${value}`, "mock-email-find")] as const,
    [`${name} in the input of a job`, taken(`"x":${value}`, "job:people.email.find")] as const,
    ...["url", "email"].map(
      (field) => [`${name} as ${field} of a job`, taken(`"${field}":${value}`, "job:people.email.find")] as const
    )
  ])
  return [...wholes, ...inside, ...inRuns]
}

/**
 * Everything that is sent to a route by one caller. Who is turned away before the body is read need not send every
 * field.
 */
export const requestsOf = (route: Route, token: string | null): ReadonlyArray<Sent> => {
  const filledIn = (value: string) => route.path.replace(/:[A-Za-z]+/g, value)
  const path = filledIn("run_00000000000000000000000000")
  const authorization: Record<string, string> = {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(route.path === "/mcp" ? { accept: "application/json, text/event-stream" } : {})
  }
  const headersOf = (type: string) => ({ ...authorization, "content-type": type, "idempotency-key": `worst ${++keys}` })
  const wait = route.parameters.has("wait") ? "?wait=20" : ""
  const turnedAway =
    token === null && route.access !== "public" && route.access !== "optional-token" && route.access !== "probe"
  const bodies = turnedAway ? Object.entries(shapes) : bodiesOf(route)
  const { method } = route
  return [
    ...bodies.map(([what, body]) => ({
      what,
      method,
      path: path + wait,
      headers: headersOf("application/json"),
      body
    })),
    ...Object.entries(forms).map(([what, body]) => ({
      what,
      method,
      path,
      headers: headersOf("application/x-www-form-urlencoded"),
      body
    })),
    ...queries.map((query, n) => ({ what: `query ${n}`, method, path: `${path}?${query}`, headers: authorization })),
    ...[...route.parameters].flatMap((name) =>
      texts.map((text, n) => ({
        what: `text ${n} as ${name}`,
        method,
        path: `${path}?${name}=${text}`,
        headers: authorization
      }))
    ),
    ...(path === route.path
      ? []
      : texts.map((text, n) => ({
          what: `text ${n} in the path`,
          method,
          path: filledIn(text),
          headers: authorization
        }))),
    ...heads.map((head) => ({
      what: `header ${Object.keys(head)[0]}`,
      method,
      path,
      headers: { ...authorization, ...head }
    }))
  ]
}

/** The same request with another key, where it has one: the answer to a known key costs less. */
export const renamed = (sent: Sent): Sent => ({
  ...sent,
  headers:
    sent.headers["idempotency-key"]?.startsWith("worst ") === true
      ? { ...sent.headers, "idempotency-key": `worst ${++keys}` }
      : sent.headers,
  ...(sent.body === undefined
    ? {}
    : { body: sent.body.replace(/"idempotencyKey":"worst \d+"/, () => `"idempotencyKey":"worst ${++keys}"`) })
})
