/** Results of providers on a terminal: what they hold is shown, and commands nothing. */
import { assert, describe, it } from "@effect/vitest"
import { printed } from "../../src/cli/client/FoundRuns.js"
import { readJson } from "../../src/domain/LosslessJson.js"
import { Either } from "effect"

describe("a result that is printed for people", () => {
  it("holds no sign that a terminal obeys, and says the same as JSON", () => {
    // eslint-disable-next-line no-control-regex
    const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/
    const text = "a\u001b[2Jb\u009b31mc\u007f\u0090d é 漢 \u00a0"
    for (const result of [{ text, [text]: [text] }, text]) {
      const shown = printed(result)
      assert.notMatch(shown, obeyed)
      assert.include(shown, "é 漢")
      assert.deepStrictEqual(JSON.parse(shown), result)
    }
    // Numbers that JavaScript cannot hold are printed as they came.
    const exact = Either.getOrThrow(readJson(`{"id":12345678901234567890,"text":"\u009b31m"}`))
    assert.strictEqual(printed(exact), `{"id":12345678901234567890,"text":"\\u009b31m"}`)
  })
})
