/**
 * Published revisions in Postgres. A row names its members by endpoint and contract version, and each contract has a
 * row of its own. NOTIFY is sent with the commit. Because a notification can be lost, a node that follows also looks at
 * the table from time to time. A node that took a revision over says so on a second channel. The number of running
 * nodes is the number of connections that listen on the first channel.
 */
import { randomUUID } from "node:crypto"
import { Clock, Deferred, Duration, Effect, Layer, Option, Queue, Schedule, Schema, Stream } from "effect"
import type { Actor } from "../../domain/AuditEntry.js"
import type { Json } from "../../domain/Json.js"
import { type Endpoint, JobManifest } from "../../domain/Manifest.js"
import { type CatalogContent, CatalogRefused } from "../../services/CatalogPublisher.js"
import { AuditTrail, changed, unchanged } from "../../services/AuditTrail.js"
import { CatalogRevisions, type PublishMode, type Reached } from "../../services/CatalogRevisions.js"
import { ContractStore } from "../../services/ContractStore.js"
import type { Ids } from "../../services/Ids.js"
import { priceChanges } from "../catalog/PriceChanges.js"
import { catalogProblems } from "../catalog/Soundness.js"
import { SharedMembers, leanEndpoint } from "../catalog/LeanEndpoint.js"
import { forEachInSlices } from "../node/LongWork.js"
import { nextEventLoopTurn } from "../../services/Slices.js"
import { decodeStoredEndpoint, storedEndpoint } from "../catalog/StoredContracts.js"
import { AuditTrailPg } from "./AuditTrailPg.js"
import { Database } from "./Database.js"
import { busy } from "./database/Failure.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import { listenerName } from "./database/Listen.js"

const channel = "catalog_revisions"
/** What Postgres calls the connection of a node that follows the catalog. */
const followersName = listenerName(channel)
const takenChannel = "catalog_taken_over"
/**
 * A message of a node may be lost, and nodes come and go. A waiting publisher therefore counts the nodes again after
 * this time.
 */
const countAgain = "1 second"
/** A publisher that cannot listen gives up before it has published anything. */
const connectWithin = "10 seconds"
/** A small number: the garbage of one portion is collected before V8 moves it to the old generation. */
const readAtOnce = 100
const lookAgain = "30 seconds"

const NodeReport = Schema.parseJson(
  Schema.Struct({ node: Schema.String, sequence: Schema.Int, inForce: Schema.Boolean })
)
const decodeReport = Schema.decodeUnknownOption(NodeReport)
const encodeReport = Schema.encodeSync(NodeReport)

const nodesRow = rowOf(Schema.Struct({ nodes: Schema.Int }))
const sequenceRow = rowOf(Schema.Struct({ sequence: Schema.Int }))
const revisionRow = rowOf(
  Schema.Struct({
    sequence: Schema.Int,
    jobs: Schema.Array(JobManifest),
    endpointIds: Schema.Array(Schema.String),
    versions: Schema.Array(Schema.String)
  })
)
const contractRows = rowsOf(Schema.Struct({ contractVersion: Schema.String, text: Schema.String }))

interface Members {
  readonly jobs: ReadonlyArray<JobManifest>
  /** Contract versions by endpoint id. */
  readonly versions: ReadonlyMap<string, string>
}

interface Publication {
  readonly mode: PublishMode
  /** What the published catalog is served with. */
  readonly builtIn: CatalogContent
}

const nothing: CatalogContent = { jobs: [], endpoints: [] }
const noMembers: Members = { jobs: [], versions: new Map() }

const left = ({ jobs, versions }: Members, gone: CatalogContent): Members => {
  const jobsGone = new Set<string>(gone.jobs.map(({ id }) => id))
  const operationsGone = new Set<string>(gone.endpoints.map(({ operation }) => operation.id))
  return {
    jobs: jobs.filter(({ id }) => !jobsGone.has(id)),
    versions: new Map(Array.from(versions).filter(([id]) => !operationsGone.has(id)))
  }
}

/** Of a publication that may have a hundred thousand operations, the audit trail names no more than these. */
const auditedIds = 100

/** How many there are. The row of the publication names them all. */
const shown = (sequence: number, { jobs, versions }: Members) => ({
  sequence,
  operations: versions.size,
  jobs: jobs.length
})

export const CatalogRevisionsPg: Layer.Layer<CatalogRevisions, never, ContractStore | Database | Ids> = Layer.effect(
  CatalogRevisions,
  Effect.gen(function* () {
    const { listen, query, sql } = yield* Database
    const trail = yield* AuditTrail
    const contracts = yield* ContractStore
    const node = randomUUID()

    /** Every node that follows has one connection that listens, so counting these connections counts the nodes. */
    const runningNodes = Effect.map(
      nodesRow(
        query(sql`
        select count(*)::int as nodes from pg_stat_activity where datname = current_database() and application_name = ${followersName}`)
      ),
      (row) => row?.nodes ?? 0
    )

    const watch = Effect.gen(function* () {
      const connected = yield* Deferred.make<void>()
      const heard = yield* Queue.sliding<void>(1)
      /** For each node, the newest revision that it took over, and the newest revision that it refused. */
      const taken = new Map<string, number>()
      const refusedBy = new Map<string, number>()
      yield* Effect.forkScoped(
        listen(takenChannel, (payload) => {
          if (payload === undefined) return void Deferred.unsafeDone(connected, Effect.void)
          const report = decodeReport(payload)
          if (Option.isNone(report)) return
          const { inForce, node: by, sequence } = report.value
          const seen = inForce ? taken : refusedBy
          seen.set(by, Math.max(sequence, seen.get(by) ?? 0))
          // It may have failed at first. A node counts once.
          if (inForce) refusedBy.delete(by)
          heard.unsafeOffer()
        })
      )
      yield* Effect.timeoutFail(Deferred.await(connected), { duration: connectWithin, onTimeout: () => busy })
      const count = (of: ReadonlyMap<string, number>, sequence: number): number =>
        Array.from(of.values()).filter((reached) => reached >= sequence).length
      return Effect.fn("CatalogRevisions.reached")(function* (sequence: number, limitMillis: number) {
        const until = (yield* Clock.currentTimeMillis) + limitMillis
        const look = Effect.map(runningNodes, (nodes): Reached => ({
          nodes,
          inForce: count(taken, sequence),
          refused: count(refusedBy, sequence)
        }))
        let reached = yield* look
        while (reached.inForce + reached.refused < reached.nodes && (yield* Clock.currentTimeMillis) < until) {
          yield* Effect.timeoutOption(Queue.take(heard), Duration.decode(countAgain))
          reached = yield* look
        }
        return reached
      })
    })

    const newest = Effect.gen(function* () {
      const row = yield* revisionRow(
        query(sql`
        select seq as sequence, jobs, endpoint_ids as "endpointIds", contract_versions as versions from catalog_revisions order by seq desc limit 1`)
      )
      const members: Members = {
        jobs: row?.jobs ?? [],
        versions: new Map((row?.endpointIds ?? []).map((id, at) => [id, row?.versions[at] ?? ""]))
      }
      return { sequence: row?.sequence ?? 0, members }
    })

    const endpointsOf = (versions: Members["versions"]) =>
      Effect.gen(function* () {
        const providers = new Map<string, Endpoint["provider"]>()
        const endpoints: Array<Endpoint> = []
        const common = new SharedMembers()
        const wanted = Array.from(versions)
        for (let start = 0; start < wanted.length; start += readAtOnce) {
          const part = wanted.slice(start, start + readAtOnce)
          const rows = yield* contractRows(
            query(sql`
            select kept.contract_version as "contractVersion", kept.contract::text as text
            from unnest(${part.map(([id]) => id)}::text[], ${part.map(([, version]) => version)}::text[]) as wanted (endpoint_id, contract_version)
            join catalog_contracts kept using (endpoint_id, contract_version)`)
          )
          const unreadable: Array<string> = []
          yield* forEachInSlices(rows.length, (at) => {
            const row = rows[at]
            if (row === undefined) return
            // Contracts are parsed one by one: all of a portion at once would live too long for V8 to collect them
            // cheaply.
            const contract: Json = JSON.parse(row.text)
            const decoded = decodeStoredEndpoint(contract)
            if (decoded._tag === "None") {
              unreadable.push(row.contractVersion)
              return
            }
            const { operation, provider } = decoded.value
            const key = JSON.stringify(provider)
            const shared = providers.get(key) ?? provider
            providers.set(key, shared)
            endpoints.push(leanEndpoint({ provider: shared, operation, contractVersion: row.contractVersion }, common))
          })
          for (const contractVersion of unreadable) {
            yield* Effect.logWarning("A published contract cannot be read and is left out").pipe(
              Effect.annotateLogs({ contractVersion })
            )
          }
          yield* nextEventLoopTurn
        }
        return endpoints
      })

    /** The prices that change for those who run: what was published before stands over the built-in operations. */
    const pricesBefore = (serving: CatalogContent["endpoints"], builtIn: CatalogContent, { versions }: Members) =>
      Effect.map(
        endpointsOf(
          new Map(
            serving.flatMap(({ contractVersion, operation: { id } }): ReadonlyArray<[string, string]> => {
              const version = versions.get(id)
              return version === undefined || version === contractVersion ? [] : [[id, version]]
            })
          )
        ),
        (published) => [...builtIn.endpoints.filter(({ operation: { id } }) => !versions.has(id)), ...published]
      )

    /** Null where another publication has come after `checkedWith`: what was checked may not hold beside it. */
    const write = (
      published: CatalogContent,
      { builtIn, checkedWith, mode }: Publication & { readonly checkedWith: number },
      now: number,
      by: Actor
    ) =>
      trail.change(
        by,
        Effect.gen(function* () {
          yield* query(sql`select pg_advisory_xact_lock(hashtext('catalog_revisions'))`)
          const last = yield* newest
          if (last.sequence !== checkedWith) return unchanged(null)
          const content = mode === "without" ? nothing : published
          const before = mode === "replace" ? noMembers : mode === "add" ? last.members : left(last.members, published)
          const jobs = new Map<string, JobManifest>([...before.jobs, ...content.jobs].map((job) => [job.id, job]))
          const versions = new Map([
            ...before.versions,
            ...content.endpoints.map(({ contractVersion, operation }): [string, string] => [
              operation.id,
              contractVersion
            ])
          ])
          const row = yield* sequenceRow(
            query(sql`
        insert into catalog_revisions (revision, jobs, endpoint_ids, contract_versions, published_at)
        values (md5(${JSON.stringify(Array.from(versions))}), ${JSON.stringify(Array.from(jobs.values()))}::jsonb,
          ${Array.from(versions.keys())}::text[], ${Array.from(versions.values())}::text[], ${now})
        returning seq as sequence`)
          )
          const sequence = row?.sequence ?? 0
          yield* query(sql`select pg_notify(${channel}, ${String(sequence)})`)
          const withdrawn = Array.from(last.members.versions.keys()).filter((id) => !versions.has(id))
          const gone = new Set(withdrawn)
          // What is withdrawn uncovers the built-in operation of the same id, and its price.
          const uncovered = builtIn.endpoints.filter(({ operation: { id } }) => gone.has(id))
          const serving = [...content.endpoints, ...uncovered]
          const prices = priceChanges(yield* pricesBefore(serving, builtIn, last.members), serving)
          const audited = prices.slice(0, auditedIds)
          return changed(
            { sequence, endpoints: versions.size },
            {
              action: "catalog.published",
              subjectId: String(sequence),
              workspaceId: null,
              before: {
                ...shown(last.sequence, last.members),
                ...(prices.length === 0 ? {} : { prices: audited.map(({ before, id }) => `${id}: ${before}`) })
              },
              after: {
                ...shown(sequence, { jobs: Array.from(jobs.values()), versions }),
                mode,
                published: content.endpoints.slice(0, auditedIds).map(({ operation: { id } }) => id),
                ...(withdrawn.length === 0 ? {} : { withdrawn: withdrawn.slice(0, auditedIds) }),
                ...(prices.length === 0 ? {} : { prices: audited.map(({ after, id }) => `${id}: ${after}`) }),
                ...(prices.length > auditedIds ? { pricesChanged: prices.length } : {})
              }
            }
          )
        })
      )

    /** What is wrong with the content beside what is published now. */
    const problemsOf = (content: CatalogContent, { builtIn, mode }: Publication, members: Members) => {
      // The content is checked before it is merged, because merging would hide a duplicate id.
      if (mode !== "without")
        return catalogProblems(content, "requests", mode === "add" ? [...builtIn.jobs, ...members.jobs] : builtIn.jobs)
      const { jobs, versions } = left(members, content)
      // What stays was published under the rules of its time, and keeps nothing else from being withdrawn.
      return Effect.flatMap(endpointsOf(versions), (endpoints) =>
        catalogProblems({ jobs, endpoints }, "terms", builtIn.jobs)
      )
    }

    return CatalogRevisions.of({
      publish: Effect.fn("CatalogRevisions.publish")(function* (content, publication, by) {
        let written = null
        while (written === null) {
          const { members, sequence } = yield* newest
          const problems = yield* problemsOf(content, publication, members)
          if (problems.length > 0) return yield* new CatalogRefused({ problems })
          if (publication.mode !== "without")
            yield* contracts.keep(content.endpoints.map(storedEndpoint), { refresh: true })
          const checked = { ...publication, checkedWith: sequence }
          written = yield* write(content, checked, yield* Clock.currentTimeMillis, by)
        }
        return written
      }),
      latest: Effect.gen(function* () {
        const { members, sequence } = yield* newest
        return { sequence, content: { jobs: members.jobs, endpoints: yield* endpointsOf(members.versions) } }
      }),
      sequence: Effect.map(
        sequenceRow(query(sql`select coalesce(max(seq), 0) as sequence from catalog_revisions`)),
        (row) => row?.sequence ?? 0
      ),
      tell: ({ inForce, sequence }) =>
        Effect.asVoid(query(sql`select pg_notify(${takenChannel}, ${encodeReport({ node, sequence, inForce })})`)),
      watch,
      changes: Stream.merge(
        Stream.asyncPush<void>((emit) => Effect.forkScoped(listen(channel, () => void emit.single(undefined)))),
        Stream.fromSchedule(Schedule.spaced(lookAgain)).pipe(Stream.map(() => undefined))
      )
    })
  })
).pipe(Layer.provide(AuditTrailPg))
