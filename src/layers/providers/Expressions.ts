/**
 * JMESPath, compiled once and evaluated total: an expression that stumbles over the answer (a function given the wrong
 * type) is a value of its own, and whoever asked decides what that means. Expressions that only look up give exact
 * numbers as they came; those that reckon see the nearest number. All expressions that look at one answer share one
 * budget of work; when it is spent, none of them says anything, and `isOverworked` tells. Nothing here knows providers
 * or rules.
 */
import { jmespath } from "@jmespath-community/jmespath"
import { Either } from "effect"
import { ExactNumber } from "../../domain/ExactNumber.js"
import { isObject, type Json } from "../../domain/Json.js"
import { expressionCharsMax, expressionStepsMax } from "../../domain/Limits.js"
import { withNumbers } from "../../domain/LosslessJson.js"
import { type Ast, Budget, interpret, payFor, truthy } from "./BoundedInterpreter.js"

/**
 * What every expression of a manifest reads. `headers` have lower-case names; `input` holds the operation's own fields.
 */
export interface AnswerView {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: Json
  readonly input: { readonly [key: string]: Json }
}

export interface Expression {
  readonly source: string
  /** The result may be kept, so its size is paid for. */
  readonly evaluate: (view: AnswerView) => Either.Either<Json, string>
  readonly holds: (view: AnswerView) => boolean
}

/**
 * The node types that calculate or compare, and therefore need numbers. All others take a part of the answer unchanged.
 */
const reckoning: ReadonlySet<unknown> = new Set([
  "FilterProjection",
  "Arithmetic",
  "Unary",
  "Comparator",
  "Function",
  "ExpressionReference"
])
const reckons = (node: unknown): boolean =>
  Array.isArray(node)
    ? node.some(reckons)
    : isNode(node) && (reckoning.has(node["type"]) || Object.values(node).some(reckons))

/** A view whose numbers can all be used in calculations, and the exact numbers that some of them replace. */
interface Plain {
  readonly view: AnswerView
  /** The exact numbers by their nearest number, if the view has only one exact number for it. */
  readonly exact: ReadonlyMap<number, ExactNumber>
}

const noteNumbers = (value: Json, into: Map<number, ExactNumber | number | null>): void => {
  if (value instanceof ExactNumber || typeof value === "number") {
    const nearest = Number(withNumbers(value))
    const known = into.get(nearest)
    into.set(nearest, known === undefined || String(known) === String(value) ? value : null)
  } else if (Array.isArray(value)) {
    for (const item of value) noteNumbers(item, into)
  } else if (isObject(value)) {
    for (const each of Object.values(value)) noteNumbers(each, into)
  }
}

/** Made once for all the expressions that read a view; null when the view has only plain numbers. */
const plains = new WeakMap<AnswerView, Plain | null>()
const plainOf = (view: AnswerView): Plain | null => {
  const made = plains.get(view)
  if (made !== undefined) return made
  const body = withNumbers(view.body)
  const input = withNumbers(view.input)
  const noted = new Map<number, ExactNumber | number | null>()
  if (body !== view.body || input !== view.input) {
    noteNumbers(view.body, noted)
    noteNumbers(view.input, noted)
  }
  const exact = new Map(
    [...noted].flatMap(([nearest, value]) => (value instanceof ExactNumber ? [[nearest, value] as const] : []))
  )
  const plain =
    noted.size === 0 ? null : { view: { ...view, body, input: isObject(input) ? input : view.input }, exact }
  plains.set(view, plain)
  return plain
}

const restored = (value: Json, exact: Plain["exact"]): Json => {
  if (typeof value === "number") return exact.get(value) ?? value
  if (Array.isArray(value)) return value.map((item: Json) => restored(item, exact))
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, restored(each, exact)]))
    : value
}

const budgets = new WeakMap<AnswerView, Budget>()
const budgetOf = (view: AnswerView): Budget => {
  const known = budgets.get(view) ?? new Budget(expressionStepsMax)
  budgets.set(view, known)
  return known
}

/** Whether the expressions on this answer have used up their budget. Their results must then not be used. */
export const isOverworked = (view: AnswerView): boolean => budgets.get(view)?.isSpent === true

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const isNode = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null

/** `!a.b` reads as `(!a).b`, which is null for every answer. The author of a manifest never means that. */
const negatesOnlyTheStart = (node: unknown): boolean => {
  if (Array.isArray(node)) return node.some(negatesOnlyTheStart)
  if (!isNode(node)) return false
  const start = node["type"] === "Subexpression" ? node["left"] : node["type"] === "Flatten" ? node["child"] : undefined
  return (isNode(start) && start["type"] === "NotExpression") || Object.values(node).some(negatesOnlyTheStart)
}

const expressionOf = (source: string, ast: Ast): Expression => {
  const plainFor = reckons(ast) ? plainOf : () => null
  const interpreted = <A>(
    view: AnswerView,
    use: (value: Json, budget: Budget, plain: Plain | null) => A
  ): Either.Either<A, string> =>
    Either.try({
      try: () => {
        const budget = budgetOf(view)
        const plain = plainFor(view)
        return use(interpret(ast, plain?.view ?? view, budget), budget, plain)
      },
      catch: reason
    })
  const kept = (value: Json, budget: Budget, plain: Plain | null): Json => {
    payFor(value, budget)
    return plain === null ? value : restored(value, plain.exact)
  }
  return {
    source,
    evaluate: (view) => interpreted(view, kept),
    // An expression that fails does not hold.
    holds: (view) => Either.getOrElse(interpreted(view, truthy), () => false)
  }
}

/** Left: why the expression does not parse, or why the author cannot mean it. */
export const compile = (source: string): Either.Either<Expression, string> =>
  source.length > expressionCharsMax
    ? Either.left(`it has more than ${expressionCharsMax} characters`)
    : Either.flatMap(Either.try({ try: () => jmespath.compile(source), catch: reason }), (ast) =>
        source.includes("!") && negatesOnlyTheStart(ast)
          ? Either.left("`!a.b` reads as `(!a).b` and never holds; write `!(a.b)`")
          : Either.right(expressionOf(source, ast))
      )

export const holds = (expression: Expression | undefined, view: AnswerView): boolean =>
  expression !== undefined && expression.holds(view)

/** Null when the expression fails. */
export const read = (expression: Expression | undefined, view: AnswerView): Json =>
  expression === undefined ? null : Either.getOrElse(expression.evaluate(view), () => null)
