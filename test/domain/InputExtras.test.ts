/** Which parts of an input may not be sent, for every kind of key, price and contract. */
import { assert, describe, it } from "vitest"
import { refusedFields, withoutRefusedUnknown } from "../../src/domain/InputExtras.js"
import type { JsonObject } from "../../src/domain/Json.js"
import type { Credential } from "../../src/domain/ProviderCall.js"
import { endpoint } from "../support/catalog.js"

type Key = Credential["_tag"]
const free = { basis: "free", micros: 0 }
const fixed = { basis: "per_call", micros: 100 }
const told = { price: { ...fixed, maxMicros: 500 }, response: { costMicros: "body.cost" } }
const byInput = { ...told, price: { ...told.price, byInput: "`100`" } }
const open = (more: object) => ({
  price: fixed,
  input: { type: "object", properties: { name: { type: "string" } }, ...more }
})
const made = ({ provider, ...operation }: { readonly provider?: object; readonly [field: string]: unknown }) =>
  endpoint({ id: "e", ...(provider === undefined ? {} : { provider }), ...operation })
const fieldsOf = (operation: object, key: Key, input: JsonObject) =>
  refusedFields(made({ ...operation }), key, input).map(({ field }) => field)

describe("an unknown key", () => {
  const refusedUnder: ReadonlyArray<readonly [what: string, operation: object, refused: boolean]> = [
    ["a fixed price", { price: fixed }, true],
    ["no price", { price: free }, false],
    ["a price that the answer tells, up to a maximum", told, false],
    ["an expression without a maximum", { price: fixed, response: { costMicros: "body.cost" } }, true],
    ["a price by input, whatever the answer tells", byInput, true],
    ["an input that is open", open({ additionalProperties: true }), false],
    ["an input that is open to one type", open({ additionalProperties: { type: "string" } }), false],
    ["an input that is open to names", open({ patternProperties: { "^x-": {} } }), false],
    ["an input that is closed", open({ additionalProperties: false }), true],
    ["a fixture", { price: fixed, provider: { mock: true } }, false],
    ["a contract that refuses it", { price: free, unknown: "refuse" }, true],
    ["a contract that passes it", { price: fixed, unknown: "pass" }, false]
  ]
  for (const [what, operation, refused] of refusedUnder)
    it(`under ${what} is ${refused ? "refused" : "sent"} with the platform's key, and sent with any other`, () => {
      const input = { name: "Ada", extra: 1 }
      assert.deepStrictEqual(fieldsOf(operation, "Platform", input), refused ? ["extra"] : [])
      for (const key of ["Connection", "None"] as const) assert.deepStrictEqual(fieldsOf(operation, key, input), [])
      const kept = withoutRefusedUnknown(made({ ...operation }), "Platform", input)
      assert.deepStrictEqual(kept, refused ? { name: "Ada" } : input)
      assert.deepStrictEqual(withoutRefusedUnknown(made({ ...operation }), "Connection", input), input)
    })

  it("that would double what the operation sets itself is refused under every key, and left out for a job", () => {
    const doubling = {
      path: "/x?format=json",
      bindings: { name: { in: "query", name: "q" }, list: { in: "query", name: "ids[]" } },
      fixed: [{ in: "query", name: "limit", value: 1 }],
      provider: { auth: { type: "query", name: "key" } }
    }
    const input = {
      name: "Ada",
      list: [1],
      q: 1,
      "ids[]": 2,
      ids: 3,
      limit: 9,
      "LIMIT[0]": 9,
      format: "xml",
      key: "mine",
      n: 1
    }
    const doubles = ["q", "ids[]", "limit", "LIMIT[0]", "format", "key"]
    for (const key of ["Platform", "Connection", "None"] as const) {
      assert.deepStrictEqual(fieldsOf(doubling, key, input), doubles)
      const kept = withoutRefusedUnknown(made(doubling), key, input)
      assert.deepStrictEqual(kept, { name: "Ada", list: [1], ids: 3, n: 1 })
    }
    const form = { method: "POST", fixed: [{ in: "form", name: "limit", value: 1 }] }
    assert.deepStrictEqual(fieldsOf(form, "None", input), ["limit", "LIMIT[0]"])
    assert.deepStrictEqual(fieldsOf({ ...doubling, method: "POST" }, "None", input), [], "JSON has one of a name")
    assert.deepStrictEqual(fieldsOf({ ...doubling, price: fixed, unknown: "refuse" }, "Platform", { limit: 9 }), [
      "limit"
    ])
  })

  it("that has the name of a bound field doubles nothing where this input does not set the field", () => {
    const operation = { bindings: { size: { in: "query", name: "page[size]" }, ratio: { in: "query", name: "ar" } } }
    const provider = { "page[size]": 5, "ar[a]": 1, AR: 2 }
    assert.deepStrictEqual(fieldsOf(operation, "None", provider), [])
    assert.deepStrictEqual(fieldsOf(operation, "None", { ...provider, size: null, ratio: null }), [])
    assert.deepStrictEqual(fieldsOf(operation, "None", { ...provider, size: 1, ratio: "1:1" }), Object.keys(provider))
  })

  it("is none that the contract declares otherwise: as an extra, or in a choice of the schema", () => {
    const operation = {
      fixed: ["limit", "format"].map((name) => ({ in: "query", name, value: 1 })),
      extras: ["limit[max]"],
      input: { type: "object", properties: {}, anyOf: [{ properties: { "format.type": {} } }] }
    }
    assert.deepStrictEqual(fieldsOf(operation, "None", { "limit[max]": 1, "format.type": 1, limit: 1 }), ["limit"])
  })

  it("is one that stands nowhere: neither in a choice of the schema, nor in the path, the bindings or the extras", () => {
    const operation = {
      price: fixed,
      path: "/x/{place}",
      bindings: { bound: { in: "header", name: "x-bound" } },
      extras: ["also"],
      input: {
        type: "object",
        properties: { name: { type: "string" } },
        allOf: [{ properties: { all: {} } }],
        anyOf: [{ properties: { any: {} } }],
        oneOf: [{ anyOf: [{ properties: { deep: {} } }] }]
      }
    }
    const input = { name: "a", place: "b", bound: "c", also: 1, all: 1, any: 1, deep: 1, toString: 1, other: 1 }
    assert.deepStrictEqual(fieldsOf(operation, "Platform", input), ["toString", "other"])
  })
})

describe("an option that costs more", () => {
  const operation = {
    price: fixed,
    ownKeyOnly: ["enrich", "mode"],
    input: {
      type: "object",
      properties: { name: { type: "string" }, enrich: { type: "boolean" }, mode: { type: "string", default: "plain" } }
    }
  }
  const asked: ReadonlyArray<readonly [input: JsonObject, refused: ReadonlyArray<string>]> = [
    [{ enrich: true }, ["enrich"]],
    [{ enrich: false }, []],
    [{ enrich: null }, []],
    [{ mode: "plain" }, []],
    [{ mode: "rich" }, ["mode"]],
    [{ mode: false }, ["mode"]],
    [{ mode: "rich", enrich: true }, ["enrich", "mode"]],
    [{ name: "Ada" }, []]
  ]
  for (const [input, refused] of asked)
    it(`${JSON.stringify(input)}: ${refused.length === 0 ? "is sent" : `${refused.join()} needs an own connection`}`, () => {
      assert.deepStrictEqual(fieldsOf(operation, "Platform", input), [...refused])
      assert.deepStrictEqual(fieldsOf({ ...operation, price: free }, "Platform", input), [...refused])
      for (const key of ["Connection", "None"] as const) assert.deepStrictEqual(fieldsOf(operation, key, input), [])
      assert.deepStrictEqual(withoutRefusedUnknown(made({ ...operation }), "Platform", input), input)
    })
})
