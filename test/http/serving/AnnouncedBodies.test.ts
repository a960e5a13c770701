/** Bodies that are announced and not sent: what the head alone decides is answered without them. */
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bodyBytesMax } from "../../../src/domain/limits/Requests.js"
import { startGateway } from "../../support/httpGateway.js"
import { completedRun } from "../../support/httpSamples.js"

const created = {
  runs: { create: () => Effect.succeed({ run: completedRun, attempts: [], replayed: false, left: null }) }
}
const body = JSON.stringify({ endpointId: "x", input: {} })

interface Announced {
  readonly port: number
  readonly lines: ReadonlyArray<string>
  readonly bytes?: number
  readonly path?: string
}

/** What a client hears that sends the head of a request, and its body only after `100 Continue`. */
const heard = ({ bytes = body.length, lines, path = "/v1/runs", port }: Announced) =>
  Effect.async<string>((resume) => {
    let text = ""
    const socket = connect(port, "127.0.0.1")
    socket.setEncoding("utf8")
    socket.on("data", (chunk: string) => {
      text += chunk
      if (chunk.endsWith("100 Continue\r\n\r\n")) socket.write(body)
      else socket.end()
    })
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.succeed(text)))
    const head = [
      "host: x",
      "idempotency-key: k",
      "content-type: application/json",
      `content-length: ${bytes}`,
      ...lines
    ]
    socket.write(`POST ${path} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`)
  })

const token = "authorization: Bearer token"
const expect = "expect: 100-continue"

describe("a body that is announced", () => {
  it.scopedLive("as too large is 413 before any of it has come", () =>
    Effect.gen(function* () {
      const { port } = yield* startGateway({})
      for (const lines of [[token], [token, expect]])
        assert.match(
          yield* heard({ port, lines, bytes: bodyBytesMax + 1 }),
          /^HTTP\/1\.1 413 [^]*"code":"payload_too_large"/
        )
    })
  )

  it.scopedLive("as too large and sent all the same is thrown away, and the request behind it is answered", () =>
    Effect.gen(function* () {
      const { port } = yield* startGateway({})
      const bytes = 2 * bodyBytesMax
      const answers = yield* Effect.async<string>((resume) => {
        let text = ""
        const socket = connect(port, "127.0.0.1")
        socket.setEncoding("utf8")
        socket.on("data", (chunk: string) => (text += chunk))
        socket.on("close", () => resume(Effect.succeed(text)))
        socket.write(
          `POST /v1/runs HTTP/1.1\r\nhost: x\r\n${token}\r\nidempotency-key: k\r\ncontent-length: ${bytes}\r\n\r\n`
        )
        socket.write(" ".repeat(bytes))
        socket.write("GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
      })
      assert.deepStrictEqual(answers.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 413", "HTTP/1.1 200"])
    })
  )

  it.scopedLive("and held back until it is asked for is asked for only when somebody reads it", () =>
    Effect.gen(function* () {
      const { port } = yield* startGateway(created)
      for (const [refused, status] of [
        [{ lines: [expect] }, 401],
        [{ lines: [token, expect], path: "/nope" }, 404],
        [{ lines: [token, expect, "content-encoding: gzip"] }, 415]
      ] as const) {
        const answer = yield* heard({ port, ...refused })
        // The client may send the body all the same, so what comes next on this connection is no request.
        assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} [^]*connection: close`, "i"))
      }
      assert.match(
        yield* heard({ port, lines: [token, expect] }),
        /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 [^]*connection: keep-alive/i
      )
    })
  )

  it.scopedLive("and sent without waiting to be asked does not cost the client its answer", () =>
    Effect.gen(function* () {
      const { port } = yield* startGateway(created)
      const answer = yield* Effect.async<string>((resume) => {
        let text = ""
        const socket = connect(port, "127.0.0.1")
        socket.setEncoding("utf8")
        socket.on("data", (chunk: string) => (text += chunk))
        socket.on("error", (error) => (text += error.message))
        socket.on("end", () => socket.end())
        socket.on("close", () => resume(Effect.succeed(text)))
        const large = 2 * bodyBytesMax
        socket.write(`POST /v1/runs HTTP/1.1\r\nhost: x\r\n${expect}\r\ncontent-length: ${large}\r\n\r\n`)
        socket.write(" ".repeat(large))
      })
      assert.match(answer, /^HTTP\/1\.1 401 [^]*\}$/)
    })
  )
})
