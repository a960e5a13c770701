/**
 * The tools of runs: `quote_run`, `run_operation`, `get_run`, `cancel_run` and `list_runs`. They take what the routes
 * of runs take, and answer less: what an agent needs to go on.
 */
import { Effect, Schema } from "effect"
import {
  toolRunsDefault,
  toolRunsMax,
  toolSkippedItemsMax,
  toolWaitSecondsMax
} from "../../domain/limits/AgentTools.js"
import { cursorCharsMax, filterCharsMax } from "../../domain/limits/Lists.js"
import {
  idempotencyKeyCharsMax,
  resultItemsMax,
  resultPathsCharsMax,
  runIdentifierCharsMax
} from "../../domain/limits/Runs.js"
import { RunStatus } from "../../domain/Run.js"
import { RunError } from "../../domain/RunFailures.js"
import { Runs } from "../../services/Runs.js"
import { line, optional, says } from "../Fields.js"
import { ReadTurns } from "../ReadTurns.js"
import { cancelRun, createdBody, listRuns, readRun } from "../runs/Answers.js"
import { tracedBy } from "../RequestState.js"
import { quoteBody } from "../runs/QuoteBody.js"
import { QuoteBody, quoteRequestOf } from "../runs/RunRequestBody.js"
import { endpointId, reads, wholeNumberOr } from "./CatalogTools.js"
import { fits } from "./Fitting.js"
import { afterCancel, didFail, firstSkipped, partOfRun, RunView, Skipped, summary } from "./RunView.js"
import { tool } from "./Tool.js"

const { connectionId, fallback, input } = QuoteBody.fields
const asked = { endpointId, input, fallback, connectionId }

const QuoteView = Schema.Struct({
  admissible: Schema.Boolean.annotations({ description: "Whether run_operation would start it now" }),
  holdMicros: Schema.Int.annotations({ description: "Its highest price, in millionths of a dollar" }),
  estimatedCost: Schema.Number.annotations({ description: "The same in dollars" }),
  candidates: Schema.Array(
    Schema.Struct({ endpointId: Schema.String, maxMicros: Schema.Int, effectful: Schema.Boolean })
  ),
  skipped: Schema.Array(Skipped),
  refusedBy: Schema.Array(Schema.Struct({ limit: Schema.String, message: Schema.NullOr(Schema.String) })),
  error: optional(RunError)
})

export const quoteRun = tool({
  name: "quote_run",
  title: "Quote a run",
  description:
    "Says what a run would cost at most, whom it would try in which order, and what would refuse it. Holds nothing, charges nothing, calls no provider.",
  scope: "runs:execute",
  annotations: reads,
  input: Schema.Struct(asked),
  output: QuoteView,
  call: Effect.fnUntraced(function* (body, { caller, requestId }) {
    const runs = yield* Runs
    const turns = yield* ReadTurns
    const quote = quoteBody(yield* turns.take(caller.workspaceId, runs.quote(caller, quoteRequestOf(body, requestId))))
    const { candidates = [], skipped = [] } = quote.route ?? {}
    const view: typeof QuoteView.Type = {
      admissible: quote.admissible,
      holdMicros: quote.holdMicros,
      estimatedCost: quote.estimatedCost,
      candidates: candidates.map(({ effectful, endpointId, maxMicros }) => ({ endpointId, maxMicros, effectful })),
      skipped: firstSkipped(skipped),
      refusedBy: quote.limits.filter(({ admits }) => !admits).map(({ limit, message }) => ({ limit, message })),
      ...(quote.error === undefined ? {} : { error: quote.error })
    }
    return view
  })
})

const runId = line(runIdentifierCharsMax, "An id that begins with run_")

export const runOperation = tool({
  name: "run_operation",
  title: "Run an operation",
  description: `Runs a job or an operation and charges what it really costs, never more than quote_run says. Make up an idempotencyKey for each new run. If no answer comes, send the same key with the same arguments: you get the same run and pay once. A new key is a new run and a new charge. A run that failed needs a new key to be tried again; one with status reconciliation_pending may have been done, and must not be. Waits ${toolWaitSecondsMax} seconds at most; a run that takes longer is answered with status running: then call get_run with its runId. With fallback true a job goes on to the next provider when one finds nothing. Operations whose effect is effectful change something outside, such as sending a message: ask the person first.`,
  scope: "runs:execute",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: Schema.Struct({
    ...asked,
    idempotencyKey: line(
      idempotencyKeyCharsMax,
      "New for each run, such as a UUID; the same when the same run is sent again"
    ),
    wait: wholeNumberOr(0, toolWaitSecondsMax, toolWaitSecondsMax, "Seconds to wait for the run to end")
  }),
  output: RunView,
  failed: didFail,
  call: Effect.fnUntraced(function* ({ idempotencyKey, wait, ...body }, visit) {
    const { caller, countRunRequest, state } = visit
    const runs = yield* Runs
    countRunRequest()
    const request = { ...quoteRequestOf(body, state.requestId), idempotencyKey, ...tracedBy(state) }
    const created = yield* runs.create(caller, request, wait)
    state.runId = created.run.runId
    return yield* partOfRun(createdBody(created), visit)
  })
})

const items = (from: number, to: number, description: string) =>
  Schema.Int.pipe(
    Schema.between(from, to),
    Schema.annotations({
      ...says(`must be a whole number from ${from} to ${to}`),
      jsonSchema: { type: "integer", minimum: from, maximum: to, description }
    })
  )

export const getRun = tool({
  name: "get_run",
  title: "Get a run",
  description:
    "Reads a run: its status, result and cost. While status is queued or running, ask again after some seconds. Of a large result, fields gives only these parts, max_items only so many items of each list, and skip_items the items behind.",
  scope: "runs:read",
  annotations: reads,
  input: Schema.Struct({
    runId,
    fields: optional(
      Schema.Array(line(resultPathsCharsMax)).pipe(
        Schema.minItems(1),
        Schema.filter((paths) => paths.join(",").length <= resultPathsCharsMax),
        Schema.annotations({
          ...says(`must be a list of dotted paths, with at most ${resultPathsCharsMax} characters in all`),
          jsonSchema: {
            type: "array",
            minItems: 1,
            items: { type: "string" },
            description: "Dotted paths below result, such as data.items.name; lists are walked and take no number"
          }
        })
      )
    ),
    max_items: optional(items(1, resultItemsMax, "Most items of each list of the result")),
    skip_items: optional(
      items(0, toolSkippedItemsMax, "Leaves out so many first items of each list that is in no other list")
    )
  }),
  output: RunView,
  failed: didFail,
  call: Effect.fnUntraced(function* ({ fields, max_items, runId, skip_items }, visit) {
    const runs = yield* Runs
    const trimming = fields === undefined ? {} : { fields: fields.join(",") }
    return yield* readRun(runs, visit.caller.workspaceId, runId, trimming, (body) =>
      partOfRun(body, visit, { maxItems: max_items ?? null, skipItems: skip_items ?? 0 })
    )
  })
})

export const cancelTool = tool({
  name: "cancel_run",
  title: "Cancel a run",
  description:
    "Stops a run that is queued or running, and answers the run as it then is. A call of a provider that is under way may still be charged. A run that has ended stays as it is.",
  scope: "runs:execute",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: Schema.Struct({ runId }),
  output: RunView,
  call: Effect.fnUntraced(function* ({ runId }, visit) {
    return afterCancel(yield* partOfRun(yield* cancelRun(yield* Runs, visit.caller.workspaceId, runId), visit))
  })
})

const ListView = Schema.Struct({
  runs: Schema.Array(Schema.Struct(summary)),
  nextCursor: Schema.NullOr(Schema.String)
})

export const listTool = tool({
  name: "list_runs",
  title: "List runs",
  description: "Lists runs, newest first, without their results: get_run reads one of them.",
  scope: "runs:read",
  annotations: reads,
  input: Schema.Struct({
    limit: wholeNumberOr(1, toolRunsMax, toolRunsDefault, "Runs of the answer"),
    status: optional(RunStatus.annotations(says(`must be one of ${RunStatus.literals.join(", ")}`))),
    capability: optional(line(filterCharsMax, "Only runs of this job, by its id, and of operations that do it")),
    cursor: optional(line(cursorCharsMax, "nextCursor of the page before, with the same filters"))
  }),
  output: ListView,
  call: Effect.fnUntraced(function* (query, { caller }) {
    const runs = yield* Runs
    const turns = yield* ReadTurns
    const page = (limit: number) =>
      Effect.map(
        turns.take(caller.workspaceId, listRuns(runs, caller.workspaceId, { ...query, limit, includeResult: false })),
        ({ nextCursor, runs }): typeof ListView.Type => ({
          runs: runs.map((run) => ({
            runId: run.runId,
            endpointId: run.endpointId,
            ...(run.servedEndpointId === undefined ? {} : { servedEndpointId: run.servedEndpointId }),
            status: run.status,
            ...(run.outcome === undefined ? {} : { outcome: run.outcome }),
            createdAt: run.createdAt,
            completedAt: run.completedAt,
            actualCost: run.actualCost,
            ...(run.error === undefined ? {} : { error: run.error }),
            resultBytes: run.resultBytes
          })),
          nextCursor
        })
      )
    let found = yield* page(query.limit)
    // The cursor belongs to the last row, so a page that is too large is asked for again with fewer of them.
    for (let limit = query.limit; !fits(found) && limit > 1;) {
      limit = Math.floor(limit / 2)
      found = yield* page(limit)
    }
    return found
  })
})
