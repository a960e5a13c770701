/**
 * Whether an expression reads a part of what every expression sees: `status`, `headers`, `body`, `input`. Decided by
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

/** `isWhole`: the node looks at the whole, and not at a value inside of it. */
const reads = (node: unknown, parts: ReadonlySet<string>, isWhole: boolean): boolean => {
  if (Array.isArray(node)) return node.some((each) => reads(each, parts, isWhole))
  if (!isRecord(node) || node["type"] === "Literal") return false
  if (node["type"] === "Field") return isWhole && typeof node["name"] === "string" && parts.has(node["name"])
  if (isType(node, whole)) return true
  if (isType(node, current)) return isWhole
  // A function applies it to the members of a list.
  if (node["type"] === "ExpressionReference") return reads(node["child"], parts, false)
  if (!isType(node, leadOn)) return Object.values(node).some((each) => reads(each, parts, isWhole))
  const { condition, left, right } = node
  const isStill = isType(left, whole) || (isWhole && isType(left, current))
  return (!isStill && reads(left, parts, isWhole)) || reads([right, condition], parts, isStill)
}

/** Of an expression that parses. */
export const readsOneOf = (source: string, parts: ReadonlyArray<Part>): boolean =>
  reads(jmespath.compile(source), new Set(parts), true)
