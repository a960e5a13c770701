/**
 * Sorts rows by score, the best first, and of equal scores the lower row. A row and its score are one number of 53
 * bits: the bits of a positive 32-bit float, which have the order of the floats, and 22 of the row, which allows four
 * million rows. Plain numbers sort several times faster than pairs.
 */
import { f32, f64 } from "./IntegerArrays.js"

const rowsMax = 2 ** 22

/** Its arrays are reused. `count` of `sort` is how many places were set, from the first on. */
export class ScoreOrder {
  private readonly keys: Float64Array
  private readonly score = new Float32Array(1)
  /** The bits of `score`: the same memory. */
  private readonly bits = new Uint32Array(this.score.buffer)
  private count = 0
  constructor(size: number) {
    this.keys = new Float64Array(size)
  }

  /** `score` is not negative. */
  set(at: number, row: number, score: number): void {
    this.score[0] = score
    this.keys[at] = (this.bits[0] ?? 0) * rowsMax + (rowsMax - 1 - row)
  }

  sort(count: number): void {
    this.keys.subarray(0, count).sort()
    this.count = count
  }

  /** The row at a place of the order. */
  rowAt(place: number): number {
    return rowsMax - 1 - (this.keyAt(place) % rowsMax)
  }

  scoreAt(place: number): number {
    this.bits[0] = Math.floor(this.keyAt(place) / rowsMax)
    return f32(this.score, 0)
  }

  private keyAt(place: number): number {
    return f64(this.keys, this.count - 1 - place)
  }
}
