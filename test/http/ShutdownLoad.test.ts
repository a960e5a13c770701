/** A node that stops under load: a request on a connection that it has kept open is answered, never reset. */
import { connect } from "node:net"
import { ServerAddress } from "../../src/http/serving/Listening.js"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { gatewayLayer } from "../support/httpGateway.js"

interface Ended {
  /** How many requests were answered on this connection. */
  readonly answered: number
  /** Whether the last answer said that the connection ends. */
  readonly told: boolean
  /** What became of a request that has no answer; null when each has one. */
  readonly lost: string | null
}

const head = "POST /v1/runs HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n"

/** Asks again and again on one connection, with a body that comes a moment after its head, until it is closed. */
const client = (port: number, pauseMillis: number, first: () => void) =>
  Effect.async<Ended>((resume) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    let [answered, told, waits, text, why] = [0, false, false, "", "closed"]
    const send = () => {
      if (socket.destroyed || told) return
      waits = true
      socket.write(head)
      setImmediate(() => !socket.destroyed && socket.write("{}"))
    }
    socket.setEncoding("utf8")
    socket.on("connect", send)
    socket.on("data", (chunk: string) => {
      text += chunk
      const end = text.indexOf("\r\n\r\n")
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? "0")
      if (end < 0 || text.length < end + 4 + length) return
      told = /\r\nconnection: close/i.test(text.slice(0, end))
      text = ""
      waits = false
      answered += 1
      if (answered === 1) first()
      setTimeout(send, pauseMillis)
    })
    socket.on("error", (error) => {
      why = error.message
    })
    socket.on("close", () => resume(Effect.succeed({ answered, told, lost: waits ? why : null })))
  })

it.live("answers each request on the connections that were open", () =>
  Effect.gen(function* () {
    for (let round = 0; round < 2; round += 1) {
      const scope = yield* Scope.make()
      const settings = { drainMillis: 10_000 }
      const context = yield* Layer.buildWithScope(gatewayLayer({ settings }), scope)
      const { port } = Context.get(context, ServerAddress)
      const taken = yield* Effect.makeLatch()
      let waiting = 50
      const first = () => {
        waiting -= 1
        if (waiting === 0) Effect.runSync(taken.open)
      }
      const clients = yield* Effect.fork(
        Effect.forEach(
          Array.from({ length: waiting }, (_, at) => at % 4),
          (pause) => client(port, pause, first),
          { concurrency: "unbounded" }
        )
      )
      yield* taken.await
      yield* Scope.close(scope, Exit.void)
      const ended = yield* Fiber.join(clients)
      assert.deepStrictEqual(
        ended.filter(({ lost, told }) => lost !== null || !told),
        []
      )
      assert.isAbove(
        ended.reduce((sum, { answered }) => sum + answered, 0),
        ended.length
      )
    }
  })
)
