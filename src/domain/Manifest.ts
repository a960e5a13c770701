/**
 * The manifests: what a provider, its operations and a job are, as written in `catalog/providers/*.yaml` and
 * `catalog/jobs/*.yaml`. This module promises the shape and nothing else: reading files, compiling expressions and
 * calling providers live in the layers. Every expression (`when`, `micros`, output fields …) is JMESPath over `{
 * status, headers, body }` of the provider's answer, `headers` with lower-case names.
 */
import { Schema } from "effect"
import { Json, JsonObject } from "./Json.js"
import {
  answerBytesDefault,
  answerBytesMax,
  asyncMillisMax,
  callMillisDefault,
  callMillisMax,
  callMillisMin,
  endpointIdCharsMax,
  providerIdCharsMax
} from "./Limits.js"
import { Micros } from "./Micros.js"

const Text = Schema.NonEmptyTrimmedString
const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const withDefault = <A, I>(schema: Schema.Schema<A, I>, value: () => NoInfer<A>) =>
  Schema.optionalWith(schema, { default: value, exact: true })
/** A JMESPath expression. The catalog loader compiles it, and refuses one that does not parse. */
const Expression = Text.annotations({ identifier: "Expression" })

export const ProviderId = Schema.String.pipe(
  Schema.pattern(new RegExp(`^[a-z0-9][a-z0-9.-]{0,${providerIdCharsMax - 1}}$`)),
  Schema.brand("ProviderId")
)
export type ProviderId = typeof ProviderId.Type
export const EndpointId = Schema.String.pipe(
  Schema.pattern(new RegExp(`^[A-Za-z0-9][A-Za-z0-9._~-]{0,${endpointIdCharsMax - 1}}$`)),
  Schema.brand("EndpointId")
)
export type EndpointId = typeof EndpointId.Type
/** Dotted, such as `people.email.find`. */
export const JobId = Schema.String.pipe(Schema.pattern(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/), Schema.brand("JobId"))
export type JobId = typeof JobId.Type

/**
 * How a provider expects its key. `unsupported` declares a placement that this gateway cannot do; the provider's runs
 * then say so.
 */
export const Auth = Schema.Union(
  Schema.Struct({ type: Schema.Literal("none") }),
  Schema.Struct({ type: Schema.Literal("bearer") }),
  Schema.Struct({ type: Schema.Literal("header"), name: Text, prefix: optional(Schema.String) }),
  /** Two headers at once; the key is `first:second`. */
  Schema.Struct({ type: Schema.Literal("header_pair"), names: Schema.Tuple(Text, Text) }),
  Schema.Struct({ type: Schema.Literal("query"), name: Text }),
  /** The key is `user:password`, or the user name alone when `passwordless`. */
  Schema.Struct({ type: Schema.Literal("basic"), passwordless: withDefault(Schema.Boolean, () => false) }),
  /** A field of the JSON or form body. */
  Schema.Struct({ type: Schema.Literal("body"), name: Text }),
  /** The key is `client_id:client_secret`. */
  Schema.Struct({
    type: Schema.Literal("oauth2_client_credentials"),
    tokenUrl: Text,
    scope: optional(Text),
    clientAuth: withDefault(Schema.Literal("basic", "body"), () => "basic" as const)
  }),
  Schema.Struct({ type: Schema.Literal("unsupported"), placement: Text })
)
export type Auth = typeof Auth.Type

export const Place = Schema.Literal("path", "query", "header", "json", "form", "multipart")
export type Place = typeof Place.Type

/** Simple value transforms, applied in order before a value is placed. */
export const Transform = Schema.Literal(
  "trim",
  "lowercase",
  "uppercase",
  "string",
  "number",
  "boolean",
  "csv",
  "json",
  "digits",
  "e164",
  "hostname"
)
export type Transform = typeof Transform.Type

/** Where one input field goes. `name` may be dotted for JSON bodies (`person.first_name`). */
export const Binding = Schema.Struct({
  in: Place,
  name: Text,
  transform: withDefault(Schema.Array(Transform), () => []),
  /**
   * For arrays in a query or form: `repeat` sends the name once per item, `single` joins them with commas. In a path,
   * `segments` keeps the slashes of the value (`owner/repository`).
   */
  style: withDefault(Schema.Literal("single", "repeat", "segments"), () => "single" as const)
})
export type Binding = typeof Binding.Type

/** A value that is sent with every call, with any input. */
export const FixedValue = Schema.Struct({ in: Place, name: Text, value: Json })

export const PriceBasis = Schema.Literal("per_call", "per_result", "free")
export type PriceBasis = typeof PriceBasis.Type
/** `micros` is the price of one call or of one result; 0 goes with `free`. */
export const Price = Schema.Struct({
  basis: PriceBasis,
  micros: Micros,
  /** A fixed part charged once per call beside the price per result. */
  perCallMicros: withDefault(Micros, () => Micros.make(0)),
  /**
   * The most that one call can cost, for a cost that is read from the answer, when neither of the two bases says it.
   */
  maxMicros: optional(Micros),
  source: optional(Text)
})
export type Price = typeof Price.Type

const Count = Schema.Int.pipe(Schema.positive())
/**
 * The input field whose number (or array length) decides how many results a call can return, and so what it can cost.
 */
export const Volume = Schema.Struct({ field: Text, default: Count, max: Count })
export type Volume = typeof Volume.Type

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

/** Rules are read in this order: errors, miss, weak, success. The first that holds decides. */
export const ResponseRules = Schema.Struct({
  errors: withDefault(Schema.Array(FailureRule), () => []),
  /** Statuses that mean "nothing found" rather than a failure. */
  missStatuses: withDefault(Schema.Array(Schema.Int), () => []),
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
  requestId: optional(Expression)
})
export type ResponseRules = typeof ResponseRules.Type

/** An operation whose first answer is a ticket. `path` may use `{id}`, filled from `ticket` of the start answer. */
export const AsyncRules = Schema.Struct({
  ticket: Expression,
  /** `body` is sent with a POST, `{id}` filled in there too. */
  poll: Schema.Struct({
    method: withDefault(Schema.Literal("GET", "POST"), () => "GET" as const),
    path: Text,
    body: optional(JsonObject)
  }),
  /** True when the polled answer is final; the response rules then apply to it. */
  done: Expression,
  intervalMs: withDefault(Schema.Positive, () => 1000),
  maxIntervalMs: withDefault(Schema.Positive, () => 10_000),
  result: optional(Schema.Struct({ path: Text })),
  cancel: optional(Schema.Struct({ method: Schema.Literal("POST", "DELETE"), path: Text })),
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

/**
 * A documented example, replayed by the tests through the real engine. `input` uses the operation's own field names.
 */
export const Sample = Schema.Struct({
  input: JsonObject,
  status: withDefault(Schema.Int, () => 200),
  headers: withDefault(Schema.Record({ key: Schema.String, value: Schema.String }), () => ({})),
  body: Json,
  /** For an asynchronous operation: the answer to its start, when it differs from the final answer. */
  start: optional(Json),
  /** The outcome that the run must have. */
  outcome: Schema.Literal("hit", "weak", "miss", "error"),
  /** The failed-run code of an `error` sample. */
  code: optional(Text),
  /** What `normalized.fields` must contain, when the operation has an output map. */
  normalized: optional(JsonObject)
})
export type Sample = typeof Sample.Type

export const Operation = Schema.Struct({
  id: EndpointId,
  name: Text,
  summary: Text,
  job: optional(JobId),
  sourceCapability: optional(Text),
  category: optional(Text),
  platform: optional(Text),
  /** `effectful` changes data at the provider and is attempted once. */
  effect: withDefault(Schema.Literal("read_only", "effectful"), () => "read_only" as const),
  /** Whether a call whose answer was lost may be sent again after a crash. */
  repeatable: withDefault(Schema.Boolean, () => true),
  method: Schema.Literal("GET", "POST", "PUT", "PATCH", "DELETE"),
  path: Schema.String.pipe(Schema.startsWith("/")),
  /** JSON Schema 2020-12 of the input (type object). */
  input: JsonObject,
  /**
   * Input fields by name; a field without a binding goes to the query of a GET and to the JSON body otherwise, under
   * its own name.
   */
  bindings: withDefault(Schema.Record({ key: Text, value: Binding }), () => ({})),
  fixed: withDefault(Schema.Array(FixedValue), () => []),
  /** From the common names of jobs to this operation's fields, where they differ: `{ company: organization }`. */
  accepts: withDefault(Schema.Record({ key: Text, value: Text }), () => ({})),
  /**
   * Says whether input keys that the schema does not name pass or are refused when a run uses the platform's key. When
   * this is absent they pass, with one exception: they are refused when the price is fixed (neither free nor, up to
   * `maxMicros`, read from the answer) and the schema does not say `additionalProperties`.
   */
  unknown: optional(Schema.Literal("pass", "refuse")),
  /** Keys that pass although the schema does not name them. */
  extras: optional(Schema.Array(Text)),
  /**
   * Fields that make the call cost more at the provider than the price says. Under the platform's key they are refused,
   * unless the value is their default or false.
   */
  ownKeyOnly: optional(Schema.Array(Text)),
  /** The header that takes the attempt's stable reference, for providers that know idempotency keys. */
  idempotencyHeader: optional(Text),
  price: Price,
  volume: optional(Volume),
  timeoutMs: withDefault(Schema.Int.pipe(Schema.between(callMillisMin, callMillisMax)), () => callMillisDefault),
  maxBytes: withDefault(Schema.Int.pipe(Schema.between(1, answerBytesMax)), () => answerBytesDefault),
  contentTypes: withDefault(Schema.NonEmptyArray(Text), () => ["application/json"] as const),
  response: withDefault(ResponseRules, () => ResponseRules.make({ errors: [], missStatuses: [], billsMiss: false })),
  async: optional(AsyncRules),
  output: optional(OutputMap),
  /** JSON Schema of the raw answer, where it is documented. */
  outputSchema: optional(JsonObject),
  activated: withDefault(Schema.Boolean, () => true),
  facts: withDefault(Schema.Record({ key: Text, value: Schema.String }), () => ({})),
  /** The address of the documentation, and when and how it was checked. */
  provenance: optional(Schema.Struct({ docs: Text, verified: Schema.Boolean, note: optional(Text) })),
  samples: withDefault(Schema.Record({ key: Text, value: Sample }), () => ({}))
})
export type Operation = typeof Operation.Type

export const ProviderManifest = Schema.Struct({
  id: ProviderId,
  name: Text,
  homepage: optional(Text),
  docs: optional(Text),
  baseUrl: Schema.String.pipe(Schema.pattern(/^https?:\/\/[^\s?#]+$/)),
  /** The gateway's own test provider. A job never picks it in production. */
  mock: withDefault(Schema.Boolean, () => false),
  auth: withDefault(Auth, () => Auth.members[0].make({ type: "none" })),
  /** Whether a workspace may bring its own key; with `platformKey: false` it must. */
  ownKey: withDefault(Schema.Boolean, () => true),
  platformKey: withDefault(Schema.Boolean, () => true),
  fixed: withDefault(Schema.Array(FixedValue), () => []),
  facts: withDefault(Schema.Record({ key: Text, value: Schema.String }), () => ({})),
  operations: Schema.NonEmptyArray(Operation)
})
export type ProviderManifest = typeof ProviderManifest.Type

export const JobManifest = Schema.Struct({
  id: JobId,
  title: Text,
  category: Text,
  platform: Text,
  description: Text,
  /** Everyday phrases that mean this job, for search. */
  phrases: withDefault(Schema.Array(Text), () => []),
  /** Sets of common input names of which at least one set must be given. */
  needs: withDefault(Schema.Array(Schema.Array(Text)), () => []),
  exampleInput: JsonObject,
  /** The fixed field names of `normalized.fields`, with what each holds. */
  fields: withDefault(Schema.Record({ key: Text, value: Text }), () => ({}))
})
export type JobManifest = typeof JobManifest.Type

/**
 * An operation with its provider: everything that is needed to price a run, to call the provider and to read its
 * answer.
 */
export interface Endpoint {
  readonly provider: Omit<ProviderManifest, "operations">
  readonly operation: Operation
  /** Digest of the contract (SHA-256 over its canonical JSON), recorded by each run. */
  readonly contractVersion: string
}

/** Keyless means that nobody needs an account at the provider. */
export const isKeyless = (provider: Pick<ProviderManifest, "auth">): boolean => provider.auth.type === "none"
