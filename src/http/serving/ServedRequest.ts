/**
 * A request of Node as the `HttpServerRequest` of the platform library, which handlers are typed with, and what is
 * known about it meanwhile. Bodies are read by `http/Body.ts`, from the socket; no route takes multipart or an upgrade,
 * so what the library would read in these ways fails here.
 */
import type { IncomingMessage } from "node:http"
import * as Cookies from "@effect/platform/Cookies"
import * as Headers from "@effect/platform/Headers"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as HttpMethod from "@effect/platform/HttpMethod"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, Inspectable, Option, Stream } from "effect"
import type { RequestState } from "../RequestState.js"
import { pathAndQuery } from "./Targets.js"

type Platform = HttpServerRequest.HttpServerRequest

export class ServedRequest extends Inspectable.Class implements Platform {
  readonly [HttpServerRequest.TypeId]: typeof HttpServerRequest.TypeId = HttpServerRequest.TypeId
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly url: string
  #headers: Headers.Headers | undefined
  #cookies: Platform["cookies"] | undefined

  constructor(
    readonly source: IncomingMessage,
    readonly state: RequestState
  ) {
    super()
    this.url = pathAndQuery(source.url ?? "/")
  }

  /** The method as it was sent; there are more than the library knows. */
  get sentMethod(): string {
    return this.source.method ?? "GET"
  }
  /** For handlers. No route has a method that the library does not know. */
  get method(): HttpMethod.HttpMethod {
    const { sentMethod } = this
    return HttpMethod.isHttpMethod(sentMethod) ? sentMethod : "OPTIONS"
  }
  get originalUrl(): string {
    return this.url
  }
  get headers(): Headers.Headers {
    return (this.#headers ??= Headers.fromInput(this.source.headers))
  }
  get cookies(): Platform["cookies"] {
    return (this.#cookies ??= Cookies.parseHeader(this.source.headers.cookie ?? ""))
  }
  get remoteAddress(): Option.Option<string> {
    return Option.fromNullable(this.source.socket.remoteAddress)
  }

  get #unread(): Effect.Effect<never, HttpServerError.RequestError> {
    return Effect.fail(
      new HttpServerError.RequestError({ request: this, reason: "Decode", description: "Bodies are read by Body.ts" })
    )
  }
  get json(): Platform["json"] {
    return this.#unread
  }
  get text(): Platform["text"] {
    return this.#unread
  }
  get urlParamsBody(): Platform["urlParamsBody"] {
    return this.#unread
  }
  get arrayBuffer(): Platform["arrayBuffer"] {
    return this.#unread
  }
  get stream(): Platform["stream"] {
    return Stream.fromEffect(this.#unread)
  }
  get upgrade(): Platform["upgrade"] {
    return this.#unread
  }
  get multipart(): Platform["multipart"] {
    return Effect.dieMessage("No route takes multipart")
  }
  get multipartStream(): Platform["multipartStream"] {
    return Stream.dieMessage("No route takes multipart")
  }
  /** Nothing here sends a request on under another address, so it stays as it is. */
  modify(): Platform {
    return this
  }
  toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, { _id: "ServedRequest", method: this.sentMethod, url: this.url })
  }
}
