// Likely spellings of a word that the index does not have: terms that become equal when at most one letter of each is
// left out, then checked by edit distance. Buckets by hash in typed arrays; built in steps. Used for unknown words
// only.
import { u32 } from "./IntegerArrays.js"

const shortest = 4
const longest = 16
const most = 3

/** Hash of a word with the letter at `without` left out (-1 leaves none out). */
const hashOf = (word: string, without: number): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at += 1) {
    if (at !== without) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}

/** Edits between two words, a swap of neighbours counting one; more than `limit` is given as limit + 1. */
export const editDistance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let older: Array<number> = []
  let old = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row]
    let least = row
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1]
      let value = Math.min((old[column - 1] ?? 0) + (same ? 0 : 1), (old[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1)
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        value = Math.min(value, (older[column - 2] ?? 0) + 1)
      next.push(value)
      if (value < least) least = value
    }
    if (least > limit) return limit + 1
    older = old
    old = next
  }
  return old[b.length] ?? limit + 1
}

export interface Spelling {
  /** Terms close to the word, closest and then most used first; at most three. */
  readonly near: (word: string) => ReadonlyArray<number>
}

const eligible = (term: string): boolean => term.length >= shortest && term.length <= longest && /^[a-z]+$/.test(term)

/** `uses` says in how many documents a term stands. */
export function* buildSpelling(
  terms: ReadonlyArray<string>,
  uses: (term: number) => number
): Generator<void, Spelling> {
  const bits = Math.max(10, Math.min(20, Math.ceil(Math.log2(terms.length * 4 + 1))))
  const mask = (1 << bits) - 1
  const start = new Uint32Array(mask + 3)
  const eachHash = function* (visit: (term: number, bucket: number) => void): Generator<void> {
    for (const [term, text] of terms.entries()) {
      if (eligible(text))
        for (let without = -1; without < text.length; without += 1) visit(term, hashOf(text, without) & mask)
      if (term % 2_000 === 1_999) yield
    }
  }
  yield* eachHash((_, bucket) => {
    start[bucket + 2] = u32(start, bucket + 2) + 1
  })
  for (let bucket = 2; bucket < start.length; bucket += 1) start[bucket] = u32(start, bucket) + u32(start, bucket - 1)
  yield
  const items = new Uint32Array(u32(start, mask + 2))
  yield* eachHash((term, bucket) => {
    const position = u32(start, bucket + 1)
    items[position] = term
    start[bucket + 1] = position + 1
  })
  const near = (word: string): ReadonlyArray<number> => {
    if (!eligible(word)) return []
    const limit = word.length >= 8 ? 2 : 1
    const found = new Map<number, number>()
    for (let without = -1; without < word.length; without += 1) {
      const bucket = hashOf(word, without) & mask
      for (let at = u32(start, bucket); at < u32(start, bucket + 1); at += 1) {
        const term = u32(items, at)
        if (found.has(term)) continue
        const distance = editDistance(word, terms[term] ?? "", limit)
        if (distance <= limit) found.set(term, distance)
      }
    }
    const closest = Math.min(...found.values())
    return Array.from(found)
      .filter(([, distance]) => distance === closest)
      .sort(([a], [b]) => uses(b) - uses(a) || a - b)
      .slice(0, most)
      .map(([term]) => term)
  }
  return { near }
}
