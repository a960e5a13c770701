/**
 * Notifications of one channel, over a connection of its own. When the connection dies, a new one is made, and the log
 * says so. Notifications sent in between are lost. Therefore `heard` gets `undefined` after every (re)connect: look for
 * missed changes.
 */
import { Data, Deferred, Effect, Schedule } from "effect"
import Pg from "pg"
import { makeTrouble, type Trouble, type TroubleKind } from "../../node/Trouble.js"
import { whyOf } from "./Failure.js"
import { clientOf, isLeft } from "./Pools.js"
import type { Servers } from "./Servers.js"

class ListenerLost extends Data.TaggedError("ListenerLost")<{ readonly why: string }> {}

const answersWithinMillis = 5_000

/** The name under which Postgres shows a connection that listens. */
export const listenerName = (channel: string): string => `provider-gateway (listens to ${channel})`

/** One life of the connection; fails when it is lost. */
const listenOnce = (
  servers: Servers,
  channel: string,
  heard: (payload: string | undefined) => void,
  trouble: Trouble
): Effect.Effect<never, ListenerLost> =>
  Effect.scoped(
    Effect.gen(function* () {
      const lost = yield* Deferred.make<never, ListenerLost>()
      const lose = (why: string) => Deferred.unsafeDone(lost, Effect.fail(new ListenerLost({ why })))
      const client = yield* Effect.acquireRelease(
        Effect.sync(() =>
          clientOf(servers, {
            application_name: listenerName(channel),
            connectionTimeoutMillis: answersWithinMillis,
            query_timeout: answersWithinMillis,
            keepAlive: true
          })
        ),
        (client) => Effect.promise(() => client.end().catch(() => undefined))
      )
      client.on("error", (cause) => lose(whyOf(cause)))
      client.on("end", () => lose("the connection ended"))
      client.on("notification", ({ payload }) => heard(payload ?? ""))
      const lostBy = (cause: unknown) => new ListenerLost({ why: whyOf(cause) })
      const ask = (text: string) => Effect.tryPromise({ try: () => client.query(text), catch: lostBy })
      yield* Effect.tryPromise({ try: () => client.connect(), catch: lostBy })
      yield* ask(`listen ${Pg.escapeIdentifier(channel)}`)
      trouble.worked()
      heard(undefined)
      // A network that drops everything raises no error. Only an unanswered question shows that the connection is lost.
      yield* ask("select 1").pipe(
        Effect.filterOrFail(
          () => !isLeft(servers, client),
          () => new ListenerLost({ why: "another server takes the writes" })
        ),
        Effect.schedule(Schedule.spaced("15 seconds")),
        Effect.catchAll(({ why }) => Effect.sync(() => lose(why))),
        Effect.forkScoped
      )
      return yield* Deferred.await(lost)
    })
  )

/**
 * Ends only by interruption: while the server is away, it tries four times a second. It calls `heard` for every
 * notification.
 */
export const listenTo = (
  servers: Servers,
  channel: string,
  heard: (payload: string | undefined) => void,
  toldAs: TroubleKind
): Effect.Effect<never> =>
  Effect.scoped(
    Effect.gen(function* () {
      const trouble = yield* makeTrouble(toldAs, { channel })
      return yield* listenOnce(servers, channel, heard, trouble).pipe(
        Effect.tapError(({ why }) => Effect.sync(() => trouble.failed(why))),
        Effect.retry(Schedule.jittered(Schedule.spaced("250 millis"))),
        Effect.orDie
      )
    })
  )
