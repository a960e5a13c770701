/**
 * JMESPath, compiled once and evaluated total: an expression that stumbles over the answer (a function given the wrong
 * type) is a value of its own, and whoever asked decides what that means. Exact numbers come out as they came in; only
 * what is calculated from one is calculated from its nearest number. All expressions that look at one answer share one
 * budget of work; when it is spent, none of them says anything, and `isOverworked` tells. Nothing here knows providers
 * or rules.
 */
import { jmespath } from "@jmespath-community/jmespath"
import { Either } from "effect"
import type { Json } from "../../domain/Json.js"
import { expressionStepsMax } from "../../domain/limits/Calls.js"
import { expressionCharsMax, expressionDepthMax } from "../../domain/limits/Manifests.js"
import { type Ast, interpret, truthy, ValueMissing } from "./BoundedInterpreter.js"
import { Budget, payFor } from "./ExpressionBudget.js"
import { mistakeIn } from "./ExpressionMistakes.js"

/**
 * What every expression of a manifest reads. `headers` have lower-case names; `input` holds the operation's own fields.
 */
export interface AnswerView {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: Json
  readonly input: { readonly [key: string]: Json }
}

const parts = Object.keys({ status: true, headers: true, body: true, input: true } satisfies {
  readonly [Part in keyof AnswerView]: true
})

/** Why an expression says nothing. */
interface Stumbled {
  readonly why: string
  /** It calculates with a value that the answer does not have. */
  readonly isMissing: boolean
}

export interface Expression {
  readonly source: string
  /** The result may be kept, so its size is paid for. */
  readonly evaluate: (view: AnswerView) => Either.Either<Json, Stumbled>
  readonly holds: (view: AnswerView) => boolean
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

/**
 * Whether the expression is deeper than the limit. Not recursive: how deep a recursion may go depends on the stack that
 * it starts on, so an expression could pass the check of its manifest and fail in a call.
 */
const isTooDeep = (ast: Ast): boolean => {
  let level: ReadonlyArray<unknown> = [ast]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > expressionDepthMax) return true
    level = level.flatMap((node) => (isNode(node) ? Object.values(node).filter(isNode) : []))
  }
  return false
}

const expressionOf = (source: string, ast: Ast, texts: "counted" | "refused"): Expression => {
  const interpreted = <A>(view: AnswerView, use: (value: Json, budget: Budget) => A): Either.Either<A, Stumbled> =>
    Either.try({
      try: () => {
        const budget = budgetOf(view)
        return use(interpret(ast, view, budget, texts), budget)
      },
      catch: (error) => ({ why: reason(error), isMissing: error instanceof ValueMissing })
    })
  const kept = (value: Json, budget: Budget): Json => {
    payFor(value, budget)
    return value
  }
  return {
    source,
    evaluate: (view) => interpreted(view, kept),
    // An expression that fails does not hold.
    holds: (view) => Either.getOrElse(interpreted(view, truthy), () => false)
  }
}

/** What the parser says of a number, which it takes in backticks only. */
const bareNumber = /invalid token \(Number\): "(.*)"$/

const parserSays = (error: unknown): string => {
  const said = reason(error)
  const [, number] = bareNumber.exec(said) ?? []
  return number === undefined ? said : `${said}; write a number in backticks: \`${number}\``
}

const tooDeep = `it is nested more than ${expressionDepthMax} levels deep`

const parse = (source: string): Either.Either<Ast, string> =>
  Either.try({
    try: () => jmespath.compile(source),
    // The parser calls itself for each level, and the stack ends.
    catch: (error) => (error instanceof RangeError ? tooDeep : parserSays(error))
  })

/**
 * Left: why the expression does not parse, or why the author cannot mean it. In an expression that counts results,
 * `length` of a text fails. `sees`: the parts of the view that are there.
 */
export const compile = (
  source: string,
  { counts = false, sees = parts }: { readonly counts?: boolean; readonly sees?: ReadonlyArray<string> } = {}
): Either.Either<Expression, string> =>
  source.length > expressionCharsMax
    ? Either.left(`it has more than ${expressionCharsMax} characters`)
    : Either.flatMap(parse(source), (ast) => {
        const mistake = isTooDeep(ast) ? tooDeep : mistakeIn(ast, sees)
        return mistake === null
          ? Either.right(expressionOf(source, ast, counts ? "refused" : "counted"))
          : Either.left(mistake)
      })

export const holds = (expression: Expression | undefined, view: AnswerView): boolean =>
  expression !== undefined && expression.holds(view)

/** Null when the expression fails. */
export const read = (expression: Expression | undefined, view: AnswerView): Json =>
  expression === undefined ? null : Either.getOrElse(expression.evaluate(view), () => null)
