/** The operations and jobs of a catalog by name: a bounded line for each provider, or all of them in JSON. */
import { counted } from "../domain/Counted.js"
import { idsInLine } from "../layers/catalog/Merging.js"
import type { CatalogContent } from "../services/CatalogPublisher.js"

const providersShown = 50

export const idsOf = ({ endpoints, jobs }: CatalogContent) => ({
  operationIds: endpoints.map(({ operation }) => operation.id),
  jobIds: jobs.map(({ id }): string => id)
})

export const sizeText = ({ endpoints, jobs }: CatalogContent): string =>
  `${counted(endpoints.length, "operation")} and ${counted(jobs.length, "job")}`

export const namesIn = ({ endpoints, jobs }: CatalogContent): ReadonlyArray<string> => {
  const byProvider = new Map<string, Array<string>>()
  for (const { operation, provider } of endpoints) {
    const ids = byProvider.get(provider.id)
    if (ids === undefined) byProvider.set(provider.id, [operation.id])
    else ids.push(operation.id)
  }
  const lines = Array.from(byProvider, ([provider, ids]) => `  ${provider}: ${idsInLine(ids)}`)
  return [
    ...lines.slice(0, providersShown),
    ...(lines.length > providersShown ? [`  and ${counted(lines.length - providersShown, "more provider")}`] : []),
    ...(jobs.length === 0 ? [] : [`  jobs: ${idsInLine(jobs.map(({ id }) => id))}`])
  ]
}
