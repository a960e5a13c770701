/**
 * Typed arrays, for the search index and for what may stand a million times in an answer: readers of single cells, and
 * a list that grows. A plain array of numbers would take several times the memory.
 */

// Each function reads a cell that exists: a typed array answers undefined only outside its length. There is one
// function for each type of array, because V8 optimises a function badly once it has seen several types.
export const u32 = (array: Uint32Array, at: number): number => array[at] ?? 0
export const i32 = (array: Int32Array, at: number): number => array[at] ?? 0
export const u16 = (array: Uint16Array, at: number): number => array[at] ?? 0
export const u8 = (array: Uint8Array, at: number): number => array[at] ?? 0
export const f32 = (array: Float32Array, at: number): number => array[at] ?? 0
export const f64 = (array: Float64Array, at: number): number => array[at] ?? 0

export class IntegerList {
  private items: Uint32Array
  length = 0
  constructor(capacity = 1024) {
    this.items = new Uint32Array(capacity)
  }

  push(value: number): void {
    if (this.length === this.items.length) {
      const grown = new Uint32Array(this.items.length * 2)
      grown.set(this.items)
      this.items = grown
    }
    this.items[this.length] = value
    this.length += 1
  }

  get(at: number): number {
    return this.items[at] ?? 0
  }

  /** The list as an array of exactly its length. */
  seal(): Uint32Array {
    return this.items.slice(0, this.length)
  }
}
