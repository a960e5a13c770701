/** The public catalog, which needs no token: its items, and items side by side. Shapes only. */
import { Schema } from "effect"
import { Access, keyless, mock, usdOrNull, verified, WorksView } from "./CatalogRow.js"
import { appliedHints, nextCursor, warnings } from "./CatalogSearch.js"
import { field, flag, optional, text, textOrNull, texts } from "./Described.js"
import { Json, ParsedObject } from "./Json.js"
import { comparedMax, comparedMin } from "./limits/Lists.js"

export interface PublicQuery {
  readonly q: string | null
  readonly capability: string | null
  readonly category: string | null
  readonly provider: string | null
  readonly limit: number
  /** Where this page begins: the `next` of the page before. */
  readonly after: string | null
  readonly hints?: boolean
}

export const PublicItem = Schema.Struct({
  catalogItemId: text("The item's id: the id to run it by", "mock-email-find"),
  providerId: text("The provider's id", "mock"),
  operationId: text("The operation's id at the provider", "mock-email-find"),
  title: text("What it is called", "Find an e-mail address"),
  description: text("What it does", "Finds the work e-mail address of a person."),
  categories: texts("Ids of its categories", ["people"]),
  capabilities: texts("Jobs that it does", ["people.email.find"]),
  parameters: Schema.Array(
    Schema.Struct({
      name: text("The field of the input", "full_name"),
      location: text("Where the gateway puts it in the provider's request", "json"),
      required: flag("It must be given", true),
      type: text("What it holds", "string"),
      description: text("What it means", "First and last name.")
    })
  ).annotations({ description: "What to send as input" }),
  price: Schema.NullOr(
    Schema.Struct({
      state: field(Schema.Literal("priced", "free", "unknown"), "Whether it has a price", "priced"),
      amountMicros: field(
        Schema.NullOr(Schema.Int),
        "The price of one unit in micros, millionths of a dollar; null when unknown",
        20_000
      ),
      currency: field(Schema.Literal("USD"), "The currency", "USD"),
      unit: field(Schema.Literal("call", "result"), "What the price is for", "call")
    })
  ).annotations({ description: "What it costs; null when nothing is known" }),
  mock,
  verified,
  keyless
}).annotations({ identifier: "PublicItem", description: "An operation of the public catalog" })
export type PublicItem = typeof PublicItem.Type

export const PublicPage = Schema.Struct({
  items: Schema.Array(PublicItem).annotations({ description: "Items, best first" }),
  nextCursor,
  warnings,
  appliedHints
}).annotations({ identifier: "PublicPage", description: "A page of the public catalog" })

export const ComparedItem = Schema.Struct({
  ...PublicItem.fields,
  works: WorksView,
  access: Access,
  acceptsInput: optional(flag("It takes the input; only with an input", true)),
  inputProblems: optional(
    Schema.Array(
      Schema.Struct({
        field: text("The field of the input", "domain"),
        message: text("What is wrong with it", "is required")
      })
    ).annotations({ description: "Why it does not take the input; only with an input" })
  ),
  maxCostUsd: optional(
    usdOrNull("The most that a run with the input can cost, in US dollars; only with an input", 0.02)
  )
}).annotations({ identifier: "ComparedItem", description: "An item beside others" })
export type ComparedItem = typeof ComparedItem.Type

const bestId = (description: string) => textOrNull(description, "mock-email-find")

export const Compared = Schema.Struct({
  items: Schema.Array(ComparedItem).annotations({ description: "The items that were found, in the order asked" }),
  differences: Schema.Array(
    Schema.Struct({
      field: text("The field in which they differ", "price"),
      values: field(Schema.Record({ key: Schema.String, value: Json }), "What each item has there, by the item's id", {
        "mock-email-find": 0.02,
        "mock-email-find-2": 0.01
      })
    })
  ).annotations({ description: "Where the items differ" }),
  cheapest: bestId("The id of the cheapest item; null when no price is known"),
  fastest: bestId("The id of the fastest item; null when nothing is known"),
  mostReliable: bestId("The id of the item with the best record; null when nothing is known"),
  unknown: texts("Ids that the catalog does not have", [])
}).annotations({ identifier: "Compared", description: "Items side by side" })
export type Compared = typeof Compared.Type

/** What is said of any other list of items to compare. */
export const comparedExpected = `must name ${comparedMin} to ${comparedMax} different items`

export const CompareRequest = Schema.Struct({
  catalogItemIds: Schema.propertySignature(
    Schema.Array(Schema.String).pipe(
      Schema.minItems(comparedMin, { message: () => comparedExpected }),
      Schema.maxItems(comparedMax, { message: () => comparedExpected })
    )
  ).annotations({
    description: "Ids of the items to compare",
    examples: [["mock-email-find", "mock-email-find-2"]]
  }),
  input: optional(ParsedObject).annotations({
    description: "An input: each item then says whether it takes it, and what it would cost at most",
    examples: [{ full_name: "Ada Lovelace", domain: "example.com" }]
  })
}).annotations({ identifier: "CompareRequest", description: "Which items to compare" })
