/** What the words of a question ask for besides the subject. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import {
  type HintParameter,
  hintsIn,
  type Known,
  questionWithout,
  quotedHint,
  subjectOf
} from "../../src/domain/QuestionHints.js"

const providers: { readonly [name: string]: string } = {
  hunter: "hunter",
  serper: "serper",
  brave: "brave",
  "brave search": "brave",
  "people data labs": "pdl"
}
const known: Known = {
  providerNamed: (name) => (Object.hasOwn(providers, name.toLowerCase()) ? providers[name.toLowerCase()]! : null),
  namesJob: (words) => /e-?mail|whois|web search|exchange rates/i.test(words)
}
const read = (question: string) =>
  hintsIn(question, known).map(({ parameter, value, words }) => [words, parameter, value] as const)

describe("hintsIn", () => {
  const hints: ReadonlyArray<
    readonly [question: string, hint: readonly [string, HintParameter, string | number | true], subject: string]
  > = [
    ["cheapest email finder", ["cheapest", "prefer", "cheapest"], "email finder"],
    ["find a work email, cheapest first", ["cheapest first", "prefer", "cheapest"], "find a work email"],
    ["the cheapest way to verify an email", ["the cheapest way to", "prefer", "cheapest"], "verify an email"],
    ["fastest web search", ["fastest", "prefer", "fastest"], "web search"],
    ["most reliable email verifier", ["most reliable", "prefer", "reliable"], "email verifier"],
    ["free whois lookup", ["free", "maxPriceMicros", 0], "whois lookup"],
    ["verify an email for free", ["for free", "maxPriceMicros", 0], "verify an email"],
    ["exchange rates (free)", ["free", "maxPriceMicros", 0], "exchange rates"],
    ["verify an email with no key", ["with no key", "keyless", true], "verify an email"],
    ["no api key needed: exchange rates", ["no api key needed", "keyless", true], ": exchange rates"],
    ["find an email with Hunter", ["with Hunter", "provider", "hunter"], "find an email"],
    ["using serper, search the web", ["using serper", "provider", "serper"], "search the web"],
    ["web search with brave search for cats", ["with brave search", "provider", "brave"], "web search for cats"],
    ["verify an email under 2 cents", ["under 2 cents", "maxPriceMicros", 19_999], "verify an email"],
    ["find a number at most $0.01 a call", ["at most $0.01 a call", "maxPriceMicros", 10_000], "find a number"],
    ["whois for up to one cent", ["for up to one cent", "maxPriceMicros", 10_000], "whois"],
    ["anything up to $1.50 per request", ["up to $1.50 per request", "maxPriceMicros", 1_500_000], "anything"]
  ]
  for (const [question, hint, subject] of hints)
    it(`reads "${hint[0]}" of "${question}"`, () => {
      assert.deepStrictEqual(read(question), [hint])
      assert.strictEqual(subjectOf(question, hintsIn(question, known)), subject)
    })

  it("reads several, in the order of the words, and one for each parameter", () => {
    const question = "cheapest email finder with hunter no key needed under 2 cents, cheapest first"
    assert.deepStrictEqual(read(question), [
      ["cheapest", "prefer", "cheapest"],
      ["with hunter", "provider", "hunter"],
      ["no key needed", "keyless", true],
      ["under 2 cents", "maxPriceMicros", 19_999]
    ])
  })

  it("reads none where the words mean the subject", () => {
    for (const question of [
      "free text search",
      "free images of an email",
      "sugar free email",
      "is the whois free",
      "a free email api key",
      "fastest route to the whois",
      "cheapest flights to Paris",
      "the fastest growing email companies",
      "which email is cheapest",
      "no key points of the email",
      "open a door without keys",
      "laptops under $500",
      "stocks under 5 cents by email",
      "email lists under $400",
      "shape a pot with clay",
      "email with hunter's signature",
      "enrich an email with people data",
      "find hunter or serper email",
      "an email with brave people",
      "cheapest",
      "under 2 cents",
      "hunter email finder",
      "find free domain names",
      "cheapest domain"
    ])
      assert.deepStrictEqual(read(question), [], question)
  })

  it("reads none that the question refuses", () => {
    for (const question of [
      "don't use hunter, find email",
      "find email, not using hunter",
      "email finder, never with hunter",
      "avoid the cheapest email finder",
      "anything but the cheapest email finder",
      "not the cheapest email finder",
      "find email not under 2 cents",
      "whois, not without an api key"
    ])
      assert.deepStrictEqual(read(question), [], question)
    assert.lengthOf(read("find email with no api key, using hunter"), 2)
  })

  it("reads none in quotation marks, nor in a long request", () => {
    assert.deepStrictEqual(read('"cheapest" email finder'), [])
    assert.deepStrictEqual(read(`${"I need an email finder for my team. ".repeat(6)} The cheapest email finder`), [])
  })

  const settings = (question: string) => hintsIn(question, known).map(({ parameter, value }) => `${parameter}=${value}`)

  it("undoes one hint and keeps the others, wherever they stand", () => {
    for (const question of [
      "whois lookup most reliable no api key",
      "at most 5 cents the cheapest whois",
      "web search with hunter no key needed under 2 cents fastest",
      "email finder without an api key for free with hunter",
      `email finder with hunter, cheapest first${" and so on".repeat(16)}`.slice(0, 199)
    ]) {
      const found = hintsIn(question, known)
      assert.isAbove(found.length, question.length > 198 ? 0 : 1, question)
      for (const hint of found)
        assert.deepStrictEqual(
          settings(questionWithout(question, hint, known)),
          found.filter((other) => other !== hint).map(({ parameter, value }) => `${parameter}=${value}`),
          `${question} without ${hint.words}`
        )
    }
  })

  it("undoes a hint wherever it is said", () => {
    const question = "verify an email, fastest, quickest with hunter, fastest"
    const [fastest] = hintsIn(question, known)
    assert.strictEqual(fastest?.value, "fastest")
    const undone = questionWithout(question, fastest!, known)
    assert.deepStrictEqual(settings(undone), ["provider=hunter"])
    assert.strictEqual(undone.replaceAll('"', ""), question)
  })

  const pieces = fc.constantFrom(
    ...'cheapest |email |finder |, |free |for free|with |hunter |serper|no key |needed|under |2 cents |$0.01 |a call|"|first|. |whois '.split(
      "|"
    )
  )
  it.prop(
    "quotes the question's own words, loses nothing else of it, and reads none of a hint that is quoted",
    [fc.array(pieces, { maxLength: 14 })],
    ([said]) => {
      const question = said.join("")
      const found = hintsIn(question, known)
      for (const hint of found) {
        assert.strictEqual(question.slice(hint.at, hint.at + hint.words.length), hint.words)
        assert.notInclude(hint.words, '"')
        const again = hintsIn(quotedHint(question, hint), known)
        assert.isFalse(again.some(({ at, words }) => at <= hint.at + 1 && at + words.length > hint.at))
        const undone = questionWithout(question, hint, known)
        assert.strictEqual(undone.replaceAll('"', ""), question.replaceAll('"', ""))
        assert.notInclude(settings(undone), `${hint.parameter}=${hint.value}`)
      }
      const letters = (text: string): ReadonlyArray<string> => [...text.replace(/[\s,;.()]/g, "")].sort()
      assert.deepStrictEqual(
        letters(subjectOf(question, found) + found.map(({ words }) => words).join("")),
        letters(question)
      )
      assert.strictEqual(new Set(found.map(({ parameter }) => parameter)).size, found.length)
    }
  )

  it("takes little time for words made to look like hints", () => {
    for (const piece of ["cheapest ", "free a ", "with a ", "no key ", "under 1 ", "a-", "fastest way to ", ", "]) {
      const started = performance.now()
      hintsIn(piece.repeat(200).slice(0, 200), known)
      assert.isBelow(performance.now() - started, 5_000, piece)
    }
  })
})
