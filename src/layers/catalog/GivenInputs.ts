/** The inputs of operations, filled with the values that a question gave (`domain/InputFilling.ts`). */
import { Either } from "effect"
import { type FilledInput, fillExample, type MatchesPattern } from "../../domain/InputFilling.js"
import type { Endpoint } from "../../domain/Manifest.js"
import { exampleInput } from "../../domain/OperationInput.js"
import { valuesIn } from "../../domain/QuestionValues.js"
import { setBounded } from "../providers/BoundedMap.js"
import { linearPattern, type LinearPattern, refillPatternWork } from "../providers/LinearPatterns.js"

const patternsMax = 500
const patterns = new Map<string, Pick<LinearPattern, "test">>()
const never: Pick<LinearPattern, "test"> = { test: () => false }

const matches: MatchesPattern = (pattern, text) => {
  const known = patterns.get(pattern)
  const compiled = known ?? Either.getOrElse(linearPattern(pattern), () => never)
  if (known === undefined) setBounded(patterns, patternsMax, pattern, compiled)
  refillPatternWork()
  return compiled.test(text)
}

/** For each endpoint, its input as this question fills it; null where the question gives nothing that it takes. */
export const givenBy = ({
  hints = true,
  q
}: {
  readonly q: string
  readonly hints?: boolean
}): ((endpoint: Endpoint) => FilledInput | null) => {
  const values = hints ? valuesIn(q) : {}
  if (Object.keys(values).length === 0) return () => null
  return ({ operation }) =>
    fillExample(
      { input: operation.input, accepts: operation.accepts, exampleInput: exampleInput(operation) },
      values,
      matches
    )
}
