/**
 * The steps of which the script of a provider is made, and what is wrong with one that is none: tests in JavaScript
 * have no compiler to say so.
 */
import { Duration, Option, Predicate } from "effect"
import type { Json } from "../../domain/Json.js"
import type { CallRunFailure, ProviderCall } from "../../domain/ProviderCall.js"
import { FetchFailed, runFailures } from "../../domain/RunFailures.js"

export type Step =
  | {
      readonly _tag: "Answer"
      readonly outcome: "hit" | "weak" | "miss"
      readonly body: Json | undefined
      readonly costMicros: Json
      readonly after: Duration.DurationInput
    }
  | {
      readonly _tag: "Failure"
      readonly failure: CallRunFailure
      /** `refused`: the provider said so. `lost`: the request left, and no answer came back. */
      readonly how: "not_sent" | "refused" | "lost"
      readonly costMicros: Json
      readonly after: Duration.DurationInput
    }
  | { readonly _tag: "Silence" }

/** A step, or what decides it when the call is made: `({ input }) => input["name"] === "Ada" ? hit() : miss()`. */
export type Scripted = Step | ((call: ProviderCall) => Step)

export interface StepOptions {
  /** How long the provider takes. */
  readonly after?: Duration.DurationInput
  /** What the provider says it cost; any JSON, to rehearse anomalies. */
  readonly costMicros?: Json
}

const answer =
  (outcome: "hit" | "weak" | "miss") =>
  (body?: Json, options: StepOptions = {}): Step => ({
    _tag: "Answer",
    outcome,
    body,
    costMicros: options.costMicros ?? null,
    after: options.after ?? 0
  })

/** Without a body: the body of the operation's documented sample of that outcome. */
export const hit = answer("hit")
export const weak = answer("weak")
export const miss = answer("miss")

const failing =
  (how: Extract<Step, { readonly _tag: "Failure" }>["how"]) =>
  (failure: CallRunFailure, options: StepOptions = {}): Step => ({
    _tag: "Failure",
    failure,
    how,
    costMicros: options.costMicros ?? null,
    after: options.after ?? 0
  })

/** The provider says that it failed. */
export const fail = failing("refused")
/** The answer is lost after the request left: an effect may have happened. */
export const drop = (options?: StepOptions): Step => failing("lost")(new FetchFailed(), options)
/** The provider cannot be reached: nothing happened. */
export const unreachable = (options?: StepOptions): Step => failing("not_sent")(new FetchFailed(), options)

/** No answer ever: the call ends at the time limit of its operation. */
export const silence: Step = { _tag: "Silence" }

/** What makes a step has to be called; how, by what it is. */
const makers: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [hit, "hit()"],
  [weak, "weak()"],
  [miss, "miss()"],
  [fail, "fail(new failures.ProviderTimeout())"],
  [drop, "drop()"],
  [unreachable, "unreachable()"]
])

const stepTags: ReadonlySet<unknown> = new Set<Step["_tag"]>(["Answer", "Failure", "Silence"])
const isStep = (value: unknown): value is Step => Predicate.hasProperty(value, "_tag") && stepTags.has(value._tag)

/** What is wrong with a step; the text follows its name. Null when nothing is. */
export const stepMistake = (value: unknown): string | null => {
  const call = makers.get(value)
  if (call !== undefined) return `is a function that makes a step: write ${call}`
  if (!isStep(value))
    return "must be a step, such as hit({ found: true }), a function that gives one, or a list of these"
  if (value._tag === "Silence") return null
  if (value._tag === "Failure" && !runFailures.some((failure) => value.failure instanceof failure))
    return "must have a failure with a code: write fail(new failures.ProviderTimeout())"
  return Option.isSome(Duration.decodeUnknown(value.after))
    ? null
    : `has an "after" that is no time: write after: "3 seconds", or a number of milliseconds`
}

/** A function is asked when the call is made, and what it gives is judged then. */
const isFunction = (value: unknown): boolean => typeof value === "function" && !makers.has(value)

/** What is wrong with a script, which has this name in the message. */
export const scriptMistake = (name: string, steps: ReadonlyArray<unknown>): string | null => {
  if (steps.length === 0) return `${name} is empty: give it a step, such as hit()`
  for (const [index, step] of steps.entries()) {
    const mistake = isFunction(step) ? null : stepMistake(step)
    if (mistake !== null) return `${steps.length === 1 ? name : `step ${index + 1} of ${name}`} ${mistake}`
  }
  return null
}
