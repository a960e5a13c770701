/**
 * The values that a question in plain words gives: "verify bob@acme.com" gives an e-mail address. A value is what the
 * words say, read strictly: it is the whole of what stands there or none, and when it is doubtful whether a word is a
 * value, it is none. Two different values of one kind are none too: nobody knows which of them is meant for what. Names
 * of people and companies are not recognised, because words do not show where a name begins. Pure.
 */
import { Struct } from "effect"
import { readUrl } from "./Url.js"

/** What a question gave, by kind. The names are the common names of jobs where there is one. */
export interface QuestionValues {
  readonly email?: string
  /** With its scheme, as it was written. */
  readonly url?: string
  /** A host name in small letters, without `www.`. */
  readonly domain?: string
  /** The address of a person or a company there; it is also the `url`. */
  readonly linkedin_url?: string
  readonly ip?: string
  /** International: a plus sign and digits. */
  readonly phone?: string
  /** A name in a social network, without its at sign. */
  readonly handle?: string
  /** A day, as 2026-06-15. */
  readonly date?: string
  /** The currency to convert from, as its code of three capital letters. */
  readonly base?: string
  /** The currency to convert to. */
  readonly quote?: string
  readonly latitude?: number
  readonly longitude?: number
}

type Mutable<A> = { -readonly [key in keyof A]: A[key] }

/**
 * Endings of domains. Endings that files have more often than domains are left out (`py`, `md`, `rs`, `sh`, `so`,
 * `ps`): they count in a URL or behind `www.`.
 */
const endings: ReadonlySet<string> = new Set(
  (
    "com org net io dev app co ai edu gov mil int info biz name pro tv xyz online site store shop tech cloud agency blog " +
    "news media live club space website design studio email company group ventures capital finance health world digital " +
    "software systems solutions network team run page link global example test " +
    "ac ad ae af ag al am ao ar at au aw az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd cf cg ch ci " +
    "ck cl cm cn cr cu cv cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fm fo fr ga gd ge gg gh gi gl gm gn gp gq " +
    "gr gt gu gy hk hn hr ht hu id ie il im in iq ir is it je jm jo jp ke kg kh ki km kr kw ky kz la lb lc li lk lr ls " +
    "lt lu lv ly ma mc me mg mk ml mm mn mo mr ms mt mu mv mw mx my mz na nc ne ng ni nl no np nr nu nz om pa pe pf pg " +
    "ph pk pl pr pt pw qa re ro ru rw sa sb sc sd se sg si sk sl sm sn sr ss st sv sy sz tc td tg th tj tk tl tm tn to " +
    "tr tt tw tz ua ug uk us uy uz va vc ve vg vi vn vu ws ye za zm zw"
  ).split(" ")
)

/** Letters of scripts that are written without blanks: what stands directly beside them stands by itself. */
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]`
/** What ends an address in running text, in Western and in Chinese or Japanese print. */
const endsAddress = String.raw`\s<>"'\x60，。、；：！？（）「」『』【】《》〈〉“”‘’…`
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
const host = `(?:${label}\\.)+[a-z]{2,24}`
const path = `[/?#][^${endsAddress}]*`
const emailForm = new RegExp(`(?<![\\w.+-])[\\w](?:[\\w.+-]{0,62}[\\w+-])?@${host}(?![\\w@-])`, "gi")
/** Its groups are the host and the path. Letters of unspaced scripts belong to the host only before an ending. */
const urlForm = new RegExp(
  `\\bhttps?:\\/\\/((?:(?!${unspaced})[^${endsAddress}/?#])+(?!(?:${unspaced}|[\\p{L}\\p{N}-])*\\.[a-z])|` +
    `(?:[\\p{L}\\p{N}-]{1,63}\\.){1,8}[a-z]{2,24})(${path})?`,
  "giu"
)
const linkedInForm = new RegExp(
  `(?<![\\w@./-])(?:www\\.|[a-z]{2}\\.)?linkedin\\.com\\/(?:in|company)\\/(?:(?!${unspaced})[\\p{L}\\p{N}%_-])+\\/?` +
    `(?:\\?\\w+=[\\w=&%.-]*[\\w=%-])?`,
  "giu"
)
/** Its groups are the host and the path. */
const domainForm = new RegExp(`(?<![\\w@./:%-])(${host})(?![\\w@-]|\\.\\w)(\\/[^${endsAddress}]*)?`, "gi")
const ip4Form =
  /(?<![\w.]|:[0-9a-f]{0,4}:)(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w]|\.\d)/gi
const ip6Form = /(?<![\w:.])(?=[0-9a-f:]*::|(?:[0-9a-f]{1,4}:){7})(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi
const phoneForm = /(?<![\w+])\+\d[\d ().-]{6,}\d(?!\w)/g
const dateForm = /(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])/g
const handleForm = /(?<![\w@./])@[A-Za-z0-9_](?:[A-Za-z0-9_.]{0,28}[A-Za-z0-9_])(?![\w/])/g
/** A minus sign may be the typographic one, as maps have it. A third number makes it a list. */
const pointForm =
  /(?<![\w.,+–—−-]|\d\.\d{1,20}\s?,\s?)([-−]?\d{1,2}\.\d+)\s*,\s*([-−]?\d{1,3}\.\d+)(?![\w.]|\s*,\s*[-−]?\d+\.\d)/g
const namedPointForm =
  /\blat(?:itude)?\s*[:=]?\s*([-−]?\d{1,2}(?:\.\d+)?)\s*[,;]?\s*(?:and\s+)?(?:lon|lng|longitude)\s*[:=]?\s*([-−]?\d{1,3}(?:\.\d+)?)(?![\w.])/gi
const pairSign = String.raw`(?:\s*(?:\/|->|→|-)\s*|\s+(?:to|in|into)\s+)`
/** Its last group is what the pair goes on with. */
const pairForm = new RegExp(
  `(?<![\\w.])(?:\\d[\\d,.]*\\s*)?([A-Za-z]{3})${pairSign}([A-Za-z]{3})(?!\\w)((?:${pairSign}[A-Za-z]{3}(?!\\w))*)`,
  "g"
)

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"))
/** The codes that people also write in small letters. Others are words (`all`, `top`, `try`). */
const currenciesInSmall: ReadonlySet<string> = new Set(
  "usd eur gbp jpy chf cad aud nzd cny inr brl mxn sek nok dkk sgd hkd krw zar pln czk huf thb idr ils aed".split(" ")
)
const currencyOf = (word: string): string | undefined =>
  currencies.has(word) || currenciesInSmall.has(word) ? word.toUpperCase() : undefined

const isDay = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}
const isPoint = (latitude: number, longitude: number): boolean => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
const endingOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1).toLowerCase()
const isHost = (name: string): boolean =>
  name.length <= 253 && (endings.has(endingOf(name)) || name.toLowerCase().startsWith("www."))
const bareHost = (name: string): string => name.toLowerCase().replace(/^www\./, "")

/**
 * A letter, digit or invisible sign before or after what looks like a value belongs to it: then it is another one. A
 * network, a port, a path and a percent sign belong to it too.
 */
const goesOnBefore = new RegExp(
  `(?:(?!${unspaced})[\\p{L}\\p{N}\\p{M}\\p{Cf}_@]|[\\p{L}\\p{N}\\p{M}]['’.+&/-]|(?!${unspaced})[\\p{L}\\p{N}\\p{M}]["”)\\]}])$`,
  "u"
)
/** The `'s` of somebody is no part of an address. */
const goesOnAfter = new RegExp(
  `^(?:(?!${unspaced})[\\p{L}\\p{N}\\p{M}\\p{Cf}_@]|['’](?!s(?![\\p{L}\\p{N}]))[\\p{L}\\p{N}]|[.+&/:%?=-][\\p{L}\\p{N}])`,
  "u"
)

/** Sentences end behind addresses, and quotes and brackets stand around them. */
const withoutSentenceEnd = (url: string): string => {
  const text = url.replace(/[.,;:!?]+$/, "")
  const opened = text.split("(").length
  return text.endsWith(")") && text.split(")").length > opened ? withoutSentenceEnd(text.slice(0, -1)) : text
}

const unspacedLetter = new RegExp(unspaced, "u")
const glued = new RegExp(`[A-Za-z0-9]${unspaced}`, "u")
/**
 * Letters of unspaced scripts in a path are its own where a part of it begins with them, and nothing of that script
 * stands around the address. Otherwise nobody knows where the address ends.
 */
const endsUnclear = (path: string, address: string, question: string): boolean =>
  unspacedLetter.test(path) && (glued.test(path) || unspacedLetter.test(question.replace(address, " ")))

const numberOf = (text: string): number => Number(text.replace("−", "-"))

/**
 * The digits of a phone number, none where it is unclear. A zero in brackets behind the code of a country is dialled
 * inside of it only, but Italy's numbers keep their zero.
 */
const digitsOf = (phone: string): string => {
  const international = phone.replace(/^(\+(?!39)\d{1,3}[ .-]?)\(0\)/, "$1")
  return international.includes("(0)") ? "" : international.replace(/\D/g, "")
}

/** What a value is in its question: the kind that it was read as, and where it stands. */
export interface ValueSpan {
  readonly kind: keyof QuestionValues
  readonly start: number
  readonly end: number
}

interface ReadQuestion {
  readonly values: QuestionValues
  /** Every value, also those of which there are two of a kind, in no order. */
  readonly spans: ReadonlyArray<ValueSpan>
}

/**
 * Every value has one of these signs or a full stop before a letter, is named as a point, or stands between two codes
 * of currencies.
 */
const mayGive = /[@:\d]|\.[a-z]|\blat|[a-z]{3}\s*(?:\/|->|→|-|\s(?:to|in|into)\s)/i

/**
 * Reads one kind after the other. What was read as one kind is blank to the next, of the same length: the domain of an
 * e-mail address is no domain that somebody gave.
 */
const readQuestion = (question: string): ReadQuestion => {
  if (!mayGive.test(question)) return { values: {}, spans: [] }
  const found: Mutable<QuestionValues> = {}
  const spans: Array<ValueSpan> = []
  const ambiguous = new Set<keyof QuestionValues>()
  const give = <K extends keyof QuestionValues>(kind: K, value: Mutable<QuestionValues>[K]): void => {
    if (found[kind] === undefined) found[kind] = value
    else if (found[kind] !== value) ambiguous.add(kind)
  }
  let rest = question
  /** Calls `take` for each match that stands by itself, and blanks those that it takes. Each match has the sign. */
  const each = (
    kind: keyof QuestionValues,
    form: RegExp,
    sign: string,
    take: (match: string, parts: ReadonlyArray<string>) => boolean
  ): void => {
    if (!rest.includes(sign)) return
    rest = rest.replace(form, (match: string, ...parts: ReadonlyArray<unknown>) => {
      const at = Number(parts.at(-2))
      const end = at + match.length
      const apart =
        !goesOnBefore.test(rest.slice(Math.max(0, at - 2), at)) && !goesOnAfter.test(rest.slice(end, end + 4))
      const groups = parts.slice(0, -2).map((part) => (typeof part === "string" ? part : ""))
      if (!apart || !take(match, groups)) return match
      spans.push({ kind, start: at, end })
      return " ".repeat(match.length)
    })
  }
  each("url", urlForm, "://", (match, [, tail = ""]) => {
    if (endsUnclear(tail, match, question)) return false
    const urls = match.split(/[,;|]+(?=https?:\/\/)/i).map(withoutSentenceEnd)
    if (urls.some((url) => readUrl(url) === null)) return false
    for (const url of urls) {
      if (/\/\/(?:[\w-]+\.)?linkedin\.com\/(?:in|company)\/./i.test(url)) give("linkedin_url", url)
      give("url", url)
    }
    return true
  })
  each("linkedin_url", linkedInForm, "/", (match) => {
    give("linkedin_url", `https://${match}`)
    give("url", `https://${match}`)
    return true
  })
  each("email", emailForm, "@", (match) => {
    if (!isHost(match.slice(match.lastIndexOf("@") + 1)) || match.includes("..")) return false
    give("email", match)
    return true
  })
  each("ip", ip4Form, ".", (match) => {
    give("ip", match)
    return true
  })
  each("ip", ip6Form, ":", (match) => {
    if (readUrl(`http://[${match}]/`) === null) return false
    give("ip", match)
    return true
  })
  each("domain", domainForm, ".", (match, [name = "", tail = ""]) => {
    if (!isHost(name) || endsUnclear(tail, match, question)) return false
    const address = withoutSentenceEnd(`https://${match}`)
    give("domain", bareHost(name))
    if (withoutSentenceEnd(tail).length > 1 && readUrl(address) !== null) give("url", address)
    return true
  })
  each("handle", handleForm, "@", (match) => {
    give("handle", match.slice(1))
    return true
  })
  for (const [form, sign] of [
    [namedPointForm, ""],
    [pointForm, "."]
  ] as const)
    each("latitude", form, sign, (_, [first = "", second = ""]) => {
      const [latitude, longitude] = [numberOf(first), numberOf(second)]
      if (!isPoint(latitude, longitude)) return false
      give("latitude", latitude)
      give("longitude", longitude)
      return true
    })
  each("date", dateForm, "-", (match) => {
    if (!isDay(match)) return false
    give("date", match)
    return true
  })
  each("phone", phoneForm, "+", (match) => {
    const digits = digitsOf(match)
    if (digits.length < 8 || digits.length > 15) return false
    give("phone", `+${digits}`)
    return true
  })
  each("base", pairForm, "", (_, [first = "", second = "", more = ""]) => {
    const [base, quote] = [currencyOf(first), currencyOf(second)]
    if ((more.match(/[A-Za-z]{3}/g) ?? []).some((word) => currencyOf(word) !== undefined)) return false
    if (base === undefined || quote === undefined || base === quote) return false
    give("base", base)
    give("quote", quote)
    return true
  })
  return { values: Struct.omit(found, ...ambiguous), spans }
}

export const valuesIn = (question: string): QuestionValues => readQuestion(question).values

/**
 * Where the values of a question stand. Both coordinates of a point are one `latitude`, a pair of currencies is one
 * `base`.
 */
export const valueSpansIn = (question: string): ReadonlyArray<ValueSpan> => readQuestion(question).spans

/** Whether a text is nothing but one value of this kind. An example of a field shows by this what the field takes. */
export const isValueOf = (kind: keyof QuestionValues, text: string): boolean => {
  if (kind === "base" || kind === "quote") return currencies.has(text)
  return valuesIn(text)[kind] === text
}
