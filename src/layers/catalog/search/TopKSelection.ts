/**
 * Selects the rows with the highest scores without sorting all rows. Rows that score more than the least of the best so
 * far are collected, and from time to time only the best of them are kept. So most rows cost one comparison, and only
 * as many as are wanted are sorted. Rows with equal scores stand in the order of their numbers, so that pages of one
 * query never overlap.
 */
import { f32, f64, u32 } from "../../node/IntegerArrays.js"
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
 * A sort key is one number of 53 bits: 31 of the score and 22 of the row, which allows four million rows. Positive
 * floats have the same order as their bits read as integers.
 */
const rowsMax = 2 ** 22
/** So many times the wanted rows are collected before all but the best are dropped. */
const roomFor = 4

/**
 * Puts the `wanted` highest of the first `count` keys, which all differ, before the others; the least of them is the
 * last.
 */
const putHighestFirst = (keys: Float64Array, count: number, wanted: number): void => {
  let low = 0
  let high = count - 1
  while (low < high) {
    const [first, middle, last] = [f64(keys, low), f64(keys, (low + high) >>> 1), f64(keys, high)]
    const pivot = Math.max(Math.min(first, middle), Math.min(Math.max(first, middle), last))
    let left = low
    let right = high
    while (left <= right) {
      while (f64(keys, left) > pivot) left += 1
      while (f64(keys, right) < pivot) right -= 1
      if (left > right) break
      const moved = f64(keys, left)
      keys[left] = f64(keys, right)
      keys[right] = moved
      left += 1
      right -= 1
    }
    if (wanted - 1 <= right) high = right
    else if (wanted - 1 >= left) low = left
    else return
  }
}

/** Its arrays are reused: one selector serves the queries of an index one after the other. */
export class TopKSelector {
  private keys = new Float64Array(0)
  private readonly score = new Float32Array(1)
  /** The bits of `score`: the same memory. */
  private readonly bits = new Uint32Array(this.score.buffer)

  /** The best `count` of the rows that pass the filter. Empties `matches`. */
  pick(matches: RowScores, groups: GroupScores, count: number, filter: ((row: number) => boolean) | undefined): Picked {
    const { bits, score } = this
    const { count: matched, rows, values } = matches
    const { factor, of, scores } = groups
    const room = Math.min(matched, roomFor * count)
    if (this.keys.length < room) this.keys = new Float64Array(room)
    const { keys } = this
    let total = matched
    let found = 0
    let least = 0
    let leastKey = 0
    for (let at = 0; at < matched; at += 1) {
      const row = u32(rows, at)
      const sum = Math.fround(f32(values, row) + factor * f32(scores, u32(of, row)))
      values[row] = 0
      if (filter !== undefined && !filter(row)) {
        total -= 1
        continue
      }
      if (sum < least) continue
      score[0] = sum
      const key = u32(bits, 0) * rowsMax + (rowsMax - 1 - row)
      if (key < leastKey) continue
      keys[found] = key
      found += 1
      if (found < room || found <= count) continue
      putHighestFirst(keys, found, count)
      found = count
      leastKey = f64(keys, count - 1)
      bits[0] = Math.floor(leastKey / rowsMax)
      least = f32(score, 0)
    }
    matches.count = 0
    return { ...this.sorted(found, Math.min(count, total)), total }
  }

  /** The best of the keys that were found. */
  private sorted(found: number, wanted: number): Omit<Picked, "total"> {
    const { bits, keys, score } = this
    putHighestFirst(keys, found, wanted)
    const ordered = keys.subarray(0, wanted).sort()
    const rows: Array<number> = []
    const scores: Array<number> = []
    for (let at = wanted - 1; at >= 0; at -= 1) {
      const key = f64(ordered, at)
      const own = Math.floor(key / rowsMax)
      bits[0] = own
      rows.push(rowsMax - 1 - (key - own * rowsMax))
      scores.push(f32(score, 0))
    }
    return { rows, scores }
  }
}
