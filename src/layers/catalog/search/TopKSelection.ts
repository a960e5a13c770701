/**
 * Selects the rows with the highest scores without sorting all rows. Scores are counted into bins. Bins are then taken
 * from the best one down until they hold the wanted number of rows, and only the rows of these bins are sorted. Rows
 * with equal scores stand in the order of their numbers, so that pages of one query never overlap.
 */
import { f32, u32 } from "./IntegerArrays.js"
import { ScoreOrder } from "./ScoreOrder.js"
import type { RowScores } from "./Scoring.js"

export interface Picked {
  /** Best first. */
  readonly rows: Array<number>
  /** The score of the row at the same place. */
  readonly scores: Array<number>
  /** How many rows matched and passed the filter. */
  readonly total: number
}

/** Added to each row's own score: `factor * scores[of[row]]`, the score of the group that the row belongs to. */
export interface GroupScores {
  readonly of: Uint32Array
  readonly scores: Float32Array
  readonly factor: number
}

/**
 * Positive floats have the same order as their bits read as integers, so the upper 16 bits of a score are its bin. Two
 * scores in one bin differ by less than one per cent.
 */
const binBits = 16

/** Its arrays are reused: one selector serves the queries of an index one after the other. */
export class TopKSelector {
  private readonly sums: Float32Array
  /** The bits of `sums`: the same memory. */
  private readonly bits: Uint32Array
  /** All 0 between queries. */
  private readonly bins = new Uint32Array(1 << (32 - binBits))
  private readonly order: ScoreOrder
  constructor(size: number) {
    this.sums = new Float32Array(size)
    this.bits = new Uint32Array(this.sums.buffer)
    this.order = new ScoreOrder(size)
  }

  /** The best `count` of the rows that pass the filter. */
  pick(matches: RowScores, groups: GroupScores, count: number, filter: ((row: number) => boolean) | undefined): Picked {
    const { bins, bits, sums } = this
    const { count: matched, rows, values } = matches
    const { factor, of, scores } = groups
    let total = matched
    let highest = 0
    let lowest = bins.length
    for (let at = 0; at < matched; at += 1) {
      const row = u32(rows, at)
      if (filter !== undefined && !filter(row)) {
        sums[at] = 0
        total -= 1
        continue
      }
      sums[at] = f32(values, row) + factor * f32(scores, u32(of, row))
      const bin = u32(bits, at) >>> binBits
      bins[bin] = u32(bins, bin) + 1
      if (bin > highest) highest = bin
      if (bin < lowest) lowest = bin
    }
    const wanted = Math.min(count, total)
    let cutoff = highest
    for (let held = u32(bins, highest); held < wanted; held += u32(bins, cutoff)) cutoff -= 1
    if (total > 0) bins.fill(0, lowest, highest + 1)
    return wanted === 0 ? { rows: [], scores: [], total } : { ...this.sorted(matches, cutoff, wanted), total }
  }

  /** The best of the rows in the bins from `cutoff` on. */
  private sorted(matches: RowScores, cutoff: number, wanted: number): Omit<Picked, "total"> {
    const { bits, order, sums } = this
    let found = 0
    for (let at = 0; at < matches.count; at += 1) {
      if (u32(bits, at) >>> binBits < cutoff) continue
      order.set(found, u32(matches.rows, at), f32(sums, at))
      found += 1
    }
    order.sort(found)
    const rows: Array<number> = []
    const scores: Array<number> = []
    for (let at = 0; at < wanted; at += 1) {
      rows.push(order.rowAt(at))
      scores.push(order.scoreAt(at))
    }
    return { rows, scores }
  }
}
