/**
 * The checker against the official JSON-Schema-Test-Suite, draft 2020-12 (commit 44401e0c of
 * github.com/json-schema-org/JSON-Schema-Test-Suite, MIT licence beside the files). `schemaSuite` holds its files for
 * the keywords and formats that schemas of operations may have, each group on one line. Every result that differs from
 * the suite's, and every schema that is refused, stands in `schemaSuite/differences.json` with its reason.
 */
import { assert, describe, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { isObject, Json, type JsonObject } from "../../../src/domain/Json.js"
import { readJson, withNumbers } from "../../../src/domain/LosslessJson.js"
import { answerCheckFor, checkFor } from "../../../src/layers/providers/schemas/Schema.js"
import { checkVocabulary } from "../../../src/layers/providers/SchemaVocabulary.js"

const folder = new URL("./schemaSuite/", import.meta.url)
const textOf = (path: string): string => fs.readFileSync(new URL(path, folder), "utf8")

const Groups = Schema.Array(
  Schema.Struct({
    description: Schema.String,
    schema: Json,
    tests: Schema.Array(Schema.Struct({ description: Schema.String, data: Json, valid: Schema.Boolean }))
  })
)
const Differences = Schema.Struct({
  refused: Schema.Array(Schema.Struct({ why: Schema.String, groups: Schema.Array(Schema.String) })),
  differs: Schema.Array(Schema.Struct({ why: Schema.String, cases: Schema.Array(Schema.String) }))
})
const decodedGroups = Schema.decodeUnknownSync(Groups)
const expected = Schema.decodeUnknownSync(Differences)(JSON.parse(textOf("differences.json")))

/** The schema of the suite as that of a member: inputs are objects. Numbers of manifests are JavaScript's. */
const around = (schema: Json): JsonObject => {
  const plain = withNumbers(schema)
  if (!isObject(plain)) return { properties: { v: plain } }
  const { $schema: _, ...rest } = plain
  return { properties: { v: rest } }
}

type Subject = "input" | "answer"
const subjects: { readonly [folder: string]: ReadonlyArray<Subject> } = {
  keywords: ["input", "answer"],
  // Formats are looked at in inputs, and are annotations in answers.
  annotations: ["answer"],
  formats: ["input"]
}

const files = Object.keys(subjects).flatMap((kind) =>
  fs
    .readdirSync(new URL(`${kind}/`, folder))
    .sort()
    .map((file) => `${kind}/${file}`)
)

/** What is refused of a file, and which results differ from the suite's. */
const ranFile = (file: string, of: ReadonlyArray<Subject>) => {
  const text = textOf(file)
  const refused = new Set<string>()
  const differs = new Set<string>()
  for (const subject of of)
    // Each check gets data of its own, because it sets defaults.
    for (const { description, schema, tests } of decodedGroups(Either.getOrThrow(readJson(text)))) {
      const whole = around(schema)
      const group = `${file}: ${description}`
      if (checkVocabulary(whole, "values").problems.length > 0) {
        refused.add(group)
        continue
      }
      const check = subject === "input" ? checkFor(whole) : answerCheckFor(whole)
      for (const { data, description: what, valid } of tests)
        if ((check({ v: data }) === null) !== valid) differs.add(`${subject}: ${group}: ${what}`)
    }
  return { refused: [...refused].sort(), differs: [...differs].sort() }
}

describe("the checker and the official test suite of JSON Schema say the same", () => {
  for (const file of files)
    it(`${file}, except for the differences that are written down`, () => {
      const ofFile = (line: string): boolean => line.includes(`${file}: `)
      assert.deepStrictEqual(ranFile(file, subjects[path.dirname(file)] ?? []), {
        refused: expected.refused.flatMap(({ groups }) => groups.filter(ofFile)).sort(),
        differs: expected.differs.flatMap(({ cases }) => cases.filter(ofFile)).sort()
      })
    })

  it("and every difference that is written down is of one of these files", () => {
    const named = [
      ...expected.refused.flatMap(({ groups }) => groups),
      ...expected.differs.flatMap(({ cases }) => cases)
    ]
    assert.deepStrictEqual(
      named.filter((line) => !files.some((file) => line.includes(`${file}: `))),
      []
    )
  })
})
