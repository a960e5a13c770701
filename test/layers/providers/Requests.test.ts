// What leaves the gateway: where fields and keys go, and that keys are seen nowhere else.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, Inspectable, Logger } from "effect"
import { productVersion, userAgent } from "../../../src/domain/Product.js"
import { namesInPath } from "../../../src/domain/TakenNames.js"
import { planRequest } from "../../../src/layers/providers/RequestPlan.js"
import { Providers } from "../../../src/services/Providers.js"
import { spellingsOf } from "../../support/spellings.js"
import {
  callEnd,
  callOf,
  callOnce,
  type CallOptions,
  certaintyOf,
  connectionKey,
  endpointOf,
  engine,
  json,
  platformKey,
  providerOrigin,
  serve
} from "./support.js"

const sent = (options: CallOptions) =>
  Effect.gen(function* () {
    const provider = yield* serve((_, response) => json(response, 200, {}))
    const result = yield* callOnce(provider, options)
    assert.strictEqual(result._tag, "Answered", JSON.stringify(result))
    return provider.requests[0]!
  })

describe("bindings", () => {
  it.scopedLive("a GET sends unbound and unknown fields in the query, encoded", () =>
    Effect.gen(function* () {
      const request = yield* sent({
        operation: { method: "GET", path: "/search?v=2" },
        input: { q: "a&b=c d", n: 3, on: true, none: null }
      })
      assert.deepStrictEqual(
        [request.method, request.url, request.body],
        ["GET", "/search?v=2&q=a%26b%3Dc%20d&n=3&on=true", ""]
      )
    })
  )

  it.scopedLive("a query of the path is sent with all of its question marks, and its names are taken", () =>
    Effect.gen(function* () {
      const operation = { method: "GET", path: "/search?for=a?b=c?&d=e" }
      const { url } = yield* sent({ operation, input: { q: "x" } })
      assert.strictEqual(url, "/search?for=a?b=c?&d=e&q=x")
      assert.deepStrictEqual(namesInPath(endpointOf({ operation })), ["for", "d"])
    })
  )

  it.scopedLive("a POST sends unbound and unknown fields in the JSON body unchanged", () =>
    Effect.gen(function* () {
      const request = yield* sent({ input: { a: { deep: [1, null] }, _mock: { status: 200 } } })
      assert.deepStrictEqual(JSON.parse(request.body), { a: { deep: [1, null] }, _mock: { status: 200 } })
      assert.strictEqual(request.headers["content-type"], "application/json")
      assert.strictEqual(request.headers["user-agent"], `provider-gateway/${productVersion}`)
    })
  )

  it.scopedLive(
    "the name of an unbound field is no path and no property of objects: it is sent letter for letter",
    () =>
      Effect.gen(function* () {
        const names = [
          "x.200000000",
          "a.b",
          "items.0.name",
          ".",
          "..",
          "constructor",
          "toString",
          "hasOwnProperty",
          "company.kind",
          "0",
          ""
        ]
        const input = Object.fromEntries(names.map((name, at) => [name, at]))
        const body = yield* sent({ operation: { fixed: [{ in: "json", name: "company.size", value: "any" }] }, input })
        assert.deepStrictEqual(JSON.parse(body.body), { ...input, company: { size: "any" } })
        const query = yield* sent({ operation: { method: "GET", path: "/search" }, input })
        assert.deepStrictEqual(
          Object.fromEntries(new URL(query.url, "http://provider").searchParams),
          Object.fromEntries(names.map((name, at) => [name, String(at)]))
        )
      })
  )

  it.scopedLive("a member named __proto__ is sent as one, and changes no other", () =>
    Effect.gen(function* () {
      const request = yield* sent({ input: JSON.parse(`{"__proto__": {"admin": true}, "a": 1}`) })
      assert.strictEqual(request.body, `{"__proto__":{"admin":true},"a":1}`)
    })
  )

  it("a name of the manifest that leads nowhere sensible is refused when the manifest is read", () => {
    const problemsOf = (name: string, place = "json") =>
      Either.match(planRequest(endpointOf({ operation: { bindings: { a: { in: place, name } } } })), {
        onLeft: (found) => found,
        onRight: () => []
      })
    assert.deepStrictEqual(problemsOf("items.100.name"), [{ path: "bindings.a", message: "counts items beyond 99" }])
    assert.deepStrictEqual(problemsOf("x.200000000"), [{ path: "bindings.a", message: "counts items beyond 99" }])
    assert.deepStrictEqual(problemsOf(Array.from({ length: 17 }, () => "a").join(".")), [
      { path: "bindings.a", message: "leads deeper than 16 steps" }
    ])
    assert.deepStrictEqual(problemsOf("a..b"), [{ path: "bindings.a", message: "has an empty step" }])
    assert.deepStrictEqual([problemsOf("items.99.name"), problemsOf("x.200000000", "query")], [[], []])
  })

  it.scopedLive(
    "path, query, header and nested JSON bindings with transforms and fixed values meet in one request",
    () =>
      Effect.gen(function* () {
        const request = yield* sent({
          provider: { baseUrl: `${providerOrigin}/base/`, fixed: [{ in: "header", name: "X-Version", value: 2 }] },
          operation: {
            path: "/people/{person}/{repo}",
            bindings: {
              repo: { in: "path", name: "repo", style: "segments" },
              tags: { in: "query", name: "tag", style: "repeat" },
              ids: { in: "query", name: "ids", transform: ["csv"] },
              site: { in: "json", name: "company.site", transform: ["trim", "hostname"] },
              phone: { in: "json", name: "company.phones.0", transform: ["e164"] },
              lang: { in: "header", name: "Accept-Language", transform: ["lowercase"] },
              limit: { in: "json", name: "limit", transform: ["number"] }
            },
            fixed: [{ in: "json", name: "company.kind", value: "any" }]
          },
          input: {
            person: "a/b ü",
            repo: "Effect-TS/effect",
            tags: ["x", "y"],
            ids: [1, 2],
            site: " https://www.Example.com/a ",
            phone: "+1 (415) 555-2671",
            lang: "DE",
            limit: "5"
          }
        })
        assert.strictEqual(request.url, "/base/people/a%2Fb%20%C3%BC/Effect-TS/effect?tag=x&tag=y&ids=1%2C2")
        assert.deepStrictEqual(JSON.parse(request.body), {
          company: { site: "example.com", phones: ["+14155552671"], kind: "any" },
          limit: 5
        })
        assert.deepStrictEqual([request.headers["accept-language"], request.headers["x-version"]], ["de", "2"])
      })
  )

  it.scopedLive("JSON in a header is written in ASCII, and any other text in it as it is", () =>
    Effect.gen(function* () {
      const argument = { path: "/猫/löwe 😀.png", mode: "add" }
      const request = yield* sent({
        operation: {
          bindings: {
            argument: { in: "header", name: "Api-Arg" },
            text: { in: "header", name: "Api-Text", transform: ["json"] },
            plain: { in: "header", name: "Api-Plain" }
          }
        },
        input: { argument, text: "猫", plain: "löwe" }
      })
      const written = String(request.headers["api-arg"])
      assert.match(written, /^[\x20-\x7e]*$/)
      assert.deepStrictEqual(JSON.parse(written), argument)
      assert.deepStrictEqual([request.headers["api-text"], request.headers["api-plain"]], ['"\\u732b"', "löwe"])
    })
  )

  it.scopedLive("one form binding makes the whole body a form", () =>
    Effect.gen(function* () {
      const request = yield* sent({
        operation: { bindings: { a: { in: "form", name: "A" } } },
        input: { a: "1 & 2", b: ["x", "y"] }
      })
      assert.deepStrictEqual(
        [request.headers["content-type"], request.body],
        ["application/x-www-form-urlencoded", "A=1+%26+2&b=x%2Cy"]
      )
    })
  )

  it.scopedLive("multipart carries text and files, with names that cannot break out", () =>
    Effect.gen(function* () {
      const request = yield* sent({
        operation: { bindings: { file: { in: "multipart", name: "file" } } },
        input: {
          file: {
            filename: 'a"\r\nX: 1.txt',
            contentType: "text/plain",
            base64: Buffer.from("content").toString("base64")
          },
          note: "hello"
        }
      })
      const boundary = /boundary=(\S+)/.exec(request.headers["content-type"] ?? "")?.[1] ?? ""
      assert.strictEqual(
        request.body,
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a%22%0D%0AX: 1.txt"\r\nContent-Type: text/plain\r\n\r\ncontent\r\n` +
          `--${boundary}\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n--${boundary}--\r\n`
      )
    })
  )

  it.scopedLive("the attempt reference goes into the provider's idempotency header", () =>
    Effect.map(sent({ operation: { idempotencyHeader: "Idempotency-Key" } }), (request) =>
      assert.strictEqual(request.headers["idempotency-key"], "att_test")
    )
  )
})

describe("keys", () => {
  const secret = "canary/secret+4711"
  const placed: ReadonlyArray<
    [
      auth: object,
      key: string,
      where: (request: {
        readonly url: string
        readonly headers: NodeJS.Dict<string | Array<string>>
        readonly body: string
      }) => unknown,
      expected: unknown
    ]
  > = [
    [{ type: "bearer" }, secret, (request) => request.headers["authorization"], `Bearer ${secret}`],
    [{ type: "header", name: "X-Key" }, secret, (request) => request.headers["x-key"], secret],
    [
      { type: "header", name: "Authorization", prefix: "Token " },
      secret,
      (request) => request.headers["authorization"],
      `Token ${secret}`
    ],
    [
      { type: "header_pair", names: ["X-One", "X-Two"] },
      "first-part:second:part",
      (request) => [request.headers["x-one"], request.headers["x-two"]],
      ["first-part", "second:part"]
    ],
    [
      { type: "query", name: "api_key" },
      secret,
      (request) => request.url,
      `/v1/things?api_key=${encodeURIComponent(secret)}`
    ],
    [
      { type: "basic" },
      "user:pass:word",
      (request) => request.headers["authorization"],
      `Basic ${Buffer.from("user:pass:word").toString("base64")}`
    ],
    [
      { type: "basic", passwordless: true },
      secret,
      (request) => request.headers["authorization"],
      `Basic ${Buffer.from(`${secret}:`).toString("base64")}`
    ],
    [{ type: "body", name: "key" }, secret, (request) => JSON.parse(request.body), { a: 1, key: secret }]
  ]
  for (const [auth, key, where, expected] of placed) {
    it.scopedLive(`are placed as ${JSON.stringify(auth)}`, () =>
      Effect.map(sent({ provider: { auth }, credential: platformKey(key), input: { a: 1 } }), (request) =>
        assert.deepStrictEqual(where(request), expected)
      )
    )
  }

  it.scopedLive("of an own connection are placed like platform keys", () =>
    Effect.map(
      sent({ provider: { auth: { type: "bearer" } }, credential: connectionKey("canary-own-key-1") }),
      (request) => assert.strictEqual(request.headers["authorization"], "Bearer canary-own-key-1")
    )
  )

  it.scopedLive("of the platform send no key that the schema does not name, even when planning let it through", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 200, {}))
      const options = {
        provider: { auth: { type: "bearer" } },
        operation: { input: { type: "object", properties: { a: {} } } },
        input: { a: 1, b: 2 }
      }
      const refused = yield* callOnce(provider, { ...options, credential: platformKey("platform-key-1") })
      assert.deepStrictEqual(
        refused._tag !== "Answered" && [refused.failure.code, certaintyOf(refused), provider.requests.length],
        ["validation_error", "not_sent", 0]
      )
      assert.strictEqual(
        (yield* callOnce(provider, { ...options, credential: connectionKey("own-key-12345") }))._tag,
        "Answered"
      )
    })
  )

  it.scopedLive("do not change the digest of the request", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 200, {}))
      const digest = (auth: object, key: string) =>
        Effect.map(
          callOnce(provider, { provider: { auth }, credential: platformKey(key), input: { a: 1 } }),
          (result) => result.evidence?.requestDigest
        )
      for (const auth of [{ type: "body", name: "key" }, { type: "query", name: "key" }, { type: "bearer" }]) {
        assert.strictEqual(yield* digest(auth, "first-key"), yield* digest(auth, "second-key"))
      }
    })
  )

  const ways: ReadonlyArray<[name: string, status: number, contentType: string, body: (spelling: string) => string]> = [
    ["a result", 200, "application/json", (text) => JSON.stringify({ echoed: text })],
    [
      "a result written by PHP",
      200,
      "application/json",
      (text) => JSON.stringify({ echoed: text }).replaceAll("/", "\\/")
    ],
    [
      "a result without a letter of it",
      200,
      "application/json",
      (text) =>
        `{"echoed":"${Array.from(text, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"}`
    ],
    ["the name of a field", 200, "application/json", (text) => JSON.stringify({ [text]: true })],
    [
      "HTML inside of a result",
      200,
      "application/json",
      (text) => JSON.stringify({ page: `<p>${text.replaceAll("/", "&#x2F;").replaceAll("=", "&#61;")}</p>` })
    ],
    ["an error message", 400, "application/json", (text) => JSON.stringify({ error: `bad key ${text}` })],
    ["an error in a 200", 200, "application/json", (text) => JSON.stringify({ error: `bad key ${text}` })],
    ["text", 200, "text/plain", (text) => `you sent ${text}`],
    ["a file", 200, "application/pdf", (text) => `%PDF ${text}`],
    ["a content type", 200, `text/${secret}`, (text) => text]
  ]
  for (const auth of [
    { type: "bearer" },
    { type: "query", name: "key" },
    { type: "basic", passwordless: true },
    { type: "body", name: "key" }
  ]) {
    for (const [name, status, contentType, body] of ways) {
      it.scopedLive(`given back by a provider in ${name} (${auth.type}) are blotted out of everything`, () =>
        Effect.gen(function* () {
          const spellings = spellingsOf(secret)
          const logged: Array<string> = []
          const spy = Logger.make(
            ({ cause, message }) => void logged.push(Inspectable.toStringUnknown([message, cause]))
          )
          const provider = yield* serve(
            (_, response) =>
              void response
                .writeHead(status, { "content-type": contentType, "x-request-id": secret })
                .end(body(spellings.join(" ")))
          )
          const result = yield* callOnce(provider, {
            provider: { auth },
            credential: platformKey(secret),
            operation: {
              contentTypes: ["application/json", "text/plain", "application/pdf"],
              response: { errors: [{ when: "body.error", message: "body.error" }], requestId: 'headers."x-request-id"' }
            }
          }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, spy)))
          const bytes =
            result._tag === "Answered" && result.body._tag === "Media" ? Buffer.from(result.body.bytes).toString() : ""
          if (status === 200 && !body("").includes("error") && contentType === "application/json")
            assert.strictEqual(result._tag, "Answered", "what is left still reads")
          const everything =
            JSON.stringify(result) +
            Inspectable.toStringUnknown(result) +
            bytes +
            (result._tag !== "Answered" ? result.failure.message : "") +
            logged.join()
          for (const spelling of spellings) assert.notInclude(everything, spelling)
        })
      )
    }
  }
})

describe("OAuth client credentials", () => {
  const oauth = (more: object = {}) => ({
    provider: {
      auth: { type: "oauth2_client_credentials", tokenUrl: `${providerOrigin}/token`, scope: "read", ...more }
    },
    credential: platformKey("client:s/ecret-1")
  })

  const tokenProvider = (accepts: (token: string) => boolean, tokens: () => object) =>
    serve((seen, response) => {
      if (seen.url === "/token") return json(response, 200, tokens())
      const token = (seen.headers["authorization"] ?? "").replace("Bearer ", "")
      json(response, accepts(token) ? 200 : 401, { token })
    })

  it.scopedLive("one token serves however many callers wait for it, and later ones", () =>
    Effect.gen(function* () {
      let made = 0
      const provider = yield* tokenProvider(
        () => true,
        () => ({ access_token: `token-${++made}`, expires_in: 3600 })
      )
      yield* Effect.gen(function* () {
        const providers = yield* Providers
        const call = callEnd(providers.call(callOf(oauth())))
        const results = yield* Effect.all(
          Array.from({ length: 50 }, () => call),
          { concurrency: "unbounded" }
        )
        assert.isTrue(results.every((result) => result._tag === "Answered"))
        yield* call
      }).pipe(Effect.provide(engine(provider)))
      const asked = provider.requests.filter((request) => request.url === "/token")
      assert.strictEqual(asked.length, 1)
      assert.strictEqual(asked[0]!.body, "grant_type=client_credentials&scope=read")
      assert.strictEqual(
        asked[0]!.headers["authorization"],
        `Basic ${Buffer.from("client:s%2Fecret-1").toString("base64")}`
      )
    })
  )

  it.scopedLive("a token is taken however its end is told, or not told", () =>
    Effect.gen(function* () {
      for (const expires_in of [null, "", "soon", -1, 0, "3600", 3600.5]) {
        const provider = yield* tokenProvider(
          () => true,
          () => ({ access_token: "token-1", expires_in })
        )
        yield* Effect.gen(function* () {
          const call = callEnd((yield* Providers).call(callOf(oauth())))
          for (const { _tag } of [yield* call, yield* call]) assert.strictEqual(_tag, "Answered", String(expires_in))
        }).pipe(Effect.provide(engine(provider)))
        assert.lengthOf(
          provider.requests.filter(({ url }) => url === "/token"),
          1,
          String(expires_in)
        )
      }
    })
  )

  it.scopedLive("a token that cannot stand in a header is none, and the provider's fault", () =>
    Effect.gen(function* () {
      for (const access_token of ["tok\nen", "tok en", "tök", "t".repeat(8_193), ""]) {
        const provider = yield* tokenProvider(
          () => true,
          () => ({ access_token })
        )
        const result = yield* callOnce(provider, oauth())
        assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
          "invalid_response",
          "not_sent"
        ])
      }
    })
  )

  it.scopedLive("the token address is told who asks, as every address is", () =>
    Effect.gen(function* () {
      const provider = yield* tokenProvider(
        () => true,
        () => ({ access_token: "token-1" })
      )
      yield* callOnce(provider, oauth())
      assert.deepStrictEqual(
        provider.requests.map(({ headers }) => headers["user-agent"]),
        [userAgent, userAgent]
      )
    })
  )

  it.scopedLive("a client may authenticate in the body", () =>
    Effect.gen(function* () {
      const provider = yield* tokenProvider(
        () => true,
        () => ({ access_token: "token-1" })
      )
      yield* callOnce(provider, oauth({ clientAuth: "body" }))
      assert.strictEqual(
        provider.requests[0]!.body,
        "grant_type=client_credentials&scope=read&client_id=client&client_secret=s%2Fecret-1"
      )
    })
  )

  it.scopedLive("a refused token is replaced once for all read-only callers", () =>
    Effect.gen(function* () {
      let made = 0
      const provider = yield* tokenProvider(
        (token) => token !== "token-1",
        () => ({ access_token: `token-${++made}`, expires_in: 3600 })
      )
      yield* Effect.gen(function* () {
        const providers = yield* Providers
        const results = yield* Effect.all(
          Array.from({ length: 20 }, () => callEnd(providers.call(callOf(oauth())))),
          { concurrency: "unbounded" }
        )
        assert.isTrue(results.every((result) => result._tag === "Answered"))
      }).pipe(Effect.provide(engine(provider)))
      assert.strictEqual(provider.requests.filter((request) => request.url === "/token").length, 2)
    })
  )

  it.scopedLive("an effectful call is never sent twice, but the next one has a new token", () =>
    Effect.gen(function* () {
      let made = 0
      const provider = yield* tokenProvider(
        (token) => token !== "token-1",
        () => ({ access_token: `token-${++made}`, expires_in: 3600 })
      )
      const effectful = { ...oauth(), operation: { effect: "effectful", repeatable: false } }
      yield* Effect.gen(function* () {
        const providers = yield* Providers
        const first = yield* callEnd(providers.call(callOf(effectful)))
        assert.deepStrictEqual(first._tag !== "Answered" && [first.failure.code, certaintyOf(first)], [
          "auth_error",
          "answered"
        ])
        assert.strictEqual(provider.requests.filter((request) => request.url !== "/token").length, 1)
        assert.strictEqual((yield* callEnd(providers.call(callOf(effectful))))._tag, "Answered")
      }).pipe(Effect.provide(engine(provider)))
    })
  )

  it.scopedLive("a caller that is interrupted takes no token away from the others", () =>
    Effect.gen(function* () {
      const asked = yield* Effect.makeLatch()
      const answer = yield* Effect.makeLatch()
      const provider = yield* serve((seen, response) => {
        if (seen.url !== "/token") return json(response, 200, {})
        asked.unsafeOpen()
        Effect.runFork(answer.whenOpen(Effect.sync(() => json(response, 200, { access_token: "token-1" }))))
      })
      yield* Effect.gen(function* () {
        const providers = yield* Providers
        const first = yield* Effect.fork(callEnd(providers.call(callOf(oauth()))))
        yield* asked.await
        const second = yield* Effect.fork(callEnd(providers.call(callOf(oauth()))))
        yield* Fiber.interrupt(first)
        yield* answer.open
        assert.strictEqual((yield* Fiber.join(second))._tag, "Answered")
      }).pipe(Effect.provide(engine(provider)))
      assert.strictEqual(provider.requests.filter((request) => request.url === "/token").length, 1)
    })
  )

  it.scopedLive("a call with a short time limit takes no token away from those with a longer one", () =>
    Effect.gen(function* () {
      const asked = yield* Effect.makeLatch()
      const answer = yield* Effect.makeLatch()
      const provider = yield* serve((seen, response) => {
        if (seen.url !== "/token") return json(response, 200, {})
        asked.unsafeOpen()
        Effect.runFork(answer.whenOpen(Effect.sync(() => json(response, 200, { access_token: "token-1" }))))
      })
      yield* Effect.gen(function* () {
        const providers = yield* Providers
        const callWithin = (timeoutMs: number) =>
          callEnd(providers.call(callOf({ ...oauth(), operation: { timeoutMs } })))
        // The short one starts the fetch, and gives up while the long one waits.
        const short = yield* Effect.fork(callWithin(300))
        yield* asked.await
        const long = yield* Effect.fork(callWithin(30_000))
        const failed = yield* Fiber.join(short)
        assert.deepStrictEqual(failed._tag !== "Answered" && [failed.failure.code, certaintyOf(failed)], [
          "timeout",
          "not_sent"
        ])
        yield* answer.open
        assert.strictEqual((yield* Fiber.join(long))._tag, "Answered")
      }).pipe(Effect.provide(engine(provider)))
      assert.strictEqual(provider.requests.filter((request) => request.url === "/token").length, 1)
    })
  )

  it.scopedLive("a token address that hangs is a timeout, nothing sent", () =>
    Effect.gen(function* () {
      const provider = yield* serve((seen, response) => (seen.url === "/token" ? undefined : json(response, 200, {})))
      const result = yield* callOnce(provider, { ...oauth(), operation: { timeoutMs: 150 } })
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "timeout",
        "not_sent"
      ])
    })
  )

  it.scopedLive("a client that the token address refuses is the key's fault, and nothing was sent", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 401, { error: "invalid_client" }))
      const result = yield* callOnce(provider, oauth())
      assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
        "auth_error",
        "not_sent"
      ])
      assert.isFalse(provider.requests.some((request) => request.url !== "/token"))
    })
  )

  it.scopedLive("a token address that fails itself is the provider's error, and nothing was sent", () =>
    Effect.gen(function* () {
      for (const [status, body] of [
        [503, { error: "temporarily_unavailable" }],
        [500, {}]
      ] as const) {
        const provider = yield* serve((_, response) => json(response, status, body))
        const result = yield* callOnce(provider, oauth())
        assert.deepStrictEqual(result._tag !== "Answered" && [result.failure.code, certaintyOf(result)], [
          "provider_error",
          "not_sent"
        ])
      }
    })
  )
})
