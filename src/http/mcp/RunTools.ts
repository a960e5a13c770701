/**
 * The tools of runs: `quote_run`, `run_operation`, `get_run`, `cancel_run` and `list_runs`. They take what the routes
 * of runs take, and answer less: what an agent needs to go on.
 */
import { Effect, Schema } from "effect"
import { cutText } from "../../domain/Characters.js"
import { Json, JsonObject } from "../../domain/Json.js"
import {
  toolAnswerBytesMax,
  toolRunsDefault,
  toolRunsMax,
  toolSkippedMax,
  toolWaitSecondsMax
} from "../../domain/limits/AgentTools.js"
import { cursorCharsMax, filterCharsMax } from "../../domain/limits/Lists.js"
import {
  idempotencyKeyCharsMax,
  resultItemsMax,
  resultPathsCharsMax,
  runIdentifierCharsMax
} from "../../domain/limits/Runs.js"
import { SkipCode } from "../../domain/RoutePlan.js"
import { RunOutcome, RunStatus } from "../../domain/Run.js"
import { RunError } from "../../domain/RunFailures.js"
import { isSettledForWaiters } from "../../domain/RunMachine.js"
import { Runs } from "../../services/Runs.js"
import { line, optional, says, Time } from "../Fields.js"
import { ReadTurns } from "../ReadTurns.js"
import { cancelRun, createdBody, listRuns, readRun } from "../runs/Answers.js"
import { tracedBy } from "../RequestState.js"
import { quoteBody } from "../runs/QuoteBody.js"
import type { RunBody } from "../runs/RunBody.js"
import { QuoteBody, quoteRequestOf } from "../runs/RunRequestBody.js"
import { endpointId, reads, wholeNumberOr } from "./CatalogTools.js"
import { bytesOf, fits, shortened } from "./Fitting.js"
import { tool } from "./Tool.js"

const { connectionId, fallback, input } = QuoteBody.fields
const asked = { endpointId, input, fallback, connectionId }

const Skipped = Schema.Struct({ endpointId: Schema.String, code: SkipCode, reason: Schema.String })
/** As many of them as a tool shows. */
const told = (skipped: ReadonlyArray<typeof Skipped.Type>) => skipped.slice(0, toolSkippedMax)

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
      skipped: told(skipped),
      refusedBy: quote.limits.filter(({ admits }) => !admits).map(({ limit, message }) => ({ limit, message })),
      ...(quote.error === undefined ? {} : { error: quote.error })
    }
    return view
  })
})

const summary = {
  runId: Schema.String,
  endpointId: Schema.String,
  servedEndpointId: optional(Schema.String),
  status: RunStatus,
  outcome: optional(RunOutcome),
  createdAt: Time,
  completedAt: Schema.NullOr(Time),
  actualCost: Schema.NullOr(Schema.Number).annotations({ description: "Dollars; null until it is settled" }),
  error: optional(RunError),
  resultBytes: Schema.NullOr(Schema.Int)
}

const RunView = Schema.Struct({
  ...summary,
  outcomeReason: optional(Schema.String),
  result: optional(Json),
  normalized: optional(
    Schema.Struct({ fields: JsonObject, verdict: Schema.String }).annotations({
      description: "The result under names that do not change with the provider"
    })
  ),
  estimatedCost: Schema.Number.annotations({ description: "Dollars that were held: the run cannot cost more" }),
  attempts: optional(
    Schema.Array(
      Schema.Struct({
        endpointId: Schema.String,
        outcome: Schema.NullOr(RunOutcome),
        chargedUsd: Schema.Number,
        reason: optional(Schema.String)
      })
    )
  ),
  skipped: optional(
    Schema.Array(Skipped).annotations({ description: "Providers of the job that were not tried, each with the reason" })
  ),
  replayed: optional(
    Schema.Boolean.annotations({
      description: "This idempotency key has made this run before; nothing is charged again"
    })
  ),
  trimmed: optional(
    Schema.Struct({
      truncated: Schema.Boolean,
      fields: optional(Schema.Array(Schema.String)),
      max_items: optional(Schema.Int),
      arrays: Schema.Array(Schema.Struct({ path: Schema.String, kept: Schema.Int, total: Schema.Int }))
    })
  ),
  hint: optional(Schema.String.annotations({ description: "What to do next" }))
})
type RunView = typeof RunView.Type

const NormalizedParts = Schema.is(Schema.Struct({ fields: JsonObject, verdict: Schema.String }))

/** What an agent needs of a run: what became of it, its result, its cost. */
const viewOf = (body: RunBody): RunView => {
  const { normalized, requestedJob, route, trimmed } = body
  const { skipped = [] } = route ?? requestedJob ?? {}
  const underWay = !isSettledForWaiters(body.status)
  return {
    runId: body.runId,
    endpointId: body.endpointId,
    ...(body.servedEndpointId === undefined ? {} : { servedEndpointId: body.servedEndpointId }),
    status: body.status,
    ...(body.outcome === undefined ? {} : { outcome: body.outcome }),
    ...(body.outcomeReason === undefined ? {} : { outcomeReason: body.outcomeReason }),
    ...(body.error === undefined ? {} : { error: body.error }),
    ...(NormalizedParts(normalized) ? { normalized: { fields: normalized.fields, verdict: normalized.verdict } } : {}),
    ...(body.result === undefined ? {} : { result: body.result }),
    resultBytes: body.resultBytes,
    actualCost: body.actualCost,
    estimatedCost: body.estimatedCost,
    ...(route === undefined
      ? {}
      : {
          attempts: route.attempts.map(({ chargedUsd, endpointId, outcome, reason }) => ({
            endpointId,
            outcome,
            chargedUsd,
            ...(reason === undefined ? {} : { reason })
          }))
        }),
    ...(skipped.length === 0 ? {} : { skipped: told(skipped) }),
    createdAt: body.createdAt,
    completedAt: body.completedAt,
    ...(body.replayed === undefined ? {} : { replayed: body.replayed }),
    ...(trimmed === undefined ? {} : { trimmed }),
    ...(underWay ? { hint: `Still under way. Call get_run with runId ${body.runId} in a few seconds.` } : {})
  }
}

/** Lists that were cut, of which an answer tells, and how much of the path of each. */
const arraysToldMax = 20
const pathChars = 100
/** Room for what is said of a result that was cut. */
const wordsBytes = 4_000

/** Names in a result can be of any length, and so can the words about them: then the cut is told, but not where. */
const withoutPaths = (view: RunView): RunView =>
  view.trimmed === undefined || fits(view) ? view : { ...view, trimmed: { truncated: true, arrays: [] } }

const fitted = (view: RunView): RunView => {
  if (fits(view)) return view
  const { result, trimmed, ...rest } = view
  // Nothing but a result has no bound of its own.
  const { normalized: _, ...bare } = rest
  const around = bytesOf(rest) <= toolAnswerBytesMax / 2 ? rest : bare
  const short = result === undefined ? null : shortened(result, toolAnswerBytesMax - bytesOf(around) - wordsBytes)
  const elsewhere = `GET /v1/runs/${view.runId} with the same token answers all of it`
  const asked = trimmed?.fields === undefined ? {} : { fields: trimmed.fields }
  return withoutPaths({
    ...around,
    ...(short === null
      ? {
          hint: `The result, ${view.resultBytes ?? 0} bytes, is too large to show. get_run with fields (dotted paths) shows parts of it; ${elsewhere}.`
        }
      : {
          result: short.value,
          trimmed: {
            truncated: true,
            ...asked,
            ...(short.items === null ? {} : { max_items: short.items }),
            arrays: short.arrays
              .slice(0, arraysToldMax)
              .map((array) => ({ ...array, path: cutText(array.path, pathChars) }))
          },
          hint: `The result, ${view.resultBytes ?? 0} bytes, was cut: long lists and texts end early. get_run with fields (dotted paths) or max_items shows other parts; ${elsewhere}.`
        })
  })
}

const shown = (body: RunBody): RunView => fitted(viewOf(body))
/** A run that did not do what was asked is a failed call: hosts show it as one, and `error` says why. */
const didFail = ({ status }: RunView): boolean => status === "failed" || status === "blocked"

const runId = line(runIdentifierCharsMax, "An id that begins with run_")

export const runOperation = tool({
  name: "run_operation",
  title: "Run an operation",
  description: `Runs a job or an operation and charges what it really costs, never more than quote_run says. Make up an idempotencyKey for each new run. If an answer is lost, or you try again for any reason, send the same key with the same arguments: you get the same run and pay once. A new key is a new run and a new charge. Waits ${toolWaitSecondsMax} seconds at most; a run that takes longer is answered with status running: then call get_run with its runId. With fallback true a job goes on to the next provider when one finds nothing. Operations whose effect is effectful change something outside, such as sending a message: ask the person first.`,
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
  call: Effect.fnUntraced(function* ({ idempotencyKey, wait, ...body }, { caller, countRunRequest, state }) {
    const runs = yield* Runs
    countRunRequest()
    const request = { ...quoteRequestOf(body, state.requestId), idempotencyKey, ...tracedBy(state) }
    const created = yield* runs.create(caller, request, wait)
    state.runId = created.run.runId
    return shown(createdBody(created))
  })
})

export const getRun = tool({
  name: "get_run",
  title: "Get a run",
  description:
    "Reads a run: its status, result and cost. While status is queued or running, ask again after some seconds. Of a large result, fields gives only these parts and max_items only so many items of each list.",
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
          description: "Dotted paths in the result, such as data.items.name; lists are walked by themselves"
        })
      )
    ),
    max_items: optional(
      Schema.Int.pipe(
        Schema.between(1, resultItemsMax),
        Schema.annotations({
          ...says(`must be a whole number from 1 to ${resultItemsMax}`),
          jsonSchema: {
            type: "integer",
            minimum: 1,
            maximum: resultItemsMax,
            description: "Most items of each list of the result"
          }
        })
      )
    )
  }),
  output: RunView,
  failed: didFail,
  call: Effect.fnUntraced(function* ({ fields, max_items, runId }, { caller }) {
    const runs = yield* Runs
    const trimming = {
      ...(fields === undefined ? {} : { fields: fields.join(",") }),
      ...(max_items === undefined ? {} : { max_items })
    }
    return shown(yield* readRun(runs, caller.workspaceId, runId, trimming))
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
  call: Effect.fnUntraced(function* ({ runId }, { caller }) {
    return shown(yield* cancelRun(yield* Runs, caller.workspaceId, runId))
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
