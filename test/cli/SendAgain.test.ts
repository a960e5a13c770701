/** How often a command sends a request again, and when it says so. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { sendAgain } from "../../src/cli/client/GatewayClient.js"
import { GatewayRefused } from "../../src/cli/client/GatewayFailures.js"

const refusal = (retryable: boolean, retryAfterSeconds: number | null) =>
  new GatewayRefused({
    status: 429,
    code: "rate_limit_exceeded",
    words: "",
    retryable,
    told: { code: "rate_limit_exceeded", message: "", retryable, retryHint: "" },
    retryAfterSeconds
  })

const sent = Effect.fnUntraced(function* (refused: GatewayRefused) {
  let sends = 0
  let told = 0
  const sending = yield* Effect.fork(
    Effect.flip(
      sendAgain(
        Effect.suspend(() => {
          sends += 1
          return refused
        }),
        () => Effect.sync(() => void (told += 1))
      )
    )
  )
  yield* TestClock.adjust("5 minutes")
  assert.strictEqual(yield* Fiber.join(sending), refused)
  return { sends, told }
})

describe("a request that may be repeated", () => {
  it.effect("is sent five times at most, and says so each time that it is sent again", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* sent(refusal(true, 2)), { sends: 5, told: 4 })
    })
  )

  it.effect("is not sent again, nor said to be, where that would not help or nobody waits for so long", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* sent(refusal(false, null)), { sends: 1, told: 0 })
      assert.deepStrictEqual(yield* sent(refusal(true, 31)), { sends: 1, told: 0 })
    })
  )
})
