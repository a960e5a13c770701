// Questions in other languages than English: which questions are put into English, and what stays as it is.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { LanguageFile } from "../../../../src/layers/catalog/search/languages/LanguageFile.js"
import { type CatalogWords, Languages } from "../../../../src/layers/catalog/search/languages/Languages.js"
import { SearchIndex } from "../../../../src/layers/catalog/search/SearchIndex.js"
import type { SearchDocument } from "../../../../src/layers/catalog/search/SearchDocument.js"

const decode = Schema.decodeUnknownSync(LanguageFile)
const german = decode({
  language: "de",
  name: "German",
  spellings: { ue: "u" },
  endings: "en er e n s",
  compounds: "- s n",
  drop: "die der das wie wird was von in ist eine für morgen",
  alsoEnglish: "die was in",
  words: {
    weather: ["Wetter"],
    forecast: ["Vorhersage"],
    company: ["Firma", "Firmen"],
    address: ["Adresse"],
    check: ["prüfen"],
    find: ["finden"],
    email: ["Email"],
    rate: ["Rate"],
    map: ["Karte"]
  }
})
const spanish = decode({
  language: "es",
  name: "Spanish",
  endings: "os as es o a e s",
  drop: "el la de del un una para",
  words: {
    cooking: ["recipe de cocina"],
    letter: ["karta"],
    available: ["libre"],
    book: ["libro"],
    weather: ["tiempo"],
    "phone number": ["número de teléfono"],
    number: ["número"],
    company: ["empresa"]
  }
})
const japanese = decode({
  language: "ja",
  name: "Japanese",
  unspaced: true,
  drop: "の を は ください",
  words: { weather: ["天気"], "weather forecast": ["天気予報"], email: ["メール"], "ip address": ["IPアドレス", "IP"] }
})
const chinese = decode({
  language: "zh",
  name: "Chinese",
  unspaced: true,
  spellings: { 氣: "气" },
  drop: "的 吗",
  words: { weather: ["天气"], tomorrow: ["明天"] }
})
const languages = new Languages([german, spanish, japanese, chinese])
const english = new Set(["weather", "rate", "bitcoin", "result", "recipe"])
const translated = (query: string, catalog: Partial<CatalogWords> = {}): string | null =>
  languages
    .translate(query, { english, isCommon: () => false, isProvider: () => false, ...catalog })
    ?.text.trim()
    .replace(/\s+/g, " ") ?? null

describe("A question in another language", () => {
  it("is put into the English words of its vocabulary, without the words that name no subject", () => {
    assert.strictEqual(translated("Wie wird das Wetter?"), "weather?")
    assert.strictEqual(translated("número de teléfono de la empresa"), "phone number company")
  })

  it("is understood with and without accents, and with both ways to write a letter", () => {
    assert.strictEqual(translated("numero de telefono"), "phone number")
    assert.strictEqual(translated("Adresse prufen"), "address check")
    assert.strictEqual(translated("Adresse pruefen"), "address check")
    assert.strictEqual(translated("ADRESSE PRÜFEN"), "address check")
  })

  it("is understood in forms with other endings", () => {
    assert.strictEqual(translated("para empresas"), "company")
    assert.strictEqual(translated("Karten finden"), "map find")
  })

  it("is understood in compounds, of which none is as long as a text", () => {
    assert.strictEqual(translated("Nachmittagssommerwetter"), "weather")
    assert.strictEqual(translated(`${"x".repeat(40)}wetter`), "weather")
    assert.isNull(translated(`${"x".repeat(60)}wetter`))
    // One sign stands for 18 letters.
    assert.isNull(translated(`${"ﷺ".repeat(500)}wetter`))
  })

  it("is understood by the nearest of the words that differ in their ending only", () => {
    assert.strictEqual(translated("libros"), "book")
    assert.strictEqual(translated("libres"), "available")
    assert.strictEqual(translated("libro"), "book")
  })

  it("is understood with the accents apart from their letters, in a question and in a file", () => {
    assert.strictEqual(translated("Adresse prüfen".normalize("NFD")), "address check")
    assert.strictEqual(translated("número de teléfono".normalize("NFD")), "phone number")
    assert.strictEqual(translated("ＩＰアドレスはパリ".normalize("NFD")), "ip address パリ")
    const apart = decode({
      language: "pt",
      name: "Portuguese",
      spellings: { å: "a" },
      words: { water: ["água"], market: ["måtch"] }
    })
    const read = new Languages([decode(JSON.parse(JSON.stringify(apart).normalize("NFD")))])
    const catalog = { english, isCommon: () => false, isProvider: () => false }
    assert.strictEqual(read.translate("água", catalog)?.text, "water")
    assert.strictEqual(read.translate("água".normalize("NFD"), catalog)?.text, "water")
    assert.strictEqual(read.translate("måtch", catalog)?.text, "market")
  })

  it("is foreign by a phrase of the language, also where one of its words is English", () => {
    assert.isNull(translated("tiempo result"))
    assert.strictEqual(translated("recipe de cocina"), "cooking")
    assert.strictEqual(translated("recipe de cocina bitcoin"), "cooking bitcoin")
    assert.isNull(translated("recipe bitcoin cocina"))
  })

  it("is read in the language that has the word itself, and not only one that ends otherwise", () => {
    assert.strictEqual(translated("karten"), "map")
    assert.strictEqual(translated("karte"), "map")
    assert.strictEqual(translated("karta"), "letter")
  })

  it("has compounds of known words taken apart, and of half-known ones the last part understood", () => {
    assert.strictEqual(translated("Wettervorhersage"), "weather forecast")
    assert.strictEqual(translated("die Firmenadresse"), "company address")
    assert.strictEqual(translated("Sonntagswetter"), "weather")
  })

  it("keeps names, addresses, domains and numbers as they are", () => {
    assert.strictEqual(translated("Email von Jane Doe finden"), "email Jane Doe find")
    assert.strictEqual(
      translated("ist die Email ada@example.de von example.de in 10115"),
      "email ada@example.de example.de 10115"
    )
  })

  it("keeps a word that is in the name of a provider beside its meaning", () => {
    assert.strictEqual(
      translated("Wetter für die Firma", { isProvider: (word) => word === "Wetter" }),
      "Wetter weather company"
    )
  })

  it("is taken apart without blanks, the longest word first, and simplified letters stand for traditional ones", () => {
    assert.strictEqual(translated("東京の天気予報を"), "東京 weather forecast")
    assert.strictEqual(translated("明天的天气吗"), "tomorrow weather")
    assert.strictEqual(translated("明天的天氣"), "tomorrow weather")
    assert.strictEqual(translated("JaneのメールをGmailで"), "Jane email Gmail で")
    assert.strictEqual(translated("Gmailの天気"), "Gmail weather")
    assert.strictEqual(translated("ＩＰアドレスは10.0.0.1"), "ip address 10.0.0.1")
    assert.strictEqual(translated("VIPのメール"), "VIP email")
  })

  it("may hold English words too", () => {
    assert.strictEqual(translated("die weather Vorhersage für eine Firma"), "weather forecast company")
  })
})

describe("An English question", () => {
  it("is left alone, also where it has words that another language has", () => {
    for (const query of [
      "die rate of bitcoin",
      "what was the rate in Berlin",
      "tour de France results",
      "the weather in Berlin",
      "bitcoin",
      "de",
      "find me the weather for La Paz please",
      "12 + 30",
      ""
    ])
      assert.isNull(translated(query), query)
  })

  it("is left alone with a single foreign word among English ones", () => {
    assert.isNull(translated("what is the weather in Wetter"))
  })

  it("is left alone where its words are those of many operations", () => {
    const isCommon = (word: string) => word === "finden"
    assert.strictEqual(translated("finden xyz"), "find xyz")
    assert.isNull(translated("finden xyz", { isCommon }))
    assert.strictEqual(translated("Firma finden", { isCommon }), "company find")
  })

  it("is left alone where letters of another script have no known meaning", () => {
    assert.isNull(translated("price of 海久水瓶"))
  })
})

const document = (endpointId: string, more: Partial<SearchDocument>): SearchDocument => ({
  endpointId,
  provider: "maker",
  providerName: "Maker",
  name: endpointId,
  description: "",
  capability: null,
  parameters: [],
  ...more
})
const documents = [
  document("forecast", {
    name: "Weather forecast",
    description: "The weather of the next days.",
    capability: "weather.forecast"
  }),
  document("company", { name: "Company lookup", description: "Facts about a company." }),
  document("better", { name: "Better letters", description: "Letter writing." })
]
const index = SearchIndex.build(documents, { same: [], related: [], languages })
const found = (query: string) =>
  index
    .search(query, { limit: 5 })
    .hits.slice(0)
    .map(({ doc, matchedBy }) => [documents[doc]?.endpointId, matchedBy])

describe("A search in another language", () => {
  it("says honestly that it did not find the question's own words", () => {
    assert.deepStrictEqual(found("eine Firma finden"), [["company", "tokens"]])
    assert.deepStrictEqual(found("Wettervorhersage"), [["forecast", "capability"]])
    assert.deepStrictEqual(found("company von Maker finden").slice(0, 1), [["company", "text"]])
  })

  it("takes no foreign word for a wrongly spelled English one", () => {
    assert.deepStrictEqual(found("Bettler"), [["better", "tokens"]])
    assert.deepStrictEqual(found("was ist eine Firma der Bettler"), [["company", "tokens"]])
  })

  it("answers an English question as without the other languages", () => {
    const without = SearchIndex.build(documents, { same: [], related: [] })
    for (const query of ["weather", "die weather forecast", "company letters", "forcast"]) {
      const { hits, ...rest } = without.search(query, { limit: 5 })
      const answer = index.search(query, { limit: 5 })
      assert.deepStrictEqual({ ...answer, hits: answer.hits.slice(0) }, { ...rest, hits: hits.slice(0) })
    }
  })
})
