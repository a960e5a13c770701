// The yardstick: textbook BM25 over all text of an operation as one field, stop words dropped, Porter stemming.
import { stemmer } from "stemmer"
import type { SearchDocument } from "../../src/layers/catalog/search/SearchDocument.js"
import { fieldTexts } from "../../src/layers/catalog/search/SearchDocument.js"
import { functionWords } from "../../src/layers/catalog/search/WordClasses.js"
import type { Ranker } from "./Metrics.js"

const k1 = 1.2
const b = 0.75

const tokens = (text: string): ReadonlyArray<string> =>
  (
    text
      .replace(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  )
    .filter((word) => !functionWords.has(word))
    .map(stemmer)

export const plainBm25 = (documents: ReadonlyArray<SearchDocument>): Ranker => {
  const postings = new Map<string, Map<number, number>>()
  const lengths = new Float64Array(documents.length)
  let total = 0
  for (const [row, document] of documents.entries()) {
    const words = tokens(fieldTexts(document).join(" "))
    lengths[row] = words.length
    total += words.length
    for (const word of words) {
      const rows = postings.get(word) ?? new Map<number, number>()
      rows.set(row, (rows.get(row) ?? 0) + 1)
      postings.set(word, rows)
    }
  }
  const average = total / documents.length
  return (query) => {
    const scores = new Map<number, number>()
    for (const word of tokens(query)) {
      const rows = postings.get(word)
      if (rows === undefined) continue
      const idf = Math.log(1 + (documents.length - rows.size + 0.5) / (rows.size + 0.5))
      for (const [row, count] of rows) {
        const norm = k1 * (1 - b + (b * lengths[row]!) / average)
        scores.set(row, (scores.get(row) ?? 0) + (idf * count * (k1 + 1)) / (count + norm))
      }
    }
    return Array.from(scores)
      .sort((x, y) => y[1] - x[1] || x[0] - y[0])
      .slice(0, 10)
      .map(([row]) => documents[row]!.endpointId)
  }
}
