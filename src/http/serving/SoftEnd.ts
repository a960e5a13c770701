/** The end of a connection whose client may still be sending. */
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Effect, FiberId } from "effect"
import { lingerMillis } from "../../domain/limits/Requests.js"

/**
 * Says that nothing more comes, and reads on for a moment: a connection that is closed while its client sends can lose
 * the answer. A client that goes on for longer is cut off.
 */
export const endSoftly = (socket: Duplex, lastWords?: string): void => {
  if (lastWords === undefined) socket.end()
  else socket.end(lastWords)
  const cut = Effect.delay(
    Effect.sync(() => socket.destroy()),
    lingerMillis
  )
  const waiting = Effect.runFork(cut)
  socket.once("close", () => waiting.unsafeInterruptAsFork(FiberId.none))
}

/** Node calls this when the last answer of a connection is written, and would close the connection at once. */
export const endsSoftly = (socket: Socket): void => {
  socket.destroySoon = () => endSoftly(socket)
}
