/**
 * `SearchUses` over the rows of any storage. What is noted goes into a queue of this node, in its order, and one worker
 * writes it. A full queue drops what comes next.
 */
import { Data, Effect, Queue, type Scope } from "effect"
import type { WorkspaceId } from "../../../domain/Ids.js"
import { searchUseWaitMillis } from "../../../domain/limits/Lists.js"
import { used, weightAt } from "../../../domain/SearchUse.js"
import { SearchUses } from "../../../services/SearchUses.js"
import { repeatInBackground } from "../../node/Background.js"
import type { SearchUseRows } from "./SearchUseRows.js"

const waitingMax = 1_000
/** Reads that are under way at once, so that those which wait for the storage leave connections to all others. */
const readsMax = 4

type Noted = Data.TaggedEnum<{
  readonly Shown: { readonly workspaceId: WorkspaceId; readonly itemIds: ReadonlyArray<string> }
  readonly Ran: { readonly workspaceId: WorkspaceId; readonly itemId: string }
}>
const { $match: matchNoted, Ran, Shown } = Data.taggedEnum<Noted>()

export const searchUsesOver = (rows: SearchUseRows): Effect.Effect<SearchUses["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const reads = yield* Effect.makeSemaphore(readsMax)
    const waiting = yield* Queue.dropping<Noted>(waitingMax)
    const write = matchNoted({
      Shown: ({ itemIds, workspaceId }) => rows.shown(workspaceId, itemIds),
      Ran: ({ itemId, workspaceId }) => rows.ran(workspaceId, itemId, used)
    })
    // What could not be written is not learned. It is no news: whatever else needs the storage tells that it is away.
    yield* repeatInBackground(
      "what searches learn from use",
      Effect.flatMap(waiting.take, (noted) => Effect.ignore(write(noted)))
    )
    return SearchUses.of({
      weights: (workspaceId) =>
        Effect.uninterruptible(rows.uses(workspaceId)).pipe(
          reads.withPermits(1),
          // The statement may go on behind it: a search that has learned nothing is better than one that waits.
          Effect.disconnect,
          Effect.timeout(searchUseWaitMillis),
          Effect.map(({ now, uses }) => new Map(uses.map(({ itemId, ...use }) => [itemId, weightAt(use, now)]))),
          Effect.catchAll(() => Effect.succeed(new Map()))
        ),
      shown: (workspaceId, itemIds) => Effect.asVoid(waiting.offer(Shown({ workspaceId, itemIds }))),
      ran: (workspaceId, itemId) => Effect.asVoid(waiting.offer(Ran({ workspaceId, itemId })))
    })
  })
