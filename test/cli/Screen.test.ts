import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { PassThrough } from "node:stream"
import { asking } from "../../src/cli/Screen.js"

/** A question at a terminal where these keys are pressed, and what the terminal shows in the end. */
const asked = (...keys: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true })]
    const answer = yield* Effect.fork(asking(input, output)("Run it?"))
    let shown = ""
    // Keys are read from when the question stands there.
    yield* Effect.async<void>((resume) => {
      output.on("data", (bytes) => {
        shown += bytes
        resume(Effect.void)
      })
    })
    for (const key of keys) input.write(key)
    const agreed = yield* Fiber.join(answer)
    return { agreed, shown }
  })

describe("a question at the terminal", () => {
  it.effect("is agreed to with y and yes only", () =>
    Effect.gen(function* () {
      for (const yes of ["y\r", "YES\r", " y \r"]) assert.isTrue((yield* asked(yes)).agreed, yes)
      for (const no of ["\r", "n\r", "yesterday\r"]) assert.isFalse((yield* asked(no)).agreed, no)
    })
  )

  it.effect("is answered with no by Ctrl-C, by Ctrl-D and by the end of the input, and its line ends", () =>
    Effect.gen(function* () {
      for (const key of ["\u0003", "\u0004", "y\u0003"]) {
        const { agreed, shown } = yield* asked(key)
        assert.isFalse(agreed, JSON.stringify(key))
        assert.isTrue(shown.endsWith("\n"), JSON.stringify(shown))
      }
      const input = new PassThrough()
      input.end()
      assert.isFalse(yield* asking(input, new PassThrough())("Run it?"))
    })
  )
})
