/** Runs over `MemoryStorage`: the same fences and orders as on Postgres. */
import { Clock, Effect, HashMap, Layer, Option, Array as Arr } from "effect"
import { type RunId, runIdsOfRequest } from "../../domain/Ids.js"
import {
  type Attempt,
  type ListedRun,
  type Run,
  shownEndpoint,
  shownProvider,
  summarise,
  uncertainKey,
  uncertainPlaceOf
} from "../../domain/Run.js"
import { wasRefused } from "../../domain/RefusedRun.js"
import { next } from "../../domain/RunMachine.js"
import { placeText } from "../../services/Idempotency.js"
import { Ids } from "../../services/Ids.js"
import {
  type Conclusion,
  type Fence,
  type LeasedRun,
  type RunFilter,
  type RunKey,
  RunStore,
  type ClaimOptions
} from "../../services/RunStore.js"
import { pageOf, within } from "../../domain/Pages.js"
import { MemoryStorage, type MemoryState, type StoredRun } from "./MemoryStorage.js"

const withAttempt = (attempts: ReadonlyArray<Attempt>, attempt: Attempt | null): ReadonlyArray<Attempt> =>
  attempt === null
    ? attempts
    : [...attempts.filter((known) => known.n !== attempt.n), attempt].sort((a, b) => a.n - b.n)

const fits = (run: Run, filter: RunFilter): boolean =>
  (filter.status === undefined || run.status === filter.status) &&
  (filter.capability === undefined || run.job === filter.capability) &&
  (filter.endpointId === undefined || shownEndpoint(run) === filter.endpointId) &&
  (filter.providerId === undefined || shownProvider(run) === filter.providerId) &&
  (filter.tokenId === undefined || run.tokenId === filter.tokenId) &&
  (filter.idempotencyKey === undefined || run.idempotencyKey === filter.idempotencyKey) &&
  (filter.fromMillis === undefined || run.createdAt >= filter.fromMillis) &&
  (filter.toMillis === undefined || run.createdAt < filter.toMillis)

/** Before the token of a lease whose node has left the run, as on Postgres. No node writes under such a token. */
const leftPrefix = "left_"
const wasLeft = ({ lease }: StoredRun): boolean => lease?.token.startsWith(leftPrefix) === true

const listed = (run: Run, withResult: boolean): ListedRun => ({
  ...summarise(run),
  result: withResult ? run.result : null
})

export const RunStoreMemory: Layer.Layer<RunStore, never, MemoryStorage | Ids> = Layer.effect(
  RunStore,
  Effect.gen(function* () {
    const storage = yield* MemoryStorage
    const ids = yield* Ids

    const find = (state: MemoryState, key: RunKey): Option.Option<StoredRun> =>
      Option.filter(HashMap.get(state.runs, key.runId), (stored) => stored.run.workspaceId === key.workspaceId)
    const put = (state: MemoryState, stored: StoredRun): MemoryState => ({
      ...state,
      runs: HashMap.set(state.runs, stored.run.runId, stored)
    })
    const detail: RunStore["Type"]["detail"] = (key) =>
      Effect.map(storage.read, (state) =>
        Option.getOrNull(Option.map(find(state, key), ({ attempts, run }) => ({ run, attempts })))
      )
    const oldestFirst = (state: MemoryState, wanted: (stored: StoredRun) => boolean): ReadonlyArray<StoredRun> =>
      [...HashMap.values(state.runs)].filter(wanted).sort((a, b) => (a.run.runId < b.run.runId ? -1 : 1))

    const take = (
      wanted: (stored: StoredRun, now: number) => boolean,
      options: ClaimOptions
    ): Effect.Effect<ReadonlyArray<LeasedRun>> =>
      Effect.flatMap(Effect.zip(ids.suffixes(options.limit), Clock.currentTimeMillis), ([tokens, now]) =>
        storage.modify((state) => {
          const taken = Arr.zipWith(
            oldestFirst(state, (stored) => wanted(stored, now)),
            tokens,
            (stored, token): LeasedRun => {
              const takenOver = stored.run.status !== "running" ? false : wasLeft(stored) ? "left" : "silent"
              return {
                run: {
                  ...stored.run,
                  status: Option.getOrElse(next(stored.run.status, "Claimed"), () => stored.run.status),
                  startedAt: stored.run.startedAt ?? now
                },
                lease: { node: options.node, token, millis: options.leaseMillis },
                attempts: stored.attempts,
                takenOver,
                workersLost: stored.workersLost + (takenOver === "silent" ? 1 : 0),
                restored: false,
                waitedMillis: now - stored.run.createdAt
              }
            }
          )
          return [
            taken,
            taken.reduce(
              (after, { lease, run, workersLost }) => ({
                ...after,
                runs: HashMap.modify(after.runs, run.runId, (stored) => ({
                  ...stored,
                  run,
                  lease,
                  leaseEndsAt: now + lease.millis,
                  workersLost
                }))
              }),
              state
            )
          ]
        })
      )

    const concludeOne = (state: MemoryState, { attempt, media, run }: Conclusion): MemoryState =>
      Option.match(find(state, run), {
        onNone: () => state,
        onSome: (stored) =>
          put(state, {
            ...stored,
            run: { ...run, cancelRequested: stored.run.cancelRequested || run.cancelRequested },
            lease: null,
            leaseEndsAt: 0,
            attempts: withAttempt(stored.attempts, attempt),
            media: media === null ? stored.media : [...stored.media, media]
          })
      })

    return RunStore.of({
      insert: (runs) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          storage.modify((state) => [
            undefined,
            runs.reduce(
              (after, { attempt, lease, run }) =>
                put(after, {
                  run,
                  lease,
                  leaseEndsAt: now + (lease?.millis ?? 0),
                  workersLost: 0,
                  attempts: withAttempt([], attempt),
                  media: []
                }),
              state
            )
          ])
        ),
      // One transaction runs at a time, so a read needs no lock.
      lock: (keys) =>
        Effect.map(
          storage.read,
          (state) =>
            new Map(
              keys.flatMap((key) =>
                Option.toArray(
                  Option.map(find(state, key), ({ lease, run }): [RunId, Fence] => [
                    run.runId,
                    { status: run.status, leaseToken: lease?.token ?? null }
                  ])
                )
              )
            )
        ),
      conclude: (conclusions) => storage.modify((state) => [undefined, conclusions.reduce(concludeOne, state)]),
      // There is one node, and it tells itself.
      tellEnd: () => Effect.succeed(true),
      nextAttempt: ({ ended, lease, media, opened, run }) =>
        storage.modify((state) =>
          Option.match(
            Option.filter(find(state, run), (stored) => stored.lease?.token === lease.token),
            {
              onNone: () => [false, state],
              onSome: (stored) => [
                true,
                put(state, {
                  ...stored,
                  run: { ...run, status: stored.run.status, cancelRequested: stored.run.cancelRequested },
                  attempts: withAttempt(withAttempt(stored.attempts, ended), opened),
                  media: media === null ? stored.media : [...stored.media, media]
                })
              ]
            }
          )
        ),
      claim: (options) => take((stored) => stored.run.status === "queued", options),
      reclaim: (options) =>
        take(
          (stored, now) =>
            stored.run.status === "running" &&
            stored.lease !== null &&
            stored.leaseEndsAt <= now &&
            !options.except.includes(stored.lease.token),
          options
        ),
      waitedLonger: ({ asideMillis, limit, millis }) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          storage.modify((state) => {
            const late = oldestFirst(
              state,
              ({ leaseEndsAt, run }) => run.status === "queued" && run.createdAt < now - millis && leaseEndsAt <= now
            ).slice(0, limit)
            return [
              late.map(({ run }) => ({ run, restored: false })),
              late.reduce((after, stored) => put(after, { ...stored, leaseEndsAt: now + asideMillis }), state)
            ]
          })
        ),
      heartbeat: (leases, leaseMillis) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          storage.modify((state) => {
            const held = leases.filter((lease) =>
              Option.exists(find(state, lease), (stored) => stored.lease?.token === lease.token)
            )
            const prolonged = held.reduce(
              (after, { runId }) => ({
                ...after,
                runs: HashMap.modify(after.runs, runId, (stored) => ({ ...stored, leaseEndsAt: now + leaseMillis }))
              }),
              state
            )
            const cancelled = held.filter((lease) =>
              Option.exists(find(state, lease), (stored) => stored.run.cancelRequested)
            )
            const runIds = new Set(held.map(({ runId }) => runId))
            return [
              {
                held: runIds,
                // Nobody keeps a lock in memory.
                renewed: runIds,
                cancelled: new Set(cancelled.map(({ runId }) => runId))
              },
              prolonged
            ]
          })
        ),
      leave: (leases) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          storage.modify((state) => [
            undefined,
            leases.reduce(
              (after, lease) =>
                Option.match(
                  Option.filter(find(after, lease), (stored) => stored.lease?.token === lease.token),
                  {
                    onNone: () => after,
                    onSome: (stored) =>
                      put(after, {
                        ...stored,
                        lease: stored.lease === null ? null : { ...stored.lease, token: `${leftPrefix}${lease.token}` },
                        leaseEndsAt: now
                      })
                  }
                ),
              state
            )
          ])
        ),
      requestCancel: (key) =>
        storage.modify((state) =>
          Option.match(find(state, key), {
            onNone: () => [null, state],
            onSome: (stored) => {
              const run: Run = {
                ...stored.run,
                cancelRequested: stored.run.cancelRequested || stored.run.status === "running"
              }
              return [run, put(state, { ...stored, run })]
            }
          })
        ),
      get: (key) =>
        Effect.map(storage.read, (state) => Option.getOrNull(Option.map(find(state, key), ({ run }) => run))),
      detail,
      // Nothing is large or old here.
      smallDetail: detail,
      getMany: (keys) =>
        Effect.map(storage.read, (state) =>
          keys.flatMap((key) => Option.toArray(Option.map(find(state, key), ({ run }) => run)))
        ),
      list: (workspaceId, filter, page, resultBytesMax) =>
        Effect.map(storage.read, (state) => {
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
        Effect.map(storage.read, (state) =>
          Option.getOrElse(
            Option.map(find(state, key), ({ attempts }) => attempts),
            () => []
          )
        ),
      media: (key, mediaId) =>
        Effect.map(storage.read, (state) =>
          Option.match(
            Option.flatMapNullable(find(state, key), ({ media }) => media.find((one) => one.mediaId === mediaId)),
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
        Effect.map(storage.read, (state) => {
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
        storage.read,
        (state) => oldestFirst(state, ({ run }) => run.status === "queued")[0]?.run.createdAt ?? null
      ),
      forgetRefused: ({ limit, olderThanMillis }) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          storage.modify((state) => {
            const old = oldestFirst(state, ({ run }) => wasRefused(run) && run.createdAt < now - olderThanMillis).slice(
              0,
              limit
            )
            const keyOf = ({ run }: StoredRun) => placeText({ workspaceId: run.workspaceId, key: run.idempotencyKey })
            return [
              old.length,
              {
                ...state,
                runs: HashMap.removeMany(
                  state.runs,
                  old.map(({ run }) => run.runId)
                ),
                keys: HashMap.removeMany(state.keys, old.map(keyOf))
              }
            ]
          })
        ),
      locate: (runId) =>
        Effect.map(storage.read, (state) =>
          Option.getOrNull(
            Option.map(HashMap.get(state.runs, runId), ({ run }) => ({ workspaceId: run.workspaceId, runId }))
          )
        ),
      locateRequest: (requestId) =>
        Effect.map(storage.read, (state) => {
          const { before, from } = runIdsOfRequest(requestId)
          const made = Array.from(HashMap.values(state.runs)).find(
            ({ run }) => run.requestId === requestId && run.runId >= from && run.runId < before
          )
          return made === undefined ? null : { workspaceId: made.run.workspaceId, runId: made.run.runId }
        })
    })
  })
)
