/** `docs/catalog.md` is what the manifests make, and every built-in operation says where it is known from. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { builtInCatalog } from "../../src/layers/catalog/BuiltInCatalog.js"
import { readCatalog } from "../../src/layers/catalog/CatalogFiles.js"
import { sampleSchema } from "../../src/domain/SampleSchema.js"
import { catalogPage } from "./catalogPage.js"

const page = fileURLToPath(new URL("../../docs/catalog.md", import.meta.url))
const builtIn = readCatalog([builtInCatalog]).pipe(Effect.provide(NodeContext.layer))

describe("the page of the built-in catalog", () => {
  it.effect("is docs/catalog.md, made anew by npm run docs:catalog", () =>
    Effect.map(builtIn, (catalog) => {
      if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, catalogPage(catalog))
      assert.strictEqual(readFileSync(page, "utf8"), catalogPage(catalog))
    })
  )

  it.effect("has a day for every operation whose documentation was read, and none for another", () =>
    Effect.map(builtIn, ({ endpoints }) => {
      const wrong = endpoints.filter(
        ({ operation: { provenance }, provider }) =>
          !provider.mock && (provenance === undefined || provenance.verified !== (provenance.verifiedOn !== undefined))
      )
      assert.deepStrictEqual(
        wrong.map(({ operation }) => operation.id),
        []
      )
    })
  )
})

describe("the price of a built-in operation", () => {
  it.effect("says what is billed", () =>
    Effect.map(builtIn, ({ endpoints }) => {
      const silent = endpoints.filter(
        ({ operation: { facts, price }, provider }) =>
          !provider.mock && price.basis !== "free" && (facts["billing"] ?? provider.facts["billing"]) === undefined
      )
      assert.deepStrictEqual(
        silent.map(({ operation }) => operation.id),
        []
      )
    })
  )
})

describe("the answer of a built-in operation", () => {
  it.effect("has a schema, from the documentation or from the samples", () =>
    Effect.map(builtIn, ({ endpoints }) =>
      assert.deepStrictEqual(
        endpoints
          .filter(
            ({ operation, provider }) =>
              !provider.mock && operation.outputSchema === undefined && sampleSchema(operation) === null
          )
          .map(({ operation }) => operation.id),
        []
      )
    )
  )
})
