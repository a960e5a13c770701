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

it.live("pages of a search end with the catalog that was searched: the next one is refused, and not skewed", () =>
  Effect.gen(function* () {
    const { publicItems } = yield* Catalog
    const { publish } = yield* CatalogPublisher
    const search = { ...asked, q: "operation" }
    const first = yield* publicItems(search)
    const second = yield* publicItems({ ...search, after: first.next })
    assert.strictEqual(new Set([...first.items, ...second.items].map(({ catalogItemId }) => catalogItemId)).size, 4)
    assert.isNull(second.next)
    for (const after of ["2", "-1", `${first.next} 1`])
      assert.strictEqual((yield* Effect.flip(publicItems({ ...search, after })))._tag, "validation_error", after)
    yield* publish(content("a", "b", "c", "f", "h"))
    assert.strictEqual((yield* Effect.flip(publicItems({ ...search, after: first.next })))._tag, "validation_error")
  }).pipe(Effect.provide(servedCatalog(content("b", "d", "f", "h"))))
)
