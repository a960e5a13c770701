/**
 * Cuts off readers that do not read. What a client does not take of an answer waits in this process, so three bounds
 * hold: nothing taken for too long, less on average than a slow line gives, and, for all answers together, a bound of
 * memory above which those who wait longest go first. A run that is waited for is no slow reader: nothing has been
 * written yet. Nor is one whose answer stands behind that of another request on its connection; that one only holds
 * memory. What counts as taken is what the kernel took: what of that the client has is not known here.
 */
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Effect, Predicate, type Scope } from "effect"
import { readerBytesPerSecond, readerStallMillis, unreadBytesMax } from "../domain/limits/Requests.js"
import { makeUnderWay } from "../services/UnderWay.js"

export interface ReaderLimits {
  readonly stallMillis: number
  readonly bytesPerSecond: number
  /** For all answers of the server. */
  readonly unreadBytes: number
  /** How often the second and third bound are looked at. */
  readonly lookMillis: number
}

/**
 * The kernel takes more of an answer only once a part of its buffer is free again: on Linux a third of 4 MiB. Until
 * then, a client that reads steadily looks like one that reads nothing.
 */
const kernelStepBytes = 2_097_152

/** How long nothing of an answer may be taken: the rest of the time is what a slow line needs for one step. */
export const silentMillisMax = ({
  bytesPerSecond,
  stallMillis
}: Pick<ReaderLimits, "bytesPerSecond" | "stallMillis">): number =>
  stallMillis + (kernelStepBytes / bytesPerSecond) * 1_000

/** An answer under way. */
interface Answer {
  readonly response: ServerResponse
  readonly socket: Socket
  /** What its connection had taken before. */
  readonly takenBefore: number
  /** What its connection has taken by now, and since when it is no more. */
  taken: number
  takenSince: number
  /** The moment since which something of it waits in this process. */
  since: number | null
  /** The same for its reader, who can take nothing of it before its turn. */
  offeredSince: number | null
}

interface Unread {
  readonly socket: Socket
  readonly bytes: number
  readonly since: number
}

/** What holds where the settings say nothing else. */
export const readerLimitsDefault: ReaderLimits = {
  stallMillis: readerStallMillis,
  bytesPerSecond: readerBytesPerSecond,
  unreadBytes: unreadBytesMax,
  lookMillis: 1_000
}

/**
 * How much the kernel has taken of what was written to a connection: what still waits in this process is not in it, as
 * it is in `bytesWritten`. Only the handle of a connection knows, which is no documented interface of Node; without one
 * the connection is closed.
 */
const takenOf = ({ _handle: handle }: Socket & { readonly _handle?: unknown }): number =>
  Predicate.hasProperty(handle, "bytesWritten") &&
  Predicate.hasProperty(handle, "writeQueueSize") &&
  Predicate.isNumber(handle.bytesWritten) &&
  Predicate.isNumber(handle.writeQueueSize)
    ? handle.bytesWritten - handle.writeQueueSize
    : 0

/** Watches for as long as the scope lives. */
export const cutSlowReaders = (
  server: Server,
  special: Partial<ReaderLimits> = {}
): Effect.Effect<void, never, Scope.Scope> => {
  const limits = { ...readerLimitsDefault, ...special }
  const silentMillis = silentMillisMax(limits)
  const answers = makeUnderWay<Answer>()

  server.setTimeout(limits.stallMillis, (socket: Socket) => {
    // Node has seen no byte go either way for so long. Without an answer under way it is an idle connection, which Node
    // would end too.
    if (Array.from(answers).every((answer) => answer.socket !== socket)) socket.destroy()
  })
  // Before anybody answers: what is taken of an answer counts from its first byte on.
  server.prependListener("request", (request, response: ServerResponse) => {
    const { socket } = request
    const taken = takenOf(socket)
    const ended = answers.add({
      response,
      socket,
      takenBefore: taken,
      taken,
      takenSince: performance.now(),
      since: null,
      offeredSince: null
    })
    response.once("close", ended)
  })

  const look = () => {
    const at = performance.now()
    const unread: Array<Unread> = []
    for (const answer of answers) {
      const bytes = answer.response.writableLength
      if (bytes === 0) {
        answer.since = answer.offeredSince = null
        continue
      }
      const since = (answer.since ??= at)
      const taken = takenOf(answer.socket)
      // Node gives a response its socket when its turn comes.
      if (answer.response.socket !== null && answer.offeredSince === null) answer.offeredSince = answer.takenSince = at
      if (taken !== answer.taken) {
        answer.taken = taken
        answer.takenSince = at
      }
      const allowedMillis = limits.stallMillis + ((taken - answer.takenBefore) / limits.bytesPerSecond) * 1_000
      const isSlow =
        answer.offeredSince !== null &&
        (at - answer.takenSince > silentMillis || at - answer.offeredSince > allowedMillis)
      if (isSlow) answer.socket.destroy()
      else unread.push({ socket: answer.socket, bytes, since })
    }
    let total = unread.reduce((sum, { bytes }) => sum + bytes, 0)
    if (total <= limits.unreadBytes) return
    for (const { bytes, socket } of unread.sort((one, other) => one.since - other.since)) {
      socket.destroy()
      total -= bytes
      if (total <= limits.unreadBytes) return
    }
  }
  return Effect.asVoid(
    Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(limits.lookMillis), Effect.sync(look))))
  )
}
