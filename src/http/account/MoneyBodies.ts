/**
 * What the routes of the balance, the limits, the ledger and top-ups take and give (completions: section 4). Names
 * ending in `Micros` are integers, other money is dollars.
 */
import { Schema } from "effect"
import type { CurrentLimits } from "../../domain/CurrentLimits.js"
import type { LedgerEntry } from "../../domain/Ledger.js"
import { LedgerKind } from "../../domain/Ledger.js"
import { Micros, microsPerUsd, toUsd } from "../../domain/Micros.js"
import { amountExpected, topUpAmounts } from "../../domain/TopUp.js"
import { TopUpHint, TopUpReason } from "../../domain/TopUpHint.js"
import type { RateDecision } from "../../services/RateLimiter.js"
import type { TopUp } from "../../services/TopUps.js"
import type { HoldRow } from "../../services/Wallet.js"
import type { Balance } from "../../domain/Ledger.js"
import {
  holdsShownMax,
  inflightLimitDefault,
  rateBurstDefault,
  ratePerSecondDefault,
  topUpSuggestedUsdDefault
} from "../../domain/limits/Workspaces.js"
import {
  askedMaybe,
  exampleId,
  exampleTime,
  field,
  NextCursor,
  optional,
  PaidUsdInput,
  Time,
  time,
  timeOrNull,
  usdWithin
} from "../Fields.js"
import { keyField } from "../IdempotencyKey.js"

const nullable = Schema.NullOr

export const BalanceBody = Schema.Struct({
  available: field(Schema.Number, "What can be spent, in US dollars", 12.5),
  reserved: field(Schema.Number, "What runs in flight hold, in US dollars; it is no part of available", 0.04),
  availableMicros: field(Schema.Int, "What can be spent, in micros: millionths of a dollar", 12_500_000),
  reservedMicros: field(Schema.Int, "What runs in flight hold, in micros", 40_000),
  currency: field(Schema.Literal("USD"), "The currency", "USD"),
  topUpUrl: field(nullable(Schema.String), "The same as topUpLink.checkoutUrl", null),
  topUpLink: TopUpHint,
  holds: Schema.Array(
    Schema.Struct({
      runId: field(Schema.String, "The run that holds it", exampleId("run")),
      amountMicros: field(Schema.Int, "How much it holds, in micros", 40_000),
      createdAt: field(Time, "When the run was made", exampleTime)
    })
  ).annotations({ description: `What runs in flight hold: the newest ${holdsShownMax}` })
}).annotations({ identifier: "Balance", description: "The workspace's balance" })

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

const count = (description: string, example: number) => field(Schema.Int, description, example)
const micros = (description: string, example: number) => count(`${description}, in micros`, example)
const microsOrNull = (description: string, example: number | null) =>
  field(nullable(Schema.Int), `${description}, in micros; null without a limit`, example)
const resetsAt = field(nullable(Time), "When it starts anew; null without a limit", "2026-07-01T00:00:00.000Z")

export const LimitsBody = Schema.Struct({
  balance: Schema.Struct({
    availableMicros: micros("What can be spent", 12_500_000),
    reservedMicros: micros("What runs in flight hold", 40_000)
  }).annotations({ description: "The workspace's balance" }),
  key: Schema.Struct({
    limitMicros: microsOrNull("The limit", 5_000_000),
    spentMicros: micros("What is spent or held", 120_000),
    remainingMicros: microsOrNull("What is left", 4_880_000),
    resetsAt
  }).annotations({
    description:
      "The calendar month (UTC) of the calling token: of its own limit and those that it shares, the one with the least left; null without a limit"
  }),
  inflight: Schema.Struct({
    now: count("Runs of the workspace in flight", 1),
    limit: count("How many may be", inflightLimitDefault)
  }).annotations({ description: "Runs in flight" }),
  runsPerMinute: nullable(
    Schema.Struct({
      limit: count("Runs that the workspace may start in a minute", 120),
      remaining: count("How many of them are left", 118),
      resetsAt: field(Time, "When all of them are left again", exampleTime)
    })
  ).annotations({ description: "Runs a minute; null without a limit" }),
  requests: Schema.Struct({
    burst: count("Requests that may be sent at once", rateBurstDefault),
    remaining: count("How many of them are left", 59),
    refillPerSecond: field(Schema.Number, "How many come back in a second", ratePerSecondDefault)
  }).annotations({
    description: "The request rate of the workspace, as this node counts it and after this request"
  }),
  budgets: Schema.Array(
    Schema.Struct({
      budgetId: field(Schema.String, "Names the budget", exampleId("bud")),
      name: field(Schema.String, "What people call it", "marketing"),
      limitMicros: microsOrNull("The limit", 5_000_000),
      spentMicros: micros("What is spent or held", 120_000),
      remainingMicros: microsOrNull("What is left", 4_880_000),
      period: field(Schema.Literal("day", "month", "total"), "How long it counts", "month"),
      resetsAt
    })
  ).annotations({
    description: "Budgets that a run of the calling token counts against; always empty, because this gateway has none"
  })
}).annotations({ identifier: "Limits", description: "What is left of the balance and of each limit" })

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
  entryId: field(Schema.String, "Names the entry", exampleId("led")),
  kind: LedgerKind,
  amountMicros: field(
    Schema.Int,
    "What it added to the available balance, in micros; below 0 where it took something",
    -20_000
  ),
  balanceAfterMicros: field(Schema.Int, "The available balance after it, in micros", 12_480_000),
  reservedAfterMicros: field(Schema.Int, "All holds after it, in micros", 0),
  runId: optional(
    field(Schema.String, "The run that it belongs to; absent where it belongs to none", exampleId("run"))
  ),
  topUpId: optional(
    field(Schema.String, "The top-up that it belongs to; absent where it belongs to none", exampleId("top"))
  ),
  reason: optional(
    field(Schema.String, "Why somebody made it; absent where the gateway made it", "Refund of a duplicate order")
  ),
  createdAt: field(Time, "When it was made", exampleTime)
}).annotations({ identifier: "LedgerEntry", description: "One movement of money; it is never changed or deleted" })

export const LedgerPage = Schema.Struct({
  entries: Schema.Array(LedgerEntryBody).annotations({ description: "Entries, newest first" }),
  nextCursor: NextCursor
}).annotations({ identifier: "LedgerPage", description: "A page of the ledger" })

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

/** What a top-up may have, and what a saved card may be charged with. */
export const TopUpUsd = usdWithin(
  PaidUsdInput,
  topUpAmounts.minimumMicros,
  topUpAmounts.maximumMicros,
  amountExpected(topUpAmounts)
)

export const TopUpInput = Schema.Struct({
  amountUsd: askedMaybe(
    TopUpUsd,
    "How many US dollars, in whole cents; the suggested amount without it. topUpLink of GET /v1/balance says the smallest",
    Micros.make(topUpSuggestedUsdDefault * microsPerUsd)
  ),
  savePaymentMethod: askedMaybe(
    Schema.Boolean,
    "Whether the card that pays is saved for automatic top-ups; the checkout asks its owner",
    false
  ),
  idempotencyKey: keyField("The same key answers the same top-up; the header Idempotency-Key does as well")
}).annotations({ identifier: "TopUpRequest", description: "A top-up to be paid by a person" })

export const TopUpBody = Schema.Struct({
  topUpId: field(Schema.String, "Names the top-up", exampleId("top")),
  status: field(
    Schema.Literal("pending", "paid", "expired", "failed", "refused"),
    "Where it stands: pending until somebody pays; refused when nobody can, with the reason",
    "pending"
  ),
  amountUsd: field(Schema.Number, "How many US dollars", 20),
  amountMicros: field(Schema.Int, "The same in micros", 20_000_000),
  checkoutUrl: field(
    nullable(Schema.String),
    "Where a person pays it; null when it cannot be paid",
    "https://checkout.stripe.com/c/pay/cs_example"
  ),
  dashboardUrl: field(Schema.String, "Where a person sees it", "https://gateway.example.com/console"),
  message: field(Schema.String, "What to do next, in a sentence", "Open checkoutUrl in a browser and pay."),
  reason: optional(TopUpReason),
  takenBackMicros: optional(
    field(Schema.Int, "What refunds and disputes have taken back of it, in micros; absent where nothing", 5_000_000)
  ),
  owedMicros: optional(
    field(
      Schema.Int,
      "What they are still to take back, in micros: the next top-ups pay it first; absent where nothing is owed",
      1_000_000
    )
  ),
  createdAt: field(Time, "When it was requested", exampleTime)
}).annotations({ identifier: "TopUp", description: "A top-up" })

export const TopUpPage = Schema.Struct({
  topUps: Schema.Array(TopUpBody).annotations({ description: "Top-ups, newest first" }),
  nextCursor: NextCursor
}).annotations({ identifier: "TopUpPage", description: "A page of top-ups" })

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
