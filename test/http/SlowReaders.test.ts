/** Readers who do not read: they are cut off, hold little memory, and cost nobody else anything. */
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { mediaPartBytes } from "../../src/domain/limits/Requests.js"
import { StorageBusy } from "../../src/domain/StorageErrors.js"
import { cutSlowReaders, type ReaderLimits } from "../../src/http/SlowReaders.js"
import { startGateway } from "../support/httpGateway.js"
import { media, mediaId, runId } from "../support/httpSamples.js"

/** More than the buffers of both kernels hold. */
const largeBytes = 64_000_000
const path = `/v1/runs/${runId}/media/${mediaId}`

/** Connects, asks, and reads nothing until it is told to. */
const asking = (port: number, url: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect(port, "127.0.0.1")
      socket.on("error", () => undefined)
      socket.pause()
      socket.write(`GET ${url} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer token\r\n\r\n`)
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** All that a socket gives until its end. */
const rest = (socket: Socket) =>
  Effect.async<number>((resume) => {
    let bytes = 0
    socket.on("data", (chunk) => {
      bytes += chunk.length
    })
    socket.on("close", () => resume(Effect.succeed(bytes)))
    socket.resume()
  })

/** Reads a little after each pause, for as long as the scope lives. Gives what tells how much was read. */
const readingSlowly = (socket: Socket, pauseMillis: number) =>
  Effect.gen(function* () {
    let taken = 0
    yield* Effect.sync(() => {
      const chunk: unknown = socket.read(100_000)
      if (Buffer.isBuffer(chunk)) taken += chunk.length
    }).pipe(Effect.delay(pauseMillis), Effect.forever, Effect.forkScoped)
    return () => taken
  })

const serving = (limits: Partial<ReaderLimits>) =>
  Effect.gen(function* () {
    let closed = 0
    const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
      request.socket.once("close", () => closed++)
      if (request.url === "/later") setTimeout(() => response.end("done"), 1_500)
      else response.end(Buffer.alloc(largeBytes))
    })
    yield* cutSlowReaders(server, { lookMillis: 50, ...limits })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    )
    return { port: (server.address() as AddressInfo).port, cut: () => closed }
  })

const until = (condition: () => boolean) => Effect.repeat(Effect.sleep("20 millis"), { until: () => condition() })

describe("a reader", () => {
  it.scopedLive(
    "who takes nothing is cut off, and one who waits for an answer is not",
    () =>
      Effect.gen(function* () {
        const { cut, port } = yield* serving({ stallMillis: 500, bytesPerSecond: 1e9, unreadBytes: 1e9 })
        const patient = yield* asking(port, "/later")
        const sleeper = yield* asking(port, "/large")
        const answer = yield* Effect.async<string>((resume) => {
          patient.once("data", (chunk) => resume(Effect.succeed(String(chunk)))).resume()
        })
        assert.include(answer, "done")
        yield* until(() => cut() >= 1)
        assert.isBelow(yield* rest(sleeper), largeBytes)
      }),
    30_000
  )

  it.scopedLive(
    "whose answer waits behind that of another request is not cut off",
    () =>
      Effect.gen(function* () {
        // From its turn on it may take its time: what is read in which time is up to the machine.
        const { port } = yield* serving({ stallMillis: 1_000, bytesPerSecond: 1, unreadBytes: 1e9 })
        const socket = yield* asking(port, "/later")
        socket.write("GET /large HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert.isAtLeast(yield* rest(socket), largeBytes)
      }),
    30_000
  )

  it.scopedLive(
    "who takes too little for too long is cut off",
    () =>
      Effect.gen(function* () {
        // What waits in this process has not been taken, or the whole answer would have half a minute.
        const { cut, port } = yield* serving({
          stallMillis: 1_000,
          bytesPerSecond: largeBytes / 30,
          unreadBytes: 1e9
        })
        const socket = yield* asking(port, "/large")
        const taken = yield* readingSlowly(socket, 100)
        yield* until(() => cut() === 1)
        assert.isAbove(taken(), 0)
        assert.isBelow(taken(), largeBytes / 4)
      }),
    60_000
  )

  it.scopedLive(
    "who reads steadily is not cut off, although the kernel takes more only now and then",
    () =>
      Effect.gen(function* () {
        const { cut, port } = yield* serving({ stallMillis: 100, bytesPerSecond: largeBytes / 100, unreadBytes: 1e9 })
        const socket = yield* asking(port, "/large")
        const taken = yield* readingSlowly(socket, 50)
        yield* until(() => taken() > 12_000_000 || cut() > 0)
        assert.strictEqual(cut(), 0)
      }),
    60_000
  )

  it.scopedLive(
    "who has waited longest goes first when all of them together hold too much",
    () =>
      Effect.gen(function* () {
        const { cut, port } = yield* serving({ stallMillis: 60_000, bytesPerSecond: 1, unreadBytes: 2.5 * largeBytes })
        const sleepers = yield* Effect.forEach([1, 2, 3, 4], () =>
          Effect.zipLeft(asking(port, "/large"), Effect.sleep("200 millis"))
        )
        yield* until(() => cut() >= 2)
        assert.strictEqual(
          yield* rest(sleepers[3]!).pipe(
            Effect.timeoutOption("300 millis"),
            Effect.map((ended) => ended._tag)
          ),
          "None",
          "the last one is still served"
        )
        assert.strictEqual(cut(), 2)
      }),
    30_000
  )

  it.scopedLive(
    "of the gateway is held to the same",
    () =>
      Effect.gen(function* () {
        const bytes = Buffer.alloc(largeBytes)
        const gateway = yield* startGateway({
          settings: { readers: { stallMillis: 300, lookMillis: 50, bytesPerSecond: 1e9 } },
          runs: {
            media: () =>
              Effect.succeed({
                ...media,
                size: largeBytes,
                part: (start, end) => Effect.succeed(bytes.subarray(start, end))
              })
          }
        })
        const sleeper = yield* asking(gateway.port, path)
        yield* Effect.sleep("1500 millis")
        assert.isBelow(yield* rest(sleeper), largeBytes)
      }),
    30_000
  )
})

describe("a large file", () => {
  const file = (size: number) => {
    const bytes = Buffer.alloc(size, "0123456789")
    const parts: Array<readonly [start: number, end: number]> = []
    const stored = {
      ...media,
      size,
      part: (start: number, end: number) =>
        Effect.promise(() => {
          parts.push([start, end])
          return Promise.resolve(bytes.subarray(start, end))
        })
    }
    return { bytes, parts, stored }
  }

  it.scopedLive("is read in parts, and arrives whole, by range and by HEAD, without a warning of Node", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const hear = ({ name }: Error) => void warnings.push(name)
      yield* Effect.acquireRelease(
        Effect.sync(() => process.on("warning", hear)),
        () => Effect.sync(() => process.off("warning", hear))
      )
      const size = 3 * mediaPartBytes + 5
      const { bytes, parts, stored } = file(size)
      const gateway = yield* startGateway({ runs: { media: () => Effect.succeed(stored) } })
      const whole = yield* gateway.get(path)
      assert.deepStrictEqual(
        [whole.status, whole.headers.get("content-length"), whole.text === String(bytes)],
        [200, String(size), true]
      )
      assert.lengthOf(parts, 4)
      const range = yield* gateway.get(path, { headers: { range: `bytes=10-${mediaPartBytes + 20}` } })
      assert.deepStrictEqual(
        [
          range.status,
          range.headers.get("content-range"),
          range.text === String(bytes.subarray(10, mediaPartBytes + 21))
        ],
        [206, `bytes 10-${mediaPartBytes + 20}/${size}`, true]
      )
      const head = yield* gateway.send("HEAD", path)
      assert.deepStrictEqual([head.status, head.headers.get("content-length"), head.text], [200, String(size), ""])
      assert.deepStrictEqual(warnings, [])
      const empty = yield* startGateway({ runs: { media: () => Effect.succeed(file(0).stored) } })
      assert.deepStrictEqual([(yield* empty.get(path)).status, (yield* empty.get(path)).text], [200, ""])
    })
  )

  it.scopedLive(
    "of which nobody reads is not read on",
    () =>
      Effect.gen(function* () {
        const { parts, stored } = file(largeBytes)
        const gateway = yield* startGateway({ runs: { media: () => Effect.succeed(stored) } })
        yield* asking(gateway.port, path)
        yield* until(() => parts.length > 0)
        let before = -1
        yield* Effect.repeat(
          Effect.suspend(() => {
            before = parts.length
            return Effect.sleep("300 millis")
          }),
          { until: () => parts.length === before }
        )
        assert.isBelow(parts.length * mediaPartBytes, largeBytes / 2)
      }),
    30_000
  )

  it.scopedLive(
    "that breaks off cuts the connection instead of ending like a whole one",
    () =>
      Effect.gen(function* () {
        const { stored } = file(4 * mediaPartBytes)
        const broken = yield* Deferred.make<void>()
        const busy = new StorageBusy({ retryAfterSeconds: 1 })
        const part = (start: number, end: number) =>
          start > 0 ? Effect.zipRight(Deferred.succeed(broken, undefined), Effect.fail(busy)) : stored.part(start, end)
        const gateway = yield* startGateway({ runs: { media: () => Effect.succeed({ ...stored, part }) } })
        const socket = yield* asking(gateway.port, path)
        assert.isBelow(yield* rest(socket), 2 * mediaPartBytes)
        yield* Deferred.await(broken)
        const away = yield* startGateway({
          runs: { media: () => Effect.succeed({ ...stored, part: () => Effect.fail(busy) }) }
        })
        assert.strictEqual((yield* away.get(path)).status, 503, "nothing was sent yet")
      }),
    30_000
  )
})
