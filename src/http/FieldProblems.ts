/**
 * Turns schema issues into the field problems of a `validation_error`, in our own words: a schema's text would repeat what
 * the client sent, which may be large or secret.
 */
import type { HttpApiError } from "@effect/platform"
import { ValidationError, type FieldProblem } from "../domain/ApiErrors.js"
import { problemsMax } from "../domain/Limits.js"

type Issue = HttpApiError.HttpApiDecodeError["issues"][number]

const text = (issue: Issue): string => {
  if (issue._tag === "Missing") return "is required"
  if (issue._tag === "Unexpected") return "is not a field of this request"
  const expected = issue.message.replace(/, actual [\s\S]*$/, "")
  return expected.charAt(0).toLowerCase() + expected.slice(1)
}

/** `whole` names the thing that the issues are about when they are about all of it. */
export const fromIssues = (issues: ReadonlyArray<Issue>, whole: string): ValidationError => {
  const byField = new Map<string, FieldProblem>()
  for (const issue of issues) {
    const field = issue.path.length === 0 ? whole : issue.path.map(String).join(".").slice(0, 200)
    if (!byField.has(field)) byField.set(field, { field, message: text(issue) })
  }
  // Of a choice (`fallback`: a boolean or an object) every branch complains; the deepest complaint is the useful one.
  const fields = [...byField.keys()]
  const problems = [...byField.values()].filter(({ field }) => !fields.some((other) => other.startsWith(`${field}.`))).slice(0, problemsMax)
  const [first = { field: whole, message: "is not valid" }, ...rest] = problems
  return new ValidationError({ details: [first, ...rest] })
}
