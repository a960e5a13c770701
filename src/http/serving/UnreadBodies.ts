/**
 * Bodies that nobody reads. Where a request is answered before its body is whole, such as one without a token, Node
 * reads the rest and throws it away, so that the connection can bring the next request. That has a bound: a client that
 * sends more is cut off. A body that a handler reads has its own (`Body.ts`).
 */
import type { Server, ServerResponse } from "node:http"
import { discardBytesMax } from "../../domain/Limits.js"

/** How often it is looked how much has come. */
const lookMillis = 100

export const boundUnreadBodies = (server: Server): void => {
  server.on("request", ({ socket }, response: ServerResponse) => {
    response.once("finish", () => {
      const { req } = response
      if (req.complete || socket.destroyed) return
      const before = socket.bytesRead
      const looking = setInterval(() => {
        if (req.complete || socket.destroyed) clearInterval(looking)
        else if (socket.bytesRead - before <= discardBytesMax) return
        // First it is said that nothing more comes, so that a client that looks has the answer.
        else if (socket.writable) socket.end()
        else socket.destroy()
      }, lookMillis)
      looking.unref()
    })
  })
}
