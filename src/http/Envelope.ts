/**
 * The one table of wire errors: each error class with its status, the fields it puts beside `error`, and its headers.
 * Bodies, the OpenAPI document and `application/problem+json` all come from it (contract: "Errors", first table). Knows
 * nothing about where errors come from; that is `Boundary.ts`.
 */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, ParseResult, Schema } from "effect"
import * as Api from "../domain/ApiErrors.js"
import * as Storage from "../domain/StorageErrors.js"
import { exampleId } from "../domain/Described.js"
import {
  bodyBytesMax,
  inflightLimitDefault,
  rateBurstDefault,
  topUpMinimumUsdDefault,
  topUpSuggestedUsdDefault
} from "../domain/Limits.js"
import { TopUpHint, TopUpReason } from "../domain/TopUpHint.js"
import { problemType, wantsProblem } from "./Accept.js"
import { errorPrefix } from "./Access.js"
import { currentRequest } from "./RequestState.js"

type Extra = { readonly [field: string]: unknown }
export interface Body extends Extra {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly requestId: string
    readonly retryable: boolean
    readonly retryHint: string
  }
}

interface Failure {
  readonly _tag: string
  readonly message: string
  /** More exact than that of the class. */
  readonly retryHint?: string
}
interface FailureClass<E extends Failure> {
  readonly ast: Schema.Schema<E>["ast"]
  readonly retryable: boolean
  readonly retryHint: string
  readonly _tag: E["_tag"]
  new (...args: never): E
}

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

interface Row<E> {
  readonly status: number
  /** Short and the same for every occurrence, for RFC 9457. */
  readonly title: string
  /** One occurrence, for the document. */
  readonly example: E
  /** Fields next to `error`, with their values. */
  readonly beside?: readonly [Schema.Struct.Fields, (error: E) => Extra]
  /** Fields inside `error`, with their values. */
  readonly inside?: readonly [Schema.Struct.Fields, (error: E) => Extra]
  readonly headers?: (error: E) => { readonly [name: string]: string }
}

export interface WireError {
  readonly code: string
  readonly status: number
  readonly title: string
  readonly retryable: boolean
  /** What to change or how long to wait, as far as it is the same for every occurrence. */
  readonly retryHint: string
  /** One occurrence, for the document. */
  readonly example: Body
  /** Null when the value is not this error. */
  readonly body: (error: unknown, requestId: string) => Body | null
  readonly headers: (error: unknown) => { readonly [name: string]: string }
}

const table = new Map<string, WireError>()

/** Enters an error into the table and gives its wire schema: the class on the inside, the envelope on the outside. */
const wire = <E extends Failure>(cls: FailureClass<E>, row: Row<E>): Schema.Schema<E, Body> => {
  const code = cls._tag
  const toBody = (error: E, requestId: string): Body => ({
    error: {
      code,
      message: error.message,
      requestId,
      retryable: cls.retryable,
      retryHint: error.retryHint ?? cls.retryHint,
      ...row.inside?.[1](error)
    },
    ...row.beside?.[1](error)
  })
  const example = toBody(row.example, exampleId("req"))
  table.set(code, {
    code,
    status: row.status,
    title: row.title,
    retryable: cls.retryable,
    retryHint: cls.retryHint,
    example,
    body: (error, requestId) => (error instanceof cls ? toBody(error, requestId) : null),
    headers: (error) => (error instanceof cls ? (row.headers?.(error) ?? {}) : {})
  })
  const outside = Schema.Struct({
    error: Schema.Struct({
      code: Schema.Literal(code).annotations({ description: "What went wrong, as a word for programs" }),
      message: Schema.String.annotations({ description: "What went wrong, in a sentence" }),
      requestId: Schema.String.annotations({ description: "The request; name it when you ask for help" }),
      retryable: Schema.Literal(cls.retryable).annotations({
        description: "Whether the same request may work later"
      }),
      retryHint: Schema.String.annotations({ description: "What to change or how long to wait, in a sentence" }),
      ...row.inside?.[0]
    }).annotations({ description: "What went wrong" }),
    ...row.beside?.[0]
  }).annotations({ examples: [example] })
  return Schema.transformOrFail(
    Schema.make<Body>(Schema.typeSchema(outside).ast),
    Schema.make<E>(Schema.typeSchema(Schema.make<E>(cls.ast)).ast),
    {
      strict: true,
      decode: (body, _, ast) => ParseResult.fail(new ParseResult.Forbidden(ast, body, "errors are only written here")),
      encode: (error) => Effect.map(currentRequest, (state) => toBody(error, state.requestId))
    }
  ).annotations(
    HttpApiSchema.annotations({
      status: row.status,
      identifier: errorPrefix + code,
      description: row.title
    })
  )
}

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

const asked = { description: "The parameter that is wrong" }
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
            examples: [[{ field: "scopes.0", message: "is more than the calling token may do" }]]
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
      { field: Schema.Literal("category").annotations(asked), categories: texts("The categories that there are") },
      ({ categories }) => ({ field: "category", categories })
    ]
  }),
  UnknownPlatform: wire(Api.UnknownPlatform, {
    status: 404,
    title: "Unknown platform",
    example: new Api.UnknownPlatform({ platform: "linkedout", platforms: ["general", "linkedin"] }),
    beside: [
      { field: Schema.Literal("platform").annotations(asked), platforms: texts("The platforms that there are") },
      ({ platforms }) => ({ field: "platform", platforms })
    ]
  }),
  MethodNotAllowed: wire(Api.MethodNotAllowed, {
    status: 405,
    title: "The route exists, but not for this method",
    example: new Api.MethodNotAllowed({ method: "DELETE", allow: ["GET", "POST"] }),
    headers: ({ allow }) => ({ allow: allow.join(", ") })
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

/** The whole table by code. */
export const wireErrors: ReadonlyMap<string, WireError> = table

const entryOf = (error: unknown): WireError | undefined =>
  typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string"
    ? table.get(error._tag)
    : undefined

/** The body of an error of the table; null for anything else. */
export const errorBody = (error: unknown, requestId: string): Body | null =>
  entryOf(error)?.body(error, requestId) ?? null

/** The same as RFC 9457 has it. */
export const problemBody = ({ code, status, title }: WireError, body: Body): Body => ({
  type: `/docs#${code}`,
  title,
  status,
  detail: body.error.message,
  instance: body.error.requestId,
  ...body
})

/** An answer as it is written. */
interface Written {
  readonly status: number
  readonly contentType: string
  readonly headers: { readonly [name: string]: string }
  readonly text: string
}

/** The answer to an error of the table; null for anything else. `instead` stands in place of what the table has. */
export const writtenError = (
  error: unknown,
  requestId: string,
  accept: string | undefined,
  instead: { readonly status?: number; readonly message?: string } = {}
): Written | null => {
  const entry = entryOf(error)
  const found = entry?.body(error, requestId) ?? null
  if (entry === undefined || found === null) return null
  const { message = found.error.message, status = entry.status } = instead
  const body = { ...found, error: { ...found.error, message } }
  const problem = wantsProblem(accept)
  return {
    status,
    contentType: problem ? problemType : "application/json",
    headers: entry.headers(error),
    text: JSON.stringify(problem ? problemBody({ ...entry, status }, body) : body)
  }
}

/** The same as a response. */
export const errorResponse = (
  error: unknown,
  requestId: string,
  accept: string | undefined
): HttpServerResponse.HttpServerResponse | null => {
  const written = writtenError(error, requestId, accept)
  return written === null ? null : HttpServerResponse.text(written.text, written)
}
