/**
 * Stopping loses no request: what is under way is answered, what comes late is told to go elsewhere, and a deadline
 * ends it.
 */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from "node:http"
import { connect } from "node:net"
import { ServerAddress } from "../../src/http/serving/Listening.js"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import type { Run } from "../../src/domain/Run.js"
import { client, gatewayLayer, type Services } from "../support/httpGateway.js"
import { completedRun, runId } from "../support/httpSamples.js"
import { eventually } from "../support/eventually.js"

interface Heard {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** One request on the agent's connection; null when the connection ended without an answer. */
const ask = (port: number, path: string, agent: Agent) =>
  Effect.async<Heard | null>((resume) => {
    const request = httpRequest({ port, path, agent, headers: { authorization: "Bearer token" } }, (response) => {
      let body = ""
      response.setEncoding("utf8")
      response.on("data", (chunk) => {
        body += chunk
      })
      response.on("end", () =>
        resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, body }))
      )
      response.on("error", () => resume(Effect.succeed(null)))
    })
    request.on("error", () => resume(Effect.succeed(null)))
    request.end()
  })

const keepAlive = () => new Agent({ keepAlive: true, maxSockets: 1 })

/** Started in a scope of its own, to be stopped by hand. */
const started = (services: Services) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(gatewayLayer(services), scope)
    return { port: Context.get(context, ServerAddress).port, stop: Scope.close(scope, Exit.void) }
  })

/** `GET /v1/runs/{id}` that says when it has begun and ends when told to. */
const slow = Effect.gen(function* () {
  const begun = yield* Deferred.make<undefined>()
  const finish = yield* Deferred.make<undefined>()
  const get = () =>
    Deferred.succeed(begun, undefined).pipe(
      Effect.zipRight(Deferred.await(finish)),
      Effect.as({ run: completedRun, attempts: [] })
    )
  return { begun, finish, services: { runs: { get } } }
})

/** Once the port is closed, or answers so, the server is draining. */
const draining = (port: number) =>
  eventually(ask(port, "/livez", new Agent()), (heard) => heard === null || heard.status === 503)

describe("a server that stops", () => {
  it.live("answers what is under way, then closes that connection", () =>
    Effect.gen(function* () {
      const { begun, finish, services } = yield* slow
      const { port, stop } = yield* started(services)
      const underWay = yield* Effect.fork(ask(port, `/v1/runs/${runId}`, keepAlive()))
      yield* Deferred.await(begun)
      const stopping = yield* Effect.fork(stop)
      yield* draining(port)
      yield* Deferred.succeed(finish, undefined)
      const heard = yield* Fiber.join(underWay)
      assert.deepStrictEqual([heard?.status, heard?.headers.connection], [200, "close"])
      yield* Fiber.join(stopping)
    })
  )

  it.live(
    "answers every request that it has begun on a connection, and looks at none behind the answer that ends it",
    () =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<undefined>()
        const finish = yield* Deferred.make<undefined>()
        let asked = 0
        const get = () =>
          Effect.suspend(() => {
            asked += 1
            return Deferred.succeed(begun, undefined)
          }).pipe(Effect.zipRight(Deferred.await(finish)), Effect.as({ run: completedRun, attempts: [] }))
        // The deadline is not what this is about.
        const { port, stop } = yield* started({ runs: { get }, settings: { drainMillis: 20_000 } })
        const one = `GET /v1/runs/${runId} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer token\r\n\r\n`
        const socket = yield* Effect.acquireRelease(
          Effect.sync(() => connect({ port, host: "127.0.0.1", allowHalfOpen: true })),
          (open) => Effect.sync(() => open.destroy())
        )
        let heard = ""
        socket.setEncoding("utf8")
        socket.on("data", (chunk: string) => {
          heard += chunk
        })
        const ended = yield* Deferred.make<undefined>()
        socket.on("end", () => Effect.runSync(Deferred.succeed(ended, undefined)))
        socket.write(one.repeat(3))
        yield* Deferred.await(begun)
        const stopping = yield* Effect.fork(stop)
        yield* draining(port)
        yield* Deferred.succeed(finish, undefined)
        yield* Deferred.await(ended)
        const begunBefore = asked
        // More than the system keeps for a connection: it leaves only if the server goes on to read.
        const body = Buffer.alloc(20_000_000)
        socket.write(one.replace("\r\n\r\n", `\r\ncontent-length: ${body.length}\r\n\r\n`))
        yield* Effect.async<void>((resume) => {
          socket.write(body, () => resume(Effect.void))
        })
        socket.end()
        yield* Fiber.join(stopping)
        assert.strictEqual(heard.match(/HTTP\/1\.1 200 /g)?.length, begunBefore)
        assert.deepStrictEqual(
          heard
            .match(/\r\nconnection: [a-z-]+/gi)
            ?.at(-1)
            ?.toLowerCase(),
          "\r\nconnection: close"
        )
        assert.strictEqual(heard.match(/\r\nconnection: close/gi)?.length, 1)
        assert.strictEqual(asked, begunBefore)
      }).pipe(Effect.scoped)
  )

  it.live("answers requests on connections that were open in the envelope: not done, try again", () =>
    Effect.gen(function* () {
      const { begun, finish, services } = yield* slow
      const { port, stop } = yield* started({ ...services, settings: { drainMillis: 20_000 } })
      const underWay = yield* Effect.fork(ask(port, `/v1/runs/${runId}`, keepAlive()))
      yield* Deferred.await(begun)
      // Sent behind the request under way, on the same connection, and read by the server only once it is draining.
      const socket = connect(port, "127.0.0.1")
      const text = yield* Effect.fork(
        Effect.async<string>((resume) => {
          let all = ""
          socket.setEncoding("utf8")
          socket.on("data", (chunk: string) => {
            all += chunk
            if (all.includes("stopping")) resume(Effect.succeed(all))
          })
          socket.on("close", () => resume(Effect.succeed(all)))
        })
      )
      socket.write("GET /v1/runs HTTP/1.1\r\nhost: x\r\nx-request-id: mine\r\naccept: application/problem+json\r\n")
      yield* ask(port, "/livez", new Agent())
      const stopping = yield* Effect.fork(stop)
      yield* draining(port)
      socket.write("\r\n")
      const late = yield* Fiber.join(text)
      assert.match(late, /^HTTP\/1\.1 503 /)
      assert.match(late, /retry-after: 1\r\n/i)
      assert.match(late, /x-request-id: mine\r\n/i)
      assert.match(late, /content-type: application\/problem\+json\r\n/i)
      assert.match(late, /"status":503,"detail":"This node is stopping/)
      assert.match(late, /"code":"storage_busy".*"retryable":true/)
      yield* Deferred.succeed(finish, undefined)
      yield* Fiber.join(underWay)
      yield* Fiber.join(stopping)
    })
  )

  it.live("sends a slow reader all of its answer, while it closes idle connections", () =>
    Effect.gen(function* () {
      // More than the system keeps for a connection: the rest waits in the server.
      const value = { text: "x".repeat(12_000_000) }
      const run: Run = { ...completedRun, result: { _tag: "Json", value } }
      const { port, stop } = yield* started({
        runs: { get: () => Effect.succeed({ run, attempts: [] }) },
        settings: { drainMillis: 20_000 }
      })
      const idle = connect(port, "127.0.0.1")
      const isIdle = yield* Deferred.make<void>()
      const idleClosed = yield* Effect.fork(
        Effect.async<void>((resume) => {
          idle.on("data", () => Deferred.unsafeDone(isIdle, Effect.void))
          idle.on("close", () => resume(Effect.void))
        })
      )
      idle.write("GET /livez HTTP/1.1\r\nhost: x\r\n\r\n")
      yield* Deferred.await(isIdle)
      const socket = connect(port, "127.0.0.1")
      const begun = yield* Deferred.make<void>()
      let bytes = 0
      const closed = yield* Effect.fork(
        Effect.async<void>((resume) => {
          socket.on("data", (chunk: Buffer) => {
            if (bytes === 0) socket.pause()
            bytes += chunk.length
            Deferred.unsafeDone(begun, Effect.void)
          })
          socket.on("close", () => resume(Effect.void))
        })
      )
      socket.write(`GET /v1/runs/${runId} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer token\r\n\r\n`)
      yield* Deferred.await(begun)
      const stopping = yield* Effect.fork(stop)
      yield* Fiber.join(idleClosed)
      socket.resume()
      yield* Fiber.join(closed)
      assert.isAbove(bytes, value.text.length)
      yield* Fiber.join(stopping)
    })
  )

  it.live("refuses what comes behind answers that were ready before it stopped, and closes then", () =>
    Effect.gen(function* () {
      const ready = yield* Deferred.make<void>()
      const finish = yield* Deferred.make<void>()
      let asked = 0
      const found = { run: completedRun, attempts: [] }
      // The first answer waits, the second is ready behind it.
      const get = () =>
        Effect.suspend(() => {
          asked += 1
          return asked === 1
            ? Effect.as(Deferred.await(finish), found)
            : Effect.as(Deferred.succeed(ready, undefined), found)
        })
      const { port, stop } = yield* started({ runs: { get }, settings: { drainMillis: 20_000 } })
      const one = `GET /v1/runs/${runId} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer token\r\n\r\n`
      const socket = connect(port, "127.0.0.1")
      const both = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      let heard = ""
      socket.setEncoding("utf8")
      socket.on("data", (chunk: string) => {
        heard += chunk
        if ((heard.match(/HTTP\/1\.1 200 /g) ?? []).length === 2) Deferred.unsafeDone(both, Effect.void)
      })
      socket.on("close", () => Deferred.unsafeDone(ended, Effect.void))
      socket.write(one.repeat(2))
      yield* Deferred.await(ready)
      // Once another request has been answered, so has the second one.
      yield* ask(port, "/livez", new Agent())
      const stopping = yield* Effect.fork(stop)
      yield* draining(port)
      yield* Deferred.succeed(finish, undefined)
      yield* Deferred.await(both)
      socket.write(one)
      yield* Deferred.await(ended)
      assert.deepStrictEqual(heard.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 503"])
      assert.match(heard.slice(heard.indexOf("503")), /\r\nconnection: close\r\n/i)
      yield* Fiber.join(stopping)
    })
  )

  it.live("cuts at the deadline what will not end", () =>
    Effect.gen(function* () {
      const { begun, services } = yield* slow
      const { port, stop } = yield* started({ ...services, settings: { drainMillis: 50 } })
      const underWay = yield* Effect.fork(ask(port, `/v1/runs/${runId}`, keepAlive()))
      yield* Deferred.await(begun)
      yield* stop
      assert.isNull(yield* Fiber.join(underWay))
    })
  )

  it.live("is not ready before it stops listening", () =>
    Effect.gen(function* () {
      const { port, stop } = yield* started({ settings: { readinessPauseMillis: 300 } })
      const gateway = client(`http://127.0.0.1:${port}`, port)
      assert.deepStrictEqual((yield* gateway.get("/readyz")).json, {
        status: "ready",
        checks: { serving: true, catalog: true }
      })
      const stopping = yield* Effect.fork(stop)
      const answer = yield* eventually(gateway.get("/readyz"), ({ status }) => status === 503)
      assert.deepStrictEqual(answer.json, {
        status: "not_ready",
        checks: { serving: false, catalog: true },
        reasons: { serving: "This node is stopping" }
      })
      assert.strictEqual(answer.headers.get("connection"), "close")
      assert.strictEqual((yield* gateway.get("/livez")).status, 200)
      yield* Fiber.join(stopping)
    })
  )
})
