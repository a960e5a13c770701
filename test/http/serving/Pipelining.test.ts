// Requests that a client sends without waiting for the answers: in order, a few at once, and no client holds up others.
import { createServer, type ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { pipelinedAtOnceMax, pipelinedWaitingMax } from "../../../src/domain/limits/Requests.js"
import { listen } from "../../../src/http/serving/Listening.js"
import { hearOnly, makeEndings } from "../../../src/http/Stopping.js"

const serving = (handle: (response: ServerResponse) => void) =>
  Effect.suspend(() => {
    const server = createServer()
    hearOnly(server, makeEndings().arrived)
    server.on("request", (_, response: ServerResponse) => handle(response))
    return listen(server, { host: "127.0.0.1", port: 0 })
  })

const opened = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => connect({ port, host: "127.0.0.1" }).on("error", () => undefined)),
    (socket) => Effect.sync(() => socket.destroy())
  )

const closed = (socket: Socket) =>
  Effect.async<void>((resume) => {
    socket.once("close", () => resume(Effect.void))
  })

/** The paths that were answered, once the connection ends. */
const answeredOn = (socket: Socket) =>
  Effect.async<ReadonlyArray<string>>((resume) => {
    let text = ""
    socket.setEncoding("utf8")
    socket.on("data", (chunk: string) => {
      text += chunk
    })
    socket.on("end", () =>
      resume(Effect.succeed(Array.from(text.matchAll(/answer (\/\d+)/g), ([, path = ""]) => path)))
    )
  })

const request = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`
const numbers = (count: number) => Array.from({ length: count }, (_, at) => `/${at}`)

describe("requests behind one another on a connection", () => {
  it.scopedLive("are all answered in their order, each in a turn of its own where they are many", () =>
    Effect.gen(function* () {
      let turn = 0
      const turns = new Map<number, number>()
      const count = (): void => {
        turn += 1
        if (turn < 100_000) counting = setImmediate(count)
      }
      let counting = setImmediate(count)
      yield* Effect.addFinalizer(() => Effect.sync(() => clearImmediate(counting)))
      const { port } = yield* serving((response) => {
        turns.set(turn, (turns.get(turn) ?? 0) + 1)
        response.end(`answer ${response.req.url}`)
      })
      const socket = yield* opened(port)
      const paths = numbers(300)
      const answered = yield* Effect.fork(answeredOn(socket))
      socket.write([...paths.map((path) => request(path)), request("/300", "connection: close\r\n")].join(""))
      assert.deepStrictEqual(yield* answered, [...paths, "/300"])
      assert.isAtMost(Math.max(...turns.values()), pipelinedAtOnceMax)
    })
  )

  it.scopedLive("are worked on a few at once, and another connection is served beside them", () =>
    Effect.gen(function* () {
      const begun: Array<ServerResponse> = []
      const { port } = yield* serving((response) => {
        if (response.req.url === "/other") response.end()
        else begun.push(response)
      })
      const socket = yield* opened(port)
      const answered = yield* Effect.fork(answeredOn(socket))
      const last = request("/20", "connection: close\r\n")
      yield* Effect.async<void>((resume) => {
        socket.write(
          numbers(20)
            .map((path) => request(path))
            .join("") + last,
          () => resume(Effect.void)
        )
      })
      const other = yield* opened(port)
      const gone = yield* Effect.fork(closed(other))
      other.resume()
      other.write(request("/other", "connection: close\r\n"))
      yield* gone
      assert.deepStrictEqual(
        begun.map(({ req }) => req.url),
        numbers(pipelinedAtOnceMax)
      )
      const finish = (): void => {
        const response = begun.shift()
        if (response === undefined) return
        response.once("close", () => setImmediate(() => setImmediate(finish)))
        response.end(`answer ${response.req.url}`)
      }
      finish()
      assert.deepStrictEqual(yield* answered, numbers(21))
    })
  )

  it.scopedLive("are cut off where they are more than may wait", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      let count = 0
      const { port } = yield* serving(() => {
        count += 1
        Deferred.unsafeDone(begun, Effect.void)
      })
      const socket = yield* opened(port)
      const gone = yield* Effect.fork(closed(socket))
      socket.resume()
      socket.write(request("/").repeat(pipelinedAtOnceMax + pipelinedWaitingMax))
      yield* Deferred.await(begun)
      assert.isFalse(socket.destroyed)
      socket.write(request("/").repeat(2))
      yield* gone
      assert.strictEqual(count, pipelinedAtOnceMax)
    })
  )
})
