/**
 * Inverted lists in typed arrays. For each term: the rows that hold it, in order, each with the saturated BM25F
 * frequency of the term as one byte. The inverse document frequency is applied at query time, so that a synonym can
 * have the weight of the word that it stands for.
 */
import { u32, u8 } from "../../node/IntegerArrays.js"

const levels = 255

/** Per term: rows `rows[start[t]] … rows[start[t+1]-1]` with impacts of the same positions (0 to 255 for 0 to 1). */
export interface Postings {
  readonly rowCount: number
  readonly start: Uint32Array
  readonly rows: Uint32Array
  readonly impacts: Uint8Array
}

export interface RowTerms {
  readonly terms: ReadonlyArray<number> | Uint32Array
  /** Weighted frequency of the term at the same position, before saturation. */
  readonly frequencies: ReadonlyArray<number> | Float64Array
  readonly count: number
}

const saturate = (frequency: number, k1: number): number =>
  Math.max(1, Math.round((levels * frequency) / (frequency + k1)))

/** Builds the lists from rows read twice (once to count, once to fill), yielding after each `slice` rows. */
export function* buildPostings(
  rowCount: number,
  termCount: number,
  read: (row: number) => RowTerms,
  k1: number,
  slice: number
): Generator<void, Postings> {
  const start = new Uint32Array(termCount + 2)
  for (let row = 0; row < rowCount; row += 1) {
    const { count, terms } = read(row)
    for (let at = 0; at < count; at += 1) {
      const slot = (terms[at] ?? 0) + 2
      start[slot] = u32(start, slot) + 1
    }
    if (row % slice === slice - 1) yield
  }
  for (let term = 2; term < start.length; term += 1) start[term] = u32(start, term) + u32(start, term - 1)
  yield
  const total = u32(start, termCount + 1)
  const rows = new Uint32Array(total)
  const impacts = new Uint8Array(total)
  for (let row = 0; row < rowCount; row += 1) {
    const { count, frequencies, terms } = read(row)
    for (let at = 0; at < count; at += 1) {
      const slot = (terms[at] ?? 0) + 1
      const position = u32(start, slot)
      rows[position] = row
      impacts[position] = saturate(frequencies[at] ?? 0, k1)
      start[slot] = position + 1
    }
    if (row % slice === slice - 1) yield
  }
  return { rowCount, start: start.subarray(0, termCount + 1), rows, impacts }
}

/** In how many rows the term stands. */
export const documentFrequency = (postings: Postings, term: number): number =>
  u32(postings.start, term + 1) - u32(postings.start, term)

export const inverseFrequency = (rowCount: number, frequency: number): number =>
  Math.log(1 + (rowCount - frequency + 0.5) / (frequency + 0.5))

/** The impact of a term in a row, 0 to 1; 0 when the row does not hold it. */
export const impactOf = (postings: Postings, term: number, row: number): number => {
  let low = u32(postings.start, term)
  let high = u32(postings.start, term + 1) - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = u32(postings.rows, middle)
    if (found === row) return u8(postings.impacts, middle) / levels
    if (found < row) low = middle + 1
    else high = middle - 1
  }
  return 0
}
