/** What is written to a run in `MemoryStorage`: its admission, its next attempt, its end, and that it is forgotten. */
import { Clock, Effect, HashMap, Option } from "effect"
import type { RunId } from "../../domain/Ids.js"
import { wasRefused } from "../../domain/RefusedRun.js"
import type { Run } from "../../domain/Run.js"
import { placeText } from "../../services/Idempotency.js"
import type { Conclusion, Fence, RunStore } from "../../services/RunStore.js"
import type { MemoryState, MemoryStorage, StoredRun } from "./MemoryStorage.js"
import { findRun, oldestFirst, putRun, withAttempt } from "./StoredRuns.js"

const concludeOne = (state: MemoryState, { attempt, media, run }: Conclusion): MemoryState =>
  Option.match(findRun(state, run), {
    onNone: () => state,
    onSome: (stored) =>
      putRun(state, {
        ...stored,
        run: { ...run, cancelRequested: stored.run.cancelRequested || run.cancelRequested },
        lease: null,
        leaseEndsAt: 0,
        attempts: withAttempt(stored.attempts, attempt),
        media: media === null ? stored.media : [...stored.media, media]
      })
  })

export const runWritesMemory = (storage: MemoryStorage["Type"]) =>
  ({
    insert: (runs) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        storage.modify((state) => [
          undefined,
          runs.reduce(
            (after, { attempt, lease, run }) =>
              putRun(after, {
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
                Option.map(findRun(state, key), ({ lease, run }): [RunId, Fence] => [
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
          Option.filter(findRun(state, run), (stored) => stored.lease?.token === lease.token),
          {
            onNone: () => [false, state],
            onSome: (stored) => [
              true,
              putRun(state, {
                ...stored,
                run: { ...run, status: stored.run.status, cancelRequested: stored.run.cancelRequested },
                attempts: withAttempt(withAttempt(stored.attempts, ended), opened),
                media: media === null ? stored.media : [...stored.media, media]
              })
            ]
          }
        )
      ),
    requestCancel: (key) =>
      storage.modify((state) =>
        Option.match(findRun(state, key), {
          onNone: () => [null, state],
          onSome: (stored) => {
            const run: Run = {
              ...stored.run,
              cancelRequested: stored.run.cancelRequested || stored.run.status === "running"
            }
            return [run, putRun(state, { ...stored, run })]
          }
        })
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
      )
  }) satisfies Partial<RunStore["Type"]>
