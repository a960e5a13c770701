import { assert, describe, it } from "@effect/vitest"
import { Analyzer, chunksOf, fold, stemOf } from "../../../../src/layers/catalog/search/Analyzer.js"
import { clausesOf } from "../../../../src/layers/catalog/search/QueryText.js"
import { editDistance } from "../../../../src/domain/EditDistance.js"
import { buildSpelling, type Spelling } from "../../../../src/layers/catalog/search/Spelling.js"
import { typoLikelihood } from "../../../../src/layers/catalog/search/Typos.js"

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

  it("reads no more words where one sign stands for several", () => {
    const words = clausesOf("ﷺ ".repeat(400), analyzer).flatMap((clause) => clause.words)
    assert.isAbove(words.length, 100)
    assert.isBelow(words.length, 500)
  })

  it("finds no clause in a text without letters and digits", () => {
    assert.deepStrictEqual(clausesOf(" … !! ", analyzer), [])
  })
})

describe("Spelling", () => {
  const built = (uses: ReadonlyMap<string, number>, others: ReadonlyArray<string> = []): Spelling => {
    const steps = buildSpelling({ uses, others, isRight: (word) => uses.has(word) || others.includes(word) })
    let step = steps.next()
    while (step.done !== true) step = steps.next()
    return step.value
  }
  const spelling = built(
    new Map([
      ["weather", 50],
      ["whether", 9],
      ["forecast", 30],
      ["email", 80],
      ["emails", 4],
      ["rate", 20],
      ["translation", 12],
      ["from", 900],
      ["form", 1]
    ])
  )
  const meant = (word: string): ReadonlyArray<string> => spelling.correct(word).map((correction) => correction.word)

  it("finds a word with a letter left out, doubled, changed or swapped, also the first", () => {
    assert.deepStrictEqual(meant("forcast"), ["forecast"])
    assert.deepStrictEqual(meant("forrecast"), ["forecast"])
    assert.deepStrictEqual(meant("forecaat"), ["forecast"])
    assert.deepStrictEqual(meant("ofrecast"), ["forecast"])
    assert.deepStrictEqual(meant("orecast"), ["forecast"])
    assert.deepStrictEqual(meant("translatoin"), ["translation"])
    assert.deepStrictEqual(meant("emial"), ["email"])
  })

  it("weighs the words that may be meant by how often they are used and how likely the slip is", () => {
    const [first, second] = spelling.correct("wether")
    assert.deepStrictEqual([first?.word, second?.word], ["weather", "whether"])
    assert.isAbove(first!.trust, second!.trust)
    assert.isAtMost(first!.trust, 1)
  })

  it("gives nothing for short and distant words, and for words that are known, however rare they are", () => {
    assert.deepStrictEqual(meant("ra"), [])
    assert.deepStrictEqual(meant("ret"), [])
    assert.deepStrictEqual(meant("temperature"), [])
    assert.deepStrictEqual(meant("form"), [])
    assert.deepStrictEqual(meant("whether"), [])
  })

  it("reads three letters as a word of four that lacks one, with less trust, unless they have a capital", () => {
    assert.deepStrictEqual(meant("rte"), ["rate"])
    assert.isBelow(spelling.correct("rte")[0]!.trust, spelling.correct("forcast")[0]!.trust)
    const read = (text: string) =>
      clausesOf(text, analyzer, undefined, spelling.correct).flatMap(({ words }) => words.map((word) => word.text))
    assert.deepStrictEqual(read("rte"), ["rate"])
    assert.deepStrictEqual(read("RTE Rte"), ["rte", "rte"])
  })

  it("counts forms of one word together, so that none of them takes trust from another", () => {
    const answer = built(
      new Map([
        ["picture", 5],
        ["pictured", 2]
      ])
    ).correct("picturd")
    assert.deepStrictEqual(answer, [{ word: "picture", trust: 1 }])
  })

  it("reads a word that the catalog does not write as one of English, by the commonest slips and where it is no name", () => {
    const { correct } = built(new Map([["weather", 50]]), ["pictur", "undercut", "ramen"])
    assert.deepStrictEqual(correct("undercutt"), [{ word: "undercut", trust: 1 }])
    assert.deepStrictEqual(correct("undercux"), [])
    assert.deepStrictEqual(correct("Undercutt"), [])
    assert.deepStrictEqual(correct("rame"), [])
  })

  it("reads a form that nobody writes by its stem, with less trust", () => {
    const [inbox] = built(new Map([["inbox", 3]])).correct("inoxes")
    assert.strictEqual(inbox?.word, "inbox")
    assert.isBelow(inbox!.trust, 1)
  })

  it("finds only words that are written to be written", () => {
    const { isWritten } = built(new Map([["weather", 50]]), ["undercut"])
    assert.deepStrictEqual([isWritten("weather"), isWritten("undercut")], [true, false])
  })

  it("gives the same answer whatever the order of the words", () => {
    const words = ["band", "bank", "bang", "bans"]
    const answers = [words, words.toReversed()].map((order) =>
      built(new Map(order.map((word) => [word, 3]))).correct("banb")
    )
    assert.deepStrictEqual(answers[0], answers[1])
  })
})

describe("The likelihood of a typo", () => {
  it("is highest for slips of the fingers, lower for other letters, and nothing for other words", () => {
    assert.strictEqual(typoLikelihood("weahter", "weather"), 1)
    assert.strictEqual(typoLikelihood("weaather", "weather"), 1)
    assert.isAbove(typoLikelihood("weatger", "weather"), typoLikelihood("weatker", "weather"))
    assert.strictEqual(typoLikelihood("house", "mouse"), 0)
    assert.strictEqual(typoLikelihood("weather", "temperature"), 0)
  })

  it("counts two slips in a long word as one that is far rarer", () => {
    assert.isAbove(typoLikelihood("exchnage", "exchange"), typoLikelihood("exhcnage", "exchange"))
    assert.isAbove(typoLikelihood("exhcnage", "exchange"), 0)
  })
})

describe("The edit distance", () => {
  it("counts a swap of neighbours as one edit and stops at the limit", () => {
    assert.strictEqual(editDistance("abcd", "abdc", 2), 1)
    assert.strictEqual(editDistance("kitten", "sitting", 3), 3)
    assert.strictEqual(editDistance("abc", "wxyz", 1), 2)
  })
})
