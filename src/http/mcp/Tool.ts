/**
 * What a tool of agents is: its words, the scope that it needs, schemas of what it takes and answers, and its work. The
 * schemas that a host sees and the check of the arguments come from one schema. Tools call the services and functions
 * of the HTTP routes and decide nothing themselves.
 */
import type { Either } from "effect"
import { Effect, JSONSchema, Schema } from "effect"
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import { member } from "../../domain/Members.js"
import type { ValidationError } from "../../domain/ApiErrors.js"
import { WhoseError } from "../../domain/RunFailures.js"
import type { Scope } from "../../domain/Scope.js"
import type { Principal } from "../../services/Accounts.js"
import type { RateDecision } from "../../services/RateLimiter.js"
import { bodyValue } from "../Body.js"
import { unknownField } from "../FieldProblems.js"
import type { HttpError } from "../Envelope.js"
import type { RequestState } from "../RequestState.js"

export interface Visit {
  readonly caller: Principal
  readonly requestId: string
  readonly state: RequestState
  /** What was decided about the request's place in the rate. */
  readonly rate: RateDecision | null
  /** How people reach the gateway. */
  readonly publicUrl: string
  /** Counts a request for a run by the agent that names itself. */
  readonly countRunRequest: () => void
}

/** What a host may tell people about a tool before it is called. Hints of the protocol; nothing relies on them. */
export interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

interface ObjectSchema {
  readonly type: "object"
  readonly [keyword: string]: Json
}

/** The value of an answer, and whether it tells of a failure. */
export interface ToolAnswer {
  readonly value: object
  readonly failed: boolean
}

export interface Tool<R> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Callers without it do not see the tool. Null: any token will do. */
  readonly scope: Scope | null
  readonly annotations: Annotations
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  readonly call: (args: Json, visit: Visit) => Effect.Effect<ToolAnswer, HttpError, R>
}

const definitions = "#/$defs/"

/** The name of a definition, of which the library escapes only what a JSON pointer needs: nothing is in percent. */
const definitionNamed = (pointer: string): string => pointer.replaceAll("~1", "/").replaceAll("~0", "~")

/** Each word of a schema costs an agent context: what the descriptions say already is left out. */
const dropped: ReadonlySet<string> = new Set(["$schema", "$defs", "$id", "title", "examples"])

/** The schema without references, because not every host follows them. */
const plain = (value: Json, defs: JsonObject, isSchema = true): Json => {
  if (Array.isArray(value)) return value.map((item) => plain(item, defs, isSchema))
  if (!isObject(value)) return value
  const ref = isSchema ? member(value, "$ref") : undefined
  if (typeof ref === "string" && ref.startsWith(definitions)) {
    const { $ref: _, ...rest } = value
    const meant = member(defs, definitionNamed(ref.slice(definitions.length)))
    return { ...object(plain(meant ?? {}, defs)), ...object(plain(rest, defs)) }
  }
  const written = Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isSchema || !dropped.has(name))
      // The members of `properties` are names of the client's, not keywords.
      .map(([name, inner]) => [name, plain(inner, defs, !isSchema || name !== "properties")])
  )
  return isSchema ? withoutLoneAllOf(written) : written
}

/**
 * The library writes a bound as `allOf` with one schema, and describes it ("a number between …"). Function calling of
 * some hosts refuses `allOf`, and those words say nothing that the bound does not.
 */
const withoutLoneAllOf = (schema: JsonObject): JsonObject => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf) || allOf.length !== 1) return schema
  const { description: _, ...bound } = object(allOf[0] ?? {})
  return Object.keys(bound).some((name) => member(rest, name) !== undefined) ? schema : { ...rest, ...bound }
}
const object = (value: Json): JsonObject => (isObject(value) ? value : {})

export const objectSchemaOf = <A, I>(schema: Schema.Schema<A, I>): ObjectSchema => {
  const made: Json = JSON.parse(JSON.stringify(JSONSchema.make(schema)))
  const found = object(plain(made, object(member(object(made), "$defs") ?? {})))
  // The library describes an object without fields as anything.
  return "properties" in found
    ? { ...found, type: "object" }
    : { type: "object", properties: {}, additionalProperties: false }
}

/** The input of a tool that takes nothing. The library lets an object without fields be anything. */
export const noInput = Schema.Struct({}).pipe(
  Schema.filter((given) => Object.keys(given).map((name) => ({ path: [name], message: unknownField })))
)

/** Answers may get more fields, so nothing says that there are no others. */
const open = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(open)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => !(name === "additionalProperties" && inner === false))
      .map(([name, inner]) => [name, open(inner)])
  )
}

/** What every error says, be it a refusal or a failed run. `gateway mcp` makes some of its own. */
const ErrorOfTool = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  whoseError: WhoseError,
  retryable: Schema.Boolean,
  retryHint: Schema.String
}).annotations({ description: "Only of what was refused or failed; other fields say more of it" })

/**
 * What a tool answers, or an error. Both are content of the tool: a host that checks it against the schema, as the SDK
 * of the line before does, would otherwise refuse the errors and show the model none of them.
 */
const outputSchemaOf = <A, I>(output: Schema.Schema<A, I>): ObjectSchema => {
  const { required, ...answer } = object(open(objectSchemaOf(output)))
  const error = open(objectSchemaOf(ErrorOfTool))
  return {
    ...answer,
    type: "object",
    properties: { ...object(answer["properties"] ?? {}), error },
    anyOf: [{ required: required ?? [] }, { required: ["error"] }]
  }
}

export const tool = <In, InWire, Out extends object, OutWire, E extends HttpError, R>({
  call,
  failed = () => false,
  input,
  output,
  ...words
}: Pick<Tool<R>, "name" | "title" | "description" | "scope" | "annotations"> & {
  readonly input: Schema.Schema<In, InWire>
  readonly output: Schema.Schema<Out, OutWire>
  readonly call: (input: In, visit: Visit) => Effect.Effect<Out, E, R>
  readonly failed?: (answer: Out) => boolean
}): Tool<R> => {
  const read: (args: Json) => Either.Either<In, ValidationError> = bodyValue(input, "arguments")
  return {
    ...words,
    inputSchema: objectSchemaOf(input),
    outputSchema: outputSchemaOf(output),
    call: (args, visit) =>
      Effect.flatMap(read(args), (given) =>
        Effect.map(call(given, visit), (value) => ({ value, failed: failed(value) }))
      )
  }
}
