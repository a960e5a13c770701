/**
 * The bytes of a body as they arrive, in few buffers however small their chunks are: a chunk of one byte would take
 * a hundred bytes of memory, and keep all that arrived with it. They are put together in slices.
 */
import { Effect } from "effect"
import { runInSlices } from "./Slices.js"

const blockBytesMin = 4_096
const blockBytesMax = 65_536
/** A chunk of at least this size is kept as it is. */
const wholeBytesMin = 16_384
/** Bytes that are copied in one step. */
const portion = 1_048_576

function* copySteps(pieces: ReadonlyArray<Buffer>, length: number): Generator<void, Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  let at = 0
  let next = portion
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += portion) {
      at += piece.copy(bytes, at, from, Math.min(piece.length, from + portion))
      if (at < next) continue
      next = at + portion
      yield
    }
  }
  return bytes
}

export class ArrivingBytes {
  private readonly pieces: Array<Buffer> = []
  private block = Buffer.alloc(0)
  private used = 0
  length = 0

  add(chunk: Buffer): void {
    this.length += chunk.length
    // Most bodies are one chunk.
    if (chunk.length >= wholeBytesMin || this.length === chunk.length) {
      this.endBlock()
      this.pieces.push(chunk)
      return
    }
    for (let from = 0; from < chunk.length;) {
      if (this.used === this.block.length) {
        this.endBlock()
        this.block = Buffer.allocUnsafeSlow(Math.min(blockBytesMax, Math.max(blockBytesMin, this.length)))
      }
      const copied = chunk.copy(this.block, this.used, from)
      this.used += copied
      from += copied
    }
  }

  private endBlock(): void {
    if (this.used > 0) this.pieces.push(this.block.subarray(0, this.used))
    this.block = this.block.subarray(this.used)
    this.used = 0
  }

  /** All of them. Nothing is added any more. */
  get whole(): Effect.Effect<Buffer> {
    return Effect.suspend(() => {
      this.endBlock()
      const { length, pieces } = this
      const [first = Buffer.alloc(0)] = pieces
      if (pieces.length <= 1) return Effect.succeed(first)
      return length <= portion
        ? Effect.succeed(Buffer.concat(pieces, length))
        : runInSlices(() => copySteps(pieces, length))
    })
  }
}
