import { assert, it } from "@effect/vitest"
import { Effect, Schema, TestClock } from "effect"
import { describe } from "vitest"
import { RunId } from "../../../src/domain/Ids.js"
import { IdsCounting } from "../../support/idsCounting.js"
import { IdsCrypto } from "../../../src/layers/node/IdsCrypto.js"
import { Ids } from "../../../src/services/Ids.js"

const many = (n: number) => Effect.flatMap(Ids, ({ suffix }) => Effect.replicateEffect(suffix, n))

describe("IdsCrypto", () => {
  it.effect(
    "ids sort in the order in which they were made: in one millisecond, over many, and after the clock was set back",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(1_800_000_000_000)
        const first = yield* many(70_000)
        yield* TestClock.setTime(1_800_000_000_050)
        const later = yield* many(3)
        yield* TestClock.setTime(1_700_000_000_000)
        const afterSetBack = yield* many(3)
        const all = [...first, ...later, ...afterSetBack]
        assert.deepStrictEqual(all, [...all].sort())
        assert.strictEqual(new Set(all).size, all.length)
      }).pipe(Effect.provide(IdsCrypto))
  )

  it.effect("two nodes do not make the same id in the same millisecond", () =>
    Effect.gen(function* () {
      const node = Effect.provide(many(1000), IdsCrypto)
      assert.strictEqual(new Set([...(yield* node), ...(yield* node)]).size, 2000)
    })
  )

  it.effect("several suffixes at once are as those that were asked for one by one", () =>
    Effect.gen(function* () {
      const { suffix, suffixes } = yield* Ids
      const all = [yield* suffix, ...(yield* suffixes(300)), yield* suffix]
      assert.deepStrictEqual(all, [...new Set(all)].sort())
      assert.strictEqual(all.length, 302)
      assert.deepStrictEqual(yield* suffixes(0), [])
    }).pipe(Effect.provide(IdsCrypto))
  )

  it.effect("a suffix makes an id of every kind", () =>
    Effect.gen(function* () {
      const [suffix] = yield* many(1)
      assert.isTrue(Schema.is(RunId)(`run_${suffix}`))
    }).pipe(Effect.provide(IdsCrypto))
  )
})

describe("IdsCounting", () => {
  it.effect("gives the same ids every time, in order", () =>
    Effect.gen(function* () {
      const once = yield* Effect.provide(many(300), IdsCounting)
      assert.deepStrictEqual(yield* Effect.provide(many(300), IdsCounting), once)
      assert.deepStrictEqual(once, [...once].sort())
      assert.strictEqual(new Set(once).size, 300)
    })
  )
})
