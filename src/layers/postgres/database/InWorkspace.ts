/**
 * Names the workspace in a statement that must read a certain index: one that begins with a text of the workspace and a
 * value (migration 0008). Had it a plain equation beside that text, Postgres could as well read all rows of the
 * workspace in the order of the primary key, and look through them for the few that match. A choice of two cannot be
 * looked up in an index, but says which partition or shard has the rows. The second half is never true.
 */
import type * as Statement from "@effect/sql/Statement"
import type { WorkspaceId } from "../../../domain/Ids.js"
import type { Sql } from "../Database.js"

export const inWorkspace = (
  sql: Sql,
  column: string,
  workspace: WorkspaceId | Statement.Fragment
): Statement.Fragment => {
  const name = sql.literal(column)
  return sql`(${name} = ${workspace} or (${name} = any(array[${workspace}::text, ${workspace}::text]) and ${name} <> ${workspace}))`
}
