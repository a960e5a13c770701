/** Reports over `MemoryStorage`, computed anew each time: nothing is kept. */
import { Array as Arr, Clock, Effect, HashMap, Layer, Option, Order } from "effect"
import { NotFound } from "../../domain/ApiErrors.js"
import { checkedSpan, dayOf } from "../../domain/Days.js"
import { firstRunIdAt, type TokenId, type WorkspaceId } from "../../domain/Ids.js"
import { runsCountedMax } from "../../domain/limits/Lists.js"
import { Micros } from "../../domain/Micros.js"
import { pageOf } from "../../domain/Pages.js"
import type { RunStatus } from "../../domain/Run.js"
import { runStatuses } from "../../domain/RunMachine.js"
import { sharesOf } from "../../domain/Spend.js"
import type { Workspace } from "../../services/Accounts.js"
import { type Charged, Reports, type StatusCount, type WorkspaceSummary } from "../../services/Reports.js"
import { verifyMemory } from "./LedgerVerificationMemory.js"
import { MemoryStorage, type MemoryState, type StoredRun } from "./MemoryStorage.js"

interface Billed {
  readonly day: number
  readonly providerId: string
  readonly tokenId: TokenId
  readonly micros: Micros
}

const billedOf = (state: MemoryState, workspaceId: WorkspaceId): ReadonlyArray<Billed> =>
  Option.match(HashMap.get(state.wallets, workspaceId), {
    onNone: () => [],
    onSome: ({ entries }) =>
      entries
        .filter(({ kind }) => kind === "charge")
        .flatMap(({ amountMicros, createdAt, runId }) =>
          runId === null
            ? []
            : Option.match(HashMap.get(state.runs, runId), {
                onNone: () => [],
                onSome: ({ attempts, run }) =>
                  sharesOf(Micros.make(-amountMicros), run, attempts).map((share) => ({
                    ...share,
                    day: dayOf(createdAt),
                    tokenId: run.tokenId
                  }))
              })
        )
  })

const charged = (billed: ReadonlyArray<Billed>): Charged => ({
  calls: billed.length,
  chargeMicros: Micros.make(billed.reduce((sum, { micros }) => sum + micros, 0))
})

const groups = <K>(billed: ReadonlyArray<Billed>, keyOf: (one: Billed) => K): ReadonlyArray<readonly [K, Charged]> =>
  Arr.dedupe(billed.map(keyOf)).map((key) => [key, charged(billed.filter((one) => keyOf(one) === key))])

const highestFirst = Order.combine(
  Order.mapInput(Order.reverse(Order.number), ([, { chargeMicros }]: readonly [string, Charged]) => chargeMicros),
  Order.mapInput(Order.string, ([key]: readonly [string, Charged]) => key)
)

const runsOf = (state: MemoryState, wanted: (stored: StoredRun) => boolean): ReadonlyArray<StoredRun> =>
  [...HashMap.values(state.runs)].filter(wanted)

const countOf = (status: RunStatus, runs: ReadonlyArray<StoredRun>): StatusCount => {
  const counted = runs.filter(({ run }) => run.status === status).length
  return { status, runs: Math.min(counted, runsCountedMax), more: counted > runsCountedMax }
}

const summaryOf = (state: MemoryState, { createdAt, name, operator, workspaceId }: Workspace): WorkspaceSummary => {
  const wallet = HashMap.get(state.wallets, workspaceId)
  const newest = runsOf(state, ({ run }) => run.workspaceId === workspaceId).reduce<StoredRun["run"] | null>(
    (last, { run }) => (last === null || run.runId > last.runId ? run : last),
    null
  )
  return {
    workspaceId,
    name,
    operator,
    createdAt,
    availableMicros: Option.match(wallet, {
      onNone: () => Micros.make(0),
      onSome: ({ balance }) => balance.availableMicros
    }),
    reservedMicros: Option.match(wallet, {
      onNone: () => Micros.make(0),
      onSome: ({ balance }) => balance.reservedMicros
    }),
    inflight: Option.match(wallet, { onNone: () => 0, onSome: ({ inflight }) => inflight }),
    lastRunAt: newest?.createdAt ?? null
  }
}

export const ReportsMemory: Layer.Layer<Reports, never, MemoryStorage> = Layer.effect(
  Reports,
  Effect.map(MemoryStorage, (storage) =>
    Reports.of({
      spend: (workspaceId, span) =>
        Effect.gen(function* () {
          const { firstDay, lastDay } = yield* checkedSpan(span)
          const state = yield* storage.read
          const billed = billedOf(state, workspaceId).filter(({ day }) => day >= firstDay && day <= lastDay)
          const labelOf = (tokenId: TokenId) =>
            Option.match(HashMap.get(state.tokens, tokenId), { onNone: () => "", onSome: ({ label }) => label })
          return {
            total: charged(billed),
            days: groups(billed, ({ day }) => day)
              .map(([day, sums]) => ({ day, ...sums }))
              .sort((a, b) => a.day - b.day),
            providers: Arr.sort(
              groups(billed, ({ providerId }) => providerId),
              highestFirst
            ).map(([providerId, sums]) => ({ providerId, ...sums })),
            tokens: Arr.sort(
              groups(billed, ({ tokenId }) => tokenId),
              highestFirst
            ).map(([tokenId, sums]) => ({ tokenId, label: labelOf(tokenId), ...sums })),
            completeUntil: null
          }
        }),
      chargedByProvider: ({ firstDay, lastDay }) =>
        Effect.map(storage.read, (state) => {
          const all = [...HashMap.keys(state.workspaces)].flatMap((workspaceId) => billedOf(state, workspaceId))
          const billed = all.filter(({ day }) => day >= firstDay && day <= lastDay)
          return new Map(groups(billed, ({ providerId }) => providerId))
        }),
      runCounts: (workspaceId, fromMillis) =>
        Effect.map(storage.read, (state) => {
          const runs = runsOf(
            state,
            ({ run }) => run.workspaceId === workspaceId && run.runId >= firstRunIdAt(fromMillis)
          )
          return runStatuses.map((status) => countOf(status, runs))
        }),
      workspaces: (search, { after, limit }) =>
        Effect.map(storage.read, (state) => {
          const rows = [...HashMap.values(state.workspaces)]
            .filter(
              ({ name, workspaceId }) =>
                (search === null || name.toLowerCase().includes(search.toLowerCase()) || workspaceId === search) &&
                (after === null || workspaceId < after)
            )
            .sort((a, b) => (a.workspaceId < b.workspaceId ? 1 : -1))
            .slice(0, limit + 1)
          return pageOf(
            rows.map((workspace) => summaryOf(state, workspace)),
            limit,
            ({ workspaceId }) => workspaceId
          )
        }),
      workspace: (workspaceId) =>
        Effect.flatMap(storage.read, (state) =>
          Option.match(HashMap.get(state.workspaces, workspaceId), {
            onNone: () => new NotFound({ what: "workspace", id: workspaceId }),
            onSome: (workspace) => Effect.succeed(summaryOf(state, workspace))
          })
        ),
      health: Effect.gen(function* () {
        const state = yield* storage.read
        const now = yield* Clock.currentTimeMillis
        const all = runsOf(state, () => true)
        const oldest = (status: RunStatus): number | null => {
          const since = all.filter(({ run }) => run.status === status).map(({ run }) => run.createdAt)
          return since.length === 0 ? null : now - Math.min(...since)
        }
        const leased = all.flatMap(({ lease, leaseEndsAt }) =>
          lease === null ? [] : [{ node: lease.node, leaseEndsAt }]
        )
        const { difference, driftMicros } = verifyMemory(state)
        return {
          queued: countOf("queued", all),
          oldestQueuedMillis: oldest("queued"),
          uncertain: countOf("reconciliation_pending", all),
          oldestUncertainMillis: oldest("reconciliation_pending"),
          leases: Arr.dedupe(leased.map(({ node }) => node)).map((node) => {
            const own = leased.filter((lease) => lease.node === node)
            return {
              node,
              runs: own.length,
              endsInMillis: Math.min(...own.map(({ leaseEndsAt }) => leaseEndsAt)) - now
            }
          }),
          nodes: [],
          ledger: { checkedAt: now, tookMillis: 0, driftMicros, difference }
        }
      }),
      keep: Effect.void
    })
  )
)
