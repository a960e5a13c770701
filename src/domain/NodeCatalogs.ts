/**
 * Whether all nodes serve the same catalog. Nodes whose folders or versions differ have other operations and other
 * prices, so that what a run costs depends on the node that answers.
 */
import { counted } from "./Counted.js"
import { isRunning } from "./NodeRole.js"

interface Listed {
  /** Since it said last that it runs. */
  readonly silentMillis: number
  /** The revision that it serves; null when it does not say. */
  readonly catalog: string | null
}

/** As much of a revision as people compare. */
export const shownCatalog = (revision: string): string => revision.slice(0, 12)

/** `2 nodes serve 5f2a91c07be4, 1 node serves 77ab01d9e3c2`; null when no running node says what it serves. */
export const catalogsInWords = (
  listed: ReadonlyArray<Listed>
): { readonly differ: boolean; readonly words: string } | null => {
  const nodes = new Map<string, number>()
  for (const { catalog } of listed.filter(isRunning))
    if (catalog !== null) nodes.set(catalog, (nodes.get(catalog) ?? 0) + 1)
  if (nodes.size === 0) return null
  const words = Array.from(
    nodes,
    ([catalog, count]) => `${counted(count, "node")} ${count === 1 ? "serves" : "serve"} ${shownCatalog(catalog)}`
  )
  return { differ: nodes.size > 1, words: words.join(", ") }
}

export const catalogsDiffer = "Nodes serve different catalogs: what there is and what it costs depends on the node"
export const makeCatalogsEqual =
  "Give all nodes the same version and the same folders in GATEWAY_CATALOG, and restart those that differ"
