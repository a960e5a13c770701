/**
 * What the built-in catalog says of money: what is billed, what a miss costs, and which options an operator pays for.
 * The operations come from the catalog itself, so that a new manifest is held to this too.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { Json } from "../../../src/domain/Json.js"
import type { Operation } from "../../../src/domain/Manifest.js"
import { costEvidence } from "../../../src/layers/providers/AnswerEvidence.js"
import { compileRules } from "../../../src/layers/providers/CompiledRules.js"
import { type AnswerView, read } from "../../../src/layers/providers/Expressions.js"
import { builtInContent } from "../../../src/layers/compose/BuiltInContent.js"

/** The paid operations of real providers that break a rule. */
const breaking = (isBroken: (operation: Operation, billing: string) => boolean) =>
  Effect.map(builtInContent("all"), ({ endpoints }) => {
    const paid = endpoints.filter(({ operation, provider }) => !provider.mock && operation.price.basis !== "free")
    assert.isAbove(paid.length, 80)
    return paid
      .filter(({ operation, provider }) =>
        isBroken(operation, operation.facts["billing"] ?? provider.facts["billing"] ?? "")
      )
      .map(({ operation }) => operation.id)
  })

/** Errors as providers, and what stands before them, answer; some with status 200. The last one cannot be read. */
const usualErrors: ReadonlyArray<readonly [number, Json]> = [
  [200, { error: { code: "gone", message: "This API is gone." } }],
  [200, { status: "error", message: "This version is deprecated." }],
  [401, { error: "The key is wrong." }],
  [429, { message: "Too many requests" }],
  [500, "<html><body>Internal Server Error</body></html>"],
  [502, null],
  [200, {}],
  [200, []],
  [200, null]
]

/** Whether an answer costs something, by what its operation reads of the cost. */
const chargesOf = (operation: Operation) => {
  const { costMicros } = Either.getOrThrow(compileRules(operation))
  return (answer: AnswerView): boolean => {
    const cost = costEvidence(read(costMicros, answer))
    return cost._tag !== "None" && !(cost._tag === "Reported" && cost.micros === 0)
  }
}

describe("a paid built-in operation", () => {
  it.effect("says what a miss costs, where a miss is free and the answer does not tell the cost", () =>
    Effect.map(
      breaking((operation, billing) => {
        const { billsMiss, costMicros, miss, missStatuses } = operation.response
        const hasMiss = miss !== undefined || missStatuses.length > 0
        return hasMiss && !billsMiss && costMicros === undefined && !/found|match|none|returned|free/iu.test(billing)
      }),
      (found) => assert.deepStrictEqual(found, [])
    )
  )

  it.effect("holds what its options cost, where the answer tells the cost up to a maximum", () =>
    Effect.map(
      breaking(
        ({ price, response, unknown }) =>
          price.maxMicros !== undefined &&
          price.byInput === undefined &&
          (response.costMicros === undefined || unknown !== "refuse")
      ),
      (found) => assert.deepStrictEqual(found, [])
    )
  )

  it.effect("charges nothing for an answer that is an error and tells no cost, whatever was asked", () =>
    Effect.map(
      breaking((operation) => {
        const charges = chargesOf(operation)
        return Object.values(operation.samples).some(({ input }) =>
          usualErrors.some(([status, body]) => charges({ status, headers: {}, body, input }))
        )
      }),
      (found) => assert.deepStrictEqual(found, [])
    )
  )

  it.effect("charges nothing for the errors that its samples show, unless its billing says that it does", () =>
    Effect.gen(function* () {
      let errors = 0
      const found = yield* breaking((operation, billing) => {
        // A model that thought until its answer was full, and said nothing, is paid for what it thought.
        const isBilled = (status: number) =>
          status === 200 && /also where it ends before it has any text/u.test(billing)
        const shown = Object.values(operation.samples).filter(
          ({ outcome, status }) => outcome === "error" && !isBilled(status)
        )
        errors += shown.length
        return shown.some(({ body, headers, input, status }) => {
          const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
          return chargesOf(operation)({ status, headers: Object.fromEntries(lower), body: body ?? null, input })
        })
      })
      assert.deepStrictEqual(found, [])
      assert.isAbove(errors, 80)
    })
  )

  const costOf = (id: string, sample: string) =>
    Effect.map(builtInContent("all"), ({ endpoints }) => {
      const operation = endpoints.find((endpoint) => endpoint.operation.id === id)?.operation
      const shown = operation?.samples[sample]
      if (operation === undefined || shown === undefined) return null
      const { costMicros } = Either.getOrThrow(compileRules(operation))
      const { body, headers, input, status } = shown
      return costEvidence(read(costMicros, { status, headers, body: body ?? null, input }))
    })

  it.effect.each([
    // 8,312 tokens read, 120 said, one search.
    ["openai-web-answer", "hit", 13_517],
    // No search was made, and none is paid.
    ["openai-web-answer", "without_search", 830],
    // A page that was opened is no search.
    ["openai-web-answer-reasoning", "hit", 15_396],
    // What was thought is paid, although nothing was said.
    ["openai-web-answer-reasoning", "only_thought", 80_400],
    ["mistral-chat", "medium", 71],
    ["mistral-transcribe", "hit", 100]
  ] as const)("costs what its answer tells: %s, %s", ([id, sample, micros]) =>
    Effect.map(costOf(id, sample), (cost) => assert.deepStrictEqual(cost, { _tag: "Reported", micros }))
  )
})
