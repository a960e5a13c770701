import { assert, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { describe } from "vitest"
import { ExactNumber } from "../../src/domain/ExactNumber.js"
import { canonical, isObject, type Json } from "../../src/domain/Json.js"
import { readJson, withNumbers, writeJson } from "../../src/domain/LosslessJson.js"

const read = (text: string): Json => Either.getOrThrow(readJson(text))

const changed = [
  "9007199254740993",
  "-9007199254740993",
  "1234567890123456789",
  "123456789012345678901234567890",
  "100000000000000000000000",
  "0.12345678901234567891",
  "1e400",
  "-1E+400",
  "1e-400",
  "3.141592653589793238462643383279",
  "1.0000000000000000000000001",
  "9007199254740992.5",
  "12345678901234567e5",
  "1e99999999999999999999"
] as const
const kept = [
  "0",
  "-1",
  "1.5",
  "0.1",
  "9007199254740991",
  "9007199254740992",
  "0.30000000000000004",
  "1e21",
  "1.7976931348623157e308",
  "5e-324"
] as const

const digits = FastCheck.stringMatching(/^[0-9]{1,30}$/).map((text) => text.replace(/^0+(?=\d)/, ""))
const literal = FastCheck.record({
  sign: FastCheck.constantFrom("", "-"),
  whole: digits,
  fraction: FastCheck.option(FastCheck.stringMatching(/^[0-9]{1,30}$/), { nil: "" }),
  exponent: FastCheck.option(FastCheck.integer({ min: -450, max: 450 }), { nil: null })
}).map(
  ({ exponent, fraction, sign, whole }) =>
    `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}${exponent === null ? "" : `e${exponent}`}`
)

/** The value of a literal as a whole number of units of 10^-600: an arithmetic of its own. */
const units = (text: string): bigint => {
  const [mantissa = "", exponent = "0"] = text.split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  const size = BigInt(`${whole.replace("-", "")}${fraction}`) * 10n ** BigInt(600 + Number(exponent) - fraction.length)
  return mantissa.startsWith("-") ? -size : size
}

describe("lossless JSON", () => {
  it("keeps every digit of a number that a JavaScript number would change", () => {
    for (const number of changed) {
      const text = `{"a":[1,${number},"${number}"],"b":{"c":${number}}}`
      assert.strictEqual(writeJson(read(text)), text)
      assert.strictEqual(writeJson(read(number)), number)
    }
  })

  it("keeps them beside a member that is called toJSON", () => {
    const text = '{"toJSON":1,"n":9007199254740993,"in":{"toJSON":{"n":9007199254740993}}}'
    assert.strictEqual(writeJson(read(text)), text)
  })

  it("takes no digits of a text for a number, whatever stands around them", () => {
    const digits = "12345678901234567890"
    for (const around of ['", ', ",", ": ", "[", "-", "\\\\", '\\"'])
      for (const text of [`["${around}${digits}"]`, `[${digits},"${around}${digits}",${digits}]`]) {
        const written = JSON.stringify(text)
        assert.strictEqual(writeJson(read(written)), written)
      }
    const text = String.raw`{"a":"\":12345678901234567890,\\","b":[-12345678901234567890 , "-12345678901234567890"],"c":1e999}`
    assert.strictEqual(writeJson(read(text)), text.replaceAll(" ", ""))
  })

  it("keeps them in what writes JSON itself while it is written", () => {
    const exact = read("12345678901234567890")
    const writer = { toJSON: () => ({ text: writeJson({ exact }), exact }) }
    assert.strictEqual(
      writeJson([exact, writer, exact]),
      '[12345678901234567890,{"text":"{\\"exact\\":12345678901234567890}","exact":12345678901234567890},12345678901234567890]'
    )
    assert.strictEqual(JSON.stringify([exact]), '["12345678901234567890"]')
  })

  it("leaves every other number a number", () => {
    for (const number of kept) assert.deepStrictEqual(read(`[ ${number} ]`), [Number(number)])
    assert.deepStrictEqual(read("[1.0, 1e2, -0.50]"), [1, 100, -0.5])
  })

  it.prop(
    "writes the value that it has read, whatever the number",
    [FastCheck.array(literal, { maxLength: 5 })],
    ([numbers]) => {
      const written = writeJson(read(`[${numbers.join(", ")}]`))
      const back = written === "[]" ? [] : written.slice(1, -1).split(",")
      assert.deepStrictEqual(
        back.map((text) => units(text.replace("e+", "e"))),
        numbers.map(units)
      )
    },
    { fastCheck: { numRuns: 1000 } }
  )

  it.prop(
    "reads and writes what JSON.parse and JSON.stringify do",
    [FastCheck.json({ maxDepth: 5, noUnicodeString: false })],
    ([text]) => {
      // Next to a number that needs it, the text is read by hand; the rest must come out the same.
      const whole = read(`{"x":9007199254740993,"__proto__":[1],"y":${text}}`)
      assert.isTrue(isObject(whole))
      if (!isObject(whole)) return
      assert.deepStrictEqual(whole["y"], read(text))
      assert.deepStrictEqual(whole["y"], JSON.parse(text))
      assert.isTrue(Object.hasOwn(whole, "__proto__"))
      assert.strictEqual(
        writeJson(whole),
        `{"x":9007199254740993,"__proto__":[1],"y":${JSON.stringify(JSON.parse(text))}}`
      )
    },
    { fastCheck: { numRuns: 500 } }
  )

  it("takes the last of two members of one name, and texts with every escape, beside such a number", () => {
    const text = String.raw`{"n":9007199254740993,"a":1,"a":2,"t":"\"\\\\\" \u0000\ud83d \/ 12345678901234567890"}`
    const value = read(text)
    assert.isTrue(isObject(value) && value["a"] === 2 && value["t"] === '"\\\\" \u0000\ud83d / 12345678901234567890')
  })

  it("refuses what is no JSON, with and without such a number", () => {
    for (const text of ["", "{", "[9007199254740993", "01", "1e", "nan", '{"a":12345678901234567890,}', "[1e400e1]"])
      assert.isTrue(Either.isLeft(readJson(text)), text)
  })

  it("reads nesting without end", () => {
    const deep = `${"[".repeat(100_000)}9007199254740993${"]".repeat(100_000)}`
    assert.isTrue(Either.isRight(readJson(deep)))
  })

  it("gives the nearest number to what reckons, and never infinity", () => {
    assert.deepStrictEqual(
      withNumbers(read('[9007199254740993, 1e400, -1e400, 1e-400, 0e400, {"a": 1.00000000000000000001}]')),
      [9007199254740992, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 0, { a: 1 }]
    )
    const plain = read('{"a":[1,2]}')
    assert.strictEqual(withNumbers(plain), plain)
  })
})

describe("canonical JSON of exact numbers", () => {
  it.prop(
    "is the same for the same value and for no other",
    [literal, literal],
    ([one, other]) => (canonical(read(one)) === canonical(read(other))) === (units(one) === units(other)),
    { fastCheck: { numRuns: 2000 } }
  )

  it("compares by value, whatever the spelling", () => {
    const same = [
      ["1", "1.0", "1e0", "10e-1"],
      ["0.1", "0.10", "1e-1"],
      ["1e400", "10e399", "1.0E+400"],
      ["100000000000000000000000", "1e23"],
      ["12345678901234567890", "1234567890123456789e1"]
    ]
    for (const spellings of same)
      assert.strictEqual(new Set(spellings.map((text) => canonical(read(text)))).size, 1, spellings.join(" "))
    assert.notStrictEqual(canonical(read("9007199254740993")), canonical(read("9007199254740992")))
    assert.notStrictEqual(canonical(read("1e400")), canonical(read("1e401")))
    assert.notStrictEqual(canonical(read("9007199254740993")), canonical(read('"9007199254740993"')))
  })

  it("is a number and no object", () => {
    assert.isFalse(isObject(new ExactNumber("1e400")))
    assert.strictEqual(Object.prototype.toString.call(new ExactNumber("1e400")), "[object Number]")
  })
})
