import { assert, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { describe } from "vitest"
import { cutText, wellFormed } from "../../src/domain/Characters.js"

const text = FastCheck.array(FastCheck.constantFrom("a", "ü", "\u{1f600}", "\u{10ffff}", "\u0000"), {
  maxLength: 20
}).map((parts) => parts.join(""))

describe("texts cut to a length", () => {
  it.prop(
    "begin as the whole, are as long as allowed or one unit shorter, and end with a whole character",
    [text, FastCheck.nat(25)],
    ([whole, max]) => {
      const cut = cutText(whole, max)
      assert.isTrue(whole.startsWith(cut) && cut.isWellFormed())
      assert.isTrue(cut.length <= max && cut.length >= Math.min(whole.length, max) - 1)
    },
    { fastCheck: { numRuns: 500 } }
  )

  it("keep what they are given where nothing is cut through", () => {
    assert.strictEqual(cutText("ab\u{1f600}", 4), "ab\u{1f600}")
    assert.strictEqual(cutText("ab\u{1f600}", 3), "ab")
    assert.strictEqual(cutText("ab\u{1f600}c", 4), "ab\u{1f600}")
    assert.strictEqual(cutText("\u{1f600}", 0), "")
  })

  it("are made well formed where only text may stand", () => {
    assert.strictEqual(wellFormed("a\u0000\ud83d\u{1f600}"), "a\ufffd\ufffd\u{1f600}")
  })
})
