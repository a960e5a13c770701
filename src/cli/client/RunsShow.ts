/**
 * `runs show`: a run with its attempts and its result. A client reads it at the gateway of the login; an operator reads
 * any run in the database of this machine, also by the id of the request that made it.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, type Layer, type Option, Schema } from "effect"
import { ValidationError } from "../../domain/ApiErrors.js"
import { RequestId, type RunId } from "../../domain/Ids.js"
import type { Json } from "../../domain/Json.js"
import { dollars, toUsd } from "../../domain/Micros.js"
import { shownOutcome } from "../../domain/RefusedRun.js"
import type { Attempt, Run, StoredResult } from "../../domain/Run.js"
import { Reconciliation } from "../../services/Reconciliation.js"
import { type Answer, answer, isoTime, isoTimeOrNull } from "../Answer.js"
import * as Inputs from "../Inputs.js"
import { lineOf, printed, runAt, type RunShape } from "./FoundRuns.js"
import { anObject, expectShape, loggedInOrTold, urlOption } from "./GatewayClient.js"

const Attempts = expectShape(
  Schema.Struct({
    attempts: Schema.Array(
      Schema.Struct({
        n: Schema.Int,
        endpointId: Schema.String,
        status: Schema.String,
        outcome: Schema.NullOr(Schema.String),
        costMicros: Schema.NullOr(Schema.Int),
        latencyMs: Schema.NullOr(Schema.Int)
      })
    )
  })
)
interface ShownAttempt {
  readonly n: number
  readonly endpointId: string
  readonly status: string
  readonly outcome: string | null
  readonly costMicros: number | null
  readonly latencyMs: number | null
}

const attemptLine = (each: ShownAttempt): string =>
  `  ${each.n}. ${each.endpointId}  ${each.outcome ?? each.status}  ${dollars(each.costMicros ?? 0)}  ${each.latencyMs ?? "?"} ms`

/** The error of a run, and its result where there is one. */
const endLines = (error: RunShape["error"] | null, result: Json | undefined): ReadonlyArray<string> => [
  ...(error == null ? [] : [`${error.message} (${error.code})`]),
  ...(result === undefined ? [] : [printed(result)])
]

const showOver = Effect.fn("showOver")(function* (url: Option.Option<string>, runId: RunId) {
  const gateway = yield* loggedInOrTold(url, otherWay)
  const found = yield* runAt(gateway, runId)
  const answered = yield* gateway.get(`/v1/runs/${runId}/attempts`)
  const { attempts } = yield* Attempts(gateway.url, answered)
  const shown: Answer = {
    json: { ...found.json, attempts: (yield* anObject(gateway.url, answered))["attempts"] ?? null },
    text: [lineOf(found.run), ...attempts.map(attemptLine), ...endLines(found.run.error, found.json["result"])].join(
      "\n"
    )
  }
  return shown
})

const resultJson = (result: StoredResult): Json => {
  switch (result._tag) {
    case "Json":
    case "Refusal":
      return result.value
    case "Text":
      return { text: result.text, format: result.format }
    case "Media":
      return { media: { ...result.media } }
  }
}

const runJson = (run: Run) => ({
  runId: run.runId,
  workspaceId: run.workspaceId,
  tokenId: run.tokenId,
  requestId: run.requestId,
  idempotencyKey: run.idempotencyKey,
  requestedEndpointId: run.requestedEndpointId,
  endpointId: run.endpointId,
  servedEndpointId: run.servedEndpointId,
  status: run.status,
  outcome: shownOutcome(run),
  outcomeReason: run.outcomeReason,
  createdAt: isoTime(run.createdAt),
  startedAt: isoTimeOrNull(run.startedAt),
  completedAt: isoTimeOrNull(run.completedAt),
  heldMicros: run.holdMicros,
  chargedMicros: run.chargeMicros,
  error: run.error === null ? null : { ...run.error },
  result: run.result === null ? null : resultJson(run.result)
})

const attemptJson = (attempt: Attempt) => ({
  attemptId: attempt.attemptId,
  n: attempt.n,
  providerId: attempt.providerId,
  endpointId: attempt.endpointId,
  status: attempt.status,
  outcome: attempt.outcome,
  errorCode: attempt.errorCode,
  reason: attempt.reason,
  providerStatus: attempt.providerStatus,
  providerRequestId: attempt.receipt?.providerRequestId ?? null,
  latencyMs: attempt.latencyMs,
  costMicros: attempt.costMicros,
  startedAt: isoTime(attempt.startedAt),
  completedAt: isoTimeOrNull(attempt.completedAt)
})

/** What the provider answered to one attempt, in a line below it. */
const saidLine = ({ errorCode, providerStatus, reason }: Attempt): ReadonlyArray<string> => {
  const parts = [errorCode, providerStatus === null ? null : `status ${providerStatus}`, reason]
  const reasons = parts.filter((part) => part !== null)
  return reasons.length === 0 ? [] : [`     ${reasons.join(", ")}`]
}

/** With what only an operator can ask for: whose the run is, and how each call ended. */
const showHere = Effect.fn("showHere")(function* (id: RunId | RequestId) {
  const reconciliation = yield* Reconciliation
  const { runId } = yield* reconciliation.find(id)
  const { attempts, run } = yield* reconciliation.about(runId)
  const json = runJson(run)
  const { idempotencyKey, requestId, tokenId, workspaceId } = run
  const line = lineOf({
    runId,
    createdAt: json.createdAt,
    status: run.status,
    endpointId: run.endpointId,
    actualCost: run.chargeMicros === null ? null : toUsd(run.chargeMicros),
    ...(json.outcome === null ? {} : { outcome: json.outcome }),
    ...(run.servedEndpointId === null ? {} : { servedEndpointId: run.servedEndpointId })
  })
  const shown: Answer = {
    json: { ...json, attempts: attempts.map(attemptJson) },
    text: [
      line,
      `  of ${workspaceId}, token ${tokenId}, request ${requestId}, idempotency key ${idempotencyKey}`,
      ...attempts.flatMap((each) => [attemptLine(each), ...saidLine(each)]),
      ...endLines(run.error, run.result === null ? undefined : json.result)
    ].join("\n")
  }
  return shown
})

const otherWay = "read it in the database of this machine, in whichever workspace, with --database"
const isRequestId = Schema.is(RequestId)

export const runsShow = <E, R>(operator: Layer.Layer<Reconciliation, E, R>) =>
  Command.make(
    "show",
    {
      id: Inputs.runOrRequestArgument,
      database: Options.boolean("database").pipe(
        Options.withDescription(
          "In the database of this machine: any run, in whichever workspace, also by the id of the request that made it"
        )
      ),
      url: urlOption,
      json: Inputs.json
    },
    ({ database, id, json, url }) =>
      answer(
        json,
        Effect.gen(function* () {
          if (database) return yield* Effect.provide(showHere(id), operator)
          if (isRequestId(id)) return yield* ValidationError.of("runId", "the id of a request needs --database")
          return yield* showOver(url, id)
        })
      )
  ).pipe(Command.withDescription("A run with its attempts and its result"))
