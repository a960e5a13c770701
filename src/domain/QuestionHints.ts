/**
 * What the words of a question ask for besides the subject: "cheapest", "free", "no key", "fastest", a provider's name,
 * a price limit. Each hint equals a parameter of the search. A hint is read only where the words can hardly mean the
 * subject: "cheapest flights" is about flights, and "free text search" about text. Words in quotation marks are never a
 * hint, and neither are words that the question refuses ("not using hunter"). What the catalog knows (providers, jobs)
 * is asked through `Known`. Pure.
 */
import type { Prefer } from "./RoutePlan.js"

export type HintSetting =
  | { readonly parameter: "prefer"; readonly value: Prefer }
  | { readonly parameter: "maxPriceMicros"; readonly value: number }
  | { readonly parameter: "keyless"; readonly value: true }
  | { readonly parameter: "provider"; readonly value: string }
export type HintParameter = HintSetting["parameter"]

export type Hint = HintSetting & {
  /** The words as the question has them, and where they begin. */
  readonly words: string
  readonly at: number
}

export interface Known {
  /** The id of the provider of this name; null when there is none, or when the name is an ordinary word. */
  readonly providerNamed: (name: string) => string | null
  /** Whether the words ask for a job that some operation does. */
  readonly namesJob: (words: string) => boolean
}

/** What an operation is called when one asks for it. */
const tool =
  "(?:apis?|providers?|tools?|services?|operations?|endpoints?|vendors?|lookups?|finders?|verifiers?|checkers?|validators?|scrapers?|enrichment)"
/** The end of the question or of a clause. Quoted words are one of their own. */
const end = "(?=\\s*(?:$|[,;:.!?)\\u0000\\u0001]))"
const opening = "(?:^|[,;(])\\s*"
/**
 * Things that are bought, ways that are travelled and races that are run: where a question speaks of one, "cheapest"
 * and "fastest" are about it.
 */
const goods =
  /\b(?:flights?|hotels?|tickets?|fares?|routes?|roads?|cars?|vehicles?|gas|fuel|petrol|products?|prices?|items?|goods|deals?|offers?|discounts?|coupons?|laptops?|groceries|trains?|bus|buses|rent|rentals?|apartments?|houses?|homes?|properties|shipping|delivery|shares?|stocks?|coins?|tokens?|crypto\w*|electricity|energy|insurance|mortgages?|loans?|restaurants?|foods?|drinks?|coffee|wines?|travel\w*|trips?|vacations?|cruises?|internet|vpns?|runners?|players?|animals?|laps?|growing|drivers?|shops?|shoes?|stores?|parking|parcels?|packages?|games?|movies?|books?|songs?|toys?|clothes|gifts?|domain names?|domains|domain(?=\W*$))\b/i
/** What stands before "free" where it is a price: "sugar free" is none. */
const leads = "(?<=^|[,;(]\\s*|\\b(?:an?|any|some|the|find|get|me|need|want|use|using|for)\\s+)"
/** What is free in another sense: of licence, of the calendar, of speech. */
const freeThings =
  /\b(?:images?|photos?|pictures?|music|videos?|fonts?|icons?|software|courses?|wi-?fi|trials?|samples?|texts?|forms?|times?|agents?|kicks?|throws?|rooms?|seats?|slots?|spaces?|speech|will|domains?)\b/i

const orders: ReadonlyArray<readonly [words: string, value: Prefer]> = [
  ["cheapest|least expensive|lowest[- ]priced?|most affordable", "cheapest"],
  ["fastest|quickest", "fastest"],
  ["most reliable", "reliable"]
]
const upTo3Words = "((?:[\\w-]+\\s+){0,3}?)"
const wayTo =
  "way\\s+to\\s+(?=(?:find|verify|check|look\\s+up|search|scrape|enrich|validate|convert|translate|geocode)\\b)"
/** Who asks which thing is cheapest asks about the thing. */
const asksWhich = /\b(?:which|what|who|is|are|was|were|by|how)\b[^,;]*$/i

interface Asked {
  readonly question: string
  readonly known: Known
}

/** Answers the setting of a match, or null when the words mean something else. */
type Judge = (match: RegExpExecArray, rest: string, asked: Asked) => HintSetting | null
interface Rule {
  /** Its first group holds the hint's own words. */
  readonly form: RegExp
  readonly judge: Judge
}

interface Rules {
  /** Every question with such a hint says one of these words. Most questions say none, and are read no further. */
  readonly says: RegExp
  /** Where the question says one of these, the words are about the subject. */
  readonly unless: ReadonlyArray<RegExp>
  readonly rules: ReadonlyArray<Rule>
}

const isAbsent = (part: string | undefined): boolean => part === undefined || part.trim() === ""

const orderRules: Rules = {
  says: /cheapest|expensive|lowest|affordable|fastest|quickest|reliable/i,
  unless: [goods],
  rules: orders.flatMap(([words, value]): ReadonlyArray<Rule> => {
    const setting = { parameter: "prefer", value } as const
    return [
      {
        form: new RegExp(`\\b((?:the\\s+)?(?:${words}))\\s+${upTo3Words}${tool}\\b`, "gi"),
        judge: () => setting
      },
      { form: new RegExp(`\\b((?:the\\s+)?(?:${words})\\s+${wayTo})`, "gi"), judge: () => setting },
      {
        form: new RegExp(`(${opening}(?:the\\s+)?(?:${words})(?:\\s+(?:first|one|option|please))?)${end}`, "gi"),
        judge: (_, rest) => (rest.trim() === "" ? null : setting)
      },
      {
        form: new RegExp(`\\b((?:${words})(?:\\s+(?:first|one|option))?)[\\s\\u0000\\u0001]*[.!?]*$`, "gi"),
        judge: (match, rest, { known, question }) =>
          asksWhich.test(question.slice(0, match.index)) || !known.namesJob(rest) ? null : setting
      },
      {
        form: new RegExp(`\\b((?:the\\s+)?(?:${words}))\\s+((?:[\\w-]+\\s*){2,4})`, "gi"),
        judge: (match, _, { known }) => (known.namesJob(match[2] ?? "") ? setting : null)
      }
    ]
  })
}

const costsNothing = { parameter: "maxPriceMicros", value: 0 } as const
const freeIfJob: Judge = (_, rest, { known }) => (known.namesJob(rest) ? costsNothing : null)
const freeRules: Rules = {
  says: /\bfree\b|no cost|without paying/i,
  unless: [goods, freeThings],
  rules: [
    {
      form: new RegExp(`${leads}(free)\\s+${upTo3Words}(${tool})\\b(?!\\s+keys?\\b)`, "gi"),
      judge: (match, _, { known }) =>
        isAbsent(match[2]) || known.namesJob(`${match[2] ?? ""} ${match[3] ?? ""}`) ? costsNothing : null
    },
    {
      form: new RegExp(`((?:\\bfor free|\\bfree of charge|\\bat no cost|\\bwithout paying)${end})`, "gi"),
      judge: freeIfJob
    },
    { form: new RegExp(`(${opening}(?:(?:it )?must be |only )?free)${end}`, "gi"), judge: freeIfJob },
    {
      form: new RegExp(`${leads}(free)\\s+((?:[\\w-]+\\s*){1,3})$`, "gi"),
      judge: (match, _, { known }) =>
        !/\bkeys?\b/i.test(match[0]) && known.namesJob(match[2] ?? "") ? costsNothing : null
    }
  ]
}

const needed = "(?:\\s+(?:needed|required|necessary))"
const takesNoKey = { parameter: "keyless", value: true } as const
const keyRules: Rules = {
  says: /key/i,
  unless: [],
  rules: [
    {
      form: new RegExp(
        `\\b((?:with\\s+)?(?:no|without(?:\\s+an?|\\s+any)?)\\s+(?:api[\\s-]?)?keys?${needed}?)(?:${end}|(?=\\s+${tool}\\b))`,
        "gi"
      ),
      judge: (match, rest, { known }) =>
        /api|needed|required|necessary/i.test(match[0]) || known.namesJob(rest) ? takesNoKey : null
    },
    {
      form: new RegExp(`\\b(keyless|no-key)(?:${end}|(?=\\s+${upTo3Words}${tool}\\b))`, "gi"),
      judge: () => takesNoKey
    }
  ]
}

const microsPerCent = 10_000
const microsPerDollar = 1_000_000
/** A limit without "a call" is read up to 10 cents, with it up to 10 dollars: above, the words are about goods. */
const plainLimitMax = 10 * microsPerCent
const callLimitMax = 10 * microsPerDollar

const limit =
  "(under|below|less\\s+than|cheaper\\s+than|at\\s+most|no\\s+more\\s+than|not\\s+more\\s+than|max(?:imum)?(?:\\s+of)?|up\\s+to)"
const amount = "(?:\\$\\s?(\\d{0,4}(?:\\.\\d{1,6})?)|(\\d{1,4}(?:\\.\\d{1,4})?|a|one)\\s?(cents?|¢|usd|dollars?))"
const perCall =
  "(\\s*(?:(?:\\/|an?|per|each|for\\s+each)\\s*(?:call|request|result|lookup|run|query|record|search)|each))?"
const priceRules: Rules = {
  says: /cents?\b|[$¢]|usd|dollar/i,
  unless: [goods],
  rules: [
    {
      form: new RegExp(`\\b((?:for\\s+|costing\\s+|priced\\s+)?${limit}\\s+${amount}${perCall})${end}`, "gi"),
      judge: (match, rest, { known }) => {
        const [, , word = "", dollars, count, unit = "", each] = match
        const number =
          dollars !== undefined ? Number(dollars) : count === undefined || /[a-z]/i.test(count) ? 1 : Number(count)
        const one = dollars === undefined && /^(?:c|¢)/i.test(unit) ? microsPerCent : microsPerDollar
        const micros = Math.round(number * one)
        const most = isAbsent(each) ? plainLimitMax : callLimitMax
        if (dollars === "" || micros <= 0 || micros > most) return null
        if (isAbsent(each) && !known.namesJob(rest)) return null
        // Prices are whole micros, so "under" two cents is at most one micro less.
        return { parameter: "maxPriceMicros", value: /^(?:under|below|less|cheaper)/i.test(word) ? micros - 1 : micros }
      }
    }
  ]
}

const name = "[\\p{L}\\p{N}][\\p{L}\\p{N}.&+'-]*"
/** What follows the name of a provider. */
const follows = "(?=\\s*(?:$|[,;!?)\\u0000\\u0001]|\\.(?:\\s|$))|\\s+(?:to|for|please|instead|only)\\b)"
const providerRules: Rules = {
  says: /\b(?:with|using|use|via|through)\s/i,
  unless: [],
  rules: [4, 3, 2, 1].map((count) => ({
    form: new RegExp(
      `\\b((?:with|using|use|via|through)\\s+(?:the\\s+)?(${name}(?:\\s+${name}){${count - 1}}?)(?:\\s+api)?)${follows}`,
      "giu"
    ),
    judge: (match, _, { known }) => {
      const value = known.providerNamed((match[2] ?? "").replace(/\.$/, ""))
      return value === null ? null : { parameter: "provider", value }
    }
  }))
}

const allRules: ReadonlyArray<Rules> = [providerRules, orderRules, keyRules, priceRules, freeRules]

/** Words that refuse what stands up to two words behind them: "not using hunter", "anything but the cheapest". */
const refusing =
  /(?:\b(?:not|never|(?:no|without)(?!\s+(?:any?\s+)?(?:api[\s-]?)?keys?\b)|avoid\w*|except|excluding|(?:any|every)thing but|all but|instead of|rather than|other than|neither|nor|dont|doesnt|cannot|cant)|n['’]t)\s+(?:[\w'’-]+\s+){0,2}$/i

const quoted = /"[^"]*"|“[^”]*”/g
const quotationMarks = /["“”]/g
/** What stands for words that were read already; a clause may end before them. */
const readBlank = "\u0001"
const quotedBlank = "\u0000"
// eslint-disable-next-line no-control-regex -- the two signs above
const blanks = /[\u0000\u0001]/g
/** A longer request tells a story, in which such words are seldom about the operation. Quotation marks do not count. */
const readCharsMax = 200

const without = (question: string, { at, words }: Pick<Hint, "at" | "words">): string =>
  `${question.slice(0, at)} ${question.slice(at + words.length)}`

/** The hints of a question in the order of its words, at most one for each parameter. */
export const hintsIn = (question: string, known: Known): ReadonlyArray<Hint> => {
  if (question.replace(quotationMarks, "").length > readCharsMax) return []
  const rules = allRules
    .filter(({ says, unless }) => says.test(question) && !unless.some((subject) => subject.test(question)))
    .flatMap((each) => each.rules)
  if (rules.length === 0) return []
  // Words that are quoted or were read keep their place and can be no part of another hint.
  let text = question.replace(quoted, (words) => quotedBlank.repeat(words.length))
  const asked = { question, known }
  const found: Array<Hint> = []
  const read = ({ form, judge }: Rule): void => {
    for (const match of Array.from(text.matchAll(form))) {
      const own = match[1] ?? ""
      // The words of the hint begin behind the sign that sets them off.
      const lead = /^[\s,;(]*/.exec(own)?.[0].length ?? 0
      const words = own.slice(lead).trimEnd()
      const at = match.index + match[0].indexOf(own) + lead
      if (refusing.test(text.slice(0, at))) continue
      const setting = judge(match, without(text, { at, words }).replace(blanks, " "), asked)
      if (setting === null || found.some(({ parameter }) => parameter === setting.parameter)) continue
      found.push({ ...setting, words, at })
      text = text.slice(0, at) + readBlank.repeat(words.length) + text.slice(at + words.length)
    }
  }
  // One hint may end where another begins: after each round that found one, the words between are looked at again.
  let before = -1
  while (before < found.length) {
    before = found.length
    rules.forEach(read)
  }
  return found.toSorted((a, b) => a.at - b.at)
}

/** The question without the words of these hints: what is left is the subject. */
export const subjectOf = (question: string, hints: ReadonlyArray<Hint>): string =>
  hints
    .toSorted((a, b) => b.at - a.at)
    .reduce((rest, hint) => without(rest, hint), question)
    .replace(/\s+(?=[,;.!?)]|$)/g, "")
    .replace(/\(\)/g, "")
    .replace(/\s+/g, " ")
    .replace(/^[\s,;]+|[\s,;]+$/g, "")

/** The question with the words of a hint in quotation marks: asked so, they are searched for and nothing else. */
export const quotedHint = (question: string, { at, words }: Pick<Hint, "at" | "words">): string =>
  `${question.slice(0, at)}"${words}"${question.slice(at + words.length)}`

/** No question says a hint more often: its words would not fit. */
const repeatsMax = 20
/** The question with a hint in quotation marks wherever it is said: asked so, it is not read. */
export const questionWithout = (question: string, hint: Hint, known: Known): string => {
  const again = (asked: string): Hint | undefined =>
    hintsIn(asked, known).find(({ parameter, value }) => parameter === hint.parameter && value === hint.value)
  let asked = quotedHint(question, hint)
  for (let repeats = 0, next = again(asked); next !== undefined && repeats < repeatsMax; repeats += 1) {
    asked = quotedHint(asked, next)
    next = again(asked)
  }
  return asked
}
