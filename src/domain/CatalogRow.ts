/**
 * The rows in which the catalog shows an operation, in the contract's order, and the fields that other answers share
 * with them. The names and units are the contract's (prices here are US dollars, as it asks; inside, money stays
 * micros). This module holds shapes only; the layers fill them.
 */
import { Schema } from "effect"
import { count, field, flag, optional, text, textOrNull, texts, upTo } from "./Described.js"
import { JsonObject } from "./Json.js"
import { searchUseShareMax } from "./limits/Lists.js"
import { PriceBasis } from "./Manifest.js"

/** US dollars, or null where nothing is known. */
export const usdOrNull = (description: string, example: number | null) =>
  field(Schema.NullOr(Schema.Number), description, example)

export const Access = Schema.Literal("runs_now", "needs_your_account", "coming_soon").annotations({
  identifier: "Access",
  description:
    "Whether you can run it: runs_now (no key is needed, or the gateway has one), needs_your_account (connect a key of your own first), coming_soon (nobody can run it yet)",
  examples: ["runs_now"]
})
export type Access = typeof Access.Type
export const CredentialNeed = Schema.Literal("none", "platform", "platform_own_key_optional", "own_key_required")
export type CredentialNeed = typeof CredentialNeed.Type
export const MatchedBy = Schema.Literal("text", "capability", "tokens")
export type MatchedBy = typeof MatchedBy.Type

/** How an endpoint did over the last 30 days. `thin` says that fewer than 5 runs stand behind it. */
export const WorksView = Schema.Struct({
  rate: field(Schema.NullOr(upTo(1)), "The share of runs that found something, from 0 to 1; null without runs", 0.93),
  runs: count("How many runs that is", 214),
  p50Ms: field(Schema.NullOr(Schema.Number), "How long half of the runs took at most, in milliseconds", 840),
  thin: flag("Fewer than 5 runs: too few to rely on", false)
}).annotations({ identifier: "Works", description: "How it did in the last 30 days" })
export type WorksView = typeof WorksView.Type

export const StatsView = Schema.Struct({
  calls: count("Calls of the last 30 days", 214),
  successRate: field(
    upTo(1),
    "The share of calls that the provider answered, from 0 to 1; an empty answer is an answer",
    0.98
  ),
  p50Ms: field(Schema.NullOr(Schema.Number), "How long half of the calls took at most, in milliseconds", 840),
  sampleSize: count("How many calls these figures are made of", 214)
}).annotations({ identifier: "Stats", description: "How its calls went in the last 30 days" })
export type StatsView = typeof StatsView.Type

const credential = field(
  CredentialNeed,
  "Whose key a run needs: none, the gateway's (platform), the gateway's or your own (platform_own_key_optional), your own (own_key_required)",
  "platform"
)
const executionMode = field(
  Schema.Literal("sync", "async"),
  "sync: the provider answers at once; async: it works for a while, and the gateway asks it until it is done",
  "sync"
)
export const priceBasis = field(PriceBasis, "What the price is for: one call, one result, or nothing", "per_call")
export const mock = flag("A fixture for tests: it answers made-up data and calls nobody", false)
export const verified = flag("The provider's documentation of this operation was read", true)
export const keyless = flag("The provider needs no key", false)
export const category = text("The category's id", "people")
export const platform = text("The platform's id: the site or service that it is about, or general", "general")

export const titleFields = {
  endpointId: text("The id to run it by", "mock-email-find"),
  provider: text("The provider's id", "mock"),
  name: text("What it is called", "Find an e-mail address"),
  capability: optional(text("The job that it does; absent when it belongs to no job", "people.email.find")),
  category,
  estimatedPrice: field(Schema.Number, "The price in US dollars, of one call or one result", 0.02),
  priceBasis,
  access: Access,
  executionMode,
  costPerSuccessUsd: usdOrNull("US dollars for one answer that found something; null when unknown", 0.0215),
  async: flag("The same as executionMode async", false),
  works: WorksView,
  sourceCapability: textOrNull(
    "What the source of an imported operation calls its task, such as the tags of an OpenAPI document; null where it says nothing",
    null
  ),
  credential
}

/** The short row, in the contract's order. */
export const TitleRow = Schema.Struct(titleFields).annotations({
  identifier: "TitleRow",
  description: "An operation, in short"
})
export type TitleRow = typeof TitleRow.Type

export const JobName = Schema.Struct({
  id: text("The job's id; run it as job:<id>", "people.email.find"),
  title: text("What it is called", "Find a work e-mail address")
})
export type JobName = typeof JobName.Type

/**
 * An input to send, with what the words of a question say about it. Absent with `hints=off`, and in a search where the
 * words say nothing.
 */
export const usageHints = optional(
  Schema.Struct({
    exampleInput: field(
      JsonObject,
      "The example of the operation, with the values that the question gave in place of its own",
      { email: "bob@example.com" }
    ),
    givenInputFields: texts("The fields of it that the question gave; the others are examples", ["email"])
  }).annotations({
    identifier: "GivenInput",
    description:
      "An input to send. In a search it is present when the words gave values that this operation takes, such as an address"
  })
)

export const raisedByUse = optional(
  field(
    upTo(searchUseShareMax),
    "Present where this workspace learns from use and used it after a search: the share of the best score that was added for it",
    0.05
  )
)

export const CatalogRow = Schema.Struct({
  ...titleFields,
  platform,
  job: optional(JobName.annotations({ description: "The job that it does; absent when it belongs to no job" })),
  summary: text("What it does, in a sentence", "Finds the work e-mail address of a person."),
  mock,
  verified,
  keyless,
  runnableNow: flag("You can run it now", true),
  stats: Schema.NullOr(StatsView).annotations({ description: "How its calls went; null without calls" }),
  matchedBy: field(
    Schema.NullOr(MatchedBy),
    "Why it is here: its text holds the words, its job was meant, or it holds some of the words; null in a listing, which has no words",
    "text"
  ),
  facts: field(
    Schema.Record({ key: Schema.String, value: Schema.String }),
    "Short documented facts, such as rate limits and the address of the documentation",
    { docs: "https://provider.example/docs" }
  ),
  usageHints,
  raisedByUse
}).annotations({ identifier: "CatalogRow", description: "An operation of the catalog" })
export type CatalogRow = typeof CatalogRow.Type

export const titleOf = (row: CatalogRow): TitleRow => ({
  endpointId: row.endpointId,
  provider: row.provider,
  name: row.name,
  ...(row.capability === undefined ? {} : { capability: row.capability }),
  category: row.category,
  estimatedPrice: row.estimatedPrice,
  priceBasis: row.priceBasis,
  access: row.access,
  executionMode: row.executionMode,
  costPerSuccessUsd: row.costPerSuccessUsd,
  async: row.async,
  works: row.works,
  sourceCapability: row.sourceCapability,
  credential: row.credential
})
