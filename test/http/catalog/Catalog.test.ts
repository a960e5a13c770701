/**
 * The catalog's routes over real sockets: every parameter with its range, every filter, every error, warning and hint
 * of the contract.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { runFailures } from "../../../src/domain/RunFailures.js"
import { apiRoutes } from "../../../src/http/ApiRoutes.js"
import { wireErrors } from "../../../src/http/Envelope.js"
import { endpoint, job, newWorld, servedCatalog } from "../../support/catalog.js"
import { type Gateway, startGateway } from "../../support/httpGateway.js"

const auth = { type: "bearer" }
const perCall = (micros: number) => ({ basis: "per_call", micros })
const content = {
  jobs: [
    job("people.email.find", {
      title: "Find a work email",
      phrases: ["find someone's work email"],
      needs: [["name", "domain"]],
      exampleInput: { name: "Ada", domain: "example.com" },
      fields: { email: "The address." }
    }),
    job("people.email.verify", { title: "Verify an email" }),
    job("web.search", { title: "Search the web" }),
    job("geo.geocode", { title: "Geocode an address" })
  ],
  endpoints: [
    endpoint({
      id: "dear-email",
      job: "people.email.find",
      name: "Email finder",
      price: perCall(30_000),
      provider: { id: "dear", auth }
    }),
    endpoint({
      id: "cheap-email",
      job: "people.email.find",
      name: "Email finder",
      price: perCall(10_000),
      provider: { id: "cheap", auth }
    }),
    endpoint({
      id: "slow-email",
      job: "people.email.find",
      name: "Email finder",
      price: perCall(20_000),
      provider: { id: "slow", auth }
    }),
    endpoint({
      id: "mock-email",
      job: "people.email.find",
      name: "Email finder",
      price: perCall(5000),
      provider: { id: "fixture", mock: true }
    }),
    endpoint({
      id: "verify",
      job: "people.email.verify",
      price: { basis: "per_result", micros: 400 },
      volume: { field: "limit", default: 10, max: 100 },
      provider: { id: "dear", auth }
    }),
    endpoint({
      id: "free-web",
      job: "web.search",
      provenance: { docs: "https://example.com", verified: true },
      facts: { docs: "https://example.com" }
    }),
    endpoint({ id: "off-web", job: "web.search", provider: { id: "off" } }),
    endpoint({
      id: "soon",
      category: "extras",
      activated: false,
      async: { ticket: "body.id", poll: { path: "/t/{id}" }, done: "body.done" }
    }),
    endpoint({ id: "send-it", category: "extras", method: "POST", effect: "effectful", repeatable: false })
  ]
}
const world = newWorld()
world.platformKeys.add("cheap").add("slow")
world.health.set("off", { state: "disabled", openForSeconds: 0 })
world.works
  .set("slow-email", { calls: 100, successes: 99, p50Ms: 9000 })
  .set("cheap-email", { calls: 100, successes: 60, p50Ms: 300 })

const withGateway = <A>(use: (gateway: Gateway) => Effect.Effect<A, unknown, Scope.Scope>) =>
  Effect.scoped(Effect.flatMap(startGateway({ catalogLayer: servedCatalog(content, world) }), use))
const ids = (rows: ReadonlyArray<{ readonly endpointId: string }>): ReadonlyArray<string> =>
  rows.map(({ endpointId }) => endpointId)

describe("bad requests", () => {
  const bad: ReadonlyArray<readonly [path: string, field: string]> = [
    ["/v1/catalog/search", "q"],
    ["/v1/catalog/search?q=", "q"],
    [`/v1/catalog/search?q=${"x".repeat(513)}`, "q"],
    ["/v1/catalog/search?q=a&limit=0", "limit"],
    ["/v1/catalog/search?q=a&limit=201", "limit"],
    ["/v1/catalog/search?q=a&limit=x", "limit"],
    ["/v1/catalog/search?q=a&offset=-1", "offset"],
    ["/v1/catalog/search?q=a&maxPriceMicros=-1", "maxPriceMicros"],
    ["/v1/catalog/search?q=a&maxPriceMicros=1.5", "maxPriceMicros"],
    ["/v1/catalog/search?q=a&prefer=best", "prefer"],
    ["/v1/catalog/search?q=a&mock=maybe", "mock"],
    ["/v1/catalog/search?q=a&keyless=1", "keyless"],
    ["/v1/catalog/search?q=a&verified=yes", "verified"],
    ["/v1/catalog/search?q=a&hidden=no", "hidden"],
    ["/v1/catalog/endpoints?limit=0", "limit"],
    ["/v1/catalog/endpoints?limit=5001", "limit"],
    ["/v1/catalog/endpoints?cursor=nonsense", "cursor"],
    [`/v1/catalog/endpoints?cursor=${"c".repeat(4097)}`, "cursor"],
    ["/v1/catalog/endpoints?facets=2", "facets"],
    ["/v1/catalog/endpoints?maxPriceMicros=-1", "maxPriceMicros"],
    ["/v1/discover", "q"],
    ["/v1/discover?q=a&limit=21", "limit"],
    ["/v1/discover?q=a&limit=0", "limit"],
    ["/v1/discover?q=a&prefer=x", "prefer"],
    ["/v1/catalog/overview?depth=deep", "depth"],
    ["/v1/public-catalog?limit=101", "limit"],
    ["/v1/public-catalog?limit=0", "limit"],
    ["/v1/public-catalog?cursor=zzz", "cursor"]
  ]
  it.live("are 400 validation_error that names the field", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        for (const [path, field] of bad) {
          const { json, status } = yield* get(path)
          assert.strictEqual(status, 400, path)
          assert.strictEqual(json.error.code, "validation_error", path)
          assert.deepStrictEqual(
            json.error.details.map((each: { field: string }) => each.field),
            [field],
            path
          )
        }
      })
    )
  )

  it.live("of a comparison are refused by field: too few, too many, the same one twice", () =>
    withGateway(({ post }) =>
      Effect.gen(function* () {
        for (const catalogItemIds of [
          [],
          ["cheap-email"],
          ["cheap-email", "cheap-email"],
          Array.from({ length: 11 }, (_, n) => `x${n}`),
          "cheap-email"
        ]) {
          const { json, status } = yield* post("/v1/public-catalog/compare", { catalogItemIds })
          assert.strictEqual(status, 400)
          assert.match(json.error.message, /^catalogItemIds: must (?:name 2 to 10 different items|be a list)$/)
        }
        assert.strictEqual(
          (yield* post("/v1/public-catalog/compare", { catalogItemIds: ["no-1", "no-2"] })).json.error.code,
          "not_found"
        )
      })
    )
  )

  it.live("without the scope are 403, without a token 401, and the public routes need none", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        for (const path of [
          "/v1/catalog/search?q=a",
          "/v1/catalog/endpoints",
          "/v1/discover?q=a",
          "/v1/operations/cheap-email"
        ]) {
          assert.strictEqual(
            (yield* get(path, { authorization: "Bearer only:runs:read" })).json.error.code,
            "forbidden",
            path
          )
          assert.strictEqual((yield* get(path, { authorization: null })).status, 401, path)
        }
        for (const path of [
          "/v1/public-catalog",
          "/v1/public-catalog/cheap-email",
          "/v1/catalog/overview",
          "/llms.txt",
          "/llms-full.txt"
        ]) {
          assert.strictEqual((yield* get(path, { authorization: null })).status, 200, path)
        }
      })
    )
  )

  it.live("name what is not there: 404 with the lists that help", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const category = yield* get("/v1/catalog/overview?category=nope")
        assert.deepStrictEqual(
          [category.status, category.json.error.code, category.json.field],
          [404, "unknown_category", "category"]
        )
        assert.deepStrictEqual(category.json.categories, ["extras", "people", "web"])
        const platform = yield* get("/v1/catalog/overview?category=web&platform=email")
        assert.deepStrictEqual(
          [platform.status, platform.json.error.code, platform.json.field],
          [404, "unknown_platform", "platform"]
        )
        for (const path of [
          "/v1/operations/nope",
          "/v1/operations/job%3Ano.job",
          "/v1/operations/cheap-email?contractVersion=old",
          "/v1/public-catalog/nope"
        ]) {
          assert.strictEqual((yield* get(path)).json.error.code, "not_found", path)
        }
      })
    )
  )

  it.live("before the first revision are 503 catalog_loading with retry-after", () =>
    Effect.scoped(
      Effect.flatMap(startGateway({ catalogLayer: servedCatalog(null) }), ({ get }) =>
        Effect.gen(function* () {
          const answer = yield* get("/v1/catalog/search?q=a")
          assert.deepStrictEqual(
            [answer.status, answer.json.error.code, answer.headers.get("retry-after")],
            [503, "catalog_loading", "1"]
          )
        })
      )
    )
  )
})

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

describe("the listing", () => {
  it.live("pages by cursor through everything once, with the filtered total and facets that count it", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const seen: Array<string> = []
        for (let cursor: string | null = ""; cursor !== null;) {
          const {
            json
          }: { json: { endpoints: ReadonlyArray<{ endpointId: string }>; nextCursor: string | null; total: number } } =
            yield* get(`/v1/catalog/endpoints?limit=3${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`)
          assert.strictEqual(json.total, 8)
          seen.push(...ids(json.endpoints))
          cursor = json.nextCursor
        }
        assert.deepStrictEqual(seen, [...seen].sort())
        assert.strictEqual(new Set(seen).size, 8)
        const { json } = yield* get("/v1/catalog/endpoints?facets=true&category=people&mock=false")
        assert.deepStrictEqual(json.facets.capability, [
          { value: "people.email.find", count: 4 },
          { value: "people.email.verify", count: 1 }
        ])
        assert.deepStrictEqual(json.facets.category, [{ value: "people", count: 5 }])
        assert.notProperty((yield* get("/v1/catalog/endpoints")).json, "facets")
      })
    )
  )

  it.live("leaves capability and job out of rows that have none", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const { endpoints } = (yield* get("/v1/catalog/endpoints")).json
        const jobless = endpoints.filter((row: object) => !("capability" in row))
        assert.isNotEmpty(jobless)
        for (const row of jobless) assert.notProperty(row, "job")
        for (const row of endpoints) {
          assert.notStrictEqual(row.capability, null)
          assert.strictEqual(row.job?.id, row.capability)
        }
      })
    )
  )

  it.live("answers 304 while nothing changed, to any of several tags, weak ones too", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const first = yield* get("/v1/catalog/endpoints?limit=2")
        const etag = first.headers.get("etag") ?? ""
        assert.include(etag, first.json.revision)
        for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
          const again = yield* get("/v1/catalog/endpoints?limit=2", { headers: { "if-none-match": tag } })
          assert.deepStrictEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag], tag)
        }
        for (const path of ["/v1/catalog/endpoints?limit=3", "/v1/catalog/endpoints?limit=2&category=web"]) {
          assert.strictEqual((yield* get(path, { headers: { "if-none-match": etag } })).status, 200, path)
        }
      })
    )
  )

  it.live(
    "answers 200 with another tag as soon as anything changes a row for this caller: a key, a connection, a provider's state, statistics",
    () => {
      const changing = newWorld()
      const changes: ReadonlyArray<readonly [what: string, change: () => void]> = [
        ["a platform key is set", () => changing.platformKeys.add("dear")],
        ["a platform key is removed", () => changing.platformKeys.delete("dear")],
        ["a connection is made", () => changing.connections.add("cheap")],
        ["a connection is deleted", () => changing.connections.delete("cheap")],
        ["a provider cools down", () => changing.health.set("fixture", { state: "enabled", openForSeconds: 30 })],
        ["a provider is switched off", () => changing.health.set("fixture", { state: "disabled", openForSeconds: 0 })],
        ["a provider is back", () => changing.health.delete("fixture")],
        ["an endpoint was run", () => changing.works.set("dear-email", { calls: 1, successes: 1, p50Ms: 20 })]
      ]
      return Effect.scoped(
        Effect.flatMap(startGateway({ catalogLayer: servedCatalog(content, changing) }), ({ get }) =>
          Effect.gen(function* () {
            const path = "/v1/catalog/endpoints?category=people"
            let before = yield* get(path)
            for (const [what, change] of changes) {
              const conditional = { headers: { "if-none-match": before.headers.get("etag") ?? "" } }
              assert.strictEqual((yield* get(path, conditional)).status, 304, `before ${what}`)
              change()
              const after = yield* get(path, conditional)
              assert.strictEqual(after.status, 200, what)
              assert.notStrictEqual(after.text, before.text, what)
              assert.notStrictEqual(after.headers.get("etag"), before.headers.get("etag"), what)
              before = after
            }
          })
        )
      )
    }
  )

  it.live("refuses a cursor of other filters", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const { json } = yield* get("/v1/catalog/endpoints?limit=1")
        assert.strictEqual(
          (yield* get(`/v1/catalog/endpoints?limit=1&category=web&cursor=${encodeURIComponent(json.nextCursor)}`))
            .status,
          400
        )
      })
    )
  )
})

describe("overview, discover, contracts and the public catalog", () => {
  it.live("counts by category, platform and job at every depth", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const summary = (yield* get("/v1/catalog/overview", { authorization: null })).json
        assert.deepStrictEqual(summary.totals, {
          categories: 3,
          platforms: 3,
          jobs: 3,
          providers: 7,
          endpoints: 8,
          runnableEndpoints: 5
        })
        assert.deepInclude(
          summary.categories.find(({ id }: { id: string }) => id === "people"),
          {
            providerCount: 4,
            endpointCount: 5,
            runnableCount: 3,
            cheapestPerCall: 0.005,
            cheapestPerResult: 0.0004,
            platformCount: 1,
            jobCount: 2
          }
        )
        assert.notProperty(summary.categories[0], "platforms")
        const full = (yield* get("/v1/catalog/overview?depth=full&category=people")).json
        assert.notProperty(full, "totals")
        assert.deepStrictEqual(full.filter, { category: "people" })
        const [platform] = full.categories[0].platforms
        assert.deepStrictEqual(
          platform.jobs.map(({ id }: { id: string }) => id),
          ["people.email.find", "people.email.verify"]
        )
        assert.deepStrictEqual(Object.keys(platform.jobs[0].endpoints[0]), [
          "endpointId",
          "provider",
          "name",
          "capability",
          "category",
          "estimatedPrice",
          "priceBasis",
          "access",
          "executionMode",
          "costPerSuccessUsd",
          "async",
          "works",
          "sourceCapability",
          "credential"
        ])
        assert.notProperty((yield* get("/v1/catalog/overview?depth=jobs")).json.categories[0].platforms[0], "endpoints")
        const topic = (yield* get("/v1/catalog/overview?topic=email")).json
        assert.include(
          topic.jobs.map(({ id }: { id: string }) => id),
          "people.email.verify"
        )
        assert.deepInclude(topic, { topic: "email", truncated: false, matchCount: topic.jobs.length })
      })
    )
  )

  it.live("discovers only what this workspace can run, with scores and the input that is needed", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        for (const path of ["/v1/discover?q=work+email", "/v1/discover?query=work+email"]) {
          const { json } = yield* get(path)
          assert.deepStrictEqual(json.job, { id: "people.email.find", title: "Find a work email" })
          assert.notInclude(ids(json.operations), "dear-email")
          assert.strictEqual(ids(json.operations).at(-1), "mock-email")
          for (const { missingInput, reason, score, scores } of json.operations) {
            assert.deepStrictEqual(missingInput, ["name"])
            assert.isString(reason)
            for (const value of [score, ...Object.values(scores)])
              assert.isTrue(Number(value) >= 0 && Number(value) <= 1)
          }
        }
        assert.strictEqual((yield* get("/v1/discover?q=work+email&limit=1")).json.operations.length, 1)
        assert.deepStrictEqual(
          ids((yield* get("/v1/discover?q=work+email&maxPriceMicros=10000&prefer=cheapest")).json.operations),
          ["cheap-email", "mock-email"]
        )
      })
    )
  )

  it.live("discovers who does the job that is asked for before whoever merely shares words with the question", () => {
    const sparse = {
      jobs: [job("people.email.find", { title: "Find a work email", phrases: ["find a work email"] })],
      endpoints: [
        endpoint({ id: "works", name: "Find works", summary: "Finds a work of literature." }),
        endpoint({ id: "mock-email", job: "people.email.find", provider: { mock: true } })
      ]
    }
    return Effect.scoped(
      Effect.flatMap(startGateway({ catalogLayer: servedCatalog(sparse) }), ({ get }) =>
        Effect.gen(function* () {
          const { json } = yield* get("/v1/discover?q=find+a+work+email")
          assert.deepStrictEqual(json.job, { id: "people.email.find", title: "Find a work email" })
          assert.deepStrictEqual(ids(json.operations), ["mock-email", "works"])
        })
      )
    )
  })

  it.live("says which filter asks for what the catalog does not have, and which job was meant", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        for (const path of ["/v1/catalog/search?q=work+email&category=peopl", "/v1/public-catalog?category=peopl"]) {
          const [warning] = (yield* get(path)).json.warnings
          assert.deepStrictEqual(warning, {
            code: "no_match",
            message:
              "Nothing here matches these words and filters; category=peopl is no category of the catalog; did you mean people?"
          })
        }
        assert.notProperty((yield* get("/v1/public-catalog?category=people")).json, "warnings")
        const typed = (yield* get("/v1/operations/job%3Apeople.email.fnd")).json.error
        assert.include(typed.message, "did you mean job:people.email.find?")
      })
    )
  )

  it.live("names what fits best where that cannot run, and takes nothing else for the job that was meant", () => {
    const keyed = { auth: { type: "bearer" } }
    const catalog = {
      jobs: [
        job("sms.send", { title: "Send a text message", phrases: ["send sms"] }),
        job("jobs.search", { title: "Search job postings", phrases: ["find jobs"] }),
        job("planet.look", { title: "Look up a planet", phrases: ["look up a planet"] })
      ],
      endpoints: [
        endpoint({
          id: "planet-look",
          name: "Look up a planet",
          job: "planet.look",
          price: { basis: "per_call", micros: 20 }
        }),
        endpoint({ id: "pigeon-send", name: "Send SMS", summary: "Sends an SMS.", job: "sms.send", provider: keyed }),
        endpoint({
          id: "board-jobs",
          name: "Search jobs",
          summary: "Searches jobs. They send alerts.",
          job: "jobs.search"
        })
      ]
    }
    const switchedOff = newWorld()
    switchedOff.health.set("p-planet-look", { state: "disabled", openForSeconds: 0 })
    return Effect.scoped(
      Effect.flatMap(startGateway({ catalogLayer: servedCatalog(catalog, switchedOff) }), ({ get }) =>
        Effect.gen(function* () {
          const off = (yield* get("/v1/discover?q=look+up+a+planet")).json
          assert.notProperty(off, "job")
          assert.match(off.warnings[0]?.message, /^planet-look .* cannot run .*: the operator does not offer it\. /)
        })
      ).pipe(
        Effect.zipRight(startGateway({ catalogLayer: servedCatalog(catalog) })),
        Effect.flatMap(({ get }) =>
          Effect.gen(function* () {
            const { json } = yield* get("/v1/discover?q=send+sms")
            assert.notProperty(json, "job")
            assert.deepStrictEqual(json.warnings, [
              {
                code: "best_left_out",
                endpointId: "pigeon-send",
                provider: "p-pigeon-send",
                job: { id: "sms.send", title: "Send a text message" },
                access: "needs_your_account",
                message:
                  "pigeon-send (job:sms.send) fits best, and cannot run for this workspace now: it needs an account of your own at p-pigeon-send, or a key that the operator sets. What is listed does something else"
              }
            ])
            const dear = (yield* get("/v1/discover?q=look+up+a+planet&maxPriceMicros=10")).json
            assert.deepStrictEqual(
              [dear.job, dear.warnings[0]?.endpointId, dear.warnings[0]?.message],
              [
                undefined,
                "planet-look",
                "planet-look (job:planet.look) fits best, and is left out: it costs more than $0.00001. What is listed does something else"
              ]
            )
            const found = (yield* get("/v1/discover?q=find+jobs")).json
            assert.deepStrictEqual([found.job?.id, found.warnings], ["jobs.search", undefined])
          })
        )
      )
    )
  })

  it.live("shows contracts, pinned by version, of tools and of jobs with their providers in order", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const tool = (yield* get("/v1/operations/verify")).json
        assert.deepStrictEqual(tool.endpoint.price, {
          basis: "per_result",
          amountUsd: 0.0004,
          amountMicros: 400,
          unit: "result",
          estimateFormula: "$0.0004 * results (at most limit, default 10, max 100)",
          maxMicros: 40_000
        })
        assert.deepInclude(tool, { effectClassification: "read_only", estimatedMaxCost: 0.004 })
        assert.deepInclude(tool.usageHints, {
          requiredInputFields: ["name"],
          optionalInputFields: [],
          volumeField: "limit",
          maxVolume: 100
        })
        assert.deepStrictEqual(tool.requestBinding, { name: { in: "query", name: "name" } })
        assert.deepStrictEqual((yield* get(`/v1/operations/verify?contractVersion=${tool.contractVersion}`)).json, tool)
        assert.strictEqual((yield* get("/v1/operations/send-it")).json.effectClassification, "effectful")
        const byJob = (yield* get("/v1/operations/job%3Apeople.email.find")).json
        assert.strictEqual(byJob.endpoint.id, "job:people.email.find")
        // By the balanced order: 99 % in 9 s at two cents is worth more than 60 % in 0.3 s at one.
        assert.deepStrictEqual(ids(byJob.providers), ["slow-email", "cheap-email", "dear-email", "mock-email"])
        // What a run holds now, at the first of them; the dearest would hold three cents.
        assert.deepStrictEqual([byJob.estimatedMaxCost, byJob.endpoint.price.maxMicros], [0.02, 30_000])
        assert.deepStrictEqual((yield* get("/v1/operations/job:people.email.find")).json, byJob)
      })
    )
  )

  it.live(
    "show a provider that cools down or is being emptied as coming_soon, and in jobs after those that run",
    () => {
      const troubled = newWorld()
      troubled.platformKeys.add("cheap").add("slow").add("dear")
      troubled.health
        .set("cheap", { state: "enabled", openForSeconds: 30 })
        .set("slow", { state: "draining", openForSeconds: 0 })
      return Effect.scoped(
        Effect.flatMap(startGateway({ catalogLayer: servedCatalog(content, troubled) }), ({ get }) =>
          Effect.gen(function* () {
            const { providers } = (yield* get("/v1/operations/job:people.email.find")).json
            assert.strictEqual(providers[0].endpointId, "dear-email")
            const { endpoints } = (yield* get("/v1/catalog/search?q=email+finder&capability=people.email.find")).json
            const found = Object.fromEntries(
              endpoints.map((row: { endpointId: string; access: string; runnableNow: boolean }) => [
                row.endpointId,
                [row.access, row.runnableNow]
              ])
            )
            assert.deepStrictEqual(found, {
              "dear-email": ["runs_now", true],
              "cheap-email": ["coming_soon", false],
              "slow-email": ["coming_soon", false],
              "mock-email": ["runs_now", true]
            })
          })
        )
      )
    }
  )

  it.live("of a job speak for whoever would run it now, and for the first in the order where nobody would", () =>
    Effect.scoped(
      Effect.flatMap(startGateway({ catalogLayer: servedCatalog(content, newWorld()) }), ({ get }) =>
        Effect.gen(function* () {
          const find = (yield* get("/v1/operations/job:people.email.find")).json
          assert.deepStrictEqual(
            [find.endpoint.provider, find.endpoint.access, find.endpoint.price.amountMicros],
            ["fixture", "runs_now", 5000]
          )
          const verify = (yield* get("/v1/operations/job:people.email.verify")).json
          assert.deepStrictEqual([verify.endpoint.provider, verify.endpoint.access], ["dear", "needs_your_account"])
        })
      )
    )
  )

  it.live("lets anybody search, read and compare items", () =>
    withGateway(({ get, post }) =>
      Effect.gen(function* () {
        for (const capability of ["people_email_find", "people.email.find"]) {
          const { json } = yield* get(`/v1/public-catalog?capability=${capability}`, { authorization: null })
          assert.sameMembers(
            json.items.map(({ catalogItemId }: { catalogItemId: string }) => catalogItemId),
            ["cheap-email", "dear-email", "mock-email", "slow-email"]
          )
        }
        const first = (yield* get("/v1/public-catalog?q=email&limit=2")).json
        const second = (yield* get(`/v1/public-catalog?q=email&limit=2&cursor=${first.nextCursor}`)).json
        assert.strictEqual(new Set([...first.items, ...second.items].map(({ catalogItemId }) => catalogItemId)).size, 4)
        const item = (yield* get("/v1/public-catalog/verify")).json
        assert.deepStrictEqual(item.price, { state: "priced", amountMicros: 400, currency: "USD", unit: "result" })
        assert.deepStrictEqual(item.parameters, [
          { name: "name", location: "query", required: true, type: "string", description: "Whose." }
        ])
        assert.strictEqual((yield* get("/v1/public-catalog/off-web")).status, 404)

        const compared = (yield* post(
          "/v1/public-catalog/compare",
          { catalogItemIds: ["slow-email", "cheap-email", "gone"] },
          { authorization: null }
        )).json
        assert.deepInclude(compared, {
          cheapest: "cheap-email",
          fastest: "cheap-email",
          mostReliable: "slow-email",
          unknown: ["gone"]
        })
        assert.deepStrictEqual(compared.differences.find(({ field }: { field: string }) => field === "p50Ms").values, {
          "slow-email": 9000,
          "cheap-email": 300
        })
        assert.notProperty(compared.items[0], "acceptsInput")
        const fitted = (yield* post("/v1/public-catalog/compare", {
          catalogItemIds: ["verify", "cheap-email"],
          input: { name: "Ada", limit: 50 }
        })).json
        assert.deepStrictEqual(
          fitted.items.map((each: { acceptsInput: boolean; maxCostUsd: number }) => [
            each.acceptsInput,
            each.maxCostUsd
          ]),
          [
            [true, 0.02],
            [true, 0.01]
          ]
        )
        const refused = (yield* post("/v1/public-catalog/compare", {
          catalogItemIds: ["verify", "cheap-email"],
          input: {}
        })).json
        assert.deepInclude(refused.items[0], {
          acceptsInput: false,
          maxCostUsd: null,
          inputProblems: [{ field: "name", message: "is needed" }]
        })
      })
    )
  )

  it.live("says in /llms.txt what there is", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        const { headers, text } = yield* get("/llms.txt", { authorization: null })
        assert.include(headers.get("content-type") ?? "", "text/plain")
        for (const part of ["job:people.email.find", "Search the web", "/openapi.json", "[reference](/docs/reference)"])
          assert.include(text, part)
        assert.notMatch(text, /\b1 (?:operations|providers|jobs)\b/)
      })
    )
  )

  it.live("says in /llms-full.txt all of it: every route, every job with its input and operations, every code", () =>
    withGateway(({ get }) =>
      Effect.gen(function* () {
        assert.include((yield* get("/llms.txt")).text, "/llms-full.txt")
        const { headers, text } = yield* get("/llms-full.txt", { authorization: null })
        assert.include(headers.get("content-type") ?? "", "text/plain")
        for (const { method, path, summary } of apiRoutes.filter(({ path }) => path !== "/docs/files/:file"))
          assert.include(text, `\`${method} ${path.replace(/:(\w+)/g, "{$1}")}\`: ${summary}`)
        for (const { id } of content.jobs)
          assert.strictEqual(text.includes(`### job:${id}`), id !== "geo.geocode", `${id}: nobody does geo.geocode`)
        for (const code of [...wireErrors.keys(), ...runFailures.map((failure) => failure.code)])
          assert.include(text, `\`${code}\``)
        assert.include(text, "Input: one of `name` + `domain`")
        assert.include(text, "`cheap-email` ($0.01 a call), `dear-email` ($0.03 a call)")
        assert.include(text, "`verify` ($0.0004 a result)")
        assert.notMatch(text, /undefined|null|\[object/)
        assert.strictEqual((yield* get("/llms-full.txt")).text, text)
      })
    )
  )
})
