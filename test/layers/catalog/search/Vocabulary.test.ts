import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { parse } from "yaml"
import { AskingFile, VocabularyFile } from "../../../../src/layers/catalog/search/Vocabulary.js"

const file = Schema.decodeUnknownSync(VocabularyFile)(parse(readFileSync("catalog/vocabulary.yaml", "utf8")))
const asking = Schema.decodeUnknownSync(AskingFile)(parse(readFileSync("catalog/asking.yaml", "utf8")))

describe("The general vocabulary", () => {
  it("has groups of at least two words and relations that lead somewhere", () => {
    assert.isTrue(file.same.every((group) => group.length >= 2))
    assert.isTrue(file.related.every(({ use, when }) => use.length > 0 && when.length > 0))
  })

  it("says of every job that the catalog describes, and of no other, how people ask for it", () => {
    const described = readdirSync("catalog/jobs").map((name) => name.replace(/\.yaml$/, ""))
    assert.deepStrictEqual(Object.keys(asking).sort(), described.sort())
  })

  it("gives no phrase to two jobs, and none twice", () => {
    const phrases = Object.values(asking).flat()
    assert.deepStrictEqual(
      phrases.filter((phrase, at) => phrases.indexOf(phrase) !== at),
      []
    )
  })

  it("holds words and short phrases, not requests", () => {
    const phrases = [
      ...file.same.flat(),
      ...file.related.flatMap(({ use, when }) => [...when, ...use]),
      ...Object.values(asking).flat()
    ]
    assert.deepStrictEqual(
      phrases.filter((phrase) => phrase.split(/\s+/).length > 8),
      []
    )
  })
})
