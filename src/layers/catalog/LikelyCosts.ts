/**
 * Warns of a rule for the cost of an answer (`response.costMicros`) that tells a cost where the answer tells none: a
 * run that failed would then be charged. It is read from every answer, errors among them.
 */
import { Either } from "effect"
import type { Operation } from "../../domain/Manifest.js"
import { dollars } from "../../domain/Micros.js"
import { exampleInput, withDefaults } from "../../domain/OperationInput.js"
import { costTold } from "../providers/AnswerEvidence.js"
import { compile } from "../providers/Expressions.js"
import { readsOneOf } from "../providers/NamesRead.js"
import type { OperationProblem } from "./Soundness.js"

const advice = "let it be null where the answer tells no cost, such as (body.id && `3000`) || `null`"

/** What is wrong with the rule. A constant of nothing is right: it charges nobody. */
export const likelyCosts = (operation: Operation): ReadonlyArray<OperationProblem> => {
  const source = operation.response.costMicros
  // What does not parse is refused when the manifest is read.
  const expression = source === undefined ? null : Either.getOrNull(compile(source))
  if (source === undefined || expression === null) return []
  const input = withDefaults(operation.input, exampleInput(operation))
  const told = costTold(expression, { status: 502, headers: {}, body: null, input })
  const costsNothing = told._tag === "None" || (told._tag === "Reported" && told.micros === 0)
  const warning = (message: string) => [{ path: "response.costMicros", message: `${message}: ${advice}` }]
  if (!readsOneOf(source, ["status", "headers", "body"]))
    return costsNothing && !readsOneOf(source, ["input"])
      ? []
      : warning("reads nothing of the answer, so failures would be charged too")
  return told._tag === "Reported" && !costsNothing
    ? warning(`tells ${dollars(told.micros)} of an error without a body (status 502), so failures would be charged`)
    : []
}
