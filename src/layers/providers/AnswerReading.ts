/**
 * From the bytes of an answer to what the rules read and what the run keeps: JSON, text with its format, or media.
 * Decides by the content type the provider sent and the ones the operation allows; judges nothing else. Every answer is
 * kept to the letter, and where it cannot stand as it came, a note says so.
 */
import { Either } from "effect"
import { cutText, wellFormed } from "../../domain/Characters.js"
import { isObject, type Json } from "../../domain/Json.js"
import { answerDepthMax, answerTextGlancedBytes, parsedBytesMax } from "../../domain/limits/Calls.js"
import { readJson } from "../../domain/LosslessJson.js"
import type { Parse } from "../../domain/manifest/Answers.js"
import type { AnswerBody } from "../../domain/ProviderCall.js"
import { allSteps } from "../../services/Slices.js"
import { type DecodedText, type TextKind, textSteps } from "./AnswerText.js"
import { readCsv } from "./CsvReading.js"
import type { ReadAhead, WireAnswer } from "./Transport.js"
import { readXml } from "./XmlReading.js"

export interface ReadAnswer {
  /** What expressions see: parsed JSON, XML or CSV where the operation parses it, the text, or null for a file. */
  readonly view: Json
  readonly body: AnswerBody
  /** Sentences about how the answer is kept, for the run's `outcomeReason`; null when it is kept unchanged. */
  readonly note: string | null
}

/** Why a complete answer cannot be used. */
export type Unreadable =
  { readonly _tag: "UnsupportedType"; readonly type: string } | { readonly _tag: "Unparsable"; readonly detail: string }

type TextFormat = Extract<AnswerBody, { readonly _tag: "Text" }>["format"]

const textFormats: ReadonlyMap<string, TextFormat> = new Map([
  ["text/csv", "csv"],
  ["text/tab-separated-values", "csv"],
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
  ["text/xml", "xml"],
  ["application/xml", "xml"],
  ["text/markdown", "markdown"],
  ["text/x-markdown", "markdown"],
  ["text/plain", "text"]
])

export const mediaType = (header: string | undefined): string =>
  (header ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""
/** `application/json`, `application/problem+json`, `application/dns-json`, … but not `application/x-ndjson`. */
export const isJson = (type: string): boolean => /[/+-]json$/.test(type)
const formatOf = (type: string): TextFormat | undefined =>
  textFormats.get(type) ??
  (type.endsWith("+xml") && !type.startsWith("image/") ? "xml" : type.startsWith("text/") ? "text" : undefined)

const matches = (allowed: string, type: string): boolean => {
  const wanted = mediaType(allowed)
  if (wanted === type || wanted === "*/*") return true
  if (wanted.endsWith("/*")) return type.startsWith(wanted.slice(0, -1))
  return wanted === "application/json" && isJson(type)
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Headers are read byte by byte. Many servers write names in UTF-8; what is none is Latin-1. */
const headerText = (bytes: string): string =>
  Either.getOrElse(
    Either.try(() => utf8.decode(Buffer.from(bytes, "latin1"))),
    () => bytes
  )

const filename = (disposition: string | undefined): string | null => {
  const found = /filename\*=(?:UTF-8'')([^;]+)|filename="([^"]+)"|filename=([^;\s]+)/i.exec(disposition ?? "")
  const bytes = found?.[1] ?? found?.[2] ?? found?.[3]
  if (bytes === undefined) return null
  const raw = headerText(bytes)
  const decoded = Either.getOrElse(
    Either.try(() => decodeURIComponent(raw)),
    () => raw
  )
  // A browser is offered this file name later, so it must hold no folders and no control characters.
  const safe = cutText(decoded.replace(/[/\\\p{Cc}]/gu, "_").replace(/^\.+/, ""), 200)
  return safe === "" ? null : safe
}

/** The text of an answer, as it was read ahead, or read now. */
export const decodeText = (
  { ahead, bytes, headers }: Pick<WireAnswer, "ahead" | "bytes" | "headers">,
  kind: TextKind
): DecodedText => (ahead?.text?.kind === kind ? ahead.text : allSteps(textSteps(bytes, headers["content-type"], kind)))

export const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

export const notJson = "The provider's answer is not the JSON that its content type promises."
const parseJson = (text: string): Either.Either<Json, string> =>
  Either.mapLeft(readJson(withoutMark(text)), () => notJson)

const isDeeper = (value: Json, levels: number): boolean => {
  if (Array.isArray(value)) return levels === 0 || value.some((item: Json) => isDeeper(item, levels - 1))
  return isObject(value) && (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)))
}

/** The value down to this many levels, with null in place of everything deeper. */
const downTo = (value: Json, levels: number): Json => {
  if (Array.isArray(value)) return levels === 0 ? null : value.map((item: Json) => downTo(item, levels - 1))
  if (!isObject(value)) return value
  return levels === 0
    ? null
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, downTo(member, levels - 1)]))
}

const mediaOf = ({ bytes, headers }: WireAnswer, type: string): AnswerBody => ({
  _tag: "Media",
  bytes,
  contentType: headers["content-type"] ?? type,
  filename: filename(headers["content-disposition"])
})

const tooLarge = ({ bytes }: WireAnswer, inlineBytes: number): string | null =>
  bytes.length > inlineBytes ? `It is larger than ${inlineBytes} bytes and is kept as a file.` : null

/** The JSON of an answer, and whether it is deeper than everything can walk. A level takes two bytes at least. */
const jsonOf = (answer: WireAnswer): NonNullable<ReadAhead["json"]> => {
  const { note, text } = decodeText(answer, "json")
  const read = Either.map(parseJson(text), (value) => ({
    value,
    tooDeep: answer.bytes.length > 2 * answerDepthMax && isDeeper(value, answerDepthMax)
  }))
  return { note, read }
}

const readJsonAnswer = (answer: WireAnswer, type: string, inlineBytes: number): Either.Either<ReadAnswer, string> => {
  const { note, read } = answer.ahead?.json ?? jsonOf(answer)
  return Either.map(read, ({ tooDeep, value }) => {
    const view = tooDeep ? downTo(value, answerDepthMax) : value
    const asFile = tooDeep
      ? `It is nested deeper than ${answerDepthMax} levels and is kept as a file.`
      : tooLarge(answer, inlineBytes)
    return asFile === null
      ? { view, body: { _tag: "Json", value }, note }
      : { view, body: mediaOf(answer, type), note: asFile }
  })
}

/** An answer without content. */
export const nothing: ReadAnswer = { view: null, body: { _tag: "Json", value: null }, note: null }

const kindOf = (format: TextFormat): TextKind => (format === "xml" ? "xml" : "other")

/** How the text of an answer is decoded that is no JSON; undefined for a file. */
export const textKindOf = (type: string, parse: Parse | undefined): TextKind | undefined => {
  const format = parse?.format ?? formatOf(type)
  return format === undefined ? undefined : kindOf(format)
}

const reasonCharsMax = 150

/** Why a text is not readable as what the operation parses it as. The reason may quote the answer. */
export const unparsable = ({ format }: Parse, why: string): string =>
  `The provider's answer cannot be read as ${format.toUpperCase()}: ${wellFormed(cutText(why, reasonCharsMax).replace(/\p{Cc}+/gu, " "))}.`

export const listsOf = (parse: Parse): ReadonlySet<string> => new Set(parse.format === "xml" ? (parse.lists ?? []) : [])

/** What the rules see of a text that the operation parses. Left: why it is not readable as that. */
const parsed = ({ ahead, bytes }: WireAnswer, text: string, parse: Parse): Either.Either<Json, string> =>
  ahead?.parsed ??
  Either.mapLeft(
    bytes.length > parsedBytesMax
      ? Either.left(`it is larger than ${parsedBytesMax} bytes`)
      : parse.format === "csv"
        ? readCsv(withoutMark(text), parse)
        : readXml(withoutMark(text), listsOf(parse)),
    (why) => unparsable(parse, why)
  )

/** How the answers of an operation are read. */
export interface Reading {
  /** Content types; the first one is assumed when the provider names none. */
  readonly allowed: ReadonlyArray<string>
  readonly parse: Parse | undefined
  /** An answer larger than this is kept as media. */
  readonly inlineBytes: number
}

/** The media type of an answer: the one that it names, or else the first that the operation allows. */
export const typeOf = ({ headers }: Pick<WireAnswer, "headers">, allowed: Reading["allowed"]): string =>
  mediaType(headers["content-type"]) || mediaType(allowed[0])

export const readAnswer = (
  answer: WireAnswer,
  { allowed, inlineBytes, parse }: Reading
): Either.Either<ReadAnswer, Unreadable> => {
  const unreadable = (detail: string): Unreadable => ({ _tag: "Unparsable", detail })
  const type = typeOf(answer, allowed)
  const { bytes } = answer
  if (bytes.length === 0 && answer.status === 204) return Either.right(nothing)
  if (!allowed.some((each) => matches(each, type))) return Either.left({ _tag: "UnsupportedType", type })
  if (isJson(type)) {
    if (bytes.length === 0) return Either.left(unreadable("The provider's answer is empty where JSON was promised."))
    return Either.mapLeft(readJsonAnswer(answer, type, inlineBytes), unreadable)
  }
  const format = parse?.format ?? formatOf(type)
  if (format === undefined) return Either.right({ view: null, body: mediaOf(answer, type), note: null })
  const { note, text } = decodeText(answer, kindOf(format))
  const asFile = tooLarge(answer, inlineBytes)
  const view = parse === undefined ? Either.right(text) : parsed(answer, text, parse)
  return Either.mapBoth(view, {
    onLeft: unreadable,
    onRight: (seenText): ReadAnswer =>
      asFile === null
        ? { view: seenText, body: { _tag: "Text", text, format }, note }
        : { view: seenText, body: mediaOf(answer, type), note: asFile }
  })
}

/** The text of an answer that may be none: as it was read ahead, or its beginning. It may be as large as a file. */
const glancedText = (answer: WireAnswer, kind: TextKind): string =>
  decodeText({ ...answer, bytes: answer.bytes.subarray(0, answerTextGlancedBytes) }, kind).text

/**
 * Reads an error answer, only for the rules: JSON when it is JSON, XML when the operation parses XML and it is one,
 * else its text. Nothing of it is kept.
 */
export const glance = (answer: WireAnswer, { inlineBytes, parse }: Omit<Reading, "allowed">): ReadAnswer => {
  if (answer.bytes.length === 0) return nothing
  return Either.getOrElse(readJsonAnswer(answer, "application/json", inlineBytes), () => {
    const xml = parse?.format === "xml" ? parse : undefined
    const text = glancedText(answer, xml === undefined ? "other" : "xml")
    const view = xml === undefined ? text : Either.getOrElse(parsed(answer, text, xml), () => text)
    return { ...nothing, view }
  })
}
