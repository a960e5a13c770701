// Operations that answer with a ticket: started once, polled, and cancelled at the provider when nobody waits any more.
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { followUpProblems } from "../../../src/layers/providers/FollowUps.js"
import type { CallRunFailure } from "../../../src/domain/ProviderCall.js"
import { Providers } from "../../../src/services/Providers.js"
import {
  type Certainty,
  callOf,
  callOnce,
  certaintyOf,
  connectionKey,
  endpointOf,
  engine,
  json,
  type Seen,
  serve
} from "./support.js"
import { operation, trail } from "./AsyncStage.js"

describe("an asynchronous operation", () => {
  it.scopedLive("is started once, polled until it is done, and its final answer is judged", () =>
    Effect.gen(function* () {
      let polls = 0
      const provider = yield* serve((seen, response) =>
        seen.method === "POST"
          ? json(response, 202, { id: "a/b" })
          : json(response, 200, ++polls < 3 ? { state: "running" } : { state: "done", found: "it" })
      )
      const result = yield* callOnce(provider, { operation })
      assert.strictEqual(result._tag === "Answered" && result.outcome, "hit")
      assert.deepStrictEqual(result._tag === "Answered" && result.body, {
        _tag: "Json",
        value: { state: "done", found: "it" }
      })
      assert.deepStrictEqual(trail(provider.requests), [
        "POST /v1/things",
        ...Array.from({ length: 3 }, () => "GET /v1/things/a%2Fb")
      ])
    })
  )

  it.scopedLive("may be polled by POST with the ticket in the body, and keep its result elsewhere", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        json(
          response,
          200,
          seen.url === "/v1/things" ? { id: 7 } : seen.url === "/v1/read" ? { state: "done" } : { found: "it" }
        )
      )
      const { cancel: _cancel, ...rules } = operation.async
      const result = yield* callOnce(provider, {
        operation: {
          ...operation,
          async: {
            ...rules,
            poll: { method: "POST", path: "/v1/read", body: { ids: ["{id}"] } },
            result: { path: "/v1/results/{id}" }
          }
        }
      })
      assert.strictEqual(result._tag, "Answered")
      assert.deepStrictEqual(trail(provider.requests), ["POST /v1/things", "POST /v1/read", "GET /v1/results/7"])
      assert.strictEqual(provider.requests[1]!.body, '{"ids":["7"]}')
    })
  )

  it.scopedLive("bears a few lost polls in a row and no more", () =>
    Effect.gen(function* () {
      let polls = 0
      const provider = yield* serve((seen, response, request) => {
        if (seen.method === "POST") return json(response, 202, { id: "1" })
        polls += 1
        if (polls === 1) return void request.socket.destroy()
        if (polls === 2) return json(response, 503, {})
        json(response, 200, { state: "done", found: "it" })
      })
      assert.strictEqual((yield* callOnce(provider, { operation }))._tag, "Answered")
      const broken = yield* serve((seen, response) =>
        seen.method === "POST" ? json(response, 202, { id: "1" }) : json(response, 503, {})
      )
      const result = yield* callOnce(broken, { operation })
      assert.strictEqual(result._tag !== "Answered" && result.failure.code, "provider_error")
      assert.strictEqual(broken.requests.length, 5)
    })
  )

  it.scopedLive("costs what a poll told, where the answer that ends it is a file and tells no cost", () =>
    Effect.gen(function* () {
      const priced = {
        ...operation,
        contentTypes: ["application/json", "image/png"],
        async: { ...operation.async, result: { path: "/v1/files/{id}" } }
      }
      const costs = Effect.fnUntraced(function* (polled: object, end: "file" | object, costMicros = "body.cost") {
        const provider = yield* serve((seen, response) => {
          if (seen.method === "POST") return json(response, 202, { id: "1", cost: 5 })
          if (seen.url !== "/v1/files/1") return json(response, 200, { state: "done", ...polled })
          if (end !== "file") return json(response, 200, end)
          response.writeHead(200, { "content-type": "image/png" }).end("the picture")
        })
        const result = yield* callOnce(provider, { operation: { ...priced, response: { costMicros } } })
        return [result._tag, result.cost]
      })
      const told = (micros: number) => ["Answered", { _tag: "Reported", micros }]
      assert.deepStrictEqual<unknown>(yield* costs({ cost: 40 }, "file"), told(40))
      assert.deepStrictEqual<unknown>(yield* costs({}, "file"), told(5), "the newest answer that told one")
      assert.deepStrictEqual<unknown>(yield* costs({ cost: 40 }, { cost: 41 }), told(41), "the last answer goes before")
      const odd = yield* costs({ cost: "soon" }, "file")
      const noted = ["Answered", { _tag: "Reported", micros: 5, anomaly: '"soon"' }]
      assert.deepStrictEqual<unknown>(odd, noted, "what is no amount is noted, and the amount before it stands")
      const unworkable = yield* costs({ cost: "40" }, "file", "body.cost * `2`")
      const kept = { _tag: "Reported", micros: 10, anomaly: "not calculable: not-a-number" }
      assert.deepStrictEqual<unknown>(unworkable, ["Answered", kept], "and so is what cannot be worked out")
    })
  )

  it.scopedLive("asks again for a result whose fetch fails in passing, as it does for its state", () =>
    Effect.gen(function* () {
      const async = { ...operation.async, result: { path: "/v1/results/{id}" } }
      const failing = (failures: ReadonlyArray<number | "broken">) =>
        serve((seen, response, request) => {
          if (seen.method !== "GET") return json(response, 202, { id: "1" })
          if (!seen.url.startsWith("/v1/results")) return json(response, 200, { state: "done" })
          const failure = left.shift()
          if (failure === undefined) return json(response, 200, { state: "done", found: "it" })
          if (failure === "broken") return void request.socket.destroy()
          json(response, failure, {})
        }).pipe(Effect.tap(() => void (left = [...failures])))
      let left: Array<number | "broken"> = []

      const passing = yield* failing([503, 429, "broken"])
      const result = yield* callOnce(passing, { operation: { ...operation, async } })
      assert.strictEqual(result._tag === "Answered" && result.outcome, "hit")
      assert.deepStrictEqual(trail(passing.requests), [
        "POST /v1/things",
        "GET /v1/things/1",
        ...Array.from({ length: 4 }, () => "GET /v1/results/1")
      ])

      // It was done, so an effectful operation is lost and not failed.
      const lasting = yield* failing([503, 503, 503, 503])
      const lost = yield* callOnce(lasting, { operation: { ...operation, async } })
      assert.deepStrictEqual(lost._tag !== "Answered" && [lost.failure.code, certaintyOf(lost)], [
        "provider_error",
        "unanswered"
      ])
      assert.strictEqual(lasting.requests.length, 6)

      // An error that does not pass is the provider's answer about the result.
      const refused = yield* failing([422])
      const answered = yield* callOnce(refused, { operation: { ...operation, async } })
      assert.deepStrictEqual(answered._tag !== "Answered" && [answered.failure.code, certaintyOf(answered)], [
        "provider_http_error",
        "answered"
      ])
      assert.strictEqual(refused.requests.length, 3)
    })
  )

  const fetches: ReadonlyArray<
    readonly [status: number, rules: object, code: CallRunFailure["code"], certainty: Certainty]
  > = [
    [302, {}, "redirect_blocked", "unanswered"],
    [401, {}, "auth_error", "unanswered"],
    [403, {}, "auth_error", "unanswered"],
    [404, {}, "provider_http_error", "unanswered"],
    [410, {}, "provider_http_error", "unanswered"],
    [400, {}, "provider_http_error", "unanswered"],
    [422, {}, "provider_http_error", "answered"],
    [410, { errors: [{ when: "body.why" }] }, "provider_http_error", "answered"],
    // A rule that speaks of the key says nothing of what was done.
    [401, { errors: [{ when: "body.why" }] }, "auth_error", "unanswered"]
  ]
  for (const [status, rules, code, certainty] of fetches)
    it.scopedLive(
      `that was done and whose result answers ${status}${"errors" in rules ? " by a rule" : ""}: ${certainty}`,
      () =>
        Effect.gen(function* () {
          const provider = yield* serve((seen, response) =>
            seen.method !== "GET"
              ? json(response, 202, { id: "1" })
              : seen.url.startsWith("/v1/results")
                ? json(response, status, { why: "no", cost: 7 }, status === 302 ? { location: "/elsewhere" } : {})
                : json(response, 200, { state: "done" })
          )
          const async = { ...operation.async, result: { path: "/v1/results/{id}" } }
          const response = { costMicros: "body.cost", ...rules }
          const end = yield* callOnce(provider, { operation: { ...operation, async, response } })
          assert.deepStrictEqual(end._tag !== "Answered" && [end.failure.code, certaintyOf(end)], [code, certainty])
          assert.deepStrictEqual(end.cost, { _tag: "Reported", micros: 7 })
          assert.lengthOf(provider.requests, 3)
        })
    )

  it.scopedLive("that was done has its answer where the status of its result means a miss", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        seen.method !== "GET"
          ? json(response, 202, { id: "1" })
          : json(response, seen.url.startsWith("/v1/results") ? 404 : 200, { state: "done" })
      )
      const async = { ...operation.async, result: { path: "/v1/results/{id}" } }
      const end = yield* callOnce(provider, { operation: { ...operation, async, response: { missStatuses: [404] } } })
      assert.strictEqual(end._tag === "Answered" && end.outcome, "miss")
    })
  )

  it.scopedLive("that reports a failure has answered", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        seen.method === "POST"
          ? json(response, 202, { id: "1" })
          : json(response, 200, { state: "failed", why: "no credit" })
      )
      const result = yield* callOnce(provider, { operation })
      assert.deepStrictEqual(
        result._tag !== "Answered" && [result.failure.code, result.failure.message, certaintyOf(result)],
        ["provider_reported_error", "no credit", "answered"]
      )
    })
  )

  it.scopedLive("that is started and then out of reach may have had its effect", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response, request) =>
        seen.method === "POST" ? json(response, 202, { id: "1" }) : void request.socket.destroy()
      )
      const result = yield* callOnce(provider, { operation })
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "fetch_failed",
        "unanswered"
      ])
    })
  )

  it.scopedLive("whose polls are refused may go on at the provider", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        seen.method === "POST" ? json(response, 202, { id: "1" }) : json(response, 401, {})
      )
      const result = yield* callOnce(provider, { operation })
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "auth_error",
        "unanswered"
      ])
    })
  )

  it.scopedLive("whose poll is redirected is not asked again, and may have had its effect", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        seen.method === "POST"
          ? json(response, 202, { id: "t" })
          : void response.writeHead(302, { location: "https://elsewhere.example/" }).end()
      )
      const result = yield* callOnce(provider, { operation })
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "redirect_blocked",
        "unanswered"
      ])
      assert.deepStrictEqual(trail(provider.requests).slice(0, 2), ["POST /v1/things", "GET /v1/things/t"])
      assert.notInclude(trail(provider.requests).slice(2), "GET /v1/things/t")
    })
  )

  it.scopedLive("without a ticket cannot be followed, and may have had its effect", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 202, {}))
      const result = yield* callOnce(provider, { operation })
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "invalid_response",
        "unanswered"
      ])
    })
  )

  for (const [what, type, body, code, detail] of [
    ["a page", "text/html", "<p>busy", "unsupported_response_type", /content type .* text\/html/],
    ["broken JSON", "application/json", '{"id":', "invalid_response", /not the JSON/],
    ["nothing", "application/json", "", "invalid_response", /empty where JSON was promised/]
  ] as const)
    it.scopedLive(`whose start is answered by ${what} says so, as any other operation does`, () =>
      Effect.gen(function* () {
        const provider = yield* serve((_seen, response) => {
          response.writeHead(200, { "content-type": type }).end(body)
        })
        const { cancel: _cancel, ...rules } = operation.async
        for (const async of [rules, { ...rules, ticket: "body.id", poll: { url: "body.url" } }]) {
          const result = yield* callOnce(provider, { operation: { effect: "read_only", async } })
          assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
            code,
            "unanswered"
          ])
          if (result._tag !== "Answered") assert.match(result.failure.message, detail)
        }
      })
    )

  it.scopedLive("that takes longer than its total time is a timeout and is cancelled at the provider", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        json(response, 200, seen.method === "POST" ? { id: "1" } : { state: "running" })
      )
      const result = yield* Effect.uninterruptible(
        callOnce(provider, { operation: { ...operation, async: { ...operation.async, totalMs: 100 } } })
      )
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "timeout",
        "unanswered"
      ])
      assert.deepStrictEqual(
        trail(provider.requests).filter((line) => line.startsWith("DELETE")),
        ["DELETE /v1/things/1"]
      )
    })
  )

  it.scopedLive("that is interrupted is cancelled at the provider", () =>
    Effect.gen(function* () {
      const polled = yield* Effect.makeLatch()
      const provider = yield* serve((seen, response) => {
        json(response, 200, seen.method === "POST" ? { id: "1" } : { state: "running" })
        if (seen.method === "GET") polled.unsafeOpen()
      })
      yield* Effect.gen(function* () {
        const providers = yield* Providers
        const calling = yield* Effect.fork(providers.call(callOf({ operation })))
        yield* polled.await
        yield* Fiber.interrupt(calling)
        assert.strictEqual(trail(provider.requests).at(-1), "DELETE /v1/things/1")
      }).pipe(Effect.provide(engine(provider)))
    })
  )
})

describe("the paths of an asynchronous operation", () => {
  const operation = {
    input: { type: "object", properties: { region: { type: "string" } }, additionalProperties: true },
    async: {
      ticket: "body.id",
      poll: { path: "/v1/{input.region}/jobs/{id}?wait=20" },
      done: "body.state == 'done'",
      result: { path: "/v1/sets/{id}", id: "body.set" },
      intervalMs: 1
    }
  }
  const answers = (set: unknown) => (seen: Seen, response: ServerResponse) =>
    json(
      response,
      200,
      seen.method === "POST" ? { id: "a" } : seen.url.includes("/jobs/") ? { state: "done", set } : {}
    )

  it.scopedLive("take fields of the input, a query, and the id of the result", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        seen.method === "GET" && seen.url.includes("/jobs/")
          ? void response
              .writeHead(200, { "content-type": "application/json" })
              .end('{"state":"done","set":12345678901234567891}')
          : json(response, 200, { id: "a/b" })
      )
      const result = yield* callOnce(provider, { operation, input: { region: "eu west/1" } })
      assert.strictEqual(result._tag, "Answered")
      assert.deepStrictEqual(trail(provider.requests), [
        "POST /v1/things",
        "GET /v1/eu%20west%2F1/jobs/a%2Fb?wait=20",
        "GET /v1/sets/12345678901234567891"
      ])
    })
  )

  for (const region of ["..", ".", "", null])
    it.scopedLive(`refuse ${JSON.stringify(region)} before anything is started`, () =>
      Effect.gen(function* () {
        const provider = yield* serve(answers("1"))
        const result = yield* callOnce(provider, { operation, input: { region } })
        assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
          "validation_error",
          "not_sent"
        ])
        assert.strictEqual(provider.requests.length, 0)
      })
    )

  it.scopedLive("need the id of the result in the last poll", () =>
    Effect.gen(function* () {
      const provider = yield* serve(answers(null))
      const result = yield* callOnce(provider, { operation, input: { region: "eu" } })
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "invalid_response",
        "unanswered"
      ])
    })
  )

  it.scopedLive("and the body of a poll take the ticket, fields of the input and variables of the provider", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) =>
        json(response, 200, seen.url === "/v1/things" ? { id: "a" } : { state: "done" })
      )
      const body = { of: ["{input.region}/{id}"], shop: "{shop}", query: '{ job(id: "{id}") {state} }', n: 1 }
      const { result: _result, ...polled } = operation.async
      const options = {
        provider: {
          variables: { shop: { pattern: "[a-z]+", description: "Which.", examples: ["tea"], default: "tea" } },
          auth: { type: "bearer" }
        },
        operation: {
          ...operation,
          async: { ...polled, poll: { method: "POST", path: "/v1/ask", body } }
        },
        credential: connectionKey("secret-0123")
      }
      const result = yield* callOnce(provider, { ...options, input: { region: '{shop} "eu" $&' } })
      assert.strictEqual(result._tag, "Answered")
      assert.deepStrictEqual(JSON.parse(provider.requests[1]!.body), {
        of: ['{shop} "eu" $&/a'],
        shop: "tea",
        query: '{ job(id: "a") {state} }',
        n: 1
      })
      const empty = yield* callOnce(provider, { ...options, input: {} })
      assert.deepStrictEqual(empty._tag !== "Answered" && [empty.failure.code, certaintyOf(empty)], [
        "validation_error",
        "not_sent"
      ])
      assert.lengthOf(provider.requests, 2)
    })
  )

  const problemsOf = (async: object, { ticket, ...rest }: Partial<typeof operation.async> = operation.async) =>
    followUpProblems(
      endpointOf({ operation: { ...operation, async: { ...rest, ...(ticket && { ticket }), ...async } } })
    )
  const { ticket: _ticket, ...unticketed } = operation.async
  it("name what nobody fills in", () => {
    assert.deepStrictEqual(problemsOf({}), [])
    assert.deepStrictEqual(
      [
        ...problemsOf({ poll: { path: "/v1/{input.zone}/{job}" } }),
        ...problemsOf({
          poll: {
            method: "POST",
            path: "/v1/jobs",
            body: { a: ["{input.zone} {id}"], b: { c: "{ticket}" }, d: "{ id } query{job{ ticket }}" }
          }
        }),
        ...problemsOf({}, unticketed),
        ...problemsOf({ poll: { url: "body.url" }, result: { path: "/v1/{id}" } }, unticketed),
        ...problemsOf({ intervalMs: 5000, totalMs: 5000 }),
        ...problemsOf({ origins: ["https://files.test/", "files.test"] })
      ].map(({ message, path }) => `${path} ${message}`),
      [
        "async.poll.path uses {input.zone}, which is no property of input",
        "async.poll.path uses {job}; it may use {id}, {input.field} and the variables of the provider",
        "async.poll.body uses {input.zone}, which is no property of input",
        "async.poll.body uses {ticket}; it may use {id}, {input.field} and the variables of the provider. With a blank inside, as { ticket } has, braces are sent as they are",
        "async.ticket is needed: poll.path asks by it",
        "async.result.path uses {id}, and nothing says what that is: async.ticket does",
        "async.intervalMs must be below totalMs (5000): no poll would be made",
        "async.origins.0 is no origin, such as https://files.example.com",
        "async.origins.1 is no origin, such as https://files.example.com"
      ]
    )
  })
})
