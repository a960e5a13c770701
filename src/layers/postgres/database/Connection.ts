/**
 * The connections of our pool: how `pg` talks to Postgres, made safe for money. Adds to `pg.Client` named prepared
 * statements (planned once per connection, up to twice the throughput), int8 as a number, and three refusals: a COMMIT
 * that Postgres answered with ROLLBACK, an integer that a number cannot hold, and a connection that refused a BEGIN,
 * whose answer stayed out or whose cached plan went stale is not used again.
 */
import { Either, Predicate } from "effect"
import Pg from "pg"
import type { Json } from "../../../domain/Json.js"
import { readJson } from "../../../domain/LosslessJson.js"

/** A transaction that a failed statement had aborted was committed: nothing of it happened. */
export class CommitRefused extends Error {
  override readonly name = "CommitRefused"
}

/** What `pg` calls a statement that was not answered within `query_timeout`. */
export const noAnswer = (cause: unknown): boolean => cause instanceof Error && cause.message === "Query read timeout"

/** A prepared statement whose result changed with the schema; only a new connection forgets it. */
export const stalePlan = (cause: unknown): boolean =>
  cause instanceof Pg.DatabaseError && cause.code === "0A000" && cause.message.startsWith("cached plan")

// The texts of this program are few; the limit is for lists spelled out in SQL, which would fill the memory of every
// connection.
const namesMax = 500
const names = new Map<string, string>()
const nameOf = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined || names.size === namesMax) return known
  const name = `s${names.size}`
  names.set(text, name)
  return name
}

type Answer = (error: unknown, result: unknown) => void

const checked =
  (client: Pg.Client, text: unknown, answer: Answer): Answer =>
  (error, result) => {
    if (noAnswer(error) || stalePlan(error) || (text === "BEGIN" && error)) client.end().catch(() => undefined)
    if (text === "COMMIT" && !error && Predicate.hasProperty(result, "command") && result.command !== "COMMIT") {
      return answer(new CommitRefused("Postgres rolled back instead of committing"), undefined)
    }
    return answer(error, result)
  }

const isAnswer = (value: unknown): value is Answer => Predicate.isFunction(value)

/** What is sent in one turn leaves in one write: each would wake the server for itself. */
const inOneWrite = (client: Pg.Client): void => {
  const { stream } = client.connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

export class Connection extends Pg.Client {}
// Defined on the prototype because the many overloads of `query` have no common type that a method could be given.
Object.defineProperty(Connection.prototype, "query", {
  value(this: Pg.Client, ...given: ReadonlyArray<unknown>): unknown {
    inOneWrite(this)
    const last = given.at(-1)
    const inputs = isAnswer(last) ? given.slice(0, -1) : given
    const [text, values] = inputs
    const name = Predicate.isString(text) && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined
    const statement = name === undefined ? inputs : [{ name, text, values }]
    return Reflect.apply(
      Pg.Client.prototype.query,
      this,
      isAnswer(last) ? [...statement, checked(this, text, last)] : statement
    )
  }
})

const { INT8: int8, JSON: json, JSONB: jsonb } = Pg.types.builtins
/** The type number of int8[], which `pg` parses but does not name. */
const int8Array = 1016

const toInteger = (text: string): number => {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  // The only way in which a parser of `pg` can refuse: the statement fails with this error.
  // eslint-disable-next-line no-restricted-syntax
  throw new RangeError(`int8 ${text} does not fit into a number`)
}

/** What stands in a column of JSON is JSON. */
const toJson = (text: string): Json =>
  Either.getOrThrowWith(readJson(text), () => new RangeError("a JSON column holds no JSON"))

/**
 * Parsers of one pool: int8 (our micros, counts and ids) and int8[] as numbers, JSON with every digit, all else as `pg`
 * has it.
 */
export const types: Pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    const known = Pg.types.getTypeParser(oid, format)
    if (format === "binary") return known
    if (oid === int8) return toInteger
    if (oid === json || oid === jsonb) return toJson
    return Number(oid) === int8Array
      ? (text: string) => known(text).map((item: string | null) => (item === null ? null : toInteger(item)))
      : known
  }
}
