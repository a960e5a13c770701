/**
 * Examples of whole bodies and answers for the OpenAPI document. Those of errors come from the table of errors, those
 * of success were recorded from a gateway. Where nothing is recorded, one is put together from the examples that stand
 * at the fields.
 */
import { readFileSync } from "node:fs"
import { isObject, type Json, type JsonObject } from "../domain/Json.js"
import { member } from "../domain/Members.js"
import { problemType } from "./Accept.js"
import { wireErrors } from "./Envelope.js"
import { problemBody } from "./ErrorAnswers.js"
import { packagedFile } from "../PackagedFiles.js"

/** What a gateway answered to a real request. */
interface RecordedExample {
  readonly name: string
  readonly summary: string
  /** The method and the path that it answers. */
  readonly request: string
  readonly body?: Json
  readonly status: number
  readonly answer: Json
}
type Recorded = { readonly [operation: string]: ReadonlyArray<RecordedExample> }

/**
 * By the operation, such as `POST /v1/runs`. Written by `npx vitest run test/golden -u` from the scenes of
 * test/golden/documentScenes.ts.
 */
export const readRecorded = (): Recorded => {
  const file = packagedFile("assets/openapi-examples.json")
  return file === null ? {} : JSON.parse(readFileSync(file, "utf8"))
}

export type Examples = (schema: Json | undefined) => Json | undefined

const first = (values: Json | undefined): Json | undefined => (Array.isArray(values) ? values[0] : undefined)

/** With `required` an object shows the fields that are always there, with `all` every field. */
export const examplesOf = (components: JsonObject, fields: "all" | "required"): Examples => {
  const exampleOf = (schema: Json | undefined, within: ReadonlyArray<string>): Json | undefined => {
    if (!isObject(schema)) return undefined
    const own = first(schema["examples"]) ?? schema["const"] ?? first(schema["enum"])
    if (own !== undefined) return own
    const { $ref } = schema
    if (typeof $ref === "string") {
      const name = $ref.slice($ref.lastIndexOf("/") + 1)
      return within.includes(name) ? undefined : exampleOf(member(components, name), [...within, name])
    }
    const choices = schema["anyOf"] ?? schema["oneOf"]
    if (Array.isArray(choices)) {
      const found = choices.map((choice) => exampleOf(choice, within)).find((example) => example !== undefined)
      return found ?? (choices.some((choice) => member(choice, "type") === "null") ? null : undefined)
    }
    if (schema["type"] === "array") {
      const item = exampleOf(schema["items"], within)
      return item === undefined ? [] : [item]
    }
    const properties = schema["properties"]
    if (!isObject(properties)) return undefined
    const required = schema["required"]
    return Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]) => {
        if (fields === "required" && !(Array.isArray(required) && required.includes(name))) return []
        const example = exampleOf(property, within)
        return example === undefined ? [] : [[name, example]]
      })
    )
  }
  return (schema) => exampleOf(schema, [])
}

const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value))

/** Each error of the table in both of its forms, by its code, for `components.examples`. */
export const errorExamples: JsonObject = Object.fromEntries(
  [...wireErrors.values()].flatMap((error) => [
    [error.code, { summary: error.title, value: jsonOf(error.example) }],
    [`${error.code}_problem`, { summary: error.title, value: jsonOf(problemBody(error, error.example)) }]
  ])
)

/** The examples of these codes, as an answer names them. */
export const errorExamplesOf = (codes: ReadonlyArray<string>, form: "error" | "problem"): JsonObject =>
  Object.fromEntries(
    codes.map((code) => [code, { $ref: `#/components/examples/${form === "error" ? code : `${code}_problem`}` }])
  )

/** Adds named examples to a media type, in the place of one without a name. */
const withNamed = (media: Json | undefined, named: JsonObject): JsonObject => {
  const { example, examples, ...rest } = isObject(media) ? media : {}
  const all = { ...named, ...(isObject(examples) ? examples : {}) }
  return Object.keys(all).length === 0
    ? { ...rest, ...(example === undefined ? {} : { example }) }
    : { ...rest, examples: all }
}

const named = (
  examples: ReadonlyArray<RecordedExample>,
  show: (example: RecordedExample) => JsonObject | null
): JsonObject =>
  Object.fromEntries(
    examples.flatMap((example) => {
      const shown = show(example)
      return shown === null ? [] : [[example.name, { summary: example.summary, ...shown }]]
    })
  )

/** Requests that are alike but for their idempotency key show the same. */
const sameRequest = (body: Json): string => JSON.stringify(isObject(body) ? { ...body, idempotencyKey: null } : body)

/** Answers have these beside the JSON that is recorded. */
const withoutNames: ReadonlySet<string> = new Set([problemType, "text/html"])

/** Adds what was recorded of an operation: its bodies, and its answers by status. */
export const withRecorded = (operation: JsonObject, examples: ReadonlyArray<RecordedExample>): JsonObject => {
  if (examples.length === 0) return operation
  const seen = new Set<string>()
  const bodies = named(examples, ({ body, status }) => {
    if (body === undefined || status >= 300 || seen.has(sameRequest(body))) return null
    seen.add(sameRequest(body))
    return { value: body }
  })
  const { requestBody, responses } = operation
  const content = (holder: Json | undefined, more: JsonObject): JsonObject => {
    if (!isObject(holder)) return {}
    const media = holder["content"]
    if (!isObject(media)) return holder
    return {
      ...holder,
      content: Object.fromEntries(
        Object.entries(media).map(([type, each]) => [type, withoutNames.has(type) ? each : withNamed(each, more)])
      )
    }
  }
  return {
    ...operation,
    ...(requestBody === undefined ? {} : { requestBody: content(requestBody, bodies) }),
    responses: Object.fromEntries(
      Object.entries(isObject(responses) ? responses : {}).map(([status, response]) => [
        status,
        content(
          response,
          named(examples, ({ answer, request, status: answered }) =>
            String(answered) === status ? { description: `Answers ${request}`, value: answer } : null
          )
        )
      ])
    )
  }
}
