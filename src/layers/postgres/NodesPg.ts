/**
 * The list of nodes: each says every few seconds that it is there, and takes its row away when it stops; nothing of its
 * own puts the row back then. A row that nobody has renewed for a while belongs to a node that died or stands still; it
 * is shown as silent, and dropped later. Nothing depends on this list: whether a run is taken over is decided by its
 * lease. The log says when no node is left that works on queued runs, and when one is there again.
 */
import { Effect, Layer, Metric, Schema } from "effect"
import { type NodeRole, nobodyWorks, somebodyWorks, startAWorker, takesQueuedRuns } from "../../domain/NodeRole.js"
import { nodeForgottenMillis, nodeSeenSeconds, nodeSilentMillis } from "../../domain/limits/Nodes.js"
import { productVersion } from "../../domain/Product.js"
import { everySoOften } from "../node/Background.js"
import { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { rowsOf } from "./database/Rows.js"

export interface ThisNode {
  readonly nodeId: string
  readonly role: NodeRole
  readonly host: string
  /** The ids of the sealing keys that it has. */
  readonly sealingKeys: ReadonlySet<string>
  /** The revision of the catalog that it serves now; null before the first. */
  readonly catalog: Effect.Effect<string | null>
}

const seenRows = rowsOf(Schema.Struct({ role: Schema.String, version: Schema.String, nodes: Schema.Int }))

const info = Metric.gauge("gateway_node_info", { description: "This node, its role, version and machine; always 1" })
const seen = Metric.gauge("gateway_nodes", {
  description: "Nodes that run, by role and version, as this node sees them"
})

const catalogInfo = Metric.gauge("gateway_catalog_info", {
  description: "The revision of the catalog that this node serves: 1; 0 for those before it"
})

export const NodeRegistered = ({
  catalog,
  host,
  nodeId,
  role,
  sealingKeys
}: ThisNode): Layer.Layer<never, never, Database> =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const { optional, sql } = yield* Database
      const databaseNow = yield* DatabaseNow
      const gauges = new Map<string, { readonly role: string; readonly version: string }>()
      let served: string | null = null
      let nobodyIsLogged = false
      let stopped = false
      // One after the other: a sign of life that is on its way must not put back what the stop takes away.
      const writing = yield* Effect.makeSemaphore(1)
      yield* Metric.set(
        info.pipe(
          Metric.tagged("node", nodeId),
          Metric.tagged("role", role),
          Metric.tagged("version", productVersion),
          Metric.tagged("host", host)
        ),
        1
      )

      const show = (rows: ReadonlyArray<{ readonly role: string; readonly version: string; readonly nodes: number }>) =>
        Effect.gen(function* () {
          const counts = new Map(rows.map(({ nodes, role, version }) => [`${role} ${version}`, nodes]))
          for (const { role, version } of rows) gauges.set(`${role} ${version}`, { role, version })
          // What has gone is shown as 0, because a gauge would keep its last value.
          for (const [name, labels] of gauges)
            yield* Metric.set(
              seen.pipe(Metric.tagged("role", labels.role), Metric.tagged("version", labels.version)),
              counts.get(name) ?? 0
            )
        })

      const showCatalog = (revision: string | null) =>
        Effect.gen(function* () {
          if (revision === served) return
          const before = served
          served = revision
          if (before !== null) yield* Metric.set(catalogInfo.pipe(Metric.tagged("revision", before)), 0)
          if (revision !== null) yield* Metric.set(catalogInfo.pipe(Metric.tagged("revision", revision)), 1)
        })

      const turn = Effect.gen(function* () {
        const revision = yield* catalog
        yield* showCatalog(revision)
        const now = sql.literal(yield* databaseNow)
        const sign = optional.query(sql`
          insert into nodes (node_id, role, version, host, sealing_keys, catalog, started_at, last_seen_at)
          values (${nodeId}, ${role}, ${productVersion}, ${host}, ${[...sealingKeys]}::text[], ${revision}, ${now}, ${now})
          on conflict (node_id) do update set last_seen_at = excluded.last_seen_at, catalog = excluded.catalog`)
        yield* writing.withPermits(1)(Effect.suspend(() => (stopped ? Effect.void : Effect.asVoid(sign))))
        yield* optional.query(sql`delete from nodes where last_seen_at < ${now} - ${nodeForgottenMillis}::bigint`)
        const rows = yield* seenRows(
          optional.query(sql`
            select role, version, count(*)::int as nodes from nodes where last_seen_at >= ${now} - ${nodeSilentMillis}::bigint group by role, version`)
        )
        yield* show(rows)
        const nobody = !rows.some((row) => takesQueuedRuns(row.role))
        if (nobody !== nobodyIsLogged)
          yield* Effect.logWarning(nobody ? `${nobodyWorks}. ${startAWorker}` : somebodyWorks)
        nobodyIsLogged = nobody
      })
      yield* everySoOften(
        { name: "saying that this node runs", every: `${nodeSeenSeconds} seconds`, firstAtOnce: true },
        turn
      )
      // Runs before the fiber of the signs is interrupted: a statement that is interrupted may still be carried out.
      yield* Effect.addFinalizer(() => {
        stopped = true
        return writing
          .withPermits(1)(optional.query(sql`delete from nodes where node_id = ${nodeId}`))
          .pipe(Effect.interruptible, Effect.timeoutOption("1 second"), Effect.ignore)
      })
    })
  )
