/**
 * Turns schema issues into the field problems of a `validation_error`, in our own words: a schema's text would repeat
 * what the client sent, which may be large or secret.
 */
import type * as HttpApiError from "@effect/platform/HttpApiError"
import { cutText } from "../domain/Characters.js"
import { ValidationError, type FieldProblem } from "../domain/ApiErrors.js"
import { problemsMax } from "../domain/limits/Requests.js"
import { member } from "../domain/Members.js"

type Issue = HttpApiError.HttpApiDecodeError["issues"][number]

/** A type as our code writes it, in the words of a reader; undefined for one that has no such words. */
const wordsOf = (type: string): string | undefined => {
  if (type.startsWith("{") || type === "object" || type === "Struct (Encoded side)") return "an object"
  if (/^(?:ReadonlyArray<|readonly \[|NonEmptyArray<|an array\b)/.test(type)) return "a list"
  if (/^(?:"[^"]*"|-?\d+|true|false|null)$/.test(type)) return type
  return member(simple, type)
}
const simple: { readonly [type: string]: string } = {
  string: "text",
  number: "a number",
  boolean: "true or false"
}

/** `expected` is the type of a schema that says nothing of its own. */
const plain = (expected: string, isWhole: boolean): string => {
  // Every body is an object. The type would be the name of its schema.
  if (isWhole) return "must be a JSON object"
  const words = expected.startsWith("{") ? ["an object"] : expected.split(" | ").map(wordsOf)
  return words.includes(undefined) ? `expected ${expected}` : `must be ${words.join(" or ")}`
}

/** Of a field that a request has and its schema does not. */
export const unknownField = "is not a field of this request"

const text = (issue: Issue): string => {
  if (issue._tag === "Missing") return "is required"
  if (issue._tag === "Unexpected") return unknownField
  const said = issue.message.replace(/, actual [\s\S]*$/, "")
  return said.startsWith("Expected ")
    ? plain(said.slice("Expected ".length), issue.path.length === 0)
    : said.charAt(0).toLowerCase() + said.slice(1)
}

const mustBe = "must be "

/** What the branches of a choice say of one field, as one sentence. */
const together = (messages: ReadonlyArray<string>): string => {
  const [first = ""] = messages
  if (!messages.every((message) => message.startsWith(mustBe))) return first
  return mustBe + [...new Set(messages.map((message) => message.slice(mustBe.length)))].join(" or ")
}

/** How many issues are looked at: a choice has several for one field, and an answer names few fields. */
const issuesMax = 20 * problemsMax

/** `subject` is named where an issue is about no single field, such as `body`. */
export const fromIssues = (issues: ReadonlyArray<Issue>, subject: string): ValidationError => {
  const byField = new Map<string, ReadonlyArray<string>>()
  // For a choice (`fallback`: a boolean or an object) every branch reports an issue. The deepest issue is the useful
  // one; of those about one field, all together say what it may be.
  const outdone = new Set<string>()
  for (const issue of issues.slice(0, issuesMax)) {
    const names = issue.path.map(String)
    const field = names.length === 0 ? subject : cutText(names.join("."), 200)
    byField.set(field, [...(byField.get(field) ?? []), text(issue)])
    for (let length = 1; length < names.length; length++) outdone.add(cutText(names.slice(0, length).join("."), 200))
  }
  const problems = Array.from(byField)
    .filter(([field]) => !outdone.has(field))
    .slice(0, problemsMax)
    .map(([field, messages]): FieldProblem => ({ field, message: together(messages) }))
  const [first = { field: subject, message: "is not valid" }, ...rest] = problems
  return new ValidationError({ details: [first, ...rest] })
}
