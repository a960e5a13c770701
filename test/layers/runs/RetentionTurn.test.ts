/** The turn of a pass of retention: what ends the pass, and what does not. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, TestClock } from "effect"
import { StorageBusy, type StorageError } from "../../../src/domain/StorageErrors.js"
import { ArchiveFilesNone } from "../../../src/layers/node/ArchiveFilesOnDisk.js"
import { IdsCounting } from "../../support/idsCounting.js"
import { RetentionPasses } from "../../../src/layers/runs/retention/RetentionPasses.js"
import { Reports } from "../../../src/services/Reports.js"
import { Retention } from "../../../src/services/Retention.js"
import { HistoryTaken, RunHistory } from "../../../src/services/RunHistory.js"

/** A history that holds nothing, whose first reading takes as long as it is let. */
const passWith = (takeTurn: Effect.Effect<void, StorageError | HistoryTaken>, reading: Effect.Effect<void>) =>
  Effect.flatMap(Retention, ({ pass }) => pass(() => Effect.void)).pipe(
    Effect.provide(
      RetentionPasses({ historyDays: 7, resultDays: null, runDays: null, archiveDir: null }).pipe(
        Layer.provide([
          ArchiveFilesNone,
          IdsCounting,
          Layer.mock(Reports, {}),
          Layer.mock(RunHistory, {
            now: Effect.succeed(0),
            takeTurn: () => takeTurn,
            endTurn: () => Effect.void,
            makeMonths: () => reading,
            workspacesToMove: () => Effect.succeed([])
          })
        ])
      )
    )
  )

/** Answers of the storage to each taking of the turn: the first, and then what `later` says. */
const turns = (later: (time: number) => Effect.Effect<void, StorageError | HistoryTaken>) => {
  let times = 0
  return Effect.suspend(() => (times++ === 0 ? Effect.void : later(times - 1)))
}
const busy = new StorageBusy({ retryAfterSeconds: 1 })

describe("a pass of retention", () => {
  it.effect("goes on over a storage that is busy when the turn is kept, and answers again within the minute", () =>
    Effect.gen(function* () {
      const read = yield* Deferred.make<void>()
      const taken = turns((time) => (time <= 30 ? Effect.fail(busy) : Effect.void))
      const pass = yield* Effect.fork(passWith(taken, Deferred.await(read)))
      yield* TestClock.adjust("10 minutes")
      assert.isTrue(pass.unsafePoll() === null)
      yield* Deferred.succeed(read, undefined)
      assert.strictEqual((yield* Fiber.join(pass)).runs, 0)
    })
  )

  it.effect("ends with the storage's error once the minute of its turn is over", () =>
    Effect.gen(function* () {
      const pass = yield* Effect.fork(
        passWith(
          turns(() => Effect.fail(busy)),
          Effect.never
        )
      )
      yield* TestClock.adjust("59 seconds")
      assert.isTrue(pass.unsafePoll() === null)
      yield* TestClock.adjust("2 seconds")
      assert.instanceOf(yield* Effect.flip(Fiber.join(pass)), StorageBusy)
    })
  )

  it.effect("ends at once where another has the turn", () =>
    Effect.gen(function* () {
      const pass = yield* Effect.fork(
        passWith(
          turns(() => new HistoryTaken()),
          Effect.never
        )
      )
      yield* TestClock.adjust("15 seconds")
      assert.instanceOf(yield* Effect.flip(Fiber.join(pass)), HistoryTaken)
    })
  )
})
