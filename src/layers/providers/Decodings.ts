/**
 * The ways in which a text stands written inside another: UTF-16, base64, hex, and escapes (`Escapes.ts`). Each is
 * undone for a whole text at once, and every byte of the outcome knows the bytes that it was written with. Linear in
 * the text. Judges nothing: a file that merely looks like base64 is decoded as well.
 */

/** `to` is the first position after it. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface Decoded {
  readonly bytes: Buffer
  /** Where the bytes of this span stand in the text that was decoded. */
  readonly sourceOf: (span: Span) => Span
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** A table of characters: 1 for each character of the text. */
export const signsOf = (text: string): Uint8Array => {
  const signs = new Uint8Array(256)
  for (let at = 0; at < text.length; at += 1) signs[text.charCodeAt(at)] = 1
  return signs
}

/** UTF-16 and UTF-32 of plain signs, either way round: the text without its zero bytes. Null where there is none. */
export const withoutZeros = (source: Buffer): Decoded | null => {
  if (source.indexOf(0) < 0) return null
  const out = Buffer.allocUnsafe(source.length)
  let length = 0
  for (const sign of source) {
    if (sign === 0) continue
    out[length] = sign
    length += 1
  }
  let places: Uint32Array | undefined
  const placed = (at: number): number => {
    if (places === undefined) {
      places = new Uint32Array(length)
      for (let from = 0, next = 0; from < source.length; from += 1) {
        if (source[from] === 0) continue
        places[next] = from
        next += 1
      }
    }
    return places[at] ?? 0
  }
  return {
    bytes: out.subarray(0, length),
    sourceOf: ({ from, to }) => ({ from: placed(from), to: placed(to - 1) + 1 })
  }
}

const digitsAndLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

export interface Radix {
  readonly encoding: "base64" | "hex"
  readonly signs: Uint8Array
  /** So many signs make so many bytes. */
  readonly group: number
  readonly bytes: number
}
/** Both alphabets. */
export const base64: Radix = { encoding: "base64", signs: signsOf(`${digitsAndLetters}+/-_`), group: 4, bytes: 3 }
export const hex: Radix = { encoding: "hex", signs: signsOf("0123456789abcdefABCDEF"), group: 2, bytes: 1 }

/**
 * Words before a run may shift it by some signs. Only short runs are tried at every shift: a long one is a file of its
 * own.
 */
const shiftedRunMax = 1024
/** A line of base64 that is at least this long continues on the next line. */
const lineMin = 60

interface Run extends Span {
  /** Whether the run continues the one before it. */
  readonly joined: boolean
}

/** Runs of characters of the encoding that hold at least this many bytes. */
export const runsOf = (source: Buffer, { bytes, group, signs }: Radix, bytesMin: number): ReadonlyArray<Run> => {
  const runMin = Math.floor((bytesMin * group) / bytes)
  const runs: Array<Run> = []
  let joined = false
  for (let at = 0; at < source.length; at += 1) {
    if (signs[source[at] ?? 0] === 0) continue
    const from = at
    while (at < source.length && signs[source[at] ?? 0] === 1) at += 1
    if (at - from >= runMin || joined) runs.push({ from, to: at, joined })
    joined = false
    if ((at - from) % group === 0 && at - from >= lineMin) {
      const next = source[at] === carriageReturn ? at + 1 : at
      joined = source[next] === lineFeed && signs[source[next + 1] ?? 0] === 1
      if (joined) at = next
    }
  }
  return runs
}

/**
 * What the runs hold when they are read from their `shift`th sign on, a line for each; null where none is to be read
 * so.
 */
export const decodedRuns = (source: Buffer, runs: ReadonlyArray<Run>, radix: Radix, shift: number): Decoded | null => {
  const read = shift === 0 ? runs : runs.filter(({ from, to }) => to - from <= shiftedRunMax)
  if (read.length === 0) return null
  const { bytes, encoding, group } = radix
  const out = Buffer.allocUnsafe(read.reduce((sum, { from, to }) => sum + to - from + 1, 0))
  const starts: Array<number> = []
  let length = 0
  for (const { from, joined, to } of read) {
    if (!joined || shift > 0) {
      out[length] = lineFeed
      length += 1
    }
    starts.push(length)
    length += out.write(source.toString("latin1", from + shift, to), length, encoding)
  }
  const runOf = (at: number): number => {
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((starts[middle] ?? 0) <= at) low = middle + 1
      else high = middle
    }
    return Math.max(0, low - 1)
  }
  const signOf = (at: number): number => {
    const run = runOf(at)
    return (read[run]?.from ?? 0) + shift + Math.floor(((at - (starts[run] ?? 0)) * group) / bytes)
  }
  const lastSignOf = (at: number): number => {
    const run = runOf(at)
    return (read[run]?.from ?? 0) + shift + Math.ceil(((at - (starts[run] ?? 0) + 1) * group) / bytes)
  }
  return {
    bytes: out.subarray(0, length),
    sourceOf: ({ from, to }) => ({ from: signOf(from), to: lastSignOf(to - 1) })
  }
}
