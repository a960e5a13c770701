/** What an operator may set a workspace's counting limits to. */
import type { FieldProblem } from "./ApiErrors.js"
import { workspaceCountMax } from "./limits/Workspaces.js"

const countProblem = (field: string, value: number | null | undefined): FieldProblem | null =>
  value === null || value === undefined || (Number.isInteger(value) && value >= 1 && value <= workspaceCountMax)
    ? null
    : { field, message: `must be a whole number from 1 to ${workspaceCountMax}, or null for the default` }

/** The first thing wrong with limits that are to be set, if anything. */
export const limitsProblem = (limits: {
  readonly inflightLimit?: number | null
  readonly runsPerMinute?: number | null
}): FieldProblem | null =>
  countProblem("inflightLimit", limits.inflightLimit) ?? countProblem("runsPerMinute", limits.runsPerMinute)

/** The limits as one text: equal for equal limits alone. */
export const limitsText = (limits: {
  readonly inflightLimit: number | null
  readonly runsPerMinute: number | null
  readonly runCapMicros: number | null
}): string => [limits.inflightLimit, limits.runsPerMinute, limits.runCapMicros].join(" ")
