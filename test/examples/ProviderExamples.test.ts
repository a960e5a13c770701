/** The manifests of real APIs in `examples/providers`: sound, and each of their samples comes out as it says. */
import { fileURLToPath } from "node:url"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { lintCatalog } from "../../src/layers/catalog/CatalogLint.js"
import { readCatalog } from "../../src/layers/catalog/CatalogFiles.js"
import { ageWarnings } from "../../src/layers/catalog/VerifiedAges.js"

describe("examples/providers", () => {
  it.live("every manifest is sound, and its samples come out as it says", () =>
    Effect.gen(function* () {
      const content = yield* readCatalog([fileURLToPath(new URL("../../examples", import.meta.url))], {
        thorough: true
      })
      assert.isAbove(content.endpoints.length, 0)
      assert.deepStrictEqual(yield* lintCatalog(content), [])
      // At the beginning of all time no reading is too old, and each has its day.
      assert.deepStrictEqual(ageWarnings(content.endpoints, 0), [])
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
