/**
 * Leases renewed by a thread of their own, with a connection of its own: a main thread that is blocked for half a
 * minute loses none. Their list is in memory that both threads share (LeaseTable), so a run that ends before its
 * first renewal sends nothing. A main thread without a pulse for `mainSilenceMillisMax` counts as dead; a thread that
 * ended is started again.
 */
import { existsSync } from "node:fs"
import { Worker } from "node:worker_threads"
import { Clock, Effect, Layer, PubSub, Redacted, Schema, Stream } from "effect"
import { inPackage } from "../../../PackagedFiles.js"
import { RunId } from "../../../domain/Ids.js"
import { mainSilenceMillisMax } from "../../../domain/limits/Nodes.js"
import { LeaseKeeping, type LeaseNews } from "../../../services/LeaseKeeping.js"
import { makeTrouble } from "../../node/Trouble.js"
import { Database } from "../Database.js"
import { databaseNow } from "../database/Now.js"
import { driverAddress } from "../database/Tls.js"
import { DispatcherSettings } from "../../runs/dispatch/DispatcherSettings.js"
import { type LeaseTable, type LeaseTableMemory, makeLeaseTable, slotBytes } from "./LeaseTable.js"
import { renewal } from "./RenewalStatement.js"

/** The thread's file: beside this one, or where it was compiled to if this one was bundled. */
const beside = new URL("./LeaseThread.mjs", import.meta.url)
const file = existsSync(beside) ? beside : inPackage("dist/layers/postgres/leases/LeaseThread.mjs")
const startAgainAfter = "1 second"
const slotsOfMore = 256

/** What the thread says: what became of leases, or why it cannot renew them (null: it can). */
const ThreadMessage = Schema.Union(
  Schema.Array(Schema.Struct({ runId: RunId, token: Schema.String, what: Schema.Literal("lost", "cancelled") })),
  Schema.Struct({ trouble: Schema.NullOr(Schema.String) })
)
const decodeMessage = Schema.decodeUnknownSync(ThreadMessage)

/** One life of the thread; ends when it does. */
const live = (
  given: object,
  tables: ReadonlyArray<LeaseTable>,
  started: (worker: Worker) => void,
  heard: (message: typeof ThreadMessage.Type) => void
) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const worker = new Worker(file, {
        name: "leases",
        workerData: { ...given, tables: tables.map(({ memory }) => memory) },
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }
      })
      started(worker)
      worker.on("message", (message) => heard(decodeMessage(message)))
      return worker
    }),
    (worker) =>
      Effect.async<unknown>((resume) => {
        worker.on("error", (cause) => resume(Effect.succeed(cause)))
        worker.on("exit", (code) => resume(Effect.succeed(`it ended with ${code}`)))
      }),
    (worker) => Effect.promise(() => worker.terminate())
  )

export const LeasesRenewedApart = (
  options: { readonly silenceMillis?: number } = {}
): Layer.Layer<LeaseKeeping, never, Database> =>
  Layer.scoped(
    LeaseKeeping,
    Effect.gen(function* () {
      const { heartbeatMillis, leaseMillis, slots } = yield* DispatcherSettings
      const { direct } = yield* Database
      const trouble = yield* makeTrouble("leases")
      const news = yield* PubSub.unbounded<LeaseNews>()
      const main = makeLeaseTable(slots + slotsOfMore)
      const tables: Array<LeaseTable> = [main]
      let thread: Worker | undefined
      const given = {
        urls: direct.all.map(({ url }) => driverAddress(Redacted.value(url))),
        slotBytes,
        renewal: renewal(yield* databaseNow),
        leaseMillis,
        heartbeatMillis,
        silenceMillis: options.silenceMillis ?? mainSilenceMillisMax
      }

      yield* live(
        given,
        tables,
        (worker) => {
          thread = worker
        },
        (message) => {
          if (!("trouble" in message)) message.forEach((one) => news.unsafeOffer(one))
          else if (message.trouble === null) trouble.worked()
          else trouble.failed(message.trouble)
        }
      ).pipe(
        Effect.map((cause) =>
          trouble.failed(`the thread that renews them ended and is started again: ${String(cause)}`)
        ),
        Effect.zipRight(Effect.sleep(startAgainAfter)),
        Effect.forever,
        Effect.forkScoped
      )
      // By the real clock, like the thread that listens to it.
      yield* Effect.sync(main.pulse).pipe(
        Effect.zipRight(Effect.sleep(heartbeatMillis)),
        Effect.forever,
        Effect.withClock(Clock.make()),
        Effect.withTracerEnabled(false),
        Effect.forkScoped
      )

      const more = (): LeaseTable => {
        const table = makeLeaseTable(slotsOfMore)
        tables.push(table)
        const memory: LeaseTableMemory = table.memory
        thread?.postMessage(memory)
        return table
      }
      const nothing = () => undefined
      return LeaseKeeping.of({
        register: (lease) => {
          for (const table of tables) {
            const unregister = table.register(lease)
            if (unregister !== null) return unregister
          }
          return more().register(lease) ?? nothing
        },
        news: Stream.fromPubSub(news)
      })
    })
  )
