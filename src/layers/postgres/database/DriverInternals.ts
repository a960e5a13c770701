/**
 * All code that depends on the internals of `pg` instead of its documented interface: texts of its messages, its
 * pipeline mode, its named statements and what it makes of their columns, the stream under a connection, and the signs
 * that a connection is no longer safe for money. A test in `DriverInternals.test.ts` checks each assumption by name, so
 * a new `pg` that breaks one fails there.
 *
 * The four optimisations were measured on settlement transactions over four connections (`npm run bench:driver`,
 * bench/README.md). When columns are described each time, 0.81 of the rate remains, and Node takes 1.35 times the CPU.
 * Without named statements as well it is 0.59 and 1.63, without pipelining 0.58 and 2.01, and without the single write
 * 0.86 and 1.34.
 */
import { hash } from "node:crypto"
import { Predicate } from "effect"
import Pg from "pg"

/** The COMMIT came after a failed statement had aborted the transaction: nothing of it happened. */
export class CommitRefused extends Error {
  override readonly name = "CommitRefused"
}

/** Whether `pg` reports that a statement was not answered within `query_timeout`. */
export const noAnswer = (cause: unknown): boolean => cause instanceof Error && cause.message === "Query read timeout"

/** Whether `pg` or its pool reports that a connection could not be made in time. */
export const connectTimedOut = (cause: unknown): boolean => cause instanceof Error && cause.message.includes("timeout")

/**
 * Whether a prepared statement does not fit its connection any more, so that it was not carried out. Its columns have
 * changed with the schema. Or a pooler that keeps no statements lent another server process, which has none of that
 * name, or has it already. Only a new connection helps.
 */
export const staleStatement = (cause: unknown): boolean =>
  cause instanceof Pg.DatabaseError &&
  ((cause.code === "0A000" && cause.message.startsWith("cached plan")) ||
    cause.code === "26000" ||
    cause.code === "42P05")

/** Whether the server refused to write because it is a standby. */
export const readsOnly = (cause: unknown): boolean => cause instanceof Pg.DatabaseError && cause.code === "25006"

/** Options of a pool whose connections send a statement before the earlier ones are answered. */
export const pipelined = { pipeline: true } as const

/**
 * The names of the statements of one connection. A statement with values gets one, so that Postgres plans it once. The
 * name is made of the text: also where clients share server processes, one name is one statement.
 */
export class StatementNames {
  // This program has few different statement texts. The limit is for statements that spell out lists in SQL: the
  // server process behind the connection keeps each such text.
  static readonly max = 500
  private readonly known = new Map<string, string>()

  of(text: string, values: ReadonlyArray<unknown>): string | undefined {
    if (values.length === 0) return undefined
    const known = this.known.get(text)
    if (known !== undefined || this.known.size === StatementNames.max) return known
    const name = hash("sha256", text, "base64url")
    this.known.set(text, name)
    return name
  }
}

/** What `pg` makes of the description of an answer's columns, and reads its rows with. */
interface Columns {
  fields: Array<Pg.FieldDef>
  _parsers: unknown
  _prebuiltEmptyResultObject: unknown
}

/** What is known of a connection's named statements and their columns, and the connection as one that asks for none. */
class Described {
  readonly names = new StatementNames()
  readonly columns = new Map<string, Columns>()
  readonly connection: Pg.Connection
  constructor(connection: Pg.Connection) {
    this.connection = Object.create(connection, { describe: { value: () => undefined } })
  }
}

const described = new WeakMap<Pg.Connection, Described>()

const describedOf = (connection: Pg.Connection): Described => {
  const known = described.get(connection)
  if (known !== undefined) return known
  const made = new Described(connection)
  described.set(connection, made)
  return made
}

/**
 * `pg` copies a statement that is given as an object member by member, which takes ten times as long as this. It also
 * asks for the columns with each statement. Those of a named one stay as they are: Postgres refuses a plan whose
 * columns have changed.
 */
class Statement extends Pg.Query {
  declare readonly _result: Columns
  declare _accumulateRows: boolean

  constructor(
    readonly name: string | undefined,
    text: string,
    values: ReadonlyArray<unknown>,
    answer: Answer
  ) {
    super(text, [...values], answer)
  }

  override readonly submit = (connection: Pg.Connection): void => {
    const { submit } = Pg.Query.prototype
    if (this.name === undefined) return submit.call(this, connection)
    const known = describedOf(connection)
    const columns = known.columns.get(this.name)
    if (columns === undefined) return submit.call(this, connection)
    this._accumulateRows = true
    this._result.fields = columns.fields
    this._result._parsers = columns._parsers
    this._result._prebuiltEmptyResultObject = columns._prebuiltEmptyResultObject
    return submit.call(this, known.connection)
  }

  /** After an answer without an error. */
  remember(connection: Pg.Connection): void {
    if (this.name === undefined) return
    const { columns } = describedOf(connection)
    if (columns.has(this.name)) return
    const { _parsers, _prebuiltEmptyResultObject, fields } = this._result
    columns.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject })
  }
}

/** When there is no error, `pg` passes null or undefined. */
type Answer = (cause: Error | null | undefined, result: Pg.QueryResult) => void

const unnamed = new WeakSet<object>()

/** Sends statements over this connection without names: behind it, each transaction may have another server process. */
export const withoutNames = (client: object): void => void unnamed.add(client)

const describedEachTime = new WeakSet<object>()

/**
 * Asks for the columns with each statement: behind a pooler that keeps statements, each transaction may have another
 * server process, and another plan under the same name.
 */
export const withDescriptions = (client: object): void => void describedEachTime.add(client)

/** All statements of one turn of the event loop leave in one write. With several writes, each would wake the server. */
export const inOneWrite = ({ connection: { stream } }: Pg.Client): void => {
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/**
 * Sends one statement. A COMMIT that Postgres answers with ROLLBACK is a failure. In four cases the connection is
 * ended, so that nobody uses it again: it refused a BEGIN (later statements would run outside of a transaction), an
 * answer did not arrive in time, a prepared statement went stale, or the server takes no writes any more.
 */
export const ask = (client: Pg.Client, text: string, values: ReadonlyArray<unknown>, answer: Answer): void => {
  inOneWrite(client)
  const name = unnamed.has(client) ? undefined : describedOf(client.connection).names.of(text, values)
  const statement = new Statement(name, text, values, (cause, result) => {
    const failed = Predicate.isNotNullable(cause)
    if (failed && (text === "BEGIN" || noAnswer(cause) || staleStatement(cause) || readsOnly(cause)))
      client.end().catch(() => undefined)
    if (!failed && !describedEachTime.has(client)) statement.remember(client.connection)
    return !failed && text === "COMMIT" && result.command !== "COMMIT"
      ? answer(new CommitRefused("Postgres rolled back instead of committing"), result)
      : answer(cause, result)
  })
  client.query(statement)
}

/**
 * Takes the rows out of an answer. V8 frees the statement and its answer only at a full collection, and would keep the
 * rows until then.
 */
export const takeRows = <Row>(result: { rows: Array<Row> }): ReadonlyArray<Row> => {
  const { rows } = result
  result.rows = []
  return rows
}
