/**
 * Decides whether the storage is still the one that this node knows. A storage is another one in three cases. First,
 * its identity (the server's system identifier, its timeline and the number of the database) differs from the identity
 * stored in it: a restore to a point in time or a promoted standby starts a new timeline. Second, the table of the
 * identity is another one than it says: a dump was loaded, perhaps into the same database. Third, its log ends before a
 * position that this node has seen: the files are an older copy. Runs that are queued in a restored storage may have
 * been answered long ago. They are marked, and a node that takes a marked run calls no provider for it.
 *
 * `fence` is part of every statement that takes runs, so that no run is taken without this check in the same
 * transaction. One case is not noticed: an older copy whose log has already grown beyond the position that this node
 * had seen.
 */
import type * as SqlError from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import type { Sql } from "./Database.js"
import { rowOf } from "./database/Rows.js"
import { inflightList } from "./RunTables.js"

/**
 * The identity of the server and database in use. The timeline is read from the log that is being written: the control
 * file would show it only after a checkpoint.
 */
const here = `(select s.system_identifier || '/' || ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint || '/' || d.oid
  from pg_control_system() s, pg_database d where d.datname = current_database())`

/** The number of the table of the identity, which a dump that is loaded makes anew. */
const relation = "'storage_identity'::regclass::oid"

const identityRow = rowOf(
  Schema.Struct({
    identity: Schema.NullOr(Schema.String),
    epoch: Schema.NullOr(Schema.Int),
    here: Schema.String,
    durable: Schema.String,
    ahead: Schema.Boolean,
    loaded: Schema.Boolean
  })
)

export const makeStorageIdentity = (sql: Sql) => {
  /**
   * The last state that this node has seen. A new epoch begins when a node finds the storage restored. Positions in the
   * log are compared only within one epoch.
   */
  let seen = { epoch: -1, durable: "0/0" }

  const read = Effect.suspend(() =>
    identityRow(sql`
      select i.identity, i.epoch, ${sql.literal(here)} as here, pg_current_wal_flush_lsn()::text as durable,
        pg_current_wal_insert_lsn() >= ${seen.durable}::pg_lsn as ahead, coalesce(i.relation <> ${sql.literal(relation)}, false) as loaded
      from (select 1) one left join storage_identity i on true`)
  )

  /** True while the stored identity is the real one and the log has not lost anything that this node has seen. */
  const fence = () =>
    sql`exists (
      select from storage_identity i where i.identity = ${sql.literal(here)} and coalesce(i.relation = ${sql.literal(relation)}, true)
        and (i.epoch > ${seen.epoch} or (i.epoch = ${seen.epoch} and pg_current_wal_insert_lsn() >= ${seen.durable}::pg_lsn)))`

  const isHome = (found: Effect.Effect.Success<typeof read>): boolean =>
    found !== null &&
    found.identity === found.here &&
    !found.loaded &&
    found.epoch !== null &&
    (found.epoch > seen.epoch || (found.epoch === seen.epoch && found.ahead))

  /**
   * Checks again. If the storage is another one, it records this in the storage and answers true. It joins the
   * surrounding transaction, as the fence does.
   */
  const verify: Effect.Effect<boolean, SqlError.SqlError> = Effect.gen(function* () {
    const found = yield* read
    if (found !== null && isHome(found)) {
      seen = { epoch: found.epoch ?? 0, durable: found.durable }
      return false
    }
    // Only one node records this at a time; the others then find it recorded.
    yield* sql`lock table storage_identity in share row exclusive mode`
    const now = yield* read
    if (now === null || isHome(now)) return false
    yield* sql`
      insert into storage_identity (identity, epoch, relation) values (${now.here}, ${Math.max(now.epoch ?? 0, seen.epoch) + 1}, ${sql.literal(relation)})
      on conflict (only_row) do update set identity = excluded.identity, epoch = excluded.epoch, relation = excluded.relation`
    // A new database has no identity yet, so it was not restored.
    if (now.identity === null && seen.epoch < 0) return true
    const marked =
      yield* sql`update runs set restored = true where status in (${sql.literal(inflightList)}) and not restored returning 1`
    yield* Effect.annotateLogs(
      Effect.logWarning("The storage was restored or replaced: the runs that wait in it call nobody any more"),
      { runs: marked.length }
    )
    return true
  })

  return { fence, verify }
}
