import { assert, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { describe } from "vitest"
import { WorkspaceId } from "../../src/domain/Ids.js"
import { Micros } from "../../src/domain/Micros.js"
import { nextStatus, topUpHint, topUpStatuses } from "../../src/domain/TopUp.js"
import { billing as policy } from "../support/billing.js"

const workspaceId = WorkspaceId.make(`ws_${"0".repeat(26)}`)
const usd = (amount: number) => Micros.make(amount * 1_000_000)
const hint = (
  availableUsd: number,
  neededUsd: number | null,
  asked: {
    readonly readOnly?: boolean
    readonly operatorWorkspace?: boolean
    readonly processorConfigured?: boolean
  } = {}
) =>
  topUpHint(policy, {
    workspaceId,
    processorConfigured: true,
    operatorWorkspace: false,
    readOnly: false,
    availableMicros: usd(availableUsd),
    neededMicros: neededUsd === null ? null : usd(neededUsd),
    ...asked
  })

describe("TopUp", () => {
  it.prop(
    "whatever is reported in whatever order, a top-up is paid exactly when a payment was among the reports",
    [FastCheck.array(FastCheck.constantFrom(...topUpStatuses))],
    ([reports]) => {
      let status: (typeof topUpStatuses)[number] = "pending"
      let payments = 0
      for (const reported of reports) {
        const next = nextStatus(status, reported)
        if (next === "paid") payments += 1
        status = next ?? status
      }
      return reports.includes("paid") ? status === "paid" && payments === 1 : status !== "paid" && payments === 0
    }
  )

  it("the hint says whether the balance will do", () => {
    assert.strictEqual(hint(100, null).reason, "balance_sufficient")
    assert.strictEqual(hint(100, 101).reason, "balance_low")
    assert.strictEqual(hint(4.99, null).reason, "balance_low")
    assert.strictEqual(hint(5, 5).reason, "balance_sufficient")
  })

  it("the hint says what stands in the way of paying", () => {
    assert.strictEqual(hint(0, 1, { readOnly: true }).reason, "read_only_token")
    assert.strictEqual(hint(0, 1, { processorConfigured: false }).reason, "payment_processor_not_configured")
    assert.strictEqual(hint(0, 1, { processorConfigured: false, readOnly: true }).reason, "read_only_token")
    assert.strictEqual(hint(0, 1, { readOnly: true, operatorWorkspace: true }).reason, "operator_workspace")
  })

  it("the hint leads a caller who can pay to the page where a checkout is opened, and nobody else", () => {
    assert.strictEqual(hint(0, 1).checkoutUrl, policy.dashboardUrl(workspaceId))
    assert.strictEqual(hint(100, null).checkoutUrl, policy.dashboardUrl(workspaceId))
    for (const asked of [{ readOnly: true }, { processorConfigured: false }, { operatorWorkspace: true }])
      assert.isNull(hint(0, 1, asked).checkoutUrl)
  })

  it("the suggestion covers what is missing, in whole dollars, within the maximum", () => {
    assert.strictEqual(hint(0, 3).suggestedUsd, 20)
    assert.strictEqual(hint(1, 31.000001).suggestedUsd, 31)
    assert.strictEqual(hint(0, 5000).suggestedUsd, 1000)
    assert.strictEqual(hint(0, 3).minimumUsd, 5)
  })
})
