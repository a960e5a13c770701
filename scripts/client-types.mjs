// Writes the types of the client package (src/client/api) from the OpenAPI document: `npm run client:types`. The
// document is the golden one, which a test holds against what a gateway serves. A test fails when the written files are
// older.
//
// It knows the part of JSON Schema that the document uses, and stops at anything else instead of guessing.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { argv } from "node:process"
import { fileURLToPath } from "node:url"
import { format, resolveConfig } from "prettier"

const root = fileURLToPath(new URL("..", import.meta.url))
const source = join(root, "test/golden/files/openapi.json")
const target = join(root, "src/client/api")

const banner = "// Written by `npm run client:types` from the OpenAPI document; do not edit it by hand."

/** The description that a schema library writes for a bare type says nothing that the type does not. */
const saysNothing = /^(an integer|a finite number|an array of .*|a number between .*)$/

const range = (schema) => {
  const said = []
  const pair = (least, most, of) => {
    if (least !== undefined && most !== undefined) said.push(`${least} to ${most}${of}.`)
    else if (least !== undefined) said.push(`At least ${least}${of}.`)
    else if (most !== undefined) said.push(`At most ${most}${of}.`)
  }
  pair(schema.minimum, schema.maximum, "")
  pair(schema.minLength, schema.maxLength, " characters")
  pair(schema.minItems, schema.maxItems, " items")
  if (schema.format === "date-time") said.push("ISO 8601, UTC.")
  if (schema.default !== undefined) said.push(`Default ${JSON.stringify(schema.default)}.`)
  const example = JSON.stringify(schema.examples?.[0])
  // A long one says less than the fields below it.
  if (example !== undefined && example !== "null" && example.length <= 80) said.push(`Example: ${example}.`)
  return said.join(" ")
}

/** A documentation comment, in lines that lint takes; empty without words. */
const comment = (...parts) => {
  const text = parts
    .filter((part) => part !== undefined && part !== "" && !saysNothing.test(part))
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(" ")
    .replaceAll("*/", "*\\/")
  if (text === "") return ""
  const lines = [""]
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)
    if (line.length + word.length > 105) lines.push(word)
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`
  }
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}`).join("\n")}\n */\n`
}

const literal = (value) => JSON.stringify(value)
const nameOf = (ref) => ref.slice(ref.lastIndexOf("/") + 1)
const everyType = (type) => Array.isArray(type) && ["object", "array", "string"].every((each) => type.includes(each))
const plain = { string: "string", number: "number", integer: "number", boolean: "boolean", null: "null" }

/** The TypeScript of a schema. An object of no known fields is a "freeObject". */
const typesWith = (freeObject) => {
  const objectType = (schema) => {
    const { additionalProperties, properties, required = [] } = schema
    if (properties !== undefined && Object.keys(properties).length > 0) {
      if (typeof additionalProperties === "object")
        throw new Error(`No type is known for both properties and others: ${JSON.stringify(schema)}`)
      const members = Object.entries(properties).map(([name, of]) => {
        const type = typeOf(of)
        return required.includes(name)
          ? `${comment(of.description, range(of))}readonly ${literal(name)}: ${type}`
          : `${comment(of.description, range(of))}readonly ${literal(name)}?: ${type} | undefined`
      })
      return `{\n${members.join("\n")}\n}`
    }
    return typeof additionalProperties === "object"
      ? `{ readonly [name: string]: ${typeOf(additionalProperties)} }`
      : freeObject
  }

  const typeOf = (schema) => {
    if (schema.$ref !== undefined) return nameOf(schema.$ref) === "JsonObject" ? freeObject : nameOf(schema.$ref)
    if (schema.const !== undefined) return literal(schema.const)
    if (schema.enum !== undefined) return schema.enum.map(literal).join(" | ")
    const either = schema.anyOf ?? schema.oneOf
    if (either !== undefined) return either.map(typeOf).join(" | ")
    if (schema.allOf !== undefined) return schema.allOf.map((each) => `(${typeOf(each)})`).join(" & ")
    if (everyType(schema.type)) return "Json"
    if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ")
    if (schema.type === "array") return `ReadonlyArray<${typeOf(schema.items)}>`
    if (schema.type === "object") return objectType(schema)
    const type = plain[schema.type]
    if (type === undefined) throw new Error(`No type is known for the schema ${JSON.stringify(schema)}`)
    return type
  }
  return typeOf
}
const typeOf = typesWith("JsonObject")
/** What a caller gives may be of an interface or class of their own, which is no `JsonObject` to the compiler. */
const typeOfGiven = typesWith("object")

/** The names of the schemas that these values use, directly or through others. */
const reachable = (schemas, values) => {
  const found = new Set()
  const visit = (value) => {
    if (typeof value !== "object" || value === null) return
    if (typeof value.$ref === "string" && value.$ref.startsWith("#/components/schemas/")) {
      const name = nameOf(value.$ref)
      if (found.has(name)) return
      found.add(name)
      visit(schemas[name])
    }
    Object.values(value).forEach(visit)
  }
  values.forEach(visit)
  return found
}

/** Stripe calls it, and nobody else. */
const notForClients = ["payments.stripeEvent"]

/** The code of an error's own schema; the form that all errors share has them all, and is none of them. */
const codeOf = (schema) => {
  const codes = schema.properties?.error?.properties?.code?.enum ?? []
  return codes.length === 1 ? codes[0] : undefined
}

/** The member that holds the items, where the answer is a page of a list. */
const itemsOfPage = (schemas, schema) => {
  const { properties = {} } =
    schema?.$ref === undefined ? {} : schemas[schema.$ref.replace("#/components/schemas/", "")]
  return properties.nextCursor && Object.keys(properties).find((name) => properties[name].type === "array")
}

/** What a client sees of an operation. */
const readOperation = (schemas, [path, method, operation]) => {
  const parameters = operation.parameters ?? []
  const [, success] = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))
  const content = success.content ?? {}
  const answer = content["application/json"]?.schema
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    words: [operation.summary, operation.description],
    scope: operation["x-required-scope"],
    pathParameters: parameters.filter((each) => each.in === "path"),
    query: parameters.filter((each) => each.in === "query"),
    keyed: parameters.some((each) => each.in === "header" && each.name === "idempotency-key"),
    body: operation.requestBody?.content["application/json"].schema,
    answer,
    items: itemsOfPage(schemas, answer),
    kind: content["application/json"] ? "json" : Object.keys(content).length === 0 ? "nothing" : "file"
  }
}

const parametersType = (parameters) =>
  parameters.length === 0
    ? "{}"
    : `{\n${parameters
        .map(({ description, name, required, schema }) => {
          const optional = required === true ? "" : "?"
          const or = required === true ? "" : " | undefined"
          const words = comment(description ?? schema.description, range(schema))
          return `${words}readonly ${literal(name)}${optional}: ${typeOf(schema)}${or}`
        })
        .join("\n")}\n}`

const operationType = (operation) => {
  const scope = operation.scope === undefined ? undefined : `Needs the scope ${operation.scope}`
  const answers = { json: () => typeOf(operation.answer), nothing: () => "undefined", file: () => "Response" }
  return `${comment(...operation.words, scope)}readonly ${literal(operation.id)}: {
    readonly path: ${parametersType(operation.pathParameters)}
    readonly query: ${parametersType(operation.query)}
    readonly body: ${operation.body === undefined ? "undefined" : typeOf(operation.body)}
    readonly answer: ${answers[operation.kind]()}
  }`
}

const routeOf = ({ id, items, keyed, kind, method, path }) => {
  const page = items === undefined ? "" : `, items: ${literal(items)}`
  return `${literal(id)}: { method: ${literal(method)}, path: ${literal(path)}, keyed: ${keyed}, answers: ${literal(kind)}${page} }`
}

/** The text of each file by its name, formatted as the rest of the repository. */
export const filesFor = async (document) => {
  const { schemas } = document.components
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => [path, method, operation]))
    .filter(([path, , { operationId }]) => path.startsWith("/v1/") && !notForClients.includes(operationId))
    .map((each) => readOperation(schemas, each))
  const errors = Object.values(schemas).filter((schema) => codeOf(schema) !== undefined)
  const names = [...reachable(schemas, [...operations.flatMap(({ answer, body }) => [answer, body]), ...errors])]
    .filter((name) => name !== "Json" && name !== "JsonObject")
    .sort()
  const answered = reachable(schemas, [...operations.map(({ answer }) => answer), ...errors])
  const typeOfNamed = (name) => (answered.has(name) ? typeOf : typeOfGiven)(schemas[name])

  const schemasText = `${banner}

/** Any JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [field: string]: Json | undefined
}

${names
  .map(
    (name) => `${comment(schemas[name].description, range(schemas[name]))}export type ${name} = ${typeOfNamed(name)}`
  )
  .join("\n\n")}

/** The body of every refusal, by its code. */
export interface Refusals {
${errors.map((schema) => `${comment(schema.description)}readonly ${literal(codeOf(schema))}: ${typeOf(schema)}`).join("\n")}
}
`
  const operationsText = `/**
 * How each operation is sent: \`keyed\` takes an idempotency key; \`answers\` says whether the answer is JSON, a file or
 * nothing; \`items\` is the member of a page that holds them.
 */
export const routes = {
${operations.map(routeOf).join(",\n")}
} as const

/** What each operation takes and answers. */
export interface Operations {
${operations.map(operationType).join("\n")}
}
`
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(operationsText))
  const style = await resolveConfig(join(target, "Schemas.ts"))
  const formatted = (text) => format(text, { ...style, parser: "typescript" })
  return {
    "Schemas.ts": await formatted(schemasText),
    "Operations.ts": await formatted(
      `${banner}\nimport type { ${used.join(", ")} } from "./Schemas.js"\n\n${operationsText}`
    )
  }
}

export const goldenDocument = () => JSON.parse(readFileSync(source, "utf8"))

if (argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(target, { recursive: true })
  for (const [name, text] of Object.entries(await filesFor(goldenDocument()))) writeFileSync(join(target, name), text)
}
