/**
 * Passes of retention over the history of a storage. What is old enough is decided here, by the storage's clock; the
 * order makes a crash harmless: a run is moved in one transaction, and a month is closed, written to its file and read
 * back before any of it is dropped.
 */
import { Chunk, Duration, Effect, Layer, Option, Schedule, Stream } from "effect"
import { counted } from "../../../domain/Counted.js"
import type { WorkspaceId } from "../../../domain/Ids.js"
import { endOfMonth } from "../../../domain/Run.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import { type ArchiveFailed, ArchiveFiles, type ArchiveOccupied } from "../../../services/ArchiveFiles.js"
import { Ids } from "../../../services/Ids.js"
import { Reports } from "../../../services/Reports.js"
import { Retention, type RetentionPass, type RetentionSettings } from "../../../services/Retention.js"
import { type ArchivedRun, type HistoryMonth, RunHistory } from "../../../services/RunHistory.js"
import type { RunKey } from "../../../services/RunStore.js"

/** Runs, and bytes of payloads, that one transaction moves. */
const portionRuns = 200
const portionBytes = 8_388_608
/** Payloads that are read at once for a file: all of them are in memory then. */
const readBytes = 1_048_576
/** Leaves the storage to others between two portions. */
const pause = "10 millis"
const turnKept = "15 seconds"
/** Until its minute is over: by then it was last kept `turnKept` before the first failure. */
const turnTriedFor = "45 seconds"
const turnTriedAgain = "1 second"

const triedAgain = Schedule.spaced(turnTriedAgain).pipe(Schedule.upTo(turnTriedFor))

const daysMillis = (days: number): number => Duration.toMillis(Duration.days(days))
const nothing: RetentionPass = { runs: 0, payloads: 0, left: [], waiting: [], refused: [] }

const make = (settings: RetentionSettings | null) =>
  Effect.gen(function* () {
    const history = yield* RunHistory
    const files = yield* ArchiveFiles
    const reports = yield* Reports
    const ids = yield* Ids

    const oldEnough = (now: number, runDays: number) => (month: string) =>
      endOfMonth(month) <= now - daysMillis(runDays)
    const monthsDue = (now: number, runDays: number) =>
      Effect.map(history.months, (months) =>
        months.filter(({ month, state }) => state !== "gone" && oldEnough(now, runDays)(month))
      )
    /** A closed month had nothing in its way when it was closed. */
    const obstacleOf = ({ month, state }: HistoryMonth, movedBefore: number) =>
      state === "closed" ? Effect.succeed(null) : history.obstacle(month, movedBefore)

    /** Months that would leave in the end, also those that the move would make. */
    const monthsThen = Effect.fnUntraced(function* (now: number, runDays: number, movedBefore: number) {
      yield* files.check
      const known = yield* history.months
      const gone = new Set(known.flatMap(({ month, state }) => (state === "gone" ? [month] : [])))
      const all = new Set([...known.map(({ month }) => month), ...(yield* history.hotMonths(movedBefore))])
      const due = [...all].filter((month) => !gone.has(month) && oldEnough(now, runDays)(month)).sort()
      const found = yield* Effect.forEach(due, (month) =>
        Effect.zipWith(history.monthDue(month, movedBefore), files.standing(month), ({ runs, waits }, standing) => {
          const leaves = waits === null && runs > 0
          return { month, runs, waits, file: leaves ? files.nameOf(month) : null, standing: leaves ? standing : null }
        })
      )
      return found.filter(({ runs, waits }) => runs > 0 || waits !== null)
    })

    /** All workspaces that `some` finds, a portion at a time, and for each the sum of what is done there. */
    const eachWorkspace = <E, E2>(
      some: (after: WorkspaceId | null) => Effect.Effect<ReadonlyArray<WorkspaceId>, E>,
      work: (workspaceId: WorkspaceId) => Effect.Effect<number, E2>
    ) =>
      Stream.paginateChunkEffect<WorkspaceId | null, WorkspaceId, E, never>(null, (after) =>
        Effect.map(some(after), (found) => [Chunk.fromIterable(found), Option.fromNullable(found.at(-1))])
      ).pipe(
        Stream.mapEffect(work),
        Stream.runFold(0, (sum, done) => sum + done)
      )

    const moveOf = (holder: string, beforeMillis: number, reportMoved: (runs: number) => Effect.Effect<void>) =>
      Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
        let moved = 0
        let after = null
        do {
          const portion: Effect.Effect.Success<ReturnType<typeof history.move>> = yield* history.move(holder, {
            workspaceId,
            after,
            beforeMillis,
            limit: portionRuns,
            bytesMax: portionBytes
          })
          moved += portion.runs
          after = portion.last
          yield* reportMoved(portion.runs)
          yield* Effect.sleep(pause)
        } while (after !== null)
        return moved
      })

    const dropOf = (holder: string, beforeMillis: number) =>
      Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
        let dropped = 0
        for (;;) {
          const gone = yield* history.dropPayloads(holder, { workspaceId, beforeMillis, limit: portionRuns })
          dropped += gone
          if (gone < portionRuns) return dropped
          yield* Effect.sleep(pause)
        }
      })

    const runsOf = (month: string) =>
      Stream.paginateChunkEffect<RunKey | null, ArchivedRun, StorageError, never>(null, (after) =>
        Effect.map(history.read(month, after, readBytes), (found) => [
          Chunk.fromIterable(found),
          Option.map(Option.fromNullable(found.at(-1)), ({ run }) => ({
            workspaceId: run.workspaceId,
            runId: run.runId
          }))
        ])
      )

    const leave = Effect.fnUntraced(function* (holder: string, month: string, keepFile: boolean) {
      const totals = yield* history.close(holder, month)
      const file = keepFile && totals.runs > 0 ? yield* files.keep(month, runsOf(month), totals) : null
      let after: RunKey | null = null
      do {
        after = yield* history.freeKeys(holder, month, after)
        yield* Effect.sleep(pause)
      } while (after !== null)
      yield* history.drop(holder, month, file)
      return { month, runs: totals.runs, file: file?.name ?? null }
    })

    const work = Effect.fnUntraced(function* (
      { archiveDir, historyDays, resultDays, runDays }: RetentionSettings,
      holder: string,
      progress: (words: string) => Effect.Effect<void>
    ) {
      const now = yield* history.now
      const moveBefore = now - daysMillis(historyDays)
      yield* history.makeMonths(holder, moveBefore)
      let soFar = 0
      const reportMoved = (runs: number) =>
        Effect.suspend(() => progress(`${counted((soFar += runs), "run")} left the hot tables`))
      const runs = yield* eachWorkspace(
        (after) => history.workspacesToMove(moveBefore, after),
        moveOf(holder, moveBefore, reportMoved)
      )
      const dropBefore = resultDays === null ? null : now - daysMillis(resultDays)
      const payloads =
        dropBefore === null
          ? 0
          : yield* eachWorkspace((after) => history.workspacesToDrop(dropBefore, after), dropOf(holder, dropBefore))
      if (runDays === null) return { ...nothing, runs, payloads }
      // Reports read runs: what is not in their sums could not be summed up any more.
      yield* reports.keep
      const left = []
      const waiting = []
      const refused = []
      for (const due of yield* monthsDue(now, runDays)) {
        const waits = yield* obstacleOf(due, moveBefore)
        if (waits !== null) waiting.push({ month: due.month, waits })
        else {
          yield* progress(`${due.month} leaves`)
          const stays = ({ message }: ArchiveFailed | ArchiveOccupied) => Effect.succeed({ message })
          const gone = yield* Effect.catchTags(leave(holder, due.month, archiveDir !== null), {
            ArchiveFailed: stays,
            ArchiveOccupied: stays
          })
          // One month's file says nothing about the others, and what was done before stays done.
          if ("message" in gone) refused.push({ month: due.month, waits: gone.message })
          else if (gone.runs > 0) left.push(gone)
        }
      }
      return { runs, payloads, left, waiting, refused }
    })

    return Retention.of({
      settings,
      check: files.check,
      due: Effect.gen(function* () {
        if (settings === null) return { runs: 0, payloads: 0, months: [] }
        yield* history.turnFree
        const { historyDays, resultDays, runDays } = settings
        const now = yield* history.now
        const { payloads, runs } = yield* history.due({
          runsMillis: now - daysMillis(historyDays),
          payloadsMillis: resultDays === null ? null : now - daysMillis(resultDays)
        })
        const months = runDays === null ? [] : yield* monthsThen(now, runDays, now - daysMillis(historyDays))
        return { runs, payloads, months }
      }),
      pass: Effect.fn("Retention.pass")(function* (progress) {
        if (settings === null) return nothing
        const holder = yield* ids.suffix
        yield* history.takeTurn(holder)
        // A storage that is busy ends no work of an hour while the turn stands: only another's turn does.
        const keep = Effect.retry(history.takeTurn(holder), {
          while: ({ _tag }) => _tag !== "HistoryTaken",
          schedule: triedAgain
        })
        const kept = Effect.forever(Effect.delay(keep, turnKept))
        return yield* Effect.raceFirst(work(settings, holder, progress), kept).pipe(
          // The turn ends by itself when this does not come through.
          Effect.ensuring(Effect.ignore(history.endTurn(holder)))
        )
      })
    })
  })

export const RetentionPasses = (
  settings: RetentionSettings | null
): Layer.Layer<Retention, never, RunHistory | ArchiveFiles | Reports | Ids> => Layer.effect(Retention, make(settings))
