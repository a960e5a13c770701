/** A run over HTTP, and its line for people: what the commands about runs share. */
import { Effect, Schema } from "effect"
import { optional } from "../../domain/Described.js"
import type { Json, JsonObject } from "../../domain/Json.js"
import { writeJson } from "../../domain/LosslessJson.js"
import { dollars, microsPerUsd } from "../../domain/Micros.js"
import { RunStatus } from "../../domain/Run.js"
import { jsonWithoutCommands } from "../TerminalSigns.js"
import { anObject, expectShape, type LoggedIn } from "./GatewayClient.js"

export const RunError = Schema.Struct({ code: Schema.String, message: Schema.String })

const summary = {
  runId: Schema.String,
  endpointId: Schema.String,
  servedEndpointId: optional(Schema.String),
  status: RunStatus,
  outcome: optional(Schema.String),
  createdAt: Schema.String,
  actualCost: Schema.NullOr(Schema.Number),
  error: optional(RunError)
}
const RunShape = Schema.Struct({ ...summary, replayed: optional(Schema.Boolean) })
export type RunShape = typeof RunShape.Type
const Run = expectShape(RunShape)
export const RunPage = expectShape(
  Schema.Struct({ runs: Schema.Array(Schema.Struct(summary)), nextCursor: Schema.NullOr(Schema.String) })
)

/** For people where nothing is lost by it; else as exact as it came. */
export const printed = (json: Json): string => {
  const exact = writeJson(json)
  return jsonWithoutCommands(exact === JSON.stringify(json) ? JSON.stringify(json, null, 2) : exact)
}

export const costOf = (usd: number | null): string =>
  usd === null ? "not settled" : dollars(Math.round(usd * microsPerUsd))

export interface Found {
  readonly run: RunShape
  readonly json: JsonObject
}

export const foundIn = (url: string, json: Json) =>
  Effect.gen(function* () {
    const found: Found = { run: yield* Run(url, json), json: yield* anObject(url, json) }
    return found
  })

export const runAt = (gateway: LoggedIn, runId: string) =>
  Effect.flatMap(gateway.get(`/v1/runs/${encodeURIComponent(runId)}`), (json) => foundIn(gateway.url, json))

export const lineOf = (found: Omit<RunShape, "replayed">): string =>
  [
    found.runId,
    found.createdAt,
    `${found.status}${found.outcome === undefined ? "" : `/${found.outcome}`}`,
    costOf(found.actualCost),
    found.servedEndpointId ?? found.endpointId
  ].join("  ")
