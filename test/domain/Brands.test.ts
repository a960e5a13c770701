import { assert, it } from "@effect/vitest"
import { FastCheck, Option, Schema } from "effect"
import { describe } from "vitest"
import { suffix, RunId, WorkspaceId } from "../../src/domain/Ids.js"
import { Micros } from "../../src/domain/Micros.js"

const made = <A>(make: () => A): Option.Option<A> => Option.liftThrowable(make)()

describe("make of a brand that is made quickly", () => {
  const amounts = FastCheck.oneof(
    FastCheck.double(),
    FastCheck.maxSafeInteger(),
    FastCheck.constantFrom(0, -0, -1, 0.5, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1, NaN, Infinity)
  )
  it.prop(
    "gives an amount where its schema takes it, and throws where it does not",
    [amounts],
    ([amount]) => {
      assert.strictEqual(Option.isSome(made(() => Micros.make(amount))), Schema.is(Micros)(amount))
    },
    { fastCheck: { numRuns: 1_000 } }
  )

  const texts = FastCheck.oneof(
    FastCheck.string(),
    FastCheck.tuple(
      FastCheck.constantFrom("run_", "ws_", "", "RUN_", "run-"),
      FastCheck.oneof(
        FastCheck.nat().map((time) => suffix(time, new Uint8Array(10))),
        FastCheck.string({ minLength: 25, maxLength: 27 })
      ),
      FastCheck.constantFrom("", "\n", " ", "0")
    ).map((parts) => parts.join(""))
  )
  it.prop(
    "does the same with ids, each of its own kind",
    [texts],
    ([text]) => {
      for (const id of [RunId, WorkspaceId])
        assert.strictEqual(Option.isSome(made(() => id.make(text))), Schema.is(id)(text), JSON.stringify(text))
    },
    { fastCheck: { numRuns: 1_000 } }
  )

  it("says what is wrong with a value that it refuses", () => {
    assert.throws(() => Micros.make(-5), /-5/)
    assert.throws(() => RunId.make("run_short"), /RunId/)
  })
})
