/** The audit trail in Postgres: the rows of `accounts/audit/AuditRows`, timed by the database's clock. */
import type * as Statement from "@effect/sql/Statement"
import { Effect, Layer, Schema } from "effect"
import { actorName, AuditEntry, type AuditFilter, type AuditPlace } from "../../domain/AuditEntry.js"
import type { WorkspaceId } from "../../domain/Ids.js"
import { canonical } from "../../domain/Json.js"
import { AuditTrail } from "../../services/AuditTrail.js"
import type { Ids } from "../../services/Ids.js"
import type { AuditRows } from "../accounts/audit/AuditRows.js"
import { auditTrailOver } from "../accounts/audit/AuditTrailOver.js"
import { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { rowsOf } from "./database/Rows.js"

const auditRows = rowsOf(Schema.Struct({ ...AuditEntry.fields, seq: Schema.Int }))

const columns = `entry_id as "entryId", created_at as "createdAt", actor, action, subject_kind as "subjectKind", subject_id as "subjectId",
  workspace_id as "workspaceId", before, after, seq`

const insert = ({ send, sql }: Database["Type"], databaseNow: Effect.Effect<string>): AuditRows["insert"] =>
  Effect.fnUntraced(function* (entries) {
    const rows = entries.map(({ actor, ...entry }) => ({ ...entry, actor, actorName: actorName(actor) }))
    yield* send(sql`
      insert into audit_entries (entry_id, created_at, actor, actor_name, action, subject_kind, subject_id, workspace_id, before, after)
      select "entryId", ${sql.literal(yield* databaseNow)}, actor, "actorName", action, "subjectKind", "subjectId", "workspaceId", before, after
      from json_to_recordset(${canonical(rows)}::json) as e ("entryId" text, actor json, "actorName" text, action text, "subjectKind" text,
        "subjectId" text, "workspaceId" text, before json, after json)`)
  })

const inWorkspace = (
  sql: Database["Type"]["sql"],
  { workspaceId }: AuditFilter,
  column: "actor_name" | "action",
  value: string
): Statement.Fragment =>
  workspaceId === undefined
    ? sql`${sql.literal(column)} = ${value}`
    : sql`(workspace_id || ' ' || ${sql.literal(column)}) = ${`${workspaceId} ${value}`}`

/**
 * The ranges by actor and by action name the workspace already, and that of a subject must stay the only one: Postgres
 * would combine it with the range of the workspace, and read all of both before it sorts.
 */
const inTrailOf = (sql: Database["Type"]["sql"], filter: AuditFilter, workspaceId: WorkspaceId) =>
  filter.subjectId !== undefined
    ? [sql`coalesce(workspace_id, '') = ${workspaceId}`]
    : filter.actor !== undefined || filter.action !== undefined
      ? []
      : [sql`workspace_id = ${workspaceId}`]

/**
 * The conditions of a list. The narrowest filter is written as the range of an index (migration 0016), and the other
 * filters look at the rows of that range.
 */
const conditions = (
  sql: Database["Type"]["sql"],
  filter: AuditFilter,
  after: AuditPlace | null
): ReadonlyArray<Statement.Fragment> => [
  ...(filter.subjectId === undefined ? [] : [sql`subject_id = ${filter.subjectId}`]),
  ...(filter.actor === undefined ? [] : [inWorkspace(sql, filter, "actor_name", filter.actor)]),
  ...(filter.action === undefined
    ? []
    : [
        filter.actor === undefined ? inWorkspace(sql, filter, "action", filter.action) : sql`action = ${filter.action}`
      ]),
  ...(filter.workspaceId === undefined ? [] : inTrailOf(sql, filter, filter.workspaceId)),
  ...(filter.fromMillis === undefined ? [] : [sql`created_at >= ${filter.fromMillis}`]),
  ...(filter.toMillis === undefined ? [] : [sql`created_at < ${filter.toMillis}`]),
  ...(after === null ? [] : [sql`(created_at, seq) < (${after.createdAt}, ${after.seq})`])
]

const make = Effect.gen(function* () {
  const database = yield* Database
  const { query, sql, transact } = database
  const rows: AuditRows = {
    insert: insert(database, yield* DatabaseNow),
    newest: (filter, { after, limit }) =>
      auditRows(
        query(sql`
          select ${sql.literal(columns)} from audit_entries where ${sql.join(" and ", false, "true")(conditions(sql, filter, after))}
          order by created_at desc, seq desc limit ${limit}`)
      )
  }
  return yield* auditTrailOver(rows, transact)
})

export const AuditTrailPg: Layer.Layer<AuditTrail, never, Database | Ids> = Layer.effect(AuditTrail, make)
