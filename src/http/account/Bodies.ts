/**
 * What the account's routes take and give (completions: section 4). Names ending in `Micros` are integers, other money
 * is dollars.
 */
import { Schema } from "effect"
import type { CurrentLimits } from "../../domain/CurrentLimits.js"
import type { LedgerEntry } from "../../domain/Ledger.js"
import { LedgerKind } from "../../domain/Ledger.js"
import { toUsd } from "../../domain/Micros.js"
import { isReadOnly, Scope } from "../../domain/Scope.js"
import { TopUpHint, TopUpReason } from "../../domain/TopUpHint.js"
import type { MonthSpend, Principal } from "../../services/Accounts.js"
import type { CapabilityRequest } from "../../services/CapabilityRequests.js"
import type { RateDecision } from "../../services/RateLimiter.js"
import type { TopUp } from "../../services/TopUps.js"
import type { HoldRow } from "../../services/Wallet.js"
import type { Balance } from "../../domain/Ledger.js"
import { fieldUsdMax, requestTextCharsMax, requestTitleCharsMax } from "../../domain/Limits.js"
import { optional, says, Time, time, timeOrNull } from "../Fields.js"
import { IdempotencyKey } from "../IdempotencyKey.js"

const nullable = Schema.NullOr

const prose = (charsMax: number) =>
  Schema.String.pipe(
    Schema.pattern(new RegExp(`^[\\s\\S]{1,${charsMax}}$`, "u")),
    Schema.annotations({
      ...says(`must have 1 to ${charsMax} characters`),
      jsonSchema: { type: "string", minLength: 1, maxLength: charsMax }
    })
  )

export const BalanceBody = Schema.Struct({
  available: Schema.Number,
  reserved: Schema.Number,
  availableMicros: Schema.Int,
  reservedMicros: Schema.Int,
  currency: Schema.Literal("USD"),
  topUpUrl: nullable(Schema.String),
  topUpLink: TopUpHint,
  holds: Schema.Array(Schema.Struct({ runId: Schema.String, amountMicros: Schema.Int, createdAt: Time }))
}).annotations({ identifier: "Balance" })

export const balanceBody = (
  balance: Balance,
  holds: ReadonlyArray<HoldRow>,
  hint: TopUpHint
): typeof BalanceBody.Type => ({
  available: toUsd(balance.availableMicros),
  reserved: toUsd(balance.reservedMicros),
  availableMicros: balance.availableMicros,
  reservedMicros: balance.reservedMicros,
  currency: "USD",
  topUpUrl: hint.checkoutUrl,
  topUpLink: hint,
  holds: holds.map(({ amountMicros, createdAt, runId }) => ({ runId, amountMicros, createdAt: time(createdAt) }))
})

const count = Schema.Int

export const LimitsBody = Schema.Struct({
  balance: Schema.Struct({ availableMicros: count, reservedMicros: count }),
  key: Schema.Struct({
    limitMicros: nullable(count),
    spentMicros: count,
    remainingMicros: nullable(count),
    resetsAt: nullable(Time)
  }).annotations({
    description:
      "The calendar month (UTC) of the calling token: of its own limit and those that it shares, the one with the least left; null without a limit"
  }),
  inflight: Schema.Struct({ now: count, limit: count }),
  runsPerMinute: nullable(Schema.Struct({ limit: count, remaining: count, resetsAt: Time })),
  requests: Schema.Struct({ burst: count, remaining: count, refillPerSecond: Schema.Number }).annotations({
    description: "The request rate of the workspace, as this node counts it and after this request"
  }),
  budgets: Schema.Array(
    Schema.Struct({
      budgetId: Schema.String,
      name: Schema.String,
      limitMicros: nullable(count),
      spentMicros: count,
      remainingMicros: nullable(count),
      period: Schema.Literal("day", "month", "total"),
      resetsAt: nullable(Time)
    })
  )
}).annotations({ identifier: "Limits" })

export const limitsBody = (
  { balance, inflight, key, runsPerMinute }: CurrentLimits,
  rate: RateDecision
): typeof LimitsBody.Type => ({
  balance: { availableMicros: balance.availableMicros, reservedMicros: balance.reservedMicros },
  key: { ...key, resetsAt: timeOrNull(key.resetsAt) },
  inflight,
  runsPerMinute: runsPerMinute === null ? null : { ...runsPerMinute, resetsAt: time(runsPerMinute.resetsAt) },
  requests: { burst: rate.limit, remaining: rate.remaining, refillPerSecond: rate.refillPerSecond },
  budgets: []
})

const LedgerEntryBody = Schema.Struct({
  entryId: Schema.String,
  kind: LedgerKind,
  amountMicros: Schema.Int.annotations({ description: "Signed for the available balance" }),
  balanceAfterMicros: Schema.Int,
  reservedAfterMicros: Schema.Int,
  runId: optional(Schema.String),
  topUpId: optional(Schema.String),
  reason: optional(Schema.String),
  createdAt: Time
}).annotations({ identifier: "LedgerEntry" })

export const LedgerPage = Schema.Struct({
  entries: Schema.Array(LedgerEntryBody),
  nextCursor: nullable(Schema.String)
}).annotations({ identifier: "LedgerPage" })

export const ledgerEntryBody = (entry: LedgerEntry): typeof LedgerEntryBody.Type => ({
  entryId: entry.entryId,
  kind: entry.kind,
  amountMicros: entry.amountMicros,
  balanceAfterMicros: entry.balanceAfterMicros,
  reservedAfterMicros: entry.reservedAfterMicros,
  ...(entry.runId === null ? {} : { runId: entry.runId }),
  ...(entry.topUpId === null ? {} : { topUpId: entry.topUpId }),
  ...(entry.reason === null ? {} : { reason: entry.reason }),
  createdAt: time(entry.createdAt)
})

export const TopUpInput = Schema.Struct({
  amountUsd: optional(
    Schema.JsonNumber.pipe(
      Schema.between(0, fieldUsdMax),
      Schema.annotations(says(`must be a number of dollars from 0 to ${fieldUsdMax}`))
    )
  ),
  savePaymentMethod: optional(
    Schema.Boolean.annotations({
      description: "Whether the card that pays is saved for automatic top-ups; the checkout asks its owner"
    })
  ),
  idempotencyKey: optional(IdempotencyKey)
}).annotations({ identifier: "TopUpRequest" })

export const TopUpBody = Schema.Struct({
  topUpId: Schema.String,
  status: Schema.Literal("pending", "paid", "expired", "failed", "refused"),
  amountUsd: Schema.Number,
  amountMicros: Schema.Int,
  checkoutUrl: nullable(Schema.String),
  dashboardUrl: Schema.String,
  message: Schema.String,
  reason: optional(TopUpReason),
  takenBackMicros: optional(
    Schema.Int.annotations({ description: "What refunds and disputes have taken back of it; absent where nothing" })
  ),
  owedMicros: optional(
    Schema.Int.annotations({
      description: "What they are still to take back: the next top-ups pay it first; absent where nothing is owed"
    })
  ),
  createdAt: Time
}).annotations({ identifier: "TopUp" })

export const TopUpPage = Schema.Struct({
  topUps: Schema.Array(TopUpBody),
  nextCursor: nullable(Schema.String)
}).annotations({ identifier: "TopUpPage" })

export const topUpBody = (topUp: TopUp): typeof TopUpBody.Type => ({
  topUpId: topUp.topUpId,
  status: topUp.status,
  amountUsd: toUsd(topUp.amountMicros),
  amountMicros: topUp.amountMicros,
  checkoutUrl: topUp.checkoutUrl,
  dashboardUrl: topUp.dashboardUrl,
  message: topUp.message,
  ...(topUp.reason === null ? {} : { reason: topUp.reason }),
  ...(topUp.takenBackMicros === 0 ? {} : { takenBackMicros: topUp.takenBackMicros }),
  ...(topUp.owedMicros === 0 ? {} : { owedMicros: topUp.owedMicros }),
  createdAt: time(topUp.createdAt)
})

export const WhoamiBody = Schema.Struct({
  tokenId: Schema.String,
  label: Schema.String,
  workspaceId: Schema.String,
  workspaceName: Schema.String,
  scopes: Schema.Array(Scope),
  createdAt: Time,
  expiresAt: nullable(Time),
  monthlySpendLimitMicros: nullable(Schema.Int),
  monthSpendMicros: Schema.Int,
  readOnly: Schema.Boolean
}).annotations({ identifier: "Whoami" })

export const whoamiBody = (caller: Principal, monthSpend: MonthSpend): typeof WhoamiBody.Type => ({
  tokenId: caller.tokenId,
  label: caller.label,
  workspaceId: caller.workspaceId,
  workspaceName: caller.workspaceName,
  scopes: caller.scopes,
  createdAt: time(caller.createdAt),
  expiresAt: timeOrNull(caller.expiresAt),
  monthlySpendLimitMicros: monthSpend.limitMicros,
  monthSpendMicros: monthSpend.spentMicros,
  readOnly: isReadOnly(caller.scopes)
})

export const LoggedOut = Schema.Struct({ revoked: Schema.Literal(true) }).annotations({ identifier: "LoggedOut" })

export const SessionContextBody = Schema.Struct({
  mode: Schema.Literal("token"),
  authenticationClass: Schema.Literal("api_key"),
  organizationId: Schema.String,
  organizationName: Schema.String,
  scopes: Schema.Array(Scope),
  deploymentMode: Schema.String,
  role: Schema.Literal("operator", "admin", "member", "viewer"),
  expiresAt: nullable(Time)
}).annotations({ identifier: "SessionContext" })

const roleOf = ({ operator, scopes }: Principal): (typeof SessionContextBody.Type)["role"] =>
  operator ? "operator" : isReadOnly(scopes) ? "viewer" : scopes.includes("account:manage") ? "admin" : "member"

export const sessionContextBody = (caller: Principal, deploymentMode: string): typeof SessionContextBody.Type => ({
  mode: "token",
  authenticationClass: "api_key",
  organizationId: caller.workspaceId,
  organizationName: caller.workspaceName,
  scopes: caller.scopes,
  deploymentMode,
  role: roleOf(caller),
  expiresAt: timeOrNull(caller.expiresAt)
})

export const CapabilityRequestInput = Schema.Struct({
  title: prose(requestTitleCharsMax),
  description: prose(requestTextCharsMax),
  idempotencyKey: optional(IdempotencyKey),
  desiredInputs: optional(prose(requestTextCharsMax)),
  desiredOutputs: optional(prose(requestTextCharsMax))
}).annotations({ identifier: "CapabilityRequestInput" })

export const CapabilityRequestBody = Schema.Struct({
  capabilityRequestId: Schema.String,
  title: Schema.String,
  description: Schema.String,
  desiredInputs: optional(Schema.String),
  desiredOutputs: optional(Schema.String),
  status: Schema.Literal("open"),
  createdAt: Time
}).annotations({ identifier: "CapabilityRequest" })

export const CapabilityRequestPage = Schema.Struct({
  requests: Schema.Array(CapabilityRequestBody),
  nextCursor: nullable(Schema.String)
}).annotations({ identifier: "CapabilityRequestPage" })

export const capabilityRequestBody = (request: CapabilityRequest): typeof CapabilityRequestBody.Type => ({
  capabilityRequestId: request.capabilityRequestId,
  title: request.title,
  description: request.description,
  ...(request.desiredInputs === null ? {} : { desiredInputs: request.desiredInputs }),
  ...(request.desiredOutputs === null ? {} : { desiredOutputs: request.desiredOutputs }),
  status: request.status,
  createdAt: time(request.createdAt)
})
