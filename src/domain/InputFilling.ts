/**
 * Fills the input of an operation with the values that a question gave. A value goes to a field that takes its kind: by
 * the rules of job inputs (`InputMapping.ts`), by the field's format, by its name, or because the field's own example
 * is of that kind. It is offered only if the field's schema accepts it; a schema with a keyword that is not known here
 * accepts nothing. No value is invented: what the question did not give stays as the operation's documented example has
 * it, and the answer names the fields that the question gave. Pure.
 */
import { mapInput, planFields } from "./InputMapping.js"
import { isObject, type Json, type JsonObject } from "./Json.js"
import { member, setMember } from "./Members.js"
import { isValueOf, type QuestionValues } from "./QuestionValues.js"

/** What is known of an operation or a job: its schema, the other names of its fields, and an input that works. */
interface Fillable {
  readonly input: JsonObject
  readonly accepts: { readonly [name: string]: string }
  readonly exampleInput: JsonObject
}

export interface FilledInput {
  readonly exampleInput: JsonObject
  /** The fields of it that the question gave. */
  readonly givenInputFields: ReadonlyArray<string>
}

/** Whether a text matches a pattern of a schema. Patterns come from outside, so the caller says how they are run. */
export type MatchesPattern = (pattern: string, text: string) => boolean

type Kind = keyof QuestionValues

const schemasOf = (input: JsonObject): ReadonlyMap<string, JsonObject> =>
  new Map(
    isObject(input["properties"])
      ? Object.entries(input["properties"]).map(([name, schema]) => [name, isObject(schema) ? schema : {}])
      : []
  )
const strings = (value: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item: Json): item is string => typeof item === "string") : []
const alternativesOf = (input: JsonObject): ReadonlyArray<ReadonlyArray<string>> => {
  const choices = input["anyOf"] ?? input["oneOf"]
  return Array.isArray(choices)
    ? choices
        .map((choice: Json) => (isObject(choice) ? strings(choice["required"]) : []))
        .filter((set) => set.length > 0)
    : []
}

/** Keywords that say nothing about which values are right. */
const silent: ReadonlySet<string> = new Set([
  "title",
  "description",
  "examples",
  "example",
  "default",
  "deprecated",
  "$comment",
  "uniqueItems"
])

const formats: { readonly [format: string]: Kind } = {
  email: "email",
  "idn-email": "email",
  uri: "url",
  url: "url",
  iri: "url",
  hostname: "domain",
  "idn-hostname": "domain",
  ipv4: "ip",
  ipv6: "ip",
  date: "date"
}

/** Whether a value keeps to one keyword of a schema. */
const keeps = (keyword: string, rule: Json, value: Json, matches: MatchesPattern): boolean => {
  const text = typeof value === "string" ? value : ""
  const size = Array.isArray(value) ? value.length : [...text].length
  const limit = typeof rule === "number" ? rule : Number.NaN
  switch (keyword) {
    case "type":
      return (Array.isArray(rule) ? rule : [rule]).some((type: Json) =>
        type === "integer"
          ? Number.isInteger(value)
          : type === "array"
            ? Array.isArray(value)
            : type === typeof value && !Array.isArray(value)
      )
    case "format": {
      const kind = typeof rule === "string" ? member(formats, rule) : undefined
      if (kind === undefined || (rule === "ipv4" && text.includes(":")) || (rule === "ipv6" && !text.includes(":")))
        return false
      return isValueOf(kind, text)
    }
    case "pattern":
      return typeof rule === "string" && matches(rule, text)
    case "enum":
      return Array.isArray(rule) && rule.includes(value)
    case "const":
      return rule === value
    case "minLength":
    case "minItems":
      return size >= limit
    case "maxLength":
    case "maxItems":
      return size <= limit
    case "minimum":
      return Number(value) >= limit
    case "maximum":
      return Number(value) <= limit
    case "items":
      return Array.isArray(value) && isObject(rule) && value.every((item: Json) => accepts(rule, item, matches))
    default:
      return silent.has(keyword) || keyword.startsWith("x-")
  }
}
const accepts = (schema: JsonObject, value: Json, matches: MatchesPattern): boolean =>
  Object.entries(schema).every(([keyword, rule]) => keeps(keyword, rule, value, matches))

/** The value as the field wants it: alone or as a list of one, as a number or as text. Undefined when it takes none. */
const fitted = (schema: JsonObject, value: string | number, matches: MatchesPattern): Json | undefined =>
  [value, [value], String(value), [String(value)]].find((form) => accepts(schema, form, matches))

/** Other names of the fields of each kind, in small letters without signs. The common names of jobs are not here. */
const names: { readonly [key in Kind]: ReadonlyArray<string> } = {
  email: [],
  url: [],
  domain: [],
  linkedin_url: [],
  phone: [],
  ip: ["ip", "ipaddress", "ipaddr"],
  handle: ["handle", "username", "screenname"],
  date: ["date", "day"],
  latitude: ["latitude", "lat"],
  longitude: ["longitude", "lon", "lng", "long"],
  base: ["basecurrency", "fromcurrency", "sourcecurrency", "currencyfrom"],
  quote: ["quotecurrency", "tocurrency", "targetcurrency", "currencyto"]
}
/** Names that mean a currency only if the field says so. */
const currencyNames: { readonly [name: string]: Kind } = {
  base: "base",
  from: "base",
  source: "base",
  quote: "quote",
  quotes: "quote",
  symbols: "quote",
  target: "quote",
  to: "quote"
}
/** Fields for who asks or who sends. An address in the question is about somebody else. */
const ofTheCaller: ReadonlySet<string> = new Set([
  "from",
  "sender",
  "replyto",
  "cc",
  "bcc",
  "mailto",
  "contact",
  "useragent"
])

const plain = (name: string): string => name.replace(/[^A-Za-z0-9]/g, "").toLowerCase()
const examplesOf = (schema: JsonObject): ReadonlyArray<string> => strings(schema["examples"])
const takesCurrency = (schema: JsonObject): boolean =>
  /currenc|iso 4217/i.test(String(schema["description"] ?? "")) ||
  examplesOf(schema).some((example) => isValueOf("base", example))

/** Kinds whose values are known by their look, so that an example of a field can show its kind. */
const lookedAt: ReadonlyArray<Kind> = ["email", "url", "domain", "ip", "phone"]

const kindOf = (name: string, schema: JsonObject): Kind | undefined => {
  const spelled = plain(name)
  const currency = member(currencyNames, spelled)
  if (currency !== undefined && takesCurrency(schema)) return currency
  if (ofTheCaller.has(spelled)) return undefined
  const format = schema["format"] ?? (isObject(schema["items"]) ? schema["items"]["format"] : undefined)
  const known = typeof format === "string" ? member(formats, format) : undefined
  if (known !== undefined && known !== "date") return known
  for (const kind of ["ip", "handle", "date", "latitude", "longitude", "base", "quote"] as const)
    if (names[kind].includes(spelled)) return kind
  const examples = examplesOf(schema)
  return examples.length === 0
    ? undefined
    : lookedAt.find((kind) => examples.every((example) => isValueOf(kind, example)))
}

/** Free addresses: what stands behind the at sign says nothing about where somebody works. */
const freeMail = /@(?:gmail|googlemail|yahoo|hotmail|outlook|live|icloud|aol|gmx|proton|protonmail)\./i

/** The values under the common names of jobs. */
const commonOf = ({ domain, email, linkedin_url, phone, url }: QuestionValues): JsonObject => ({
  ...(email === undefined ? {} : { email }),
  ...(domain === undefined ? {} : { domain }),
  ...(linkedin_url === undefined ? {} : { linkedin_url }),
  ...(phone === undefined ? {} : { phone }),
  // The host of a profile's address is the network's.
  ...(url === undefined || url === linkedin_url ? {} : { url })
})

/**
 * The operation's own fields that the question fills. A value fills one field, and more only where they are required.
 */
export const givenFields = (
  operation: Pick<Fillable, "input" | "accepts">,
  values: QuestionValues,
  matches: MatchesPattern
): JsonObject => {
  const schemas = schemasOf(operation.input)
  const required = new Set(strings(operation.input["required"]))
  const found: { [name: string]: Json } = {}
  const placed = new Set<Json>()
  const put = (field: string, schema: JsonObject | undefined, value: Json | undefined): void => {
    if (schema === undefined || (typeof value !== "string" && typeof value !== "number")) return
    const form = fitted(schema, value, matches)
    if (form === undefined) return
    placed.add(value)
    setMember(found, field, form)
  }
  const common = commonOf(values)
  // Most questions give none of these, and then the names of the fields need not be compared.
  if (Object.keys(common).length > 0) {
    const plan = planFields({ properties: new Set(schemas.keys()), required, accepts: operation.accepts })
    const { domain, email = "", url } = values
    for (const [field, value] of Object.entries(mapInput(plan, common))) {
      const isMailHost = field === plan.target.domain && domain === undefined && url === undefined
      if (!isMailHost || !freeMail.test(email)) put(field, schemas.get(field), value)
    }
  }
  const others = new Map(Object.entries(operation.accepts).map(([other, field]) => [field, other]))
  for (const [field, schema] of [...schemas].sort(([a], [b]) => Number(required.has(b)) - Number(required.has(a)))) {
    if (Object.hasOwn(found, field)) continue
    const other = others.get(field)
    const kind = kindOf(field, schema) ?? (other === undefined ? undefined : kindOf(other, schema))
    const value = kind === undefined ? undefined : values[kind]
    if (value !== undefined && (required.has(field) || !placed.has(value))) put(field, schema, value)
  }
  return found
}

/**
 * The example with the question's values in it; null when the question gave none that fits. Of the sets of fields that
 * the operation may be given, the one counts that the question fills most; fields of other sets then leave the example,
 * because they would speak of somebody else.
 */
export const fillExample = (
  { accepts: others, exampleInput, input }: Fillable,
  values: QuestionValues,
  matches: MatchesPattern
): FilledInput | null => {
  const given = givenFields({ input, accepts: others }, values, matches)
  const fields = Object.keys(given)
  if (fields.length === 0) return null
  const filled: JsonObject = { ...exampleInput, ...given }
  const has = (field: string): boolean => Object.hasOwn(filled, field)
  const sets = alternativesOf(input).filter((set) => set.every(has))
  const givenOf = (set: ReadonlyArray<string>): number => set.filter((field) => Object.hasOwn(given, field)).length
  const shown = (set: ReadonlyArray<string>): number => set.filter((field) => Object.hasOwn(exampleInput, field)).length
  const [best] = sets.toSorted((a, b) => givenOf(b) - givenOf(a) || shown(b) - shown(a))
  const identity = new Set(alternativesOf(input).flat())
  const kept =
    best === undefined
      ? filled
      : Object.fromEntries(
          Object.entries(filled).filter(
            ([field]) => !identity.has(field) || best.includes(field) || Object.hasOwn(given, field)
          )
        )
  return { exampleInput: kept, givenInputFields: fields }
}
