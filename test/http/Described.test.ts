/** The OpenAPI document explains all that it names, with a description, an example and, where there is one, a range. */
import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "../../src/http/OpenApi.js"
import type { Loose } from "../support/httpGateway.js"
import { takes, validatorOf } from "../support/openApi.js"

const document: Loose = openApiDocument()
const schemas: Readonly<Record<string, Loose>> = document.components.schemas

/** Answers are closed here: an example may not have a field that the document does not name. */
const strict: Loose = openApiDocument({ strict: true })

const operationsOf = (of: Loose) =>
  Object.entries<Loose>(of.paths).flatMap(([path, item]) =>
    Object.entries<Loose>(item).map(([method, operation]) => ({ name: `${method} ${path}`, operation }))
  )
const operations = operationsOf(document)
const operationOf = (name: string): Loose => operations.find((each) => each.name === name)!.operation

interface Named {
  readonly name: string
  readonly summary: string
  readonly value: Loose
}
/** The named examples of a body or an answer. */
const examplesOf = ({ examples = {} }: Loose): ReadonlyArray<Named> =>
  Object.entries<Loose>(examples).map(([name, example]) => {
    const { summary, value } = "$ref" in example ? document.components.examples[nameOf(example.$ref)] : example
    return { name, summary, value }
  })
const answersOf = (name: string, status: number): ReadonlyArray<Loose> =>
  examplesOf(operationOf(name).responses[status].content["application/json"]).map(({ value }) => value)

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
        if (media.example === undefined && examplesOf(media).length === 0) without.push(`${name} body: no example`)
        walk(media.schema.$ref ? schemas[nameOf(media.schema.$ref)]! : media.schema, name, [], (field, place) => {
          if (!isBounded(field)) without.push(`${place}: no range`)
        })
      }
      for (const [status, answer] of Object.entries<Loose>(operation.responses)) {
        if (!isText(answer.description)) without.push(`${name} ${status}: no description`)
        for (const [type, media] of Object.entries<Loose>(answer.content ?? {})) {
          if (type !== "*/*" && media.example === undefined && examplesOf(media).length === 0)
            without.push(`${name} ${status} ${type}: no example`)
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
        validatorOf(strict, schema)(example)
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
    for (const { name, operation } of operationsOf(strict)) {
      for (const { example, name: parameter, schema } of operation.parameters ?? [])
        check(schema, example, `${name} ${parameter}`)
      for (const holder of [operation.requestBody, ...Object.values<Loose>(operation.responses)])
        for (const media of Object.values<Loose>(holder?.content ?? {})) {
          if (media.example !== undefined) check(media.schema, media.example, name)
          for (const { name: example, summary, value } of examplesOf(media)) {
            check(media.schema, value, `${name} ${example}`)
            assert.isTrue(isText(summary), `${name} ${example}`)
          }
        }
    }
    for (const [name, { example, schema }] of Object.entries<Loose>(document.components.headers))
      check(schema, example, name)
    assert.isAbove(checked, 500)
  })

  it("with an answer that a gateway gave for every operation that answers JSON", () => {
    const composed = operations.flatMap(({ name, operation }) =>
      Object.entries<Loose>(operation.responses).flatMap(([status, { content = {} }]) =>
        status.startsWith("2") && "example" in (content["application/json"] ?? {}) ? [name] : []
      )
    )
    // Stripe alone calls the first. No provider of the built-in catalog connects accounts of users. The others tell the
    // version, which changes with each release.
    assert.sameMembers(composed, [
      "post /v1/payments/stripe/webhook",
      "post /v1/connections/authorizations",
      "get /openapi.json",
      "get /"
    ])
  })

  it("with an example of each answer that means something else", () => {
    const runs = answersOf("post /v1/runs", 201)
    const has = (wanted: object) =>
      runs.some((run) => Object.entries(wanted).every(([field, value]) => run[field] === value))
    for (const wanted of [
      { status: "queued" },
      { status: "running" },
      { status: "completed", outcome: "hit", replayed: false },
      { status: "completed", outcome: "hit", replayed: true },
      { status: "completed", outcome: "weak" },
      { status: "completed", outcome: "miss" },
      { status: "failed", outcome: "error" },
      { status: "failed", outcome: "rejected" },
      { status: "blocked", outcome: "rejected" },
      { status: "reconciliation_pending" }
    ])
      assert.isTrue(has(wanted), JSON.stringify(wanted))
    assert.isTrue(runs.some(({ route }) => route?.attempts.length > 1))
    const refusals = new Set(runs.flatMap(({ error }) => (error === undefined ? [] : [error.code])))
    assert.isAtLeast(refusals.size, 5)

    assert.sameMembers(
      answersOf("get /readyz", 503).map(({ status }) => status),
      ["not_ready"]
    )
    const quotes = answersOf("post /v1/runs/quote", 200)
    assert.sameMembers([...new Set(quotes.map(({ admissible }) => admissible))], [true, false])
    const searches = answersOf("get /v1/catalog/search", 200)
    assert.sameMembers([...new Set(searches.map(({ endpoints }) => endpoints.length > 0))], [true, false])
    const approvals = answersOf("get /v1/login-approvals/{approvalId}", 200)
    assert.includeMembers(
      approvals.map(({ status }) => status),
      ["pending", "approved"]
    )
    assert.isTrue(answersOf("get /v1/runs/{runId}", 200).some(({ trimmed }) => trimmed !== undefined))
    assert.isTrue(answersOf("get /v1/runs", 200).some(({ nextCursor }) => nextCursor !== null))
    assert.isTrue(answersOf("get /v1/balance", 200).some(({ holds }) => holds.length > 0))
    // Where an answer is one of several things, each of them is shown.
    for (const { name, operation } of operations)
      for (const [status, { content = {} }] of Object.entries<Loose>(operation.responses)) {
        const choices: ReadonlyArray<Loose> = content["application/json"]?.schema.anyOf ?? []
        if (!status.startsWith("2")) continue
        for (const choice of choices)
          assert.isTrue(
            answersOf(name, Number(status)).some((value) => takes(strict, choice, value)),
            `${name} ${JSON.stringify(choice)}`
          )
      }
  })

  it("with an example of each error by its code, in both of its forms", () => {
    for (const { name, operation } of operations)
      for (const [status, { content = {} }] of Object.entries<Loose>(operation.responses)) {
        if (status < "400" || content["application/problem+json"] === undefined) continue
        const { schema } = content["application/json"]
        const codes = (schema.anyOf ?? [schema]).flatMap(({ $ref }: Loose) =>
          $ref.includes("/Error_") ? [nameOf($ref).slice("Error_".length)] : []
        )
        const errors = examplesOf(content["application/json"]).filter(({ value }) => value.error.code !== undefined)
        const problems = examplesOf(content["application/problem+json"])
        assert.sameMembers(
          errors.map(({ value }) => value.error.code),
          codes,
          `${name} ${status}`
        )
        assert.sameMembers(
          problems.map(({ value }) => value.error.code),
          codes,
          `${name} ${status}`
        )
        for (const { value } of problems) assert.strictEqual(String(value.status), status, name)
      }
  })

  it("and names a token's refusals only where a token is taken", () => {
    for (const { name, operation } of operations)
      assert.strictEqual(operation.responses["401"] !== undefined, operation.security.length > 0, name)
  })
})
