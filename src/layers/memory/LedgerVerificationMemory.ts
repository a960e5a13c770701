/**
 * What `LedgerVerification` does on Postgres, over the memory storage: all money is recomputed, and the first row that
 * is off is named.
 */
import { HashMap } from "effect"
import type { LedgerKind } from "../../domain/Ledger.js"
import type { Run } from "../../domain/Run.js"
import { holdsMoney, isInflight } from "../../domain/RunMachine.js"
import { lineOf } from "../../domain/TokenLine.js"
import type { LedgerVerification } from "../../services/Wallet.js"
import type { MemoryState } from "./MemoryStorage.js"

interface Difference {
  readonly drift: number
  readonly story: string
}

const total = (amounts: Iterable<number>): number => [...amounts].reduce((sum, amount) => sum + amount, 0)

const ofWorkspaces = (state: MemoryState, runs: ReadonlyArray<Run>): ReadonlyArray<Difference> =>
  [...state.wallets].flatMap(([workspaceId, { balance, entries, inflight }]) => {
    const own = runs.filter((run) => run.workspaceId === workspaceId)
    const available = total(entries.map(({ amountMicros }) => amountMicros))
    const reserved = total(own.filter(({ status }) => holdsMoney(status)).map(({ holdMicros }) => holdMicros))
    const flying = own.filter(({ status }) => isInflight(status)).length
    const drift = Math.abs(available - balance.availableMicros) + Math.abs(reserved - balance.reservedMicros)
    return drift === 0 && flying === inflight
      ? []
      : [
          {
            drift,
            story: `${workspaceId}: entries and runs give available ${available}, reserved ${reserved}, in flight ${flying}; stored are ${balance.availableMicros}, ${balance.reservedMicros}, ${inflight}`
          }
        ]
  })

const ofRuns = (state: MemoryState, runs: ReadonlyArray<Run>): ReadonlyArray<Difference> => {
  const booked = new Map<string, Map<LedgerKind, number>>()
  for (const [, { entries }] of state.wallets) {
    for (const { amountMicros, kind, runId } of entries) {
      if (runId === null) continue
      const kinds = booked.get(runId) ?? new Map<LedgerKind, number>()
      booked.set(runId, kinds.set(kind, (kinds.get(kind) ?? 0) + Math.abs(amountMicros)))
    }
  }
  return runs.flatMap(({ chargeMicros, holdMicros, runId }) => {
    const kinds = booked.get(runId)
    const off =
      Math.abs((kinds?.get("hold") ?? 0) - holdMicros) +
      Math.abs((kinds?.get("release") ?? 0) - (chargeMicros === null ? 0 : holdMicros)) +
      Math.abs((kinds?.get("charge") ?? 0) - (chargeMicros ?? 0))
    return off === 0
      ? []
      : [
          {
            drift: off,
            story: `${runId}: its entries are not its hold of ${holdMicros} and its charge of ${chargeMicros}`
          }
        ]
  })
}

const ofTokens = (state: MemoryState, runs: ReadonlyArray<Run>): ReadonlyArray<Difference> =>
  [...HashMap.values(state.tokens)].flatMap(({ spend, tokenId }) => {
    const counts = (run: Run) =>
      run.spendMonth === spend.month &&
      HashMap.get(state.tokens, run.tokenId).pipe((own) => own._tag === "Some" && lineOf(own.value).includes(tokenId))
    const spent = total(runs.filter(counts).map(({ chargeMicros, holdMicros }) => chargeMicros ?? holdMicros))
    return spent === spend.spentMicros
      ? []
      : [
          {
            drift: Math.abs(spent - spend.spentMicros),
            story: `${tokenId}: its runs of ${spend.month} come to ${spent}; stored as spent are ${spend.spentMicros}`
          }
        ]
  })

export const verifyMemory = (state: MemoryState): LedgerVerification => {
  const runs = [...HashMap.values(state.runs)].map(({ run }) => run)
  const differences = [...ofWorkspaces(state, runs), ...ofRuns(state, runs), ...ofTokens(state, runs)]
  return {
    ok: differences.length === 0,
    driftMicros: total(differences.map(({ drift }) => drift)),
    entries: total([...state.wallets].map(([, { entries }]) => entries.length)),
    workspaces: HashMap.size(state.wallets),
    difference: differences[0]?.story ?? null
  }
}
