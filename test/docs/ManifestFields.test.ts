/** docs/providers.md names every field of a manifest with an example, no other one, and every example file. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { isObject, type Json } from "../../src/domain/Json.js"
import { manifestSchema, type SchemaKind } from "../../src/domain/ManifestSchemas.js"
import { root } from "../support/program.js"

const page = readFileSync(join(root, "docs", "providers.md"), "utf8")

/** Dotted paths of all fields of a JSON Schema, without the names that an author chooses, such as those of inputs. */
const fieldsOf = (kind: SchemaKind): ReadonlyArray<string> => {
  const schema = manifestSchema(kind)
  const definitions = isObject(schema["$defs"]) ? schema["$defs"] : {}
  const found = new Set<string>()
  const each = (value: Json | undefined): ReadonlyArray<Json> =>
    Array.isArray(value) ? value : isObject(value) ? [value] : []
  const walk = (part: Json, at: string): void => {
    if (!isObject(part)) return
    const { $ref } = part
    if (typeof $ref === "string") return walk(definitions[$ref.split("/").at(-1) ?? ""] ?? null, at)
    for (const [name, field] of Object.entries(isObject(part["properties"]) ? part["properties"] : {})) {
      const path = at === "" ? name : `${at}.${name}`
      found.add(path)
      walk(field, path)
    }
    for (const keyword of ["anyOf", "oneOf", "allOf", "items", "prefixItems", "additionalProperties"])
      for (const inner of each(part[keyword])) walk(inner, at)
    const { patternProperties } = part
    for (const inner of isObject(patternProperties) ? Object.values(patternProperties) : []) walk(inner, at)
  }
  walk(schema, "")
  return [...found]
}

/** The rows under a heading of the page: the path of each field, and its example. */
const rowsUnder = (heading: string): ReadonlyArray<readonly [field: string, example: string]> => {
  const section = page.split(`\n### ${heading}\n`)[1]?.split(/\n##/)[0] ?? ""
  return section
    .split("\n")
    .map((line) => /^\| `([^`]+)` +\|(?:[^|\\]|\\.)*\| (.*) \|$/.exec(line))
    .flatMap((row) => (row === null ? [] : [[row[1] ?? "", (row[2] ?? "").trim()] as const]))
}

const tables: ReadonlyArray<readonly [heading: string, kind: SchemaKind, prefix: string]> = [
  ["A provider", "provider", ""],
  ["The key, in `auth`", "provider", "auth."],
  ["An operation, in `operations`", "provider", "operations."],
  ["A sample, in `operations.samples`", "provider", "operations.samples."],
  ["A job", "job", ""]
]

describe("docs/providers.md", () => {
  for (const kind of ["provider", "job"] as const)
    it(`names every field of the manifest of a ${kind}, and no other`, () => {
      const named = tables
        .filter((table) => table[1] === kind)
        .flatMap(([heading, , prefix]) => rowsUnder(heading).map(([field]) => `${prefix}${field}`))
      assert.deepStrictEqual([...named].sort(), [...fieldsOf(kind)].sort())
    })

  it("gives an example of each field", () => {
    for (const [heading] of tables)
      for (const [field, example] of rowsUnder(heading)) assert.match(example, /^`.+`$/, `${heading}: ${field}`)
  })

  it("links every example manifest", () => {
    for (const file of readdirSync(join(root, "examples", "providers")))
      assert.include(page, `](../examples/providers/${file})`)
  })
})
