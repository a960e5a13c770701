/** How long a file of a gateway may take, by the clock of the test. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue, Redacted, Stream, TestClock } from "effect"
import { createServer, type ServerResponse } from "node:http"
import { gatewayAt } from "../../src/cli/client/GatewayClient.js"

/** A gateway that sends what the test says, and where it is. */
const sending = Effect.gen(function* () {
  const answers = yield* Queue.unbounded<ServerResponse>()
  const server = createServer((_, response) => void Queue.unsafeOffer(answers, response))
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, answer: Queue.take(answers) }
})

/** A file on its way, whose pieces the test takes one by one. */
const file = Effect.gen(function* () {
  const { answer, url } = yield* sending
  const pieces = yield* Queue.unbounded<number>()
  const read = yield* gatewayAt(url, Redacted.make("pgw_x"))
    .file("/v1/runs/run_1/media/med_1")
    .pipe(
      Stream.runForEach(({ length }) => Queue.offer(pieces, length)),
      Effect.fork
    )
  const response = yield* answer
  const closed = Effect.async<void>((resume) => {
    if (response.destroyed) resume(Effect.void)
    else response.once("close", () => resume(Effect.void))
  })
  return { closed, piece: Queue.take(pieces), read, response }
})

describe("a file of a gateway", () => {
  it.scoped("has no limit of time as a whole", () =>
    Effect.gen(function* () {
      const { piece, read, response } = yield* file
      for (let nth = 0; nth < 5; nth++) {
        yield* TestClock.adjust("80 seconds")
        response.write(Buffer.alloc(1_000))
        assert.strictEqual(yield* piece, 1_000)
      }
      response.end()
      yield* Fiber.join(read)
    })
  )

  it.scoped("is given up, and its connection closed, where no piece comes for 90 seconds", () =>
    Effect.gen(function* () {
      const { closed, piece, read, response } = yield* file
      response.write(Buffer.alloc(1_000))
      yield* piece
      yield* TestClock.adjust("89 seconds")
      assert.isNull(read.unsafePoll())
      yield* TestClock.adjust("2 seconds")
      const failure = yield* Effect.flip(Fiber.join(read))
      assert.include(failure.message, "no answer in time")
      yield* closed
    })
  )

  it.scoped("is given up where its head does not come for 90 seconds", () =>
    Effect.gen(function* () {
      const { closed, read } = yield* file
      yield* TestClock.adjust("91 seconds")
      const failure = yield* Effect.flip(Fiber.join(read))
      assert.include(failure.message, "no answer in time")
      yield* closed
    })
  )
})
