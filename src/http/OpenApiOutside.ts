/**
 * The answers that no operation of the OpenAPI document names: those for paths and methods that do not exist, and those
 * with which every route is answered before the interface sees the request.
 */
import { exampleId } from "../domain/Described.js"
import type { Json, JsonObject } from "../domain/Json.js"
import { problemType } from "./Accept.js"
import { errorPrefix } from "./Access.js"
import { wireErrors } from "./Envelope.js"
import { writtenError } from "./ErrorAnswers.js"
import { errorExamplesOf } from "./OpenApiExamples.js"
import { headerRef, refTo } from "./OpenApiParts.js"
import { headersTooLarge, unknownExpectation } from "./serving/Refusing.js"

const outside = (
  code: string,
  description: string,
  examples: { readonly error: JsonObject; readonly problem: JsonObject },
  headers: JsonObject = {}
): JsonObject => ({
  description,
  headers: { "X-Request-Id": headerRef("X-Request-Id"), ...headers },
  content: {
    "application/json": { schema: refTo(errorPrefix + code), examples: examples.error },
    [problemType]: { schema: refTo("Problem"), examples: examples.problem }
  }
})

/** Of an error that is answered in this way alone. */
const always = (code: string, headers?: JsonObject): JsonObject =>
  outside(
    code,
    wireErrors.get(code)?.title ?? code,
    { error: errorExamplesOf([code], "error"), problem: errorExamplesOf([code], "problem") },
    headers
  )

/** Of an error that has another status here than elsewhere. */
const here = (description: string, { error, status }: typeof unknownExpectation): JsonObject => {
  const code = error._tag
  const example = (accept: string): JsonObject => {
    const value: Json = JSON.parse(
      writtenError(error, { requestId: exampleId("req"), accept, publicUrl: "http://gateway" }, { status })?.text ??
        "null"
    )
    return { [code]: { summary: description, value } }
  }
  return outside(code, description, { error: example("application/json"), problem: example(problemType) })
}

export const outsideResponses: JsonObject = {
  RouteNotFound: always("route_not_found"),
  MethodNotAllowed: always("method_not_allowed", { Allow: headerRef("Allow") }),
  RequestTimeout: always("request_timeout"),
  ExpectationFailed: here("Every route answers 417 to an Expect that is not 100-continue", unknownExpectation),
  HeadersTooLarge: here("Every route answers 431 to headers that are too long", headersTooLarge)
}
