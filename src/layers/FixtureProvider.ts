/**
 * A provider of the gateway's own: a real HTTP server that answers believable things, or exactly what the input key `_mock`
 * asks for, and counts every call. It keeps nothing beyond its process and knows nothing of the gateway that calls it.
 * Manifests name it `http://fixture.invalid`; ProvidersHttp is told the port by its `origins`.
 */
import * as http from "node:http"
import { Effect, Either, type Scope } from "effect"
import { isObject, type JsonObject } from "../domain/Json.js"
import { readJson, writeJson } from "../domain/LosslessJson.js"
import { type Answer, answers } from "./fixture/Answers.js"
import { listenLocally, type PortUnavailable } from "./fixture/LocalServer.js"
import { readScript, type Script } from "./fixture/Script.js"
import { setBounded } from "./providers/BoundedMap.js"

/** The origin under which manifests know the fixture; it resolves nowhere by itself (RFC 2606). */
export const fixtureOrigin = "http://fixture.invalid"

export interface FixtureCalls {
  /** Calls of one endpoint id; of all of them without one. */
  readonly of: (endpointId?: string) => number
  /** Calls that carried this attempt reference. */
  readonly byReference: (attemptReference: string) => number
  readonly reset: () => void
}

export interface Fixture {
  readonly port: number
  /** What `fixtureOrigin` stands for. */
  readonly origin: string
  readonly calls: FixtureCalls
}

/** Attempt references that are remembered, so that a benchmark does not fill the memory. */
const referencesMax = 200_000
const bodyBytesMax = 2_097_152
const bytesMax = 1_073_741_824
const referenceHeader = "idempotency-key"

const parse = (text: string): JsonObject => {
  const value = Either.getOrElse(readJson(text), () => null)
  return isObject(value) ? value : {}
}

const send = (response: http.ServerResponse, status: number, contentType: string, body: string | Uint8Array): void => {
  // As real providers do; the gateway's runs then say how long to wait.
  if (status === 429 || status === 503) response.setHeader("retry-after", "1")
  // These have no body, and say so by having no length either.
  if (status === 204 || status === 304) return void response.writeHead(status).end()
  response.writeHead(status, { "content-type": contentType, "content-length": typeof body === "string" ? Buffer.byteLength(body) : body.length })
  response.end(body)
}

const fill = Buffer.alloc(65_536, "x")

/** How an answer begins and ends; what lies between is filled up. */
interface Frame {
  readonly contentType: string
  readonly head: Buffer
  readonly tail: Buffer
}

const nothing: Buffer = Buffer.alloc(0)

/** The operation's own answer: JSON grows in a member `padding`, texts and files behind their end. */
const frameOf = ({ body, contentType }: Answer): Frame => {
  if (typeof body === "string" || body instanceof Uint8Array) return { contentType, head: Buffer.from(body), tail: nothing }
  const text = writeJson({ ...body, padding: "" })
  return { contentType, head: Buffer.from(text.slice(0, -2)), tail: Buffer.from(text.slice(-2)) }
}

/** That many bytes, written as fast as the reader takes them; JSON is never cut and may be longer. */
const pour = (response: http.ServerResponse, status: number, { contentType, head, tail }: Frame, bytes: number): void => {
  const start = tail.length === 0 ? head.subarray(0, bytes) : head
  let left = Math.max(0, bytes - start.length - tail.length)
  response.writeHead(status, { "content-type": contentType, "content-length": start.length + left + tail.length })
  response.write(start)
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      const size = Math.min(left, fill.length)
      left -= size
      if (!response.write(size === fill.length ? fill : fill.subarray(0, size))) return void response.once("drain", more)
    }
    response.end(tail)
  }
  more()
}

const referenceOf = (request: http.IncomingMessage): string | null => {
  const value = request.headers[referenceHeader]
  return typeof value === "string" ? value : null
}

const respond = (endpointId: string, input: JsonObject, script: Script, request: http.IncomingMessage, response: http.ServerResponse): void => {
  const { base64, body: scripted, bytes, contentType, costMicros: cost, drop, outcome = "hit", redirect, status } = script
  if (drop === true) return void request.socket.destroy()
  if (redirect !== undefined) {
    response.writeHead(status ?? 302, { location: redirect })
    return void response.end()
  }
  if (drop === "mid") {
    response.writeHead(status ?? 200, { "content-type": contentType ?? "application/json", "content-length": 4096 })
    return void response.write("{\"partial\":", () => request.socket.destroy())
  }
  const ordinary = (): Answer => answers(endpointId, input, outcome, { headers: Object.keys(request.headers), reference: referenceOf(request) })
  if (bytes !== undefined) {
    const size = Math.min(bytesMax, Math.max(0, Math.trunc(bytes)))
    return pour(response, status ?? 200, contentType === undefined ? frameOf(ordinary()) : { contentType, head: nothing, tail: nothing }, size)
  }
  if (base64 !== undefined) return send(response, status ?? 200, contentType ?? "application/octet-stream", Buffer.from(base64, "base64"))
  if (scripted !== undefined) {
    return send(response, status ?? 200, contentType ?? "application/json", typeof scripted === "string" ? scripted : writeJson(scripted))
  }
  if (status !== undefined && (status < 200 || status > 299)) {
    return send(response, status, contentType ?? "application/json", JSON.stringify({ error: { code: `http_${status}`, message: `The fixture was asked to answer ${status}.` } }))
  }
  const answer = ordinary()
  if (typeof answer.body === "string" || answer.body instanceof Uint8Array) return send(response, status ?? 200, contentType ?? answer.contentType, answer.body)
  send(response, status ?? 200, contentType ?? "application/json", writeJson(cost === undefined ? answer.body : { ...answer.body, cost_micros: cost }))
}

const makeServer = (): { readonly server: http.Server; readonly calls: FixtureCalls } => {
  const byEndpoint = new Map<string, number>()
  const byReference = new Map<string, number>()
  const count = (counts: Map<string, number>, key: string): void => setBounded(counts, referencesMax, key, (counts.get(key) ?? 0) + 1)
  const calls: FixtureCalls = {
    of: (endpointId) => (endpointId === undefined ? [...byEndpoint.values()].reduce((sum, each) => sum + each, 0) : byEndpoint.get(endpointId) ?? 0),
    byReference: (reference) => byReference.get(reference) ?? 0,
    reset: () => {
      byEndpoint.clear()
      byReference.clear()
    }
  }

  const server = http.createServer((request, response) => {
    const path = request.url ?? "/"
    if (path === "/_calls") {
      return send(response, 200, "application/json", JSON.stringify({ calls: Object.fromEntries(byEndpoint), references: Object.fromEntries(byReference) }))
    }
    if (!path.startsWith("/v1/") || request.method !== "POST") {
      return send(response, 404, "application/json", JSON.stringify({ error: { code: "not_found", message: "The fixture has no such operation." } }))
    }
    const endpointId = path.slice("/v1/".length)
    const chunks: Array<Buffer> = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size > bodyBytesMax) request.destroy()
      else chunks.push(chunk)
    })
    request.on("end", () => {
      count(byEndpoint, endpointId)
      const reference = referenceOf(request)
      if (reference !== null) count(byReference, reference)
      const input = parse(Buffer.concat(chunks).toString("utf8"))
      const script = readScript(input["_mock"] ?? {})
      if (Either.isLeft(script)) return send(response, 400, "application/json", JSON.stringify({ error: { code: "bad_mock", message: script.left } }))
      const delayMs = script.right.delayMs ?? slowness(endpointId)
      // Whatever goes wrong with one answer ends that answer, and not the process of everybody else's.
      const answer = Effect.catchAllDefect(Effect.sync(() => respond(endpointId, input, script.right, request, response)), () => Effect.sync(() => void response.destroy()))
      if (delayMs <= 0) return Effect.runSync(answer)
      const waiting = Effect.runFork(Effect.delay(answer, delayMs))
      response.once("close", () => waiting.unsafeInterruptAsFork(waiting.id()))
    })
  })
  // Longer than the gateway keeps an idle socket, so that it is never the fixture that closes under a request.
  server.keepAliveTimeout = 75_000
  return { server, calls }
}

const slowMs = 120
const slowness = (endpointId: string): number => (endpointId === "mock-slow-email-find" ? slowMs : 0)

export const FixtureProvider = {
  /** Listens on loopback until the scope closes; port 0 takes a free one. */
  start: (options: { readonly port?: number } = {}): Effect.Effect<Fixture, PortUnavailable, Scope.Scope> =>
    Effect.suspend(() => {
      const { calls, server } = makeServer()
      return Effect.map(listenLocally(server, options.port), (port) => ({ port, origin: `http://127.0.0.1:${port}`, calls }))
    })
}
