/**
 * How much of each limit of a workspace and one of its tokens is left at one moment (extensions, section 1). It reads
 * what `Admission.ts` decides on, in the same way, so that it says what the next run would meet.
 */
import { keyLeft, minute, minuteWindow, monthOfAll, type Spends, type WalletState, tightest } from "./Admission.js"
import type { Balance } from "./Ledger.js"
import type { Micros } from "./Micros.js"
import { endOfMonth, monthOf } from "./Run.js"

export interface CurrentLimits {
  readonly balance: Balance
  /** The limit in the token's line that has the least left. Without any, only the token's own spend is known. */
  readonly key: {
    readonly limitMicros: Micros | null
    readonly spentMicros: Micros
    readonly remainingMicros: Micros | null
    readonly resetsAt: number | null
  }
  readonly inflight: { readonly now: number; readonly limit: number }
  readonly runsPerMinute: { readonly limit: number; readonly remaining: number; readonly resetsAt: number } | null
}

export const currentLimits = (walletState: WalletState, spends: Spends, now: number): CurrentLimits => {
  const month = monthOfAll(spends, monthOf(now))
  const { limitMicros, spentMicros } = tightest(spends, month)
  const { minuteCount, minuteStartedAt } = minuteWindow(walletState, now)
  const { balance, inflight, inflightLimit, runsPerMinute } = walletState
  return {
    balance,
    key: {
      limitMicros,
      spentMicros,
      remainingMicros: keyLeft({ limitMicros, spentMicros }),
      resetsAt: limitMicros === null ? null : endOfMonth(month)
    },
    inflight: { now: inflight, limit: inflightLimit },
    runsPerMinute:
      runsPerMinute === null
        ? null
        : {
            limit: runsPerMinute,
            remaining: Math.max(0, runsPerMinute - minuteCount),
            resetsAt: minuteStartedAt + minute
          }
  }
}
