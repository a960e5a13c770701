/** What every state of a refund or a dispute at Stripe means for the money of a top-up. */
import { assert, describe, it } from "vitest"
import { disputeState, refundState } from "../../../src/layers/accounts/payments/StripeReversals.js"

describe("a refund", () => {
  it.each([
    [null, "taken"],
    ["pending", "taken"],
    ["requires_action", "taken"],
    ["succeeded", "taken"],
    ["failed", "returned"],
    ["canceled", "returned"]
  ] as const)("that is %s has %s the money", (status, state) => {
    assert.strictEqual(refundState(status), state)
  })
})

describe("a dispute", () => {
  it.each([
    ["warning_needs_response", "open", "taken"],
    ["warning_under_review", "open", "taken"],
    ["warning_closed", "returned", "returned"],
    ["needs_response", "taken", "taken"],
    ["under_review", "taken", "taken"],
    ["prevented", "returned", "returned"],
    ["lost", "taken", "taken"],
    ["won", "returned", "returned"]
  ] as const)(
    "that is %s is %s, %s once its money was withdrawn, and returned once it came back",
    (status, state, withdrawn) => {
      assert.strictEqual(disputeState(status, null), state)
      assert.strictEqual(disputeState(status, "withdrawn"), withdrawn)
      assert.strictEqual(disputeState(status, "reinstated"), "returned")
    }
  )
})
