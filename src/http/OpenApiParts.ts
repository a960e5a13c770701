/**
 * Parts of the OpenAPI document that no schema of a route can give: the headers of answers, and the form of errors
 * after RFC 9457.
 */
import { exampleId } from "../domain/Described.js"
import { isObject, type Json, type JsonObject } from "../domain/Json.js"
import { ignoredParametersMax } from "../domain/limits/Requests.js"
import { rateBurstDefault } from "../domain/limits/Workspaces.js"
import { wireErrors } from "./Envelope.js"

export const refPrefix = "#/components/schemas/"
export const refTo = (name: string): JsonObject => ({ $ref: refPrefix + name })
export const headerRef = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` })

const integer = { type: "integer", minimum: 0 }
const text = { type: "string" }
const header = (description: string, example: string | number, schema: JsonObject = text): JsonObject => ({
  description,
  schema,
  example
})

export const headerComponents: JsonObject = {
  Allow: header("The methods that this path has", "GET, POST"),
  "Accept-Ranges": header("Ranges may be asked for, in bytes", "bytes"),
  "Cache-Control": header("Who may keep the answer, and for how long", "private, no-cache"),
  "Content-Disposition": header("The file's name", 'attachment; filename="report.pdf"'),
  "Content-Range": header("Which bytes these are, of how many", "bytes 0-1023/4096"),
  ETag: header(
    "Stands for this very answer; sent back in If-None-Match, it is answered with 304 while nothing has changed",
    '"b7c1f0a29d3e4f56"'
  ),
  "X-Balance-Micros": {
    ...header(
      "The balance that was left right after this run's hold, or after its settlement where the answer shows it settled, in micros; absent where another node settled it, or where its end came while a repeated request waited for it",
      12_480_000,
      { type: "integer" }
    ),
    required: false
  },
  "X-Key-Remaining-Micros": {
    ...header("The same of the monthly limit of the calling key; absent without one", 4_880_000, { type: "integer" }),
    required: false
  },
  "X-Ignored-Parameters": {
    ...header(
      `Names of query parameters that the route does not read and has ignored, at most ${ignoredParametersMax}; absent when there are none`,
      "pagesize"
    ),
    required: false
  },
  "X-Request-Id": header(
    "The request's id: the client's own when it is 1 to 128 of A-Z a-z 0-9 . _ : -, else a new one",
    exampleId("req"),
    { ...text, minLength: 1, maxLength: 128 }
  ),
  RateLimit: header("What is left of the rate and when it is whole again (IETF draft)", '"requests";r=59;t=1'),
  "RateLimit-Policy": header("The rate that counts (IETF draft)", `"requests";q=${rateBurstDefault}`),
  "Retry-After": header("Seconds to wait before the next try", 1, integer),
  "X-RateLimit-Limit": header("The limit that was reached", rateBurstDefault, integer),
  "X-RateLimit-Remaining": header("What is left of it", 0, integer),
  "WWW-Authenticate": header("How to authenticate", "Bearer")
}

const said = (description: string, schema: JsonObject): JsonObject => ({ ...schema, description })

/** Every error has the members of its own schema too. */
export const problemSchema = (notFound: Json | undefined, example: Json | undefined): JsonObject => {
  const inside = isObject(notFound) && isObject(notFound["properties"]) ? notFound["properties"]["error"] : undefined
  const parts = isObject(inside) && isObject(inside["properties"]) ? inside["properties"] : {}
  return {
    description: "An error as RFC 9457 describes it, with the members of its other form",
    type: "object",
    required: ["type", "title", "status", "detail", "instance", "error"],
    properties: {
      type: said("Where the error is described", { ...text, format: "uri-reference" }),
      title: said("What went wrong, the same for every occurrence", text),
      status: said("The HTTP status", { type: "integer", minimum: 400, maximum: 599 }),
      detail: said("What went wrong this time", text),
      instance: said("The request; name it when you ask for help", text),
      error: said("The same for programs; some errors have more members, as their own form says", {
        type: "object",
        required: isObject(inside) ? (inside["required"] ?? []) : [],
        properties: {
          ...parts,
          code: said("What went wrong, as a word for programs", { type: "string", enum: [...wireErrors.keys()] }),
          retryable: said("Whether the same request may work later", { type: "boolean" })
        }
      })
    },
    examples: example === undefined ? [] : [example]
  }
}
