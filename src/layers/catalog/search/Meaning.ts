/**
 * How near the meaning of an operation is to the meaning of a query, by the word table: the cosine of their vectors.
 * The vector of an operation is the sum over the words of its name, its provider and the start of its description, each
 * word counted once. It is made when a query first asks for it, and kept. Words that the table does not have are passed
 * over.
 */
import { type IndexData, isAbout, termOf } from "./IndexData.js"
import { f64, i32, i8, u32, u8 } from "./IntegerArrays.js"
import type { QueryClause } from "./QueryText.js"
import type { WordTable } from "./WordTable.js"

/** Long descriptions end with limits and formats: what stands behind this many tokens is not read. */
const mostTokens = 48
const notInTable = -1
const notLookedUp = -2
/** Vectors of operations have this length, rounded to integers. */
const unit = 127

/** How near a row is to a query, 0 to 1. */
export type Nearness = (row: number) => number

export class Meanings {
  /** Of each term of the index, its number in the table. */
  private readonly wordOf: Int32Array
  private readonly vectors: Int8Array
  private readonly made: Uint8Array
  private readonly sum: Float64Array
  constructor(
    private readonly data: IndexData,
    private readonly table: WordTable
  ) {
    this.wordOf = new Int32Array(data.termTexts.length).fill(notLookedUp)
    this.vectors = new Int8Array(data.size * table.dimensions)
    this.made = new Uint8Array(data.size)
    this.sum = new Float64Array(table.dimensions)
  }

  /**
   * Compares rows with the sentence of the query that is nearest to each. Null when the table has no word of the query.
   */
  to(clauses: ReadonlyArray<QueryClause>): Nearness | null {
    const { dimensions } = this.table
    const asked = clauses.map((clause) => this.vectorOf(clause)).filter((vector) => vector !== null)
    if (asked.length === 0) return null
    return (row) => {
      if (u8(this.made, row) === 0) this.make(row)
      const start = row * dimensions
      let nearest = 0
      for (const vector of asked) {
        let dot = 0
        for (let at = 0; at < dimensions; at += 1) dot += f64(vector, at) * i8(this.vectors, start + at)
        if (dot > nearest) nearest = dot
      }
      return nearest / unit
    }
  }

  private vectorOf({ words }: QueryClause): Float64Array | null {
    const found = new Set<number>()
    for (const { reading } of words) for (const part of reading.parts) found.add(this.table.find(part))
    this.sum.fill(0)
    for (const word of found) if (word !== notInTable) this.add(word)
    const length = this.length()
    return length === 0 ? null : this.sum.map((value) => value / length)
  }

  private make(row: number): void {
    const { start, items } = this.data.tokens
    const from = u32(start, row)
    const end = Math.min(u32(start, row + 1), from + mostTokens)
    const found = new Set<number>()
    for (let at = from; at < end; at += 1) {
      const token = u32(items, at)
      if (!isAbout(token)) break
      found.add(this.wordOfTerm(termOf(token)))
    }
    this.sum.fill(0)
    for (const word of found) if (word !== notInTable) this.add(word)
    const scale = unit / Math.max(1, this.length())
    const place = row * this.table.dimensions
    for (let at = 0; at < this.table.dimensions; at += 1)
      this.vectors[place + at] = Math.round(scale * f64(this.sum, at))
    this.made[row] = 1
  }

  private wordOfTerm(term: number): number {
    const known = i32(this.wordOf, term)
    if (known !== notLookedUp) return known
    const word = this.table.find(this.data.termTexts[term] ?? "")
    this.wordOf[term] = word
    return word
  }

  private add(word: number): void {
    const { dimensions, vectors } = this.table
    const start = word * dimensions
    for (let at = 0; at < dimensions; at += 1) this.sum[at] = f64(this.sum, at) + i8(vectors, start + at)
  }

  private length(): number {
    let squares = 0
    for (const value of this.sum) squares += value * value
    return Math.sqrt(squares)
  }
}
