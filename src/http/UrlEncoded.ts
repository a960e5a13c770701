/**
 * Reads the fields of a form and of a query (`application/x-www-form-urlencoded`). One rule for both: every byte has to
 * be valid percent-encoding of UTF-8, and a field that takes one value comes once. What breaks the rule is told by the
 * name of its field, and nothing is guessed: the first of two values may be the wrong one. The values stay readable, so
 * that a form can be shown again as it was filled in. Queries of the API are read by the schemas of `Query.ts`, which
 * say themselves what may come several times; what cannot be decoded is told here.
 */
import { isUtf8 } from "node:buffer"
import type { FieldProblem } from "../domain/ApiErrors.js"

export interface UrlEncoded {
  /** The values of each field, in order. A value that cannot be decoded stands here as far as it can be read. */
  readonly fields: ReadonlyMap<string, ReadonlyArray<string>>
  /** The fields of which a name or a value cannot be decoded. */
  readonly broken: ReadonlySet<string>
}

const noByte = /%(?![0-9a-f]{2})/i
const percent = 0x25

/** The bytes that a text stands for. A sign that is not ASCII is whole already, so any of ASCII does for it. */
const bytesOf = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    bytes[length] = code === percent ? Number.parseInt(text.slice(at + 1, at + 3), 16) : code & 0x7f
    length += 1
    if (code === percent) at += 2
  }
  return bytes.subarray(0, length)
}

/**
 * Whether a text is valid percent-encoding of UTF-8, as `decodeURIComponent` has it. An exception for each that is not
 * would take ten times as long.
 */
export const decodable = (text: string): boolean => !text.includes("%") || (!noByte.test(text) && isUtf8(bytesOf(text)))

export const urlEncoded = (text: string): UrlEncoded => {
  const fields = new Map<string, Array<string>>()
  const broken = new Set<string>()
  for (const pair of text.split("&")) {
    for (const [name, value] of new URLSearchParams(pair)) {
      const known = fields.get(name)
      if (known === undefined) fields.set(name, [value])
      else known.push(value)
      if (!decodable(pair)) broken.add(name)
    }
  }
  return { fields, broken }
}

const undecodable = (field: string): FieldProblem => ({ field, message: "is not valid percent-encoding of UTF-8" })

/** Which of these parameters of a query cannot be decoded. What nobody reads may be anything. */
export const undecodableIn = (query: string, names: ReadonlySet<string>): ReadonlyArray<FieldProblem> =>
  decodable(query) ? [] : [...urlEncoded(query).broken].filter((name) => names.has(name)).map(undecodable)

/** What is wrong with the fields; those in `repeatable` may come several times. */
export const fieldProblems = (
  { broken, fields }: UrlEncoded,
  repeatable: ReadonlySet<string> = new Set()
): ReadonlyArray<FieldProblem> =>
  [...fields].flatMap(([field, values]) =>
    broken.has(field)
      ? [undecodable(field)]
      : values.length > 1 && !repeatable.has(field)
        ? [{ field, message: "is given more than once; give it once" }]
        : []
  )
