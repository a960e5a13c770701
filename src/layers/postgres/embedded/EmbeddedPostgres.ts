/**
 * A Postgres of our own for a data directory. The first start makes it, and later starts find it again. Processes that
 * start it at the same time (a server and its command line) share it, and the last one that leaves stops it.
 *
 * A process that uses the server holds a shared advisory lock on a connection of its own. When the process is killed,
 * Postgres releases the lock, and the next start takes the server over. A process that leaves asks for the same lock
 * exclusively. If it gets the lock, nobody else uses the server, and newcomers wait until the server has ended.
 *
 * A server that dies while it is used is not started again, and a cluster is not upgraded to another Postgres version.
 */
import { Clock, Effect, Option, Predicate, Redacted, type Scope } from "effect"
import { readFile, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import Pg from "pg"
import { binariesFor, installed } from "./Binaries.js"
import { ensureCluster } from "./Cluster.js"
import { attempt, codeOf, EmbeddedPostgresError, unless } from "./Failure.js"
import { type Place, placeFor, recorded } from "./Place.js"
import { lastWords, launch, type Postmaster, running, socketFile, socketPort, stop } from "./Postmaster.js"

export { EmbeddedPostgresError }

export interface StartOptions {
  /** Made when missing (mode 0711). Its `postgres.json` records where the cluster lies. */
  readonly dataDir: string
  /**
   * Where root keeps what must lie outside a data dir that an unprivileged Postgres cannot enter. Default
   * `/var/lib/provider-gateway`.
   */
  readonly shelter?: string
  /**
   * Settings of postgresql.conf that differ from ours; used by a start that launches the server, not by one that finds
   * it running.
   */
  readonly settings?: Readonly<Record<string, string>>
}

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

const urlOf = (server: Postmaster, password: string): Redacted.Redacted =>
  Redacted.make(`postgresql://postgres:${password}@${encodeURIComponent(server.host)}:${server.port}/${databaseName}`)

const readPassword = (place: Place) => attempt(`read ${place.password}`, () => readFile(place.password, "utf8"))

// A unix socket costs a tenth less per statement than loopback and cannot be reached by other users; its path has a
// length limit.
const chooseEndpoint = (place: Place) =>
  Buffer.byteLength(socketFile(place)) <= socketPathMax
    ? Effect.succeed({ socket: true, port: socketPort })
    : attempt(
        "find a free port",
        () =>
          new Promise<{ socket: boolean; port: number }>((found, reject) => {
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

interface Holder {
  readonly server: Postmaster
  readonly client: Pg.Client
}

/** A connection that holds the lock, or none where the server turned out to be starting or stopping. */
const hold = (server: Postmaster, password: string): Effect.Effect<Option.Option<Holder>, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => {
      const client = clientOf(server, password)
      try {
        await client.connect()
        await client.query("select pg_advisory_lock_shared($1::bigint)", [inUse])
        const { rowCount } = await client.query("select from pg_database where datname = $1", [databaseName])
        // Another first start may create it in the same moment.
        if (rowCount === 0) await unless(client.query(`create database ${databaseName}`), ["42P04", "23505"], undefined)
        return Option.some({ server, client })
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

const acquire = (
  place: Place,
  launchServer: Effect.Effect<{ readonly exited: () => boolean }, EmbeddedPostgresError>
) =>
  Effect.gen(function* () {
    const password = yield* readPassword(place)
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
      if (Option.isSome(holder)) return { holder: holder.value, password }
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
const leave = (place: Place, holder: Holder, password: string): Effect.Effect<void, EmbeddedPostgresError> =>
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

/**
 * The embedded Postgres of a data dir, running for as long as the scope is open; `url` names the database `gateway` and
 * its superuser. Fails with a message that says what to do. An interruption waits for the start to end, which takes
 * about a second.
 */
export const start = (
  options: StartOptions
): Effect.Effect<{ readonly url: Redacted.Redacted }, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function* () {
    const shelter = options.shelter ?? "/var/lib/provider-gateway"
    const { place, account } = yield* placeFor(resolve(options.dataDir), shelter)
    const binaries = yield* binariesFor(
      yield* installed,
      account,
      account === undefined ? resolve(options.dataDir) : shelter
    )
    yield* ensureCluster(binaries, place, account)
    const launchServer = Effect.flatMap(chooseEndpoint(place), (endpoint) =>
      launch(binaries, place, account, endpoint, options.settings ?? {})
    )
    const { holder, password } = yield* Effect.acquireRelease(acquire(place, launchServer), (held) =>
      leave(place, held.holder, held.password).pipe(
        Effect.catchAll((error) => Effect.logWarning("Embedded Postgres was not stopped", error))
      )
    )
    return { url: urlOf(holder.server, password) }
  })

/** How to connect to the server that runs for this data dir right now, if one does and is ready. */
export const findRunning = (dataDir: string): Effect.Effect<Option.Option<Redacted.Redacted>, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const place = yield* recorded(resolve(dataDir))
    if (Option.isNone(place)) return Option.none()
    const found = yield* running(place.value)
    if (Option.isNone(found) || !found.value.ready) return Option.none()
    return Option.some(urlOf(found.value, yield* readPassword(place.value)))
  })

/** Stops the server of a data dir, whoever uses it, and deletes its cluster wherever it lies. All data is lost. */
export const destroy = (dataDir: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const place = yield* recorded(resolve(dataDir))
    if (Option.isNone(place)) return
    yield* stop(place.value)
    yield* attempt(`delete ${place.value.home}`, async () => {
      await rm(place.value.home, { recursive: true, force: true })
      await rm(join(resolve(dataDir), "postgres.json"), { force: true })
    })
  })
