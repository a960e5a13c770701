/**
 * Bodies that are dear to read are refused before they are read, each with the field that is over its budget and what
 * it may be.
 */
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  bodyDepthMax,
  bodyNameCharsMax,
  bodyNumberCharsMax,
  bodyValuesMax,
  consoleFormBytesMax,
  formFieldsMax,
  inputValuesMax,
  problemsMax,
  publicInputValuesMax
} from "../../src/domain/limits/Requests.js"
import { callerBudget, overBudget } from "../../src/http/BodyBudget.js"
import { decodable } from "../../src/http/UrlEncoded.js"
import { startGateway, type Answer } from "../support/httpGateway.js"
import { completedRun, login } from "../support/httpSamples.js"

const many = (count: number, item: (n: number) => string) => Array.from({ length: count }, (_, n) => item(n)).join(",")
const members = (count: number) => `{${many(count, (n) => `"k${n}":1`)}}`
const problemOf = (answer: Answer) => {
  assert.strictEqual(answer.status, 400, answer.text)
  return answer.json.error.details as ReadonlyArray<{ field: string; message: string }>
}

describe("the budget of a body", () => {
  const within = (text: string) => assert.isNull(overBudget(text, callerBudget), text.slice(0, 80))
  const over = (text: string, field: string, message: RegExp) => {
    const problem = overBudget(text, callerBudget)
    assert.strictEqual(problem?.field, field)
    assert.match(problem?.message ?? "", message)
  }

  it("counts the values of the input at every depth, and those of the rest by themselves", () => {
    const nested = (count: number) =>
      `{"endpointId":"a","input":{"x":[${many(count - 1, (n) => (n % 2 === 0 ? "[ ]" : "{}"))}]},"wait":true}`
    within(nested(inputValuesMax))
    over(nested(inputValuesMax + 1), "input", new RegExp(`at most ${inputValuesMax} values`))
    within(members(bodyValuesMax))
    over(members(bodyValuesMax + 1), "body", new RegExp(`at most ${bodyValuesMax} values`))
    over(`{"input":{},"fallback":${members(bodyValuesMax)}}`, "fallback", /values/)
    over(`{"inputs":${members(bodyValuesMax)}}`, "inputs", /values/)
    over(`[${many(bodyValuesMax + 1, String)}]`, "body", /values/)
  })

  it("takes no comma, bracket or quote of a string for its own", () => {
    within(JSON.stringify({ input: { text: '[{,":\\'.repeat(10_000) } }))
    within('{"input":{"a":"\\\\","b":"\\"\\\\\\""}}')
  })

  it("bounds depth, names and numbers", () => {
    const nested = (depth: number) => `{"input":${"[".repeat(depth)}${"]".repeat(depth)}}`
    within(nested(bodyDepthMax - 1))
    over(nested(bodyDepthMax), "input", /deeper than 64 levels/)
    over("[".repeat(1_000_000), "body", /deeper/)
    within(`{"input":{"${"k".repeat(bodyNameCharsMax)}":"${"v".repeat(100_000)}"}}`)
    within(`{"input":{"${"\\u00e4".repeat(bodyNameCharsMax)}" : 1}}`)
    over(`{"input":{"${"k".repeat(bodyNameCharsMax + 1)}" : 1}}`, "input", /name of more than/)
    over(`{"${"\\n".repeat(bodyNameCharsMax + 1)}":1}`, "body", /name of more than/)
    within(`{"input":{"x":${"1".repeat(bodyNumberCharsMax)}}}`)
    over(`{"input":{"x":${"1".repeat(bodyNumberCharsMax + 1)}}}`, "input", /number of more than/)
  })

  it("ends on texts that are no JSON", () => {
    for (const text of ["", '"', '{"', '{"a', "\\", '"\\', "]]]]", ",,,,", ":::", '{"a":"\\"', "nul"])
      overBudget(text, callerBudget)
  })
})

describe("bodies over their budget", () => {
  it.scopedLive("are refused by name on every route that reads one, with a token and without", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ logins: { get: () => Effect.succeed(login) } })
      const unknown = members(80_000)
      assert.match(
        problemOf(yield* gateway.post("/v1/login-approvals", unknown, { authorization: null }))[0]!.message,
        /values/
      )
      const ids = `{"catalogItemIds":[${many(20_000, () => "1")}]}`
      assert.strictEqual(
        problemOf(yield* gateway.post("/v1/public-catalog/compare", ids, { authorization: null }))[0]!.field,
        "catalogItemIds"
      )
      const input = `{"catalogItemIds":["a","b"],"input":${members(publicInputValuesMax + 1)}}`
      assert.strictEqual(
        problemOf(yield* gateway.post("/v1/public-catalog/compare", input, { authorization: null }))[0]!.field,
        "input"
      )
      for (const path of ["/v1/runs", "/v1/runs/quote"]) {
        assert.strictEqual(
          problemOf(yield* gateway.post(path, `{"endpointId":"a","input":${members(inputValuesMax + 1)}}`))[0]!.field,
          "input"
        )
      }
      for (const path of ["/v1/top-ups", "/v1/capability-requests", "/v1/connections"])
        assert.strictEqual(problemOf(yield* gateway.post(path, unknown))[0]!.field, "body")
    })
  )

  it.scopedLive("an input within the budget is taken", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        runs: { create: () => Effect.succeed({ run: completedRun, attempts: [], replayed: false, left: null }) }
      })
      const answer = yield* gateway.post(
        "/v1/runs",
        `{"endpointId":"a","idempotencyKey":"k","input":${members(inputValuesMax)}}`
      )
      assert.strictEqual(answer.status, 201, answer.text.slice(0, 200))
    })
  )

  it.scopedLive("a large form is 413 as a page, and one of many fields is answered", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({})
      const form = (body: string) =>
        gateway.send("POST", "/console/sign-in/link/x", {
          authorization: null,
          headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
          body
        })
      const large = yield* form("a&".repeat(consoleFormBytesMax))
      assert.deepStrictEqual([large.status, large.headers.get("content-type")], [413, "text/html; charset=utf-8"])
      const wide = yield* form(Array.from({ length: 2_000 }, (_, n) => `f${n}=`).join("&"))
      assert.strictEqual(wide.status, 403)
      const sent = (count: number) => form("%&".repeat(count - 1))
      assert.strictEqual((yield* sent(formFieldsMax)).status, 403)
      const wider = yield* sent(formFieldsMax + 1)
      assert.strictEqual(wider.status, 400)
      assert.include(wider.text, `at most ${formFieldsMax} fields`)
    })
  )
})

describe("percent-encoding", () => {
  it("is decodable where the language decodes it", () => {
    const decodes = (text: string): boolean => {
      try {
        decodeURIComponent(text)
        return true
      } catch {
        return false
      }
    }
    const parts = [
      "%",
      "%4",
      "%41",
      "%c3",
      "%C3%A9",
      "%a9",
      "%zz",
      "%ed%a0%80",
      "%f4%90%80%80",
      "%c0%80",
      "%f0%9f%98%80"
    ]
    const others = ["", "a", "+", "&", "é", "\ud800", "41"]
    for (const first of [...parts, ...others])
      for (const second of [...parts, ...others])
        for (const third of [...parts, ...others]) {
          const text = `${first}${second}${third}`
          assert.strictEqual(decodable(text), decodes(text), JSON.stringify(text))
        }
  })
})

describe("what an answer tells of many mistakes", () => {
  it.scopedLive("are the first twenty", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({})
      const details = problemOf(yield* gateway.post("/v1/runs", members(bodyValuesMax)))
      assert.lengthOf(details, problemsMax)
      assert.strictEqual(details[0]?.field, "k0")
    })
  )
})

describe("compressed bodies", () => {
  it.scopedLive("are 415 whatever the encoding, and identity is none", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        runs: { create: () => Effect.succeed({ run: completedRun, attempts: [], replayed: false, left: null }) }
      })
      const body = JSON.stringify({ endpointId: "a", input: {}, idempotencyKey: "k" })
      for (const encoding of ["gzip", "deflate", "br", "zstd", "GZIP", "identity, gzip", "x-unheard-of"]) {
        const answer = yield* gateway.send("POST", "/v1/runs", {
          headers: { "content-type": "application/json", "content-encoding": encoding },
          body: gzipSync(body)
        })
        assert.strictEqual(answer.status, 415, encoding)
        assert.strictEqual(answer.json.error.code, "unsupported_media_type")
        assert.include(answer.json.error.message, "content-encoding")
        assert.strictEqual(answer.headers.get("accept-encoding"), "identity")
      }
      const plain = yield* gateway.post("/v1/runs", body, { headers: { "content-encoding": "identity" } })
      assert.strictEqual(plain.status, 201)
    })
  )
})
