// Growing lists of unsigned integers for the index build: the final length is unknown and an array of boxed numbers
// would take several times the memory.

// Each reads a cell that is known to exist; a typed array answers undefined only outside its length. One function an
// array type, because a function that sees several types is compiled for none of them.
export const u32 = (array: Uint32Array, at: number): number => array[at] ?? 0
export const i32 = (array: Int32Array, at: number): number => array[at] ?? 0
export const u16 = (array: Uint16Array, at: number): number => array[at] ?? 0
export const u8 = (array: Uint8Array, at: number): number => array[at] ?? 0
export const f32 = (array: Float32Array, at: number): number => array[at] ?? 0

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
