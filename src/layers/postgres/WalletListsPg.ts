/**
 * Lists of money that are read without a lock, on Postgres: open holds and ledger entries, newest first. Each filter is
 * a range of one index (migrations 0008 and 0023). When a filter allows several kinds or states, the newest rows of
 * each are read and merged.
 */
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { RunId, WorkspaceId } from "../../domain/Ids.js"
import { LedgerEntry, LedgerKind } from "../../domain/Ledger.js"
import { type EntryPlace, inOrderOfTime, type LedgerFilter } from "../../domain/LedgerList.js"
import { holdsShownMax } from "../../domain/limits/Workspaces.js"
import { Micros } from "../../domain/Micros.js"
import { holdsMoney, runStatuses } from "../../domain/RunMachine.js"
import type { HoldRow } from "../../services/Wallet.js"
import type { WalletRows } from "../accounts/wallet/WalletRows.js"
import type { Database } from "./Database.js"
import { inWorkspace } from "./database/InWorkspace.js"
import { rowsOf } from "./database/Rows.js"

/** A balance with each of its holds; with none, the hold's columns are null. */
const overviewRows = rowsOf(
  Schema.Struct({
    workspaceId: WorkspaceId,
    availableMicros: Micros,
    reservedMicros: Micros,
    runId: Schema.NullOr(RunId),
    amountMicros: Schema.NullOr(Micros),
    createdAt: Schema.NullOr(Schema.Int)
  })
)
const entryRows = rowsOf(Schema.Struct({ ...LedgerEntry.fields, seq: Schema.Int }))

const columns = `entry_id as "entryId", workspace_id as "workspaceId", kind, debit, credit, amount_micros as "amountMicros",
  balance_after_micros as "balanceAfterMicros", reserved_after_micros as "reservedAfterMicros", run_id as "runId", top_up_id as "topUpId", reason,
  created_at as "createdAt", seq`

type Sql = Database["Type"]["sql"]

const merged = (sql: Sql, parts: ReadonlyArray<Statement.Fragment>) =>
  sql`select * from (${sql.join(" union all ", false)(parts)}) as n`

/**
 * The entries to read: those of a workspace, after a position, at most `limit`, and only those that pass `narrower`.
 */
interface Wanted {
  readonly workspaceId: WorkspaceId
  readonly after: EntryPlace | null
  readonly limit: number
  readonly narrower: Statement.Fragment
}

const behind = (sql: Sql, after: EntryPlace | null) => (after === null ? sql.literal("") : sql`and seq < ${after.seq}`)

/** In the order in which they were made. */
const all = (sql: Sql, { after, limit, workspaceId }: Wanted) => sql`
  select ${sql.literal(columns)} from ledger_entries where workspace_id = ${workspaceId} ${behind(sql, after)}
  order by seq desc limit ${limit}`

/**
 * A run or a top-up has only a few entries. Without the materialised query, the planner might search for them through
 * the whole ledger.
 */
const ofFew = (sql: Sql, which: Statement.Fragment, { after, limit, narrower, workspaceId }: Wanted) => sql`
  with few as materialized (select * from ledger_entries where workspace_id = ${workspaceId} and ${which})
  select ${sql.literal(columns)} from few where true ${narrower} ${behind(sql, after)}
  order by seq desc limit ${limit}`

const ofKinds = (sql: Sql, kinds: ReadonlyArray<LedgerKind>, { after, limit, narrower, workspaceId }: Wanted) => {
  const from = after === null ? sql.literal("") : sql`and (created_at, seq) < (${after.createdAt}, ${after.seq})`
  const parts = kinds.map(
    (kind) => sql`
      (select ${sql.literal(columns)} from ledger_entries
      where ${inWorkspace(sql, "workspace_id", workspaceId)} and (workspace_id || ' ' || kind) = ${`${workspaceId} ${kind}`} ${narrower} ${from}
      order by created_at desc, seq desc limit ${limit})`
  )
  return sql`${merged(sql, parts)} order by "createdAt" desc, seq desc limit ${limit}`
}

const entriesOf = (sql: Sql, filter: LedgerFilter, wanted: Omit<Wanted, "narrower">) => {
  const since = filter.fromMillis === undefined ? sql.literal("") : sql`and created_at >= ${filter.fromMillis}`
  const narrower = filter.toMillis === undefined ? since : sql`${since} and created_at < ${filter.toMillis}`
  const { kind, runId, topUpId } = filter
  if (runId !== undefined || topUpId !== undefined) {
    const ofKind = kind === undefined ? narrower : sql`and kind = ${kind} ${narrower}`
    const ofTopUp = topUpId === undefined ? ofKind : sql`and top_up_id = ${topUpId} ${ofKind}`
    const which = runId === undefined ? sql`top_up_id = ${topUpId}` : sql`run_id = ${runId}`
    return ofFew(sql, which, { ...wanted, narrower: ofTopUp })
  }
  return inOrderOfTime(filter)
    ? ofKinds(sql, kind === undefined ? LedgerKind.literals : [kind], { ...wanted, narrower })
    : all(sql, { ...wanted, narrower })
}

/** Balances with their newest holds, each as it was at one moment. */
export const readOverviews = ({ query, sql }: Database["Type"]) => {
  const workspace = sql.literal("w.workspace_id")
  const parts = runStatuses.filter(holdsMoney).map(
    (status) => sql`
      (select run_id as "runId", hold_micros as "amountMicros", created_at as "createdAt" from runs
      where w.reserved_micros > 0 and ${inWorkspace(sql, "workspace_id", workspace)} and (workspace_id || ' ' || status) = w.workspace_id || ${sql.literal(`' ${status}'`)}
        and hold_micros > 0 order by run_id desc limit ${holdsShownMax})`
  )
  return Effect.fnUntraced(function* (asked: ReadonlyMap<string, WorkspaceId>) {
    const rows = yield* overviewRows(
      query(sql`
        select w.workspace_id as "workspaceId", w.available_micros as "availableMicros", w.reserved_micros as "reservedMicros", h.*
        from wallets w left join lateral (${merged(sql, parts)} order by "runId" desc limit ${holdsShownMax}) h on true
        where w.workspace_id = any(${[...asked.values()]}::text[])`)
    )
    const found = new Map(
      rows.map(({ availableMicros, reservedMicros, workspaceId }) => [
        workspaceId,
        { balance: { availableMicros, reservedMicros }, holds: new Array<HoldRow>() }
      ])
    )
    for (const { amountMicros, createdAt, runId, workspaceId } of rows)
      if (runId !== null && amountMicros !== null && createdAt !== null)
        found.get(workspaceId)?.holds.push({ runId, amountMicros, createdAt })
    for (const { holds } of found.values()) holds.sort((a, b) => (a.runId < b.runId ? 1 : -1))
    return found
  })
}

export const walletLists = ({ query, sql }: Database["Type"]): Pick<WalletRows, "entries"> => ({
  entries: (workspaceId, filter, page) => entryRows(query(entriesOf(sql, filter, { workspaceId, ...page })))
})
