/**
 * What an expression reads of the whole that every expression sees (`status`, `headers`, `body`, `input`). Decided by
 * the parsed expression: a text in quotes that is called `body` is not read. Not used in the path of a run.
 */
import { jmespath } from "@jmespath-community/jmespath"
import { isRecord } from "effect/Predicate"
import type { AnswerView } from "./Expressions.js"

type Part = keyof AnswerView

const isType = (node: unknown, types: ReadonlySet<unknown>): boolean => isRecord(node) && types.has(node["type"])

/** Their right side looks at what the left one gave, and no longer at the whole. */
const leading = new Set([
  "Subexpression",
  "IndexExpression",
  "Pipe",
  "Projection",
  "ValueProjection",
  "FilterProjection"
])
export const leadsOn = (node: unknown): boolean => isType(node, leading)
/** Of these, the right side looks at the whole where the left one is the whole. */
const passesOn = new Set(["Subexpression", "Pipe"])
const root = new Set(["Root"])
const current = new Set(["Current", "Identity"])

/** Whether a node is the whole. `isWhole`: it looks at the whole, and not at a value inside of it. */
export const isWholeAt = (node: unknown, isWhole: boolean): boolean =>
  isType(node, root) || (isWhole && isType(node, current))

/** The member of the whole that a node names, such as `body` for `body` and `$.body`; null for any other node. */
export const partNamed = (node: unknown, isWhole: boolean): string | null => {
  if (!isRecord(node)) return null
  if (node["type"] === "Field") return isWhole && typeof node["name"] === "string" ? node["name"] : null
  return node["type"] === "Subexpression" && isWholeAt(node["left"], isWhole) ? partNamed(node["right"], true) : null
}

/** The members of the whole that the node names; null stands for the whole itself. */
const namesRead = (node: unknown, isWhole = true): ReadonlyArray<string | null> => {
  if (Array.isArray(node)) return node.flatMap((each) => namesRead(each, isWhole))
  if (!isRecord(node) || node["type"] === "Literal") return []
  if (node["type"] === "Field") return isWhole && typeof node["name"] === "string" ? [node["name"]] : []
  if (isWholeAt(node, isWhole)) return [null]
  // A function applies it to the members of a list.
  if (node["type"] === "ExpressionReference") return namesRead(node["child"], false)
  if (!leadsOn(node)) return Object.values(node).flatMap((each) => namesRead(each, isWhole))
  const { condition, left, right } = node
  const isStill = isType(node, passesOn) && isWholeAt(left, isWhole)
  return [...(isStill ? [] : namesRead(left, isWhole)), ...namesRead([right, condition], isStill)]
}

/** Of an expression that parses. */
export const readsOneOf = (source: string, parts: ReadonlyArray<Part>): boolean => {
  const sought = new Set<string>(parts)
  return namesRead(jmespath.compile(source)).some((name) => name === null || sought.has(name))
}

const otherParts: ReadonlySet<unknown> = new Set(["status", "headers", "input"])

/** Whether a node begins with one of the other parts, such as `input.limit`. */
const isOfOtherPart = (node: unknown): boolean =>
  isRecord(node) &&
  (node["type"] === "Field"
    ? otherParts.has(node["name"])
    : leadsOn(node) && isOfOtherPart(isWholeAt(node["left"], true) ? node["right"] : node["left"]))

const fieldsNamed = (node: unknown): ReadonlyArray<string> => {
  if (Array.isArray(node)) return node.flatMap(fieldsNamed)
  if (!isRecord(node) || node["type"] === "Literal" || isOfOtherPart(node)) return []
  return node["type"] === "Field" && typeof node["name"] === "string"
    ? [node["name"]]
    : Object.values(node).flatMap(fieldsNamed)
}

/** The names of members that an expression reads, at any depth, but for those of the other parts. */
export const membersOfBody = (source: string): ReadonlyArray<string> => [
  ...new Set(fieldsNamed(jmespath.compile(source)).filter((name) => name !== "body"))
]
