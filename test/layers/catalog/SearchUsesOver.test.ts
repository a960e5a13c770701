/** What a search does while the storage does not answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { WorkspaceId } from "../../../src/domain/Ids.js"
import { searchUseWaitMillis } from "../../../src/domain/limits/Lists.js"
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

  it.scoped("holds up a few connections of the storage at most, also when a statement outlives its search", () =>
    Effect.gen(function* () {
      let begun = 0
      const uses = yield* searchUsesOver({
        uses: () =>
          Effect.zipRight(
            Effect.sync(() => void (begun += 1)),
            Effect.never
          ),
        shown: () => Effect.void,
        ran: () => Effect.void
      })
      for (let round = 0; round < 3; round += 1) {
        const asked = yield* Effect.forkAll(
          Array.from({ length: 30 }, () => uses.weights(WorkspaceId.make(`ws_${"0".repeat(26)}`)))
        )
        yield* TestClock.adjust(searchUseWaitMillis)
        for (const learned of yield* Fiber.join(asked)) assert.strictEqual(learned.size, 0)
      }
      assert.strictEqual(begun, 4)
    })
  )
})
