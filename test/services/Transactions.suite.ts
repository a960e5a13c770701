/** What a transaction promises, whatever its work is stored in. */
import { assert, it } from "@effect/vitest"
import { Data, Effect, type Layer } from "effect"
import { describe } from "vitest"
import { RunId } from "../../src/domain/Ids.js"
import { Idempotency } from "../../src/services/Idempotency.js"
import { Transactions } from "../../src/services/Transactions.js"
import { funded, type Storage } from "../support/engine.js"

class Refused extends Data.TaggedError("Refused") {}

export const transactionsSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    /** Claims keys by their names, and says which of them are claimed. */
    const keysOf = Effect.gen(function* () {
      const { workspaceId } = yield* funded(0)
      const { claim, owners } = yield* Idempotency
      return {
        claim: (key: string) =>
          claim([{ workspaceId, key, requestDigest: key, runId: RunId.make(`run_${"0".repeat(26)}`) }]),
        claimed: (...keys: ReadonlyArray<string>) =>
          Effect.map(owners(keys.map((key) => ({ workspaceId, key }))), (found) =>
            keys.filter((_, index) => found[index] !== null)
          )
      }
    })

    it.live("a failure takes everything back", () =>
      Effect.gen(function* () {
        const { claim, claimed } = yield* keysOf
        const { transact } = yield* Transactions
        const failure = yield* Effect.flip(transact(Effect.zipRight(claim("one"), new Refused())))
        assert.strictEqual(failure._tag, "Refused")
        assert.deepStrictEqual(yield* claimed("one"), [])
        yield* transact(claim("one"))
        assert.deepStrictEqual(yield* claimed("one"), ["one"])
      }).pipe(Effect.provide(storage))
    )

    it.live("a failure of an inner transaction takes back what that one did, and nothing else", () =>
      Effect.gen(function* () {
        const { claim, claimed } = yield* keysOf
        const { transact } = yield* Transactions
        yield* transact(
          Effect.gen(function* () {
            yield* claim("before")
            yield* Effect.flip(transact(Effect.zipRight(claim("inner"), new Refused())))
            assert.deepStrictEqual(yield* claimed("before", "inner"), ["before"])
            yield* transact(claim("another"))
            yield* claim("after")
          })
        )
        assert.deepStrictEqual(yield* claimed("before", "inner", "another", "after"), ["before", "another", "after"])
      }).pipe(Effect.provide(storage))
    )
  })
