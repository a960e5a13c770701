/** The check of all money over the memory storage. `LedgerVerificationPg` does the same with one statement. */
import { Array as Arr, HashMap, Option } from "effect"
import { accountsOf, type LedgerEntry, type LedgerKind } from "../../domain/Ledger.js"
import {
  differs,
  driftOf,
  type LedgerDifference,
  type LedgerVerification,
  sayDifference
} from "../../domain/LedgerVerification.js"
import { member } from "../../domain/Members.js"
import type { Run } from "../../domain/Run.js"
import { holdsMoney, isInflight } from "../../domain/RunMachine.js"
import { lineOf } from "../../domain/TokenLine.js"
import type { MemoryState } from "./MemoryStorage.js"

const total = (amounts: Iterable<number>): number => [...amounts].reduce((sum, amount) => sum + amount, 0)

const totalOf = (entries: ReadonlyArray<LedgerEntry>, ...kinds: ReadonlyArray<LedgerKind>): number =>
  total(entries.filter(({ kind }) => kinds.includes(kind)).map(({ amountMicros }) => amountMicros))

/** Never gives -0. */
const negative = (amount: number): number => 0 - amount

const ofWorkspaces = (state: MemoryState, runs: ReadonlyArray<Run>): ReadonlyArray<LedgerDifference> =>
  [...state.wallets].map(([workspaceId, { balance, entries, inflight }]) => {
    const own = runs.filter((run) => run.workspaceId === workspaceId)
    const [newest] = entries
    return {
      _tag: "Workspace",
      workspaceId,
      entries: {
        available: total(entries.map(({ amountMicros }) => amountMicros)),
        reserved: negative(totalOf(entries, "hold", "release"))
      },
      newest: { available: newest?.balanceAfterMicros ?? 0, reserved: newest?.reservedAfterMicros ?? 0 },
      runs: {
        held: total(own.filter(({ status }) => holdsMoney(status)).map(({ holdMicros }) => holdMicros)),
        inflight: own.filter(({ status }) => isInflight(status)).length
      },
      stored: { available: balance.availableMicros, reserved: balance.reservedMicros, inflight }
    }
  })

const ofRuns = (state: MemoryState, runs: ReadonlyArray<Run>): ReadonlyArray<LedgerDifference> => {
  const entries = [...HashMap.values(state.wallets)].flatMap((wallet) => wallet.entries)
  const byRun = Arr.groupBy(entries, ({ runId }) => runId ?? "")
  return runs.map(({ chargeMicros, holdMicros, runId, workspaceId }) => {
    const own = member(byRun, runId) ?? []
    return {
      _tag: "Run",
      workspaceId,
      runId,
      entries: {
        held: negative(totalOf(own, "hold")),
        released: totalOf(own, "release"),
        charged: negative(totalOf(own, "charge"))
      },
      run: { held: holdMicros, released: chargeMicros === null ? 0 : holdMicros, charged: chargeMicros ?? 0 }
    }
  })
}

const ofTokens = (state: MemoryState, runs: ReadonlyArray<Run>): ReadonlyArray<LedgerDifference> =>
  [...HashMap.values(state.tokens)].map(({ spend, tokenId, workspaceId }) => {
    const counts = (run: Run) =>
      run.spendMonth === spend.month &&
      Option.exists(HashMap.get(state.tokens, run.tokenId), (own) => lineOf(own).includes(tokenId))
    return {
      _tag: "Token",
      workspaceId,
      tokenId,
      month: spend.month,
      runs: total(runs.filter(counts).map(({ chargeMicros, holdMicros }) => chargeMicros ?? holdMicros)),
      stored: spend.spentMicros
    }
  })

const ofEntries = (state: MemoryState): ReadonlyArray<LedgerDifference> =>
  [...state.wallets].flatMap(([workspaceId, { entries }]) =>
    entries.map((entry, at) => {
      const { amountMicros, balanceAfterMicros, credit, debit, entryId, kind, reservedAfterMicros } = entry
      const sides = accountsOf(kind, amountMicros)
      const before = entries[at + 1]
      return {
        _tag: "Entry",
        workspaceId,
        entryId,
        fits: sides.debit === debit && sides.credit === credit,
        amount: {
          available: amountMicros,
          reserved: kind === "hold" || kind === "release" ? negative(amountMicros) : 0
        },
        balances: {
          available: balanceAfterMicros - (before?.balanceAfterMicros ?? 0),
          reserved: reservedAfterMicros - (before?.reservedAfterMicros ?? 0)
        }
      }
    })
  )

const ofTopUps = (state: MemoryState): ReadonlyArray<LedgerDifference> =>
  [...HashMap.values(state.topUps)].map(({ amountMicros, status, topUpId, workspaceId }) => {
    const entries = Option.match(HashMap.get(state.wallets, workspaceId), {
      onNone: () => [],
      onSome: (wallet) => wallet.entries.filter((entry) => entry.topUpId === topUpId)
    })
    const payments = [...HashMap.values(state.payments)].filter(({ topUp }) => topUp?.topUpId === topUpId)
    return {
      _tag: "TopUp",
      workspaceId,
      topUpId,
      entries: { paid: totalOf(entries, "top_up"), taken: negative(totalOf(entries, "adjustment")) },
      stored: {
        paid: status === "paid" ? amountMicros : 0,
        taken: total(payments.map(({ takenMicros }) => takenMicros))
      },
      payment: payments[0]?.topUp?.amountMicros ?? (status === "paid" ? amountMicros : 0)
    }
  })

export const verifyMemory = (state: MemoryState): LedgerVerification => {
  const runs = [...HashMap.values(state.runs)].map(({ run }) => run)
  const differences = [
    ...ofEntries(state),
    ...ofRuns(state, runs),
    ...ofTopUps(state),
    ...ofTokens(state, runs),
    ...ofWorkspaces(state, runs)
  ].filter(differs)
  const [first] = differences
  return {
    ok: first === undefined,
    driftMicros: total(differences.map(driftOf)),
    entries: total([...state.wallets].map(([, { entries }]) => entries.length)),
    workspaces: HashMap.size(state.wallets),
    difference: first === undefined ? null : sayDifference(first)
  }
}
