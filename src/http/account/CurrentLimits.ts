/** What is left of each limit, for the route and for the tool of agents that show it (extensions, section 1). */
import { Effect } from "effect"
import { currentLimits } from "../../domain/CurrentLimits.js"
import type { Principal } from "../../services/Accounts.js"
import type { RateDecision } from "../../services/RateLimiter.js"
import type { Wallet } from "../../services/Wallet.js"
import { limitsBody } from "./MoneyBodies.js"

/** `rate` is the decision about the request that asks. */
export const readLimits = Effect.fnUntraced(function* (
  wallet: Wallet["Type"],
  caller: Principal,
  rate: RateDecision | null
) {
  if (rate === null) return yield* Effect.dieMessage("a request with a token that was not counted")
  const { now, spends, walletState } = yield* wallet.read(caller)
  return limitsBody(currentLimits(walletState, spends, now), rate)
})
