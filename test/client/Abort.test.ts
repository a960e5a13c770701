// A signal cancels the run at the gateway, wherever the call is at that moment; the rejection says what became of it.
import { createServer } from "node:net"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { Aborted, type ClientOptions } from "../../src/client/index.js"
import { hit, silence, type TestGateway } from "../../src/testing.js"
import { eventually } from "../support/eventually.js"
import type { Fault, FaultyProxy } from "../support/faultyProxy.js"
import { all, failureOf, kindsOf, gatewayOfFile, request } from "./onGateway.js"

const onGateway = gatewayOfFile()

/** A `fetch` that calls back when this request has been sent, and then waits for its answer as always. */
const after = (wanted: (url: string, method: string) => boolean, then: () => void): ClientOptions["fetch"] => {
  return async (url, init) => {
    const answer = fetch(url, init)
    if (wanted(String(url), String(init?.method))) then()
    return answer
  }
}
const reason = new Error("the user went away")
const sending = { endpointId: "mock-send-message", input: { to: "ada@example.com", text: "hello" } }

/** Waits until so many calls of providers are under way, or were. */
const called = (gateway: Pick<TestGateway, "calls">, count = 1) =>
  Effect.runPromise(
    eventually(
      Effect.sync(() => gateway.calls().length),
      (calls) => calls === count
    )
  )

/** The requests for a run that have reached the relay. */
const created = ({ passed }: FaultyProxy) =>
  passed.filter(({ method, path }) => method === "POST" && /^\/v1\/runs(?:\?|$)/.test(path))

const cancelled = ({ passed }: FaultyProxy) => passed.filter(({ path }) => path.includes("/cancel"))

/** The relay answers a list of these runs itself. */
const listing = (...runs: ReadonlyArray<object>): Fault => ({
  fault: "answer",
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ runs, nextCursor: null })
})

/** An address that refuses connections. */
const closedPort = () =>
  new Promise<string>((resolve, reject) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") return reject(new Error("no port"))
      server.close(() => resolve(`http://127.0.0.1:${address.port}`))
    })
  })

const abortedBy = async (work: Promise<unknown>): Promise<Aborted> => {
  const failure = await failureOf(work)
  assert.instanceOf(failure, Aborted)
  assert.deepStrictEqual([failure.name, failure.cause], ["AbortError", reason])
  return failure
}

describe("an aborted run", () => {
  it("is cancelled while its first request is open; nothing is charged", () =>
    onGateway({ providers: { "mock-email-find": silence } }, async ({ client, direct, gateway, proxy }) => {
      const controller = new AbortController()
      const running = abortedBy(client.run(request, { signal: controller.signal }))
      await called(gateway)
      controller.abort(reason)
      const failure = await running
      assert.deepStrictEqual(created(proxy).length, 1)
      const runs = await all(direct.runs.list())
      assert.strictEqual(runs.length, 1)
      assert.strictEqual(failure.run?.runId, runs[0]?.runId)
      assert.strictEqual(failure.mayStillRun, false)
      assert.include(["cancelled_before_dispatch", "cancellation_requested_after_dispatch"], runs[0]?.error?.code)
      assert.deepStrictEqual(await kindsOf(direct), ["hold", "release"])
    }))

  it("is cancelled while the client polls", () =>
    onGateway({ providers: { "mock-email-find": silence } }, async ({ clientWith, direct }) => {
      const controller = new AbortController()
      const fetch = after(
        (_, method) => method === "GET",
        () => controller.abort(reason)
      )
      const client = clientWith({ fetch, requestTimeoutMillis: 5_000 })
      const failure = await abortedBy(client.run(request, { signal: controller.signal }))
      assert.strictEqual(failure.run?.status, "failed")
      assert.deepStrictEqual(await kindsOf(direct), ["hold", "release"])
    }))

  it("is found and cancelled where the answer that named it was lost", () =>
    onGateway({ providers: { "mock-email-find": silence } }, async ({ clientWith, direct, proxy }) => {
      const controller = new AbortController()
      proxy.next({ fault: "lose_answer" })
      const client = clientWith({
        requestTimeoutMillis: 5_000,
        fetch: async (url, init) => {
          try {
            return await fetch(url, init)
          } catch (lost) {
            controller.abort(reason)
            throw lost
          }
        }
      })
      const failure = await abortedBy(client.run(request, { signal: controller.signal }))
      assert.strictEqual(failure.run?.status, "failed")
      assert.strictEqual((await all(direct.runs.list())).length, 1)
      assert.deepStrictEqual(await kindsOf(direct), ["hold", "release"])
      assert.strictEqual(created(proxy).length, 1)
    }))

  it("is looked for twice, because the gateway may still be making it", () =>
    onGateway({ providers: { "mock-email-find": silence } }, async ({ client, direct, gateway, proxy }) => {
      const controller = new AbortController()
      proxy.next({ fault: "none" }, listing())
      const running = abortedBy(client.run(request, { signal: controller.signal }))
      await called(gateway)
      controller.abort(reason)
      const failure = await running
      assert.deepStrictEqual([failure.run?.status, failure.mayStillRun], ["failed", false])
      assert.strictEqual(failure.run?.runId, (await all(direct.runs.list()))[0]?.runId)
    }))

  it("is not made by its cancellation where its request never arrived", () =>
    onGateway({ providers: { "mock-send-message": hit() } }, async ({ clientWith, direct, gateway, proxy }) => {
      const controller = new AbortController()
      // The first connection hangs, as behind a firewall, until the caller gives up.
      const client = clientWith({
        fetch: (url, init) =>
          init.method === "POST"
            ? new Promise((_, reject) => {
                init.signal.addEventListener("abort", () => reject(init.signal.reason))
                controller.abort(reason)
              })
            : fetch(url, init)
      })
      const failure = await abortedBy(client.run(sending, { signal: controller.signal, idempotencyKey: "order 17" }))
      assert.deepStrictEqual([failure.run, failure.mayStillRun, failure.idempotencyKey], [null, true, "order 17"])
      assert.deepStrictEqual(created(proxy), [])
      assert.deepStrictEqual([gateway.calls().length, await all(direct.runs.list())], [0, []])
      assert.include(failure.retryHint, "runs.list")
    }))

  it("was not sent where the signal was aborted in the turn of the call", () =>
    onGateway({ providers: { "mock-send-message": hit() } }, async ({ client, gateway, proxy }) => {
      const controller = new AbortController()
      const running = abortedBy(client.run(sending, { signal: controller.signal }))
      controller.abort(reason)
      const failure = await running
      assert.deepStrictEqual([failure.run, failure.mayStillRun], [null, false])
      assert.deepStrictEqual([proxy.passed.length, gateway.calls().length], [0, 0])
    }))

  it("may go on where the token may not look for it, and the failure says what that needs", () =>
    onGateway(
      { scopes: ["runs:execute"], providers: { "mock-email-find": silence } },
      async ({ client, gateway, proxy }) => {
        const controller = new AbortController()
        const running = abortedBy(client.run(request, { signal: controller.signal, idempotencyKey: "order 17" }))
        await called(gateway)
        controller.abort(reason)
        const failure = await running
        assert.deepStrictEqual([failure.run, failure.mayStillRun, failure.idempotencyKey], [null, true, "order 17"])
        assert.include(failure.retryHint, "runs:read")
        assert.deepStrictEqual([created(proxy).length, cancelled(proxy)], [1, []])
      }
    ))

  it("is no run that a gateway lists without knowing the filter by key", () =>
    onGateway({ providers: { "mock-email-find": silence } }, async ({ client, gateway, proxy }) => {
      const foreign = { runId: "run_of_somebody_else" }
      const keyed = { ...foreign, idempotencyKey: "order of somebody else" }
      for (const [before, list] of [listing(foreign), listing(keyed)].entries()) {
        const controller = new AbortController()
        proxy.next({ fault: "none" }, list, list)
        const idempotencyKey = `order ${before}`
        const running = abortedBy(client.run(request, { signal: controller.signal, idempotencyKey }))
        await called(gateway, before + 1)
        controller.abort(reason)
        const failure = await running
        assert.deepStrictEqual([failure.run, failure.mayStillRun], [null, true])
        assert.notInclude(failure.retryHint, "runs:read")
      }
      assert.deepStrictEqual(cancelled(proxy), [])
    }))

  it("was never made where the signal was aborted before the first attempt, or after a refusal", () =>
    onGateway({}, async ({ client, clientWith, direct, proxy }) => {
      const before = await abortedBy(client.run(request, { signal: AbortSignal.abort(reason) }))
      assert.deepStrictEqual([before.run, before.mayStillRun, proxy.passed.length], [null, false, 0])
      const controller = new AbortController()
      proxy.next({ fault: "answer", status: 429, headers: { "retry-after": "30" }, body: "" })
      const fetch: ClientOptions["fetch"] = async (url, init) => {
        const answer = await globalThis.fetch(url, init)
        setTimeout(() => controller.abort(reason))
        return answer
      }
      const refused = await abortedBy(clientWith({ fetch }).run(request, { signal: controller.signal }))
      assert.deepStrictEqual([refused.run, refused.mayStillRun, proxy.passed.length], [null, false, 1])
      assert.deepStrictEqual(await kindsOf(direct), [])
    }))

  it("is not made by its cancellation where no attempt has reached the gateway", () =>
    onGateway({}, async ({ clientWith, direct, proxy }) => {
      const controller = new AbortController()
      const away = await closedPort()
      let isAway = true
      const client = clientWith({
        fetch: async (url, init) => {
          if (!isAway) return fetch(url, init)
          try {
            return await fetch(new URL(new URL(String(url)).pathname, away), init)
          } finally {
            // It is back right after the caller has given up.
            isAway = false
            controller.abort(reason)
          }
        }
      })
      const failure = await abortedBy(client.run(request, { signal: controller.signal }))
      assert.deepStrictEqual([failure.run, failure.mayStillRun, proxy.passed.length], [null, false, 0])
      assert.deepStrictEqual(await all(direct.runs.list()), [])
    }))

  it("goes on where it changes something at the provider, and the failure says so", () =>
    onGateway({ providers: { "mock-send-message": silence } }, async ({ clientWith, direct, gateway }) => {
      const controller = new AbortController()
      const fetch = after(
        (_, method) => method === "GET",
        () => controller.abort(reason)
      )
      const client = clientWith({ fetch, requestTimeoutMillis: 5_000 })
      const failure = await abortedBy(client.run(sending, { signal: controller.signal }))
      assert.deepStrictEqual([failure.run?.status, failure.mayStillRun], ["running", true])
      assert.strictEqual((await direct.runs.get(String(failure.run?.runId))).status, "running")
      assert.strictEqual(gateway.calls().length, 1)
    }))
})

describe("a wait that is aborted", () => {
  it("leaves the run alone", () =>
    onGateway(
      { providers: { "mock-email-find": hit(undefined, { after: "2 seconds" }) } },
      async ({ clientWith, direct }) => {
        const controller = new AbortController()
        const { runId } = await direct.runs.create(request)
        let reads = 0
        const fetch = after(
          (_, method) => method === "GET" && ++reads === 2,
          () => controller.abort(reason)
        )
        const failure = await abortedBy(clientWith({ fetch }).runs.wait(runId, { signal: controller.signal }))
        assert.deepStrictEqual([failure.run?.runId, failure.mayStillRun, failure.idempotencyKey], [runId, true, null])
        assert.include(failure.retryHint, `${runId} goes on`)
        assert.strictEqual((await direct.runs.wait(runId)).outcome, "hit")
        assert.deepStrictEqual(await kindsOf(direct), ["hold", "release", "charge"])
      }
    ))
})
