/**
 * Notifications of one channel over a connection of its own, which is noticed when it dies and made anew. Notifications
 * sent in between are lost, so `undefined` comes after every (re)connect: look for what you may have missed.
 */
import { Data, Deferred, Effect, Redacted, Schedule } from "effect"
import Pg from "pg"

class ListenerLost extends Data.TaggedError("ListenerLost") {}

const answersWithinMillis = 5_000

/** What Postgres shows of a connection that listens. */
export const listenerName = (channel: string): string => `provider-gateway (listens to ${channel})`

/**
 * Ends only by interruption: while the server is away it tries four times a second. `heard` is called for every
 * notification.
 */
export const listenTo = (
  url: Redacted.Redacted,
  channel: string,
  heard: (payload: string | undefined) => void
): Effect.Effect<never> =>
  Effect.scoped(
    Effect.gen(function* () {
      const lost = yield* Deferred.make<never, ListenerLost>()
      const lose = () => Deferred.unsafeDone(lost, Effect.fail(new ListenerLost()))
      const client = yield* Effect.acquireRelease(
        Effect.sync(
          () =>
            new Pg.Client({
              connectionString: Redacted.value(url),
              application_name: listenerName(channel),
              connectionTimeoutMillis: answersWithinMillis,
              query_timeout: answersWithinMillis,
              keepAlive: true
            })
        ),
        (client) => Effect.promise(() => client.end().catch(() => undefined))
      )
      client.on("error", lose)
      client.on("end", lose)
      client.on("notification", ({ payload }) => heard(payload ?? ""))
      const ask = (text: string) =>
        Effect.tryPromise({ try: () => client.query(text), catch: () => new ListenerLost() })
      yield* Effect.tryPromise({ try: () => client.connect(), catch: () => new ListenerLost() })
      yield* ask(`listen ${Pg.escapeIdentifier(channel)}`)
      heard(undefined)
      // A network that swallows everything raises no error: only a question that stays unanswered shows it.
      yield* ask("select 1").pipe(
        Effect.schedule(Schedule.spaced("15 seconds")),
        Effect.ignore,
        Effect.zipRight(Effect.sync(lose)),
        Effect.forkScoped
      )
      return yield* Deferred.await(lost)
    })
  ).pipe(Effect.retry(Schedule.jittered(Schedule.spaced("250 millis"))), Effect.orDie)
