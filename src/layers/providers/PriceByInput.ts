/**
 * The price of an operation for one input. A price by input (`price.byInput`) is worked out here and nowhere else:
 * plans, quotes, comparisons, contracts, settlements and `catalog try` read it, so all of them show the same figure.
 * Pure, and the same for the same input for ever. A price that cannot be worked out, or that is above the declared
 * maximum, is a problem of the input, found before anything is sent: no input runs for nothing.
 */
import { Either } from "effect"
import { cutText } from "../../domain/Characters.js"
import type { Json, JsonObject } from "../../domain/Json.js"
import { withNumbers } from "../../domain/LosslessJson.js"
import type { Endpoint, InputPrice, PageRules, Price } from "../../domain/Manifest.js"
import { dollars, Micros } from "../../domain/Micros.js"
import type { HoldOf } from "../../domain/ContractMaking.js"
import { exampleInput, withDefaults } from "../../domain/OperationInput.js"
import { costOfPages, type PagedPrice } from "../../domain/PageCost.js"
import { billedPages, maxPrice } from "../../domain/Pricing.js"
import type { ProviderAnswer } from "../../domain/ProviderCall.js"
import { type AttemptCost, costOf } from "../../domain/Settlement.js"
import type { InputProblem } from "../../services/Providers.js"
import { compile, type Expression, read } from "./Expressions.js"
import { memoByVersion } from "./MemoByVersion.js"

type InvalidInput = Extract<InputProblem, { readonly _tag: "Invalid" }>

/** The fields of the input that an expression names, in its order. */
export const fieldsIn = (source: string): ReadonlyArray<string> => [
  ...new Set([...source.matchAll(/\binput\.([A-Za-z_]\w*)/g)].flatMap(([, name]) => name ?? []))
]

/** The field to change when there is no price: the first that the input has. Of several that it lacks, none is it. */
const blamed = (fields: ReadonlyArray<string>, input: JsonObject): string =>
  fields.find((name) => Object.hasOwn(input, name)) ?? (fields.length === 1 ? fields[0] : undefined) ?? "input"

/**
 * Whole micros, rounded up. The sixteenth digit of a fraction is noise of binary numbers: three times 0.1 is no more
 * than 0.3.
 */
const wholeMicros = (value: Json): Micros | null => {
  const micros = withNumbers(value)
  // Less than nothing is no amount, not even where rounding would make it nothing.
  if (typeof micros !== "number" || micros < 0) return null
  const rounded = Math.ceil(Number(micros.toPrecision(15))) + 0
  return Number.isSafeInteger(rounded) ? Micros.make(rounded) : null
}

/** Null where the expression fails, or gives no amount. */
const evaluated = (expression: Expression, input: JsonObject): Micros | null =>
  wholeMicros(read(expression, { status: 0, headers: {}, body: null, input }))

type PriceOf = (input: JsonObject) => Either.Either<InputPrice, InvalidInput>

const worksOut = (endpoint: Endpoint, byInput: string): PriceOf => {
  const { maxMicros = Micros.make(0), micros: _, byInput: __, ...listed } = endpoint.operation.price
  const fields = fieldsIn(byInput)
  const invalid = (input: JsonObject, message: string): InvalidInput => ({
    _tag: "Invalid",
    field: blamed(fields, input),
    message
  })
  const unpriced = `gives the call no price, which is worked out as ${cutText(byInput, 300)}`
  return Either.match(compile(byInput, { sees: ["input"] }), {
    onLeft: () => (input) => Either.left(invalid(input, unpriced)),
    onRight: (expression) => (input) => {
      const micros = evaluated(expression, input)
      if (micros === null) return Either.left(invalid(input, unpriced))
      const price: InputPrice = { ...listed, micros }
      const most = mostAt(endpoint, price, input)
      const allowed = Math.min(Number.MAX_SAFE_INTEGER, maxMicros * billedPages(endpoint.operation, input))
      return most > allowed
        ? Either.left(
            invalid(input, `makes the call cost ${dollars(most)}, and it may cost at most ${dollars(allowed)}`)
          )
        : Either.right(price)
    }
  })
}

const workedOut = memoByVersion((endpoint): PriceOf => worksOut(endpoint, endpoint.operation.price.byInput ?? ""))

const isListed = (price: Price): price is InputPrice => price.byInput === undefined

/** The price as it is for this input, which is in the operation's own fields with its defaults filled in. */
export const priceFor = (endpoint: Endpoint, input: JsonObject): Either.Either<InputPrice, InvalidInput> => {
  const { price } = endpoint.operation
  return isListed(price) ? Either.right(price) : workedOut(endpoint)(input)
}

/** Whether the expression of a price can be used. It must give the operation's own example a price. Left: why not. */
export const checkedPrice = (endpoint: Endpoint): Either.Either<void, string> => {
  const { operation } = endpoint
  const { byInput, maxMicros } = operation.price
  if (byInput === undefined) return Either.void
  return Either.flatMap(
    Either.mapLeft(compile(byInput, { sees: ["input"] }), (message) => `is not a JMESPath expression: ${message}`),
    () =>
      maxMicros === undefined
        ? Either.void
        : Either.mapBoth(worksOut(endpoint, byInput)(withDefaults(operation.input, exampleInput(operation))), {
            onLeft: ({ field, message }) => `does not fit the operation's own example, whose ${field} ${message}`,
            onRight: () => undefined
          })
  )
}

const mostAt = ({ operation: { pages, volume } }: Endpoint, price: InputPrice, input: JsonObject): Micros =>
  maxPrice({ price, ...(volume === undefined ? {} : { volume }), ...(pages === undefined ? {} : { pages }) }, input)

/** The most that a call with this input can cost: what a run holds for it. */
export const holdFor = (endpoint: Endpoint, input: JsonObject): Either.Either<Micros, InvalidInput> =>
  Either.map(priceFor(endpoint, input), (price) => mostAt(endpoint, price, input))

/** The same for contracts, whose example may have no price. */
export const holdOf: HoldOf = (endpoint, input) => Either.getOrNull(holdFor(endpoint, input))

/** How the pages of a call are priced. Were the price of the input lost, what was held is the price. */
export const pagedPrice = (
  endpoint: Endpoint,
  rules: PageRules,
  call: { readonly input: JsonObject; readonly maxMicros: Micros }
): PagedPrice => ({
  price: Either.getOrElse(priceFor(endpoint, call.input), () => heldPrice(call.maxMicros)),
  billed: rules.billed,
  size: rules.size,
  billsMiss: endpoint.operation.response.billsMiss,
  maxMicros: call.maxMicros
})

const heldPrice = (micros: Micros): InputPrice => ({ basis: "per_call", micros, perCallMicros: Micros.make(0) })

/** What an answer costs, at most what was held for its call. A miss is free unless the provider bills it. */
export const costOfAnswer = (
  endpoint: Endpoint,
  call: { readonly input: JsonObject; readonly maxMicros: Micros },
  answer: Pick<ProviderAnswer, "cost" | "outcome" | "pages" | "resultCount">
): AttemptCost => {
  const { pages } = endpoint.operation
  if (answer.pages !== undefined && pages !== undefined)
    return costOfPages(pagedPrice(endpoint, pages, call), answer.pages.facts)
  const isBilled = answer.outcome !== "miss" || endpoint.operation.response.billsMiss
  return costOf({
    // The input had a price when its run was planned, so it has one now. Were it lost, what was held is the price.
    price: isBilled ? Either.getOrElse(priceFor(endpoint, call.input), () => heldPrice(call.maxMicros)) : null,
    resultCount: answer.resultCount,
    evidence: answer.cost,
    maxMicros: call.maxMicros
  })
}
