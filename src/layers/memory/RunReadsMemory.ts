/** Runs read from `MemoryStorage`: single ones, their attempts and files, and lists. */
import { Effect, HashMap, Option } from "effect"
import { runIdsOfRequest } from "../../domain/Ids.js"
import { pageOf, within } from "../../domain/Pages.js"
import {
  type ListedRun,
  type Run,
  shownEndpoint,
  shownProvider,
  summarise,
  uncertainKey,
  uncertainPlaceOf
} from "../../domain/Run.js"
import type { RunFilter, RunStore } from "../../services/RunStore.js"
import type { MemoryStorage } from "./MemoryStorage.js"
import { findRun, oldestFirst } from "./StoredRuns.js"

const fits = (run: Run, filter: RunFilter): boolean =>
  (filter.status === undefined || run.status === filter.status) &&
  (filter.capability === undefined || run.job === filter.capability) &&
  (filter.endpointId === undefined || shownEndpoint(run) === filter.endpointId) &&
  (filter.providerId === undefined || shownProvider(run) === filter.providerId) &&
  (filter.tokenId === undefined || run.tokenId === filter.tokenId) &&
  (filter.idempotencyKey === undefined || run.idempotencyKey === filter.idempotencyKey) &&
  (filter.fromMillis === undefined || run.createdAt >= filter.fromMillis) &&
  (filter.toMillis === undefined || run.createdAt < filter.toMillis)

const listed = (run: Run, withResult: boolean): ListedRun => ({
  ...summarise(run),
  result: withResult ? run.result : null
})

export const runReadsMemory = ({ read }: MemoryStorage["Type"]) => {
  const detail: RunStore["Type"]["detail"] = (key) =>
    Effect.map(read, (state) =>
      Option.getOrNull(Option.map(findRun(state, key), ({ attempts, run }) => ({ run, attempts })))
    )

  return {
    get: (key) => Effect.map(read, (state) => Option.getOrNull(Option.map(findRun(state, key), ({ run }) => run))),
    detail,
    // Nothing is large or old here.
    smallDetail: detail,
    getMany: (keys) =>
      Effect.map(read, (state) =>
        keys.flatMap((key) => Option.toArray(Option.map(findRun(state, key), ({ run }) => run)))
      ),
    list: (workspaceId, filter, page, resultBytesMax) =>
      Effect.map(read, (state) => {
        const rows = oldestFirst(
          state,
          ({ run }) =>
            run.workspaceId === workspaceId && (page.after === null || run.runId < page.after) && fits(run, filter)
        )
          .map(({ run }) => listed(run, resultBytesMax !== null))
          .reverse()
        const found = pageOf(rows, page.limit, ({ runId }) => runId)
        return resultBytesMax === null
          ? found
          : within(
              found,
              resultBytesMax,
              ({ result }) => (result === null ? 0 : Buffer.byteLength(JSON.stringify(result))),
              ({ runId }) => runId
            )
      }),
    attempts: (key) =>
      Effect.map(read, (state) =>
        Option.getOrElse(
          Option.map(findRun(state, key), ({ attempts }) => attempts),
          () => []
        )
      ),
    media: (key, mediaId) =>
      Effect.map(read, (state) =>
        Option.match(
          Option.flatMapNullable(findRun(state, key), ({ media }) => media.find((one) => one.mediaId === mediaId)),
          {
            onNone: () => null,
            onSome: ({ bytes, ...about }) => ({
              ...about,
              size: bytes.byteLength,
              part: (start, end) => Effect.succeed(bytes.subarray(start, end))
            })
          }
        )
      ),
    uncertain: ({ after, limit }) =>
      Effect.map(read, (state) => {
        const place = after === null ? { createdAt: -1, runId: "" } : uncertainPlaceOf(after)
        const rows = oldestFirst(state, ({ run }) => run.status === "reconciliation_pending")
          .map(({ run }) => run)
          .sort((a, b) => a.createdAt - b.createdAt)
          .filter(
            ({ createdAt, runId }) =>
              createdAt > place.createdAt || (createdAt === place.createdAt && runId > place.runId)
          )
        return pageOf(rows, limit, uncertainKey)
      }),
    queuedSince: Effect.map(
      read,
      (state) => oldestFirst(state, ({ run }) => run.status === "queued")[0]?.run.createdAt ?? null
    ),
    locate: (runId) =>
      Effect.map(read, (state) =>
        Option.getOrNull(
          Option.map(HashMap.get(state.runs, runId), ({ run }) => ({ workspaceId: run.workspaceId, runId }))
        )
      ),
    locateRequest: (requestId) =>
      Effect.map(read, (state) => {
        const { before, from } = runIdsOfRequest(requestId)
        const made = Array.from(HashMap.values(state.runs)).find(
          ({ run }) => run.requestId === requestId && run.runId >= from && run.runId < before
        )
        return made === undefined ? null : { workspaceId: made.run.workspaceId, runId: made.run.runId }
      })
  } satisfies Partial<RunStore["Type"]>
}
