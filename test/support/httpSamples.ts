/** Values as the services return them, for tests of how HTTP shows them. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import {
  ApprovalId,
  AttemptId,
  CapabilityRequestId,
  ConnectionId,
  LedgerEntryId,
  MediaId,
  ReceiptId,
  RunId,
  TokenId,
  TopUpId
} from "../../src/domain/Ids.js"
import type { LedgerEntry } from "../../src/domain/Ledger.js"
import { EndpointId, JobId, ProviderId } from "../../src/domain/Manifest.js"
import { Micros } from "../../src/domain/Micros.js"
import type { RoutePlan } from "../../src/domain/RoutePlan.js"
import type { Attempt, Run } from "../../src/domain/Run.js"
import type { CapabilityRequest } from "../../src/services/CapabilityRequests.js"
import type { Connection } from "../../src/services/Connections.js"
import type { LoginApproval } from "../../src/services/LoginApprovals.js"
import type { StoredMedia } from "../../src/services/RunStore.js"
import type { AutomaticTopUpShown } from "../../src/services/AutomaticTopUps.js"
import type { TopUp } from "../../src/services/TopUps.js"
import type { TopUpHint } from "../../src/domain/TopUpHint.js"
import { id, workspaceId } from "./httpGateway.js"

export const runId = RunId.make(id("run", 1))
export const mediaId = MediaId.make(id("med", 1))
const at = 1_700_000_000_000

export const plan: RoutePlan = {
  job: JobId.make("people.email.find"),
  prefer: "balanced",
  reason: "Best record of the last 30 days.",
  candidates: ["mock-email-find", "mock-slow-email-find"].map((endpointId) => ({
    endpointId: EndpointId.make(endpointId),
    providerId: ProviderId.make("mock"),
    contractVersion: "c1",
    effectful: false,
    repeatable: true,
    input: { email: "ada@example.com" },
    maxMicros: Micros.make(20_000)
  })),
  skipped: [{ endpointId: "other-email-find", code: "not_runnable", reason: "no platform key" }],
  fallback: { enabled: true, maxAttempts: 2, maxCostMicros: null, stopAtFirstMiss: false },
  connectionId: null,
  capped: false
}

export const queuedRun: Run = {
  runId,
  workspaceId,
  tokenId: TokenId.make(id("tok", 1)),
  idempotencyKey: "k1",
  requestDigest: "d",
  requestId: "req_1",
  requestedEndpointId: "job:people.email.find",
  endpointId: "mock-email-find",
  providerId: "mock",
  contractVersion: "c1",
  input: { name: "Ada" },
  plan,
  status: "queued",
  outcome: null,
  outcomeReason: null,
  holdMicros: Micros.make(40_000),
  chargeMicros: null,
  spendMonth: "2023-11",
  error: null,
  result: null,
  normalized: null,
  resultBytes: null,
  providerStatus: null,
  servedEndpointId: null,
  servedProviderId: null,
  connectionId: null,
  cancelRequested: false,
  job: "people.email.find",
  createdAt: at,
  startedAt: null,
  completedAt: null
}

export const completedRun: Run = {
  ...queuedRun,
  status: "completed",
  outcome: "hit",
  outcomeReason: "An e-mail address was found.",
  chargeMicros: Micros.make(20_000),
  result: {
    _tag: "Json",
    value: {
      email: "ada@example.com",
      sources: [
        { url: "https://a.example", rank: 1 },
        { url: "https://b.example", rank: 2 },
        { url: "https://c.example", rank: 3 }
      ]
    }
  },
  normalized: {
    job: "people.email.find",
    endpointId: "mock-email-find",
    fields: { email: "ada@example.com", status: "valid" },
    missing: [],
    ambiguous: [],
    unmapped: [],
    providerValues: { status: "deliverable" },
    verdict: "confirmed",
    verdictReason: "The provider confirms the answer.",
    mapVerified: true
  },
  resultBytes: 120,
  providerStatus: 200,
  servedEndpointId: "mock-email-find",
  servedProviderId: "mock",
  startedAt: at + 1,
  completedAt: at + 250
}

export const attempt: Attempt = {
  attemptId: AttemptId.make(id("att", 1)),
  runId,
  workspaceId,
  n: 1,
  endpointId: "mock-email-find",
  providerId: "mock",
  status: "completed",
  outcome: "hit",
  reason: "An e-mail address was found.",
  errorCode: null,
  providerStatus: 200,
  latencyMs: 240,
  costMicros: Micros.make(20_000),
  billed: true,
  receiptId: ReceiptId.make(id("rcp", 1)),
  receipt: {
    requestDigest: "a",
    responseDigest: "b",
    requestBytes: 10,
    responseBytes: 120,
    providerRequestId: "p-1",
    costAnomaly: null,
    sharedWithRunId: null
  },
  startedAt: at + 1,
  completedAt: at + 241
}

const bytes = new TextEncoder().encode("0123456789abcdefghij")
export const media: StoredMedia = {
  mediaId,
  runId,
  workspaceId,
  contentType: "application/pdf",
  filename: 'Bericht "März".pdf',
  sha256: createHash("sha256").update(bytes).digest("hex"),
  size: bytes.byteLength,
  part: (start, end) => Effect.succeed(bytes.subarray(start, end))
}

export const hint: TopUpHint = {
  minimumUsd: 5,
  suggestedUsd: 20,
  checkoutUrl: null,
  dashboardUrl: "https://pay.example",
  message: "Top up.",
  reason: "balance_low"
}

export const ledgerEntry: LedgerEntry = {
  entryId: LedgerEntryId.make(id("led", 1)),
  workspaceId,
  kind: "hold",
  debit: "available",
  credit: "reserved",
  amountMicros: -40_000,
  balanceAfterMicros: Micros.make(960_000),
  reservedAfterMicros: Micros.make(40_000),
  runId,
  topUpId: null,
  reason: null,
  createdAt: at
}

export const topUp: TopUp = {
  topUpId: TopUpId.make(id("top", 1)),
  workspaceId,
  status: "pending",
  amountMicros: Micros.make(20_000_000),
  checkoutUrl: "https://pay.example/c",
  dashboardUrl: "https://pay.example",
  message: "Pay.",
  reason: null,
  takenBackMicros: Micros.make(0),
  owedMicros: Micros.make(0),
  reversals: [],
  createdAt: at
}

export const automaticTopUp: AutomaticTopUpShown = {
  belowMicros: Micros.make(10_000_000),
  amountMicros: Micros.make(50_000_000),
  monthlyMaximumMicros: Micros.make(200_000_000),
  state: "disabled",
  reason: "card_declined",
  message: "Declined.",
  monthMicros: Micros.make(50_000_000),
  topUpId: TopUpId.make(id("top", 1)),
  updatedAt: at
}

export const connection: Connection = {
  connectionId: ConnectionId.make(id("con", 1)),
  workspaceId,
  providerId: "mock",
  label: "mine",
  createdAt: at,
  expiresAt: at + 86_400_000,
  oauth: null
}

export const login: LoginApproval = {
  approvalId: ApprovalId.make(id("apr", 1)),
  userCode: "BCDF-GHJK",
  label: "laptop",
  scopes: ["catalog:read", "runs:execute"],
  tokenExpiresAt: null,
  status: "pending",
  createdAt: at,
  expiresAt: at + 600_000
}

export const capabilityRequest: CapabilityRequest = {
  capabilityRequestId: CapabilityRequestId.make(id("cap", 1)),
  workspaceId,
  title: "Fax",
  description: "Send a fax.",
  desiredInputs: null,
  desiredOutputs: "receipt",
  status: "open",
  createdAt: at
}
