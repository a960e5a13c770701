/** One tenant's reads take turns, and leave the others' alone. */
import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted, TestClock } from "effect"
import { WorkspaceId } from "../../src/domain/Ids.js"
import { readsAtOnceMax, readsSharedMax, readsWaitingMax, readWaitMillisMax } from "../../src/domain/limits/Requests.js"
import { ReadTurns, ReadTurnsLayer } from "../../src/http/ReadTurns.js"
import { caller, id, startGateway } from "../support/httpGateway.js"
import { completedRun } from "../support/httpSamples.js"
import { eventually } from "../support/eventually.js"

const greedy = WorkspaceId.make(id("ws", 7))
const modest = WorkspaceId.make(id("ws", 8))
const settle = Effect.yieldNow().pipe(Effect.repeatN(20))

describe("reads of a workspace", () => {
  it.scopedLive("take turns, and answer 429 to what cannot wait; another workspace is answered meanwhile", () =>
    Effect.gen(function* () {
      const go = yield* Deferred.make<void>()
      let underWay = 0
      let most = 0
      const gateway = yield* startGateway({
        accounts: {
          authenticate: (token) =>
            Effect.succeed({ ...caller(), workspaceId: Redacted.value(token) === "greedy" ? greedy : modest })
        },
        runs: {
          list: (workspaceId) =>
            workspaceId === modest
              ? Effect.succeed({ items: [], next: null })
              : Effect.acquireUseRelease(
                  Effect.sync(() => {
                    most = Math.max(most, (underWay += 1))
                  }),
                  () => Effect.as(Deferred.await(go), { items: [], next: null }),
                  () =>
                    Effect.sync(() => {
                      underWay -= 1
                    })
                )
        }
      })
      const list = (token: string) => gateway.get("/v1/runs", { authorization: `Bearer ${token}` })
      const asked = readsAtOnceMax + readsWaitingMax + 20
      const sent = yield* Effect.forEach(Array.from({ length: asked }), () => Effect.fork(list("greedy")))
      // The ones too many are answered first: the others are there by then.
      const refused = yield* Effect.raceAll(sent.map(Fiber.join))
      assert.deepStrictEqual(
        [refused.status, refused.json.error.code, refused.json.retryAfterSeconds, refused.headers.get("retry-after")],
        [429, "rate_limit_exceeded", 1, "1"]
      )
      assert.match(refused.json.error.message, /^Too many reads of this workspace at once/)
      assert.strictEqual((yield* list("modest")).status, 200)
      yield* Deferred.succeed(go, undefined)
      const answers = yield* Effect.forEach(sent, Fiber.join)
      assert.strictEqual(answers.filter(({ status }) => status === 429).length, 20)
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, asked - 20)
      assert.strictEqual(most, readsAtOnceMax)
      assert.strictEqual((yield* list("greedy")).status, 200)
    })
  )

  it.scopedLive("give their turn back where the client hung up while they waited behind others of its connection", () =>
    Effect.gen(function* () {
      const go = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const gone = yield* Deferred.make<void>()
      let asked = 0
      const gateway = yield* startGateway({
        accounts: { authenticate: () => Effect.succeed({ ...caller(), workspaceId: greedy }) },
        runs: {
          list: () => Effect.succeed({ items: [], next: null }),
          quote: () =>
            Effect.suspend(() => {
              asked += 1
              return asked === readsAtOnceMax ? Deferred.succeed(begun, undefined) : Effect.void
            }).pipe(
              Effect.zipRight(Deferred.await(go)),
              Effect.onInterrupt(() => Deferred.succeed(gone, undefined)),
              Effect.zipRight(Effect.dieMessage("the answer does not matter"))
            )
        }
      })
      const body = '{"endpointId":"a","input":{}}'
      const quote = `POST /v1/runs/quote HTTP/1.1\r\nhost: x\r\nauthorization: Bearer t\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
      const socket = connect(gateway.port, "127.0.0.1")
      socket.write(quote.repeat(2 * readsAtOnceMax))
      yield* Deferred.await(begun)
      socket.destroy()
      yield* Deferred.await(gone)
      yield* Deferred.succeed(go, undefined)
      for (let more = 0; more < 2 * readsAtOnceMax; more++)
        assert.strictEqual((yield* gateway.get("/v1/runs", { authorization: "Bearer t" })).status, 200)
    })
  )

  it.scopedLive("do not wait for quotes whose bodies are still on the way", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ runs: { list: () => Effect.succeed({ items: [], next: null }) } })
      const quote =
        "POST /v1/runs/quote HTTP/1.1\r\nhost: x\r\nauthorization: Bearer token\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"
      for (let count = 0; count < readsAtOnceMax; count++)
        yield* Effect.acquireRelease(
          Effect.async<Socket>((resume) => {
            const socket = connect(gateway.port, "127.0.0.1")
            // The server says that it has begun to read.
            socket.once("data", () => resume(Effect.succeed(socket)))
            socket.write(quote.replace("host: x", "host: x\r\nexpect: 100-continue"))
          }),
          (socket) => Effect.sync(() => socket.destroy())
        )
      assert.strictEqual((yield* gateway.get("/v1/runs")).status, 200)
    })
  )

  it.scopedLive("take one also for a connection and for an older version of a contract", () =>
    Effect.gen(function* () {
      for (const path of ["/v1/connections/con_00000000000000000000000001", "/v1/operations/x?contractVersion=old"]) {
        let underWay = 0
        const held = () =>
          Effect.suspend(() => {
            underWay += 1
            return Effect.never
          })
        const gateway = yield* startGateway({ connections: { get: held }, catalog: { contract: held } })
        const socket = yield* Effect.acquireRelease(
          Effect.sync(() => connect(gateway.port, "127.0.0.1")),
          (open) => Effect.sync(() => open.destroy())
        )
        socket.write(
          `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer token\r\n\r\n`.repeat(readsAtOnceMax + 2)
        )
        yield* eventually(gateway.get("/livez"), () => underWay >= readsAtOnceMax)
        yield* gateway.get("/livez")
        assert.strictEqual(underWay, readsAtOnceMax, path)
      }
    })
  )

  it.scopedLive(
    "that share a statement go on while those that do not take all turns; a large run is one of these",
    () =>
      Effect.gen(function* () {
        let alone = 0
        let together = 0
        const go = yield* Deferred.make<void>()
        const gateway = yield* startGateway({
          accounts: { authenticate: () => Effect.succeed({ ...caller(), workspaceId: greedy }) },
          runs: {
            getSmall: (_, runId) =>
              runId.endsWith("9")
                ? Effect.succeed(null)
                : Effect.suspend(() => {
                    together += 1
                    return Effect.as(Deferred.await(go), { run: completedRun, attempts: [] })
                  }),
            get: () =>
              Effect.suspend(() => {
                alone += 1
                return Effect.as(Deferred.await(go), { run: completedRun, attempts: [] })
              })
          }
        })
        const look = (last: number) =>
          gateway.get(`/v1/runs/${id("run", last)}${last % 2 === 0 ? "" : "/attempts"}`, { authorization: "Bearer t" })
        const larges = yield* Effect.forEach(Array.from({ length: readsAtOnceMax + 3 }), () => Effect.fork(look(9)))
        yield* eventually(gateway.get("/livez"), () => alone === readsAtOnceMax)
        const smalls = yield* Effect.forEach(Array.from({ length: readsSharedMax }), (_, index) =>
          Effect.fork(look(index % 8))
        )
        // The large ones are under way as well, and count among those that may be.
        yield* eventually(gateway.get("/livez"), () => together === readsSharedMax - readsAtOnceMax - 3)
        assert.strictEqual(alone, readsAtOnceMax)
        yield* Deferred.succeed(go, undefined)
        const statuses = Effect.forEach([...larges, ...smalls], (sent) =>
          Effect.map(Fiber.join(sent), ({ status }) => status)
        )
        assert.deepStrictEqual([...new Set(yield* statuses)], [200])
        assert.strictEqual(alone, readsAtOnceMax + 3)
        assert.strictEqual(together, readsSharedMax)
      })
  )

  it.effect("go in the order in which they came, and give up after a while", () =>
    Effect.gen(function* () {
      const turns = yield* ReadTurns
      const gates = yield* Effect.forEach(Array.from({ length: readsAtOnceMax }), () => Deferred.make<void>())
      yield* Effect.forEach(gates, (gate) => Effect.fork(turns.take(greedy, Deferred.await(gate))))
      yield* settle
      const order: Array<string> = []
      const waitAs = (name: string) =>
        Effect.fork(
          Effect.either(
            turns.take(
              greedy,
              Effect.sync(() => order.push(name))
            )
          )
        )
      const [first, gone, last] = [yield* waitAs("first"), yield* waitAs("gone"), yield* waitAs("last")]
      yield* settle
      yield* Fiber.interrupt(gone)
      yield* Deferred.succeed(gates[0]!, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(last)
      assert.deepStrictEqual(order, ["first", "last"])
      // Again all are taken.
      yield* Effect.fork(turns.take(greedy, Effect.never))
      const late = yield* waitAs("late")
      yield* settle
      yield* TestClock.adjust(readWaitMillisMax)
      const given = yield* Fiber.join(late)
      assert.propertyVal(given._tag === "Left" ? given.left : null, "_tag", "storage_busy")
      assert.deepStrictEqual(order, ["first", "last"])
    }).pipe(Effect.provide(ReadTurnsLayer))
  )
})
