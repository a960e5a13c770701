/**
 * Runs on Postgres. Nodes never wait for each other when they take runs. Every result is fenced by status and lease.
 * Notifications for other nodes are sent inside the transaction, so they arrive with its commit or not at all.
 */
import { Effect, Layer } from "effect"
import { Ids } from "../../services/Ids.js"
import { RunStore } from "../../services/RunStore.js"
import { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { historyReads, YoungestMoved } from "./history/HistoryReads.js"
import { forgetRefused } from "./RefusedRunsPg.js"
import { runList } from "./RunListPg.js"
import { mediaOf } from "./RunMediaPg.js"
import { runReads } from "./RunReadsPg.js"
import { runClaims } from "./RunClaimsPg.js"
import { runWrites } from "./RunWritesPg.js"

export const RunStorePg: Layer.Layer<RunStore, never, Database | Ids> = Layer.scoped(
  RunStore,
  Effect.gen(function* () {
    const database = yield* Database
    const now = yield* DatabaseNow
    const past = historyReads(database, yield* YoungestMoved)
    const reads = yield* runReads(database, past)
    const files = mediaOf(database, "media")
    const writes = runWrites(database, now)
    return RunStore.of({
      ...reads,
      ...writes,
      // A run that has left the hot tables ended long ago, so there is nothing to cancel.
      requestCancel: (key) =>
        Effect.flatMap(writes.requestCancel(key), (run) => (run === null ? reads.get(key) : Effect.succeed(run))),
      ...runClaims(database, yield* Ids, now),
      list: runList(database),
      media: (key, mediaId) =>
        Effect.flatMap(files(key, mediaId), (file) =>
          file === null ? past.media(key, mediaId) : Effect.succeed(file)
        ),
      forgetRefused: forgetRefused(database, now)
    })
  })
)
