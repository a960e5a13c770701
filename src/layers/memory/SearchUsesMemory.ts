/** What searches learn from use, in the memory storage: the rows of `catalog/learning/SearchUseRows`. */
import { Clock, Effect, HashMap, Layer, Option } from "effect"
import type { WorkspaceId } from "../../domain/Ids.js"
import { searchUsesMax } from "../../domain/limits/Lists.js"
import { isAfterSearch } from "../../domain/SearchUse.js"
import { SearchUses } from "../../services/SearchUses.js"
import type { SearchUseRows } from "../catalog/learning/SearchUseRows.js"
import { searchUsesOver } from "../catalog/learning/SearchUsesOver.js"
import { MemoryStorage, type MemoryState, type StoredSearchUses } from "./MemoryStorage.js"

const none: StoredSearchUses = { shownAt: HashMap.empty(), uses: HashMap.empty() }
const learned = ({ searchUses }: MemoryState, workspaceId: WorkspaceId): StoredSearchUses =>
  Option.getOrElse(HashMap.get(searchUses, workspaceId), () => none)
const withLearned = (state: MemoryState, workspaceId: WorkspaceId, after: StoredSearchUses): MemoryState => ({
  ...state,
  searchUses: HashMap.set(state.searchUses, workspaceId, after)
})

const rowsOver = ({ modify, read }: MemoryStorage["Type"]): SearchUseRows => ({
  uses: (workspaceId) =>
    Effect.zipWith(read, Clock.currentTimeMillis, (state, now) => ({
      uses: Array.from(learned(state, workspaceId).uses, ([itemId, use]) => ({ ...use, itemId }))
        .sort((a, b) => b.usedAt - a.usedAt || (a.itemId < b.itemId ? -1 : 1))
        .slice(0, searchUsesMax),
      now
    })),
  shown: (workspaceId, itemIds) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      modify((state) => {
        if (!Option.exists(HashMap.get(state.workspaces, workspaceId), ({ learnsFromUse }) => learnsFromUse))
          return [undefined, state]
        const before = learned(state, workspaceId)
        const recent = HashMap.filter(before.shownAt, (shownAt) => isAfterSearch(shownAt, now))
        const shownAt = itemIds.reduce((shown, itemId) => HashMap.set(shown, itemId, now), recent)
        return [undefined, withLearned(state, workspaceId, { ...before, shownAt })]
      })
    ),
  ran: (workspaceId, itemId, change) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      modify((state) => {
        const before = learned(state, workspaceId)
        if (!Option.exists(HashMap.get(before.shownAt, itemId), (shownAt) => isAfterSearch(shownAt, now)))
          return [undefined, state]
        const after = change(Option.getOrNull(HashMap.get(before.uses, itemId)), now)
        return [
          undefined,
          withLearned(state, workspaceId, {
            shownAt: HashMap.remove(before.shownAt, itemId),
            uses: HashMap.set(before.uses, itemId, after)
          })
        ]
      })
    )
})

export const SearchUsesMemory: Layer.Layer<SearchUses, never, MemoryStorage> = Layer.scoped(
  SearchUses,
  Effect.flatMap(MemoryStorage, (storage) => searchUsesOver(rowsOver(storage)))
)
