// The fixture provider through its manifests and the real engine: every word of `_mock`, and what it counts.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Json, JsonObject } from "../../../src/domain/Json.js"
import { builtInContent } from "../../../src/layers/compose/BuiltInContent.js"
import { fixtureOrigin, FixtureProvider } from "../../../src/layers/providers/fixture/FixtureProvider.js"
import { ProvidersHttp } from "../../../src/layers/providers/ProvidersHttp.js"
import { Providers } from "../../../src/services/Providers.js"
import { callEnd } from "./support.js"

const inputs: { readonly [endpointId: string]: JsonObject } = {
  "mock-email-find": { first_name: "Ada", last_name: "Lovelace", domain: "example.com" },
  "mock-slow-email-find": { name: "Ada Lovelace", domain: "example.com" },
  "mock-email-verify": { email: "ada@example.com" },
  "mock-company-enrich": { name: "Example" },
  "mock-web-search": { query: "gateway", limit: 3 },
  "mock-geocode": { address: "Example Street 1" },
  "mock-document": {},
  "mock-image": {},
  "mock-send-message": { to: "ada@example.com" },
  "mock-echo": { anything: [1] },
  "mock-company-funding": { domain: "example.com" },
  "mock-keyword-volume": { keywords: ["effect typescript", "gateway"] },
  "mock-chatgpt-search": { query: "What is Effect?" },
  "mock-perplexity-search": { query: "What is Effect?" },
  "mock-linkedin-profile": { linkedin_url: "https://www.linkedin.com/in/ada-example" },
  "mock-tiktok-profile": { handle: "example" }
}

const withFixture = Effect.gen(function* () {
  const { endpoints } = yield* builtInContent("all")
  const fixture = yield* FixtureProvider.start()
  const run = (endpointId: string, more: JsonObject = {}, attemptReference = "att_1") =>
    Effect.gen(function* () {
      const providers = yield* Providers
      const endpoint = endpoints.find(({ operation }) => operation.id === endpointId)!
      const prepared = providers.prepare(endpoint, { ...inputs[endpointId], ...more })
      if (prepared._tag === "Rejected") return assert.fail(JSON.stringify(prepared))
      return yield* callEnd(
        providers.call({ endpoint, input: prepared.input, credential: { _tag: "None" }, attemptReference })
      )
    }).pipe(Effect.provide(ProvidersHttp({ origins: { [fixtureOrigin]: fixture.origin } })))
  return { endpoints, fixture, run }
})

describe("the fixture provider", () => {
  it.scopedLive("answers every one of its operations with a hit, and counts it", () =>
    Effect.gen(function* () {
      const { endpoints, fixture, run } = yield* withFixture
      const ids = endpoints
        .filter(({ provider }) => provider.mock)
        .map(({ operation }) => operation.id)
        .sort()
      assert.deepStrictEqual(ids, Object.keys(inputs).sort())
      for (const id of ids) {
        const result = yield* run(id)
        assert.strictEqual(result._tag === "Answered" && result.outcome, "hit", id)
        assert.strictEqual(fixture.calls.of(id), 1)
      }
      assert.strictEqual(fixture.calls.of(), ids.length)
    })
  )

  it.scopedLive("answers the jobs with their normalized fields", () =>
    Effect.gen(function* () {
      const { run } = yield* withFixture
      const fields = (id: string) =>
        Effect.map(run(id), (result) => (result._tag === "Answered" ? result.normalized?.fields : undefined))
      assert.deepStrictEqual(yield* fields("mock-email-find"), { email: "ada.lovelace@example.com", status: "valid" })
      assert.deepStrictEqual(yield* fields("mock-email-verify"), {
        email: "ada@example.com",
        status: "valid",
        deliverable: true
      })
      assert.containsAllKeys(yield* fields("mock-company-enrich"), ["name", "domain", "industry", "size", "country"])
      assert.containsAllKeys(yield* fields("mock-geocode"), ["lat", "lon", "formatted"])
      const search = yield* run("mock-web-search")
      assert.strictEqual(search._tag === "Answered" && search.resultCount, 3)
    })
  )

  it.scopedLive("gives texts in every format, and files", () =>
    Effect.gen(function* () {
      const { run } = yield* withFixture
      for (const format of ["text", "csv", "html", "xml", "markdown"] as const) {
        const result = yield* run("mock-document", { format })
        assert.strictEqual(result._tag === "Answered" && result.body._tag === "Text" && result.body.format, format)
      }
      const long = yield* run("mock-document", { pages: 500 })
      assert.strictEqual(
        long._tag === "Answered" && long.body._tag === "Media" && long.body.contentType,
        "text/plain; charset=utf-8"
      )
      const pdf = yield* run("mock-document", { format: "pdf" })
      assert.strictEqual(
        pdf._tag === "Answered" && pdf.body._tag === "Media" && Buffer.from(pdf.body.bytes).subarray(0, 8).toString(),
        "%PDF-1.4"
      )
      const png = yield* run("mock-image")
      assert.strictEqual(
        png._tag === "Answered" && png.body._tag === "Media" && Buffer.from(png.body.bytes).subarray(1, 4).toString(),
        "PNG"
      )
    })
  )

  it.scopedLive("does what _mock says", () =>
    Effect.gen(function* () {
      const { run } = yield* withFixture
      const outcome = (mock: JsonObject, endpointId = "mock-email-find") =>
        Effect.map(run(endpointId, { _mock: mock }), (result) =>
          result._tag === "Answered" ? result.outcome : result.failure.code
        )
      const cases: ReadonlyArray<[mock: JsonObject, expected: string]> = [
        [{ outcome: "hit" }, "hit"],
        [{ outcome: "weak" }, "weak"],
        [{ outcome: "miss" }, "miss"],
        [{ outcome: "error" }, "provider_reported_error"],
        [{ status: 201 }, "hit"],
        [{ status: 400 }, "provider_http_error"],
        [{ status: 429 }, "rate_limited"],
        [{ status: 503 }, "provider_error"],
        [{ redirect: "http://example.com/" }, "redirect_blocked"],
        [{ drop: true }, "fetch_failed"],
        [{ drop: "mid" }, "invalid_response"],
        [{ body: { found: false } }, "miss"],
        [{ body: '{"found"' }, "invalid_response"],
        [{ body: "<html>", contentType: "text/html" }, "unsupported_response_type"],
        [{ bytes: 1000 }, "hit"],
        [{ bytes: 1, outcome: "miss" }, "miss"],
        [{ bytes: 1000, contentType: "image/png" }, "unsupported_response_type"],
        [{ bytes: 20_000_000 }, "response_too_large"],
        [{ bytes: 20_000_000, contentType: "application/json" }, "response_too_large"],
        [{ delayMs: 1 }, "hit"],
        // What is misspelt, or what no HTTP server can send, is refused and not taken for an ordinary hit.
        [{ statuss: 503 }, "provider_http_error"],
        [{ outcome: "bogus" }, "provider_http_error"],
        [{ status: 0 }, "provider_http_error"],
        [{ status: "503" }, "provider_http_error"],
        [{ contentType: "text/plain\r\nx: y", body: {} }, "provider_http_error"],
        [{ redirect: "http://a/\r\nx: y" }, "provider_http_error"]
      ]
      for (const [mock, expected] of cases) assert.strictEqual(yield* outcome(mock), expected, JSON.stringify(mock))
      for (const mock of [{ costMicros: 700 }, { status: 503, costMicros: 700 }, { outcome: "error", costMicros: 700 }])
        assert.deepStrictEqual((yield* run("mock-email-find", { _mock: mock })).cost, { _tag: "Reported", micros: 700 })
      for (const id of Object.keys(inputs)) {
        assert.strictEqual(yield* outcome({ outcome: "error" }, id), "provider_reported_error", id)
        assert.strictEqual(yield* outcome({ status: 503 }, id), "provider_error", id)
      }
    })
  )

  it.scopedLive("says what is wrong with a _mock that it does not understand", () =>
    Effect.gen(function* () {
      const { run } = yield* withFixture
      const message = (mock: JsonObject) =>
        Effect.map(run("mock-email-find", { _mock: mock }), (result) =>
          result._tag !== "Answered" ? result.failure.message : "answered"
        )
      assert.include(yield* message({ statuss: 503 }), "_mock.statuss is no instruction; there are outcome, status,")
      assert.include(yield* message({ status: 1000 }), "_mock.status: Expected a number between 100 and 999")
      const outcomes = '_mock.outcome: Expected "hit" or "miss" or "weak" or "error".'
      assert.include(yield* message({ outcome: "mis" }), outcomes)
    })
  )

  it.scopedLive("answers 204 without a body, and an effect that it confirms so is done", () =>
    Effect.gen(function* () {
      const { run } = yield* withFixture
      const sent = yield* run("mock-send-message", { _mock: { status: 204 } })
      assert.deepStrictEqual(
        [sent._tag, sent._tag === "Answered" ? sent.outcome : sent.failure.code],
        ["Answered", "hit"]
      )
    })
  )

  it.scopedLive("gives any answer of its own as many bytes as _mock.bytes says", () =>
    Effect.gen(function* () {
      const { run } = yield* withFixture
      for (const id of Object.keys(inputs)) {
        for (const bytes of [5_000, 200_000]) {
          const result = yield* run(id, { _mock: { bytes } })
          assert.deepStrictEqual(
            [result._tag === "Answered" && result.outcome, result.evidence?.responseBytes],
            ["hit", bytes],
            id
          )
        }
      }
    })
  )

  it.scopedLive("reports whatever cost it is told to", () =>
    Effect.gen(function* () {
      const { run } = yield* withFixture
      const cost = (costMicros: Json) =>
        Effect.map(run("mock-email-find", { _mock: { costMicros } }), (result) => result.cost)
      assert.deepStrictEqual(yield* cost(1234), { _tag: "Reported", micros: 1234 })
      assert.deepStrictEqual(yield* cost(0), { _tag: "Reported", micros: 0 })
      assert.deepStrictEqual(yield* cost(null), { _tag: "None" })
      for (const anomaly of [-5, "NaN", 1e30, "free", "", " ", "0x10", "+5", true, { a: 1 }])
        assert.strictEqual((yield* cost(anomaly))._tag, "Anomaly", JSON.stringify(anomaly))
    })
  )

  it.scopedLive("counts by attempt reference, also what it never answered", () =>
    Effect.gen(function* () {
      const { fixture, run } = yield* withFixture
      yield* run("mock-send-message", { _mock: { drop: true } }, "att_lost")
      yield* run("mock-send-message", {}, "att_other")
      assert.deepStrictEqual(
        [
          fixture.calls.byReference("att_lost"),
          fixture.calls.byReference("att_other"),
          fixture.calls.byReference("att_none")
        ],
        [1, 1, 0]
      )
      const shown = yield* Effect.promise(() => fetch(`${fixture.origin}/_calls`).then((response) => response.json()))
      assert.deepStrictEqual(shown, { calls: { "mock-send-message": 2 }, references: { att_lost: 1, att_other: 1 } })
      fixture.calls.reset()
      assert.strictEqual(fixture.calls.of(), 0)
    })
  )

  it.scopedLive("says which port is taken", () =>
    Effect.gen(function* () {
      const first = yield* FixtureProvider.start()
      const failure = yield* Effect.flip(FixtureProvider.start({ port: first.port }))
      assert.deepStrictEqual([failure._tag, failure.port, failure.code], ["PortUnavailable", first.port, "EADDRINUSE"])
    })
  )
})
