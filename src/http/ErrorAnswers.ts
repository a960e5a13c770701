/** Answers to the errors of the table in `Envelope.ts`: as JSON, or as RFC 9457 has it where a client asks for that. */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { problemType, wantsProblem } from "./Accept.js"
import { wireErrors } from "./Envelope.js"
import { prefixOf } from "./Settings.js"
import type { Body, WireError } from "./WireError.js"

const entryOf = (error: unknown): WireError | undefined =>
  typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string"
    ? wireErrors.get(error._tag)
    : undefined

/** The body of an error of the table; null for anything else. */
export const errorBody = (error: unknown, requestId: string): Body | null =>
  entryOf(error)?.body(error, requestId) ?? null

/** The same as RFC 9457 has it. `prefix` is the path under which clients reach the gateway. */
export const problemBody = ({ code, status, title }: WireError, body: Body, prefix = ""): Body => ({
  type: `${prefix}/docs#${code}`,
  title,
  status,
  detail: body.error.message,
  instance: body.error.requestId,
  ...body
})

/** An answer as it is written. */
interface Written {
  readonly status: number
  readonly contentType: string
  readonly headers: { readonly [name: string]: string }
  readonly text: string
}

/** What is told of a request to what writes its answer. */
export interface Asked {
  readonly requestId: string
  readonly accept: string | undefined
  /** How clients reach this server. */
  readonly publicUrl: string
}

/** The answer to an error of the table; null for anything else. `instead` stands in place of what the table has. */
export const writtenError = (
  error: unknown,
  { accept, publicUrl, requestId }: Asked,
  instead: { readonly status?: number; readonly message?: string } = {}
): Written | null => {
  const entry = entryOf(error)
  const found = entry?.body(error, requestId) ?? null
  if (entry === undefined || found === null) return null
  const { message = found.error.message, status = entry.status } = instead
  const body = { ...found, error: { ...found.error, message } }
  const problem = wantsProblem(accept)
  return {
    status,
    contentType: problem ? problemType : "application/json",
    headers: entry.headers(error),
    text: JSON.stringify(problem ? problemBody({ ...entry, status }, body, prefixOf(publicUrl)) : body)
  }
}

/** The same as a response. */
export const errorResponse = (error: unknown, asked: Asked): HttpServerResponse.HttpServerResponse | null => {
  const written = writtenError(error, asked)
  return written === null ? null : HttpServerResponse.text(written.text, written)
}
