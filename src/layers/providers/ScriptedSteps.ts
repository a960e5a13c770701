/** The steps of which the script of a provider is made. `ScriptMistakes.ts` says what is wrong with one. */
import type { Duration } from "effect"
import type { Json } from "../../domain/Json.js"
import type { CallRunFailure, ProviderCall } from "../../domain/ProviderCall.js"
import { FetchFailed } from "../../domain/RunFailures.js"

export interface StepOptions {
  /** How long the provider takes; 0 by default. */
  readonly after?: Duration.DurationInput | undefined
  /** What the provider says it cost, nothing by default; any JSON, to rehearse anomalies. */
  readonly costMicros?: Json | undefined
}

export interface AnswerOptions extends StepOptions {
  /** With it the body is a text or bytes of this type, read as in production; without it the body is JSON. */
  readonly contentType?: string | undefined
  /** The name that the provider gives a file. */
  readonly filename?: string | undefined
}

/** An answer: what JSON can hold, of any type; or a text or bytes, with their content type. */
export type AnswerGiven = Json | object

interface Taken {
  readonly after: Duration.DurationInput
  readonly costMicros: Json
}

export type Step =
  | (Taken & {
      readonly _tag: "Answer"
      readonly outcome: "hit" | "weak" | "miss"
      readonly body: AnswerGiven | undefined
      readonly contentType: string | null
      readonly filename: string | null
    })
  | (Taken & {
      readonly _tag: "Failure"
      readonly failure: CallRunFailure
      /** `refused`: the provider said so. `lost`: the request left, and no answer came back. */
      readonly how: "not_sent" | "refused" | "lost"
    })
  | { readonly _tag: "Silence" }

/** A step, or what decides it when the call is made: `({ input }) => input["name"] === "Ada" ? hit() : miss()`. */
export type Scripted = Step | ((call: ProviderCall) => Step)

/** An option that does not exist stays on the step, so that `ScriptMistakes.ts` can name it. */
const withDefaults = (options: StepOptions): Taken => ({
  ...options,
  after: options.after === undefined ? 0 : options.after,
  costMicros: options.costMicros ?? null
})

const answer =
  (outcome: "hit" | "weak" | "miss") =>
  (body?: AnswerGiven, options: AnswerOptions = {}): Step => ({
    ...withDefaults(options),
    contentType: options.contentType ?? null,
    filename: options.filename ?? null,
    _tag: "Answer",
    outcome,
    body
  })

/** Without a body: the body of the operation's documented sample of that outcome. */
export const hit = answer("hit")
export const weak = answer("weak")
export const miss = answer("miss")

const failing =
  (how: Extract<Step, { readonly _tag: "Failure" }>["how"]) =>
  (failure: CallRunFailure, options: StepOptions = {}): Step => ({
    ...withDefaults(options),
    _tag: "Failure",
    failure,
    how
  })

/** The provider says that it failed. */
export const fail = failing("refused")
/** The answer is lost after the request left: an effect may have happened. */
export const drop = (options?: StepOptions): Step => failing("lost")(new FetchFailed(), options)
/** The provider cannot be reached: nothing happened. */
export const unreachable = (options?: StepOptions): Step => failing("not_sent")(new FetchFailed(), options)

/** No answer ever: the call ends at the time limit of its operation. */
export const silence: Step = { _tag: "Silence" }
