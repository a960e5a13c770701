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
const leadOn = new Set([
  "Subexpression",
  "IndexExpression",
  "Pipe",
  "Projection",
  "ValueProjection",
  "FilterProjection"
])
const whole = new Set(["Root"])
const current = new Set(["Current", "Identity"])

/**
 * The members of the whole that the node names; null stands for the whole itself. `isWhole`: the node looks at the
 * whole, and not at a value inside of it.
 */
export const namesRead = (node: unknown, isWhole = true): ReadonlyArray<string | null> => {
  if (Array.isArray(node)) return node.flatMap((each) => namesRead(each, isWhole))
  if (!isRecord(node) || node["type"] === "Literal") return []
  if (node["type"] === "Field") return isWhole && typeof node["name"] === "string" ? [node["name"]] : []
  if (isType(node, whole)) return [null]
  if (isType(node, current)) return isWhole ? [null] : []
  // A function applies it to the members of a list.
  if (node["type"] === "ExpressionReference") return namesRead(node["child"], false)
  if (!isType(node, leadOn)) return Object.values(node).flatMap((each) => namesRead(each, isWhole))
  const { condition, left, right } = node
  const isStill = isType(left, whole) || (isWhole && isType(left, current))
  return [...(isStill ? [] : namesRead(left, isWhole)), ...namesRead([right, condition], isStill)]
}

/** Of an expression that parses. */
export const readsOneOf = (source: string, parts: ReadonlyArray<Part>): boolean => {
  const sought = new Set<string>(parts)
  return namesRead(jmespath.compile(source)).some((name) => name === null || sought.has(name))
}
