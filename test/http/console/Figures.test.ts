/** How values look on a page. */
import { assert, describe, it } from "@effect/vitest"
import { dollars } from "../../../src/domain/Micros.js"
import {
  count,
  counted,
  exactInstant,
  instant,
  money,
  moneyText,
  signedMoney
} from "../../../src/http/console/Figures.js"
import { filledWith } from "../../../src/http/console/Forms.js"
import type { Html } from "../../../src/http/console/Html.js"
import { usdField } from "../../../src/http/console/Money.js"
import { entryColumns } from "../../../src/http/console/workspace/LedgerColumns.js"
import { csvText } from "../../../src/http/console/Tables.js"
import { allSteps } from "../../../src/services/Slices.js"

const text = (shown: Html) => shown.render({ prefix: "", csrf: null }).replaceAll(/<[^>]*>/g, "")

describe("a figure on a page", () => {
  it("has commas between thousands", () => {
    assert.strictEqual(text(money(1_000_000_000_000)), "$1,000,000.00")
    assert.strictEqual(text(signedMoney(1_234_567_891_234)), "+$1,234,567.891234")
    assert.strictEqual(moneyText(-1_234_500_000), "-$1,234.50")
    assert.strictEqual(text(counted(1_234_567, "run")), "1,234,567 runs")
  })

  it("has none where there are no thousands, and never among decimals", () => {
    assert.strictEqual(moneyText(999_990_000), "$999.99")
    assert.strictEqual(moneyText(123_456), "$0.123456")
    assert.strictEqual(text(count(999)), "999")
  })

  it("has none outside of pages, in fields and in files", () => {
    const micros = 1_000_000_000_000
    assert.strictEqual(dollars(micros), "$1000000.00")
    const field = usdField({ form: filledWith({ usd: "1000000" }), name: "usd", label: "USD" })
    assert.include(field.render({ prefix: "", csrf: null }), 'value="1000000"')
    const file = allSteps(
      csvText(entryColumns("ws_1"), [
        {
          entryId: "led_1",
          kind: "top_up",
          amountMicros: micros,
          balanceAfterMicros: micros,
          reservedAfterMicros: 0,
          runId: null,
          topUpId: null,
          reason: null,
          createdAt: 0
        } as never
      ])
    )
    assert.include(file, ",1000000000000,1000000000000,0,")
  })

  it("is a time to the second, or to the millisecond where the order matters", () => {
    const at = Date.UTC(2026, 10, 27, 9, 5, 7, 40)
    assert.strictEqual(text(instant(at)), "2026-11-27 09:05:07")
    assert.strictEqual(text(exactInstant(at)), "2026-11-27 09:05:07.040")
  })
})
