// Scores the rows of an index for a query, term at a time over a dense array with a list of the rows in use: for tens of
// thousands of rows adding up whole postings takes less than keeping candidates in order would. Arrays are reused.
import { f32, u32 } from "./Numbers.js"
import type { Postings } from "./Postings.js"
import type { SearchClause, SearchWord } from "./Resolve.js"

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
    if (before === 0) {
      this.rows[this.count] = row
      this.count += 1
    }
    this.values[row] = before + value
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
   * Fills `total` with the sum over the clauses plus, with several clauses, `bestClause` of the best total times how near
   * the row comes to being the best of some clause: a request for two things is served by two operations.
   */
  score(clauses: ReadonlyArray<SearchClause>, bestClause: number): void {
    const { best, clause, total } = this
    total.clear()
    if (clauses.length <= 1) {
      for (const word of clauses[0]?.words ?? []) this.addWord(word, total)
      return
    }
    for (const { words } of clauses) {
      for (const word of words) this.addWord(word, clause)
      this.closeClause()
    }
    const share = bestClause * total.highest()
    for (let at = 0; at < total.count; at += 1) {
      const row = u32(total.rows, at)
      total.values[row] = f32(total.values, row) + share * f32(best, row)
      best[row] = 0
    }
  }

  /** Adds the clause to the total, notes how near to its best each row comes, and clears it. */
  private closeClause(): void {
    const { best, clause, total } = this
    const scale = 1 / clause.highest()
    for (let at = 0; at < clause.count; at += 1) {
      const row = u32(clause.rows, at)
      const value = f32(clause.values, row)
      total.add(row, value)
      if (value * scale > f32(best, row)) best[row] = value * scale
    }
    clause.clear()
  }

  private addWord(word: SearchWord, target: RowScores): void {
    const [only] = word.alternatives
    if (word.alternatives.length > 1 || only === undefined) {
      this.addBest(word, target)
      return
    }
    const weight = only.weight * unit
    const { impacts, rows, start } = this.postings
    const end = weight > 0 ? u32(start, only.term + 1) : 0
    for (let at = u32(start, only.term); at < end; at += 1) target.add(u32(rows, at), weight * (impacts[at] ?? 0))
  }

  /** Of the alternatives in a row the best counts. */
  private addBest(word: SearchWord, target: RowScores): void {
    const scores = this.word
    const { impacts, rows, start } = this.postings
    for (const alternative of word.alternatives) {
      const weight = alternative.weight * unit
      const end = weight > 0 ? u32(start, alternative.term + 1) : 0
      for (let at = u32(start, alternative.term); at < end; at += 1) {
        const row = u32(rows, at)
        const more = weight * (impacts[at] ?? 0) - f32(scores.values, row)
        if (more > 0) scores.add(row, more)
      }
    }
    for (let at = 0; at < scores.count; at += 1) {
      const row = u32(scores.rows, at)
      target.add(row, f32(scores.values, row))
    }
    scores.clear()
  }
}
