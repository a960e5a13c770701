/** What can be a key at a provider: anything that fits into a header line. */
import { Redacted } from "effect"
import type { FieldProblem } from "../../domain/ApiErrors.js"
import { secretCharsMax } from "../../domain/Limits.js"

export const secretProblem = (secret: Redacted.Redacted<string>): FieldProblem | null => {
  const text = Redacted.value(secret)
  // eslint-disable-next-line no-control-regex
  return text.trim() === "" || text.length > secretCharsMax || /[\x00-\x1f\x7f]/.test(text)
    ? { field: "secret", message: `must have 1 to ${secretCharsMax} characters in one line` }
    : null
}
