/** The values that a question gives, and the inputs that they fill. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { fillExample, givenFields, type MatchesPattern } from "../../src/domain/InputFilling.js"
import type { JsonObject } from "../../src/domain/Json.js"
import { exampleInput } from "../../src/domain/OperationInput.js"
import { type QuestionValues, valuesIn } from "../../src/domain/QuestionValues.js"
import { builtInCatalog } from "../../src/layers/catalog/BuiltInCatalog.js"
import { readCatalog } from "../../src/layers/catalog/CatalogFiles.js"
import { prepare } from "../../src/layers/providers/InputPreparation.js"

const matches: MatchesPattern = (pattern, text) => new RegExp(pattern).test(text)

const pieces = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom(
    ..." |.|,|@|:|-|/|(|)|\n".split("|"),
    ..."bob@x.io|acme.com|https://a.com/b|www.|linkedin.com/in/ada|8.8.8.8|2001:db8::1|+14155552671".split("|"),
    ..."@jack|2026-06-15|USD|EUR| to |52.52, 13.41|lat 1 lon 2|是|(0)|\u2212".split("|")
  )
)

describe("valuesIn", () => {
  const questions: ReadonlyArray<readonly [question: string, values: QuestionValues]> = [
    ["find the email of jane@acme.com's boss", { email: "jane@acme.com" }],
    ["verify bob@x.io.", { email: "bob@x.io" }],
    ["verify bob@x.io, I say bob@x.io", { email: "bob@x.io" }],
    ["send it from bob@x.io to ann@y.com", {}],
    ["is 'bob@x.io' right", { email: "bob@x.io" }],
    ["convert USD to EUR, then USD to GBP", { base: "USD" }],
    ["whois for www.Example.org?", { domain: "example.org" }],
    ["the pricing page of acme.com/pricing.", { domain: "acme.com", url: "https://acme.com/pricing" }],
    ["scrape https://example.com/a?b=c, please", { url: "https://example.com/a?b=c" }],
    ["(see http://example.com/a_(b))", { url: "http://example.com/a_(b)" }],
    ["linkedin.com/in/ada", { linkedin_url: "https://linkedin.com/in/ada", url: "https://linkedin.com/in/ada" }],
    ["where is 8.8.8.8?", { ip: "8.8.8.8" }],
    ["who owns 2001:db8::1", { ip: "2001:db8::1" }],
    ["is +1 (415) 555-2671 a mobile", { phone: "+14155552671" }],
    ["profile of @jack on tiktok", { handle: "jack" }],
    ["holidays on 2026-02-30 or 2026-06-15", { date: "2026-06-15" }],
    ["convert 100 USD to EUR", { base: "USD", quote: "EUR" }],
    ["ip lookup 1.2.3.4.example.com", { domain: "1.2.3.4.example.com" }],
    ["gbp/usd", { base: "GBP", quote: "USD" }],
    ["weather at 52.52, 13.41", { latitude: 52.52, longitude: 13.41 }],
    ["weather in 52.5, 13.4", { latitude: 52.5, longitude: 13.4 }],
    ["weather at \u221233.86,151.2", { latitude: -33.86, longitude: 151.2 }],
    ["lat 40.7 lon -74", { latitude: 40.7, longitude: -74 }],
    ["validate +49 (0)30 123456", { phone: "+4930123456" }],
    ["call +44(0)20 7946 0958", { phone: "+442079460958" }],
    ["shoot a.com/x/y?z, please", { domain: "a.com", url: "https://a.com/x/y?z" }],
    [
      "linkedin.com/in/ada?trk=x",
      { linkedin_url: "https://linkedin.com/in/ada?trk=x", url: "https://linkedin.com/in/ada?trk=x" }
    ],
    ["验证邮箱bob@x.io是否有效", { email: "bob@x.io" }],
    ["メールアドレスbob@x.ioを確認", { email: "bob@x.io" }],
    ["이메일bob@x.io를 확인", { email: "bob@x.io" }],
    ["查询8.8.8.8的位置", { ip: "8.8.8.8" }],
    ["查询域名example.org的所有者", { domain: "example.org" }],
    ["截图https://example.com的页面", { url: "https://example.com" }],
    ["打开https://example.com/a?b=c。谢谢", { url: "https://example.com/a?b=c" }],
    ["打开「https://example.com/a」", { url: "https://example.com/a" }],
    ["read https://zh.wikipedia.org/wiki/北京", { url: "https://zh.wikipedia.org/wiki/北京" }],
    ["read https://例子.com/a", { url: "https://例子.com/a" }],
    [
      "查linkedin.com/in/ada的邮箱",
      { linkedin_url: "https://linkedin.com/in/ada", url: "https://linkedin.com/in/ada" }
    ],
    ["号码+14155552671是手机吗", { phone: "+14155552671" }],
    ["2026-06-15的汇率", { date: "2026-06-15" }],
    ["东京52.52, 13.41的天气", { latitude: 52.52, longitude: 13.41 }],
    ["把100 USD to EUR换算", { base: "USD", quote: "EUR" }]
  ]
  for (const [question, values] of questions)
    it(`reads "${question}"`, () => {
      assert.deepStrictEqual(valuesIn(question), values)
    })

  it("reads no value where a word only looks like one", () => {
    for (const question of [
      "what is node.js, e.g. vue.js",
      "main.py and readme.md",
      "the job people.email.find",
      "call me at 12:30:45",
      "version 1.2.3 of it",
      "all to try",
      "try the top",
      "USD to USD",
      "points 91.22, 10.20",
      "a+b @ c",
      "999.1.1.1",
      "between 1 and 2, 3 and 4",
      "C++ and +1 more",
      "verify o'brien@x.io",
      "verify o’brien@x.io",
      "verify \u00fcbob@x.io",
      "verify bob@m\u00fcnchen.de",
      "whois b\u00fccher.example.com",
      "dns lookup ma\u00f1ana.com",
      "whois exa\u00admple.com",
      "dns example.com\u200b.evil.org",
      "profile @jos\u00e9",
      "@types/node",
      "locate 8.8.8.8/24",
      "locate 8.8.8.8:53",
      "verify bob@x.io/foo",
      "verify bob@x.io:secret",
      "verify bob%40x.io",
      'verify "bob smith"@x.io',
      "locate ::ffff:8.8.8.8",
      "locate fe80::1%eth0",
      "locate 2001:db8::/32",
      "days 2026-06-15/2026-06-20",
      "USD to EUR to GBP",
      "EUR/USD/GBP",
      "weather at 52.52, 13.41, 99.10",
      "weather at \u201333.86, 151.20",
      "call +39 (0)6 1234 5678",
      "call +1 415 555 2671 415 555 2672",
      "shoot https://a.com,https://b.com",
      "截图https://example.com/blog的页面",
      "截图https://example.com/的页面",
      "截图example.com/blog的页面",
      "read https://zh.wikipedia.org/wiki/C语言"
    ])
      assert.deepStrictEqual(valuesIn(question), {}, question)
  })

  it.prop("never answers what the question does not say", [fc.array(pieces, { maxLength: 12 })], ([said]) => {
    const question = said.join("")
    const words = question.toLowerCase().replace(/[\s().-]/g, "")
    for (const value of Object.values(valuesIn(question))) {
      const text = String(value)
        .toLowerCase()
        .replace(/[\s().-]/g, "")
      assert.isTrue(typeof value === "number" || words.includes(text) || words.includes(text.replace("https://", "")))
    }
  })

  it("takes linear time for words made to look like values", () => {
    for (const piece of [
      "a.",
      "a@",
      "1.",
      "::",
      "+1 ",
      "a-",
      "http://",
      "@a",
      "usd to ",
      "1.11,",
      "+1 (0)",
      "a.com/",
      "https://例",
      "a.例",
      "1.1 , "
    ]) {
      const started = performance.now()
      valuesIn(piece.repeat(4_000))
      assert.isBelow(performance.now() - started, 5_000, piece)
    }
  })
})

const fill = (
  input: JsonObject,
  question: string,
  { accepts = {}, example = {} }: { accepts?: Record<string, string>; example?: JsonObject } = {}
) => fillExample({ input, accepts, exampleInput: example }, valuesIn(question), matches)
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more })
const text = { type: "string" }

describe("fillExample", () => {
  it("puts a value in place of the example's and names the field", () => {
    assert.deepStrictEqual(
      fill(object({ email: { ...text, format: "email" } }), "verify bob@x.io", {
        example: { email: "a@b.com", deep: 1 }
      }),
      { exampleInput: { email: "bob@x.io", deep: 1 }, givenInputFields: ["email"] }
    )
  })

  it("says nothing when the question gives nothing that the operation takes", () => {
    assert.isNull(fill(object({ q: text }), "verify bob@x.io", { example: { q: "a" } }))
    assert.isNull(fill(object({ email: text }), "verify an address"))
  })

  it("offers no value that the schema of the field refuses", () => {
    const refusing: ReadonlyArray<JsonObject> = [
      { type: "integer" },
      { ...text, maxLength: 3 },
      { ...text, enum: ["a@b.com"] },
      { ...text, const: "a@b.com" },
      { ...text, format: "uri" },
      { ...text, pattern: "^[a-z]+@example\\.com$" },
      { ...text, not: { const: "bob@x.io" } },
      { $ref: "#/$defs/mail" }
    ]
    for (const schema of refusing)
      assert.isNull(fill(object({ email: schema }), "verify bob@x.io"), JSON.stringify(schema))
  })

  it("gives a list where the field is a list, and a number or text as the field asks", () => {
    assert.deepStrictEqual(
      fill(object({ urls: { type: "array", items: { ...text, format: "uri" } } }), "read https://a.com")?.exampleInput,
      { urls: ["https://a.com"] }
    )
    assert.deepStrictEqual(fill(object({ lat: { type: "number" }, lng: text }), "at 52.52, 13.41")?.exampleInput, {
      lat: 52.52,
      lng: "13.41"
    })
  })

  it("finds a field by what the operation accepts, by its format and by its example", () => {
    assert.deepStrictEqual(
      fill(object({ name: text }), "whois example.org", { accepts: { domain: "name" } })?.exampleInput,
      { name: "example.org" }
    )
    assert.deepStrictEqual(
      fill(object({ account: { ...text, format: "email" } }), "breaches of bob@x.io")?.exampleInput,
      { account: "bob@x.io" }
    )
    assert.deepStrictEqual(
      fill(object({ target: { ...text, examples: ["1.1.1.1"] } }), "who is 8.8.8.8")?.exampleInput,
      { target: "8.8.8.8" }
    )
  })

  it("does not send a message in the name of an address of the question", () => {
    const mail = { ...text, format: "email" }
    assert.deepStrictEqual(
      fill(object({ from: mail, to: mail, reply_to: mail }, { required: ["from", "to"] }), "write to bob@x.io")
        ?.exampleInput,
      { to: "bob@x.io" }
    )
  })

  it("takes a currency only for a field that says so", () => {
    const says = { ...text, description: "Currency to convert from" }
    assert.deepStrictEqual(fill(object({ from: says }), "USD to EUR")?.exampleInput, { from: "USD" })
    assert.isNull(fill(object({ from: text }), "USD to EUR"))
  })

  it("leaves out fields of another choice, which would speak of somebody else", () => {
    const input = object(
      { email: text, name: text, domain: text, limit: { type: "integer" } },
      { anyOf: [{ required: ["name", "domain"] }, { required: ["email"] }] }
    )
    assert.deepStrictEqual(
      fill(input, "enrich bob@x.io", { example: { name: "Ada", domain: "example.com", limit: 1 } })?.exampleInput,
      { limit: 1, email: "bob@x.io" }
    )
    assert.deepStrictEqual(
      fill(input, "who is at acme.com", { example: { name: "Ada", domain: "example.com" } })?.exampleInput,
      { name: "Ada", domain: "acme.com" }
    )
  })

  it("takes the domain of an address only where the operation needs it, and never that of a free mail service", () => {
    const input = object({ domain: text }, { required: ["domain"] })
    assert.deepStrictEqual(fill(input, "who works with jane@acme.com")?.exampleInput, { domain: "acme.com" })
    assert.isNull(fill(input, "who is jane@gmail.com"))
  })

  const values = fc.record(
    {
      email: fc.constantFrom("bob@x.io", "ann.lee@acme.example"),
      url: fc.constantFrom("https://a.com/b", "http://x.io"),
      domain: fc.constantFrom("acme.com", "x.io"),
      linkedin_url: fc.constant("https://www.linkedin.com/in/ada"),
      ip: fc.constantFrom("8.8.8.8", "2001:db8::1"),
      phone: fc.constantFrom("+14155552671", "+4930123456"),
      handle: fc.constantFrom("jack", "a.b"),
      date: fc.constant("2026-06-15"),
      base: fc.constantFrom("USD", "CHF"),
      quote: fc.constantFrom("EUR", "JPY"),
      latitude: fc.constantFrom(52.52, -89.5),
      longitude: fc.constantFrom(13.41, -170.25)
    },
    { requiredKeys: [] }
  )
  it.live("every operation of the built-in catalog accepts the input that it is filled with", () =>
    Effect.gen(function* () {
      const { endpoints } = yield* readCatalog([builtInCatalog])
      const filled = new Set<string>()
      fc.assert(
        fc.property(fc.constantFrom(...endpoints), values, (endpoint, given) => {
          const { operation } = endpoint
          const example = exampleInput(operation)
          const answer = fillExample(
            { input: operation.input, accepts: operation.accepts, exampleInput: example },
            given,
            matches
          )
          if (answer === null) return
          filled.add(operation.id)
          assert.sameMembers([...answer.givenInputFields], Object.keys(givenFields(operation, given, matches)))
          const prepared = prepare(endpoint, answer.exampleInput)
          assert.strictEqual(prepared._tag, "Accepted", JSON.stringify([operation.id, answer, prepared]))
        }),
        { numRuns: 3_000 }
      )
      assert.isAbove(filled.size, 40)
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
