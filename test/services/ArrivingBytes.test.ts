// However the bytes of a body arrive, they are the same, and take no more than a little more memory than they are.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ArrivingBytes } from "../../src/services/ArrivingBytes.js"

const bytes = Buffer.from(Array.from({ length: 2_500_000 }, (_, at) => (at * 31) % 251))

const arrived = (sizes: (at: number) => number) => {
  const body = new ArrivingBytes()
  for (let from = 0, at = 0; from < bytes.length; at += 1) {
    const to = Math.min(bytes.length, from + sizes(at))
    body.add(bytes.subarray(from, to))
    from = to
  }
  return body
}

describe("the bytes of a body", () => {
  for (const [name, sizes] of [
    ["one by one", () => 1],
    ["in small chunks", () => 1_000],
    ["in large chunks", () => 70_000],
    ["in both by turns", (at: number) => (at % 2 === 0 ? 17_000 : 3)],
    ["at once", () => bytes.length]
  ] as const)
    it.effect(`are the same where they arrive ${name}`, () =>
      Effect.gen(function* () {
        const body = arrived(sizes)
        assert.strictEqual(body.length, bytes.length)
        assert.isTrue((yield* body.whole).equals(bytes))
      })
    )

  it.effect("are none where none arrive", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* new ArrivingBytes().whole).length, 0)
    })
  )

  it.effect("keep nothing of the chunks in which they arrive", () =>
    Effect.gen(function* () {
      const body = new ArrivingBytes()
      const chunks = [Buffer.from("a"), Buffer.from("b"), Buffer.from("c")]
      for (const chunk of chunks) body.add(chunk)
      for (const chunk of chunks.slice(1)) chunk.fill("x")
      assert.strictEqual((yield* body.whole).toString(), "abc")
    })
  )
})
