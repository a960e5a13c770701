/**
 * The wallet over the rows of any storage: what it reads under its locks, what it writes, and how money is credited.
 */
import { Array as Arr, Clock, Effect } from "effect"
import type { WalletState, TokenSpend } from "../../../domain/Admission.js"
import type { AuditRecord } from "../../../domain/AuditEntry.js"
import { NotFound, ValidationError } from "../../../domain/ApiErrors.js"
import { LedgerEntryId, type TokenId, type WorkspaceId } from "../../../domain/Ids.js"
import { type Balance, credited, type LedgerEntry } from "../../../domain/Ledger.js"
import { entryKey, entryPlaceOf } from "../../../domain/LedgerList.js"
import { pageOf } from "../../../domain/Pages.js"
import { dollars } from "../../../domain/Micros.js"
import { lineOf, spendsOf, type TokenLine } from "../../../domain/TokenLine.js"
import { AuditTrail, changed, unchanged } from "../../../services/AuditTrail.js"
import { Ids } from "../../../services/Ids.js"
import { type Credit, type LockedWallets, Wallet, type WalletChanges } from "../../../services/Wallet.js"
import { WalletDefaults } from "../WalletDefaults.js"
import type { WalletRow, WalletRows } from "./WalletRows.js"

const walletStateOf = (row: WalletRow, { inflightLimit }: WalletDefaults["Type"]): WalletState => ({
  balance: { availableMicros: row.available, reservedMicros: row.reserved },
  inflight: row.inflight,
  inflightLimit: row.inflightLimit ?? inflightLimit,
  runCapMicros: row.runCapMicros,
  runsPerMinute: row.runsPerMinute,
  minuteStartedAt: row.minuteStartedAt,
  minuteCount: row.minuteCount,
  minuteRefused: row.minuteRefused
})

/** `now` where no row tells the storage's time. */
const lockedWallets = (
  rows: ReadonlyArray<WalletRow>,
  defaults: WalletDefaults["Type"],
  now: number
): LockedWallets => {
  const walletStates = new Map<WorkspaceId, WalletState>()
  const spends = new Map<TokenId, TokenSpend>()
  const owners = new Map<TokenId, WorkspaceId>()
  const lines = new Map<TokenId, TokenLine>()
  let latest: number | undefined
  for (const row of rows) {
    // Rows that waited for different locks were read at different times.
    latest = latest === undefined || row.now > latest ? row.now : latest
    walletStates.set(row.workspaceId, walletStateOf(row, defaults))
    lines.set(row.tokenId, lineOf(row))
    owners.set(row.spenderId, row.workspaceId)
    spends.set(row.spenderId, { limitMicros: row.limitMicros, month: row.spendMonth, spentMicros: row.spentMicros })
  }
  return { walletStates, spends, owners, lines, now: latest ?? now }
}

const entryOf = (
  { posting, workspaceId }: WalletChanges["postings"][number],
  suffix: string,
  now: number
): LedgerEntry => ({ ...posting, entryId: LedgerEntryId.make(`led_${suffix}`), workspaceId, createdAt: now })

const foundOr =
  (workspaceId: WorkspaceId) =>
  <A>(found: A | null): Effect.Effect<A, NotFound> =>
    found === null ? Effect.fail(new NotFound({ what: "workspace", id: workspaceId })) : Effect.succeed(found)

const creditRecord = (
  { kind, micros, reason, topUpId, workspaceId }: Credit,
  { availableMicros, reservedMicros }: Balance,
  after: Balance
): AuditRecord => ({
  action: "workspace.credited",
  subjectId: workspaceId,
  workspaceId,
  before: { availableMicros, reservedMicros },
  after: {
    availableMicros: after.availableMicros,
    reservedMicros: after.reservedMicros,
    creditedMicros: micros,
    kind,
    reason,
    topUpId
  }
})

/** A key credits once: fails where it was used for another amount, else answers whether it was used. */
const usedBefore = (earlierMicros: number | null, micros: number): Effect.Effect<boolean, ValidationError> =>
  earlierMicros === null || earlierMicros === micros
    ? Effect.succeed(earlierMicros !== null)
    : Effect.fail(
        ValidationError.of(
          "key",
          `was used for another credit, of ${dollars(earlierMicros)}; use a new key for this one`
        )
      )

export const walletOver = (rows: WalletRows): Effect.Effect<Wallet["Type"], never, AuditTrail | Ids | WalletDefaults> =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const trail = yield* AuditTrail
    const defaults = yield* WalletDefaults
    const overview = (workspaceId: WorkspaceId) => Effect.flatMap(rows.overview(workspaceId), foundOr(workspaceId))
    const balanceOf = (workspaceId: WorkspaceId) => Effect.map(overview(workspaceId), ({ balance }) => balance)
    return Wallet.of({
      lock: (spenders) =>
        Effect.zipWith(rows.spenders(spenders, "for_update"), Clock.currentTimeMillis, (found, now) =>
          lockedWallets(found, defaults, now)
        ),
      read: (spender) =>
        Effect.flatMap(rows.spenders([spender], "none"), (found) => {
          const { lines, now, spends, walletStates } = lockedWallets(found, defaults, 0)
          const walletState = walletStates.get(spender.workspaceId)
          const spendsOfLine = spendsOf(lines.get(spender.tokenId), spends)
          return walletState === undefined || spendsOfLine === null
            ? Effect.dieMessage("a spender of a workspace or token that does not exist")
            : Effect.succeed({ walletState, spends: spendsOfLine, now })
        }),
      write: (changes) =>
        Effect.flatMap(ids.suffixes(changes.postings.length), (suffixes) =>
          rows.write(
            Arr.zipWith(changes.postings, suffixes, (one, suffix) => entryOf(one, suffix, changes.now)),
            changes
          )
        ),
      credit: Effect.fn("Wallet.credit")((credit, by) =>
        trail.change(
          by,
          Effect.gen(function* () {
            const found = yield* rows.credit(
              credit,
              Effect.fnUntraced(function* (before, now) {
                const { balance, posting } = yield* credited(before, credit)
                const entry = entryOf({ workspaceId: credit.workspaceId, posting }, yield* ids.suffix, now)
                return { balance, entry }
              })
            )
            const after = yield* foundOr(credit.workspaceId)(found?.after ?? null)
            if (found === null) return unchanged(after)
            return (yield* usedBefore(found.earlierMicros, credit.micros))
              ? unchanged(after)
              : changed(after, creditRecord(credit, found.before, after))
          })
        )
      ),
      foresee: Effect.fn("Wallet.foresee")(function* (credit) {
        const before = yield* balanceOf(credit.workspaceId)
        const earlierMicros = credit.key === null ? null : yield* rows.credited({ ...credit, key: credit.key })
        if (yield* usedBefore(earlierMicros, credit.micros)) return { before, after: before, used: true }
        return { before, after: (yield* credited(before, credit)).balance, used: false }
      }),
      lockBalance: (workspaceId) => Effect.flatMap(rows.lockBalance(workspaceId), foundOr(workspaceId)),
      balance: balanceOf,
      overview,
      entries: Effect.fn("Wallet.entries")(function* (workspaceId, filter, { after, limit }) {
        const found = yield* rows.entries(workspaceId, filter, {
          after: after === null ? null : entryPlaceOf(after),
          limit: limit + 1
        })
        const page = pageOf(found, limit, entryKey)
        return { ...page, items: page.items.map(({ seq: _, ...entry }) => entry) }
      }),
      verify: rows.verify
    })
  })
