// Where an answer is not as its provider documents it, in bounded time and in words that hold nothing of the answer.
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import type { Json, JsonObject } from "../../../src/domain/Json.js"
import { readJson } from "../../../src/domain/LosslessJson.js"
import { answerCheckOf } from "../../../src/layers/providers/AnswerSchema.js"
import { endpointOf } from "./support.js"

const checkOf = (outputSchema: JsonObject) => answerCheckOf(endpointOf({ operation: { outputSchema } }))
const breakOf = (outputSchema: JsonObject, body: Json) => checkOf(outputSchema)?.(body)

describe("the first break of an answer", () => {
  const person = {
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "integer" },
      name: { type: ["string", "null"] },
      status: { enum: ["open", "closed"] },
      tags: { type: "array", items: { type: "string", maxLength: 3 } },
      owner: { anyOf: [{ type: "null" }, { type: "object", properties: { mail: { type: "string" } } }] }
    },
    additionalProperties: { type: "number" }
  }
  const cases: ReadonlyArray<[answer: Json, place: string, message: string]> = [
    [[], "body", "must be an object"],
    [{}, "body.id", "is missing"],
    [{ id: 1.5 }, "body.id", "must be a whole number"],
    [{ id: 1, name: 7 }, "body.name", "must be text or null"],
    [{ id: 1, status: "away" }, "body.status", 'must be one of: "open", "closed"'],
    [{ id: 1, tags: ["a", "b", "much"] }, "body.tags[]", "must have at most 3 characters"],
    [{ id: 1, owner: { mail: 1 } }, "body.owner.mail", "must be text"],
    [{ id: 1, owner: 1 }, "body.owner", "must be null"],
    [{ id: 1, "ada@example.com": "secret" }, "body.*", "must be a number"]
  ]
  for (const [answer, place, message] of cases)
    it(`${JSON.stringify(answer)}: ${place} ${message}`, () => {
      assert.deepStrictEqual(breakOf(person, answer), { place, message })
    })

  it("is null for an answer as documented, with numbers that JavaScript would round", () => {
    assert.isNull(breakOf(person, { id: 1, name: null, status: "open", tags: ["a"], owner: null, score: 2 }))
    const exact = Either.getOrThrow(readJson('{"id":12345678901234567890123}'))
    assert.isNull(breakOf(person, exact))
    assert.deepStrictEqual(breakOf({ properties: { id: { maximum: 5 } } }, exact), {
      place: "body.id",
      message: "must be at most 5"
    })
  })
})

describe("a schema that cannot be checked", () => {
  it("has references, words that are no keywords or values of the wrong kind, or is too deep or too large", () => {
    for (const schema of [{ $ref: "#" }, { nullable: true }, { type: "text" }])
      assert.isNull(checkOf({ properties: { a: { anyOf: [{ type: "string" }, schema] } } }))
    let deep: JsonObject = {}
    for (let level = 0; level < 1_000; level += 1) deep = { not: deep }
    assert.isNull(checkOf(deep))
    assert.isNotNull(checkOf({ properties: { a: { format: "email" } } }))
  })

  it("is no schema of a format: those are not looked at", () => {
    assert.isNull(breakOf({ properties: { a: { anyOf: [{ format: "email" }] } } }, { a: "nobody" }))
  })
})

describe("the work of a check", () => {
  const costs = (work: () => void): number => {
    const before = process.cpuUsage().user
    work()
    return (process.cpuUsage().user - before) / 1000
  }
  const nested = (levels: number): JsonObject =>
    levels === 0 ? { type: "null" } : { anyOf: Array.from({ length: 8 }, () => nested(levels - 1)) }
  const list = Array.from({ length: 20_000 }, (_, at) => `item ${at}`)
  const hostile: ReadonlyArray<[name: string, schema: JsonObject, answer: Json]> = [
    ["choices in choices over a list", { items: { anyOf: [nested(3), { type: "string" }] } }, list],
    ["a slow pattern", { items: { pattern: "^[a-z ]{1,200}[0-9]{1,200}$" } }, list]
  ]
  for (const [name, schema, answer] of hostile)
    it(`is bounded for ${name}, and nothing is said of an answer that takes more`, () => {
      assert.strictEqual(breakOf(schema, answer), "left_out")
      // The promise is 50 ms; the margin is for code that is not warm and a machine that is busy.
      assert.isBelow(
        costs(() => breakOf(schema, answer)),
        1_000
      )
    })
})
