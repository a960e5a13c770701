/** Rules of automatic top-ups over `MemoryStorage`, and the cards that are saved for them. */
import { Clock, Effect, HashMap, Option } from "effect"
import type { AutomaticTopUp } from "../../domain/AutomaticTopUp.js"
import type { WorkspaceId } from "../../domain/Ids.js"
import type { AutomaticRows, DueRule } from "../accounts/topups/AutomaticRows.js"
import type { MemoryState, MemoryStorage } from "./MemoryStorage.js"

const methodOf = (state: MemoryState, workspaceId: WorkspaceId) =>
  Option.getOrNull(HashMap.get(state.savedMethods, workspaceId))

/** A rule that may have something due; whether it has is decided elsewhere. */
const dueOf = (state: MemoryState, rule: AutomaticTopUp, now: number): ReadonlyArray<DueRule> =>
  Option.match(HashMap.get(state.wallets, rule.workspaceId), {
    onNone: () => [],
    onSome: ({ balance: { availableMicros } }) => {
      const method = methodOf(state, rule.workspaceId)
      const due =
        rule.occasion === null
          ? rule.status === "on" && availableMicros < rule.belowMicros && method !== null
          : rule.retryAt <= now
      return due ? [{ rule, method, availableMicros, now }] : []
    }
  })

export const automaticRows = ({ modify, read }: MemoryStorage["Type"]): AutomaticRows => {
  const standing: AutomaticRows["standing"] = (workspaceId) =>
    Effect.zipWith(read, Clock.currentTimeMillis, (state, now) => ({
      rule: Option.getOrNull(HashMap.get(state.automaticTopUps, workspaceId)),
      method: methodOf(state, workspaceId),
      now
    }))
  return {
    standing,
    // One transaction runs at a time.
    lockRule: standing,
    putRule: (rule) =>
      modify((state) => [
        undefined,
        { ...state, automaticTopUps: HashMap.set(state.automaticTopUps, rule.workspaceId, rule) }
      ]),
    due: (limit) =>
      Effect.zipWith(read, Clock.currentTimeMillis, (state, now) =>
        [...HashMap.values(state.automaticTopUps)].flatMap((rule) => dueOf(state, rule, now)).slice(0, limit)
      ),
    saveMethod: (workspaceId, method) =>
      modify((state) => [undefined, { ...state, savedMethods: HashMap.set(state.savedMethods, workspaceId, method) }])
  }
}
