/** Listens at an address with a server of Node, for as long as the scope lives. */
import type { Server } from "node:http"
import type { ListenOptions } from "node:net"
import type * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerError from "@effect/platform/HttpServerError"
import { Context, Effect, type Scope } from "effect"

/** Where the gateway listens. */
export class ServerAddress extends Context.Tag("gateway/http/serving/ServerAddress")<
  ServerAddress,
  HttpServer.TcpAddress
>() {}

const closed = (server: Server): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (!server.listening) return resume(Effect.void)
    server.close(() => resume(Effect.void))
  })

/** Fails where the address cannot be listened at; a defect where it is none of TCP. */
export const listen = (
  server: Server,
  options: ListenOptions
): Effect.Effect<HttpServer.TcpAddress, HttpServerError.ServeError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<HttpServer.TcpAddress, HttpServerError.ServeError>((resume) => {
      const failed = (cause: Error) => resume(Effect.fail(new HttpServerError.ServeError({ cause })))
      server.once("error", failed)
      server.listen(options, () => {
        server.off("error", failed)
        const address = server.address()
        resume(
          address === null || typeof address === "string"
            ? Effect.dieMessage("The server does not listen at a port")
            : Effect.succeed({ _tag: "TcpAddress", hostname: address.address, port: address.port })
        )
      })
    }),
    () => closed(server)
  )
