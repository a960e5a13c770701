/** `/llms.txt`: the gateway in one page of Markdown for a language model, with every job and how to run one. */
import { counted } from "../../domain/Counted.js"
import { productName } from "../../domain/Product.js"
import type { OverviewTree } from "../../domain/CatalogOverview.js"

const priceOf = (job: {
  readonly cheapestPerCall: number | null
  readonly cheapestPerResult: number | null
}): string => {
  const prices = [
    job.cheapestPerCall === null ? null : job.cheapestPerCall === 0 ? "free" : `from $${job.cheapestPerCall} a call`,
    job.cheapestPerResult === null ? null : `from $${job.cheapestPerResult} a result`
  ]
  return prices.filter((price) => price !== null).join(", ")
}

/** What comes before the jobs; also the opening of the full text, which says nothing of the moment. */
export const llmsOpening = (
  { revision, totals }: OverviewTree,
  options: { readonly full: boolean }
): ReadonlyArray<string> => [
  `# ${productName}`,
  "",
  "> One bearer token and one prepaid balance to find, inspect, run and pay for operations of many API providers.",
  "",
  `The catalog (revision ${revision}) has ${counted(totals?.endpoints ?? 0, "operation")} of ${counted(totals?.providers ?? 0, "provider")} for ${counted(totals?.jobs ?? 0, "job")}${options.full ? "" : `; ${totals?.runnableEndpoints ?? 0} can be run now`}.`,
  "",
  "## How to use it",
  "",
  "1. Find an operation: `GET /v1/catalog/search?q=...` or `GET /v1/discover?q=...` (token with the scope catalog:read).",
  "2. Read its contract: `GET /v1/operations/{endpointId}`, also `GET /v1/operations/job:{job}`.",
  '3. Run it: `POST /v1/runs?wait=true` with the header `Idempotency-Key` and the body `{"endpointId": "job:{job}", "input": {...}}` (scope runs:execute).',
  "4. Read `status`, `outcome` and `error` of the answer; 201 alone does not mean that it worked.",
  "",
  `Without a token: \`GET /v1/public-catalog\`, \`GET /v1/catalog/overview\`. The whole interface: [OpenAPI](/openapi.json), [reference](/docs/reference)${options.full ? "" : ", [all of it as text](/llms-full.txt)"}.`
]

export const llmsText = (overview: OverviewTree): string => {
  const { categories } = overview
  const lines = [...llmsOpening(overview, { full: false }), "", "## Jobs"]
  for (const category of categories) {
    const jobs = (category.platforms ?? []).flatMap((platform) => platform.jobs ?? [])
    lines.push("", `### ${category.title}`, "")
    if (jobs.length === 0)
      lines.push(
        `${counted(category.endpointCount, "operation")} of ${counted(category.providerCount, "provider")}; search with \`category=${category.id}\`.`
      )
    for (const job of jobs) {
      lines.push(`- \`job:${job.id}\`: ${job.title} (${counted(job.providerCount, "provider")}, ${priceOf(job)})`)
    }
  }
  return `${lines.join("\n")}\n`
}
