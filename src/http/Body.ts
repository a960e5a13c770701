/**
 * Reads and decodes request bodies: JSON (and, for pages, the fields of a form), within a budget, strict UTF-8, strict
 * JSON, every problem named by its field. Compressed bodies are refused, because no budget limits their uncompressed
 * size. This module reads the socket itself because the platform's reader cuts the connection of an over-large body
 * before it can be answered.
 */
import { isUtf8 } from "node:buffer"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Either, ParseResult, Schema } from "effect"
import { cutText } from "../domain/Characters.js"
import { PayloadTooLarge, UnsupportedMediaType, ValidationError } from "../domain/ApiErrors.js"
import { isObject, type Json } from "../domain/Json.js"
import { bodyBytesMax, bodyPiecesMax, discardBytesMax, formFieldsMax } from "../domain/limits/Requests.js"
import { withNumbers } from "../domain/LosslessJson.js"
import { ArrivingBytes } from "../services/ArrivingBytes.js"
import { type BodyBudget, overBudget } from "./BodyBudget.js"
import { askForBody } from "./serving/AnnouncedBodies.js"
import { fromIssues } from "./FieldProblems.js"
import { parseStrict } from "./JsonText.js"
import { type UrlEncoded, urlEncoded } from "./UrlEncoded.js"

type BodyError = ValidationError | PayloadTooLarge | UnsupportedMediaType

const wrong = (message: string) => ValidationError.of("body", message)

/** Parameters of the type are ignored: JSON is always UTF-8, whatever `charset` says. */
const isJson = (contentType: string): boolean =>
  /^\s*application\/(?:json|[a-z0-9.-]+\+json)\s*(?:;|$)/i.test(contentType)
const isForm = (contentType: string): boolean => /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType)

const readBytes = (request: HttpServerRequest.HttpServerRequest, bytesMax: number): Effect.Effect<Buffer, BodyError> =>
  Effect.async((resume) => {
    const source = NodeHttpServerRequest.toIncomingMessage(request)
    // A client may send each byte in a chunk of its own.
    const body = new ArrivingBytes()
    let bytes = 0
    let pieces = 0
    let isRefused = false
    /** Once: an error for each further piece would take longer than to read it. */
    const refuse = (): void => {
      if (isRefused) return
      isRefused = true
      resume(
        Effect.fail(
          bytes > bytesMax
            ? new PayloadTooLarge({ limitBytes: bytesMax })
            : wrong(`may come in at most ${bodyPiecesMax} pieces; send more bytes in each chunk`)
        )
      )
    }
    if (Number(source.headers["content-length"]) > bytesMax)
      return resume(Effect.fail(new PayloadTooLarge({ limitBytes: bytesMax })))
    askForBody(source)
    source.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      pieces += 1
      if (bytes <= bytesMax && pieces <= bodyPiecesMax) body.add(chunk)
      else if (bytes > discardBytesMax || pieces > 2 * bodyPiecesMax) source.destroy()
      else refuse()
    })
    // The client hung up in the middle of its body: there is nobody left to answer, but the fiber must end.
    const broken = () => resume(Effect.fail(wrong("ended before it was complete")))
    // It may have done so while the request waited for its turn; then no event comes any more.
    if (source.destroyed) return broken()
    source.once("error", broken)
    source.once("close", broken)
    source.once("end", () => {
      source.off("close", broken)
      resume(body.whole)
    })
  })

const notCompressed = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void, UnsupportedMediaType> => {
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? ""
  return encoding !== "" && encoding !== "identity"
    ? Effect.fail(new UnsupportedMediaType({ encoding: cutText(encoding, 100) }))
    : Effect.void
}

/** A body as it came, for a signature over its bytes. */
export const rawBody = (
  request: HttpServerRequest.HttpServerRequest,
  bytesMax: number
): Effect.Effect<Uint8Array, BodyError> => Effect.zipRight(notCompressed(request), readBytes(request, bytesMax))

const textOf = (request: HttpServerRequest.HttpServerRequest, bytesMax: number): Effect.Effect<string, BodyError> =>
  Effect.flatMap(Effect.zipRight(notCompressed(request), readBytes(request, bytesMax)), (bytes) =>
    isUtf8(bytes) ? Effect.succeed(bytes.toString("utf8")) : Effect.fail(wrong("is not valid UTF-8"))
  )

/** `whenEmpty` stands for a body that was left out. */
const jsonText = (request: HttpServerRequest.HttpServerRequest, whenEmpty = ""): Effect.Effect<string, BodyError> => {
  const contentType = request.headers["content-type"]
  if (contentType !== undefined && !isJson(contentType))
    return Effect.fail(ValidationError.of("content-type", "must be application/json"))
  return Effect.filterOrFail(
    Effect.map(textOf(request, bodyBytesMax), (text) => (text === "" ? whenEmpty : text)),
    (text) => text !== "",
    () => wrong("is empty; send a JSON object")
  )
}

/** `input` goes to a provider with every digit unchanged. The gateway calculates with all other numbers of a body. */
const ownNumbers = (value: Json): Json =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, name === "input" ? member : withNumbers(member)])
      )
    : withNumbers(value)

const decoding = { errors: "all", onExcessProperty: "error" } as const

const parsedText = (text: string, budget: BodyBudget): Either.Either<Json, ValidationError> => {
  const over = overBudget(text, budget)
  return over === null
    ? Either.mapLeft(parseStrict(text), wrong)
    : Either.left(new ValidationError({ details: [over] }))
}

/** A reader for JSON that was parsed already, such as the arguments of a tool. `subject` is what it is called. */
export const bodyValue = <A, I>(
  schema: Schema.Schema<A, I>,
  subject = "body"
): ((value: Json) => Either.Either<A, ValidationError>) => {
  const decode = Schema.decodeUnknownEither(schema, decoding)
  return (value) =>
    Either.mapLeft(decode(ownNumbers(value)), (error) =>
      fromIssues(ParseResult.ArrayFormatter.formatErrorSync(error), subject)
    )
}

/**
 * A reader for the text of one body schema, to be made once. Bodies are closed: a field that the schema does not know
 * is refused by name.
 */
export const bodyText = <A, I>(
  schema: Schema.Schema<A, I>,
  budget: BodyBudget
): ((text: string) => Either.Either<A, ValidationError>) => {
  const read = bodyValue(schema)
  return (text) => Either.flatMap(parsedText(text, budget), read)
}

/** The same for a request. */
export const jsonBody = <A, I>(
  schema: Schema.Schema<A, I>,
  budget: BodyBudget
): ((request: HttpServerRequest.HttpServerRequest) => Effect.Effect<A, BodyError>) => {
  const read = bodyText(schema, budget)
  return (request) => Effect.flatMap(jsonText(request), read)
}

/** The same for a body that may be left out, and is then read as an empty object. */
export const optionalJsonBody = <A, I>(
  schema: Schema.Schema<A, I>,
  budget: BodyBudget
): ((request: HttpServerRequest.HttpServerRequest) => Effect.Effect<A, BodyError>) => {
  const read = bodyText(schema, budget)
  return (request) => Effect.flatMap(jsonText(request, "{}"), read)
}

/** A body as JSON that nobody has looked into yet. */
export const anyJsonBody = (
  request: HttpServerRequest.HttpServerRequest,
  budget: BodyBudget
): Effect.Effect<Json, BodyError> => Effect.flatMap(jsonText(request), (text) => parsedText(text, budget))

/** To read a form takes a moment for each of its fields, also before anybody knows who sent it. */
const readForm = (text: string): Either.Either<UrlEncoded, ValidationError> =>
  text.split("&", formFieldsMax + 1).length > formFieldsMax
    ? Either.left(wrong(`may hold at most ${formFieldsMax} fields`))
    : Either.right(urlEncoded(text))

/** All fields of a form as they came, for a form that may have to be shown again. */
export const formFields = (
  request: HttpServerRequest.HttpServerRequest,
  bytesMax: number
): Effect.Effect<UrlEncoded, BodyError> =>
  isForm(request.headers["content-type"] ?? "")
    ? Effect.flatMap(textOf(request, bytesMax), readForm)
    : Effect.fail(ValidationError.of("content-type", "must be application/x-www-form-urlencoded"))
