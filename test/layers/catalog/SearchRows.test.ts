/** Which rows of a search are made for its question alone. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { noFilter } from "../../../src/domain/CatalogSearch.js"
import { Catalog } from "../../../src/services/Catalog.js"
import { caller } from "../../support/httpGateway.js"
import { CatalogServed } from "../../../src/layers/catalog/CatalogServed.js"
import { ContractStoreMemory } from "../../../src/layers/memory/ContractStoreMemory.js"
import { CatalogPublisher } from "../../../src/services/CatalogPublisher.js"
import { EndpointStats } from "../../../src/services/EndpointStats.js"
import { endpoint, newWorld, noVocabulary, worldServices } from "../../support/catalog.js"

const content = {
  jobs: [],
  endpoints: [
    endpoint({
      id: "verify-email",
      name: "Verify an email address",
      input: { type: "object", properties: { email: { type: "string" } }, required: ["email"] },
      accepts: { email: "email" }
    })
  ]
}
const none = new Map<string, never>()
/** No call is made meanwhile, so that the statistics stay the same snapshot. */
const stillStats = Layer.effect(
  EndpointStats,
  Effect.map(EndpointStats, (stats) => EndpointStats.of({ ...stats, snapshot: Effect.succeed(none) }))
)
const world = worldServices(newWorld())
const served = Layer.effectDiscard(Effect.flatMap(CatalogPublisher, ({ publish }) => publish(content))).pipe(
  Layer.provideMerge(CatalogServed({ jobsMayPickFixtures: true, vocabulary: noVocabulary })),
  Layer.provide([Layer.merge(world, Layer.provide(stillStats, world)), ContractStoreMemory])
)
const rowOf = (q: string) =>
  Effect.map(
    Effect.flatMap(Catalog, (catalog) =>
      catalog.search({ ...noFilter, q, limit: 10, offset: 0, prefer: "balanced" }, caller())
    ),
    ({ endpoints }) => endpoints[0]
  )

describe("the rows of a search", () => {
  it.effect("are the same objects for every question that adds nothing, so that their text is written once", () =>
    Effect.gen(function* () {
      assert.isDefined(yield* rowOf("verify email"))
      assert.strictEqual(yield* rowOf("verify email"), yield* rowOf("verify an email address"))
      const given = yield* rowOf("verify email bob@acme.com")
      assert.isDefined(given?.usageHints)
      assert.notStrictEqual(given, yield* rowOf("verify email"))
      assert.isUndefined((yield* rowOf("verify email"))?.usageHints)
    }).pipe(Effect.provide(served))
  )
})
