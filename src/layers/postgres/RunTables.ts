/**
 * The columns of runs and attempts: one list for each table, from which the code for reading, writing and decoding is
 * made. Many rows travel as one JSON document and come out of `json_to_recordset`, so every statement has one text,
 * whatever the number of rows. Columns of type `json` keep a provider's answer letter for letter; `jsonb` would not.
 */
import { Effect } from "effect"
import { wellFormed } from "../../domain/Characters.js"
import { writeJson } from "../../domain/LosslessJson.js"
import { member } from "../../domain/Members.js"
import { Attempt, type Run, type RunStatus } from "../../domain/Run.js"
import { isInflight, isTerminal, runStatuses } from "../../domain/RunMachine.js"
import { fromStoredRun, StoredRun, toStoredRun } from "../../domain/StoredPlan.js"
import { rowsOf } from "./database/Rows.js"

/** The statuses as the list of an SQL `in`. They stand in the text, because plans use indexes of one status. */
const listOf = (wanted: (status: RunStatus) => boolean): string =>
  runStatuses
    .filter(wanted)
    .map((status) => `'${status}'`)
    .join(", ")

export const finishedList = listOf(isTerminal)
export const inflightList = listOf(isInflight)

/** Columns that a caller adds to those of the table. */
interface MoreColumns {
  readonly [column: string]: string | number | boolean | null
}

type Columns<A> = { readonly [Field in keyof A]: readonly [column: string, type: string] }
/** `payloadDropped` is no column: it says that a row of the history has none of them (`history/HistoryTables.ts`). */
type RowOfRun = Omit<StoredRun, "payloadDropped">

const runColumns: Columns<RowOfRun> = {
  runId: ["run_id", "text"],
  workspaceId: ["workspace_id", "text"],
  tokenId: ["token_id", "text"],
  idempotencyKey: ["idempotency_key", "text"],
  requestDigest: ["request_digest", "text"],
  requestId: ["request_id", "text"],
  requestedEndpointId: ["requested_endpoint_id", "text"],
  endpointId: ["endpoint_id", "text"],
  providerId: ["provider_id", "text"],
  contractVersion: ["contract_version", "text"],
  job: ["job", "text"],
  input: ["input", "json"],
  plan: ["plan", "json"],
  status: ["status", "text"],
  outcome: ["outcome", "text"],
  outcomeReason: ["outcome_reason", "text"],
  holdMicros: ["hold_micros", "bigint"],
  chargeMicros: ["charge_micros", "bigint"],
  spendMonth: ["spend_month", "text"],
  error: ["error", "json"],
  result: ["result", "json"],
  normalized: ["normalized", "json"],
  resultBytes: ["result_bytes", "integer"],
  providerStatus: ["provider_status", "integer"],
  servedEndpointId: ["served_endpoint_id", "text"],
  servedProviderId: ["served_provider_id", "text"],
  connectionId: ["connection_id", "text"],
  cancelRequested: ["cancel_requested", "boolean"],
  createdAt: ["created_at", "bigint"],
  startedAt: ["started_at", "bigint"],
  completedAt: ["completed_at", "bigint"]
}

const attemptColumns: Columns<Attempt> = {
  attemptId: ["attempt_id", "text"],
  runId: ["run_id", "text"],
  workspaceId: ["workspace_id", "text"],
  n: ["n", "integer"],
  endpointId: ["endpoint_id", "text"],
  providerId: ["provider_id", "text"],
  status: ["status", "text"],
  outcome: ["outcome", "text"],
  reason: ["reason", "text"],
  errorCode: ["error_code", "text"],
  providerStatus: ["provider_status", "integer"],
  latencyMs: ["latency_ms", "integer"],
  costMicros: ["cost_micros", "bigint"],
  billed: ["billed", "boolean"],
  receiptId: ["receipt_id", "text"],
  receipt: ["receipt", "json"],
  startedAt: ["started_at", "bigint"],
  completedAt: ["completed_at", "bigint"]
}

/** Escapes that are valid in JSON but that Postgres cannot decode: NUL, and each half of a surrogate pair. */
const unsafe = /\\u(?:0000|d[89a-f])/i

/**
 * The content of one column in the document of the row. JSON is embedded as it is. If it holds an escape that Postgres
 * cannot decode, it is embedded as a string. A `json` column is read from the document as text in both cases, and is
 * kept letter for letter.
 */
const contentOf = (type: string, value: {}): string => {
  if (typeof value === "string")
    return type === "json" ? JSON.stringify(JSON.stringify(wellFormed(value))) : JSON.stringify(wellFormed(value))
  if (typeof value !== "object") return String(value)
  const text = writeJson(value)
  return text.includes("\\u") && unsafe.test(text) ? JSON.stringify(text) : text
}

const valueOf = (column: string, type: string): string => (type === "json" ? `${column}::json` : column)

const typed = (fields: ReadonlyArray<readonly [string, readonly [string, string]]>): string =>
  fields.map(([, [column, type]]) => `${column} ${type === "json" ? "text" : type}`).join(", ")

const table = <A extends object>(columns: Columns<A>) => {
  const fields: ReadonlyArray<readonly [string, readonly [string, string]]> = Object.entries(columns)
  const fieldsOf = (chosen: ReadonlyArray<keyof A>) => fields.filter(([field]) => chosen.some((one) => one === field))
  /** A null is left out of the document: a missing member comes out of the record set as null. */
  const rowText = (written: typeof fields, row: Partial<A>, more: MoreColumns): string => {
    let text = ""
    for (const [field, [column, type]] of written) {
      const content = member(row, field) ?? null
      if (content !== null) text += `,"${column}":${contentOf(type, content)}`
    }
    for (const column in more) {
      const content = member(more, column) ?? null
      if (content !== null) text += `,"${column}":${JSON.stringify(content)}`
    }
    return `{${text.slice(1)}}`
  }
  return {
    /** `run_id, workspace_id, …` */
    names: fields.map(([, [column]]) => column).join(", "),
    /** `run_id, workspace_id, …` of the given fields, in the order of `names`. */
    columns: (chosen: ReadonlyArray<string>) =>
      fields.flatMap(([field, [column]]) => (chosen.includes(field) ? [column] : [])).join(", "),
    /** `run_id text, workspace_id text, …`, for `json_to_recordset`: JSON is taken out of it as text. */
    typed: typed(fields),
    /** The same for the given fields only. */
    typedOnly: (chosen: ReadonlyArray<keyof A>) => typed(fieldsOf(chosen)),
    /** `run_id, plan::json, …`: the columns of `names` out of such a record set. */
    values: fields.map(([, [column, type]]) => valueOf(column, type)).join(", "),
    /** `alias.run_id as "runId", …`, for all fields or for the given ones. */
    selected: (alias: string, chosen: ReadonlyArray<string> = fields.map(([field]) => field)) =>
      fields
        .flatMap(([field, [column]]) => (chosen.includes(field) ? [`${alias}.${column} as "${field}"`] : []))
        .join(", "),
    /** `run_id = from.run_id, …` for the given fields. */
    assigned: (from: string, ...chosen: ReadonlyArray<keyof A>) =>
      chosen
        .map((field) => `${columns[field][0]} = ${valueOf(`${from}.${columns[field][0]}`, columns[field][1])}`)
        .join(", "),
    /** Rows as one document for `json_to_recordset`. The caller may add columns. */
    document: (rows: ReadonlyArray<A>, more: (index: number) => MoreColumns = () => ({})): string =>
      `[${rows.map((row, index) => rowText(fields, row, more(index))).join(",")}]`,
    /** The same with the given fields only: an update need not send fields that it does not write. */
    documentOnly: (rows: ReadonlyArray<Partial<A>>, chosen: ReadonlyArray<keyof A>): string => {
      const written = fieldsOf(chosen)
      return `[${rows.map((row) => rowText(written, row, {})).join(",")}]`
    }
  }
}

const stored = table<RowOfRun>(runColumns)
export const runTable = {
  ...stored,
  document: (runs: ReadonlyArray<Run>, more: (index: number) => MoreColumns) =>
    stored.document(runs.map(toStoredRun), more)
}
export const attemptTable = table<Attempt>(attemptColumns)

const storedRows = rowsOf(StoredRun)
/** The runs of an answer whose columns are `runTable.selected`. */
export const runRows = <E, R>(answer: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  Effect.map(storedRows(answer), (runs): ReadonlyArray<Run> => runs.map(fromStoredRun))
/** The attempts of an answer whose columns are `attemptTable.selected`. */
export const attemptRows = rowsOf(Attempt)
