import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { parse } from "yaml"
import { VocabularyFile } from "../../../../src/layers/catalog/search/Vocabulary.js"

const file = Schema.decodeUnknownSync(VocabularyFile)(parse(readFileSync("catalog/vocabulary.yaml", "utf8")))

describe("The general vocabulary", () => {
  it("has groups of at least two words and relations that lead somewhere", () => {
    assert.isTrue(file.same.every((group) => group.length >= 2))
    assert.isTrue(file.related.every(({ use, when }) => use.length > 0 && when.length > 0))
  })

  it("names only jobs that the catalog describes", () => {
    assert.deepStrictEqual(
      Object.keys(file.jobs).filter((job) => !existsSync(`catalog/jobs/${job}.yaml`)),
      []
    )
  })

  it("holds words and short phrases, not requests", () => {
    const phrases = [
      ...file.same.flat(),
      ...file.related.flatMap(({ use, when }) => [...when, ...use]),
      ...Object.values(file.jobs).flatMap(({ ask }) => ask)
    ]
    assert.deepStrictEqual(
      phrases.filter((phrase) => phrase.split(/\s+/).length > 8),
      []
    )
  })
})
