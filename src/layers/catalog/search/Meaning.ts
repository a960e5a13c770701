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
  /** The sum of the words of the text that is being read. */
  private readonly sum: Int32Array
  /** Of each word of the table, the text that it was last added to: texts are counted. */
  private readonly addedTo: Float64Array
  private text = 0
  constructor(
    private readonly data: IndexData,
    private readonly table: WordTable
  ) {
    this.wordOf = new Int32Array(data.termTexts.length).fill(notLookedUp)
    this.vectors = new Int8Array(data.size * table.dimensions)
    this.made = new Uint8Array(data.size)
    this.sum = new Int32Array(table.dimensions)
    this.addedTo = new Float64Array(table.size)
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
      const { vectors } = this
      const start = row * dimensions
      let nearest = 0
      for (const vector of asked) {
        let dot = 0
        for (let at = 0; at < dimensions; at += 1) dot += f64(vector, at) * i8(vectors, start + at)
        if (dot > nearest) nearest = dot
      }
      return nearest / unit
    }
  }

  private vectorOf({ words }: QueryClause): Float64Array | null {
    this.clear()
    for (const { reading } of words) for (const part of reading.parts) this.add(this.table.find(part))
    const length = this.length()
    return length === 0 ? null : Float64Array.from(this.sum, (value) => value / length)
  }

  private make(row: number): void {
    const { items, start } = this.data.tokens
    const from = u32(start, row)
    const end = Math.min(u32(start, row + 1), from + mostTokens)
    this.clear()
    for (let at = from; at < end; at += 1) {
      const token = u32(items, at)
      if (!isAbout(token)) break
      this.add(this.wordOfTerm(termOf(token)))
    }
    const { sum, vectors } = this
    const scale = unit / Math.max(1, this.length())
    const place = row * sum.length
    for (let at = 0; at < sum.length; at += 1) vectors[place + at] = Math.round(scale * i32(sum, at))
    this.made[row] = 1
  }

  private wordOfTerm(term: number): number {
    const known = i32(this.wordOf, term)
    if (known !== notLookedUp) return known
    const word = this.table.find(this.data.termTexts[term] ?? "")
    this.wordOf[term] = word
    return word
  }

  private clear(): void {
    this.sum.fill(0)
    this.text += 1
  }

  /** Adds a word of the table, unless the text has it already. */
  private add(word: number): void {
    if (word === notInTable || f64(this.addedTo, word) === this.text) return
    this.addedTo[word] = this.text
    const { sum } = this
    const { vectors } = this.table
    const start = word * sum.length
    for (let at = 0; at < sum.length; at += 1) sum[at] = i32(sum, at) + i8(vectors, start + at)
  }

  private length(): number {
    let squares = 0
    for (let at = 0; at < this.sum.length; at += 1) squares += i32(this.sum, at) ** 2
    return Math.sqrt(squares)
  }
}
