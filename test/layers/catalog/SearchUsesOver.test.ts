/** What a search does while the storage does not answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { WorkspaceId } from "../../../src/domain/Ids.js"
import { searchUseWaitMillis } from "../../../src/domain/Limits.js"
import { searchUsesOver } from "../../../src/layers/catalog/learning/SearchUsesOver.js"

describe("what a search has learned", () => {
  it.scoped("is waited for a short while, and is nothing after that", () =>
    Effect.gen(function* () {
      const uses = yield* searchUsesOver({
        uses: () => Effect.never,
        shown: () => Effect.void,
        ran: () => Effect.void
      })
      const asked = yield* Effect.fork(uses.weights(WorkspaceId.make(`ws_${"0".repeat(26)}`)))
      yield* TestClock.adjust(searchUseWaitMillis - 1)
      assert.isNull(asked.unsafePoll())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(asked)).size, 0)
    })
  )
})
