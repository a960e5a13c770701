/**
 * A database for one test file: a copy of the migrated template on the run's server, dropped when the layer or scope
 * closes.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import Pg from "pg"
import { inject } from "vitest"
import { Database, type DatabaseOptions, DatabasePg, type Sql } from "../../src/layers/postgres/Database.js"
import { Judge, judgeMade, noting } from "./judging.js"

const administer = (statement: string) =>
  Effect.promise(async () => {
    const client = new Pg.Client(inject("databaseUrl"))
    await client.connect()
    await client.query(statement).finally(() => client.end())
  })

/**
 * A new database's url. `empty` gives one without tables, for tests of the migrations themselves, and `copyOf` one with
 * all that another has, to which nobody may be connected.
 */
export const acquireTestDatabase = (
  options: { readonly empty?: boolean; readonly copyOf?: Redacted.Redacted } = {}
): Effect.Effect<Redacted.Redacted, never, Scope.Scope> =>
  Effect.gen(function* () {
    const prefix = inject("databasePrefix")
    const name = `${prefix}_${randomBytes(6).toString("hex")}`
    const from =
      options.copyOf !== undefined
        ? new URL(Redacted.value(options.copyOf)).pathname.slice(1)
        : options.empty === true
          ? "template0"
          : prefix
    yield* Effect.acquireRelease(administer(`create database ${name} template ${from}`), () =>
      administer(`drop database if exists ${name} with (force)`)
    )
    const url = new URL(inject("databaseUrl"))
    url.pathname = `/${name}`
    return Redacted.make(url.href)
  })

/** `npm run pooler` names a pooler (`host:port`) in front of the server; then the tests go through it. */
const pooler = process.env["TEST_POOLER"]

/** How a gateway reaches a test's database: by its url, or through the pooler with the url beside it. */
export const reached = (url: Redacted.Redacted): Pick<DatabaseOptions, "url" | "directUrl"> => {
  if (pooler === undefined) return { url }
  const pooled = new URL(Redacted.value(url))
  pooled.host = pooler
  return { url: Redacted.make(pooled.href), directUrl: url }
}

/** Closes with a look at the statements that the gateway made (`judging.ts`). */
const judgedSql = (sql: Sql): Effect.Effect<Sql, never, Scope.Scope> => {
  const url = inject("partitionedUrl")
  if (url === null) return Effect.succeed(sql)
  return Effect.as(
    Effect.addFinalizer(() =>
      Effect.promise(async () => {
        const judge = new Judge(url)
        await judgeMade(judge).finally(() => judge.close())
      })
    ),
    noting(sql, inject("judged"))
  )
}

/**
 * The database and its pool as a layer; each build of the layer is a database of its own. What the gateway asked it is
 * judged when the layer closes.
 */
export const testDatabase = (
  options: Omit<DatabaseOptions, "url"> = {}
): Layer.Layer<Database | PgClient.PgClient | SqlClient.SqlClient> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const url = yield* acquireTestDatabase()
      const layer = Layer.orDie(DatabasePg({ connectionsMax: 10, ...options, ...reached(url) }))
      return Layer.scopedContext(
        Effect.gen(function* () {
          const context = yield* Layer.build(layer)
          const database = Context.get(context, Database)
          return Context.add(context, Database, { ...database, sql: yield* judgedSql(database.sql) })
        })
      )
    })
  )
