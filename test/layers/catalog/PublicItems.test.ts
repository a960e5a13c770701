/** Pages of the public catalog, while operations are published and withdrawn between them. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Catalog } from "../../../src/services/Catalog.js"
import { CatalogPublisher } from "../../../src/services/CatalogPublisher.js"
import { endpoint, servedCatalog } from "../../support/catalog.js"

const content = (...ids: ReadonlyArray<string>) => ({ jobs: [], endpoints: ids.map((id) => endpoint({ id })) })
const asked = { q: null, capability: null, category: null, provider: null, limit: 2, after: null, hints: false }

it.live("goes on after the item that was last on the page, whatever was published meanwhile", () =>
  Effect.gen(function* () {
    const { publicItems } = yield* Catalog
    const { publish } = yield* CatalogPublisher
    const page = (after: string | null) =>
      Effect.map(publicItems({ ...asked, after }), ({ items, next }) => ({
        ids: items.map(({ catalogItemId }) => String(catalogItemId)),
        next
      }))
    const first = yield* page(null)
    assert.deepStrictEqual(first.ids, ["b", "d"])
    yield* publish(content("a", "b", "c", "f", "h"))
    const second = yield* page(first.next)
    assert.deepStrictEqual(second, { ids: ["f", "h"], next: null })
  }).pipe(Effect.provide(servedCatalog(content("b", "d", "f", "h"))))
)

it.live("pages of a search go on behind the item that was last, in the order that the search has now", () =>
  Effect.gen(function* () {
    const { publicItems } = yield* Catalog
    const { publish } = yield* CatalogPublisher
    const search = { ...asked, q: "operation" }
    const page = (after: string | null, limit = 2) =>
      Effect.map(publicItems({ ...search, limit, after }), ({ items, next }) => ({
        ids: items.map(({ catalogItemId }) => String(catalogItemId)),
        next
      }))
    const first = yield* page(null)
    const second = yield* page(first.next)
    assert.strictEqual(new Set([...first.ids, ...second.ids]).size, 4)
    assert.isNull(second.next)
    for (const after of ["2", "-1", `${first.next} 1`])
      assert.strictEqual((yield* Effect.flip(publicItems({ ...search, after })))._tag, "validation_error", after)

    // Before the place and behind it.
    yield* publish(content("a", "b", "c", "d", "e", "f", "g", "h"))
    const all = (yield* page(null, 20)).ids
    const behind = all.slice(all.indexOf(first.ids[1] ?? "") + 1)
    const third = yield* page(first.next)
    const fourth = yield* page(third.next, 20)
    assert.deepStrictEqual([...third.ids, ...fourth.ids], behind)
    assert.isNull(fourth.next)
  }).pipe(Effect.provide(servedCatalog(content("b", "d", "f", "h"))))
)

it.live("pages of a search go on behind as many items as there were, where the last of them is gone", () =>
  Effect.gen(function* () {
    const { publicItems } = yield* Catalog
    const { publish } = yield* CatalogPublisher
    const search = { ...asked, q: "operation" }
    const first = yield* publicItems(search)
    const last = String(first.items[1]?.catalogItemId)
    yield* publish(content(...["a", "b", "c", "d", "f", "h"].filter((id) => id !== last)))
    const all = (yield* publicItems({ ...search, limit: 20 })).items
    const second = yield* publicItems({ ...search, limit: 20, after: first.next })
    assert.notInclude(
      all.map(({ catalogItemId }) => String(catalogItemId)),
      last
    )
    assert.deepStrictEqual(second.items, all.slice(2))
  }).pipe(Effect.provide(servedCatalog(content("b", "d", "f", "h"))))
)
