/** The process of one case; `bounds.ts` starts it. */
import { cases, runnerOf } from "./Cases.js"
import { measure } from "./Measuring.js"

const numberOf = (name: string): number => Number(process.env[name])
const one = cases[numberOf("BOUNDS_CASE")]
if (one === undefined) throw new Error("there is no such case")
const run = await runnerOf(one, { at: numberOf("BOUNDS_CASE"), port: numberOf("BOUNDS_PORT") })
const result = await measure(numberOf("BOUNDS_ROUNDS"), run)
process.send?.(result, () => process.exit(0))
