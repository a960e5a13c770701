/** Waiting until nothing is under way any more. */
import { type Duration, Effect } from "effect"
import type { Findings } from "./Findings.js"
import type { Stage } from "./Stage.js"

interface Under {
  /** Of this workspace alone. */
  readonly workspaceId?: string
  /** Runs that wait for a person count too: they are expected to end by themselves. */
  readonly untilCertain?: boolean
}

/** Until no run is queued or running; notes it when that takes longer than `within`. */
export const untilQuiet = (
  stage: Stage,
  findings: Findings,
  within: Duration.DurationInput,
  { untilCertain = false, workspaceId }: Under = {}
): Effect.Effect<void> => {
  const statuses = ["queued", "running", ...(untilCertain ? ["reconciliation_pending"] : [])]
  const live = Effect.map(
    stage.rows<{ n: number }>(
      "select count(*)::int as n from runs where status = any($1::text[]) and workspace_id = coalesce($2, workspace_id)",
      [statuses, workspaceId ?? null]
    ),
    ([row]) => row?.n ?? 0
  )
  return Effect.repeat(Effect.delay(live, "200 millis"), { until: (n) => n === 0 }).pipe(
    Effect.timeoutTo({
      duration: within,
      onSuccess: () => undefined,
      onTimeout: () => findings.note(`some runs are still ${statuses.join(" or ")} after the time that they had`)
    })
  )
}
