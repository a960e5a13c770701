// An address that a connection gives parts of: what its values can be, and that they change nothing else.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Redacted } from "effect"
import * as fc from "effect/FastCheck"
import { readVariables } from "../../../src/domain/Manifest.js"
import type { Credential } from "../../../src/domain/ProviderCall.js"
import { planRequest } from "../../../src/layers/providers/RequestPlan.js"
import { addressWith, planAddress, variablesProblem } from "../../../src/layers/providers/Variables.js"
import { ProvidersHttp } from "../../../src/layers/providers/ProvidersHttp.js"
import { callOf, callOnce, callWith, certaintyOf, endpointOf, json, serve } from "./support.js"

const shop = { pattern: "[a-z0-9][a-z0-9-]*", description: "The shop.", examples: ["acme"] as const }
/** Lets through whatever the characters of values allow. */
const anything = { ...shop, pattern: ".*" }
const provider = { baseUrl: "https://{shop}.shops.test:8443/api/{shop}", variables: { shop }, auth: { type: "bearer" } }

const connection = (variables?: Readonly<Record<string, string>>): Credential => ({
  _tag: "Connection",
  connectionId: "con_1",
  secret: Redacted.make("key-of-this-shop"),
  ...(variables === undefined ? {} : { variables })
})

const attacks = [
  "",
  ".",
  "..",
  "a..b",
  ".evil.test",
  "evil.test.",
  "evil.test/",
  "evil.test#",
  "evil.test?",
  "evil.test:80",
  "user@evil.test",
  "evil.test\\",
  "%2f",
  "..%2f",
  "a%00",
  "a\r\nHost: evil.test",
  "a b",
  "ａcme",
  "acme。evil",
  "аcme",
  "acme\u200b",
  "{shop}",
  "[::1]",
  "a".repeat(201)
]

describe("variables of an address", () => {
  it("are read as a person types them; a name that stands twice is refused, as nobody knows which value is meant", () => {
    assert.deepStrictEqual(readVariables("shop=acme  region=eu"), { shop: "acme", region: "eu" })
    for (const text of ["shop", "=acme", "shop=a shop=b"]) assert.isNull(readVariables(text), text)
  })

  it.scopedLive("a connection's values make host and path, and its key goes there", () =>
    Effect.gen(function* () {
      const here = yield* serve((_, response) => json(response, 200, {}))
      const result = yield* callOnce(here, {
        provider,
        operation: { method: "GET", path: "/{shop}/things/{id}" },
        input: { id: "{shop}" },
        credential: connection({ shop: "acme" }),
        http: { origins: { "https://acme.shops.test:8443": here.origin } }
      })
      assert.strictEqual(result._tag, "Answered", JSON.stringify(result))
      assert.deepStrictEqual(
        here.requests.map(({ headers, url }) => [url, headers.authorization]),
        [["/api/acme/acme/things/%7Bshop%7D", "Bearer key-of-this-shop"]]
      )
    })
  )

  it.scopedLive("calls of two shops differ in their digests, and calls of one shop do not", () =>
    Effect.gen(function* () {
      const here = yield* serve((_, response) => json(response, 200, {}))
      const digestOf = (name: string) =>
        Effect.map(
          callOnce(here, {
            provider: { ...provider, baseUrl: "https://{shop}.shops.test" },
            credential: connection({ shop: name }),
            http: { origins: { "https://acme.shops.test": here.origin, "https://other.shops.test": here.origin } }
          }),
          (end) => (end._tag === "Answered" ? end.evidence.requestDigest : end._tag)
        )
      assert.strictEqual(yield* digestOf("acme"), yield* digestOf("acme"))
      assert.notStrictEqual(yield* digestOf("acme"), yield* digestOf("other"))
    })
  )

  it.scopedLive(
    "a connection or platform key without a needed variable fails before anything is sent, and says which",
    () =>
      Effect.gen(function* () {
        const here = yield* serve((_, response) => json(response, 200, {}))
        const platform: Credential = { _tag: "Platform", secret: Redacted.make("key-0000") }
        for (const [credential, code, hint] of [
          [connection(), "connection_invalid", /variables\.shop/],
          [connection({ shop: "Not A Shop" }), "connection_invalid", /variables\.shop/],
          [platform, "platform_auth_incompatible", /operator/]
        ] as const) {
          const result = yield* callOnce(here, { provider, credential })
          assert.ok(result._tag !== "Answered")
          assert.deepStrictEqual([result.failure.code, certaintyOf(result)], [code, "not_sent"])
          assert.match(result.failure.message, /variable shop/)
          assert.match(result.failure.retryHint, hint)
        }
        assert.deepStrictEqual(here.requests, [])
      })
  )

  it.scopedLive("a value that leads to a private address is stopped by the egress guard", () =>
    Effect.gen(function* () {
      const here = yield* serve((_, response) => json(response, 200, {}))
      const whole = { baseUrl: `http://{shop}:${here.port}`, variables: { shop: anything }, auth: { type: "bearer" } }
      for (const value of ["127.0.0.1", "localhost", "x.localhost", "10.0.0.1"]) {
        const call = callOf({ provider: whole, credential: connection({ shop: value }) })
        const result = yield* Effect.provide(callWith(call), ProvidersHttp())
        assert.ok(result._tag !== "Answered", value)
        assert.strictEqual(result.failure.code, "route_denied", value)
      }
      assert.deepStrictEqual(here.requests, [])
    })
  )

  it.scopedLive("what the operator opened is open to manifests and platform keys, and not to a customer's values", () =>
    Effect.gen(function* () {
      const here = yield* serve((_, response) => json(response, 200, {}))
      const http = { egressAllow: [`127.0.0.1:${here.port}`] }
      const whole = { ...shop, pattern: ".*", examples: ["api.shops.test"] as const }
      const at = (variables: object, credential: Credential, baseUrl = `http://{shop}:${here.port}`) =>
        Effect.provide(
          callWith(callOf({ provider: { baseUrl, variables, auth: { type: "bearer" } }, credential })),
          ProvidersHttp(http)
        )
      const local = { shop: "127.0.0.1" }
      const chosen = yield* at({ shop: whole }, connection(local))
      if (chosen._tag === "Answered") return assert.fail("the customer reached what the operator opened")
      assert.deepStrictEqual(
        [chosen.failure.code, chosen.failure.whoseError, certaintyOf(chosen)],
        ["route_denied", "customer", "not_sent"]
      )
      assert.match(chosen.failure.message, /the address that the variables of this connection make \(loopback\)/)
      assert.deepStrictEqual(here.requests, [])

      // The platform's key, the manifest's default, and a value that fills a step of the path only.
      const platform: Credential = { _tag: "Platform", secret: Redacted.make("key-0000"), variables: local }
      for (const end of [
        yield* at({ shop: whole }, platform),
        yield* at({ shop: { ...whole, default: "127.0.0.1" } }, connection()),
        yield* at({ shop: { ...whole, default: "127.0.0.1" } }, connection(local)),
        yield* at({ shop: whole }, connection({ shop: "acme" }), `http://127.0.0.1:${here.port}/{shop}`)
      ])
        assert.strictEqual(end._tag, "Answered", JSON.stringify(end))
      assert.strictEqual(here.requests.length, 4)
    })
  )

  it.scopedLive("access tokens are not fetched from where a customer's values lead and only the operator may go", () =>
    Effect.gen(function* () {
      const here = yield* serve((_, response) => json(response, 200, { access_token: "t" }))
      const call = callOf({
        provider: {
          baseUrl: `http://127.0.0.1:${here.port}`,
          variables: { shop: { ...shop, pattern: ".*" } },
          auth: { type: "oauth2_client_credentials", tokenUrl: `http://{shop}:${here.port}/token` }
        },
        credential: {
          _tag: "Connection",
          connectionId: "con_1",
          secret: Redacted.make("client:secret-0000"),
          variables: { shop: "127.0.0.1" }
        }
      })
      const end = yield* Effect.provide(callWith(call), ProvidersHttp({ egressAllow: [`127.0.0.1:${here.port}`] }))
      assert.strictEqual(end._tag !== "Answered" && end.failure.code, "route_denied")
      assert.deepStrictEqual(here.requests, [])
    })
  )

  it("a host that is a number in another spelling makes no address", () => {
    const address = Either.getOrThrow(planAddress("http://{shop}", { shop: anything }))
    for (const value of ["0x7f000001", "2130706433", "0177.0.0.1", "127.1"])
      assert.isTrue(Either.isLeft(address.origin({ shop: value })), value)
  })

  it("no odd value is a value, in the host or in the path", () => {
    for (const baseUrl of ["https://{shop}.shops.test", "https://shops.test/{shop}"]) {
      const { provider: at } = endpointOf({
        provider: { baseUrl, variables: { shop: anything }, auth: { type: "bearer" } }
      })
      for (const value of attacks)
        assert.strictEqual(variablesProblem([at], { shop: value })?.field, "variables.shop", JSON.stringify(value))
    }
  })

  it("whatever a value is, scheme, host suffix, port and number of path steps stay those of the manifest", () => {
    const variables = { shop: anything }
    const { provider: at } = endpointOf({
      provider: { baseUrl: "https://{shop}.shops.test:8443/api/{shop}/x", variables, auth: { type: "bearer" } }
    })
    const signs = fc.constantFrom(..."aZ09-_.~/\\@:?#%{}[]\r\n\t é。\u0000＠")
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(signs, { maxLength: 12 }).map((all) => all.join(""))
        ),
        (value) => {
          if (variablesProblem([at], { shop: value }) !== null) return
          const url = new URL(Either.getOrThrow(addressWith(at.baseUrl, variables, { shop: value })))
          assert.deepStrictEqual(
            [url.protocol, url.port, url.username, url.search, url.hash],
            ["https:", "8443", "", "", ""]
          )
          assert.strictEqual(url.hostname, `${value.toLowerCase()}.shops.test`)
          assert.deepStrictEqual(url.pathname.split("/"), ["", "api", value, "x"])
        }
      ),
      { numRuns: 500 }
    )
  })

  it("what is given must be declared, and names of object properties are names like others", () => {
    const { provider: at } = endpointOf({ provider })
    const given: Readonly<Record<string, string>> = JSON.parse('{"shop":"acme","__proto__":"x"}')
    for (const unknown of [given, { shop: "acme", toString: "x" } as never, { shop: "acme", region: "eu" }])
      assert.match(variablesProblem([at], unknown)?.message ?? "", /is no variable of this provider; it has shop/)
    assert.match(variablesProblem([at], {})?.message ?? "", /is missing: The shop/)
    assert.isNull(variablesProblem([at], { shop: "acme" }))
    assert.match(
      variablesProblem([endpointOf({ provider: { auth: { type: "bearer" } } }).provider], { a: "b" })?.message ?? "",
      /which has none/
    )
  })

  it("a pattern matches the whole value, in time that grows with its length only", () => {
    const slow = { ...shop, pattern: "(a+)+" }
    const { provider: at } = endpointOf({
      provider: {
        baseUrl: "https://{shop}.test",
        variables: { shop: { ...slow, examples: ["aaa"] } },
        auth: { type: "bearer" }
      }
    })
    assert.match(variablesProblem([at], { shop: `${"a".repeat(60)}b` })?.message ?? "", /must match the pattern/)
  })

  it("a wrong declaration is found when the manifest is read", () => {
    const problemsOf = (changes: object) =>
      Either.match(planRequest(endpointOf({ provider: { ...provider, ...changes } })), {
        onLeft: (found) => found,
        onRight: () => []
      })
    assert.deepStrictEqual(problemsOf({}), [])
    assert.deepStrictEqual(problemsOf({ baseUrl: "https://{shp}.test" }), [
      { path: "baseUrl", message: "uses {shp}, which is none of its variables" }
    ])
    assert.deepStrictEqual(problemsOf({ baseUrl: "https://{shop}.test:{shop}" }), [
      { path: "baseUrl", message: "may have variables in its host and its path only, not in its port" }
    ])
    assert.match(problemsOf({ variables: { shop: { ...shop, pattern: "(?=a)" } } })[0]?.message ?? "", /backtracking/)
    assert.deepStrictEqual(
      problemsOf({ variables: { shop: { ...shop, examples: ["ACME"] } } }).map(({ path }) => path),
      ["variables.shop.examples"]
    )
    assert.deepStrictEqual(
      problemsOf({ auth: { type: "none" } }).map(({ path }) => path),
      ["variables.shop.default"]
    )
  })
})
