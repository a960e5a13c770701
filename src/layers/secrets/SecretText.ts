/** What can be a key at a provider: anything that fits into a header line. */
import { Redacted } from "effect"
import type { FieldProblem } from "../../domain/ApiErrors.js"

const lengthMax = 8192

export const secretProblem = (secret: Redacted.Redacted<string>): FieldProblem | null => {
  const text = Redacted.value(secret)
  // eslint-disable-next-line no-control-regex
  return text.trim() === "" || text.length > lengthMax || /[\x00-\x1f\x7f]/.test(text)
    ? { field: "secret", message: `must have 1 to ${lengthMax} characters in one line` }
    : null
}
