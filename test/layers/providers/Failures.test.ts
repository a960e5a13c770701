// Every failed-run code that a provider can cause, provoked against a real socket, with how certain it is that nothing
// happened.
import { randomBytes } from "node:crypto"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Runtime, TestClock } from "effect"
import type { Json } from "../../../src/domain/Json.js"
import { Providers } from "../../../src/services/Providers.js"
import {
  callEnd,
  callOf,
  callOnce,
  type CallOptions,
  type Certainty,
  certaintyOf,
  connectionKey,
  engine,
  json,
  platformKey,
  serve,
  serveBytes,
  type TestProvider
} from "./support.js"

const failure = (provider: TestProvider, options: CallOptions = {}) =>
  Effect.map(callOnce(provider, options), (result) => {
    if (result._tag === "Answered") return assert.fail(`answered: ${JSON.stringify(result)}`)
    return {
      code: result.failure.code,
      certainty: certaintyOf(result),
      status: result.failure.providerStatus ?? null,
      failure: result.failure,
      result
    }
  })

const assertFailure = (provider: TestProvider, code: string, certainty: Certainty, options: CallOptions = {}) =>
  Effect.map(failure(provider, options), (found) =>
    assert.deepStrictEqual([found.code, found.certainty], [code, certainty])
  )

const bearer = { provider: { auth: { type: "bearer" } } }

describe("what a status means", () => {
  const cases: ReadonlyArray<[status: number, code: string, options?: CallOptions]> = [
    [400, "provider_http_error"],
    [401, "auth_error", { ...bearer, credential: platformKey("platform-key") }],
    [401, "connection_invalid", { ...bearer, credential: connectionKey("connection-key") }],
    [402, "provider_http_error"],
    [403, "auth_error", { ...bearer, credential: platformKey("platform-key") }],
    [403, "connection_invalid", { ...bearer, credential: connectionKey("connection-key") }],
    [404, "provider_http_error"],
    [409, "provider_http_error"],
    [422, "provider_http_error"],
    [429, "rate_limited"],
    [500, "provider_error"],
    [502, "provider_error"],
    [503, "provider_error"],
    [301, "redirect_blocked"],
    [302, "redirect_blocked"],
    [304, "redirect_blocked"],
    [307, "redirect_blocked"]
  ]
  for (const [status, code, options] of cases) {
    const key = options?.credential === undefined ? "" : ` on a ${options.credential._tag.toLowerCase()} key`
    it.scopedLive(`${status}${key} is ${code}, and the provider has answered`, () =>
      Effect.gen(function* () {
        const provider = yield* serve((_, response) =>
          json(response, status, { message: "no" }, { location: "/elsewhere" })
        )
        const found = yield* failure(provider, options)
        assert.deepStrictEqual([found.code, found.certainty, found.status], [code, "answered", status])
        assert.strictEqual(provider.requests.length, 1, "a redirect is not followed and nothing is repeated")
      })
    )
  }

  it.scopedLive(
    "a status named as a miss is no failure, and an error status counts as a miss only by evidence in its body",
    () =>
      Effect.gen(function* () {
        const provider = yield* serve((seen, response) =>
          seen.url.endsWith("gone") ? json(response, 404, {}) : json(response, 400, { code: "NO_MATCH" })
        )
        const byStatus = yield* callOnce(provider, { operation: { path: "/gone", response: { missStatuses: [404] } } })
        assert.strictEqual(byStatus._tag === "Answered" && byStatus.outcome, "miss")
        const byEvidence = yield* callOnce(provider, { operation: { response: { miss: "body.code == 'NO_MATCH'" } } })
        assert.strictEqual(byEvidence._tag === "Answered" && byEvidence.outcome, "miss")
        yield* assertFailure(provider, "provider_http_error", "answered", {
          operation: { response: { miss: "!(body.data)" } }
        })
      })
  )
})

describe("the provider's words about a request that it refuses", () => {
  const said = (status: number, body: Json, options: CallOptions = {}) =>
    Effect.flatMap(
      serve((_, response) => json(response, status, body)),
      (provider) => Effect.map(failure(provider, options), (found) => found.failure.message)
    )
  const cases: ReadonlyArray<[status: number, body: Json, words: string]> = [
    [422, { message: "name is\ntoo short" }, "The provider refused the request: name is too short"],
    [400, { error: { code: 7, message: "no such city" } }, "The provider refused the request: no such city"],
    [409, { errors: [{ detail: "is taken" }] }, "The provider refused the request: is taken"],
    [404, { error: "Not here" }, "The provider refused the request: Not here"],
    [400, { code: 7, message: { text: "x" } }, "The provider refused the request."],
    [400, "no", "The provider refused the request."],
    // The account may be the operator's.
    [402, { message: "acme@example.com has no credit" }, "The provider refused the request."],
    [500, { message: "SELECT failed" }, "The provider failed."]
  ]
  for (const [status, body, words] of cases)
    it.scopedLive(`${status} with ${JSON.stringify(body)}: ${words}`, () =>
      Effect.map(said(status, body), (message) => assert.strictEqual(message, words))
    )

  it.scopedLive("are those that a rule of the operation names, if it names some", () =>
    Effect.map(
      said(
        422,
        { message: "general", problem: "exact" },
        {
          operation: { response: { errors: [{ when: "status == `422`", message: "body.problem" }] } }
        }
      ),
      (message) => assert.strictEqual(message, "exact")
    )
  )
})

describe("Retry-After", () => {
  const cases: ReadonlyArray<[header: string, seconds: number | undefined]> = [
    ["7", 7],
    ["0", 0],
    ["-5", 0],
    ["999999", 3600],
    ["Wed, 21 Oct 2015 07:28:00 GMT", 0],
    ["Fri, 31 Dec 2999 23:59:59 GMT", 3600],
    ["soon", undefined]
  ]
  for (const [header, seconds] of cases) {
    it.scopedLive(`"${header}" means ${seconds ?? "nothing"}`, () =>
      Effect.gen(function* () {
        const provider = yield* serve((_, response) => json(response, 429, {}, { "retry-after": header }))
        const found = yield* failure(provider)
        assert.strictEqual(found.failure.retryAfterSeconds, seconds)
        if (seconds !== undefined) assert.include(found.failure.retryHint, `${seconds} s`)
      })
    )
  }
})

it.scoped("a Retry-After with a date counts from the answer, however long the call took", () =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<never>()
    const provider = yield* serve(
      (_, response) =>
        void Runtime.runFork(runtime)(
          Effect.zipRight(
            TestClock.adjust("50 seconds"),
            Effect.sync(() => json(response, 429, {}, { "retry-after": new Date(60_000).toUTCString() }))
          )
        )
    )
    assert.strictEqual((yield* failure(provider)).failure.retryAfterSeconds, 10)
  })
)

describe("what the body means", () => {
  const rules = {
    operation: { response: { errors: [{ when: "body.error", message: "body.error.text" }], success: "body.data" } }
  }

  it.scopedLive("an error inside a 200 is provider_reported_error with the provider's words in one line", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 200, { error: { text: "quota\n  used\u0007 up" } }))
      const found = yield* failure(provider, rules)
      assert.deepStrictEqual(
        [found.code, found.certainty, found.failure.message],
        ["provider_reported_error", "answered", "quota used up"]
      )
    })
  )

  it.scopedLive("the same rule on a 503 leaves the status its code and lends its message", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 503, { error: { text: "maintenance" } }))
      const found = yield* failure(provider, rules)
      assert.deepStrictEqual([found.code, found.failure.message], ["provider_error", "maintenance"])
    })
  )

  it.scopedLive("a rule may give an error another code than its status", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) =>
        json(response, 403, { error: { text: "slow down" } }, { "retry-after": "9" })
      )
      const found = yield* failure(provider, {
        operation: { response: { errors: [{ when: "status == `403`", code: "rate_limited" }] } }
      })
      assert.deepStrictEqual([found.code, found.failure.retryAfterSeconds], ["rate_limited", 9])
    })
  )

  it.scopedLive("an account without credit is told by whose it is", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 402, { error: "no credit" }))
      const told = (credential: ReturnType<typeof platformKey>) =>
        Effect.map(
          failure(provider, {
            ...bearer,
            credential,
            operation: { response: { errors: [{ when: "status == `402`", code: "capacity_exhausted" }] } }
          }),
          ({ failure: { message, retryable, whoseError } }) => [message, whoseError, retryable]
        )
      assert.deepStrictEqual(
        [yield* told(platformKey("platform-key")), yield* told(connectionKey("connection-key"))],
        [
          ["The gateway's account at this provider has no credit left.", "gateway", true],
          ["Your own account at this provider has no credit left.", "customer", true]
        ]
      )
    })
  )

  it.scopedLive(
    "402 without a rule is no mistake of the input: the hint names whose account it is, who can add credit",
    () =>
      Effect.gen(function* () {
        const provider = yield* serve((_, response) => json(response, 402, { error: "acme has no credit" }))
        const told = (options: CallOptions) =>
          Effect.map(failure(provider, options), ({ code, failure: { message, retryable, retryHint, whoseError } }) => [
            code,
            message,
            whoseError,
            retryable,
            retryHint
          ])
        const ours =
          "Choose another provider, or run the job with fallback. The operator of this gateway can add credit."
        const noCredit = "The gateway's account at this provider has no credit left."
        assert.deepStrictEqual(yield* told({ ...bearer, credential: platformKey("platform-key") }), [
          "provider_http_error",
          noCredit,
          "provider",
          false,
          ours
        ])
        assert.deepStrictEqual(yield* told({ ...bearer, credential: connectionKey("connection-key") }), [
          "provider_http_error",
          "Your own account at this provider has no credit left.",
          "provider",
          false,
          "Add credit at the provider, then send it again with a new idempotency key."
        ])
        assert.deepStrictEqual(yield* told({}), [
          "provider_http_error",
          "The provider refused the request.",
          "provider",
          false,
          ours
        ])
        // A rule that names no code lends its words only.
        assert.deepStrictEqual(
          yield* told({
            ...bearer,
            credential: platformKey("platform-key"),
            operation: { response: { errors: [{ when: "body.error", message: "'no credits'" }] } }
          }),
          ["provider_http_error", "no credits", "provider", false, ours]
        )
      })
  )

  it.scopedLive("a failed call still tells what the provider says it cost", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 500, { cost: 120 }))
      const { result } = yield* failure(provider, { operation: { response: { costMicros: "body.cost" } } })
      assert.deepStrictEqual(result.cost, { _tag: "Reported", micros: 120 })
    })
  )

  const bodies: ReadonlyArray<[name: string, contentType: string, body: string, code: string, certainty: Certainty]> = [
    ["truncated JSON", "application/json", '{"data": {"email": "a', "invalid_response", "unanswered"],
    ["an empty 200 where JSON is promised", "application/json", "", "invalid_response", "unanswered"],
    [
      "an HTML error page called JSON",
      "application/json",
      "<html><body>Bad gateway</body></html>",
      "invalid_response",
      "unanswered"
    ],
    ["an HTML error page called HTML", "text/html", "<html></html>", "unsupported_response_type", "unanswered"],
    ["a content type that is not allowed", "application/pdf", "%PDF-1.4", "unsupported_response_type", "unanswered"],
    ["an answer without what a success holds", "application/json", '{"other": 1}', "invalid_response", "answered"]
  ]
  for (const [name, contentType, body, code, certainty] of bodies) {
    it.scopedLive(`${name} is ${code}`, () =>
      Effect.gen(function* () {
        const provider = yield* serve(
          (_, response) => void response.writeHead(200, { "content-type": contentType }).end(body)
        )
        yield* assertFailure(provider, code, certainty, rules)
      })
    )
  }

  it.scopedLive("an effectful operation that lacks what its success holds is not said to be worth sending again", () =>
    Effect.gen(function* () {
      const provider = yield* serve(
        (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end('{"other": 1}')
      )
      yield* assertFailure(provider, "provider_reported_error", "answered", {
        operation: { ...rules.operation, effect: "effectful" }
      })
    })
  )

  it.scopedLive("an output map that stumbles over the answer is output_mapping_error and names the field", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 200, { parts: null }))
      const found = yield* failure(provider, {
        operation: { job: "people.email.find", output: { fields: { email: "join('@', body.parts)" } } }
      })
      assert.strictEqual(found.code, "output_mapping_error")
      assert.include(found.failure.message, "email")
    })
  )
})

describe("what the socket does", () => {
  const deadline = { operation: { timeoutMs: 200 } }

  it.scopedLive("a provider that never answers is a timeout, and an effect may have happened", () =>
    Effect.flatMap(
      serve(() => undefined),
      (provider) => assertFailure(provider, "timeout", "unanswered", deadline)
    )
  )

  it.scopedLive("a body that drips past the deadline is a timeout", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        const drip = setInterval(() => response.write(" "), 20)
        response.on("close", () => clearInterval(drip))
      })
      yield* assertFailure(provider, "timeout", "unanswered", deadline)
    })
  )

  it.scopedLive("a body that drips behind an error status is a timeout of a provider that has answered", () =>
    Effect.gen(function* () {
      const provider = yield* serve(
        (_, response) => void response.writeHead(500, { "content-type": "application/json" }).write("{")
      )
      yield* assertFailure(provider, "timeout", "answered", deadline)
    })
  )

  it.scopedLive("a server that accepts and says nothing in the TLS handshake has been sent nothing", () =>
    Effect.gen(function* () {
      const provider = yield* serveBytes(() => undefined)
      yield* assertFailure(
        { ...provider, origin: provider.origin.replace("http:", "https:") },
        "timeout",
        "not_sent",
        deadline
      )
    })
  )

  it.scopedLive("a server that does not speak TLS is fetch_failed, nothing sent", () =>
    Effect.gen(function* () {
      const provider = yield* serveBytes((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
      yield* assertFailure(
        { ...provider, origin: provider.origin.replace("http:", "https:") },
        "fetch_failed",
        "not_sent"
      )
    })
  )

  it.scopedLive("a refused connection is fetch_failed, nothing sent", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(serve(() => undefined))
      yield* assertFailure(closed, "fetch_failed", "not_sent")
    })
  )

  it.scopedLive("a name that does not resolve is fetch_failed, nothing sent", () =>
    Effect.gen(function* () {
      const provider = yield* serve(() => undefined)
      const resolve = (_: string, answer: (error: Error | null, addresses: ReadonlyArray<string>) => void) =>
        answer(Object.assign(new Error("no"), { code: "ENOTFOUND" }), [])
      yield* assertFailure({ ...provider, origin: "http://nowhere.test" }, "fetch_failed", "not_sent", {
        http: { resolve }
      })
    })
  )

  it.scopedLive("a reset before the answer is fetch_failed, and an effect may have happened", () =>
    Effect.flatMap(
      serve((_, __, request) => void request.socket.resetAndDestroy()),
      (provider) => assertFailure(provider, "fetch_failed", "unanswered")
    )
  )

  it.scopedLive("a reset inside the body is invalid_response, and an effect may have happened", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response, request) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": 100 })
        response.write('{"a":', () => request.socket.resetAndDestroy())
      })
      yield* assertFailure(provider, "invalid_response", "unanswered")
    })
  )

  it.scopedLive("a reset inside the body of an error is that error", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response, request) => {
        response.writeHead(503, { "content-type": "application/json", "content-length": 100 })
        response.write('{"a":', () => request.socket.resetAndDestroy())
      })
      yield* assertFailure(provider, "provider_error", "answered")
    })
  )

  const raw: ReadonlyArray<[name: string, bytes: string, code: string]> = [
    [
      "a body shorter than its length",
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"a":1}',
      "invalid_response"
    ],
    [
      "a body longer than its length",
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{"a":1}',
      "invalid_response"
    ],
    [
      "a chunk size that is no number",
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
      "invalid_response"
    ],
    ["what is not HTTP at all", "SSH-2.0-OpenSSH_9.6\r\n", "invalid_response"],
    [
      "gzip that breaks off",
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n${gzipSync('{"a":1,"b":"long enough"}').subarray(0, 20).toString("latin1")}`,
      "invalid_response"
    ],
    [
      "an encoding that was not asked for",
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: zstd\r\nContent-Length: 2\r\n\r\n{}",
      "invalid_response"
    ]
  ]
  for (const [name, bytes, code] of raw) {
    it.scopedLive(`${name} is ${code}`, () =>
      Effect.flatMap(
        serveBytes((socket) => socket.end(Buffer.from(bytes, "latin1"))),
        (provider) => assertFailure(provider, code, "unanswered")
      )
    )
  }

  const upgrades = [
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
  ]
  for (const bytes of upgrades)
    it.scopedLive(`an answer of another protocol says so in plain words: ${JSON.stringify(bytes.slice(9))}`, () =>
      Effect.gen(function* () {
        const found = yield* Effect.flatMap(
          serveBytes((socket) => socket.write(Buffer.from(bytes, "latin1"))),
          failure
        )
        assert.deepStrictEqual([found.code, found.certainty], ["invalid_response", "unanswered"])
        assert.notMatch(found.failure.message, /ERR|assert/i)
      })
    )

  it.scopedLive("headers without end are invalid_response, long before the deadline", () =>
    Effect.gen(function* () {
      const provider = yield* serveBytes((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n")
        const more = (): void => {
          if (!socket.destroyed) socket.write(`X-Filler: ${"x".repeat(4000)}\r\n`, () => setImmediate(more))
        }
        more()
      })
      yield* assertFailure(provider, "invalid_response", "unanswered", { operation: { timeoutMs: 20_000 } })
    })
  )
})

describe("the byte limit", () => {
  const limited = { operation: { maxBytes: 10_000, timeoutMs: 20_000 } }

  it.scopedLive("refuses an announced length before reading", () =>
    Effect.gen(function* () {
      const provider = yield* serve(
        (_, response) =>
          void response.writeHead(200, { "content-type": "application/json", "content-length": 10_001 }).write("{")
      )
      yield* assertFailure(provider, "response_too_large", "unanswered", limited)
    })
  )

  it.scopedLive("leaves what the head tells of the cost, also when that cannot be worked out", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) =>
        json(response, 200, { found: "x".repeat(20_000) }, { "x-cost": "12" })
      )
      const cost = (costMicros: string) =>
        Effect.map(
          failure(provider, { operation: { ...limited.operation, response: { costMicros } } }),
          ({ result }) => result.cost
        )
      assert.deepStrictEqual(yield* cost('to_number(headers."x-cost") * `2`'), { _tag: "Reported", micros: 24 })
      assert.strictEqual((yield* cost('abs(headers."x-cost")'))._tag, "Anomaly")
      assert.strictEqual((yield* cost("body.cost * `2`"))._tag, "None")
    })
  )

  it.scopedLive("stops an endless body", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        const more = (): void => {
          if (!response.destroyed) response.write("x".repeat(1000), () => setImmediate(more))
        }
        more()
      })
      yield* assertFailure(provider, "response_too_large", "unanswered", limited)
    })
  )

  it.scopedLive("stops a gzip bomb while it expands", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(Buffer.alloc(50_000_000))
      const provider = yield* serve(
        (_, response) =>
          void response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(bomb)
      )
      const before = process.memoryUsage().rss
      yield* assertFailure(provider, "response_too_large", "unanswered", { operation: { maxBytes: 1_000_000 } })
      assert.isBelow(process.memoryUsage().rss - before, 40_000_000)
    })
  )

  const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
  const endless: ReadonlyArray<[what: string, start: string, more: string, code: string]> = [
    ["one chunk's extensions", `${head}1;`, "extension".repeat(1000), "response_too_large"],
    ["chunks of one byte with extensions", head, `1;${"x".repeat(1000)}\r\n \r\n`, "response_too_large"],
    ["chunks of one byte", head, "1\r\n \r\n".repeat(1000), "response_too_large"],
    ["informational answers", "", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(100), "response_too_large"],
    [
      "informational answers with large heads",
      "",
      `HTTP/1.1 102 Processing\r\nx: ${"y".repeat(8000)}\r\n\r\n`,
      "response_too_large"
    ],
    ["a head", "HTTP/1.1 200 OK\r\n", "x-more: yes\r\n".repeat(100), "invalid_response"],
    ["a reason", "HTTP/1.1 200 ", "OK".repeat(1000), "response_too_large"],
    ["trailers", `${head}2\r\n{}\r\n0\r\n`, "x-more: yes\r\n".repeat(100), "invalid_response"],
    ["the name of a header", "HTTP/1.1 200 OK\r\n", "x".repeat(10_000), "invalid_response"]
  ]
  for (const [what, start, more, code] of endless) {
    it.scopedLive(`stops ${what} without end, whatever arrives of it`, () =>
      Effect.gen(function* () {
        let wrote = 0
        const provider = yield* serveBytes((socket) => {
          socket.write(start)
          const write = (): void => {
            if (socket.destroyed) return
            wrote += more.length
            socket.write(more, () => setImmediate(write))
          }
          write()
        })
        const found = yield* failure(provider, limited)
        assert.deepStrictEqual([found.code, found.certainty], [code, "unanswered"])
        // What the kernel holds for both sides comes on top of what was read.
        assert.isBelow(wrote, 20_000_000)
      })
    )
  }

  it.scopedLive("counts each answer for itself on a socket that is used again", () =>
    Effect.gen(function* () {
      const body = JSON.stringify("x".repeat(9_998))
      const provider = yield* serve(
        (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end(body)
      )
      yield* Effect.gen(function* () {
        const providers = yield* Providers
        for (let n = 0; n < 20; n += 1)
          assert.strictEqual((yield* callEnd(providers.call(callOf(limited))))._tag, "Answered")
      }).pipe(Effect.provide(engine(provider)))
    })
  )

  it.scopedLive("lets an answer of exactly the limit through", () =>
    Effect.gen(function* () {
      const body = JSON.stringify("x".repeat(9_998))
      const provider = yield* serve(
        (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end(body)
      )
      const result = yield* callOnce(provider, limited)
      assert.strictEqual(result._tag === "Answered" && result.evidence.responseBytes, 10_000)
    })
  )

  it.scopedLive("reads large compressed answers whole", () =>
    Effect.gen(function* () {
      const body = JSON.stringify(randomBytes(200_000).toString("hex"))
      const provider = yield* serve(
        (_, response) =>
          void response
            .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
            .end(gzipSync(body))
      )
      const result = yield* callOnce(provider)
      assert.strictEqual(
        result._tag === "Answered" && result.body._tag === "Json" && JSON.stringify(result.body.value),
        body
      )
    })
  )
})

describe("what is refused before anything is sent", () => {
  const cases: ReadonlyArray<[name: string, code: string, options: CallOptions]> = [
    ["a key that is needed and not set", "platform_key_missing", bearer],
    [
      "a placement that the gateway cannot do",
      "credential_placement_unsupported",
      { provider: { auth: { type: "unsupported", placement: "a signed request" } } }
    ],
    [
      "a basic key without a password",
      "platform_auth_incompatible",
      { provider: { auth: { type: "basic" } }, credential: platformKey("only-a-user") }
    ],
    [
      "an OAuth client without a secret",
      "platform_auth_incompatible",
      {
        provider: { auth: { type: "oauth2_client_credentials", tokenUrl: "https://x.test/t" } },
        credential: platformKey("client")
      }
    ],
    [
      "a key with a line break",
      "platform_auth_incompatible",
      { ...bearer, credential: platformKey("key\r\nX-Injected: 1") }
    ],
    ["a connection's key with a line break", "connection_invalid", { ...bearer, credential: connectionKey("key\nx") }],
    ["an expression that does not parse", "contract_invalid", { operation: { response: { miss: "body.[" } } }],
    ["a schema that is none", "contract_invalid", { operation: { input: { type: "nonsense" } } }],
    [
      "bindings that want two bodies",
      "contract_invalid",
      { operation: { bindings: { a: { in: "json", name: "a" }, b: { in: "form", name: "b" } } } }
    ],
    ["a path part that climbs", "validation_error", { operation: { path: "/v1/{id}" }, input: { id: ".." } }],
    [
      "a header with a line break",
      "validation_error",
      { operation: { bindings: { a: { in: "header", name: "X-A" } } }, input: { a: "1\r\nX-B: 2" } }
    ]
  ]
  for (const [name, code, options] of cases) {
    it.scopedLive(`${name} is ${code}`, () =>
      Effect.gen(function* () {
        const provider = yield* serve((_, response) => json(response, 200, {}))
        yield* assertFailure(provider, code, "not_sent", options)
        assert.deepStrictEqual(provider.requests, [])
      })
    )
  }
})

describe("interruption", () => {
  it.scopedLive("may be forbidden by the caller, and the deadline holds all the same", () =>
    Effect.gen(function* () {
      const provider = yield* serve(() => undefined)
      const result = yield* Effect.uninterruptible(callOnce(provider, { operation: { timeoutMs: 150 } }))
      assert.strictEqual(result._tag !== "Answered" && result.failure.code, "timeout")
    })
  )

  it.scopedLive("forbidden by the caller does not abort the exchange either", () =>
    Effect.gen(function* () {
      const arrived = yield* Effect.makeLatch()
      const answer = yield* Effect.makeLatch()
      const provider = yield* serve((_, response) => {
        arrived.unsafeOpen()
        Effect.runFork(answer.whenOpen(Effect.sync(() => json(response, 200, {}))))
      })
      const outcome = yield* Deferred.make<string>()
      const left = Effect.uninterruptible(
        Effect.flatMap(callOnce(provider), (result) => Deferred.succeed(outcome, result._tag))
      )
      const calling = yield* Effect.fork(left)
      yield* arrived.await
      yield* Fiber.interruptFork(calling)
      yield* Effect.yieldNow()
      yield* answer.open
      assert.strictEqual(yield* Deferred.await(outcome), "Answered")
    })
  )

  it.scopedLive("aborts the exchange, and the provider sees the connection close", () =>
    Effect.gen(function* () {
      const arrived = yield* Effect.makeLatch()
      const closed = yield* Effect.makeLatch()
      const provider = yield* serve((_, response) => {
        response.on("close", () => closed.unsafeOpen())
        arrived.unsafeOpen()
      })
      yield* Effect.gen(function* () {
        const providers = yield* Providers
        const calling = yield* Effect.fork(providers.call(callOf({})))
        yield* arrived.await
        yield* Fiber.interrupt(calling)
        yield* closed.await
      }).pipe(Effect.provide(engine(provider)))
    })
  )
})
