/**
 * Takes keys out of what a provider sends back, in place. What counts is what a text means and not how it is written: a
 * key is found in either case, behind the escapes of JSON, addresses and HTML, in UTF-16, in base64 of either alphabet
 * and at any alignment, in hex, and in a few of these inside one another. Every byte that it was written with becomes
 * `*`, a digit of a bare number becomes `1`, and nothing moves: JSON stays JSON and lengths stay lengths. The work is
 * bounded by the length of the text. Not found: a key that its provider cut, encrypted or compressed; it has the key
 * anyway.
 */
import { createHash } from "node:crypto"
import { allSteps } from "../../services/Slices.js"
import { setBounded } from "./BoundedMap.js"
import {
  base64,
  type Decoded,
  decodedRuns,
  hex,
  known,
  portion,
  runsOf,
  type SourceOf,
  type Span,
  withoutZeros
} from "./Decodings.js"
import { unescaped, wholeEscapes } from "./Escapes.js"

/** A shorter secret would also match harmless text. */
export const shortestSecret = 6
/** How many encodings, one inside another, are undone. */
const depthMax = 5
/** For one text, at most this many times its length of decoded text is searched. */
const workPerByte = 6
const workMin = 65_536

/** The same bytes, blotted: at once, or in steps of some milliseconds for a large text. */
export interface Blot {
  (bytes: Buffer): Buffer
  readonly steps: (bytes: Buffer) => Generator<void, Buffer>
}

interface Patterns {
  /** In lower case; matched in either case. */
  readonly folded: ReadonlyArray<string>
  readonly exact: ReadonlyArray<string>
  /** A text shorter than this holds no key. */
  readonly bytesMin: number
  /** No pattern is longer. */
  readonly bytesMax: number
  /** Whether a key contains escape characters. Undoing several kinds of escapes at once may then undo one too many. */
  readonly looksEscaped: boolean
}

const bytesOf = (secret: string): ReadonlyArray<Buffer> => {
  const utf8 = Buffer.from(secret, "utf8")
  return utf8.length === secret.length ? [utf8] : [utf8, Buffer.from(secret, "latin1")]
}

/** When a key itself looks escaped, unescaping the text around it changes the key too. */
const withMeanings = (bytes: Buffer): ReadonlyArray<Buffer> => {
  const meanings = [bytes]
  for (const signs of ["\\", "\\%&", "\\%&"] as const) {
    const decoded = allSteps(unescaped(meanings.at(-1) ?? bytes, signs))
    if (decoded !== null) meanings.push(decoded.bytes)
  }
  return meanings
}

/** The signs of base64 that only the key decides, for each of the three ways in which it can stand inside a text. */
const base64Of = (bytes: Buffer): ReadonlyArray<string> =>
  [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64")
    const inner = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")]
  })

const patternsFrom = (
  folded: ReadonlyArray<string>,
  exact: ReadonlyArray<string>,
  looksEscaped: boolean
): Patterns => ({
  folded,
  exact,
  bytesMin: Math.min(...folded.map(({ length }) => length)),
  bytesMax: Math.max(...[...folded, ...exact].map(({ length }) => length)),
  looksEscaped
})

const patternsOf = (secrets: ReadonlyArray<string>): Patterns => {
  const bytes = secrets
    .flatMap(bytesOf)
    .flatMap(withMeanings)
    .filter(({ length }) => length >= shortestSecret)
  const worth = (texts: ReadonlyArray<string>) => [...new Set(texts.filter((text) => text.length >= shortestSecret))]
  const plain = bytes.map((each) => each.toString("latin1").toLowerCase())
  // A space travels as a plus sign in a form.
  const folded = worth([
    ...plain,
    ...plain.map((text) => text.replaceAll(" ", "+")),
    ...bytes.map((each) => each.toString("hex"))
  ])
  return patternsFrom(
    folded,
    worth(bytes.flatMap(base64Of)),
    secrets.some((secret) => /[\\%&]/.test(secret))
  )
}

interface Layer {
  readonly bytes: Buffer
  readonly depth: number
  /** Where a span of it stands in the answer. */
  readonly sources: () => Generator<void, SourceOf>
}

const inside = (layer: Layer, decoded: Decoded): Layer => {
  let made: SourceOf | undefined
  return {
    bytes: decoded.bytes,
    depth: layer.depth + 1,
    *sources() {
      if (made === undefined) {
        const inner = yield* decoded.sources()
        const outer = yield* layer.sources()
        made = (span) => outer(inner(span))
      }
      return made
    }
  }
}

/** The decodings that a text may have, the most likely one last. */
function* meaningsOf(
  layer: Layer,
  { bytesMin, looksEscaped }: Patterns
): Generator<void, ReadonlyArray<() => Generator<void, Decoded | null>>> {
  const { bytes, depth } = layer
  const inRuns: Array<() => Generator<void, Decoded | null>> = []
  for (const radix of [hex, base64]) {
    const runs = yield* runsOf(bytes, radix, bytesMin)
    for (let shift = radix.group - 1; runs.count > 0 && shift >= 0; shift -= 1)
      inRuns.push(() => decodedRuns(bytes, runs, radix, shift))
  }
  return [
    ...(looksEscaped ? (["&", "%", "\\"] as const).map((signs) => () => unescaped(bytes, signs)) : []),
    ...inRuns,
    () => withoutZeros(bytes),
    // First only the escapes of JSON are undone: its strings may hold a percent sign that is not an escape.
    function* () {
      return (depth === 0 ? yield* unescaped(bytes, "\\") : null) ?? (yield* unescaped(bytes, "\\%&"))
    }
  ]
}

/** Marks the bytes of the answer with which the keys in this layer are written. */
function* markKeys(layer: Layer, { bytesMax, exact, folded }: Patterns, mark: (span: Span) => void): Generator<void> {
  const { bytes } = layer
  let sourceOf: SourceOf | undefined
  for (let start = 0; start < bytes.length; start += portion) {
    const found: Array<number> = []
    const text = bytes.toString("latin1", start, Math.min(bytes.length, start + portion + bytesMax - 1))
    const lookFor = (where: string, pattern: string): void => {
      for (let at = where.indexOf(pattern); at >= 0 && at < portion; at = where.indexOf(pattern, at + pattern.length))
        found.push(start + at, start + at + pattern.length)
    }
    for (const pattern of exact) lookFor(text, pattern)
    const lower = text.toLowerCase()
    for (const pattern of folded) lookFor(lower, pattern)
    if (found.length > 0) {
      sourceOf ??= yield* layer.sources()
      for (let at = 0; at < found.length; at += 2) mark(sourceOf({ from: found[at] ?? 0, to: found[at + 1] ?? 0 }))
    }
    if (start + portion < bytes.length) yield
  }
}

/** A 1 for each byte that is to be covered; undefined when there is none. */
function* marksIn(bytes: Buffer, patterns: Patterns): Generator<void, Uint8Array | undefined> {
  let marks: Uint8Array | undefined
  const mark = ({ from, to }: Span): void => {
    marks ??= new Uint8Array(bytes.length)
    marks.fill(1, from, to)
  }
  let work = workMin + workPerByte * bytes.length
  const open: Array<{ readonly layer: Layer; readonly decode: () => Generator<void, Decoded | null> }> = []
  const whole: Layer = { bytes, depth: 0, sources: () => known((span) => span) }
  yield* markKeys(whole, patterns, mark)
  for (const decode of yield* meaningsOf(whole, patterns)) open.push({ layer: whole, decode })
  for (let next = open.pop(); next !== undefined && work > 0; next = open.pop()) {
    const decoded = yield* next.decode()
    if (decoded === null || decoded.bytes.length < patterns.bytesMin) continue
    work -= decoded.bytes.length
    const layer = inside(next.layer, decoded)
    yield* markKeys(layer, patterns, mark)
    if (layer.depth < depthMax) for (const decode of yield* meaningsOf(layer, patterns)) open.push({ layer, decode })
  }
  return marks
}

const isDigit = (sign: number): boolean => sign >= 0x30 && sign <= 0x39

const cover = (bytes: Buffer, { from, to }: Span): void => {
  // A key of digits may stand as a bare number, which must stay a valid number.
  const sign = bytes.subarray(from, to).every((each) => isDigit(each) || each === 0) ? 0x31 : 0x2a
  // Zero bytes are the other half of a UTF-16 sign.
  for (let at = from; at < to; at += 1) if (bytes[at] !== 0) bytes[at] = sign
}

function* blottingSteps(bytes: Buffer, patterns: Patterns): Generator<void, Buffer> {
  const marks = yield* marksIn(bytes, patterns)
  if (marks === undefined) return bytes
  const lengthened = wholeEscapes(bytes)
  let next = portion
  for (let from = marks.indexOf(1); from >= 0;) {
    const end = marks.indexOf(0, from)
    const to = end < 0 ? marks.length : end
    cover(bytes, lengthened({ from, to }))
    from = marks.indexOf(1, to)
    if (to < next) continue
    next = to + portion
    yield
  }
  return bytes
}

const blotting = (patterns: Patterns): Blot =>
  Object.assign((bytes: Buffer) => allSteps(blottingSteps(bytes, patterns)), {
    steps: (bytes: Buffer) => blottingSteps(bytes, patterns)
  })

/**
 * A node has few keys and uses them again and again. The names are digests, and what is made of a key goes with the
 * next large collection of garbage once no call uses it: a key that was taken back does not stay in memory.
 */
const entriesMax = 500
const made = new Map<string, WeakRef<Blot>>()

/** `secrets` are the keys as they are; their spellings are worked out here. Null when there is nothing to look for. */
export const blotFor = (secrets: ReadonlyArray<string>): Blot | null => {
  const name = createHash("sha256").update(JSON.stringify(secrets)).digest("base64")
  const known = made.get(name)?.deref()
  if (known !== undefined) return known
  const patterns = patternsOf(secrets)
  if (patterns.folded.length === 0) return null
  const blot = blotting(patterns)
  setBounded(made, entriesMax, name, new WeakRef(blot))
  return blot
}

/**
 * For what a person looks at: secrets that are too short for `blotFor`. Harmless text that is equal to one is blotted
 * too. Null when there is none.
 */
export const blotForShort = (secrets: ReadonlyArray<string>): Blot | null => {
  const folded = secrets
    .flatMap(bytesOf)
    .filter(({ length }) => length > 0 && length < shortestSecret)
    .map((bytes) => bytes.toString("latin1").toLowerCase())
  return folded.length === 0 ? null : blotting(patternsFrom(folded, [], false))
}
