/**
 * Reads and decodes request bodies: JSON (and, for pages, the fields of a form), at most 1 MiB, strict UTF-8, strict JSON, every problem
 * named by its field. Reads the socket itself because the platform's reader cuts the connection of an over-large body before it can be answered.
 */
import { isUtf8 } from "node:buffer"
import type { HttpServerRequest } from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect, Either, ParseResult, Schema } from "effect"
import { PayloadTooLarge, ValidationError } from "../domain/ApiErrors.js"
import { bodyBytesMax, discardBytesMax } from "../domain/Limits.js"
import { fromIssues } from "./FieldProblems.js"
import { parseStrict } from "./JsonText.js"

type BodyError = ValidationError | PayloadTooLarge

const wrong = (message: string) => ValidationError.of("body", message)

/** Also without parameters: JSON is UTF-8 whatever `charset` says. */
const isJson = (contentType: string): boolean => /^\s*application\/(?:json|[a-z0-9.-]+\+json)\s*(?:;|$)/i.test(contentType)
const isForm = (contentType: string): boolean => /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType)

const readBytes = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Buffer, BodyError> =>
  Effect.async((resume) => {
    const source = NodeHttpServerRequest.toIncomingMessage(request)
    const chunks: Array<Buffer> = []
    let bytes = 0
    source.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bodyBytesMax) {
        chunks.push(chunk)
      } else {
        chunks.length = 0
        if (bytes > discardBytesMax) source.destroy()
        else resume(Effect.fail(new PayloadTooLarge({ limitBytes: bodyBytesMax })))
      }
    })
    // The client hung up in the middle of its body: there is nobody left to answer, but the fiber must end.
    const broken = () => resume(Effect.fail(wrong("ended before it was complete")))
    source.once("error", broken)
    source.once("close", broken)
    source.once("end", () => {
      source.off("close", broken)
      resume(Effect.succeed(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    })
  })

const textOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, BodyError> =>
  Effect.flatMap(readBytes(request), (bytes) => isUtf8(bytes) ? Effect.succeed(bytes.toString("utf8")) : Effect.fail(wrong("is not valid UTF-8")))

const jsonText = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, BodyError> => {
  const contentType = request.headers["content-type"]
  if (contentType !== undefined && !isJson(contentType)) return Effect.fail(ValidationError.of("content-type", "must be application/json"))
  return Effect.filterOrFail(textOf(request), (text) => text !== "", () => wrong("is empty; send a JSON object"))
}

const decoding = { errors: "all", onExcessProperty: "error" } as const

/** A reader for one body schema, to be made once. Bodies are closed: a field that the schema does not know is refused by name. */
export const jsonBody = <A, I>(schema: Schema.Schema<A, I>): (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<A, BodyError> => {
  const decode = Schema.decodeUnknownEither(schema, decoding)
  return (request) =>
    Effect.flatMap(jsonText(request), (text) =>
      Either.match(parseStrict(text), {
        onLeft: (problem) => Effect.fail(wrong(problem)),
        onRight: (value) => Either.mapLeft(decode(value), (error) => fromIssues(ParseResult.ArrayFormatter.formatErrorSync(error), "body"))
      }))
}

/** The same for a form that a page of ours sends: each field once. */
export const formBody = <A, I>(schema: Schema.Schema<A, I>): (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<A, BodyError> => {
  const decode = Schema.decodeUnknownEither(schema, decoding)
  return (request) => {
    if (!isForm(request.headers["content-type"] ?? "")) return Effect.fail(ValidationError.of("content-type", "must be application/x-www-form-urlencoded"))
    return Effect.flatMap(textOf(request), (text) => {
      const fields = new URLSearchParams(text)
      const repeated = [...fields.keys()].find((name) => fields.getAll(name).length > 1)
      if (repeated !== undefined) return Effect.fail(ValidationError.of(repeated.slice(0, 200), "may be sent once"))
      return Either.mapLeft(decode(Object.fromEntries(fields)), (error) => fromIssues(ParseResult.ArrayFormatter.formatErrorSync(error), "body"))
    })
  }
}
