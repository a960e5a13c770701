/**
 * A run as the tools show it: what became of it, its result as far as it fits, its cost, and what to do next. A hint
 * names only what its reader can do, and a way that leads on.
 */
import { type Effect, Either, Schema } from "effect"
import { cutText } from "../../domain/Characters.js"
import { Json, JsonObject } from "../../domain/Json.js"
import { toolAnswerBytesMax, toolSkippedMax } from "../../domain/limits/AgentTools.js"
import { SkipCode } from "../../domain/RoutePlan.js"
import { RunOutcome, RunStatus, uncertainHint } from "../../domain/Run.js"
import { RunError } from "../../domain/RunFailures.js"
import { isSettledForWaiters } from "../../domain/RunMachine.js"
import type { Scope } from "../../domain/Scope.js"
import { trim } from "../../domain/Trim.js"
import { runInSlices } from "../../services/Slices.js"
import { optional, Time } from "../Fields.js"
import type { RunBody } from "../runs/RunBody.js"
import { fileOf } from "../runs/ShownRun.js"
import { bytesOf, everything, fits, type Part, type Shortened, shortened } from "./Fitting.js"
import { longestOuter, valuesPerStep, widest } from "./Lists.js"
import type { Visit } from "./Tool.js"

export const Skipped = Schema.Struct({ endpointId: Schema.String, code: SkipCode, reason: Schema.String })
/** As many of them as a tool shows. */
export const firstSkipped = (skipped: ReadonlyArray<typeof Skipped.Type>) => skipped.slice(0, toolSkippedMax)

export const summary = {
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

export const RunView = Schema.Struct({
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
      skip_items: optional(Schema.Int),
      arrays: Schema.Array(Schema.Struct({ path: Schema.String, kept: Schema.Int, total: Schema.Int }))
    })
  ),
  hint: optional(Schema.String.annotations({ description: "What to do next" }))
})
type RunView = typeof RunView.Type

const NormalizedParts = Schema.is(Schema.Struct({ fields: JsonObject, verdict: Schema.String }))

/** Whom a hint is for: what its token may, and how it reaches the gateway. */
type Reader = Pick<Visit, "publicUrl"> & { readonly caller: { readonly scopes: ReadonlyArray<Scope> } }

const mayRead = ({ caller }: Reader): boolean => caller.scopes.includes("runs:read")

/** A model has no token. The person whose host it runs in has one. */
const elsewhere = (what: string, path: string, reader: Reader): string =>
  `${what}: GET ${reader.publicUrl}${path} with the header Authorization: Bearer TOKEN, which is ${
    mayRead(reader) ? "the token that this host has for the gateway" : "a token with the scope runs:read"
  }; a person can do that.`

const underWayHint = (runId: string, reader: Reader): string =>
  mayRead(reader)
    ? `Still under way. Call get_run with runId ${runId} in a few seconds.`
    : "Still under way. In a few seconds call run_operation again with the same idempotencyKey and the same arguments: it answers this run."

const hintOf = (body: RunBody, reader: Reader): string | null => {
  if (!isSettledForWaiters(body.status)) return underWayHint(body.runId, reader)
  if (body.status === "reconciliation_pending") return uncertainHint
  const file = fileOf(body.runId, body.result)
  if (file === null) return null
  const { bytes, contentType, downloadPath } = file
  return `The result is a file (${cutText(contentType, 100)}, ${bytes} bytes), which no tool shows. ${elsewhere("It is got by", downloadPath, reader)}`
}

/** The run as it is after a cancellation. */
export const afterCancel = (view: RunView): RunView =>
  isSettledForWaiters(view.status)
    ? view
    : {
        ...view,
        hint: `The cancellation is noted. A call that changes something outside is not stopped: it may still complete and be charged. ${view.hint ?? ""}`
      }

/** What an agent needs of a run: what became of it, its result, its cost. */
const viewOf = (body: RunBody, reader: Reader): RunView => {
  const { normalized, requestedJob, route, trimmed } = body
  const { skipped = [] } = route ?? requestedJob ?? {}
  const hint = hintOf(body, reader)
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
    ...(skipped.length === 0 ? {} : { skipped: firstSkipped(skipped) }),
    createdAt: body.createdAt,
    completedAt: body.completedAt,
    ...(body.replayed === undefined ? {} : { replayed: body.replayed }),
    ...(trimmed === undefined ? {} : { trimmed }),
    ...(hint === null ? {} : { hint })
  }
}

/** Lists that were cut, of which an answer tells, and how much of the path of each. */
const arraysToldMax = 20
const pathChars = 100
/** Members of an object that is too wide, of which an answer tells. */
const namesToldMax = 20
/** Room for what is said of a result that was cut. */
const wordsBytes = 4_000

/** Names in a result can be of any length, and so can the words about them: then the cut is told, but not where. */
const withoutPaths = (view: RunView): RunView =>
  view.trimmed === undefined || fits(view) ? view : { ...view, trimmed: { truncated: true, arrays: [] } }

/** Some paths below what is too wide to show; a path cannot name a member with a dot or a comma in its name. */
function* pathsOf(result: Json): Generator<void, string> {
  const { names, path } = yield* widest(result)
  const paths: Array<string> = []
  for (const [index, name] of names.entries()) {
    if (paths.length === namesToldMax) break
    if (index % valuesPerStep === 0) yield
    const each = path === "" ? name : `${path}.${name}`
    if (each.length <= pathChars && !/[.,]/.test(name)) paths.push(each)
  }
  return paths.length === 0
    ? ""
    : ` get_run with fields shows parts of it; the largest object in it has ${names.length} members, such as ${paths.join(", ")}.`
}

type Cut = Pick<Shortened, "chars" | "innerGoesOn" | "items" | "outerGoesOn">

/** The way to what was cut, of which lists that are in no other one go on, and lists inside those and texts do not. */
const cutWords = ({ chars, innerGoesOn, items, outerGoesOn }: Cut, { skipItems }: Part): string =>
  [
    ...(items === null || !(outerGoesOn || innerGoesOn)
      ? []
      : [` Lists end after ${items} items; fields leaves room for more.`]),
    ...(items === null || !outerGoesOn
      ? []
      : [` get_run with skip_items ${skipItems + items} shows the next of each that is in no other list.`]),
    ...(innerGoesOn ? [" Beyond that, no tool shows the rest of a list that is inside another one."] : []),
    ...(chars === null ? [] : [` Texts end after ${chars} characters, and no tool shows the rest of them.`])
  ].join("")

/** Where nothing of any list is left to show, the reader has come to the end, or was led behind it. */
function* behindWords(result: Json, { skipItems }: Part): Generator<void, string> {
  if (skipItems === 0) return ""
  const longest = yield* longestOuter(result)
  return longest > skipItems
    ? ""
    : ` skip_items ${skipItems} is behind the end of every list that is in no other list: the longest has ${longest} items.`
}

const withWords = (view: RunView, words: string): RunView =>
  words === "" ? view : { ...view, hint: `${view.hint ?? ""}${words}`.trim() }

const askedOf = ({ maxItems, skipItems }: Part) => ({
  ...(maxItems === null ? {} : { max_items: maxItems }),
  ...(skipItems === 0 ? {} : { skip_items: skipItems })
})

function* cutOff(view: RunView, result: Json, part: Part, reader: Reader): Generator<void, RunView> {
  const { result: _, trimmed, ...rest } = view
  // Nothing but a result has no bound of its own.
  const { normalized: __, ...bare } = rest
  const around = bytesOf(rest) <= toolAnswerBytesMax / 2 ? rest : bare
  const short = yield* shortened(result, part, toolAnswerBytesMax - bytesOf(around) - wordsBytes)
  const size = `The result, ${view.resultBytes ?? 0} bytes,`
  const whole = elsewhere("All of it is got by", `/v1/runs/${view.runId}`, reader)
  if (short === null)
    return { ...around, hint: `${size} is too large to show.${mayRead(reader) ? yield* pathsOf(result) : ""} ${whole}` }
  const more = mayRead(reader) ? cutWords(short, part) : " Long lists and texts end early."
  return withoutPaths({
    ...around,
    result: short.value,
    trimmed: {
      truncated: true,
      ...(trimmed?.fields === undefined ? {} : { fields: trimmed.fields }),
      ...askedOf(part),
      ...(short.items === null ? {} : { max_items: short.items }),
      arrays: short.arrays.slice(0, arraysToldMax).map((array) => ({ ...array, path: cutText(array.path, pathChars) }))
    },
    hint: `${size} was cut.${more}${yield* behindWords(result, part)} ${whole}`
  })
}

function* partOfRunSteps(body: RunBody, reader: Reader, part: Part): Generator<void, RunView> {
  const view = viewOf(body, reader)
  const { result } = body
  if (result === undefined) return view
  const asked = askedOf(part)
  const trimmed =
    Object.keys(asked).length === 0
      ? null
      : Either.getOrNull(yield* trim(result, { fields: null, maxItems: part.maxItems, skipItems: part.skipItems }))
  const shownWhole =
    trimmed === null
      ? view
      : {
          ...view,
          result: trimmed.value,
          trimmed: { ...body.trimmed, truncated: trimmed.truncated, ...asked, arrays: trimmed.arrays }
        }
  const withAllWords = withWords(shownWhole, yield* behindWords(result, part))
  // To list the names of one wide object takes milliseconds: each time is a step of its own.
  yield
  const isWhole = fits(withAllWords)
  yield
  return isWhole ? withAllWords : yield* cutOff(view, result, part, reader)
}

/** The run with that part of its result that was asked for, as far as it fits. */
export const partOfRun = (body: RunBody, reader: Reader, part: Part = everything): Effect.Effect<RunView> =>
  runInSlices(() => partOfRunSteps(body, reader, part))

/** A run that did not do what was asked is a failed call: hosts show it as one, and `error` says why. */
export const didFail = ({ status }: RunView): boolean => status === "failed" || status === "blocked"
