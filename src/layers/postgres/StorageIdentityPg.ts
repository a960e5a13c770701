/**
 * Whether the storage is still the one that this node knows. It is another one when its identity differs from the one
 * that is stored in it (the server's system identifier, its timeline, the database's own number: a restore to a point
 * in time or a promoted standby starts a new timeline), or when its log ends before what this node has seen of it (an
 * older copy of the files). Runs that are queued in what was restored may have been answered long ago: they are marked,
 * and whoever takes a marked run calls nobody for it.
 *
 * `fence` is part of every statement that takes runs, so that nothing is taken from a storage that was not looked at in
 * the same transaction. Not noticed is an older copy whose log has grown beyond what this node had seen before the node
 * came back to it.
 */
import type { SqlError } from "@effect/sql"
import { Effect, Schema } from "effect"
import type { Sql } from "./Database.js"
import { rowOf } from "./database/Rows.js"

/**
 * Where the rows are. The timeline is that of the log as it is written now: what the control file says comes only with
 * a checkpoint.
 */
const here = `(select s.system_identifier || '/' || ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint || '/' || d.oid
  from pg_control_system() s, pg_database d where d.datname = current_database())`

const identityRow = rowOf(
  Schema.Struct({
    identity: Schema.NullOr(Schema.String),
    epoch: Schema.NullOr(Schema.Int),
    here: Schema.String,
    durable: Schema.String,
    ahead: Schema.Boolean
  })
)

export const makeStorageIdentity = (sql: Sql) => {
  /**
   * What this node has seen last. An epoch ends where somebody finds the storage restored; ends of the log compare
   * within one.
   */
  let seen = { epoch: -1, durable: "0/0" }

  const read = Effect.suspend(() =>
    identityRow(sql`
      select i.identity, i.epoch, ${sql.literal(here)} as here, pg_current_wal_flush_lsn()::text as durable,
        pg_current_wal_insert_lsn() >= ${seen.durable}::pg_lsn as ahead
      from (select 1) one left join storage_identity i on true`)
  )

  /** True while the stored identity is the true one and nothing that this node has seen is gone. */
  const fence = () =>
    sql`exists (
      select from storage_identity i where i.identity = ${sql.literal(here)}
        and (i.epoch > ${seen.epoch} or (i.epoch = ${seen.epoch} and pg_current_wal_insert_lsn() >= ${seen.durable}::pg_lsn)))`

  const isHome = (found: Effect.Effect.Success<typeof read>): boolean =>
    found !== null &&
    found.identity === found.here &&
    found.epoch !== null &&
    (found.epoch > seen.epoch || (found.epoch === seen.epoch && found.ahead))

  /**
   * Looks again and, where the storage is not the one it was, says so in it: true when it has written that. Joins the
   * surrounding transaction, as the fence does.
   */
  const verify: Effect.Effect<boolean, SqlError.SqlError> = Effect.gen(function* () {
    const found = yield* read
    if (found !== null && isHome(found)) {
      seen = { epoch: found.epoch ?? 0, durable: found.durable }
      return false
    }
    // One at a time: the others then find it written.
    yield* sql`lock table storage_identity in share row exclusive mode`
    const now = yield* read
    if (now === null || isHome(now)) return false
    yield* sql`
      insert into storage_identity (identity, epoch) values (${now.here}, ${Math.max(now.epoch ?? 0, seen.epoch) + 1})
      on conflict (only_row) do update set identity = excluded.identity, epoch = excluded.epoch`
    // Nothing was restored where nothing had been written down.
    if (now.identity === null && seen.epoch < 0) return true
    const marked =
      yield* sql`update runs set restored = true where status in ('queued', 'running') and not restored returning 1`
    yield* Effect.annotateLogs(
      Effect.logWarning("The storage was restored or replaced: the runs that wait in it call nobody any more"),
      { runs: marked.length }
    )
    return true
  })

  return { fence, verify }
}
