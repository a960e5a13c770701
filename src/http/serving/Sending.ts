/**
 * Sends a response to its client, through Node. A stream is read as fast as its client
 * takes it; one that fails cuts the connection, so that nobody takes half of it for the whole.
 */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http"
import { pipeline, Readable } from "node:stream"
import * as Cookies from "@effect/platform/Cookies"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { endBehindLongBody } from "./UnreadBodies.js"

/**
 * Node joins the head with a text and hands bytes over beside it, which costs the system more. As latin1 every byte is
 * one character. A large body would be copied for nothing.
 */
const joinedBytesMax = 16_384

const headersOf = (
  { cookies, headers }: HttpServerResponse.HttpServerResponse,
  further: { readonly [name: string]: string }
): OutgoingHttpHeaders => ({
  ...headers,
  ...further,
  ...(Cookies.isEmpty(cookies) ? {} : { "set-cookie": Cookies.toSetCookieHeaders(cookies) })
})

/**
 * `further` are headers beside those of the response. Sends nothing where the connection is gone. False for a body that
 * is none of empty, bytes and a Node stream: no handler makes one.
 */
export const send = (
  to: ServerResponse,
  response: HttpServerResponse.HttpServerResponse,
  further: { readonly [name: string]: string }
): boolean => {
  const { body } = response
  const stream = body._tag === "Raw" && body.body instanceof Readable ? body.body : null
  if (to.destroyed || to.writableEnded) {
    stream?.destroy()
    return true
  }
  if (stream === null && body._tag !== "Empty" && body._tag !== "Uint8Array") return false
  endBehindLongBody(to)
  to.writeHead(response.status, headersOf(response, further))
  if (to.req.method === "HEAD") {
    stream?.destroy()
    to.end()
  } else if (stream !== null) {
    // `pipeline` alone listens seven times: with those of the server, Node would warn of a leak that is none.
    to.setMaxListeners(0)
    // Whatever ends it, both sides are ended with it; there is nobody left to tell.
    pipeline(stream, to, () => {})
  } else if (body._tag === "Uint8Array") {
    if (body.body.length > joinedBytesMax) to.end(body.body)
    else to.end(Buffer.from(body.body.buffer, body.body.byteOffset, body.body.length).toString("latin1"), "latin1")
  } else {
    to.end()
  }
  return true
}
