// The overview of the catalog by category, platform and job, with counts and the lowest prices. It counts the same
// endpoints as a listing without filters.
import { Either } from "effect"
import { UnknownCategory, UnknownPlatform } from "../../domain/ApiErrors.js"
import type {
  Overview,
  OverviewCategory,
  OverviewJob,
  OverviewPlatform,
  OverviewQuery
} from "../../domain/CatalogOverview.js"
import { titleOf } from "../../domain/CatalogRow.js"
import { noFilter } from "../../domain/CatalogSearch.js"
import { toUsd } from "../../domain/Micros.js"
import { numbersOf } from "./Filtering.js"
import { placeJob } from "./Ranking.js"
import type { Revision } from "./Revision.js"
import type { CallerView, Seen, ServedRevision } from "./ServedRevision.js"

const topicJobsMax = 25
const lowest = (a: number | null, b: number): number => (a === null ? b : Math.min(a, b))
const capitalised = (id: string): string => (id.charAt(0).toUpperCase() + id.slice(1)).replaceAll(/[_-]+/g, " ")
const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)

/** Adds up endpoints. */
class EndpointSums {
  readonly providers = new Set<number>()
  readonly numbers: Array<number> = []
  private runnable = 0
  private perCall: number | null = null
  private perResult: number | null = null

  add(revision: Revision, number: number, { table }: CallerView): void {
    this.providers.add(revision.provider.codes[number] ?? 0)
    this.numbers.push(number)
    if (table.of(number).runnableNow) this.runnable += 1
    const usd = toUsd(revision.priceMicros[number] ?? 0)
    if (revision.endpoints[number]?.operation.price.basis === "per_result") this.perResult = lowest(this.perResult, usd)
    else this.perCall = lowest(this.perCall, usd)
  }
  get counts() {
    return {
      providerCount: this.providers.size,
      endpointCount: this.numbers.length,
      runnableCount: this.runnable,
      cheapestPerCall: this.perCall,
      cheapestPerResult: this.perResult
    }
  }
}

class Branch<Child> {
  readonly sums = new EndpointSums()
  readonly children = new Map<string, Child>()
  child(id: string, make: () => Child): Child {
    const known = this.children.get(id)
    if (known !== undefined) return known
    const made = make()
    this.children.set(id, made)
    return made
  }
}
type PlatformBranch = Branch<EndpointSums>
type CategoryBranch = Branch<PlatformBranch>

const treeOf = (revision: Revision, view: CallerView, numbers: Uint32Array): Branch<CategoryBranch> => {
  const root = new Branch<CategoryBranch>()
  for (const number of numbers) {
    const category = root.child(
      revision.category.values[revision.category.codes[number] ?? 0] ?? "",
      () => new Branch()
    )
    const platform = category.child(
      revision.platform.values[revision.platform.codes[number] ?? 0] ?? "",
      () => new Branch()
    )
    for (const sums of [root.sums, category.sums, platform.sums]) sums.add(revision, number, view)
    const job = revision.endpoints[number]?.operation.job
    if (job !== undefined) platform.child(job, () => new EndpointSums()).add(revision, number, view)
  }
  return root
}

const titleOfJob = (revision: Revision, id: string): string => revision.jobs.get(id)?.title ?? id

const jobsOf = (
  serving: ServedRevision,
  view: CallerView,
  platform: PlatformBranch,
  full: boolean
): ReadonlyArray<OverviewJob> =>
  Array.from(platform.children, ([id, sums]): OverviewJob => ({
    id,
    title: titleOfJob(serving.revision, id),
    ...sums.counts,
    ...(full
      ? {
          endpoints: placeJob(serving.revision, sums.numbers, "balanced", view.statistics).flatMap(({ number }) => {
            const row = serving.rows.row(number, view.table, view.statistics, null)
            return row === null ? [] : [titleOf(row)]
          })
        }
      : {})
  })).sort(byId)

const depths = ["summary", "platforms", "jobs", "full"]

const overviewTree = (
  serving: ServedRevision,
  query: OverviewQuery,
  view: CallerView,
  root: Branch<CategoryBranch>
): Overview => {
  const { revision } = serving
  const depth = depths.indexOf(query.depth)
  const jobCount = (category: CategoryBranch): number =>
    new Set(Array.from(category.children.values(), (platform) => Array.from(platform.children.keys())).flat()).size
  const platformsOf = (category: CategoryBranch): ReadonlyArray<OverviewPlatform> =>
    Array.from(category.children)
      .filter(([id]) => query.platform === null || query.platform === id)
      .map(([id, platform]): OverviewPlatform => ({
        id,
        title: capitalised(id),
        ...platform.sums.counts,
        jobCount: platform.children.size,
        ...(depth >= 2 ? { jobs: jobsOf(serving, view, platform, depth >= 3) } : {})
      }))
      .sort(byId)
  const categories = Array.from(root.children)
    .map(([id, category]): OverviewCategory => ({
      id,
      title: capitalised(id),
      ...category.sums.counts,
      platformCount: category.children.size,
      jobCount: jobCount(category),
      ...(depth >= 1 ? { platforms: platformsOf(category) } : {})
    }))
    .sort(byId)
  const narrowed = query.category !== null || query.platform !== null
  return {
    revision: revision.id,
    builtAt: revision.builtAt,
    depth: query.depth,
    ...filterOf(query),
    ...(narrowed
      ? {}
      : {
          totals: {
            categories: root.children.size,
            platforms: new Set(
              Array.from(root.children.values(), (category) => Array.from(category.children.keys())).flat()
            ).size,
            jobs: new Set(root.sums.numbers.flatMap((number) => revision.endpoints[number]?.operation.job ?? [])).size,
            providers: root.sums.providers.size,
            endpoints: root.sums.numbers.length,
            runnableEndpoints: root.sums.counts.runnableCount
          }
        }),
    categories
  }
}

const filterOf = ({ category, platform }: OverviewQuery) =>
  category === null && platform === null
    ? {}
    : { filter: { ...(category === null ? {} : { category }), ...(platform === null ? {} : { platform }) } }

const overviewTopic = (
  serving: ServedRevision,
  query: OverviewQuery,
  topic: string,
  root: Branch<CategoryBranch>
): Overview => {
  const { revision } = serving
  const sumsByJob = new Map<
    string,
    { readonly sums: EndpointSums; readonly category: string; readonly platform: string }
  >()
  for (const [category, { children }] of root.children) {
    for (const [platform, { children: jobs }] of children)
      for (const [job, sums] of jobs) sumsByJob.set(job, { sums, category, platform })
  }
  const ids = Array.from(revision.jobs.keys())
  const has = (doc: number): boolean => sumsByJob.has(ids[doc] ?? "")
  const { hits } = revision.jobIndex.search(topic, { limit: ids.length, filter: has })
  const jobs = hits.docs.flatMap((doc) => {
    const id = ids[doc] ?? ""
    const known = sumsByJob.get(id)
    return known === undefined
      ? []
      : [
          {
            id,
            title: titleOfJob(revision, id),
            ...known.sums.counts,
            category: known.category,
            platform: known.platform
          }
        ]
  })
  return {
    revision: revision.id,
    builtAt: revision.builtAt,
    topic,
    ...filterOf(query),
    matchCount: jobs.length,
    truncated: jobs.length > topicJobsMax,
    jobs: jobs.slice(0, topicJobsMax)
  }
}

export const overview = (
  { served, view }: Seen,
  query: OverviewQuery
): Either.Either<Overview, UnknownCategory | UnknownPlatform> => {
  const { revision } = served
  const shown = numbersOf(revision, noFilter, view.table)
  const known = (column: Revision["category"], numbers: Uint32Array): ReadonlyArray<string> =>
    Array.from(new Set(Array.from(numbers, (number) => column.values[column.codes[number] ?? 0] ?? ""))).sort()
  const categories = known(revision.category, shown)
  if (query.category !== null && !categories.includes(query.category))
    return Either.left(new UnknownCategory({ category: query.category, categories }))
  const inCategory =
    query.category === null ? shown : numbersOf(revision, { ...noFilter, category: query.category }, view.table)
  const platforms = known(revision.platform, inCategory)
  if (query.platform !== null && !platforms.includes(query.platform))
    return Either.left(new UnknownPlatform({ platform: query.platform, platforms }))
  const numbers =
    query.platform === null
      ? inCategory
      : numbersOf(revision, { ...noFilter, category: query.category, platform: query.platform }, view.table)
  const root = treeOf(revision, view, numbers)
  return Either.right(
    query.topic === null ? overviewTree(served, query, view, root) : overviewTopic(served, query, query.topic, root)
  )
}
