// The egress guard: which addresses a call may reach, as a table, and that what was vetted is what is connected to.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, HashMap, Logger, TestClock } from "effect"
import { makeEgress, refusedRange, type Resolve } from "../../../src/layers/providers/Egress.js"
import { makeRefusedTargets } from "../../../src/layers/providers/RefusedTargets.js"
import { callOnce, certaintyOf, json, platformKey, serve } from "./support.js"

describe("an address", () => {
  const refused: ReadonlyArray<string> = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:7f00:1",
    "::8.8.8.8",
    "::7f00:1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:7f00:1::",
    "2001:db8::1",
    "2001:10::1",
    "2002:7f00:1::",
    "2002:808:808::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "4000::1",
    "not-an-address",
    ""
  ]
  it("168.63.129.16 is refused as metadata: a machine at Azure reaches the host's own services there", () => {
    assert.strictEqual(refusedRange("168.63.129.16"), "metadata")
    assert.isUndefined(refusedRange("168.63.129.17"))
  })

  for (const address of refused)
    it(`${address === "" ? "that is empty" : address} is refused`, () => assert.isString(refusedRange(address)))

  const open = [
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.255.255",
    "172.32.0.1",
    "192.167.255.255",
    "169.253.1.1",
    "2606:4700::1111",
    "2a00:1450::1"
  ]
  for (const address of open) it(`${address} is open`, () => assert.isUndefined(refusedRange(address)))
})

describe("an origin", () => {
  const egress = makeEgress(["127.0.0.1:4000", "[::1]:4000", "db.internal:443"])
  const refused: ReadonlyArray<[name: string, origin: string]> = [
    ["a loopback address", "http://127.0.0.1"],
    ["an open host on another port", "http://127.0.0.1:4001"],
    ["a decimal host", "http://2130706433"],
    ["an octal host", "http://0177.0.0.1"],
    ["an octal host of one number", "http://017700000001"],
    ["a hexadecimal host", "http://0x7f000001"],
    ["a mixed host", "http://0x7f.0.0.1"],
    ["a short host", "http://127.1"],
    ["zero", "http://0"],
    ["full-width digits", "http://１２７.０.０.１"],
    ["a trailing dot", "http://127.0.0.1."],
    ["localhost", "http://localhost"],
    ["localhost with a trailing dot", "http://localhost."],
    ["a name under localhost", "http://x.localhost"],
    ["capital letters", "http://LOCALHOST"],
    ["loopback of version 6", "http://[::1]"],
    ["a mapped address", "http://[::ffff:127.0.0.1]"],
    ["a 6to4 address", "http://[2002:7f00:1::]"],
    ["the metadata service", "http://169.254.169.254"],
    ["the services of the host at Azure", "http://168.63.129.16"],
    ["credentials", "https://user:password@api.example.com"],
    ["a user alone", "https://user@api.example.com"],
    ["a file", "file:///etc/passwd"],
    ["another scheme", "ftp://api.example.com"],
    ["no address", "api.example.com"],
    ["nothing", ""]
  ]
  for (const [name, origin] of refused)
    it(`with ${name} is refused`, () => assert.isTrue(Either.isLeft(egress.vetOrigin(origin))))

  const open: ReadonlyArray<[name: string, origin: string]> = [
    ["a public name", "https://api.example.com"],
    ["a public address", "https://1.1.1.1"],
    ["an opened address and port", "http://127.0.0.1:4000"],
    ["an opened address of version 6", "http://[::1]:4000"],
    ["an opened name on its default port", "https://db.internal"],
    ["an opened name with a trailing dot", "https://db.internal."]
  ]
  for (const [name, origin] of open)
    it(`with ${name} is open`, () => assert.isTrue(Either.isRight(egress.vetOrigin(origin))))
})

const resolving = (
  ...answers: ReadonlyArray<ReadonlyArray<string>>
): { readonly resolve: Resolve; readonly asked: () => number } => {
  let asked = 0
  return {
    asked: () => asked,
    resolve: (_, answer) => {
      const addresses = answers[Math.min(asked, answers.length - 1)] ?? []
      asked += 1
      setImmediate(() => answer(null, addresses))
    }
  }
}

describe("a name", () => {
  const denied: ReadonlyArray<[name: string, addresses: ReadonlyArray<string>]> = [
    ["resolves to loopback", ["127.0.0.1"]],
    ["has one private address among many public ones", ["1.1.1.1", "8.8.8.8", "9.9.9.9", "10.0.0.7", "8.8.4.4"]],
    ["has a private address of the other version", ["1.1.1.1", "fd00::1"]],
    ["resolves to a mapped address", ["::ffff:10.0.0.1"]],
    ["resolves to what is no address", ["1.1.1.1", "metadata"]]
  ]
  for (const [name, addresses] of denied) {
    it.scopedLive(`that ${name} is refused after resolution: route_denied, nothing sent`, () =>
      Effect.gen(function* () {
        const provider = yield* serve((_, response) => json(response, 200, {}))
        const result = yield* callOnce(
          { ...provider, origin: `http://127.0.0.1:1` },
          {
            provider: { baseUrl: "http://rebound.test" },
            http: { resolve: resolving(addresses).resolve }
          }
        )
        if (result._tag === "Answered") return assert.fail("it was called")
        assert.deepStrictEqual([result.failure.code, certaintyOf(result)], ["route_denied", "not_sent"])
        for (const address of addresses) assert.notInclude(result.failure.message, address)
        assert.deepStrictEqual(provider.requests, [])
      })
    )
  }

  it.scopedLive("is resolved once a connection, so an answer that changes after the check changes nothing", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 200, {}))
      // The first answer is public and unreachable from here; a second look-up would lead to the local server.
      const changing = resolving(["1.2.3.4"], ["127.0.0.1"])
      const result = yield* callOnce(provider, {
        provider: { baseUrl: `http://rebound.test:${provider.port}` },
        operation: { timeoutMs: 300 },
        http: { resolve: changing.resolve }
      })
      assert.strictEqual(result._tag, "ProviderFailure")
      assert.strictEqual(changing.asked(), 1)
      assert.deepStrictEqual(provider.requests, [])
    })
  )

  it.scopedLive("that the operator opened may lead to a private address, on its port only", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 200, { ok: true }))
      const { resolve } = resolving(["127.0.0.1"])
      const shape = { provider: { baseUrl: `http://internal.test:${provider.port}` } }
      const opened = yield* callOnce(provider, {
        ...shape,
        http: { resolve, egressAllow: [`internal.test:${provider.port}`] }
      })
      assert.strictEqual(opened._tag, "Answered")
      const elsewhere = yield* callOnce(provider, { ...shape, http: { resolve, egressAllow: ["internal.test:1"] } })
      assert.strictEqual(elsewhere._tag !== "Answered" && elsewhere.failure.code, "route_denied")
    })
  )

  it.scopedLive("that is a literal loopback address in the manifest is refused", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 200, {}))
      const result = yield* callOnce(
        { ...provider, origin: "http://127.0.0.1:1" },
        { provider: { baseUrl: `http://127.0.0.1:${provider.port}` } }
      )
      assert.strictEqual(result._tag !== "Answered" && result.failure.code, "route_denied")
    })
  )
})

describe("a refused address", () => {
  const collected = <A, E, R>(work: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>) => {
    const lines: Array<string> = []
    const spy = Logger.make(
      ({ annotations, logLevel }) =>
        void lines.push(
          [
            logLevel.label,
            ...["providerId", "address", "range"].map((name) => String(HashMap.unsafeGet(annotations, name)))
          ].join(" ")
        )
    )
    return Effect.provide(work(lines), Logger.replace(Logger.defaultLogger, spy))
  }

  it.effect(
    "is one line of the log for a provider and address in a minute, with host and port and nothing else of the address",
    () =>
      collected((lines) =>
        Effect.gen(function* () {
          const { warn } = makeRefusedTargets()
          for (let time = 0; time < 3; time += 1)
            yield* warn("acme", "http://user:s3cret@127.0.0.1:9000/path?key=s3cret", "loopback")
          yield* warn("acme", "https://[::1]", "loopback")
          yield* warn("other", "http://127.0.0.1:9000", "loopback")
          const first = [
            "WARN acme 127.0.0.1:9000 loopback",
            "WARN acme [::1]:443 loopback",
            "WARN other 127.0.0.1:9000 loopback"
          ]
          assert.deepStrictEqual(lines, first)
          yield* TestClock.adjust("59 seconds")
          yield* warn("acme", "http://127.0.0.1:9000", "loopback")
          assert.lengthOf(lines, 3)
          yield* TestClock.adjust("1 second")
          yield* warn("acme", "http://127.0.0.1:9000", "loopback")
          assert.deepStrictEqual(lines, [...first, ...first.slice(0, 1)])
        })
      )
  )

  it.scopedLive("is named in the log when it is that of the access tokens", () =>
    collected((lines) =>
      Effect.gen(function* () {
        const provider = yield* serve((_, response) => json(response, 200, {}))
        const auth = { type: "oauth2_client_credentials", tokenUrl: `http://127.0.0.1:${provider.port}/token` }
        const result = yield* callOnce(
          { ...provider, origin: "http://127.0.0.1:1" },
          { provider: { auth }, credential: platformKey("id:s3cret") }
        )
        assert.strictEqual(result._tag !== "Answered" && result.failure.code, "route_denied")
        assert.deepStrictEqual(lines, [`WARN test 127.0.0.1:${provider.port} loopback`])
      })
    )
  )

  it.scopedLive("comes with a hint at the setting only where the setting helps", () =>
    Effect.gen(function* () {
      const provider = yield* serve((_, response) => json(response, 200, {}))
      const hint = (addresses: ReadonlyArray<string>) =>
        Effect.map(
          callOnce(
            { ...provider, origin: "http://127.0.0.1:1" },
            { provider: { baseUrl: "http://rebound.test" }, http: { resolve: resolving(addresses).resolve } }
          ),
          (result) => (result._tag !== "Answered" ? result.failure.retryHint : "it was called")
        )
      assert.include(yield* hint(["127.0.0.1"]), "GATEWAY_EGRESS_ALLOW")
      const unreadable = yield* hint(["metadata"])
      assert.include(unreadable, "operator")
      assert.notInclude(unreadable, "GATEWAY_EGRESS_ALLOW")
    })
  )
})
