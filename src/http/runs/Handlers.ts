/** Translates between the routes of runs and the `Runs` service; decides nothing itself. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, type Layer } from "effect"
import type { MoneyLeft } from "../../domain/Admission.js"
import { writeJson } from "../../domain/LosslessJson.js"
import { CursorKey } from "../../services/CursorKey.js"
import { Runs } from "../../services/Runs.js"
import { runInSlices } from "../../services/Slices.js"
import { Api } from "../Api.js"
import { type Bearer, Principal } from "../Auth.js"
import { mediaIdOf, runIdOf } from "../GivenId.js"
import { served, type Served } from "../serving/Endpoints.js"
import { HttpSettings } from "../Settings.js"
import { jsonBody } from "../Body.js"
import { callerBudget } from "../BodyBudget.js"
import { requiredKeyOf } from "../IdempotencyKey.js"
import { stateOf, tracedBy } from "../RequestState.js"
import { reading, ReadTurns } from "../ReadTurns.js"
import { cancelRun, createdBody, detailOf, listRuns, pageText, readRun } from "./Answers.js"
import { mediaResponse } from "./MediaResponse.js"
import { quoteBody } from "./QuoteBody.js"
import type { RunBody } from "./RunBody.js"
import { attemptList } from "./ShownRun.js"
import { QuoteBody, quoteRequestOf, RunRequestBody } from "./RunRequestBody.js"
import { agentCounter } from "./ServiceAgents.js"
import { waitSeconds } from "./Wait.js"

const readRunRequest = jsonBody(RunRequestBody, callerBudget)
const readQuoteRequest = jsonBody(QuoteBody, callerBudget)

const contentType = "application/json"

/** Runs carry JSON of any size: the body is made by hand, and a test holds it against the schema of the document. */
const json = (body: RunBody, status: number, headers: { readonly [name: string]: string } = {}) =>
  HttpServerResponse.text(writeJson(body), { status, headers, contentType })

/** What is left after the run's hold or settlement (extensions, section 1). Without headers where nobody told it. */
const moneyHeaders = (left: MoneyLeft | null): { readonly [name: string]: string } =>
  left === null
    ? {}
    : {
        "x-balance-micros": String(left.balanceMicros),
        ...(left.keyMicros === null ? {} : { "x-key-remaining-micros": String(left.keyMicros) })
      }

export const RunsHandlers: Layer.Layer<
  HttpApiGroup.ApiGroup<"provider-gateway", "runs">,
  never,
  CursorKey | HttpSettings | ReadTurns | Runs | Bearer | Served
> = HttpApiBuilder.group(Api, "runs", (handlers) =>
  served(
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
            Effect.fnUntraced(function* ({ headers, request, urlParams }) {
              const principal = yield* Principal
              const state = stateOf(request)
              countAgent(headers["x-service-agent"])
              const body = yield* readRunRequest(request)
              const idempotencyKey = yield* requiredKeyOf(headers["idempotency-key"], body.idempotencyKey)
              const created = yield* runs.create(
                principal,
                { ...quoteRequestOf(body, state.requestId), idempotencyKey, ...tracedBy(state) },
                urlParams.wait ?? waitSeconds(body.wait ?? false)
              )
              state.runId = created.run.runId
              return json(createdBody(created), 201, moneyHeaders(created.left))
            })
          )
          .handleRaw(
            "quote",
            Effect.fnUntraced(function* ({ request }) {
              const principal = yield* Principal
              const { requestId } = stateOf(request)
              // Before its turn: a client that is slow to send it keeps nobody waiting.
              const body = yield* readQuoteRequest(request)
              const turns = yield* ReadTurns
              return quoteBody(
                yield* turns.take(principal.workspaceId, runs.quote(principal, quoteRequestOf(body, requestId)))
              )
            })
          )
          .handle(
            "list",
            reading(
              Effect.fnUntraced(function* ({ urlParams }) {
                const { workspaceId } = yield* Principal
                const page = yield* listRuns(runs, workspaceId, urlParams)
                return HttpServerResponse.text(yield* runInSlices(() => pageText(page)), { contentType })
              })
            )
          )
          .handle(
            "get",
            Effect.fnUntraced(function* ({ path, urlParams }) {
              const { workspaceId } = yield* Principal
              return yield* readRun(runs, workspaceId, path.runId, urlParams, (body) =>
                Effect.sync(() => json(body, 200))
              )
            })
          )
          .handle(
            "cancel",
            Effect.fnUntraced(function* ({ path }) {
              const { workspaceId } = yield* Principal
              return json(yield* cancelRun(runs, workspaceId, path.runId), 200)
            })
          )
          .handle(
            "attempts",
            Effect.fnUntraced(function* ({ path }) {
              const { workspaceId } = yield* Principal
              return attemptList(yield* detailOf(runs, workspaceId, path.runId))
            })
          )
          .handle(
            "media",
            reading(
              Effect.fnUntraced(function* ({ path, request }) {
                const { workspaceId } = yield* Principal
                const runId = yield* runIdOf(path.runId)
                const media = yield* runs.media(workspaceId, runId, yield* mediaIdOf(path.mediaId))
                return yield* mediaResponse(media, request, "program")
              })
            )
          )
      )
    }),
    Context.pick(CursorKey, ReadTurns)
  )
)
