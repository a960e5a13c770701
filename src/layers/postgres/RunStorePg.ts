/**
 * Runs on Postgres. Nodes never wait for each other when they take runs. Every result is fenced by status and lease.
 * Notifications for other nodes are sent inside the transaction, so they arrive with its commit or not at all.
 */
import { Effect, Layer } from "effect"
import { Ids } from "../../services/Ids.js"
import { RunStore } from "../../services/RunStore.js"
import { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { forgetRefused } from "./RefusedRunsPg.js"
import { runList } from "./RunListPg.js"
import { readMedia } from "./RunMediaPg.js"
import { runReads } from "./RunReadsPg.js"
import { runTaking } from "./RunTakingPg.js"
import { runWrites } from "./RunWritesPg.js"

export const RunStorePg: Layer.Layer<RunStore, never, Database | Ids> = Layer.effect(
  RunStore,
  Effect.gen(function* () {
    const database = yield* Database
    const now = yield* DatabaseNow
    return RunStore.of({
      ...runReads(database),
      ...runWrites(database, now),
      ...runTaking(database, yield* Ids, now),
      list: runList(database),
      media: readMedia(database),
      forgetRefused: forgetRefused(database, now)
    })
  })
)
