/** All tools of agents in the order in which hosts show them, and one call of one of them. */
import { Cause, Effect, Option } from "effect"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Forbidden, ValidationError } from "../../domain/ApiErrors.js"
import { cutText } from "../../domain/Characters.js"
import type { Json } from "../../domain/Json.js"
import type { Scope } from "../../domain/Scope.js"
import type { Catalog } from "../../services/Catalog.js"
import type { CursorKey } from "../../services/CursorKey.js"
import type { Runs } from "../../services/Runs.js"
import type { Wallet } from "../../services/Wallet.js"
import { unexpected } from "../Boundary.js"
import { wireErrors } from "../Envelope.js"
import { errorBody } from "../ErrorAnswers.js"
import type { ReadTurns } from "../ReadTurns.js"
import type { RequestState } from "../RequestState.js"
import { getLimits } from "./AccountTools.js"
import { inspectOperation, searchOperations } from "./CatalogTools.js"
import { cancelTool, getRun, listTool, quoteRun, runOperation } from "./RunTools.js"
import type { Tool, ToolAnswer, Visit } from "./Tool.js"

export type ToolServices = Catalog | CursorKey | ReadTurns | Runs | Wallet

export const tools: ReadonlyArray<Tool<ToolServices>> = [
  searchOperations,
  inspectOperation,
  quoteRun,
  runOperation,
  getRun,
  cancelTool,
  listTool,
  getLimits
]

export const maySee = (granted: ReadonlyArray<Scope>, { scope }: Pick<Tool<never>, "scope">): boolean =>
  scope === null || granted.includes(scope)

/** An error of the table as REST answers it, with whose error it is, as the errors of runs say it. */
const refusal = (error: unknown, requestId: string): ToolAnswer => {
  const body = errorBody(error, requestId)
  const status = wireErrors.get(body?.error.code ?? "")?.status ?? 500
  return {
    value: { ...body, error: { ...body?.error, whoseError: status < 500 ? "customer" : "gateway" } },
    failed: true
  }
}

/** Never fails: every failure is an answer. An interruption stays one. */
export const callTool = (
  name: string,
  args: Json,
  visit: Visit,
  asked: { readonly request: HttpServerRequest.HttpServerRequest; readonly state: RequestState }
): Effect.Effect<ToolAnswer, never, ToolServices> => {
  const known = tools.find((each) => each.name === name)
  const answered =
    known === undefined
      ? ValidationError.of("name", `is no tool; there are ${tools.map(({ name }) => name).join(", ")}`)
      : maySee(visit.caller.scopes, known)
        ? known.call(args, visit)
        : new Forbidden({ scope: known.scope ?? cutText(name, 100) })
  return Effect.catchAllCause(answered, (cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
    return Option.match(Cause.failureOption(cause), {
      onNone: () =>
        Effect.map(unexpected(cause, asked.request.method, asked.state), (error) => refusal(error, visit.requestId)),
      onSome: (error) => Effect.succeed(refusal(error, visit.requestId))
    })
  })
}
