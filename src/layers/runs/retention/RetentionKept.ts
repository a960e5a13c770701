/** Keeps to the operator's retention settings: a pass every ten minutes, by one node at a time. */
import { Effect, Layer } from "effect"
import { everySoOften } from "../../node/Background.js"
import { makeTrouble } from "../../node/Trouble.js"
import { Retention } from "../../../services/Retention.js"

export const RetentionKept: Layer.Layer<never, never, Retention> = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { check, pass, settings } = yield* Retention
    if (settings === null) return
    // Said at the start, because the first month may be due in a year. The folder may still come.
    yield* Effect.catchTag(check, "ArchiveFailed", ({ message }) => Effect.logWarning(message))
    const trouble = yield* makeTrouble("archive")
    /** Why each month waited at the last pass. A month may wait for long, so only what is new is said. */
    let waited: ReadonlyMap<string, string | null> = new Map()
    const kept = Effect.gen(function* () {
      const { left, payloads, refused, runs, waiting } = yield* pass(() => Effect.void)
      if (runs + payloads + left.length > 0)
        yield* Effect.logInfo("Old runs left").pipe(
          Effect.annotateLogs({ runs, payloads, months: left.map(({ month }) => month).join(" ") })
        )
      for (const { month, waits } of waiting)
        if (waited.get(month) !== waits) yield* Effect.logWarning(`The runs of ${month} stay for now: ${waits}`)
      waited = new Map(waiting.map(({ month, waits }) => [month, waits]))
      if (refused.length === 0) trouble.worked()
      else trouble.failed(refused.map(({ month, waits }) => `${month}: ${waits}`).join("; "))
    }).pipe(
      // Another node is at it.
      Effect.catchTag("HistoryTaken", () => Effect.void)
    )
    yield* everySoOften({ name: "keeping the history", every: "10 minutes" }, kept)
  })
)
