// Sends a call through the gateway's own engine to a server of this process, and keeps what arrived there.
import * as http from "node:http"
import { Effect, Layer, Redacted } from "effect"
import type { Endpoint } from "../../src/domain/Manifest.js"
import type { Json } from "../../src/domain/Json.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { inventedKey } from "../../src/layers/providers/InventedKeys.js"
import { ProvidersHttp } from "../../src/layers/providers/ProvidersHttp.js"
import { exampleValues } from "../../src/layers/providers/Variables.js"
import { Providers } from "../../src/services/Providers.js"
import { isMembers } from "./Document.js"
import { fileText, isFileValue } from "./Samples.js"
import type { Call } from "./Reader.js"

export const user = "measured-user"
export const password = "measured-password"
export const key = "measured-key"

export interface Arrived {
  readonly method: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

/** The server, and the engine that calls it in place of every other. */
export const stage = Effect.gen(function* () {
  let last: Arrived | undefined
  const server = http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers, method = "", url = "" } = request
      const isToken = Buffer.concat(chunks).toString().includes("grant_type=client_credentials")
      if (!isToken) last = { method, url, headers, body: Buffer.concat(chunks) }
      response.writeHead(200, { "content-type": "application/json" })
      response.end(isToken ? JSON.stringify({ access_token: key, expires_in: 3600 }) : "{}")
    })
  })
  const port = yield* listenLocally(server)
  const services = yield* Layer.build(
    ProvidersHttp({ elsewhere: `http://127.0.0.1:${port}`, egressAllow: [`127.0.0.1:${port}`] })
  )
  const providers = yield* Effect.provide(Providers, services)
  return (endpoint: Endpoint, call: Call) =>
    Effect.gen(function* () {
      last = undefined
      const prepared = providers.prepare(endpoint, inputOf(endpoint, call))
      if (prepared._tag === "Rejected") return `refused: ${JSON.stringify(prepared.problems).slice(0, 300)}`
      const { auth, variables } = endpoint.provider
      const failed = yield* providers
        .call({
          endpoint,
          input: prepared.input,
          credential:
            auth.type === "none"
              ? { _tag: "None" }
              : {
                  _tag: "Connection",
                  connectionId: "con_measured",
                  secret: Redacted.make(inventedKey(auth, user, password, key)),
                  variables: exampleValues(variables),
                  ...(auth.type === "oauth2_authorization_code"
                    ? { accessTokens: { take: () => Effect.succeed(Redacted.make(key)) } }
                    : {})
                },
          attemptReference: "measured"
        })
        .pipe(
          Effect.as(""),
          Effect.catchAll(({ failure }) => Effect.succeed(`${failure.code}: ${failure.message}`))
        )
      return last ?? `not sent: ${failed}`
    })
})

const files = (value: unknown): Json => {
  if (isFileValue(value)) return { base64: Buffer.from(fileText).toString("base64"), filename: "a.txt" }
  if (Array.isArray(value)) return value.map(files)
  if (isMembers(value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, files(each)]))
  return value as Json
}

/** The input of a customer who has read the manifest: which of its fields stands for which part of the call. */
const inputOf = ({ operation }: Endpoint, { body, given }: Call): { readonly [name: string]: Json } => {
  const bindings = Object.entries(operation.bindings)
  const fieldFor = (place: string, name: string): string =>
    bindings.find(
      ([, binding]) => binding.in === place && [name, `${name}[*]`, name.replaceAll(".", "\\.")].includes(binding.name)
    )?.[0] ?? name
  const properties = isMembers(operation.input["properties"]) ? operation.input["properties"] : {}
  const input: { [name: string]: Json } = {}
  for (const { name, place, value } of given) {
    const field = fieldFor(place, name)
    // An object that the document spreads over the query has a field for each of its members.
    if (place === "query" && isMembers(value) && properties[field] === undefined)
      for (const [member, each] of Object.entries(value)) input[fieldFor(place, member)] = files(each)
    else input[field] = files(value)
  }
  if (body === null) return input
  const whole = operation.body
  if (whole !== undefined && "field" in whole) return { ...input, [whole.field]: files(body.value) }
  const place = placeOf(operation)
  for (const [name, value] of Object.entries(isMembers(body.value) ? body.value : {}))
    input[fieldFor(place, name)] = files(value)
  return input
}

export const placeOf = ({ bindings, body }: Endpoint["operation"]): "json" | "form" | "multipart" | "raw" => {
  if (body !== undefined && (body.as === "text" || body.as === "bytes" || body.as === "xml")) return "raw"
  const places = new Set(Object.values(bindings).map((binding) => binding.in))
  return places.has("multipart") ? "multipart" : places.has("form") ? "form" : "json"
}
