/** The JSON Schemas of manifests: what they let through, and the mistakes that an editor then shows. */
import { Ajv2020 } from "ajv/dist/2020.js"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { manifestSchema, schemaLine } from "../../src/domain/ManifestSchemas.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const ajv = new Ajv2020({ strict: false, allErrors: true })
const provider = ajv.compile(manifestSchema("provider"))
const job = ajv.compile(manifestSchema("job"))
const manifests = (folder: string): ReadonlyArray<readonly [string, unknown]> =>
  readdirSync(root + folder)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => [name, parse(readFileSync(`${root}${folder}/${name}`, "utf8"))])

const operation = {
  id: "a",
  name: "A",
  summary: "A.",
  method: "GET",
  path: "/a",
  input: { type: "object" },
  price: { basis: "free", micros: 0 }
}
const good = { id: "a", name: "A", baseUrl: "https://a.example", operations: [operation] }

describe("the JSON Schema of a manifest", () => {
  it("holds for every built-in manifest and every example", () => {
    for (const folder of ["catalog/providers", "examples/providers"])
      for (const [name, value] of manifests(folder))
        assert.isTrue(provider(value), `${name}: ${ajv.errorsText(provider.errors)}`)
    for (const [name, value] of manifests("catalog/jobs"))
      assert.isTrue(job(value), `${name}: ${ajv.errorsText(job.errors)}`)
  })

  it("refuses what the check of the catalog refuses: names, kinds and places that do not exist", () => {
    assert.isTrue(provider(good))
    const changed = (change: object) => ({ ...good, operations: [{ ...operation, ...change }] })
    for (const wrong of [
      { ...good, baseURL: "https://a.example" },
      { ...good, id: "A B" },
      { ...good, auth: { type: "token" } },
      { ...good, auth: { type: "header" } },
      { ...good, operations: [] },
      changed({ path: "a" }),
      changed({ method: "GETS" }),
      changed({ bindings: { q: { in: "cookie", name: "q" } } }),
      changed({ price: { basis: "per_month", micros: 0 } }),
      changed({ price: { basis: "free", micros: 0.5 } }),
      changed({ timeout: 5 })
    ])
      assert.isFalse(provider(wrong), JSON.stringify(wrong))
    assert.isFalse(job({ id: "nodots", title: "x", category: "x", platform: "x", description: "x", exampleInput: {} }))
  })

  it("shows no words of the library at a field, and is found by the first line of a manifest", () => {
    assert.notMatch(JSON.stringify(manifestSchema("provider")), /a non empty string|nonEmptyString|a string matching/)
    assert.strictEqual(
      schemaLine("provider", "https://gateway.example.com"),
      "# yaml-language-server: $schema=https://gateway.example.com/docs/files/provider.schema.json"
    )
  })
})
