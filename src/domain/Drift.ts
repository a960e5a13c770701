/**
 * What a live answer says about the documentation of its operation: whether the provider still answers as the
 * documented sample does. Compared are the end of the call, the status, the outcome, the members of the answer and
 * their types, the normalized fields, and the cost that the answer tells. Values are not compared, because they change
 * every day, and new members are no drift. Pure; making the call is the work of others.
 */
import { Either } from "effect"
import { listedMicros } from "./ContractMaking.js"
import { ExactNumber } from "./ExactNumber.js"
import { isObject, type Json, type JsonObject } from "./Json.js"
import type { Endpoint, InputPrice, Sample } from "./Manifest.js"
import { isKeyless } from "./Manifest.js"
import { member } from "./Members.js"
import { dollars, type Micros } from "./Micros.js"
import type { CallFailure, ProviderAnswer } from "./ProviderCall.js"
import { saysNoCredit } from "./ProviderCredit.js"
import type { RunFailureCode } from "./RunFailures.js"

/** One difference. `path` is a place in the answer (`body.items[].id`) or in the operation (`price`, `output.…`). */
export interface Moved {
  readonly path: string
  readonly message: string
}

/** What one call showed. `could_not_tell`: neither that the operation works as documented, nor that it does not. */
export type Drift =
  | { readonly state: "same" }
  | { readonly state: "moved"; readonly moved: ReadonlyArray<Moved> }
  | { readonly state: "gone"; readonly reason: string }
  | { readonly state: "could_not_tell"; readonly reason: string }

const couldNotTell = (reason: string): Drift => ({ state: "could_not_tell", reason })
const gone = (reason: string): Drift => ({ state: "gone", reason })

const levelsMax = 32
/** Items of one list of an answer that are looked at. */
const itemsMax = 1_000
/** More differences than these say no more. */
const movedMax = 50

const kindOf = (value: Json): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  if (value instanceof ExactNumber || typeof value === "number") return "a number"
  if (typeof value === "string") return "text"
  return typeof value === "boolean" ? "true or false" : "an object"
}

/** Names that are data, such as days, ids and codes of currencies: other ones may stand there tomorrow. */
const isDataName = (name: string): boolean => /^[^A-Za-z_$]/.test(name) || /^[A-Z0-9]{2,6}$/.test(name)

const itemsOf = (values: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  values.flatMap((value): ReadonlyArray<Json> => (Array.isArray(value) ? value.slice(0, itemsMax) : []))

const valuesAt = (objects: ReadonlyArray<JsonObject>, name: string): ReadonlyArray<Json> =>
  objects.map((object) => member(object, name)).filter((value) => value !== undefined)

/** Compares the values that stand in the same place of the sample and of the answer. */
const compared = (
  path: string,
  documented: ReadonlyArray<Json>,
  answered: ReadonlyArray<Json>,
  levels: number
): ReadonlyArray<Moved> => {
  const known = documented.filter((value) => value !== null)
  const found = answered.filter((value) => value !== null)
  // What is null or empty on one side shows nothing: the data of that moment have no more.
  if (levels === 0 || known.length === 0 || found.length === 0) return []
  const kinds = new Set(known.map(kindOf))
  const other = found.map(kindOf).find((kind) => !kinds.has(kind))
  if (other !== undefined) return [{ path, message: `is ${other}, and is documented as ${[...kinds].join(" or ")}` }]
  return [
    ...comparedObjects(path, known.filter(isObject), found.filter(isObject), levels),
    ...compared(`${path}[]`, itemsOf(known), itemsOf(found), levels - 1)
  ]
}

const comparedObjects = (
  path: string,
  known: ReadonlyArray<JsonObject>,
  found: ReadonlyArray<JsonObject>,
  levels: number
): ReadonlyArray<Moved> => {
  if (known.length === 0 || found.length === 0) return []
  const names = [...new Set(known.flatMap((object) => Object.keys(object)))]
  if (names.length > 0 && names.every(isDataName))
    return compared(
      `${path}.*`,
      known.flatMap((object) => Object.values(object)),
      found.flatMap((object) => Object.values(object)).slice(0, itemsMax),
      levels - 1
    )
  return names.flatMap((name) => {
    const documented = valuesAt(known, name)
    const answered = valuesAt(found, name)
    if (answered.length > 0) return compared(`${path}.${name}`, documented, answered, levels - 1)
    // A member that some documented items lack is optional, and one that is only ever null there says nothing.
    return documented.length < known.length || documented.every((value) => value === null)
      ? []
      : [{ path: `${path}.${name}`, message: "is missing" }]
  })
}

/** The members that the sample's body has and the answer's has not, or has with another type. */
export const shapeMoved = (sample: Json, answer: Json): ReadonlyArray<Moved> =>
  compared("body", [sample], [answer], levelsMax)

const bodyMoved = (sample: Sample, { body }: ProviderAnswer): ReadonlyArray<Moved> => {
  switch (body._tag) {
    case "Json":
      return shapeMoved(sample.body, body.value)
    case "Text":
      return typeof sample.body === "string" || sample.body === null
        ? []
        : [{ path: "body", message: "is text, and is documented as JSON" }]
    // A file, or an answer that is too large to be looked at.
    case "Media":
      return []
  }
}

const fieldsMoved = (sample: Sample, { normalized }: ProviderAnswer): ReadonlyArray<Moved> => {
  if (normalized === null) return []
  const missing = Object.entries(sample.normalized ?? {})
    .filter(([name, value]) => value !== null && normalized.missing.includes(name))
    .map(([name]) => ({ path: `output.fields.${name}`, message: "finds nothing in the answer" }))
  const unmapped = normalized.unmapped.map((name) => ({
    path: `output.values.${name}`,
    message: "does not know the provider's word"
  }))
  return [...missing, ...unmapped]
}

const priceMoved = (
  { operation }: Endpoint,
  { cost, outcome }: ProviderAnswer,
  price: InputPrice,
  maxMicros: Micros
): ReadonlyArray<Moved> => {
  switch (cost._tag) {
    case "None":
      return operation.response.costMicros === undefined || outcome === "miss"
        ? []
        : [{ path: "response.costMicros", message: "finds no cost in the answer" }]
    case "Anomaly":
      return [{ path: "response.costMicros", message: `is no amount: ${cost.reported}` }]
    case "Reported": {
      if (cost.micros > maxMicros)
        return [
          { path: "price", message: `is ${dollars(cost.micros)}, and the manifest says at most ${dollars(maxMicros)}` }
        ]
      const isFixed = price.basis === "per_call" && price.maxMicros === undefined
      return isFixed && outcome !== "miss" && cost.micros !== listedMicros(price)
        ? [
            {
              path: "price",
              message: `is ${dollars(cost.micros)}, and the manifest says ${dollars(listedMicros(price))}`
            }
          ]
        : []
    }
  }
}

/**
 * Samples hold no real person's data, so many inputs name what does not exist. That nothing is found for such an input
 * shows nothing.
 */
const isInvented = (input: JsonObject): boolean =>
  /\bexample\b|\b555[-. ]?01\d\d\b|\b55501\d\d\b|0000000|\bacme\b/i.test(JSON.stringify(input))

const inventedReason = "the sample's input is invented, and the provider finds nothing for it"

/** Words of providers that have taken an operation out of service. */
const saysEnd = (words: string): boolean =>
  /deprecat|sunset|discontinued|decommission|retired|no longer (?:available|supported|exists)|end[- ]of[- ]life|has been removed/i.test(
    words
  )

const answeredDrift = (
  endpoint: Endpoint,
  sample: Sample,
  answer: ProviderAnswer,
  price: InputPrice,
  maxMicros: Micros
): Drift => {
  if (answer.outcome === "miss" && sample.outcome !== "miss") {
    if (isInvented(sample.input)) return couldNotTell(inventedReason)
    if (answer.providerStatus === 404 || answer.providerStatus === 410)
      return gone(`the provider answers ${answer.providerStatus}, and finds nothing for the sample's input`)
  }
  const moved = [
    ...(answer.providerStatus === sample.status
      ? []
      : [{ path: "status", message: `is ${answer.providerStatus}, and is documented as ${sample.status}` }]),
    ...(answer.outcome === sample.outcome
      ? []
      : [{ path: "outcome", message: `is ${answer.outcome}, and is documented as ${sample.outcome}` }]),
    ...(answer.outcome === "miss" ? [] : [...bodyMoved(sample, answer), ...fieldsMoved(sample, answer)]),
    ...priceMoved(endpoint, answer, price, maxMicros)
  ]
  return moved.length === 0 ? { state: "same" } : { state: "moved", moved: moved.slice(0, movedMax) }
}

/** Failures that say nothing of the operation: of a key, a quota, the network, or the gateway itself. */
const passing: ReadonlySet<RunFailureCode> = new Set([
  "capacity_exhausted",
  "connection_invalid",
  "connection_unusable",
  "contract_invalid",
  "credential_placement_unsupported",
  "fetch_failed",
  "platform_auth_incompatible",
  "platform_key_missing",
  "provider_error",
  "rate_limited",
  "route_denied",
  "timeout"
])

const failedDrift = ({ provider }: Endpoint, sample: Sample, { failure }: CallFailure): Drift => {
  const { code, message, providerStatus } = failure
  if (saysEnd(message)) return gone(message)
  if (code === "redirect_blocked") return gone(`the provider redirects to another address (${providerStatus ?? 300})`)
  if (providerStatus === 404 || providerStatus === 410)
    return isInvented(sample.input) && providerStatus === 404
      ? couldNotTell(inventedReason)
      : gone(`the provider answers ${providerStatus}`)
  if (code === "auth_error")
    return isKeyless(provider) && providerStatus === 401
      ? { state: "moved", moved: [{ path: "auth", message: "the provider asks for a key" }] }
      : couldNotTell(message)
  if (passing.has(code) || saysNoCredit(providerStatus)) return couldNotTell(message)
  return {
    state: "moved",
    moved: [{ path: providerStatus === undefined ? "response" : "status", message: `${code}: ${message}` }]
  }
}

/** What the end of one live call with the input of `sample` shows. `maxMicros` is what the call could cost at most. */
export const driftOf = (
  endpoint: Endpoint,
  sample: Sample,
  priced: { readonly price: InputPrice; readonly maxMicros: Micros },
  ended: Either.Either<ProviderAnswer, CallFailure>
): Drift =>
  Either.match(ended, {
    onLeft: (failed) => failedDrift(endpoint, sample, failed),
    onRight: (answer) => answeredDrift(endpoint, sample, answer, priced.price, priced.maxMicros)
  })
