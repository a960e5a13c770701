/**
 * docs/manifest.md names every field of a manifest with its default, its words, its bounds and an example, and no other
 * field; docs/providers.md links every example file.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { isObject, type Json } from "../../src/domain/Json.js"
import { manifestSchema, type SchemaKind } from "../../src/domain/ManifestSchemas.js"
import { root } from "../support/program.js"
import { type Fact, factsOf } from "./manifestFacts.js"

const page = readFileSync(join(root, "docs", "manifest.md"), "utf8")

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

interface FieldRow {
  readonly field: string
  readonly without: string
  readonly means: string
  readonly example: string
}

const rowShape = /^\| `([^`]+)` \| ((?:[^|\\]|\\.)*) \| ((?:[^|\\]|\\.)*) \| (.*) \|$/

const rowsUnder = (heading: string): ReadonlyArray<FieldRow> => {
  const section = page.split(`\n## ${heading}\n`)[1]?.split(/\n## /)[0] ?? ""
  return section.split("\n").flatMap((line) => {
    const [matched, field = "", without = "", means = "", example = ""] = rowShape.exec(line) ?? []
    return matched === undefined ? [] : [{ field, without, means, example: example.trim() }]
  })
}

const tables: ReadonlyArray<readonly [heading: string, kind: SchemaKind, prefix: string]> = [
  ["A provider", "provider", ""],
  ["The key, in `auth`", "provider", "auth."],
  ["An operation, in `operations`", "provider", "operations."],
  ["A sample, in `operations.samples`", "provider", "operations.samples."],
  ["A job", "job", ""]
]

/** A word as a cell has it. */
const shown = (word: string): string => (word === "\t" ? "tab" : `\`${word === "|" ? "\\|" : word}\``)

/** What the page says wrongly of a field. */
const problemsOf = (
  { bounds, without: expected, words }: Fact,
  { means, without }: FieldRow
): ReadonlyArray<string> => [
  ...([...expected].join(", ") === without ? [] : [`its default is ${[...expected].join(", ")}`]),
  ...[...words].filter((word) => !means.includes(shown(word))).map((word) => `it may be ${word}`),
  ...[...bounds].filter((bound) => !means.includes(bound)).map((bound) => `it is ${bound}`)
]

describe("docs/manifest.md", () => {
  for (const kind of ["provider", "job"] as const) {
    const rows = tables
      .filter((table) => table[1] === kind)
      .flatMap(([heading, , prefix]) => rowsUnder(heading).map((row) => ({ ...row, path: `${prefix}${row.field}` })))

    it(`names every field of the manifest of a ${kind}, and no other`, () => {
      assert.deepStrictEqual(rows.map(({ path }) => path).sort(), [...fieldsOf(kind)].sort())
    })

    it(`says the default, the words and the bounds of each field of a ${kind}`, () => {
      const facts = factsOf(kind)
      assert.sameMembers([...facts.keys()], [...fieldsOf(kind)])
      const wrong = rows.flatMap((row) => {
        const fact = facts.get(row.path)
        return fact === undefined ? [] : problemsOf(fact, row).map((problem) => `${row.path}: ${problem}`)
      })
      assert.deepStrictEqual(wrong, [])
    })
  }

  it("gives an example of each field", () => {
    for (const [heading] of tables)
      for (const { example, field } of rowsUnder(heading)) assert.match(example, /^`.+`$/, `${heading}: ${field}`)
  })
})

describe("docs/providers.md", () => {
  it("links every example manifest", () => {
    const providers = readFileSync(join(root, "docs", "providers.md"), "utf8")
    for (const file of readdirSync(join(root, "examples", "providers")))
      assert.include(providers, `](../examples/providers/${file})`)
  })
})
