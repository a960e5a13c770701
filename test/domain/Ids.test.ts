import { assert, it } from "@effect/vitest"
import { FastCheck, Schema } from "effect"
import { describe } from "vitest"
import { RunId, suffix } from "../../src/domain/Ids.js"

const millis = FastCheck.integer({ min: 0, max: 2 ** 48 - 1 })
const random = FastCheck.uint8Array({ minLength: 10, maxLength: 10 })

describe("Ids.suffix", () => {
  it.prop("makes 26 characters of the alphabet that leaves out i, l, o and u", [millis, random], ([at, bytes]) => {
    assert.match(suffix(at, bytes), /^[0-9a-hjkmnp-tv-z]{26}$/)
    assert.isTrue(Schema.is(RunId)(`run_${suffix(at, bytes)}`))
  })

  it.prop(
    "sorts by time first, then by the bytes",
    [millis, millis, random, random],
    ([one, other, a, b]) => {
      const [first, second] = [suffix(one, a), suffix(other, b)]
      const byBytes = Buffer.compare(Buffer.from(a), Buffer.from(b))
      assert.strictEqual(
        Math.sign(first < second ? -1 : first > second ? 1 : 0),
        one === other ? byBytes : Math.sign(one - other)
      )
    },
    { fastCheck: { numRuns: 1_000 } }
  )

  it.prop(
    "keeps all 80 bits of the bytes, so that different bytes give different ids",
    [millis, random, random],
    ([at, a, b]) => (suffix(at, a) === suffix(at, b)) === (Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0)
  )

  it("is as it was published: old ids must keep sorting before new ones", () => {
    assert.strictEqual(suffix(0, new Uint8Array(10)), "0".repeat(26))
    assert.strictEqual(suffix(2 ** 48 - 1, new Uint8Array(10).fill(255)), `7zzzzzzzzz${"z".repeat(16)}`)
    assert.strictEqual(suffix(1, Uint8Array.of(8, 0, 0, 0, 0, 0, 0, 0, 0, 1)), `0000000001${"10000000"}${"00000001"}`)
  })
})
