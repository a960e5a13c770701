/** Short forms of `npm run chaos simultaneous waiters payments`, against real gateway processes. */
import { describe, it } from "@effect/vitest"
import { paymentKills } from "../../chaos/attacks/PaymentKills.js"
import { payments } from "../../chaos/attacks/Payments.js"
import { simultaneous } from "../../chaos/attacks/Simultaneous.js"
import { waiters } from "../../chaos/attacks/Waiters.js"
import { attacked } from "./stage.js"

describe("everything at the same moment", () => {
  it.live("over one node: one key makes one run, limits hold to the micro, no money goes astray", () =>
    attacked("simultaneous", (stage) => simultaneous(stage, { nodes: 1, mixedRuns: 96, credits: 200 }))
  )

  it.live(
    "over two nodes the figures are the same, ends and cancels reach the other node, and a killed node's runs are taken over",
    () => attacked("simultaneous", (stage) => simultaneous(stage, { nodes: 2, mixedRuns: 96, credits: 200 }))
  )

  it.live("hundreds of waiters keep no database connection busy, and one that hangs up loses no run", () =>
    attacked("simultaneous", (stage) => waiters(stage, { runs: 20, waitersOfEach: 10, runMillis: 1_500 }))
  )

  it.live("payments reported five times and out of order credit once", () =>
    attacked("simultaneous", (stage) => payments(stage, 12))
  )

  it.live("signed events of payments and refunds count once while a node is killed again and again", () =>
    attacked("simultaneous", (stage) => paymentKills(stage, { topUps: 6, kills: 2 }))
  )
})
