/** How the answers of an operation are read, as a manifest says it. */
import { Schema } from "effect"
import { Json, JsonObject } from "../Json.js"
import { asyncMillisMax, callMillisMin } from "../limits/Calls.js"
import { Expression, optional, Text, withDefault } from "./Fields.js"

/** The status of a final answer; statuses below 200 only announce one. */
export const AnswerStatus = Schema.Int.pipe(Schema.between(200, 599))

/**
 * `provider_reported_error` is for answers of status 2xx. On an error status such a rule gives only its message, and
 * the code is the status' own.
 */
export const FailureRule = Schema.Struct({
  /** True when the answer reports a failure. */
  when: Expression,
  code: withDefault(
    Schema.Literal(
      "provider_reported_error",
      "provider_error",
      "rate_limited",
      "auth_error",
      "provider_http_error",
      "capacity_exhausted"
    ),
    () => "provider_reported_error" as const
  ),
  /** Text of the failure, for the run's error message. */
  message: optional(Expression)
})

/**
 * An answer of text that the rules and the output map read as data. XML: see `layers/providers/XmlReading.ts`; `lists`
 * names the elements that are a list even where one stands alone. CSV: a list of rows, by the names of the first row
 * unless `header` is false. The run's result stays the text.
 */
export const Parse = Schema.Union(
  Schema.Struct({ format: Schema.Literal("xml"), lists: optional(Schema.Array(Text)) }),
  Schema.Struct({
    format: Schema.Literal("csv"),
    delimiter: withDefault(Schema.Literal(",", ";", "\t", "|"), () => "," as const),
    header: withDefault(Schema.Boolean, () => true)
  })
)
export type Parse = typeof Parse.Type

/** Rules are read in this order: errors, miss, weak, success. The first that holds decides. */
export const ResponseRules = Schema.Struct({
  parse: optional(Parse),
  errors: withDefault(Schema.Array(FailureRule), () => []),
  /** Statuses that mean "nothing found" rather than a failure. */
  missStatuses: withDefault(Schema.Array(AnswerStatus), () => []),
  /**
   * Statuses that bring an answer although they are outside of 2xx (a 404 with a result, a 302 whose `location` is the
   * result), or although they come without a body (an empty 200 of a read-only operation). The rules then read them as
   * they read a 200 with a body.
   */
  successStatuses: optional(Schema.NonEmptyArray(AnswerStatus)),
  /** On an error status the rule counts only if it does not also hold for an empty body. */
  miss: optional(Expression),
  weak: optional(Expression),
  /** When given and false on a 2xx, the answer is `invalid_response`. */
  success: optional(Expression),
  /** Evidence of the real cost, in micros; a number that is negative, NaN or above the hold is an anomaly. */
  costMicros: optional(Expression),
  /** How many results were returned, for per-result prices. */
  resultCount: optional(Expression),
  /** Whether a miss is billed by this provider. */
  billsMiss: withDefault(Schema.Boolean, () => false),
  requestId: optional(Expression),
  /**
   * What becomes of an answer that breaks the `outputSchema`: passed on and counted, or a failure of the provider, as
   * with a `success` rule that does not hold.
   */
  undocumented: optional(Schema.Literal("pass", "refuse"))
})
export type ResponseRules = typeof ResponseRules.Type

const pollWith = {
  method: withDefault(Schema.Literal("GET", "POST"), () => "GET" as const),
  /** Sent with a POST, `{id}`, `{input.field}` and variables of the provider filled in. */
  body: optional(JsonObject)
}
const cancelWith = { method: Schema.Literal("POST", "DELETE") }

const CallbackPlace = { in: Schema.Literal("query", "header", "json"), name: Text }

/**
 * The field of the start that takes the address of a callback, where this gateway has a public URL. Without one,
 * neither this field nor `with` is sent. A callback only means "ask now": what it says is not read.
 */
export const Callback = Schema.Struct({
  ...CallbackPlace,
  /** Further values that the provider wants beside the address, such as the events to tell of. */
  with: withDefault(Schema.Array(Schema.Struct({ ...CallbackPlace, value: Json })), () => [])
})
export type Callback = typeof Callback.Type

/**
 * An operation whose first answer is a ticket, or an address to ask. A `path` may use `{id}` and `{input.field}`, and
 * may end with a query. A `url` reads an address out of an answer: that of the start for `poll` and `cancel`, that of
 * the last poll for `result`. It may be relative, goes through the egress policy, and gets the key only at the
 * manifest's own origin and at `origins`.
 */
export const AsyncRules = Schema.Struct({
  /** What `{id}` stands for, read from the answer to the start. Needed unless `poll` reads an address. */
  ticket: optional(Expression),
  poll: Schema.Union(Schema.Struct({ ...pollWith, path: Text }), Schema.Struct({ ...pollWith, url: Expression })),
  /** True when the polled answer is final; the response rules then apply to it. */
  done: Expression,
  intervalMs: withDefault(Schema.Positive, () => 1000),
  maxIntervalMs: withDefault(Schema.Positive, () => 10_000),
  /** Where the result is, when the last poll does not hold it. `id` reads the result's id from the last poll. */
  result: optional(
    Schema.Union(Schema.Struct({ path: Text, id: optional(Expression) }), Schema.Struct({ url: Expression }))
  ),
  cancel: optional(
    Schema.Union(Schema.Struct({ ...cancelWith, path: Text }), Schema.Struct({ ...cancelWith, url: Expression }))
  ),
  /** Where the provider is told an address to call when it has news. Polls go on, with pauses of `maxIntervalMs`. */
  callback: optional(Callback),
  /** Origins beside the manifest's own that get the key, such as `https://queue.example.com`. */
  origins: optional(Schema.NonEmptyArray(Text)),
  /** From the start to the final answer; each exchange on the way has the operation's own time limit. */
  totalMs: withDefault(Schema.Int.pipe(Schema.between(callMillisMin, asyncMillisMax)), () => asyncMillisMax)
})

export type AsyncRules = typeof AsyncRules.Type

/** From a provider's answer to the fixed field names of a job. */
export const OutputMap = Schema.Struct({
  fields: Schema.Record({ key: Text, value: Expression }),
  /** Translates provider values of one field into the job's vocabulary, such as `deliverable` to `valid`. */
  values: withDefault(
    Schema.Record({ key: Text, value: Schema.Record({ key: Schema.String, value: Json }) }),
    () => ({})
  ),
  /**
   * Fields that hold one value. Of a list the first value is taken, and a list of different values makes the field
   * ambiguous.
   */
  single: withDefault(Schema.Array(Text), () => []),
  /** True when the answer is a guess and not a confirmed finding; its outcome is then `weak`. */
  guessed: optional(Expression),
  verified: withDefault(Schema.Boolean, () => false)
})
export type OutputMap = typeof OutputMap.Type
