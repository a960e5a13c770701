/** A provider on a real socket that does what a test says, and an endpoint of the engine that calls it. */
import * as http from "node:http"
import * as net from "node:net"
import { Effect, Redacted, Schema } from "effect"
import type { JsonObject } from "../../../src/domain/Json.js"
import { type Endpoint, ProviderManifest } from "../../../src/domain/Manifest.js"
import type { CallFailure, Credential, ProviderAnswer, ProviderCall } from "../../../src/domain/ProviderCall.js"
import { endpointsOf } from "../../../src/layers/catalog/ManifestEndpoints.js"
import { listenLocally } from "../../../src/layers/providers/fixture/LocalServer.js"
import { ProvidersHttp, type ProvidersHttpOptions } from "../../../src/layers/providers/ProvidersHttp.js"
import { Providers } from "../../../src/services/Providers.js"

/** Where the test's manifests say that their provider is. */
export const providerOrigin = "https://api.provider.test"

export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

export interface TestProvider {
  readonly origin: string
  readonly port: number
  readonly requests: Array<Seen>
}

export const serve = (respond: (seen: Seen, response: http.ServerResponse, request: http.IncomingMessage) => void) =>
  Effect.gen(function* () {
    const requests: Array<Seen> = []
    const server = http.createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const seen = {
          method: request.method ?? "",
          url: request.url ?? "",
          headers: request.headers,
          body: Buffer.concat(chunks).toString("latin1")
        }
        requests.push(seen)
        respond(seen, response, request)
      })
    })
    const port = yield* Effect.orDie(listenLocally(server))
    const provider: TestProvider = { origin: `http://127.0.0.1:${port}`, port, requests }
    return provider
  })

/** Writes bytes as they are, for answers that no HTTP library would write. */
export const serveBytes = (answer: (socket: net.Socket) => void) =>
  Effect.gen(function* () {
    const sockets = new Set<net.Socket>()
    const server = net.createServer((socket) => {
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.once("data", () => answer(socket))
    })
    const port = yield* Effect.acquireRelease(
      Effect.async<number>(
        (resume) =>
          void server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
          })
      ),
      () =>
        Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        })
    )
    const provider: TestProvider = { origin: `http://127.0.0.1:${port}`, port, requests: [] }
    return provider
  })

export const json = (
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: http.OutgoingHttpHeaders = {}
): void => void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

export interface Shape {
  readonly provider?: object
  readonly operation?: object
}

const decode = Schema.decodeUnknownSync(ProviderManifest)

export const endpointOf = (shape: Shape = {}): Endpoint =>
  endpointsOf(
    decode({
      id: "test",
      name: "Test",
      baseUrl: providerOrigin,
      ...shape.provider,
      operations: [
        {
          id: "test-operation",
          name: "Test operation",
          summary: "What the test needs",
          method: "POST",
          path: "/v1/things",
          input: { type: "object", additionalProperties: true },
          price: { basis: "per_call", micros: 1000 },
          timeoutMs: 2000,
          ...shape.operation
        }
      ]
    })
  )[0]!

export const platformKey = (secret: string): Credential => ({ _tag: "Platform", secret: Redacted.make(secret) })
export const connectionKey = (secret: string): Credential => ({
  _tag: "Connection",
  connectionId: "con_1",
  secret: Redacted.make(secret)
})

export interface CallOptions extends Shape {
  readonly input?: JsonObject
  readonly credential?: Credential
  readonly http?: ProvidersHttpOptions
}

export const engine = (provider: TestProvider, options: ProvidersHttpOptions = {}) =>
  ProvidersHttp({ ...options, origins: { [providerOrigin]: provider.origin, ...options.origins } })

export const callOf = (options: CallOptions) => ({
  endpoint: endpointOf(options),
  input: options.input ?? {},
  credential: options.credential ?? { _tag: "None" as const },
  attemptReference: "att_test"
})

/** How a call ended: with an answer, or with one of its failures. */
export type CallEnd = ({ readonly _tag: "Answered" } & ProviderAnswer) | CallFailure

export const callEnd = (call: Effect.Effect<ProviderAnswer, CallFailure>): Effect.Effect<CallEnd> =>
  Effect.match(call, {
    onFailure: (failed): CallEnd => failed,
    onSuccess: (answer): CallEnd => ({ _tag: "Answered", ...answer })
  })

export type Certainty = "not_sent" | "answered" | "unanswered"

/** `answered`: the provider said that it failed. `unanswered`: the call was lost. */
export const certaintyOf = (failed: CallFailure): Certainty =>
  failed._tag === "CallLost" ? "unanswered" : failed.sent ? "answered" : "not_sent"

export const callWith = (call: ProviderCall): Effect.Effect<CallEnd, never, Providers> =>
  Effect.flatMap(Providers, (providers) => callEnd(providers.call(call)))

/** One call by an engine of its own. */
export const callOnce = (provider: TestProvider, options: CallOptions = {}): Effect.Effect<CallEnd> =>
  Effect.provide(callWith(callOf(options)), engine(provider, options.http))
