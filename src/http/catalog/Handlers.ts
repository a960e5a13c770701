/** Translates between the catalog's routes and the Catalog service; decides nothing itself. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, Option, Ref, type Layer } from "effect"
import { badCursor, ValidationError } from "../../domain/ApiErrors.js"
import type { CatalogFilter } from "../../domain/CatalogSearch.js"
import { CompareRequest } from "../../domain/PublicCatalog.js"
import { trimmedEndpointId } from "../../domain/EndpointIds.js"
import { Catalog } from "../../services/Catalog.js"
import { CursorKey } from "../../services/CursorKey.js"
import { Api } from "../Api.js"
import { apiRoutes } from "../ApiRoutes.js"
import { type Bearer, type Open, Principal } from "../Auth.js"
import { jsonBody } from "../Body.js"
import { publicBudget } from "../BodyBudget.js"
import { makeCursor, readCursor } from "../Cursor.js"
import { wireErrors } from "../Envelope.js"
import { ReadTurns } from "../ReadTurns.js"
import { served, type Served } from "../serving/Endpoints.js"
import { isUnchanged } from "../Unchanged.js"
import { jsonResponse, rowsBody } from "./Bodies.js"
import { etagOf, makeListingCursor, readListingCursor } from "./Listing.js"
import { llmsOpening, llmsText } from "./Llms.js"
import { llmsFullText } from "./LlmsFull.js"

const readComparison = jsonBody(CompareRequest, publicBudget)

interface FilterParams {
  readonly category?: string
  readonly platform?: string
  readonly provider?: string
  readonly capability?: string
  readonly keyless?: boolean
  readonly verified?: boolean
  readonly mock?: boolean
  readonly hidden: boolean
  readonly maxPriceMicros?: number
}

const filterOf = (params: FilterParams): CatalogFilter => ({
  category: params.category ?? null,
  platform: params.platform ?? null,
  provider: params.provider ?? null,
  capability: params.capability ?? null,
  keyless: params.keyless ?? null,
  verified: params.verified ?? null,
  mock: params.mock ?? null,
  access: null,
  hidden: params.hidden,
  maxPriceMicros: params.maxPriceMicros ?? null
})

/** Whether the request has the parameter: the schema has filled in its default where it is left out. */
const saysPrefer = ({ url }: { readonly url: string }): boolean => /[?&]prefer=/.test(url)

export const CatalogHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "catalog">,
  never,
  Catalog | CursorKey | ReadTurns | Bearer | Served
> = HttpApiBuilder.group(Api, "catalog", (handlers) =>
  served(
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const cursorKey = yield* CursorKey
      return handlers
        .handle(
          "search",
          Effect.fnUntraced(function* ({ request, urlParams }) {
            const caller = yield* Principal
            const { hidden, hints, limit, offset, prefer, q } = urlParams
            // An operator always gets unavailable rows (contract: "GET /v1/catalog/search").
            return jsonResponse(
              rowsBody(
                yield* catalog.search(
                  {
                    ...filterOf(urlParams),
                    hidden: hidden || caller.operator,
                    q,
                    limit,
                    offset,
                    prefer,
                    preferSaid: saysPrefer(request),
                    hints: hints === "on"
                  },
                  caller
                )
              )
            )
          })
        )
        .handle(
          "discover",
          Effect.fnUntraced(function* ({ request, urlParams }) {
            const caller = yield* Principal
            const { hints, limit, maxPriceMicros = null, prefer } = urlParams
            const q = urlParams.q ?? urlParams.query
            if (q === undefined) return yield* ValidationError.of("q", "is required")
            return yield* catalog.discover(
              { q, limit, prefer, preferSaid: saysPrefer(request), maxPriceMicros, hints: hints === "on" },
              caller
            )
          })
        )
        .handle(
          "endpoints",
          Effect.fnUntraced(function* ({ headers: asked, urlParams }) {
            const caller = yield* Principal
            const { workspaceId } = caller
            const { cursor, facets, limit } = urlParams
            const filter = filterOf(urlParams)
            const bound = { ...filter }
            const place =
              cursor === undefined ? Option.some(null) : readListingCursor(cursorKey, cursor, workspaceId, bound)
            if (Option.isNone(place)) return yield* badCursor()
            const {
              facets: counts,
              next,
              ...listing
            } = yield* catalog.list({ ...filter, limit, after: place.value, facets }, caller)
            const nextCursor =
              next === null ? null : makeListingCursor(cursorKey, next, listing.revision, workspaceId, bound)
            const body = rowsBody({ ...listing, nextCursor, ...(counts === null ? {} : { facets: counts }) })
            const etag = etagOf(listing.revision, { ...bound, facets, limit, after: place.value }, body)
            const headers = { etag, "cache-control": "private, no-cache" }
            if (isUnchanged(asked["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })
            return jsonResponse(body, headers)
          })
        )
        .handle(
          "operation",
          Effect.fnUntraced(function* ({ path, urlParams }) {
            const caller = yield* Principal
            const endpointId = trimmedEndpointId(path.endpointId)
            const { contractVersion } = urlParams
            if (contractVersion === undefined) return yield* catalog.contract(endpointId, null, caller)
            // Only an older version is read from storage.
            const turns = yield* ReadTurns
            return yield* turns.take(caller.workspaceId, catalog.contract(endpointId, contractVersion, caller))
          })
        )
    }),
    Context.pick(ReadTurns)
  )
)

export const PublicCatalogHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "public-catalog">,
  never,
  Catalog | CursorKey | Open | Served
> = HttpApiBuilder.group(Api, "public-catalog", (handlers) =>
  served(
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const cursorKey = yield* CursorKey

      // There are no filters, so no filter can be unknown. Without a topic the answer is a tree.
      const wholeOverview = catalog.overview({ depth: "jobs", category: null, platform: null, topic: null }).pipe(
        Effect.catchTags({ unknown_category: Effect.die, unknown_platform: Effect.die }),
        Effect.flatMap((overview) =>
          "categories" in overview
            ? Effect.succeed(overview)
            : Effect.dieMessage("an overview without a topic is a tree")
        )
      )
      const routes = apiRoutes.filter(({ summary }) => summary !== "")
      const kept = yield* Ref.make({ revision: "", text: "" })
      /** Made once for each revision. */
      const fullText = Effect.gen(function* () {
        const known = yield* Ref.get(kept)
        const revision = yield* catalog.revision
        if (known.revision === revision) return known.text
        const overview = yield* wholeOverview
        const ids = overview.categories.flatMap(({ platforms = [] }) =>
          platforms.flatMap(({ jobs = [] }) => jobs.map(({ id }) => id))
        )
        const jobs = yield* Effect.forEach(ids, (id) => catalog.supply(id, "balanced"))
        const text = llmsFullText({
          opening: llmsOpening(overview, { full: true }),
          routes,
          jobs: jobs.filter((supply) => supply !== null),
          errors: wireErrors.values()
        })
        yield* Ref.set(kept, { revision: overview.revision, text })
        return text
      })

      return handlers
        .handle(
          "items",
          Effect.fnUntraced(function* ({ urlParams }) {
            const { capability = null, category = null, cursor, hints, limit, provider = null, q = null } = urlParams
            const filters = { capability, category, provider, q, ...(hints === "on" ? {} : { hints }) }
            const binding = { list: "public-catalog", workspaceId: "", filters }
            const after = cursor === undefined ? Option.some(null) : readCursor(cursorKey, cursor, binding)
            if (Option.isNone(after)) return yield* badCursor()
            const { items, next, ...rest } = yield* catalog.publicItems({
              q,
              capability,
              category,
              provider,
              limit,
              after: after.value,
              hints: hints === "on"
            })
            return { items, ...rest, nextCursor: next === null ? null : makeCursor(cursorKey, next, binding) }
          })
        )
        .handle("item", ({ path }) => catalog.publicItem(path.catalogItemId.trim()))
        .handleRaw(
          "compare",
          Effect.fnUntraced(function* ({ request }) {
            const { catalogItemIds, input = null } = yield* readComparison(request)
            return yield* catalog.compare(
              catalogItemIds.map((id) => id.trim()),
              input
            )
          })
        )
        .handle("overview", ({ urlParams: { category = null, depth, platform = null, topic = null } }) =>
          catalog.overview({ depth, category, platform, topic })
        )
        .handle("llms", () => Effect.map(wholeOverview, llmsText))
        .handle("llmsFull", () => fullText)
    }),
    Context.pick()
  )
)
