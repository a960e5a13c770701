/** Odd answers of providers, through the whole gateway: what the run says, and what it costs. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type Socket } from "node:net"
import { catalogFolder } from "../support/folders.js"
import { startGateway } from "../support/gateway.js"

/** A catalog folder with one provider, as its YAML says. */
const folderWith = (name: string, yaml: string) => catalogFolder({ providers: { [name]: yaml } })

/** A provider that writes bytes to its socket, chosen by the path. */
const provider = (write: (path: string, socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => undefined)
        socket.once("data", (bytes) => write(bytes.toString("latin1").split(" ")[1] ?? "", socket))
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(
          Effect.succeed({
            port: typeof address === "object" && address !== null ? address.port : 0,
            close: () => {
              server.close()
              for (const socket of sockets) socket.destroy()
            }
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const reasons: { readonly [status: string]: string } = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  205: "Reset Content"
}

it.scopedLive(
  "an empty success of an effectful operation is charged and done; an answer without end is cut off",
  () =>
    Effect.gen(function* () {
      const { port } = yield* provider((path, socket) => {
        const status = /\d+/.exec(path)?.[0] ?? ""
        if (reasons[status] !== undefined) {
          return void socket.end(
            `HTTP/1.1 ${status} ${reasons[status]}\r\n${status === "204" ? "" : "content-length: 0\r\n"}connection: close\r\n\r\n`
          )
        }
        socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1;")
        const more = (): void => {
          if (!socket.destroyed) socket.write("x".repeat(10_000), () => setImmediate(more))
        }
        more()
      })
      const folder = yield* folderWith(
        "odd",
        `
id: odd
name: Odd
baseUrl: http://127.0.0.1:${port}
operations:
${Object.keys(reasons)
  .concat("endless")
  .map(
    (what) => `
  - id: odd-${what}
    name: Odd ${what}
    summary: Answers oddly.
    method: POST
    path: /${what}
    effect: effectful
    repeatable: false
    input: { type: object }
    maxBytes: 10000
    timeoutMs: 20000
    price: { basis: per_call, micros: 10 }
    response: { success: body.id }
`
  )
  .join("")}`
      )
      const { call, funded } = yield* startGateway({ catalogFolders: [folder], egressAllow: [`127.0.0.1:${port}`] })
      const { token } = yield* funded(1_000)
      const run = (endpointId: string) =>
        Effect.map(
          call("POST", "/v1/runs?wait=20", {
            token,
            headers: { "idempotency-key": endpointId },
            body: { endpointId, input: {} }
          }),
          ({ json }) => json
        )
      for (const status of Object.keys(reasons)) {
        const made = yield* run(`odd-${status}`)
        assert.deepStrictEqual(
          [made.status, made.outcome, made.pricing?.finalChargeMicros],
          ["completed", "hit", 10],
          status
        )
      }
      const endless = yield* run("odd-endless")
      const { attempts } = (yield* call("GET", `/v1/runs/${endless.runId}/attempts`, { token })).json
      assert.deepStrictEqual([endless.status, attempts[0].errorCode], ["reconciliation_pending", "response_too_large"])
    }),
  60_000
)
