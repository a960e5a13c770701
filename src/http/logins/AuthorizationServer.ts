/**
 * The metadata of the gateway as an authorization server (RFC 8414), so that an OAuth client finds the device grant by
 * the gateway's address alone. It names no authorization endpoint: the only grant here is that of devices.
 *
 * The metadata of `/mcp` does not name this server. Clients of the Model Context Protocol begin an authorization code
 * flow with every server that is named there, and refuse one without it, instead of using the token that they have.
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, Layer } from "effect"
import { scopes } from "../../domain/Scope.js"
import { RateLimiter } from "../../services/RateLimiter.js"
import { plainRoute, type Route } from "../Access.js"
import { spendPublic } from "../RequestRate.js"
import { route, Routes } from "../serving/Routes.js"
import { HttpSettings } from "../Settings.js"
import { deviceGrantType } from "./OAuthBodies.js"

const wellKnown = "/.well-known/oauth-authorization-server"

/**
 * RFC 8414, section 3.1: the well-known name stands before the path of the issuer. A proxy that takes the prefix away
 * may pass the one or the other on.
 */
const pathsOf = (publicUrl: string) =>
  new Set([wellKnown, `${wellKnown}${new URL(publicUrl).pathname.replace(/\/+$/, "")}`] as const)

/** As the boundary knows them. */
export const authorizationServerRoutes = (publicUrl: string): ReadonlyArray<Route> =>
  [...pathsOf(publicUrl)].map((path) => plainRoute("GET", path, "public"))

export const authorizationServerLayer: Layer.Layer<never, never, HttpSettings | RateLimiter | Routes> =
  Layer.effectDiscard(
    Effect.gen(function* () {
      const routes = yield* Routes
      const limiter = yield* RateLimiter
      const { publicUrl, trustProxy } = yield* HttpSettings
      const metadata = HttpServerResponse.unsafeJson({
        issuer: publicUrl,
        token_endpoint: `${publicUrl}/oauth/token`,
        device_authorization_endpoint: `${publicUrl}/oauth/device_authorization`,
        grant_types_supported: [deviceGrantType],
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ["none"],
        scopes_supported: scopes,
        service_documentation: `${publicUrl}/docs`
      })
      for (const path of pathsOf(publicUrl))
        yield* routes.add(
          route({ method: "GET", path }, Context.empty(), ({ request, state }) =>
            Effect.as(spendPublic(limiter, request, trustProxy, state), metadata)
          )
        )
    })
  )
