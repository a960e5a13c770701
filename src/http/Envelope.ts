/**
 * The one table of wire errors: each error class with its status, the fields it puts beside `error`, and its headers.
 * Bodies, the OpenAPI document and `application/problem+json` all come from it (contract: "Errors", first table). Knows
 * nothing about where errors come from; that is `Boundary.ts`.
 */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Schema } from "effect"
import * as Api from "../domain/ApiErrors.js"
import * as Storage from "../domain/StorageErrors.js"
import { exampleId } from "../domain/Described.js"
import { bodyBytesMax } from "../domain/limits/Requests.js"
import {
  inflightLimitDefault,
  rateBurstDefault,
  topUpMinimumUsdDefault,
  topUpSuggestedUsdDefault
} from "../domain/limits/Workspaces.js"
import { TopUpHint, TopUpReason } from "../domain/TopUpHint.js"
import { exampleEtag } from "./Query.js"
import { type Body, type Extra, makeWireErrorTable, type WireError } from "./WireError.js"

type Errors = typeof Api & typeof Storage
/** Every error class by the name of its export: what has a code and says whether a retry helps. */
type ErrorClasses = {
  readonly [Name in keyof Errors as Errors[Name] extends { readonly retryable: boolean } ? Name : never]: Errors[Name]
}
type ErrorNamed<Name extends keyof ErrorClasses> = ErrorClasses[Name] extends new (...args: never) => infer E
  ? E
  : never
/** Every error with which a request can be refused. */
export type HttpError = { readonly [Name in keyof ErrorClasses]: ErrorNamed<Name> }[keyof ErrorClasses]

const { entries, wire } = makeWireErrorTable()

/** The whole table by code. */
export const wireErrors: ReadonlyMap<string, WireError> = entries

const Seconds = Schema.Int.annotations({ description: "Seconds to wait before the next try" })
const number = (description: string) => Schema.Int.annotations({ description })
const text = (description: string) => Schema.String.annotations({ description })
const wouldHold = number("What the run would hold, in micros")
const texts = (description: string) => Schema.Array(Schema.String).annotations({ description })
const exampleHint: TopUpHint = {
  minimumUsd: topUpMinimumUsdDefault,
  suggestedUsd: topUpSuggestedUsdDefault,
  checkoutUrl: null,
  dashboardUrl: "https://gateway.example.com/console",
  message: "Request a top-up with POST /v1/top-ups and pay it at its checkoutUrl.",
  reason: "balance_low"
}
const retryAfter = (error: { readonly retryAfterSeconds: number }) => ({
  "retry-after": String(error.retryAfterSeconds)
})
const seconds = (error: { readonly retryAfterSeconds: number }) => ({ retryAfterSeconds: error.retryAfterSeconds })

/** Present when a payment was tried: why it is refused, and how to pay. */
const topUpRefusal = [
  {
    topUp: Schema.optionalWith(TopUpHint, { exact: true }),
    reason: Schema.optionalWith(TopUpReason, { exact: true })
  },
  ({ topUp }: { readonly topUp?: TopUpHint | undefined }): Extra =>
    topUp === undefined ? {} : { topUp, reason: topUp.reason }
] as const

const wrongParameter = { description: "The parameter that is wrong" }
const problems = Schema.Array(Api.FieldProblem).annotations({ description: "The fields that are wrong" })

/** One row for each error class. A class without a row, or a row without a class, does not compile. */
export const Wire = {
  ValidationError: wire(Api.ValidationError, {
    status: 400,
    title: "The request fails validation",
    example: Api.ValidationError.of("limit", "must be a whole number from 1 to 100"),
    inside: [{ details: problems }, ({ details }) => ({ details })],
    beside: topUpRefusal
  }),
  RunsCursorInvalid: wire(Api.RunsCursorInvalid, {
    status: 400,
    title: "Bad or stale cursor",
    example: new Api.RunsCursorInvalid()
  }),
  Unauthorized: wire(Api.Unauthorized, {
    status: 401,
    title: "Token missing or invalid",
    example: new Api.Unauthorized(),
    headers: () => ({ "www-authenticate": "Bearer" })
  }),
  TokenRevoked: wire(Api.TokenRevoked, {
    status: 401,
    title: "Token revoked",
    example: new Api.TokenRevoked(),
    headers: () => ({ "www-authenticate": 'Bearer error="invalid_token"' })
  }),
  InsufficientBalance: wire(Api.InsufficientBalance, {
    status: 402,
    title: "The reservation exceeds the available balance",
    example: new Api.InsufficientBalance({ balanceMicros: 15_000, estimatedCostMicros: 20_000, topUp: exampleHint }),
    beside: [
      {
        balanceMicros: number("What is available, in micros"),
        estimatedCostMicros: wouldHold,
        topUpUrl: Schema.NullOr(Schema.String).annotations({ description: "The same as topUp.checkoutUrl" }),
        topUp: TopUpHint
      },
      ({ balanceMicros, estimatedCostMicros, topUp }) => ({
        balanceMicros,
        estimatedCostMicros,
        topUpUrl: topUp.checkoutUrl,
        topUp
      })
    ]
  }),
  KeySpendLimitReached: wire(Api.KeySpendLimitReached, {
    status: 402,
    title: "The key's monthly limit is reached",
    example: new Api.KeySpendLimitReached({
      limitMicros: 5_000_000,
      spentMicros: 4_990_000,
      estimatedCostMicros: 20_000
    }),
    beside: [
      {
        limitMicros: number("What the key may spend in a calendar month (UTC), in micros"),
        spentMicros: number("What of it is spent or held, in micros"),
        estimatedCostMicros: wouldHold
      },
      ({ estimatedCostMicros, limitMicros, spentMicros }) => ({ limitMicros, spentMicros, estimatedCostMicros })
    ]
  }),
  Forbidden: wire(Api.Forbidden, {
    status: 403,
    title: "The token lacks the scope",
    example: new Api.Forbidden({ scope: "billing:write", topUp: { ...exampleHint, reason: "read_only_token" } }),
    inside: [
      {
        details: Schema.optionalWith(
          Schema.Array(Api.FieldProblem).annotations({
            description: "What of the request is more than the calling token may do itself",
            examples: [[{ field: "scopes", message: "this token itself lacks account:manage" }]]
          }),
          { exact: true }
        )
      },
      ({ details }) => (details === undefined ? {} : { details })
    ],
    beside: [
      {
        scope: Schema.optionalWith(text("The scope that the token lacks; absent when it lacks none"), { exact: true }),
        ...topUpRefusal[0]
      },
      ({ scope, topUp }) => ({ ...(scope === undefined ? {} : { scope }), ...topUpRefusal[1]({ topUp }) })
    ]
  }),
  NotFound: wire(Api.NotFound, {
    status: 404,
    title: "Not found",
    example: new Api.NotFound({ what: "run", id: exampleId("run") })
  }),
  RouteNotFound: wire(Api.RouteNotFound, {
    status: 404,
    title: "No such route",
    example: new Api.RouteNotFound({ method: "GET", path: "/v1/run" })
  }),
  UnknownCategory: wire(Api.UnknownCategory, {
    status: 404,
    title: "Unknown category",
    example: new Api.UnknownCategory({ category: "persons", categories: ["company", "people"] }),
    beside: [
      {
        field: Schema.Literal("category").annotations(wrongParameter),
        categories: texts("The categories that there are")
      },
      ({ categories }) => ({ field: "category", categories })
    ]
  }),
  UnknownPlatform: wire(Api.UnknownPlatform, {
    status: 404,
    title: "Unknown platform",
    example: new Api.UnknownPlatform({ platform: "linkedout", platforms: ["general", "linkedin"] }),
    beside: [
      {
        field: Schema.Literal("platform").annotations(wrongParameter),
        platforms: texts("The platforms that there are")
      },
      ({ platforms }) => ({ field: "platform", platforms })
    ]
  }),
  MethodNotAllowed: wire(Api.MethodNotAllowed, {
    status: 405,
    title: "The route exists, but not for this method",
    example: new Api.MethodNotAllowed({ method: "DELETE", allow: ["GET", "POST"] }),
    headers: ({ allow }) => ({ allow: allow.join(", ") })
  }),
  RequestTimeout: wire(Api.RequestTimeout, {
    status: 408,
    title: "The request did not come in time",
    example: new Api.RequestTimeout()
  }),
  IdempotencyConflict: wire(Api.IdempotencyConflict, {
    status: 409,
    title: "The key was used with a different request",
    example: new Api.IdempotencyConflict({ runId: exampleId("run") }),
    beside: [
      {
        runId: Schema.optionalWith(text("The run of the first request; absent when it made none"), { exact: true })
      },
      ({ runId }) => (runId === undefined ? {} : { runId })
    ]
  }),
  PayloadTooLarge: wire(Api.PayloadTooLarge, {
    status: 413,
    title: "The request body is too large",
    example: new Api.PayloadTooLarge({ limitBytes: bodyBytesMax }),
    beside: [{ limitBytes: number("How many bytes it may have") }, ({ limitBytes }) => ({ limitBytes })]
  }),
  UnsupportedMediaType: wire(Api.UnsupportedMediaType, {
    status: 415,
    title: "The request body is compressed",
    example: new Api.UnsupportedMediaType({ encoding: "gzip" }),
    headers: () => ({ "accept-encoding": "identity" })
  }),
  RangeNotSatisfiable: wire(Api.RangeNotSatisfiable, {
    status: 416,
    title: "The file has no such range",
    example: new Api.RangeNotSatisfiable({ sizeBytes: 20_480, etag: exampleEtag }),
    beside: [{ sizeBytes: number("How many bytes the file has") }, ({ sizeBytes }) => ({ sizeBytes })],
    headers: ({ etag, sizeBytes }) => ({ etag, "accept-ranges": "bytes", "content-range": `bytes */${sizeBytes}` })
  }),
  RowsModeUnsupported: wire(Api.RowsModeUnsupported, {
    status: 422,
    title: "Unsupported output mode",
    example: new Api.RowsModeUnsupported({ reason: "canonical is not offered; leave it out, or send raw" }),
    beside: [{ reason: text("Why, in a sentence") }, ({ reason }) => ({ reason })]
  }),
  TooManyInflightRuns: wire(Api.TooManyInflightRuns, {
    status: 429,
    title: "Too many runs in flight",
    example: new Api.TooManyInflightRuns({
      inflight: inflightLimitDefault,
      limit: inflightLimitDefault,
      retryAfterSeconds: 1
    }),
    beside: [
      {
        inflight: number("How many runs of the workspace are in flight"),
        limit: number("How many may be"),
        retryAfterSeconds: Seconds
      },
      ({ inflight, limit, retryAfterSeconds }) => ({ inflight, limit, retryAfterSeconds })
    ],
    headers: (error) => ({
      ...retryAfter(error),
      "x-ratelimit-limit": String(error.limit),
      "x-ratelimit-remaining": "0"
    })
  }),
  RunRateLimited: wire(Api.RunRateLimited, {
    status: 429,
    title: "Too many runs a minute",
    example: new Api.RunRateLimited({ limit: 120, retryAfterSeconds: 12 }),
    beside: [
      { limit: number("How many runs the workspace may start in a minute"), retryAfterSeconds: Seconds },
      ({ limit, retryAfterSeconds }) => ({ limit, retryAfterSeconds })
    ],
    headers: (error) => ({
      ...retryAfter(error),
      "x-ratelimit-limit": String(error.limit),
      "x-ratelimit-remaining": "0"
    })
  }),
  RateLimitExceeded: wire(Api.RateLimitExceeded, {
    status: 429,
    title: "Too many requests",
    example: new Api.RateLimitExceeded({ limit: rateBurstDefault, retryAfterSeconds: 1 }),
    beside: [{ retryAfterSeconds: Seconds }, seconds],
    headers: (error) => ({
      ...retryAfter(error),
      "x-ratelimit-limit": String(error.limit),
      "x-ratelimit-remaining": "0"
    })
  }),
  InternalError: wire(Api.InternalError, { status: 500, title: "Internal error", example: new Api.InternalError() }),
  CatalogLoading: wire(Api.CatalogLoading, {
    status: 503,
    title: "The catalog is not loaded yet",
    example: new Api.CatalogLoading({ retryAfterSeconds: 1 }),
    beside: [{ retryAfterSeconds: Seconds }, seconds],
    headers: retryAfter
  }),
  StorageBusy: wire(Storage.StorageBusy, {
    status: 503,
    title: "Storage is overloaded",
    example: new Storage.StorageBusy({ retryAfterSeconds: 1 }),
    beside: [{ retryAfterSeconds: Seconds }, seconds],
    headers: retryAfter
  }),
  StorageUncertain: wire(Storage.StorageUncertain, {
    status: 503,
    title: "The last write is unconfirmed",
    example: new Storage.StorageUncertain(),
    headers: () => ({ "retry-after": "1" })
  }),
  StorageTimeout: wire(Storage.StorageTimeout, {
    status: 503,
    title: "Storage took too long",
    example: new Storage.StorageTimeout({ retryAfterSeconds: 1 }),
    beside: [{ retryAfterSeconds: Seconds }, seconds],
    headers: retryAfter
  }),
  BillingUnavailable: wire(Api.BillingUnavailable, {
    status: 503,
    title: "Billing is not enabled",
    example: new Api.BillingUnavailable({})
  })
} as const satisfies { readonly [Name in keyof ErrorClasses]: Schema.Schema<ErrorNamed<Name>, Body> }

/** What every handler that touches storage can fail with. */
export const WireStorage = Schema.Union(Wire.StorageBusy, Wire.StorageUncertain, Wire.StorageTimeout)

/** What a handler can fail with that only reads (`ReadTurns.ts`). */
export const WireReading = Schema.Union(Wire.RateLimitExceeded, WireStorage)

/** The success of a route that creates: status 201, under the name that the schema has in the document. */
export const created = <A, I>(schema: Schema.Schema<A, I>, identifier: string): Schema.Schema<A, I> =>
  schema.annotations({ ...HttpApiSchema.annotations({ status: 201 }), identifier })
