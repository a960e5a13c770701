/**
 * What the searches of a workspace learn from its runs (`domain/SearchUse`), for workspaces that have it switched on.
 * It never fails and never makes a caller wait for a write: under load, or while the storage is away, it learns less.
 */
import { Context, type Effect } from "effect"
import type { WorkspaceId } from "../domain/Ids.js"

/** What uses weigh now, by the id of an operation or `job:` with the id of a job. */
export type UseWeights = ReadonlyMap<string, number>

export class SearchUses extends Context.Tag("gateway/services/SearchUses")<
  SearchUses,
  {
    /** Empty while the storage is away, or does not answer within half a second. */
    readonly weights: (workspaceId: WorkspaceId) => Effect.Effect<UseWeights>
    /** A search showed these ids. */
    readonly shown: (workspaceId: WorkspaceId, itemIds: ReadonlyArray<string>) => Effect.Effect<void>
    /** A run of this operation or job was made. It counts if a search showed it shortly before. */
    readonly ran: (workspaceId: WorkspaceId, itemId: string) => Effect.Effect<void>
  }
>() {}
