/** The tools that look into the catalog: `search_operations` and `inspect_operation`. */
import { Effect, Schema } from "effect"
import { cutText } from "../../domain/Characters.js"
import { Access } from "../../domain/CatalogRow.js"
import { noFilter } from "../../domain/CatalogSearch.js"
import { jobEndpointId, trimmedEndpointId } from "../../domain/EndpointIds.js"
import { isObject, JsonObject } from "../../domain/Json.js"
import {
  toolAnswerBytesMax,
  toolFieldNamesMax,
  toolRowSummaryChars,
  toolSearchRowsDefault,
  toolSearchRowsMax,
  toolSearchedRows
} from "../../domain/limits/AgentTools.js"
import { fieldUsdMax } from "../../domain/limits/Workspaces.js"
import { filterCharsMax, queryCharsMax } from "../../domain/limits/Lists.js"
import { runIdentifierCharsMax } from "../../domain/limits/Runs.js"
import { fillExample } from "../../domain/InputFilling.js"
import { PriceBasis } from "../../domain/Manifest.js"
import { toUsd } from "../../domain/Micros.js"
import type { OperationContract } from "../../domain/OperationContract.js"
import { valuesIn } from "../../domain/QuestionValues.js"
import { Prefer } from "../../domain/RoutePlan.js"
import { Catalog } from "../../services/Catalog.js"
import { line, optional, says, UsdInput } from "../Fields.js"
import { bytesOf, fits } from "./Fitting.js"
import { type Annotations, tool } from "./Tool.js"

/** Nothing changes, and nobody outside of the gateway is asked. */
export const reads: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false
}

const described = <A, I>(schema: Schema.Schema<A, I>, description: string) => schema.annotations({ description })

const wholeNumber = (from: number, to: number) =>
  Schema.Int.pipe(
    Schema.between(from, to),
    Schema.annotations({
      ...says(`must be a whole number from ${from} to ${to}`),
      jsonSchema: { type: "integer", minimum: from, maximum: to }
    })
  )
/** The same, with the value that is taken where none is given. */
export const wholeNumberOr = (from: number, to: number, preset: number, description: string) =>
  Schema.optionalWith(
    wholeNumber(from, to).annotations({
      jsonSchema: { type: "integer", minimum: from, maximum: to, default: preset, description }
    }),
    { exact: true, default: () => preset }
  )

export const endpointId = line(runIdentifierCharsMax, "job:… or the id of an operation, as search_operations gives it")

const Requires = described(
  Schema.Array(Schema.Array(Schema.String)),
  "Sets of input fields: all fields of one set must be given"
)
const effect = described(
  Schema.Literal("read_only", "effectful"),
  "effectful: it changes something at the provider, such as sending a message"
)
const shared = {
  endpointId: Schema.String,
  name: Schema.String,
  summary: Schema.String,
  effect,
  access: Access,
  priceUsd: described(Schema.Number, "Dollars of one call, or of one result"),
  priceBasis: PriceBasis,
  maxUsd: described(Schema.Number, "The most dollars that the example input can cost"),
  requires: Requires
}

const Found = Schema.Struct({
  ...shared,
  exampleInput: optional(JsonObject),
  givenInputFields: optional(
    described(Schema.Array(Schema.String), "Fields of exampleInput that the query gave; the others are examples")
  ),
  providers: described(Schema.Int, "How many operations do it")
})
const SearchView = Schema.Struct({
  operations: Schema.Array(Found),
  nextOffset: described(Schema.NullOr(Schema.Int), "Where the next page begins; null at the end"),
  warning: optional(Schema.String),
  appliedHints: optional(
    described(
      Schema.Array(Schema.String),
      "What words of the query acted like; put them in quotation marks to search for them instead"
    )
  )
})

const requiredOf = ({ usageHints }: OperationContract): ReadonlyArray<ReadonlyArray<string>> =>
  usageHints.inputAlternatives ?? [usageHints.requiredInputFields]

const sharedOf = (contract: OperationContract) => ({
  endpointId: contract.endpoint.id,
  name: contract.endpoint.name,
  summary: cutText(contract.endpoint.summary, toolRowSummaryChars),
  effect: contract.effectClassification,
  access: contract.endpoint.access,
  priceUsd: contract.endpoint.price.amountUsd,
  priceBasis: contract.endpoint.price.basis,
  maxUsd: contract.estimatedMaxCost,
  requires: requiredOf(contract)
})

/** The fields of a job have no patterns. */
const noPattern = (): boolean => false
/** An example above this size is left to `inspect_operation`. */
const exampleBytesMax = 400

export const searchOperations = tool({
  name: "search_operations",
  title: "Search operations",
  description:
    'Finds what can do a task, best first; ask in plain words, such as "find an email address" or "weather forecast". A row is a job (endpointId job:…), which several providers do, or a single operation. Each says which input it needs, with an example, and its price: that is mostly enough to call run_operation at once. Costs nothing.',
  scope: "catalog:read",
  annotations: reads,
  input: Schema.Struct({
    query: line(queryCharsMax, "What you want to do, in plain words"),
    limit: wholeNumberOr(1, toolSearchRowsMax, toolSearchRowsDefault, "Rows of the answer"),
    offset: wholeNumberOr(0, 1_000_000, 0, "nextOffset of the page before"),
    prefer: optional(Prefer.annotations({ ...says(`must be one of ${Prefer.literals.join(", ")}`) })),
    provider: optional(line(filterCharsMax, "Only operations of this provider, by its id")),
    maxPriceUsd: optional(
      UsdInput.annotations({
        jsonSchema: {
          type: "number",
          minimum: 0,
          maximum: fieldUsdMax,
          description: "Only what costs at most so many dollars a call"
        }
      })
    )
  }),
  output: SearchView,
  call: Effect.fnUntraced(function* ({ limit, maxPriceUsd, offset, prefer, provider, query }, { caller }) {
    const catalog = yield* Catalog
    // A job has a row for each of its operations, and these can go on behind the end of a page: what the page before
    // has shown is looked up, so that no page shows it again.
    const begin = Math.max(0, offset - toolSearchedRows)
    const found = yield* catalog.search(
      {
        ...noFilter,
        q: query,
        limit: offset - begin + toolSearchedRows,
        offset: begin,
        prefer: prefer ?? "balanced",
        preferSaid: prefer !== undefined,
        // Ids of providers have no capitals, and people write names.
        provider: provider?.toLowerCase() ?? null,
        maxPriceMicros: maxPriceUsd ?? null,
        hidden: caller.operator
      },
      caller
    )
    /** Of a provider's own operations each is a row. A job would leave the provider open. */
    const ofProvider =
      provider !== undefined || found.appliedHints?.some(({ parameter }) => parameter === "provider") === true
    /** Each job and operation with the place of its first row. */
    const places = new Map<string, number>()
    found.endpoints.forEach((row, index) => {
      const id = row.capability === undefined || ofProvider ? row.endpointId : jobEndpointId(row.capability)
      if (!places.has(id)) places.set(id, index)
    })
    const values = valuesIn(query)
    const operations: Array<typeof Found.Type> = []
    let bytes = 0
    let cutAt: number | null = null
    for (const [id, index] of places) {
      if (begin + index < offset) continue
      if (operations.length === limit) {
        cutAt = index
        break
      }
      // A newer catalog may have come in between.
      const contract = yield* Effect.catchTag(catalog.contract(id, null, caller), "not_found", () =>
        Effect.succeed(null)
      )
      if (contract === null) continue
      const first = found.endpoints[index]
      const given =
        first?.endpointId === id
          ? first.usageHints
          : fillExample(
              { input: contract.inputSchema, accepts: {}, exampleInput: contract.usageHints.exampleInput },
              values,
              noPattern
            )
      const exampleInput = given?.exampleInput ?? contract.usageHints.exampleInput
      const row = {
        ...sharedOf(contract),
        ...(bytesOf(exampleInput) <= exampleBytesMax
          ? { exampleInput, ...(given ? { givenInputFields: given.givenInputFields } : {}) }
          : {}),
        providers: contract.providers?.length ?? 1
      }
      bytes += bytesOf(row)
      if (bytes > toolAnswerBytesMax - 1_000 && operations.length > 0) {
        cutAt = index
        break
      }
      operations.push(row)
    }
    const [warning] = found.warnings ?? []
    return {
      operations,
      nextOffset: cutAt === null ? found.nextOffset : begin + cutAt,
      ...(warning === undefined ? {} : { warning: warning.message }),
      ...(found.appliedHints === undefined
        ? {}
        : {
            appliedHints: found.appliedHints.map(({ parameter, value, words }) => `"${words}": ${parameter}=${value}`)
          })
    }
  })
})

const InspectView = Schema.Struct({
  ...shared,
  maxUsdOfAnyInput: Schema.Number,
  microsByInput: optional(
    described(Schema.String, "The price of one call or result by its input, in micros: JMESPath over { input }")
  ),
  exampleInput: JsonObject,
  inputSchema: JsonObject,
  volumeField: optional(described(Schema.String, "The field that says for how many results is paid")),
  maxVolume: optional(Schema.Number),
  answers: described(Schema.String, "What stands in result"),
  fields: optional(
    described(
      Schema.Record({ key: Schema.String, value: Schema.String }),
      "Names under normalized.fields, the same for every provider"
    )
  ),
  providers: optional(
    described(
      Schema.Array(
        Schema.Struct({
          endpointId: Schema.String,
          access: Access,
          priceUsd: Schema.Number,
          priceBasis: PriceBasis
        })
      ),
      "The operations that do the job, in the order in which a run tries them"
    )
  ),
  note: optional(Schema.String)
})
type InspectView = typeof InspectView.Type

const inspectView = (contract: OperationContract): InspectView => {
  const { endpoint, inputSchema, outputFormat, outputMap, providers, usageHints } = contract
  const { $schema: _, ...schema } = inputSchema
  return {
    ...sharedOf(contract),
    summary: endpoint.summary,
    maxUsdOfAnyInput: toUsd(endpoint.price.maxMicros),
    ...(endpoint.price.byInput === undefined ? {} : { microsByInput: endpoint.price.byInput }),
    exampleInput: usageHints.exampleInput,
    inputSchema: schema,
    ...(usageHints.volumeField === undefined ? {} : { volumeField: usageHints.volumeField }),
    ...(usageHints.maxVolume === undefined ? {} : { maxVolume: usageHints.maxVolume }),
    answers: outputFormat.summary,
    ...(outputMap === undefined ? {} : { fields: outputMap.fields }),
    ...(providers === undefined
      ? {}
      : {
          providers: providers.map(({ access, endpointId, estimatedPrice, priceBasis }) => ({
            endpointId,
            access,
            priceUsd: estimatedPrice,
            priceBasis
          }))
        })
  }
}

/** The schema of a very large operation is left out; its field names stay. */
const fitted = (view: InspectView): InspectView => {
  if (fits(view)) return view
  const properties = view.inputSchema["properties"]
  const names = isObject(properties) ? Object.keys(properties).slice(0, toolFieldNamesMax) : []
  const { endpointId, exampleInput, providers = [], ...rest } = view
  return {
    ...rest,
    endpointId,
    summary: cutText(view.summary, toolRowSummaryChars),
    requires: view.requires.slice(0, 5).map((set) => set.slice(0, toolFieldNamesMax)),
    exampleInput: bytesOf(exampleInput) <= exampleBytesMax ? exampleInput : {},
    inputSchema: { type: "object", properties: Object.fromEntries(names.map((name) => [cutText(name, 100), {}])) },
    ...(view.providers === undefined ? {} : { providers: providers.slice(0, toolFieldNamesMax) }),
    note: `Too large to show whole: GET /v1/operations/${endpointId} answers all of it.`
  }
}

export const inspectOperation = tool({
  name: "inspect_operation",
  title: "Inspect an operation",
  description:
    "Shows one job or operation in full: the schema of its input, an example, its highest price, what it answers, and who does it. Only needed when a row of search_operations does not say enough. Costs nothing.",
  scope: "catalog:read",
  annotations: reads,
  input: Schema.Struct({ endpointId }),
  output: InspectView,
  call: Effect.fnUntraced(function* ({ endpointId }, { caller }) {
    const catalog = yield* Catalog
    return fitted(inspectView(yield* catalog.contract(trimmedEndpointId(endpointId), null, caller)))
  })
})
