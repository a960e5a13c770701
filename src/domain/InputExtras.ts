/**
 * Decides which parts of an input may not be sent under the platform's key: options that would cost the operator more
 * while the price of the run stays the same. The contract lets unknown keys pass through unchanged. They pass on a
 * customer's own connection, on a call without a key, and when the charge is the cost that the provider reports. No key
 * passes that would double what the operation sets itself. Pure.
 */
import { canonical, isObject, type Json, type JsonObject } from "./Json.js"
import { member } from "./Members.js"
import type { Endpoint, Operation } from "./Manifest.js"
import { isKnown } from "./OperationInput.js"
import type { Credential } from "./ProviderCall.js"
import { doubledKeys } from "./TakenNames.js"

/**
 * The price is fixed before the call: the operation is not free, and its cost is not read from the answer. A cost
 * expression without `maxMicros` only separates billed answers from unbilled ones. A price by input counts what its
 * expression knows, so a key that nobody knows could cost more than was held.
 */
const hasFixedPrice = ({ price, response }: Operation): boolean =>
  price.basis !== "free" &&
  (price.byInput !== undefined || response.costMicros === undefined || price.maxMicros === undefined)

const isOpen = ({ input }: Operation): boolean =>
  input["additionalProperties"] === true ||
  isObject(input["additionalProperties"]) ||
  input["patternProperties"] !== undefined

const refusesUnknown = ({ operation, provider }: Endpoint): boolean =>
  operation.unknown === undefined
    ? !provider.mock && hasFixedPrice(operation) && !isOpen(operation)
    : operation.unknown === "refuse"

/** The field asks for nothing extra: it is null or has its default (false when the schema declares none). */
const isPlain = ({ input }: Operation, name: string, value: Json): boolean => {
  const { properties } = input
  const schema = isObject(properties) ? member(properties, name) : undefined
  const usual = isObject(schema) ? schema["default"] : undefined
  return value === null || canonical(value) === canonical(usual ?? false)
}

/** Unknown keys that a run under this key may not send. */
const refusedUnknown = (endpoint: Endpoint, key: Credential["_tag"], input: JsonObject): ReadonlyArray<string> => {
  if (key !== "Platform" || !refusesUnknown(endpoint)) return []
  const known = isKnown(endpoint.operation)
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

/** Keys of an input that no run may send, whatever its key. */
const doubledField = (field: string) => ({
  field,
  message: "is the name of a value that this operation sets itself, so no other key of an input may have it"
})

interface RefusedField {
  readonly field: string
  readonly message: string
}

/** The parts of a prepared input that a run under this key may not send, and what would be right instead. */
export const refusedFields = (
  endpoint: Endpoint,
  key: Credential["_tag"],
  input: JsonObject
): ReadonlyArray<RefusedField> => {
  const doubled = new Set(doubledKeys(endpoint, input))
  const unknown = refusedUnknown(endpoint, key, input).filter((field) => !doubled.has(field))
  return [
    ...Array.from(doubled, doubledField),
    ...unknown.map((field) => ({
      field,
      message: "is no field of this operation, which takes others only with a connection of your own"
    })),
    ...refusedOptions(endpoint, key, input).map((field) => ({
      field,
      message: "costs more at the provider, and can be used with a connection of your own only"
    }))
  ]
}

/**
 * The input of a job for one of its providers. Keys that this provider does not know and that may not be sent are left
 * out, as common names are.
 */
export const withoutRefusedUnknown = (endpoint: Endpoint, key: Credential["_tag"], input: JsonObject): JsonObject => {
  const refused = new Set([...doubledKeys(endpoint, input), ...refusedUnknown(endpoint, key, input)])
  return refused.size === 0 ? input : Object.fromEntries(Object.entries(input).filter(([name]) => !refused.has(name)))
}
