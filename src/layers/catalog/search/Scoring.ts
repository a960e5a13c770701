/**
 * Scores the rows of an index for a query, one term after the other, in one array with a place for each row. For tens
 * of thousands of rows this is faster than keeping candidates in order. The arrays are reused.
 */
import { f32, u32, u8 } from "../../node/IntegerArrays.js"
import { documentFrequency, type Postings } from "./Postings.js"
import type { Alternative, SearchClause, SearchWord } from "./QueryTerms.js"

const unit = 1 / 255

/** A score for each row; the first `count` of `rows` are those above zero, in no order. */
export class RowScores {
  readonly values: Float32Array
  readonly rows: Uint32Array
  count = 0
  constructor(size: number) {
    this.values = new Float32Array(size)
    this.rows = new Uint32Array(size)
  }

  /** `value` is above zero. */
  add(row: number, value: number): void {
    const before = f32(this.values, row)
    this.raise(row, before, before + value)
  }

  /** `to` is above zero, `from` what the row has. */
  raise(row: number, from: number, to: number): void {
    if (from === 0) {
      this.rows[this.count] = row
      this.count += 1
    }
    this.values[row] = to
  }

  highest(): number {
    let most = 0
    for (let at = 0; at < this.count; at += 1) most = Math.max(most, f32(this.values, u32(this.rows, at)))
    return most
  }

  clear(): void {
    for (let at = 0; at < this.count; at += 1) this.values[u32(this.rows, at)] = 0
    this.count = 0
  }
}

export class Scorer {
  /** Scores of the last query. */
  readonly total: RowScores
  private readonly clause: RowScores
  private readonly word: RowScores
  private readonly best: Float32Array
  constructor(private readonly postings: Postings) {
    const rows = postings.rowCount
    this.total = new RowScores(rows)
    this.clause = new RowScores(rows)
    this.word = new RowScores(rows)
    this.best = new Float32Array(rows)
  }

  /**
   * Fills `total` with the sum over the clauses plus, with several clauses, `bestClause` of the best total times how
   * near the row comes to being the best of some clause: a request for two things is served by two operations.
   */
  score(clauses: ReadonlyArray<SearchClause>, bestClause: number): void {
    const { best, clause, total } = this
    total.clear()
    if (clauses.length <= 1) {
      this.addAll(clauses[0]?.words ?? [], total)
      return
    }
    let highest = this.openTotal(clauses[0]?.words ?? [])
    for (const { words } of clauses.slice(1)) {
      this.addAll(words, clause)
      highest = this.closeClause(highest)
    }
    const share = bestClause * highest
    for (let at = 0; at < total.count; at += 1) {
      const row = u32(total.rows, at)
      total.values[row] = f32(total.values, row) + share * f32(best, row)
      best[row] = 0
    }
  }

  /** The first clause is the total. Notes how near to its best each row comes, and gives the highest. */
  private openTotal(words: ReadonlyArray<SearchWord>): number {
    const { best, total } = this
    this.addAll(words, total)
    const highest = total.highest()
    const scale = 1 / highest
    for (let at = 0; at < total.count; at += 1) {
      const row = u32(total.rows, at)
      best[row] = f32(total.values, row) * scale
    }
    return highest
  }

  /**
   * Adds the clause to the total, notes how near to its best each row comes, and empties it. Takes and gives the
   * highest of the total.
   */
  private closeClause(before: number): number {
    const { best, clause, total } = this
    const scale = 1 / clause.highest()
    let highest = before
    for (let at = 0; at < clause.count; at += 1) {
      const row = u32(clause.rows, at)
      const value = f32(clause.values, row)
      clause.values[row] = 0
      total.add(row, value)
      highest = Math.max(highest, f32(total.values, row))
      const near = value * scale
      if (near > f32(best, row)) best[row] = near
    }
    clause.count = 0
    return highest
  }

  /** The longest first: an empty target takes a word without asking what a row has already. */
  private addAll(words: ReadonlyArray<SearchWord>, target: RowScores): void {
    let longest: SearchWord | undefined
    let most = 0
    for (const word of words) {
      const length = this.lengthOf(word)
      if (length > most) [longest, most] = [word, length]
    }
    if (longest === undefined) return
    this.fill(longest, target)
    for (const word of words) if (word !== longest) this.add(word, target)
  }

  private lengthOf(word: SearchWord): number {
    return word.alternatives.reduce((sum, { term }) => sum + documentFrequency(this.postings, term), 0)
  }

  private add(word: SearchWord, target: RowScores): void {
    const [only] = word.alternatives
    if (only !== undefined && word.alternatives.length === 1) return this.pour(only, target)
    const scores = this.word
    this.fill(word, scores)
    for (let at = 0; at < scores.count; at += 1) {
      const row = u32(scores.rows, at)
      const value = f32(scores.values, row)
      scores.values[row] = 0
      target.add(row, value)
    }
    scores.count = 0
  }

  /** Adds a word that is said in one way only. */
  private pour({ term, weight }: Alternative, target: RowScores): void {
    if (weight <= 0) return
    const { impacts, rows, start } = this.postings
    const end = u32(start, term + 1)
    const most = weight * unit
    for (let at = u32(start, term); at < end; at += 1) target.add(u32(rows, at), most * u8(impacts, at))
  }

  /**
   * Puts a word into an empty target: of the alternatives in a row the best counts. The longest list goes first, as the
   * target has nothing yet that it could be compared with.
   */
  private fill({ alternatives }: SearchWord, target: RowScores): void {
    const { impacts, rows, start } = this.postings
    const longest = this.longestOf(alternatives)
    if (longest === undefined) return
    const from = u32(start, longest.term)
    const end = u32(start, longest.term + 1)
    const most = longest.weight * unit
    target.rows.set(rows.subarray(from, end))
    target.count = end - from
    for (let at = from; at < end; at += 1) target.values[u32(rows, at)] = most * u8(impacts, at)
    for (const other of alternatives) if (other !== longest && other.weight > 0) this.fillMore(other, target)
  }

  private fillMore({ term, weight }: Alternative, target: RowScores): void {
    const { impacts, rows, start } = this.postings
    const end = u32(start, term + 1)
    const most = weight * unit
    for (let at = u32(start, term); at < end; at += 1) {
      const row = u32(rows, at)
      const value = most * u8(impacts, at)
      const before = f32(target.values, row)
      if (value > before) target.raise(row, before, value)
    }
  }

  private longestOf(alternatives: ReadonlyArray<Alternative>): Alternative | undefined {
    let longest: Alternative | undefined
    let most = 0
    for (const alternative of alternatives) {
      const length = alternative.weight > 0 ? documentFrequency(this.postings, alternative.term) : 0
      if (length > most) [longest, most] = [alternative, length]
    }
    return longest
  }
}
