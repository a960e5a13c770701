/** The audit trail over the rows of any storage. */
import { Array as Arr, Effect } from "effect"
import { auditActions, auditKey, auditPlaceOf } from "../../../domain/AuditEntry.js"
import { AuditEntryId } from "../../../domain/Ids.js"
import { pageOf } from "../../../domain/Pages.js"
import { AuditTrail, Changing } from "../../../services/AuditTrail.js"
import { Ids } from "../../../services/Ids.js"
import type { Transactions } from "../../../services/Transactions.js"
import type { AuditRows } from "./AuditRows.js"

export const auditTrailOver = (
  rows: AuditRows,
  transact: Transactions["Type"]["transact"]
): Effect.Effect<AuditTrail["Type"], never, Ids> =>
  Effect.map(Ids, (ids) => {
    const write: AuditTrail["Type"]["write"] = Effect.fnUntraced(function* (actor, records) {
      if (records.length === 0) return
      const suffixes = yield* ids.suffixes(records.length)
      yield* rows.insert(
        Arr.zipWith(records, suffixes, ({ action, ...record }, suffix) => ({
          ...record,
          entryId: AuditEntryId.make(`aud_${suffix}`),
          actor,
          action,
          subjectKind: auditActions[action]
        }))
      )
    })
    return AuditTrail.of({
      write,
      change: (by, work) =>
        transact(
          Effect.flatMap(Effect.provideService(work, Changing, { by }), ({ records, value }) =>
            Effect.as(write(by, records), value)
          )
        ),
      list: Effect.fn("AuditTrail.list")(function* (filter, { after, limit }) {
        const found = yield* rows.newest(filter, {
          after: after === null ? null : auditPlaceOf(after),
          limit: limit + 1
        })
        const page = pageOf(found, limit, auditKey)
        return { ...page, items: page.items.map(({ seq: _, ...entry }) => entry) }
      })
    })
  })
