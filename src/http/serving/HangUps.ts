/**
 * Tells every response whose client has hung up. Node tells only the one whose turn it is: those behind it on the same
 * connection would never hear of it, so what works on them would go on, and what counts them would count them for ever.
 *
 * A client that ends its side of the connection is gone, or only has nothing more to send and waits for its answer.
 * Both look the same until something is sent to it: the system of one that is gone refuses that. So the client is sent
 * an informational answer now and again, which every client of HTTP/1.1 has to read over (RFC 9110, section 15.2).
 */
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Effect, FiberId, Schedule } from "effect"

/** The first answer only makes the other system refuse, which is noticed with the next one. */
const pauses = Schedule.exponential("250 millis")

const askWhetherThere = (unanswered: Iterable<ServerResponse>): void => {
  for (const response of unanswered) {
    // Another one has its turn, or the answer itself is being sent.
    if (response.socket === null || response.headersSent) continue
    if (response.req.httpVersionMinor === 0) response.socket.end()
    else response.writeContinue()
  }
}

/** Before anybody else listens to the server: a response that waits for its turn has a `close` like any other. */
export const tellAllResponses = (server: Server): void => {
  // Otherwise Node hangs up on a client that has ended its side. Its types do not have this.
  Object.assign(server, { httpAllowHalfOpen: true })
  const bySocket = new WeakMap<Socket, Set<ServerResponse>>()
  // Apart from the listener of a request, whose scope the socket would keep: with it, the first response of each
  // connection would live as long as the connection.
  const unansweredOn = (socket: Socket): Set<ServerResponse> => {
    const known = bySocket.get(socket)
    if (known !== undefined) return known
    const unanswered = new Set<ServerResponse>()
    bySocket.set(socket, unanswered)
    socket.once("end", () => {
      const asking = Effect.runFork(
        Effect.repeat(
          Effect.sync(() => askWhetherThere(unanswered)),
          pauses
        )
      )
      socket.once("close", () => asking.unsafeInterruptAsFork(FiberId.none))
    })
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
