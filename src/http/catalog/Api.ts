/**
 * The catalog's routes (contract: "Endpoints"; completions: section 2): `CatalogApi` takes a token, `PublicCatalogApi`
 * needs none.
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Depth, Overview } from "../../domain/CatalogOverview.js"
import { ListingAnswer, SearchAnswer } from "../../domain/CatalogSearch.js"
import { Discovered } from "../../domain/Discovered.js"
import { Compared, CompareRequest, PublicItem, PublicPage } from "../../domain/PublicCatalog.js"
import {
  contractVersionCharsMax,
  cursorCharsMax,
  discoveredDefault,
  discoveredMax,
  filterCharsMax,
  listingCursorCharsMax,
  listingRowsDefault,
  listingRowsMax,
  publicRowsDefault,
  publicRowsMax,
  queryCharsMax,
  searchRowsDefault,
  searchRowsMax
} from "../../domain/limits/Lists.js"
import { pathParameterCharsMax } from "../../domain/limits/Requests.js"
import { productName } from "../../domain/Product.js"
import { OperationContract } from "../../domain/OperationContract.js"
import { Prefer } from "../../domain/RoutePlan.js"
import { Access, AnswerHeaders } from "../Access.js"
import { Bearer, Open } from "../Auth.js"
import { Wire, WireReading } from "../Envelope.js"
import { field } from "../Fields.js"
import {
  booleanParam,
  choiceParam,
  cursorParam,
  exampleEtag,
  headerParam,
  intParam,
  limitParam,
  optionalParam,
  paramOr,
  query,
  textParam
} from "../Query.js"

const prefer = paramOr(
  choiceParam(...Prefer.literals),
  "balanced",
  "What decides between providers of the same job: balanced weighs price, record and speed"
)
const word = (description: string, example: string) =>
  optionalParam(field(textParam(filterCharsMax), description, example))
const flag = (description: string, example: boolean) => field(booleanParam, description, example)
const offset = paramOr(intParam(0), 0, "Where the page begins: nextOffset of the page before")
const maxPriceMicros = optionalParam(
  field(intParam(0), "Only what costs at most this, of one call or one result, in micros", 50_000)
)
const hints = paramOr(
  choiceParam("on", "off"),
  "on",
  "off: the words are only searched for. Otherwise an address among them fills usageHints, and words such as cheapest or under 2 cents act like parameters (appliedHints)"
)
const words = (description: string) => field(textParam(queryCharsMax), description, "find a work email")

const category = word("Only this category, by its id", "people")
const platform = word("Only this platform, by its id", "general")
const provider = word("Only this provider, by its id", "mock")
const filters = {
  category,
  platform,
  provider,
  capability: word("Only this job, by its id with dots", "people.email.find"),
  keyless: optionalParam(flag("true: only providers that need no key; false: only the others", true)),
  verified: optionalParam(
    flag("true: only operations whose documentation at the provider was read; false: only the others", true)
  ),
  hidden: paramOr(booleanParam, false, "Also operations of providers that are switched off"),
  maxPriceMicros
}
const idInPath = (description: string, example: string) =>
  field(
    Schema.String.annotations({ jsonSchema: { type: "string", minLength: 1, maxLength: pathParameterCharsMax } }),
    description,
    example
  )
const EndpointId = idInPath("The id of an operation, or job: and the id of a job", "job:people.email.find")
const ItemId = idInPath("The id of an operation; jobs are no items of the public catalog", "mock-email-find")

/** A page of plain text for language models. */
const LlmsText = HttpApiSchema.Text({ contentType: "text/plain" }).annotations({
  description: "The text",
  examples: [`# ${productName}\n\nOne bearer token, one prepaid balance, …`]
})

export class CatalogApi extends HttpApiGroup.make("catalog")
  .add(
    HttpApiEndpoint.get("search", "/v1/catalog/search")
      .setUrlParams(
        query({
          q: words("What to search for, in your own words"),
          limit: limitParam(searchRowsMax, searchRowsDefault),
          offset,
          ...filters,
          mock: optionalParam(flag("true: only fixtures; false: only real operations", false)),
          prefer,
          hints
        })
      )
      .addSuccess(SearchAnswer)
      .addError(Wire.CatalogLoading)
      .annotate(Access, "catalog:read")
      .annotate(OpenApi.Summary, "Search the catalog, best first")
      .annotate(
        OpenApi.Description,
        "Takes whole sentences. Words that mean a job find every provider that does it. An answer that is not what was asked for says so in warnings or priceHint."
      )
  )
  .add(
    HttpApiEndpoint.get("discover", "/v1/discover")
      .setUrlParams(
        query({
          q: optionalParam(words("What to search for, in your own words; it or query is needed")),
          query: optionalParam(words("Another name of q; q wins")),
          limit: limitParam(discoveredMax, discoveredDefault),
          prefer,
          maxPriceMicros,
          hints
        })
      )
      .addSuccess(Discovered)
      .addError(Wire.CatalogLoading)
      .annotate(Access, "catalog:read")
      .annotate(OpenApi.Summary, "Discover operations that this workspace can run")
      .annotate(
        OpenApi.Description,
        "A few operations for a task, each with a score, the reason and the input that it needs. What the workspace cannot run is left out."
      )
  )
  .add(
    HttpApiEndpoint.get("endpoints", "/v1/catalog/endpoints")
      .setUrlParams(
        query({
          limit: limitParam(listingRowsMax, listingRowsDefault),
          cursor: cursorParam(listingCursorCharsMax),
          ...filters,
          facets: paramOr(
            booleanParam,
            false,
            "Also count the operations by category, platform, provider and job",
            true
          )
        })
      )
      .setHeaders(
        Schema.Struct({
          "if-none-match": headerParam("The ETag of an answer at hand: 304 when it still holds", exampleEtag)
        })
      )
      .addSuccess(ListingAnswer)
      .addSuccess(HttpApiSchema.Empty(304).annotations({ description: "Nothing has changed" }))
      .addError(Wire.CatalogLoading)
      .annotate(Access, "catalog:read")
      .annotate(AnswerHeaders, { 200: ["ETag", "Cache-Control"], 304: ["ETag", "Cache-Control"] })
      .annotate(OpenApi.Summary, "List endpoints, page by page, with counts per facet if asked")
      .annotate(
        OpenApi.Description,
        "The whole catalog in a fixed order, for programs that keep a copy. Send the ETag in If-None-Match to learn whether anything changed."
      )
  )
  .add(
    HttpApiEndpoint.get("operation", "/v1/operations/:endpointId")
      .setPath(Schema.Struct({ endpointId: EndpointId }))
      .setUrlParams(
        query({
          contractVersion: optionalParam(
            field(
              textParam(contractVersionCharsMax),
              "An older version of the contract; without it, the one in force",
              "9f2c41d07ab35e68"
            )
          )
        })
      )
      .addSuccess(OperationContract)
      .addError(Wire.NotFound)
      .addError(Wire.CatalogLoading)
      .addError(WireReading)
      .annotate(Access, "catalog:read")
      .annotate(OpenApi.Summary, "Inspect an operation or a job: its input, output, price and effect")
      .annotate(
        OpenApi.Description,
        "Read it before the first run: what to send, what it costs at most, and whether it changes something in the world. The id may hold a colon, percent-encoded or not."
      )
  )
  .annotate(OpenApi.Description, "Find operations, and learn what they take, cost and do")
  .middleware(Bearer) {}

export class PublicCatalogApi extends HttpApiGroup.make("public-catalog")
  .add(
    HttpApiEndpoint.get("items", "/v1/public-catalog")
      .setUrlParams(
        query({
          q: optionalParam(words("What to search for, in your own words")),
          capability: word("Only this job, by its id with dots or underscores", "people_email_find"),
          category,
          provider,
          limit: limitParam(publicRowsMax, publicRowsDefault),
          cursor: cursorParam(cursorCharsMax),
          hints
        })
      )
      .addSuccess(PublicPage)
      .addError(Wire.CatalogLoading)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "Search the public catalog")
      .annotate(
        OpenApi.Description,
        "What anybody may see of the catalog, without an account. When the catalog changes, the next page goes on behind the last item of the page before."
      )
  )
  .add(
    HttpApiEndpoint.post("compare", "/v1/public-catalog/compare")
      .setPayload(CompareRequest)
      .addSuccess(Compared)
      .addError(Wire.NotFound)
      .addError(Wire.PayloadTooLarge)
      .addError(Wire.UnsupportedMediaType)
      .addError(Wire.CatalogLoading)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "Compare catalog items")
      .annotate(
        OpenApi.Description,
        "Puts operations side by side: price, record, speed and where they differ. With an input, each also says whether it takes it and what it would cost."
      )
  )
  .add(
    HttpApiEndpoint.get("item", "/v1/public-catalog/:catalogItemId")
      .setPath(Schema.Struct({ catalogItemId: ItemId }))
      .addSuccess(PublicItem)
      .addError(Wire.NotFound)
      .addError(Wire.CatalogLoading)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "Get a catalog item")
      .annotate(OpenApi.Description, "What anybody may see of one operation.")
  )
  .add(
    HttpApiEndpoint.get("overview", "/v1/catalog/overview")
      .setUrlParams(
        query({
          depth: paramOr(
            choiceParam(...Depth.literals),
            "summary",
            "How far down to go: categories only, platforms too, jobs too, or everything with the operations",
            "platforms"
          ),
          category,
          platform,
          topic: optionalParam(words("Answers the jobs of these words instead of a tree"))
        })
      )
      .addSuccess(Overview)
      .addError(Wire.UnknownCategory)
      .addError(Wire.UnknownPlatform)
      .addError(Wire.CatalogLoading)
      .annotate(Access, "optional-token")
      .annotate(OpenApi.Summary, "Count providers and endpoints by category, platform and job")
      .annotate(
        OpenApi.Description,
        "A way in for somebody who does not know the catalog. With a token, the counts of what can be run are those of its workspace."
      )
  )
  .add(
    HttpApiEndpoint.get("llms", "/llms.txt")
      .addSuccess(LlmsText)
      .addError(Wire.CatalogLoading)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "What this gateway can do and how to use it, for language models")
      .annotate(OpenApi.Description, "A short text in Markdown: what the gateway is, its routes and its jobs.")
  )
  .add(
    HttpApiEndpoint.get("llmsFull", "/llms-full.txt")
      .addSuccess(LlmsText)
      .addError(Wire.CatalogLoading)
      .annotate(Access, "public")
      .annotate(
        OpenApi.Summary,
        "All of it for language models: routes, jobs with input and output, operations with prices, errors"
      )
      .annotate(OpenApi.Description, "The long form of /llms.txt. It is large: hundreds of operations stand in it.")
  )
  .annotate(OpenApi.Description, "What anybody may see of the catalog, without an account")
  .middleware(Open) {}
