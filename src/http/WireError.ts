/**
 * An error as it goes over the wire: what a row of the table in `Envelope.ts` says of it, and what becomes of that for
 * answers and for the OpenAPI document.
 */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Effect, ParseResult, Schema } from "effect"
import { exampleId } from "../domain/Described.js"
import { errorPrefix } from "./Access.js"
import { currentRequest } from "./RequestState.js"

/** Fields beside those that every error has. */
export type Extra = { readonly [field: string]: unknown }
export interface Body extends Extra {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly requestId: string
    readonly retryable: boolean
    readonly retryHint: string
  }
}

interface Failure {
  readonly _tag: string
  readonly message: string
  /** More exact than that of the class. */
  readonly retryHint?: string
}
interface FailureClass<E extends Failure> {
  readonly ast: Schema.Schema<E>["ast"]
  readonly retryable: boolean
  readonly retryHint: string
  readonly _tag: E["_tag"]
  new (...args: never): E
}

interface Row<E> {
  readonly status: number
  /** Short and the same for every occurrence, for RFC 9457. */
  readonly title: string
  /** One occurrence, for the document. */
  readonly example: E
  /** Fields next to `error`, with their values. */
  readonly beside?: readonly [Schema.Struct.Fields, (error: E) => Extra]
  /** Fields inside `error`, with their values. */
  readonly inside?: readonly [Schema.Struct.Fields, (error: E) => Extra]
  readonly headers?: (error: E) => { readonly [name: string]: string }
}

export interface WireError {
  readonly code: string
  readonly status: number
  readonly title: string
  readonly retryable: boolean
  /** What to change or how long to wait, as far as it is the same for every occurrence. */
  readonly retryHint: string
  /** One occurrence, for the document. */
  readonly example: Body
  /** Null when the value is not this error. */
  readonly body: (error: unknown, requestId: string) => Body | null
  readonly headers: (error: unknown) => { readonly [name: string]: string }
}

type BodyOf<E> = (error: E, requestId: string) => Body

const bodyOf =
  <E extends Failure>(cls: FailureClass<E>, row: Row<E>): BodyOf<E> =>
  (error, requestId) => ({
    error: {
      code: cls._tag,
      message: error.message,
      requestId,
      retryable: cls.retryable,
      retryHint: error.retryHint ?? cls.retryHint,
      ...row.inside?.[1](error)
    },
    ...row.beside?.[1](error)
  })

const exampleOf = <E extends Failure>(row: Row<E>, toBody: BodyOf<E>): Body => toBody(row.example, exampleId("req"))

const entryOf = <E extends Failure>(cls: FailureClass<E>, row: Row<E>, toBody: BodyOf<E>): WireError => ({
  code: cls._tag,
  status: row.status,
  title: row.title,
  retryable: cls.retryable,
  retryHint: cls.retryHint,
  example: exampleOf(row, toBody),
  body: (error, requestId) => (error instanceof cls ? toBody(error, requestId) : null),
  headers: (error) => (error instanceof cls ? (row.headers?.(error) ?? {}) : {})
})

/** The class on the inside, the envelope on the outside. */
const schemaOf = <E extends Failure>(cls: FailureClass<E>, row: Row<E>, toBody: BodyOf<E>): Schema.Schema<E, Body> => {
  const code = cls._tag
  const outside = Schema.Struct({
    error: Schema.Struct({
      code: Schema.Literal(code).annotations({ description: "What went wrong, as a word for programs" }),
      message: Schema.String.annotations({ description: "What went wrong, in a sentence" }),
      requestId: Schema.String.annotations({ description: "The request; name it when you ask for help" }),
      retryable: Schema.Literal(cls.retryable).annotations({ description: "Whether the same request may work later" }),
      retryHint: Schema.String.annotations({ description: "What to change or how long to wait, in a sentence" }),
      ...row.inside?.[0]
    }).annotations({ description: "What went wrong" }),
    ...row.beside?.[0]
  }).annotations({ examples: [exampleOf(row, toBody)] })
  return Schema.transformOrFail(
    Schema.make<Body>(Schema.typeSchema(outside).ast),
    Schema.make<E>(Schema.typeSchema(Schema.make<E>(cls.ast)).ast),
    {
      strict: true,
      decode: (body, _, ast) => ParseResult.fail(new ParseResult.Forbidden(ast, body, "errors are only written here")),
      encode: (error) => Effect.map(currentRequest, (state) => toBody(error, state.requestId))
    }
  ).annotations(
    HttpApiSchema.annotations({ status: row.status, identifier: errorPrefix + code, description: row.title })
  )
}

interface WireErrorTable {
  /** By code. */
  readonly entries: ReadonlyMap<string, WireError>
  /** Enters an error into the table and gives its wire schema. */
  readonly wire: <E extends Failure>(cls: FailureClass<E>, row: Row<E>) => Schema.Schema<E, Body>
}

export const makeWireErrorTable = (): WireErrorTable => {
  const entries = new Map<string, WireError>()
  return {
    entries,
    wire: (cls, row) => {
      const toBody = bodyOf(cls, row)
      entries.set(cls._tag, entryOf(cls, row, toBody))
      return schemaOf(cls, row, toBody)
    }
  }
}
