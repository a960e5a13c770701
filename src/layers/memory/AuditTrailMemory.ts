/** The audit trail in the memory storage: the rows of `accounts/audit/AuditRows`. Nothing survives the process. */
import { Clock, Effect, Layer } from "effect"
import { actorName, type AuditFilter } from "../../domain/AuditEntry.js"
import { AuditTrail } from "../../services/AuditTrail.js"
import type { Ids } from "../../services/Ids.js"
import type { AuditRow, AuditRows } from "../accounts/audit/AuditRows.js"
import { auditTrailOver } from "../accounts/audit/AuditTrailOver.js"
import { MemoryStorage } from "./MemoryStorage.js"

const passes =
  ({ action, actor, fromMillis, subjectId, toMillis, workspaceId }: AuditFilter) =>
  (entry: AuditRow): boolean =>
    (workspaceId === undefined || entry.workspaceId === workspaceId) &&
    (action === undefined || entry.action === action) &&
    (actor === undefined || actorName(entry.actor) === actor) &&
    (subjectId === undefined || entry.subjectId === subjectId) &&
    (fromMillis === undefined || entry.createdAt >= fromMillis) &&
    (toMillis === undefined || entry.createdAt < toMillis)

const make = Effect.gen(function* () {
  const { modify, read, transact } = yield* MemoryStorage
  const rows: AuditRows = {
    insert: (entries) =>
      Effect.flatMap(Clock.currentTimeMillis, (createdAt) =>
        modify((state) => [
          undefined,
          {
            ...state,
            auditEntries: [
              ...state.auditEntries,
              ...entries.map((entry, at) => ({ ...entry, createdAt, seq: state.auditEntries.length + at + 1 }))
            ]
          }
        ])
      ),
    newest: (filter, { after, limit }) =>
      Effect.map(read, ({ auditEntries }) =>
        auditEntries
          .filter(passes(filter))
          .sort((a, b) => b.createdAt - a.createdAt || b.seq - a.seq)
          .filter(
            ({ createdAt, seq }) =>
              after === null || createdAt < after.createdAt || (createdAt === after.createdAt && seq < after.seq)
          )
          .slice(0, limit)
      )
  }
  return yield* auditTrailOver(rows, transact)
})

export const AuditTrailMemory: Layer.Layer<AuditTrail, never, MemoryStorage | Ids> = Layer.effect(AuditTrail, make)
