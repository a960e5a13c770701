import { assert, describe, it } from "@effect/vitest"
import { remembering } from "../../../../src/layers/catalog/search/Remembering.js"

const counted = () => {
  const seen: Array<string> = []
  const read = remembering((text) => {
    seen.push(text)
    return { text }
  })
  return { seen, read }
}

describe("a remembering function", () => {
  it("works a text out once, and gives the same answer again", () => {
    const { read, seen } = counted()
    const first = read("weather")
    assert.strictEqual(read("weather"), first)
    assert.deepStrictEqual(seen, ["weather"])
  })

  it("forgets what was not asked for among many others, and keeps what is asked again and again", () => {
    const { read, seen } = counted()
    read("rare")
    for (let number = 0; number < 20_000; number += 1) {
      read(`word ${number}`)
      if (number % 1000 === 0) read("often")
    }
    read("rare")
    assert.strictEqual(seen.filter((text) => text === "rare").length, 2)
    assert.strictEqual(seen.filter((text) => text === "often").length, 1)
  })

  it("does not keep a long text", () => {
    const { read, seen } = counted()
    const long = "x".repeat(41)
    read(long)
    read(long)
    assert.strictEqual(seen.length, 2)
  })

  it("tells apart texts that are no valid Unicode", () => {
    const { read } = counted()
    assert.strictEqual(read("a\ud800").text, "a\ud800")
    assert.strictEqual(read("a\ud801").text, "a\ud801")
  })
})
