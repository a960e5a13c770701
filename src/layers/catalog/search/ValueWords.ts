/**
 * The values of a query (`domain/QuestionValues.ts`), for the search. A value is what the input of a run will be, and
 * no subject: the `com` of example.com and the `stripe` of stripe.com find nothing, so values are taken out of what is
 * searched for. What they are helps to recognise jobs: "who owns example.com" is about a domain, although it does not
 * say "domain".
 */
import { type ValueKind, valueKindOf } from "../../../domain/JobValues.js"
import { type QuestionValues, valueSpansIn } from "../../../domain/QuestionValues.js"

export interface QueryValues {
  /** The query without its values. A service or network that the catalog knows stays where an address is on it. */
  readonly beside: string
  /** What is searched for: the same, with the values that have no letters. */
  readonly searched: string
  /** The query with a sign in place of each value: `who owns {web}`. */
  readonly slotted: string
  readonly kinds: ReadonlySet<ValueKind>
  /** There is a word beside the values, be it one without a subject. */
  readonly isAsked: boolean
  /** Words for the kinds of value. */
  readonly words: ReadonlySet<string>
  /** Words for what is asked of them, where a word without a subject says it. */
  readonly asked: ReadonlyArray<string>
}

/** "Where" asks for a place, and has no other word for it. */
const where = /\bwhere\b/i
const words: { readonly [kind in keyof QuestionValues]: ReadonlyArray<string> } = {
  email: ["email", "address"],
  url: ["url", "page", "website", "link"],
  linkedin_url: ["url", "link", "linkedin"],
  domain: ["domain", "website", "company"],
  ip: ["ip", "address"],
  phone: ["phone", "number"],
  handle: ["profile", "user"],
  latitude: ["coordinate", "point", "latitude", "longitude"]
}
const streetWords = ["address", "place"]
const money = /[$€£¥]\s?\d|\b\d+(?:\.\d+)?\s?(?:usd|eur|gbp|jpy|dollars?|euros?|pounds?)\b/i
const moneyWords = ["currency", "money"]

/** A house in a street, as it is written in some countries: the number first, or behind the name. */
const street =
  /\b\d{1,5}[a-z]?,? (?:\p{Lu}[\p{L}'.-]{0,30} ){1,4}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Square|Sq|Boulevard|Blvd|Court|Terrace|Highway|Parkway)\b|\p{Lu}[\p{L}-]{0,30}(?:stra(?:ß|ss)e|platz|allee|gasse|weg) \d{1,4}[a-z]?\b|\b\d{1,4},? (?:rue|avenue|boulevard|via|calle) (?:\p{L}[\p{L}'-]{0,30} ?){1,4}/gu

/**
 * Two names behind a word that somebody's name stands behind. Words do not show a name for sure, so it is no value: it
 * only tells jobs about a person from others, beside a value.
 */
const person = /\b(?:of|for|from|about|reach|contact|find|is|does|by) \p{Lu}\p{L}+(?: \p{Lu}\.)? \p{Lu}[\p{L}'’-]+/u

export const slotOf = (kind: ValueKind): string => `{${kind}}`

/** Values without letters. Their digits name no subject, and may stand in the text of an operation as an example. */
const digits: ReadonlySet<ValueKind> = new Set(["ip", "phone", "point"])

/** A domain, or an address with a path. */
const hostLabels = (address: string): ReadonlyArray<string> =>
  (/^(?:https?:\/\/)?([^/?#:]+)/i.exec(address)?.[1] ?? "").toLowerCase().split(".")

const nothing = (query: string): QueryValues => ({
  beside: query,
  searched: query,
  slotted: "",
  kinds: new Set(),
  isAsked: true,
  words: new Set(),
  asked: []
})

/** Every kind of value has one of these. */
const mayHave = /[@:.+$€£¥\d]/

/** What the catalog knows of the words around values. */
export interface WordsAround {
  /** Whether the catalog has a provider, or jobs, of a network or service of this name. */
  readonly isNetwork: (name: string) => boolean
  /** A text with its typing errors corrected. */
  readonly corrected: (text: string) => string
}

export const valuesOf = (query: string, { corrected, isNetwork }: WordsAround): QueryValues => {
  if (!mayHave.test(query)) return nothing(query)
  const found = valueSpansIn(query).flatMap(({ end, kind, start }) => {
    const means = valueKindOf(kind)
    const text = query.slice(start, end)
    const kept = text.includes("/") ? hostLabels(text).filter(isNetwork) : []
    const ofLinkedIn =
      kind !== "linkedin_url" ? [] : text.includes("/company/") ? ["company", "page"] : ["person", "profile"]
    return means === undefined
      ? []
      : [{ start, end, kind: means, kept, words: [...(words[kind] ?? []), ...ofLinkedIn] }]
  })
  for (const match of query.matchAll(street)) {
    const [start, end] = [match.index, match.index + match[0].length]
    if (!found.some((each) => each.start < end && start < each.end))
      found.push({ start, end, kind: "street", kept: [], words: streetWords })
  }
  const isMoney = money.test(query)
  if (found.length === 0) return isMoney ? { ...nothing(query), words: new Set(moneyWords) } : nothing(query)
  found.sort((a, b) => a.start - b.start)
  let beside = ""
  let searched = ""
  let slotted = ""
  let at = 0
  for (const { end, kept, kind, start } of found) {
    const between = query.slice(at, start)
    const said = `${between} ${kept.join(" ")} `
    beside += said
    searched += digits.has(kind) ? `${between}${query.slice(start, end)} ` : said
    slotted += `${corrected(between)} ${slotOf(kind)} `
    at = end
  }
  const rest = query.slice(at)
  slotted += corrected(rest)
  return {
    beside: beside + rest,
    searched: searched + rest,
    slotted,
    isAsked: /[\p{L}\p{N}]/u.test(beside + rest),
    kinds: new Set([...found.map(({ kind }) => kind), ...(person.test(beside + rest) ? (["person"] as const) : [])]),
    words: new Set([...found.flatMap((each) => each.words), ...(isMoney ? moneyWords : [])]),
    asked: where.test(slotted) ? ["locate"] : []
  }
}
