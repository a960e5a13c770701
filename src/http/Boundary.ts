/**
 * The only error boundary. It gives every request its id. It turns every failure of routing, decoding and handlers, and
 * every defect, into an answer of the table in `Envelope.ts`, and adds the headers that every answer carries. Clients
 * learn nothing internal: any other error is logged with the request id and answered as `internal_error`.
 */
import * as HttpApiError from "@effect/platform/HttpApiError"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Effect, Option } from "effect"
import { cutText } from "../domain/Characters.js"
import {
  InternalError,
  MethodNotAllowed,
  type RateLimitExceeded,
  RouteNotFound,
  ValidationError
} from "../domain/ApiErrors.js"
import { Ids } from "../services/Ids.js"
import { RateLimiter } from "../services/RateLimiter.js"
import { Tracing } from "../services/Tracing.js"
import type { Route } from "./Access.js"
import { errorResponse } from "./Envelope.js"
import { makeRequestSpans } from "./RequestSpans.js"
import { beginRequest, incomingRequestId, newRequest, type RequestState } from "./RequestState.js"
import { fromIssues } from "./FieldProblems.js"
import { ignoredParameters, ignoredParametersHeader } from "./IgnoredParameters.js"
import { observe } from "./RequestMetrics.js"
import { rateHeaders, spendPublic } from "./RequestRate.js"
import { HttpSettings } from "./Settings.js"
import { headerProblem } from "./SingleHeaders.js"
import { decodable } from "./UrlEncoded.js"

const pathOf = (url: string): string => url.split("?", 1)[0] ?? url

/** The methods that a path has, for `405` and its `Allow`; none when there is no such path. */
const methodsByPath = (routes: ReadonlyArray<Route>): ((path: string) => ReadonlyArray<string>) => {
  const templates = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  for (const { method, path } of routes) {
    const known = templates.get(path) ?? {
      pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/:[A-Za-z]+/g, "[^/]+")}$`),
      methods: new Set<string>()
    }
    known.methods.add(method)
    if (method === "GET") known.methods.add("HEAD")
    templates.set(path, known)
  }
  return (path) => [
    ...new Set([...templates.values()].flatMap(({ methods, pattern }) => (pattern.test(path) ? [...methods] : [])))
  ]
}

/** Why no route takes the request. `allow` are the methods that its path has. */
export const missedRoute = (
  { method, url }: Pick<HttpServerRequest.HttpServerRequest, "method" | "url">,
  allow: ReadonlyArray<string>,
  worker: RouteNotFound["worker"] = undefined
): ValidationError | MethodNotAllowed | RouteNotFound => {
  const path = pathOf(url)
  if (!decodable(path)) return ValidationError.of("path", "is not valid percent-encoding")
  return allow.length > 0 && !allow.includes(method)
    ? new MethodNotAllowed({ method, allow })
    : new RouteNotFound({ method, path: cutText(path, 200), ...(worker === undefined ? {} : { worker }) })
}

const isMissed = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(Cause.failureOption(cause), (error) => error instanceof HttpServerError.RouteNotFound)

/** For anything that is no error of the table: it is logged, and clients learn nothing of it. */
export const unexpected = (
  cause: Cause.Cause<unknown>,
  { method }: Pick<HttpServerRequest.HttpServerRequest, "method">,
  { requestId, route }: RequestState
): Effect.Effect<InternalError> =>
  Effect.logError("A request ended in a defect", cause).pipe(
    Effect.annotateLogs({ requestId, method, route: route ?? "none" }),
    Effect.as(new InternalError())
  )

/** Tells a person that no page takes the request, where its address is one of the pages'. */
export interface MissingPages {
  readonly isPage: (url: string) => boolean
  readonly answer: (error: ReturnType<typeof missedRoute>) => HttpApp.Default
}

/**
 * `routes` are those that answers name. With `these alone`, as on a worker, no other route of the interface is reached:
 * it is answered as if it were none.
 */
export const makeBoundary = (
  routes: ReadonlyArray<Route>,
  pages: MissingPages,
  reached: "all" | "these alone" = "all"
): Effect.Effect<(app: HttpApp.Default) => HttpApp.Default, never, HttpSettings | Ids | RateLimiter> =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const limiter = yield* RateLimiter
    const { publicUrl, serverUrl, trustProxy } = yield* HttpSettings
    const worker =
      reached === "all" ? undefined : { has: routes.map(({ path }) => path), ask: serverUrl === "/" ? null : serverUrl }
    const tracer = yield* Tracing
    const spans = tracer === null ? null : makeRequestSpans(tracer, routes, publicUrl)
    const clock = yield* Effect.clock
    const methodsOf = methodsByPath(routes)
    const ignoredOf = ignoredParameters(routes)

    /** Fails only with errors of the table. */
    const explain = (
      cause: Cause.Cause<unknown>,
      request: HttpServerRequest.HttpServerRequest,
      state: RequestState
    ): Effect.Effect<unknown> => {
      const failure = Cause.failureOption(cause)
      if (failure._tag === "None") return unexpected(cause, request, state)
      const error = failure.value
      if (isMissed(cause))
        return Effect.merge(
          Effect.as(
            spendPublic(limiter, request, trustProxy, state),
            missedRoute(request, methodsOf(pathOf(request.url)), worker)
          )
        )
      if (error instanceof HttpApiError.HttpApiDecodeError && !state.answering)
        return Effect.succeed(fromIssues(error.issues, "request"))
      return errorResponse(error, "", undefined) === null ? unexpected(cause, request, state) : Effect.succeed(error)
    }

    const answerTo = (
      cause: Cause.Cause<unknown>,
      request: HttpServerRequest.HttpServerRequest,
      state: RequestState
    ): HttpApp.Default => {
      if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
      if (isMissed(cause) && pages.isPage(request.url))
        return pages.answer(missedRoute(request, methodsOf(pathOf(request.url))))
      return Effect.map(
        explain(cause, request, state),
        (error) =>
          errorResponse(error, state.requestId, request.headers["accept"]) ?? HttpServerResponse.empty({ status: 500 })
      )
    }

    return (served) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const app: HttpApp.Default<HttpServerError.RouteNotFound> =
          reached === "all" || methodsOf(pathOf(request.url)).length > 0
            ? served
            : Effect.fail(new HttpServerError.RouteNotFound({ request }))
        const startedNanos = clock.unsafeCurrentTimeNanos()
        const given = incomingRequestId(request.headers["x-request-id"])
        return Effect.flatMap(
          given === null ? Effect.map(ids.suffix, (suffix) => `req_${suffix}`) : Effect.succeed(given),
          (requestId) => {
            const span = spans?.begin(request) ?? null
            const state = newRequest(requestId, span?.context ?? null)
            beginRequest(request, state)
            const problem = headerProblem(NodeHttpServerRequest.toIncomingMessage(request))
            const answered: HttpApp.Default<HttpServerError.RouteNotFound | RateLimitExceeded | ValidationError> =
              problem === null
                ? app
                : Effect.zipRight(
                    spendPublic(limiter, request, trustProxy, state),
                    new ValidationError({ details: [problem] })
                  )
            const whole = answered.pipe(
              Effect.catchAllCause((cause) => answerTo(cause, request, state)),
              Effect.map((response) => {
                const ignored = ignoredOf(request.method, state.route, request.url)
                observe(
                  request.method,
                  state.route,
                  response.status,
                  Number(clock.unsafeCurrentTimeNanos() - startedNanos) / 1e9
                )
                return HttpServerResponse.setHeaders(response, {
                  "x-request-id": requestId,
                  "x-content-type-options": "nosniff",
                  ...(ignored === null ? {} : { [ignoredParametersHeader]: ignored }),
                  ...(state.rate === null ? {} : rateHeaders(state.rate))
                })
              })
            )
            return spans === null || span === null
              ? whole
              : Effect.onExit(whole, (exit) => Effect.sync(() => span.end(spans.ended(request, state, exit))))
          }
        )
      })
  })
