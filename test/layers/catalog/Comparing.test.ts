/** What a comparison says of operations that the list does not show. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Catalog } from "../../../src/services/Catalog.js"
import { endpoint, newWorld, servedCatalog } from "../../support/catalog.js"

it.live("a provider that the operator has switched off is unknown to a comparison, as it is to the list", () => {
  const world = newWorld()
  world.health.set("p-off", { state: "disabled", openForSeconds: 0 })
  const content = {
    jobs: [],
    endpoints: [
      endpoint({ id: "off" }),
      endpoint({ id: "on", price: { basis: "per_call", micros: 10 } }),
      endpoint({ id: "on-too", price: { basis: "per_call", micros: 20 } })
    ]
  }
  return Effect.gen(function* () {
    const { compare } = yield* Catalog
    const { cheapest, items, unknown } = yield* compare(["off", "on", "on-too", "nowhere"], null)
    assert.deepStrictEqual(
      items.map(({ catalogItemId }) => String(catalogItemId)),
      ["on", "on-too"]
    )
    assert.deepStrictEqual([cheapest, [...unknown]], ["on", ["off", "nowhere"]])
    assert.strictEqual((yield* Effect.flip(compare(["off", "nowhere"], null)))._tag, "not_found")
  }).pipe(Effect.provide(servedCatalog(content, world)))
})
