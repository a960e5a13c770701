// What becomes of an answer that arrived whole: its form, its outcome, its evidence.
import { createHash } from "node:crypto"
import type { OutgoingHttpHeaders } from "node:http"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "../../../src/domain/Json.js"
import { Micros } from "../../../src/domain/Micros.js"
import { costOfAnswer } from "../../../src/layers/providers/PriceByInput.js"
import { callOnce, certaintyOf, endpointOf, json, serve, serveBytes } from "./support.js"

const answering = (
  contentType: string | undefined,
  body: string | Buffer,
  operation: object = {},
  headers: NodeJS.Dict<string> = {}
) =>
  Effect.gen(function* () {
    const provider = yield* serve(
      (_, response) =>
        void response
          .writeHead(200, { ...(contentType === undefined ? {} : { "content-type": contentType }), ...headers })
          .end(body)
    )
    const result = yield* callOnce(provider, { operation })
    return result._tag === "Answered" ? result : assert.fail(JSON.stringify(result))
  })

describe("the form of an answer", () => {
  const texts: ReadonlyArray<[contentType: string, format: string]> = [
    ["text/csv", "csv"],
    ["text/html; charset=utf-8", "html"],
    ["application/xhtml+xml", "html"],
    ["text/xml", "xml"],
    ["application/rss+xml", "xml"],
    ["text/markdown", "markdown"],
    ["text/plain", "text"],
    ["text/vcard", "text"]
  ]
  for (const [contentType, format] of texts) {
    it.scopedLive(`${contentType} is text of format ${format}`, () =>
      Effect.map(answering(contentType, "a,ü", { contentTypes: ["*/*"] }), ({ body }) =>
        assert.deepStrictEqual<unknown>(body, { _tag: "Text", text: "a,ü", format })
      )
    )
  }

  for (const contentType of [
    "application/json",
    "application/problem+json",
    "application/dns-json",
    "text/json",
    undefined
  ]) {
    it.scopedLive(`${contentType ?? "no content type"} is JSON where the operation allows JSON`, () =>
      Effect.map(answering(contentType, '\ufeff{"a":1}'), ({ body }) =>
        assert.deepStrictEqual<unknown>(body, { _tag: "Json", value: { a: 1 } })
      )
    )
  }

  it.scopedLive("another charset is decoded", () =>
    Effect.map(
      answering("text/plain; charset=iso-8859-1", Buffer.from([0xfc]), { contentTypes: ["text/plain"] }),
      ({ body }) => assert.strictEqual(body._tag === "Text" && body.text, "ü")
    )
  )

  const strange: ReadonlyArray<[title: string, body: Buffer, reason: string]> = [
    ["is kept without a note when the text is ASCII", Buffer.from("plain"), "The provider answered."],
    [
      "is read as UTF-8, and a note says so",
      Buffer.from("ü"),
      "The provider answered. Its charset x-none is not known, so it is read as UTF-8."
    ],
    [
      "is read as UTF-8, and a note says what is none",
      Buffer.from([0xfc]),
      "The provider answered. Its charset x-none is not known, so it is read as UTF-8; each byte that is none stands as U+FFFD."
    ]
  ]
  for (const [title, body, reason] of strange) {
    it.scopedLive(`a text of a charset that nobody knows ${title}`, () =>
      Effect.map(answering("text/plain; charset=x-none", body, { contentTypes: ["text/plain"] }), (answer) => {
        assert.deepStrictEqual<unknown>(answer.body, { _tag: "Text", text: body.toString("utf8"), format: "text" })
        assert.strictEqual(answer.outcomeReason, reason)
      })
    )
  }

  it.scopedLive("a file is media with its name, without its folders", () =>
    Effect.map(
      answering(
        "application/pdf",
        "%PDF",
        { contentTypes: ["application/*"] },
        { "content-disposition": 'attachment; filename="../../etc/report.pdf"' }
      ),
      ({ body }) =>
        assert.deepStrictEqual<unknown>(
          body._tag === "Media" && [body.contentType, body.filename, Buffer.from(body.bytes).toString()],
          ["application/pdf", "_.._etc_report.pdf", "%PDF"]
        )
    )
  )

  const names: ReadonlyArray<readonly [what: string, sent: Buffer, kept: string]> = [
    ["UTF-8", Buffer.from('filename="猫 é.pdf"'), "猫 é.pdf"],
    ["Latin-1", Buffer.from('filename="caf\u00e9.pdf"', "latin1"), "caf\u00e9.pdf"],
    ["percents", Buffer.from('filename="%E7%8C%AB.pdf"'), "猫.pdf"],
    ["RFC 8187", Buffer.from("filename*=UTF-8''%E7%8C%AB.pdf"), "猫.pdf"]
  ]
  for (const [what, sent, kept] of names)
    it.scopedLive(`a file has the name that its header writes in ${what}`, () =>
      Effect.gen(function* () {
        const provider = yield* serveBytes((socket) => {
          socket.write("HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: 4\r\nConnection: close\r\n")
          socket.end(
            Buffer.concat([Buffer.from("Content-Disposition: attachment; "), sent, Buffer.from("\r\n\r\n%PDF")])
          )
        })
        const result = yield* callOnce(provider, { operation: { contentTypes: ["application/pdf"] } })
        assert.strictEqual(result._tag === "Answered" && result.body._tag === "Media" && result.body.filename, kept)
      })
    )

  it.scopedLive("JSON above 1 MiB is media, and still read by the rules and the output map", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ found: "it", filler: "x".repeat(1_048_576) })
      const result = yield* answering("application/json", body, {
        job: "company.enrich",
        response: { success: "body.found" },
        output: { fields: { name: "body.found" } }
      })
      assert.deepStrictEqual([result.body._tag, result.normalized?.fields], ["Media", { name: "it" }])
    })
  )

  it.scopedLive("a 204 is an answer without content", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => void response.writeHead(204).end())
      const result = yield* callOnce(provider, { operation: { response: { miss: "status == `204`" } } })
      assert.deepStrictEqual(result._tag === "Answered" && [result.outcome, result.body], [
        "miss",
        { _tag: "Json", value: null }
      ])
    })
  )

  const emptyAnswer = (status: number, operation: object, headers: OutgoingHttpHeaders = {}) =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => void response.writeHead(status, headers).end())
      const result = yield* callOnce(provider, { operation })
      return result._tag === "Answered"
        ? [result.outcome, result.body, result.normalized?.missing]
        : [result.failure.code, certaintyOf(result)]
    })
  const nothing = { _tag: "Json", value: null }

  for (const status of [200, 201, 202, 204, 205]) {
    it.scopedLive(
      `an empty ${status} of an effectful operation is its success, whatever its rules and its map want of a body`,
      () =>
        Effect.gen(function* () {
          const effectful = { effect: "effectful", repeatable: false }
          assert.deepStrictEqual<unknown>(yield* emptyAnswer(status, effectful), ["hit", nothing, undefined])
          for (const contentType of ["application/json", "text/html", "text/plain"]) {
            assert.deepStrictEqual<unknown>(
              yield* emptyAnswer(
                status,
                { ...effectful, response: { miss: "!(body.id)", success: "body.id" } },
                { "content-type": contentType }
              ),
              ["hit", nothing, undefined]
            )
          }
          const mapped = { ...effectful, job: "company.enrich", output: { fields: { name: "join(', ', body.names)" } } }
          assert.deepStrictEqual<unknown>(yield* emptyAnswer(status, mapped), ["hit", nothing, ["name"]])
          const refused = {
            ...effectful,
            response: { errors: [{ when: 'headers."x-refused"', message: 'headers."x-refused"' }] }
          }
          assert.deepStrictEqual<unknown>(yield* emptyAnswer(status, refused, { "x-refused": "no" }), [
            "provider_reported_error",
            "answered"
          ])
        })
    )
  }

  it.scopedLive(
    "an empty answer of a read-only operation is a miss where its status or a rule says so, and else lacks its body",
    () =>
      Effect.gen(function* () {
        for (const status of [204, 205]) {
          assert.deepStrictEqual<unknown>(yield* emptyAnswer(status, {}), ["miss", nothing, undefined])
          assert.deepStrictEqual<unknown>(
            yield* emptyAnswer(status, { response: { success: `status == \`${status}\`` } }),
            ["hit", nothing, undefined]
          )
          assert.deepStrictEqual<unknown>(yield* emptyAnswer(status, { response: { success: "body.id" } }), [
            "invalid_response",
            "answered"
          ])
        }
        for (const status of [200, 201, 202])
          assert.deepStrictEqual<unknown>(yield* emptyAnswer(status, {}), ["invalid_response", "unanswered"])
        assert.deepStrictEqual<unknown>(yield* emptyAnswer(200, { response: { missStatuses: [200] } }), [
          "miss",
          nothing,
          undefined
        ])
        assert.deepStrictEqual<unknown>(
          yield* emptyAnswer(200, { response: { miss: "headers.\"x-total\" == '0'" } }, { "x-total": "0" }),
          ["miss", nothing, undefined]
        )
      })
  )

  const encodings: ReadonlyArray<[encoding: string, encode: (text: string) => Buffer]> = [
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync]
  ]
  for (const [encoding, encode] of encodings) {
    it.scopedLive(`${encoding} (${encode.name}) is decompressed`, () =>
      Effect.map(answering("application/json", encode('{"a":1}'), {}, { "content-encoding": encoding }), ({ body }) =>
        assert.deepStrictEqual<unknown>(body, { _tag: "Json", value: { a: 1 } })
      )
    )
  }
})

describe("the rules", () => {
  const response = {
    errors: [{ when: "body.error" }],
    miss: "body.kind == 'miss' || body.kind == 'both'",
    weak: "contains(['weak', 'both'], body.kind)",
    success: "body.kind"
  }
  const outcome = (body: Json) =>
    Effect.gen(function* () {
      const provider = yield* serve((_, reply) => json(reply, 200, body))
      const result = yield* callOnce(provider, { operation: { response } })
      return result._tag === "Answered" ? result.outcome : result.failure.code
    })
  const cases: ReadonlyArray<[body: Json, expected: string]> = [
    [{ kind: "both", error: true }, "provider_reported_error"],
    [{ kind: "both" }, "miss"],
    [{ kind: "weak" }, "weak"],
    [{ kind: "found" }, "hit"],
    [{}, "invalid_response"]
  ]
  for (const [body, expected] of cases) {
    it.scopedLive(`are read in their order: ${JSON.stringify(body)} is ${expected}`, () =>
      Effect.map(outcome(body), (found) => assert.strictEqual(found, expected))
    )
  }

  it.scopedLive("an answer marked as a guess is weak", () =>
    Effect.gen(function* () {
      const result = yield* answering("application/json", '{"email":"a@b.co","pattern":true}', {
        job: "people.email.find",
        output: { fields: { email: "body.email" }, guessed: "body.pattern" }
      })
      assert.deepStrictEqual([result.outcome, result.normalized?.verdict], ["weak", "guessed"])
    })
  )

  it.scopedLive("see headers, status and the input", () =>
    Effect.gen(function* () {
      const result = yield* answering(
        "application/json",
        '{"items":[1,2,3]}',
        {
          response: {
            costMicros: 'to_number(headers."x-cost")',
            resultCount: "length(body.items)",
            requestId: 'headers."x-request"',
            miss: "status != `200` || input.none"
          }
        },
        { "X-Cost": "12.4", "X-Request": "abc" }
      )
      assert.deepStrictEqual<unknown>(
        [result.outcome, result.cost, result.resultCount, result.evidence.providerRequestId],
        ["hit", { _tag: "Reported", micros: 12 }, 3, "abc"]
      )
    })
  )
})

describe("a price per result", () => {
  const response = { miss: "body.results == `[]`", resultCount: "length(body.results)" }
  const paid = (price: object, body: Json) =>
    Effect.gen(function* () {
      const provider = yield* serve((_, reply) => json(reply, 200, body))
      const result = yield* callOnce(provider, { operation: { response, price } })
      return result._tag === "Answered" ? result.resultCount : result.failure.code
    })
  const perResult = { basis: "per_result", micros: 500 }
  const counted: ReadonlyArray<readonly [results: Json, found: number | "invalid_response"]> = [
    [[1, 2, 3], 3],
    [[], 0],
    [{ a: 1, b: 2 }, 2],
    ["The index is being rebuilt.", "invalid_response"],
    [7, "invalid_response"],
    [null, "invalid_response"]
  ]
  for (const [results, found] of counted)
    it.scopedLive(`is for results that are there to count: ${JSON.stringify(results)} is ${found}`, () =>
      Effect.map(paid(perResult, { results }), (told) => assert.strictEqual(told, found))
    )

  it.scopedLive("alone needs a count: with another price, the rule only tells how many there are", () =>
    Effect.map(paid({ basis: "per_call", micros: 500 }, { results: "none" }), (told) => assert.isNull(told))
  )
})

describe("the cost that an answer tells", () => {
  const costs: ReadonlyArray<readonly [expression: string, body: object, told: string]> = [
    ["body.c * `10`", { c: 12 }, "120"],
    ["body.c * `10`", { c: "12" }, "anomaly"],
    ["body.c * `10`", { c: [] }, "anomaly"],
    ["ceil(body.c)", { c: "12" }, "anomaly"],
    ["-body.c", { c: "12" }, "anomaly"],
    ["sum(body.c)", { c: [1, "2"] }, "anomaly"],
    ["ceil(body.c * `10`) / `0`", { c: 1 }, "anomaly"],
    // What is not there tells nothing, also where it is calculated with.
    ["body.c * `10`", {}, "none"],
    ["body.c.d * `10`", { c: "12" }, "none"],
    ["ceil(body.c * `10`)", { c: null }, "none"],
    ["-body.c", {}, "none"],
    ["max([`150`, length(body.c) * `10`])", {}, "none"],
    ["max([`150`, body.c])", {}, "none"]
  ]
  for (const [expression, body, told] of costs)
    it.scopedLive(`by ${expression} of ${JSON.stringify(body)}: ${told}`, () =>
      Effect.gen(function* () {
        const operation = { response: { costMicros: expression } }
        const { cost } = yield* answering("application/json", JSON.stringify(body), operation)
        assert.strictEqual(cost._tag === "Reported" ? String(cost.micros) : cost._tag.toLowerCase(), told)
        const maxMicros = Micros.make(5000)
        const endpoint = endpointOf({ operation: { ...operation, price: { basis: "per_call", micros: 1000 } } })
        const answer = { outcome: "hit", resultCount: null, cost } as const
        const charged = costOfAnswer(endpoint, { input: {}, maxMicros }, answer)
        assert.strictEqual(charged.micros, told === "none" ? 1000 : told === "anomaly" ? 0 : Number(told))
        assert.strictEqual(charged.anomaly !== null, told === "anomaly")
      })
    )
})

describe("evidence", () => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

  it.scopedLive("digests the same request and answer to the same text, and others to others", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) => json(response, 200, { length: seen.body.length }))
      const evidence = (a: string, operation: object = {}) =>
        Effect.map(callOnce(provider, { input: { a }, operation }), (result) => result.evidence!)
      const first = yield* evidence("x")
      const [seen] = provider.requests
      assert.deepStrictEqual(yield* evidence("x"), first)
      assert.strictEqual(first.responseDigest, sha256(JSON.stringify({ length: seen!.body.length })))
      const others = [
        first,
        yield* evidence("y"),
        yield* evidence("x", { path: "/elsewhere" }),
        yield* evidence("x", { method: "PUT" }),
        yield* evidence("x", { bindings: { a: { in: "header", name: "x-a" } } })
      ].map(({ requestDigest }) => requestDigest)
      for (const digest of others) assert.match(digest, /^[0-9a-f]{64}$/)
      assert.strictEqual(new Set([...others, first.responseDigest]).size, others.length + 1)
    })
  )
})
