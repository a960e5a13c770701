/**
 * What can be a key at a provider: anything that fits into a header line. A private key in PEM and a JSON object, as
 * providers give them out in files, are brought into one line first.
 */
import { Either, Redacted } from "effect"
import type { FieldProblem } from "../../domain/ApiErrors.js"
import { secretCharsMax } from "../../domain/limits/Access.js"
import { readJson, writeJson } from "../../domain/LosslessJson.js"

/** The key in one line, where it can be written so: JSON without blanks, the line breaks of a PEM as `\\n`. */
export const inOneLine = (secret: Redacted.Redacted<string>): Redacted.Redacted<string> => {
  const text = Redacted.value(secret)
  if (!/[\r\n]/.test(text)) return secret
  const trimmed = text.trim()
  if (/^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(trimmed)) return Redacted.make(trimmed.replace(/\r?\n/g, "\\n"))
  return trimmed.startsWith("{")
    ? Either.match(readJson(trimmed), {
        onLeft: () => secret,
        onRight: (object) => Redacted.make(writeJson(object))
      })
    : secret
}

export const secretProblem = (secret: Redacted.Redacted<string>): FieldProblem | null => {
  const text = Redacted.value(secret)
  // eslint-disable-next-line no-control-regex
  return text.trim() === "" || text.length > secretCharsMax || /[\x00-\x1f\x7f]/.test(text)
    ? { field: "secret", message: `must have 1 to ${secretCharsMax} characters in one line` }
    : null
}
