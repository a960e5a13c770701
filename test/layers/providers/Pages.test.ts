// Operations whose provider gives its results in pages: asked for one after the other, and answered as one.
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, Schema } from "effect"
import { isObject, type Json } from "../../../src/domain/Json.js"
import { writeJson } from "../../../src/domain/LosslessJson.js"
import { Micros } from "../../../src/domain/Micros.js"
import { answerCheckOf, joinedCheckOf } from "../../../src/layers/providers/AnswerSchema.js"
import { costOfAnswer, holdFor } from "../../../src/layers/providers/PriceByInput.js"
import { Providers } from "../../../src/services/Providers.js"
import {
  type CallEnd,
  type CallOptions,
  callOf,
  callWith,
  endpointOf,
  engine,
  json,
  platformKey,
  type Seen,
  serve,
  type TestProvider
} from "./support.js"
import { eventually } from "../../support/eventually.js"

const shape = (pages: object, more: object = {}) => ({
  method: "GET",
  path: "/v1/things",
  input: {
    type: "object",
    properties: { q: { type: "string" }, limit: { type: "integer" }, at: {} },
    additionalProperties: true
  },
  volume: { field: "limit", default: 10, max: 1000 },
  pages: { items: "body.data.things", size: 10, ...pages },
  response: { miss: "length(body.data.things || `[]`) == `0`" },
  ...more
})

const byCursor = { next: { by: "cursor", cursor: "body.next", field: "at" } }

const parameter = (seen: Seen, name: string): string | null =>
  new URL(seen.url, "http://provider.test").searchParams.get(name)
const numberOf = (seen: Seen, name: string, otherwise: number): number => Number(parameter(seen, name) ?? otherwise)

/** A list of so many things behind a cursor, which is the position of the next one. */
const listOf = (total: number) => (seen: Seen, response: ServerResponse) => {
  const start = numberOf(seen, "at", 0)
  const size = Math.min(10, numberOf(seen, "limit", 10))
  const things = Array.from({ length: Math.max(0, Math.min(size, total - start)) }, (_, each) => ({ id: start + each }))
  json(response, 200, {
    total,
    data: { things },
    ...(start === 0 ? { answer: "only on the first page" } : {}),
    ...(start + size < total ? { next: start + size } : {})
  })
}

const call = (provider: TestProvider, options: CallOptions & { readonly heldMicros?: number }) =>
  Effect.provide(
    callWith({
      ...callOf(options),
      ...(options.heldMicros === undefined ? {} : { heldMicros: Micros.make(options.heldMicros) })
    }),
    engine(provider, options.http)
  )

const trail = ({ requests }: TestProvider): ReadonlyArray<string> => requests.map(({ url }) => url)

const valueOf = (end: CallEnd): Json => {
  assert.isTrue(end._tag === "Answered" && end.body._tag === "Json")
  return end._tag === "Answered" && end.body._tag === "Json" ? end.body.value : null
}
const thingsOf = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Struct({ things: Schema.Array(Schema.Struct({ id: Schema.Number })) }) })
)
const idsIn = (end: CallEnd): ReadonlyArray<number> => thingsOf(valueOf(end)).data.things.map(({ id }) => id)
const nextIn = (end: CallEnd): Json | undefined => {
  const value = valueOf(end)
  return isObject(value) ? value["next"] : undefined
}
const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, each) => each)

const reasonOf = (end: CallEnd): string => (end._tag === "Answered" ? end.outcomeReason : "")
const isComplete = (end: CallEnd): boolean | undefined => (end._tag === "Answered" ? end.pages?.complete : undefined)
const costOf = (end: CallEnd, options: CallOptions, maxMicros: number): number =>
  end._tag === "Answered"
    ? costOfAnswer(endpointOf(options), { input: options.input ?? {}, maxMicros: Micros.make(maxMicros) }, end).micros
    : 0
const heldFor = (options: CallOptions): number => Either.getOrThrow(holdFor(endpointOf(options), options.input ?? {}))

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

describe("a page that fails", () => {
  const broken = (fail: (response: ServerResponse, tries: number) => void) => {
    let tries = 0
    return serve((seen, response) =>
      numberOf(seen, "at", 0) === 10 ? fail(response, (tries += 1)) : listOf(100)(seen, response)
    )
  }
  const options = { operation: shape(byCursor), input: { limit: 30 } }

  it.scopedLive("in passing is asked for again", () =>
    Effect.gen(function* () {
      const again = { "retry-after": "0" }
      const provider = yield* broken((response, tries) =>
        tries === 1
          ? json(response, 429, {}, again)
          : tries === 2
            ? json(response, 503, {}, again)
            : json(response, 200, { data: { things: [{ id: 10 }] } })
      )
      const end = yield* call(provider, options)
      assert.deepStrictEqual([idsIn(end), isComplete(end)], [upTo(11), true])
      assert.strictEqual(costOf(end, options, 3000), 2000)
    })
  )

  it.scopedLive("for good leaves what came before, which is charged as what it is and says that it is not all", () =>
    Effect.gen(function* () {
      const provider = yield* broken((response) => json(response, 503, {}, { "retry-after": "0" }))
      const end = yield* call(provider, options)
      assert.deepStrictEqual([idsIn(end), isComplete(end)], [upTo(10), false])
      assert.strictEqual(nextIn(end), 10)
      assert.match(reasonOf(end), /^The provider answered\. It is not all: page 2 failed \(provider_error: .+\)\.$/)
      assert.strictEqual(provider.requests.length, 5)
      assert.strictEqual(costOf(end, options, 3000), 1000)
    })
  )

  it.scopedLive("again and again costs with all its tries at most what a page may cost", () =>
    Effect.gen(function* () {
      for (const [fails, told, charged] of [
        [4, 0, 2100],
        [2, 900, 2100],
        [1, 900, 1700],
        [1, 0, 1800]
      ] as const) {
        const provider = yield* serve((seen, response) => {
          const isFirst = parameter(seen, "at") === null
          if (!isFirst && provider.requests.length <= 1 + fails)
            return json(response, 500, { cost: 700 }, { "retry-after": "0" })
          const things = upTo(10).map((id) => ({ id: isFirst ? id : id + 10 }))
          json(response, 200, { data: { things }, ...(isFirst ? { cost: 100, next: 10 } : { cost: told || null }) })
        })
        const paid = {
          ...options,
          operation: shape(byCursor, {
            price: { basis: "per_call", micros: 1000, maxMicros: 2000, source: "https://price.test" },
            response: { costMicros: "body.cost" }
          })
        }
        const end = yield* call(provider, paid)
        assert.deepStrictEqual([costOf(end, paid, 6000), isComplete(end)], [charged, fails < 4])
        assert.strictEqual(provider.requests.length, fails < 4 ? fails + 2 : 5)
      }
    })
  )

  for (const page of [{ message: "quota" }, {}, null, { data: {} }, { data: { things: "none" } }, { data: [] }])
    it.scopedLive(`to have a list is not the end of all pages: ${JSON.stringify(page)}`, () =>
      Effect.gen(function* () {
        const operation = shape(byCursor, { response: {} })
        const second = yield* broken((response) => json(response, 200, page))
        const after = yield* call(second, { ...options, operation })
        assert.deepStrictEqual([idsIn(after), isComplete(after)], [upTo(10), false])
        assert.strictEqual(reasonOf(after), "The provider answered. It is not all: page 2 has no list of results.")
        assert.strictEqual(costOf(after, { ...options, operation }, 3000), 1000)

        const first = yield* serve((_seen, response) => json(response, 200, page))
        const alone = yield* call(first, { ...options, operation })
        assert.deepStrictEqual([valueOf(alone), isComplete(alone)], [page, false])
        assert.strictEqual(reasonOf(alone), "The provider answered. It is not all: page 1 has no list of results.")
        assert.strictEqual(first.requests.length, 1)
      })
    )

  it.scopedLive("to be more than null where its list stands has an empty list, and is the end", () =>
    Effect.gen(function* () {
      const provider = yield* broken((response) => json(response, 200, { data: { things: null } }))
      const end = yield* call(provider, { ...options, operation: shape(byCursor, { response: {} }) })
      assert.deepStrictEqual([idsIn(end), isComplete(end)], [upTo(10), true])
    })
  )

  it.scopedLive("as an error in a 200 is no page", () =>
    Effect.gen(function* () {
      const provider = yield* broken((response) =>
        json(response, 200, { error: "quota", data: { things: [{ id: 0 }] } })
      )
      const end = yield* call(provider, {
        ...options,
        operation: shape(byCursor, { response: { errors: [{ when: "body.error", message: "body.error" }] } })
      })
      assert.deepStrictEqual([idsIn(end), isComplete(end)], [upTo(10), false])
      assert.include(reasonOf(end), "quota")
      assert.strictEqual(provider.requests.length, 2)
    })
  )

  it.scopedLive("when it is the first one fails the call, as ever", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_seen, response) => json(response, 503, {}))
      const end = yield* call(provider, options)
      assert.strictEqual(end._tag !== "Answered" && end.failure.code, "provider_error")
      assert.strictEqual(provider.requests.length, 1)
    })
  )

  it.scopedLive("to begin in time leaves what came before", () =>
    Effect.gen(function* () {
      const provider = yield* broken(() => undefined)
      const end = yield* call(provider, { ...options, operation: shape({ ...byCursor, totalMs: 400 }) })
      assert.deepStrictEqual([idsIn(end), isComplete(end)], [upTo(10), false])
      assert.include(reasonOf(end), "400 ms")
    })
  )
})

describe("a hostile provider of pages", () => {
  const endless = (answer: (page: number) => object, headers: (page: number) => object = () => ({})) => {
    let page = 0
    return serve((_seen, response) => {
      page += 1
      json(response, 200, answer(page), { ...headers(page) })
    })
  }
  const full = (page: number) => ({ things: upTo(10).map((each) => ({ id: page * 10 - 10 + each })) })

  it.scopedLive("is asked for so many pages and no more", () =>
    Effect.gen(function* () {
      const provider = yield* endless((page) => ({ data: { things: [{ id: page - 1 }] }, next: `cursor-${page}` }))
      const operation = shape({ ...byCursor, max: 7 }, { price: { basis: "free", micros: 0 } })
      const end = yield* call(provider, { operation, input: { limit: 50 } })
      assert.deepStrictEqual([idsIn(end), isComplete(end)], [upTo(7), false])
      assert.include(reasonOf(end), "one run reads 7 pages at most")
      assert.strictEqual(provider.requests.length, 7)
    })
  )

  it.scopedLive("that gives the same cursor or the same page again is asked no further", () =>
    Effect.gen(function* () {
      const cursor = yield* endless((page) => ({ data: full(page), next: "same" }))
      const first = yield* call(cursor, { operation: shape(byCursor), input: { limit: 500 } })
      assert.deepStrictEqual([idsIn(first), isComplete(first)], [upTo(20), false])
      assert.include(reasonOf(first), "the same next page twice")
      const page = yield* endless((n) => ({ data: full(1), next: `${n}` }))
      const options = { operation: shape(byCursor), input: { limit: 500 } }
      const second = yield* call(page, options)
      assert.deepStrictEqual([idsIn(second), isComplete(second)], [upTo(10), false])
      assert.include(reasonOf(second), "the same page twice")
      assert.strictEqual(costOf(second, options, heldFor(options)), 1000)
    })
  )

  it.scopedLive("that gives empty pages for ever is asked for one of them", () =>
    Effect.gen(function* () {
      const provider = yield* endless((page) => ({ data: page === 1 ? full(1) : { things: [] }, next: `${page}` }))
      const options = { operation: shape(byCursor, { response: {} }), input: { limit: 500 } }
      const end = yield* call(provider, options)
      assert.deepStrictEqual([idsIn(end), isComplete(end), provider.requests.length], [upTo(10), true, 2])
      assert.strictEqual(costOf(end, options, heldFor(options)), 1000)
    })
  )

  it.scopedLive("cannot make the whole larger than one answer may be, nor one page of 10 MB", () =>
    Effect.gen(function* () {
      const wide = (page: number, bytes: number) => ({
        data: { things: [{ id: page - 1, text: "x".repeat(bytes) }] },
        next: page
      })
      const many = yield* endless((page) => wide(page, 40_000))
      const operation = shape(byCursor, { maxBytes: 100_000, price: { basis: "free", micros: 0 } })
      const first = yield* call(many, { operation, input: { limit: 500 } })
      assert.deepStrictEqual([idsIn(first), isComplete(first)], [upTo(2), false])
      assert.include(reasonOf(first), "larger than 100000 bytes")
      const one = yield* endless((page) => wide(page, page === 1 ? 10 : 10_000_000))
      const second = yield* call(one, { operation, input: { limit: 500 } })
      assert.deepStrictEqual([idsIn(second), isComplete(second)], [upTo(1), false])
      assert.include(reasonOf(second), "response_too_large")
    })
  )

  it.scopedLive("that names another host gives it no key, and a private address is not asked", () =>
    Effect.gen(function* () {
      const elsewhere = yield* serve((_seen, response) => json(response, 200, { data: full(2) }))
      const operation = shape({ next: { by: "link" } }, { fixed: [{ in: "header", name: "x-own", value: "own" }] })
      const named = (origin: string) =>
        endless(
          (page) => ({ data: full(page) }),
          () => ({ link: `<${origin}/v2>; rel="next"` })
        )
      const options = {
        operation,
        provider: { auth: { type: "bearer" } },
        credential: platformKey("secret-key-0001"),
        input: { limit: 20 }
      }
      const followed = yield* call(yield* named("https://other.test"), {
        ...options,
        http: { origins: { "https://other.test": elsewhere.origin } }
      })
      assert.deepStrictEqual(idsIn(followed), upTo(20))
      assert.strictEqual(elsewhere.requests[0]!.headers["authorization"], undefined)
      assert.strictEqual(elsewhere.requests[0]!.headers["x-own"], undefined)
      const other = yield* serve((_seen, response) => json(response, 200, { data: full(2) }))
      for (const origin of ["https://10.0.0.1", "https://169.254.169.254", other.origin, "ftp://files.test"]) {
        const end = yield* call(yield* named(origin), options)
        assert.deepStrictEqual([idsIn(end), isComplete(end)], [upTo(10), false])
        assert.include(reasonOf(end), "address")
      }
      assert.strictEqual(other.requests.length, 0)
    })
  )

  it.scopedLive("cannot make a page cost more than what is held", () =>
    Effect.gen(function* () {
      const provider = yield* endless((page) => ({ data: full(page), next: `${page}`, cost: 1500 }))
      const operation = shape(byCursor, {
        price: { basis: "per_call", micros: 1000, maxMicros: 1500 },
        response: { costMicros: "body.cost" }
      })
      const options = { operation, input: { limit: 30 } }
      const end = yield* call(provider, { ...options, heldMicros: 3000 })
      assert.deepStrictEqual([idsIn(end), isComplete(end)], [upTo(20), false])
      assert.include(reasonOf(end), "what is held")
      assert.strictEqual(costOf(end, options, 3000), 3000)
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

it.scopedLive("a call that is interrupted between pages asks for none of them any more", () =>
  Effect.gen(function* () {
    const provider = yield* serve((seen, response) =>
      numberOf(seen, "at", 0) === 10 ? json(response, 503, {}, { "retry-after": "20" }) : listOf(100)(seen, response)
    )
    const made = callOf({ operation: shape(byCursor), input: { limit: 30 } })
    yield* Effect.provide(
      Effect.gen(function* () {
        const providers = yield* Providers
        const calling = yield* Effect.fork(providers.call(made))
        yield* eventually(
          Effect.sync(() => provider.requests.length),
          (made) => made >= 2
        )
        yield* Fiber.interrupt(calling)
      }),
      engine(provider)
    )
    assert.strictEqual(provider.requests.length, 2)
  })
)
