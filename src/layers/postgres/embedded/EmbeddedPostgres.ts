/**
 * A Postgres of our own for a data directory. The first start makes it, and later starts find it again. Processes that
 * start it at the same time (a server and its command line) share it, and the last one that leaves stops it.
 *
 * A process that uses the server holds a shared advisory lock on a connection of its own. When the process is killed,
 * Postgres releases the lock, and the next start takes the server over. A process that leaves asks for the same lock
 * exclusively. If it gets the lock, nobody else uses the server, and newcomers wait until the server has ended.
 *
 * A server that dies while it is used is started again, with the same address, by every process that uses it: Postgres
 * lets only one of them through. A cluster is not upgraded to another Postgres version.
 */
import { Clock, Deferred, Effect, Option, type Redacted, type Scope } from "effect"
import { rm, stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { binariesFor, installed } from "./Binaries.js"
import { ensureCluster } from "./Cluster.js"
import { attempt, EmbeddedPostgresError, unless } from "./Failure.js"
import {
  acquire,
  chooseEndpoint,
  type Endpoint,
  endpointOf,
  type Holder,
  leave,
  readPassword,
  urlOf
} from "./Holder.js"
import { type Place, placeFor, recorded } from "./Place.js"
import { launch, stop } from "./Postmaster.js"

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
  /** Whether the server is started again when it ends while it is used. True unless the caller ends it itself. */
  readonly restart?: boolean
}

/** The first pause before a server is started again, which doubles up to the longest. */
const pauseMillisMin = 500
const pauseMillisMax = 30_000
/** A server that ran this long and then ended is started again after the first pause. */
const steadyMillis = 60_000

interface Held {
  holder: Holder
}

/**
 * Starts the server again when it ends while it is used. Says so once, and once more when it runs again. Whatever used
 * it connects again by itself, because the address stays.
 */
const keepRunning = (
  place: Place,
  held: Held,
  acquireAgain: (endpoint: Endpoint) => Effect.Effect<Holder, EmbeddedPostgresError>
): Effect.Effect<never> =>
  Effect.gen(function* () {
    let pause = pauseMillisMin
    const longer = () => {
      pause = Math.min(2 * pause, pauseMillisMax)
    }
    while (true) {
      const { lost, server } = held.holder
      const since = yield* Clock.currentTimeMillis
      yield* Deferred.await(lost)
      const endedAt = yield* Clock.currentTimeMillis
      if (endedAt - since > steadyMillis) pause = pauseMillisMin
      yield* Effect.logWarning(
        "The embedded Postgres ended while it was used and is started again. What needs the storage waits or is answered 503 until then; nothing that was promised is lost"
      ).pipe(Effect.annotateLogs({ log: place.log }))
      let isLogged = false
      const again = Effect.gen(function* () {
        yield* Effect.sleep(pause)
        longer()
        // Not interrupted halfway: a server that was launched would be left running.
        yield* Effect.uninterruptible(
          Effect.map(acquireAgain(endpointOf(server)), (holder) => {
            held.holder = holder
          })
        )
      })
      yield* again.pipe(
        Effect.tapError(({ message }) =>
          isLogged
            ? Effect.void
            : Effect.zipRight(
                Effect.sync(() => {
                  isLogged = true
                }),
                Effect.logError(`${message}. It is tried again`)
              )
        ),
        Effect.retry({ while: () => true }),
        Effect.orDie
      )
      const seconds = ((yield* Clock.currentTimeMillis) - endedAt) / 1000
      yield* held.holder.server.host === server.host && held.holder.server.port === server.port
        ? Effect.annotateLogs(Effect.logWarning("The embedded Postgres runs again"), { seconds })
        : Effect.logError(
            "The embedded Postgres was started by another process and listens at another port: start the gateway again"
          )
    }
  })

/** Whether a data dir holds a cluster, wherever that lies. */
export const exists = (dataDir: string): Effect.Effect<boolean, EmbeddedPostgresError> =>
  Effect.flatMap(
    recorded(resolve(dataDir)),
    Option.match({
      onNone: () => Effect.succeed(false),
      onSome: ({ cluster }) =>
        attempt(`look at ${cluster}`, () =>
          unless(
            stat(cluster).then(() => true),
            ["ENOENT"],
            false
          )
        )
    })
  )

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
    const launchAt = (endpoint: Endpoint) => launch(binaries, place, account, endpoint, options.settings ?? {})
    const password = yield* readPassword(place)
    const held: Held = yield* Effect.acquireRelease(
      Effect.map(acquire(place, password, Effect.flatMap(chooseEndpoint(place), launchAt)), (holder) => ({ holder })),
      ({ holder }) =>
        leave(place, holder, password).pipe(
          Effect.catchAll((error) => Effect.logWarning("Embedded Postgres was not stopped", error))
        )
    )
    if (options.restart !== false)
      yield* Effect.forkScoped(keepRunning(place, held, (endpoint) => acquire(place, password, launchAt(endpoint))))
    return { url: urlOf(held.holder.server, password) }
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
