/**
 * Whether a run may start, decided over plain state that the caller has read and locked. Pure, so that every storage,
 * the quote and the tests use the same rule. Callers rely on the order of the checks: key, run cap, runs a minute, runs
 * in flight, the token's month, the balance.
 *
 * A child token shares the limits of its parent (`TokenLine.ts`): a run counts against the token and against every
 * token above it in that line.
 */
import { Array as Arr, Data, Either } from "effect"
import {
  KeySpendLimitReached,
  RateLimitExceeded,
  RunRateLimited,
  shortOfBalance,
  TooManyInflightRuns
} from "./ApiErrors.js"
import type { RunId } from "./Ids.js"
import { refusedRunsPerMinuteMax } from "./limits/Runs.js"
import { type Balance, post, type Posting } from "./Ledger.js"
import { dollars, Micros } from "./Micros.js"

/** What is known about a workspace and one of its tokens, read under the wallet's lock. */
export interface WalletState {
  readonly balance: Balance
  readonly inflight: number
  readonly inflightLimit: number
  /** Most that one run may hold; null for no cap. */
  readonly runCapMicros: Micros | null
  /** Runs that may start a minute; null for no budget. */
  readonly runsPerMinute: number | null
  readonly minuteStartedAt: number
  readonly minuteCount: number
  /** How many of the starts of this minute were refused before anything was sent. */
  readonly minuteRefused: number
}

/** What a token has spent or holds in a calendar month. The month never goes back, even if the clock does. */
export interface TokenSpend {
  readonly limitMicros: Micros | null
  readonly month: string
  readonly spentMicros: Micros
}

/** The spend of the calling token, then of the token that approved it, and so on to the first token of the line. */
export type Spends = Arr.NonEmptyReadonlyArray<TokenSpend>

export interface Request {
  readonly runId: RunId
  readonly holdMicros: Micros
  readonly now: number
  readonly month: string
}

/** The run may hold more than the operator lets one run of the workspace hold: a blocked run, and no HTTP error. */
export class RunCapExceeded extends Data.TaggedError("RunCapExceeded")<{
  readonly holdMicros: Micros
  readonly capMicros: Micros
}> {
  override get message() {
    return `The maximum price is ${dollars(this.holdMicros)}, and a run of this workspace may hold at most ${dollars(this.capMicros)}.`
  }
}

/** The caller gets `InsufficientBalance`, which also says how to top up. The rules of admission do not know how. */
export class BalanceTooLow extends Data.TaggedError("BalanceTooLow")<{
  readonly balanceMicros: Micros
  readonly estimatedCostMicros: Micros
}> {
  override get message() {
    return shortOfBalance(this)
  }
}

/** Why a run may not start. */
export type Refusal = RunCapExceeded | RunRateLimited | TooManyInflightRuns | KeySpendLimitReached | BalanceTooLow

/** Why a run that was refused before anything was sent is not even stored. */
export type RefusedTooOften = RunRateLimited | RateLimitExceeded

export interface Admitted {
  readonly walletState: WalletState
  readonly spends: Spends
  /** The month that the run counts in, the same for all of `spends`. */
  readonly month: string
  readonly posting: Posting
}

/** Runs are counted in windows of a minute. */
export const minute = 60_000
/**
 * So far in the future a minute may begin while the clock is right: a transaction that waited for the wallet's lock may
 * have read the clock before the one that had it.
 */
const aheadMillisMax = 10_000
export type MinuteWindow = Pick<WalletState, "minuteStartedAt" | "minuteCount" | "minuteRefused">

/** The verdict of each limit, in the order in which the limits are checked. The quote shows all of them. */
export const refusals = (walletState: WalletState, spends: Spends, request: Request): ReadonlyArray<Refusal> => {
  const found: Array<Refusal> = []
  const { balance, inflight, inflightLimit, runCapMicros, runsPerMinute } = walletState
  const { holdMicros } = request
  if (runCapMicros !== null && holdMicros > runCapMicros)
    found.push(new RunCapExceeded({ holdMicros, capMicros: runCapMicros }))
  const window = minuteWindow(walletState, request.now)
  if (runsPerMinute !== null && window.minuteCount >= runsPerMinute)
    found.push(new RunRateLimited({ limit: runsPerMinute, retryAfterSeconds: secondsLeft(window, request.now) }))
  if (inflight >= inflightLimit)
    found.push(new TooManyInflightRuns({ inflight, limit: inflightLimit, retryAfterSeconds: 1 }))
  const month = monthOfAll(spends, request.month)
  for (const spend of spends) {
    const { limitMicros, spentMicros } = spendInMonth(spend, month)
    if (limitMicros === null || holdMicros <= leftOf(limitMicros, spentMicros)) continue
    const of = spend === spends[0] ? "this key" : "the key that this one comes from"
    found.push(new KeySpendLimitReached({ limitMicros, spentMicros, estimatedCostMicros: holdMicros, of }))
    break
  }
  if (balance.availableMicros < holdMicros) found.push(balanceTooLow(balance, request))
  return found
}

const balanceTooLow = ({ availableMicros }: Balance, { holdMicros }: Request) =>
  new BalanceTooLow({ balanceMicros: availableMicros, estimatedCostMicros: holdMicros })

export const admit = (walletState: WalletState, spends: Spends, request: Request): Either.Either<Admitted, Refusal> => {
  const first = refusals(walletState, spends, request)[0]
  if (first !== undefined) return Either.left(first)
  const held = post(walletState.balance, {
    kind: "hold",
    micros: request.holdMicros,
    runId: request.runId,
    topUpId: null,
    reason: null
  })
  if (Either.isLeft(held)) return Either.left(balanceTooLow(walletState.balance, request))
  const window = minuteWindow(walletState, request.now)
  const month = monthOfAll(spends, request.month)
  return Either.right({
    walletState: {
      ...walletState,
      balance: held.right.balance,
      inflight: walletState.inflight + 1,
      ...window,
      minuteCount: window.minuteCount + 1
    },
    spends: Arr.map(spends, (spend) => spent(spendInMonth(spend, month), request.holdMicros)),
    month,
    posting: held.right.posting
  })
}

/**
 * Whether a run that was refused before anything was sent may be stored. Such a run holds and costs nothing, but it
 * takes room. So it counts as one of the runs a minute, and it has a limit of its own.
 */
export const keepRefused = (walletState: WalletState, now: number): Either.Either<WalletState, RefusedTooOften> => {
  const window = minuteWindow(walletState, now)
  const retryAfterSeconds = secondsLeft(window, now)
  if (walletState.runsPerMinute !== null && window.minuteCount >= walletState.runsPerMinute)
    return Either.left(new RunRateLimited({ limit: walletState.runsPerMinute, retryAfterSeconds }))
  if (window.minuteRefused >= refusedRunsPerMinuteMax)
    return Either.left(new RateLimitExceeded({ limit: refusedRunsPerMinuteMax, retryAfterSeconds, of: "refusedRuns" }))
  return Either.right({
    ...walletState,
    ...window,
    minuteCount: window.minuteCount + 1,
    minuteRefused: window.minuteRefused + 1
  })
}

/**
 * The minute in which this run counts: the open minute, or a new one that starts with this run. A minute that begins
 * in the future is over, too: the clock was set back, as by a failover to a database whose clock lags. Otherwise every
 * run would be refused for as long as it lags; so a workspace may get one minute's runs twice.
 */
export const minuteWindow = (
  { minuteCount, minuteRefused, minuteStartedAt }: WalletState,
  now: number
): MinuteWindow =>
  now - minuteStartedAt >= minute || minuteStartedAt - now > aheadMillisMax
    ? { minuteStartedAt: now, minuteCount: 0, minuteRefused: 0 }
    : { minuteStartedAt, minuteCount, minuteRefused }

const secondsLeft = (window: MinuteWindow, now: number): number =>
  Math.max(1, Math.ceil((window.minuteStartedAt + minute - now) / 1000))

/**
 * The spend that the limit is compared with. It is zero in a new month. After the clock was set back it is still the
 * spend of the later month.
 */
export const spendInMonth = (spend: TokenSpend, month: string): TokenSpend =>
  month > spend.month ? { ...spend, month, spentMicros: Micros.make(0) } : spend

/** A run counts in one month: the latest that any of its tokens has seen. */
export const monthOfAll = (spends: Spends, month: string): string =>
  spends.reduce((latest, spend) => (spend.month > latest ? spend.month : latest), month)

/**
 * Answers how much a token may still spend: the limit with the least left, of all limits in the token's line. Without
 * any limit it is the token's own spend.
 */
export const tightest = (spends: Spends, month: string): Pick<TokenSpend, "limitMicros" | "spentMicros"> => {
  const left = ({ limitMicros, spentMicros }: TokenSpend) =>
    limitMicros === null ? Number.POSITIVE_INFINITY : limitMicros - spentMicros
  return Arr.map(spends, (spend) => spendInMonth(spend, month)).reduce((least, spend) =>
    left(spend) < left(least) ? spend : least
  )
}

/** What a workspace and one of its tokens may still spend, right after a run was held or settled. */
export interface MoneyLeft {
  readonly balanceMicros: Micros
  /** Of the limit in the token's line that has the least left; null without a limit. */
  readonly keyMicros: Micros | null
}

export const moneyLeft = ({ balance }: Pick<WalletState, "balance">, spends: Spends, month: string): MoneyLeft => ({
  balanceMicros: balance.availableMicros,
  keyMicros: keyLeft(tightest(spends, monthOfAll(spends, month)))
})

/** A limit that was lowered below what is spent has nothing left, which is enough for a run that costs nothing. */
const leftOf = (limitMicros: Micros, spentMicros: Micros): Micros => Micros.make(Math.max(0, limitMicros - spentMicros))

export const keyLeft = ({
  limitMicros,
  spentMicros
}: Pick<TokenSpend, "limitMicros" | "spentMicros">): Micros | null =>
  limitMicros === null ? null : leftOf(limitMicros, spentMicros)

const spent = (spend: TokenSpend, amount: number): TokenSpend => ({
  ...spend,
  spentMicros: Micros.make(Math.max(0, spend.spentMicros + amount))
})
