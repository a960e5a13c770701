/** The YAML of the built-in catalog that the build parses: the same values as parsing it at each start. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parse } from "yaml"
import { builtInCatalog } from "../../../src/layers/catalog/BuiltInCatalog.js"
import { parsedAhead } from "../../../src/layers/catalog/ParsedAhead.js"
import { program } from "../../support/program.js"

const texts = readdirSync(builtInCatalog, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => ({ name, text: readFileSync(join(builtInCatalog, name), "utf8") }))

describe("what the build parsed of the catalog", () => {
  beforeAll(() => void program("main"))

  it.effect("is what each text of the built-in catalog holds, and none is left out", () =>
    Effect.gen(function* () {
      const ahead = yield* parsedAhead(builtInCatalog)
      for (const { name, text } of texts) assert.deepStrictEqual(ahead(text), parse(text), name)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("says nothing of a text that was changed since, nor of another folder", () =>
    Effect.gen(function* () {
      const [first] = texts
      const text = first?.text ?? ""
      assert.isUndefined((yield* parsedAhead(builtInCatalog))(`${text}\n# changed`))
      assert.isUndefined((yield* parsedAhead("elsewhere"))(text))
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
