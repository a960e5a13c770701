/** What is wrong with the script of a provider: tests in JavaScript have no compiler to say so. */
import { Duration, Either, Option, Predicate } from "effect"
import { runFailures } from "../../domain/RunFailures.js"
import {
  type AnswerOptions,
  drop,
  fail,
  hit,
  miss,
  type Step,
  type StepOptions,
  unreachable,
  weak
} from "./ScriptedSteps.js"

/** What makes a step has to be called; how, by what it is. */
const makers: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [hit, "hit()"],
  [weak, "weak()"],
  [miss, "miss()"],
  [fail, "fail(new failures.Timeout())"],
  [drop, "drop()"],
  [unreachable, "unreachable()"]
])

const stepTags: ReadonlySet<unknown> = new Set<Step["_tag"]>(["Answer", "Failure", "Silence"])
const isStep = (value: unknown): value is Step => Predicate.hasProperty(value, "_tag") && stepTags.has(value._tag)

type Answer = Extract<Step, { readonly _tag: "Answer" }>
type Failure = Extract<Step, { readonly _tag: "Failure" }>

const options: Record<keyof StepOptions, true> = { after: true, costMicros: true }
const answerOptions: Record<keyof AnswerOptions, true> = { ...options, contentType: true, filename: true }

/** Every member that a step may have, whatever it is. */
const members: Record<Exclude<keyof Answer | keyof Failure, keyof AnswerOptions>, true> = {
  _tag: true,
  outcome: true,
  body: true,
  failure: true,
  how: true
}

/** JSON would leave a function out, make null of NaN, and `{}` of a map. */
const isLost = (value: unknown): boolean =>
  ["function", "symbol"].includes(typeof value) ||
  (typeof value === "number" && !Number.isFinite(value)) ||
  value instanceof Map ||
  value instanceof Set ||
  value instanceof Promise

const isType = (value: unknown): boolean =>
  typeof value === "string" && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:;[\x20-\x7e]*)?$/.test(value)
const isFilename = (value: unknown): boolean => typeof value === "string" && /^[^"\\\p{Cc}]+$/u.test(value)

const bodyMistake = ({ body, contentType, filename }: Answer): string | null => {
  if (contentType !== null && !isType(contentType)) return `has a "contentType" that is none, such as "application/pdf"`
  if (filename !== null && !isFilename(filename)) return `has a "filename" that is no name, such as "invoice.pdf"`
  if (body instanceof Uint8Array)
    return contentType === null ? `has bytes as its body: give their contentType, such as "application/pdf"` : null
  if (contentType !== null && body !== undefined && typeof body !== "string")
    return "has a contentType beside a body that is neither a text nor bytes"
  let lost = false
  const written = Either.try(() =>
    JSON.stringify(body, (_, value: unknown) => {
      lost ||= isLost(value)
      return value
    })
  )
  return lost || Either.isLeft(written) ? "has a body that JSON cannot hold" : null
}

/** The reader of durations makes 0 of what is below. */
const isTime = (after: unknown): boolean =>
  Option.isSome(Duration.decodeUnknown(after)) &&
  !(typeof after === "number" && !(after >= 0)) &&
  !(typeof after === "string" && after.trimStart().startsWith("-"))

/** What is wrong with a step; the text follows its name. Null when nothing is. */
export const stepMistake = (value: unknown): string | null => {
  const call = makers.get(value)
  if (call !== undefined) return `is a function that makes a step: write ${call}`
  if (!isStep(value))
    return "must be a step, such as hit({ found: true }), a function that gives one, or a list of these"
  if (value._tag === "Silence") return null
  if (value._tag === "Failure" && !runFailures.some((failure) => value.failure instanceof failure))
    return "must have a failure with a code: write fail(new failures.Timeout())"
  const allowed = value._tag === "Answer" ? answerOptions : options
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(allowed, name) && !Object.hasOwn(members, name))
  if (unknown !== undefined) return `has no option "${unknown}"; there are ${Object.keys(allowed).join(", ")}`
  if (!isTime(value.after))
    return `has an "after" that is no time: write after: "3 seconds", or a number of milliseconds`
  return value._tag === "Answer" ? bodyMistake(value) : null
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
