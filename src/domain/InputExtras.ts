/**
 * Which parts of an input may not go out under the platform's key: options that the operator would pay for while the
 * price of the run stands. The contract lets unknown keys pass through unchanged, and so they do on a customer's own
 * connection, without a key, and wherever the provider's own word on the cost is what is charged. Pure.
 */
import { canonical, isObject, type Json, type JsonObject } from "./Json.js"
import { member } from "./Members.js"
import type { Endpoint, Operation } from "./Manifest.js"
import type { Credential } from "./ProviderCall.js"

/**
 * The cost is neither nothing nor read from the answer; an expression without `maxMicros` only tells what is billed
 * from what is not.
 */
const hasFixedPrice = ({ price, response }: Operation): boolean =>
  price.basis !== "free" && (response.costMicros === undefined || price.maxMicros === undefined)

const isOpen = ({ input }: Operation): boolean =>
  input["additionalProperties"] === true ||
  isObject(input["additionalProperties"]) ||
  input["patternProperties"] !== undefined

const refusesUnknown = ({ operation, provider }: Endpoint): boolean =>
  operation.unknown === undefined
    ? !provider.mock && hasFixedPrice(operation) && !isOpen(operation)
    : operation.unknown === "refuse"

const namesIn = (schema: JsonObject): ReadonlyArray<string> => {
  const { properties } = schema
  const choices = ["allOf", "anyOf", "oneOf"].flatMap((keyword): ReadonlyArray<Json> => {
    const list = member(schema, keyword)
    return Array.isArray(list) ? list : []
  })
  return [...(isObject(properties) ? Object.keys(properties) : []), ...choices.filter(isObject).flatMap(namesIn)]
}

const isKnown = ({ operation }: Endpoint): ((name: string) => boolean) => {
  const names = new Set([...namesIn(operation.input), ...Object.keys(operation.bindings), ...(operation.extras ?? [])])
  return (name) => names.has(name) || operation.path.includes(`{${name}}`)
}

/** Left alone, or what it is when nobody asks for more: its default, or false. */
const isPlain = ({ input }: Operation, name: string, value: Json): boolean => {
  const { properties } = input
  const schema = isObject(properties) ? member(properties, name) : undefined
  const usual = isObject(schema) ? schema["default"] : undefined
  return value === null || canonical(value) === canonical(usual ?? false)
}

/** Unknown keys that a run under this key may not send. */
export const refusedUnknown = (
  endpoint: Endpoint,
  key: Credential["_tag"],
  input: JsonObject
): ReadonlyArray<string> => {
  if (key !== "Platform" || !refusesUnknown(endpoint)) return []
  const known = isKnown(endpoint)
  return Object.keys(input).filter((name) => !known(name))
}

/** Known fields that only a run on a connection of the customer's own may use. */
const refusedOptions = ({ operation }: Endpoint, key: Credential["_tag"], input: JsonObject): ReadonlyArray<string> =>
  key !== "Platform"
    ? []
    : (operation.ownKeyOnly ?? []).filter((name) => {
        const value = member(input, name)
        return value !== undefined && !isPlain(operation, name, value)
      })

export interface RefusedField {
  readonly field: string
  readonly message: string
}

/** What of a prepared input a run under this key may not send, and what would be right. */
export const refusedFields = (
  endpoint: Endpoint,
  key: Credential["_tag"],
  input: JsonObject
): ReadonlyArray<RefusedField> => [
  ...refusedUnknown(endpoint, key, input).map((field) => ({
    field,
    message: "is no field of this operation, which takes others only with a connection of your own"
  })),
  ...refusedOptions(endpoint, key, input).map((field) => ({
    field,
    message: "costs more at the provider, and can be used with a connection of your own only"
  }))
]

/**
 * The input of a job for one of its providers: what that one does not know, and may not be sent, is left out as common
 * names are.
 */
export const withoutRefusedUnknown = (endpoint: Endpoint, key: Credential["_tag"], input: JsonObject): JsonObject => {
  const refused = new Set(refusedUnknown(endpoint, key, input))
  return refused.size === 0 ? input : Object.fromEntries(Object.entries(input).filter(([name]) => !refused.has(name)))
}
