/**
 * From the bytes of an answer to its text, by the charset that the answer names or shows, in steps of a few
 * milliseconds. No answer fails here: what cannot be decoded is replaced, and a note says so.
 */
import { isAscii, isUtf8 } from "node:buffer"
import { Either } from "effect"

/**
 * UTF-16 shows by its mark, or by the zero byte of the ASCII character that every JSON begins with; in another text a
 * zero byte may be a character, and two of them in the right places are not.
 */
const utf16Of = (bytes: Buffer, json: boolean): "utf-16le" | "utf-16be" | undefined => {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  if (bytes.length % 2 !== 0 || (first === 0) === (second === 0)) return undefined
  if (first === 0) return json || (third === 0 && fourth !== 0) ? "utf-16be" : undefined
  return json || (third !== 0 && fourth === 0) ? "utf-16le" : undefined
}

export interface DecodedText {
  readonly text: string
  /** Says why the kept text differs from the answer; null when it does not. */
  readonly note: string | null
}

const hasUtf8Mark = (bytes: Buffer): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** What the declaration of an XML says. One that can be read like this is no UTF-16, whatever it says. */
const declaredIn = (bytes: Buffer): string | undefined => {
  const head = bytes.toString("latin1", 0, 256)
  const declared = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/.exec(head)?.[1]
  return declared === undefined || /^(utf-?16|utf-?32|ucs|iso-10646)/i.test(declared) ? undefined : declared
}

export type TextKind = "json" | "xml" | "other"

/** So many bytes are decoded at once. */
const portionBytes = 524_288

/** A portion ends before a character, or where none begins: bytes that are none stand alone. */
function* utf8Steps(bytes: Buffer): Generator<void, string> {
  if (bytes.length <= portionBytes) return bytes.toString("utf8")
  let text = ""
  for (let from = 0; from < bytes.length;) {
    let to = Math.min(bytes.length, from + portionBytes)
    for (let back = 0; back < 3 && ((bytes[to] ?? 0) & 0xc0) === 0x80; back += 1) to -= 1
    text += bytes.toString("utf8", from, to)
    from = to
    yield
  }
  return text
}

function* charsetSteps(
  bytes: Buffer,
  charset: string,
  fatal: boolean
): Generator<void, Either.Either<string, unknown>> {
  const decoder = Either.try(() => new TextDecoder(charset, { fatal }))
  let text: Either.Either<string, unknown> = Either.right("")
  for (let from = 0; from === 0 || from < bytes.length; from += portionBytes) {
    const stream = from + portionBytes < bytes.length
    text = Either.zipWith(
      text,
      Either.flatMap(decoder, (each) =>
        Either.try(() => each.decode(bytes.subarray(from, from + portionBytes), { stream }))
      ),
      (before, part) => before + part
    )
    if (Either.isLeft(text)) return text
    yield
  }
  return text
}

/**
 * Its mark says the charset of a text, else the header, else the declaration of an XML. In steps of a few milliseconds.
 */
export function* textSteps(
  bytes: Buffer,
  contentType: string | undefined,
  kind: TextKind
): Generator<void, DecodedText> {
  const inContentType = /charset="?([\w-]+)/i.exec(contentType ?? "")?.[1]
  const marked = utf16Of(bytes, kind === "json") ?? (kind === "xml" && hasUtf8Mark(bytes) ? "utf-8" : undefined)
  const charset = marked ?? inContentType ?? (kind === "xml" ? declaredIn(bytes) : undefined) ?? "utf-8"
  const replaced = (text: string): DecodedText => ({
    text,
    note: `It holds bytes that are no ${charset}; each stands as U+FFFD.`
  })
  if (/^utf-?8$/i.test(charset)) {
    const text = yield* utf8Steps(bytes)
    return isUtf8(bytes) ? { text, note: null } : replaced(text)
  }
  const exact = yield* charsetSteps(bytes, charset, true)
  if (Either.isRight(exact)) return { text: exact.right, note: null }
  const lenient = yield* charsetSteps(bytes, charset, false)
  if (Either.isRight(lenient)) return replaced(lenient.right)
  // Nobody knows the charset. ASCII is the same in all that are in use.
  return {
    text: yield* utf8Steps(bytes),
    note: isAscii(bytes)
      ? null
      : `Its charset ${charset} is not known, so it is read as UTF-8${isUtf8(bytes) ? "" : "; each byte that is none stands as U+FFFD"}.`
  }
}
