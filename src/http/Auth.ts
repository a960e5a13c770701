/**
 * Who may call what. Two middlewares, of which every group has one: `Bearer` for routes that need a token, `Open` for
 * routes that do not. Both spend from a rate bucket and check the endpoint's `Access`; neither of them knows any route
 * by name.
 */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
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
import type { RequestState } from "./RequestState.js"
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

type Authenticate = (
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
    return (request, token, state) => {
      if (!scheme.test(request.headers["authorization"] ?? ""))
        return Effect.zipRight(spendPublic(limiter, request, trustProxy, state), new Unauthorized())
      // A caller who guesses tokens, or goes on with one that was revoked, runs out of the bucket of their address.
      const known = Effect.tapError(accounts.authenticate(token), ({ _tag }) =>
        _tag === "unauthorized" || _tag === "token_revoked"
          ? spendPublic(limiter, request, trustProxy, state)
          : Effect.void
      )
      return Effect.flatMap(known, (principal) => {
        state.workspaceId = principal.workspaceId
        return Effect.as(spend(limiter, principal.workspaceId, state), principal)
      })
    }
  }
)

/** The token of a header that names its scheme. */
export const bearerToken = (authorization: string): Redacted.Redacted<string> =>
  Redacted.make(authorization.replace(scheme, ""))

type Refused = Unauthorized | TokenRevoked | Forbidden | RateLimitExceeded | StorageError

/** What the two middlewares do. */
export class Entrance extends Context.Tag("gateway/http/Entrance")<
  Entrance,
  {
    /** The caller, whose token allows what the route asks for. */
    readonly withToken: (
      request: HttpServerRequest.HttpServerRequest,
      state: RequestState,
      access: Required | null
    ) => Effect.Effect<Caller, Refused>
    readonly open: (
      request: HttpServerRequest.HttpServerRequest,
      state: RequestState,
      access: Required | null
    ) => Effect.Effect<void, Refused>
  }
>() {}

/** The definition names the middlewares for its types and its document; `serving/Endpoints.ts` asks the entrance. */
const elsewhere = Effect.dieMessage("Callers come in through Entrance")

export const layerAuth = (
  routes: ReadonlyArray<Route>
): Layer.Layer<Bearer | Entrance | Open, AccessMissing, Accounts | HttpSettings | RateLimiter | TopUps> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const authenticate = yield* makeAuthenticate
      const limiter = yield* RateLimiter
      const topUps = yield* TopUps
      const { trustProxy } = yield* HttpSettings
      const missing = routes.filter(({ access }) => access === null)
      if (missing.length > 0)
        return yield* new AccessMissing({ endpoints: missing.map(({ method, path }) => `${method} ${path}`) })
      const tokenOf = (request: HttpServerRequest.HttpServerRequest) =>
        bearerToken(request.headers["authorization"] ?? "")

      return Context.make(Bearer, { bearer: () => elsewhere }).pipe(
        Context.add(Open, elsewhere),
        Context.add(Entrance, {
          withToken: (request, state, access) =>
            Effect.flatMap(authenticate(request, tokenOf(request), state), (principal) =>
              access === "any-token" || principal.scopes.some((scope) => scope === access)
                ? Effect.succeed(principal)
                : lacksScope(topUps, access, principal)
            ),
          open: (request, state, access) => {
            if (access === "probe" || access === "signed") return Effect.void
            return access === "optional-token" && request.headers["authorization"] !== undefined
              ? Effect.asVoid(authenticate(request, tokenOf(request), state))
              : spendPublic(limiter, request, trustProxy, state)
          }
        })
      )
    })
  )
