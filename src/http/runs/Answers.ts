/**
 * What the routes of runs answer, as values: the routes write them as JSON, and so do the tools of agents (`http/mcp`).
 * Nothing is decided here; that is the `Runs` service's.
 */
import { Effect, Either } from "effect"
import { cutText } from "../../domain/Characters.js"
import { RunsCursorInvalid, ValidationError } from "../../domain/ApiErrors.js"
import { isObject, type Json } from "../../domain/Json.js"
import { writeJson } from "../../domain/LosslessJson.js"
import type { WorkspaceId } from "../../domain/Ids.js"
import { resultPathsMax } from "../../domain/limits/Runs.js"
import type { RunStatus } from "../../domain/Run.js"
import { trim } from "../../domain/Trim.js"
import type { CreatedRun, Runs } from "../../services/Runs.js"
import type { RunDetail } from "../../services/RunStore.js"
import { runInSlices } from "../../services/Slices.js"
import { runIdOf } from "../GivenId.js"
import { nextCursor, type PageQuery, pageRequest } from "../ListPage.js"
import { spanOf } from "../Query.js"
import { ReadTurns } from "../ReadTurns.js"
import type { RunBody, RunPage } from "./RunBody.js"
import { fileOf, runBody, runSummary } from "./ShownRun.js"

export const badRunsCursor = () => new RunsCursorInvalid()

const fieldsOf = (raw: string | undefined): Effect.Effect<ReadonlyArray<string> | null, ValidationError> => {
  if (raw === undefined) return Effect.succeed(null)
  const fields = [...new Set(raw.split(",").map((field) => field.trim()))]
  return fields.length <= resultPathsMax && fields.every((field) => field.split(".").every((name) => name !== ""))
    ? Effect.succeed(fields)
    : Effect.fail(ValidationError.of("fields", `must be 1 to ${resultPathsMax} dotted paths, separated by commas`))
}

/** Members of a result that are named where a path leads nowhere, and characters of each. */
const namesTold = 10
const nameChars = 50

/** Why a path leads nowhere, so that the next one does not. */
const nowhere = (path: string, runId: string, result: Json): string => {
  const shownPath = cutText(path, 100)
  if (fileOf(runId, result) !== null)
    return `${shownPath} cannot be read: the result is a file, which result.media names`
  if (path.startsWith("result."))
    return `${shownPath} is nowhere in the result; a path begins inside of the result, without result.`
  const names = isObject(result) ? Object.keys(result).slice(0, namesTold) : []
  const there = names.map((name) => cutText(name, nameChars)).join(", ")
  return `${shownPath} is nowhere in the result${there === "" ? "" : `; it has ${there}`}`
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
      return yield* ValidationError.of(
        "fields",
        body.payloadDropped === true
          ? "matches nothing: the result was dropped because of its age"
          : `matches nothing: the run is ${body.status} and has no result`
      )
    return { ...body, trimmed: { truncated: false, ...asked, arrays: [] } }
  }
  const { result } = body
  const kept = yield* runInSlices(() => trim(result, { fields, maxItems: maxItems ?? null }))
  const trimmed = yield* Either.mapLeft(kept, ({ path }) =>
    ValidationError.of("fields", nowhere(path, body.runId, result))
  )
  return { ...body, result: trimmed.value, trimmed: { truncated: trimmed.truncated, ...asked, arrays: trimmed.arrays } }
})

export const createdBody = (created: CreatedRun): RunBody => ({ ...runBody(created), replayed: created.replayed })

type Service = Runs["Type"]

/** How much of the result a reader wants; `fields` are dotted paths with commas between them. */
interface Trimming {
  readonly fields?: string
  readonly max_items?: number
}

/**
 * Clients look at their runs again and again: small runs are read together, a large one in its turn. What is done with
 * a large one belongs to its turn, so that a client that asks for many holds only a few in memory.
 */
const withDetail = <A, E, R>(
  runs: Service,
  workspaceId: WorkspaceId,
  runId: string,
  use: (detail: RunDetail) => Effect.Effect<A, E, R>
) =>
  Effect.flatMap(ReadTurns, ({ share, take }) =>
    Effect.flatMap(runIdOf(runId), (id) =>
      share(
        workspaceId,
        Effect.flatMap(runs.getSmall(workspaceId, id), (small) =>
          small === null ? take(workspaceId, Effect.flatMap(runs.get(workspaceId, id), use)) : use(small)
        )
      )
    )
  )

export const detailOf = (runs: Service, workspaceId: WorkspaceId, runId: string) =>
  withDetail(runs, workspaceId, runId, Effect.succeed)

/** `show` makes the answer of the run, in the run's turn. */
export const readRun = <A, E, R>(
  runs: Service,
  workspaceId: WorkspaceId,
  runId: string,
  trimming: Trimming,
  show: (body: RunBody) => Effect.Effect<A, E, R>
) =>
  withDetail(runs, workspaceId, runId, (detail) =>
    Effect.flatMap(trimmedBody(runBody(detail), trimming.fields, trimming.max_items), show)
  )

export const cancelRun = (runs: Service, workspaceId: WorkspaceId, runId: string) =>
  Effect.flatMap(runIdOf(runId), (id) => Effect.map(runs.cancel(workspaceId, id), runBody))

interface RunListQuery extends PageQuery {
  readonly status?: RunStatus
  readonly capability?: string
  readonly endpointId?: string
  readonly providerId?: string
  readonly tokenId?: string
  readonly idempotencyKey?: string
  readonly from?: number
  readonly to?: number
  readonly includeResult: boolean
}

export const listRuns = Effect.fnUntraced(function* (runs: Service, workspaceId: WorkspaceId, asked: RunListQuery) {
  const { capability, endpointId, idempotencyKey, includeResult, providerId, status, tokenId } = asked
  const key = idempotencyKey === undefined ? {} : { idempotencyKey }
  const filter = {
    ...(status === undefined ? {} : { status }),
    ...(capability === undefined ? {} : { capability }),
    ...(endpointId === undefined ? {} : { endpointId }),
    ...(providerId === undefined ? {} : { providerId }),
    ...(tokenId === undefined ? {} : { tokenId }),
    ...key,
    ...spanOf(asked)
  }
  const binding = { list: "runs", workspaceId, filters: filter }
  const page = yield* runs.list(workspaceId, filter, yield* pageRequest(asked, binding, badRunsCursor), includeResult)
  // A run says the key that it was asked for by: a gateway that does not know this filter lists other runs.
  return {
    runs: page.items.map((run) => ({ ...runSummary(run), ...key })),
    nextCursor: yield* nextCursor(page, binding)
  }
})

/** The JSON of a page, a run in each step: with their results, the runs of a page may have some megabytes. */
export function* pageText({ nextCursor, runs }: typeof RunPage.Type): Generator<void, string> {
  const texts: Array<string> = []
  for (const run of runs) {
    texts.push(writeJson(run))
    yield
  }
  return `{"runs":[${texts.join(",")}],"nextCursor":${writeJson(nextCursor)}}`
}
