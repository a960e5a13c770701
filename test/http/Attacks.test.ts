/**
 * What a hostile or broken client can send, and that every bit of it is answered in the envelope without touching a
 * service.
 */
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { bodyBytesMax, pathCharsMax, queryParametersMax } from "../../src/domain/limits/Requests.js"
import { startGateway, type Answer } from "../support/httpGateway.js"
import { completedRun, runId } from "../support/httpSamples.js"

const run = { endpointId: "job:people.email.find", input: { name: "Ada" } }
const key = { "idempotency-key": "k1" }
/** `Runs.create` is not set: a request that got through would be a defect and answer 500. */
const sealed = startGateway({})

const refused = (answer: Answer, field: string, status = 400) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(answer.json.error.code, "validation_error")
  assert.include(
    answer.json.error.details.map((detail: { field: string }) => detail.field),
    field
  )
  assert.include(answer.json.error.message, field)
}

/** Sends bytes as they are and collects what comes back until the server closes. */
const raw = (port: number, bytes: string) =>
  Effect.async<string>((resume) => {
    const socket = connect(port, "127.0.0.1")
    let text = ""
    socket.setEncoding("utf8")
    socket.on("data", (chunk) => {
      text += chunk
    })
    socket.on("close", () => resume(Effect.succeed(text)))
    socket.on("error", () => resume(Effect.succeed(text)))
    socket.write(bytes)
  })

describe("bodies", () => {
  const bodies: ReadonlyArray<readonly [name: string, body: string, field: string]> = [
    ["an empty body", "", "body"],
    ["text that is not JSON", "{nope", "body"],
    ["a JSON array", "[]", "body"],
    ["null", "null", "body"],
    ["a second member of one name", '{"endpointId":"a","endpointId":"b","input":{}}', "body"],
    ["a second member hidden behind an escape", '{"endpointId":"a","\\u0065ndpointId":"b","input":{}}', "body"],
    ["a second member inside of the input", '{"endpointId":"a","input":{"x":[{"y":1,"y":2}]}}', "body"],
    ["a __proto__ member", '{"endpointId":"a","input":{"__proto__":{"x":1}}}', "body"],
    ["a NUL character", '{"endpointId":"a","input":{"x":"\\u0000"}}', "body"],
    ["half of a surrogate pair", '{"endpointId":"a","input":{"x":"\\ud800"}}', "body"],
    ["nesting without end", `{"endpointId":"a","input":{"x":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`, "input"],
    ["no endpointId", '{"input":{}}', "endpointId"],
    ["an input that is a list", '{"endpointId":"a","input":[]}', "input"],
    ["a field nobody knows", JSON.stringify({ ...run, retries: 3 }), "retries"],
    ["a field of fallback nobody knows", JSON.stringify({ ...run, fallback: { maxTries: 3 } }), "fallback.maxTries"],
    ["a fallback out of range", JSON.stringify({ ...run, fallback: { maxAttempts: 11 } }), "fallback.maxAttempts"],
    ["a fallback of another type", JSON.stringify({ ...run, fallback: "yes" }), "fallback"],
    ["a wait of another type", JSON.stringify({ ...run, wait: "soon" }), "wait"],
    ["an idempotency key with a line break", JSON.stringify({ ...run, idempotencyKey: "a\nb" }), "idempotencyKey"],
    [
      "an idempotency key of 256 characters",
      JSON.stringify({ ...run, idempotencyKey: "k".repeat(256) }),
      "idempotencyKey"
    ],
    ["two different idempotency keys", JSON.stringify({ ...run, idempotencyKey: "k2" }), "idempotencyKey"],
    ["an output mode nobody knows", JSON.stringify({ ...run, output: { mode: "rows" } }), "output.mode"]
  ]
  it.scopedLive("are refused with the field that is wrong", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      for (const [name, body, field] of bodies) {
        const answer = yield* gateway.post("/v1/runs", body, { headers: key })
        assert.strictEqual(answer.status, 400, name)
        refused(answer, field)
      }
    })
  )

  it.scopedLive("tell every problem at once and repeat none of the values", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      const answer = yield* gateway.post(
        "/v1/runs",
        { endpointId: 7, input: "sk-secret", wait: "sk-secret", output: { mode: "sk-secret" } },
        { headers: key }
      )
      for (const field of ["endpointId", "input", "wait", "output.mode"]) refused(answer, field)
      assert.notInclude(answer.text, "sk-secret")
    })
  )

  it.scopedLive("need an idempotency key in the header or the body", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      refused(yield* gateway.post("/v1/runs", run), "idempotencyKey")
    })
  )

  it.scopedLive("must say that they are JSON, when they say what they are", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/octet-stream"
      ]) {
        refused(yield* gateway.post("/v1/runs", run, { headers: { ...key, "content-type": type } }), "content-type")
      }
    })
  )

  it.scopedLive("that are not UTF-8 are refused", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      const body = Buffer.concat([
        Buffer.from('{"endpointId":"a'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('","input":{}}')
      ])
      refused(
        yield* gateway.send("POST", "/v1/runs", { headers: { ...key, "content-type": "application/json" }, body }),
        "body"
      )
    })
  )

  it.scopedLive("over 1 MiB are 413, announced or in chunks, and the connection stays usable for the answer", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      const large = JSON.stringify({ ...run, input: { x: "x".repeat(2 * bodyBytesMax) } })
      const announced = yield* gateway.post("/v1/runs", large, { headers: key })
      const chunked = yield* gateway.send("POST", "/v1/runs", {
        headers: { ...key, "content-type": "application/json" },
        body: new Blob([large]).stream()
      })
      for (const answer of [announced, chunked]) {
        assert.strictEqual(answer.status, 413)
        assert.strictEqual(answer.json.error.code, "payload_too_large")
        assert.strictEqual(answer.json.limitBytes, bodyBytesMax)
      }
    })
  )

  it.scopedLive("of exactly 1 MiB are read", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        runs: { create: () => Effect.succeed({ run: completedRun, attempts: [], replayed: false, left: null }) }
      })
      const frame = JSON.stringify({ ...run, input: { x: "" } })
      const answer = yield* gateway.post(
        "/v1/runs",
        JSON.stringify({ ...run, input: { x: "x".repeat(bodyBytesMax - frame.length) } }),
        { headers: key }
      )
      assert.strictEqual(answer.status, 201)
    })
  )

  it.scopedLive("without end are cut off", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      const sent = yield* Effect.async<number>((resume) => {
        const socket = connect(gateway.port, "127.0.0.1")
        const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`
        let bytes = 0
        const push = () => {
          bytes += chunk.length
          if (!socket.destroyed && socket.write(chunk)) setImmediate(push)
        }
        socket.on("drain", push)
        socket.on("error", () => undefined)
        socket.on("close", () => resume(Effect.succeed(bytes)))
        socket.write(
          "POST /v1/runs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer token\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        socket.resume()
        push()
      })
      assert.isBelow(sent, 64 * bodyBytesMax)
    })
  )
})

describe("paths and methods", () => {
  it.scopedLive("that do not exist are 404, and other methods of one that does are 405 with Allow", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      for (const path of [
        "/nope",
        "/v1",
        "/V1/runs",
        "/v1//runs",
        "/v1/runs/x/y",
        "/v1/runs/",
        "/v1/runs//attempts",
        "/v1/catalog/endpoints/"
      ]) {
        const answer = yield* gateway.get(path)
        assert.deepStrictEqual([answer.status, answer.json.error.code], [404, "route_not_found"], path)
      }
      const put = yield* gateway.send("PUT", "/v1/runs")
      assert.deepStrictEqual(
        [put.status, put.json.error.code, put.headers.get("allow")],
        [405, "method_not_allowed", "POST, GET, HEAD"]
      )
      const purge = yield* gateway.send("PURGE", `/v1/runs/${runId}`)
      assert.deepStrictEqual([purge.status, purge.headers.get("allow")], [405, "GET, HEAD"])
      const options = yield* gateway.send("OPTIONS", "/v1/balance")
      assert.strictEqual(options.status, 405)
    })
  )

  it.scopedLive("with broken percent-encoding are 400", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      refused(yield* gateway.get("/v1/runs/%E0%A4%A"), "path")
    })
  )

  it.scopedLive("with ids that name nothing are 404, however long or odd, and never reach a service", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      for (const odd of ["a".repeat(101), "a".repeat(4_000), "run_1", "%00", "..%2f..%2fetc", `${runId}%20`]) {
        const answer = yield* gateway.get(`/v1/runs/${odd}`)
        assert.deepStrictEqual([answer.status, answer.json.error.code], [404, "not_found"], odd)
      }
      const file = yield* gateway.get(`/v1/runs/${runId}/media/%00`)
      assert.deepStrictEqual([file.status, file.json.error.code], [404, "not_found"])
    })
  )

  it.scopedLive("longer than any id are looked up like others: what they name is not there", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      const long = "a".repeat(pathCharsMax)
      const cases = [
        [`/v1/runs/${long}`, "not_found"],
        [`/v1/runs/${long}/attempts`, "not_found"],
        [`/v1/runs/${long}/media/${long}`, "not_found"],
        // As long as it can be: cut after any character, it is an id that names nothing.
        [`/v1/runs/${"%C3%A9".repeat(2_500)}`, "not_found"],
        [`/v1/runs/${"%25".repeat(5_000)}`, "not_found"],
        [`/${"%25".repeat(5_000)}`, "route_not_found"],
        [`/v1${"/%25".repeat(3_500)}`, "route_not_found"]
      ] as const
      for (const [path, code] of cases) {
        const answer = yield* gateway.get(path)
        assert.deepStrictEqual([answer.status, answer.json.error.code], [404, code], path.slice(0, 30))
        assert.isBelow(answer.text.length, 1_000)
      }
      assert.strictEqual((yield* gateway.send("DELETE", `/v1/runs/${long}`)).status, 405)
      refused(yield* gateway.get(`/v1/runs/${long}%E0%A4%A`), "path")
    })
  )

  it.scopedLive("of a whole URL are those within it, and what is no path reaches no route", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      const status = (method: string, target: string) =>
        Effect.map(
          raw(
            gateway.port,
            `${method} ${target} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer token\r\nconnection: close\r\n\r\n`
          ),
          (answer) => answer.slice(9, 12)
        )
      const targets = [
        ["GET", "http://other.example/livez", "200"],
        ["GET", "HTTPS://other.example:8443/livez?x=1", "200"],
        ["PUT", "http://other.example/v1/runs", "405"],
        ["GET", "http://other.example/nope", "404"],
        ["GET", "*", "400"],
        ["GET", "*v1/balance", "400"],
        ["GET", "livez", "400"],
        ["OPTIONS", "*", "400"]
      ] as const
      for (const [method, target, expected] of targets)
        assert.strictEqual(yield* status(method, target), expected, `${method} ${target}`)
    })
  )

  it.scopedLive("HEAD answers what GET would, without a body", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      const head = yield* gateway.send("HEAD", "/livez")
      assert.deepStrictEqual([head.status, head.text, head.headers.get("content-type")], [200, "", "application/json"])
    })
  )
})

describe("queries", () => {
  it.scopedLive("are refused with the parameter that is wrong", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      const cases = [
        ["/v1/runs?limit=0", "limit"],
        ["/v1/runs?limit=101", "limit"],
        ["/v1/runs?limit=1e1", "limit"],
        ["/v1/runs?limit=1&limit=2", "limit"],
        ["/v1/runs?status=done", "status"],
        ["/v1/runs?includeResult=yes", "includeResult"],
        ["/v1/runs?capability=%00", "capability"],
        ["/v1/runs?providerId=Hunter", "providerId"],
        ["/v1/runs?providerId=hunter%20", "providerId"],
        ["/v1/ledger?runId=run_1", "runId"],
        ["/v1/runs?tokenId=tok_1", "tokenId"],
        [`/v1/runs?tokenId=${runId}`, "tokenId"],
        ["/v1/runs?idempotencyKey=", "idempotencyKey"],
        ["/v1/runs?idempotencyKey=a%0Ab", "idempotencyKey"],
        [`/v1/runs?idempotencyKey=${"k".repeat(256)}`, "idempotencyKey"],
        [`/v1/runs/${runId}?max_items=0`, "max_items"],
        [`/v1/runs/${runId}?max_items=10001`, "max_items"],
        ["/v1/ledger?from=yesterday", "from"],
        ["/v1/ledger?kind=gift", "kind"],
        ["/v1/ledger?cursor=x", "cursor"]
      ] as const
      for (const [path, field] of cases) refused(yield* gateway.get(path), field)
    })
  )

  it.scopedLive("with broken percent-encoding are refused with the parameter, unless nobody reads it", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      const cases = [
        ["/v1/runs?status=%ff", "status"],
        ["/v1/runs?limit=%zz", "limit"],
        ["/v1/runs?providerId=%zz", "providerId"],
        ["/v1/runs?providerId=mock&provider%49d=%E0%A4", "providerId"],
        ["/v1/catalog/search?q=100%", "q"],
        ["/v1/ledger?cursor=%ff", "cursor"]
      ] as const
      for (const [path, field] of cases) {
        const answer = yield* gateway.get(path)
        refused(answer, field)
        assert.strictEqual(answer.json.error.details[0].message, "is not valid percent-encoding of UTF-8")
      }
      const both = yield* gateway.get("/v1/runs?status=%ff&tokenId=%")
      assert.deepStrictEqual(
        both.json.error.details.map(({ field }: { readonly field: string }) => field),
        ["status", "tokenId"]
      )
      const ownError = yield* gateway.get("/v1/runs?cursor=%ff")
      assert.deepStrictEqual([ownError.status, ownError.json.error.code], [400, "runs_cursor_invalid"])
      const unread = yield* gateway.get("/livez?status=%ff")
      assert.deepStrictEqual([unread.status, unread.headers.get("x-ignored-parameters")], [200, "status"])
      const posted = yield* gateway.post("/v1/runs?wait=%ff", run, { headers: key })
      assert.strictEqual(posted.json.error.details[0].message, "is not valid percent-encoding of UTF-8")
    })
  )

  it.scopedLive("of too many parameters are refused before any of them is read", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      const parameters = (count: number) => Array.from({ length: count }, () => "p=%zz").join("&")
      refused(yield* gateway.get(`/v1/runs?${parameters(2_200)}`), "query")
      refused(yield* gateway.get(`/livez?${parameters(queryParametersMax + 1)}`), "query")
      assert.strictEqual((yield* gateway.get(`/livez?${parameters(queryParametersMax)}`)).status, 200)
    })
  )

  it.scopedLive("of a bad wait are refused before anything runs", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      for (const wait of ["soon", "NaN", "Infinity", "1&wait=2", "0x10", "1..2", ".", `${"1".repeat(8_000)}x`]) {
        refused(yield* gateway.post(`/v1/runs?wait=${wait}`, run, { headers: key }), "wait")
      }
    })
  )
})

describe("connections", () => {
  it.scopedLive("with too many header bytes are 431, with broken HTTP 400, both in the envelope", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      const flood = yield* raw(
        gateway.port,
        `GET /livez HTTP/1.1\r\nhost: x\r\n${Array.from({ length: 400 }, (_, n) => `x-${n}: ${"v".repeat(100)}\r\n`).join("")}\r\n`
      )
      assert.match(flood, /^HTTP\/1\.1 431 /)
      assert.match(flood, /x-request-id: req_/)
      assert.match(flood, /"code":"validation_error"/)
      assert.include(
        flood,
        '"retryable":false,"retryHint":"Send fewer or shorter headers, and a shorter address where that is long."'
      )
      const broken = yield* raw(gateway.port, "NOT HTTP\r\n\r\n")
      assert.match(broken, /^HTTP\/1\.1 400 /)
      assert.match(broken, /"code":"validation_error"/)
    })
  )

  it.scopedLive("that bring what is no HTTP behind requests answer these first, each with its own answer", () =>
    Effect.gen(function* () {
      const answered = yield* Deferred.make<void>()
      const gateway = yield* startGateway({
        runs: { get: () => Effect.as(Deferred.await(answered), { run: completedRun, attempts: [] }) }
      })
      const ask = (mark: string) =>
        `GET /v1/runs/${runId} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer token\r\nx-request-id: ${mark}\r\n\r\n`
      const unread = {
        garbage: "NOT HTTP\r\n\r\n",
        "a header without a name": "GET /livez HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n",
        "too many header bytes": `GET /livez HTTP/1.1\r\nhost: x\r\ny: ${"v".repeat(40_000)}\r\n\r\n`
      }
      const statuses = (answers: string) => [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
      const heard = yield* Effect.fork(
        Effect.forEach(Object.entries(unread), ([, bytes]) => raw(gateway.port, ask("one") + ask("two") + bytes), {
          concurrency: "unbounded"
        })
      )
      // Another connection is served meanwhile: what stood in one packet has been read by then.
      yield* gateway.get("/livez")
      yield* Deferred.succeed(answered, undefined)
      const [garbage = "", nameless = "", large = ""] = yield* Fiber.join(heard)
      assert.deepStrictEqual([garbage, nameless, large].map(statuses), [
        ["200", "200", "400"],
        ["200", "200", "400"],
        ["200", "200", "431"]
      ])
      assert.match(garbage, /x-request-id: one[^]*x-request-id: two[^]*"code":"validation_error"/)
    })
  )

  it.scopedLive("whose request breaks off in its body are refused once, behind what was asked before", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      const answers = yield* raw(
        gateway.port,
        'GET /livez HTTP/1.1\r\nhost: x\r\n\r\nPOST /v1/runs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer token\r\nidempotency-key: k\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\nNO SIZE\r\n'
      )
      assert.deepStrictEqual(
        [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
        ["200", "400"]
      )
      assert.include(answers, "is not valid HTTP")
    })
  )

  it.scopedLive("with both lengths of a smuggled request are refused", () =>
    Effect.gen(function* () {
      const gateway = yield* sealed
      const answer = yield* raw(
        gateway.port,
        "POST /v1/runs HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"
      )
      assert.match(answer, /^HTTP\/1\.1 400 /)
    })
  )
})
