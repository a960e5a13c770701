/**
 * How near the meaning of an operation is to the meaning of a query, by the word table: the cosine of their vectors.
 * The vector of an operation is the sum over the words of its name, its provider and the start of its description, each
 * word counted once. It is made when the index is built. Words that the table does not have are passed over.
 */
import type { IndexData } from "./IndexData.js"
import { isAbout, termOf } from "./OperationTexts.js"
import { f64, i32, u32 } from "../../node/IntegerArrays.js"
import type { QueryClause } from "./QueryText.js"
import { perPlace, placesOf, type WordTable } from "./WordTable.js"

/** Long descriptions end with limits and formats: what stands behind this many tokens is not read. */
const mostTokens = 48
const notInTable = -1
/** Vectors of operations have this length, rounded to integers. */
const unit = 127
/** Those of queries are longer, and finer: integers are multiplied faster than fractions. */
const askedUnit = 2 ** 14

const byteOf = (value: number): number => Math.round(value) & 0xff

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

/** Two numbers of 16 bits in one of 32. A byte plus 128 is below 256, so so many fit into 16 bits when added up. */
const lanes = 0x00ff00ff
const sign = 0x80
const signs = 0x80808080 | 0
const mostAdded = 256

/** Adds up the vectors of the words of a text, each word once. Reused for one text after the other. */
class TextVector {
  /** The sums of what was added before the last `added` words. */
  private readonly sum: Int32Array
  /** Sums of the last words: of bytes 0 and 2 of each place, and of bytes 1 and 3, each byte plus 128. */
  private readonly even: Int32Array
  private readonly odd: Int32Array
  private added = 0
  /** Of each word of the table, the text that it was last added to: texts are counted. */
  private readonly addedTo: Float64Array
  private text = 0
  constructor(private readonly table: WordTable) {
    const places = placesOf(table.dimensions)
    this.sum = new Int32Array(places * perPlace)
    this.even = new Int32Array(places)
    this.odd = new Int32Array(places)
    this.addedTo = new Float64Array(table.size)
  }

  clear(): void {
    this.sum.fill(0)
    this.even.fill(0)
    this.odd.fill(0)
    this.added = 0
    this.text += 1
  }

  /** Adds a word of the table, unless the text has it already. */
  add(word: number): void {
    if (word === notInTable || f64(this.addedTo, word) === this.text) return
    this.addedTo[word] = this.text
    const { even, odd } = this
    const { fours } = this.table
    const start = word * even.length
    for (let place = 0; place < even.length; place += 1) {
      const four = i32(fours, start + place) ^ signs
      even[place] = i32(even, place) + (four & lanes)
      odd[place] = i32(odd, place) + ((four >>> 8) & lanes)
    }
    this.added += 1
    if (this.added === mostAdded) this.close()
  }

  /** The sum of the vectors. */
  total(): Int32Array {
    this.close()
    return this.sum
  }

  private close(): void {
    const { even, odd, sum } = this
    const more = this.added * sign
    for (let place = 0; place < even.length; place += 1) {
      const at = place * perPlace
      const [first, second] = [i32(even, place), i32(odd, place)]
      sum[at] = i32(sum, at) + (first & 0xffff) - more
      sum[at + 1] = i32(sum, at + 1) + (second & 0xffff) - more
      sum[at + 2] = i32(sum, at + 2) + (first >>> 16) - more
      sum[at + 3] = i32(sum, at + 3) + (second >>> 16) - more
    }
    even.fill(0)
    odd.fill(0)
    this.added = 0
  }
}

const lengthOf = (vector: Int32Array): number => {
  let squares = 0
  for (let at = 0; at < vector.length; at += 1) squares += i32(vector, at) * i32(vector, at)
  return Math.sqrt(squares)
}

const slice = 64

export class Meanings {
  /** Nobody reads it. Without it, the engine would leave out the reading ahead, whose result has no other use. */
  protected fetched = 0
  private constructor(
    private readonly data: IndexData,
    private readonly table: WordTable,
    /** Of each term of the index, its number in the table. */
    private readonly wordOf: Int32Array,
    /** The vectors of the rows, each in `places` numbers of four bytes. */
    private readonly fours: Int32Array,
    private readonly text: TextVector
  ) {}

  /** Makes the vectors of all rows, yielding after at most a few milliseconds of work. */
  static *steps(data: IndexData, table: WordTable): Generator<void, Meanings> {
    const wordOf = new Int32Array(data.termTexts.length).fill(notInTable)
    for (const [word, text] of table.words().entries()) {
      const term = data.terms.get(text)
      if (term !== undefined) wordOf[term] = word
    }
    yield
    const { texts } = data
    const places = placesOf(table.dimensions)
    const fours = new Int32Array(data.size * places)
    const text = new TextVector(table)
    for (let row = 0; row < data.size; row += 1) {
      if (row % slice === slice - 1) yield
      const from = texts.startOf(row)
      const end = Math.min(texts.endOf(row), from + mostTokens)
      text.clear()
      for (let at = from; at < end; at += 1) {
        const token = u32(texts.items, at)
        if (!isAbout(token)) break
        text.add(i32(wordOf, termOf(token)))
      }
      const sum = text.total()
      const scale = unit / Math.max(1, lengthOf(sum))
      for (let place = 0; place < places; place += 1) {
        const at = place * perPlace
        fours[row * places + place] =
          byteOf(scale * i32(sum, at)) |
          (byteOf(scale * i32(sum, at + 1)) << 8) |
          (byteOf(scale * i32(sum, at + 2)) << 16) |
          (byteOf(scale * i32(sum, at + 3)) << 24)
      }
    }
    return new Meanings(data, table, wordOf, fours, text)
  }

  /**
   * Compares `rows` with the sentence of the query that is nearest to each. Null when the table has no word of the
   * query.
   */
  to(clauses: ReadonlyArray<QueryClause>, rows: ReadonlyArray<number>): Nearness | null {
    const { fours } = this
    const places = placesOf(this.table.dimensions)
    const asked = clauses.map((clause) => this.vectorOf(clause)).filter((vector) => vector !== null)
    if (asked.length === 0) return null
    // The vectors are far apart. Asked for one after the other, each would be waited for.
    let fetched = 0
    for (const row of rows) fetched ^= i32(fours, row * places)
    this.fetched = fetched
    return (row) => {
      const start = row * places
      let nearest = 0
      for (const vector of asked) nearest = Math.max(nearest, dotOf(vector, fours, start, start + places))
      return nearest / (unit * askedUnit)
    }
  }

  private vectorOf({ words }: QueryClause): Int32Array | null {
    const { text } = this
    text.clear()
    for (const { reading } of words) for (const part of reading.parts) text.add(this.wordOfStem(part))
    const sum = text.total()
    const length = lengthOf(sum)
    return length === 0 ? null : sum.map((value) => Math.round((askedUnit * value) / length))
  }

  private wordOfStem(stem: string): number {
    const term = this.data.terms.get(stem)
    return term === undefined ? this.table.find(stem) : i32(this.wordOf, term)
  }
}
