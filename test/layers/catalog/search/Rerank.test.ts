import { assert, describe, it } from "@effect/vitest"
import type { SearchDocument } from "../../../../src/layers/catalog/search/SearchDocument.js"
import { SearchIndex } from "../../../../src/layers/catalog/search/SearchIndex.js"
import { defaultTuning, type Tuning } from "../../../../src/layers/catalog/search/Tuning.js"

const operation = (provider: string, name: string, description: string): SearchDocument => ({
  endpointId: `${provider}.${name}`,
  provider,
  providerName: provider,
  name,
  description,
  capability: null,
  parameters: []
})
const documents = [
  operation("skies", "Forecast", "Weather of the coming days"),
  operation("skies", "Past weather", "What was measured"),
  operation("atlas", "Weather at every station of a country or region now", "Measured each hour"),
  operation("atlas", "Borders", "Lines between countries"),
  operation("atlas", "Rivers", "Lengths and sources"),
  operation("books", "Titles", "Written by an author")
]
const plain: Tuning = { ...defaultTuning, providerFit: 0, shortName: 0 }

/** The score of each operation that is found, by its number. */
const scoresWith = (tuning: Tuning): ReadonlyMap<number, number> => {
  const { hits } = SearchIndex.build(documents, { same: [], related: [] }, tuning).search("weather", {
    limit: 10
  })
  return new Map(hits.slice(0, 10).map(({ doc, score }) => [doc, score]))
}

describe("The second look", () => {
  const before = scoresWith(plain)
  const best = Math.max(...before.values())

  it("adds a share of the best score to the provider that speaks most of the subject, and less to others", () => {
    const after = scoresWith({ ...plain, providerFit: 0.1 })
    const added = (doc: number): number => (after.get(doc)! - before.get(doc)!) / best
    assert.approximately(added(0), 0.1, 1e-6)
    assert.approximately(added(1), 0.1, 1e-6)
    assert.isAbove(added(2), 0)
    assert.isBelow(added(2), 0.09)
  })

  it("adds a share of the best score for a short name, by the logarithm of its words, and nothing for a long one", () => {
    const after = scoresWith({ ...plain, shortName: 0.03, shortNameWords: 4 })
    const added = (doc: number): number => (after.get(doc)! - before.get(doc)!) / best
    assert.approximately(added(0), 0.03 * Math.log(5 / 2), 1e-6)
    assert.approximately(added(1), 0.03 * Math.log(5 / 3), 1e-6)
    assert.approximately(added(2), 0, 1e-6)
  })
})
