/**
 * The catalog's routes (contract: "Endpoints"; completions: section 2): `CatalogApi` takes a token, `PublicCatalogApi`
 * needs none.
 */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import {
  Compared,
  CompareRequest,
  Depth,
  Discovered,
  ListingAnswer,
  Overview,
  PublicItem,
  PublicPage,
  SearchAnswer
} from "../../domain/CatalogView.js"
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
} from "../../domain/Limits.js"
import { OperationContract } from "../../domain/OperationContract.js"
import { Prefer } from "../../domain/RoutePlan.js"
import { Access, AnswerHeaders } from "../Access.js"
import { Bearer, Open } from "../Auth.js"
import { Wire, WireStorage } from "../Envelope.js"
import { booleanParam, choiceParam, intParam, optionalParam, query, textParam } from "../Query.js"

const prefer = Schema.optionalWith(choiceParam(...Prefer.literals), {
  exact: true,
  default: () => "balanced" as const
})
const or = <A>(schema: Schema.Schema<A, string>, fallback: A) =>
  Schema.optionalWith(schema, { exact: true, default: () => fallback })
const word = optionalParam(textParam(filterCharsMax))

const filters = {
  category: word,
  platform: word,
  provider: word,
  capability: word,
  keyless: optionalParam(booleanParam),
  verified: optionalParam(booleanParam),
  hidden: or(booleanParam, false),
  maxPriceMicros: optionalParam(intParam(0))
}

export class CatalogApi extends HttpApiGroup.make("catalog")
  .add(
    HttpApiEndpoint.get("search", "/v1/catalog/search")
      .setUrlParams(
        query({
          q: textParam(queryCharsMax),
          limit: or(intParam(1, searchRowsMax), searchRowsDefault),
          offset: or(intParam(0), 0),
          ...filters,
          mock: optionalParam(booleanParam),
          prefer
        })
      )
      .addSuccess(SearchAnswer)
      .addError(Wire.CatalogLoading)
      .annotate(Access, "catalog:read")
      .annotate(OpenApi.Summary, "Search the catalog, best first")
  )
  .add(
    HttpApiEndpoint.get("discover", "/v1/discover")
      .setUrlParams(
        query({
          q: optionalParam(textParam(queryCharsMax)),
          query: optionalParam(textParam(queryCharsMax)),
          limit: or(intParam(1, discoveredMax), discoveredDefault),
          prefer,
          maxPriceMicros: optionalParam(intParam(0))
        })
      )
      .addSuccess(Discovered)
      .addError(Wire.CatalogLoading)
      .annotate(Access, "catalog:read")
      .annotate(OpenApi.Summary, "Discover operations that this workspace can run")
  )
  .add(
    HttpApiEndpoint.get("endpoints", "/v1/catalog/endpoints")
      .setUrlParams(
        query({
          limit: or(intParam(1, listingRowsMax), listingRowsDefault),
          cursor: optionalParam(textParam(listingCursorCharsMax)),
          ...filters,
          facets: or(booleanParam, false)
        })
      )
      .setHeaders(Schema.Struct({ "if-none-match": Schema.optionalWith(Schema.String, { exact: true }) }))
      .addSuccess(ListingAnswer)
      .addSuccess(HttpApiSchema.Empty(304))
      .addError(Wire.CatalogLoading)
      .annotate(Access, "catalog:read")
      .annotate(AnswerHeaders, { 200: ["ETag", "Cache-Control"], 304: ["ETag", "Cache-Control"] })
      .annotate(OpenApi.Summary, "List endpoints, page by page, with counts per facet if asked")
  )
  .add(
    HttpApiEndpoint.get("operation", "/v1/operations/:endpointId")
      .setPath(Schema.Struct({ endpointId: Schema.String }))
      .setUrlParams(query({ contractVersion: optionalParam(textParam(contractVersionCharsMax)) }))
      .addSuccess(OperationContract)
      .addError(Wire.NotFound)
      .addError(Wire.CatalogLoading)
      .addError(WireStorage)
      .annotate(Access, "catalog:read")
      .annotate(OpenApi.Summary, "Inspect an operation or a job: its input, output, price and effect")
  )
  .middleware(Bearer) {}

export class PublicCatalogApi extends HttpApiGroup.make("public-catalog")
  .add(
    HttpApiEndpoint.get("items", "/v1/public-catalog")
      .setUrlParams(
        query({
          q: optionalParam(textParam(queryCharsMax)),
          capability: word,
          category: word,
          provider: word,
          limit: or(intParam(1, publicRowsMax), publicRowsDefault),
          cursor: optionalParam(textParam(cursorCharsMax))
        })
      )
      .addSuccess(PublicPage)
      .addError(Wire.CatalogLoading)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "Search the public catalog")
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
  )
  .add(
    HttpApiEndpoint.get("item", "/v1/public-catalog/:catalogItemId")
      .setPath(Schema.Struct({ catalogItemId: Schema.String }))
      .addSuccess(PublicItem)
      .addError(Wire.NotFound)
      .addError(Wire.CatalogLoading)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "Get a catalog item")
  )
  .add(
    HttpApiEndpoint.get("overview", "/v1/catalog/overview")
      .setUrlParams(
        query({
          depth: or(choiceParam(...Depth.literals), "summary"),
          category: word,
          platform: word,
          topic: optionalParam(textParam(queryCharsMax))
        })
      )
      .addSuccess(Overview)
      .addError(Wire.UnknownCategory)
      .addError(Wire.UnknownPlatform)
      .addError(Wire.CatalogLoading)
      .annotate(Access, "optional-token")
      .annotate(OpenApi.Summary, "Count providers and endpoints by category, platform and job")
  )
  .add(
    HttpApiEndpoint.get("llms", "/llms.txt")
      .addSuccess(HttpApiSchema.Text({ contentType: "text/plain" }))
      .addError(Wire.CatalogLoading)
      .annotate(Access, "public")
      .annotate(OpenApi.Summary, "What this gateway can do and how to use it, for language models")
  )
  .add(
    HttpApiEndpoint.get("llmsFull", "/llms-full.txt")
      .addSuccess(HttpApiSchema.Text({ contentType: "text/plain" }))
      .addError(Wire.CatalogLoading)
      .annotate(Access, "public")
      .annotate(
        OpenApi.Summary,
        "All of it for language models: routes, jobs with input and output, operations with prices, errors"
      )
  )
  .middleware(Open) {}
