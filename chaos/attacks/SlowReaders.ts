/**
 * Readers that ask for a large file and take nothing of it. Their connections end in bounded time, what waits for them
 * stays within a bound of memory, and other workspaces are served all the while.
 */
import { connect, type Socket } from "node:net"
import { Effect, Fiber, Option, Schema } from "effect"
import { unreadBytesMax } from "../../src/domain/limits/Requests.js"
import { readerLimitsDefault, silentMillisMax } from "../../src/http/SlowReaders.js"
import { audit } from "../stage/Audit.js"
import { ask } from "../stage/Client.js"
import { makeFindings, type Row } from "../stage/Findings.js"
import { findPinned } from "../stage/Mix.js"
import type { Node } from "../stage/Nodes.js"
import type { Stage } from "../stage/Stage.js"

/** About twice of what the kernels of both sides take for somebody who reads nothing. */
const fileBytes = 9_000_000
/** Beside the unread answers: what the node needs for its other work, and what it reads of a file at once. */
const roomBytes = 200_000_000
/** A busy machine is given time. */
const cutWithinMillis = silentMillisMax(readerLimitsDefault) + 10_000
const restWithinMillis = 20_000

const Made = Schema.parseJson(
  Schema.Struct({ result: Schema.Struct({ media: Schema.Struct({ downloadPath: Schema.String }) }) })
)

/** Where a large file of a run is to be had. */
const makeFile = (node: Node, token: string) =>
  Effect.promise(() =>
    fetch(`${node.origin}/v1/runs?wait=20`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": "the file" },
      body: JSON.stringify(findPinned({ bytes: fileBytes }))
    }).then((response) => response.text())
  ).pipe(
    Effect.flatMap(Schema.decode(Made)),
    Effect.map(({ result }) => result.media.downloadPath),
    Effect.orDie
  )

/** Asks for the file and reads nothing. */
const slowReader = (node: Node, path: string, token: string): Socket => {
  const { hostname, port } = new URL(node.origin)
  const socket = connect(
    Number(port),
    hostname,
    () =>
      void socket.write(
        `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`
      )
  )
  socket.pause()
  socket.on("error", () => undefined)
  return socket
}

/** Reads what there still is: what the kernels had taken. Ends with the connection. */
const rest = (socket: Socket): Effect.Effect<number> =>
  Effect.async((resume) => {
    let bytes = 0
    socket.on("data", (chunk) => {
      bytes += chunk.length
    })
    socket.once("close", () => resume(Effect.succeed(bytes)))
    socket.resume()
  })

export const slowReaders = (stage: Stage, { readers }: { readonly readers: number }): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const [slow, other] = yield* Effect.all([stage.fund(1_000_000), stage.fund(10_000_000)])
      const node = yield* stage.node(findings)
      const path = yield* makeFile(node, slow.token)
      let served = 0
      const serveOthers = Effect.forever(
        Effect.gen(function* () {
          const answer = yield* ask(findings, node, "POST", "/v1/runs", {
            token: other.token,
            body: findPinned(),
            key: `beside ${served++}`,
            wait: 20
          })
          findings.hold(
            Option.isSome(answer) && answer.value.status === "completed",
            `a run beside them was answered ${Option.getOrNull(answer)?.status}`
          )
          yield* Effect.sleep("100 millis")
        })
      )
      const attack = Effect.gen(function* () {
        const sockets = Array.from({ length: readers }, () => slowReader(node, path, slow.token))
        yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => socket.destroy())))
        yield* Effect.sleep(cutWithinMillis)
        const taken = yield* Effect.timeoutOption(
          Effect.forEach(sockets, rest, { concurrency: "unbounded" }),
          restWithinMillis
        )
        findings.hold(Option.isSome(taken), "a connection of a slow reader stayed open")
        const spared = Option.getOrElse(taken, () => []).filter((bytes) => bytes >= fileBytes).length
        findings.hold(spared === 0, `${spared} of ${readers} slow readers were not cut, and got all of the file`)
      })
      const beside = yield* Effect.fork(serveOthers)
      const { peakBytes } = yield* node.costOf(Effect.scoped(attack))
      yield* Fiber.interrupt(beside)
      findings.hold(served > 20, `only ${served} runs were made beside them`)
      findings.hold(peakBytes < unreadBytesMax + roomBytes, `they took ${Math.round(peakBytes / 1e6)} MB`)
      // The run that was interrupted ends by itself.
      yield* Effect.sleep("2 seconds")
      const { astrayMicros } = yield* audit(stage, findings, [slow, other])
      return {
        attack: "readers that do not read",
        operations: served + 1,
        faults: readers,
        astrayMicros,
        recoveryMillis: null,
        problems: findings.list()
      }
    })
  )
