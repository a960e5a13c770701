/**
 * One use of a running server: a connection that holds a shared advisory lock. To acquire it means to find the server
 * or to launch it, and to leave it means to stop the server when nobody else uses it. What becomes of a server that
 * ends in between is for others to decide.
 */
import { Clock, Deferred, Effect, Option, Predicate, Redacted } from "effect"
import { readFile } from "node:fs/promises"
import { createServer } from "node:net"
import { isAbsolute } from "node:path"
import Pg from "pg"
import { attempt, codeOf, EmbeddedPostgresError, unless } from "./Failure.js"
import type { Place } from "./Place.js"
import { lastWords, type Postmaster, running, socketFile, socketPort, stop } from "./Postmaster.js"

const databaseName = "gateway"
/** Any number, the same in all versions: the advisory lock that says "I use this server". */
const inUse = 7_463_120_511
const launchesMax = 5
/** Bytes; the shortest limit of our systems is macOS's 104. */
const socketPathMax = 100
/**
 * Long enough to recover from a crash under load. Read from the clock: a start is uninterruptible, so no timeout could
 * end it.
 */
const readyWithinMillis = 60_000

const clientOf = (server: Postmaster, password: string) => {
  const client = new Pg.Client({
    host: server.host,
    port: server.port,
    user: "postgres",
    password,
    database: "postgres",
    application_name: "provider-gateway (in use)",
    connectionTimeoutMillis: 5_000
  })
  // A server that ends cuts this connection; without a listener that would end this process.
  client.on("error", () => undefined)
  return client
}

/** Where a server listens: a unix socket, or a port of loopback. */
export interface Endpoint {
  readonly socket: boolean
  readonly port: number
}

export const endpointOf = ({ host, port }: Postmaster): Endpoint => ({ socket: isAbsolute(host), port })

export const urlOf = (server: Postmaster, password: string): Redacted.Redacted =>
  Redacted.make(`postgresql://postgres:${password}@${encodeURIComponent(server.host)}:${server.port}/${databaseName}`)

export const readPassword = (place: Place) => attempt(`read ${place.password}`, () => readFile(place.password, "utf8"))

// A unix socket costs a tenth less per statement than loopback and cannot be reached by other users; its path has a
// length limit.
export const chooseEndpoint = (place: Place) =>
  Buffer.byteLength(socketFile(place)) <= socketPathMax
    ? Effect.succeed({ socket: true, port: socketPort })
    : attempt(
        "find a free port",
        () =>
          new Promise<Endpoint>((found, reject) => {
            const probe = createServer()
              .once("error", reject)
              .listen(0, "127.0.0.1", () => {
                const address = probe.address()
                probe.close(() =>
                  found({ socket: false, port: Predicate.isObject(address) && "port" in address ? address.port : 0 })
                )
              })
          })
      )

export interface Holder {
  readonly server: Postmaster
  readonly client: Pg.Client
  /** The connection ended, and the lock with it. */
  readonly lost: Deferred.Deferred<void>
}

/** A connection that holds the lock, or none where the server turned out to be starting or stopping. */
const hold = (server: Postmaster, password: string): Effect.Effect<Option.Option<Holder>, EmbeddedPostgresError> =>
  Effect.flatMap(Deferred.make<void>(), (lost) => holdUntil(lost, server, password))

const holdUntil = (
  lost: Deferred.Deferred<void>,
  server: Postmaster,
  password: string
): Effect.Effect<Option.Option<Holder>, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => {
      const client = clientOf(server, password)
      client.on("end", () => Deferred.unsafeDone(lost, Effect.void))
      try {
        await client.connect()
        await client.query("select pg_advisory_lock_shared($1::bigint)", [inUse])
        const { rowCount } = await client.query("select from pg_database where datname = $1", [databaseName])
        // Another first start may create it in the same moment.
        if (rowCount === 0) await unless(client.query(`create database ${databaseName}`), ["42P04", "23505"], undefined)
        return Option.some({ server, client, lost })
      } catch (error) {
        await client.end().catch(() => undefined)
        return await Promise.reject(error)
      }
    },
    catch: (cause) => cause
  }).pipe(
    Effect.catchAll((cause) =>
      ["28P01", "28000", "3D000"].includes(codeOf(cause) ?? "")
        ? new EmbeddedPostgresError({
            reason: "failed",
            message:
              "Embedded Postgres: the server that runs on this data does not accept the password kept with it. Set DATABASE_URL, or move the data dir away to start anew",
            cause
          })
        : Effect.succeedNone
    )
  )

export const acquire = (
  place: Place,
  password: string,
  launchServer: Effect.Effect<{ readonly exited: () => boolean }, EmbeddedPostgresError>
) =>
  Effect.gen(function* () {
    let launches = 0
    let exited = () => true
    const step = Effect.gen(function* () {
      const found = yield* running(place)
      if (Option.isSome(found)) return found.value.ready ? yield* hold(found.value, password) : Option.none()
      if (!exited()) return Option.none()
      if (launches === launchesMax) {
        return yield* new EmbeddedPostgresError({
          reason: "failed",
          message: `Embedded Postgres: the server does not start. It says:\n${yield* lastWords(place)}`
        })
      }
      // The first retry at once: mostly another starter was faster. Later ones give the remains of a killed server time
      // to end.
      if (launches > 1) yield* Effect.sleep("300 millis")
      launches++
      exited = (yield* launchServer).exited
      return Option.none()
    })
    const untilMillis = (yield* Clock.currentTimeMillis) + readyWithinMillis
    while (true) {
      const holder = yield* step
      if (Option.isSome(holder)) return holder.value
      if ((yield* Clock.currentTimeMillis) > untilMillis) {
        return yield* new EmbeddedPostgresError({
          reason: "failed",
          message: `Embedded Postgres: not ready in time; ${place.log} says why`
        })
      }
      yield* Effect.sleep("10 millis")
    }
  })

/** Leaves the server, and stops it when nobody else uses it. */
export const leave = (place: Place, holder: Holder, password: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const alone = (client: Pg.Client) =>
      Effect.tryPromise(async () => {
        await client.query("select pg_advisory_unlock_shared($1::bigint)", [inUse])
        const { rows } = await client.query<{ alone: boolean }>("select pg_try_advisory_lock($1::bigint) as alone", [
          inUse
        ])
        return rows[0]?.alone === true
      })
    const again = Effect.gen(function* () {
      const found = yield* running(place)
      if (Option.isNone(found)) return false
      const held = yield* hold(found.value, password)
      return Option.isSome(held) ? yield* Effect.ensuring(alone(held.value.client), close(held.value.client)) : false
    })
    if (
      yield* alone(holder.client).pipe(
        Effect.orElse(() => again),
        Effect.orElseSucceed(() => false)
      )
    )
      yield* stop(place)
    yield* close(holder.client)
  })

const close = (client: Pg.Client) => Effect.promise(() => client.end().catch(() => undefined))
