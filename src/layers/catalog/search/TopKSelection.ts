/**
 * Selects the rows with the highest scores without sorting all rows. Scores are counted into bins. Bins are then taken
 * from the best one down until they hold the wanted number of rows, and only the rows of these bins are sorted. Rows
 * with equal scores stand in the order of their numbers, so that pages of one query never overlap.
 */
import { f32, u32 } from "../../node/IntegerArrays.js"
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
/** A sort key is one number of 53 bits: 31 of the score and 22 of the row, which allows four million rows. */
const rowsMax = 2 ** 22

/** Its arrays are reused: one selector serves the queries of an index one after the other. */
export class TopKSelector {
  private readonly sums: Float32Array
  /** The bits of `sums`: the same memory. */
  private readonly bits: Uint32Array
  /** All 0 between queries. */
  private readonly bins = new Uint32Array(1 << (32 - binBits))
  private readonly keys: Float64Array
  constructor(size: number) {
    this.sums = new Float32Array(size)
    this.bits = new Uint32Array(this.sums.buffer)
    this.keys = new Float64Array(size)
  }

  /** The best `count` of the rows that pass the filter. */
  pick(matches: RowScores, groups: GroupScores, count: number, filter: ((row: number) => boolean) | undefined): Picked {
    const { bins, bits, sums } = this
    const { count: matched, rows, values } = matches
    const { factor, of, scores } = groups
    for (let at = 0; at < matched; at += 1) {
      const row = u32(rows, at)
      sums[at] = f32(values, row) + factor * f32(scores, u32(of, row))
    }
    let total = matched
    for (let at = 0; filter !== undefined && at < matched; at += 1) {
      if (filter(u32(rows, at))) continue
      sums[at] = 0
      total -= 1
    }
    let highest = 0
    let lowest = bins.length
    for (let at = 0; at < matched; at += 1) {
      const bin = u32(bits, at) >>> binBits
      bins[bin] = u32(bins, bin) + 1
      if (bin > highest) highest = bin
      if (bin < lowest) lowest = bin
    }
    const wanted = Math.min(count, total)
    let cutoff = highest
    for (let held = u32(bins, highest); held < wanted; held += u32(bins, cutoff)) cutoff -= 1
    bins.fill(0, lowest, highest + 1)
    return wanted === 0 ? { rows: [], scores: [], total } : { ...this.sorted(matches, cutoff, wanted), total }
  }

  /** The best of the rows in the bins from `cutoff` on. */
  private sorted(matches: RowScores, cutoff: number, wanted: number): Omit<Picked, "total"> {
    const { bits, keys, sums } = this
    let found = 0
    for (let at = 0; at < matches.count; at += 1) {
      const own = u32(bits, at)
      if (own >>> binBits < cutoff) continue
      keys[found] = own * rowsMax + (rowsMax - 1 - u32(matches.rows, at))
      found += 1
    }
    const ordered = keys.subarray(0, found).sort()
    const rows: Array<number> = []
    const scores: Array<number> = []
    for (let at = 0; at < wanted; at += 1) {
      const key = ordered[found - 1 - at] ?? 0
      // The array of sums serves as scratch memory here: its first places are not read again.
      bits[at] = Math.floor(key / rowsMax)
      rows.push(rowsMax - 1 - (key % rowsMax))
      scores.push(f32(sums, at))
    }
    return { rows, scores }
  }
}
