// Operations whose provider gives its results in pages: asked for one after the other, and answered as one.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeJson } from "../../../src/domain/LosslessJson.js"
import { answerCheckOf, joinedCheckOf } from "../../../src/layers/providers/AnswerSchema.js"
import { endpointOf, json, platformKey, serve } from "./support.js"
import {
  shape,
  byCursor,
  parameter,
  numberOf,
  listOf,
  call,
  trail,
  valueOf,
  idsIn,
  nextIn,
  upTo,
  reasonOf,
  isComplete,
  costOf,
  heldFor
} from "./PagesStage.js"

describe("reading in pages", () => {
  it.scopedLive("asks until the volume is reached, the last page for the rest, and answers as one", () =>
    Effect.gen(function* () {
      const provider = yield* serve(listOf(100))
      const options = { operation: shape(byCursor), input: { q: "x", limit: 25 } }
      const end = yield* call(provider, options)
      assert.deepStrictEqual(trail(provider), [
        "/v1/things?q=x&limit=10",
        "/v1/things?q=x&limit=10&at=10",
        "/v1/things?q=x&limit=5&at=20"
      ])
      assert.deepStrictEqual(valueOf(end), {
        total: 100,
        data: { things: upTo(25).map((id) => ({ id })) },
        answer: "only on the first page",
        next: 25
      })
      assert.isTrue(isComplete(end))
      assert.strictEqual(reasonOf(end), "The provider answered. It was read in 3 pages.")
      assert.strictEqual(heldFor(options), 3000)
      assert.strictEqual(costOf(end, options, 3000), 3000)
    })
  )

  const types = ["application/vnd.api+json", 'Application/Vnd.Api+JSON; charset="utf-16"; profile="x"', null] as const
  for (const type of types)
    it.scopedLive(`joins pages that come as ${type ?? "no type"}, where the operation allows its own JSON alone`, () =>
      Effect.gen(function* () {
        const provider = yield* serve((seen, response) => {
          const start = numberOf(seen, "at", 0)
          const things = upTo(10).map((id) => ({ id: start + id, name: "Zoë" }))
          const text = JSON.stringify({ data: { things }, next: start + 10 })
          response
            .writeHead(200, type === null ? {} : { "content-type": type })
            .end(type?.includes("utf-16") === true ? Buffer.from(text, "utf16le") : text)
        })
        const operation = { ...shape(byCursor), contentTypes: ["application/vnd.api+json"] }
        const options = { operation, input: { limit: 30 } }
        const end = yield* call(provider, options)
        assert.strictEqual(reasonOf(end), "The provider answered. It was read in 3 pages.")
        assert.deepStrictEqual([idsIn(end), isComplete(end)], [upTo(30), true])
        assert.include(JSON.stringify(valueOf(end)), "Zoë")
        assert.strictEqual(costOf(end, options, 3000), 3000)
      })
    )

  it.scopedLive("joins pages that are large together, to the digit and the character", () =>
    Effect.gen(function* () {
      const item = (at: number) => `{"id":1234567890123456789${at},"text":"${"Zoë 🙂 ".repeat(2000)}"}`
      const provider = yield* serve((seen, response) => {
        const start = numberOf(seen, "at", 0)
        const items = upTo(10).map((id) => item(10 + start + id))
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(`{"data":{"things":[${items.join(",")}]},"next":${start + 10}}`)
      })
      const end = yield* call(provider, { operation: shape(byCursor), input: { limit: 30 } })
      assert.isTrue(isComplete(end))
      assert.strictEqual(
        writeJson(valueOf(end)),
        `{"data":{"things":[${upTo(30).map((at) => item(10 + at))}]},"next":30}`
      )
    })
  )

  it.scopedLive("ends at an empty page, also where the rules take an empty list for no success", () =>
    Effect.gen(function* () {
      const operation = shape({ next: { by: "page", field: "at" } }, { response: { success: "body.data.things" } })
      const paged = yield* serve((seen, response) => {
        const things =
          numberOf(seen, "at", 1) > 2 ? [] : upTo(10).map((id) => ({ id: id + 10 * numberOf(seen, "at", 1) }))
        json(response, 200, { data: { things } })
      })
      const end = yield* call(paged, { operation, input: { limit: 35 } })
      assert.lengthOf(idsIn(end), 20)
      assert.isTrue(isComplete(end))
      assert.lengthOf(paged.requests, 3)
    })
  )

  const emptyEnds: ReadonlyArray<readonly [what: string, response: object]> = [
    ["a miss by its rule", { miss: "body.data.things == `[]`" }],
    ["a page with nothing in it", {}],
    ["no success by its rule", { success: "body.data.things" }]
  ]
  for (const [what, response] of emptyEnds)
    it.scopedLive(`costs nothing per result for the empty page that ends it, where a miss is billed: ${what}`, () =>
      Effect.gen(function* () {
        const paged = yield* serve((seen, answer) =>
          json(answer, 200, { data: { things: numberOf(seen, "at", 1) > 1 ? [] : upTo(10).map((id) => ({ id })) } })
        )
        const priced = (counted: object) => ({
          operation: shape(
            { next: { by: "page", field: "at" } },
            {
              price: { basis: "per_result", micros: 1000, source: "https://price.test" },
              response: { ...response, ...counted, billsMiss: true }
            }
          ),
          input: { limit: 35 }
        })
        const options = priced({ resultCount: "length(body.data.things)" })
        const end = yield* call(paged, options)
        assert.deepStrictEqual([idsIn(end), isComplete(end), paged.requests.length], [upTo(10), true, 2])
        assert.strictEqual(costOf(end, options, heldFor(options)), 10_000)
        assert.strictEqual(end._tag === "Answered" && end.resultCount, 10)
        const untold = yield* call(paged, priced({}))
        assert.isNull(untold._tag === "Answered" && untold.resultCount, "nobody counted the results")
      })
    )

  it.scopedLive("keeps what came before a cursor that cannot stand in an address, and says so", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_seen, response) =>
        json(response, 200, { data: { things: upTo(10).map((id) => ({ id })) }, next: "c\ud800" })
      )
      const end = yield* call(provider, { operation: shape(byCursor), input: { limit: 35 } })
      assert.deepStrictEqual(idsIn(end), upTo(10))
      assert.include(reasonOf(end), "It is not all: its cursor holds half a character.")
    })
  )

  it.scopedLive("says that results were left out, because what comes next leads past them", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) => {
        const start = numberOf(seen, "at", 0)
        json(response, 200, { data: { things: upTo(10).map((id) => ({ id: start + id })) }, next: start + 10 })
      })
      const end = yield* call(provider, { operation: shape(byCursor), input: { limit: 15 } })
      assert.deepStrictEqual(idsIn(end), upTo(15))
      assert.include(reasonOf(end), "what the answer says of a next page leads past them")
    })
  )

  it.scopedLive("sends an input that one page serves as it is, and leaves its answer as it came", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_seen, response) =>
        json(response, 200, { data: { things: [{ id: 1 }] }, next: "there is more" })
      )
      const paged = yield* call(provider, { operation: shape(byCursor), input: { limit: 10 } })
      const { pages: _, ...plain } = shape(byCursor)
      assert.deepStrictEqual(paged, yield* call(provider, { operation: plain, input: { limit: 10 } }))
      assert.deepStrictEqual(trail(provider), ["/v1/things?limit=10", "/v1/things?limit=10"])
    })
  )

  it.scopedLive("ends when the provider has no more, and says how to go on as the last page does", () =>
    Effect.gen(function* () {
      const provider = yield* serve(listOf(12))
      const end = yield* call(provider, { operation: shape(byCursor), input: { limit: 500 } })
      assert.deepStrictEqual(idsIn(end), upTo(12))
      assert.isTrue(isComplete(end))
      assert.isUndefined(nextIn(end))
      assert.strictEqual(provider.requests.length, 2)
    })
  )

  it.scopedLive("counts page numbers from the client's own, with one size for all pages", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) => {
        const start = (numberOf(seen, "at", 1) - 1) * numberOf(seen, "limit", 10)
        json(response, 200, { data: { things: upTo(10).map((each) => ({ id: start + each })) } })
      })
      const operation = shape({ next: { by: "page", field: "at" } })
      assert.deepStrictEqual(idsIn(yield* call(provider, { operation, input: { limit: 25 } })), upTo(25))
      assert.deepStrictEqual(trail(provider).slice(1), ["/v1/things?limit=10&at=2", "/v1/things?limit=10&at=3"])
      const second = yield* call(provider, { operation, input: { limit: 15, at: 2 } })
      assert.deepStrictEqual(
        idsIn(second),
        upTo(15).map((each) => each + 10)
      )
      assert.deepStrictEqual(trail(provider).slice(3), ["/v1/things?limit=10&at=2", "/v1/things?limit=10&at=3"])
    })
  )

  it.scopedLive("counts an offset by what came, in a JSON body too; a short page is the last", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) => {
        const { from = 1, limit } = JSON.parse(seen.body) as { from?: number; limit: number }
        const things = upTo(Math.min(limit, 23 - from + 1)).map((each) => ({ id: from - 1 + each }))
        json(response, 200, { data: { things } })
      })
      const operation = shape(
        { next: { by: "offset", field: "at", first: 1 } },
        { method: "POST", bindings: { at: { in: "json", name: "from" } } }
      )
      const end = yield* call(provider, { operation, input: { limit: 100 } })
      assert.deepStrictEqual(idsIn(end), upTo(23))
      assert.deepStrictEqual(
        provider.requests.map(({ body }) => body),
        ['{"limit":10}', '{"limit":10,"from":11}', '{"limit":10,"from":21}']
      )
    })
  )

  it.scopedLive("keeps the volume to itself where the provider takes none, and asks while `more` holds", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) => {
        const page = numberOf(seen, "at", 1)
        json(response, 200, {
          data: { things: upTo(4).map((each) => ({ id: page * 4 - 4 + each })) },
          last: page === 3
        })
      })
      const operation = shape({
        next: { by: "page", field: "at" },
        more: "body.last == `false`",
        sendSize: false,
        size: 4
      })
      assert.deepStrictEqual(idsIn(yield* call(provider, { operation, input: { limit: 6 } })), upTo(6))
      assert.deepStrictEqual(trail(provider), ["/v1/things", "/v1/things?at=2"])
      const all = yield* call(provider, { operation, input: { limit: 60 }, heldMicros: 100_000 })
      assert.deepStrictEqual([idsIn(all), isComplete(all)], [upTo(12), true])
    })
  )

  it.scopedLive("follows addresses and Link headers of the provider with the key, which stands once in them", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) => {
        const page = numberOf(seen, "page", 1)
        const next = `/v1/things?page=${page + 1}&key=${parameter(seen, "key")}`
        json(
          response,
          200,
          { data: { things: upTo(10).map((each) => ({ id: page * 10 - 10 + each })) }, next: page < 3 ? next : null },
          page < 3 ? { link: `</v1/things>; rel="first", <${next}>; title="a, b"; rel="next"` } : {}
        )
      })
      for (const next of [{ by: "url", url: "body.next" }, { by: "link" }]) {
        provider.requests.length = 0
        const end = yield* call(provider, {
          operation: shape({ next }),
          provider: { auth: { type: "query", name: "key" } },
          credential: platformKey("secret-key-0001"),
          input: { limit: 500 }
        })
        assert.deepStrictEqual([idsIn(end), isComplete(end)], [upTo(30), true])
        assert.deepStrictEqual(trail(provider).slice(1), [
          "/v1/things?page=2&key=secret-key-0001",
          "/v1/things?page=3&key=secret-key-0001"
        ])
        assert.notInclude(JSON.stringify(end), "secret-key-0001")
      }
    })
  )

  it.scopedLive("finds a relative address from the page that tells it", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) => {
        const page = Number(/\/(\d)$/.exec(seen.url)?.[1] ?? 1)
        const things = upTo(10).map((each) => ({ id: page * 10 - 10 + each }))
        const next = page === 1 ? "/v2/lists/7/2" : page === 2 ? "3" : null
        json(response, 200, { data: { things }, next })
      })
      const end = yield* call(provider, {
        operation: shape({ next: { by: "url", url: "body.next" } }, { path: "/things" }),
        input: { limit: 30 }
      })
      assert.deepStrictEqual(trail(provider), ["/things?limit=10", "/v2/lists/7/2", "/v2/lists/7/3"])
      assert.deepStrictEqual([idsIn(end), isComplete(end)], [upTo(30), true])
    })
  )

  it.scopedLive("of a list that is the whole body joins the lists, and keeps large numbers to the digit", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) => {
        const page = numberOf(seen, "at", 1)
        response.writeHead(200, { "content-type": "application/json; charset=iso-8859-1" })
        response.end(Buffer.from(page === 1 ? '[123456789012345678901,"é"]' : "[12345678901234567890]", "latin1"))
      })
      const end = yield* call(provider, {
        operation: shape({ items: "body", size: 2, next: { by: "page", field: "at" } }, { response: {} }),
        input: { limit: 4 }
      })
      assert.strictEqual(end._tag === "Answered" && end.body._tag, "Json")
      const value = valueOf(end)
      assert.deepStrictEqual(Array.isArray(value) && value.map(String), [
        "123456789012345678901",
        "é",
        "12345678901234567890"
      ])
    })
  )
})

describe("a first page from which cannot be counted on", () => {
  for (const by of ["page", "offset"])
    for (const at of [1e20, "99999999999999999999", 1.5, "x", true, [], {}])
      it.scopedLive(`is refused before the call: ${by} ${JSON.stringify(at)}`, () =>
        Effect.gen(function* () {
          const provider = yield* serve((_, response) => json(response, 200, { data: { things: [{ id: 1 }] } }))
          const result = yield* call(provider, {
            operation: shape({ next: { by, field: "at" } }),
            input: { limit: 25, at }
          })
          assert.strictEqual(result._tag !== "Answered" && result.failure.code, "validation_error")
          assert.include(result._tag === "Answered" ? "" : result.failure.message, "input.at: must be a whole number")
          assert.deepStrictEqual(provider.requests, [])
        })
      )
})

it.scopedLive("a documented schema is that of a page: all of them together may have more results than one", () =>
  Effect.gen(function* () {
    const things = { type: "array", maxItems: 10, uniqueItems: true, items: { type: "object", required: ["id"] } }
    const outputSchema = {
      type: "object",
      required: ["data"],
      properties: { data: { allOf: [{ type: "object", properties: { things } }] } }
    }
    const operation = shape(byCursor, { outputSchema, response: { undocumented: "refuse" } })
    const end = yield* call(yield* serve(listOf(25)), { operation, input: { limit: 30 } })
    assert.deepStrictEqual([idsIn(end), isComplete(end)], [upTo(25), true])
    const endpoint = endpointOf({ operation })
    assert.isNull(joinedCheckOf(endpoint)?.(valueOf(end)))
    assert.deepStrictEqual(answerCheckOf(endpoint)?.(valueOf(end)), {
      place: "body.data.things",
      message: "must have at most 10 items"
    })
    const broken = { data: { things: [...upTo(25).map((id) => ({ id })), {}] } }
    assert.deepStrictEqual(joinedCheckOf(endpoint)?.(broken), { place: "body.data.things[].id", message: "is missing" })
    // A page that breaks it is refused, whatever the others are.
    const long = yield* serve((seen, response) =>
      json(response, 200, {
        data: { things: upTo(numberOf(seen, "at", 0) === 0 ? 10 : 11).map((id) => ({ id, at: seen.url })) },
        next: 1
      })
    )
    const cut = yield* call(long, { operation, input: { limit: 30 } })
    assert.deepStrictEqual([idsIn(cut), isComplete(cut)], [upTo(10), false])
    assert.include(reasonOf(cut), "not as it is documented")
  })
)
