/**
 * `POST /v1/callbacks/{token}`: where a provider says that a slow operation has news. It is a route beside the
 * `HttpApi` and in no document, because no client calls it: the gateway gives its whole address to a provider. The
 * signature in the address is its only key. The body is not read, and every call has the same answer, so that the route
 * tells nobody whether a run exists. Calls at an address that is not known spend from the rate of their sender.
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, Layer } from "effect"
import { callbackPath } from "../domain/limits/Calls.js"
import { webhookBytesMax } from "../domain/limits/Workspaces.js"
import { ProviderCallbacks } from "../services/ProviderCallbacks.js"
import { RateLimiter } from "../services/RateLimiter.js"
import { plainRoute, type Route } from "./Access.js"
import { spendPublic } from "./RequestRate.js"
import { route, Routes } from "./serving/Routes.js"
import { HttpSettings } from "./Settings.js"

const path = `${callbackPath}:token` as const

/** As the boundary knows it. */
export const providerCallbackRoutes: ReadonlyArray<Route> = [plainRoute("POST", path, "signed")]

const taken = HttpServerResponse.empty({ status: 204 })
/** The rest of a large body is not waited for. */
const takenAndClosed = HttpServerResponse.empty({ status: 204, headers: { connection: "close" } })

export const providerCallbackLayer: Layer.Layer<never, never, HttpSettings | ProviderCallbacks | RateLimiter | Routes> =
  Layer.effectDiscard(
    Effect.gen(function* () {
      const callbacks = yield* ProviderCallbacks
      const limiter = yield* RateLimiter
      const { trustProxy } = yield* HttpSettings
      yield* (yield* Routes).add(
        route({ method: "POST", path }, Context.empty(), ({ params, request, state }) =>
          Effect.gen(function* () {
            if (!(yield* callbacks.ring(params["token"] ?? ""))) yield* spendPublic(limiter, request, trustProxy, state)
            const length = request.headers["content-length"]
            const isSmall =
              length === undefined ? !("transfer-encoding" in request.headers) : Number(length) <= webhookBytesMax
            return isSmall ? taken : takenAndClosed
          })
        )
      )
    })
  )
