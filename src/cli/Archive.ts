/** `archive`: what every node does now and again with old runs, at once and with words about it. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect } from "effect"
import { Retention } from "../services/Retention.js"
import { type Answer, answer, counted } from "./Answer.js"
import * as Inputs from "./Inputs.js"
import { Screen } from "./Screen.js"

const nothingSet =
  "Every run is kept: set GATEWAY_HISTORY_DAYS, GATEWAY_RESULT_DAYS or GATEWAY_RUN_DAYS for this command and for the gateway"

const unset: Answer = { ok: false, json: { error: nothingSet }, text: nothingSet }

const waiting = (months: ReadonlyArray<{ readonly month: string; readonly waits: string | null }>) =>
  months.flatMap(({ month, waits }) => (waits === null ? [] : [`The runs of ${month} stay for now: ${waits}`]))

const due = Effect.gen(function* () {
  const retention = yield* Retention
  const { months, payloads, runs } = yield* retention.due
  const to = retention.settings?.archiveDir ?? null
  const said: Answer = {
    json: { dryRun: true, runs, payloads, months: months.map((month) => ({ ...month })), archiveDir: to },
    text: [
      `${counted(runs, "run")} would leave the hot tables`,
      `The payloads of ${counted(payloads, "run")} of the history would be dropped`,
      ...months.flatMap(({ month, waits }) =>
        waits === null
          ? [`The runs of ${month} would leave the database${to === null ? " for good, without a file" : ` for ${to}`}`]
          : []
      ),
      ...waiting(months),
      "Nothing was changed (--dry-run)"
    ].join("\n")
  }
  return said
})

const pass = Effect.gen(function* () {
  const { progress } = yield* Screen
  const retention = yield* Retention
  const done = yield* Effect.ensuring(retention.pass(progress), progress(""))
  const said: Answer = {
    json: {
      dryRun: false,
      runs: done.runs,
      payloads: done.payloads,
      left: done.left.map((month) => ({ ...month })),
      waiting: done.waiting.map((month) => ({ ...month })),
      archiveDir: retention.settings?.archiveDir ?? null
    },
    text: [
      `${counted(done.runs, "run")} left the hot tables; the payloads of ${counted(done.payloads, "run")} were dropped`,
      ...done.left.map(
        ({ file, month, runs }) =>
          `${counted(runs, "run")} of ${month} left the database${file === null ? "" : ` and ${runs === 1 ? "is" : "are"} in ${file}`}`
      ),
      ...waiting(done.waiting)
    ].join("\n")
  }
  return said
})

export const archive = Command.make(
  "archive",
  {
    dryRun: Options.boolean("dry-run").pipe(Options.withDescription("Only say what would leave")),
    json: Inputs.json
  },
  ({ dryRun, json }) =>
    answer(
      json,
      Effect.gen(function* () {
        const { settings } = yield* Retention
        if (settings === null) return unset
        return yield* dryRun ? due : pass
      })
    )
).pipe(
  Command.withDescription(
    "Move finished runs to the history, drop old payloads and write whole months to files, as the settings say; may be stopped and repeated at any time"
  )
)
