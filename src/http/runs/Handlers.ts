/** Translates between the routes of runs and the `Runs` service; decides nothing itself. */
import { HttpApiBuilder, HttpServerResponse, type HttpApiGroup } from "@effect/platform"
import { Effect, Either, Option, Schema, type Layer } from "effect"
import { cutText } from "../../domain/Characters.js"
import { NotFound, RunsCursorInvalid, ValidationError } from "../../domain/ApiErrors.js"
import { MediaId, RunId } from "../../domain/Ids.js"
import { resultPathsMax } from "../../domain/Limits.js"
import { writeJson } from "../../domain/LosslessJson.js"
import { trim } from "../../domain/Trim.js"
import type { CursorKey } from "../../services/CursorKey.js"
import { Runs } from "../../services/Runs.js"
import { Api } from "../Api.js"
import { Principal, type Bearer } from "../Auth.js"
import { HttpSettings } from "../Settings.js"
import { jsonBody } from "../Body.js"
import { callerBudget } from "../BodyBudget.js"
import { requiredKeyOf } from "../IdempotencyKey.js"
import { answering, stateOf } from "../RequestState.js"
import { nextCursor, pageRequest } from "../ListPage.js"
import { reading, type ReadTurns } from "../ReadTurns.js"
import { mediaResponse } from "./MediaResponse.js"
import { quoteBody } from "./QuoteBody.js"
import { attemptList, runBody, runSummary, type RunBody, type RunSummary } from "./RunBody.js"
import { QuoteBody, quoteRequestOf, RunRequestBody } from "./RunRequestBody.js"
import { agentCounter } from "./ServiceAgents.js"
import { waitSeconds } from "./Wait.js"

const readRunRequest = jsonBody(RunRequestBody, callerBudget)
const readQuoteRequest = jsonBody(QuoteBody, callerBudget)
const toRunId = Schema.decodeOption(RunId)
const isMediaId = Schema.is(MediaId)

/** An id of another form names no run. */
const runIdOf = (id: string): Effect.Effect<RunId, NotFound> =>
  Option.match(toRunId(id), {
    onNone: () => Effect.fail(new NotFound({ what: "run", id: cutText(id, 100) })),
    onSome: Effect.succeed
  })

/** Runs carry JSON of any size: the body is made by hand, and a test holds it against the schema of the document. */
const json = (
  body: RunBody | { readonly runs: ReadonlyArray<RunSummary>; readonly nextCursor: string | null },
  status: number
) => HttpServerResponse.text(writeJson(body), { status, contentType: "application/json" })

export const badRunsCursor = () => new RunsCursorInvalid()

const fieldsOf = (raw: string | undefined): Effect.Effect<ReadonlyArray<string> | null, ValidationError> => {
  if (raw === undefined) return Effect.succeed(null)
  const fields = [...new Set(raw.split(",").map((field) => field.trim()))]
  return fields.length <= resultPathsMax && fields.every((field) => field.split(".").every((name) => name !== ""))
    ? Effect.succeed(fields)
    : Effect.fail(ValidationError.of("fields", `must be 1 to ${resultPathsMax} dotted paths, separated by commas`))
}

/** Without a result no path can match, so `fields` is refused. `max_items` alone then has nothing to cut. */
const trimmedBody = Effect.fnUntraced(function* (
  body: RunBody,
  rawFields: string | undefined,
  maxItems: number | undefined
) {
  const fields = yield* fieldsOf(rawFields)
  if (fields === null && maxItems === undefined) return body
  const asked = { ...(fields === null ? {} : { fields }), ...(maxItems === undefined ? {} : { max_items: maxItems }) }
  if (body.result === undefined) {
    if (fields !== null)
      return yield* ValidationError.of("fields", `matches nothing: the run is ${body.status} and has no result`)
    return { ...body, trimmed: { truncated: false, ...asked, arrays: [] } }
  }
  const trimmed = yield* Either.mapLeft(trim(body.result, { fields, maxItems: maxItems ?? null }), ({ path }) =>
    ValidationError.of("fields", `${cutText(path, 100)} is nowhere in the result`)
  )
  return { ...body, result: trimmed.value, trimmed: { truncated: trimmed.truncated, ...asked, arrays: trimmed.arrays } }
})

export const RunsHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "runs">,
  never,
  CursorKey | HttpSettings | ReadTurns | Runs | Bearer
> = HttpApiBuilder.group(Api, "runs", (handlers) =>
  Effect.gen(function* () {
    const runs = yield* Runs
    const countAgent = agentCounter((yield* HttpSettings).serviceAgents)
    return (
      handlers
        // A client that hangs up interrupts this. `create` itself lets nothing of the admission be interrupted, only
        // its waiting; making the whole handler uninterruptible would make that waiting outlast its time, because
        // nobody could end it.
        .handleRaw(
          "create",
          answering(
            Effect.fnUntraced(function* ({ headers, request, urlParams }) {
              const principal = yield* Principal
              const { requestId } = stateOf(request)
              countAgent(headers["x-service-agent"])
              const body = yield* readRunRequest(request)
              const idempotencyKey = yield* requiredKeyOf(headers["idempotency-key"], body.idempotencyKey)
              const created = yield* runs.create(
                principal,
                { ...quoteRequestOf(body, requestId), idempotencyKey },
                urlParams.wait ?? waitSeconds(body.wait ?? false)
              )
              return json({ ...runBody(created), replayed: created.replayed }, 201)
            })
          )
        )
        .handleRaw(
          "quote",
          reading(
            Effect.fnUntraced(function* ({ request }) {
              const principal = yield* Principal
              const { requestId } = stateOf(request)
              const body = yield* readQuoteRequest(request)
              return quoteBody(yield* runs.quote(principal, quoteRequestOf(body, requestId)))
            })
          )
        )
        .handle(
          "list",
          reading(
            Effect.fnUntraced(function* ({ urlParams }) {
              const { workspaceId } = yield* Principal
              const { capability, includeResult, status } = urlParams
              const filter = {
                ...(status === undefined ? {} : { status }),
                ...(capability === undefined ? {} : { capability })
              }
              const binding = { list: "runs", workspaceId, filters: filter }
              const page = yield* runs.list(
                workspaceId,
                filter,
                yield* pageRequest(urlParams, binding, badRunsCursor),
                includeResult
              )
              return json({ runs: page.items.map(runSummary), nextCursor: yield* nextCursor(page, binding) }, 200)
            })
          )
        )
        .handle(
          "get",
          reading(
            Effect.fnUntraced(function* ({ path, urlParams }) {
              const { workspaceId } = yield* Principal
              const detail = yield* runs.get(workspaceId, yield* runIdOf(path.runId))
              return json(yield* trimmedBody(runBody(detail), urlParams.fields, urlParams.max_items), 200)
            })
          )
        )
        .handle(
          "cancel",
          answering(
            Effect.fnUntraced(function* ({ path }) {
              const { workspaceId } = yield* Principal
              return json(runBody(yield* runs.cancel(workspaceId, yield* runIdOf(path.runId))), 200)
            })
          )
        )
        .handle(
          "attempts",
          reading(
            Effect.fnUntraced(function* ({ path }) {
              const { workspaceId } = yield* Principal
              return attemptList(yield* runs.get(workspaceId, yield* runIdOf(path.runId)))
            })
          )
        )
        .handle(
          "media",
          reading(
            Effect.fnUntraced(function* ({ headers, path }) {
              const { workspaceId } = yield* Principal
              const runId = yield* runIdOf(path.runId)
              if (!isMediaId(path.mediaId)) return yield* new NotFound({ what: "file", id: cutText(path.mediaId, 100) })
              const media = yield* runs.media(workspaceId, runId, path.mediaId)
              return yield* mediaResponse(media, {
                range: headers.range,
                ifNoneMatch: headers["if-none-match"],
                ifRange: headers["if-range"]
              })
            })
          )
        )
    )
  })
)
