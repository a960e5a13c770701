/** The manifests of real APIs in `examples/providers`: sound, and each of their samples comes out as it says. */
import { fileURLToPath } from "node:url"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { lintCatalog } from "../../src/layers/catalog/CatalogLint.js"
import { readCatalog } from "../../src/layers/catalog/CatalogFiles.js"
import { likelyMistakes } from "../../src/layers/catalog/LikelyMistakes.js"
import { ageWarnings } from "../../src/layers/catalog/VerifiedAges.js"

describe("examples/providers", () => {
  it.live("every manifest is sound, and its samples come out as it says", () =>
    Effect.gen(function* () {
      const content = yield* readCatalog([fileURLToPath(new URL("../../examples", import.meta.url))], {
        thorough: true
      })
      assert.isAbove(content.endpoints.length, 0)
      assert.deepStrictEqual(yield* lintCatalog(content), [])
      assert.deepStrictEqual(likelyMistakes(content.endpoints, content.jobs), [])
      // On the day of the newest reading. Those of a year before it are to be read again.
      const days = content.endpoints.map(({ operation }) => Date.parse(operation.provenance?.verifiedOn ?? ""))
      assert.deepStrictEqual(ageWarnings(content.endpoints, Math.max(...days.filter((day) => day > 0))), [])
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
