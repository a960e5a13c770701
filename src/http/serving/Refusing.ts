/**
 * Answers to requests that never reach the interface: those that Node cannot read, and those that come while the node
 * stops or starts. On a connection, what cannot be read is refused behind the answers to the requests before it: a
 * client takes the first answer for that to its first request, whose run may be charged.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { RequestTimeout, ValidationError } from "../../domain/ApiErrors.js"
import { headerBytesMax } from "../../domain/limits/Requests.js"
import { StorageBusy } from "../../domain/StorageErrors.js"
import { type Asked, writtenError } from "../ErrorAnswers.js"
import { incomingRequestId } from "../RequestState.js"
import type { Endings } from "../Stopping.js"
import { endSoftly } from "./SoftEnd.js"

interface Refusal {
  readonly status: number
  readonly error: RequestTimeout | ValidationError | StorageBusy
  readonly message?: string
}

export const stopping: Refusal = {
  status: 503,
  error: new StorageBusy({ retryAfterSeconds: 1 }),
  message: "This node is stopping or starting; nothing was done, retry with the same key"
}

export const unknownExpectation = {
  status: 417,
  error: ValidationError.of("expect", "may only be 100-continue", "Leave the Expect header out.")
}

export const headersTooLarge = {
  status: 431,
  error: ValidationError.of(
    "headers",
    `may have at most ${headerBytesMax} bytes`,
    "Send fewer or shorter headers, and a shorter address where that is long."
  )
}

const notHttp = { status: 400, error: ValidationError.of("request", "is not valid HTTP") }

/** Why the server cannot read a request, by the code that Node gives. */
export const unreadable = (code: string | undefined) => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return headersTooLarge
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, error: new RequestTimeout() }
    default:
      return notHttp
  }
}

/** What Node cannot read has no headers that could ask for anything. */
const partsOf = ({ error, ...instead }: Refusal, asked: Asked) => {
  const written = writtenError(error, asked, instead)
  const body = written?.text ?? ""
  const headers = {
    ...written?.headers,
    ...(written === null ? {} : { "content-type": written.contentType }),
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": asked.requestId,
    connection: "close"
  }
  return { body, headers }
}

export interface Refusing {
  readonly answer: (response: ServerResponse, refusal: Refusal) => void
  /** For the server's `clientError`. Nothing of the connection is read any more. */
  readonly refuseUnreadable: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** For the server's `connect`: from there on, Node leaves the connection to whoever listens. */
  readonly refuseTunnel: (request: IncomingMessage, socket: Duplex) => void
}

const noTunnel: Refusal = {
  status: 400,
  error: ValidationError.of("request", "must not be CONNECT: the gateway is no proxy for connections")
}

export const makeRefusing = (requestId: () => string, endings: Endings, publicUrl: string): Refusing => {
  const refused = new WeakSet<Duplex>()

  const answer = (response: ServerResponse, refusal: Refusal): void => {
    const { req } = response
    const asked = { requestId: incomingRequestId(req) ?? requestId(), accept: req.headers.accept, publicUrl }
    const { body, headers } = partsOf(refusal, asked)
    response.writeHead(refusal.status, headers)
    response.end(body)
  }

  const write = (socket: Duplex, refusal: Refusal, request?: IncomingMessage): void => {
    if (!socket.writable) return
    const id = request === undefined ? null : incomingRequestId(request)
    const asked = { requestId: id ?? requestId(), accept: request?.headers.accept, publicUrl }
    const { body, headers } = partsOf(refusal, asked)
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    endSoftly(socket, [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`, ...head, "", body].join("\r\n"))
  }

  /** Does the work once the answer to this request is sent. */
  const onceAnswered = (response: ServerResponse, work: () => void): void => {
    if (response.writableFinished) work()
    else response.once("close", work)
  }

  return {
    answer,
    refuseTunnel: (request, socket) => {
      // Node has taken its own listeners away, and reads nothing more: unread bytes would cost the client its answer.
      socket.on("error", () => socket.destroy())
      socket.resume()
      const newest = endings.newestOn(socket)
      if (newest === undefined) write(socket, noTunnel, request)
      else onceAnswered(newest, () => write(socket, noTunnel, request))
    },
    refuseUnreadable: (error, socket) => {
      // What stands behind a request that ends the connection is nobody's; the requests before it are still answered.
      if (error.code === "HPE_CLOSED_CONNECTION") return
      if (!socket.writable || error.code === "ECONNRESET") {
        socket.destroy()
        return
      }
      if (refused.has(socket)) return
      refused.add(socket)
      const refusal = unreadable(error.code)
      const newest = endings.newestOn(socket)
      if (newest === undefined) return write(socket, refusal)
      if (newest.req.complete) onceAnswered(newest, () => write(socket, refusal))
      // Otherwise the rest of that request is what cannot be read: the refusal is its answer, unless it has one.
      else if (newest.headersSent) onceAnswered(newest, () => endSoftly(socket))
      else {
        endings.endAfter(newest)
        answer(newest, refusal)
      }
    }
  }
}
