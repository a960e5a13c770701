/**
 * From the bytes of an answer to what the rules read and what the run keeps: JSON, text with its format, or media. Decides by
 * the content type the provider sent and the ones the operation allows; judges nothing else.
 */
import { Either } from "effect"
import { cutText } from "../../domain/Characters.js"
import type { Json } from "../../domain/Json.js"
import type { AnswerBody } from "../../domain/ProviderCall.js"
import type { WireAnswer } from "./Transport.js"

/** Answers above this are kept as media, whatever they are. */
export const inlineBytes = 262_144

export interface ReadAnswer {
  /** What expressions see: parsed JSON, the text, or null for a file. */
  readonly view: Json
  readonly body: AnswerBody
}

/** Why a complete answer cannot be used. */
export type Unreadable =
  | { readonly _tag: "UnsupportedType"; readonly type: string }
  | { readonly _tag: "Unparsable"; readonly detail: string }

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

export const mediaType = (header: string | undefined): string => (header ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""
/** `application/json`, `application/problem+json`, `application/dns-json`, … but not `application/x-ndjson`. */
const isJson = (type: string): boolean => /[/+-]json$/.test(type)
const formatOf = (type: string): TextFormat | undefined => textFormats.get(type) ?? (type.endsWith("+xml") && !type.startsWith("image/") ? "xml" : type.startsWith("text/") ? "text" : undefined)

const matches = (allowed: string, type: string): boolean => {
  const wanted = mediaType(allowed)
  if (wanted === type || wanted === "*/*") return true
  if (wanted.endsWith("/*")) return type.startsWith(wanted.slice(0, -1))
  return wanted === "application/json" && isJson(type)
}

const filename = (disposition: string | undefined): string | null => {
  const found = /filename\*=(?:UTF-8'')([^;]+)|filename="([^"]+)"|filename=([^;\s]+)/i.exec(disposition ?? "")
  const raw = found?.[1] ?? found?.[2] ?? found?.[3]
  if (raw === undefined) return null
  const decoded = Either.getOrElse(Either.try(() => decodeURIComponent(raw)), () => raw)
  // It is offered to a browser later: no folders, no control characters.
  const safe = cutText(decoded.replace(/[/\\\p{Cc}]/gu, "_").replace(/^\.+/, ""), 200)
  return safe === "" ? null : safe
}

const decodeText = (bytes: Buffer, contentType: string | undefined): string => {
  const charset = /charset="?([\w-]+)/i.exec(contentType ?? "")?.[1] ?? "utf-8"
  if (/^utf-?8$/i.test(charset)) return bytes.toString("utf8")
  return Either.getOrElse(Either.try(() => new TextDecoder(charset).decode(bytes)), () => bytes.toString("utf8"))
}

const parse = (text: string): Either.Either<Json, string> =>
  Either.try({ try: (): Json => JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text), catch: () => "The provider's answer is not the JSON that its content type promises." })

/** `allowed` are the operation's content types; the first stands in when the provider names none. */
export const readAnswer = (answer: WireAnswer, allowed: ReadonlyArray<string>): Either.Either<ReadAnswer, Unreadable> => {
  const sent = mediaType(answer.headers["content-type"])
  const type = sent === "" ? mediaType(allowed[0]) : sent
  const { bytes } = answer
  if (bytes.length === 0 && answer.status === 204) return Either.right({ view: null, body: { _tag: "Json", value: null } })
  if (!allowed.some((each) => matches(each, type))) return Either.left({ _tag: "UnsupportedType", type })
  const media = (): AnswerBody => ({
    _tag: "Media",
    bytes,
    contentType: answer.headers["content-type"] ?? type,
    filename: filename(answer.headers["content-disposition"])
  })
  if (isJson(type)) {
    if (bytes.length === 0) return Either.left({ _tag: "Unparsable", detail: "The provider's answer is empty where JSON was promised." })
    return Either.mapBoth(parse(decodeText(bytes, answer.headers["content-type"])), {
      onLeft: (detail) => ({ _tag: "Unparsable" as const, detail }),
      onRight: (view) => ({ view, body: bytes.length > inlineBytes ? media() : { _tag: "Json" as const, value: view } })
    })
  }
  const format = formatOf(type)
  if (format === undefined) return Either.right({ view: null, body: media() })
  const text = decodeText(bytes, answer.headers["content-type"])
  return Either.right({ view: text, body: bytes.length > inlineBytes ? media() : { _tag: "Text", text, format } })
}

/** What can be seen of an error answer, whose body is read only for the rules: JSON when it is JSON, else its text. */
export const glance = (answer: WireAnswer): Json => {
  if (answer.bytes.length === 0) return null
  const text = answer.bytes.toString("utf8")
  return Either.getOrElse(parse(text), () => text)
}
