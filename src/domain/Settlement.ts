/**
 * What the end of a run does to its money and its state, decided over plain state. The charge is never above the hold,
 * never below zero, and only ever made of costs that a provider's answer is evidence of.
 */
import { Array as Arr, Either, Option } from "effect"
import type { Spends, WalletState } from "./Admission.js"
import type { RunId } from "./Ids.js"
import { type Balance, post, type Posting } from "./Ledger.js"
import { Micros } from "./Micros.js"
import * as Money from "./Micros.js"
import type { CostEvidence } from "./ProviderCall.js"
import { isInflight, next, type RunEvent } from "./RunMachine.js"
import type { RunStatus } from "./Run.js"
import type { InputPrice } from "./Manifest.js"

/** The cost of one attempt. `anomaly` is the reported or computed cost that could not be used as it was. */
export interface AttemptCost {
  readonly micros: Micros
  readonly anomaly: string | null
}

/**
 * The evidenced cost of one answered attempt, at most `maxMicros`. A cost that the provider reports is accepted up to
 * the hold. Without a report the listed price of the delivered results counts. A report that is no amount
 * is charged as 0 and recorded as an anomaly.
 */
export const costOf = (input: {
  /** The price of what was delivered, as it is for the attempt's input; null when nothing was delivered. */
  readonly price: InputPrice | null
  readonly resultCount: number | null
  readonly evidence: CostEvidence
  readonly maxMicros: Micros
}): AttemptCost => {
  const { evidence, maxMicros, price } = input
  if (evidence._tag === "Anomaly") return { micros: Money.zero, anomaly: evidence.reported }
  if (evidence._tag === "Reported") {
    const { micros } = evidence
    if (!Number.isFinite(micros) || micros < 0) return { micros: Money.zero, anomaly: String(micros) }
    const rounded = Math.round(micros)
    return rounded > maxMicros
      ? { micros: maxMicros, anomaly: String(micros) }
      : { micros: Micros.make(rounded), anomaly: evidence.anomaly ?? null }
  }
  if (price === null || price.basis === "free") return { micros: Money.zero, anomaly: null }
  const units = price.basis === "per_result" ? Math.max(0, input.resultCount ?? 1) : 1
  const listed = price.perCallMicros + price.micros * units
  return listed > maxMicros
    ? { micros: maxMicros, anomaly: String(listed) }
    : { micros: Micros.make(listed), anomaly: null }
}

/** What a call costs that delivered nothing: what the provider told. */
export const costOfFailure = (evidence: CostEvidence, maxMicros: Micros): AttemptCost =>
  costOf({ price: null, resultCount: null, evidence, maxMicros })

export interface Closing {
  readonly runId: RunId
  readonly status: RunStatus
  readonly holdMicros: Micros
  readonly spendMonth: string
  readonly event: RunEvent
  /** Sum of the evidenced costs of all attempts. */
  readonly costMicros: Micros
  readonly reason: string | null
}

export interface Settled {
  readonly status: RunStatus
  /** Null while the money stays held. */
  readonly chargeMicros: Micros | null
  readonly walletState: WalletState
  readonly spends: Spends
  readonly postings: ReadonlyArray<Posting>
}

/**
 * Why a settlement is impossible: the event has no meaning in the state of the run, or the wallet does not hold the
 * run's money.
 */
export type Unsettleable =
  | { readonly _tag: "WrongState"; readonly status: RunStatus; readonly event: RunEvent }
  | { readonly _tag: "HoldMissing"; readonly balance: Balance }

export const settle = (
  walletState: WalletState,
  spends: Spends,
  closing: Closing
): Either.Either<Settled, Unsettleable> => {
  const to = next(closing.status, closing.event)
  if (Option.isNone(to)) return Either.left({ _tag: "WrongState", status: closing.status, event: closing.event })
  const inflight = walletState.inflight - (isInflight(closing.status) && !isInflight(to.value) ? 1 : 0)
  if (to.value === "reconciliation_pending" || isInflight(to.value)) {
    return Either.right({
      status: to.value,
      chargeMicros: null,
      walletState: { ...walletState, inflight },
      spends,
      postings: []
    })
  }
  const charge = Money.min(closing.costMicros, closing.holdMicros)
  const transfer = { runId: closing.runId, topUpId: null, reason: closing.reason }
  const released = post(walletState.balance, { ...transfer, kind: "release", micros: closing.holdMicros })
  if (Either.isLeft(released)) return Either.left({ _tag: "HoldMissing", balance: walletState.balance })
  const charged = post(released.right.balance, { ...transfer, kind: "charge", micros: charge })
  if (Either.isLeft(charged)) return Either.left({ _tag: "HoldMissing", balance: walletState.balance })
  const unspent = closing.holdMicros - charge
  return Either.right({
    status: to.value,
    chargeMicros: charge,
    walletState: { ...walletState, inflight, balance: charged.right.balance },
    // A hold of an earlier month counts against that month's limit, which is over.
    spends: Arr.map(spends, (spend) =>
      spend.month === closing.spendMonth
        ? { ...spend, spentMicros: Micros.make(Math.max(0, spend.spentMicros - unspent)) }
        : spend
    ),
    postings: [released.right.posting, charged.right.posting].filter((posting) => posting.amountMicros !== 0)
  })
}
