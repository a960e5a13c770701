/** Whether an embedded Postgres runs for a data dir. */
import { Effect, Option, type Redacted } from "effect"
import { resolve } from "node:path"
import type { EmbeddedPostgresError } from "../../src/layers/postgres/embedded/Failure.js"
import { readPassword, urlOf } from "../../src/layers/postgres/embedded/Holder.js"
import { recorded } from "../../src/layers/postgres/embedded/Place.js"
import { running } from "../../src/layers/postgres/embedded/Postmaster.js"

/** How to connect to the server that runs for this data dir right now, if one does and is ready. */
export const findRunning = (dataDir: string): Effect.Effect<Option.Option<Redacted.Redacted>, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const place = yield* recorded(resolve(dataDir))
    if (Option.isNone(place)) return Option.none()
    const server = yield* running(place.value)
    if (Option.isNone(server) || !server.value.ready) return Option.none()
    return Option.some(urlOf(server.value, yield* readPassword(place.value)))
  })
