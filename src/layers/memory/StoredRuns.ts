/** Runs in the state of `MemoryStorage`: how one is found, changed and put in order. */
import { HashMap, Option } from "effect"
import type { Attempt } from "../../domain/Run.js"
import type { RunKey } from "../../services/RunStore.js"
import type { MemoryState, StoredRun } from "./MemoryStorage.js"

export const findRun = (state: MemoryState, key: RunKey): Option.Option<StoredRun> =>
  Option.filter(HashMap.get(state.runs, key.runId), (stored) => stored.run.workspaceId === key.workspaceId)

export const putRun = (state: MemoryState, stored: StoredRun): MemoryState => ({
  ...state,
  runs: HashMap.set(state.runs, stored.run.runId, stored)
})

export const oldestFirst = (state: MemoryState, wanted: (stored: StoredRun) => boolean): ReadonlyArray<StoredRun> =>
  [...HashMap.values(state.runs)].filter(wanted).sort((a, b) => (a.run.runId < b.run.runId ? -1 : 1))

/** The attempts in their order, with this one new or in the place of what was known of it. */
export const withAttempt = (attempts: ReadonlyArray<Attempt>, attempt: Attempt | null): ReadonlyArray<Attempt> =>
  attempt === null
    ? attempts
    : [...attempts.filter((known) => known.n !== attempt.n), attempt].sort((a, b) => a.n - b.n)
