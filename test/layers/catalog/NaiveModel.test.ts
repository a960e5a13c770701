/**
 * Ten thousand random filters over a random catalog, held against the simplest program that could be right. Goal: no
 * filter combination lies about totals, members, order or facets, and no endpoint comes twice on the pages of one
 * question.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { type CatalogFilter, noFilter } from "../../../src/domain/CatalogSearch.js"
import { placementOf } from "../../../src/domain/ContractMaking.js"
import type { Endpoint } from "../../../src/domain/Manifest.js"
import { Catalog } from "../../../src/services/Catalog.js"
import { endpoint, job, newWorld, servedCatalog } from "../../support/catalog.js"
import { caller } from "../../support/httpGateway.js"

const jobs = ["people.email.find", "people.email.verify", "web.search", "geo.geocode"].map((id) => job(id))
const words = ["email", "weather", "search", "invoice", "picture", "company"]
const endpoints = Array.from({ length: 120 }, (_, n) => {
  const [first, second] = [words[n % 6]!, words[(n * 5 + 1) % 6]!]
  const done = n % 5 === 4 ? undefined : jobs[n % 4]!.id
  return endpoint({
    id: `op-${String((n * 37) % 120).padStart(3, "0")}`,
    name: `${first} ${second}`,
    summary: `Handles ${first} and ${second} number ${n}.`,
    ...(done === undefined ? { category: n % 2 === 0 ? "loose" : "people" } : { job: done }),
    price: n % 3 === 0 ? { basis: "free", micros: 0 } : { basis: "per_call", micros: (n % 7) * 1000 },
    ...(n % 4 === 1 ? { provenance: { docs: "https://example.com", verified: true } } : {}),
    activated: n % 11 !== 0,
    provider: { id: `provider-${n % 9}`, mock: n % 9 === 8, auth: n % 9 < 3 ? { type: "none" } : { type: "bearer" } }
  })
})
const world = newWorld()
world.health.set("provider-4", { state: "disabled", openForSeconds: 0 })
const byId = new Map(endpoints.map((each) => [String(each.operation.id), each]))
const jobOf = (each: Endpoint) => jobs.find(({ id }) => id === each.operation.job) ?? null

const passes =
  (filter: CatalogFilter) =>
  (each: Endpoint): boolean => {
    const { category, platform } = placementOf(each.operation, jobOf(each))
    const agrees = <A>(wanted: A | null, value: A) => wanted === null || wanted === value
    return (
      agrees(filter.category, category) &&
      agrees(filter.platform, platform) &&
      agrees(filter.provider, String(each.provider.id)) &&
      agrees(filter.capability, String(each.operation.job ?? "none")) &&
      agrees(filter.keyless, each.provider.auth.type === "none") &&
      agrees(filter.verified, each.operation.provenance?.verified ?? false) &&
      agrees(filter.mock, each.provider.mock) &&
      (filter.maxPriceMicros === null || each.operation.price.micros <= filter.maxPriceMicros) &&
      (filter.hidden || each.provider.id !== "provider-4")
    )
  }

const maybe = <A>(...values: ReadonlyArray<A>) => fc.option(fc.constantFrom(...values), { freq: 2 })
const filters: fc.Arbitrary<CatalogFilter> = fc.record({
  category: maybe("people", "web", "geo", "loose", "nothing"),
  platform: maybe("email", "search", "general", "nothing"),
  provider: maybe("provider-0", "provider-4", "provider-8", "nobody"),
  capability: maybe(...jobs.map(({ id }) => String(id)), "no.such"),
  keyless: fc.option(fc.boolean()),
  verified: fc.option(fc.boolean()),
  mock: fc.option(fc.boolean()),
  access: fc.constant(null),
  maxPriceMicros: maybe(0, 2000, 10_000),
  hidden: fc.boolean()
})
const questions = fc.record({
  filter: filters,
  q: fc.array(fc.constantFrom(...words, "find", "zzz"), { minLength: 1, maxLength: 4 }).map((some) => some.join(" ")),
  limit: fc.integer({ min: 1, max: 60 })
})

describe("any combination of filters", () => {
  it.live(
    "agrees with a naive model, in lists and in searches, without a duplicate across pages",
    () =>
      Effect.gen(function* () {
        const catalog = yield* Catalog
        for (const { filter, limit, q } of fc.sample(questions, { numRuns: 10_000, seed: 42 })) {
          const expected = endpoints
            .filter(passes(filter))
            .map((each) => String(each.operation.id))
            .sort()
          const label = JSON.stringify({ filter, q, limit })

          const listed: Array<string> = []
          let after: string | null = null
          do {
            const page: Effect.Effect.Success<ReturnType<typeof catalog.list>> = yield* catalog.list(
              { ...filter, limit, after, facets: after === null },
              caller()
            )
            assert.strictEqual(page.total, expected.length, label)
            if (page.facets !== null)
              assert.strictEqual(
                page.facets.provider.reduce((sum, { count }) => sum + count, 0),
                expected.length,
                label
              )
            listed.push(...page.endpoints.map(({ endpointId }) => endpointId))
            after = page.next
          } while (after !== null)
          assert.deepStrictEqual(listed, expected, label)

          const found: Array<string> = []
          let offset: number | null = 0
          let total = 0
          while (offset !== null) {
            const page: Effect.Effect.Success<ReturnType<typeof catalog.search>> = yield* catalog.search(
              { ...filter, q, limit, offset, prefer: "balanced" },
              caller()
            )
            found.push(...page.endpoints.map(({ endpointId }) => endpointId))
            total = page.total
            offset = page.nextOffset
          }
          assert.strictEqual(found.length, total, label)
          assert.strictEqual(new Set(found).size, found.length, label)
          assert.deepStrictEqual(
            found.filter((id) => !expected.includes(id)),
            [],
            label
          )
          const mocks = found.map((id) => Number(byId.get(id)!.provider.mock))
          assert.deepStrictEqual(mocks, mocks.toSorted(), label)
        }
      }).pipe(Effect.provide(servedCatalog({ jobs, endpoints }, world))),
    120_000
  )

  it.live("is a filter and nothing else: none of them leaves everything that is not switched off", () =>
    Effect.gen(function* () {
      const { total } = yield* (yield* Catalog).list({ ...noFilter, limit: 1, after: null, facets: false }, caller())
      assert.strictEqual(total, endpoints.filter(({ provider }) => provider.id !== "provider-4").length)
    }).pipe(Effect.provide(servedCatalog({ jobs, endpoints }, world)))
  )
})
