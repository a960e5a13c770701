import { assert, describe, it } from "@effect/vitest"
import { Analyzer, chunksOf, fold, stemOf } from "../../../../src/layers/catalog/search/Analyzer.js"
import { clausesOf } from "../../../../src/layers/catalog/search/QueryText.js"
import { buildSpelling, editDistance } from "../../../../src/layers/catalog/search/Spelling.js"

const analyzer = new Analyzer(new Set(["weather", "forecast", "air", "quality", "stock", "market"]))
const parts = (chunk: string): ReadonlyArray<string> => analyzer.read(chunk).parts

describe("Reading a chunk of text", () => {
  it("splits compounds at case, separators and digits", () => {
    assert.deepStrictEqual(parts("getUserProfile"), ["user", "profil"])
    assert.deepStrictEqual(parts("list_open_orders"), ["list", "open", "order"])
    assert.deepStrictEqual(parts("HTTPServer"), ["http", "server"])
    assert.deepStrictEqual(parts("GUIDs"), ["guid"])
    assert.deepStrictEqual(parts("base64"), ["base64", "base"])
  })

  it("keeps the compound as one word too", () => {
    assert.strictEqual(analyzer.read("YouTube").whole, "youtub")
    assert.strictEqual(analyzer.read("e-mail").whole, "email")
  })

  it("splits a run-together word when all of it is known", () => {
    assert.deepStrictEqual(parts("weatherforecast"), ["weather", "forecast"])
    assert.deepStrictEqual(parts("airqualityforecast"), ["air", "qualiti", "forecast"])
    assert.deepStrictEqual(parts("stockholders"), ["stockhold"])
  })

  it("brings the forms of a word together, and keeps apart what only looks alike", () => {
    assert.strictEqual(stemOf("currencies"), stemOf("currency"))
    assert.strictEqual(stemOf("colour"), stemOf("color"))
    assert.strictEqual(stemOf("localisation"), stemOf("localization"))
    assert.notStrictEqual(stemOf("news"), stemOf("new"))
    assert.strictEqual(stemOf("people"), stemOf("person"))
  })

  it("reads letters with marks as their plain letters", () => {
    assert.deepStrictEqual(chunksOf(fold("Café déjà-vu")), ["Cafe", "deja-vu"])
  })
})

describe("Taking a query apart", () => {
  const wordsOf = (query: string): ReadonlyArray<ReadonlyArray<string>> =>
    clausesOf(query, analyzer).map(({ words }) => words.map((word) => word.text))

  it("splits sentences and drops request and function words", () => {
    assert.deepStrictEqual(wordsOf("I'm moving to Oslo. Could you please show me the weather there? Thanks!"), [
      ["moving", "oslo"],
      ["weather"]
    ])
  })

  it("keeps request words when there is nothing else", () => {
    assert.deepStrictEqual(wordsOf("please help"), [["please", "help"]])
  })

  it("marks neighbours that no dropped word parts", () => {
    const [clause] = clausesOf("exchange rate of the dollar", analyzer)
    assert.deepStrictEqual(
      clause?.words.map((word) => word.adjacent),
      [false, true, false]
    )
  })

  it("reads the tail of a text of very many sentences as one clause", () => {
    const clauses = clausesOf(Array.from({ length: 100 }, (_, at) => `topic${at}.`).join(" "), analyzer)
    assert.strictEqual(clauses.length, 12)
    assert.strictEqual(clauses.at(-1)?.words.length, 89)
  })

  it("finds no clause in a text without letters and digits", () => {
    assert.deepStrictEqual(clausesOf(" … !! ", analyzer), [])
  })
})

describe("Spelling", () => {
  const terms = ["weather", "whether", "forecast", "email", "emails", "rate"]
  const steps = buildSpelling(terms, (term) => term)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  const spelling = step.value
  const near = (word: string): ReadonlyArray<string> => spelling.near(word).map((term) => terms[term]!)

  it("finds a word with a letter left out, doubled, changed or swapped", () => {
    assert.deepStrictEqual(near("forcast"), ["forecast"])
    assert.deepStrictEqual(near("forrecast"), ["forecast"])
    assert.deepStrictEqual(near("forecost"), ["forecast"])
    assert.deepStrictEqual(near("weahter"), ["weather"])
  })

  it("gives the closest only, and nothing for short or distant words", () => {
    assert.deepStrictEqual(near("emial"), ["email"])
    assert.deepStrictEqual(near("rat"), [])
    assert.deepStrictEqual(near("temperature"), [])
  })

  it("counts a swap of neighbours as one edit and stops at the limit", () => {
    assert.strictEqual(editDistance("abcd", "abdc", 2), 1)
    assert.strictEqual(editDistance("kitten", "sitting", 3), 3)
    assert.strictEqual(editDistance("abc", "wxyz", 1), 2)
  })
})
