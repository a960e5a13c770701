/**
 * What the command line says of a policy rule that names nothing in the catalog. It is a warning and no refusal: a
 * catalog changes, and a rule may come before the provider that it names. It looks through the catalogs that this
 * command can read: the built-in one, what is published, and the folders of `GATEWAY_CATALOG`.
 */
import { Effect } from "effect"
import { unknownId } from "../domain/KnownProviders.js"
import { placementOf } from "../domain/ContractMaking.js"
import { type PolicyRule, ruleText } from "../domain/WorkspacePolicy.js"
import type { CatalogContent } from "../services/CatalogPublisher.js"
import { configuredCatalog, publishedCatalog, shippedCatalog } from "./KnownProviders.js"

interface KnownIds {
  readonly provider: Set<string>
  readonly category: Set<string>
  readonly endpoint: Set<string>
}

const idsOf = (contents: ReadonlyArray<CatalogContent>): KnownIds => {
  const jobs = new Map(contents.flatMap((content) => content.jobs.map((job) => [job.id, job])))
  const known: KnownIds = {
    provider: new Set(),
    category: new Set([...jobs.values()].map(({ category }) => category)),
    endpoint: new Set()
  }
  for (const { endpoints } of contents) {
    for (const { operation, provider } of endpoints) {
      const job = operation.job === undefined ? null : (jobs.get(operation.job) ?? null)
      known.provider.add(provider.id)
      known.category.add(placementOf(operation, job).category)
      known.endpoint.add(operation.id)
    }
  }
  return known
}

/** A catalog that cannot be read knows nothing; the policy is set all the same. */
const orNothing = <E, R>(catalog: Effect.Effect<CatalogContent, E, R>) =>
  Effect.orElseSucceed(catalog, (): CatalogContent => ({ jobs: [], endpoints: [] }))

/** One sentence for each rule whose id no catalog has. */
export const unknownRules = Effect.fn("cli.unknownRules")(function* (rules: ReadonlyArray<PolicyRule>) {
  const contents: Array<CatalogContent> = []
  let unknown = rules.flatMap((rule) => (rule.kind === "effectful" ? [] : [rule]))
  let known = idsOf(contents)
  const catalogs = [shippedCatalog, orNothing(publishedCatalog), orNothing(configuredCatalog)]
  for (const catalog of catalogs) {
    if (unknown.length === 0) return []
    contents.push(yield* catalog)
    known = idsOf(contents)
    unknown = unknown.filter(({ id, kind }) => !known[kind].has(id))
  }
  return unknown.map((rule) => `${ruleText(rule)}: ${rule.id} ${unknownId(rule.kind, rule.id, known[rule.kind])}`)
})
