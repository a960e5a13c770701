/** What a person may decide about a run whose call was lost, and what is refused. */
import { Either } from "effect"
import { assert, describe, it } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { ProposalId, WorkspaceId } from "../../src/domain/Ids.js"
import { Micros } from "../../src/domain/Micros.js"
import { decide, type Proposal, type Resolution, type UncertainRun } from "../../src/domain/Resolution.js"
import { runId } from "./arbitraries.js"

const m = (amount: number) => Micros.make(amount)
const run: UncertainRun = { runId: runId(1), holdMicros: m(1_000), status: "reconciliation_pending" }
const asked = (changes: Partial<Resolution> = {}): Resolution => ({
  runId: run.runId,
  verdict: "charged",
  chargeMicros: null,
  reason: "The provider's invoice names it.",
  ...changes
})
const proposal: Proposal = {
  proposalId: ProposalId.make(`prp_${"0".repeat(26)}`),
  workspaceId: WorkspaceId.make(`ws_${"0".repeat(26)}`),
  runId: run.runId,
  verdict: "released",
  chargeMicros: m(0),
  reason: "Nobody knows it.",
  proposedBy: commandLine,
  proposedAt: 0,
  status: "open",
  decidedBy: null,
  decidedAt: null,
  decisionReason: null
}
const fieldOf = (decided: ReturnType<typeof decide>) =>
  Either.isLeft(decided) ? decided.left.details[0].field : decided.right

describe("a decision about an uncertain run", () => {
  it("charges the hold, nothing, or a part of it", () => {
    for (const [changes, chargeMicros] of [
      [{}, 1_000],
      [{ verdict: "released" }, 0],
      [{ verdict: "partly_charged", chargeMicros: m(1) }, 1],
      [{ verdict: "partly_charged", chargeMicros: m(999) }, 999]
    ] as const)
      assert.deepStrictEqual(fieldOf(decide(run, null, asked(changes), null)), {
        _tag: "Settle",
        chargeMicros: m(chargeMicros)
      })
  })

  it("refuses an amount that its verdict does not take", () => {
    for (const changes of [
      { chargeMicros: m(1_000) },
      { verdict: "released", chargeMicros: m(0) },
      { verdict: "partly_charged" },
      { verdict: "partly_charged", chargeMicros: m(0) },
      { verdict: "partly_charged", chargeMicros: m(1_000) }
    ] as const)
      assert.strictEqual(fieldOf(decide(run, null, asked(changes), null)), "chargeMicros")
  })

  it("is made once: neither about a run that has ended, nor beside a proposal that is open", () => {
    assert.strictEqual(fieldOf(decide({ ...run, status: "completed" }, null, asked(), null)), "runId")
    for (const limit of [null, m(0)]) assert.strictEqual(fieldOf(decide(run, proposal, asked(), limit)), "runId")
    assert.strictEqual(fieldOf(decide(run, null, asked({ reason: " " }), null)), "reason")
  })

  it("needs a second person above the amount, not at it", () => {
    const tagAt = (limit: number) => {
      const decided = fieldOf(decide(run, null, asked({ verdict: "released" }), m(limit)))
      return typeof decided === "string" ? decided : decided._tag
    }
    assert.deepStrictEqual([999, 1_000, 1_001].map(tagAt), ["Propose", "Settle", "Settle"])
  })
})
