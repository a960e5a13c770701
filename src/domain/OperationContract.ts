/**
 * The operation contract of `GET /v1/operations/{endpointId}`: what to send, what it costs at most, what comes back. It
 * is built from a manifest alone, so that an older version reads the same for ever. Only access and the order of a
 * job's providers are those of the moment. Amounts are dollars as numbers when the contract of the interface asks for
 * them.
 */
import { Schema } from "effect"
import { Access, CatalogRow, type CredentialNeed, TitleRow } from "./CatalogView.js"
import { field } from "./Described.js"
import { jobEndpointId } from "./EndpointIds.js"
import { isObject, type Json, JsonObject } from "./Json.js"
import { type Endpoint, isKeyless, type JobManifest, type Operation, Place, type Price } from "./Manifest.js"
import { member } from "./Members.js"
import { dollars, type Micros, toUsd } from "./Micros.js"
import { dearestPrice } from "./Pricing.js"
import { sampleSchema } from "./SampleSchema.js"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const text = (description: string, example: string) => field(Schema.String, description, example)
const textOrNull = (description: string, example: string | null) =>
  field(Schema.NullOr(Schema.String), description, example)
const names = (description: string, example: ReadonlyArray<string>) =>
  field(Schema.Array(Schema.String), description, example)
const flag = (description: string, example: boolean) => field(Schema.Boolean, description, example)
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

export const JobProvider = Schema.Struct({
  endpointId,
  provider,
  name: TitleRow.fields.name,
  access: Access,
  estimatedPrice: TitleRow.fields.estimatedPrice,
  priceBasis,
  contractVersion: text("The version of its own contract", "9f2c41d07ab35e68"),
  reason: text("Why it stands here in the order", "Best record of the last 30 days.")
})
export type JobProvider = typeof JobProvider.Type

/** `body` is a field that is the whole body, or a part of it that the manifest writes. */
const SentIn = Schema.Literal(...Place.literals, "body")

const ConnectionVariable = Schema.Struct({
  name: text("Its name", "shop"),
  description: text("What it means", "The name of the shop"),
  pattern: text("The pattern that the whole value matches", "[a-z0-9-]+"),
  examples: names("Values that it may have", ["acme"]),
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
    "Dollars that a run of usageHints.exampleInput holds; the most that any input can cost is endpoint.price.maxMicros",
    0.02
  ),
  usageHints: Schema.Struct({
    requiredInputFields: names("Fields that must be given", ["full_name", "domain"]),
    optionalInputFields: names("Fields that may be given", ["company"]),
    inputAlternatives: optional(
      field(
        Schema.Array(Schema.Array(Schema.String)),
        "Sets of fields, of which one must be given as a whole; only for a job",
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
      verified: flag("The gateway's tests have checked it", true),
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
      verified: flag("The gateway's tests have checked it", true)
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

/** The category and the platform that the listing shows. A manifest that names no job may leave them open. */
export interface Placement {
  readonly category: string
  readonly platform: string
}
export const placementOf = (
  operation: Pick<Operation, "category" | "platform">,
  job: JobManifest | null
): Placement => ({
  category: operation.category ?? job?.category ?? "other",
  platform: operation.platform ?? job?.platform ?? "general"
})

export const credentialOf = (provider: Endpoint["provider"]): CredentialNeed =>
  isKeyless(provider)
    ? "none"
    : !provider.platformKey
      ? "own_key_required"
      : provider.ownKey
        ? "platform_own_key_optional"
        : "platform"

/** The price as it is listed: of one call, fixed part included, or of one result. */
export const listedMicros = ({ basis, micros, perCallMicros }: Price): number =>
  basis === "free" ? 0 : basis === "per_call" ? micros + perCallMicros : micros

const formulaOf = ({ price, volume }: Operation): string => {
  if (price.basis === "free") return "0"
  const { byInput, maxMicros = 0, perCallMicros } = price
  if (byInput !== undefined) {
    const fixed = perCallMicros > 0 ? `${dollars(perCallMicros)} + ` : ""
    return `by input: usually ${fixed}${dollars(price.micros)} a ${unitOf(price.basis)}, at most ${dollars(maxMicros)} a call`
  }
  if (price.basis === "per_call") return `${dollars(listedMicros(price))} a call`
  const fixed = perCallMicros > 0 ? `${dollars(perCallMicros)} + ` : ""
  return `${fixed}${dollars(price.micros)} * ${volume === undefined ? "results" : `results (at most ${volume.field}, default ${volume.default}, max ${volume.max})`}`
}

const unitOf = (basis: Price["basis"]): "call" | "result" => (basis === "per_result" ? "result" : "call")

const priceOf = (operation: Operation): ContractPrice => ({
  basis: operation.price.basis,
  amountUsd: toUsd(listedMicros(operation.price)),
  amountMicros: listedMicros(operation.price),
  unit: unitOf(operation.price.basis),
  estimateFormula: formulaOf(operation),
  maxMicros: dearestPrice(operation),
  ...(operation.price.byInput === undefined ? {} : { byInput: operation.price.byInput })
})

export const requiredFields = (operation: Pick<Operation, "input">): ReadonlyArray<string> => {
  const { required } = operation.input
  return Array.isArray(required) ? required.filter((field: Json) => typeof field === "string") : []
}
export const inputFields = (operation: Pick<Operation, "input">): ReadonlyArray<readonly [string, JsonObject]> => {
  const properties = operation.input["properties"]
  return isObject(properties)
    ? Object.entries(properties).map(([name, schema]) => [name, isObject(schema) ? schema : {}])
    : []
}

const bodies: ReadonlySet<string> = new Set(["json", "form", "multipart"])

/**
 * Where one input field goes: to its binding, or without one into the path, the query of a GET or the body, under its
 * own name.
 */
export const bindingOf = (
  operation: Pick<Operation, "bindings" | "body" | "method" | "path">,
  field: string
): { readonly in: typeof SentIn.Type; readonly name: string } => {
  const { body } = operation
  const isBody =
    body !== undefined &&
    body.as !== "list" &&
    body.as !== "none" &&
    (body.as === "xml" ? body.template.includes(`{${field}}`) : body.field === field)
  if (isBody) return { in: "body", name: field }
  const bound = member(operation.bindings, field)
  if (bound !== undefined) return { in: bound.in, name: bound.name }
  if (operation.path.includes(`{${field}}`)) return { in: "path", name: field }
  if (operation.method === "GET" || (body !== undefined && body.as !== "list")) return { in: "query", name: field }
  return { in: Object.values(operation.bindings).find((each) => bodies.has(each.in))?.in ?? "json", name: field }
}

const exampleOf = (schema: JsonObject): Json => {
  const { const: fixed, default: preset, enum: choices, examples, type } = schema
  if (fixed !== undefined) return fixed
  if (Array.isArray(examples) && examples[0] !== undefined) return examples[0]
  if (preset !== undefined) return preset
  if (Array.isArray(choices) && choices[0] !== undefined) return choices[0]
  const kind = Array.isArray(type) ? type[0] : type
  if (kind === "integer" || kind === "number") return typeof schema["minimum"] === "number" ? schema["minimum"] : 1
  if (kind === "boolean") return true
  if (kind === "array") return isObject(schema["items"]) ? [exampleOf(schema["items"])] : []
  return kind === "object" ? {} : "text"
}

/** The documented hit sample where there is one, else each required field by its own example. */
export const exampleInput = (operation: Operation): JsonObject => {
  const sample = Object.values(operation.samples).find((each) => each.outcome === "hit")
  if (sample !== undefined) return sample.input
  const schemas = new Map(inputFields(operation))
  return Object.fromEntries(requiredFields(operation).map((field) => [field, exampleOf(schemas.get(field) ?? {})]))
}

/** An input as a run prices it: the defaults of the schema filled in, at every depth that the input has. */
export const withDefaults = (schema: JsonObject, input: JsonObject): JsonObject => {
  const properties = schema["properties"]
  if (!isObject(properties)) return input
  const filled = new Map(Object.entries(input))
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) continue
    const given = filled.get(name)
    const preset = property["default"]
    if (given === undefined && preset !== undefined) filled.set(name, preset)
    else if (isObject(given)) filled.set(name, withDefaults(property, given))
  }
  return Object.fromEntries(filled)
}

/**
 * Makes a key that no other run has, in every POSIX shell: from the time in seconds and the shell's process id. Not
 * every system has `uuidgen` or nanoseconds.
 */
export const shellKey = "$(date +%s)-$$"

const curlOf = (endpointId: string, input: JsonObject): string => {
  const body = JSON.stringify({ endpointId, input }).replaceAll("'", "'\\''")
  return `curl -sS -X POST "$GATEWAY_URL/v1/runs?wait=true" -H "Authorization: Bearer $GATEWAY_TOKEN" -H "Idempotency-Key: ${shellKey}" -H "Content-Type: application/json" -d '${body}'`
}

/** The schema of the input. A volume field in it states the maximum that a run enforces (contract: "Limits"). */
const withVolumeMaximum = ({ input, volume }: Operation): JsonObject => {
  const properties = input["properties"]
  const field = volume === undefined || !isObject(properties) ? undefined : member(properties, volume.field)
  if (volume === undefined || !isObject(properties) || !isObject(field)) return input
  const bound = field["type"] === "array" ? "maxItems" : "maximum"
  if (field[bound] !== undefined || (bound === "maximum" && field["type"] === "string")) return input
  return { ...input, properties: { ...properties, [volume.field]: { ...field, [bound]: volume.max } } }
}

/** The schema of the answer where the manifest gives one, or the one that its samples show. */
const answerSchemaOf = (operation: Operation): Pick<OperationContract["outputFormat"], "schema" | "schemaSource"> => {
  if (operation.outputSchema !== undefined) return { schema: operation.outputSchema, schemaSource: "documented" }
  const schema = sampleSchema(operation)
  return schema === null ? { schema } : { schema, schemaSource: "samples" }
}

const draft = "https://json-schema.org/draft/2020-12/schema"

/** What a run with this input holds; null when the input has no price. */
export type HoldOf = (endpoint: Endpoint, input: JsonObject) => Micros | null

/** What a run with an example holds. Where the example has no price, any input's maximum stands for it. */
const heldFor = (holdOf: HoldOf, endpoint: Endpoint, input: JsonObject): Micros =>
  holdOf(endpoint, withDefaults(endpoint.operation.input, input)) ?? dearestPrice(endpoint.operation)

export interface ContractContext {
  readonly job: JobManifest | null
  readonly access: Access
  readonly holdOf: HoldOf
}

/** The contract of one provider's operation. */
export const contractOf = (endpoint: Endpoint, { access, holdOf, job }: ContractContext): OperationContract => {
  const { contractVersion, operation, provider } = endpoint
  const required = requiredFields(operation)
  const names = inputFields(operation).map(([name]) => name)
  const input = exampleInput(operation)
  const { output, volume } = operation
  return {
    endpoint: {
      id: operation.id,
      provider: provider.id,
      name: operation.name,
      summary: operation.summary,
      capability: operation.job ?? null,
      sourceCapability: operation.sourceCapability ?? null,
      ...placementOf(operation, job),
      credential: credentialOf(provider),
      access,
      executionMode: operation.async === undefined ? "sync" : "async",
      mock: provider.mock,
      price: priceOf(operation),
      facts: { ...provider.facts, ...operation.facts }
    },
    contractVersion,
    effectClassification: operation.effect,
    estimatedMaxCost: toUsd(heldFor(holdOf, endpoint, input)),
    usageHints: {
      requiredInputFields: required,
      optionalInputFields: names.filter((name) => !required.includes(name)),
      ...(volume === undefined ? {} : { volumeField: volume.field, maxVolume: volume.max }),
      ...(provider.variables === undefined
        ? {}
        : { connectionVariables: Object.entries(provider.variables).map(([name, each]) => ({ name, ...each })) }),
      exampleInput: input,
      curl: curlOf(operation.id, input)
    },
    inputSchema: { $schema: draft, ...withVolumeMaximum(operation) },
    requestBinding: Object.fromEntries(names.map((name) => [name, bindingOf(operation, name)])),
    outputFormat: {
      ...answerSchemaOf(operation),
      summary: `The provider's raw answer (${operation.contentTypes.join(", ")})`,
      provenance: {
        verified: operation.provenance?.verified ?? false,
        ...(operation.provenance?.verifiedOn === undefined ? {} : { verifiedOn: operation.provenance.verifiedOn }),
        note: operation.provenance?.note ?? operation.provenance?.docs ?? "No documentation was checked."
      }
    },
    ...(output === undefined || operation.job === undefined
      ? {}
      : { outputMap: { job: operation.job, fields: output.fields, verified: output.verified } })
  }
}

export interface JobContractContext {
  /** In the order in which a run would try them. */
  readonly supply: ReadonlyArray<{ readonly endpoint: Endpoint; readonly access: Access; readonly reason: string }>
  readonly contractVersion: string
  readonly holdOf: HoldOf
}

const common: { readonly [name: string]: string } = {
  email: "An e-mail address.",
  url: "An address that begins with http:// or https://.",
  domain: "A domain, such as example.com.",
  name: "A person's full name.",
  first_name: "A person's first name.",
  last_name: "A person's last name.",
  company: "A company's name.",
  linkedin_url: "The address of a LinkedIn profile.",
  phone: "A phone number, best with its country code."
}

/** The fields of a job: what it may need, its example, and what its providers accept under common names. */
const jobInputSchema = (job: JobManifest): JsonObject => {
  const names = new Set([...job.needs.flat(), ...Object.keys(job.exampleInput)])
  const properties = Object.fromEntries(
    Array.from(names, (name): [string, JsonObject] => {
      const example = member(job.exampleInput, name)
      const type = example === undefined ? "string" : Array.isArray(example) ? "array" : typeof example
      const description = member(common, name)
      return [
        name,
        {
          type,
          ...(description === undefined ? {} : { description }),
          ...(example === undefined ? {} : { examples: [example] })
        }
      ]
    })
  )
  const [only] = job.needs
  const needs =
    job.needs.length === 0
      ? {}
      : job.needs.length === 1 && only !== undefined
        ? { required: only }
        : { anyOf: job.needs.map((required) => ({ required })) }
  return { $schema: draft, type: "object", properties, ...needs, additionalProperties: true }
}

/** The contract of a job, with its providers. The hold for one attempt is the price of the dearest provider. */
export const jobContractOf = (
  job: JobManifest,
  { contractVersion, holdOf, supply }: JobContractContext
): OperationContract => {
  const id = jobEndpointId(job.id)
  // The job shows the details of the provider that a run would get now. When no provider can run now, it shows those of
  // the first in the order.
  const first = supply.find(({ access }) => access === "runs_now") ?? supply[0]
  const dearest = supply.reduce((most, { endpoint }) => Math.max(most, dearestPrice(endpoint.operation)), 0)
  const expected = supply.reduce((most, { endpoint }) => Math.max(most, heldFor(holdOf, endpoint, job.exampleInput)), 0)
  const [only] = job.needs
  const required = job.needs.length === 1 && only !== undefined ? only : []
  const inputSchema = jobInputSchema(job)
  const names = inputFields({ input: inputSchema }).map(([name]) => name)
  const price =
    first === undefined
      ? { basis: "free" as const, amountUsd: 0, amountMicros: 0, unit: "call" as const }
      : priceOf(first.endpoint.operation)
  return {
    endpoint: {
      id,
      provider: first?.endpoint.provider.id ?? null,
      name: job.title,
      summary: job.description,
      capability: job.id,
      sourceCapability: null,
      category: job.category,
      platform: job.platform,
      credential: first === undefined ? "none" : credentialOf(first.endpoint.provider),
      access: first?.access ?? "coming_soon",
      executionMode: first?.endpoint.operation.async === undefined ? "sync" : "async",
      mock: supply.length > 0 && supply.every(({ endpoint }) => endpoint.provider.mock),
      price: {
        basis: price.basis,
        amountUsd: price.amountUsd,
        amountMicros: price.amountMicros,
        unit: price.unit,
        estimateFormula: "the price of the provider that answers; held at the dearest of them",
        maxMicros: dearest
      },
      facts: {}
    },
    contractVersion,
    effectClassification: supply.some(({ endpoint }) => endpoint.operation.effect === "effectful")
      ? "effectful"
      : "read_only",
    estimatedMaxCost: toUsd(expected),
    usageHints: {
      requiredInputFields: required,
      optionalInputFields: names.filter((name) => !required.includes(name)),
      inputAlternatives: job.needs,
      exampleInput: job.exampleInput,
      curl: curlOf(id, job.exampleInput)
    },
    inputSchema,
    requestBinding: Object.fromEntries(names.map((name) => [name, { in: "json" as const, name }])),
    outputFormat: {
      schema: null,
      summary:
        Object.keys(job.fields).length === 0
          ? "The raw answer of the provider that was picked"
          : `The raw answer of the provider that was picked; normalized.fields holds ${Object.keys(job.fields).join(", ")}`,
      provenance: {
        verified: supply.some(({ endpoint }) => endpoint.operation.output?.verified === true),
        note: "Field names are fixed by the job; see each provider's own contract."
      }
    },
    ...(Object.keys(job.fields).length === 0
      ? {}
      : { outputMap: { job: job.id, fields: job.fields, verified: false } }),
    providers: supply.map(({ access, endpoint, reason }) => ({
      endpointId: endpoint.operation.id,
      provider: endpoint.provider.id,
      name: endpoint.operation.name,
      access,
      estimatedPrice: toUsd(listedMicros(endpoint.operation.price)),
      priceBasis: endpoint.operation.price.basis,
      contractVersion: endpoint.contractVersion,
      reason
    }))
  }
}
