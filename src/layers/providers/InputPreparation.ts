/**
 * Prepares an input before any provider is called. For a job, the fields that every job shares are checked, and their
 * common names become the names of the operation. For a tool, the input stays as it is. The operation's schema then
 * decides, and what `files` of the manifest says. Pure; compiled once for each contract version.
 */
import { domainToASCII } from "node:url"
import { Either } from "effect"
import { isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/min"
import { commonNameOf, hostOf, jobNameOf, mapInput, planFields } from "../../domain/InputMapping.js"
import type { Json, JsonObject } from "../../domain/Json.js"
import { commonTextCharsMax, hostCharsMax, otherTextCharsMax } from "../../domain/limits/Calls.js"
import type { Endpoint } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { fieldMeant } from "../../domain/Similar.js"
import { readUrl } from "../../domain/Url.js"
import type { InputProblem, PreparedInput } from "../../services/Providers.js"
import { fileInputProblems } from "./FileInputs.js"
import { type InputSchema, inputSchemaFor } from "./InputSchema.js"
import { memoByVersion } from "./MemoByVersion.js"

/** Control characters, and signs of no width, which a host name would lose on its way to a name server. */
const unseen = /[\p{Cc}\u00ad\u200b\u2060\ufeff]/u

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** A registrable host name, international ones included: two labels or more, the last not a number. */
const isDomain = (text: string): boolean => {
  if (text.length > hostCharsMax || /[\s/?#@:\\]/.test(text) || unseen.test(text)) return false
  const ascii = domainToASCII(text.replace(/\.$/, "").toLowerCase())
  const labels = ascii.split(".")
  return (
    ascii !== "" &&
    ascii.length <= 253 &&
    labels.length > 1 &&
    labels.every((each) => label.test(each)) &&
    !/^\d+$/.test(labels.at(-1) ?? "")
  )
}

const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf("@")
  const local = text.slice(0, at)
  return (
    at > 0 &&
    local.length <= 64 &&
    /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u.test(local) &&
    isDomain(text.slice(at + 1))
  )
}

/** `example.com:8080/a` looks like a scheme and is a host with a port. */
const startsWithPort = (text: string): boolean => {
  const [host = ""] = text.split("/", 1)
  const colon = host.lastIndexOf(":")
  return /^\d/.test(host.slice(colon + 1)) && host.slice(0, Math.max(0, colon)).includes(".")
}

/** An http address of a public-looking host; the scheme may be left out, as people do. */
const isWebAddress = (text: string): boolean => {
  if (text.length > commonTextCharsMax.url || /\s/.test(text) || unseen.test(text)) return false
  const address = /^[a-z][a-z0-9+.-]*:/i.test(text) && !startsWithPort(text) ? text : `https://${text}`
  const url = readUrl(address)
  return (
    url !== null &&
    (url.protocol === "http:" || url.protocol === "https:") &&
    (isDomain(url.hostname) || /^[\d.]+$/.test(url.hostname) || url.hostname.startsWith("["))
  )
}

/** A URL whose host is one; a job takes it where it asks for a domain. */
const isAddressOfDomain = (text: string): boolean =>
  /[/:]/.test(text) && isWebAddress(text) && isDomain(hostOf(text) ?? "")

/** A number that could be dialled; numbering plans change too fast to refuse more than impossible lengths and codes. */
const isPhone = (text: string, country: Json | undefined): boolean => {
  const home = typeof country === "string" ? country.toUpperCase() : undefined
  const number =
    home !== undefined && isSupportedCountry(home)
      ? parsePhoneNumberFromString(text, home)
      : parsePhoneNumberFromString(text)
  return number?.isPossible() === true
}

export const checkCommon = (input: { readonly [key: string]: Json }): ReadonlyArray<InputProblem> => {
  const problems: Array<InputProblem> = []
  for (const [key, value] of Object.entries(input)) {
    const name = commonNameOf(key)
    if (name === undefined || value === null) continue
    const invalid = (message: string) => problems.push({ _tag: "Invalid", field: key, message })
    if (typeof value !== "string") {
      invalid("must be text")
      continue
    }
    const longest = member<number>(commonTextCharsMax, name) ?? otherTextCharsMax
    const text = value.trim()
    if (text.length > longest) invalid(`must have at most ${longest} characters`)
    else if (text === "") invalid("must not be empty")
    else if (name === "email" && !isEmail(text)) invalid("must be an e-mail address such as ada@example.com")
    else if (name === "url" && !isWebAddress(text)) invalid("must be a web address such as https://example.com/page")
    else if (name === "linkedin_url" && !isWebAddress(text))
      invalid("must be a web address such as https://www.linkedin.com/in/ada")
    else if (name === "domain" && !isDomain(text) && !isAddressOfDomain(text))
      invalid("must be a domain such as example.com")
    else if (name === "phone" && !isPhone(text, input["country"]))
      invalid("must be a phone number in international form such as +14155552671")
  }
  return problems
}

type Prepare = (input: JsonObject) => PreparedInput

/** How many fields that nobody knows are looked at for typing errors. */
const unknownLookedAt = 20

/** Says of missing fields which field of the input was probably meant to be them. */
const withTypos = (prepared: PreparedInput, input: JsonObject, { properties }: InputSchema): PreparedInput => {
  if (prepared._tag === "Accepted") return prepared
  const unknown = Object.keys(input)
    .filter((key) => !properties.has(key) && commonNameOf(key) === undefined)
    .slice(0, unknownLookedAt)
  if (unknown.length === 0) return prepared
  const problems = prepared.problems.map((problem): InputProblem => {
    if (problem._tag === "Invalid") return problem
    const wanted = [problem.field, ...(problem.instead ?? []).flat()]
    const [mistyped] = unknown.flatMap((written) => {
      const meant = fieldMeant(written, wanted)
      return meant === null ? [] : [{ written, meant }]
    })
    return mistyped === undefined ? problem : { ...problem, mistyped }
  })
  return { _tag: "Rejected", problems }
}

interface Naming {
  /** Changes the input before the schema checks it. */
  readonly map: (input: JsonObject) => JsonObject
  /** What the client calls this field of the operation. */
  readonly nameOf: (field: string) => string
}

/** A problem in the client's own names. A field that the client has written in the operation's name keeps that name. */
const inNames = (problem: InputProblem, nameOf: Naming["nameOf"], input: JsonObject): InputProblem => {
  const named = (path: string): string => {
    const [top = ""] = path.split(/[.[]/, 1)
    return Object.hasOwn(input, top) ? path : `${nameOf(top)}${path.slice(top.length)}`
  }
  const field = named(problem.field)
  return problem._tag === "Missing" && problem.instead !== undefined
    ? { ...problem, field, instead: problem.instead.map((fields) => fields.map(named)) }
    : { ...problem, field }
}

const compiled = (naming: (schema: InputSchema, endpoint: Endpoint) => Naming) =>
  memoByVersion((endpoint): Prepare =>
    Either.match(inputSchemaFor(endpoint), {
      // The call itself reports `contract_invalid`. To refuse the input here would blame the customer.
      onLeft: () => (input) => ({ _tag: "Accepted", input }),
      onRight: (schema) => {
        const { map, nameOf } = naming(schema, endpoint)
        const named = (prepared: PreparedInput, input: JsonObject): PreparedInput =>
          prepared._tag === "Accepted"
            ? prepared
            : { _tag: "Rejected", problems: prepared.problems.map((problem) => inNames(problem, nameOf, input)) }
        const problemsOfFiles = fileInputProblems(endpoint.operation)
        const checked = (input: JsonObject) => withTypos(named(schema.check(map(input)), input), input, schema)
        if (problemsOfFiles === null) return checked
        return (input) => {
          const prepared = checked(input)
          const problems = prepared._tag === "Accepted" ? problemsOfFiles(prepared.input) : []
          return problems.length === 0 ? prepared : named({ _tag: "Rejected", problems }, input)
        }
      }
    })
  )

const forTool = compiled(() => ({ map: (input) => input, nameOf: (field) => field }))
const forJob = compiled((schema, { operation: { accepts } }) => {
  const plan = planFields({ ...schema, accepts })
  return { map: (input) => mapInput(plan, input), nameOf: (field) => jobNameOf(plan, field) }
})

export const prepare = (endpoint: Endpoint, input: JsonObject): PreparedInput => forTool(endpoint)(input)
export const prepareJob = (endpoint: Endpoint, input: JsonObject): PreparedInput => forJob(endpoint)(input)
