import { assert, describe, it } from "@effect/vitest"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect } from "effect"
import { builtInCatalog } from "../../../src/layers/catalog/BuiltInCatalog.js"
import { readCatalog } from "../../../src/layers/catalog/CatalogFiles.js"
import { lintCatalog } from "../../../src/layers/catalog/CatalogLint.js"
import { likelyUnreached } from "../../../src/layers/catalog/JobReach.js"
import {
  likelyJobMistakes,
  likelyMisnamed,
  likelyMistakes,
  likelyUnshown,
  providerFiles
} from "../../../src/layers/catalog/LikelyMistakes.js"
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

  it("a path that needs a field which the input does not have or may leave out, or writes a placeholder in another way", () => {
    const needed = { ...input, required: ["name"] }
    const path = (path: string, more: object = {}) => warned({ input: needed, path, ...more })
    assert.deepStrictEqual(path("/books/{nam}"), ["path: the input has no field nam; did you mean name?"])
    assert.deepStrictEqual(path("/books/:name/x"), ["path: a placeholder is written {name}, and not :name"])
    assert.deepStrictEqual(path("/books/${name}"), ["path: a placeholder is written {name}, and not ${name}"])
    assert.deepStrictEqual(path("/books/{page}"), [
      "input: the path needs page: name it under required, or give it a default"
    ])
    assert.deepStrictEqual(path("/books/{at}", { bindings: { page: { in: "path", name: "at" } } }), [
      "input: the path needs page: name it under required, or give it a default"
    ])
    for (const right of [
      path("/books/{name}"),
      path("/books/{title}", { bindings: { name: { in: "path", name: "title" } } }),
      path("/books/{kind}", { fixed: [{ in: "path", name: "kind", value: "old" }] }),
      path("/books/{page}", {
        input: { type: "object", properties: { page: { type: "integer", default: 1 } } }
      }),
      path("/{key}/books", { provider: { auth: { type: "path", name: "key" }, platformKey: false } }),
      path("/books:search/:page_1/$x"),
      path("/books/{page}", { input: { ...input, anyOf: [{ required: ["page"] }, { required: ["page", "name"] }] } }),
      path("/books/{at}", {
        input: { ...input, oneOf: [{ required: ["page"] }, { required: ["name"] }] },
        bindings: { page: { in: "path", name: "at" }, name: { in: "path", name: "at" } }
      }),
      path("/books/{page}", { input: { ...input, if: { required: ["name"] }, then: { required: ["page"] } } })
    ])
      assert.deepStrictEqual(right, [])
  })

  it("a name of a job that leads to no field, or that the job has in another spelling", () => {
    assert.deepStrictEqual(warned({ accepts: { title: "nmae" } }), [
      "accepts.title: the input has no field nmae; did you mean name?"
    ])
    assert.deepStrictEqual(warned({ accepts: { titel: "name" } }), [
      "accepts.titel: the job has no field titel; did you mean title?"
    ])
  })

  it("a hit that costs more than the price allows", () => {
    const hit = (body: object) => ({ hit: { input: { name: "Emma" }, body, outcome: "hit" } })
    const priced = (samples: object, maxMicros = 10_000) =>
      warned({
        price: { basis: "per_call", micros: 5000, maxMicros, source: "test" },
        response: { costMicros: "body.credits * `5000`" },
        samples
      })
    assert.deepStrictEqual(priced(hit({ credits: 3 })), [
      "samples.hit: costs $0.015, which is above price.maxMicros ($0.01): the rest would not be charged"
    ])
    assert.deepStrictEqual(priced(hit({ credits: 2 })), [])
    assert.deepStrictEqual(priced({}), [])
  })

  it("a cost of a hit that was written in dollars", () => {
    const priced = (costMicros: string, more: object = {}) =>
      warned({
        price: { basis: "per_call", micros: 5000, maxMicros: 9_000_000, source: "test", ...more },
        response: { costMicros },
        samples: { hit: { input: { name: "Emma" }, body: { usd: 0.005, credits: 4, much: 2.5 }, outcome: "hit" } }
      })
    assert.deepStrictEqual(priced("body.usd"), [
      "response.costMicros: tells 0.005 micros in samples.hit, which charges nothing: micros are millionths of a dollar, so $0.004 is 4000"
    ])
    assert.deepStrictEqual(priced("body.much"), [
      "response.costMicros: tells 2.5 micros in samples.hit, where the price is 5000: micros are millionths of a dollar, so $0.004 is 4000"
    ])
    for (const right of ["body.usd * `1000000`", "body.credits * `100`", "body.credits * `0`"])
      assert.deepStrictEqual(priced(right), [], right)
    // By input, a small call may cost far less than a usual one.
    assert.deepStrictEqual(priced("body.much", { byInput: "length(input.name)" }), [])
  })

  it("a cost that is read from what no sample of a hit has", () => {
    const read = (costMicros: string, body: unknown = { credits: 4, items: [{ cost: 5 }] }, more: object = {}) =>
      warned({
        response: { costMicros },
        samples: { hit: { input: { name: "Emma" }, body, outcome: "hit" } },
        ...more
      })
    assert.deepStrictEqual(read("body.credit * `5000`"), [
      "response.costMicros: reads credit, which no sample of a hit has; did you mean credits?"
    ])
    assert.deepStrictEqual(read("body.usage.tokens * `5`"), [
      "response.costMicros: reads usage and tokens, which no sample of a hit has"
    ])
    for (const right of [
      "body.credits * `5000`",
      "(body.spent || body.credits) * `5000`",
      "sum(body.items[*].cost)",
      // Samples often leave headers out.
      'to_number(headers."x-credits") * `5`',
      "body && input.page * `5` || `null`"
    ])
      assert.deepStrictEqual(read(right), [], right)
    assert.deepStrictEqual(read("body.credit", "<a><credit>1</credit></a>"), [])
    assert.deepStrictEqual(read("body.credit", {}, { provider: { mock: true } }), [])
  })

  it("an example that does not fit its schema", () => {
    const shown = { type: "object", properties: { name: { type: "string", examples: ["Emma", 5] } } }
    assert.deepStrictEqual(warned({ input: shown }), [
      "input.properties.name.examples.1: does not fit its schema: must be text"
    ])
  })

  it("rules for fields that the input or the output does not have, and a category in another spelling", () => {
    assert.deepStrictEqual(warned({ ownKeyOnly: ["nmae"] }), [
      "ownKeyOnly: the input has no field nmae; did you mean name?"
    ])
    const output = { fields: { title: "body.title", kind: "body.kind" } }
    assert.deepStrictEqual(warned({ output: { ...output, values: { knd: { a: "b" } }, single: ["isbn"] } }), [
      "output.values.knd: output.fields has no knd; did you mean kind?",
      "output.single: output.fields has no isbn"
    ])
    assert.deepStrictEqual(warned({ output: { ...output, values: { kind: { a: "b" } }, single: ["title"] } }), [])
    const categories = (...names: ReadonlyArray<string>) =>
      likelyJobMistakes(names.map((category, at) => job(`job.${at}`, { category }))).map(
        ({ message, path, subject }) => `${subject} ${path}: ${message}`
      )
    assert.deepStrictEqual(categories("developer", "developer", "devloper"), [
      "job job.2 category: no other job is in devloper; did you mean developer?"
    ])
    assert.deepStrictEqual(categories("developer", "web", "people", "people"), [])
    assert.deepStrictEqual(warned({ category: "boook" }), ["category: no job is in boook; did you mean book?"])
    assert.deepStrictEqual(warned({ category: "Book" }), ["category: no job is in Book; did you mean book?"])
    for (const category of ["book", "weather"]) assert.deepStrictEqual(warned({ category }), [])
  })

  it("a division by what was meant to be multiplied", () => {
    assert.deepStrictEqual(warned({ response: { costMicros: "ceil(body.seconds / `60` * `3000`)" } }), [
      "response.costMicros: divides by `60` * `3000`, because a product is worked out before a division: write brackets"
    ])
    assert.deepStrictEqual(warned({ output: { fields: { share: "body.score / body.max * `100`" } } }), [
      "output.fields.share: divides by body.max * `100`, because a product is worked out before a division: write brackets"
    ])
    assert.deepStrictEqual(warned({ output: { fields: { kind: "body.kind == 'a/b*c'" } } }), [])
    for (const costMicros of ["body.seconds * `3000` / `60`", "ceil(body.n / `10`) * `5`", "(body.n / `10`) * `5`"])
      assert.deepStrictEqual(warned({ response: { costMicros } }), [])
  })

  it("a price that nobody can mean", () => {
    const priced = (price: object) => warned({ price: { source: "https://example.com/pricing", ...price } })
    assert.deepStrictEqual(priced({ basis: "per_call", micros: 9_007_199_254_740_991 }), [
      "price: is $9007199254.740991 for one call: micros are millionths of a dollar, so $0.004 is 4000"
    ])
    assert.deepStrictEqual(priced({ basis: "per_call", micros: 0 }), [
      "price.basis: is per_call at a price of 0: write basis: free, or the price"
    ])
    for (const right of [
      { basis: "per_call", micros: 900_000_000 },
      { basis: "per_result", micros: 0, perCallMicros: 5 },
      { basis: "free", micros: 0 }
    ])
      assert.deepStrictEqual(priced(right), [])
  })

  it("an operation that is free under a key of the gateway, unless a source says that it costs nothing", () => {
    const key = { auth: { type: "bearer" } }
    const free = { basis: "free", micros: 0 }
    assert.deepStrictEqual(warned({ provider: key, price: free }), [
      "price: is free under a key of the gateway, whose owner pays then for every run: give it a price, or the source that says that it costs nothing"
    ])
    for (const right of [
      { provider: key, price: { ...free, source: "https://example.com/pricing" } },
      { provider: { ...key, platformKey: false }, price: free },
      { price: free }
    ])
      assert.deepStrictEqual(warned(right), [])
  })

  it("a cost that is told whatever the answer says, which would charge failures", () => {
    const costing = (costMicros: string, more: object = {}) => warned({ response: { costMicros }, ...more })
    const constant =
      "response.costMicros: reads nothing of the answer, so failures would be charged too: let it be null where the answer tells no cost, such as (body.id && `3000`) || `null`"
    const paged = { input: { ...input, required: ["page"] } }
    for (const source of [
      "`3000`",
      "'3000'",
      "`1000` * `3`",
      "'body' && `3000`",
      "max([`1`, `2`])",
      "`{}` | body || `5`"
    ])
      assert.deepStrictEqual(costing(source), [constant], source)
    for (const source of ["input.page * `3`", "$.input.page * `3`", "input.body || `3`", "(@).input.page * `3`"])
      assert.deepStrictEqual(costing(source, paged), [constant], source)
    assert.match(
      costing("body.credits || `3000`").join(),
      /tells \$0\.003 of an error without a body \(status 502\), so/
    )
    assert.match(costing("body.error && `0` || `2`").join(), /tells \$0\.000002 of an error/)
    for (const source of [
      "`0`",
      "`null`",
      "body.cost",
      "@.body.cost",
      "$.body.cost",
      "(body.id && `3000`) || `null`",
      "status == `200` && `3000` || `null`",
      'to_number(headers."x-cost")',
      "input.page * body.credits",
      "sum(body.items[*].cost)",
      "let $b = body in $b.cost",
      "{ n: body.credits } | n * `1000`",
      "input | $.body.cost",
      "max([`150`, length(body.tweets) * `150`])"
    ])
      assert.deepStrictEqual(costing(source, paged), [], source)
  })

  it.live("an output field that the job has in another spelling", () =>
    Effect.map(
      lintCatalog({
        endpoints: [
          endpoint({
            id: "books",
            job: book.id,
            provider: { mock: true },
            output: { fields: { titel: "body.t", x: "body.x" } }
          })
        ],
        jobs: [job("book.find", { fields: { title: "What it is called." } })]
      }),
      (problems) =>
        assert.deepStrictEqual(
          problems.map(({ message, path }) => `${path}: ${message}`),
          [
            "output.fields.titel: the job book.find has no such field; did you mean title?",
            "output.fields.x: the job book.find has no such field"
          ]
        )
    )
  )

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
        "job",
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

  it("a provider in a file of another name, and operations without a sample", () => {
    const sample = { input: { name: "Ada" }, body: { ok: true }, outcome: "hit" }
    const endpoints = [
      endpoint({ id: "a", provider: { id: "shop" } }),
      endpoint({ id: "b", provider: { id: "shop" } }),
      endpoint({ id: "c", provider: { id: "bank" }, samples: { hit: sample } }),
      endpoint({ id: "d", provider: { id: "play", mock: true } })
    ]
    const sources = new Map(
      ["/c/providers/store.yaml", "/c/providers/store.yaml", "/c/providers/bank.yaml", "/c/providers/toy.yaml"].map(
        (file, at) => ["abcd".charAt(at), { file, at: `operations.${at}` }] as const
      )
    )
    assert.deepStrictEqual(likelyMisnamed("provider", providerFiles({ endpoints, sources })), [
      {
        file: "/c/providers/store.yaml",
        path: "id",
        message: "is shop: the file of this provider should be called shop.yaml"
      }
    ])
    assert.deepStrictEqual(likelyUnshown({ endpoints, sources }), [
      {
        file: "/c/providers/store.yaml",
        path: "operations",
        message: "no sample shows what is made of an answer of a, b"
      }
    ])
  })

  it("an operation that no input of its job reaches", () => {
    const reached = (needs: object, schema: object, more: object = {}) =>
      likelyUnreached(
        [endpoint({ id: "books", job: "book.find", input: { type: "object", ...schema }, ...more })],
        [job("book.find", needs)]
      ).map(({ message, path }) => `${path}: ${message}`)
    const text = { type: "string" }
    const q = { required: ["q"], properties: { q: text } }
    assert.deepStrictEqual(reached({ needs: [["title"], ["isbn"]] }, q), [
      "job: no set of fields of book.find fills q, so no run of the job can take this operation: name what fills it in accepts, or give it a default"
    ])
    assert.deepStrictEqual(reached({ needs: [["title"]] }, q, { accepts: { title: "q" } }), [])
    assert.deepStrictEqual(reached({ needs: [["title"]] }, { ...q, properties: { q: { ...text, default: "x" } } }), [])
    // What a job has by its common names, the mapping makes of them: parts of a name, the domain of an address.
    const parts = { required: ["first_name", "last_name", "domain"] }
    const properties = { first_name: text, last_name: text, domain: text }
    assert.deepStrictEqual(reached({ needs: [["name", "url"]] }, { ...parts, properties }), [])
    assert.lengthOf(reached({ needs: [["name"]] }, { ...parts, properties }), 1)
    // Several sets may be given at once, and of several choices one is enough.
    assert.deepStrictEqual(
      reached(
        { needs: [["title"], ["year"]] },
        { required: ["title", "year"], properties: { title: text, year: text } }
      ),
      []
    )
    const choices = { anyOf: [{ required: ["isbn", "shelf"] }, { required: ["ean"] }] }
    assert.match(
      reached({ needs: [["title"]] }, { ...choices, properties: { isbn: text, ean: text } })[0] ?? "",
      / fills ean,/
    )
    assert.deepStrictEqual(reached({ needs: [["ean"]] }, { ...choices, properties: { isbn: text, ean: text } }), [])
    assert.deepStrictEqual(reached({ needs: [] }, q), [])
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
      assert.deepStrictEqual(likelyUnreached(endpoints, jobs), [])
      assert.deepStrictEqual([read.jobFiles.size, likelyMisnamed("job", read.jobFiles)], [jobs.length, []])
      assert.deepStrictEqual([likelyMisnamed("provider", providerFiles(read)), likelyUnshown(read)], [[], []])
      assert.isAbove(providerFiles(read).length, 150)
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
