/**
 * Takes keys out of what a provider sends back, in place. What counts is what a text means and not how it is written: a
 * key is found in either case, behind the escapes of JSON, addresses and HTML, in UTF-16, in base64 of either alphabet
 * and at any alignment, in hex, and in a few of these inside one another. Every byte that it was written with becomes
 * `*`, a digit of a bare number becomes `1`, and nothing moves: JSON stays JSON and lengths stay lengths. The work is
 * bounded by the length of the text. Not found: a key that its provider cut, encrypted or compressed; it has the key
 * anyway.
 */
import { allSteps } from "../node/LongWork.js"
import { setBounded } from "./BoundedMap.js"
import { base64, type Decoded, decodedRuns, hex, runsOf, type Span, withoutZeros } from "./Decodings.js"
import { unescaped, withWholeEscapes } from "./Escapes.js"

/** A shorter secret would also match harmless text. */
const shortestSecret = 6
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
    const decoded = unescaped(meanings.at(-1) ?? bytes, signs)
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
  return {
    folded,
    exact: worth(bytes.flatMap(base64Of)),
    bytesMin: Math.min(...folded.map(({ length }) => length)),
    looksEscaped: secrets.some((secret) => /[\\%&]/.test(secret))
  }
}

interface Layer {
  readonly bytes: Buffer
  readonly depth: number
  readonly rootOf: (span: Span) => Span
}

const inside = (layer: Layer, decoded: Decoded): Layer => ({
  bytes: decoded.bytes,
  depth: layer.depth + 1,
  rootOf: (span) => layer.rootOf(decoded.sourceOf(span))
})

/** The decodings that a text may have, the most likely one last. */
function* meaningsOf(
  layer: Layer,
  { bytesMin, looksEscaped }: Patterns
): Generator<void, ReadonlyArray<() => Decoded | null>> {
  const { bytes, depth } = layer
  const inRuns: Array<() => Decoded | null> = []
  for (const radix of [hex, base64]) {
    const runs = runsOf(bytes, radix, bytesMin)
    for (let shift = radix.group - 1; runs.length > 0 && shift >= 0; shift -= 1)
      inRuns.push(() => decodedRuns(bytes, runs, radix, shift))
    yield
  }
  return [
    ...(looksEscaped ? (["&", "%", "\\"] as const).map((signs) => () => unescaped(bytes, signs)) : []),
    ...inRuns,
    () => withoutZeros(bytes),
    // First only the escapes of JSON are undone: its strings may hold a percent sign that is not an escape.
    () => (depth === 0 ? unescaped(bytes, "\\") : null) ?? unescaped(bytes, "\\%&")
  ]
}

function* spansIn(layer: Layer, patterns: Patterns, found: Array<Span>): Generator<void, void> {
  const text = layer.bytes.toString("latin1")
  const lookFor = (where: string, pattern: string): void => {
    for (let at = where.indexOf(pattern); at >= 0; at = where.indexOf(pattern, at + pattern.length))
      found.push(layer.rootOf({ from: at, to: at + pattern.length }))
  }
  for (const pattern of patterns.exact) {
    lookFor(text, pattern)
    yield
  }
  const folded = text.toLowerCase()
  for (const pattern of patterns.folded) {
    lookFor(folded, pattern)
    yield
  }
}

/** A step is one pass over one text, which takes milliseconds for the largest answer. */
function* spansOf(bytes: Buffer, patterns: Patterns): Generator<void, ReadonlyArray<Span>> {
  const found: Array<Span> = []
  let work = workMin + workPerByte * bytes.length
  const open: Array<{ readonly layer: Layer; readonly decode: () => Decoded | null }> = []
  const whole: Layer = { bytes, depth: 0, rootOf: (span) => span }
  yield* spansIn(whole, patterns, found)
  for (const decode of yield* meaningsOf(whole, patterns)) open.push({ layer: whole, decode })
  for (let next = open.pop(); next !== undefined && work > 0; next = open.pop()) {
    const decoded = next.decode()
    yield
    if (decoded === null || decoded.bytes.length < patterns.bytesMin) continue
    work -= decoded.bytes.length
    const layer = inside(next.layer, decoded)
    yield* spansIn(layer, patterns, found)
    if (layer.depth < depthMax) for (const decode of yield* meaningsOf(layer, patterns)) open.push({ layer, decode })
  }
  return found
}

const isDigit = (sign: number): boolean => sign >= 0x30 && sign <= 0x39

const cover = (bytes: Buffer, { from, to }: Span): void => {
  // A key of digits may stand as a bare number, which must stay a valid number.
  const mark = bytes.subarray(from, to).every((sign) => isDigit(sign) || sign === 0) ? 0x31 : 0x2a
  // Zero bytes are the other half of a UTF-16 sign.
  for (let at = from; at < to; at += 1) if (bytes[at] !== 0) bytes[at] = mark
}

function* blottingSteps(bytes: Buffer, patterns: Patterns): Generator<void, Buffer> {
  const found = yield* spansOf(bytes, patterns)
  if (found.length > 0)
    for (const span of withWholeEscapes(
      bytes,
      [...found].sort((a, b) => a.from - b.from)
    ))
      cover(bytes, span)
  return bytes
}

const blotting = (patterns: Patterns): Blot =>
  Object.assign((bytes: Buffer) => allSteps(blottingSteps(bytes, patterns)), {
    steps: (bytes: Buffer) => blottingSteps(bytes, patterns)
  })

/** A node has few keys and uses them again and again. */
const entriesMax = 500
const made = new Map<string, Blot | null>()

/** `secrets` are the keys as they are; their spellings are worked out here. Null when there is nothing to look for. */
export const blotFor = (secrets: ReadonlyArray<string>): Blot | null => {
  const name = secrets.join("\n")
  const known = made.get(name)
  if (known !== undefined) return known
  const patterns = patternsOf(secrets)
  const blot = patterns.folded.length === 0 ? null : blotting(patterns)
  setBounded(made, entriesMax, name, blot)
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
  const bytesMin = Math.min(...folded.map(({ length }) => length))
  return folded.length === 0 ? null : blotting({ folded, exact: [], bytesMin, looksEscaped: false })
}
