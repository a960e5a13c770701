/**
 * `wait`: how long `POST /v1/runs` may stay open for the run to end. True, or the bare word, is 20 seconds; numbers are
 * clamped to 0..60.
 */
import { Schema } from "effect"
import { waitSecondsMax, waitSecondsWhenTrue } from "../../domain/limits/Runs.js"
import { field } from "../Fields.js"
import { parameter, readBoolean } from "../Query.js"

export const waitSeconds = (wait: boolean | number): number =>
  typeof wait === "number" ? Math.min(Math.max(wait, 0), waitSecondsMax) : wait ? waitSecondsWhenTrue : 0

const expected = `must be true, false, or a number of seconds from 0 to ${waitSecondsMax}`

/** Seconds, from `?wait`, `?wait=`, `?wait=true|false` or `?wait=12.5`. */
export const WaitQuery: Schema.Schema<number, string> = field(
  parameter(Schema.Number, {
    expected,
    read: (raw) => {
      const word = raw === "" ? true : readBoolean(raw)
      if (word !== undefined) return waitSeconds(word)
      // Any number is clamped, however large; a blank and words such as Infinity or 0x10 are no numbers of seconds.
      return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(raw) ? waitSeconds(Number(raw)) : undefined
    },
    jsonSchema: { oneOf: [{ type: "boolean" }, { type: "number", minimum: 0, maximum: waitSecondsMax }, { const: "" }] }
  }),
  `How long to wait for the end of the run: true, or the bare word, is ${waitSecondsWhenTrue} seconds, a number is seconds, of which more than ${waitSecondsMax} count as ${waitSecondsMax}. What has not ended by then is answered as it is`,
  waitSecondsWhenTrue
)

export const WaitBody = Schema.Union(Schema.Boolean, Schema.JsonNumber).annotations({
  jsonSchema: { oneOf: [{ type: "boolean" }, { type: "number", minimum: 0, maximum: waitSecondsMax }] },
  message: () => ({ message: expected, override: true })
})
