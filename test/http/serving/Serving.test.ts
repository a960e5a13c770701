// From a request of Node to the answer, without the interface: what handlers may give, and what happens where they or
// their clients fail.
import { createServer, request as ask, type IncomingHttpHeaders } from "node:http"
import { connect } from "node:net"
import { Readable } from "node:stream"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Layer, Stream } from "effect"
import { NotFound } from "../../../src/domain/ApiErrors.js"
import { makeBoundary } from "../../../src/http/Boundary.js"
import { tellAllResponses } from "../../../src/http/serving/HangUps.js"
import { listen } from "../../../src/http/serving/Listening.js"
import { type Call, type Request, route, Routes, RoutesLayer } from "../../../src/http/serving/Routes.js"
import { HttpSettings } from "../../../src/http/Settings.js"
import { Ids } from "../../../src/services/Ids.js"
import { RateLimiter } from "../../../src/services/RateLimiter.js"
import { generous, httpSettings } from "../../support/httpGateway.js"

class Greeting extends Context.Tag("test/Greeting")<Greeting, string>() {}

type Handle = (call: Call) => Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, Greeting | Request>

interface Heard {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Whether the whole answer came. */
  readonly complete: boolean
}

const services = Layer.mergeAll(
  RoutesLayer,
  Layer.succeed(Ids, { suffix: Effect.succeed("1"), suffixes: () => Effect.succeed([]) }),
  Layer.succeed(RateLimiter, { take: generous, takePublic: generous }),
  Layer.succeed(HttpSettings, httpSettings)
)

/** A server whose only route is `/things/:name`, and how to ask it. */
const serving = (handle: Handle) =>
  Effect.gen(function* () {
    const { add } = yield* Routes
    yield* add(route({ method: "GET", path: "/things/:name" }, Context.make(Greeting, "hello"), handle))
    const boundary = yield* makeBoundary([], { isPage: () => false, answer: () => Effect.never })
    const server = createServer()
    tellAllResponses(server)
    server.on("request", boundary)
    const { port } = yield* listen(server, { host: "127.0.0.1", port: 0 })
    const heard = (path: string, method = "GET") =>
      Effect.async<Heard>((resume) => {
        ask({ port, host: "127.0.0.1", path, method, agent: false }, (answer) => {
          let text = ""
          answer.setEncoding("utf8")
          answer.on("data", (chunk: string) => {
            text += chunk
          })
          answer.on("error", () => undefined)
          answer.on("close", () =>
            resume(
              Effect.succeed({
                status: answer.statusCode ?? 0,
                headers: answer.headers,
                text,
                complete: answer.complete
              })
            )
          )
        }).end()
      })
    return { heard, port }
  }).pipe(Effect.provide(services))

const errorOf = ({ text }: Heard): string => (JSON.parse(text) as { error: { code: string } }).error.code

describe("a request and its handler", () => {
  it.scopedLive("brings the decoded path, the query and the services of its route", () =>
    Effect.gen(function* () {
      const { heard } = yield* serving(({ params, query, request }) =>
        Effect.gen(function* () {
          const greeting = yield* Greeting
          const same = (yield* HttpServerRequest.HttpServerRequest) === request
          return HttpServerResponse.text(JSON.stringify({ greeting, same, ...params, ...query }))
        })
      )
      const { headers, status, text } = yield* heard("/things/a%20b?x=1&y=2&y=3")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(JSON.parse(text), { greeting: "hello", same: true, name: "a b", x: "1", y: ["2", "3"] })
      assert.deepStrictEqual([headers["x-request-id"], headers["x-content-type-options"]], ["req_1", "nosniff"])
      const odd = JSON.parse((yield* heard("/things/a;b#c?x=1;y=2")).text)
      assert.deepStrictEqual([odd.name, odd.x, odd.y], ["a;b#c", "1;y=2", undefined], "only ? begins the query")
      const long = JSON.parse((yield* heard(`/things/${"%C3%A9".repeat(2_000)}?x=1`)).text)
      assert.deepStrictEqual([long.name, long.x], [`${"é".repeat(100)}…`, "1"], "what is too long is no other name")
    })
  )

  it.scopedLive("has the same head without a body for HEAD, and no route for other methods and paths", () =>
    Effect.gen(function* () {
      const { heard } = yield* serving(() => Effect.succeed(HttpServerResponse.text("größer")))
      const whole = yield* heard("/things/a")
      const head = yield* heard("/things/a", "HEAD")
      assert.deepStrictEqual([whole.text, whole.headers["content-length"]], ["größer", "8"])
      assert.deepStrictEqual([head.status, head.text, head.headers["content-length"]], [200, "", "8"])
      for (const [path, method] of [
        ["/things/a", "POST"],
        ["/things/a", "PROPFIND"],
        ["/things/a/", "GET"],
        ["/Things/a", "GET"],
        ["/things", "GET"],
        ["/things;a", "GET"],
        ["/;/things/a", "GET"],
        [`/things${"/a".repeat(5_000)}`, "GET"]
      ] as const)
        assert.strictEqual(errorOf(yield* heard(path, method)), "route_not_found", `${method} ${path.slice(0, 20)}`)
      assert.strictEqual(errorOf(yield* heard("/things/%zz")), "validation_error")
    })
  )

  it.scopedLive("sends bytes of any size unchanged", () =>
    Effect.gen(function* () {
      for (const size of [0, 1, 255, 16_384, 16_385, 1_000_000]) {
        const bytes = Uint8Array.from({ length: size }, (_, index) => index % 128)
        const { heard } = yield* serving(() => Effect.succeed(HttpServerResponse.uint8Array(bytes.subarray(0))))
        const { complete, text } = yield* heard("/things/a")
        assert.isTrue(complete)
        assert.strictEqual(text, Buffer.from(bytes).toString("latin1"), String(size))
      }
    })
  )

  it.scopedLive("tells an error of the table, and nothing of any other", () =>
    Effect.gen(function* () {
      const { heard } = yield* serving(({ params }) => {
        if (params["name"] === "throw") throw new Error("secret")
        if (params["name"] === "die") return Effect.die("secret")
        if (params["name"] === "other") return Effect.fail("secret")
        return new NotFound({ what: "thing", id: "a" })
      })
      assert.strictEqual(errorOf(yield* heard("/things/missing")), "not_found")
      for (const name of ["throw", "die", "other"]) {
        const answer = yield* heard(`/things/${name}`)
        assert.deepStrictEqual([answer.status, errorOf(answer)], [500, "internal_error"])
        assert.notInclude(answer.text, "secret")
      }
      // The server goes on.
      assert.strictEqual(errorOf(yield* heard("/things/missing")), "not_found")
    })
  )

  it.scopedLive("answers 500 where a header or a body cannot be sent, and goes on", () =>
    Effect.gen(function* () {
      const { heard } = yield* serving(({ params }) =>
        Effect.succeed(
          params["name"] === "header"
            ? HttpServerResponse.text("x", { headers: { "x-broken": "a\nb" } })
            : HttpServerResponse.stream(Stream.make(new Uint8Array(1)))
        )
      )
      for (const what of ["header", "body", "header"]) {
        const answer = yield* heard(`/things/${what}`)
        assert.deepStrictEqual(
          [answer.status, errorOf(answer), answer.headers["x-request-id"]],
          [500, "internal_error", "req_1"],
          what
        )
      }
    })
  )

  it.scopedLive("cuts the connection where a stream fails, and leaves none open for HEAD", () =>
    Effect.gen(function* () {
      const opened: Array<Readable> = []
      const { heard } = yield* serving(() =>
        Effect.sync(() => {
          const source = Readable.from(
            (function* () {
              yield "half"
              throw new Error("storage is away")
            })()
          )
          opened.push(source)
          return HttpServerResponse.raw(source, { contentLength: 8 })
        })
      )
      const { complete, status, text } = yield* heard("/things/a")
      assert.deepStrictEqual([status, text, complete], [200, "half", false])
      assert.strictEqual((yield* heard("/things/a", "HEAD")).headers["content-length"], "8")
      assert.deepStrictEqual(
        opened.map(({ destroyed }) => destroyed),
        [true, true]
      )
    })
  )

  it.scopedLive("is interrupted when its client hangs up, and finishes what must not be interrupted", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<undefined>()
      const finished = yield* Deferred.make<string>()
      const { port } = yield* serving(() =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.zipRight(Effect.uninterruptible(Effect.sleep(50))),
          Effect.zipRight(Effect.never),
          Effect.onExit((exit) => Deferred.succeed(finished, Exit.isInterrupted(exit) ? "interrupted" : "ended"))
        )
      )
      const socket = connect(port, "127.0.0.1")
      socket.write("GET /things/a HTTP/1.1\r\nhost: x\r\n\r\n")
      yield* Deferred.await(begun)
      socket.destroy()
      assert.strictEqual(yield* Deferred.await(finished), "interrupted")
    })
  )

  it.scopedLive("is answered where its client only has nothing more to send, as are those before it", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<undefined>()
      const { port } = yield* serving(({ params: { name = "" } }) =>
        Effect.as(name === "a" ? Deferred.await(asked) : Effect.void, HttpServerResponse.text(name))
      )
      const heard = yield* Effect.async<string>((resume) => {
        let text = ""
        const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
        socket.setEncoding("utf8")
        socket.on("data", (piece: string) => {
          text += piece
          // The gateway has noticed the end by now.
          Deferred.unsafeDone(asked, Effect.succeed(undefined))
        })
        socket.on("end", () => resume(Effect.sync(() => (socket.destroy(), text))))
        socket.end(["a", "b"].map((name) => `GET /things/${name} HTTP/1.1\r\nhost: x\r\n\r\n`).join(""))
      })
      assert.match(
        heard,
        /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n[^]*\r\n\r\naHTTP\/1\.1 200 [^]*\r\n\r\nb$/
      )
    })
  )

  it.scopedLive("is interrupted when its client ends its side and takes no informational answers", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<undefined>()
      const { port } = yield* serving(() =>
        Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      )
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
      const heard: Array<unknown> = []
      socket.on("data", (piece) => heard.push(piece))
      socket.end("GET /things/a HTTP/1.0\r\n\r\n")
      yield* Deferred.await(interrupted)
      assert.deepStrictEqual(heard, [])
      socket.destroy()
    })
  )

  it.scopedLive("is interrupted also where it waits behind another request of its connection", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<undefined>()
      const all = yield* Deferred.make<ReadonlyArray<string>>()
      const ended: Array<string> = []
      const { port } = yield* serving(({ params: { name = "" } }) =>
        (name === "c" ? Deferred.succeed(begun, undefined) : Effect.void).pipe(
          Effect.zipRight(Effect.never),
          Effect.onInterrupt(() => {
            ended.push(name)
            return ended.length === 3 ? Deferred.succeed(all, ended) : Effect.void
          })
        )
      )
      const socket = connect(port, "127.0.0.1")
      socket.write(["a", "b", "c"].map((name) => `GET /things/${name} HTTP/1.1\r\nhost: x\r\n\r\n`).join(""))
      yield* Deferred.await(begun)
      socket.destroy()
      assert.sameMembers([...(yield* Deferred.await(all))], ["a", "b", "c"])
    })
  )
})
