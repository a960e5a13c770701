// What the status of an answer means where the operation says it: successes outside 2xx and without a body, and misses.
import type { OutgoingHttpHeaders } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { callOnce, certaintyOf, serve, serveBytes } from "./support.js"

interface Told {
  readonly status: number
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string
}

const ended = ({ body, headers, status }: Told, operation: object) =>
  Effect.gen(function* () {
    const provider = yield* serve((_, response) => void response.writeHead(status, headers).end(body))
    const result = yield* callOnce(provider, { operation })
    return result._tag === "Answered"
      ? [result.outcome, result.body, result.normalized?.fields, result.providerStatus]
      : [result.failure.code, certaintyOf(result)]
  })
const json = { "content-type": "application/json" }
const page = { "content-type": "text/html" }
const location = (address: string) => ({ _tag: "Json", value: { location: address } })
const nothing = { _tag: "Json", value: null }

describe("a status that the operation names as a success", () => {
  const shortener = {
    method: "GET",
    job: "company.enrich",
    response: { successStatuses: [301, 302], missStatuses: [404], success: "headers.location" },
    output: { fields: { domain: "headers.location" } }
  }

  it.scopedLive("makes a redirect an answer that is read and never followed", () =>
    Effect.gen(function* () {
      const headers = { ...page, location: "http://169.254.169.254/" }
      const provider = yield* serve((_, response) => void response.writeHead(302, headers).end("<a>here</a>"))
      const result = yield* callOnce(provider, { operation: shortener })
      assert.deepStrictEqual<unknown>(
        result._tag === "Answered" && [result.outcome, result.body, result.normalized?.fields, result.providerStatus],
        ["hit", location("http://169.254.169.254/"), { domain: "http://169.254.169.254/" }, 302]
      )
      assert.strictEqual(provider.requests.length, 1)
      assert.deepStrictEqual<unknown>(yield* ended({ status: 302 }, shortener), ["invalid_response", "answered"])
      assert.deepStrictEqual<unknown>(yield* ended({ status: 307, headers: { location: "/a" } }, shortener), [
        "redirect_blocked",
        "answered"
      ])
      assert.deepStrictEqual<unknown>((yield* ended({ status: 404, headers: page, body: "no" }, shortener))[0], "miss")
    })
  )

  for (const status of [404, 409, 410, 500]) {
    it.scopedLive(`makes the JSON of a ${status} a hit, and its error page none`, () =>
      Effect.gen(function* () {
        const operation = { response: { successStatuses: [status], miss: "body.kind == 'none'" } }
        assert.deepStrictEqual<unknown>(yield* ended({ status, headers: json, body: '{"id":1}' }, operation), [
          "hit",
          { _tag: "Json", value: { id: 1 } },
          undefined,
          status
        ])
        const miss = { status, headers: json, body: '{"kind":"none"}' }
        assert.strictEqual((yield* ended(miss, operation))[0], "miss")
        assert.deepStrictEqual<unknown>(yield* ended({ status, headers: page, body: "<p>Sorry" }, operation), [
          "unsupported_response_type",
          "unanswered"
        ])
        assert.deepStrictEqual<unknown>(yield* ended({ status, headers: json, body: '{"id":1}' }, {}), [
          status === 500 ? "provider_error" : "provider_http_error",
          "answered"
        ])
      })
    )
  }

  it.scopedLive("keeps the code that an error rule gives", () =>
    Effect.gen(function* () {
      const operation = { response: { successStatuses: [401], errors: [{ when: "body.error" }] } }
      assert.deepStrictEqual<unknown>(yield* ended({ status: 401, headers: json, body: '{"error":"x"}' }, operation), [
        "provider_reported_error",
        "answered"
      ])
    })
  )

  it.scopedLive("may come without a body, and the success rule then decides", () =>
    Effect.gen(function* () {
      for (const status of [200, 201, 202, 205]) {
        const operation = { response: { successStatuses: [status] } }
        assert.deepStrictEqual<unknown>(yield* ended({ status }, operation), ["hit", nothing, undefined, status])
        const strict = { response: { successStatuses: [status], success: 'headers."x-found"' } }
        assert.deepStrictEqual<unknown>(yield* ended({ status }, strict), ["invalid_response", "answered"])
        assert.strictEqual((yield* ended({ status, headers: { "x-found": "1" } }, strict))[0], "hit")
      }
    })
  )

  it.scopedLive("makes an effect of a 303 a thing done, and one whose body breaks off a thing not known", () =>
    Effect.gen(function* () {
      const effectful = { effect: "effectful", repeatable: false, response: { successStatuses: [303] } }
      assert.deepStrictEqual<unknown>((yield* ended({ status: 303, headers: { location: "/a" } }, effectful))[0], "hit")
      const broken = yield* serveBytes(
        (socket) => void socket.end("HTTP/1.1 303 See Other\r\ncontent-length: 10\r\n\r\nabc")
      )
      const failed = yield* callOnce(broken, { operation: effectful })
      assert.deepStrictEqual(failed._tag !== "Answered" && [failed.failure.code, certaintyOf(failed)], [
        "invalid_response",
        "unanswered"
      ])
      const unnamed = yield* callOnce(broken, { operation: { effect: "effectful", repeatable: false } })
      assert.deepStrictEqual(unnamed._tag !== "Answered" && [unnamed.failure.code, certaintyOf(unnamed)], [
        "redirect_blocked",
        "answered"
      ])
    })
  )
})

describe("a status that the operation names as a miss", () => {
  const missing = (status: number) => ({ response: { missStatuses: [status] } })
  for (const status of [200, 302, 404, 409, 422]) {
    it.scopedLive(`makes a ${status} a miss`, () =>
      Effect.map(ended({ status, headers: { ...page, location: "/gone" }, body: "<p>gone" }, missing(status)), (end) =>
        assert.deepStrictEqual<unknown>(end, ["miss", nothing, undefined, status])
      )
    )
  }
})

describe("an answer that is not as the operation documents it", () => {
  const outputSchema = {
    type: "object",
    required: ["id"],
    properties: { id: { type: "integer" }, mail: { type: "string" } }
  }
  const told = (body: string, operation: object = {}) => ended({ status: 200, headers: json, body }, operation)

  it.scopedLive("is passed on, unless the operation refuses it", () =>
    Effect.gen(function* () {
      const wrong = '{"id":"7"}'
      assert.strictEqual((yield* told(wrong, { outputSchema }))[0], "hit")
      const refusing = { outputSchema, response: { undocumented: "refuse" } }
      assert.deepStrictEqual<unknown>(yield* told(wrong, refusing), ["invalid_response", "answered"])
      assert.deepStrictEqual<unknown>(yield* told(wrong, { ...refusing, effect: "effectful" }), [
        "provider_reported_error",
        "answered"
      ])
      assert.strictEqual((yield* told('{"id":7}', refusing))[0], "hit")
    })
  )

  it.scopedLive("is a miss where the rules say so, and costs no more than the provider tells", () =>
    Effect.gen(function* () {
      const response = { undocumented: "refuse", miss: "body.none", costMicros: "body.cost" }
      assert.strictEqual((yield* told('{"none":true}', { outputSchema, response }))[0], "miss")
      const provider = yield* serve((_, response) => void response.writeHead(200, json).end('{"mail":7,"cost":40}'))
      const result = yield* callOnce(provider, { operation: { outputSchema, response } })
      assert.deepInclude(result, { _tag: "ProviderFailure", cost: { _tag: "Reported", micros: 40 } })
      assert.include(
        result._tag === "ProviderFailure" ? result.failure.message : "",
        "The provider's answer is not as it is documented: body.id is missing."
      )
    })
  )
})
