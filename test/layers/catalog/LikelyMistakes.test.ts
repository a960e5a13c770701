import { assert, describe, it } from "@effect/vitest"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect } from "effect"
import { builtInCatalog } from "../../../src/layers/catalog/BuiltInCatalog.js"
import { readCatalog } from "../../../src/layers/catalog/CatalogFiles.js"
import { likelyJobMistakes, likelyMisnamed, likelyMistakes } from "../../../src/layers/catalog/LikelyMistakes.js"
import { builtInContent } from "../../../src/layers/compose/BuiltInContent.js"
import { endpoint, job } from "../../support/catalog.js"

const book = job("book.find", { needs: [["title"], ["isbn"]], exampleInput: { title: "Emma" } })
const input = { type: "object", properties: { name: { type: "string" }, page: { type: "integer" } } }
const warned = (operation: object) =>
  likelyMistakes([endpoint({ id: "books", job: book.id, input, ...operation })], [book]).map(
    ({ message, path }) => `${path}: ${message}`
  )

describe("a check of a catalog warns of", () => {
  it("a binding of a field that the input does not have", () => {
    assert.deepStrictEqual(warned({ bindings: { nam: { in: "query", name: "title" } } }), [
      "bindings.nam: the input has no field nam; did you mean name?"
    ])
    const open = { ...input, additionalProperties: true }
    assert.lengthOf(warned({ input: open, bindings: { nam: { in: "query", name: "title" } } }), 1)
    assert.deepStrictEqual(warned({ bindings: { shelf: { in: "query", name: "shelf" } } }), [
      "bindings.shelf: the input has no field shelf"
    ])
  })

  it("a name of a job that leads to no field, or that the job has in another spelling", () => {
    assert.deepStrictEqual(warned({ accepts: { title: "nmae" } }), [
      "accepts.title: the input has no field nmae; did you mean name?"
    ])
    assert.deepStrictEqual(warned({ accepts: { titel: "name" } }), [
      "accepts.titel: the job has no field titel; did you mean title?"
    ])
  })

  it("an example of a job that the job itself would refuse", () => {
    assert.deepStrictEqual(likelyJobMistakes([{ ...book, exampleInput: { titel: "Emma" } }]), [
      {
        subject: "job book.find",
        path: "exampleInput",
        message: "has none of the sets of fields that the job needs: title, or isbn"
      }
    ])
  })

  it("a job in a file of another name", () => {
    assert.deepStrictEqual(
      likelyMisnamed(
        new Map([
          ["book.find", "/c/jobs/books.yaml"],
          ["book.lend", "/c/jobs/book.lend.yaml"],
          ["book.sell", "/c/jobs/book.sell.yml"]
        ])
      ),
      [
        {
          file: "/c/jobs/books.yaml",
          path: "id",
          message: "is book.find: the file of this job should be called book.find.yaml"
        }
      ]
    )
  })

  it("nothing that an operation may well mean", () => {
    for (const sound of [
      { bindings: { name: { in: "query", name: "title" } }, accepts: { title: "name", titel: "name" } },
      { bindings: { shelf: { in: "query", name: "shelf" } }, extras: ["shelf"] },
      { accepts: { author: "name" } },
      {
        bindings: { after: { in: "query", name: "after" } },
        pages: { items: "body.data", size: 10, next: { by: "cursor", cursor: "body.next", field: "after" } }
      },
      { input: { ...input, additionalProperties: true }, bindings: { shelf: { in: "query", name: "shelf" } } },
      {
        input: { ...input, anyOf: [{ properties: { shelf: { type: "string" } } }, { required: ["name"] }] },
        bindings: { shelf: { in: "query", name: "shelf" } }
      }
    ])
      assert.deepStrictEqual(warned(sound), [])
  })

  it.effect("nothing of the built-in catalog", () =>
    Effect.map(Effect.all([builtInContent("all"), readCatalog([builtInCatalog])]), ([{ endpoints, jobs }, read]) => {
      assert.deepStrictEqual([likelyMistakes(endpoints, jobs), likelyJobMistakes(jobs)], [[], []])
      assert.deepStrictEqual([read.jobFiles.size, likelyMisnamed(read.jobFiles)], [jobs.length, []])
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
