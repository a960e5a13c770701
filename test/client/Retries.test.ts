// One call is one run and one charge, whatever happens on the way: seen in the gateway's ledger and at the provider.
import { assert, describe, it } from "vitest"
import { type GatewayFailure, isGatewayFailure, Refused, UnexpectedAnswer } from "../../src/client/index.js"
import { hit } from "../../src/testing.js"
import type { Fault } from "../support/faultyProxy.js"
import { all, failureOf, gatewayOfFile, kindsOf, request } from "./onGateway.js"

const onGateway = gatewayOfFile()

const refusal = (code: string, more: object = {}) =>
  JSON.stringify({
    error: { code, message: "Not now", requestId: "req_test", retryable: true, retryHint: "Send it again." },
    ...more
  })
const json = { "content-type": "application/json" }

const faults: Readonly<Record<string, ReadonlyArray<Fault>>> = {
  "a connection that ends before the request": [{ fault: "drop" }],
  "an answer that is lost after the commit": [{ fault: "lose_answer" }],
  "an answer that is cut off after the commit": [{ fault: "cut_answer" }],
  "half an answer that looks whole": [{ fault: "cut_answer", silently: true }],
  "a 503 of the gateway": [{ fault: "answer", status: 503, headers: json, body: refusal("storage_busy") }],
  "an uncertain write": [{ fault: "answer", status: 503, headers: json, body: refusal("storage_uncertain") }],
  "a proxy's 502": [{ fault: "answer", status: 502, headers: {}, body: "<h1>Bad Gateway</h1>" }],
  "a proxy's 504 after the commit": [{ fault: "replace_answer", status: 504, body: "<h1>Gateway Timeout</h1>" }],
  "an internal error after the commit": [{ fault: "replace_answer", status: 500, body: refusal("internal_error") }],
  "a 429": [
    {
      fault: "answer",
      status: 429,
      headers: { ...json, "retry-after": "1" },
      body: refusal("rate_limit_exceeded", { retryAfterSeconds: 1 })
    }
  ],
  "an answer that comes too late": [{ fault: "delay", millis: 30_000 }],
  "one thing after another": [
    { fault: "lose_answer" },
    { fault: "answer", status: 503, headers: {}, body: "" },
    { fault: "drop" }
  ]
}

describe("run", () => {
  for (const [name, script] of Object.entries(faults))
    it(`runs and charges once through ${name}`, () =>
      onGateway({}, async ({ clientWith, direct, gateway, proxy }) => {
        proxy.next(...script)
        const late = script.some(({ fault }) => fault === "delay")
        const run = await clientWith(late ? { requestTimeoutMillis: 6_000 } : {}).run(request)
        assert.strictEqual(run.outcome, "hit")
        assert.strictEqual(gateway.calls().length, 1)
        assert.deepStrictEqual(await kindsOf(direct), ["hold", "release", "charge"])
        assert.strictEqual((await all(direct.runs.list())).length, 1)
        const posts = proxy.passed.filter(({ method }) => method === "POST")
        assert.isAtLeast(posts.length, script.length + 1)
        assert.strictEqual(new Set(posts.map(({ body, idempotencyKey }) => `${idempotencyKey} ${body}`)).size, 1)
        assert.match(String(posts[0]?.idempotencyKey), /^[0-9a-f]{32}$/)
      }))

  it("polls through the same faults to the end of a run that outlives the first request", () =>
    onGateway({ providers: { "mock-email-find": hit(undefined, { after: "2 seconds" }) } }, async (stage) => {
      const { clientWith, direct, gateway, proxy } = stage
      proxy.next(
        { fault: "none" },
        { fault: "drop" },
        { fault: "answer", status: 503, headers: {}, body: "" },
        { fault: "cut_answer" }
      )
      const run = await clientWith({ requestTimeoutMillis: 5_000 }).run(request)
      assert.deepStrictEqual([run.status, run.replayed], ["completed", false])
      assert.strictEqual(gateway.calls().length, 1)
      assert.deepStrictEqual(await kindsOf(direct), ["hold", "release", "charge"])
    }))

  it("is another run with each call, and the same one for a key of the caller", () =>
    onGateway({}, async ({ client, gateway }) => {
      const first = await client.run(request)
      const second = await client.run(request)
      assert.notStrictEqual(first.runId, second.runId)
      const named = await client.run(request, { idempotencyKey: "order 17" })
      const again = await client.run(request, { idempotencyKey: "order 17" })
      assert.deepStrictEqual([again.runId, again.replayed, named.replayed], [named.runId, true, false])
      assert.strictEqual(gateway.calls().length, 3)
    }))

  it("waits its turn where a workspace has all its runs under way", () =>
    onGateway(
      { inflightLimit: 2, providers: { "mock-email-find": hit(undefined, { after: "100 millis" }) } },
      async ({ client, direct, gateway }) => {
        const runs = await Promise.all(Array.from({ length: 6 }, () => client.run(request)))
        assert.strictEqual(new Set(runs.map(({ runId }) => runId)).size, 6)
        assert.strictEqual(gateway.calls().length, 6)
        assert.strictEqual((await kindsOf(direct)).filter((kind) => kind === "charge").length, 6)
      }
    ))
})

describe("a run whose end cannot be read", () => {
  const lateHit = { providers: { "mock-email-find": hit(undefined, { after: "1 second" }) } }
  const waits: Readonly<Record<string, readonly [kind: string, retryable: boolean, Fault]>> = {
    "a 429": [
      "refused",
      true,
      {
        fault: "answer",
        status: 429,
        headers: { ...json, "retry-after": "3600" },
        body: refusal("rate_limit_exceeded", { retryAfterSeconds: 3600 })
      }
    ],
    "a 503": ["refused", true, { fault: "answer", status: 503, headers: json, body: refusal("storage_busy") }],
    "a token that was revoked": [
      "refused",
      false,
      {
        fault: "answer",
        status: 401,
        headers: json,
        body: refusal("token_revoked").replace('"retryable":true', '"retryable":false')
      }
    ],
    "an outage": ["unreachable", true, { fault: "drop" }],
    "a proxy's 502": ["unexpected_answer", true, { fault: "answer", status: 502, body: "<h1>Bad Gateway</h1>" }],
    "an answer that is no run": ["unexpected_answer", false, { fault: "answer", status: 200, body: "{}" }],
    "an answer that is no object": ["unexpected_answer", false, { fault: "answer", status: 200, body: "7" }]
  }
  for (const [name, [kind, retryable, fault]] of Object.entries(waits))
    it(`is named by the failure, with its key, after ${name}`, () =>
      onGateway(lateHit, async ({ client, clientWith, direct, gateway, proxy }) => {
        proxy.next({ fault: "none" }, fault)
        // The first answer comes at once, and one read is the whole patience.
        const hasty = clientWith({ requestTimeoutMillis: 5_000, retryForMillis: 0 })
        const failure = await failureOf(hasty.run(request))
        if (!isGatewayFailure(failure)) throw failure
        const [sent] = proxy.passed
        assert.deepStrictEqual([failure.kind, failure.retryable, failure.mayStillRun], [kind, retryable, true])
        assert.strictEqual(failure.idempotencyKey, sent?.idempotencyKey)
        const runId = String(failure.run?.runId)
        assert.include(failure.message, runId)
        assert.include(failure.retryHint, `${runId} may go on and be charged`)
        assert.strictEqual((await client.runs.wait(runId)).outcome, "hit")
        const again = await client.run(request, { idempotencyKey: String(failure.idempotencyKey) })
        assert.deepStrictEqual([again.runId, again.replayed], [runId, true])
        assert.strictEqual(gateway.calls().length, 1)
        assert.deepStrictEqual(await kindsOf(direct), ["hold", "release", "charge"])
      }))
})

describe("a run that may have been made", () => {
  const tooMany: Fault = {
    fault: "answer",
    status: 429,
    headers: { ...json, "retry-after": "3600" },
    body: refusal("rate_limit_exceeded", { retryAfterSeconds: 3600 })
  }
  const billing = refusal("billing_unavailable").replace('"retryable":true', '"retryable":false')
  const ends: Readonly<Record<string, readonly [made: boolean, mayStillRun: boolean, ReadonlyArray<Fault>]>> = {
    "a lost answer and then a 429": [true, true, [{ fault: "lose_answer" }, tooMany]],
    "an uncertain write": [
      true,
      true,
      Array.from({ length: 9 }, () => ({ fault: "replace_answer", status: 503, body: refusal("storage_uncertain") }))
    ],
    "a 429 alone": [false, false, [tooMany]],
    "a 503 that no repetition helps": [false, false, [{ fault: "answer", status: 503, headers: json, body: billing }]]
  }
  for (const [name, [made, mayStillRun, script]] of Object.entries(ends))
    it(`is told from one that was not, after ${name}`, () =>
      onGateway({}, async ({ clientWith, direct, proxy }) => {
        proxy.next(...script)
        const failure = await failureOf(clientWith({ retryForMillis: 1_000 }).run(request))
        assert.instanceOf(failure, Refused)
        assert.deepStrictEqual([failure.mayStillRun, failure.run], [mayStillRun, null])
        assert.strictEqual(failure.retryHint.includes("It may have been done"), mayStillRun)
        const idempotencyKey = String(failure.idempotencyKey)
        assert.strictEqual((await direct.run(request, { idempotencyKey })).replayed, made)
      }))
})

describe("what carries no key", () => {
  it("is sent once where a repetition would do it twice", () =>
    onGateway({}, async ({ client, direct, proxy }) => {
      const before = (await all(direct.tokens.list())).length
      for (const fault of [{ fault: "lose_answer" }, { fault: "replace_answer", status: 503, body: "" }] as const) {
        proxy.next(fault)
        const failure = await failureOf(client.tokens.create({ label: "once", scopes: ["runs:read"] }))
        assert.isTrue(isGatewayFailure(failure) && failure.mayStillRun && !failure.retryable)
        assert.strictEqual(
          (failure as GatewayFailure).retryHint,
          "It may have been done: look before you send it again."
        )
      }
      assert.strictEqual((await all(direct.tokens.list())).length, before + 2)
      assert.strictEqual(proxy.passed.length, 2)
    }))

  it("is sent again after a 429, which did nothing", () =>
    onGateway({}, async ({ client, direct, proxy }) => {
      const before = (await all(direct.tokens.list())).length
      proxy.next({ fault: "answer", status: 429, headers: json, body: refusal("rate_limit_exceeded") })
      await client.tokens.create({ label: "once", scopes: ["runs:read"] })
      assert.strictEqual((await all(direct.tokens.list())).length, before + 1)
    }))

  it("is sent again where it only reads, or where the second time changes nothing", () =>
    onGateway({}, async ({ client, direct, proxy }) => {
      const { tokenId } = await direct.tokens.create({ label: "gone", scopes: ["runs:read"] })
      const { connectionId } = await direct.connections.create({ providerId: "mock", label: "mine", secret: "s" })
      proxy.next({ fault: "lose_answer" }, { fault: "none" }, { fault: "lose_answer" }, { fault: "none" })
      assert.isTrue((await client.quote(request)).admissible)
      await client.tokens.revoke(tokenId)
      // The second request finds nothing any more, because the first one has worked.
      proxy.next({ fault: "lose_answer" })
      await client.connections.delete(connectionId)
      assert.deepStrictEqual(await all(direct.connections.list()), [])
      const failure = await failureOf(client.connections.delete(connectionId))
      assert.isTrue(isGatewayFailure(failure) && failure.kind === "refused" && failure.code === "not_found")
    }))
})

describe("other calls with a key", () => {
  it("make one request for a capability through a lost answer", () =>
    onGateway({}, async ({ client, direct, proxy }) => {
      proxy.next({ fault: "lose_answer" })
      await client.capabilityRequests.create({ title: "Find trains", description: "From a city to another." })
      assert.strictEqual((await all(direct.capabilityRequests.list())).length, 1)
      assert.strictEqual(proxy.passed.length, 2)
    }))
})

describe("the end of patience", () => {
  it("comes at once where the gateway asks for a longer wait than is left", () =>
    onGateway({}, async ({ clientWith, proxy }) => {
      const headers = { ...json, "retry-after": "3600" }
      proxy.next({ fault: "answer", status: 503, headers, body: refusal("storage_busy") })
      const failure = await failureOf(clientWith({}).run(request))
      assert.isTrue(isGatewayFailure(failure) && failure.kind === "refused" && failure.code === "storage_busy")
      assert.strictEqual(proxy.passed.length, 1)
    }))

  it("comes after the first attempt with retryForMillis 0, and the key of the failure goes on with it", () =>
    onGateway({}, async ({ client, clientWith, gateway, proxy }) => {
      proxy.next({ fault: "replace_answer", status: 502, body: "<h1>Bad Gateway</h1>" })
      const failure = await failureOf(clientWith({ retryForMillis: 0 }).run(request))
      assert.instanceOf(failure, UnexpectedAnswer)
      assert.deepStrictEqual([failure.status, failure.text, failure.retryable], [502, "<h1>Bad Gateway</h1>", true])
      const run = await client.run(request, { idempotencyKey: String(failure.idempotencyKey) })
      assert.strictEqual(run.replayed, true)
      assert.strictEqual(gateway.calls().length, 1)
    }))
})
