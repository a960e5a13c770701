import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { listFiberRoots } from "../../../src/layers/node/FiberRoots.js"

const roots = Effect.map(Fiber.roots, (fibers) => fibers.map((fiber) => fiber.id().id))

describe("fibers without a parent", () => {
  it.effect("are found while they run and not afterwards, those from before too", () =>
    Effect.gen(function* () {
      const go = yield* Deferred.make<void>()
      const before = Effect.runFork(Deferred.await(go))
      yield* listFiberRoots
      const after = Effect.runFork(Deferred.await(go))
      const during = yield* roots
      assert.includeMembers([...during], [before.id().id, after.id().id])
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(Fiber.zip(before, after))
      const left = yield* roots
      assert.notInclude([...left], before.id().id)
      assert.notInclude([...left], after.id().id)
    })
  )

  it.effect("are in the list of the gateway, so Effect keeps its roots where this expects it", () =>
    Effect.gen(function* () {
      yield* listFiberRoots
      const store: unknown = Reflect.get(globalThis, "effect/GlobalValue")
      assert.isTrue(store instanceof Map)
      const scope: unknown = store instanceof Map ? store.get(Symbol.for("effect/FiberScope/Global")) : null
      assert.isTrue(typeof scope === "object" && scope !== null && "fiberId" in scope)
    })
  )
})
