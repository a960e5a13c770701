/**
 * How the server under the interface stops without losing a request on a connection that it has kept open. A client may
 * send its next request at the very moment when the server closes the connection; then the request would end in a
 * reset, and nobody could say whether it was done. So no connection is closed at once: for a moment each may still
 * bring a request, whose answer says that the connection ends. Only one that has brought nothing in that time is
 * closed. And what a client still sends behind an answer, such as a body that nobody waits for, is read for a moment:
 * otherwise the answer itself could be lost.
 */
import { type Server, ServerResponse } from "node:http"
import { Server as NetServer, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Deferred, Effect, Fiber } from "effect"
import { idleLookMillis, idleShareOfDrain, waitsShareOfDrain } from "../domain/limits/Nodes.js"
import { lateRequestsMax } from "../domain/limits/Requests.js"
import { bodyEndIsInDoubt } from "./HeaderProblems.js"
import { makePipelining } from "./serving/Pipelining.js"
import { endsSoftly } from "./serving/SoftEnd.js"

export interface Endings {
  /**
   * A request has come. False where the answer before it says that the connection ends: then nobody may look at the
   * request any more (RFC 9112, section 9.6), because its client will never hear what became of it.
   */
  readonly arrived: (response: ServerResponse) => boolean
  /**
   * The client should not use the connection of this request again; if it is closed while idle, the next request on it
   * is lost. Of several requests on one connection, the answer to the last one says so.
   */
  readonly endAfter: (response: ServerResponse) => void
  /** The response to the last request that a connection has brought. */
  readonly newestOn: (socket: Duplex) => ServerResponse | undefined
}

/**
 * Whether the connection ends with the answer to this request. It does where the client would rather speak another
 * protocol, which is never taken up: Node loses what stands behind such a request in the same packet, and nobody may
 * take a later answer for a lost one. Node also keeps to itself that it cannot read the body of such a request, which
 * therefore ends with 408.
 */
const isLast = ({ req }: ServerResponse): boolean => req.headers.upgrade !== undefined || bodyEndIsInDoubt(req)

export const makeEndings = (): Endings => {
  const newest = new WeakMap<Duplex, ServerResponse>()
  const ending = new WeakSet<ServerResponse>()
  const endAfter = (response: ServerResponse): void => {
    const { socket } = response.req
    // An answer that is written already, and only waits for its turn, can say nothing any more: the next one says it.
    if (newest.get(socket) !== response || response.headersSent) return
    ending.add(response)
    response.shouldKeepAlive = false
    endsSoftly(socket)
  }
  return {
    arrived: (response) => {
      const { socket } = response.req
      const before = newest.get(socket)
      if (before !== undefined && (isLast(before) || (before.headersSent && !before.shouldKeepAlive))) return false
      newest.set(socket, response)
      if (before !== undefined && ending.delete(before)) {
        before.shouldKeepAlive = true
        endAfter(response)
      } else if (isLast(response)) endAfter(response)
      return true
    },
    endAfter,
    newestOn: (socket) => newest.get(socket)
  }
}

/**
 * Gives a request to the listeners of the server only if `arrived` says so, and only when its turn on its connection
 * has come. The body of any other is read and thrown away, as all that comes behind an answer. Node keeps each such
 * request until the connection is closed, so a client that sends many is cut off.
 */
export const hearOnly = (server: Server, arrived: Endings["arrived"]): void => {
  const emit = server.emit.bind(server)
  const inTurn = makePipelining()
  const late = new WeakMap<Socket, number>()
  Object.defineProperty(server, "emit", {
    value: (event: string, ...given: ReadonlyArray<unknown>): boolean => {
      const [, response] = given
      if (event !== "request" || !(response instanceof ServerResponse)) return emit(event, ...given)
      if (arrived(response)) {
        inTurn(response, () => void emit(event, ...given))
        return true
      }
      const { socket } = response.req
      const count = (late.get(socket) ?? 0) + 1
      late.set(socket, count)
      if (count > lateRequestsMax) socket.destroy()
      else response.req.resume()
      return false
    }
  })
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

/**
 * Node takes a connection for idle once its answer is complete, although a slow reader may not have taken it yet. If it
 * were closed then, the rest of the answer would be lost.
 */
const closeIdleConnections = (server: Server, underWay: Iterable<ServerResponse>): void => {
  const busy = new Set(Array.from(underWay, ({ req }) => req.socket))
  for (const socket of busy) socket.destroy = () => socket
  server.closeIdleConnections()
  for (const socket of busy) Reflect.deleteProperty(socket, "destroy")
}

/**
 * Ends when every connection has: each with its answer, idle ones a moment later, all of them at the deadline. Waits
 * for runs are ended early enough for their answers.
 */
export const drain = (
  server: Server,
  underWay: Iterable<ServerResponse>,
  { endAfter }: Endings,
  { endWaits, millis }: { readonly endWaits: Effect.Effect<void>; readonly millis: number }
) =>
  Effect.gen(function* () {
    for (const response of underWay) endAfter(response)
    const waits = yield* Effect.fork(Effect.interruptible(Effect.delay(endWaits, millis * waitsShareOfDrain)))
    const closeIdle = Effect.zipRight(
      onceRead(() => closeIdleConnections(server, underWay)),
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
    yield* Fiber.interruptAll([closing, waits])
    // Ends what it looks at now and again; it does not listen any more.
    server.close()
  })
