/** What the page of an operation or of a job says about it, beside the form: its effect, its prices, its providers. */
import { jobNamedBy } from "../../../domain/EndpointIds.js"
import type { OperationContract } from "../../../domain/OperationContract.js"
import { badge, code, money } from "../Figures.js"
import { html, type Html, to } from "../Html.js"
import { facts, longJson, longText, section } from "../Parts.js"
import { table } from "../Tables.js"
import { accessBadge, price } from "./Catalog.js"

export const segmentsOf = (workspaceId: string, endpointId: string) => [workspaceId, "catalog", endpointId]

type Provider = NonNullable<OperationContract["providers"]>[number]

/** What the providers of a job cost; null where there is nothing to compare. */
const rangeOf = (providers: ReadonlyArray<Provider>): Html | null => {
  const here = providers.filter(({ access }) => access === "runs_now")
  const span = (some: ReadonlyArray<Provider>): Html => {
    const byPrice = some.toSorted((a, b) => a.estimatedPrice - b.estimatedPrice)
    const [low, high] = [byPrice[0], byPrice.at(-1)]
    if (low === undefined || high === undefined) return html`nothing`
    const lowest = price(low.estimatedPrice, low.priceBasis)
    return low.estimatedPrice === high.estimatedPrice
      ? lowest
      : html`${lowest} to ${price(high.estimatedPrice, high.priceBasis)}`
  }
  return providers.length < 2
    ? null
    : here.length === providers.length || here.length === 0
      ? html`${span(providers)} over ${providers.length} providers`
      : html`${span(here)} over the ${here.length} that can run here now, ${span(providers)} over all ${providers.length}`
}

export const about = (contract: OperationContract, workspaceId: string): Html => {
  const { endpoint, outputFormat, providers = [] } = contract
  return html`${section(
    "About",
    html`<p>${endpoint.summary}</p>
      ${facts([
        ["Here", accessBadge(endpoint.access)],
        ["Provider", endpoint.provider],
        [
          "Job",
          endpoint.capability === null || jobNamedBy(endpoint.id) !== null
            ? null
            : html`<a href=${to(segmentsOf(workspaceId, `job:${endpoint.capability}`))}>${endpoint.capability}</a>`
        ],
        [
          "Category",
          html`<a href=${to([workspaceId, "catalog"], { category: endpoint.category })}>${endpoint.category}</a>`
        ],
        [
          "Effect",
          contract.effectClassification === "effectful"
            ? badge("does something outside", "warn")
            : badge("only reads", "plain")
        ],
        ["Price", price(endpoint.price.amountUsd, endpoint.price.basis, endpoint.credential)],
        ["Range of prices", rangeOf(providers)],
        // A job may have a dearer provider that cannot run here.
        ["Most that a run costs", providers.length > 0 ? null : money(endpoint.price.maxMicros)],
        ["How it is priced", providers.length > 0 ? null : endpoint.price.estimateFormula],
        ["Micros by input", endpoint.price.byInput === undefined ? null : code(endpoint.price.byInput)],
        ["Answer", outputFormat.summary],
        ["Contract version", code(contract.contractVersion)],
        [
          "Runs of it",
          html`<a href=${to([workspaceId, "runs"], jobNamedBy(endpoint.id) === null ? { endpoint: endpoint.id } : { job: endpoint.capability })}>All runs</a>`
        ]
      ])}`
  )}
  ${
    providers.length > 0 &&
    section(
      "Providers of this job",
      table({
        caption: "Providers, in the order in which a run tries them",
        columns: [
          {
            label: "Operation",
            cell: ({ endpointId, name, provider, reason }) =>
              html`<a href=${to(segmentsOf(workspaceId, endpointId))}>${name}</a> <small>${provider}</small><br />
                <small>${reason}</small>`
          },
          { label: "Access", cell: ({ access }) => accessBadge(access) },
          {
            label: "Price",
            numeric: true,
            cell: ({ estimatedPrice, priceBasis }) => price(estimatedPrice, priceBasis)
          }
        ],
        rows: providers,
        empty: null
      })
    )
  }
  <section><details><summary>Schema of the input, and the same run with curl</summary>
    <h3>Schema</h3>${longJson(contract.inputSchema)}
    <h3>curl</h3>${longText(contract.usageHints.curl)}</details></section>`
}
