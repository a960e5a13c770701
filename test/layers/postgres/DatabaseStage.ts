/** Databases with a table for notes, reached as a gateway reaches them, or through a relay that can fail. */
import { Data, Effect, Redacted } from "effect"
import Pg from "pg"
import { type Database, type DatabaseOptions, DatabasePg } from "../../../src/layers/postgres/Database.js"
import { makeProxy } from "../../support/proxy.js"
import { acquireTestDatabase } from "../../support/postgres.js"

export class Refused extends Data.TaggedError("Refused")<{ readonly why: string }> {}

export const withDatabase = <A, E>(use: Effect.Effect<A, E, Database>, options: Omit<DatabaseOptions, "url"> = {}) =>
  acquireTestDatabase().pipe(
    Effect.tap((url) => administer(url, "create table notes (id int primary key, n bigint)")),
    Effect.flatMap((url) => Effect.provide(use, DatabasePg({ connectionsMax: 4, ...options, url }))),
    Effect.scoped
  )

const administer = (url: Redacted.Redacted, statement: string) =>
  Effect.promise(async () => {
    const client = new Pg.Client(Redacted.value(url))
    await client.connect()
    return (await client.query(statement).finally(() => client.end())).rows
  })

/** A database behind the relay, and a count of its rows that does not go through it. */
export const behindProxy = <A, E>(
  use: (
    proxy: Effect.Effect.Success<ReturnType<typeof makeProxy>>,
    count: Effect.Effect<number>
  ) => Effect.Effect<A, E, Database>,
  options: Omit<DatabaseOptions, "url"> = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const url = yield* acquireTestDatabase()
      yield* administer(url, "create table notes (id int primary key, n bigint)")
      const direct = new URL(Redacted.value(url))
      const proxy = yield* makeProxy({ host: decodeURIComponent(direct.hostname), port: Number(direct.port) || 5432 })
      const relayed = new URL(direct.href)
      relayed.host = `127.0.0.1:${proxy.port}`
      const count = Effect.map(administer(url, "select count(*)::int as n from notes"), (rows) => rows[0].n)
      return yield* Effect.provide(
        use(proxy, count),
        DatabasePg({ connectionsMax: 4, ...options, url: Redacted.make(relayed.href) })
      )
    })
  )

export const tag = <E extends { readonly _tag: string }>(failed: E) => failed._tag
