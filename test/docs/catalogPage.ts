/** `docs/catalog.md`: the operations of the built-in catalog, with what was read of their documentation and when. */
import { contractOf } from "../../src/domain/ContractMaking.js"
import type { Endpoint, JobManifest } from "../../src/domain/Manifest.js"
import { isKeyless } from "../../src/domain/Manifest.js"
import { holdOf } from "../../src/layers/providers/PriceByInput.js"
import type { CatalogContent } from "../../src/services/CatalogPublisher.js"

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const price = (endpoint: Endpoint): string => {
  const { estimateFormula } = contractOf(endpoint, { job: null, access: "runs_now", holdOf }).endpoint.price
  return estimateFormula === "0" ? "free" : estimateFormula
}

const row = (endpoint: Endpoint): string => {
  const { operation, provider } = endpoint
  const { docs = "", note = "", verified = false, verifiedOn = "" } = operation.provenance ?? {}
  const cells = [
    `\`${operation.id}\``,
    operation.job === undefined ? "" : `\`${operation.job}\``,
    cell(price(endpoint)),
    isKeyless(provider) ? "no" : "yes",
    `[${verified ? verifiedOn : "not read"}](${docs})`,
    cell([operation.facts["billing"] ?? provider.facts["billing"] ?? "", note].filter((text) => text !== "").join(". "))
  ]
  return `| ${cells.join(" | ")} |`
}

const byName = (left: string, right: string): number => left.localeCompare(right, "en")

export const catalogPage = ({ endpoints, jobs }: CatalogContent): string => {
  const real = endpoints.filter(({ provider }) => !provider.mock)
  const served = new Set(real.flatMap(({ operation }) => operation.job ?? []))
  const twice = [...served].filter(
    (job) => new Set(real.filter(({ operation }) => operation.job === job).map(({ provider }) => provider.id)).size > 1
  )
  const providers = new Map(real.map(({ provider }) => [provider.id, provider]))
  const titles = new Map<string, JobManifest>(jobs.map((job) => [job.id, job]))
  const days = real.flatMap(({ operation }) => operation.provenance?.verifiedOn ?? []).sort()
  const unread = real.filter(({ operation }) => operation.provenance?.verifiedOn === undefined)
  const oldest = days[0] ?? "none"
  const lines = [
    "# The built-in catalog",
    "",
    `${real.length} operations of ${providers.size} providers, which do ${served.size} jobs, ${twice.length} of them by two providers or more. Fixtures are not counted. This page is made of the`,
    "manifests by `npm run docs:catalog`; a test fails when it is not what they make.",
    "",
    "The date says on which day public documentation of the operation, or source of an official client, was read; its link leads there. The last column says what is billed, and what",
    "was read and what was not. Prices are those of public price pages and indicative: an operator pays what their own contract with the provider says. No operation was called to write",
    "its manifest, unless its note says so.",
    "",
    `The oldest of these dates is ${oldest}; ${unread.length} operations have none. [\`gateway catalog watch\`](operating.md#when-providers-change) asks the providers themselves.`,
    "",
    "## Jobs",
    "",
    "| Job | Does | Operations |",
    "| --- | --- | --- |"
  ]
  for (const job of [...served].sort(byName)) {
    const ids = real.filter(({ operation }) => operation.job === job).map(({ operation }) => `\`${operation.id}\``)
    lines.push(`| \`${job}\` | ${cell(titles.get(job)?.title ?? "")} | ${ids.sort(byName).join(", ")} |`)
  }
  lines.push("", "## Operations")
  for (const provider of [...providers.values()].sort((left, right) => byName(left.name, right.name))) {
    const own = real.filter((endpoint) => endpoint.provider.id === provider.id)
    lines.push("", `### ${provider.name}`, "")
    if (provider.docs !== undefined) lines.push(`[Its documentation](${provider.docs})`, "")
    lines.push(
      "| Operation | Job | Price | Key needed | Read | Billing and sources |",
      "| --- | --- | --- | --- | --- | --- |"
    )
    lines.push(...own.map(row))
  }
  return `${lines.join("\n")}\n`
}
