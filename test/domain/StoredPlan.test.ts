/** A stored plan is the plan that was made, and what it shares with its run's input is stored once. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc, Schema } from "effect"
import type { Json, JsonObject } from "../../src/domain/Json.js"
import type { Run } from "../../src/domain/Run.js"
import { fromStoredRun, StoredRun, toStoredRun } from "../../src/domain/StoredPlan.js"
import { plan, queuedRun } from "../support/httpSamples.js"

const decode = Schema.decodeUnknownSync(StoredRun)
const runOf = (input: JsonObject, inputs: ReadonlyArray<JsonObject>): Run => ({
  ...queuedRun,
  input,
  plan: { ...plan, candidates: inputs.map((own) => ({ ...plan.candidates[0]!, input: own })) }
})
const textOf = (run: Run): string => JSON.stringify(toStoredRun(run))
const again = (run: Run): Run => fromStoredRun(decode(JSON.parse(textOf(run))))

const large = "a long text ".repeat(100)
const anyObject = fc
  .dictionary(
    fc.string({ maxLength: 3 }),
    fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(large, `${large}!`)),
    { maxKeys: 5 }
  )
  .map((value): JsonObject => JSON.parse(JSON.stringify(value)))

describe("a stored plan", () => {
  it("is read again to the letter, whatever a candidate's input shares with the run's", () => {
    fc.assert(
      fc.property(
        anyObject,
        fc.array(fc.tuple(anyObject, fc.boolean()), { minLength: 1, maxLength: 3 }),
        (input, others) => {
          const values: ReadonlyArray<Json> = Object.values(input)
          const inputs = others.map(([other, whole]): JsonObject =>
            whole
              ? { ...input }
              : Object.fromEntries(
                  Object.entries(other).map(([name, value], index) => [
                    name,
                    index % 2 === 0 ? (values[index] ?? value) : value
                  ])
                )
          )
          const run = runOf(input, inputs)
          assert.deepStrictEqual(again(run), run)
          // Also the order of members, which a provider gets to see.
          const inputsOf = (one: Run) => JSON.stringify(one.plan?.candidates.map((candidate) => candidate.input))
          assert.strictEqual(inputsOf(again(run)), inputsOf(run))
        }
      )
    )
  })

  it("holds a large value once, under whatever names the candidates have it, and copies of it too", () => {
    const input = { text: large, limit: 5 }
    const run = runOf(input, [
      input,
      JSON.parse(JSON.stringify(input)),
      { q: large },
      { page: 1, text: large },
      { body: large, kind: "x" }
    ])
    assert.strictEqual(textOf(run).split(large).length - 1, 1)
    assert.deepStrictEqual(again(run), run)
  })

  it("does not hold a value that differs as one that does not", () => {
    const run = runOf({ text: large, list: [1, 2] }, [
      { text: `${large}!` },
      { list: [2, 1], text: large },
      { list: [1, 2] }
    ])
    assert.deepStrictEqual(again(run), run)
  })

  it("of an older program, with every input whole, is read as it is", () => {
    const run = runOf({ text: large }, [{ q: large }, { text: large }])
    assert.deepStrictEqual(fromStoredRun(decode(JSON.parse(JSON.stringify(run)))), run)
  })
})
