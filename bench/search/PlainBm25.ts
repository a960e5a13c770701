// The yardstick: textbook BM25 over all text of an operation as one field, stop words dropped, Porter stemming.
import { stemmer } from "stemmer"
import type { SearchDocument } from "../../src/layers/catalog/search/SearchDocument.js"
import { fieldTexts } from "../../src/layers/catalog/search/SearchDocument.js"
import { functionWords } from "../../src/layers/catalog/search/WordClasses.js"
import { depth, type Ranker } from "./Metrics.js"

const k1 = 1.2
const b = 0.75

/** Rows that have a word, and how often each says it, in turns. */
type Postings = Array<number>

export const plainBm25 = (documents: ReadonlyArray<SearchDocument>): Ranker => {
  const stems = new Map<string, string>()
  const stemOf = (word: string): string => {
    const known = stems.get(word)
    if (known !== undefined) return known
    const stem = stemmer(word)
    stems.set(word, stem)
    return stem
  }
  const tokens = (text: string): ReadonlyArray<string> =>
    (
      text
        .replace(/([a-z])([A-Z])/g, "$1 $2")
        .toLowerCase()
        .match(/[a-z0-9]+/g) ?? []
    )
      .filter((word) => !functionWords.has(word))
      .map(stemOf)
  const postings = new Map<string, Postings>()
  const lengths = new Float64Array(documents.length)
  let total = 0
  for (const [row, document] of documents.entries()) {
    const words = tokens(fieldTexts(document).join(" "))
    lengths[row] = words.length
    total += words.length
    for (const word of words) {
      const rows = postings.get(word)
      if (rows === undefined) postings.set(word, [row, 1])
      else if (rows.at(-2) === row) rows[rows.length - 1]! += 1
      else rows.push(row, 1)
    }
  }
  const average = total / documents.length
  const scores = new Float64Array(documents.length)
  return (query) => {
    const touched: Array<number> = []
    for (const word of tokens(query)) {
      const rows = postings.get(word)
      if (rows === undefined) continue
      const found = rows.length / 2
      const idf = Math.log(1 + (documents.length - found + 0.5) / (found + 0.5))
      for (let at = 0; at < rows.length; at += 2) {
        const row = rows[at]!
        const count = rows[at + 1]!
        const norm = k1 * (1 - b + (b * lengths[row]!) / average)
        if (scores[row] === 0) touched.push(row)
        scores[row]! += (idf * count * (k1 + 1)) / (count + norm)
      }
    }
    const best: Array<number> = []
    for (const row of touched) {
      const last = best.at(-1)
      const below = (other: number): boolean =>
        scores[row]! > scores[other]! || (scores[row] === scores[other] && row < other)
      if (best.length === depth && last !== undefined && !below(last)) continue
      const place = best.findIndex(below)
      best.splice(place < 0 ? best.length : place, 0, row)
      if (best.length > depth) best.pop()
    }
    for (const row of touched) scores[row] = 0
    return best.map((row) => documents[row]!.endpointId)
  }
}
