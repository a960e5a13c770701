/**
 * Warns of prices that nobody can mean, and of a rule for the cost of an answer (`response.costMicros`) that tells a
 * cost where the answer tells none: a run that failed would then be charged. It is read from every answer, errors among
 * them.
 */
import { Either } from "effect"
import type { Endpoint, Operation } from "../../domain/Manifest.js"
import { dollars, microsMeant, microsPerUsd } from "../../domain/Micros.js"
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

/**
 * Samples of hits that cost more than a call may be charged. Slow and paged operations may tell it in another answer
 * than that of the sample.
 */
export const likelyLosses = (operation: Operation): ReadonlyArray<OperationProblem> => {
  const { async, pages, price, response, samples } = operation
  const source = response.costMicros
  const expression = source === undefined ? null : Either.getOrNull(compile(source))
  if (expression === null || price.basis === "free" || async !== undefined || pages !== undefined) return []
  if (response.parse !== undefined) return []
  const hits = Object.entries(samples).filter(([, { outcome }]) => outcome === "hit")
  const told = hits.flatMap(([name, { body, headers, input, status }]) => {
    const cost = costTold(expression, { status, headers, body, input: withDefaults(operation.input, input) })
    return cost._tag === "Reported" ? [{ name, micros: cost.micros }] : []
  })
  const { maxMicros } = price
  return told.flatMap(({ micros, name }) =>
    maxMicros !== undefined && micros > maxMicros
      ? [
          {
            path: `samples.${name}`,
            message: `costs ${dollars(micros)}, which is above price.maxMicros (${dollars(maxMicros)}): the rest would not be charged`
          }
        ]
      : []
  )
}

/** An import writes `free`, because each workspace connects its own account. Under a key of the gateway it costs. */
const ofFree = ({ operation: { price }, provider: { auth, mock, platformKey } }: Endpoint) =>
  platformKey && auth.type !== "none" && !mock && price.basis === "free" && price.source === undefined
    ? [
        {
          path: "price",
          message:
            "is free under a key of the gateway, whose owner pays then for every run: give it a price, or the source that says that it costs nothing"
        }
      ]
    : []

/** No call that is known costs as much. */
const usualMicrosMax = 1_000 * microsPerUsd

const ofAmount = ({ price, response }: Operation): ReadonlyArray<OperationProblem> => {
  const { basis, byInput, micros, perCallMicros } = price
  if (Math.max(micros, perCallMicros) > usualMicrosMax)
    return [
      {
        path: "price",
        message: `is ${dollars(Math.max(micros, perCallMicros))} for one ${micros >= perCallMicros && basis === "per_result" ? "result" : "call"}: ${microsMeant}`
      }
    ]
  const isNothing = micros + perCallMicros === 0 && byInput === undefined && response.costMicros === undefined
  return basis === "free" || !isNothing
    ? []
    : [{ path: "price.basis", message: `is ${basis} at a price of 0: write basis: free, or the price` }]
}

/** Warnings about the listed price. */
export const likelyPrices = (endpoint: Endpoint): ReadonlyArray<OperationProblem> => [
  ...ofAmount(endpoint.operation),
  ...ofFree(endpoint)
]
