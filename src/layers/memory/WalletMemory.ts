/** The wallet over `MemoryStorage`: the same decisions as on Postgres, on immutable state. */
import { Clock, Effect, Either, HashMap, Layer, Option } from "effect"
import type { Standing, TokenSpend } from "../../domain/Admission.js"
import { NotFound, ValidationError } from "../../domain/ApiErrors.js"
import { LedgerEntryId, type TokenId, type WorkspaceId } from "../../domain/Ids.js"
import { type LedgerEntry, post, type Posting } from "../../domain/Ledger.js"
import { holdsMoney } from "../../domain/RunMachine.js"
import { lineOf, type TokenLine } from "../../domain/TokenLine.js"
import { Ids } from "../../services/Ids.js"
import { type Credit, entryKey, type EntryPlace, entryPlaceOf, inOrderOfTime, Wallet } from "../../services/Wallet.js"
import { verifyMemory } from "./LedgerVerificationMemory.js"
import { MemoryStorage, type MemoryState, type StoredWallet } from "./MemoryStorage.js"
import { pageOf } from "../../domain/Pages.js"
import { WalletDefaults } from "../accounts/WalletDefaults.js"

export const WalletMemory: Layer.Layer<Wallet, never, MemoryStorage | Ids | WalletDefaults> = Layer.effect(
  Wallet,
  Effect.gen(function* () {
    const storage = yield* MemoryStorage
    const ids = yield* Ids
    const { inflightLimit } = yield* WalletDefaults

    const standingOf = (state: MemoryState, workspaceId: WorkspaceId): Option.Option<Standing> =>
      Option.zipWith(
        HashMap.get(state.wallets, workspaceId),
        HashMap.get(state.workspaces, workspaceId),
        (wallet, workspace) => ({
          balance: wallet.balance,
          inflight: wallet.inflight,
          inflightLimit: workspace.inflightLimit ?? inflightLimit,
          runCapMicros: workspace.runCapMicros,
          runsPerMinute: workspace.runsPerMinute,
          minuteStartedAt: wallet.minuteStartedAt,
          minuteCount: wallet.minuteCount,
          minuteRefused: wallet.minuteRefused
        })
      )

    const entryOf = (workspaceId: WorkspaceId, posting: Posting, now: number): Effect.Effect<LedgerEntry> =>
      Effect.map(ids.suffix, (suffix) => ({
        ...posting,
        entryId: LedgerEntryId.make(`led_${suffix}`),
        workspaceId,
        createdAt: now
      }))

    const credit = Effect.fn("Wallet.credit")(function* (input: Credit) {
      const now = yield* Clock.currentTimeMillis
      return yield* storage.transact(
        Effect.gen(function* () {
          const wallet = HashMap.get((yield* storage.read).wallets, input.workspaceId)
          if (Option.isNone(wallet)) return yield* new NotFound({ what: "workspace", id: input.workspaceId })
          if (wallet.value.creditKeys.has(input.key)) return wallet.value.balance
          const posted = post(wallet.value.balance, {
            kind: input.kind,
            micros: input.micros,
            runId: null,
            topUpId: input.topUpId,
            reason: input.reason
          })
          if (Either.isLeft(posted) || input.micros === 0)
            return yield* ValidationError.of("amount", "must leave a balance of at least 0 and be other than 0")
          const entry = yield* entryOf(input.workspaceId, posted.right.posting, now)
          yield* changeWallet(input.workspaceId, (before) => ({
            ...before,
            balance: posted.right.balance,
            entries: [entry, ...before.entries],
            creditKeys: new Set([...before.creditKeys, input.key])
          }))
          return posted.right.balance
        })
      )
    })

    const changeWallet = (workspaceId: WorkspaceId, change: (wallet: StoredWallet) => StoredWallet) =>
      storage.modify((state) => [undefined, { ...state, wallets: HashMap.modify(state.wallets, workspaceId, change) }])

    return Wallet.of({
      lock: (purses) =>
        Effect.zipWith(storage.read, Clock.currentTimeMillis, (state, now) => {
          const standings = new Map<WorkspaceId, Standing>()
          const spends = new Map<TokenId, TokenSpend>()
          const lines = new Map<TokenId, TokenLine>()
          for (const { tokenId, workspaceId } of purses) {
            const standing = standingOf(state, workspaceId)
            if (Option.isSome(standing)) standings.set(workspaceId, standing.value)
            const token = HashMap.get(state.tokens, tokenId)
            if (Option.isNone(token)) continue
            const line = lineOf(token.value)
            lines.set(tokenId, line)
            for (const spenderId of line) {
              const spender = HashMap.get(state.tokens, spenderId)
              if (Option.isSome(spender))
                spends.set(spenderId, { ...spender.value.spend, limitMicros: spender.value.monthlyLimitMicros })
            }
          }
          return { standings, spends, lines, now }
        }),
      write: ({ now, postings, spends, standings }) =>
        Effect.gen(function* () {
          const entries = yield* Effect.forEach(postings, ({ posting, workspaceId }) =>
            entryOf(workspaceId, posting, now)
          )
          yield* Effect.forEach(
            standings,
            ([workspaceId, standing]) =>
              changeWallet(workspaceId, (before) => ({
                ...before,
                balance: standing.balance,
                inflight: standing.inflight,
                minuteStartedAt: standing.minuteStartedAt,
                minuteCount: standing.minuteCount,
                minuteRefused: standing.minuteRefused,
                entries: [...entries.filter((entry) => entry.workspaceId === workspaceId).reverse(), ...before.entries]
              })),
            { discard: true }
          )
          yield* storage.modify((state) => [
            undefined,
            {
              ...state,
              tokens: [...spends].reduce(
                (tokens, [tokenId, { month, spentMicros }]) =>
                  HashMap.modify(tokens, tokenId, (token) => ({ ...token, spend: { month, spentMicros } })),
                state.tokens
              )
            }
          ])
        }),
      credit,
      balance: (workspaceId) =>
        Effect.flatMap(storage.read, (state) =>
          Option.match(HashMap.get(state.wallets, workspaceId), {
            onNone: () => new NotFound({ what: "workspace", id: workspaceId }),
            onSome: (wallet) => Effect.succeed(wallet.balance)
          })
        ),
      holds: (workspaceId, limit) =>
        Effect.map(storage.read, (state) =>
          [...HashMap.values(state.runs)]
            .filter(({ run }) => run.workspaceId === workspaceId && holdsMoney(run.status) && run.holdMicros > 0)
            .sort((a, b) => (a.run.runId < b.run.runId ? 1 : -1))
            .slice(0, limit)
            .map(({ run }) => ({ runId: run.runId, amountMicros: run.holdMicros, createdAt: run.createdAt }))
        ),
      entries: (workspaceId, filter, page) =>
        Effect.map(storage.read, (state) => {
          const all = Option.getOrElse(
            Option.map(HashMap.get(state.wallets, workspaceId), (wallet) => wallet.entries),
            () => []
          )
          const byTime = inOrderOfTime(filter)
          const ordered = (a: EntryPlace, b: EntryPlace) => (byTime ? b.createdAt - a.createdAt : 0) || b.seq - a.seq
          const after = page.after === null ? null : entryPlaceOf(page.after)
          // An entry's number is counted from the oldest one, which later entries do not change.
          const rows = all
            .map((entry, index) => ({ entry, createdAt: entry.createdAt, seq: all.length - index }))
            .sort(ordered)
            .filter(
              ({ entry, ...place }) =>
                (after === null || ordered(after, place) < 0) &&
                (filter.kind === undefined || entry.kind === filter.kind) &&
                (filter.runId === undefined || entry.runId === filter.runId) &&
                (filter.fromMillis === undefined || entry.createdAt >= filter.fromMillis) &&
                (filter.toMillis === undefined || entry.createdAt < filter.toMillis)
            )
          const found = pageOf(rows, page.limit, entryKey)
          return { ...found, items: found.items.map(({ entry }) => entry) }
        }),
      verify: Effect.map(storage.read, verifyMemory)
    })
  })
)
