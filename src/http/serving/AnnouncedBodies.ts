/**
 * Bodies that a client holds back until it is asked for them (`Expect: 100-continue`; RFC 9110, section 10.1.1). Node
 * would ask for each at once. Here whoever reads the body asks, so that what the head alone decides, such as a missing
 * token or a body that is too large, is answered without it. Node then ends the connection with the answer, because the
 * client may send the body all the same.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { endsSoftly } from "./SoftEnd.js"

const heldBack = new WeakMap<IncomingMessage, ServerResponse>()

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

export const holdBodiesBack = (server: Server): void => {
  server.on("checkContinue", (request, response) => {
    endsSoftly(request.socket)
    if (hasBody(request)) heldBack.set(request, response)
    else response.writeContinue()
    server.emit("request", request, response)
  })
}

/** Asks for the body, where the client waits for that. */
export const askForBody = (request: IncomingMessage): void => {
  heldBack.get(request)?.writeContinue()
  heldBack.delete(request)
}
