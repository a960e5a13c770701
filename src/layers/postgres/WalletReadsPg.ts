/**
 * What is read of money without a lock, on Postgres: open holds and ledger entries, newest first. Each filter is a
 * range of one index (migration 0008); where it leaves several kinds or states open, the newest of each are read and
 * merged.
 */
import type { Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
import { RunId } from "../../domain/Ids.js"
import { LedgerEntry, LedgerKind } from "../../domain/Ledger.js"
import { Micros } from "../../domain/Micros.js"
import { holdsMoney, runStatuses } from "../../domain/RunMachine.js"
import { entryKey, type EntryPlace, entryPlaceOf, inOrderOfTime, type Wallet } from "../../services/Wallet.js"
import type { Database } from "./Database.js"
import { pageOf } from "../../domain/Pages.js"

const decodeHolds = Schema.decodeUnknown(
  Schema.Array(Schema.Struct({ runId: RunId, amountMicros: Micros, createdAt: Schema.Int }))
)
const decodeEntries = Schema.decodeUnknown(Schema.Array(Schema.Struct({ ...LedgerEntry.fields, seq: Schema.Int })))

const entry = `entry_id as "entryId", workspace_id as "workspaceId", kind, debit, credit, amount_micros as "amountMicros",
  balance_after_micros as "balanceAfterMicros", reserved_after_micros as "reservedAfterMicros", run_id as "runId", top_up_id as "topUpId", reason,
  created_at as "createdAt", seq`

export const walletReads = ({ query, sql }: Database["Type"]): Pick<Wallet["Type"], "entries" | "holds"> => {
  const columns = sql.literal(entry)
  const nothing = sql.literal("")

  const merged = (parts: ReadonlyArray<Statement.Fragment>) =>
    sql`select * from (${sql.join(" union all ", false)(parts)}) as n`

  /** In the order in which they were made. */
  const all = (workspaceId: string, after: EntryPlace | null, count: number) => sql`
    select ${columns} from ledger_entries where workspace_id = ${workspaceId} ${after === null ? nothing : sql`and seq < ${after.seq}`}
    order by seq desc limit ${count}`

  /**
   * A run has a handful of entries; the materialised query keeps the planner from looking for them in the order of the
   * ledger.
   */
  const ofRun = (
    workspaceId: string,
    runId: RunId,
    after: EntryPlace | null,
    count: number,
    narrower: Statement.Fragment
  ) => sql`
    with of_run as materialized (select * from ledger_entries where workspace_id = ${workspaceId} and run_id = ${runId})
    select ${columns} from of_run where true ${narrower} ${after === null ? nothing : sql`and seq < ${after.seq}`}
    order by seq desc limit ${count}`

  const ofKinds = (
    workspaceId: string,
    kinds: ReadonlyArray<LedgerKind>,
    after: EntryPlace | null,
    count: number,
    narrower: Statement.Fragment
  ) => {
    const parts = kinds.map(
      (kind) => sql`
      (select ${columns} from ledger_entries where (workspace_id || ' ' || kind) = ${`${workspaceId} ${kind}`} ${narrower}
      ${after === null ? nothing : sql`and (created_at, seq) < (${after.createdAt}, ${after.seq})`} order by created_at desc, seq desc limit ${count})`
    )
    return sql`${merged(parts)} order by "createdAt" desc, seq desc limit ${count}`
  }

  return {
    holds: Effect.fn("Wallet.holds")(function* (workspaceId, limit) {
      const parts = runStatuses.filter(holdsMoney).map(
        (status) => sql`
        (select run_id as "runId", hold_micros as "amountMicros", created_at as "createdAt" from runs
        where (workspace_id || ' ' || status) = ${`${workspaceId} ${status}`} and hold_micros > 0 order by run_id desc limit ${limit})`
      )
      return yield* Effect.orDie(decodeHolds(yield* query(sql`${merged(parts)} order by "runId" desc limit ${limit}`)))
    }),
    entries: Effect.fn("Wallet.entries")(function* (workspaceId, filter, page) {
      const after = page.after === null ? null : entryPlaceOf(page.after)
      const since = filter.fromMillis === undefined ? nothing : sql`and created_at >= ${filter.fromMillis}`
      const narrower = filter.toMillis === undefined ? since : sql`${since} and created_at < ${filter.toMillis}`
      const count = page.limit + 1
      const kinds = filter.kind === undefined ? LedgerKind.literals : [filter.kind]
      const rows = yield* query(
        filter.runId !== undefined
          ? ofRun(
              workspaceId,
              filter.runId,
              after,
              count,
              filter.kind === undefined ? narrower : sql`and kind = ${filter.kind} ${narrower}`
            )
          : inOrderOfTime(filter)
            ? ofKinds(workspaceId, kinds, after, count, narrower)
            : all(workspaceId, after, count)
      )
      const found = pageOf(yield* Effect.orDie(decodeEntries(rows)), page.limit, entryKey)
      return { ...found, items: found.items.map(({ seq: _, ...shown }) => shown) }
    })
  }
}
