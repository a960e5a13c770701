/** Rules of automatic top-ups over `MemoryStorage`, and the cards that are saved for them. */
import { Clock, Effect, HashMap, Option } from "effect"
import { type AutomaticTopUp, isDue } from "../../domain/AutomaticTopUp.js"
import type { WorkspaceId } from "../../domain/Ids.js"
import { noTopUpReason } from "../../domain/TopUp.js"
import type { AutomaticRows, DueRule } from "../accounts/topups/AutomaticRows.js"
import type { MemoryState, MemoryStorage } from "./MemoryStorage.js"

const cardOf = (state: MemoryState, workspaceId: WorkspaceId) =>
  Option.getOrNull(HashMap.get(state.savedMethods, workspaceId))
const methodOf = (state: MemoryState, workspaceId: WorkspaceId) => cardOf(state, workspaceId)?.method ?? null

const isOperators = (state: MemoryState, workspaceId: WorkspaceId) =>
  Option.exists(HashMap.get(state.workspaces, workspaceId), ({ operator }) => operator)

const dueOf = (state: MemoryState, rule: AutomaticTopUp, now: number): ReadonlyArray<DueRule> =>
  Option.match(HashMap.get(state.wallets, rule.workspaceId), {
    onNone: () => [],
    onSome: ({ balance: { availableMicros } }) => {
      const operatorWorkspace = isOperators(state, rule.workspaceId)
      const standing = { method: methodOf(state, rule.workspaceId), availableMicros, now }
      // Only a node that can charge asks what is due.
      const noTopUps = noTopUpReason({ operatorWorkspace, processorConfigured: true })
      return isDue(rule, { ...standing, noTopUps }) ? [{ rule, operatorWorkspace, ...standing }] : []
    }
  })

export const automaticRows = ({ modify, read }: MemoryStorage["Type"]): AutomaticRows => {
  const standing: AutomaticRows["standing"] = (workspaceId) =>
    Effect.zipWith(read, Clock.currentTimeMillis, (state, now) => ({
      rule: Option.getOrNull(HashMap.get(state.automaticTopUps, workspaceId)),
      method: methodOf(state, workspaceId),
      operatorWorkspace: isOperators(state, workspaceId),
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
    savedMethod: (workspaceId) => Effect.map(read, (state) => cardOf(state, workspaceId)),
    saveMethod: (workspaceId, card) =>
      modify((state) => [undefined, { ...state, savedMethods: HashMap.set(state.savedMethods, workspaceId, card) }])
  }
}
