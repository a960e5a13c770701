import { assert, describe, it } from "@effect/vitest"
import { RunId, TokenId, WorkspaceId } from "../../src/domain/Ids.js"
import { differs, driftOf, type LedgerDifference, sayDifference } from "../../src/domain/LedgerVerification.js"

const workspaceId = WorkspaceId.make(`ws_${"0".repeat(26)}`)
const runId = RunId.make(`run_${"0".repeat(26)}`)
const tokenId = TokenId.make(`tok_${"0".repeat(26)}`)

const workspace = {
  _tag: "Workspace",
  workspaceId,
  entries: { available: 90, reserved: 10 },
  newest: { available: 90, reserved: 10 },
  runs: { held: 10, inflight: 1 },
  stored: { available: 90, reserved: 10, inflight: 1 }
} as const

describe("a difference of the ledger", () => {
  it("weighs what each stored balance differs from entries, from the newest entry and from the runs", () => {
    assert.isFalse(differs(workspace))
    // 2 against the sum and 2 against the newest entry; 3 against sum, newest entry and runs.
    assert.strictEqual(driftOf({ ...workspace, stored: { available: 92, reserved: 10, inflight: 1 } }), 4)
    assert.strictEqual(driftOf({ ...workspace, stored: { available: 90, reserved: 7, inflight: 1 } }), 9)
  })

  it("is one where only the count of runs in flight is wrong, and weighs nothing", () => {
    const miscounted = { ...workspace, stored: { ...workspace.stored, inflight: 0 } }
    assert.isTrue(differs(miscounted))
    assert.strictEqual(driftOf(miscounted), 0)
  })

  it("is told with its ids and both sides", () => {
    const run: LedgerDifference = {
      _tag: "Run",
      workspaceId,
      runId,
      entries: { held: 5, released: 5, charged: 3 },
      run: { held: 5, released: 5, charged: 4 }
    }
    assert.strictEqual(driftOf(run), 1)
    assert.include(sayDifference(run), `${runId} of ${workspaceId}: entries hold 5, release 5 and charge 3`)
    const token: LedgerDifference = { _tag: "Token", workspaceId, tokenId, month: "2026-11", runs: 7, stored: 9 }
    assert.strictEqual(driftOf(token), 2)
    assert.include(sayDifference(token), "its runs of 2026-11 come to 7; stored as spent are 9")
  })
})
