import { assert, describe, it } from "@effect/vitest"
import { nameProblem, reasonProblem } from "../../src/domain/Labels.js"

describe("texts that one person types and others read", () => {
  it("may be in any script, up to their length", () => {
    for (const name of [
      "Acme",
      "Größe & Söhne",
      "株式会社",
      "🙂",
      "👩\u200d🚀",
      "می\u200cخواهم",
      "a".repeat(100),
      "🙂".repeat(100)
    ])
      assert.isNull(nameProblem("name", name), name)
    assert.isNull(reasonProblem("invoice 17 (paid twice)"))
  })

  it("are refused by name where they are blank, too long, or would print as something else", () => {
    const blank = "must have 1 to 100 characters that are not all blank"
    const unprintable = "must hold no control characters and no line breaks"
    for (const [name, message] of [
      ["", blank],
      ["  ", blank],
      ["\u200b", blank],
      [" \u3164\ufeff", blank],
      ["a".repeat(101), blank],
      ["🙂".repeat(101), blank],
      ["a\tb", unprintable],
      ["a\nb", unprintable],
      ["a\u2028b", unprintable],
      ["\u001b[2Ja", unprintable],
      ["a\u0000", unprintable],
      ["a\ud800", unprintable],
      ["a\u202eb", "must not hold signs that turn the direction of text"]
    ] as const)
      assert.deepStrictEqual(nameProblem("name", name), { field: "name", message }, JSON.stringify(name))
    assert.deepStrictEqual(reasonProblem("a\rb"), { field: "reason", message: unprintable })
  })
})
