/** What stands against an input, in the words of an answer. Pure. */
import type { FieldProblem } from "../../../domain/ApiErrors.js"
import { cutText } from "../../../domain/Characters.js"
import { refusedTextCharsMax } from "../../../domain/limits/Runs.js"
import { oneOf } from "../../../domain/OneOf.js"
import type { Skipped } from "../../../domain/RoutePlan.js"
import type { InputProblem } from "../../../services/Providers.js"

/** How many of a long list are named. */
export const namedMax = 3
/** `a, b or c`; of a long list the first ones, and how many more there are: two at least. */
export const anyOf = (names: ReadonlyArray<string>): string => {
  const shown = names.length > namedMax + 1 ? [...names.slice(0, namedMax), `${names.length - namedMax} others`] : names
  return oneOf(shown)
}

type Missing = Extract<InputProblem, { readonly _tag: "Missing" }>

/** What stands behind a sentence that asks for the field. */
export const typoOf = ({ mistyped }: Missing): string =>
  mistyped === undefined ? "" : `; ${mistyped.written} looks like a misspelt ${mistyped.meant}`

export const field = (problem: Missing): string =>
  problem.instead === undefined
    ? problem.field
    : `${problem.field} (or ${anyOf(problem.instead.map((fields) => fields.join(" and ")))})`

export const problemOf = (problem: InputProblem): FieldProblem => {
  if (problem._tag === "Invalid") return { field: problem.field, message: problem.message }
  const instead =
    problem.instead === undefined ? "" : `, or ${anyOf(problem.instead.map((fields) => fields.join(" and ")))} instead`
  return { field: problem.field, message: `is required${instead}${typoOf(problem)}` }
}

/** `input.domain: is required, or company instead`. */
export const sayProblem = (problem: InputProblem): string => {
  const { field: name, message } = problemOf(problem)
  return `input.${name}: ${message}`
}

/** All problems of an input, as far as a refused run keeps them: there may be one for each field. */
export const sayProblems = (problems: ReadonlyArray<InputProblem>): string =>
  cutText(problems.map(sayProblem).join("; "), refusedTextCharsMax)

export const missingOf = (problems: ReadonlyArray<InputProblem>) =>
  problems.flatMap((problem) => (problem._tag === "Missing" ? [problem] : []))

export const skipForInput = (problems: ReadonlyArray<InputProblem>): Pick<Skipped, "code" | "reason"> => {
  const missing = missingOf(problems)
  return missing.length === problems.length
    ? { code: "needs_identity", reason: `needs ${missing.map(field).join(", ")}` }
    : { code: "rejected_input", reason: sayProblems(problems) }
}
