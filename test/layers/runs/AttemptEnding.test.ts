/** What an attempt costs that ended without an answer. */
import { assert, describe, it } from "vitest"
import { AttemptId, ReceiptId, RunId, WorkspaceId } from "../../../src/domain/Ids.js"
import { EndpointId, ProviderId } from "../../../src/domain/Manifest.js"
import { Micros } from "../../../src/domain/Micros.js"
import { ProviderFailure } from "../../../src/domain/ProviderCall.js"
import type { Candidate } from "../../../src/domain/RoutePlan.js"
import type { Attempt, Run } from "../../../src/domain/Run.js"
import { ProviderError } from "../../../src/domain/RunFailures.js"
import { type AttemptToEnd, endFailed } from "../../../src/layers/runs/dispatch/AttemptEnding.js"
import { SharedCallFailed } from "../../../src/layers/runs/dispatch/SingleFlight.js"

const m = (amount: number) => Micros.make(amount)
const suffix = "0".repeat(26)
const endpointId = EndpointId.make("look-up")
const providerId = ProviderId.make("real")
const candidate: Candidate = {
  endpointId,
  providerId,
  contractVersion: "1",
  effectful: false,
  repeatable: true,
  input: {},
  maxMicros: m(300)
}
const attempt: Attempt = {
  attemptId: AttemptId.make(`att_${suffix}`),
  runId: RunId.make(`run_${suffix}`),
  workspaceId: WorkspaceId.make(`ws_${suffix}`),
  n: 1,
  endpointId,
  providerId,
  status: "running",
  outcome: null,
  reason: null,
  errorCode: null,
  providerStatus: null,
  latencyMs: null,
  costMicros: null,
  billed: false,
  receiptId: null,
  receipt: null,
  startedAt: 0,
  completedAt: null
}
const ended: AttemptToEnd = {
  run: { runId: attempt.runId, holdMicros: m(2_000), outcome: null } as Run,
  attempt,
  candidate,
  now: 1_000,
  receiptId: ReceiptId.make(`rcp_${suffix}`)
}
const told = (micros: number) =>
  new ProviderFailure({
    failure: new ProviderError(),
    sent: true,
    cost: { _tag: "Reported", micros },
    evidence: null
  })

describe("an attempt that failed", () => {
  it("costs what the provider told, at most what this attempt may cost: the hold covers others too", () => {
    assert.deepInclude(endFailed(ended, told(200)).attempt, { costMicros: m(200), billed: true })
    const above = endFailed(ended, told(500)).attempt
    assert.deepInclude(above, { costMicros: m(300), billed: true })
    assert.strictEqual(above.receipt?.costAnomaly, "500")
  })

  it("costs nothing where another run made the call, and its receipt names that run", () => {
    const sharedWithRunId = RunId.make(`run_${"1".repeat(26)}`)
    const shared = endFailed(ended, new SharedCallFailed({ failed: told(200), sharedWithRunId })).attempt
    assert.deepInclude(shared, { costMicros: m(0), billed: false, errorCode: "provider_error" })
    assert.deepInclude(shared.receipt, { sharedWithRunId, costAnomaly: null })
    assert.isNull(endFailed(ended, told(200)).attempt.receipt?.sharedWithRunId)
  })
})
