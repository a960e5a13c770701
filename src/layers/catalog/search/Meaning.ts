/**
 * How near the meaning of an operation is to the meaning of a query, by the word table: the cosine of their vectors.
 * The vector of an operation is the sum over the words of its name, its provider and the start of its description, each
 * word counted once. It is made when a query first asks for it, and kept. Words that the table does not have are passed
 * over.
 */
import { type IndexData, isAbout, termOf } from "./IndexData.js"
import { f64, i32, i8, u32, u8 } from "../../node/IntegerArrays.js"
import type { QueryClause } from "./QueryText.js"
import type { WordTable } from "./WordTable.js"

/** Long descriptions end with limits and formats: what stands behind this many tokens is not read. */
const mostTokens = 48
const notInTable = -1
const notLookedUp = -2
/** Vectors of operations have this length, rounded to integers. */
const unit = 127

/** How many numbers of a vector stand in one place. */
const perPlace = 4
/** Those of queries are longer, and finer: integers are multiplied faster than fractions. */
const askedUnit = 2 ** 14

/**
 * The sum of products, which stays below 2^31 as both lengths multiplied do. `from` and `end` are places in `fours`:
 * each holds four bytes of a vector, the first the lowest, so that memory is asked once for four.
 */
const dotOf = (asked: Int32Array, fours: Int32Array, from: number, end: number): number => {
  let [even, odd, at] = [0, 0, 0]
  for (let place = from; place < end; place += 1, at += 4) {
    const four = i32(fours, place)
    even = (even + Math.imul(i32(asked, at), (four << 24) >> 24) + Math.imul(i32(asked, at + 2), (four << 8) >> 24)) | 0
    odd = (odd + Math.imul(i32(asked, at + 1), (four << 16) >> 24) + Math.imul(i32(asked, at + 3), four >> 24)) | 0
  }
  return even + odd
}

/** How near a row is to a query, 0 to 1. */
export type Nearness = (row: number) => number

export class Meanings {
  /** Of each term of the index, its number in the table. */
  private readonly wordOf: Int32Array
  /** The vectors of the rows, each in `places` numbers of four bytes. */
  private readonly fours: Int32Array
  private readonly places: number
  /** One bit for each row: whether its vector is made. */
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
    this.places = Math.ceil(table.dimensions / perPlace)
    this.fours = new Int32Array(data.size * this.places)
    this.made = new Uint8Array(Math.ceil(data.size / 8))
    this.sum = new Int32Array(this.places * perPlace)
    this.addedTo = new Float64Array(table.size)
  }

  /**
   * Compares rows with the sentence of the query that is nearest to each. Null when the table has no word of the query.
   */
  to(clauses: ReadonlyArray<QueryClause>): Nearness | null {
    const { fours, places } = this
    const asked = clauses.map((clause) => this.vectorOf(clause)).filter((vector) => vector !== null)
    if (asked.length === 0) return null
    return (row) => {
      if (((u8(this.made, row >>> 3) >>> (row & 7)) & 1) === 0) this.make(row)
      const start = row * places
      let nearest = 0
      for (const vector of asked) nearest = Math.max(nearest, dotOf(vector, fours, start, start + places))
      return nearest / (unit * askedUnit)
    }
  }

  private vectorOf({ words }: QueryClause): Int32Array | null {
    this.clear()
    for (const { reading } of words) for (const part of reading.parts) this.add(this.wordOfStem(part))
    const length = this.length()
    return length === 0 ? null : this.sum.map((value) => Math.round((askedUnit * value) / length))
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
    const { fours, places, sum } = this
    const scale = unit / Math.max(1, this.length())
    const byteOf = (at: number): number => Math.round(scale * i32(sum, at)) & 0xff
    for (let place = 0; place < places; place += 1) {
      const at = place * perPlace
      fours[row * places + place] = byteOf(at) | (byteOf(at + 1) << 8) | (byteOf(at + 2) << 16) | (byteOf(at + 3) << 24)
    }
    this.made[row >>> 3] = u8(this.made, row >>> 3) | (1 << (row & 7))
  }

  private wordOfStem(stem: string): number {
    const term = this.data.terms.get(stem)
    return term === undefined ? this.table.find(stem) : this.wordOfTerm(term)
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
    const { dimensions, vectors } = this.table
    const start = word * dimensions
    for (let at = 0; at < dimensions; at += 1) sum[at] = i32(sum, at) + i8(vectors, start + at)
  }

  private length(): number {
    let squares = 0
    for (let at = 0; at < this.sum.length; at += 1) squares += i32(this.sum, at) ** 2
    return Math.sqrt(squares)
  }
}
