/**
 * The wallet on Postgres: the rows of `accounts/wallet/WalletRows`. Locks are always taken on the workspace first and
 * then on the token, so that two transactions cannot deadlock. The statement that reads both rows also locks them,
 * because after a wait for a lock Postgres reads only the locked rows again.
 */
import { Effect, Layer, Schema, type Scope } from "effect"
import { TokenId, WorkspaceId } from "../../domain/Ids.js"
import type { LedgerEntry } from "../../domain/Ledger.js"
import { readsSharedMax } from "../../domain/limits/Requests.js"
import { Micros, SignedMicros } from "../../domain/Micros.js"
import type { Ids } from "../../services/Ids.js"
import { type Credit, Wallet } from "../../services/Wallet.js"
import { walletOver } from "../accounts/wallet/WalletOver.js"
import type { WalletRows } from "../accounts/wallet/WalletRows.js"
import type { WalletDefaults } from "../accounts/WalletDefaults.js"
import { AuditTrailPg } from "./AuditTrailPg.js"
import { Database, type Sql } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import { makeBatchedReads } from "./database/BatchedReads.js"
import { verifyLedger } from "./LedgerVerificationPg.js"
import { readOverviews, walletLists } from "./WalletListsPg.js"

const walletRows = rowsOf(
  Schema.Struct({
    workspaceId: WorkspaceId,
    available: Micros,
    reserved: Micros,
    inflight: Schema.Int,
    minuteStartedAt: Schema.Int,
    minuteCount: Schema.Int,
    minuteRefused: Schema.Int,
    inflightLimit: Schema.NullOr(Schema.Int),
    runsPerMinute: Schema.NullOr(Schema.Int),
    runCapMicros: Schema.NullOr(Micros),
    tokenId: TokenId,
    ancestors: Schema.Array(TokenId),
    spenderId: TokenId,
    limitMicros: Schema.NullOr(Micros),
    spendMonth: Schema.String,
    spentMicros: Micros,
    now: Schema.Int
  })
)
const amountRow = rowOf(Schema.Struct({ micros: SignedMicros }))
const earlierRow = rowOf(Schema.Struct({ micros: Schema.NullOr(SignedMicros), now: Schema.Int }))
const balanceRow = rowOf(Schema.Struct({ availableMicros: Micros, reservedMicros: Micros }))

const readWallets = ({ query, sql }: Database["Type"], databaseNow: Effect.Effect<string>): WalletRows["spenders"] =>
  Effect.fnUntraced(function* (spenders, lock) {
    return yield* walletRows(
      query(sql`
        select w.workspace_id as "workspaceId", w.available_micros as available, w.reserved_micros as reserved, w.inflight,
          w.minute_started_at as "minuteStartedAt", w.minute_count as "minuteCount", w.minute_refused as "minuteRefused", s.inflight_limit as "inflightLimit",
          s.runs_per_minute as "runsPerMinute", s.run_cap_micros as "runCapMicros", own.token_id as "tokenId", own.ancestors, t.token_id as "spenderId",
          t.monthly_limit_micros as "limitMicros", t.spend_month as "spendMonth", t.spend_micros as "spentMicros",
          ${sql.literal(yield* databaseNow)} as now
        from unnest(${spenders.map((spender) => spender.workspaceId)}::text[], ${spenders.map((spender) => spender.tokenId)}::text[]) as p (workspace_id, token_id)
        join wallets w on w.workspace_id = p.workspace_id
        join workspaces s on s.workspace_id = p.workspace_id
        join tokens own on own.workspace_id = p.workspace_id and own.token_id = p.token_id
        join tokens t on t.workspace_id = own.workspace_id and t.token_id = any(own.token_id || own.ancestors)
        order by w.workspace_id, t.token_id
        ${sql.literal(lock === "for_update" ? "for update of w, t" : "")}`)
    )
  })

/** Inserts entries from one JSON document, whose members have the names of `LedgerEntry`. */
const insertEntries = ({ sql }: Database["Type"], entries: ReadonlyArray<LedgerEntry>, creditKey: string | null) => sql`
  insert into ledger_entries (workspace_id, entry_id, kind, debit, credit, amount_micros, balance_after_micros,
    reserved_after_micros, run_id, top_up_id, reason, credit_key, created_at)
  select "workspaceId", "entryId", kind, debit, credit, "amountMicros", "balanceAfterMicros", "reservedAfterMicros", "runId", "topUpId", reason,
    ${creditKey}, "createdAt"
  from json_to_recordset(${JSON.stringify(entries)}::json) as e ("workspaceId" text, "entryId" text, kind text, debit text, credit text,
    "amountMicros" bigint, "balanceAfterMicros" bigint, "reservedAfterMicros" bigint, "runId" text, "topUpId" text, reason text, "createdAt" bigint)`

const write =
  (database: Database["Type"]): WalletRows["write"] =>
  (entries, after) => {
    const { send, sql } = database
    const wallets = [...after.walletStates].map(([workspaceId, walletState]) => ({
      workspace_id: workspaceId,
      available: walletState.balance.availableMicros,
      reserved: walletState.balance.reservedMicros,
      inflight: walletState.inflight,
      minute_started_at: walletState.minuteStartedAt,
      minute_count: walletState.minuteCount,
      minute_refused: walletState.minuteRefused
    }))
    const spends = [...after.spends].map(([tokenId, spend]) => ({
      workspace_id: after.owners.get(tokenId) ?? null,
      token_id: tokenId,
      month: spend.month,
      spent: spend.spentMicros
    }))
    return send(sql`
      with entries as (${insertEntries(database, entries, null)}), spends as (
        update tokens t set spend_month = s.month, spend_micros = s.spent
        from json_to_recordset(${JSON.stringify(spends)}::json) as s (workspace_id text, token_id text, month text, spent bigint)
        where t.workspace_id = s.workspace_id and t.token_id = s.token_id
      )
      update wallets w set available_micros = c.available, reserved_micros = c.reserved, inflight = c.inflight,
        minute_started_at = c.minute_started_at, minute_count = c.minute_count, minute_refused = c.minute_refused
      from json_to_recordset(${JSON.stringify(wallets)}::json) as c (workspace_id text, available bigint, reserved bigint,
        inflight int, minute_started_at bigint, minute_count int, minute_refused int)
      where w.workspace_id = c.workspace_id`)
  }

const lockBalance =
  ({ query, sql }: Database["Type"]): WalletRows["lockBalance"] =>
  (workspaceId) =>
    balanceRow(
      query(sql`
        select available_micros as "availableMicros", reserved_micros as "reservedMicros" from wallets
        where workspace_id = ${workspaceId} for update`)
    )

const creditOf = (sql: Sql, { key, workspaceId }: Pick<Credit, "key" | "workspaceId">) =>
  sql`select amount_micros as "micros" from ledger_entries where workspace_id = ${workspaceId} and credit_key = ${key}`

const creditedBefore =
  ({ query, sql }: Database["Type"]): WalletRows["credited"] =>
  (one) =>
    Effect.map(amountRow(query(creditOf(sql, one))), (row) => row?.micros ?? null)

/** The storage's time goes with the look for the key, which is made under the lock. */
const credit =
  (database: Database["Type"], databaseNow: Effect.Effect<string>): WalletRows["credit"] =>
  ({ key, workspaceId }, decide) => {
    const { query, send, sql } = database
    return Effect.gen(function* () {
      const before = yield* lockBalance(database)(workspaceId)
      if (before === null) return null
      const found = yield* earlierRow(
        query(sql`select (${creditOf(sql, { key, workspaceId })}) as micros, ${sql.literal(yield* databaseNow)} as now`)
      )
      if (found === null) return yield* Effect.dieMessage("a select without a table has no row")
      const { micros: earlierMicros, now } = found
      if (earlierMicros !== null) return { before, after: before, earlierMicros }
      const { balance, entry } = yield* decide(before, now)
      yield* send(insertEntries(database, [entry], key))
      yield* send(sql`
        update wallets set available_micros = ${balance.availableMicros}, reserved_micros = ${balance.reservedMicros}
        where workspace_id = ${workspaceId}`)
      return { before, after: balance, earlierMicros: null }
    })
  }

const makeRows: Effect.Effect<WalletRows, never, Database | Scope.Scope> = Effect.gen(function* () {
  const database = yield* Database
  const databaseNow = yield* DatabaseNow
  return {
    spenders: readWallets(database, databaseNow),
    write: write(database),
    credit: credit(database, databaseNow),
    credited: creditedBefore(database),
    lockBalance: lockBalance(database),
    // Clients ask for their balance again and again.
    overview: yield* makeBatchedReads({
      readersMax: readsSharedMax,
      keyOf: (workspaceId) => workspaceId,
      read: readOverviews(database)
    }),
    ...walletLists(database),
    verify: verifyLedger(database)
  }
})

export const WalletPg: Layer.Layer<Wallet, never, Database | Ids | WalletDefaults> = Layer.scoped(
  Wallet,
  Effect.flatMap(makeRows, walletOver)
).pipe(Layer.provide(AuditTrailPg))
