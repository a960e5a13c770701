/**
 * How the server under the interface stops without losing a request on a connection that it has kept open. A client may
 * send its next request at the very moment when the server closes the connection; then the request would end in a
 * reset, and nobody could say whether it was done. So no connection is closed at once: for a moment each may still
 * bring a request, whose answer says that the connection ends. Only one that has brought nothing in that time is
 * closed. And what a client still sends behind an answer, such as a body that nobody waits for, is read until the
 * client is done: otherwise the answer itself could be lost.
 */
import type { Server, ServerResponse } from "node:http"
import { Server as NetServer, type Socket } from "node:net"
import { Deferred, Effect, Fiber } from "effect"
import { idleLookMillis, idleShareOfDrain } from "../domain/Limits.js"

/** The client should not use this connection again; if it is closed while idle, the next request on it is lost. */
export const endAfter = (response: ServerResponse): void => {
  response.shouldKeepAlive = false
  const { socket } = response
  if (socket !== null) endsSoftly(socket)
}

/** Says that nothing more comes, and goes on to read; the client closes, or the server when it has stopped. */
const endsSoftly = (socket: Socket): void => {
  socket.destroySoon = () => void socket.end()
}

/**
 * Right after the system was asked what has arrived: what came before is read by then, so a connection that looks idle
 * has brought nothing, and one that waited to be taken has been taken.
 */
const onceRead = (work: () => void): Effect.Effect<void> =>
  Effect.async((resume) => {
    setImmediate(() => {
      work()
      resume(Effect.void)
    })
  })

/** Ends when every connection has: each with its answer, idle ones a moment later, all of them at the deadline. */
export const drain = (server: Server, underWay: ReadonlySet<ServerResponse>, millis: number) =>
  Effect.gen(function* () {
    for (const response of underWay) endAfter(response)
    const closeIdle = Effect.zipRight(
      onceRead(() => server.closeIdleConnections()),
      Effect.sleep(idleLookMillis)
    )
    const closing = yield* Effect.sleep(millis / idleShareOfDrain).pipe(
      Effect.zipRight(Effect.forever(closeIdle)),
      Effect.timeoutOption(millis),
      Effect.zipRight(Effect.sync(() => server.closeAllConnections())),
      Effect.interruptible,
      Effect.fork
    )
    const closed = yield* Deferred.make<void>()
    yield* onceRead(() => {
      // That of HTTP would close idle connections at once.
      NetServer.prototype.close.call(server, () => Deferred.unsafeDone(closed, Effect.void))
    })
    yield* Deferred.await(closed)
    yield* Fiber.interrupt(closing)
    // Ends what it looks at now and again; it does not listen any more.
    server.close()
  })
