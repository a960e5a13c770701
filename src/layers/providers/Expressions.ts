/**
 * JMESPath, compiled once and evaluated total: an expression that stumbles over the answer (a function given the wrong type)
 * is a value of its own, and whoever asked decides what that means. Nothing here knows providers or rules.
 */
import { jmespath, TreeInterpreter } from "@jmespath-community/jmespath"
import { Either } from "effect"
import type { Json } from "../../domain/Json.js"

/** What every expression of a manifest reads. `headers` have lower-case names; `input` holds the operation's own fields. */
export interface AnswerView {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: Json
  readonly input: { readonly [key: string]: Json }
}

export interface Expression {
  readonly source: string
  readonly evaluate: (view: AnswerView) => Either.Either<Json, string>
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

// Its declared parameter types are mutable copies of ours; it never writes to what it reads.
const interpreter: { search(node: ReturnType<typeof jmespath.compile>, value: unknown): Json } = TreeInterpreter

const isNode = (value: unknown): value is { readonly [key: string]: unknown } => typeof value === "object" && value !== null

/** `!a.b` reads as `(!a).b`, which is null whatever the answer holds; nobody means that. */
const negatesOnlyTheStart = (node: unknown): boolean => {
  if (Array.isArray(node)) return node.some(negatesOnlyTheStart)
  if (!isNode(node)) return false
  const start = node["type"] === "Subexpression" ? node["left"] : node["type"] === "Flatten" ? node["child"] : undefined
  return (isNode(start) && start["type"] === "NotExpression") || Object.values(node).some(negatesOnlyTheStart)
}

/** Left: why it does not parse, or cannot be meant. */
export const compile = (source: string): Either.Either<Expression, string> =>
  Either.flatMap(Either.try({ try: () => jmespath.compile(source), catch: reason }), (ast) =>
    source.includes("!") && negatesOnlyTheStart(ast)
      ? Either.left("`!a.b` reads as `(!a).b` and never holds; write `!(a.b)`")
      : Either.right({ source, evaluate: (view) => Either.try({ try: () => interpreter.search(ast, view) ?? null, catch: reason }) }))

/** JMESPath's truth: null, false and everything empty do not hold; 0 does. */
export const truthy = (value: Json): boolean => {
  if (value === null || value === false || value === "") return false
  if (typeof value !== "object") return true
  return Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0
}

/** An expression that stumbles does not hold. */
export const holds = (expression: Expression | undefined, view: AnswerView): boolean =>
  expression !== undefined && Either.match(expression.evaluate(view), { onLeft: () => false, onRight: truthy })

/** Null when it stumbles. */
export const read = (expression: Expression | undefined, view: AnswerView): Json =>
  expression === undefined ? null : Either.getOrElse(expression.evaluate(view), () => null)
