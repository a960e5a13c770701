/**
 * Which runs leave the hot tables, in one place: finished ones that were made, and ended, before a time. A run that was
 * settled late stays for the same days after its end, so that whoever settled it can look at it. Refused ones are
 * forgotten where they are.
 */
import type * as Statement from "@effect/sql/Statement"
import { firstRunIdAt } from "../../../domain/Ids.js"
import type { Database } from "../Database.js"
import { finishedList } from "../RunTables.js"

/** Whether `runs r` was refused: the same as `wasRefused` of the domain, and as the index of migration 0012. */
export const wasRefused =
  "(r.outcome = 'rejected' and r.started_at is null and r.hold_micros = 0 and r.status in ('failed', 'blocked'))"

/** What may be moved of `runs r`. */
export const movableOf =
  ({ sql }: Database["Type"]) =>
  (beforeMillis: number): Statement.Fragment => sql`
    r.run_id < ${firstRunIdAt(beforeMillis)} and r.status in (${sql.literal(finishedList)}) and r.completed_at < ${beforeMillis}
    and not ${sql.literal(wasRefused)}`
