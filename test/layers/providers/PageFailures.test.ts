// Pages that fail, and providers of pages that are hostile: what came before stays, and nothing goes on for ever.
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Providers } from "../../../src/services/Providers.js"
import { callOf, engine, json, platformKey, serve } from "./support.js"
import { eventually } from "../../support/eventually.js"
import {
  shape,
  byCursor,
  parameter,
  numberOf,
  listOf,
  call,
  valueOf,
  idsIn,
  nextIn,
  upTo,
  reasonOf,
  isComplete,
  costOf,
  heldFor
} from "./PagesStage.js"

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

  it.scopedLive("costs so too where the pages cannot be read together", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) => {
        const isFirst = parameter(seen, "at") === null
        if (!isFirst && provider.requests.length <= 3)
          return json(response, 500, { cost: 1500 }, { "retry-after": "0" })
        const things = upTo(10).map((id) => ({ id: isFirst ? id : id + 10 }))
        json(response, 200, { data: { things }, cost: 100, ...(isFirst ? { next: 10 } : {}) })
      })
      const paid = {
        ...options,
        operation: shape(byCursor, {
          price: { basis: "per_call", micros: 1000, maxMicros: 2000, source: "https://price.test" },
          response: { costMicros: "body.cost", success: "length(body.data.things) < `15`" }
        })
      }
      const end = yield* call(provider, paid)
      assert.include(reasonOf(end), "its pages together cannot be read")
      assert.deepStrictEqual([costOf(end, paid, 6000), isComplete(end)], [2100, false])
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
