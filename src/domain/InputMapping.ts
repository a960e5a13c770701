/**
 * Translates the common names of jobs (`first_name`, `companyDomain`, …) to one operation's own fields: by the
 * manifest's `accepts`, by the same name in another spelling, and by well-known synonyms. It splits or joins names, and
 * takes a domain from a URL or an e-mail address, when the operation needs exactly that. For job runs only: the input
 * of a tool is not changed here. Pure. The check against the operation's schema is made elsewhere.
 */
import type { Json, JsonObject } from "./Json.js"
import { setMember } from "./Members.js"

/** The common names, each with the other names under which operations know it. */
const synonyms = {
  email: ["email_address", "mail", "e_mail", "emailaddress", "work_email"],
  url: ["link", "page_url", "target_url", "website_url", "web_url"],
  domain: [
    "company_domain",
    "domain_name",
    "website",
    "company_website",
    "host",
    "hostname",
    "web_domain",
    "organization_domain"
  ],
  name: ["full_name", "fullname", "person_name", "contact_name"],
  first_name: ["firstname", "given_name", "forename", "fname", "contact_first_name"],
  last_name: ["lastname", "family_name", "surname", "lname", "contact_last_name"],
  company: ["company_name", "companyname", "organization", "organisation", "organization_name", "employer", "org"],
  linkedin_url: ["linkedin", "linkedinurl", "linkedin_profile", "linkedin_profile_url", "profile_url", "linkedin_link"],
  phone: ["phone_number", "phonenumber", "mobile", "mobile_phone", "tel", "telephone", "msisdn"]
} as const

type CommonName = keyof typeof synonyms
const isCommon = (name: string): name is CommonName => Object.hasOwn(synonyms, name)
const commonNames = Object.keys(synonyms).filter(isCommon)

/**
 * Other names under which clients send the common names. They are fewer than the synonyms: a name that may mean
 * something else to a job (`host`, `link`) is not in the list.
 */
const aliases: ReadonlyMap<string, CommonName> = new Map([
  ["email_address", "email"],
  ["work_email", "email"],
  ["website_url", "url"],
  ["page_url", "url"],
  ["company_domain", "domain"],
  ["domain_name", "domain"],
  ["website", "domain"],
  ["company_website", "domain"],
  ["organization_domain", "domain"],
  ["full_name", "name"],
  ["fullname", "name"],
  ["person_name", "name"],
  ["firstname", "first_name"],
  ["given_name", "first_name"],
  ["lastname", "last_name"],
  ["family_name", "last_name"],
  ["surname", "last_name"],
  ["company_name", "company"],
  ["organization", "company"],
  ["organization_name", "company"],
  ["linkedin", "linkedin_url"],
  ["linkedin_profile", "linkedin_url"],
  ["linkedin_profile_url", "linkedin_url"],
  ["linkedinurl", "linkedin_url"],
  ["phone_number", "phone"]
])

/** `companyDomain` and `company-domain` become `company_domain`. */
const snake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/-/g, "_")
    .toLowerCase()
const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** No other name of a common name is longer than this. The spelling of a longer key need not be looked at. */
const nameCharsMax = 40

/** The common name that a client's key means, in snake or camel case. */
export const commonNameOf = (key: string): CommonName | undefined => {
  if (key.length > nameCharsMax) return undefined
  const name = isCommon(key) ? key : snake(key)
  return isCommon(name) ? name : aliases.get(name)
}

/** What the mapping knows of an operation; made once per operation. */
interface FieldPlan {
  readonly properties: ReadonlySet<string>
  readonly required: ReadonlySet<string>
  readonly target: { readonly [name in CommonName]?: string }
  /** From other names that jobs use (`query`, `address`, …) to the operation's own, as the manifest declares them. */
  readonly accepts: ReadonlyMap<string, string>
}

/** The names under which an operation may have a common name, as they are written and without signs. */
const candidatesOf: ReadonlyMap<CommonName, { readonly written: ReadonlyArray<string>; readonly plain: Set<string> }> =
  new Map(
    commonNames.map((name) => {
      const written = [name, camel(name), ...synonyms[name].flatMap((synonym) => [synonym, camel(synonym)])]
      return [name, { written, plain: new Set(written.map((each) => each.replaceAll("_", "").toLowerCase())) }]
    })
  )

const targetOf = (
  name: CommonName,
  properties: ReadonlySet<string>,
  plainProperties: ReadonlyArray<readonly [property: string, plain: string]>,
  accepts: ReadonlyMap<string, string>
): string | undefined => {
  const candidates = candidatesOf.get(name)
  return (
    accepts.get(name) ??
    accepts.get(camel(name)) ??
    candidates?.written.find((candidate) => properties.has(candidate)) ??
    plainProperties.find(([, plain]) => candidates?.plain.has(plain))?.[0]
  )
}

export const planFields = (operation: {
  readonly properties: ReadonlySet<string>
  readonly required: ReadonlySet<string>
  readonly accepts: { readonly [name: string]: string }
}): FieldPlan => {
  const accepts = new Map(Object.entries(operation.accepts))
  const plain = Array.from(
    operation.properties,
    (property) => [property, property.replace(/[-_]/g, "").toLowerCase()] as const
  )
  const target: { [name in CommonName]?: string } = {}
  for (const name of commonNames) {
    const field = targetOf(name, operation.properties, plain, accepts)
    if (field !== undefined) target[name] = field
  }
  // `website` can mean a domain or an address. It means the one for which the operation has no other field, because one
  // field cannot be both.
  if (target.url === target.domain && !accepts.has("url")) delete target.url
  return { properties: operation.properties, required: operation.required, target, accepts }
}

/**
 * The name by which a job asks for this field of the operation: who runs a job need not know what its providers call
 * things. A field that nothing maps has only its own name.
 */
export const jobNameOf = ({ accepts, target }: FieldPlan, field: string): string =>
  commonNames.find((name) => target[name] === field) ??
  Array.from(accepts).find(([, own]) => own === field)?.[0] ??
  field

const text = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined

/** The host of an address, without `www.`; undefined when there is none. */
export const hostOf = (address: string): string | undefined =>
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#@]*@)?([^/?#:@\s]+\.[^/?#:@\s]+)/i
    .exec(address)?.[1]
    ?.toLowerCase()
    .replace(/^www\./, "")
    .replace(/\.$/, "")

/** The last word is the last name; everything before it is the first. */
const splitName = (name: string): readonly [first: string, last: string | undefined] => {
  const words = name.split(/\s+/)
  const last = words.length > 1 ? words.at(-1) : undefined
  return [words.slice(0, last === undefined ? undefined : -1).join(" "), last]
}

/** The value of a common name without white space around it, which no check of such a value looks at. */
const asGiven = (value: Json): Json => (typeof value === "string" ? value.trim() : value)

/** Reads a domain: takes the host of a URL, and leaves anything else as it is. */
const asDomain = (value: Json): Json =>
  typeof value === "string" && /[/:]/.test(value) ? (hostOf(value) ?? value) : value

/**
 * The operation's own fields. A key stays as it is when the operation knows it, or when nothing maps it. A common name
 * goes to the field of the operation that takes it, or is left out when there is none, because all providers of a job
 * share one input.
 */
export const mapInput = (plan: FieldPlan, input: JsonObject): JsonObject => {
  const { target } = plan
  const mapped: Record<string, Json> = {}
  const given: { [name in CommonName]?: Json } = {}

  for (const [key, sent] of Object.entries(input)) {
    const name = commonNameOf(key)
    const value = name === undefined ? sent : asGiven(sent)
    if (name !== undefined && value !== null) {
      // A value under the name itself wins over a value under another name for it.
      if (given[name] === undefined || key === name) given[name] = name === "domain" ? asDomain(value) : value
      if (name === "domain" && given.domain !== value) given.url ??= value
    }
    if (name === undefined || plan.properties.has(key)) {
      const own = plan.properties.has(key) ? key : (plan.accepts.get(key) ?? plan.accepts.get(snake(key)) ?? key)
      if (own === key || !Object.hasOwn(mapped, own))
        setMember(mapped, own, name === "domain" && own === target.domain ? asDomain(value) : value)
    }
  }

  const put = (name: CommonName, value: Json | undefined): void => {
    const field = target[name]
    if (field !== undefined && value !== undefined && !Object.hasOwn(mapped, field)) setMember(mapped, field, value)
  }
  for (const name of commonNames) put(name, given[name])

  const full = text(given.name)
  if (full !== undefined && target.name === undefined) {
    const [first, last] = splitName(full)
    put("first_name", first)
    put("last_name", last)
  }
  const joined = [text(given.first_name), text(given.last_name)].filter((part) => part !== undefined).join(" ")
  if (joined !== "" && target.name !== undefined && (target.first_name === undefined || target.last_name === undefined))
    put("name", joined)

  // Only when the operation needs the domain. An operation that takes the address itself needs no guess from it.
  const wants = (name: CommonName, source: CommonName): boolean => {
    const field = target[name]
    return (
      field !== undefined && !Object.hasOwn(mapped, field) && (plan.required.has(field) || target[source] === undefined)
    )
  }
  const address = text(given.url)
  const email = text(given.email)
  if (address !== undefined && wants("domain", "url")) put("domain", hostOf(address))
  if (email !== undefined && wants("domain", "email")) put("domain", hostOf(email.slice(email.lastIndexOf("@") + 1)))
  const domain = text(given.domain)
  if (domain !== undefined && wants("url", "domain")) put("url", `https://${domain}`)
  return mapped
}
