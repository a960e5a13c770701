/**
 * Warns of prices that nobody can mean, and of a rule for the cost of an answer (`response.costMicros`) that tells a
 * cost where the answer tells none: a run that failed would then be charged. It is read from every answer, errors among
 * them.
 */
import { Either } from "effect"
import { isObject, type Json } from "../../domain/Json.js"
import type { Endpoint, Operation } from "../../domain/Manifest.js"
import { dollars, microsMeant, microsPerUsd } from "../../domain/Micros.js"
import { exampleInput, withDefaults } from "../../domain/OperationInput.js"
import { didYouMean, fieldMeant } from "../../domain/Similar.js"
import { costTold } from "../providers/AnswerEvidence.js"
import { compile, read } from "../providers/Expressions.js"
import { membersOfBody, readsOneOf } from "../providers/NamesRead.js"
import type { OperationProblem } from "./Soundness.js"

const advice = "let it be null where the answer tells no cost, such as (body.id && `3000`) || `null`"

/** What is wrong with the rule. A constant of nothing is right: it charges nobody. */
export const likelyCosts = (operation: Operation): ReadonlyArray<OperationProblem> => {
  const source = operation.response.costMicros
  // What does not parse is refused when the manifest is read.
  const expression = source === undefined ? null : Either.getOrNull(compile(source))
  if (source === undefined || expression === null) return []
  const input = withDefaults(operation.input, exampleInput(operation))
  const costOfError = costTold(expression, { status: 502, headers: {}, body: null, input })
  const costsNothing = costOfError._tag === "None" || (costOfError._tag === "Reported" && costOfError.micros === 0)
  const warning = (message: string) => [{ path: "response.costMicros", message: `${message}: ${advice}` }]
  if (!readsOneOf(source, ["status", "headers", "body"]))
    return costsNothing && !readsOneOf(source, ["input"])
      ? []
      : warning("reads nothing of the answer, so failures would be charged too")
  return costOfError._tag === "Reported" && !costsNothing
    ? warning(
        `tells ${dollars(costOfError.micros)} of an error without a body (status 502), so failures would be charged`
      )
    : []
}

interface ToldCost {
  /** Of the sample. */
  readonly name: string
  /** As the rule gives it: not rounded. */
  readonly amount: number
}

/**
 * What the samples of hits tell. Slow and paged operations may tell it in another answer than that of the sample, and
 * what the rules see of a text is not known here.
 */
const toldBySamples = ({ async, input, pages, price, response, samples }: Operation): ReadonlyArray<ToldCost> => {
  const source = response.costMicros
  const expression = source === undefined ? undefined : Either.getOrUndefined(compile(source))
  if (expression === undefined || price.basis === "free" || async !== undefined || pages !== undefined) return []
  if (response.parse !== undefined) return []
  return Object.entries(samples).flatMap(([name, { body, headers, input: given, outcome, status }]) => {
    if (outcome !== "hit") return []
    const view = { status, headers, body, input: withDefaults(input, given) }
    // Costs of a kind that is no amount are anomalies.
    return costTold(expression, view)._tag === "Reported" ? [{ name, amount: Number(read(expression, view)) }] : []
  })
}

/** Samples of hits that cost more than a call may be charged, or so little that dollars must be meant. */
export const likelyLosses = (operation: Operation): ReadonlyArray<OperationProblem> => {
  const { byInput, maxMicros, micros, perCallMicros } = operation.price
  const usual = micros + perCallMicros
  return toldBySamples(operation).flatMap(({ amount, name }) => {
    const tells = (what: string) => [
      { path: "response.costMicros", message: `tells ${amount} micros in samples.${name}, ${what}: ${microsMeant}` }
    ]
    if (maxMicros !== undefined && amount > maxMicros)
      return [
        {
          path: `samples.${name}`,
          message: `costs ${dollars(amount)}, which is above price.maxMicros (${dollars(maxMicros)}): the rest would not be charged`
        }
      ]
    if (amount > 0 && Math.round(amount) === 0) return tells("which charges nothing")
    // Where the input decides, a small call may cost far less than a usual one.
    const isTooLittle = byInput === undefined && amount > 0 && amount * usualToLeast < usual
    return isTooLittle ? tells(`where the price is ${usual}`) : []
  })
}
/** Cents are a ten thousandth of what is meant, and dollars a millionth. */
const usualToLeast = 1_000

/** What the samples of hits hold: the names of members, and all words, because a text may be XML or CSV. */
const holdingsOf = ({
  samples
}: Operation): { readonly names: ReadonlySet<string>; readonly words: ReadonlySet<string> } | null => {
  const hits = Object.values(samples).filter(({ outcome }) => outcome === "hit")
  const answers = hits.flatMap(({ body, pages = [], polls = [], start = null }) => [
    body,
    start,
    ...polls,
    ...pages.map((page) => page.body)
  ])
  return hits.length === 0
    ? null
    : { names: new Set(answers.flatMap(namesIn)), words: new Set(JSON.stringify(answers).split(/[^\w-]+/)) }
}

const namesIn = (value: Json): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.flatMap(namesIn)
    : isObject(value)
      ? Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)])
      : []

/** A rule for the cost that reads a body, and nothing that the body of any hit has. */
const likelyUnread = ({ operation, provider }: Endpoint): ReadonlyArray<OperationProblem> => {
  const source = operation.response.costMicros
  const shown = holdingsOf(operation)
  if (source === undefined || shown === null || provider.mock || Either.isLeft(compile(source))) return []
  const sought = membersOfBody(source)
  if (sought.length === 0 || sought.some((name) => shown.names.has(name) || shown.words.has(name))) return []
  const meant = sought.flatMap((name) => fieldMeant(name, shown.names) ?? [])
  return [
    {
      path: "response.costMicros",
      message: `reads ${sought.join(" and ")}, which no sample of a hit has${didYouMean(meant)}`
    }
  ]
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
  ...likelyUnread(endpoint),
  ...ofAmount(endpoint.operation),
  ...ofFree(endpoint)
]
