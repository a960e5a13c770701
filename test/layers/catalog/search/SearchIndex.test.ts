import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import type { SearchDocument } from "../../../../src/layers/catalog/search/SearchDocument.js"
import { SearchHits } from "../../../../src/layers/catalog/search/SearchHits.js"
import { SearchIndex } from "../../../../src/layers/catalog/search/SearchIndex.js"
import type { SearchVocabulary } from "../../../../src/layers/catalog/search/Vocabulary.js"

const document = (
  endpointId: string,
  name: string,
  description: string,
  more: Partial<SearchDocument> = {}
): SearchDocument => {
  const provider = endpointId.split(".")[0] ?? ""
  return { endpointId, provider, providerName: provider, name, description, capability: null, parameters: [], ...more }
}

const documents: ReadonlyArray<SearchDocument> = [
  document("hunter.find", "Email Finder", "Find the professional address of a person at a company", {
    capability: "people.email.find",
    capabilityTitle: "Find a work email"
  }),
  document("contacts.lookup", "Contact resolver", "Resolves who to write to", {
    capability: "people.email.find",
    capabilityTitle: "Find a work email"
  }),
  document("meteo.forecast", "Hourly forecast", "Temperature, wind and precipitation for the coming days"),
  document("meteo.history", "Past observations", "Measured temperature of earlier years"),
  document("rates.latest", "Latest exchange rates", "Conversion rates between currencies", {
    parameters: [{ name: "base_currency", description: "ISO code" }]
  }),
  document("tube.search", "Search YouTube videos", "Videos and channels by keyword"),
  document("store.getProductById", "getProductById", "Returns one product"),
  document("scores.live", "Live scores", "Football matches being played"),
  document("parcels.track", "Track a parcel", "Where a shipment is"),
  document("airquality.now", "airqualityindex", "Pollutants at a place"),
  document("books.search", "Search books", "By title or author"),
  document("notes.create", "Create note", "Adds a note to a project")
]

const vocabulary: SearchVocabulary = {
  same: [["email", "e-mail", "mail"], ["football", "soccer"], ["air", "atmosphere"], ["quality"], ["index"]],
  related: [{ when: ["umbrella", "rain"], use: ["forecast", "weather"] }],
  asking: { "people.email.find": ["Find a work email", "who do I write to"] }
}

const index = SearchIndex.build(documents, vocabulary)
const idsFor = (query: string): ReadonlyArray<string> =>
  index.search(query, { limit: 10 }).hits.docs.map((doc) => documents[doc]!.endpointId)
const first = (query: string): string | undefined => idsFor(query)[0]

describe("SearchIndex", () => {
  it("finds an operation by words of its name in any form", () => {
    assert.strictEqual(first("exchange rate"), "rates.latest")
    assert.strictEqual(first("tracking parcels"), "parcels.track")
  })

  it("reads camel case, run-together and joined spellings alike", () => {
    assert.strictEqual(first("product by id"), "store.getProductById")
    assert.strictEqual(first("you tube"), "tube.search")
    assert.strictEqual(first("air quality"), "airquality.now")
    assert.strictEqual(first("base currency"), "rates.latest")
  })

  it("finds what is called by another word", () => {
    assert.strictEqual(first("soccer"), "scores.live")
    assert.strictEqual(first("do I need an umbrella"), "meteo.forecast")
  })

  it("corrects the spelling of words that the catalog does not know", () => {
    assert.strictEqual(first("forcast"), "meteo.forecast")
    assert.strictEqual(first("exchnage rates"), "rates.latest")
    assert.strictEqual(first("parcle"), "parcels.track")
    assert.strictEqual(first("orecast"), "meteo.forecast")
  })

  it("takes a misspelled word for what was meant: a synonym, a related word, or one that only wraps the request", () => {
    assert.strictEqual(first("socccer"), first("soccer"))
    assert.strictEqual(first("do I need an umbrlela"), "meteo.forecast")
    const right = index.search("please help me with the forecast", { limit: 5 })
    const wrong = index.search("pleaes hlep me wiht the forecast", { limit: 5 })
    assert.deepStrictEqual(wrong.hits.slice(0), right.hits.slice(0))
  })

  it("ranks words that stand together above the same words apart", () => {
    const pair = SearchIndex.build(
      [
        document("a.one", "Report", "A card for a gift and a report of a card number"),
        document("b.two", "Report", "A gift card for a friend and a report of a number")
      ],
      vocabulary
    )
    assert.deepStrictEqual(pair.search("gift card", { limit: 2 }).hits.docs, [1, 0])
  })

  it("drops the words a request is wrapped in", () => {
    assert.strictEqual(
      first("Hi! Could you please help me? I would like to find some books for my friend, thanks."),
      "books.search"
    )
  })

  it("lets the words around a request decide between what its subject found, and find nothing themselves", () => {
    const books = SearchIndex.build(
      [document("a.a", "Books", "By title"), document("b.b", "Books", "Helpful, by title")],
      vocabulary
    )
    const ids = (query: string) => books.search(query, { limit: 5 }).hits.docs
    assert.deepStrictEqual(ids("books"), [0, 1])
    assert.deepStrictEqual(ids("please help me with books"), [1, 0])
    assert.deepStrictEqual(ids("please help me with bicycles"), [])
  })

  it("expands a request to its job and says which operations came by it", () => {
    const answer = index.search("find someone's work e-mail address", { limit: 10 })
    assert.deepStrictEqual(answer.expandedCapabilities, ["people.email.find"])
    const found = new Map(answer.hits.slice(0).map((hit) => [documents[hit.doc]!.endpointId, hit.matchedBy]))
    assert.strictEqual(found.get("contacts.lookup"), "text")
    const asked = index.search("who do I write to about a stolen bicycle", { limit: 10 })
    assert.include(
      asked.hits.docs.map((doc) => documents[doc]!.endpointId),
      "contacts.lookup"
    )
  })

  it("recognises a job by the look of a value and by related words", () => {
    const asking = {
      "domain.whois": ["Domain registration", "owner of a domain"],
      "weather.forecast": ["Weather forecast", "weather tomorrow"]
    }
    const few = SearchIndex.build(documents, { ...vocabulary, asking })
    assert.deepStrictEqual(few.search("show me the owner of example.com", { limit: 1 }).expandedCapabilities, [
      "domain.whois"
    ])
    assert.deepStrictEqual(few.search("rain tomorrow?", { limit: 1 }).expandedCapabilities, ["weather.forecast"])
    assert.deepStrictEqual(few.search("owner of a bicycle", { limit: 1 }).expandedCapabilities, [])
  })

  it("finds operations of a job that share no word with the request", () => {
    const [hit] = SearchIndex.build(
      [document("x.y", "Resolver", "Resolves"), document("z.w", "Notes", "Adds")].map((each, at) =>
        at === 0 ? { ...each, capability: "people.email.find" } : each
      ),
      {
        ...vocabulary,
        asking: { "people.email.find": ["Reach somebody", "correspondence partner"] }
      }
    )
      .search("correspondence partner", { limit: 5 })
      .hits.slice(0)
    assert.strictEqual(hit?.doc, 0)
    assert.strictEqual(hit?.matchedBy, "capability")
  })

  it("finds an operation by how people ask for its job, also where they say no phrase of it, and tells it so", () => {
    const asking = "need umbrella tomorrow. will it pour. gusts in the mountains"
    const [meteo] = documents.filter(({ endpointId }) => endpointId === "meteo.forecast")
    const withAsking = documents.map((each) => (each === meteo ? { ...each, asking } : each))
    const ask = (all: typeof documents) =>
      SearchIndex.build(all, { same: [], related: [] }).search("strong gusts, and will it pour on the terrace", {
        limit: 1
      })
    assert.strictEqual(ask(documents).total, 0)
    const [hit] = ask(withAsking).hits.slice(0)
    assert.strictEqual(documents[hit?.doc ?? -1], meteo)
    assert.strictEqual(hit?.matchedBy, "capability")
  })

  it("answers nothing to unknown words, few or many, and to a query without letters", () => {
    for (const query of ["zxqvwvutq", "zxqv wvutq kkjjh pplkm ggfhd qqwrt", " ?! "]) {
      assert.deepStrictEqual(index.search(query, { limit: 5 }), {
        hits: SearchHits.none,
        total: 0,
        expandedCapabilities: []
      })
    }
  })

  it("gives only documents that pass the filter, and counts them", () => {
    const even = (doc: number): boolean => doc % 2 === 0
    const answer = index.search("search books email temperature", { limit: 20, filter: even })
    assert.isNotEmpty(answer.hits.docs)
    assert.isTrue(answer.hits.docs.every(even))
    assert.strictEqual(answer.total, answer.hits.length)
  })

  it("searches words of scripts without blanks", () => {
    const japanese = SearchIndex.build(
      [document("a.b", "天気予報", "東京の天気"), document("c.d", "翻訳", "文章")],
      vocabulary
    )
    assert.strictEqual(japanese.search("天気", { limit: 5 }).hits.docs[0], 0)
  })

  it("builds an empty index that answers nothing", () => {
    assert.deepStrictEqual(SearchIndex.build([], vocabulary).search("find me a good book to read", { limit: 5 }), {
      hits: SearchHits.none,
      total: 0,
      expandedCapabilities: []
    })
  })

  it.effect("built in slices answers as built at once", () =>
    Effect.gen(function* () {
      const sliced = yield* SearchIndex.buildSliced(documents, vocabulary)
      for (const query of ["soccer", "exchange rates", "who do I write to", "temperature of earlier years"]) {
        assert.deepStrictEqual(sliced.search(query, { limit: 10 }), index.search(query, { limit: 10 }))
      }
    })
  )
})

const anyQuery = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 80 }),
  fc.string({ unit: "binary", maxLength: 80 }),
  fc
    .array(
      fc.constantFrom(
        "email",
        "football",
        "Temperature",
        "rates",
        "findBooks",
        "e-mail",
        "zz",
        "2024",
        "video,",
        "note."
      ),
      { maxLength: 40 }
    )
    .map((words) => words.join(" "))
)

describe("Any query", () => {
  it("is answered without a failure, the same each time", () => {
    fc.assert(
      fc.property(anyQuery, (query) => {
        assert.deepStrictEqual(index.search(query, { limit: 50 }), index.search(query, { limit: 50 }))
      }),
      { numRuns: 500 }
    )
  })

  it("gives each hit once over its pages, in the order of the whole list", () => {
    fc.assert(
      fc.property(anyQuery, fc.integer({ min: 1, max: 5 }), (query, limit) => {
        const whole = index.search(query, { limit: 50 })
        const paged: Array<number> = []
        for (let offset = 0; offset < whole.total; offset += limit)
          paged.push(...index.search(query, { limit, offset }).hits.docs)
        assert.deepStrictEqual(paged, whole.hits.docs)
        assert.strictEqual(new Set(paged).size, whole.total)
      }),
      { numRuns: 200 }
    )
  })

  it("keeps pages stable past the rows that are looked at twice", () => {
    const many = SearchIndex.build(
      Array.from({ length: 700 }, (_, at) =>
        document(`p${at % 7}.op${at}`, `Weather report ${at}`, at % 3 === 0 ? "rain and wind" : "sun")
      ),
      vocabulary
    )
    const whole = many.search("weather with rain", { limit: 700 }).hits.docs
    const paged = Array.from(
      { length: 14 },
      (_, page) => many.search("weather with rain", { limit: 50, offset: page * 50 }).hits.docs
    ).flat()
    assert.deepStrictEqual(paged, whole)
    assert.strictEqual(new Set(whole).size, 700)
  })
})
