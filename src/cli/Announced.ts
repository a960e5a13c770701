/**
 * What all commands share that take something away or move money: such a command first says what it will do, on
 * standard error; with `--dry-run` it says only that, on standard output, and changes nothing. What is refused without
 * `--dry-run` for what is stored already is refused with it too. And the rule of a question: a person at a terminal is
 * asked, and without one `--yes` must say it. `test/cli/Announced.test.ts` knows all commands, and which of them these
 * are.
 */
import * as Options from "@effect/cli/Options"
import { Data, Effect } from "effect"
import type { JsonObject } from "../domain/Json.js"
import { type Answer, answer } from "./Answer.js"
import { Screen } from "./Screen.js"

export const dryRun = Options.boolean("dry-run").pipe(
  Options.withDescription("Only say what it would do, and change nothing")
)

export const nothingChanged = "Nothing was changed (--dry-run)"

export const warningsJson = (warnings: ReadonlyArray<string>): JsonObject =>
  warnings.length === 0 ? {} : { warnings: [...warnings] }
export const warningLines = (warnings: ReadonlyArray<string>): ReadonlyArray<string> =>
  warnings.map((warning) => `warning: ${warning}`)

interface Plan<E, R> {
  /** A sentence for each thing that will be done. */
  readonly will: ReadonlyArray<string>
  /** False where its work is known to end with something that could not be done, so that a dry run ends with 1 too. */
  readonly ok?: boolean
  /** What it needs that a dry run does not: it is said there, and found out without. */
  readonly needs?: string | null
  /** What is doubtful of what was asked. The answer of the work says it too. */
  readonly warnings?: ReadonlyArray<string>
  /** More for programs, beside the sentences, in the JSON of a dry run. */
  readonly details?: JsonObject
  /** What was found out already. The answer of the work says it too, so only a dry run begins with it. */
  readonly found?: Answer
  /** Does it, and is the first that changes anything. */
  readonly work: Effect.Effect<Answer, E, R>
}

const nothingFound: Answer = { json: {}, text: "" }

/** What is carried out of a plan: all of it, or with `--dry-run` nothing. */
export const carriedOut = <E, R>(
  isDryRun: boolean,
  { details, found = nothingFound, needs = null, ok = true, warnings = [], will, work }: Plan<E, R>
): Effect.Effect<Answer, E, R | Screen> =>
  isDryRun
    ? Effect.succeed({
        ok: ok && found.ok !== false,
        json: {
          ...found.json,
          dryRun: true,
          will: [...will],
          ...(needs === null ? {} : { needs }),
          ...warningsJson(warnings),
          ...details
        },
        text: [
          ...(found.text === "" ? [] : [found.text]),
          ...will,
          ...warningLines(warnings),
          ...(needs === null ? [] : [needs]),
          nothingChanged
        ].join("\n")
      })
    : Effect.gen(function* () {
        const { note } = yield* Screen
        yield* Effect.forEach(will, note, { discard: true })
        return yield* work
      })

/** A command whose plan is made of what is stored. */
export const announced = <E, R, E2, R2>(
  asked: { readonly dryRun: boolean; readonly json: boolean },
  plan: Effect.Effect<Plan<E, R>, E2, R2>
) =>
  answer(
    asked.json,
    Effect.flatMap(plan, (made) => carriedOut(asked.dryRun, made))
  )

export class NotAgreed extends Data.TaggedError("NotAgreed")<{ readonly message: string }> {}

/** Goes on where `--yes` was typed or a person says yes. */
export const agreed = (asked: {
  readonly yes: boolean
  /** Why it is asked, as a clause, and then the question. */
  readonly because: string
  readonly question: string
  /** What `--yes` does. */
  readonly otherwise: string
  /** What is said after a no. */
  readonly declined: string
}): Effect.Effect<void, NotAgreed, Screen> =>
  Effect.gen(function* () {
    if (asked.yes) return
    const { ask, interactive } = yield* Screen
    if (!interactive) return yield* new NotAgreed({ message: `${asked.because}: ${asked.otherwise}` })
    if (!(yield* ask(`${asked.because}. ${asked.question}`))) return yield* new NotAgreed({ message: asked.declined })
  })
