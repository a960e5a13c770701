/** Holds JSON against schemas of an OpenAPI 3.1 document, which are JSON Schema 2020-12. */
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { assert } from "vitest"
import type { JsonObject } from "../../src/domain/Json.js"
import type { Loose } from "./httpGateway.js"

const compilers = new WeakMap<JsonObject, Ajv2020>()

const compilerOf = (document: JsonObject): Ajv2020 => {
  const known = compilers.get(document)
  if (known !== undefined) return known
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, "document")
  compilers.set(document, ajv)
  return ajv
}

const absolute = (schema: unknown): Loose => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))

/** Fails the test with ajv's words when a value breaks the schema. */
export const validatorOf = (document: JsonObject, schema: unknown): ((value: unknown) => void) => {
  const validate = compilerOf(document).compile(absolute(schema))
  return (value) =>
    assert.isTrue(validate(value), `${JSON.stringify(validate.errors)} in ${JSON.stringify(value)?.slice(0, 2_000)}`)
}

/** Whether the schema takes the value. */
export const takes = (document: JsonObject, schema: unknown, value: unknown): boolean =>
  compilerOf(document).compile(absolute(schema))(value) === true

/** Routes that no list shows: another spelling of a page, and what a page loads. */
export const unlistedPaths: ReadonlySet<string> = new Set(["/docs/", "/docs/files/:file"])
