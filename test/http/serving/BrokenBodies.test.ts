// Bodies that break off, and what is sent behind an answer: nothing of either stays in the gateway.
import { createServer } from "node:http"
import { connect, type Socket } from "node:net"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { bodyPiecesMax, discardBytesMax } from "../../../src/domain/limits/Requests.js"
import { rawBody } from "../../../src/http/Body.js"
import { makeBoundary } from "../../../src/http/Boundary.js"
import { tellAllResponses } from "../../../src/http/serving/HangUps.js"
import { listen } from "../../../src/http/serving/Listening.js"
import { makeRefusing } from "../../../src/http/serving/Refusing.js"
import { type Call, type Request, route, Routes, RoutesLayer } from "../../../src/http/serving/Routes.js"
import { HttpSettings } from "../../../src/http/Settings.js"
import { boundUnreadBodies } from "../../../src/http/serving/UnreadBodies.js"
import { hearOnly, makeEndings } from "../../../src/http/Stopping.js"
import { Ids } from "../../../src/services/Ids.js"
import { RateLimiter } from "../../../src/services/RateLimiter.js"
import { generous, httpSettings } from "../../support/httpGateway.js"

type Handle = (call: Call) => Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, Request>

const services = Layer.mergeAll(
  RoutesLayer,
  Layer.succeed(Ids, { suffix: Effect.succeed("1"), suffixes: () => Effect.succeed([]) }),
  Layer.succeed(RateLimiter, { take: generous, takePublic: generous }),
  Layer.succeed(HttpSettings, httpSettings)
)

/** A server as the gateway's, but for the time that a request may take. Its only route is `POST /things`. */
const serving = (handle: Handle, requestTimeout = 200) =>
  Effect.gen(function* () {
    const { add } = yield* Routes
    yield* add(route({ method: "POST", path: "/things" }, Context.empty(), handle))
    const boundary = yield* makeBoundary([], { isPage: () => false, answer: () => Effect.never })
    const server = createServer({ requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval: 50 })
    const endings = makeEndings()
    hearOnly(server, endings.arrived)
    tellAllResponses(server)
    server.on("request", boundary)
    const { refuseTunnel, refuseUnreadable } = makeRefusing(() => "req_1", endings, "http://127.0.0.1")
    server.on("clientError", refuseUnreadable)
    server.on("connect", refuseTunnel)
    boundUnreadBodies(server)
    return yield* listen(server, { host: "127.0.0.1", port: 0 })
  }).pipe(Effect.provide(services))

const opened = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => undefined)),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** All that comes until the server says that nothing more does. */
const heardOn = (socket: Socket) =>
  Effect.async<string>((resume) => {
    let text = ""
    socket.setEncoding("utf8")
    socket.on("data", (chunk: string) => {
      text += chunk
    })
    socket.on("end", () => resume(Effect.succeed(text)))
  })

/** Sends for as long as the connection takes it. */
const streamed = (socket: Socket, piece: string): void => {
  const push = () => {
    if (!socket.destroyed && socket.write(piece)) setImmediate(push)
  }
  socket.on("drain", push)
  push()
}

const closed = (socket: Socket) =>
  Effect.async<void>((resume) => {
    socket.once("close", () => resume(Effect.void))
  })

const head = (more: string) => `POST /things HTTP/1.1\r\nhost: x\r\n${more}\r\n\r\n`
const chunked = head("transfer-encoding: chunked")

describe("a body that breaks off", () => {
  const breaks: ReadonlyArray<readonly [how: string, status: number, begin: (socket: Socket) => void]> = [
    [
      "because its client says that nothing more comes",
      400,
      (socket) => socket.end(`${head("content-length: 9")}half`)
    ],
    ["because its client stalls", 408, (socket) => socket.write(`${head("content-length: 9")}half`)],
    ["in a bad chunk", 400, (socket) => socket.write(`${chunked}4\r\nhalf\r\nnonsense`)]
  ]
  for (const [how, status, begin] of breaks)
    it.scopedLive(
      `${how} is answered, and its request ends`,
      () =>
        Effect.gen(function* () {
          const ended = yield* Deferred.make<string>()
          const { port } = yield* serving(({ request }) =>
            rawBody(request, 100).pipe(
              Effect.as(HttpServerResponse.empty()),
              Effect.onExit((exit) => Deferred.succeed(ended, Exit.isInterrupted(exit) ? "interrupted" : "answered"))
            )
          )
          const socket = yield* opened(port)
          begin(socket)
          assert.match(yield* heardOn(socket), new RegExp(`^HTTP/1.1 ${status} `))
          assert.strictEqual(yield* Deferred.await(ended), "interrupted")
        }),
      10_000
    )
})

describe("a request that does not come in time", () => {
  const pauses = {
    "in its headers": "POST /things HTTP/1.1\r\nhost: x\r\n",
    "in its body": `${head("content-length: 9")}half`
  }
  for (const [where, begun] of Object.entries(pauses))
    it.scopedLive(`and stops ${where} is told that it may be sent again, and the connection ends`, () =>
      Effect.gen(function* () {
        const { port } = yield* serving(({ request }) => Effect.as(rawBody(request, 100), HttpServerResponse.empty()))
        const socket = yield* opened(port)
        socket.write(begun)
        const heard = yield* heardOn(socket)
        assert.match(heard, /^HTTP\/1.1 408 [^]*connection: close/i)
        assert.include(heard, '"code":"request_timeout"')
        assert.include(
          heard,
          '"retryable":true,"retryHint":"Send it again without a pause in it, with the same idempotency key if it had one."'
        )
      })
    )
})

describe("what is sent without end behind an answer", () => {
  const behind: ReadonlyArray<readonly [what: string, begin: string, piece: string, requestTimeout?: number]> = [
    // With time left: a body whose time ends while it is cut off is reset, and its sender may not see the answer.
    ["a body that nobody reads", chunked, `1000\r\n${" ".repeat(4_096)}\r\n`, 60_000],
    ["what is no HTTP", `${head("content-length: 0")}\r\nnonsense`, "nonsense".repeat(512)],
    ["requests that nobody looks at", head("upgrade: x\r\nconnection: upgrade\r\ncontent-length: 0"), head("a: b")],
    [
      "the body of a request that nobody looks at",
      `${head("upgrade: x\r\nconnection: upgrade\r\ncontent-length: 0")}${chunked}`,
      `1000\r\n${" ".repeat(4_096)}\r\n`
    ]
  ]
  for (const [what, begin, piece, requestTimeout] of behind)
    it.scopedLive(
      `is cut off a moment later: ${what}`,
      () =>
        Effect.gen(function* () {
          const { port } = yield* serving(() => Effect.succeed(HttpServerResponse.empty()), requestTimeout)
          const socket = yield* opened(port)
          const gone = yield* Effect.fork(closed(socket))
          const heard = yield* Effect.fork(heardOn(socket))
          socket.write(begin)
          streamed(socket, piece)
          assert.match(yield* heard, /^HTTP\/1.1 204 /)
          yield* gone
        }),
      15_000
    )
})

it.scopedLive(
  "a body that nobody reads is cut off when more of it came than is thrown away, long before its time is over",
  () =>
    Effect.gen(function* () {
      const { port } = yield* serving(() => Effect.succeed(HttpServerResponse.empty()), 60_000)
      for (const begin of [chunked, head("content-length: 999999999999")]) {
        const socket = yield* opened(port)
        const gone = yield* Effect.fork(closed(socket))
        socket.resume()
        socket.write(begin)
        streamed(socket, begin === chunked ? `10000\r\n${" ".repeat(65_536)}\r\n` : " ".repeat(65_536))
        yield* gone
      }
    }),
  15_000
)

describe("an answer that comes before the body is whole", () => {
  const tooLong = `${head(`content-length: ${discardBytesMax + 1}`)}begun`
  const begun = `${chunked}1000\r\n${" ".repeat(4_096)}\r\n`
  const tooLarge: Handle = ({ request }) => Effect.as(rawBody(request, 100), HttpServerResponse.empty())
  const unread: Handle = () => Effect.succeed(HttpServerResponse.empty())
  const ends: ReadonlyArray<readonly [what: string, handle: Handle, sent: string, answer: RegExp]> = [
    ["a body in chunks that is too large", tooLarge, begun, /^HTTP\/1.1 413 /],
    ["a body that is too long to be thrown away", tooLarge, tooLong, /^HTTP\/1.1 413 /],
    ["a body in chunks that nobody reads", unread, begun, /^HTTP\/1.1 204 /],
    ["a body that nobody reads and that is too long to be thrown away", unread, tooLong, /^HTTP\/1.1 204 /]
  ]
  for (const [what, handle, sent, answer] of ends)
    it.scopedLive(`says that the connection ends, and ends it: ${what}`, () =>
      Effect.gen(function* () {
        const { port } = yield* serving(handle, 60_000)
        const socket = yield* opened(port)
        socket.write(sent)
        const heard = yield* heardOn(socket)
        assert.match(heard, answer)
        assert.match(heard, /\r\nconnection: close\r\n/i)
      })
    )

  it.scopedLive("leaves the connection open where the rest is short enough to be thrown away", () =>
    Effect.gen(function* () {
      const { port } = yield* serving(tooLarge, 60_000)
      const socket = yield* opened(port)
      const heard = yield* Effect.fork(heardOn(socket))
      const large = " ".repeat(200_000)
      socket.write(head(`content-length: ${large.length}`) + large)
      socket.write(head("content-length: 0\r\nconnection: close"))
      const text = yield* Fiber.join(heard)
      assert.deepStrictEqual(
        [...text.matchAll(/HTTP\/1.1 (\d+)[^]*?connection: ([a-z-]+)/gi)].map(([, status, said]) => [status, said]),
        [
          ["413", "keep-alive"],
          ["204", "close"]
        ]
      )
    })
  )
})

describe("a body in chunks of one byte", () => {
  const inChunks = (count: number) => `${chunked}${"1\r\nx\r\n".repeat(count)}`
  const reading: Handle = ({ request }) =>
    Effect.map(rawBody(request, 2 * bodyPiecesMax), ({ length }) => HttpServerResponse.text(`read ${length}`))

  it.scopedLive("is read where they are not too many", () =>
    Effect.gen(function* () {
      const { port } = yield* serving(reading, 60_000)
      const socket = yield* opened(port)
      const heard = yield* Effect.fork(heardOn(socket))
      socket.end(`${inChunks(bodyPiecesMax)}0\r\n\r\n`)
      assert.match(yield* heard, new RegExp(`^HTTP/1.1 200 [^]*read ${bodyPiecesMax}$`))
    })
  )

  it.scopedLive(
    "is refused where they are, and cut off where the client goes on",
    () =>
      Effect.gen(function* () {
        const { port } = yield* serving(reading, 60_000)
        const refused = yield* opened(port)
        const heard = yield* Effect.fork(heardOn(refused))
        refused.write(inChunks(bodyPiecesMax + 1))
        const answer = yield* heard
        assert.match(answer, /^HTTP\/1.1 400 [^]*\r\nconnection: close\r\n/i)
        assert.include(answer, `body: may come in at most ${bodyPiecesMax} pieces`)
        const endless = yield* opened(port)
        const gone = yield* Effect.fork(closed(endless))
        endless.resume()
        endless.write(chunked)
        streamed(endless, "1\r\nx\r\n".repeat(1_000))
        yield* gone
      }),
    60_000
  )
})

describe("a request for a tunnel", () => {
  const tunnel = "CONNECT other:80 HTTP/1.1\r\nhost: other:80\r\nx-request-id: mine\r\n\r\n"

  it.scopedLive("is refused behind the answers to the requests before it", () =>
    Effect.gen(function* () {
      const goOn = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const { port } = yield* serving(() =>
        Effect.as(Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(goOn)), HttpServerResponse.empty())
      )
      const socket = yield* opened(port)
      const heard = yield* Effect.fork(heardOn(socket))
      socket.write(`${head("content-length: 0")}${tunnel}`)
      yield* Deferred.await(begun)
      yield* Deferred.succeed(goOn, undefined)
      const text = yield* heard
      assert.match(text, /^HTTP\/1.1 204 [^]*HTTP\/1.1 400 Bad Request\r\n/)
      assert.include(text, "x-request-id: mine")
      assert.include(text, "must not be CONNECT")
    })
  )

  it.scopedLive("alone is refused, and a client that resets its connection harms nobody", () =>
    Effect.gen(function* () {
      const { port } = yield* serving(() => Effect.succeed(HttpServerResponse.empty()))
      const reset = yield* opened(port)
      reset.write(tunnel, () => reset.resetAndDestroy())
      const socket = yield* opened(port)
      const heard = yield* Effect.fork(heardOn(socket))
      socket.write(tunnel)
      assert.match(yield* heard, /^HTTP\/1.1 400 Bad Request\r\n/)
    })
  )
})
