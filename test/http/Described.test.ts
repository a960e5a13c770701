/** The OpenAPI document explains all that it names, with a description, an example and, where there is one, a range. */
import { assert, describe, it } from "@effect/vitest"
import { Api } from "../../src/http/Api.js"
import { openApiDocument } from "../../src/http/OpenApi.js"
import type { Loose } from "../support/httpGateway.js"
import { validatorOf } from "../support/openApi.js"

const document: Loose = openApiDocument(Api)
const schemas: Readonly<Record<string, Loose>> = document.components.schemas

const operations = Object.entries<Loose>(document.paths).flatMap(([path, item]) =>
  Object.entries<Loose>(item).map(([method, operation]) => ({ name: `${method} ${path}`, operation }))
)

const nameOf = ($ref: string) => $ref.slice($ref.lastIndexOf("/") + 1)
const empty = /^(an? )?(string|boolean|integer|number|array|object|finite|int|non.?negative|between)\b/i
const isText = (text: unknown): text is string => typeof text === "string" && text.length > 7 && !empty.test(text)

/** Calls `visit` with each schema below this one, with its place, and whether an example from further up shows it. */
const walk = (
  schema: Loose,
  place: string,
  shown: ReadonlyArray<unknown>,
  visit: (schema: Loose, place: string, shown: ReadonlyArray<unknown>) => void
): void => {
  const here = [...shown, ...((schema.examples ?? []) as ReadonlyArray<unknown>)]
  for (const [name, property] of Object.entries<Loose>(schema.properties ?? {})) {
    const below = here.flatMap((value: Loose) =>
      (Array.isArray(value) ? value : [value]).flatMap((each: Loose) =>
        typeof each === "object" && each !== null && name in each ? [each[name]] : []
      )
    )
    visit(property, `${place}.${name}`, below)
    walk(property, `${place}.${name}`, below, visit)
  }
  for (const inner of [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    if (inner !== undefined) walk(inner, place, here, visit)
}

/** Whether a value of this schema is made of parts that have examples of their own. */
const isMadeOfParts = (schema: Loose): boolean =>
  schema.$ref !== undefined ||
  schema.properties !== undefined ||
  (schema.items !== undefined && isMadeOfParts(schema.items)) ||
  (schema.anyOf ?? []).some(isMadeOfParts)

const described = (schema: Loose): boolean =>
  isText(schema.description) || (schema.$ref !== undefined && isText(schemas[nameOf(schema.$ref)]?.description))

const hasExample = (schema: Loose, shown: ReadonlyArray<unknown>): boolean =>
  schema.examples !== undefined || schema.enum !== undefined || shown.length > 0 || isMadeOfParts(schema)

/** What is said of how large a value may be. */
const isBounded = (schema: Loose): boolean => {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.every((choice: Loose) => isBounded(choice))
  if (schema.$ref !== undefined) return isBounded(schemas[nameOf(schema.$ref)]!)
  if (schema.type === "integer" || schema.type === "number") return schema.minimum !== undefined
  if (schema.type === "string" && schema.const === undefined)
    return (schema.enum ?? schema.maxLength ?? schema.format ?? schema.pattern) !== undefined
  return true
}

describe("the document explains", () => {
  it("every schema, and every field of every schema", () => {
    const without: Array<string> = []
    for (const [name, schema] of Object.entries(schemas)) {
      if (!isText(schema.description)) without.push(`${name}: no description`)
      walk(schema, name, [], (field, place, shown) => {
        if (!described(field)) without.push(`${place}: no description`)
        if (!hasExample(field, shown)) without.push(`${place}: no example`)
      })
    }
    assert.deepStrictEqual(without, [])
  })

  it("every operation, its parameters, bodies and answers", () => {
    const without: Array<string> = []
    for (const { name, operation } of operations) {
      if (!isText(operation.summary)) without.push(`${name}: no summary`)
      if (!isText(operation.description) || operation.description.length < 30) without.push(`${name}: no description`)
      for (const parameter of operation.parameters ?? []) {
        const place = `${name} ${parameter.in} ${parameter.name}`
        if (!isText(parameter.description)) without.push(`${place}: no description`)
        if (!("example" in parameter)) without.push(`${place}: no example`)
        if (parameter.in !== "header" && !isBounded(parameter.schema)) without.push(`${place}: no range`)
      }
      for (const media of Object.values<Loose>(operation.requestBody?.content ?? {})) {
        if (!("example" in media)) without.push(`${name} body: no example`)
        walk(media.schema.$ref ? schemas[nameOf(media.schema.$ref)]! : media.schema, name, [], (field, place) => {
          if (!isBounded(field)) without.push(`${place}: no range`)
        })
      }
      for (const [status, answer] of Object.entries<Loose>(operation.responses)) {
        if (!isText(answer.description)) without.push(`${name} ${status}: no description`)
        for (const [type, media] of Object.entries<Loose>(answer.content ?? {})) {
          if (status.startsWith("2") && type !== "*/*" && !("example" in media || "examples" in media))
            without.push(`${name} ${status}: no example`)
        }
      }
    }
    assert.deepStrictEqual(without, [])
  })

  it("every header, every group of routes and the way to authenticate", () => {
    for (const [name, header] of Object.entries<Loose>(document.components.headers)) {
      assert.isTrue(isText(header.description), name)
      assert.property(header, "example", name)
    }
    for (const tag of document.tags) assert.isTrue(isText(tag.description), tag.name)
    for (const scheme of Object.values<Loose>(document.components.securitySchemes))
      assert.isTrue(isText(scheme.description))
  })

  it("with examples that its own schemas take", () => {
    let checked = 0
    const check = (schema: Loose, example: unknown, place: string) => {
      checked += 1
      try {
        validatorOf(document, schema)(example)
      } catch (error) {
        throw new Error(`${place}: ${String(error)}`)
      }
    }
    const own = (schema: Loose, place: string) => {
      const { examples = [], ...rest } = schema
      for (const example of examples) check(rest, example, place)
    }
    for (const [name, schema] of Object.entries(schemas)) {
      own(schema, name)
      walk(schema, name, [], own)
    }
    for (const { name, operation } of operations) {
      for (const { example, name: parameter, schema } of operation.parameters ?? [])
        check(schema, example, `${name} ${parameter}`)
      for (const holder of [operation.requestBody, ...Object.values<Loose>(operation.responses)])
        for (const { example, examples = {}, schema } of Object.values<Loose>(holder?.content ?? {})) {
          if (example !== undefined) check(schema, example, name)
          for (const { value } of Object.values<Loose>(examples)) check(schema, value, name)
        }
    }
    for (const [name, { example, schema }] of Object.entries<Loose>(document.components.headers))
      check(schema, example, name)
    assert.isAbove(checked, 500)
  })

  it("and names a token's refusals only where a token is taken", () => {
    for (const { name, operation } of operations)
      assert.strictEqual(operation.responses["401"] !== undefined, operation.security.length > 0, name)
  })
})
