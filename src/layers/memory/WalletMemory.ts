/** The wallet over `MemoryStorage`: the rows of `accounts/wallet/WalletRows`, on immutable state. */
import { Array as Arr, Clock, Effect, HashMap, Layer, Option } from "effect"
import type { WorkspaceId } from "../../domain/Ids.js"
import type { LedgerEntry } from "../../domain/Ledger.js"
import { type LedgerFilter, newestFirst } from "../../domain/LedgerList.js"
import { holdsShownMax } from "../../domain/limits/Workspaces.js"
import { holdsMoney } from "../../domain/RunMachine.js"
import { lineOf } from "../../domain/TokenLine.js"
import type { Ids } from "../../services/Ids.js"
import { type Spender, Wallet } from "../../services/Wallet.js"
import { walletOver } from "../accounts/wallet/WalletOver.js"
import type { EntryRow, WalletRow, WalletRows } from "../accounts/wallet/WalletRows.js"
import type { WalletDefaults } from "../accounts/WalletDefaults.js"
import { AuditTrailMemory } from "./AuditTrailMemory.js"
import { verifyMemory } from "./LedgerVerificationMemory.js"
import { MemoryStorage, type MemoryState, type StoredWallet } from "./MemoryStorage.js"

/** The rows that a join of wallets, workspaces and tokens answers. */
const walletRowsOf = (state: MemoryState, now: number, { tokenId, workspaceId }: Spender): ReadonlyArray<WalletRow> =>
  Option.getOrElse(
    Option.gen(function* () {
      const { balance, inflight, minuteCount, minuteRefused, minuteStartedAt } = yield* HashMap.get(
        state.wallets,
        workspaceId
      )
      const { inflightLimit, runCapMicros, runsPerMinute } = yield* HashMap.get(state.workspaces, workspaceId)
      const own = yield* HashMap.get(state.tokens, tokenId)
      return Arr.filterMap(lineOf(own), (spenderId) =>
        Option.map(HashMap.get(state.tokens, spenderId), ({ monthlyLimitMicros, spend }): WalletRow => ({
          workspaceId,
          available: balance.availableMicros,
          reserved: balance.reservedMicros,
          inflight,
          minuteStartedAt,
          minuteCount,
          minuteRefused,
          inflightLimit,
          runsPerMinute,
          runCapMicros,
          tokenId,
          ancestors: own.ancestors,
          spenderId,
          limitMicros: monthlyLimitMicros,
          spendMonth: spend.month,
          spentMicros: spend.spentMicros,
          now
        }))
      )
    }),
    () => []
  )

const withWallet = (
  state: MemoryState,
  workspaceId: WorkspaceId,
  change: (wallet: StoredWallet) => StoredWallet
): MemoryState => ({ ...state, wallets: HashMap.modify(state.wallets, workspaceId, change) })

const written = (
  state: MemoryState,
  entries: ReadonlyArray<LedgerEntry>,
  { spends, walletStates }: Parameters<WalletRows["write"]>[1]
): MemoryState => {
  const tokens = [...spends].reduce(
    (all, [tokenId, { month, spentMicros }]) =>
      HashMap.modify(all, tokenId, (token) => ({ ...token, spend: { month, spentMicros } })),
    state.tokens
  )
  return [...walletStates].reduce(
    (after, [workspaceId, { balance, inflight, minuteCount, minuteRefused, minuteStartedAt }]) =>
      withWallet(after, workspaceId, (before) => ({
        ...before,
        balance,
        inflight,
        minuteStartedAt,
        minuteCount,
        minuteRefused,
        entries: [...entries.filter((entry) => entry.workspaceId === workspaceId).reverse(), ...before.entries]
      })),
    { ...state, tokens }
  )
}

const passes = (entry: LedgerEntry, filter: LedgerFilter): boolean =>
  (filter.kind === undefined || entry.kind === filter.kind) &&
  (filter.runId === undefined || entry.runId === filter.runId) &&
  (filter.topUpId === undefined || entry.topUpId === filter.topUpId) &&
  (filter.fromMillis === undefined || entry.createdAt >= filter.fromMillis) &&
  (filter.toMillis === undefined || entry.createdAt < filter.toMillis)

const listed = (
  entries: ReadonlyArray<LedgerEntry>,
  filter: LedgerFilter,
  { after, limit }: Parameters<WalletRows["entries"]>[2]
): ReadonlyArray<EntryRow> => {
  const order = newestFirst(filter)
  // An entry's number is counted from the oldest one, which later entries do not change.
  return entries
    .map((entry, index) => ({ ...entry, seq: entries.length - index }))
    .filter((entry) => passes(entry, filter) && (after === null || order(after, entry) < 0))
    .sort(order)
    .slice(0, limit)
}

const holdsOf = (state: MemoryState, workspaceId: WorkspaceId) =>
  [...HashMap.values(state.runs)]
    .filter(({ run }) => run.workspaceId === workspaceId && holdsMoney(run.status) && run.holdMicros > 0)
    .sort((a, b) => (a.run.runId < b.run.runId ? 1 : -1))
    .map(({ run }) => ({ runId: run.runId, amountMicros: run.holdMicros, createdAt: run.createdAt }))

const balanceOf = (state: MemoryState, workspaceId: WorkspaceId) =>
  Option.getOrNull(Option.map(HashMap.get(state.wallets, workspaceId), ({ balance }) => balance))

const rowsOver = ({ modify, read, transact }: MemoryStorage["Type"]): WalletRows => ({
  spenders: (spenders) =>
    Effect.zipWith(read, Clock.currentTimeMillis, (state, now) =>
      spenders.flatMap((spender) => walletRowsOf(state, now, spender))
    ),
  write: (entries, after) => modify((state) => [undefined, written(state, entries, after)]),
  credit: ({ key, micros, workspaceId }, decide) =>
    transact(
      Effect.gen(function* () {
        const wallet = HashMap.get((yield* read).wallets, workspaceId)
        if (Option.isNone(wallet)) return null
        const before = wallet.value.balance
        const earlierMicros = wallet.value.creditKeys.get(key)
        if (earlierMicros !== undefined) return { before, after: before, earlierMicros }
        const { balance, entry } = yield* decide(before, yield* Clock.currentTimeMillis)
        yield* modify((state) => [
          undefined,
          withWallet(state, workspaceId, (before) => ({
            ...before,
            balance,
            entries: [entry, ...before.entries],
            creditKeys: new Map([...before.creditKeys, [key, micros]])
          }))
        ])
        return { before, after: balance, earlierMicros: null }
      })
    ),
  credited: ({ key, workspaceId }) =>
    Effect.map(read, ({ wallets }) =>
      Option.match(HashMap.get(wallets, workspaceId), {
        onNone: () => null,
        onSome: ({ creditKeys }) => creditKeys.get(key) ?? null
      })
    ),
  // One transaction runs at a time.
  lockBalance: (workspaceId) => Effect.map(read, (state) => balanceOf(state, workspaceId)),
  overview: (workspaceId) =>
    Effect.map(read, (state) => {
      const balance = balanceOf(state, workspaceId)
      return balance === null ? null : { balance, holds: holdsOf(state, workspaceId).slice(0, holdsShownMax) }
    }),
  entries: (workspaceId, filter, page) =>
    Effect.map(read, ({ wallets }) =>
      Option.match(HashMap.get(wallets, workspaceId), {
        onNone: () => [],
        onSome: ({ entries }) => listed(entries, filter, page)
      })
    ),
  verify: Effect.map(read, verifyMemory)
})

export const WalletMemory: Layer.Layer<Wallet, never, MemoryStorage | Ids | WalletDefaults> = Layer.effect(
  Wallet,
  Effect.flatMap(Effect.map(MemoryStorage, rowsOver), walletOver)
).pipe(Layer.provide(AuditTrailMemory))
