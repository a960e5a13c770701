/** The overview of the catalog: a tree of categories, platforms and jobs, or the jobs of a topic. Shapes only. */
import { Schema } from "effect"
import { category, platform, TitleRow, usdOrNull } from "./CatalogRow.js"
import { revision } from "./CatalogSearch.js"
import { count, exampleTime, field, flag, optional, text } from "./Described.js"

export const Depth = Schema.Literal("summary", "platforms", "jobs", "full")
export type Depth = typeof Depth.Type

export interface OverviewQuery {
  readonly depth: Depth
  readonly category: string | null
  readonly platform: string | null
  readonly topic: string | null
}

const counts = {
  id: text("The id to filter by", "people"),
  title: text("What it is called", "People"),
  providerCount: count("Providers in it", 9),
  endpointCount: count("Operations in it", 31),
  runnableCount: count("Operations in it that can be run now", 12),
  cheapestPerCall: usdOrNull("The lowest price of a call in US dollars; null where nothing is sold by the call", 0.01),
  cheapestPerResult: usdOrNull(
    "The lowest price of a result in US dollars; null where nothing is sold by the result",
    null
  )
}
const jobCount = count("Jobs in it", 6)
export const OverviewJob = Schema.Struct({
  ...counts,
  endpoints: optional(Schema.Array(TitleRow).annotations({ description: "Its operations; present at depth full" }))
}).annotations({
  identifier: "OverviewJob",
  description: "A job, with counts"
})
export type OverviewJob = typeof OverviewJob.Type
export const OverviewPlatform = Schema.Struct({
  ...counts,
  jobCount,
  jobs: optional(Schema.Array(OverviewJob).annotations({ description: "Its jobs; present at depth jobs and full" }))
}).annotations({ identifier: "OverviewPlatform", description: "A platform, with counts" })
export type OverviewPlatform = typeof OverviewPlatform.Type
export const OverviewCategory = Schema.Struct({
  ...counts,
  platformCount: count("Platforms in it", 2),
  jobCount,
  platforms: optional(
    Schema.Array(OverviewPlatform).annotations({ description: "Its platforms; absent at depth summary" })
  )
}).annotations({ identifier: "OverviewCategory", description: "A category, with counts" })
export type OverviewCategory = typeof OverviewCategory.Type

const OverviewTotals = Schema.Struct({
  categories: count("Categories", 14),
  platforms: count("Platforms", 30),
  jobs: count("Jobs of all platforms", 54),
  providers: count("Providers", 70),
  endpoints: count("Operations", 412),
  runnableEndpoints: count("Operations that can be run now", 120)
})
const filter = optional(
  Schema.Struct({
    category: optional(category),
    platform: optional(platform)
  }).annotations({ description: "What the overview was narrowed to; absent when it was not" })
)
const revised = {
  revision,
  builtAt: text("When the node that answers made that revision of what it loaded", exampleTime)
}

export const OverviewTree = Schema.Struct({
  ...revised,
  depth: field(Depth, "How far down the overview goes", "summary"),
  filter,
  totals: optional(OverviewTotals.annotations({ description: "Counts of everything; absent when narrowed" })),
  categories: Schema.Array(OverviewCategory).annotations({ description: "Categories, by their id" })
}).annotations({ identifier: "OverviewTree", description: "The catalog as a tree of categories, platforms and jobs" })
export type OverviewTree = typeof OverviewTree.Type

const TopicJob = Schema.Struct({ ...counts, category, platform })
const OverviewTopic = Schema.Struct({
  ...revised,
  topic: text("The words that were asked for", "email"),
  filter,
  matchCount: count("How many jobs matched", 4),
  truncated: flag("More jobs matched than stand here", false),
  jobs: Schema.Array(TopicJob).annotations({ description: "Jobs that match, best first" })
}).annotations({ identifier: "OverviewTopic", description: "The jobs of a topic" })
type OverviewTopic = typeof OverviewTopic.Type

export const Overview = Schema.Union(OverviewTree, OverviewTopic).annotations({
  description: "A tree; with topic, the jobs of the topic"
})
export type Overview = typeof Overview.Type
