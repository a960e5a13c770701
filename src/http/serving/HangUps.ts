/**
 * Tells every response whose client has hung up. Node tells only the one whose turn it is: those behind it on the same
 * connection would never hear of it, so what works on them would go on, and what counts them would count them for ever.
 */
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Before anybody else listens to the server: a response that waits for its turn has a `close` like any other. */
export const tellAllResponses = (server: Server): void => {
  const bySocket = new WeakMap<Socket, Set<ServerResponse>>()
  // Apart from the listener of a request, whose scope the socket would keep: with it, the first response of each
  // connection would live as long as the connection.
  const unansweredOn = (socket: Socket): Set<ServerResponse> => {
    const known = bySocket.get(socket)
    if (known !== undefined) return known
    const unanswered = new Set<ServerResponse>()
    bySocket.set(socket, unanswered)
    socket.once("close", () => {
      for (const each of [...unanswered]) if (each.socket === null) each.emit("close")
    })
    return unanswered
  }
  server.on("request", ({ socket }, response: ServerResponse) => {
    const unanswered = unansweredOn(socket)
    unanswered.add(response)
    response.once("close", () => unanswered.delete(response))
  })
}
