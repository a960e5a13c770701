/**
 * The ways in which a text stands written inside another: UTF-16, base64, hex, and escapes (`Escapes.ts`). Each is
 * undone for a whole text, in steps of a few milliseconds, and every byte of the outcome knows the bytes that it was
 * written with. Linear in the text. Judges nothing: a file that merely looks like base64 is decoded as well.
 */
import { IntegerList } from "../node/IntegerArrays.js"

/** `to` is the first position after it. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface Decoded {
  readonly bytes: Buffer
  /** Works out where the bytes of a span stand in the text that was decoded. Asked for only where a key was found. */
  readonly sources: () => Generator<void, SourceOf>
}
export type SourceOf = (span: Span) => Span

/** So many bytes are worked through in one step of a generator, which takes a few milliseconds at most. */
export const portion = 131_072

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** A table of characters: 1 for each character of the text. */
export const signsOf = (text: string): Uint8Array => {
  const signs = new Uint8Array(256)
  for (let at = 0; at < text.length; at += 1) signs[text.charCodeAt(at)] = 1
  return signs
}

/** Calls `part` for one portion of the text after the other. Loops over bytes stand in functions: they are faster. */
function* inPortions(length: number, part: (from: number, to: number) => void): Generator<void> {
  for (let from = 0; from < length; from += portion) {
    part(from, Math.min(length, from + portion))
    if (from + portion < length) yield
  }
}

function* placesOf(source: Buffer, count: number): Generator<void, SourceOf> {
  const places = new IntegerList(1 + count)
  yield* inPortions(source.length, (from, to) => {
    for (let at = from; at < to; at += 1) if (source[at] !== 0) places.push(at)
  })
  return ({ from, to }) => ({ from: places.get(from), to: places.get(to - 1) + 1 })
}

/** UTF-16 and UTF-32 of plain signs, either way round: the text without its zero bytes. Null where there is none. */
export function* withoutZeros(source: Buffer): Generator<void, Decoded | null> {
  if (source.indexOf(0) < 0) return null
  const out = Buffer.allocUnsafe(source.length)
  let length = 0
  yield* inPortions(source.length, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const sign = source[at] ?? 0
      if (sign !== 0) out[length++] = sign
    }
  })
  return { bytes: out.subarray(0, length), sources: () => placesOf(source, length) }
}

const noSign = 255

interface Radix {
  /** What each sign means, so many bits; `noSign` for what is no sign. */
  readonly values: Uint8Array
  readonly bits: number
  /** So many signs make so many bytes. */
  readonly group: number
  readonly bytes: number
}

const valuesOf = (...alphabets: ReadonlyArray<string>): Uint8Array => {
  const values = new Uint8Array(256).fill(noSign)
  for (const alphabet of alphabets) for (let at = 0; at < alphabet.length; at += 1) values[alphabet.charCodeAt(at)] = at
  return values
}
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
const digits = "0123456789"
const base64Signs = letters + letters.toLowerCase() + digits
export const base64: Radix = { values: valuesOf(`${base64Signs}+/`, `${base64Signs}-_`), bits: 6, group: 4, bytes: 3 }
export const hex: Radix = { values: valuesOf(`${digits}abcdef`, `${digits}ABCDEF`), bits: 4, group: 2, bytes: 1 }

/**
 * Words before a run may shift it by some signs. Only short runs are tried at every shift: a long one is a file of its
 * own.
 */
const shiftedRunMax = 1024
/** A line of base64 that is at least this long continues on the next line. */
const lineMin = 60

/** Runs of characters of an encoding, in order. Packed, because there may be hundreds of thousands. */
class Runs {
  private readonly cells = new IntegerList(48)

  get count(): number {
    return this.cells.length / 3
  }
  /** `joined`: the run continues the one before it. */
  add(from: number, to: number, joined: boolean): void {
    this.cells.push(from)
    this.cells.push(to)
    this.cells.push(joined ? 1 : 0)
  }
  from(run: number): number {
    return this.cells.get(run * 3)
  }
  to(run: number): number {
    return this.cells.get(run * 3 + 1)
  }
  joined(run: number): boolean {
    return this.cells.get(run * 3 + 2) === 1
  }
  isRead(run: number, shift: number): boolean {
    return shift === 0 || this.to(run) - this.from(run) <= shiftedRunMax
  }
}

/**
 * Looks for runs from the front to the end, as far as it is told. A run of so many signs has a sign at every place that
 * is as far from the last one, so most of a text is never looked at.
 */
class RunScan {
  readonly runs = new Runs()
  at = 0
  /** Where the run began that is not at its end yet, or -1. */
  private begin = -1
  private joined = false
  private readonly runMin: number

  constructor(
    private readonly source: Buffer,
    private readonly radix: Radix,
    bytesMin: number
  ) {
    this.runMin = Math.max(1, Math.floor((bytesMin * radix.group) / radix.bytes))
  }

  goOnTo(limit: number): void {
    const { runMin, source } = this
    const { values } = this.radix
    let at = this.at
    let begin = this.begin
    while (at < limit) {
      if (begin < 0) {
        const probe = at + runMin - 1
        const isSign = probe < source.length && values[source[probe] ?? 0] !== noSign
        if (isSign) for (begin = probe; begin > at && values[source[begin - 1] ?? 0] !== noSign;) begin -= 1
        at = probe + 1
        continue
      }
      while (at < limit && values[source[at] ?? 0] !== noSign) at += 1
      if (at === limit && limit < source.length) break
      const next = this.end(begin, at)
      begin = this.joined ? next : -1
      at = next
    }
    if (begin >= 0 && at >= source.length) this.end(begin, source.length)
    this.at = at
    this.begin = begin
  }

  /** Ends a run, and answers where the next one may begin: on the next line, when it is one that is continued. */
  private end(from: number, to: number): number {
    const { joined, radix, runs, source } = this
    if (to - from >= this.runMin || joined) runs.add(from, to, joined)
    const feed = source[to] === carriageReturn ? to + 1 : to
    this.joined =
      (to - from) % radix.group === 0 &&
      to - from >= lineMin &&
      source[feed] === lineFeed &&
      radix.values[source[feed + 1] ?? 0] !== noSign
    return this.joined ? feed + 1 : to + 1
  }
}

/** Runs of characters of the encoding that hold at least this many bytes. */
export function* runsOf(source: Buffer, radix: Radix, bytesMin: number): Generator<void, Runs> {
  const scan = new RunScan(source, radix, bytesMin)
  while (scan.at < source.length) {
    scan.goOnTo(Math.min(source.length, scan.at + portion))
    if (scan.at < source.length) yield
  }
  return scan.runs
}

/** Decodes signs that begin a group, and returns where the outcome ends. */
const decode = (source: Buffer, span: Span, { bits, values }: Radix, out: Buffer, start: number): number => {
  let length = start
  let held = 0
  let heldBits = 0
  for (let at = span.from; at < span.to; at += 1) {
    held = ((held << bits) | (values[source[at] ?? 0] ?? 0)) & 0xffff
    heldBits += bits
    if (heldBits < 8) continue
    heldBits -= 8
    out[length++] = held >> heldBits
  }
  return length
}

/** To begin a run costs as much as to decode so many signs. */
const signsPerRun = 32

/**
 * What the runs hold when they are read from their `shift`th sign on, a line for each; null where none is to be read
 * so.
 */
export function* decodedRuns(source: Buffer, runs: Runs, radix: Radix, shift: number): Generator<void, Decoded | null> {
  const { bytes, group } = radix
  let room = 0
  for (let run = 0; run < runs.count; run += 1)
    if (runs.isRead(run, shift)) room += 1 + Math.ceil(((runs.to(run) - runs.from(run)) * bytes) / group)
  if (room === 0) return null
  const out = Buffer.allocUnsafe(room)
  /** Where each run begins in the outcome, and where it stands in the source. */
  const starts = new IntegerList(16)
  let length = 0
  let done = 0
  for (let run = 0; run < runs.count; run += 1) {
    if (!runs.isRead(run, shift)) continue
    if (shift > 0 || !runs.joined(run)) out[length++] = lineFeed
    const to = runs.to(run)
    const from = runs.from(run) + shift
    starts.push(length)
    starts.push(from)
    // A portion is made of whole groups, so that a run may be decoded in parts.
    for (let at = from; at < to; at += portion) {
      const part = { from: at, to: Math.min(to, at + portion) }
      length = decode(source, part, radix, out, length)
      done += signsPerRun + part.to - at
      if (done < portion) continue
      done = 0
      yield
    }
  }
  const runAt = (at: number): number => {
    let low = 0
    let high = starts.length / 2
    while (low < high) {
      const middle = (low + high) >>> 1
      if (starts.get(middle * 2) <= at) low = middle + 1
      else high = middle
    }
    return 2 * Math.max(0, low - 1)
  }
  const sourceOf: SourceOf = ({ from, to }) => {
    const first = runAt(from)
    const last = runAt(to - 1)
    return {
      from: starts.get(first + 1) + Math.floor(((from - starts.get(first)) * group) / bytes),
      to: starts.get(last + 1) + Math.ceil(((to - starts.get(last)) * group) / bytes)
    }
  }
  return { bytes: out.subarray(0, length), sources: () => known(sourceOf) }
}

/** Where nothing has to be worked out. */

export function* known(sourceOf: SourceOf): Generator<void, SourceOf> {
  return sourceOf
}
