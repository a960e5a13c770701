/** The catalog's routes over real sockets: what they refuse, and the listing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { newWorld, servedCatalog } from "../../support/catalog.js"
import { startGateway } from "../../support/httpGateway.js"
import { content, withGateway, ids } from "./CatalogStage.js"

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
