/** `archive`: what every node does now and again with old runs, at once and with words about it. */
import * as Command from "@effect/cli/Command"
import { Data, Effect } from "effect"
import { counted } from "../domain/Counted.js"
import { type MonthDue, Retention, type RetentionDue } from "../services/Retention.js"
import { announced, dryRun } from "./Announced.js"
import type { Answer } from "./Answer.js"
import * as Inputs from "./Inputs.js"
import { Screen } from "./Screen.js"

class NothingSet extends Data.TaggedError("NothingSet")<{}> {
  override get message() {
    return "Every run is kept: set GATEWAY_HISTORY_DAYS, GATEWAY_RESULT_DAYS or GATEWAY_RUN_DAYS for this command and for the gateway"
  }
}

const waiting = (months: ReadonlyArray<{ readonly month: string; readonly waits: string | null }>) =>
  months.flatMap(({ month, waits }) => (waits === null ? [] : [`The runs of ${month} stay for now: ${waits}`]))

const leaving = (to: string | null, { file, month, runs, standing, waits }: MonthDue) =>
  waits !== null
    ? []
    : [
        file === null
          ? `Drops the ${counted(runs, "run")} of ${month} from the database for good, without a file`
          : `Writes the ${counted(runs, "run")} of ${month} to ${file} in ${to}, and drops them from the database`,
        ...(standing === null
          ? []
          : [`${standing} is there already: unless it holds these very runs, it is left as it is, and they stay`])
      ]

/** A sentence for each step, also for what a step does with what the one before it brings. */
const willOf = ({ months, payloads, runs }: RetentionDue, to: string | null): ReadonlyArray<string> => {
  const will = [
    ...(runs === 0 ? [] : [`Moves ${counted(runs, "run")} from the tables of new runs to the history`]),
    ...(payloads === 0 ? [] : [`Drops the payloads of ${counted(payloads, "run")} for good`]),
    ...months.flatMap((month) => leaving(to, month))
  ]
  return [...(will.length === 0 ? ["Changes nothing: no run is old enough"] : will), ...waiting(months)]
}

const pass = Effect.gen(function* () {
  const { progress } = yield* Screen
  const retention = yield* Retention
  const done = yield* Effect.ensuring(retention.pass(progress), progress(""))
  const said: Answer = {
    ok: done.refused.length === 0,
    json: {
      dryRun: false,
      runs: done.runs,
      payloads: done.payloads,
      left: done.left.map((month) => ({ ...month })),
      waiting: done.waiting.map((month) => ({ ...month })),
      refused: done.refused.map((month) => ({ ...month })),
      archiveDir: retention.settings?.archiveDir ?? null
    },
    text: [
      `${counted(done.runs, "run")} moved to the history; the payloads of ${counted(done.payloads, "run")} were dropped`,
      ...done.left.map(
        ({ file, month, runs }) =>
          `${counted(runs, "run")} of ${month} left the database${file === null ? "" : ` and ${runs === 1 ? "is" : "are"} in ${file}`}`
      ),
      ...waiting(done.waiting),
      ...waiting(done.refused)
    ].join("\n")
  }
  return said
})

export const archive = Command.make("archive", { dryRun, json: Inputs.json }, (asked) =>
  announced(
    asked,
    Effect.gen(function* () {
      const { due, settings } = yield* Retention
      if (settings === null) return yield* new NothingSet()
      const found = yield* due
      const { months, payloads, runs } = found
      return {
        will: willOf(found, settings.archiveDir),
        details: { runs, payloads, months: months.map((month) => ({ ...month })), archiveDir: settings.archiveDir },
        work: pass
      }
    })
  )
).pipe(
  Command.withDescription(
    "Move finished runs to the history, drop old payloads and write whole months to files, as GATEWAY_HISTORY_DAYS, GATEWAY_RESULT_DAYS, GATEWAY_RUN_DAYS and GATEWAY_ARCHIVE_DIR say; may be stopped and repeated at any time"
  )
)
