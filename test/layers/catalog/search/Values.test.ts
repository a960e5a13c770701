/**
 * Questions that give a value, such as a domain or an address: the noun that is said decides the job, and not the
 * value. The requests of docs/agents.md, and those of bench/search/values, over the built-in catalog without keys.
 */
import { readFileSync } from "node:fs"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { servedCatalog, viewer } from "../../../../bench/search/Served.js"
import { readLines } from "../../../../bench/search/Data.js"
import { readCatalog } from "../../../../src/layers/catalog/CatalogFiles.js"
import { valuesOf, type WordsAround } from "../../../../src/layers/catalog/search/ValueWords.js"
import { readVocabulary } from "../../../../src/layers/catalog/VocabularyFiles.js"
import type { Catalog } from "../../../../src/services/Catalog.js"
import type { Discovered } from "../../../../src/domain/Discovered.js"
import { rowsOf } from "../../../docs/tables.js"

interface Question {
  readonly job: string
  readonly question: string
}
const decode = Schema.decodeUnknownSync(
  Schema.parseJson(Schema.Struct({ job: Schema.String, question: Schema.String }), {}),
  { onExcessProperty: "error" }
)
const questionsIn = (file: string): ReadonlyArray<Question> =>
  readLines(`bench/search/values/${file}.jsonl`).map((line) => decode(line))
const requests = rowsOf(readFileSync("docs/agents.md", "utf8"), "How much context a request takes").map(
  ([question = "", , endpointId = ""]): Question => ({ question, job: endpointId.replace(/`|job:/g, "") })
)

let catalog: Catalog["Type"]
beforeAll(async () => {
  catalog = await Effect.runPromise(
    Effect.gen(function* () {
      const vocabulary = yield* readVocabulary("catalog")
      return yield* servedCatalog(yield* readCatalog(["catalog"]), vocabulary)
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
const discover = (q: string): Discovered =>
  Effect.runSync(catalog.discover({ q, limit: 5, prefer: "balanced", maxPriceMicros: null }, viewer))

/** The job of the answer, or the one that it says is left out. */
const jobOf = ({ job, warnings = [] }: Discovered): string | undefined =>
  job?.id ?? warnings.flatMap((warning) => (warning.code === "best_left_out" ? (warning.job?.id ?? []) : []))[0]
const foundOf = (questions: ReadonlyArray<Question>): number =>
  questions.filter(({ job, question }) => jobOf(discover(question)) === job).length

describe("questions with a value", () => {
  it("find the job of the requests of docs/agents.md", () => assert.isAtLeast(foundOf(requests), 18))

  it("find the job of the shown ones, and of those that nothing was changed for", () => {
    assert.isAtLeast(foundOf(questionsIn("shown")), 44)
    assert.isAtLeast(foundOf(questionsIn("held-out")), 39)
  })

  it("find a job that runs as a fixture only, and warn of nothing", () => {
    for (const q of ["find the email of Ada Lovelace at example.com", "email of Ada Lovelace at stripe.com"]) {
      const { job, operations, warnings } = discover(q)
      assert.deepStrictEqual([job?.id, warnings], ["people.email.find", undefined], q)
      assert.strictEqual(operations[0]?.capability, "people.email.find")
    }
  })

  it("score what is listed instead of the best below what would have fitted", () => {
    const { job, operations, warnings } = discover("translate to german")
    assert.isUndefined(job)
    assert.deepInclude(warnings?.[0], { code: "best_left_out" })
    for (const { scores } of operations) assert.isBelow(scores.relevance, 0.7)
  })

  it("are answered with an input to send and the fields that are missing in it", () => {
    const [finder] = discover("find the email of Ada Lovelace at example.com").operations
    assert.deepStrictEqual(finder?.missingInput, ["first_name", "last_name"])
    assert.deepStrictEqual(finder?.usageHints?.givenInputFields, ["domain"])
    for (const { usageHints } of discover("weather in Berlin").operations) assert.isDefined(usageHints?.exampleInput)
  })
})

describe("the values of a query", () => {
  const around: WordsAround = {
    isNetwork: (name) => name === "youtube",
    corrected: (text) => text.replace("whhere", "where").replace("onws", "owns")
  }
  it("are taken out of what is searched for", () => {
    assert.strictEqual(
      valuesOf("verify ada@weather.io for Oslo", around).searched.split(/\s+/).join(" "),
      "verify for Oslo"
    )
    const { kinds, slotted } = valuesOf("who owns example.com", around)
    assert.deepStrictEqual([...kinds], ["web"])
    assert.strictEqual(slotted.trim(), "who owns  {web}")
  })

  it("are recognised by the words around them also where these have a typing error", () => {
    const { asked, beside, slotted } = valuesOf("whhere is 8.8.8.8, and who onws it", around)
    assert.deepStrictEqual(asked, ["locate"])
    assert.strictEqual(slotted.split(/\s+/).join(" "), "where is {ip} , and who owns it")
    assert.include(beside, "whhere")
  })

  it("leave the digits of an address, and the name of a network that has jobs", () => {
    const at = (query: string): string => valuesOf(query, around).searched.trim().split(/\s+/).join(" ")
    assert.strictEqual(at("where is 8.8.8.8?"), "where is 8.8.8.8 ?")
    assert.strictEqual(at("views of https://www.youtube.com/watch?v=abc today"), "views of youtube today")
    assert.strictEqual(at("views of https://example.com/watch?v=abc"), "views of")
  })
})
