/** `search` and `inspect`: the catalog of the gateway of the login. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Schema } from "effect"
import { optional } from "../../domain/Described.js"
import { ParsedObject } from "../../domain/Json.js"
import { shellQuoted } from "../../domain/ShellQuoting.js"
import { fieldsNeeded } from "../../layers/providers/InputSchema.js"
import { answer } from "../Answer.js"
import * as Inputs from "../Inputs.js"
import { anObject, expectShape, loggedIn, urlOption } from "./GatewayClient.js"

const Found = expectShape(
  Schema.Struct({
    total: Schema.Int,
    endpoints: Schema.Array(
      Schema.Struct({
        endpointId: Schema.String,
        name: Schema.String,
        /** Absent where it belongs to no job. */
        capability: optional(Schema.String),
        estimatedPrice: Schema.Number,
        priceBasis: Schema.String,
        runnableNow: Schema.Boolean
      })
    ),
    /** The jobs that the words were taken to mean, the best first. */
    expandedCapabilities: Schema.Array(Schema.String),
    appliedHints: optional(Schema.Array(Schema.Struct({ message: Schema.String }))),
    warnings: optional(Schema.Array(Schema.Struct({ message: Schema.String })))
  })
)
/** What a price is for, in words; a unit that this version does not know stays as it came. */
const perUnit = new Map([
  ["per_call", " a call"],
  ["per_result", " a result"]
])

export const search = Command.make(
  "search",
  {
    words: Inputs.text("WORDS").pipe(Args.withDescription("What is looked for, in everyday words"), Args.atLeast(1)),
    limit: Inputs.pageLimit,
    cheapest: Options.boolean("cheapest").pipe(Options.withDescription("The cheapest first")),
    url: urlOption,
    json: Inputs.json
  },
  ({ cheapest, json, limit, url, words }) =>
    answer(
      json,
      Effect.gen(function* () {
        const gateway = yield* loggedIn(url)
        const found = yield* gateway.get("/v1/catalog/search", {
          q: words.join(" "),
          limit,
          prefer: cheapest ? "cheapest" : null
        })
        const { appliedHints = [], endpoints, expandedCapabilities, warnings = [] } = yield* Found(gateway.url, found)
        const jobs = expandedCapabilities
          .filter((job) => endpoints.some(({ capability }) => capability === job))
          .map((job) => `job:${job}  run this, and the gateway chooses one of its operations`)
        const rows = endpoints.map((each) =>
          [
            each.endpointId,
            each.priceBasis === "free"
              ? "free"
              : `$${each.estimatedPrice}${perUnit.get(each.priceBasis) ?? ` ${each.priceBasis}`}`,
            each.name,
            ...(each.capability === undefined ? [] : [`job:${each.capability}`]),
            ...(each.runnableNow ? [] : ["not runnable now"])
          ].join("  ")
        )
        return {
          json: yield* anObject(gateway.url, found),
          text: [
            ...jobs,
            ...(rows.length === 0 ? ["Nothing found"] : rows),
            ...[...appliedHints, ...warnings].map(({ message }) => message)
          ].join("\n")
        }
      })
    )
).pipe(Command.withDescription("Search the catalog for operations"))

const Contract = expectShape(
  Schema.Struct({
    endpoint: Schema.Struct({ id: Schema.String, name: Schema.String, summary: Schema.String }),
    effectClassification: Schema.String,
    estimatedMaxCost: Schema.Number,
    inputSchema: ParsedObject,
    usageHints: Schema.Struct({
      optionalInputFields: Schema.Array(Schema.String),
      exampleInput: ParsedObject
    })
  })
)

export const inspect = Command.make(
  "inspect",
  {
    endpointId: Inputs.text("ENDPOINT").pipe(Args.withDescription("job:… or the id of an operation")),
    url: urlOption,
    json: Inputs.json
  },
  ({ endpointId, json, url }) =>
    answer(
      json,
      Effect.gen(function* () {
        const gateway = yield* loggedIn(url)
        const found = yield* gateway.get(`/v1/operations/${encodeURIComponent(endpointId)}`)
        const { effectClassification, endpoint, estimatedMaxCost, inputSchema, usageHints } = yield* Contract(
          gateway.url,
          found
        )
        const { exampleInput, optionalInputFields } = usageHints
        // Also fields of which one or another is needed, which the contract does not call required.
        const needed = fieldsNeeded(inputSchema)
        const effect = effectClassification === "effectful" ? "; it changes something at the provider" : ""
        return {
          json: yield* anObject(gateway.url, found),
          text: [
            `${endpoint.id}: ${endpoint.name}`,
            endpoint.summary,
            `the example costs at most $${estimatedMaxCost}${effect}`,
            `needs ${needed.join(", ") || "nothing"}${optionalInputFields.length === 0 ? "" : `; takes ${optionalInputFields.join(", ")}`}`,
            `gateway run ${endpoint.id} --input ${shellQuoted(JSON.stringify(exampleInput))}`
          ].join("\n")
        }
      })
    )
).pipe(Command.withDescription("What an operation or job takes, costs and does; with --json its whole contract"))
