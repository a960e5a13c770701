/**
 * The only error boundary. It gives every request its id. It turns every failure of routing, decoding and handlers, and
 * every defect, into an answer of the table in `Envelope.ts`, and adds the headers that every answer carries. Clients
 * learn nothing internal: any other error is logged with the request id and answered as `internal_error`.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Cause, Context, Effect, Exit, type Fiber, Option, Runtime } from "effect"
import { cutText } from "../domain/Characters.js"
import { InternalError, MethodNotAllowed, RouteNotFound, ValidationError } from "../domain/ApiErrors.js"
import { Ids } from "../services/Ids.js"
import { RateLimiter } from "../services/RateLimiter.js"
import { Tracing } from "../services/Tracing.js"
import type { Route } from "./Access.js"
import { errorResponse } from "./ErrorAnswers.js"
import { makeRequestSpans } from "./RequestSpans.js"
import { incomingRequestId, newRequest, type RequestState } from "./RequestState.js"
import { ignoredParameters, ignoredParametersHeader } from "./IgnoredParameters.js"
import { observe } from "./RequestMetrics.js"
import { rateHeaders, spendPublic } from "./RequestRate.js"
import { type Answer, type Begin, pathOf, Routes } from "./serving/Routes.js"
import { send } from "./serving/Sending.js"
import { ServedRequest } from "./serving/ServedRequest.js"
import { targetProblem } from "./serving/Targets.js"
import { HttpSettings } from "./Settings.js"
import { headerProblem } from "./HeaderProblems.js"
import { decodable } from "./UrlEncoded.js"

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
  { sentMethod: method, url }: Pick<ServedRequest, "sentMethod" | "url">,
  allow: ReadonlyArray<string>,
  worker: RouteNotFound["worker"] = undefined
): ValidationError | MethodNotAllowed | RouteNotFound => {
  const path = pathOf(url)
  if (!decodable(path)) return ValidationError.of("path", "is not valid percent-encoding")
  return allow.length > 0 && !allow.includes(method)
    ? new MethodNotAllowed({ method, allow })
    : new RouteNotFound({ method, path: cutText(path, 200), ...(worker === undefined ? {} : { worker }) })
}

/** For anything that is no error of the table: it is logged, and clients learn nothing of it. */
export const unexpected = (
  cause: Cause.Cause<unknown>,
  method: string,
  { requestId, route }: RequestState
): Effect.Effect<InternalError> =>
  Effect.logError("A request ended in a defect", cause).pipe(
    Effect.annotateLogs({ requestId, method, route: route ?? "none" }),
    Effect.as(new InternalError())
  )

/** Tells a person that no page takes the request, where its address is one of the pages'. */
interface MissingPages {
  readonly isPage: (url: string) => boolean
  readonly answer: (error: ReturnType<typeof missedRoute>) => Answer<HttpServerRequest.HttpServerRequest>
}

/** Takes a request of Node and answers it. */
export type Listener = (source: IncomingMessage, to: ServerResponse) => void

/**
 * `known` are the routes that answers name. With `these alone`, as on a worker, no other route of the interface is
 * reached: it is answered as if it were none.
 */
export const makeBoundary = (
  known: ReadonlyArray<Route>,
  pages: MissingPages,
  reached: "all" | "these alone" = "all"
): Effect.Effect<Listener, never, HttpSettings | Ids | RateLimiter | Routes> =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const limiter = yield* RateLimiter
    const routes = yield* Routes
    const { publicUrl, serverUrl, trustProxy } = yield* HttpSettings
    const worker =
      reached === "all" ? undefined : { has: known.map(({ path }) => path), ask: serverUrl === "/" ? null : serverUrl }
    const tracer = yield* Tracing
    const spans = tracer === null ? null : makeRequestSpans(tracer, known, publicUrl)
    const clock = yield* Effect.clock
    const runtime = yield* Effect.runtime<never>()
    const methodsOf = methodsByPath(known)
    const ignoredOf = ignoredParameters(known)

    const missed = (request: ServedRequest): Answer<HttpServerRequest.HttpServerRequest> => {
      const error = missedRoute(request, methodsOf(pathOf(request.url)), worker)
      return pages.isPage(request.url)
        ? pages.answer(error)
        : Effect.zipRight(spendPublic(limiter, request, trustProxy, request.state), Effect.fail(error))
    }

    const explained = (
      cause: Cause.Cause<unknown>,
      request: ServedRequest
    ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
      if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
      const { requestId } = request.state
      const { accept } = request.headers
      const answer = Option.match(Cause.failureOption(cause), {
        onNone: () => null,
        onSome: (error) => errorResponse(error, { requestId, accept, publicUrl })
      })
      return answer !== null
        ? Effect.succeed(answer)
        : Effect.map(unexpected(cause, request.sentMethod, request.state), (error) => internal(error, request))
    }

    const internal = (error: InternalError, { headers, state }: ServedRequest) =>
      errorResponse(error, { requestId: state.requestId, accept: headers["accept"], publicUrl }) ??
      HttpServerResponse.empty({ status: 500 })

    /** Headers that every answer carries beside its own. */
    const furtherHeaders = ({ sentMethod, state, url }: ServedRequest): { readonly [name: string]: string } => {
      const ignored = ignoredOf(sentMethod, state.route, url)
      return {
        "x-request-id": state.requestId,
        "x-content-type-options": "nosniff",
        ...(ignored === null ? {} : { [ignoredParametersHeader]: ignored }),
        ...(state.rate === null ? {} : rateHeaders(state.rate))
      }
    }

    const answer = (request: ServedRequest): Fiber.RuntimeFiber<HttpServerResponse.HttpServerResponse> => {
      const { sentMethod, source, state, url } = request
      const begin: Begin<Fiber.RuntimeFiber<HttpServerResponse.HttpServerResponse>> = (services, made) => {
        const context = Context.add(services, HttpServerRequest.HttpServerRequest, request)
        const whole = Effect.catchAllCause(made, (cause) => explained(cause, request))
        return Runtime.runFork(
          Runtime.make({ ...runtime, context }),
          state.requestId !== ""
            ? whole
            : Effect.flatMap(ids.suffix, (suffix) => {
                state.requestId = `req_${suffix}`
                return whole
              })
        )
      }
      const problem = headerProblem(source) ?? targetProblem(url)
      if (problem !== null)
        return begin(
          Context.empty(),
          Effect.zipRight(spendPublic(limiter, request, trustProxy, state), new ValidationError({ details: [problem] }))
        )
      const isReached = reached === "all" || methodsOf(pathOf(url)).length > 0
      const found = isReached ? routes.find(sentMethod, url) : null
      if (found === null) return begin(Context.empty(), missed(request))
      state.route = found.route.path
      return found.route.answer({ request, state, params: found.params, query: found.query }, begin)
    }

    return (source, to) => {
      const startedNanos = clock.unsafeCurrentTimeNanos()
      const state = newRequest(incomingRequestId(source) ?? "")
      const request = new ServedRequest(source, state)
      const span = spans?.begin(request) ?? null
      state.trace = span?.context ?? null
      const fiber = answer(request)
      fiber.addObserver((exit) => {
        if (Exit.isSuccess(exit))
          observe(
            request.sentMethod,
            state.route,
            exit.value.status,
            Number(clock.unsafeCurrentTimeNanos() - startedNanos) / 1e9
          )
        if (spans !== null && span !== null) span.end(spans.ended(request, state, exit))
        // Without an answer its client hung up, or the gateway is being stopped.
        const response = Exit.getOrElse(exit, () => HttpServerResponse.empty({ status: 503 }))
        const unsendable = (defect: unknown): void => {
          Runtime.runFork(runtime, unexpected(Cause.die(defect), request.sentMethod, state))
          if (to.headersSent) to.destroy()
          else send(to, internal(new InternalError(), request), furtherHeaders(request))
        }
        try {
          if (!send(to, response, furtherHeaders(request))) unsendable("A body of this kind cannot be sent")
        } catch (defect) {
          unsendable(defect)
        }
      })
      if (fiber.unsafePoll() === null)
        // Also where there is an answer: a body that breaks off is refused in place of the handler, which nobody tells
        // that no more of it comes.
        to.once("close", () => {
          if (fiber.unsafePoll() === null) fiber.unsafeInterruptAsFork(HttpServerError.clientAbortFiberId)
        })
    }
  })
