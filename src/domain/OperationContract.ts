/**
 * The shape of the operation contract of `GET /v1/operations/{endpointId}`: what to send, what it costs at most, what
 * comes back. Amounts are dollars as numbers where the contract of the interface asks for them. `ContractMaking.ts`
 * makes it.
 */
import { Schema } from "effect"
import { Access, CatalogRow, TitleRow } from "./CatalogRow.js"
import { field, optional, text, textOrNull, texts } from "./Described.js"
import { JsonObject } from "./Json.js"
import { Place } from "./Manifest.js"

const flag = (description: string) => field(Schema.Boolean, description, true)
const { credential, endpointId, executionMode, priceBasis, provider, sourceCapability } = TitleRow.fields
const { facts, mock, platform, summary } = CatalogRow.fields
const exampleInputs = { full_name: "Ada Lovelace", domain: "example.com" }

export const ContractPrice = Schema.Struct({
  basis: priceBasis,
  amountUsd: field(Schema.Number, "The price of one unit in US dollars", 0.02),
  amountMicros: field(Schema.Int, "The same in micros, millionths of a dollar", 20_000),
  unit: field(Schema.Literal("call", "result"), "What the price is for", "call"),
  estimateFormula: text("How the price of a run is worked out", "$0.02 a call"),
  maxMicros: field(Schema.Int, "The most that any accepted input can cost, in micros", 20_000),
  byInput: optional(
    text(
      "Where options or sizes change the price: the micros of one unit, as JMESPath over `{ input }`",
      "input.enrich_mobile && `390000` || `39000`"
    )
  )
})
export type ContractPrice = typeof ContractPrice.Type

const JobProvider = Schema.Struct({
  endpointId,
  provider,
  name: TitleRow.fields.name,
  access: Access,
  estimatedPrice: TitleRow.fields.estimatedPrice,
  priceBasis,
  contractVersion: text("The version of its own contract", "9f2c41d07ab35e68"),
  reason: text("Why it stands here in the order", "Best record of the last 30 days.")
})
type JobProvider = typeof JobProvider.Type

/** `body` is a field that is the whole body, or a part of it that the manifest writes. */
export const SentIn = Schema.Literal(...Place.literals, "body")

const ConnectionVariable = Schema.Struct({
  name: text("Its name", "shop"),
  description: text("What it means", "The name of the shop"),
  pattern: text("The pattern that the whole value matches", "[a-z0-9-]+"),
  examples: texts("Values that it may have", ["acme"]),
  default: optional(text("What a connection without it uses; without a default it must be given", "eu"))
})

export const OperationContract = Schema.Struct({
  endpoint: Schema.Struct({
    id: endpointId,
    provider: textOrNull("The provider's id; null for a job without a provider", "mock"),
    name: TitleRow.fields.name,
    summary,
    capability: textOrNull("The job that it does; null when it belongs to no job", "people.email.find"),
    sourceCapability,
    category: TitleRow.fields.category,
    platform,
    credential,
    access: Access,
    executionMode,
    mock,
    price: ContractPrice.annotations({ description: "What it costs" }),
    facts
  }).annotations({ description: "The operation, or the job" }),
  contractVersion: text(
    "A digest of this contract; a run records the one that it used, and contractVersion= fetches it again",
    "9f2c41d07ab35e68"
  ),
  effectClassification: field(
    Schema.Literal("effectful", "read_only"),
    "Whether a run changes something in the world, such as sending an e-mail; such a run is attempted once only",
    "read_only"
  ),
  estimatedMaxCost: field(
    Schema.Number,
    "Dollars that a run of usageHints.exampleInput holds. Of a job: without fallback, at the provider that it would get now, or the most of its first one while none can run. The most that any input can cost is endpoint.price.maxMicros",
    0.02
  ),
  usageHints: Schema.Struct({
    requiredInputFields: texts("Fields that must be given", ["full_name", "domain"]),
    optionalInputFields: texts("Fields that may be given", ["company"]),
    inputAlternatives: optional(
      field(
        Schema.Array(Schema.Array(Schema.String)),
        "Sets of fields, of which one must be given as a whole; absent for an operation that needs one and the same always",
        [["full_name", "domain"], ["linkedin_url"]]
      )
    ),
    volumeField: optional(text("The field that says how many results are wanted; absent without one", "limit")),
    maxVolume: optional(field(Schema.Number, "The most that it may ask for", 100)),
    connectionVariables: optional(
      field(
        Schema.Array(ConnectionVariable),
        "The parts of the provider's address that a connection gives as variables; absent when there are none",
        [{ name: "shop", description: "The name of the shop", pattern: "[a-z0-9-]+", examples: ["acme"] }]
      )
    ),
    exampleInput: field(JsonObject, "An input that works", exampleInputs),
    curl: text(
      "A command that runs it",
      'curl -sS -X POST "$GATEWAY_URL/v1/runs?wait=true" -H "Authorization: Bearer $GATEWAY_TOKEN" …'
    )
  }).annotations({ description: "How to use it" }),
  inputSchema: field(JsonObject, "What input it takes, as JSON Schema 2020-12", {
    type: "object",
    properties: { full_name: { type: "string" }, domain: { type: "string" } },
    required: ["full_name", "domain"]
  }),
  requestBinding: field(
    Schema.Record({ key: Schema.String, value: Schema.Struct({ in: SentIn, name: Schema.String }) }),
    "Where each field of the input goes in the provider's request",
    { full_name: { in: "json", name: "name" } }
  ),
  outputFormat: Schema.Struct({
    schema: field(Schema.NullOr(JsonObject), "What the provider answers, as JSON Schema; null when nobody knows", {
      type: "object",
      properties: { data: { type: "object", properties: { email: { type: "string" } } } }
    }),
    schemaSource: optional(
      field(
        Schema.Literal("documented", "samples"),
        "Whether the schema is the provider's own or was drawn from the samples of the manifest, which show some answers and not all; absent without a schema",
        "samples"
      )
    ),
    summary: text("The same in a sentence", "The provider's raw answer (application/json)"),
    provenance: Schema.Struct({
      verified: flag(
        "The provider's documentation of this operation was read; of a job: one of its providers has a map that was compared with it"
      ),
      verifiedOn: optional(text("The day on which the provider's documentation was last read", "2026-11-22")),
      note: text("Where that is known from", "https://provider.example/docs")
    }).annotations({ description: "How sure that is" })
  }).annotations({ description: "What comes back in result" }),
  outputMap: optional(
    Schema.Struct({
      job: text("The job whose fields they are", "people.email.find"),
      fields: field(
        Schema.Record({ key: Schema.String, value: Schema.String }),
        "The job's field names, and where each is found in the provider's answer",
        { email: "data.email" }
      ),
      verified: flag("The map was compared with the provider's documentation; false of a job")
    }).annotations({ description: "How normalized is made; absent when it is not" })
  ),
  providers: optional(
    Schema.Array(JobProvider).annotations({
      description: "Only for a job: its providers, in the order in which a run would try them"
    })
  )
}).annotations({
  identifier: "OperationContract",
  description: "What to send to an operation or a job, what it costs at most, and what comes back"
})
export type OperationContract = typeof OperationContract.Type
