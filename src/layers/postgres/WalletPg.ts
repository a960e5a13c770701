/**
 * The wallet on Postgres. Locks are taken in the order of workspace, then token, so that two transactions never wait
 * for each other; both rows are locked by the statement that reads them, because only locked rows are read anew after a
 * wait.
 */
import { Clock, Effect, Either, Layer, Schema } from "effect"
import type { Standing, TokenSpend } from "../../domain/Admission.js"
import { NotFound, ValidationError } from "../../domain/ApiErrors.js"
import { LedgerEntryId, TokenId, WorkspaceId } from "../../domain/Ids.js"
import { post } from "../../domain/Ledger.js"
import { Micros } from "../../domain/Micros.js"
import { lineOf, type TokenLine } from "../../domain/TokenLine.js"
import { Ids } from "../../services/Ids.js"
import { type Credit, Wallet, type WalletChanges } from "../../services/Wallet.js"
import { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { verifyLedger } from "./LedgerVerificationPg.js"
import { WalletDefaults } from "../accounts/WalletDefaults.js"
import { walletReads } from "./WalletReadsPg.js"

const PurseRow = Schema.Struct({
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
  /** The token of the purse or one that it comes from; a row for each. */
  spenderId: TokenId,
  limitMicros: Schema.NullOr(Micros),
  spendMonth: Schema.String,
  spentMicros: Micros,
  now: Schema.Int
})
const decodePurses = Schema.decodeUnknown(Schema.Array(PurseRow))

const BalanceRow = Schema.Struct({ availableMicros: Micros, reservedMicros: Micros })
const decodeBalances = Schema.decodeUnknown(Schema.Array(BalanceRow))

export const WalletPg: Layer.Layer<Wallet, never, Database | Ids | WalletDefaults> = Layer.effect(
  Wallet,
  Effect.gen(function* () {
    const database = yield* Database
    const { query, send, sql, transact } = database
    const ids = yield* Ids
    const defaults = yield* WalletDefaults
    const databaseNow = yield* DatabaseNow

    const lock: Wallet["Type"]["lock"] = Effect.fnUntraced(function* (purses) {
      const rows = yield* query(sql`
        select w.workspace_id as "workspaceId", w.available_micros as available, w.reserved_micros as reserved, w.inflight,
          w.minute_started_at as "minuteStartedAt", w.minute_count as "minuteCount", w.minute_refused as "minuteRefused", s.inflight_limit as "inflightLimit",
          s.runs_per_minute as "runsPerMinute", s.run_cap_micros as "runCapMicros", own.token_id as "tokenId", own.ancestors, t.token_id as "spenderId",
          t.monthly_limit_micros as "limitMicros", t.spend_month as "spendMonth", t.spend_micros as "spentMicros",
          ${sql.literal(yield* databaseNow)} as now
        from unnest(${purses.map((purse) => purse.workspaceId)}::text[], ${purses.map((purse) => purse.tokenId)}::text[]) as p (workspace_id, token_id)
        join wallets w on w.workspace_id = p.workspace_id
        join workspaces s on s.workspace_id = p.workspace_id
        join tokens own on own.token_id = p.token_id
        join tokens t on t.token_id = any(own.token_id || own.ancestors)
        order by w.workspace_id, t.token_id
        for update of w, t`)
      const standings = new Map<WorkspaceId, Standing>()
      const spends = new Map<TokenId, TokenSpend>()
      const lines = new Map<TokenId, TokenLine>()
      let now: number | undefined
      for (const row of yield* Effect.orDie(decodePurses(rows))) {
        now = Math.max(now ?? row.now, row.now)
        standings.set(row.workspaceId, {
          balance: { availableMicros: row.available, reservedMicros: row.reserved },
          inflight: row.inflight,
          inflightLimit: row.inflightLimit ?? defaults.inflightLimit,
          runCapMicros: row.runCapMicros,
          runsPerMinute: row.runsPerMinute,
          minuteStartedAt: row.minuteStartedAt,
          minuteCount: row.minuteCount,
          minuteRefused: row.minuteRefused
        })
        lines.set(row.tokenId, lineOf(row))
        spends.set(row.spenderId, { limitMicros: row.limitMicros, month: row.spendMonth, spentMicros: row.spentMicros })
      }
      return { standings, spends, lines, now: now ?? (yield* Clock.currentTimeMillis) }
    })

    const entryRows = (changes: Pick<WalletChanges, "postings" | "now">, creditKey: string | null) =>
      Effect.forEach(changes.postings, ({ posting, workspaceId }) =>
        Effect.map(ids.suffix, (suffix) => ({
          workspace_id: workspaceId,
          entry_id: LedgerEntryId.make(`led_${suffix}`),
          kind: posting.kind,
          debit: posting.debit,
          credit: posting.credit,
          amount_micros: posting.amountMicros,
          balance_after_micros: posting.balanceAfterMicros,
          reserved_after_micros: posting.reservedAfterMicros,
          run_id: posting.runId,
          top_up_id: posting.topUpId,
          reason: posting.reason,
          credit_key: creditKey,
          created_at: changes.now
        }))
      )

    const writeWith = (changes: WalletChanges, creditKey: string | null) =>
      Effect.flatMap(entryRows(changes, creditKey), (entries) => {
        const wallets = [...changes.standings].map(([workspaceId, standing]) => ({
          workspace_id: workspaceId,
          available: standing.balance.availableMicros,
          reserved: standing.balance.reservedMicros,
          inflight: standing.inflight,
          minute_started_at: standing.minuteStartedAt,
          minute_count: standing.minuteCount,
          minute_refused: standing.minuteRefused
        }))
        const spends = [...changes.spends].map(([tokenId, spend]) => ({
          token_id: tokenId,
          month: spend.month,
          spent: spend.spentMicros
        }))
        return send(sql`
          with entries as (
            insert into ledger_entries (workspace_id, entry_id, kind, debit, credit, amount_micros, balance_after_micros,
              reserved_after_micros, run_id, top_up_id, reason, credit_key, created_at)
            select * from json_to_recordset(${JSON.stringify(entries)}::json) as e (workspace_id text, entry_id text, kind text, debit text, credit text,
              amount_micros bigint, balance_after_micros bigint, reserved_after_micros bigint, run_id text, top_up_id text,
              reason text, credit_key text, created_at bigint)
          ), spends as (
            update tokens t set spend_month = s.month, spend_micros = s.spent
            from json_to_recordset(${JSON.stringify(spends)}::json) as s (token_id text, month text, spent bigint)
            where t.token_id = s.token_id
          )
          update wallets w set available_micros = c.available, reserved_micros = c.reserved, inflight = c.inflight,
            minute_started_at = c.minute_started_at, minute_count = c.minute_count, minute_refused = c.minute_refused
          from json_to_recordset(${JSON.stringify(wallets)}::json) as c (workspace_id text, available bigint, reserved bigint,
            inflight int, minute_started_at bigint, minute_count int, minute_refused int)
          where w.workspace_id = c.workspace_id`)
      })

    const credit = Effect.fn("Wallet.credit")(function* (input: Credit) {
      const now = yield* Clock.currentTimeMillis
      return yield* transact(
        Effect.gen(function* () {
          const rows = yield* sql`
          select available_micros as "availableMicros", reserved_micros as "reservedMicros" from wallets
          where workspace_id = ${input.workspaceId} for update`
          const [balance] = yield* Effect.orDie(decodeBalances(rows))
          if (balance === undefined) return yield* new NotFound({ what: "workspace", id: input.workspaceId })
          const before =
            yield* sql`select 1 from ledger_entries where workspace_id = ${input.workspaceId} and credit_key = ${input.key}`
          if (before.length > 0) return balance
          const posted = post(balance, {
            kind: input.kind,
            micros: input.micros,
            runId: null,
            topUpId: input.topUpId,
            reason: input.reason
          })
          if (Either.isLeft(posted) || input.micros === 0)
            return yield* ValidationError.of("amount", "must leave a balance of at least 0 and be other than 0")
          yield* writeWith(
            {
              standings: new Map(),
              spends: new Map(),
              postings: [{ workspaceId: input.workspaceId, posting: posted.right.posting }],
              now
            },
            input.key
          )
          yield* send(sql`
          update wallets set available_micros = ${posted.right.balance.availableMicros}, reserved_micros = ${posted.right.balance.reservedMicros}
          where workspace_id = ${input.workspaceId}`)
          return posted.right.balance
        })
      )
    })

    return Wallet.of({
      lock,
      write: (changes) => writeWith(changes, null),
      credit,
      balance: Effect.fn("Wallet.balance")(function* (workspaceId) {
        const rows = yield* query(sql`
          select available_micros as "availableMicros", reserved_micros as "reservedMicros" from wallets where workspace_id = ${workspaceId}`)
        const [balance] = yield* Effect.orDie(decodeBalances(rows))
        return balance ?? (yield* new NotFound({ what: "workspace", id: workspaceId }))
      }),
      ...walletReads(database),
      verify: verifyLedger(database)
    })
  })
)
