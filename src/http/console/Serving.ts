/**
 * Serves the pages of the console. For each request it finds the session, spends from a rate bucket, checks role and
 * CSRF token, and puts what the handler answers into the frame. Every failure becomes a page with the status and the
 * hint of the table of errors (`http/Envelope.ts`); a defect is logged and becomes the page of `internal_error`.
 */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Cause, Context, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { WorkspaceId } from "../../domain/Ids.js"
import { consoleFormBytesMax } from "../../domain/limits/Requests.js"
import { personActing } from "../../domain/Member.js"
import { RateLimiter } from "../../services/RateLimiter.js"
import { Sessions } from "../../services/Sessions.js"
import type { Route } from "../Access.js"
import { formFields } from "../Body.js"
import { unexpected } from "../Boundary.js"
import type { HttpError } from "../Envelope.js"
import { workspaceIdOf } from "../GivenId.js"
import { pageHeaders } from "../PageHeaders.js"
import { ReadTurns } from "../ReadTurns.js"
import { clientAddress, spend, spendPublic } from "../RequestRate.js"
import { stateOf, type RequestState } from "../RequestState.js"
import { type Answer as Answering, pathOf, queryOf, route, Routes } from "../serving/Routes.js"
import { HttpSettings, prefixOf } from "../Settings.js"
import { fieldProblems, urlEncoded } from "../UrlEncoded.js"
import { ofAnotherVersion, readAssets } from "./Assets.js"
import { errorScreen, foreignForm, noPage, signedOutForm, wrongForm } from "./ErrorScreens.js"
import { Link, to } from "./Html.js"
import { frame } from "./Layout.js"
import {
  type Answer,
  type Entry,
  type Page,
  type PageError,
  type Redirect,
  Refusal,
  type Screen,
  SignInFirst,
  type SignedInVisit,
  typedFrom,
  type Visit
} from "./Page.js"
import { type ConsoleCookies, consoleCookies } from "./Cookies.js"
import { ownPath } from "./Return.js"
import {
  comesFromHere,
  csrfHolds,
  csrfOf,
  noticeFor,
  noticeIn,
  type SetCookie,
  type Visitor,
  visitorOf
} from "./Visitors.js"

const headersOfPages = { ...pageHeaders, "cache-control": "no-store" }

/** The routes of the console as the boundary knows routes. Their errors and parameters are in no document. */
export const consoleRoutes = (pages: ReadonlyArray<Page<unknown>>): ReadonlyArray<Route> =>
  pages.map(({ method, path }) => ({
    method,
    path,
    access: "public",
    summary: "",
    parameters: new Set(),
    defaults: new Map(),
    errors: new Set(),
    answerHeaders: {}
  }))

const isWorkspaceId = Schema.is(WorkspaceId)

const withCookies = (
  response: HttpServerResponse.HttpServerResponse,
  known: ConsoleCookies,
  set: ReadonlyArray<SetCookie>
): HttpServerResponse.HttpServerResponse =>
  set.reduce((made, { cookie, seconds, value }) => {
    const { name, options } = known[cookie]
    const maxAge = value === null ? 0 : seconds
    return HttpServerResponse.unsafeSetCookie(made, name, value === null ? "" : Redacted.value(value), {
      ...options,
      ...(maxAge === undefined ? {} : { maxAge: Duration.seconds(maxAge) })
    })
  }, response)

/** What became known of the visitor while the page was made. */
interface Visited {
  visitor: Visitor | null
  workspace: { readonly workspaceId: string; readonly name: string } | null
}

/** Answers what no page took: an address that is mistyped or old, or a method that a page has not. */
export class ErrorPages extends Context.Tag("gateway/http/console/ErrorPages")<
  ErrorPages,
  { readonly of: (error: HttpError) => Answering<HttpServerRequest.HttpServerRequest> }
>() {}

/** Whether an address is one of the pages', so that what goes wrong there is told to a person. */
export const isPagePath = (url: string): boolean => /^\/(?:console|approve)(?:[/?]|$)/.test(url)

export const consoleLayer = <R>(
  pages: ReadonlyArray<Page<R>>
): Layer.Layer<ErrorPages, never, R | HttpSettings | RateLimiter | ReadTurns | Routes | Sessions> =>
  Layer.effect(
    ErrorPages,
    Effect.gen(function* () {
      const routes = yield* Routes
      const context = yield* Effect.context<R>()
      const settings = yield* HttpSettings
      const limiter = yield* RateLimiter
      const turns = yield* ReadTurns
      const sessions = yield* Sessions
      const assets = yield* readAssets
      const prefix = prefixOf(settings.publicUrl)
      const cookies = consoleCookies(settings.publicUrl)

      const entryOf = (request: HttpServerRequest.HttpServerRequest, visit: Visit, open: boolean): Entry => {
        const { session } = visit.visitor
        const sent = Effect.gen(function* () {
          if (!comesFromHere(request.headers, settings.publicUrl)) return yield* Effect.fail(foreignForm)
          const form = yield* formFields(request, consoleFormBytesMax)
          const [given = "", ...others] = form.fields.get("csrf") ?? []
          if (others.length > 0 || !csrfHolds(visit.visitor, given, open)) return yield* Effect.fail(wrongForm)
          return { ...form, fields: new Map([...form.fields].filter(([name]) => name !== "csrf")) }
        })
        const signedIn: Effect.Effect<SignedInVisit, PageError> =
          session === null
            ? Effect.fail(new SignInFirst())
            : Effect.succeed({ ...visit, session, by: personActing(session, visit.origin) })
        return {
          visit,
          signedIn,
          operator: Effect.flatMap(signedIn, ({ by, ...known }) =>
            by.kind === "operator"
              ? Effect.succeed({ ...known, by })
              : Effect.fail(
                  new Refusal(
                    403,
                    "Not for you",
                    "This page is for operators of the gateway.",
                    "Ask an operator, or go back to your workspace."
                  )
                )
          ),
          workspace: (role) =>
            Effect.gen(function* () {
              const known = yield* signedIn
              const workspaceId = yield* workspaceIdOf(visit.path.get("workspaceId"))
              const principal = yield* sessions.principal(known.session, workspaceId)
              if (role === "owner" && known.session.role === "member")
                return yield* Effect.fail(
                  new Refusal(
                    403,
                    "Not for you",
                    "This page is for owners of the workspace.",
                    "Ask an owner of the workspace to do it, or to make you an owner."
                  )
                )
              return { ...known, workspaceId, principal }
            }),
          sent,
          typed: Effect.flatMap(sent, typedFrom)
        }
      }

      type Shown = Pick<Page<R>, "method" | "path" | "sees">
      /** The forms of a page that needs no session are bound to the browser. */
      const browserCookie = ({ method, sees }: Shown, { visitor }: Visited): ReadonlyArray<SetCookie> =>
        method === "GET" && sees === "anyone" && visitor !== null && visitor.browserIsNew
          ? [{ cookie: "browser", value: visitor.browser }]
          : []

      const whole = (shown: Screen, page: Shown, state: RequestState, visited: Visited) =>
        withCookies(
          HttpServerResponse.text(
            frame(pages, assets, {
              screen: shown,
              path: page.path,
              requestId: state.requestId,
              session: visited.visitor?.session ?? null,
              workspace: visited.workspace
            }).render({ prefix, csrf: visited.visitor === null ? null : csrfOf(visited.visitor) }),
            {
              status: shown.status,
              contentType: "text/html; charset=utf-8",
              headers: { ...headersOfPages, ...shown.headers }
            }
          ),
          cookies,
          [...browserCookie(page, visited), ...shown.cookies]
        )
      const away = (link: Link, set: ReadonlyArray<SetCookie> = []) =>
        withCookies(
          HttpServerResponse.empty({
            status: 303,
            headers: { location: link.text(prefix), "cache-control": "no-store" }
          }),
          cookies,
          set
        )

      const telling = ({ notice, to: link }: Redirect, { visitor }: Visited): Link =>
        notice === null || visitor === null ? link : link.with("notice", noticeFor(visitor, link.path, notice))

      /** A slash at the end of an address names no other page. */
      const withoutSlash = (path: string, search: string): Link | null => {
        if (!path.endsWith("/")) return null
        const plain = ownPath(path.replace(/\/+$/, "") + (search === "" ? "" : `?${search}`))
        return plain === null ? null : Link.back(plain)
      }

      type Responding = Pick<Page<R>, "acts" | "filters" | "handle" | "method" | "path" | "sees">
      const respond = (
        page: Responding,
        params: { readonly [name: string]: string | undefined }
      ): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const state = stateOf(request)
          state.route = page.path
          const given = pathOf(request.url)
          const search = queryOf(request.url)
          if (page.acts === true && request.method === "HEAD")
            return HttpServerResponse.empty({ status: 405, headers: { allow: "GET" } })
          const reads = request.method === "GET" || request.method === "HEAD"
          const unslashed = reads ? withoutSlash(given, search) : null
          if (unslashed !== null) return away(unslashed)
          const asked = urlEncoded(search)
          const query = new Map([...asked.fields].map(([name, [value = ""]]) => [name, value]))
          const queryProblems = new Map(fieldProblems(asked).map(({ field, message }) => [field, message]))
          const path = new Map<string, string>()
          for (const [name, value] of Object.entries(params)) if (value !== undefined) path.set(name, value)

          const visited: Visited = { visitor: null, workspace: null }
          const answered: Effect.Effect<Answer, PageError, R> = Effect.gen(function* () {
            const visitor = yield* visitorOf(request, cookies, sessions)
            visited.visitor = visitor
            const { session } = visitor
            yield* session === null
              ? spendPublic(limiter, request, settings.trustProxy, state)
              : spend(limiter, `session ${session.sessionId}`, state)
            const visit: Visit = {
              path,
              query,
              notice: noticeIn(visitor, given, query.get("notice")),
              queryProblems,
              request,
              requestId: state.requestId,
              state,
              origin: { from: clientAddress(request, settings.trustProxy), requestId: state.requestId },
              visitor,
              session
            }
            if (page.filters !== true) yield* typedFrom(asked)
            const entry = entryOf(request, visit, page.sees === "anyone")
            const named: Entry = {
              ...entry,
              workspace: (role) =>
                Effect.tap(entry.workspace(role), ({ principal, workspaceId }) => {
                  state.workspaceId = workspaceId
                  visited.workspace = { workspaceId, name: principal.workspaceName }
                })
            }
            const handled = page.handle(named)
            const workspaceId = path.get("workspaceId")
            return yield* page.method === "GET" && isWorkspaceId(workspaceId)
              ? turns.take(workspaceId, handled)
              : handled
          })

          const failed = (error: PageError) =>
            error._tag !== "SignInFirst"
              ? whole(errorScreen(error), page, state, visited)
              : page.method === "GET"
                ? away(to(["sign-in"], { next: ownPath(request.url) }))
                : whole(errorScreen(signedOutForm), page, state, visited)

          return yield* answered.pipe(
            Effect.map((answer) => {
              switch (answer._tag) {
                case "Screen":
                  return whole(answer, page, state, visited)
                case "Redirect":
                  return away(telling(answer, visited), [...browserCookie(page, visited), ...answer.cookies])
                case "Download":
                  return answer.response
                case "File":
                  return HttpServerResponse.text(answer.text, {
                    contentType: answer.contentType,
                    headers: {
                      ...headersOfPages,
                      "content-disposition": `attachment; filename="${answer.name.replaceAll(/[^A-Za-z0-9._-]/g, "-")}"`
                    }
                  })
              }
            }),
            Effect.catchAllCause((cause) => {
              if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
              return Option.match(Cause.failureOption(cause), {
                onNone: () => Effect.map(unexpected(cause, request.method, state), failed),
                onSome: (error) => Effect.succeed(failed(error))
              })
            }),
            Effect.mapInputContext((given: Context.Context<HttpServerRequest.HttpServerRequest>) =>
              Context.merge(given, context)
            )
          )
        })

      /** The page of an error, at an address that no page has. */
      const failing = (error: HttpError | Refusal) =>
        respond(
          { method: "GET", sees: "anyone", path: "/console/*", filters: true, handle: () => Effect.fail(error) },
          {}
        )

      for (const page of pages) {
        yield* routes.add(route(page, Context.empty(), ({ params }) => respond(page, params)))
      }
      for (const { answer, path } of Object.values(assets)) {
        yield* routes.add(
          route({ method: "GET", path }, Context.empty(), ({ state }) => {
            state.route = "/console/assets"
            return Effect.succeed(answer)
          })
        )
      }
      yield* routes.add(
        route({ method: "GET", path: "/console/assets/:file" }, Context.empty(), ({ params, state }) => {
          const answer = ofAnotherVersion(assets, params["file"] ?? "")
          if (answer === null) return failing(noPage)
          state.route = "/console/assets"
          return Effect.succeed(answer)
        })
      )
      return { of: (error) => failing(error._tag === "route_not_found" ? noPage : error) }
    })
  )
