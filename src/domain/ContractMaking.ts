/**
 * Makes the contract of an operation or a job (`OperationContract.ts`). It is made from a manifest alone, so that an
 * older version reads the same for ever. Only access and the order of a job's providers are those of the moment.
 */
import type { Access, CredentialNeed } from "./CatalogRow.js"
import { jobEndpointId } from "./EndpointIds.js"
import { isObject, type JsonObject } from "./Json.js"
import { type Endpoint, isKeyless, type JobManifest, type Operation, type Price } from "./Manifest.js"
import { member } from "./Members.js"
import { dollars, type Micros, toUsd } from "./Micros.js"
import type { ContractPrice, OperationContract } from "./OperationContract.js"
import { bindingOf, exampleInput, inputFields, neededSets, requiredFields, withDefaults } from "./OperationInput.js"
import { dearestPrice } from "./Pricing.js"
import { sampleSchema } from "./SampleSchema.js"
import { shellQuoted } from "./ShellQuoting.js"

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

const formulaOf = ({ pages, price, volume }: Operation): string => {
  if (price.basis === "free") return "0"
  const { byInput, maxMicros = 0, perCallMicros } = price
  const isPaged = pages?.billed === "page"
  const call = isPaged ? `page of ${pages.size} results` : "call"
  const fixed = perCallMicros > 0 ? `${dollars(perCallMicros)}${isPaged ? ` a ${call}` : ""} + ` : ""
  if (byInput !== undefined) {
    const unit = price.basis === "per_call" ? call : unitOf(price.basis)
    return `by input: usually ${fixed}${dollars(price.micros)} a ${unit}, at most ${dollars(maxMicros)} a ${call}`
  }
  if (price.basis === "per_call") return `${dollars(listedMicros(price))} a ${call}`
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

/**
 * Makes a key that no other run has, in every POSIX shell: from the time in seconds and the shell's process id. Not
 * every system has `uuidgen` or nanoseconds.
 */
export const shellKey = "$(date +%s)-$$"

const curlOf = (endpointId: string, input: JsonObject): string => {
  const body = shellQuoted(JSON.stringify({ endpointId, input }))
  return `curl -sS -X POST "$GATEWAY_URL/v1/runs?wait=true" -H "Authorization: Bearer $GATEWAY_TOKEN" -H "Idempotency-Key: ${shellKey}" -H "Content-Type: application/json" -d ${body}`
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
  const sets = neededSets(operation.input)
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
      ...(sets.length > 1 ? { inputAlternatives: sets } : {}),
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
  /** What a run of the job holds at a provider; null when that provider does not take the input. */
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

/**
 * The contract of a job, with its providers. Its estimate is what a run without fallback holds: at the first provider
 * that runs now and takes the example.
 */
export const jobContractOf = (
  job: JobManifest,
  { contractVersion, holdOf, supply }: JobContractContext
): OperationContract => {
  const id = jobEndpointId(job.id)
  // The job shows the details of the provider that a run would get now. When no provider can run now, it shows those of
  // the first in the order.
  const first = supply.find(({ access }) => access === "runs_now") ?? supply[0]
  const dearest = supply.reduce((most, { endpoint }) => Math.max(most, dearestPrice(endpoint.operation)), 0)
  const estimated =
    supply
      .filter(({ access }) => access === "runs_now")
      .map(({ endpoint }) => holdOf(endpoint, job.exampleInput))
      .find((held) => held !== null) ?? (first === undefined ? 0 : dearestPrice(first.endpoint.operation))
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
        estimateFormula:
          "the price of the provider that answers; without fallback, the highest price of the first provider is held",
        maxMicros: dearest
      },
      facts: {}
    },
    contractVersion,
    effectClassification: supply.some(({ endpoint }) => endpoint.operation.effect === "effectful")
      ? "effectful"
      : "read_only",
    estimatedMaxCost: toUsd(estimated),
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
