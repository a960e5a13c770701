/**
 * Whether this node should get requests, as far as the storage decides it: whether the storage answers and takes
 * writes, whether this program may work on its schema, and how far its clock is from this node's. One statement checks
 * this. The statement writes, because only a write shows that a disk is full. The log says when the clocks begin to
 * differ too much and when they agree again, and a gauge shows the difference.
 */
import { Cause, Clock, Data, Effect, Metric, Random, Ref, Schema } from "effect"
import { clockDifferenceMillisMax } from "../../domain/limits/Nodes.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import { everySoOften } from "../node/Background.js"
import { makeTrouble } from "../node/Trouble.js"
import { Database, type Sql } from "./Database.js"
import { whyOf } from "./database/Failure.js"
import { DatabaseNow } from "./database/Now.js"
import { rowOf } from "./database/Rows.js"
import { serversTold } from "./database/Servers.js"
import { schemaProblem } from "./Migrations.js"
import { migrations } from "./migrations/index.js"

/** Null when everything is right; otherwise the reason why it is not. */
export interface StorageCheck {
  readonly storage: string | null
  readonly schema: string | null
  readonly clock: string | null
}

const slots = 16
/** Nearly a page, so that every probe needs new room and cannot fit into a place that was used before. */
const filler = "x".repeat(7_000)
/** Of whoever only tries: no node writes it, so neither waits for the other. */
const triedSlot = -1
const lookSeconds = 15
const difference = Metric.gauge("gateway_clock_difference_seconds", {
  description: "How far this node's clock is ahead of the database's; negative when it is behind"
})

const probeRow = rowOf(Schema.Struct({ now: Schema.Int, needed: Schema.String }))
const nowRow = rowOf(Schema.Struct({ now: Schema.Int }))

/**
 * How far this node's clock is ahead of the database's. The time of the answer leaves a range; this is the value in it
 * nearest to 0.
 */
export const aheadMillis = (sent: number, answered: number, now: number): number => {
  const apart = (sent + answered) / 2 - now
  return Math.sign(apart) * Math.max(0, Math.abs(apart) - Math.abs(answered - sent) / 2)
}

/** What is wrong with a clock that is so far ahead; null when nothing is. */
export const clockProblem = (ahead: number): string | null =>
  Math.abs(ahead) <= clockDifferenceMillisMax
    ? null
    : `This node's clock is ${(Math.abs(ahead) / 1000).toFixed(1)} s ${ahead > 0 ? "ahead of" : "behind"} the database's; they may differ by ${clockDifferenceMillisMax / 1000} s`

const probing = (sql: Sql, slot: number) =>
  sql`insert into write_probe (slot, filler) values (${slot}, ${filler}) on conflict (slot) do update set filler = excluded.filler returning 1`

/** Ends the transaction of a try, so that nothing of it stays. */
class Tried extends Data.TaggedError("Tried")<{ readonly why: string | null }> {}

/** Why the storage refuses what a node writes as its probe; null when it takes it. The write is rolled back. */
export const writeRefused: Effect.Effect<string | null, StorageError, Database> = Effect.flatMap(
  Database,
  ({ sql, transact }) =>
    transact(
      Effect.matchEffect(probing(sql, triedSlot), {
        onFailure: ({ cause }) => new Tried({ why: whyOf(cause) }),
        onSuccess: () => new Tried({ why: null })
      })
    ).pipe(Effect.catchTag("Tried", ({ why }) => Effect.succeed(why)))
)

export const storageChecks = Effect.gen(function* () {
  const { query, servers, sql } = yield* Database
  const databaseNow = yield* DatabaseNow
  const slot = yield* Random.nextIntBetween(0, slots)
  const known = Object.keys(migrations)
  const reported = yield* Ref.make<string | null>(null)

  const compare = (ahead: number) =>
    Effect.gen(function* () {
      const problem = clockProblem(ahead)
      yield* Metric.set(difference, ahead / 1000)
      const before = yield* Ref.getAndSet(reported, problem)
      if (problem !== null && before === null) yield* Effect.logWarning(problem)
      if (problem === null && before !== null)
        yield* Effect.logInfo("This node's clock agrees with the database's again")
      return problem
    })

  const timed = <A extends { readonly now: number }>(read: Effect.Effect<A | null, StorageError>) =>
    Effect.gen(function* () {
      const sent = yield* Clock.currentTimeMillis
      const row = yield* read
      const answered = yield* Clock.currentTimeMillis
      return { row, clock: row === null ? null : yield* compare(aheadMillis(sent, answered, row.now)) }
    })

  const probe = Effect.gen(function* () {
    const rows = query(sql`
      with written as (${probing(sql, slot)})
      select ${sql.literal(yield* databaseNow)} as now, (select needed from schema_needs) as needed from written`)
    const { clock, row } = yield* timed(probeRow(rows))
    return {
      storage: null,
      schema: row === null ? null : schemaProblem(known, row.needed),
      clock
    }
  })

  const ailing: Effect.Effect<StorageCheck> = Effect.map(Effect.isSuccess(query(sql`select 1`)), (answers) => ({
    storage: answers
      ? "The storage answers, but refuses writes or new connections"
      : `The storage does not answer${servers.all.length > 1 ? ` (${serversTold(servers)})` : ""}`,
    schema: null,
    clock: null
  }))

  const readNow = nowRow(query(sql`select ${sql.literal(yield* databaseNow)} as now`))
  yield* everySoOften({ name: "comparing clocks", every: `${lookSeconds} seconds`, firstAtOnce: true }, timed(readNow))
  const trouble = yield* makeTrouble("background", { work: "writing to the storage to see whether it can" })
  // The statement failed: it was refused, or no connection was had for it.
  return Effect.matchCauseEffect(probe, {
    onSuccess: (found) => Effect.as(Effect.sync(trouble.worked), found),
    onFailure: (cause) =>
      Effect.zipRight(
        Effect.sync(() => (Cause.isDie(cause) ? trouble.failed(Cause.pretty(cause)) : undefined)),
        ailing
      )
  })
})
