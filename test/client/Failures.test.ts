// What goes wrong comes as one union, and wrong use of the client as a TypeError that names the option.
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "vitest"
import { createClient, type GatewayFailure, isGatewayFailure } from "../../src/client/index.js"
import { drop, fail, failures } from "../../src/testing.js"
import { all, failureOf, onGateway, request } from "./onGateway.js"

const gatewayFailure = async (work: Promise<unknown>): Promise<GatewayFailure> => {
  const failure = await failureOf(work)
  if (!isGatewayFailure(failure)) throw failure
  return failure
}

const onServer = async (listener: RequestListener, use: (url: string) => Promise<void>) => {
  const server = createServer(listener)
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

describe("a failure", () => {
  it("of a balance that is too low says how to pay, and that no run was made", () =>
    onGateway({ usd: 0 }, async ({ client, direct, proxy }) => {
      const failure = await gatewayFailure(client.run(request))
      if (failure.kind !== "refused" || failure.code !== "insufficient_balance") return assert.fail(failure.message)
      assert.strictEqual(failure.status, 402)
      assert.isAbove(failure.answer.estimatedCostMicros, failure.answer.balanceMicros)
      assert.isAbove(failure.answer.topUp.minimumUsd, 0)
      assert.match(String(failure.requestId), /^req_/)
      assert.strictEqual(proxy.passed.length, 1)
      assert.deepStrictEqual(await all(direct.runs.list()), [])
    }))

  it("of a run says the code, whose error it was, and carries the run", () =>
    onGateway({ providers: { "mock-email-find": fail(new failures.ProviderReportedError()) } }, async ({ client }) => {
      const failure = await gatewayFailure(client.run(request))
      if (failure.kind !== "run_failed") return assert.fail(failure.message)
      assert.deepStrictEqual(
        [failure.code, failure.whoseError, failure.run.status, failure.run.pricing.finalChargeMicros],
        ["provider_reported_error", "provider", "failed", 0]
      )
      assert.notStrictEqual(failure.retryHint, "")
      assert.isFalse(failure.mayStillRun)
    }))

  it("of an operation that does not exist is a failed run", () =>
    onGateway({}, async ({ client }) => {
      const failure = await gatewayFailure(client.run({ endpointId: "no-such-thing", input: {} }))
      assert.isTrue(failure.kind === "run_failed" && failure.code === "endpoint_not_found")
    }))

  it("of a lost answer of an operation that changes something is uncertain, not failed", () =>
    onGateway({ providers: { "mock-send-message": drop() } }, async ({ client }) => {
      const sending = { endpointId: "mock-send-message", input: { to: "ada@example.com", text: "hello" } }
      const failure = await gatewayFailure(client.run(sending))
      if (failure.kind !== "run_uncertain") return assert.fail(failure.message)
      assert.strictEqual(failure.run.status, "reconciliation_pending")
      assert.match(failure.retryHint, /Do not run it again/)
      assert.isTrue(failure.mayStillRun)
    }))

  it("of a key that was used for something else names the run that has it", () =>
    onGateway({}, async ({ client }) => {
      const run = await client.run(request, { idempotencyKey: "order 17" })
      const failure = await gatewayFailure(
        client.run({ ...request, input: { ...request.input, name: "Bob" } }, { idempotencyKey: "order 17" })
      )
      if (failure.kind !== "refused" || failure.code !== "idempotency_conflict") return assert.fail(failure.message)
      assert.strictEqual(failure.answer.runId, run.runId)
    }))

  it("of a wrong token is refused at once, and never shows the token", () =>
    onGateway({}, async ({ clientWith, proxy }) => {
      const failure = await gatewayFailure(clientWith({ token: "pgw_wrong" }).balance())
      assert.isTrue(failure.kind === "refused" && failure.code === "unauthorized")
      assert.strictEqual(proxy.passed.length, 1)
      assert.notInclude(JSON.stringify(failure) + String(failure.stack), "pgw_wrong")
      const withoutToken = await gatewayFailure(clientWith({ token: null }).balance())
      assert.isTrue(withoutToken.kind === "refused" && withoutToken.code === "unauthorized")
    }))

  it("of an address where nothing listens says so, and why", async () => {
    let free = ""
    await onServer(
      () => undefined,
      async (url) => {
        free = url
      }
    )
    const failure = await gatewayFailure(
      createClient({ baseUrl: free, token: "pgw_x", retryForMillis: 300 }).run(request)
    )
    if (failure.kind !== "unreachable") return assert.fail(failure.message)
    assert.match(failure.message, /^No answer came from http:\/\/127\.0\.0\.1:\d+\/v1\/runs.* ECONNREFUSED/)
    assert.isTrue(failure.retryable)
    assert.match(String(failure.idempotencyKey), /^[0-9a-f]{32}$/)
  })

  it("of an address with something else behind it says what came", async () => {
    const about = async (listener: RequestListener) => {
      let text = ""
      await onServer(listener, async (baseUrl) => {
        const client = createClient({ baseUrl, token: "pgw_x", retryForMillis: 0 })
        const failure = await gatewayFailure(client.run(request))
        assert.strictEqual(failure.kind, "unexpected_answer")
        text = failure.message.replace(baseUrl, "")
      })
      return text
    }
    assert.strictEqual(
      await about((_, answer) => void answer.writeHead(404).end("<h1>Nothing here</h1>")),
      "/v1/runs?wait=20 answered 404 with something that is no answer of a gateway"
    )
    assert.strictEqual(
      await about((_, answer) => void answer.writeHead(400).end('{"error":{"code":"bad","message":"no"}}')),
      "/v1/runs?wait=20 answered 400 with something that is no answer of a gateway"
    )
    assert.strictEqual(
      await about((_, answer) => void answer.writeHead(301, { location: "https://gateway.test/" }).end()),
      "/v1/runs?wait=20 answered 301 with a redirect, which is not followed: give the address behind it as baseUrl"
    )
    assert.strictEqual(
      await about((_, answer) => void answer.writeHead(200).end("7")),
      "/v1/runs?wait=20 answered 200 with something that is no answer of a gateway"
    )
    assert.match(await about((_, answer) => void answer.writeHead(200).end('{"hello":1}')), /something that is no run$/)
  })

  it("of a list is the same where the other end answers an object without it", async () => {
    await onServer(
      (_, answer) => void answer.writeHead(200).end("{}"),
      async (baseUrl) => {
        const runs = createClient({ baseUrl, token: "pgw_x", retryForMillis: 0 }).runs.list()
        const failure = await gatewayFailure(runs[Symbol.asyncIterator]().next())
        if (failure.kind !== "unexpected_answer") return assert.fail(failure.message)
        assert.match(failure.message, /\/v1\/runs answered 200 with something that is no answer of a gateway$/)
        assert.strictEqual(failure.text, "{}")
      }
    )
  })
})

describe("wrong use of the client", () => {
  const made = (options: object) => {
    try {
      createClient({ baseUrl: "https://gateway.test", token: "pgw_x", ...options })
      return "nothing wrong"
    } catch (error) {
      assert.instanceOf(error, TypeError)
      return error.message
    }
  }

  it("is told when the client is made", () => {
    assert.strictEqual(made({}), "nothing wrong")
    assert.strictEqual(made({ token: null }), "nothing wrong")
    assert.match(made({ token: undefined }), /^token is missing; /)
    assert.match(made({ token: "" }), /^token is missing; /)
    assert.match(made({ baseUrl: "gateway" }), /^baseUrl is "gateway"; an address such as https:/)
    assert.match(made({ baseUrl: "localhost:8080" }), /^baseUrl begins with localhost:; it must begin with https: or/)
    assert.match(made({ baseUrl: "https://me:secret@gateway.test" }), /^baseUrl holds a user name or password/)
    assert.match(made({ baseUrl: "https://gateway.test/?a=b" }), /^baseUrl must end before any \? or #/)
    assert.match(made({ retryForMillis: -1 }), /^retryForMillis is -1; milliseconds from 0 to 2147483647 are needed/)
    // A timer that is set to more fires at once.
    assert.match(made({ requestTimeoutMillis: 2 ** 31 }), /^requestTimeoutMillis is 2147483648; milliseconds/)
    assert.match(made({ requestTimeoutMillis: Number.NaN }), /^requestTimeoutMillis is NaN/)
    const untyped = (more: object) => made(more)
    assert.strictEqual(untyped({ fetch: 3 }), "fetch is 3; a function is needed")
    assert.strictEqual(untyped({ json: {} }), "json.parse is undefined; a function is needed")
    assert.strictEqual(untyped({ json: { parse: JSON.parse } }), "json.stringify is undefined; a function is needed")
    assert.match(made({ serviceAgent: "a\nb" }), /^serviceAgent must be 1 to 255 printable ASCII characters/)
  })

  it("never repeats a token that cannot be sent", () => {
    assert.strictEqual(
      made({ token: "pgw_secret\n" }),
      "token holds a space or another character that no access token has"
    )
  })

  it("is told before anything is sent", async () => {
    const client = createClient({
      baseUrl: "https://gateway.test/prefix/",
      token: "pgw_x",
      fetch: () => assert.fail("it was sent")
    })
    const wrong = async (work: Promise<unknown>) => {
      const failure = await failureOf(work)
      assert.instanceOf(failure, TypeError)
      return failure.message
    }
    assert.match(await wrong(client.run(request, { idempotencyKey: "" })), /^idempotencyKey must be 1 to 255/)
    assert.match(await wrong(client.run(request, { idempotencyKey: " a" })), /^idempotencyKey must be 1 to 255/)
    assert.match(await wrong(client.run(request, { idempotencyKey: "ключ" })), /^idempotencyKey must be 1 to 255/)
    for (const id of ["", ".", ".."])
      assert.strictEqual(await wrong(client.runs.get(id)), `runId is "${id}"; an id is needed`)
    const untyped = (id: unknown) => Reflect.apply(client.inspect, null, [id]) as Promise<unknown>
    assert.strictEqual(await wrong(untyped(undefined)), "endpointId is undefined; an id is needed")
    for (const path of ["https://elsewhere.test/x", "/v1/runs/run_1/media/%E0%A4", "/v1/runs/run_1/media/../x"])
      assert.match(await wrong(client.runs.media(path)), /is not the downloadPath of a result$/)
  })
})
