/**
 * All that depends on how `pg` works inside and not on what it promises: texts of its messages, its pipeline mode, its
 * named statements, the stream under a connection, and when a connection is no longer fit for money. Each assumption is
 * a test in `DriverInternals.test.ts`, named like it: a new `pg` that breaks one fails there.
 *
 * What the tricks buy a transaction of a settlement on four connections (`npm run bench:driver`, bench/README.md):
 * without names 0.59 of the rate remains and it takes 1.34 times the CPU of Node, without pipelining 0.75 and 1.47,
 * without one write 0.94 and 1.13.
 */
import { Predicate } from "effect"
import Pg from "pg"

/** A transaction that a failed statement had aborted was committed: nothing of it happened. */
export class CommitRefused extends Error {
  override readonly name = "CommitRefused"
}

/** What `pg` calls a statement that was not answered within `query_timeout`. */
export const noAnswer = (cause: unknown): boolean => cause instanceof Error && cause.message === "Query read timeout"

/** What `pg` and its pool call a connection that could not be made in time. */
export const connectTimedOut = (cause: unknown): boolean => cause instanceof Error && cause.message.includes("timeout")

/** A prepared statement whose result changed with the schema; only a new connection forgets it. */
export const stalePlan = (cause: unknown): boolean =>
  cause instanceof Pg.DatabaseError && cause.code === "0A000" && cause.message.startsWith("cached plan")

/** Options of a pool whose connections send a statement before those before it are answered. */
export const pipelined = { pipeline: true } as const

// The texts of this program are few. The limit is for lists that are spelled out in SQL: each would stay in the memory
// of every connection.
const namesMax = 500
const names = new Map<string, string>()

/** A statement with values has a name, under which Postgres plans it once for each connection. */
export const named = (text: string, values: ReadonlyArray<unknown>): Pg.QueryConfig<Array<unknown>> => {
  const statement = { text, values: [...values] }
  if (values.length === 0) return statement
  const known = names.get(text)
  if (known !== undefined) return { name: known, ...statement }
  if (names.size === namesMax) return statement
  const name = `s${names.size}`
  names.set(text, name)
  return { name, ...statement }
}

/** What is sent in one turn leaves in one write: each write would wake the server for itself. */
export const inOneWrite = ({ connection: { stream } }: Pg.Client): void => {
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** `pg` says null or undefined where nothing went wrong. */
type Answer = (cause: Error | null | undefined, result: Pg.QueryResult) => void

/**
 * Sends one statement. A COMMIT that Postgres answered with ROLLBACK is a failure. A connection is ended, so that it is
 * not used again, when it refused a BEGIN (what follows would be carried out alone), when an answer stayed out, and
 * when a cached plan went stale.
 */
export const ask = (client: Pg.Client, text: string, values: ReadonlyArray<unknown>, answer: Answer): void => {
  inOneWrite(client)
  client.query(named(text, values), (cause: Error | null | undefined, result) => {
    const failed = Predicate.isNotNullable(cause)
    if (failed && (text === "BEGIN" || noAnswer(cause) || stalePlan(cause))) client.end().catch(() => undefined)
    return !failed && text === "COMMIT" && result.command !== "COMMIT"
      ? answer(new CommitRefused("Postgres rolled back instead of committing"), result)
      : answer(cause, result)
  })
}

/**
 * The rows of an answer, taken out of it: V8 lets go of the statement and its answer only with a full collection, and
 * would keep the rows as long.
 */
export const takeRows = <Row>(result: { rows: Array<Row> }): ReadonlyArray<Row> => {
  const { rows } = result
  result.rows = []
  return rows
}
