/**
 * What stands before the handlers: headers that may be sent once, parameters that nobody reads, cursors, times, and the
 * rate of callers without a token.
 */
import { createHash } from "node:crypto"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, FastCheck, Layer } from "effect"
import { readInstant } from "../../src/domain/Instant.js"
import { ignoredParametersMax, queryParametersMax } from "../../src/domain/limits/Requests.js"
import { RateLimiterMemory } from "../../src/layers/node/RateLimiterMemory.js"
import { RateLimiter } from "../../src/services/RateLimiter.js"
import { startGateway, type Answer } from "../support/httpGateway.js"
import { completedRun, ledgerEntry, runId } from "../support/httpSamples.js"

const created = {
  runs: { create: () => Effect.succeed({ run: completedRun, attempts: [], replayed: false, left: null }) }
}
const body = '{"endpointId":"a","input":{}}'

/** Sends a POST with exactly these header lines, and collects the answer. */
const post = (port: number, lines: ReadonlyArray<string>, text = body) =>
  Effect.async<string>((resume) => {
    const socket = connect(port, "127.0.0.1")
    let answer = ""
    socket.setEncoding("utf8")
    socket.on("data", (chunk) => {
      answer += chunk
    })
    socket.on("close", () => resume(Effect.succeed(answer)))
    socket.on("error", () => resume(Effect.succeed(answer)))
    socket.write(
      [
        "POST /v1/runs HTTP/1.1",
        "connection: close",
        "content-type: application/json",
        `content-length: ${text.length}`,
        ...lines,
        "",
        text
      ].join("\r\n")
    )
  })

describe("headers", () => {
  it.scopedLive(
    "a request that ends its connection, or asks for another protocol, is answered with those before it, and none behind",
    () =>
      Effect.gen(function* () {
        const { port } = yield* startGateway(created)
        const get = (mark: string, more = "") =>
          `GET /livez HTTP/1.1\r\nhost: x\r\nx-request-id: ${mark}\r\n${more}\r\n`
        const upgrade = "connection: Upgrade\r\nupgrade: h2c\r\n"
        const sent = (text: string, later: string) =>
          Effect.async<string>((resume) => {
            let heard = ""
            const socket = connect(port, "127.0.0.1")
            socket.setEncoding("utf8")
            socket.on("data", (chunk: string) => {
              heard += chunk
              socket.write(later)
            })
            socket.on("error", () => undefined)
            socket.on("close", () => resume(Effect.succeed(heard)))
            socket.write(text)
          })
        const marksOf = (heard: string): ReadonlyArray<string> =>
          [...heard.matchAll(/x-request-id: (\w+)/gi)].map(([, mark = ""]) => mark)
        for (const [text, marks] of [
          [get("one", upgrade) + get("two"), ["one"]],
          [get("one") + get("two", upgrade) + get("three"), ["one", "two"]],
          [get("one", upgrade) + get("two").slice(0, 20), ["one"]],
          [get("one") + get("two", "connection: close\r\n") + get("three"), ["one", "two"]]
        ] as const) {
          const heard = yield* sent(text, get("later"))
          assert.deepStrictEqual(marksOf(heard), marks)
          assert.deepStrictEqual(
            [...heard.matchAll(/connection: ([a-z-]+)/gi)].map(([, said]) => said?.toLowerCase()).at(-1),
            "close"
          )
        }
        const head = `POST /v1/runs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer token\r\nidempotency-key: k\r\n${upgrade}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
        const posted = yield* sent(head + body, "")
        assert.match(posted, /^HTTP\/1\.1 201 /)
      })
  )

  it.scopedLive("a request without Host, or with an expectation that nobody knows, is told what is wrong", () =>
    Effect.gen(function* () {
      const { port } = yield* startGateway(created)
      const usual = ["authorization: Bearer token", "idempotency-key: k"]
      const hostless = yield* post(port, usual)
      assert.match(hostless, /^HTTP\/1\.1 400 [^]*x-request-id: req_[^]*"code":"validation_error"[^]*"field":"host"/i)
      const asked = ["x-request-id: mine", "accept: application/problem+json"]
      const expecting = yield* post(port, [...usual, ...asked, "host: x", "expect: a-miracle"])
      assert.match(
        expecting,
        /^HTTP\/1\.1 417 [^]*application\/problem\+json[^]*x-request-id: mine[^]*"status":417[^]*"code":"validation_error"[^]*"field":"expect"/i
      )
      assert.include(expecting, '"retryable":false,"retryHint":"Leave the Expect header out."')
      assert.match(yield* post(port, [...usual, "host: x", "expect: 100-continue"]), /HTTP\/1\.1 201 /)
      const below = yield* startGateway({ ...created, settings: { publicUrl: "https://gateway.test/pre/fix" } })
      const there = yield* post(below.port, [...usual, ...asked, "host: x", "expect: a-miracle"])
      assert.include(there, '"type":"/pre/fix/docs#validation_error"')
    })
  )

  it.scopedLive("that may be sent once are 400 when they are sent twice, different or equal", () =>
    Effect.gen(function* () {
      const { port } = yield* startGateway(created)
      const usual = ["host: x", "authorization: Bearer token"]
      assert.match(yield* post(port, [...usual, "idempotency-key: k1"]), /^HTTP\/1\.1 201 /)
      const cases = [
        [[...usual, "host: y"], "host"],
        [[...usual, "Host: x"], "host"],
        [[...usual, "Authorization: Bearer other"], "authorization"],
        [[...usual, "idempotency-key: k1", "Idempotency-Key: k2"], "idempotency-key"],
        [[...usual, "idempotency-key: k1", "idempotency-key: k1"], "idempotency-key"],
        [[...usual, "idempotency-key: k", "content-type: text/plain"], "content-type"],
        [[...usual, "content-encoding: identity", "content-encoding: gzip"], "content-encoding"]
      ] as const
      for (const [lines, field] of cases) {
        const answer = yield* post(port, lines)
        assert.match(answer, /^HTTP\/1\.1 400 /, lines.join())
        assert.include(answer, `"field":"${field}","message":"may be sent once"`)
      }
    })
  )

  it.scopedLive("of a host that is none are 400, and those without a name or with an address are taken", () =>
    Effect.gen(function* () {
      const { port } = yield* startGateway(created)
      for (const host of ["a b", "x/y?z#@", "user@x", "x:port", "[::1", "x, y", "é"]) {
        const answer = yield* post(port, [`host: ${host}`, "authorization: Bearer token", "idempotency-key: k"])
        assert.match(answer, /^HTTP\/1\.1 400 /, host)
        assert.include(answer, '"field":"host","message":"must be a host, with a port where it needs one"')
      }
      for (const host of ["", "x", "X.example:8080", "my_service:", "127.0.0.1", "[::1]:8080", "[fe80::1%25eth0]"]) {
        const answer = yield* post(port, [`host: ${host}`, "authorization: Bearer token", "idempotency-key: k"])
        assert.match(answer, /^HTTP\/1\.1 201 /, host)
      }
    })
  )

  it.scopedLive("of a transfer coding that is not chunked, or of HTTP/1.0, are 400, and end the connection", () =>
    Effect.gen(function* () {
      const { port } = yield* startGateway(created)
      const sent = (version: string, coding: string, next: string) =>
        Effect.async<string>((resume) => {
          const socket = connect(port, "127.0.0.1")
          let answer = ""
          socket.setEncoding("utf8")
          socket.on("data", (chunk: string) => {
            answer += chunk
          })
          socket.on("close", () => resume(Effect.succeed(answer)))
          const head = [
            `POST /v1/runs HTTP/${version}`,
            "host: x",
            "connection: keep-alive",
            "authorization: Bearer token",
            "idempotency-key: k",
            "content-type: application/json",
            `transfer-encoding: ${coding}`
          ]
          const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
          socket.write(`${head.join("\r\n")}\r\n\r\n${chunks}${next}\r\nhost: x\r\n\r\n`)
        })
      for (const [version, coding, message] of [
        ["1.1", "gzip, chunked", "may only be chunked"],
        ["1.1", "foo, chunked", "may only be chunked"],
        ["1.0", "chunked", "needs HTTP/1.1"]
      ] as const) {
        const answer = yield* sent(version, coding, "GET /livez HTTP/1.1")
        assert.deepStrictEqual(answer.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 400"], `${version} ${coding}`)
        assert.include(answer, `"field":"transfer-encoding","message":"${message}"`, `${version} ${coding}`)
      }
      const taken = yield* sent("1.1", "Chunked", "GET /nope HTTP/1.1\r\nconnection: close")
      assert.deepStrictEqual(taken.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 201", "HTTP/1.1 404"])
    })
  )

  it.scopedLive("a comma is a character of an idempotency key like any other", () =>
    Effect.gen(function* () {
      const keys: Array<string> = []
      const { port } = yield* startGateway({
        runs: {
          create: (_, { idempotencyKey }) =>
            Effect.sync(() => {
              keys.push(idempotencyKey)
              return { run: completedRun, attempts: [], replayed: false, left: null }
            })
        }
      })
      assert.match(
        yield* post(port, ["host: x", "authorization: Bearer token", "idempotency-key: a, b,c"]),
        /^HTTP\/1\.1 201 /
      )
      assert.deepStrictEqual(keys, ["a, b,c"])
    })
  )
})

describe("parameters that a route does not know", () => {
  const ignored = (answer: Answer) => answer.headers.get("x-ignored-parameters")
  it.scopedLive("are ignored, and named in a header", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        ...created,
        runs: { ...created.runs, list: () => Effect.succeed({ items: [], next: null }) }
      })
      const list = yield* gateway.get("/v1/runs?limit=5&sort=asc&page=2&sort=desc&inc%6cudeResult=true")
      assert.deepStrictEqual([list.status, ignored(list)], [200, "sort, page"])
      assert.isNull(ignored(yield* gateway.get("/v1/runs?limit=5")))
      assert.isNull(ignored(yield* gateway.post("/v1/runs?wait", body, { headers: { "idempotency-key": "k" } })))
      const run = yield* gateway.post("/v1/runs?limit=5", body, { headers: { "idempotency-key": "k" } })
      assert.deepStrictEqual([run.status, ignored(run)], [201, "limit"])
      const refused = yield* gateway.get("/v1/runs?limit=0&sort=asc")
      assert.deepStrictEqual([refused.status, ignored(refused)], [400, "sort"])
      assert.strictEqual(ignored(yield* gateway.get("/livez?verbose", { authorization: null })), "verbose")
    })
  )

  it.scopedLive("are few, short and safe to print", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({})
      const odd = yield* gateway.get(
        `/livez?a%0d%0aset-cookie:x=1&%C3%A4=1&b,c=1&%zz=1&=1&${"n".repeat(500)}=1&__proto__=1&toString=1`
      )
      assert.strictEqual(odd.status, 200)
      assert.strictEqual(
        ignored(odd),
        `a%0D%0Aset-cookie%3Ax, %C3%A4, b%2Cc, %25zz, ${"n".repeat(64)}, __proto__, toString`
      )
      const cut = yield* gateway.get(`/livez?${"n".repeat(62)}%C3%A4=1&${"n".repeat(63)}%20=1`)
      assert.strictEqual(ignored(cut), `${"n".repeat(62)}, ${"n".repeat(63)}`)
      const parameters = Array.from({ length: queryParametersMax }, (_, n) => `p${n}`)
      const many = yield* gateway.get(`/livez?${parameters.join("&")}`)
      assert.lengthOf(ignored(many)!.split(", "), ignoredParametersMax)
    })
  )
})

describe("cursors", () => {
  const entries = { wallet: { entries: () => Effect.succeed({ items: [ledgerEntry], next: "1700000000000~led_1" }) } }

  it.scopedLive("cannot be made by anybody who knows how they are made", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway(entries)
      const cursor: string = (yield* gateway.get("/v1/ledger")).json.nextCursor
      assert.strictEqual((yield* gateway.get(`/v1/ledger?cursor=${cursor}`)).status, 200)
      const [, signature] = cursor.split(".")
      const known = '["ledger","ws_00000000000000000000000001",{},"1700000000000~led_1"]'
      const digest = createHash("sha256").update(known).digest("base64url")
      const encoded = Buffer.from("1700000000000~led_1").toString("base64url")
      for (const forged of [
        `${encoded}.${digest}`,
        `${encoded}.${digest.slice(0, 16)}`,
        `${encoded}.`,
        `${encoded}`,
        `${Buffer.from("'; --").toString("base64url")}.${signature}`
      ]) {
        const answer = yield* gateway.get(`/v1/ledger?cursor=${forged}`)
        assert.deepStrictEqual(
          [answer.status, answer.json.error.code, answer.json.error.details[0].field],
          [400, "validation_error", "cursor"],
          forged
        )
      }
    })
  )

  it.scopedLive("of another gateway's key are refused, and those of a node with the same key are taken", () =>
    Effect.gen(function* () {
      const [here, there, stranger] = yield* Effect.all([
        startGateway(entries),
        startGateway(entries),
        startGateway({ ...entries, cursorKey: new Uint8Array(32).fill(9) })
      ])
      const cursor: string = (yield* here.get("/v1/ledger")).json.nextCursor
      assert.strictEqual((yield* there.get(`/v1/ledger?cursor=${cursor}`)).status, 200)
      assert.strictEqual((yield* stranger.get(`/v1/ledger?cursor=${cursor}`)).status, 400)
    })
  )

  it.scopedLive("of the run list that are bad are runs_cursor_invalid in every form", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({})
      for (const bad of [
        "",
        "x",
        "%00",
        "%0a",
        "%E0%A4%A",
        "c".repeat(513),
        "c".repeat(5_000),
        "a&cursor=b",
        "%F0%9F%98%80",
        ".",
        "..",
        "a.b.c"
      ]) {
        const answer = yield* gateway.get(`/v1/runs?cursor=${bad}`)
        assert.deepStrictEqual([answer.status, answer.json.error.code], [400, "runs_cursor_invalid"], bad.slice(0, 20))
      }
      const bare = yield* gateway.get("/v1/runs?cursor")
      assert.strictEqual(bare.json.error.code, "runs_cursor_invalid")
    })
  )
})

describe("times", () => {
  const impossible = [
    "2026-02-30",
    "2025-02-29",
    "2026-02-30T00:00:00Z",
    "2026-04-31T10:00:00Z",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "2026-01-32",
    "2026-01-01T24:00:00Z",
    "2026-01-01T25:00:00Z",
    "2026-01-01T10:60:00Z",
    "2026-01-01T10:00:60Z",
    "2026-01-01T10:00:00+25:00",
    "2026-01-01T10:00:00+10:60",
    "2026-01-01T",
    "2026-01-01T10",
    "2026-01-01T10:00:00.Z",
    "2026-01-01T::Z",
    "2026-1-1",
    "20260101",
    "2026-01-01 10:00:00Z",
    `2026-01-01T10:00:00.${"1".repeat(100)}Z`,
    // In UTC they are in a year that this form cannot write.
    "9999-12-31T23:59:59-12:00",
    "0000-01-01T00:00:00+01:00"
  ]

  it("that cannot be are none", () => {
    for (const text of impossible) assert.isUndefined(readInstant(text), text)
  })

  it("that can be are read as they are meant, in UTC where they name no zone", () => {
    const meant = [
      ["2024-02-29", "2024-02-29T00:00:00.000Z"],
      ["2026-01-01T10:00Z", "2026-01-01T10:00:00.000Z"],
      ["2026-01-01T10:00:00.5Z", "2026-01-01T10:00:00.500Z"],
      ["2026-01-01T10:00:00+02:00", "2026-01-01T08:00:00.000Z"],
      ["2026-01-01T10:00:00-0130", "2026-01-01T11:30:00.000Z"],
      ["2026-01-01T10:00:00", "2026-01-01T10:00:00.000Z"],
      ["0099-12-31T23:59:59Z", "0099-12-31T23:59:59.000Z"]
    ] as const
    for (const [text, iso] of meant) assert.strictEqual(new Date(readInstant(text) ?? Number.NaN).toISOString(), iso)
  })

  it("any moment that a date prints is read back", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.date({
          min: new Date("0000-01-01T00:00:00Z"),
          max: new Date("9999-12-31T23:59:59.999Z"),
          noInvalidDate: true
        }),
        (date) => {
          assert.strictEqual(readInstant(date.toISOString()), date.getTime())
        }
      )
    )
  })

  it.scopedLive("that cannot be are 400 wherever a time is read", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({})
      for (const text of ["2026-02-30", "2026-02-30T00:00:00Z"]) {
        const bodies = [
          ["/v1/login-approvals", { digest: "0".repeat(64), label: "x", scopes: ["runs:read"], expiresAt: text }],
          ["/v1/connections", { providerId: "mock", label: "x", secret: "s", expiresAt: text }]
        ] as const
        for (const [path, sent] of bodies) {
          const answer = yield* gateway.post(path, sent)
          assert.deepStrictEqual([answer.status, answer.json.error.details[0].field], [400, "expiresAt"], path)
        }
        for (const field of ["from", "to"]) {
          const answer = yield* gateway.get(`/v1/ledger?${field}=${text}`)
          assert.deepStrictEqual([answer.status, answer.json.error.details[0].field], [400, field])
        }
      }
    })
  )
})

describe("callers without a token", () => {
  const anonymous = { authorization: null }
  const limits = {
    burst: 1_000,
    refillPerSecond: 1,
    publicRate: { burst: 3, refillPerSecond: 0.001 },
    publicTotalRate: { burst: 5, refillPerSecond: 0.001 }
  }
  const overview = { revision: "r1", builtAt: "2026-01-01T00:00:00Z", depth: "summary" as const, categories: [] }

  const limited = Effect.gen(function* () {
    const limiter = Context.get(yield* Layer.build(RateLimiterMemory(limits)), RateLimiter)
    return yield* startGateway({
      limiter,
      settings: { trustProxy: true },
      catalog: { overview: () => Effect.succeed(overview) }
    })
  })
  const from = (address: string) => ({ ...anonymous, headers: { "x-forwarded-for": address } })

  it.scopedLive("have a rate for each address on every public route, and one for all of them together", () =>
    Effect.gen(function* () {
      const gateway = yield* limited
      for (const path of ["/docs", "/v1/catalog/overview", "/nope"])
        assert.notStrictEqual((yield* gateway.get(path, from("192.0.2.1"))).status, 429, path)
      for (const path of [
        "/docs",
        "/openapi.json",
        "/llms.txt",
        "/v1/public-catalog",
        "/v1/public-catalog/x",
        "/v1/catalog/overview",
        "/v1/login-approvals/x",
        "/nope",
        "/v1/runs"
      ]) {
        const answer = yield* gateway.get(path, from("192.0.2.1"))
        assert.deepStrictEqual([answer.status, answer.json?.error?.code], [429, "rate_limit_exceeded"], path)
        assert.strictEqual(answer.headers.get("x-ratelimit-limit"), "3")
        assert.isAtLeast(Number(answer.headers.get("retry-after")), 1)
      }
      for (const page of ["/approve/x", "/console/sign-in", "/console/sign-in/link/x"])
        assert.strictEqual((yield* gateway.get(page, from("192.0.2.1"))).status, 429, page)
      assert.strictEqual((yield* gateway.post("/v1/public-catalog/compare", "{}", from("192.0.2.1"))).status, 429)
      assert.strictEqual((yield* gateway.get("/docs", from("192.0.2.2"))).status, 200)
      assert.strictEqual((yield* gateway.get("/docs", from("192.0.2.3"))).status, 200)
      const all = yield* gateway.get("/docs", from("192.0.2.4"))
      assert.deepStrictEqual([all.status, all.headers.get("x-ratelimit-limit")], [429, "5"])
      assert.strictEqual(
        (yield* gateway.get("/v1/catalog/overview", { headers: from("192.0.2.4").headers })).status,
        200,
        "a caller with a token has a rate of their own"
      )
      assert.strictEqual((yield* gateway.get("/livez", from("192.0.2.1"))).status, 200, "probes have none")
    })
  )

  it.scopedLive(
    "are one address when they have one network: the first 64 bits of IPv6, and IPv4 however it is written",
    () =>
      Effect.gen(function* () {
        const gateway = yield* limited
        const seen = yield* Effect.forEach(
          ["2001:db8::1", "2001:db8::2:3", "2001:DB8:0:0:ffff::9", "2001:db8::4"],
          (address) => gateway.get("/docs", from(address))
        )
        assert.deepStrictEqual(
          seen.map(({ status }) => status),
          [200, 200, 200, 429]
        )
        const mapped = yield* limited
        const same = yield* Effect.forEach(
          ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201", "192.0.2.1"],
          (address) => mapped.get("/docs", from(address))
        )
        assert.deepStrictEqual(
          same.map(({ status }) => status),
          [200, 200, 200, 429]
        )
      })
  )

  it.scopedLive("who guess tokens spend from the same", () =>
    Effect.gen(function* () {
      const gateway = yield* limited
      const guesses = yield* Effect.replicateEffect(
        gateway.get(`/v1/runs/${runId}`, { ...from("192.0.2.1"), authorization: "Bearer guess" }),
        4
      )
      assert.deepStrictEqual(
        guesses.map(({ status }) => status),
        [401, 401, 401, 429]
      )
    })
  )
})
