// What options and sizes of an input cost: of the built-in operations that say so, and of any expression.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck } from "effect"
import { ExactNumber } from "../../../src/domain/ExactNumber.js"
import type { JsonObject } from "../../../src/domain/Json.js"
import { Micros } from "../../../src/domain/Micros.js"
import { dearestPrice } from "../../../src/domain/Pricing.js"
import { builtInContent } from "../../../src/layers/compose/BuiltInContent.js"
import { prepare } from "../../../src/layers/providers/InputPreparation.js"
import { costOfAnswer, holdFor } from "../../../src/layers/providers/PriceByInput.js"
import { endpoint } from "../../support/catalog.js"

const any = { type: "object" }
let made = 0
const priced = (byInput: string, more: { readonly price?: object; readonly [member: string]: unknown } = {}) =>
  endpoint({
    id: `priced-${made++}`,
    input: any,
    ...more,
    price: { basis: "per_call", micros: 1, maxMicros: 1_000_000, byInput, ...more.price }
  })
/** The hold, or why there is none. */
const held = (byInput: string, input: JsonObject, more: Parameters<typeof priced>[1] = {}): number | string =>
  Either.match(holdFor(priced(byInput, more), input), {
    onLeft: ({ field, message }) => `${field} ${message}`,
    onRight: Number
  })

describe("a built-in operation holds what the options and the size of its input cost", () => {
  const url = "https://example.com/report.pdf"
  const mail = { from: "gateway@example.com", subject: "Hello", text: "A short message." }
  const person = { first_name: "Ada", last_name: "Example", company_name: "Example" }
  it.effect.each<readonly [string, JsonObject, number]>([
    ["firecrawl-scrape", { url }, 4_600],
    ["firecrawl-scrape", { url, maxPages: 20 }, 92_000],
    ["firecrawl-scrape", { url, maxPages: 20, proxy: "enhanced" }, 92_000],
    ["firecrawl-scrape", { url: "https://mobile.Twitter.com/example" }, 138_000],
    ["firecrawl-scrape", { url: "https://X.com/example", maxPages: 100 }, 593_400],
    ["firecrawl-scrape", { url: "https://netflix.com/" }, 4_600],
    ["resend-send-email", { ...mail, to: ["ada@example.com"] }, 400],
    [
      "resend-send-email",
      { ...mail, to: ["a@example.com", "b@example.com"], cc: ["c@example.com"], bcc: ["d@example.com"] },
      1_600
    ],
    ["mailgun-send-email", { ...mail, to: ["a@example.com,b@example.com"], cc: ["c@example.com"] }, 6_000],
    ["postmark-send-email", { ...mail, to: ["Ada <a@example.com>", "b@example.com, c@example.com"] }, 5_400],
    ["scrapingbee-markdown", { url }, 330],
    ["scrapingbee-markdown", { url, render_js: true }, 1_650],
    ["scrapingbee-markdown", { url, premium_proxy: true }, 3_300],
    ["scrapingbee-markdown", { url, premium_proxy: true, render_js: true }, 8_250],
    ["scrapingbee-markdown", { url: "https://www.Google.com/search?q=x" }, 6_600],
    ["scraperapi-fetch", { url, max_cost: 1 }, 490],
    ["scraperapi-fetch", { url, render: true }, 12_250],
    ["exa-search", { query: "x" }, 7_000],
    ["exa-search", { query: "x", numResults: 100 }, 97_000],
    ["exa-search", { query: "x", numResults: 100, contents: { summary: {} } }, 197_000],
    ["exa-search", { query: "x", numResults: 100, contents: { summary: { query: "y" } } }, 197_000],
    ["exa-search", { query: "x", numResults: 100, contents: { summary: true } }, 197_000],
    ["exa-search", { query: "x", numResults: 100, contents: { summary: false } }, 97_000],
    ["exa-search", { query: "x", numResults: 100, contents: { summary: null } }, 97_000],
    ["exa-search", { query: "x", contents: { summary: {}, subpages: 2 } }, 57_000],
    ["tavily-search", { query: "x" }, 8_000],
    ["tavily-search", { query: "x", search_depth: "advanced" }, 16_000],
    ["tavily-extract", { urls: url }, 1_600],
    ["tavily-extract", { urls: url, extract_depth: "advanced" }, 3_200],
    ["tavily-map", { url, limit: 500 }, 400_000],
    ["serper-search", { q: "x", num: 10 }, 1_000],
    ["serper-search", { q: "x", num: 11 }, 2_000],
    ["exa-search", { query: "x" }, 7_000],
    ["exa-search", { query: "x", type: "deep", numResults: 20, contents: { summary: true } }, 42_000],
    ["exa-search", { query: "x", contents: { subpages: 2, summary: { query: "y" } } }, 57_000],
    ["exa-search", { query: "x", contents: { subpages: -2, summary: true } }, 17_000],
    ["twilio-lookup", { PhoneNumber: "+14155550100" }, 8_000],
    ["twilio-lookup", { PhoneNumber: "+14155550100", Fields: "validation" }, 0],
    ["twilio-lookup", { PhoneNumber: "+14155550100", Fields: "line_type_intelligence,caller_name" }, 18_000],
    [
      "twilio-lookup",
      { PhoneNumber: "+14155550100", Fields: "validation,sms_pumping_risk,caller_name,line_type_intelligence" },
      43_000
    ],
    ["prospeo-enrich-person", person, 39_000],
    ["prospeo-enrich-person", { ...person, enrich_mobile: true }, 390_000],
    ["prospeo-enrich-person", { ...person, enrich_mobile: false }, 39_000],
    ["apollo-people-match", { email: "ada@example.com" }, 50_000],
    ["apollo-people-match", { email: "ada@example.com", reveal_personal_emails: true }, 50_000],
    ["deepl-translate", { text: "Good morning", target_lang: "DE" }, 300],
    ["deepl-translate", { text: "x".repeat(5_000), target_lang: "DE" }, 125_000],
    ["google-translate-text", { q: "Good morning", target: "de" }, 240],
    ["perplexity-sonar", { query: "x".repeat(20) }, 9_020],
    ["perplexity-sonar", { query: "x".repeat(8_000), model: "sonar-pro" }, 50_000],
    ["openai-web-answer", { query: "x".repeat(20) }, 29_850],
    ["openai-web-answer", { query: "x".repeat(8_000), instructions: "x".repeat(4_000), model: "gpt-4o" }, 140_000],
    ["openai-web-answer-reasoning", { query: "x".repeat(20) }, 46_005],
    ["openai-web-answer-reasoning", { query: "x".repeat(20), model: "gpt-5", max_output_tokens: 16_000 }, 230_025],
    ["mistral-chat", { prompt: "x".repeat(100) }, 615],
    ["mistral-chat", { prompt: "x".repeat(100), model: "mistral-medium-3-5" }, 7_650]
  ])("%s, input %#", ([id, input, micros]) =>
    Effect.map(builtInContent("all"), ({ endpoints }) => {
      const found = endpoints.find(({ operation }) => operation.id === id)!
      const prepared = prepare(found, input)
      assert.strictEqual(prepared._tag, "Accepted")
      if (prepared._tag === "Accepted")
        assert.deepStrictEqual(holdFor(found, prepared.input), Either.right(Micros.make(micros)))
    })
  )
})

describe("a price by input", () => {
  it("is rounded up to whole micros, without the noise of binary fractions", () => {
    assert.strictEqual(held("input.n * `0.1`", { n: 3 }), 1)
    assert.strictEqual(held("input.n * `0.1`", { n: 30 }), 3)
    assert.strictEqual(held("input.n * `1.1`", { n: 10 }), 11)
    assert.strictEqual(held("input.n", { n: 2.0000001 }), 3)
    assert.strictEqual(held("input.n", { n: new ExactNumber("7.00000000000000000001") }), 7)
    assert.strictEqual(held("length(input.text) * `15`", { text: "日本語🙂" }), 60)
  })

  it.each<readonly [string, JsonObject, string]>([
    ["input.n * `2`", {}, "n gives the call no price"],
    ["length(input.text)", { text: 5 }, "text gives the call no price"],
    ["input.n", { n: "many" }, "n gives the call no price"],
    ["input.n", { n: null }, "n gives the call no price"],
    ["input.n", { n: true }, "n gives the call no price"],
    ["input.n", { n: [1] }, "n gives the call no price"],
    ["input.n", { n: -1 }, "n gives the call no price"],
    ["input.n", { n: -0.4 }, "n gives the call no price"],
    ["input.n", { n: 1e300 }, "n gives the call no price"],
    ["input.n / `0`", { n: 1 }, "n gives the call no price"],
    ["body.price", {}, "input gives the call no price"],
    ["(input.type == 'deep' && `2` || `1`) * input.pages", { pages: "2" }, "pages gives the call no price"],
    ["input.n * input.pages", { other: 1 }, "input gives the call no price"],
    ["input.n", { n: 1_000_001 }, "n makes the call cost $1.000001, and it may cost at most $1"],
    [
      "sum(input.n[].length(to_string(@)))",
      { n: Array.from({ length: 1_000_000 }, () => 1) },
      "n gives the call no price"
    ]
  ])("%s of a hostile or unfit input refuses it and never gives it away", (byInput, input, problem) => {
    const found = held(byInput, input)
    assert.isString(found)
    assert.include(String(found), problem)
  })

  it("of one result counts the results that the input asks for, at any depth, below the maximum of the call", () => {
    const perResult = {
      price: { basis: "per_result", perCallMicros: 500, maxMicros: 20_500 },
      volume: { field: "limit", default: 10, max: 100 }
    }
    const cost = (input: JsonObject) => held("input.deep && `200` || `100`", input, perResult)
    assert.strictEqual(cost({}), 1_500)
    assert.strictEqual(cost({ options: { limit: 100 } }), 10_500)
    assert.strictEqual(cost({ deep: true, queries: [{ page_size: 40 }, { page_size: 100 }] }), 20_500)
    assert.strictEqual(
      held("`300`", { limit: 100 }, perResult),
      "input makes the call cost $0.0305, and it may cost at most $0.0205"
    )
  })

  it.prop(
    "is a whole amount up to the declared maximum or a refusal, the same each time, and the charge stays within it",
    [
      FastCheck.oneof(FastCheck.double(), FastCheck.integer({ min: -10, max: 2_000_000 }), FastCheck.constant("7")),
      FastCheck.double({ min: 0, max: 1e6, noNaN: true }),
      FastCheck.oneof(FastCheck.constant(null), FastCheck.double())
    ],
    ([n, each, reported]) => {
      const operation = priced(`input.n * \`${each.toFixed(3)}\``)
      const input: JsonObject = { n }
      const found = holdFor(operation, input)
      assert.deepStrictEqual(found, holdFor(operation, input))
      if (Either.isLeft(found)) return
      const exact = Number(n) * Number(each.toFixed(3))
      assert.isTrue(Number.isSafeInteger(found.right) && found.right >= 0)
      assert.isAtLeast(found.right * (1 + 1e-12), exact)
      assert.isBelow(found.right, exact + 1.000001)
      assert.isAtMost(found.right, dearestPrice(operation.operation))
      const cost = (outcome: "hit" | "miss") =>
        costOfAnswer(
          operation,
          { input, maxMicros: found.right },
          {
            outcome,
            resultCount: null,
            cost: reported === null ? { _tag: "None" } : { _tag: "Reported", micros: reported }
          }
        ).micros
      assert.isAtMost(cost("hit"), found.right)
      if (reported === null) assert.deepStrictEqual([cost("hit"), cost("miss")], [found.right, Micros.make(0)])
    },
    { fastCheck: { numRuns: 300 } }
  )
})
