/**
 * Notifications of one channel over a connection of its own, which is noticed when it dies and made anew. Notifications sent in
 * between are lost, so `undefined` comes after every (re)connect: look for what you may have missed.
 */
import { Effect, Redacted, Schedule, Stream } from "effect"
import Pg from "pg"

class ListenerLost {
  readonly _tag = "ListenerLost"
}

const answersWithinMillis = 5_000

/** Never fails and never ends: while the server is away it tries four times a second. */
export const listenTo = (url: Redacted.Redacted, channel: string): Stream.Stream<string | undefined> =>
  Stream.asyncPush<string | undefined, ListenerLost>((emit) =>
    Effect.gen(function*() {
      const client = yield* Effect.acquireRelease(
        Effect.sync(() =>
          new Pg.Client({
            connectionString: Redacted.value(url),
            application_name: `provider-gateway (listens to ${channel})`,
            connectionTimeoutMillis: answersWithinMillis,
            query_timeout: answersWithinMillis,
            keepAlive: true
          })
        ),
        (client) => Effect.promise(() => client.end().catch(() => undefined))
      )
      client.on("error", () => emit.fail(new ListenerLost()))
      client.on("end", () => emit.fail(new ListenerLost()))
      client.on("notification", ({ payload }) => {
        emit.single(payload ?? "")
      })
      const lost = () => new ListenerLost()
      yield* Effect.tryPromise({ try: () => client.connect().then(() => client.query(`listen ${Pg.escapeIdentifier(channel)}`)), catch: lost })
      emit.single(undefined)
      // A network that swallows everything raises no error: only a question that stays unanswered shows it.
      yield* Effect.tryPromise({ try: () => client.query("select 1"), catch: lost }).pipe(
        Effect.schedule(Schedule.spaced("15 seconds")),
        Effect.catchAll((error) => Effect.sync(() => emit.fail(error))),
        Effect.forkScoped
      )
    }), { bufferSize: "unbounded" }).pipe(
      Stream.retry(Schedule.jittered(Schedule.spaced("250 millis"))),
      Stream.orDie
    )
