/**
 * Every error that the HTTP interface can answer with. Each error is one tagged class. Its tag is its code, and it says
 * whether a retry can help (contract: "Errors", first table). Its hint is one sentence that says what to change or how
 * long to wait. The hint of a class is true of every occurrence; an instance may carry a more exact one. The HTTP
 * status and the wire shape stand in one table in `src/http/Envelope.ts`. The three storage errors are in
 * `StorageErrors.ts`, and the failures of *runs* are in `RunFailures.ts`.
 */
import { Schema } from "effect"
import { counted } from "./Counted.js"
import { field } from "./Described.js"
import { headersMillisMax, readsWaitingMax, requestMillisMax } from "./limits/Requests.js"
import { dollars } from "./Micros.js"
import { noCursorOfList } from "./Page.js"
import { oneOf } from "./OneOf.js"
import { didYouMean } from "./Similar.js"
import { TopUpHint } from "./TopUpHint.js"

export const FieldProblem = Schema.Struct({
  field: field(Schema.String, "The field, parameter or header; fields of fields have dots between them", "limit"),
  message: field(Schema.String, "What is wrong with it", "must be a whole number from 1 to 100")
})
export type FieldProblem = typeof FieldProblem.Type

/**
 * The hint of errors that pass by themselves. Without a number of seconds it names the field that carries the number.
 */
export const afterSeconds = (seconds?: number): string =>
  `Wait ${seconds === undefined ? "as many seconds as retryAfterSeconds says" : `${seconds} s`}, then send it again, with the same idempotency key if it had one.`

export class ValidationError extends Schema.TaggedError<ValidationError>()("validation_error", {
  details: Schema.NonEmptyArray(FieldProblem),
  /** The amounts that can be paid. Present when the error is about the amount of a payment. */
  topUp: Schema.optionalWith(TopUpHint, { exact: true }),
  /** What to do, where that is more than to correct a field. */
  hint: Schema.optionalWith(Schema.String, { exact: true })
}) {
  static readonly retryable = false
  static readonly retryHint = "Correct the fields that error.details names."
  static of(field: string, message: string, hint?: string): ValidationError {
    return new ValidationError({ details: [{ field, message }], ...(hint === undefined ? {} : { hint }) })
  }
  get retryHint() {
    return this.hint ?? ValidationError.retryHint
  }
  override get message() {
    return this.details.map(({ field, message }) => `${field}: ${message}`).join("; ")
  }
}
/** The answer of every list but that of runs, which has a code of its own for it. */
export const badCursor = () => ValidationError.of("cursor", `is ${noCursorOfList}`)

export class RunsCursorInvalid extends Schema.TaggedError<RunsCursorInvalid>()("runs_cursor_invalid", {}) {
  static readonly retryable = false
  static readonly retryHint = "Start the list again without a cursor, with the same filters."
  override get message() {
    return `cursor: ${noCursorOfList}`
  }
}
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("unauthorized", {
  /** The token was right, and has ended. Only who has it is told. */
  expired: Schema.optionalWith(Schema.Literal(true), { exact: true })
}) {
  static readonly retryable = false
  static readonly retryHint = "Send a whole token that has not expired, as Authorization: Bearer ACCESS_TOKEN."
  override get message() {
    return this.expired === true
      ? "This token has expired; use another one"
      : "Send a valid token as: Authorization: Bearer <ACCESS_TOKEN>"
  }
}
export class TokenRevoked extends Schema.TaggedError<TokenRevoked>()("token_revoked", {}) {
  static readonly retryable = false
  static readonly retryHint = "Use another token."
  override get message() {
    return "This token was revoked, or its login approval was denied; use another one"
  }
}
/** The message that says how much the run needs and how much is available. */
export const shortOfBalance = (run: { readonly estimatedCostMicros: number; readonly balanceMicros: number }): string =>
  `This run needs ${dollars(run.estimatedCostMicros)}, and ${dollars(run.balanceMicros)} is available`
export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>()("insufficient_balance", {
  balanceMicros: Schema.Int,
  estimatedCostMicros: Schema.Int,
  topUp: TopUpHint
}) {
  static readonly retryable = false
  static readonly retryHint = "Top up as topUp says, or ask for less; then send it with a new idempotency key."
  override get message() {
    return `${shortOfBalance(this)}; nothing was held or charged. Top up, then retry with a new idempotency key`
  }
}
export class KeySpendLimitReached extends Schema.TaggedError<KeySpendLimitReached>()("key_spend_limit_reached", {
  limitMicros: Schema.Int,
  spentMicros: Schema.Int,
  estimatedCostMicros: Schema.Int,
  /** Whose limit it is: the calling key's own, or that of one that it comes from. */
  of: Schema.optionalWith(Schema.Literal("this key", "the key that this one comes from"), { default: () => "this key" })
}) {
  static readonly retryable = false
  static readonly retryHint =
    "Ask for less, wait for the next calendar month (UTC), or use a token with a higher limit."
  override get message() {
    return `This run needs ${dollars(this.estimatedCostMicros)}. The monthly limit of ${this.of} is ${dollars(this.limitMicros)}, ${dollars(this.spentMicros)} is spent or held; it starts anew with the next calendar month (UTC)`
  }
}
export class Forbidden extends Schema.TaggedError<Forbidden>()("forbidden", {
  /** The scope that the token lacks. */
  scope: Schema.optionalWith(Schema.String, { exact: true }),
  /** What of the request is more than the token itself may do. */
  details: Schema.optionalWith(Schema.NonEmptyArray(FieldProblem), { exact: true }),
  /** Why this token cannot pay. Present when the token tried to pay. */
  topUp: Schema.optionalWith(TopUpHint, { exact: true })
}) {
  static readonly retryable = false
  static readonly retryHint = "Use a token with the scope that the answer names."
  override get message() {
    if (this.details !== undefined) return this.details.map(({ field, message }) => `${field}: ${message}`).join("; ")
    return `This token lacks the scope ${this.scope}${this.topUp === undefined ? "" : `. ${this.topUp.message}`}`
  }
  get retryHint() {
    return this.details === undefined
      ? `Use a token with the scope ${this.scope}.`
      : "Ask for no more than the calling token has itself, or use a token that has more."
  }
}
export class NotFound extends Schema.TaggedError<NotFound>()("not_found", {
  what: Schema.String,
  id: Schema.String,
  /** An id that is known and was probably meant. */
  meant: Schema.optionalWith(Schema.String, { exact: true }),
  /** What makes one, where the caller named no id: there is one or none. */
  madeBy: Schema.optionalWith(Schema.String, { exact: true })
}) {
  static readonly retryable = false
  static readonly retryHint = "Check the id; ids of another workspace are not found either."
  override get message() {
    if (this.madeBy !== undefined) return `There is no ${this.what}`
    return `No ${this.what} with the id ${this.id}${didYouMean(this.meant === undefined ? [] : [this.meant])}`
  }
  get retryHint() {
    if (this.madeBy !== undefined) return `${this.madeBy} makes one.`
    return this.meant === undefined ? NotFound.retryHint : `Use the id ${this.meant}, if you meant that.`
  }
}
export class RouteNotFound extends Schema.TaggedError<RouteNotFound>()("route_not_found", {
  method: Schema.String,
  path: Schema.String,
  /** Only on a node that answers probes alone: the paths that it has, and the gateway's address where that is known. */
  worker: Schema.optionalWith(Schema.Struct({ has: Schema.Array(Schema.String), ask: Schema.NullOr(Schema.String) }), {
    exact: true
  })
}) {
  static readonly retryable = false
  static readonly retryHint = "Check the method and the path in /docs."
  get retryHint() {
    return this.worker === undefined
      ? RouteNotFound.retryHint
      : `Ask ${this.worker.ask ?? "a node with the role all or api"}.`
  }
  override get message() {
    return this.worker === undefined
      ? `No route for ${this.method} ${this.path}; /docs lists all routes`
      : `No route for ${this.method} ${this.path}: this node is a worker and answers only ${this.worker.has.join(", ")}`
  }
}
export class UnknownCategory extends Schema.TaggedError<UnknownCategory>()("unknown_category", {
  category: Schema.String,
  categories: Schema.Array(Schema.String)
}) {
  static readonly retryable = false
  static readonly retryHint = "Use one of the ids in categories."
  override get message() {
    return `category: ${this.category} is not one of ${this.categories.join(", ")}`
  }
}
export class UnknownPlatform extends Schema.TaggedError<UnknownPlatform>()("unknown_platform", {
  platform: Schema.String,
  platforms: Schema.Array(Schema.String)
}) {
  static readonly retryable = false
  static readonly retryHint = "Use one of the ids in platforms."
  override get message() {
    return `platform: ${this.platform} is not one of ${this.platforms.join(", ")}`
  }
}
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("method_not_allowed", {
  method: Schema.String,
  allow: Schema.Array(Schema.String)
}) {
  static readonly retryable = false
  static readonly retryHint = "Use a method that the Allow header names."
  override get message() {
    return `${this.method} is not for this route; use ${oneOf(this.allow)}`
  }
  get retryHint() {
    return `Use ${oneOf(this.allow)}.`
  }
}
export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()("idempotency_conflict", {
  runId: Schema.optionalWith(Schema.String, { exact: true })
}) {
  static readonly retryable = false
  static readonly retryHint = "Send the first request again for its answer, or this one with a new idempotency key."
  override get message() {
    return "This idempotency key was used with a different request; send the same request for a replay, or a new key for a new one"
  }
}
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("payload_too_large", {
  limitBytes: Schema.Int
}) {
  static readonly retryable = false
  static readonly retryHint = "Send at most limitBytes bytes."
  override get message() {
    return `The request body may have at most ${this.limitBytes} bytes`
  }
  get retryHint() {
    return `Send at most ${this.limitBytes} bytes.`
  }
}
/** Its headers or its body did not come in time. */
export class RequestTimeout extends Schema.TaggedError<RequestTimeout>()("request_timeout", {}) {
  static readonly retryable = true
  static readonly retryHint = "Send it again without a pause in it, with the same idempotency key if it had one."
  override get message() {
    return `The request must be complete within ${requestMillisMax / 1000} s, and its headers within ${headersMillisMax / 1000} s`
  }
}
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("unsupported_media_type", {
  encoding: Schema.String
}) {
  static readonly retryable = false
  static readonly retryHint = "Send the body as it is, without Content-Encoding."
  override get message() {
    return `content-encoding: ${this.encoding} is not taken; send the body as it is`
  }
}
export class RangeNotSatisfiable extends Schema.TaggedError<RangeNotSatisfiable>()("range_not_satisfiable", {
  sizeBytes: Schema.Int,
  etag: Schema.String.pipe(Schema.pattern(/^"[0-9a-f]+"$/))
}) {
  static readonly retryable = false
  static readonly retryHint = "Ask for bytes before sizeBytes, or leave Range out for the whole file."
  override get message() {
    return `range: the file has only ${this.sizeBytes} bytes, and none of those that were asked for`
  }
}
export class RowsModeUnsupported extends Schema.TaggedError<RowsModeUnsupported>()("rows_mode_unsupported", {
  reason: Schema.String
}) {
  static readonly retryable = false
  static readonly retryHint = "Leave output.mode out, or send raw."
  override get message() {
    return `output.mode: ${this.reason}`
  }
}
export class TooManyInflightRuns extends Schema.TaggedError<TooManyInflightRuns>()("too_many_inflight_runs", {
  inflight: Schema.Int,
  limit: Schema.Int,
  retryAfterSeconds: Schema.Int
}) {
  static readonly retryable = true
  static readonly retryHint =
    "Wait for a run of the workspace to end, at least as many seconds as retryAfterSeconds says, then send it again."
  override get message() {
    return `${counted(this.inflight, "run")} of this workspace ${this.inflight === 1 ? "is" : "are"} in flight, and ${this.limit} may be; wait for one to end`
  }
  get retryHint() {
    return `Wait for a run of the workspace to end, at least ${this.retryAfterSeconds} s, then send it again.`
  }
}
export class RunRateLimited extends Schema.TaggedError<RunRateLimited>()("run_rate_limited", {
  limit: Schema.Int,
  retryAfterSeconds: Schema.Int
}) {
  static readonly retryable = true
  static readonly retryHint = afterSeconds()
  override get message() {
    return `This workspace may start ${counted(this.limit, "run")} a minute; wait ${this.retryAfterSeconds} s`
  }
  get retryHint() {
    return afterSeconds(this.retryAfterSeconds)
  }
}
export class RateLimitExceeded extends Schema.TaggedError<RateLimitExceeded>()("rate_limit_exceeded", {
  limit: Schema.Int,
  retryAfterSeconds: Schema.Int,
  /** What there was too much of: requests in a time, refused runs in a minute, or reads that are under way. */
  of: Schema.optionalWith(Schema.Literal("requests", "refusedRuns", "reads"), { default: () => "requests" })
}) {
  static readonly retryable = true
  static readonly retryHint = afterSeconds()
  override get message() {
    switch (this.of) {
      case "requests":
        return `Too many requests; wait ${this.retryAfterSeconds} s`
      case "refusedRuns":
        return `Too many runs of this workspace were refused (${this.limit} in a minute); correct what they have in common, and wait ${this.retryAfterSeconds} s`
      case "reads":
        return `Too many reads of this workspace at once (${this.limit} are worked on, ${readsWaitingMax} wait); wait ${this.retryAfterSeconds} s, and read over fewer connections`
    }
  }
  get retryHint() {
    return afterSeconds(this.retryAfterSeconds)
  }
}
export class InternalError extends Schema.TaggedError<InternalError>()("internal_error", {}) {
  static readonly retryable = true
  static readonly retryHint =
    "Send it again, with the same idempotency key if it had one; if it fails again, tell the operator the requestId."
  override get message() {
    return "Something went wrong on our side; quote the requestId when asking for help"
  }
}
export class CatalogLoading extends Schema.TaggedError<CatalogLoading>()("catalog_loading", {
  retryAfterSeconds: Schema.Int
}) {
  static readonly retryable = true
  static readonly retryHint = afterSeconds()
  override get message() {
    return "The catalog is still loading; try again shortly"
  }
  get retryHint() {
    return afterSeconds(this.retryAfterSeconds)
  }
}
export class BillingUnavailable extends Schema.TaggedError<BillingUnavailable>()("billing_unavailable", {
  /** The payment processor had to be asked, and did not answer. */
  processor: Schema.optionalWith(Schema.Literal("silent"), { exact: true }),
  /** Settings without which the gateway cannot read what a payment processor reports. */
  missing: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
}) {
  static readonly retryable = false
  static readonly retryHint = "Ask the operator of this gateway to add money to the balance."
  override get message() {
    if (this.missing !== undefined)
      return `This gateway has no payment processor; its operator must set ${this.missing.join(" and ")}`
    return this.processor === "silent"
      ? "The payment processor did not answer; nothing was changed"
      : "Billing is not enabled on this gateway"
  }
  get retryHint() {
    if (this.processor === "silent")
      return "The payment processor sends this event again by itself. The gateway's log says what it answered."
    return this.missing === undefined
      ? BillingUnavailable.retryHint
      : "Set what the message names and start the gateway again; the payment processor sends its reports again."
  }
}
