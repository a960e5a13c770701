/**
 * Bodies that nobody reads. Where a request is answered before its body is whole, such as one without a token, Node
 * reads the rest and throws it away, so that the connection can bring the next request. That has a bound: a client that
 * sends more is cut off. A body that a handler reads has its own (`Body.ts`). Where more than that may come, the answer
 * says that the connection ends, so that no client sends its next request there.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Effect } from "effect"
import { discardBytesMax } from "../../domain/limits/Requests.js"
import { endsSoftly } from "./SoftEnd.js"

/** How often it is looked how much has come. */
const lookMillis = 100

/** Ends when the body is whole or the connection is closed. */
const bounded = ({ req }: ServerResponse): Effect.Effect<void> => {
  const { socket } = req
  const before = socket.bytesRead
  const isOver = Effect.sync(() => {
    if (req.complete || socket.destroyed) return true
    if (socket.bytesRead - before > discardBytesMax) {
      // First it is said that nothing more comes, so that a client that looks has the answer.
      if (socket.writable) socket.end()
      else socket.destroy()
    }
    return false
  })
  return Effect.asVoid(Effect.repeat(Effect.delay(isOver, lookMillis), { until: (over) => over }))
}

/** Of a body in chunks nobody knows how much comes. */
const mayBeLong = ({ complete, headers }: IncomingMessage): boolean =>
  !complete && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > discardBytesMax)

/** To be called before the head of an answer is written. */
export const endBehindLongBody = (response: ServerResponse): void => {
  const { req } = response
  if (!mayBeLong(req)) return
  response.shouldKeepAlive = false
  endsSoftly(req.socket)
}

export const boundUnreadBodies = (server: Server): void => {
  server.on("request", (_, response: ServerResponse) => {
    response.once("finish", () => {
      if (!response.req.complete) Effect.runFork(bounded(response))
    })
  })
}
