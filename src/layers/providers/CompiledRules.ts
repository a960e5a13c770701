/**
 * The expressions of an operation, compiled together: response rules, output map, asynchronous rules. All problems are
 * found at once and named by their path in the manifest.
 */
import { Either } from "effect"
import type { FailureRule, Operation } from "../../domain/Manifest.js"
import { compile, type Expression } from "./Expressions.js"
import type { PlanProblem } from "./RequestPlan.js"

export interface CompiledFailureRule {
  readonly when: Expression
  readonly code: (typeof FailureRule.Type)["code"]
  readonly message: Expression | undefined
}

export interface CompiledRules {
  readonly errors: ReadonlyArray<CompiledFailureRule>
  readonly miss: Expression | undefined
  readonly weak: Expression | undefined
  readonly success: Expression | undefined
  readonly costMicros: Expression | undefined
  readonly resultCount: Expression | undefined
  readonly requestId: Expression | undefined
  readonly fields: ReadonlyArray<readonly [field: string, expression: Expression]>
  readonly guessed: Expression | undefined
  readonly ticket: Expression | undefined
  readonly done: Expression | undefined
  readonly pollUrl: Expression | undefined
  readonly resultUrl: Expression | undefined
  readonly resultId: Expression | undefined
  readonly cancelUrl: Expression | undefined
  readonly nextCursor: Expression | undefined
  readonly nextUrl: Expression | undefined
  readonly morePages: Expression | undefined
}

const never: Expression = { source: "null", evaluate: () => Either.right(null), holds: () => false }

/** Left: every expression that does not parse. Paths start under the operation. */
export const compileRules = (operation: Operation): Either.Either<CompiledRules, ReadonlyArray<PlanProblem>> => {
  const problems: Array<PlanProblem> = []
  const must = (path: string, source: string, options: { readonly counts?: boolean } = {}): Expression =>
    Either.getOrElse(compile(source, options), (message) => {
      problems.push({ path, message: `is not a JMESPath expression: ${message}` })
      return never
    })
  const may = (path: string, source: string | undefined) => (source === undefined ? undefined : must(path, source))

  const { async, output, pages, response } = operation
  const { cancel, poll, result } = async ?? {}
  const rules: CompiledRules = {
    errors: response.errors.map((rule, index) => ({
      when: must(`response.errors.${index}.when`, rule.when),
      code: rule.code,
      message: may(`response.errors.${index}.message`, rule.message)
    })),
    miss: may("response.miss", response.miss),
    weak: may("response.weak", response.weak),
    success: may("response.success", response.success),
    costMicros: may("response.costMicros", response.costMicros),
    resultCount:
      response.resultCount === undefined
        ? undefined
        : must("response.resultCount", response.resultCount, { counts: true }),
    requestId: may("response.requestId", response.requestId),
    fields: Object.entries(output?.fields ?? {}).map(
      ([field, source]) => [field, must(`output.fields.${field}`, source)] as const
    ),
    guessed: may("output.guessed", output?.guessed),
    ticket: may("async.ticket", async?.ticket),
    done: may("async.done", async?.done),
    pollUrl: may("async.poll.url", poll !== undefined && "url" in poll ? poll.url : undefined),
    resultUrl: may("async.result.url", result !== undefined && "url" in result ? result.url : undefined),
    resultId: may("async.result.id", result !== undefined && "path" in result ? result.id : undefined),
    cancelUrl: may("async.cancel.url", cancel !== undefined && "url" in cancel ? cancel.url : undefined),
    nextCursor: may("pages.next.cursor", pages?.next.by === "cursor" ? pages.next.cursor : undefined),
    nextUrl: may("pages.next.url", pages?.next.by === "url" ? pages.next.url : undefined),
    morePages: may("pages.more", pages?.more)
  }
  return problems.length === 0 ? Either.right(rules) : Either.left(problems)
}
