/** Proposals in the memory storage. One transaction runs at a time, so reading locks nothing. */
import { Effect, HashMap, Layer, Option } from "effect"
import type { Proposal } from "../../domain/Resolution.js"
import { Changing } from "../../services/AuditTrail.js"
import { Proposals } from "../../services/Proposals.js"
import type { RunKey } from "../../services/RunStore.js"
import { type MemoryState, MemoryStorage } from "./MemoryStorage.js"

const read = (state: MemoryState, proposal: Proposal): Proposal => {
  const waits = Option.exists(
    HashMap.get(state.runs, proposal.runId),
    ({ run }) => run.status === "reconciliation_pending"
  )
  return proposal.status === "open" && !waits ? { ...proposal, status: "closed" } : proposal
}

const of =
  (run: RunKey) =>
  ({ runId, workspaceId }: Proposal): boolean =>
    runId === run.runId && workspaceId === run.workspaceId

export const ProposalsMemory: Layer.Layer<Proposals, never, MemoryStorage> = Layer.effect(
  Proposals,
  Effect.map(MemoryStorage, (storage) =>
    Proposals.of({
      insert: (proposal) =>
        Effect.zipRight(
          Changing,
          storage.modify((state) =>
            state.proposals.some((other) => of(proposal)(other) && other.status === "open")
              ? [false, state]
              : [true, { ...state, proposals: [proposal, ...state.proposals] }]
          )
        ),
      lockNewest: (run) => Effect.map(storage.read, ({ proposals }) => proposals.find(of(run)) ?? null),
      decide: (proposal) =>
        Effect.zipRight(
          Changing,
          storage.modify((state) => [
            undefined,
            {
              ...state,
              proposals: state.proposals.map((other) => (other.proposalId === proposal.proposalId ? proposal : other))
            }
          ])
        ),
      ofRuns: (runs) =>
        Effect.map(storage.read, (state) =>
          state.proposals
            .filter((proposal) => runs.some((run) => of(run)(proposal)))
            .map((proposal) => read(state, proposal))
        )
    })
  )
)
