/**
 * Which handler takes a method and a path. Layers add their routes while the gateway is composed; the server looks them
 * up. Paths are matched exactly: case counts, and a path with one more slash is another path.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, Layer } from "effect"
import * as FindMyWay from "find-my-way-ts"
import { cutText } from "../../domain/Characters.js"
import { pathCharsMax, shownIdCharsMax } from "../../domain/limits/Requests.js"
import type { RequestState } from "../RequestState.js"
import { decodable } from "../UrlEncoded.js"
import type { ServedRequest } from "./ServedRequest.js"

/** A request that found its route. */
export interface Call {
  readonly request: ServedRequest
  readonly state: RequestState
  /** What the path has in the places of the route's parameters, decoded. */
  readonly params: { readonly [name: string]: string | undefined }
  /** The query; a parameter that is given several times is a list. */
  readonly query: { readonly [name: string]: string | ReadonlyArray<string> }
}

export type Answer<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>

/** What every handler has beside the services of its layer. */
export type Request = HttpServerRequest.HttpServerRequest

/** Runs an answer with these services and its request. */
export type Begin<A> = <R>(services: Context.Context<R>, answer: Answer<R | Request>) => A

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const
const known: ReadonlySet<string> = new Set(methods)

/** Clients can send any word as a method; only these are counted and traced by name. */
export const isKnownMethod = (method: string): boolean => known.has(method)

export interface Route {
  readonly method: (typeof methods)[number]
  readonly path: `/${string}`
  readonly answer: <A>(call: Call, begin: Begin<A>) => A
}

/** `services` are those that the handler asks for: few of them, because each request copies them. */
export const route = <R>(
  { method, path }: Pick<Route, "method" | "path">,
  services: Context.Context<R>,
  handle: (call: Call) => Answer<R | Request>
): Route => ({
  method,
  path,
  answer: (call, begin) =>
    begin(
      services,
      Effect.suspend(() => handle(call))
    )
})

interface Found {
  readonly route: Route
  readonly params: Call["params"]
  readonly query: Call["query"]
}

export class Routes extends Context.Tag("gateway/http/serving/Routes")<
  Routes,
  {
    readonly add: (...routes: ReadonlyArray<Route>) => Effect.Effect<void>
    /** Null where no route takes it. A `HEAD` without a route of its own is a `GET` without its body. */
    readonly find: (method: string, url: string) => Found | null
  }
>() {}

/** What stands before the query. */
export const pathOf = (url: string): string => {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

/** What stands behind the path, without its `?`. */
export const queryOf = (url: string): string => url.slice(pathOf(url).length + 1)

/** With its end cut off it could be another id, so it gets a sign that no id has. */
const shortened = (step: string): string =>
  step.length > shownIdCharsMax ? encodeURIComponent(`${cutText(decodeURIComponent(step), shownIdCharsMax)}…`) : step

/**
 * The table decodes a path before it looks it up, and for a long one that takes milliseconds. What is too long in such
 * a path names nothing, so its beginning is enough: the route is found, and says that it does not know the id.
 */
const withoutLongSteps = (url: string): string => {
  const path = pathOf(url)
  return path.length > pathCharsMax && decodable(path)
    ? path.split("/").map(shortened).join("/") + url.slice(path.length)
    : url
}

/** The table would begin the query at the first `;` or `#` too. Both belong to the path, as anywhere else. */
const onlyQueryApart = (url: string): string => {
  const path = pathOf(url)
  return /[;#]/.test(path) ? path.replace(/[;#]/g, encodeURIComponent) + url.slice(path.length) : url
}

export const RoutesLayer: Layer.Layer<Routes> = Layer.sync(Routes, () => {
  const table = FindMyWay.make<Route>({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    maxParamLength: pathCharsMax
  })
  return Routes.of({
    add: (...routes) =>
      Effect.sync(() => {
        for (const added of routes) table.on(added.method, added.path, added)
      }),
    find: (method, sent) => {
      const shorter = withoutLongSteps(sent)
      if (pathOf(shorter).length > pathCharsMax) return null
      const url = onlyQueryApart(shorter)
      const found = table.find(method, url) ?? (method === "HEAD" ? table.find("GET", url) : undefined)
      // A parameter has at least one character: what ends in a slash is another path.
      if (found === undefined || Object.values(found.params).includes("")) return null
      return { route: found.handler, params: found.params, query: found.searchParams }
    }
  })
})
