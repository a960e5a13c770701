// Picks the best rows of a score array: a bounded heap with the worst on top, so the cost is one comparison for nearly
// every row. Equal scores are ordered by row number, which keeps pages stable.
import { f32, u32 } from "./Numbers.js"
import type { RowScores } from "./Scoring.js"

/** A row and its score. */
export interface Candidate {
  readonly doc: number
  readonly score: number
}

export interface TopRows {
  /** Best first. */
  readonly best: Array<Candidate>
  /** How many rows matched and passed the filter. */
  readonly total: number
}

/** What a row's group adds to a score above zero: `factor * scores[of[row]]`. */
export interface GroupScores {
  readonly of: Uint32Array
  readonly scores: Float32Array
  readonly factor: number
}

/** The worst of the kept rows on top: the lowest score, and among equals the highest row. */
class Heap {
  readonly rows: Uint32Array
  readonly scores: Float32Array
  length = 0
  constructor(readonly capacity: number) {
    this.rows = new Uint32Array(capacity)
    this.scores = new Float32Array(capacity)
  }

  private below(row: number, score: number, at: number): boolean {
    const other = f32(this.scores, at)
    return score < other || (score === other && row > u32(this.rows, at))
  }

  private put(at: number, row: number, score: number): void {
    this.rows[at] = row
    this.scores[at] = score
  }

  outranksWorst(row: number, score: number): boolean {
    return this.length > 0 && !this.below(row, score, 0)
  }

  add(row: number, score: number): void {
    let at = this.length
    this.length += 1
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!this.below(row, score, parent)) break
      this.put(at, u32(this.rows, parent), f32(this.scores, parent))
      at = parent
    }
    this.put(at, row, score)
  }

  replaceWorst(row: number, score: number): void {
    let at = 0
    for (let child = 1; child < this.length; child = at * 2 + 1) {
      if (child + 1 < this.length && this.below(u32(this.rows, child + 1), f32(this.scores, child + 1), child)) child += 1
      if (this.below(row, score, child)) break
      this.put(at, u32(this.rows, child), f32(this.scores, child))
      at = child
    }
    this.put(at, row, score)
  }
}

/** Keeps rows whose sum only rounds up to the worst kept score. */
const roundingSlack = 1 - 1e-6

export const byScore = (a: Candidate, b: Candidate): number => b.score - a.score || a.doc - b.doc

export const topRows = (matches: RowScores, groups: GroupScores, count: number, filter: ((row: number) => boolean) | undefined): TopRows => {
  const heap = new Heap(Math.min(count, matches.count))
  const { capacity } = heap
  const { factor, of, scores: groupScores } = groups
  let most = 0
  for (let group = 0; group < groupScores.length; group += 1) most = Math.max(most, factor * f32(groupScores, group))
  let total = filter === undefined ? matches.count : 0
  // A row is worth a closer look only when even the best group would lift it to the worst kept.
  let threshold = 0
  for (let at = 0; at < matches.count; at += 1) {
    const row = u32(matches.rows, at)
    const own = f32(matches.values, row)
    if (filter !== undefined) {
      if (!filter(row)) continue
      total += 1
    }
    if (own < threshold) continue
    const score = Math.fround(own + factor * f32(groupScores, u32(of, row)))
    if (heap.length < capacity) heap.add(row, score)
    else if (heap.outranksWorst(row, score)) heap.replaceWorst(row, score)
    else continue
    if (heap.length === capacity) threshold = f32(heap.scores, 0) * roundingSlack - most
  }
  const best: Array<Candidate> = []
  for (let at = 0; at < heap.length; at += 1) best.push({ doc: u32(heap.rows, at), score: f32(heap.scores, at) })
  return { best: best.sort(byScore), total }
}
