/**
 * What a command prints. With `--json` standard output is exactly one JSON document; without it, a few lines for
 * people. A failure is one line on standard error. Nothing else writes to standard output.
 */
import { Console, Data, Effect } from "effect"
import type { JsonObject } from "../domain/Json.js"
import { writeJson } from "../domain/LosslessJson.js"

export interface Answer {
  readonly json: JsonObject
  readonly text: string
  /**
   * False: the command ran and its answer is bad news, such as a ledger that does not add up. The program then ends
   * with 1.
   */
  readonly ok?: boolean
}

/** The answer was printed; this only sets the exit code to 1. */
export class BadNews extends Data.TaggedError("BadNews")<{}> {}

/** What was typed has no meaning, which only several words together show: the program ends with 2. */
export class NotUnderstood extends Data.TaggedError("NotUnderstood")<{ readonly message: string }> {}

export const answer = <E, R>(json: boolean, work: Effect.Effect<Answer, E, R>): Effect.Effect<void, E | BadNews, R> =>
  Effect.flatMap(work, (found) =>
    Effect.zipRight(
      Console.log(json ? writeJson(found.json) : found.text),
      found.ok === false ? new BadNews() : Effect.void
    )
  )

export const isoTime = (millis: number): string => new Date(millis).toISOString()
export const isoTimeOrNull = (millis: number | null): string | null => (millis === null ? null : isoTime(millis))
