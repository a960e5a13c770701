// For how long a call is tried again, by a clock of the test.
import { assert, describe, it, vi } from "vitest"
import {
  type ClientOptions,
  createClient,
  type GatewayClient,
  UnexpectedAnswer,
  Unreachable
} from "../../src/client/index.js"

/** Calls of a client over a network of the test, while nothing takes real time. Answers when each attempt was made. */
const attemptsOver = async (
  options: Partial<ClientOptions>,
  answers: (attempt: number) => Promise<Response>,
  calls: (client: GatewayClient) => Promise<unknown>
) => {
  vi.useFakeTimers()
  try {
    const at: Array<number> = []
    const fetch = () => {
      at.push(performance.now())
      return answers(at.length)
    }
    const client = createClient({ baseUrl: "https://gateway.test", token: "pgw_x", fetch, ...options })
    const called = calls(client).then(
      () => null,
      (failure: unknown) => failure
    )
    await vi.advanceTimersByTimeAsync(3_600_000)
    return { failure: await called, at }
  } finally {
    vi.useRealTimers()
  }
}
const noAnswer = () => Promise.reject(new TypeError("fetch failed"))

describe("the patience of a client", () => {
  it("ends after seven attempts at an address that has never answered", async () => {
    const { at, failure } = await attemptsOver({}, noAnswer, (client) => client.balance())
    assert.instanceOf(failure, Unreachable)
    assert.strictEqual(at.length, 7)
  })

  it("ends after retryForMillis where the gateway has answered before, so that it may take long to start", async () => {
    for (const retryForMillis of [60_000, 600_000]) {
      const { at, failure } = await attemptsOver(
        { retryForMillis },
        (attempt) => (attempt === 1 ? Promise.resolve(Response.json({})) : noAnswer()),
        (client) => client.balance().then(() => client.balance())
      )
      assert.instanceOf(failure, Unreachable)
      const took = (at.at(-1) ?? 0) - (at[1] ?? 0)
      assert.isAtMost(took, retryForMillis)
      assert.isAtLeast(took, retryForMillis - 10_000)
    }
  })

  it("ends at once where the address answers another page", async () => {
    const page = () => Promise.resolve(new Response("<h1>Sign in</h1>", { headers: { "content-type": "text/html" } }))
    const { at, failure } = await attemptsOver({}, page, (client) => client.balance())
    assert.instanceOf(failure, UnexpectedAnswer)
    assert.strictEqual(failure.message, "https://gateway.test/v1/balance answered 200 with a page of HTML")
    assert.match(failure.retryHint, /^Check the base URL/)
    assert.strictEqual(at.length, 1)
  })

  it("ends after requestTimeoutMillis where a fetch does not look at its signal", async () => {
    const never = () => new Promise<Response>(() => {})
    const { failure } = await attemptsOver({ retryForMillis: 0 }, never, (client) => client.balance())
    assert.instanceOf(failure, Unreachable)
    assert.match(failure.message, /no whole answer within 30 seconds$/)
    const endless = () => Promise.resolve(new Response(new ReadableStream()))
    const reading = await attemptsOver({ retryForMillis: 0 }, endless, (client) => client.balance())
    assert.instanceOf(reading.failure, Unreachable)
  })

  it("ends for a file after requestTimeoutMillis without a piece, and whoever sends it is told", async () => {
    vi.useFakeTimers()
    try {
      const pieces: Array<(piece: Uint8Array) => void> = []
      let told: unknown = null
      const source = new ReadableStream<Uint8Array>({
        start: (controller) => void pieces.push((piece) => controller.enqueue(piece)),
        cancel: (reason) => void (told = reason)
      })
      const fetch = () => Promise.resolve(new Response(source))
      const client = createClient({ baseUrl: "https://gateway.test", token: "pgw_x", fetch })
      const file = await client.runs.media("/v1/runs/run_1/media/med_1")
      const reader = file.body?.getReader()
      const next = () =>
        Promise.resolve(reader?.read()).then(
          (read) => read?.value?.length,
          (failure: unknown) => failure
        )
      for (let nth = 0; nth < 3; nth++) {
        // A reader that takes its time between two pieces is not hurried.
        await vi.advanceTimersByTimeAsync(120_000)
        const read = next()
        await vi.advanceTimersByTimeAsync(29_000)
        for (const send of pieces) send(new Uint8Array(10))
        assert.strictEqual(await read, 10)
      }
      const read = next()
      await vi.advanceTimersByTimeAsync(31_000)
      assert.match(String(await read), /no further piece of the file within 30 seconds/)
      assert.match(String(told), /no further piece/)
    } finally {
      vi.useRealTimers()
    }
  })
})
