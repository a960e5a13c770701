/**
 * The manifests: what a provider, its operations and a job are, as written in `catalog/providers/*.yaml` and
 * `catalog/jobs/*.yaml`. This module promises the shape and nothing else: reading files, compiling expressions and
 * calling providers live in the layers. Expressions are JMESPath. Those about an answer (rules, output fields, costs)
 * see `{ status, headers, body, input }`, `headers` with lower-case names. `price.byInput` is worked out before the
 * call and sees `{ input }` alone.
 *
 * The parts of an operation are in files of their own (`manifest/`); everybody imports them from here.
 */
import { Schema } from "effect"
import { Json, JsonObject } from "./Json.js"
import { answerBytesDefault, answerBytesMax, callMillisDefault, callMillisMax, callMillisMin } from "./limits/Calls.js"
import { endpointIdCharsMax, providerIdCharsMax } from "./limits/Manifests.js"
import { AnswerStatus, AsyncRules, OutputMap, ResponseRules } from "./manifest/Answers.js"
import { BaseUrl, OperationPath } from "./manifest/Address.js"
import { Auth, HeaderName, headerName, HeaderText } from "./manifest/Auth.js"
import { optional, Text, withDefault } from "./manifest/Fields.js"
import { PageRules } from "./manifest/PageRules.js"
import { Price, Volume } from "./manifest/Price.js"
import { Micros } from "./Micros.js"
import { Binding, Body, FileRule, FixedValue, MediaRange } from "./manifest/Request.js"
import { Variables } from "./manifest/Variables.js"

export * from "./manifest/Answers.js"
export * from "./manifest/Auth.js"
export * from "./manifest/UserGrant.js"
export * from "./manifest/PageRules.js"
export * from "./manifest/Price.js"
export * from "./manifest/Request.js"
export * from "./manifest/Variables.js"

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

const SampleHeaders = Schema.Record({ key: Schema.String, value: HeaderText }).pipe(
  Schema.filter(
    (headers) => {
      const wrong = Object.keys(headers).find((name) => !headerName.test(name))
      return wrong === undefined ? true : `has ${JSON.stringify(wrong)}, which is no name of a header`
    },
    { jsonSchema: {} }
  )
)

/**
 * A documented example, replayed by the tests through the real engine. `input` uses the operation's own field names.
 */
export const Sample = Schema.Struct({
  input: JsonObject,
  status: withDefault(AnswerStatus, () => 200),
  headers: withDefault(SampleHeaders, () => ({})),
  body: Json,
  /** For an asynchronous operation: the answer to its start, when it differs from the final answer. */
  start: optional(Json),
  /** For an operation that is read in pages: the answers after the first, in order. */
  pages: optional(
    Schema.NonEmptyArray(
      Schema.Struct({
        status: withDefault(AnswerStatus, () => 200),
        headers: withDefault(SampleHeaders, () => ({})),
        body: Json
      })
    )
  ),
  /**
   * The answers to the polls between `start` and `body`, in order. Needed where `async.result` asks another address:
   * the last one then says that the operation is done, and `body` is the result.
   */
  polls: optional(Schema.NonEmptyArray(Json)),
  /** The outcome that the run must have. */
  outcome: Schema.Literal("hit", "weak", "miss", "error"),
  /** The failed-run code of an `error` sample. */
  code: optional(Text),
  /** What `normalized.fields` must contain, when the operation has an output map. */
  normalized: optional(JsonObject),
  /** What the answer must tell of its cost (`response.costMicros`), in micros; null: nothing. */
  costMicros: optional(Schema.NullOr(Micros))
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
  path: OperationPath,
  /** JSON Schema 2020-12 of the input (type object). */
  input: JsonObject,
  /**
   * Input fields by name; a field without a binding goes to the query of a GET and to the JSON body otherwise, under
   * its own name.
   */
  bindings: withDefault(Schema.Record({ key: Text, value: Binding }), () => ({})),
  fixed: withDefault(Schema.Array(FixedValue), () => []),
  /** For a body that is no object of fields, form or multipart. */
  body: optional(Body),
  /** Fields whose value may name a file that a run of the workspace returned, beside the file itself as base64. */
  files: optional(Schema.Record({ key: Text, value: FileRule })),
  /** From the common names of jobs to this operation's fields, where they differ: `{ company: organization }`. */
  accepts: withDefault(Schema.Record({ key: Text, value: Text }), () => ({})),
  /**
   * Says whether input keys that the schema does not name pass or are refused when a run uses the platform's key. When
   * this is absent they pass, with one exception: they are refused when the price is fixed or by input (neither free
   * nor, up to `maxMicros`, read from the answer alone) and the schema does not say `additionalProperties`.
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
  idempotencyHeader: optional(HeaderName),
  price: Price,
  volume: optional(Volume),
  timeoutMs: withDefault(Schema.Int.pipe(Schema.between(callMillisMin, callMillisMax)), () => callMillisDefault),
  maxBytes: withDefault(Schema.Int.pipe(Schema.between(1, answerBytesMax)), () => answerBytesDefault),
  contentTypes: withDefault(Schema.NonEmptyArray(MediaRange), () => ["application/json"] as const),
  response: withDefault(ResponseRules, () => ResponseRules.make({ errors: [], missStatuses: [], billsMiss: false })),
  async: optional(AsyncRules),
  /** For a provider that gives its results in pages. */
  pages: optional(PageRules),
  output: optional(OutputMap),
  /** JSON Schema of the raw answer, where it is documented. Without it, the contract draws one from the samples. */
  outputSchema: optional(JsonObject),
  activated: withDefault(Schema.Boolean, () => true),
  facts: withDefault(Schema.Record({ key: Text, value: Schema.String }), () => ({})),
  /**
   * The address of the documentation, whether it was read, on which day (`2026-11-22`), and what of this operation it
   * does not show.
   */
  provenance: optional(
    Schema.Struct({
      docs: Text,
      verified: Schema.Boolean,
      verifiedOn: optional(Schema.String.pipe(Schema.pattern(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/))),
      note: optional(Text)
    })
  ),
  samples: withDefault(Schema.Record({ key: Text, value: Sample }), () => ({}))
})
export type Operation = typeof Operation.Type

export const ProviderManifest = Schema.Struct({
  id: ProviderId,
  name: Text,
  homepage: optional(Text),
  docs: optional(Text),
  baseUrl: BaseUrl,
  /** The parts of the address that a connection or the platform's key gives, such as the name of a shop. */
  variables: optional(Variables),
  /** The gateway's own test provider. A job never picks it in production. */
  mock: withDefault(Schema.Boolean, () => false),
  auth: withDefault(Auth, () => Auth.members[0].make({ type: "none" })),
  /** Whether a workspace may bring its own key; with `platformKey: false` it must. */
  ownKey: withDefault(Schema.Boolean, () => true),
  platformKey: withDefault(Schema.Boolean, () => true),
  fixed: withDefault(Schema.Array(FixedValue), () => []),
  /** Whether the provider is told of the trace of a run: `traceparent` and `tracestate` of the W3C. Absent: no. */
  traceContext: optional(Schema.Boolean),
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

/**
 * Why the gateway's own key has no use at the provider, as the rest of a sentence about it; null when it has one. Where
 * workspaces connect accounts of users, it is the OAuth client that they are connected with.
 */
export const platformKeyProblem = ({ auth, platformKey }: Pick<ProviderManifest, "auth" | "platformKey">) => {
  switch (auth.type) {
    case "none":
      return "is called without a key"
    case "unsupported":
      return `wants its key as ${auth.placement}, which this gateway cannot do`
    case "oauth2_authorization_code":
      return null
    default:
      return platformKey
        ? null
        : "takes no key of the gateway, because its manifest says platformKey: false: each workspace connects its own. To call it with a key of the gateway, take that line out and give each operation a price"
  }
}
