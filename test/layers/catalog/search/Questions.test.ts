import { readFileSync } from "node:fs"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parse } from "yaml"
import { operationsOf, questionFiles, readOwnQuestions } from "../../../../bench/search/OwnQuestions.js"
import { readCatalog } from "../../../../src/layers/catalog/CatalogFiles.js"
import { AskingFile } from "../../../../src/layers/catalog/search/Vocabulary.js"

/** As many words in a row may stand in a question and in the catalog by chance. */
const longestCommonRun = 3

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
const runsOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.slice(longestCommonRun).map((_, at) => words.slice(at, at + longestCommonRun + 1).join(" "))

const content = await Effect.runPromise(Effect.provide(readCatalog(["catalog"]), NodeContext.layer))
const asking = Schema.decodeUnknownSync(AskingFile)(parse(readFileSync("catalog/asking.yaml", "utf8")))
const files = Object.values(questionFiles)
const all = files.flatMap((file) => readOwnQuestions(file))

describe("The questions that the search is measured with", () => {
  for (const file of files) {
    it(`${file} holds at least 150 questions of at least 15 trades`, () => {
      const questions = readOwnQuestions(file)
      assert.isAtLeast(questions.length, 150)
      assert.isAtLeast(new Set(questions.map(({ trade }) => trade)).size, 15)
    })
  }

  it("asks nothing twice, also not in the two files", () => {
    const asked = all.map(({ query }) => wordsOf(query).join(" "))
    assert.deepStrictEqual(
      asked.filter((query, at) => asked.indexOf(query) !== at),
      []
    )
  })

  it("labels each question with jobs and operations of the catalog, and each of them once", () => {
    const wrong = all.filter(({ exact, useful }) => {
      const labels = [...exact, ...useful]
      return new Set(labels).size < labels.length || labels.some((label) => operationsOf(label, content).length === 0)
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("asks for every job of the catalog", () => {
    const asked = new Set(all.flatMap(({ exact }) => exact.flatMap((label) => operationsOf(label, content))))
    const missing = content.jobs.filter(
      ({ id }) => !operationsOf(id, content).some((operation) => asked.has(operation))
    )
    assert.deepStrictEqual(
      missing.map(({ id }) => id),
      []
    )
  })

  it(`shares at most ${longestCommonRun} words in a row with any text of the catalog`, () => {
    const texts = [
      ...content.jobs.flatMap(({ description, phrases, title }) => [title, description, ...phrases]),
      ...content.endpoints.flatMap(({ operation }) => [operation.name, operation.summary]),
      ...Object.values(asking).flat()
    ].map(wordsOf)
    const runs = new Set(texts.flatMap(runsOf))
    const whole = new Set(texts.map((words) => words.join(" ")))
    const copied = all.filter(({ query }) => {
      const words = wordsOf(query)
      return whole.has(words.join(" ")) || runsOf(words).some((run) => runs.has(run))
    })
    assert.deepStrictEqual(
      copied.map(({ query }) => query),
      []
    )
  })
})
