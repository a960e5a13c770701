/**
 * Who may call what. Two middlewares, of which every group has one: `Bearer` for routes that need a token, `Open` for
 * routes that do not. Both note the route, spend from a rate bucket and check the endpoint's `Access`; neither of them
 * knows any route by name.
 */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as OpenApi from "@effect/platform/OpenApi"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { Forbidden, type RateLimitExceeded, type TokenRevoked, Unauthorized } from "../domain/ApiErrors.js"
import { zero } from "../domain/Micros.js"
import { isReadOnly } from "../domain/Scope.js"
import type { StorageError } from "../domain/StorageErrors.js"
import { Accounts, type Principal as Caller } from "../services/Accounts.js"
import { RateLimiter } from "../services/RateLimiter.js"
import { TopUps } from "../services/TopUps.js"
import { AccessMissing, type Required, type Route } from "./Access.js"
import { Wire, WireStorage } from "./Envelope.js"
import { type RequestState, stateOf } from "./RequestState.js"
import { spend, spendPublic } from "./RequestRate.js"
import { HttpSettings } from "./Settings.js"

/** The authenticated caller of the request. */
export class Principal extends Context.Tag("gateway/http/Principal")<Principal, Caller>() {}

const bearer = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "An API key, created in the account settings or by the command line. Keep it on the server."
  )
)

export class Bearer extends HttpApiMiddleware.Tag<Bearer>()("gateway/http/Bearer", {
  security: { bearer },
  provides: Principal,
  failure: Schema.Union(Wire.Unauthorized, Wire.TokenRevoked, Wire.Forbidden, Wire.RateLimitExceeded, WireStorage)
}) {}

/**
 * For routes without a token, and for those that take one but do not need it (the caller is then limited as their
 * workspace).
 */
export class Open extends HttpApiMiddleware.Tag<Open>()("gateway/http/Open", {
  failure: Schema.Union(Wire.RateLimitExceeded, Wire.Unauthorized, Wire.TokenRevoked, WireStorage)
}) {}

const scheme = /^bearer +/i

/** A token that can only read and tries to pay is told how to top up (contract: "Authentication", 3). */
export const lacksScope = (
  topUps: TopUps["Type"],
  required: Required | null,
  { operatorWorkspace, scopes, workspaceId }: Caller
): Effect.Effect<never, Forbidden> =>
  required === "billing:write" && isReadOnly(scopes)
    ? Effect.flatMap(
        topUps.hint({ workspaceId, operatorWorkspace, readOnly: true, availableMicros: zero, neededMicros: null }),
        (topUp) => new Forbidden({ scope: required, topUp })
      )
    : new Forbidden({ scope: required ?? "none" })

export type Authenticate = (
  request: HttpServerRequest.HttpServerRequest,
  token: Redacted.Redacted<string>,
  state: RequestState
) => Effect.Effect<Caller, Unauthorized | TokenRevoked | RateLimitExceeded | StorageError>

/** Finds the caller by their token and spends a request from the rate of their workspace. */
export const makeAuthenticate: Effect.Effect<Authenticate, never, Accounts | HttpSettings | RateLimiter> = Effect.gen(
  function* () {
    const accounts = yield* Accounts
    const limiter = yield* RateLimiter
    const { trustProxy } = yield* HttpSettings
    return Effect.fnUntraced(function* (request, token, state) {
      if (!scheme.test(request.headers["authorization"] ?? "")) {
        yield* spendPublic(limiter, request, trustProxy, state)
        return yield* new Unauthorized()
      }
      // A caller who guesses tokens, or goes on with one that was revoked, runs out of the bucket of their address.
      const principal = yield* Effect.tapError(accounts.authenticate(token), ({ _tag }) =>
        _tag === "unauthorized" || _tag === "token_revoked"
          ? spendPublic(limiter, request, trustProxy, state)
          : Effect.void
      )
      state.workspaceId = principal.workspaceId
      yield* spend(limiter, principal.workspaceId, state)
      return principal
    })
  }
)

/** The token of a header that names its scheme. */
export const bearerToken = (authorization: string): Redacted.Redacted<string> =>
  Redacted.make(authorization.replace(scheme, ""))

export const layerAuth = (
  routes: ReadonlyArray<Route>
): Layer.Layer<Bearer | Open, AccessMissing, Accounts | HttpSettings | RateLimiter | TopUps> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const authenticate = yield* makeAuthenticate
      const limiter = yield* RateLimiter
      const topUps = yield* TopUps
      const { trustProxy } = yield* HttpSettings
      const missing = routes.filter(({ access }) => access === null)
      if (missing.length > 0)
        return yield* new AccessMissing({ endpoints: missing.map(({ method, path }) => `${method} ${path}`) })
      const accessByRoute = new Map<string, Required>()
      for (const { access, method, path } of routes) if (access !== null) accessByRoute.set(`${method} ${path}`, access)

      /** Notes the route and says what it requires. */
      const enter = ({ route }: HttpRouter.RouteContext, state: RequestState): Required | null => {
        state.route = route.path
        return accessByRoute.get(`${route.method} ${route.path}`) ?? null
      }

      return Context.empty().pipe(
        Context.add(Bearer, {
          bearer: Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
            const request = yield* HttpServerRequest.HttpServerRequest
            const state = stateOf(request)
            const required = enter(yield* HttpRouter.RouteContext, state)
            const principal = yield* authenticate(request, token, state)
            if (required !== "any-token" && !principal.scopes.some((scope) => scope === required)) {
              return yield* lacksScope(topUps, required, principal)
            }
            return principal
          })
        }),
        Context.add(
          Open,
          Effect.gen(function* () {
            const request = yield* HttpServerRequest.HttpServerRequest
            const state = stateOf(request)
            const required = enter(yield* HttpRouter.RouteContext, state)
            const authorization = request.headers["authorization"]
            if (required === "probe" || required === "signed") return
            if (required === "optional-token" && authorization !== undefined) {
              yield* authenticate(request, bearerToken(authorization), state)
              return
            }
            yield* spendPublic(limiter, request, trustProxy, state)
          })
        )
      )
    })
  )
