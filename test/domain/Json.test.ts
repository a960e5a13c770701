import { assert, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { describe } from "vitest"
import { ExactNumber } from "../../src/domain/ExactNumber.js"
import { canonical, isObject, type Json } from "../../src/domain/Json.js"

const value: FastCheck.Arbitrary<Json> = FastCheck.jsonValue({ maxDepth: 4 }).map(
  (json) => JSON.parse(JSON.stringify(json)) as Json
)

/** The same value with the members of every object in the opposite order. */
const turned = (json: Json): Json => {
  if (Array.isArray(json)) return json.map(turned)
  return isObject(json)
    ? Object.fromEntries(
        Object.entries(json)
          .reverse()
          .map(([key, each]) => [key, turned(each)])
      )
    : json
}

describe("Json.canonical", () => {
  it.prop(
    "is JSON of the same value",
    [value],
    ([json]) => {
      assert.deepStrictEqual(JSON.parse(canonical(json)), json)
    },
    { fastCheck: { numRuns: 500 } }
  )

  it.prop(
    "does not depend on the order of keys, at any depth",
    [value],
    ([json]) => canonical(turned(json)) === canonical(json),
    { fastCheck: { numRuns: 500 } }
  )

  it.prop(
    "differs where values differ",
    [value, value],
    ([one, other]) =>
      (canonical(one) === canonical(other)) ===
      (JSON.stringify(JSON.parse(canonical(one))) === JSON.stringify(JSON.parse(canonical(other))))
  )

  it("sorts by code unit, also beyond the basic plane, and leaves arrays in their order", () => {
    assert.strictEqual(
      canonical({ b: 1, B: 2, "10": 3, "9": 4, "\u{1F600}": 5, "\uFB33": 6, "": 7 }),
      '{"":7,"10":3,"9":4,"B":2,"b":1,"\u{1F600}":5,"\uFB33":6}'
    )
    assert.strictEqual(canonical([2, 1]), "[2,1]")
  })

  it("spells a number in one way", () => {
    const spelled = JSON.parse(
      "[1.0, 1e0, 10e-1, 100000000000000000000000, 1e23, 0.000001, 0.0000001, -0, 4.50]"
    ) as Json
    assert.strictEqual(canonical(spelled), "[1,1,1,1e+23,1e+23,0.000001,1e-7,0,4.5]")
  })

  it.prop(
    "takes two numbers for the same where their values are, whatever the exponents",
    [
      FastCheck.bigInt({ min: 1n, max: 999n }),
      FastCheck.oneof(
        FastCheck.bigInt({ min: -400n, max: 400n }),
        FastCheck.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })
      ),
      FastCheck.nat(3),
      FastCheck.nat(3)
    ],
    ([digits, exponent, zeros, decimals]) => {
      const of = (text: string) => canonical(new ExactNumber(text))
      const other = `${digits}${"0".repeat(zeros)}.${"0".repeat(decimals + 1)}e${exponent - BigInt(zeros)}`
      assert.strictEqual(of(other), of(`${digits}e${exponent}`))
      assert.strictEqual(
        of(`0.${"0".repeat(decimals)}${digits}E+${exponent < 0n ? -exponent : exponent}`),
        of(`${digits}e${(exponent < 0n ? -exponent : exponent) - BigInt(decimals + String(digits).length)}`)
      )
      assert.notStrictEqual(of(`${digits}e${exponent + 1n}`), of(`${digits}e${exponent}`))
    },
    { fastCheck: { numRuns: 500 } }
  )

  it("takes text as it is: two Unicode forms of one name are two names", () => {
    assert.notStrictEqual(canonical({ name: "Zo\u00eb" }), canonical({ name: "Zoe\u0308" }))
    assert.strictEqual(canonical(JSON.parse('"\\u005a"') as Json), canonical("Z"))
    assert.strictEqual(canonical("\ud800"), '"\\ud800"')
  })

  it("an array, an object and a text of the same look are three things", () => {
    assert.strictEqual(new Set([canonical([]), canonical({}), canonical("[]"), canonical(null), canonical("")]).size, 5)
  })

  it("a key that objects have by themselves is a key like any other", () => {
    assert.strictEqual(
      canonical(JSON.parse('{"toString":1,"__proto__":{"a":2}}') as Json),
      '{"__proto__":{"a":2},"toString":1}'
    )
  })
})
