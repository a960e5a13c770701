/**
 * The tables of finished runs (migration 0032): what they have of the columns of the hot tables, how a whole run is
 * selected from them, and how their partitions are made, used and dropped. A partition holds the runs whose ids were
 * made in one month.
 */
import { Effect, Schema } from "effect"
import { firstRunIdAt } from "../../../domain/Ids.js"
import { endOfMonth } from "../../../domain/Run.js"
import { fromStoredRun, StoredRun } from "../../../domain/StoredPlan.js"
import { rowsOf } from "../database/Rows.js"
import { attemptTable, runTable } from "../RunTables.js"

export const historyTables = ["history_runs", "history_payloads", "history_attempts", "history_media"] as const

const payload: ReadonlyArray<string> = ["input", "result", "normalized"]
const kept = Object.keys(StoredRun.fields).filter((field) => field !== "payloadDropped" && !payload.includes(field))

/** `workspace_id, run_id, …`, in the order of both tables. */
export const columnsOf = {
  runs: runTable.columns(kept),
  payloads: runTable.columns(["workspaceId", "runId", ...payload]),
  attempts: attemptTable.names,
  media: "workspace_id, run_id, media_id, content_type, filename, sha256, bytes"
}

/** A whole run, out of `history_runs r left join history_payloads p`. */
export const wholeRun = `${runTable.selected("r", kept)}, coalesce(p.input, '{}') as "input", p.result as "result", p.normalized as "normalized",
  p.run_id is null as "payloadGone"`
export const withPayload =
  "history_runs r left join history_payloads p on p.workspace_id = r.workspace_id and p.run_id = r.run_id"

const storedRows = rowsOf(Schema.Struct({ ...StoredRun.fields, payloadGone: Schema.Boolean }))
export const wholeRunRows = <E, R>(answer: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  Effect.map(storedRows(answer), (runs) =>
    runs.map(({ payloadGone, ...run }) => fromStoredRun(payloadGone ? { ...run, payloadDropped: true } : run))
  )

export interface Bounds {
  readonly first: string
  /** The least id after the month. */
  readonly end: string
}
export const boundsOf = (month: string): Bounds => ({
  first: firstRunIdAt(Date.parse(`${month}-01T00:00:00Z`)),
  end: firstRunIdAt(endOfMonth(month))
})

export const partitionOf = (table: (typeof historyTables)[number], month: string): string =>
  `${table}_${month.replace("-", "_")}`
