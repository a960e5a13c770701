/**
 * How a node takes runs on Postgres, which ones have waited too long for that, and how it renews their leases. Claims
 * skip locked rows, so that nodes never wait for each other.
 */
import { Array as Arr, Effect, Schema } from "effect"
import { RunId } from "../../domain/Ids.js"
import type { Ids } from "../../services/Ids.js"
import type { LeasedRun, RunStore, ClaimOptions } from "../../services/RunStore.js"
import type { Database } from "./Database.js"
import { renewal, renewalValues } from "./leases/RenewalStatement.js"
import { attemptsOf } from "./RunReadsPg.js"
import { runRows, runTable } from "./RunTables.js"
import { rowsOf } from "./database/Rows.js"
import { makeStorageIdentity } from "./StorageIdentityPg.js"

const leaseRows = rowsOf(
  Schema.Struct({
    runId: RunId,
    token: Schema.String,
    workersLost: Schema.Int,
    restored: Schema.Boolean,
    /** Whether the node that had it left it; null when nobody had it. */
    wasLeft: Schema.NullOr(Schema.Boolean),
    waitedMillis: Schema.Int
  })
)
const lateRows = rowsOf(Schema.Struct({ restored: Schema.Boolean }))
const heldRows = rowsOf(Schema.Struct({ runId: RunId, cancelRequested: Schema.Boolean, renewed: Schema.Boolean }))

/** Before the token of a lease whose node has left the run. No node writes under such a token. */
const leftPrefix = "left_"

/** The status that runs are taken from: nobody has them, or a node whose lease has ended. */
type Taken = "queued" | "running"
type TakeOptions = ClaimOptions & { readonly except: ReadonlyArray<string> }

export const runClaims = (database: Database["Type"], ids: Ids["Type"], databaseNow: Effect.Effect<string>) => {
  const { query, sql, transact, urgent } = database
  const runs = sql.literal(runTable.selected("r"))
  const now = Effect.map(databaseNow, sql.literal)
  const attempts = attemptsOf(database)
  const identity = makeStorageIdentity(sql)

  /**
   * The rows of a statement that has the fence. No rows may mean that the storage was restored, was replaced or is new.
   * Then `verify` records this and marks the waiting runs, and the same statement finds them the second time. So these
   * runs are ended too, and their clients get an answer.
   */
  const verified = <A, E>(look: Effect.Effect<ReadonlyArray<A>, E>) =>
    Effect.flatMap(look, (found) =>
      found.length > 0
        ? Effect.succeed(found)
        : Effect.flatMap(identity.verify, (another) => (another ? look : Effect.succeed(found)))
    )

  /**
   * Takes the oldest runs of one status, each under a lease token of its own: `tokenPrefix` and its id. It takes none
   * where the storage is not the one that this node knows (`identity.fence`).
   */
  const claim = (
    from: Taken,
    tokenPrefix: string,
    { except, leaseMillis, limit, node }: TakeOptions,
    time: ReturnType<typeof sql.literal>
  ) => {
    // The status stands in the text, because a plan that serves all values could not use the index of one status.
    const mayBeTaken =
      from === "queued"
        ? sql`status = 'queued'`
        : sql`status = 'running' and lease_expires_at <= ${time}
              and not (lease_token = any(${except}::text[]) and lease_token is not null)`
    // `materialized` matters: without it, the planner may lock and update more rows than the limit.
    return sql`
          with wanted as materialized (
            select workspace_id, run_id, starts_with(lease_token, ${leftPrefix}) as was_left from runs where ${identity.fence()} and ${mayBeTaken}
            order by created_at, run_id limit ${limit} for update skip locked
          )
          update runs r set status = 'running', lease_node = ${node}, lease_token = ${tokenPrefix} || r.run_id,
            lease_expires_at = ${time} + ${leaseMillis}::bigint, started_at = coalesce(r.started_at, ${time}),
            workers_lost = r.workers_lost + case when not w.was_left then 1 else 0 end
          from wanted w where r.workspace_id = w.workspace_id and r.run_id = w.run_id
          returning ${runs}, r.lease_token as token, r.workers_lost as "workersLost", r.restored, w.was_left as "wasLeft", ${time} - r.created_at as "waitedMillis"`
  }

  const take = (from: Taken, options: TakeOptions) =>
    transact(
      Effect.gen(function* () {
        const tokenPrefix = yield* ids.suffix
        const rows = yield* verified(Effect.flatMap(now, (time) => claim(from, tokenPrefix, options, time)))
        const leases = new Map((yield* leaseRows(Effect.succeed(rows))).map((lease) => [lease.runId, lease]))
        const taken = yield* runRows(Effect.succeed(rows))
        const made = taken.length === 0 ? [] : yield* attempts(taken)
        return (
          taken
            .map((run): LeasedRun => {
              const lease = leases.get(run.runId)
              return {
                run,
                lease: { node: options.node, token: lease?.token ?? "", millis: options.leaseMillis },
                attempts: made.filter((attempt) => attempt.runId === run.runId),
                takenOver: from === "queued" ? false : lease?.wasLeft === true ? "left" : "silent",
                workersLost: lease?.workersLost ?? 0,
                restored: lease?.restored ?? true,
                waitedMillis: lease?.waitedMillis ?? 0
              }
            })
            // An update returns its rows in no order.
            .sort((a, b) => a.run.createdAt - b.run.createdAt)
        )
      })
    )

  const waitedLonger: RunStore["Type"]["waitedLonger"] = ({ asideMillis, limit, millis }) =>
    transact(
      Effect.gen(function* () {
        const time = yield* now
        // A queued run has no lease token, so the time alone sets it aside: the fence of its end does not look at it.
        const rows = yield* verified(sql`
          with late as materialized (
            select workspace_id, run_id from runs where ${identity.fence()} and status = 'queued'
              and created_at < ${time} - ${millis}::bigint and coalesce(lease_expires_at, 0) <= ${time}
            order by created_at, run_id limit ${limit} for update skip locked
          ), aside as (
            update runs r set lease_expires_at = ${time} + ${asideMillis}::bigint
            from late l where r.workspace_id = l.workspace_id and r.run_id = l.run_id returning r.*
          )
          select ${runs}, r.restored from aside r order by r.created_at, r.run_id`)
        const marks = yield* lateRows(Effect.succeed(rows))
        return Arr.zipWith(yield* runRows(Effect.succeed(rows)), marks, (run, { restored }) => ({ run, restored }))
      })
    )

  const heartbeat: RunStore["Type"]["heartbeat"] = Effect.fnUntraced(function* (leases, leaseMillis) {
    // A busy node is not dead. If this renewal had to wait for a connection, other nodes would take over its runs.
    const held = yield* heldRows(urgent(sql.unsafe(renewal(yield* databaseNow), renewalValues(leases, leaseMillis))))
    return {
      held: new Set(held.map(({ runId }) => runId)),
      renewed: new Set(held.flatMap(({ renewed, runId }) => (renewed ? [runId] : []))),
      cancelled: new Set(held.flatMap(({ cancelRequested, runId }) => (cancelRequested ? [runId] : [])))
    }
  })

  const leave: RunStore["Type"]["leave"] = Effect.fnUntraced(function* (leases) {
    yield* query(sql`
      update runs r set lease_token = ${leftPrefix} || r.lease_token, lease_expires_at = ${yield* now}
      from unnest(${leases.map(({ workspaceId }) => workspaceId)}::text[], ${leases.map(({ runId }) => runId)}::text[],
        ${leases.map(({ token }) => token)}::text[]) as l (workspace_id, run_id, token)
      where r.workspace_id = l.workspace_id and r.run_id = l.run_id and r.lease_token = l.token`)
  })

  return {
    claim: (options) => take("queued", { ...options, except: [] }),
    reclaim: (options) => take("running", options),
    waitedLonger,
    heartbeat,
    leave
  } satisfies Partial<RunStore["Type"]>
}
