/** Top-ups and their payments over `MemoryStorage`: the rows of `topups/TopUpRows`, on immutable state. */
import { Effect, HashMap, Layer, Option } from "effect"
import type { WorkspaceId } from "../../domain/Ids.js"
import { newPayment, type Payment } from "../../domain/PaymentReport.js"
import type { BillingPolicy } from "../../domain/TopUp.js"
import { minus, sum } from "../../domain/Micros.js"
import type { AuditTrail } from "../../services/AuditTrail.js"
import { automaticRows } from "./AutomaticRowsMemory.js"
import { type MemoryState, MemoryStorage } from "./MemoryStorage.js"
import type { TopUpRow, TopUpRows } from "../accounts/topups/TopUpRows.js"
import { AuditTrailMemory } from "./AuditTrailMemory.js"
import { type TopUpNeeds, type TopUpServices, topUpsOver } from "../accounts/topups/TopUpsOver.js"

const ofKey = (state: MemoryState, workspaceId: WorkspaceId, key: string | null): TopUpRow | undefined =>
  key === null
    ? undefined
    : [...HashMap.values(state.topUps)].find((row) => row.workspaceId === workspaceId && row.idempotencyKey === key)

const putTopUp = (row: TopUpRow) => (state: MemoryState) =>
  [row, { ...state, topUps: HashMap.set(state.topUps, row.topUpId, row) }] as const

const putPayment = (payment: Payment) => (state: MemoryState) =>
  [payment, { ...state, payments: HashMap.set(state.payments, payment.reference, payment) }] as const

const listed = (state: MemoryState, row: TopUpRow) => {
  const payment = row.paymentReference === null ? Option.none() : HashMap.get(state.payments, row.paymentReference)
  const { takenMicros, reversals, toTakeMicros } = Option.getOrElse(payment, () => newPayment(""))
  return { ...row, takenMicros, reversals, toTakeMicros }
}

/** Of the workspace, or of all; oldest top-up first. */
const unsettled = (state: MemoryState, workspaceId: WorkspaceId | null): ReadonlyArray<Payment> =>
  [...HashMap.values(state.payments)]
    .filter(
      ({ takenMicros, toTakeMicros, topUp }) =>
        takenMicros !== toTakeMicros && (workspaceId === null || topUp?.workspaceId === workspaceId)
    )
    .sort((a, b) => ((a.topUp?.topUpId ?? "") < (b.topUp?.topUpId ?? "") ? -1 : 1))

const hasMoney = (state: MemoryState, workspaceId: WorkspaceId): boolean =>
  Option.exists(HashMap.get(state.wallets, workspaceId), ({ balance }) => balance.availableMicros > 0)

const rowsOver = ({ modify, read, transact }: MemoryStorage["Type"]): TopUpRows => ({
  transact,
  ofKey: (workspaceId, key) => Effect.map(read, (state) => ofKey(state, workspaceId, key) ?? null),
  insert: (row) =>
    modify((state) => {
      const before = ofKey(state, row.workspaceId, row.idempotencyKey)
      return before === undefined ? putTopUp(row)(state) : [before, state]
    }),
  get: (topUpId) => Effect.map(read, ({ topUps }) => Option.getOrNull(HashMap.get(topUps, topUpId))),
  change: (topUpId, change) =>
    transact(
      Effect.flatMap(read, ({ topUps }) =>
        Option.match(HashMap.get(topUps, topUpId), {
          onNone: () => Effect.succeed(null),
          onSome: (before) => Effect.flatMap(change(before), (after) => modify(putTopUp(after)))
        })
      )
    ),
  newest: (workspaceId, { after, limit }) =>
    Effect.map(read, (state) =>
      [...HashMap.values(state.topUps)]
        .filter((row) => row.workspaceId === workspaceId && (after === null || row.topUpId < after))
        .sort((a, b) => (a.topUpId < b.topUpId ? 1 : -1))
        .slice(0, limit + 1)
        .map((row) => listed(state, row))
    ),
  listed: (workspaceId, topUpId) =>
    Effect.map(read, (state) =>
      HashMap.get(state.topUps, topUpId).pipe(
        Option.filter((row) => row.workspaceId === workspaceId),
        Option.match({ onNone: () => null, onSome: (row) => listed(state, row) })
      )
    ),
  owed: (workspaceId) =>
    Effect.map(read, (state) =>
      sum(unsettled(state, workspaceId).map(({ takenMicros, toTakeMicros }) => minus(toTakeMicros, takenMicros)))
    ),
  payer: (reference) =>
    Effect.map(read, ({ payments }) =>
      Option.match(HashMap.get(payments, reference), {
        onNone: () => null,
        onSome: ({ topUp }) => topUp?.workspaceId ?? null
      })
    ),
  payment: (reference) =>
    Effect.map(read, ({ payments }) => Option.getOrElse(HashMap.get(payments, reference), () => newPayment(reference))),
  putPayment: (payment) => Effect.asVoid(modify(putPayment(payment))),
  paymentOfReversal: (objectId, reference) =>
    Effect.map(
      read,
      ({ payments }) =>
        [...HashMap.values(payments)].find(({ reversals }) => reversals.some((taking) => taking.objectId === objectId))
          ?.reference ?? reference
    ),
  unsettled: (workspaceId) => Effect.map(read, (state) => unsettled(state, workspaceId)),
  collectable: (limit) =>
    Effect.map(read, (state) =>
      [...new Set(unsettled(state, null).flatMap(({ topUp }) => (topUp === null ? [] : [topUp.workspaceId])))]
        .filter((workspaceId) => hasMoney(state, workspaceId))
        .slice(0, limit)
    )
})

export const TopUpsMemory = (
  policy: BillingPolicy
): Layer.Layer<TopUpServices, never, MemoryStorage | Exclude<TopUpNeeds, AuditTrail>> =>
  Layer.effectContext(
    Effect.flatMap(MemoryStorage, (storage) => topUpsOver(rowsOver(storage), automaticRows(storage), policy))
  ).pipe(Layer.provide(AuditTrailMemory))
