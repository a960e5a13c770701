/** Which values the keywords of a schema may have, as JSON Schema 2020-12 says. Pure. */
import { isObject, type Json } from "../../../domain/Json.js"
import { member } from "../../../domain/Members.js"

const typeNames = ["string", "number", "integer", "boolean", "array", "object", "null"]

const isText = (value: Json): boolean => typeof value === "string"
const isNumber = (value: Json): boolean => typeof value === "number"
const isBoolean = (value: Json): boolean => typeof value === "boolean"
const isCount = (value: Json): boolean => typeof value === "number" && Number.isInteger(value) && value >= 0
const isSchema = (value: Json): boolean => isBoolean(value) || isObject(value)
const areTexts = (value: Json): boolean =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length
const areSchemas = (value: Json): boolean => Array.isArray(value) && value.length > 0 && value.every(isSchema)
const isTypeName = (value: Json): boolean => typeof value === "string" && typeNames.includes(value)
const membersAre = (is: (value: Json) => boolean) => (value: Json) => isObject(value) && Object.values(value).every(is)

interface Kind {
  readonly fits: (value: Json) => boolean
  /** What would be right. */
  readonly right: string
}

const text: Kind = { fits: isText, right: "must be text" }
const number: Kind = { fits: isNumber, right: "must be a number" }
const trueOrFalse: Kind = { fits: isBoolean, right: "must be true or false" }
const count: Kind = { fits: isCount, right: "must be a whole number of at least 0" }
const list: Kind = { fits: Array.isArray, right: "must be a list" }
const names: Kind = { fits: areTexts, right: "must be a list of different texts" }
const schema: Kind = { fits: isSchema, right: "must be a schema: an object, true or false" }
const schemas: Kind = { fits: areSchemas, right: "must be a list of one schema or more" }
const schemasByName: Kind = { fits: membersAre(isSchema), right: "must be an object whose members are schemas" }

const kinds: { readonly [keyword: string]: Kind } = {
  title: text,
  description: text,
  $comment: text,
  contentEncoding: text,
  contentMediaType: text,
  examples: list,
  deprecated: trueOrFalse,
  readOnly: trueOrFalse,
  writeOnly: trueOrFalse,
  type: {
    fits: (value) =>
      isTypeName(value) || (areTexts(value) && Array.isArray(value) && value.length > 0 && value.every(isTypeName)),
    right: `must be one of ${typeNames.join(", ")}, or a list of them`
  },
  enum: list,
  multipleOf: { fits: (value) => typeof value === "number" && value > 0, right: "must be a number above 0" },
  maximum: number,
  exclusiveMaximum: number,
  minimum: number,
  exclusiveMinimum: number,
  maxLength: count,
  minLength: count,
  pattern: text,
  format: text,
  maxItems: count,
  minItems: count,
  uniqueItems: trueOrFalse,
  maxContains: count,
  minContains: count,
  maxProperties: count,
  minProperties: count,
  required: names,
  dependentRequired: { fits: membersAre(areTexts), right: "must be an object whose members are lists of names" },
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  prefixItems: schemas,
  properties: schemasByName,
  patternProperties: schemasByName,
  dependentSchemas: schemasByName,
  items: schema,
  additionalProperties: schema,
  unevaluatedItems: schema,
  unevaluatedProperties: schema,
  not: schema,
  if: schema,
  then: schema,
  else: schema,
  contains: schema,
  propertyNames: schema
}

/** What would be right instead, as the rest of a sentence about the keyword; null when the value is right. */
export const keywordProblem = (keyword: string, value: Json): string | null => {
  const kind = member(kinds, keyword)
  return kind === undefined || kind.fits(value) ? null : kind.right
}
