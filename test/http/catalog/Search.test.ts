/** The search of the catalog over real sockets: its order, filters, pages, warnings and hints. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { endpoint, job, newWorld, servedCatalog } from "../../support/catalog.js"
import { startGateway } from "../../support/httpGateway.js"
import { auth, perCall, withGateway, ids } from "./CatalogStage.js"

describe("search", () => {
  it.live("gives full rows, real before mock, in the order of the preference inside a job", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const orders = {
          cheapest: ["cheap-email", "slow-email", "dear-email", "mock-email"],
          reliable: ["slow-email", "dear-email", "cheap-email", "mock-email"],
          fastest: ["cheap-email", "dear-email", "slow-email", "mock-email"]
        }
        for (const [prefer, order] of Object.entries(orders)) {
          const { json } = yield* get(`/v1/catalog/search?q=email+finder&capability=people.email.find&prefer=${prefer}`)
          assert.deepStrictEqual(ids(json.endpoints), order, prefer)
          assert.strictEqual(json.prefer, prefer)
        }
        const { json } = yield* get("/v1/catalog/search?q=email+finder")
        assert.strictEqual(json.prefer, "balanced")
        const row = json.endpoints.find((each: { endpointId: string }) => each.endpointId === "slow-email")
        assert.deepInclude(row, {
          provider: "slow",
          capability: "people.email.find",
          category: "people",
          platform: "email",
          estimatedPrice: 0.02,
          priceBasis: "per_call",
          access: "runs_now",
          executionMode: "sync",
          async: false,
          credential: "platform_own_key_optional",
          mock: false,
          verified: false,
          keyless: false,
          runnableNow: true,
          matchedBy: "text",
          works: { rate: 0.99, runs: 100, p50Ms: 9000, thin: false },
          stats: { calls: 100, successRate: 0.99, p50Ms: 9000, sampleSize: 100 },
          job: { id: "people.email.find", title: "Find a work email" },
          facts: {}
        })
        assert.approximately(row.costPerSuccessUsd, 0.02 / 0.99, 1e-8)
        const dear = json.endpoints.find((each: { endpointId: string }) => each.endpointId === "dear-email")
        assert.deepInclude(dear, {
          access: "needs_your_account",
          runnableNow: false,
          costPerSuccessUsd: null,
          stats: null,
          works: { rate: null, runs: 0, p50Ms: null, thin: true }
        })
      })
    )
  )

  const filters: ReadonlyArray<readonly [query: string, expected: ReadonlyArray<string>]> = [
    ["q=email&mock=true", ["mock-email"]],
    ["q=email&mock=false&maxPriceMicros=20000&capability=people.email.find", ["cheap-email", "slow-email"]],
    ["q=email&provider=dear&category=people", ["dear-email", "verify"]],
    ["q=web+search&platform=search", ["free-web"]],
    ["q=web+search&platform=search&hidden=true", ["free-web", "off-web"]],
    ["q=web+search&keyless=true&verified=true", ["free-web"]],
    ["q=email&category=nope", []],
    ["q=soon&category=extras", ["soon"]]
  ]
  it.live("filters", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        for (const [query, expected] of filters) {
          const { json, status } = yield* get(`/v1/catalog/search?${query}`)
          assert.strictEqual(status, 200, query)
          assert.sameMembers([...ids(json.endpoints)], [...expected], query)
          assert.strictEqual(json.total, expected.length, query)
        }
      })
    )
  )

  it.live("pages by nextOffset, null on the last page", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const all = ids((yield* get("/v1/catalog/search?q=email+finder")).json.endpoints)
        const paged: Array<string> = []
        for (let offset: number | null = 0; offset !== null;) {
          const { json }: { json: { endpoints: ReadonlyArray<{ endpointId: string }>; nextOffset: number | null } } =
            yield* get(`/v1/catalog/search?q=email+finder&limit=2&offset=${offset}`)
          paged.push(...ids(json.endpoints))
          offset = json.nextOffset
        }
        assert.deepStrictEqual(paged, [...all])
        assert.deepInclude((yield* get("/v1/catalog/search?q=email&offset=9999")).json, {
          endpoints: [],
          nextOffset: null
        })
      })
    )
  )

  it.live("warns when nobody does the job, and names the cheapest when the price limit removed all who do", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const none = (yield* get("/v1/catalog/search?q=geocode&capability=geo.geocode")).json
        assert.deepStrictEqual(
          [none.endpoints, none.warnings[0].code, none.warnings[0].job],
          [[], "no_supply_for_job", "geo.geocode"]
        )
        const dear = (yield* get(
          "/v1/catalog/search?q=email&capability=people.email.find&maxPriceMicros=100&mock=false"
        )).json
        assert.deepStrictEqual(dear.endpoints, [])
        assert.deepStrictEqual(dear.priceHint, {
          code: "price_above_max",
          endpointId: "cheap-email",
          provider: "cheap",
          estimatedPrice: 0.01,
          priceBasis: "per_call"
        })
        const fine = (yield* get("/v1/catalog/search?q=email&capability=people.email.find&maxPriceMicros=10000")).json
        assert.notProperty(fine, "priceHint")
        assert.notProperty(fine, "warnings")
      })
    )
  )

  it.live(
    "is never empty for a long request of any words, and says of rows that are no results that they are none",
    () =>
      withGateway(({ get }) =>
        Effect.gen(function* () {
          const unrelated = [
            "qwertz blub fnord wibble",
            "how do I do it",
            "what is this and that",
            "the of and to",
            "\u043d\u0430\u0439\u0434\u0438 \u043c\u043d\u0435 \u0447\u0442\u043e-\u043d\u0438\u0431\u0443\u0434\u044c",
            "\u5e2e\u6211\u627e\u5230\u67d0\u4eba\u7684\u5de5\u4f5c",
            "\u0e0a\u0e48\u0e27\u0e22\u0e09\u0e31\u0e19\u0e2b\u0e32",
            "\u0627\u0628\u062d\u062b \u0639\u0646 \u0627\u0644\u0628\u0631\u064a\u062f"
          ]
          for (const q of unrelated) {
            const { json } = yield* get(`/v1/catalog/search?q=${encodeURIComponent(q)}`)
            assert.isAbove(json.endpoints.length, 0, q)
            for (const { matchedBy } of json.endpoints) assert.strictEqual(matchedBy, "tokens", q)
            assert.deepStrictEqual(
              json.warnings.map(({ code }: { code: string }) => code),
              ["no_match"],
              q
            )
            assert.match(json.warnings[0].message, /not results/)
            assert.strictEqual(json.total, json.endpoints.length)
            const discovered = (yield* get(`/v1/discover?q=${encodeURIComponent(q)}`)).json
            assert.deepStrictEqual([discovered.warnings[0].code, discovered.job], ["no_match", undefined], q)
            assert.isAbove(discovered.operations.length, 0, q)
            for (const { reason, scores } of discovered.operations) {
              assert.match(reason, /^Matches nothing of the query/)
              assert.strictEqual(scores.relevance, 0)
            }
            const items = (yield* get(`/v1/public-catalog?q=${encodeURIComponent(q)}`)).json
            assert.isAbove(items.items.length, 0, q)
            assert.strictEqual(items.warnings[0].code, "no_match", q)
          }
        })
      )
  )

  it.live(
    "shows as the last resort the most served jobs, one operation each, real before mock, that pass the filter",
    () =>
      withGateway(({ get }) =>
        Effect.gen(function* () {
          const shown = (query: string) =>
            Effect.map(get(`/v1/catalog/search?q=qwertz+blub+fnord${query}`), ({ json }) => ids(json.endpoints))
          assert.deepStrictEqual(yield* shown(""), ["slow-email", "verify", "free-web", "send-it", "soon"])
          assert.deepStrictEqual(yield* shown("&limit=2&offset=2"), ["free-web", "send-it"])
          assert.deepStrictEqual(yield* shown("&mock=true"), ["mock-email"])
          assert.deepStrictEqual(yield* shown("&prefer=cheapest&category=people"), ["cheap-email", "verify"])
          assert.deepStrictEqual(yield* shown("&capability=geo.geocode"), [])
        })
      )
  )

  it.live("answers a stray unknown word with nothing, and says so once", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const stray = (yield* get("/v1/catalog/search?q=qwertzblub")).json
        assert.deepStrictEqual(
          [stray.endpoints, stray.total, stray.nextOffset, stray.warnings.length, stray.warnings[0].code],
          [[], 0, null, 1, "no_match"]
        )
        const unsupplied = (yield* get("/v1/catalog/search?q=qwertzblub&capability=geo.geocode")).json
        assert.deepStrictEqual(
          unsupplied.warnings.map(({ code }: { code: string }) => code),
          ["no_supply_for_job"]
        )
        assert.notProperty((yield* get("/v1/catalog/search?q=email")).json, "warnings")
        assert.notProperty((yield* get("/v1/discover?q=email")).json, "warnings")
        assert.notProperty((yield* get("/v1/public-catalog?q=email")).json, "warnings")
        assert.notProperty((yield* get("/v1/public-catalog")).json, "warnings")
      })
    )
  )

  it.live(
    "shows what runs now first inside a job as long as no key is set, and the preference alone from then on",
    () => {
      const fresh = newWorld()
      const jobs = [job("web.search", { title: "Search the web" })]
      const endpoints = [
        endpoint({ id: "a-cheap", job: "web.search", price: perCall(1000), provider: { id: "cheap", auth } }),
        endpoint({ id: "b-free", job: "web.search", price: perCall(9000) }),
        endpoint({ id: "c-mock", job: "web.search", provider: { mock: true } })
      ]
      const layer = (jobsMayPickFixtures: boolean) => servedCatalog({ jobs, endpoints }, fresh, { jobsMayPickFixtures })
      const order = (jobsMayPickFixtures: boolean) =>
        Effect.scoped(
          Effect.flatMap(startGateway({ catalogLayer: layer(jobsMayPickFixtures) }), ({ get }) =>
            Effect.map(get("/v1/catalog/search?q=web+search"), ({ json }) => ids(json.endpoints))
          )
        )
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* order(true), ["b-free", "a-cheap", "c-mock"])
        assert.deepStrictEqual(yield* order(false), ["a-cheap", "b-free", "c-mock"])
        fresh.platformKeys.add("cheap")
        assert.deepStrictEqual(yield* order(true), ["a-cheap", "b-free", "c-mock"])
      })
    }
  )

  it.live("is never empty for a request in whole words, and says how it matched", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        for (const q of [
          "I would like to find the work email of somebody at a company",
          "qwertz blub fnord wibble",
          "please kindly help me out"
        ]) {
          const { json } = yield* get(`/v1/catalog/search?q=${encodeURIComponent(q)}`)
          assert.isAbove(json.endpoints.length, 0, q)
          for (const { matchedBy } of json.endpoints) assert.include(["text", "capability", "tokens"], matchedBy)
        }
      })
    )
  )
})
