/**
 * Effect notes every fiber that has no parent in one `Set`, which is how a dump of all fibers finds them. Each request
 * and each run is such a fiber, so that set keeps what they leave behind alive (`services/UnderWay.ts`). This replaces
 * the set by a list. It depends on an internal of `effect`, the name of the place where the set is kept; a test fails
 * where that changes, and then everything works as before, with more work for the garbage collector.
 */
import { Effect, type Fiber } from "effect"
import { globalValue } from "effect/GlobalValue"
import { makeUnderWay } from "../../services/UnderWay.js"

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

interface GlobalScope {
  roots: Iterable<AnyFiber> & { readonly delete: (fiber: AnyFiber) => unknown }
  add: (flags: number, fiber: AnyFiber) => void
}

const listed = makeUnderWay<AnyFiber>()
const note = (_: number, fiber: AnyFiber): void => fiber.addObserver(listed.add(fiber))

/** For this process, before it serves; a second time changes nothing. */
export const listFiberRoots: Effect.Effect<void> = Effect.sync(() => {
  const scope = globalValue(Symbol.for("effect/FiberScope/Global"), (): GlobalScope => ({
    roots: new Set(),
    add: () => {}
  }))
  if (scope.add === note) return
  // Fibers that have begun already leave the set when they end.
  const before = scope.roots
  scope.roots = {
    [Symbol.iterator]: () => [...before, ...listed][Symbol.iterator](),
    delete: (fiber) => before.delete(fiber)
  }
  scope.add = note
})
