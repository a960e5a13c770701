/**
 * Top-ups in memory, for tests and trials. Changes run one at a time, each together with the money that it moves in the
 * memory storage.
 */
import { Effect, Layer, Ref } from "effect"
import type { TopUpId } from "../../domain/Ids.js"
import type { BillingPolicy } from "../../domain/TopUp.js"
import type { Ids } from "../../services/Ids.js"
import type { Payments } from "../../services/Payments.js"
import type { TopUpReports } from "../../services/TopUpReports.js"
import type { TopUps } from "../../services/TopUps.js"
import type { Wallet } from "../../services/Wallet.js"
import { MemoryStorage } from "./MemoryStorage.js"
import type { TopUpRow, TopUpRows } from "../accounts/topups/TopUpRows.js"
import { topUpsOver } from "../accounts/topups/TopUpsOver.js"

const rows = Effect.gen(function* () {
  const { transact } = yield* MemoryStorage
  // In the order of insertion, which is also the order of the ids.
  const table = yield* Ref.make<ReadonlyMap<TopUpId, TopUpRow>>(new Map())
  const put = (row: TopUpRow) =>
    Effect.as(
      Ref.update(table, (before) => new Map(before).set(row.topUpId, row)),
      row
    )

  const found: TopUpRows = {
    insert: (row) =>
      transact(
        Effect.flatMap(Ref.get(table), (all) => {
          const before = [...all.values()].find(
            (other) =>
              row.idempotencyKey !== null &&
              other.workspaceId === row.workspaceId &&
              other.idempotencyKey === row.idempotencyKey
          )
          return before === undefined ? put(row) : Effect.succeed(before)
        })
      ),
    change: (topUpId, change) =>
      transact(
        Effect.flatMap(Ref.get(table), (all) => {
          const before = all.get(topUpId)
          return before === undefined ? Effect.succeed(null) : Effect.flatMap(change(before), put)
        })
      ),
    newest: (workspaceId, { after, limit }) =>
      Effect.map(Ref.get(table), (all) =>
        [...all.values()]
          .reverse()
          .filter((row) => row.workspaceId === workspaceId && (after === null || row.topUpId < after))
          .slice(0, limit + 1)
      )
  }
  return found
})

export const TopUpsMemory = (
  policy: BillingPolicy
): Layer.Layer<TopUps | TopUpReports, never, MemoryStorage | Ids | Payments | Wallet> =>
  Layer.effectContext(Effect.flatMap(rows, (found) => topUpsOver(found, policy)))
