/** How runs are taken from `MemoryStorage`, which ones have waited too long for that, and how leases are renewed. */
import { Array as Arr, Clock, Effect, HashMap, Option } from "effect"
import { next } from "../../domain/RunMachine.js"
import type { Ids } from "../../services/Ids.js"
import type { ClaimOptions, LeasedRun, RunStore } from "../../services/RunStore.js"
import type { MemoryStorage, StoredRun } from "./MemoryStorage.js"
import { findRun, oldestFirst, putRun } from "./StoredRuns.js"

/** Before the token of a lease whose node has left the run, as on Postgres. No node writes under such a token. */
const leftPrefix = "left_"
const wasLeft = ({ lease }: StoredRun): boolean => lease?.token.startsWith(leftPrefix) === true

export const runClaimsMemory = (storage: MemoryStorage["Type"], ids: Ids["Type"]) => {
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

  return {
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
            late.reduce((after, stored) => putRun(after, { ...stored, leaseEndsAt: now + asideMillis }), state)
          ]
        })
      ),
    heartbeat: (leases, leaseMillis) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        storage.modify((state) => {
          const held = leases.filter((lease) =>
            Option.exists(findRun(state, lease), (stored) => stored.lease?.token === lease.token)
          )
          const prolonged = held.reduce(
            (after, { runId }) => ({
              ...after,
              runs: HashMap.modify(after.runs, runId, (stored) => ({ ...stored, leaseEndsAt: now + leaseMillis }))
            }),
            state
          )
          const cancelled = held.filter((lease) =>
            Option.exists(findRun(state, lease), (stored) => stored.run.cancelRequested)
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
                Option.filter(findRun(after, lease), (stored) => stored.lease?.token === lease.token),
                {
                  onNone: () => after,
                  onSome: (stored) =>
                    putRun(after, {
                      ...stored,
                      lease: stored.lease === null ? null : { ...stored.lease, token: `${leftPrefix}${lease.token}` },
                      leaseEndsAt: now
                    })
                }
              ),
            state
          )
        ])
      )
  } satisfies Partial<RunStore["Type"]>
}
