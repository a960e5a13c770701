/**
 * Backslash, percent and HTML escapes, undone for a whole text in steps of a few milliseconds. Linear in the text; what
 * is no escape stays as it is.
 */
import { IntegerList } from "../node/IntegerArrays.js"
import { type Decoded, portion, signsOf, type SourceOf, type Span } from "./Decodings.js"

const backslash = 0x5c
const percent = 0x25
const ampersand = 0x26
const hash = 0x23
const semicolon = 0x3b
/** Replaces a character that no key can hold. */
const substitute = 0x1a

const hexDigits = new Int8Array(256).fill(-1)
for (const [value, digits] of Array.from("0123456789abcdef", (digit) => digit + digit.toUpperCase()).entries()) {
  for (let at = 0; at < 2; at += 1) hexDigits[digits.charCodeAt(at)] = value
}
const hexAt = (source: Buffer, at: number): number => hexDigits[source[at] ?? 0] ?? -1

const shortEscapes: ReadonlyMap<number, number> = new Map(
  Array.from("\"\\/'", (sign): [number, number] => [sign.charCodeAt(0), sign.charCodeAt(0)]).concat([
    [0x62, 8],
    [0x66, 12],
    [0x6e, 10],
    [0x72, 13],
    [0x74, 9]
  ])
)

const entities: ReadonlyMap<string, number> = new Map(
  Object.entries({
    amp: "&",
    quot: '"',
    apos: "'",
    lt: "<",
    gt: ">",
    sol: "/",
    bsol: "\\",
    plus: "+",
    equals: "=",
    colon: ":",
    semi: ";",
    comma: ",",
    period: ".",
    lowbar: "_",
    UnderBar: "_",
    excl: "!",
    num: "#",
    dollar: "$",
    percnt: "%",
    lpar: "(",
    rpar: ")",
    ast: "*",
    midast: "*",
    quest: "?",
    commat: "@",
    lsqb: "[",
    lbrack: "[",
    rsqb: "]",
    rbrack: "]",
    Hat: "^",
    grave: "`",
    lcub: "{",
    lbrace: "{",
    rcub: "}",
    rbrace: "}",
    vert: "|",
    verbar: "|",
    VerticalLine: "|"
  }).map(([name, sign]) => [name, sign.charCodeAt(0)])
)
const entityNameMax = 12
const entityDigitsMax = 10

/**
 * How many bytes an escape takes and what it means: a character, or a byte when it is none. Packed, because there may
 * be millions.
 */
const packed = (length: number, value: number, isByte = false): number => (value * 64 + length) * 2 + (isByte ? 1 : 0)
const lengthOf = (escape: number): number => Math.floor(escape / 2) % 64
const valueOf = (escape: number): number => Math.floor(escape / 128)

const hexValue = (source: Buffer, from: number, digits: number): number => {
  let value = 0
  for (let at = from; at < from + digits; at += 1) {
    const digit = hexAt(source, at)
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

const backslashEscape = (source: Buffer, at: number): number => {
  const kind = source[at + 1] ?? 0
  const short = shortEscapes.get(kind)
  if (short !== undefined) return packed(2, short)
  if (kind === 0x75) {
    if (source[at + 2] === 0x7b) {
      for (let digits = 1; digits <= 6; digits += 1)
        if (source[at + 3 + digits] === 0x7d) return Math.max(0, packed(digits + 4, hexValue(source, at + 3, digits)))
      return 0
    }
    return Math.max(0, packed(6, hexValue(source, at + 2, 4)))
  }
  return kind === 0x78 ? Math.max(0, packed(4, hexValue(source, at + 2, 2), true)) : 0
}

const percentEscape = (source: Buffer, at: number): number => {
  const next = source[at + 1]
  return next === 0x75 || next === 0x55
    ? Math.max(0, packed(6, hexValue(source, at + 2, 4)))
    : Math.max(0, packed(3, hexValue(source, at + 1, 2), true))
}

const entityEscape = (source: Buffer, at: number): number => {
  if (source[at + 1] === hash) {
    const isHex = source[at + 2] === 0x78 || source[at + 2] === 0x58
    const first = at + (isHex ? 3 : 2)
    let value = 0
    let to = first
    for (; to < first + entityDigitsMax; to += 1) {
      const digit = hexAt(source, to)
      if (digit < 0 || (digit > 9 && !isHex)) break
      value = Math.min(0x11_0000, value * (isHex ? 16 : 10) + digit)
    }
    return to === first ? 0 : packed(to - at + (source[to] === semicolon ? 1 : 0), value)
  }
  for (let to = at + 1; to < at + entityNameMax; to += 1) {
    const sign = source[to] ?? 0
    if (sign === semicolon) {
      const value = entities.get(source.toString("latin1", at + 1, to))
      return value === undefined ? 0 : packed(to + 1 - at, value)
    }
    if (sign < 0x41 || sign > 0x7a) return 0
  }
  return 0
}

/** The first characters of the kinds of escapes to undo. */
type EscapeSigns = "\\" | "%" | "&" | "\\%&"

/** 0 when no escape begins here. */
const escapeAt = (source: Buffer, at: number): number => {
  switch (source[at]) {
    case backslash:
      return backslashEscape(source, at)
    case percent:
      return percentEscape(source, at)
    case ampersand:
      return entityEscape(source, at)
    default:
      return 0
  }
}

/** Where escapes stand: the decoded byte, and the bytes it was written with. */
class Places {
  private readonly cells = new IntegerList(192)

  add(at: number, from: number, to: number): void {
    this.cells.push(at)
    this.cells.push(from)
    this.cells.push(to)
  }

  /** The bytes with which the decoded byte was written. */
  sourceOf(at: number): Span {
    let low = 0
    let high = this.cells.length / 3
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.cells.get(middle * 3) <= at) low = middle + 1
      else high = middle
    }
    if (low === 0) return { from: at, to: at + 1 }
    const place = low * 3 - 3
    const decoded = this.cells.get(place)
    const from = this.cells.get(place + 1)
    const to = this.cells.get(place + 2)
    return decoded === at ? { from, to } : { from: to + at - decoded - 1, to: to + at - decoded }
  }
}

/** Decodes a text from the front to the end, as far as it is told. */
class Unescaping {
  at = 0
  length = 0
  readonly out: Buffer

  constructor(
    private readonly source: Buffer,
    private readonly starts: Uint8Array,
    private readonly places: Places | null
  ) {
    this.out = Buffer.allocUnsafe(source.length)
  }

  goOnTo(limit: number): void {
    const { out, source, starts } = this
    let { at, length } = this
    while (at < limit) {
      const sign = source[at] ?? 0
      const escape = starts[sign] === 1 ? escapeAt(source, at) : 0
      if (escape === 0) {
        out[length++] = sign
        at += 1
        continue
      }
      const to = at + lengthOf(escape)
      const value = valueOf(escape)
      const first = length
      if (value < 0x80 || escape % 2 === 1) out[length++] = value
      else if (value < 0x800) {
        out[length++] = 0xc0 | (value >> 6)
        out[length++] = 0x80 | (value & 0x3f)
      } else out[length++] = substitute
      for (let decoded = first; decoded < length; decoded += 1) this.places?.add(decoded, at, to)
      at = to
    }
    this.at = at
    this.length = length
  }
}

function* unescapeAll(source: Buffer, starts: Uint8Array, places: Places | null): Generator<void, Buffer> {
  const unescaping = new Unescaping(source, starts, places)
  while (unescaping.at < source.length) {
    unescaping.goOnTo(Math.min(source.length, unescaping.at + portion))
    if (unescaping.at < source.length) yield
  }
  return unescaping.out.subarray(0, unescaping.length)
}

function* placesOf(source: Buffer, starts: Uint8Array): Generator<void, SourceOf> {
  const places = new Places()
  yield* unescapeAll(source, starts, places)
  return ({ from, to }) => ({ from: places.sourceOf(from).from, to: places.sourceOf(to - 1).to })
}

/** Null when the text holds none of these escapes. */
export function* unescaped(source: Buffer, signs: EscapeSigns): Generator<void, Decoded | null> {
  const starts = signsOf(signs)
  if (!Array.from(signs).some((sign) => source.includes(sign))) return null
  const bytes = yield* unescapeAll(source, starts, null)
  return bytes.length === source.length ? null : { bytes, sources: () => placesOf(source, starts) }
}

/**
 * Makes spans longer, one after the other, until they hold whole backslash escapes, so that what is left around them
 * still reads. They come in order.
 */
export const wholeEscapes = (source: Buffer): ((span: Span) => Span) => {
  let at = source.indexOf(backslash)
  return ({ from, to }) => {
    let [start, end] = [from, to]
    while (at >= 0 && at < end) {
      const length = Math.max(1, lengthOf(escapeAt(source, at)))
      const next = at + length
      if (next > from && at < from) start = at
      if (next > end) end = next
      at = source.indexOf(backslash, next)
    }
    return { from: start, to: end }
  }
}
