/**
 * Requests that a client sends on one connection without waiting for the answers. Node reads many of them at once, and
 * would have all of them worked on in the same step, for seconds. Here only some of a connection are worked on at once;
 * each of the others begins in a turn of the event loop of its own, when one before it is answered. A client that sends
 * many more is cut off, because each holds memory.
 */
import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { Effect } from "effect"
import { pipelinedAtOnceMax, pipelinedWaitingMax } from "../../domain/limits/Requests.js"
import { nextEventLoopTurn } from "../../services/Slices.js"

interface Waiting {
  readonly response: ServerResponse
  readonly begin: () => void
}

/** The requests of one connection. */
interface Line {
  working: number
  waiting: Array<Waiting>
}

/** Begins a request when its turn on its connection has come. */
export const makePipelining = (): ((response: ServerResponse, begin: () => void) => void) => {
  const lines = new WeakMap<Duplex, Line>()

  const work = (line: Line, { begin, response }: Waiting): void => {
    line.working += 1
    response.once("close", () => {
      line.working -= 1
      if (line.waiting.length > 0) Effect.runFork(Effect.andThen(nextEventLoopTurn, () => goOn(line)))
    })
    begin()
  }

  const goOn = (line: Line): void => {
    const next = line.waiting.shift()
    if (next === undefined) return
    const { response } = next
    if (response.req.socket.destroyed) line.waiting = []
    // What came behind it could not be read: it has an answer already.
    else if (response.headersSent) goOn(line)
    else work(line, next)
  }

  return (response, begin) => {
    const { socket } = response.req
    const known = lines.get(socket)
    const line: Line = known ?? { working: 0, waiting: [] }
    if (known === undefined) lines.set(socket, line)
    if (socket.destroyed) line.waiting = []
    else if (line.working < pipelinedAtOnceMax && line.waiting.length === 0) work(line, { response, begin })
    else if (line.waiting.length < pipelinedWaitingMax) line.waiting.push({ response, begin })
    else {
      line.waiting = []
      socket.destroy()
    }
  }
}
