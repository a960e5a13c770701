/** The tool of the account: `get_limits`. */
import { Effect } from "effect"
import { Wallet } from "../../services/Wallet.js"
import { LimitsBody } from "../account/MoneyBodies.js"
import { readLimits } from "../account/CurrentLimits.js"
import { ReadTurns } from "../ReadTurns.js"
import { reads } from "./CatalogTools.js"
import { noInput, tool } from "./Tool.js"

export const getLimits = tool({
  name: "get_limits",
  title: "Get what is left",
  description:
    "Says what is left: the balance, this token's month, runs in flight and a minute, requests. Amounts are millionths of a dollar. Costs nothing.",
  scope: null,
  annotations: reads,
  input: noInput,
  output: LimitsBody,
  call: Effect.fnUntraced(function* (_, { caller, rate }) {
    const wallet = yield* Wallet
    const turns = yield* ReadTurns
    return yield* turns.take(caller.workspaceId, readLimits(wallet, caller, rate))
  })
})
