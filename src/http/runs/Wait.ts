/**
 * `wait`: how long `POST /v1/runs` may stay open for the run to end. True, or the bare word, is 20 seconds; numbers are
 * clamped to 0..60.
 */
import { Schema } from "effect"
import { parameter } from "../Query.js"

const secondsWhenTrue = 20
const secondsMax = 60

export const waitSeconds = (wait: boolean | number): number =>
  typeof wait === "number" ? Math.min(Math.max(wait, 0), secondsMax) : wait ? secondsWhenTrue : 0

const expected = "must be true, false, or a number of seconds from 0 to 60"

/** Seconds, from `?wait`, `?wait=`, `?wait=true|false` or `?wait=12.5`. */
export const WaitQuery: Schema.Schema<number, string> = parameter(Schema.Number, {
  expected,
  read: (raw) => {
    if (raw === "" || raw === "true") return waitSeconds(true)
    if (raw === "false") return waitSeconds(false)
    // Any number is clamped, however large; a blank and words such as Infinity or 0x10 are no numbers of seconds.
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(raw) ? waitSeconds(Number(raw)) : undefined
  },
  jsonSchema: { oneOf: [{ type: "boolean" }, { type: "number", minimum: 0, maximum: secondsMax }, { const: "" }] }
})

export const WaitBody = Schema.Union(Schema.Boolean, Schema.JsonNumber).annotations({
  message: () => ({ message: expected, override: true })
})
