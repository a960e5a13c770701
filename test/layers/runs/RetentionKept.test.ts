/** What the passes over old runs say in the log, by a retention of the test. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { RetentionKept } from "../../../src/layers/runs/retention/RetentionKept.js"
import { type MonthLeaving, Retention, type RetentionPass } from "../../../src/services/Retention.js"
import { withLogLines } from "../../support/logLines.js"

const nothing: RetentionPass = { runs: 0, payloads: 0, left: [], waiting: [], refused: [] }
const waiting = (...months: ReadonlyArray<MonthLeaving>): RetentionPass => ({ ...nothing, waiting: months })

const retentionOf = (passes: Array<RetentionPass>) =>
  Layer.succeed(Retention, {
    settings: { historyDays: 1, resultDays: null, runDays: 30, archiveDir: null },
    check: Effect.void,
    due: Effect.succeed({ runs: 0, payloads: 0, months: [] }),
    pass: () => Effect.sync(() => passes.shift() ?? nothing)
  })

/** The lines of one pass after the other. */
const linesOf = (passes: ReadonlyArray<RetentionPass>) =>
  withLogLines((lines) =>
    Effect.gen(function* () {
      yield* Layer.build(Layer.provide(RetentionKept, retentionOf([...passes])))
      const said: Array<ReadonlyArray<string>> = []
      for (const _ of passes) {
        const before = lines.length
        yield* TestClock.adjust("10 minutes")
        said.push(lines.slice(before).map(({ message }) => message))
      }
      return said
    })
  )

it.scoped("a month that waits is told when it begins to wait, and when the reason is another", () =>
  Effect.gen(function* () {
    const january = { month: "2026-01", waits: "run_1 waits for a person" }
    const february = { month: "2026-02", waits: "run_2 has not ended" }
    const said = yield* linesOf([
      waiting(january),
      waiting(january),
      waiting(january, february),
      waiting({ ...january, waits: "run_3 waits for a person" }, february),
      waiting(february),
      waiting(january, february)
    ])
    assert.deepStrictEqual(said, [
      ["The runs of 2026-01 stay for now: run_1 waits for a person"],
      [],
      ["The runs of 2026-02 stay for now: run_2 has not ended"],
      ["The runs of 2026-01 stay for now: run_3 waits for a person"],
      [],
      ["The runs of 2026-01 stay for now: run_1 waits for a person"]
    ])
  })
)

it.scoped("a month whose file is refused is told once, with its reason", () =>
  Effect.gen(function* () {
    const refused = { ...nothing, refused: [{ month: "2026-01", waits: "the folder is full" }] }
    const said = yield* linesOf([refused, refused, refused])
    assert.deepStrictEqual(
      said.map((lines) => lines.length),
      [1, 0, 0]
    )
  })
)
